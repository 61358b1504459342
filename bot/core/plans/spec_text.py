"""Requirements and scenarios as OpenSpec writes them: the grammar that base specifications and deltas share.

`## <section>` holds `### Requirement: <name>` blocks, each with a statement and `#### <scenario>` blocks. It is read
line by line as the OpenSpec tool reads it (a `###Requirement:` without a space counts, any `####` is a scenario); only
which lines are code or comment, and so no structure, is asked of the Markdown reader.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from bot.core.plans.markdown import Kind, Page
from bot.core.plans.model import DeltaKind, Document, Scenario, Span

_SECTION = re.compile(r"##\s+(\S.*)")
_REQUIREMENT = re.compile(r"###\s*Requirement:\s*(\S.*)", re.IGNORECASE)
_THIRD = re.compile(r"###\s+(\S.*)")
_SCENARIO = re.compile(r"####\s+(\S.*)")
_HEADER = re.compile(r"#{1,6}\s")
_PREFIX = re.compile(r"Scenario:\s*", re.IGNORECASE)
_DELTA = re.compile(r"(ADDED|MODIFIED|REMOVED|RENAMED)\s+Requirements", re.IGNORECASE)
_BULLET = re.compile(r"\s*[-*+]\s*(`?)###\s*Requirement:\s*(\S.*)", re.IGNORECASE)
_RENAME = re.compile(
    r"\s*(?:[-*+]\s*)?(?:\*\*|__)?(FROM|TO)(?:\*\*|__)?:(?:\*\*|__)?\s*(`?)###\s*Requirement:\s*(\S.*)", re.IGNORECASE
)
_METADATA = re.compile(r"\*\*[^*]+\*\*:")
_KEYWORD = re.compile(r"\b(?:SHALL|MUST)\b")
_FOLD = re.compile(r"[\s`*_\"'“”‘’]+")

MAX_NAME = 500  # characters of a name that are kept


@dataclass(frozen=True, slots=True)
class Block:
    """One requirement. `span` is its header and all below it, `body` its statement, `text` all below the header."""

    name: str
    span: Span
    body: str = ""
    text: str = ""
    scenarios: tuple[Scenario, ...] = ()


@dataclass(frozen=True, slots=True)
class Rename:
    """A FROM and the TO that follows it; `span` is both lines."""

    old: str
    new: str
    span: Span


@dataclass(frozen=True, slots=True)
class Stray:
    """A header of the requirements' level that is none, so that the tool does not see it. `after` is whether a
    requirement stands above it in its section, which then holds its text."""

    name: str
    line: int
    after: bool


@dataclass(frozen=True, slots=True)
class Section:
    """A `## ` section (the text above the first has an empty title). A removal without a block of its own, from a
    bullet, is a block of one line."""

    title: str
    kind: DeltaKind | None
    span: Span
    blocks: tuple[Block, ...] = ()
    renames: tuple[Rename, ...] = ()
    strays: tuple[Stray, ...] = ()

    @property
    def empty(self) -> bool:
        return not self.blocks and not self.renames


@dataclass(frozen=True)
class SpecText:
    path: str
    sections: tuple[Section, ...]

    @cached_property
    def deltas(self) -> tuple[Section, ...]:
        return tuple(section for section in self.sections if section.kind is not None)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Every requirement, whatever section it is in."""
        return tuple(block for section in self.sections for block in section.blocks)


def fold(name: str) -> str:
    """What two spellings of one name share: letter case, spaces, backticks, quotes and emphasis are left out."""
    return _FOLD.sub(" ", name).strip(" .:").casefold()


def has_keyword(text: str) -> bool:
    """Whether a statement has the word that makes it binding."""
    return _KEYWORD.search(text) is not None


def scenario_name(header: str) -> str:
    """A scenario's name from its `####` line."""
    found = _SCENARIO.match(header)
    return _PREFIX.sub("", _open(found.group(1)), count=1).strip()[:MAX_NAME] if found else ""


def read_spec(document: Document, page: Page) -> SpecText:
    """The sections of a normalised document; `page` is the same document's. Never raises on any text."""
    lines = document.text.split("\n")
    hidden = _hidden(page, len(lines))
    starts = [
        (index, match.group(1).strip())
        for index, line in enumerate(lines)
        if line.startswith("##") and not hidden[index] and (match := _SECTION.fullmatch(line))
    ]
    starts.insert(0, (-1, ""))
    sections = []
    for number, (start, title) in enumerate(starts):
        end = starts[number + 1][0] if number + 1 < len(starts) else len(lines)
        sections.append(_section(document.path, lines, hidden, start, end, title))
    return SpecText(document.path, tuple(sections))


def _hidden(page: Page, count: int) -> bytearray:
    """Which lines are code or comment. A comment's first line may begin with a header."""
    hidden = bytearray(count + 1)
    for block in page.blocks:
        if block.kind is Kind.FENCE:
            _mark(hidden, block.first - 1, block.last)
    for comment in page.comments:
        _mark(hidden, comment.first, comment.last)
    return hidden


def _mark(hidden: bytearray, start: int, end: int) -> None:
    start, end = max(start, 0), min(end, len(hidden))
    if start < end:
        hidden[start:end] = b"\1" * (end - start)


def _section(path: str, lines: list[str], hidden: bytearray, start: int, end: int, title: str) -> Section:
    match = _DELTA.fullmatch(_open(title))
    kind = DeltaKind(match.group(1).lower()) if match else None
    blocks: list[Block] = []
    renames: list[Rename] = []
    strays: list[Stray] = []
    heads: list[tuple[int, str]] = []
    source: tuple[int, str] | None = None
    for index in range(start + 1, end):
        line = lines[index]
        if hidden[index]:
            continue
        if line.startswith("###"):
            if found := _REQUIREMENT.fullmatch(line):
                heads.append((index, _name(found.group(1))))
            elif third := _THIRD.fullmatch(line):
                strays.append(Stray(_open(third.group(1))[:MAX_NAME], index + 1, bool(heads)))
        elif kind is DeltaKind.REMOVED and "###" in line:
            if bullet := _BULLET.fullmatch(line):
                blocks.append(Block(_name(bullet.group(2), bullet.group(1)), Span(path, index + 1, index + 1)))
        elif kind is DeltaKind.RENAMED and "###" in line:
            rename = _RENAME.fullmatch(line)
            if rename is None:
                continue
            side, quote, raw = rename.groups()
            if side.upper() == "FROM":
                source = (index, _name(raw, quote))
            elif source is not None:
                renames.append(Rename(source[1], _name(raw, quote), Span(path, source[0] + 1, index + 1)))
                source = None
    for number, (index, name) in enumerate(heads):
        stop = heads[number + 1][0] if number + 1 < len(heads) else end
        blocks.append(_block(path, lines, hidden, index, stop, name))
    blocks.sort(key=lambda block: block.span.first)
    last = end if end > start + 1 else start + 1
    return Section(
        title, kind, Span(path, max(start + 1, 1), max(last, 1)), tuple(blocks), tuple(renames), tuple(strays)
    )


def _name(raw: str, quote: str = "") -> str:
    return raw.strip().removesuffix(quote).strip()[:MAX_NAME]


def _open(title: str) -> str:
    """A heading's text without the run of `#` that may close it."""
    text = title.strip()
    bare = text.rstrip("#")
    return bare.rstrip() if bare != text and bare[-1:] in (" ", "\t") else text


def _block(path: str, lines: list[str], hidden: bytearray, start: int, stop: int, name: str) -> Block:
    """The requirement whose header is line `start` (from 0); `stop` is the line after its last."""
    while stop > start + 1 and not lines[stop - 1].strip():
        stop -= 1
    body: list[str] = []
    metadata: list[str] = []
    heads: list[int] = []
    stated = True
    for index in range(start + 1, stop):
        line = lines[index]
        if hidden[index]:
            continue
        if stated and _HEADER.match(line):
            stated = False
        if not stated:
            if line.startswith("####") and _SCENARIO.fullmatch(line):
                heads.append(index)
            continue
        stripped = line.strip()
        if stripped:
            (metadata if _METADATA.match(stripped) else body).append(stripped)
    scenarios = []
    for number, index in enumerate(heads):
        end = heads[number + 1] if number + 1 < len(heads) else stop
        while end > index + 1 and not lines[end - 1].strip():
            end -= 1
        text = "\n".join(lines[index + 1 : end]).strip("\n")
        scenarios.append(Scenario(scenario_name(lines[index]), text, Span(path, index + 1, end)))
    return Block(
        name,
        Span(path, start + 1, stop),
        "\n".join(body or metadata),
        "\n".join(lines[start + 1 : stop]).strip(),
        tuple(scenarios),
    )
