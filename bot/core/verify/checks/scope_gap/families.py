"""Requirements that have an id, in families whose ids begin with the same letters."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from bot.core.plans import coverage
from bot.core.plans.model import Plan, Requirement

MAX_REQUIREMENTS = 2000
SHOWN = 5  # ids that a message spells out

_STEM = re.compile(r"^[A-Z-]*(?=\d)")
_NUMBERS = re.compile(r"\d+")


@dataclass
class Family:
    """The requirements whose ids begin with the same letters, by key; a requirement `N` may have parts `N.M`."""

    stem: str
    known: dict[str, Requirement] = field(default_factory=dict)
    parts: dict[str, list[str]] = field(default_factory=dict)  # the requirement itself → its criteria, in order

    def add(self, key: str, requirement: Requirement) -> None:
        if key in self.known:
            return
        self.known[key] = requirement
        top, dot, _ = key.partition(".")
        if dot:
            self.parts.setdefault(top, []).append(key)
        else:
            self.parts.setdefault(key, [])

    @cached_property
    def leaves(self) -> list[str]:
        return [leaf for top, parts in self.parts.items() for leaf in (parts or [top])]

    @cached_property
    def tops(self) -> list[str]:
        """The ids of the requirements themselves, in the order of the document."""
        return [self.known[each].id for each in self.parts if each in self.known]

    @cached_property
    def numbers(self) -> list[int]:
        return sorted({numbers[0] for each in self.parts if (numbers := order(each))})

    @cached_property
    def _ordered(self) -> list[tuple[tuple[int, ...], str]]:
        return sorted((order(key), key) for key in self.known)

    def between(self, first: str, last: str) -> list[str]:
        low = bisect_left(self._ordered, (order(first), ""))
        high = bisect_right(self._ordered, (order(last), "\uffff"))
        return [key for _, key in self._ordered[low:high]]


def read(plan: Plan) -> dict[str, Family]:
    """The families of the first requirements, by the letters that their ids begin with."""
    found: dict[str, Family] = {}
    for requirement in plan.requirements[:MAX_REQUIREMENTS]:
        key = coverage.key(requirement.id)
        letters = stem(key)
        if letters is not None:
            found.setdefault(letters, Family(letters)).add(key, requirement)
    return found


def order(key: str) -> tuple[int, ...]:
    """The numbers of an id, by which ids of one family are sorted."""
    return tuple(int(number[:9]) for number in _NUMBERS.findall(key)[:4])


def stem(key: str) -> str | None:
    """The letters that an id begins with; None for what is no id."""
    match = _STEM.match(key)
    return match.group() if match else None


def span(ids: list[str]) -> str:
    """`5.1–5.5` for ids that follow each other, else a list."""
    numbers = [order(each) for each in ids]
    follow = all(b[:-1] == a[:-1] and b[-1] == a[-1] + 1 for a, b in pairwise(numbers) if a and b)
    return f"{ids[0]}–{ids[-1]}" if len(ids) > 2 and follow else listed(ids)


def listed(ids: list[str]) -> str:
    return ", ".join(ids[:SHOWN]) + (f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else "")
