"""The plan of a planning harness: one document with the sections Slices, Alternatives Considered, Codebase
Ground-Truth Citations and Pre-Mortem, and often Affected Files and Failing Test Stubs.

A slice is a task. A citation is a statement about the tree as it is; a test stub is a test that is still to be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.core.plans import generic
from bot.core.plans.assembly import Parts, Unit, assemble
from bot.core.plans.markdown import Block, Kind, Page
from bot.core.plans.model import Action, Certainty, Document, FileRef

_SLICES = re.compile(r"(?i)^\W{0,6}slices\b")
_CITATIONS = re.compile(r"(?i)^\W{0,6}codebase ground[- ]truth citations\b")
_STUBS = re.compile(r"(?i)^\W{0,6}failing test stubs\b")
_NAME = re.compile(
    r"(?i)^\W{0,4}(?:(?:slice)[\s:#_-]*)?(?P<key>[A-Z]\d{0,2}|\d{1,3}[a-z]?)(?![A-Za-z0-9])(?P<rest>.*)", re.S
)
_SLUG = re.compile(r"^\W{0,4}(?P<slug>slice-[\w-]{1,80})")
_DEPENDS = re.compile(
    r"(?i)\b(?:depends?\s+on|dependenc(?:y|ies)|blocked\s+by|requires|after)\W{0,6}(?P<what>[^\n.;)]{1,200})"
)
_NAMED = re.compile(r"(?i)\bslices?[\s:#-]*(?P<keys>[A-Z]\d{0,2}\b|\d{1,3}[a-z]?\b)")
_MORE = re.compile(r"(?i)^\s*(?:,|and|&|\+|/)\s*(?:slices?[\s:#-]*)?(?P<key>[A-Z]\d{0,2}|\d{1,3}[a-z]?)(?![\w])")


@dataclass(frozen=True, slots=True)
class _Section:
    """Blocks `first` to `end` (exclusive) below a heading; `level` is the heading's."""

    first: int
    end: int
    level: int


def _section(page: Page, title: re.Pattern[str]) -> _Section | None:
    start: tuple[int, int] | None = None
    for index, block in enumerate(page.blocks):
        if block.kind is not Kind.HEADING or block.quote:
            continue
        if start is not None and block.level <= start[1]:
            return _Section(start[0], index, start[1])
        if start is None and title.match(block.text):
            start = (index + 1, block.level)
    return _Section(start[0], len(page.blocks), start[1]) if start else None


def units(page: Page) -> list[Unit]:
    """The headings right below `Slices`; where it has none, its list items; where it is a table, its rows."""
    section = _section(page, _SLICES)
    if section is None:
        return []
    inside = range(section.first, section.end)
    headings = [n for n in inside if page.blocks[n].kind is Kind.HEADING and not page.blocks[n].quote]
    if headings:
        top = min(page.blocks[n].level for n in headings)
        starts = [n for n in headings if page.blocks[n].level == top]
    else:
        items = [n for n in inside if page.blocks[n].kind is Kind.TEXT and page.blocks[n].item]
        top = min((page.blocks[n].depth for n in items), default=0)
        starts = [n for n in items if page.blocks[n].depth == top]
        starts = starts or [n for n in inside if page.blocks[n].kind is Kind.ROW]
    found: list[Unit] = []
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else section.end
        found.append(_unit(page, start, end, number + 1))
    keys = {_key(unit.id): unit.id for unit in found}
    for unit in found:
        unit.depends_on = tuple(
            keys[name]
            for name in dict.fromkeys(_waits(page.blocks[unit.first : unit.end]))
            if name in keys and keys[name] != unit.id
        )
    return found


def _text(block: Block) -> str:
    return " ".join(cell.text for cell in block.cells[:2]) if block.kind is Kind.ROW else block.text


def _unit(page: Page, start: int, end: int, number: int) -> Unit:
    text = _text(page.blocks[start]).strip()
    slug, name = _SLUG.match(text), _NAME.match(text)
    if slug:
        identity = label = slug.group("slug").rstrip("-").lower()
        title = text[slug.end() :] or identity
    elif name:
        identity, title = name.group("key"), name.group("rest")
        label = f"Slice {identity}"
    else:
        identity, label, title = f"#{number}", f"slice {number}", text
    return Unit(start, end, identity, label, title.split("\n", 1)[0].strip(" *_:.—–-")[:300] or label)


def _key(identity: str) -> str:
    """The letter or number by which a slice is called: `slice-a-parser` is slice A."""
    return identity.lower().removeprefix("slice-").split("-", 1)[0]


def _waits(blocks: list[Block]) -> Iterator[str]:
    for block in blocks:
        for match in _DEPENDS.finditer(_text(block)[:4000]):
            what = match.group("what")
            for named in _NAMED.finditer(what):
                yield named.group("keys").lower()
                at = named.end()
                while more := _MORE.match(what[at : at + 60]):
                    yield more.group("key").lower()
                    at += more.end()


def read(document: Document, page: Page) -> Parts:
    found = units(page)
    parts = assemble(document, page, found) if found else generic.read(document, page)
    cited = _lines(page, _section(page, _CITATIONS))
    stubs = _lines(page, _section(page, _STUBS))
    parts.files = [_placed(ref, cited, stubs) for ref in parts.files]
    return parts


def _lines(page: Page, section: _Section | None) -> dict[int, str]:
    """The text of each item, row or paragraph of a section, by the line it begins on."""
    if section is None:
        return {}
    found: dict[int, str] = {}
    for block in page.blocks[section.first : section.end]:
        if block.kind is Kind.ROW:
            found[block.first] = " | ".join(cell.text for cell in block.cells)
        elif block.kind is Kind.TEXT:
            for line in range(block.first, min(block.last, block.first + 200) + 1):
                found[line] = block.text if line == block.first else ""
    return found


def _placed(ref: FileRef, cited: dict[int, str], stubs: dict[int, str]) -> FileRef:
    line = ref.span.first
    if line in stubs and ref.action in (Action.READ, Action.MODIFY) and not ref.lines:
        return replace(ref, action=Action.TEST, certainty=Certainty.MENTIONED, says_exists=False)
    opens = line in cited and 0 <= cited[line].find(ref.raw or ref.path) <= 12
    if opens and ref.hedge is None and ref.sure and "/" in ref.path:
        # what the item is about; a path further on is part of what is said of it
        return replace(ref, action=Action.READ, certainty=Certainty.STATED, says_exists=True)
    return ref
