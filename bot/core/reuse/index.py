"""The federated capability index: read tolerantly, one row a capability, ready to be matched.

Nothing in an index is an error that stops a check. A row that cannot be used is skipped and counted; an index that
cannot be read is an empty one with a `problem`, and the check answers `new` with that reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from bot.core.plain_yaml import Value, YamlError, read
from bot.core.reuse.tokens import tokens
from bot.core.reuse.vector import Vector, read_vector

MAX_BYTES = 32 * 1024 * 1024
_ID = re.compile(r"capability\.[a-z0-9]+(\.[a-z0-9-]+)+")
_DATE = re.compile(r"\s*(\d{4})-(\d{2})-(\d{2})(?:[T\s]|$)")
_GUIDANCE_KEYS = ("consumption", "consumption_guidance", "consumption_notes", "consumption_contract")
_GUIDANCE_CHARS = 600
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Capability:
    """One row of the index, as far as matching and answering need it. Missing texts are ""."""

    id: str
    name: str
    summary: str
    tags: tuple[str, ...]
    owner: str
    source_repo: str
    path: str
    status: str
    vector: Vector
    related: tuple[str, ...]
    consumption: str | None = None
    alternates: tuple[Capability, ...] = ()

    @property
    def deprecated(self) -> bool:
        return self.status.casefold() == "deprecated"

    @property
    def words(self) -> frozenset[str]:
        """The distinct words of name, summary and tags."""
        return tokens(" ".join((self.name, self.summary, *self.tags)))

    @property
    def precedence(self) -> tuple[int, int, str]:
        """Sorts the more mature first (discovery, then availability), then by id."""
        discovery, availability = self.vector.rank
        return (-discovery, -availability, self.id)


@dataclass(frozen=True)
class Index:
    """Capabilities with distinct ids, in the order of the file. `problem` says why there are none."""

    capabilities: tuple[Capability, ...] = ()
    updated: str | None = None
    problem: str | None = None
    warnings: tuple[str, ...] = ()

    @cached_property
    def position(self) -> Mapping[str, int]:
        """Where in `capabilities` an id stands."""
        return {c.id: number for number, c in enumerate(self.capabilities)}

    @cached_property
    def names(self) -> WordSets:
        return WordSets.of([tokens(c.name) for c in self.capabilities])

    @cached_property
    def blobs(self) -> WordSets:
        return WordSets.of([c.words for c in self.capabilities])

    @cached_property
    def precedence(self) -> Sequence[int]:
        """The place of each capability when text does not decide: more mature first, then by id."""
        order = sorted(range(len(self.capabilities)), key=lambda n: self.capabilities[n].precedence)
        places = [0] * len(order)
        for place, number in enumerate(order):
            places[number] = place
        return places

    def stale_warning(self, today: date, max_days: int) -> str | None:
        """A sentence when the index is strictly older than `max_days` days, or does not say how old it is."""
        if self.problem is not None:
            return None
        if self.updated is None:
            return "the index does not say when it was updated"
        day = _day(self.updated)
        if day is None:
            return f"the index's update date {_shown(self.updated)} cannot be read"
        age = (today - day).days
        if age > max_days:
            return f"the index is {age} days old (updated {day.isoformat()}); candidates may be missing or outdated"
        return None


@dataclass(frozen=True, slots=True)
class WordSets:
    """The distinct words of each row and how many they are, and for each word the rows that have it."""

    sets: Sequence[frozenset[str]]
    sizes: Sequence[int]
    rows: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, sets: Sequence[frozenset[str]]) -> WordSets:
        rows: dict[str, list[int]] = {}
        for number, words in enumerate(sets):
            for word in words:
                rows.setdefault(word, []).append(number)
        return cls(sets, [len(words) for words in sets], rows)


def load_index(source: str | bytes, *, max_bytes: int = MAX_BYTES) -> Index:
    """Read an index file's text. Never raises: what is wrong stands in `problem` or `warnings`."""
    size = len(source) if isinstance(source, bytes) else len(source.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        return Index(problem=f"the capability index is {size:,} bytes, more than the {max_bytes:,} that are read")
    warnings: list[str] = []
    if isinstance(source, bytes):
        try:
            source = source.decode("utf-8-sig")
        except UnicodeDecodeError:
            return Index(problem="the capability index is not UTF-8")
    try:
        document = read(source.removeprefix("\ufeff"))
    except YamlError as problem:
        return Index(problem=f"the capability index cannot be read as YAML: {problem}")
    if document is None:
        return Index(problem="the capability index is empty")
    rows = document.get("capabilities") if isinstance(document, dict) else document
    updated = _text(document.get("updated")) or None if isinstance(document, dict) else None
    if isinstance(rows, dict):
        # some generators key the rows by id
        rows = [{"id": key, **row} for key, row in rows.items() if isinstance(row, dict)]
    if rows is None:
        return Index(updated=updated, problem="the capability index lists no capabilities")
    if not isinstance(rows, list):
        return Index(updated=updated, problem="`capabilities` in the capability index is not a list")
    capabilities = _distinct(_rows(rows, warnings))
    if not capabilities:
        return Index(updated=updated, problem="the capability index lists no capabilities", warnings=tuple(warnings))
    return Index(capabilities, updated, warnings=tuple(warnings))


def same_repository(a: str, b: str) -> bool:
    """Whether two names mean one repository: letter case and an owner in front ("org/name") do not count."""
    return bool(a and b) and _bare(a) == _bare(b)


def _bare(name: str) -> str:
    return name.strip().rstrip("/").rsplit("/", 1)[-1].casefold()


def _rows(rows: list[Value], warnings: list[str]) -> list[Capability]:
    capabilities: list[Capability] = []
    unusable = 0
    odd: list[str] = []
    for row in rows:
        capability = _capability(row) if isinstance(row, dict) else None
        if capability is None:
            unusable += 1
            continue
        if not _ID.fullmatch(capability.id) and capability.id not in odd:
            odd.append(capability.id)
        capabilities.append(capability)
    if unusable:
        warnings.append(f"{unusable} row{'s' if unusable > 1 else ''} without an id skipped")
    if odd:
        listed = ", ".join(_shown(name) for name in odd[:_NAMED]) + (", …" if len(odd) > _NAMED else "")
        warnings.append(f"{len(odd)} id{'s' if len(odd) > 1 else ''} not of the form capability.domain.name: {listed}")
    return capabilities


def _capability(row: Mapping[str, Value]) -> Capability | None:
    identity = _text(row.get("id"))
    if not identity:
        return None
    return Capability(
        id=identity,
        name=_text(row.get("name")),
        summary=_text(row.get("summary")),
        tags=_strings(row.get("tags")),
        owner=_text(row.get("owner")),
        source_repo=_text(row.get("source_repo")),
        path=_text(row.get("path")),
        status=_text(row.get("status")),
        vector=read_vector(row),
        related=_related(row.get("relations"), identity),
        consumption=_guidance(row),
    )


def _distinct(rows: list[Capability]) -> tuple[Capability, ...]:
    """One capability an id: the row from its owner's repository, else the first; the others become its alternates."""
    groups: dict[str, list[Capability]] = {}
    for row in rows:
        groups.setdefault(row.id, []).append(row)
    distinct: list[Capability] = []
    for copies in groups.values():
        winner = next((c for c in copies if same_repository(c.source_repo, c.owner)), copies[0])
        others = tuple(c for c in copies if c is not winner)
        distinct.append(replace(winner, alternates=others) if others else winner)
    return tuple(distinct)


def _related(relations: Value, own: str) -> tuple[str, ...]:
    """The ids that `supports` and `related_to` name, once each, in that order."""
    if not isinstance(relations, dict):
        return ()
    ids: dict[str, None] = {}
    for key in ("supports", "related_to"):
        named = relations.get(key)
        for item in named if isinstance(named, list) else [named]:
            identity = _text(item.get("id") if isinstance(item, dict) else item)
            if identity and identity != own:
                ids[identity] = None
    return tuple(ids)


def _guidance(row: Mapping[str, Value]) -> str | None:
    for key in _GUIDANCE_KEYS:
        text = _flat(row.get(key), depth=3, room=_GUIDANCE_CHARS)
        if text:
            return text if len(text) <= _GUIDANCE_CHARS else text[: _GUIDANCE_CHARS - 1].rstrip() + "…"
    return None


def _flat(value: Value, *, depth: int, room: int) -> str:
    """A value on one line, read no further than about `room` characters, however large or shared its parts are."""
    if isinstance(value, str):
        return " ".join(value[: room + 1].split())
    if value is None or depth == 0:
        return ""
    parts: list[str] = []
    for key, item in value.items() if isinstance(value, dict) else ((None, item) for item in value):
        if room <= 0 or len(parts) >= _GUIDANCE_CHARS:
            break
        text = _flat(item, depth=depth - 1, room=room)
        if text:
            parts.append(f"{key}: {text}" if key else text)
            room -= len(parts[-1])
    return "; ".join(parts)


def _text(value: Value) -> str:
    return value.strip() if isinstance(value, str) else ""


def _strings(value: Value) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _shown(text: str) -> str:
    return f"`{text[:80]}`"


def _day(text: str) -> date | None:
    match = _DATE.match(text)
    if match is None:
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None
