"""What tasks say they wait for, and whether that can be: the graph of declared dependencies.

A number in a sentence is a dependency only when the sentence says so. What the parser read is therefore checked
against the plan's own words once more before it is held against anyone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from bot.core.plans.model import Plan, Span, Task

_WAITS = re.compile(r"(?i)depend|\b(?:requires?|after|blocked|needs?|prerequisites?|follows|waits?)\b|->|→|←")
_DENIED = re.compile(r"(?i)\b(?:no|not|never|nothing|none|without|nobody)\b[^.;\n]{0,60}\b(?:depend|block|requir)")
# what is quoted, and what a longer bracket explains, is not what the line itself says
_QUOTED = re.compile(
    r"[\"“][^\"”\n]{0,200}[\"”]|\((?!\s*(?:depends|after|requires|blocked|needs)\b)[^()\n]{25,400}\)", re.IGNORECASE
)
MAX_LINES = 400  # of a task that are read for what it depends on
MAX_MENTIONS = 40  # lines elsewhere


def key(identity: str) -> str:
    bare = re.sub(r"^(?:task|step|unit|slice|phase)\s+", "", identity.strip().casefold())
    return bare.lstrip("0") or bare


def _shape(identity: str) -> str:
    return re.sub(r"\d+", "9", identity)


class Graph:
    """The tasks' declared dependencies, by position."""

    def __init__(self, plan: Plan) -> None:
        self.tasks = plan.tasks
        self.positions: dict[str, list[int]] = {}
        for position, task in enumerate(plan.tasks):
            self.positions.setdefault(key(task.id), []).append(position)
        self.edges: list[set[int]] = [set() for _ in plan.tasks]
        self.unknown: list[tuple[int, str]] = []
        shapes = {_shape(key(task.id)) for task in plan.tasks}
        for position, task in enumerate(plan.tasks):
            for wanted in task.depends_on:
                name = key(wanted)
                if name in self.positions:
                    targets = self.positions[name]
                    # an id that is used twice is ambiguous, and reported as such
                    if len(targets) == 1 and says_so(plan, task, wanted):
                        self.edges[position].add(targets[0])
                elif _shape(name) in shapes and not self._family(name):
                    self.unknown.append((position, wanted))

    def _family(self, name: str) -> bool:
        """A group such as 3 of 3.1 and 3.2, or a part such as 8a of 8."""
        return any(
            other.startswith((f"{name}.", f"{name}-")) or name.startswith((f"{other}.", f"{other}-"))
            or re.fullmatch(re.escape(name) + r"[a-z]", other) is not None
            or re.fullmatch(re.escape(other) + r"[a-z]", name) is not None
            for other in self.positions
        )  # fmt: skip

    def reaches(self, start: int, goal: int) -> bool:
        stack, seen = [start], {start}
        while stack:
            for after in self.edges[stack.pop()]:
                if after == goal:
                    return True
                if after not in seen:
                    seen.add(after)
                    stack.append(after)
        return False

    def cycles(self) -> list[list[int]]:
        """Each group of tasks that wait for each other, in plan order: strongly connected, or one naming itself."""
        index: dict[int, int] = {}
        low: dict[int, int] = {}
        on_stack: set[int] = set()
        stack: list[int] = []
        found: list[list[int]] = []
        for root in range(len(self.tasks)):
            if root in index:
                continue
            work = [(root, iter(sorted(self.edges[root])))]
            index[root] = low[root] = len(index)
            stack.append(root)
            on_stack.add(root)
            while work:
                node, after = work[-1]
                step = next(after, None)
                if step is None:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[node])
                    if low[node] == index[node]:
                        group: list[int] = []
                        while True:
                            member = stack.pop()
                            on_stack.discard(member)
                            group.append(member)
                            if member == node:
                                break
                        if len(group) > 1 or node in self.edges[node]:
                            found.append(sorted(group))
                elif step not in index:
                    index[step] = low[step] = len(index)
                    stack.append(step)
                    on_stack.add(step)
                    work.append((step, iter(sorted(self.edges[step]))))
                elif step in on_stack:
                    low[node] = min(low[node], index[step])
        return sorted(found)


@dataclass(frozen=True, slots=True)
class _Telling:
    """The lines of a document that speak of waiting for something, bare of quotes, and the words on each."""

    numbers: tuple[int, ...]
    lines: tuple[str, ...]
    words: dict[str, list[int]]


@lru_cache(maxsize=4)
def _telling(text: str) -> _Telling:
    numbers: list[int] = []
    lines: list[str] = []
    words: dict[str, list[int]] = {}
    for number, full in enumerate(text.split("\n"), 1):
        line = full[:1000]
        if not _WAITS.search(line) or _DENIED.search(line):
            continue
        for word in {found.strip(".").casefold() for found in re.findall(r"[\w.]+", line)}:
            words.setdefault(word, []).append(len(lines))
        numbers.append(number)
        lines.append(_QUOTED.sub(" ", line))
    return _Telling(tuple(numbers), tuple(lines), words)


def _lines_about(plan: Plan, task: Task) -> Iterator[str]:
    """The telling lines of a task, then those elsewhere that name it."""
    for document in plan.documents:
        if document.path != task.span.path:
            continue
        telling = _telling(document.text)
        first = bisect_left(telling.numbers, task.span.first)
        last = bisect_right(telling.numbers, task.span.last)
        yield from telling.lines[first : min(last, first + MAX_LINES)]
        for index in telling.words.get(task.id.casefold(), [])[:MAX_MENTIONS]:
            yield telling.lines[index]


def says_so(plan: Plan, task: Task, wanted: str) -> bool:
    """Whether some line about the task names `wanted` as what it waits for, in words that can be held against it."""
    kind = re.match(r"[A-Za-z]+", task.label)
    word = kind.group(0) if kind else "task"
    name = re.escape(wanted)
    named = rf"(?<![\w.]){name}(?![\w])"
    if wanted[:1].isdigit():
        # a bare number is a task only where the same word says so, or right after the words for waiting
        waits = r"(?:depends(?:[ _]on)?|dependencies|blocked by)\b[:*_ \t\[]*(?:[\d.]+[a-z]?\s*(?:,|and|&|\+)\s*)*"
        named = rf"(?i)(?:\b{re.escape(word)}s?\b[^.;\n]{{0,60}}?(?<![\w.])|{waits}){name}(?![\w])"
    pattern = re.compile(named)
    return any(wanted in line and pattern.search(line) for line in _lines_about(plan, task))


def depends_words(task: Task) -> tuple[str, ...]:
    """What to look for on the line that names a task's dependencies, best first."""
    return ("epends on", "epends_on", "Depends", "Dependencies", "Blocked", *task.depends_on)


def depends_span(plan: Plan, task: Task, wanted: str = "") -> Span:
    """The line of the task that names its dependencies; its first line when there is none."""
    for number in range(task.span.first, min(task.span.last, task.span.first + MAX_LINES) + 1):
        text = plan.line(task.span.path, number)
        if re.search(r"(?i)\b(depend\w*|after|requires|blocked|_depends)\b", text) and (not wanted or wanted in text):
            return Span(task.span.path, number, number)
    return Span(task.span.path, task.span.first, task.span.first)
