"""Go files whose task cannot compile yet: an import that only the code of a later task uses.

Go refuses a file with an unused import. Only packages of the standard library are judged, because the last part of
their path is certain to be their name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.core.plans.model import Snippet, Span, Task, TaskStatus
from bot.core.verify import evidence
from bot.core.verify.dependencies import Graph
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.TASK_ORDER

MAX_SNIPPETS = 5_000  # pieces of code of one plan
SHOWN = 5  # packages that a message spells out

_FILE = re.compile(r"\s*(?://[^\n]*\n\s*)*package\s+\w+\s*\n")
_OPENS = re.compile(r"(?m)^import[ \t]*(?:(?P<list>\([ \t]*\n)|\"[^\"\n]+\")")
_IMPORT = re.compile(r"(?m)^(?:import)?[ \t]*\"(?P<path>[a-z][a-z0-9/]*)\"[ \t]*(?://[^\n]*)?$")
_VERSION = re.compile(r"v\d+")
# `os.` on its own, and `os.` behind whatever
_USED = re.compile(r"(?<![\w.])(\w++)\.")
_SPOKEN = re.compile(r"(?<!\w)(\w++)\.")
_SKETCH = re.compile(r"(?i)\b(?:example|pattern|sketch|outline|roughly|pseudo)")
_ELIDED = re.compile(r"(?m)^[ \t]*(?:\.\.\.|//[ \t]*(?:\.\.\.|…|rest of|existing|unchanged|as before))")


@dataclass(frozen=True, slots=True)
class _File:
    """A Go file that a task shows, and what it imports without using it: names with their offsets in the code."""

    index: int
    snippet: Snippet
    position: int
    task: Task
    unused: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class _Early:
    """An import, its offset in the code, and the later task whose code is the first to use it."""

    name: str
    at: int
    maker: int
    user: Snippet


@dataclass(slots=True)
class _Uses:
    """Who uses a package, of those that some file imports in vain.

    `within`: task and name → the pieces of code of that task that speak of it, two at most. `later`: path and name →
    the pieces for that file, each of a later task than all that stand before it in the plan.
    """

    within: dict[tuple[int, str], list[int]] = field(default_factory=dict)
    later: dict[tuple[str, str], tuple[list[int], list[Snippet]]] = field(default_factory=dict)

    def add(self, index: int, position: int, snippet: Snippet, wanted: frozenset[str]) -> None:
        for name in wanted.intersection(_SPOKEN.findall(snippet.text)):
            known = self.within.setdefault((position, name), [])
            if len(known) < 2:
                known.append(index)
        if snippet.path is None:
            return
        for name in wanted.intersection(_USED.findall(snippet.text)):
            positions, snippets = self.later.setdefault((snippet.path, name), ([], []))
            if not positions or position > positions[-1]:
                positions.append(position)
                snippets.append(snippet)

    def beside(self, file: _File, name: str) -> bool:
        """Whether another piece of code of the same task uses it: it may go into the same file."""
        return any(index != file.index for index in self.within.get((file.position, name), ()))

    def after(self, file: _File, name: str) -> tuple[int, Snippet] | None:
        """The first piece of code of a later task for the same file that uses it."""
        path = file.snippet.path or file.snippet.near
        positions, snippets = self.later.get((path or "", name), ([], []))
        at = bisect_right(positions, file.position)
        return (positions[at], snippets[at]) if at < len(positions) else None


def find(world: World, graph: Graph) -> Iterator[Draft]:
    """One draft for each file of a task, at its first import that comes too early."""
    snippets = world.plan.snippets[:MAX_SNIPPETS]
    if len(world.plan.snippets) > MAX_SNIPPETS:
        world.note(TYPE.value, f"only the first {MAX_SNIPPETS} pieces of code were searched for Go imports")
    files = list(_files(world, snippets))
    wanted = frozenset(name for file in files for name, _ in file.unused)
    if not wanted:
        return
    uses = _Uses()
    for index, snippet in enumerate(snippets):
        uses.add(index, world.task_at(snippet.span)[0], snippet, wanted)
    for file in files:
        waits: dict[int, bool] = {}  # a later task → whether this one says that it depends on it
        early: list[_Early] = []
        for name, at in file.unused:
            user = None if uses.beside(file, name) else uses.after(file, name)
            if user is None:
                continue
            if user[0] not in waits:
                waits[user[0]] = graph.reaches(file.position, user[0])
            if not waits[user[0]]:
                early.append(_Early(name, at, *user))
        if early:
            yield _draft(world, file, early)


def _draft(world: World, file: _File, early: list[_Early]) -> Draft:
    name, snippet, user = early[0].name, file.snippet, early[0].user
    line = snippet.span.first + snippet.text.count("\n", 0, early[0].at)
    names = ", ".join(f"`{each.name}`" for each in early[:SHOWN])
    names += f" and {len(early) - SHOWN} more" if len(early) > SHOWN else ""
    label = world.plan.tasks[early[0].maker].label
    return Draft(
        TYPE,
        Weight.BREAKS,
        Span(snippet.span.path, line, line),
        name,
        f"{names} imported here and used only by {label}: until then the file does not compile",
        evidence.planned(world.plan, user.span, f"{name}."),
        task=file.task,
        raw=f'"{name}"' if f'"{name}"' in snippet.text else name,
    )


def _files(world: World, snippets: tuple[Snippet, ...]) -> Iterator[_File]:
    """The files that open tasks show whole and that import something in vain."""
    for index, snippet in enumerate(snippets):
        if snippet.language not in ("go", "golang") or not _FILE.match(snippet.text):
            continue
        if _ELIDED.search(snippet.text) or _SKETCH.search(snippet.announced):
            continue
        position, task = world.task_at(snippet.span)
        if task is None or task.status is TaskStatus.DONE:
            continue
        unused = tuple(_unused(snippet.text))
        if unused:
            yield _File(index, snippet, position, task, unused)


def _unused(text: str) -> Iterator[tuple[str, int]]:
    """The imported packages that the code below does not use, and where they stand in it."""
    last = {match.group(1): match.start() for match in _USED.finditer(text)}
    for start, end in _imports(text):
        for each in _IMPORT.finditer(text, start, end):
            name = _name(each.group("path"))
            if name and last.get(name, -1) < end:
                yield name, each.start("path")


def _imports(text: str) -> Iterator[tuple[int, int]]:
    """Where the lists of imports, and imports without a list, begin and end."""
    end = 0
    for opening in _OPENS.finditer(text):
        if opening.start() < end:
            continue
        if not opening.group("list"):
            end = opening.end()
            yield opening.start(), end
            continue
        end = text.find("\n)", opening.end() - 1) + 1
        if not end:
            return  # it is never closed, and neither is any after it
        yield opening.end(), end


def _name(path: str) -> str:
    parts = path.split("/")
    return parts[-2] if len(parts) > 1 and _VERSION.fullmatch(parts[-1]) else parts[-1]
