"""OpenSpec deltas that do not fit the specifications they change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from bot.core.verify.evaluation.mutate.model import Mutant, Spot, Subject
from bot.core.verify.evaluation.mutate.reading import Page
from schemas.verify_report import FindingType, Severity

_TYPE = FindingType.SPEC_DELTA_WRONG
_SECTION = re.compile(r"(?i)^##\s+(ADDED|MODIFIED|REMOVED|RENAMED)\s+Requirements\s*$")
_REQUIREMENT = re.compile(r"(?i)^###\s*Requirement:\s*(?P<title>.+?)\s*$")
_CAPABILITY = re.compile(r"^(?P<root>.*openspec/)changes/(?!archive/)[^/]+/specs/(?P<name>.+)/spec\.md$")


class Block(NamedTuple):
    """A requirement of a delta: its section, its title and its lines."""

    page: Page
    section: str
    title: str
    first: int
    last: int

    @property
    def text(self) -> str:
        return "\n".join(self.page.lines[self.first - 1 : self.last])


def modifies_what_the_base_has_not(subject: Subject) -> Iterator[Mutant]:
    for each in _blocks(subject):
        base = _base(subject, each.page)
        if each.section == "MODIFIED" and base and each.title in base:
            yield _retitled(subject, "modifies_what_the_base_has_not", each, f"{each.title} of the gears")


def modifies_what_was_renamed(subject: Subject) -> Iterator[Mutant]:
    """The base specification calls by another title what the delta modifies."""
    for each in _blocks(subject):
        base, path = _base(subject, each.page), _base_path(each.page)
        if each.section == "MODIFIED" and base and path and f"Requirement: {each.title}\n" in base:
            changed = base.replace(f"Requirement: {each.title}\n", f"Requirement: {each.title} (first release)\n")
            if f"Requirement: {each.title}\n" not in changed and not _added_elsewhere(subject, each):
                yield _wrong(
                    subject,
                    "modifies_what_was_renamed",
                    each,
                    f"{path} has `{each.title}` under another title",
                    files={path: changed.encode()},
                )


def removes_what_the_base_has_not(subject: Subject) -> Iterator[Mutant]:
    for each in _blocks(subject):
        if each.section == "REMOVED" and each.title in (_base(subject, each.page) or ""):
            yield _retitled(subject, "removes_what_the_base_has_not", each, f"{each.title} of the gears")


def adds_what_the_base_has(subject: Subject) -> Iterator[Mutant]:
    """The base specification has the requirement already that the delta adds."""
    for each in _blocks(subject):
        base, path = _base(subject, each.page), _base_path(each.page)
        if each.section == "ADDED" and base and path and "### Requirement:" in base and each.title not in base:
            yield _wrong(
                subject,
                "adds_what_the_base_has",
                each,
                f"{path} has `{each.title}` already",
                files={path: f"{base.rstrip()}\n\n{each.text}\n".encode()},
            )


def has_no_scenario(subject: Subject) -> Iterator[Mutant]:
    for each in _blocks(subject):
        start = next((n for n in range(each.first, each.last + 1) if each.page.line(n).startswith("####")), None)
        if each.section in ("ADDED", "MODIFIED") and start:
            edits = {n: list[str]() for n in range(start, each.last + 1)}
            yield _wrong(subject, "has_no_scenario", each, f"`{each.title}` lost its scenarios", edits=edits)


def is_there_twice(subject: Subject) -> Iterator[Mutant]:
    for each in _blocks(subject):
        if each.section == "ADDED":
            lines = list(each.page.lines[each.first - 1 : each.last])
            yield subject.mutant(
                "is_there_twice",
                _TYPE,
                Severity.MAJOR,
                f"`{each.title}` is added twice",
                [Spot(each.page.path, each.last, 2), Spot(each.page.path, each.first)],
                edits={each.page.path: {each.last: [lines[-1], "", *lines]}},
            )


def obliges_nobody(subject: Subject) -> Iterator[Mutant]:
    """Neither SHALL nor MUST is left in the text of a requirement."""
    for each in _blocks(subject):
        body = range(each.first, each.last + 1)
        edits = {
            n: [re.sub(r"\bSHALL(?: NOT)?\b|\bMUST(?: NOT)?\b", "can", each.page.line(n))]
            for n in body
            if re.search(r"\b(?:SHALL|MUST)\b", each.page.line(n))
        }
        if each.section == "ADDED" and edits and each.first not in edits:
            yield _wrong(subject, "obliges_nobody", each, f"`{each.title}` has no SHALL or MUST", edits=edits)


def _blocks(subject: Subject) -> Iterator[Block]:
    for page in subject.pages:
        if not _CAPABILITY.match(page.path):
            continue
        section, title, first = "", "", 0
        for number in range(1, len(page.lines) + 2):
            line = page.line(number) if number not in page.code else "code"
            ends = number > len(page.lines) or line.startswith("## ") or _REQUIREMENT.match(line)
            if ends and first and section:
                last = number - 1
                while last > first and not page.line(last).strip():
                    last -= 1
                yield Block(page, section, title, first, last)
            if ends:
                first = 0
            if match := _SECTION.match(line):
                section = match[1].upper()
            elif line.startswith("## "):
                section = ""
            elif match := _REQUIREMENT.match(line):
                title, first = match["title"].strip("`"), number


def _base_path(page: Page) -> str | None:
    match = _CAPABILITY.match(page.path)
    return f"{match['root']}specs/{match['name']}/spec.md" if match else None


def _base(subject: Subject, page: Page) -> str | None:
    path = _base_path(page)
    return subject.content(path) if path else None


def _added_elsewhere(subject: Subject, each: Block) -> bool:
    """Whether another open change speaks of the requirement, and may be the one that adds it."""
    match = _CAPABILITY.match(each.page.path)
    if match is None:
        return True
    others = subject.tree.glob(f"{match['root']}changes/*/specs/{match['name']}/spec.md")
    return any(path != each.page.path and each.title in (subject.content(path) or "") for path in others)


def _retitled(subject: Subject, mutator: str, each: Block, title: str) -> Mutant:
    line = each.page.line(each.first)
    edits = {each.first: [line.replace(each.title, title)]}
    return _wrong(subject, mutator, each, f"`{title}` is not in the base specification", edits=edits)


def _wrong(
    subject: Subject,
    mutator: str,
    each: Block,
    what: str,
    *,
    edits: dict[int, list[str]] | None = None,
    files: dict[str, bytes | None] | None = None,
) -> Mutant:
    kept = [n for n in range(each.first, each.last + 1) if not edits or edits.get(n, [""])]
    return subject.mutant(
        mutator,
        _TYPE,
        Severity.MAJOR,
        what,
        (Spot(each.page.path, n) for n in kept),
        edits={each.page.path: edits or {}},
        files=files or {},
    )


MUTATORS = (
    modifies_what_the_base_has_not,
    modifies_what_was_renamed,
    removes_what_the_base_has_not,
    adds_what_the_base_has,
    has_no_scenario,
    is_there_twice,
    obliges_nobody,
)
