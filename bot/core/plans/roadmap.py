"""The section that a roadmap tool writes into an issue: acceptance criteria as `Requirement:` and `Scenario:` blocks,
key questions whose answers cite `[sources: path:line, path]`, and what else it found out.

It is OpenSpec's grammar, often with the markup lost: headings without `#`, bullets as `•`. Whole lines are therefore
told apart by their first word, and a short line that stands alone is a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from bot.core.plans import generic
from bot.core.plans.assembly import Parts
from bot.core.plans.commands import is_command
from bot.core.plans.markdown import Kind, Page
from bot.core.plans.model import (
    Action,
    Certainty,
    Command,
    Document,
    FileRef,
    Hedge,
    Requirement,
    Scenario,
    Span,
)
from bot.core.plans.paths import tokens

MAX_REQUIREMENTS = 1000
MAX_SCENARIOS = 100  # of one requirement
MAX_SOURCES = 200  # of one list
MAX_TEXT = 4000  # characters that are kept of a statement or a scenario

_HEADER = re.compile(
    r"^[ \t>]{0,8}(?P<marks>#{0,6})[ \t]*(?:[-*•][ \t]+)?[*_]{0,3}(?P<kind>Requirement|Scenario)[ \t]*:[*_]{0,3}[ \t]*"
    r"(?P<name>[^\s][^\n]{0,500})",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]")
_LONE = re.compile(r"^[A-Z][\w()'’/&, -]{1,60}$")
_VERIFICATION = re.compile(
    r"(?i)^[ \t]*(?:[-*•][ \t]+)?[*_]{0,3}Verification[*_]{0,3}[ \t]*:[*_]{0,3}[ \t]*(?P<text>[^`\n]{1,500})$"
)
_SOURCES = re.compile(r"(?i)\[sources?\s*:\s*(?P<list>[^\[\]]{1,4000})\]")
_REJECTED = re.compile(r"(?i)^\W{0,6}rejected\W{0,4}:")
_BULLET_START = re.compile(r"^[ \t]*[-*•+][ \t]")


def read(document: Document, page: Page) -> Parts:
    parts = generic.read(document, page, tasks=_has_tasks(page))
    lines = document.text.split("\n")
    hidden = _hidden(page, len(lines))
    parts.requirements = list(_requirements(document.path, lines, hidden))
    parts.commands += _verifications(document.path, lines, hidden, {each.span.first for each in parts.commands})
    sources = list(_sources(document.path, page))
    cited = {(ref.span.first, ref.path) for ref in sources}
    rejected = _rejected(page)
    kept = []
    for ref in parts.files:
        if (ref.span.first, ref.path) in cited:
            continue
        if ref.span.first in rejected and ref.hedge is None:
            ref = replace(ref, hedge=Hedge.NEGATED)
        kept.append(ref)
    parts.files = sorted([*kept, *sources], key=lambda ref: ref.span.first)
    return parts


def _has_tasks(page: Page) -> bool:
    """Whether the issue has a task list of its own beside the section; boxes of an issue form are none."""
    return any(block.kind is Kind.HEADING and re.match(r"(?i)\W*tasks?\b", block.text) for block in page.blocks)


def _hidden(page: Page, count: int) -> set[int]:
    """The lines (1-based) that are code or comment."""
    found: set[int] = set()
    for first, last in (
        *((block.first, block.last) for block in page.blocks if block.kind is Kind.FENCE and block.info),
        *((comment.first, comment.last) for comment in page.comments),
    ):
        found.update(range(first, min(last, count) + 1))
    return found


@dataclass(slots=True)
class _Open:
    """A requirement or a scenario whose lines are being read."""

    name: str
    line: int
    last: int
    text: list[str] = field(default_factory=list)


def _requirements(path: str, lines: list[str], hidden: set[int]) -> Iterator[Requirement]:
    found: list[tuple[_Open, list[_Open]]] = []
    current: _Open | None = None
    for number, line in enumerate(lines, 1):
        if number in hidden:
            continue
        match = _HEADER.match(line[:1000])
        if match:
            opened = _Open(match.group("name").strip(" \t`*_#"), number, number)
            if match.group("kind").lower() == "requirement":
                if len(found) >= MAX_REQUIREMENTS:
                    break
                found.append((opened, []))
                current = opened
            elif found and current is not None and len(found[-1][1]) < MAX_SCENARIOS:
                found[-1][1].append(opened)
                current = opened
            continue
        if current is None or not line.strip():
            continue
        if _HEADING.match(line) or _lone(lines, number):
            current = None
            continue
        current.last = number
        current.text.append(line.strip())
    for opened, scenarios in found:
        last = max([opened.last, *(each.last for each in scenarios)])
        yield Requirement(
            opened.name,
            "\n".join(opened.text)[:MAX_TEXT],
            Span(path, opened.line, last),
            tuple(
                Scenario(each.name, "\n".join(each.text)[:MAX_TEXT], Span(path, each.line, each.last))
                for each in scenarios
            ),
        )


def _lone(lines: list[str], number: int) -> bool:
    """Whether a line is a heading without its marks: a few words between empty lines that are no sentence."""
    line = lines[number - 1].strip()
    if not _LONE.match(line) or len(line.split()) > 7:
        return False
    before = number < 2 or not lines[number - 2].strip()
    after = number >= len(lines) or not lines[number].strip()
    return before and after


def _verifications(path: str, lines: list[str], hidden: set[int], known: set[int]) -> Iterator[Command]:
    """`Verification: pytest tests/a.py`, where the backticks are lost as well."""
    for number, line in enumerate(lines, 1):
        if "erification" not in line or number in hidden or number in known:
            continue
        match = _VERIFICATION.match(line[:1000])
        text = match.group("text").strip() if match else ""
        if text and not text.endswith(".") and is_command(text):
            yield Command(text, Span(path, number, number))


def _sources(path: str, page: Page) -> Iterator[FileRef]:
    """What `[sources: …]` lists. A source was looked up when the section was written, so it is said to exist."""
    for block in page.blocks:
        if block.kind is not Kind.TEXT or "source" not in block.text.lower():
            continue
        for match in _SOURCES.finditer(block.text):
            at = match.start("list")
            for item in match.group("list").split(",")[:MAX_SOURCES]:
                line = block.inline.line(at + len(item) - len(item.lstrip()))
                at += len(item) + 1
                for token in tokens(item.strip(" `*_\n"), code=True):
                    yield FileRef(
                        path=token.path,
                        action=Action.READ,
                        certainty=Certainty.STATED if token.sure else Certainty.MENTIONED,
                        span=Span(path, line, line),
                        raw=token.raw,
                        lines=token.lines,
                        hedge=token.hedge,
                        says_exists=token.hedge is None,
                        sure=token.sure,
                    )


def _rejected(page: Page) -> set[int]:
    """The lines of what was considered and turned down."""
    found: set[int] = set()
    for block in page.blocks:
        if block.kind is not Kind.TEXT:
            continue
        text, out = block.text, False
        if "ejected" not in text:
            continue
        at = 0
        for line in text.split("\n"):
            if _REJECTED.match(line):
                out = True
            elif _BULLET_START.match(line):
                out = False
            if out:
                found.add(block.inline.line(at))
            at += len(line) + 1
    return found
