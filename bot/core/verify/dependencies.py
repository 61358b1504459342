"""What tasks say they wait for, and whether that can be: the graph of declared dependencies.

A number in a sentence is a dependency only when the sentence says so. What the parser read is therefore checked
against the plan's own words once more before it is held against anyone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache

from bot.core.plans.model import Format, Plan, Span, Task

_WAITS = re.compile(r"(?i)depend|\b(?:requires?|after|blocked|needs?|prerequisites?|follows|waits?)\b|->|→|←")
_DENIED = re.compile(r"(?i)\b(?:no|not|never|nothing|none|without|nobody)\b[^.;\n]{0,60}\b(?:depend|block|requir)")
# what is quoted, and what a longer bracket explains, is not what the line itself says
_QUOTED = re.compile(
    r"[\"“][^\"”\n]{0,200}[\"”]|\((?!\s*(?:depends|after|requires|blocked|needs)\b)[^()\n]{25,400}\)", re.IGNORECASE
)
_PHRASE = re.compile(
    r"(?i)(?:depend\w*|requires?|blocked(?:[ _]by)?|after|needs?|prerequisites?|follows|waits?(?: for)?)\b"
    r"((?:[^.;\n]|\.(?=\d)){0,160})"
)
_ARROW = re.compile(r"\d[\w.]*\s*(?:->|→|←)\s*[A-Za-z-]*\d")
_LIST_HEAD = re.compile(r"(?i)^\s*(?:depends[_ ]on|dependencies|blocked[_ ]by)\s*:\s*$")
_LIST_ITEM = re.compile(r"^\s*-\s*[\"']?[\w.-]+[\"']?\s*$")
_LISTED = re.compile(
    r"(?i)(?:depends(?:[ _]on)?|dependencies|blocked by)\b[:*_ \t\[]*"
    r"(?P<list>(?:[\d.]+[a-z]?\s*(?:,|and|&|\+)\s*)*[\d.]+[a-z]?)(?![^\W_])"
)
MAX_LINES = 400  # of a task that are read for what it depends on
MAX_MENTIONS = 40  # lines elsewhere


_WORD_BEFORE = re.compile(r"^(?:task|step|unit|slice|phase)\s+")
_DIGITS = re.compile(r"\d+")


def key(identity: str) -> str:
    bare = _WORD_BEFORE.sub("", identity.strip().casefold())
    return bare.lstrip("0") or bare


def _shape(identity: str) -> str:
    return _DIGITS.sub("9", identity)


def _of_plan(plan: Plan, name: str) -> bool:
    """Whether an id is one that this plan would have given: workplans put their own name before the number, and may
    wait for tasks of another."""
    if plan.format is not Format.WORKPLAN:
        return True
    head = name.rpartition("-")[0]
    return any(key(task.id).rpartition("-")[0] == head for task in plan.tasks)


def _listed(plan: Plan, task: Task, wanted: str) -> bool:
    """Whether the task lists `wanted` as data, which needs no reading of sentences."""
    at = task.depends_at
    if at is None:
        return False
    name = re.compile(rf"(?<![\w.-]){re.escape(wanted)}(?![\w.-])")
    last = min(at.last, at.first + MAX_LINES)
    return any(name.search(plan.line(at.path, number)[:10_000]) for number in range(at.first, last + 1))


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
                elif _listed(plan, task, wanted) or (
                    _shape(name) in shapes and _of_plan(plan, name) and not self._family(name)
                ):
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
class _Line:
    """A line that speaks of waiting for something, bare of quotes.

    `words` are those that follow the words for waiting in the same sentence, `numbers` the numbers right after them.
    """

    text: str
    words: frozenset[str]
    numbers: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Telling:
    """The telling lines of a document, the number of each, and which of them each word is on."""

    numbers: tuple[int, ...]
    lines: tuple[_Line, ...]
    words: dict[str, list[int]]


def _words(text: str) -> set[str]:
    """The words of a line, ids with hyphens both whole and in parts."""
    found = re.findall(r"[\w.-]+", text)
    return {part.strip("._-").casefold() for word in found for part in (word, *word.split("-"))} - {""}


@lru_cache(maxsize=4)
def _telling(text: str) -> _Telling:
    numbers: list[int] = []
    lines: list[_Line] = []
    words: dict[str, list[int]] = {}
    listing = False
    for number, full in enumerate(text.split("\n"), 1):
        line = full[:1000]
        listing = bool(_LIST_HEAD.match(line)) or (listing and bool(_LIST_ITEM.match(line)))
        if not listing and (not _WAITS.search(line) or _DENIED.search(line)):
            continue
        bare = _QUOTED.sub(" ", line)
        said = bare if listing or _ARROW.search(bare) else " ".join(_PHRASE.findall(bare))
        found = frozenset(_words(said))
        listed = (match.group("list") for match in _LISTED.finditer(bare))
        after = frozenset(item.strip(".") for each in listed for item in re.findall(r"[\w.]+", each))
        for word in _words(bare):
            words.setdefault(word, []).append(len(lines))
        numbers.append(number)
        lines.append(_Line(bare, found, after))
    return _Telling(tuple(numbers), tuple(lines), words)


def says_so(plan: Plan, task: Task, wanted: str) -> bool:
    """Whether some line about the task names `wanted` as what it waits for, in words that can be held against it."""
    if _listed(plan, task, wanted):
        return True
    kind = re.match(r"[A-Za-z]+", task.label)
    word = kind.group(0).casefold() if kind else "task"
    name = wanted.casefold()

    def named(line: _Line) -> bool:
        # a bare number is a task only where the same word says so, or right after the words for waiting
        return name in line.words and (
            not name[:1].isdigit() or name in line.numbers or word in line.words or f"{word}s" in line.words
        )

    for document in plan.documents:
        if document.path != task.span.path:
            continue
        telling = _telling(document.text)
        first = bisect_left(telling.numbers, task.span.first)
        last = bisect_right(telling.numbers, task.span.last)
        if any(named(line) for line in telling.lines[first : min(last, first + MAX_LINES)]):
            return True
        elsewhere = (telling.lines[at] for at in telling.words.get(task.id.casefold(), [])[:MAX_MENTIONS])
        if any(named(line) and _in_turn(line.text, task.id, wanted) for line in elsewhere):
            return True
    return False


def _in_turn(text: str, waiting: str, wanted: str) -> bool:
    """Whether a line says `waiting` … depends on … `wanted`, or `wanted` → `waiting`, and not the reverse."""
    here, there = (re.search(rf"(?<![\w.]){re.escape(each)}(?!\w)", text) for each in (waiting, wanted))
    if here is None or there is None:
        return False
    early, late = sorted((here, there), key=lambda match: match.start())
    between = text[early.end() : late.start()]
    if re.fullmatch(r"[\s\w,()]{0,60}(?:->|→)[\s\w,()]{0,60}", between):
        return early is there
    return early is here and len(between) < 100 and re.search(r"(?i)depends|blocked by|requires", between) is not None


def depends_words(task: Task) -> tuple[str, ...]:
    """What to look for on the line that names a task's dependencies, best first."""
    return ("epends on", "epends_on", "Depends", "Dependencies", "Blocked", *task.depends_on)


def depends_span(plan: Plan, task: Task, wanted: str = "") -> Span:
    """The line of the task that names its dependencies; its first line when there is none."""
    if task.depends_at is not None:
        at = task.depends_at
        lines = range(at.first, min(at.last, at.first + MAX_LINES) + 1)
        named = (number for number in lines if wanted and wanted in plan.line(at.path, number))
        number = next(named, at.first)
        return Span(at.path, number, number)
    for number in range(task.span.first, min(task.span.last, task.span.first + MAX_LINES) + 1):
        text = plan.line(task.span.path, number)
        if re.search(r"(?i)\b(depend\w*|after|requires|blocked|_depends)\b", text) and (not wanted or wanted in text):
            return Span(task.span.path, number, number)
    return Span(task.span.path, task.span.first, task.span.first)
