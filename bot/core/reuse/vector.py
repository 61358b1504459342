"""The maturity vector of a capability: discovery D0 to D7, availability A0 to A7, completeness C0 to C6, reliability
R0 to R6. Descriptive, not grades."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.core.plain_yaml import Value

_DIMENSIONS = (("D", "discovery", 7), ("A", "availability", 7), ("C", "completeness", 6), ("R", "reliability", 6))
_IN_TEXT = re.compile(r"(?<![a-z])([dacr])[ \t]?[:=]?[ \t]?(\d)(?!\d)", re.IGNORECASE)
_LEVEL = re.compile(r"([a-z]?)[ \t]?(\d)(?!\d)", re.IGNORECASE)
# the lowest level at which a consumer can use a capability without first building or installing it from source
_USABLE = 3


@dataclass(frozen=True, slots=True)
class Vector:
    """Levels as numbers; None where the index does not say."""

    discovery: int | None = None
    availability: int | None = None
    completeness: int | None = None
    reliability: int | None = None

    @property
    def text(self) -> str | None:
        """`D4/A2/C2/R1`, unknown dimensions left out; None when nothing is known."""
        known = [
            f"{letter}{level}"
            for (letter, _, _), level in zip(_DIMENSIONS, self._levels(), strict=True)
            if level is not None
        ]
        return "/".join(known) or None

    @property
    def rank(self) -> tuple[int, int]:
        """Discovery, then availability: more is the safer bet at equal textual match; unknown comes last."""
        return (
            -1 if self.discovery is None else self.discovery,
            -1 if self.availability is None else self.availability,
        )

    @property
    def gap(self) -> str | None:
        """What stands between finding this capability and using it; None when it is available."""
        if self.availability is None:
            return "the index does not say how available it is"
        if self.availability >= _USABLE:
            return None
        if self.availability == _USABLE - 1:
            return f"available as source only (A{self.availability})"
        return f"not available yet (A{self.availability})"

    def _levels(self) -> tuple[int | None, ...]:
        return (self.discovery, self.availability, self.completeness, self.reliability)


def read_vector(row: Mapping[str, Value]) -> Vector:
    """The vector of an index row or an entry's front matter, in any of the shapes in use.

    A string with or without spaces, a mapping by letter or by name, or the entry's own `maturity.*.current` and
    `external_evidence.*.level`. What cannot be read, or is off the scale, is unknown.
    """
    sources = [row.get(key) for key in ("vector", "maturity_vector", "maturity", "external_evidence")] + [dict(row)]
    levels: list[int | None] = []
    for letter, name, top in _DIMENSIONS:
        found = (_dimension(source, letter, name) for source in sources)
        level = next((value for value in found if value is not None), None)
        levels.append(level if level is not None and level <= top else None)
    return Vector(*levels)


def _dimension(source: Value, letter: str, name: str) -> int | None:
    if isinstance(source, str):
        return next((int(level) for found, level in _IN_TEXT.findall(source[:200]) if found.upper() == letter), None)
    if not isinstance(source, dict):
        return None
    for key in (letter, letter.lower(), name, name.capitalize()):
        level = _level(source.get(key), letter)
        if level is not None:
            return level
    return None


def _level(value: Value, letter: str) -> int | None:
    if isinstance(value, dict):
        value = next((value[key] for key in ("current", "level", "value") if value.get(key) is not None), None)
    if not isinstance(value, str):
        return None
    match = _LEVEL.match(value.strip())
    if match is None or match[1].upper() not in ("", letter):
        return None
    return int(match[2])
