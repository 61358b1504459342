"""The ground that findings stand on, always read again from the tree or from the plan.

Nothing here takes a check's word: a line that is not there gives no evidence, and a finding without evidence is not
reported.
"""

from __future__ import annotations

from bot.core.plans.model import Plan, Span
from bot.core.tree import Kind, Text, Tree
from schemas.verify_report import Evidence

QUOTE = 200  # characters of a quoted line


def _quote(line: str) -> str:
    return line.strip()[:QUOTE]


def absent(tree: Tree, path: str) -> tuple[Evidence, ...]:
    """Shows that the tree has nothing at `path`; empty when it has, or when that cannot be known."""
    return (Evidence(path=path, absent=True),) if tree.kind(path) is Kind.MISSING else ()


def present(tree: Tree, path: str) -> tuple[Evidence, ...]:
    """Shows that the tree has something at `path`."""
    if tree.kind(path) not in (Kind.FILE, Kind.DIRECTORY, Kind.SYMLINK):
        return ()
    return (Evidence(path=path),)


def line(tree: Tree, path: str, number: int) -> tuple[Evidence, ...]:
    """Line `number` (1-based) of a file of the tree; empty when the file or the line cannot be read."""
    content = tree.read(path)
    if not isinstance(content, Text) or not 0 < number <= len(content.lines):
        return ()
    return (Evidence(path=path, line=number, quote=_quote(content.lines[number - 1])),)


def last_line(tree: Tree, path: str) -> tuple[Evidence, ...]:
    """The last line of a file: how far it goes."""
    content = tree.read(path)
    if not isinstance(content, Text):
        return ()
    if not content.lines:
        return (Evidence(path=path),)
    return line(tree, path, len(content.lines))


def matching(tree: Tree, path: str, needle: str) -> tuple[Evidence, ...]:
    """The first line of a file that holds `needle`."""
    content = tree.read(path)
    if isinstance(content, Text):
        for number, text in enumerate(content.lines, 1):
            if needle in text:
                return (Evidence(path=path, line=number, quote=_quote(text)),)
    return ()


def planned(plan: Plan, span: Span, *needles: str) -> tuple[Evidence, ...]:
    """A line of the plan itself, as its own text stands: the first of `span` that holds one of `needles`."""
    for needle in needles:
        for number in range(span.first, min(span.last, span.first + 400) + 1):
            text = plan.line(span.path, number)
            if needle and needle in text:
                return (Evidence(path=span.path, line=number, quote=_quote(text)),)
    text = plan.line(span.path, span.first)
    return (Evidence(path=span.path, line=span.first, quote=_quote(text)),) if text.strip() else ()
