"""What a task consumes and only a later one produces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.core.plans.model import Action, Span, Task, TaskStatus
from bot.core.verify import evidence
from bot.core.verify.dependencies import Graph, key
from bot.core.verify.finding import Draft, Weight, narrow
from bot.core.verify.places import Places
from bot.core.verify.replay import alive
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.TASK_ORDER

# a name that is a program's and no ordinary word
_EXACT = re.compile(r"^[^\s]{6,}$(?<=\))|^\w*(?:[a-z][A-Z]|\w_\w|\w\(|::|\w\.\w)[^\n]*$")
_BARE = re.compile(r"^(?P<name>[A-Za-z_]\w{4,79})(?:\(\))?$")
_CALLED = re.compile(r"^(?:(?:async\s+)?(?:def|func|fn|function)\s+)?(?P<name>[A-Za-z_]\w{4,79})\s*\(")
_FROM = re.compile(
    r"(?i)\bfrom\s+(?:the\s+)?(?P<word>task|unit|step|phase|slice)\s+#?(?P<id>\d+(?:\.\d+)*[a-z]?)(?![\w.]\d)"
)
_HEAD = re.compile(r"(?i)^\W*(?:consumes|produces)\b")
_EXISTING = re.compile(
    r"(?i)\bexist|\balready|\bcurrent|\bunchanged|\bextended?\b|\bmodif|\bupdated?\b|\bnow\b|\blater\b|\bwill\b"
)
MAX_BARE = 50  # names of later tasks that are looked for in the tree


@dataclass(frozen=True, slots=True)
class _Early:
    position: int
    task: Task
    name: str
    maker: int


def find(world: World, graph: Graph) -> Iterator[Draft]:
    """One draft for each name that a task consumes, and for each later task that it says it consumes from, at the line
    of the consuming task that says so."""
    produced: dict[str, int] = {}
    called: dict[str, int] = {}
    for position, task in enumerate(world.plan.tasks):
        for name in task.produces:
            produced.setdefault(name.strip(), position)
            if match := _CALLED.match(name.strip()):
                called.setdefault(match.group("name"), position)
    said: set[tuple[int, int]] = set()
    bare: list[_Early] = []
    for position, task in enumerate(world.plan.tasks):
        if task.status is TaskStatus.DONE or not alive(task):
            continue
        for name in (each.strip() for each in task.consumes):
            maker = produced.get(name)
            if maker is not None and maker > position and _EXACT.search(name) and not graph.reaches(position, maker):
                said.add((position, maker))
                yield _draft(world, _Early(position, task, name, maker))
            elif maker is None and (match := _BARE.match(name)):
                maker = called.get(match.group("name"), -1)
                if maker > position and _EXACT.search(f"{match.group('name')}(") and not graph.reaches(position, maker):
                    bare.append(_Early(position, task, name, maker))
    yield from _new(world, bare[:MAX_BARE])
    yield from _named(world, graph, said)


def _draft(world: World, early: _Early) -> Draft:
    later = world.plan.tasks[early.maker]
    return Draft(
        TYPE,
        Weight.WRONG,
        early.task.span,
        early.name[:120],
        f"{later.label} produces this only later",
        evidence.planned(world.plan, later.span, early.name.removesuffix("()"), "Produces"),
        task=early.task,
        raw=early.name,
    )


def _new(world: World, bare: list[_Early]) -> Iterator[Draft]:
    """Those whose name nothing in the tree defines yet: else an earlier form of it may be what is consumed."""
    if not bare:
        return
    places = Places(world)
    wanted = []
    for early in bare:
        files = [
            ref.path for ref in world.plan.tasks[early.maker].files if ref.action in (Action.CREATE, Action.MODIFY)
        ]
        wanted += [(early.name.removesuffix("()"), path) for path in files[:5]]
    places.search(wanted)
    if places.partial:
        world.note(TYPE.value, "names that a later task produces were not looked for in the whole tree")
        return
    for early in bare:
        name = early.name.removesuffix("()")
        if places.searched(name) and not places.of(name, ""):
            yield _draft(world, early)


def _named(world: World, graph: Graph, said: set[tuple[int, int]]) -> Iterator[Draft]:
    """`Consumes: run() from Task 3`, where Task 3 comes later."""
    for position, task in enumerate(world.plan.tasks):
        if task.status is TaskStatus.DONE or not alive(task) or not task.consumes:
            continue
        for span, text in _consuming(task):
            for match in _FROM.finditer(text):
                word = re.match(r"[A-Za-z]+", task.label)
                targets = graph.positions.get(key(match.group("id")), [])
                if word is None or word.group(0).casefold() != match.group("word").casefold() or len(targets) != 1:
                    continue
                maker = targets[0]
                if maker <= position or (position, maker) in said or graph.reaches(position, maker):
                    continue
                if _EXISTING.search(text):
                    continue
                said.add((position, maker))
                later = world.plan.tasks[maker]
                yield Draft(
                    TYPE,
                    Weight.WRONG,
                    narrow(world.plan, span, match.group(0)),
                    f"{task.label} → {later.label}",
                    f"{task.label} consumes what {later.label} produces, which comes after it",
                    evidence.planned(world.plan, later.span, "Produces", later.label, later.id),
                    task=task,
                    raw=match.group(0),
                )


def _consuming(task: Task) -> Iterator[tuple[Span, str]]:
    """The lines that say what the task consumes."""
    inside = False
    for prose in task.prose:
        if _HEAD.match(prose.text):
            inside = prose.text.lstrip(" *_-").casefold().startswith("consumes")
        elif ":" in prose.text[:30] or prose.text[:5].casefold() == "step ":
            inside = False
        if inside:
            yield prose.span, prose.text[:2000]
