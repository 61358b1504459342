"""Declared dependencies that cannot hold, and ids that two tasks share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from posixpath import dirname

from bot.core.plans.model import Format, Task, TaskStatus
from bot.core.verify import evidence
from bot.core.verify.dependencies import Graph, depends_span, depends_words, key, says_so
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.replay import alive
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.TASK_ORDER

_OWN_ORDER = re.compile(
    r"(?im)^[#>*\s]{0,8}.{0,20}\b(execution order|suggested order|task order|implementation order|sequencing)\b"
)
_FIRST = re.compile(r"(?i)[a-z]*-?0*[01]")  # an id that counting begins with


def find(world: World, graph: Graph) -> Iterator[Draft]:
    """One draft for each circle, each dependency on a later or an unknown task, at the line that says so, and for each
    id that was given before, at the second task."""
    yield from _dependencies(world, graph)
    yield from _twice(world)


def _dependencies(world: World, graph: Graph) -> Iterator[Draft]:
    plan = world.plan
    cyclic: set[int] = set()
    for group in graph.cycles():
        cyclic.update(group)
        first = plan.tasks[group[0]]
        labels = [plan.tasks[member].label for member in group]
        message = f"{first.label} depends on itself"
        if len(group) > 1:
            message = f"{', '.join(labels[:-1])} and {labels[-1]} wait for each other"
        shown = tuple(
            piece
            for member in group[:5]
            for piece in evidence.planned(
                plan, plan.tasks[member].depends_at or plan.tasks[member].span, *depends_words(plan.tasks[member])
            )
        )
        yield Draft(TYPE, Weight.BREAKS, depends_span(world.plan, first), ", ".join(labels), message, shown, task=first)
    own_order = plan.format is Format.WORKPLAN or bool(_OWN_ORDER.search(world.text))
    for position, task in enumerate(plan.tasks):
        if not alive(task) or task.status is TaskStatus.DONE:
            continue
        for target in sorted(graph.edges[position]):
            later = plan.tasks[target]
            if target <= position or (position in cyclic and target in cyclic) or task.span == later.span:
                continue
            yield Draft(
                TYPE,
                # dependencies that are data order the tasks themselves, whatever the list does
                Weight.DOUBT if own_order or task.depends_at is not None else Weight.WRONG,
                depends_span(world.plan, task),
                f"{task.label} → {later.label}",
                f"{task.label} depends on {later.label}, which comes after it",
                evidence.planned(plan, later.span, later.label, later.id),
                task=task,
            )
    for position, wanted in graph.unknown:
        task = plan.tasks[position]
        if task.status is TaskStatus.DONE or not alive(task) or not says_so(plan, task, wanted):
            continue
        if len(plan.tasks) == 1 and task.depends_at is None and not _FIRST.fullmatch(task.id.strip()):
            world.note(TYPE.value, f"the one task is {task.label}, so the others may be elsewhere")
            continue
        if _beside(world, task, wanted):
            continue
        yield Draft(
            TYPE,
            Weight.WRONG,
            depends_span(world.plan, task, wanted),
            f"{task.label} → {wanted}",
            f"{task.label} depends on {wanted}, and the plan has no such task",
            evidence.planned(plan, depends_span(world.plan, task, wanted), wanted),
            task=task,
        )


def _beside(world: World, task: Task, wanted: str) -> bool:
    """Whether another document of the folder holds the task: some plans have a file for each."""
    word = re.match(r"[A-Za-z]+", task.label)
    name = re.escape(wanted.lstrip("0") or wanted)
    heading = re.compile(
        rf"(?im)^#{{1,4}}\s[^\n]{{0,20}}?\b(?:{re.escape(word.group(0)) if word else 'task'}\s+)?0*{name}(?![\w.])"
    )
    file = re.compile(rf"(?i)(?:^|/)(?:[a-z]+[-_])?0*{name}[-_.][^/]*$")
    folder = dirname(task.span.path)
    beside = [each for each in world.siblings if dirname(each.path) == folder]
    return any(file.search(each.path) or heading.search(each.text[:200_000]) for each in beside)


def _twice(world: World) -> Iterator[Draft]:
    """An id that two tasks of one document share. Numbering that starts again in each part of a plan is normal."""
    by_document: dict[str, list[Task]] = {}
    for task in world.plan.tasks:
        by_document.setdefault(task.span.path, []).append(task)
    for tasks in by_document.values():
        told: set[int] = set()
        for at in _neighbours(world, tasks):
            yield _same_id(world, tasks[at], tasks[at - 1])
            told.add(at)
        first: dict[str, Task] = {}
        repeated: list[Task] = []
        for task in (each for at, each in enumerate(tasks) if at not in told):
            if key(task.id) in first:
                repeated.append(task)
            else:
                first[key(task.id)] = task
        keys = {key(task.id) for task in repeated}
        if key(tasks[0].id) in keys or len(keys) * 2 > len(first):
            world.note(TYPE.value, "task numbers start again within the plan, so equal ids are not judged")
            continue
        for task in repeated:
            other = first[key(task.id)]
            # one title is one task told twice, but where each has a block of its own
            told_twice = world.plan.format is not Format.WORKPLAN and _titled(task) == _titled(other)
            if told_twice or not task.id.strip():
                continue
            if _heading(world, task) != _heading(world, other) or _counted(world, task):
                continue
            yield _same_id(world, task, other)


def _titled(task: Task) -> str:
    return task.title.strip().casefold()


def _same_id(world: World, task: Task, other: Task) -> Draft:
    here, there = task.span.head, other.span.head
    if world.plan.format is Format.WORKPLAN:
        here, there = task.span, other.span  # the id is below the heading
    return Draft(
        TYPE,
        Weight.WRONG,
        task.span.head,
        task.label,
        f"two tasks are called {task.label}",
        (*evidence.planned(world.plan, there, other.id), *evidence.planned(world.plan, here, task.id)),
        task=task,
    )


def _neighbours(world: World, tasks: list[Task]) -> Iterator[int]:
    """The places of tasks that have the id of the one right before, in one section: numbering that starts again does so
    at its beginning."""
    for at, (other, task) in enumerate(pairwise(tasks), 1):
        if not task.id.strip() or key(task.id) != key(other.id) or task.label != other.label:
            continue
        if _titled(task) == _titled(other) or TaskStatus.DONE in (task.status, other.status):
            continue
        marks, _ = _heading(world, task)
        if _heading(world, task) == _heading(world, other) and not _divided(world, other, task, len(marks)):
            yield at


def _divided(world: World, other: Task, task: Task, level: int) -> bool:
    """Whether a heading above the two stands between them (any heading, for tasks that are list items)."""
    for number in range(other.span.first + 1, task.span.first):
        marks = re.match(r"\s{0,3}(#{1,6})\s", world.plan.line(task.span.path, number))
        if marks and (not level or len(marks.group(1)) < level):
            return True
    return False


def _heading(world: World, task: Task) -> tuple[str, str]:
    """How the first line of a task is marked (`###`), and its id with whatever is attached to it (`M7.b`)."""
    text = world.plan.line(task.span.path, task.span.first)
    marks = re.match(r"\s*(#*)", text)
    full = re.search(rf"(?<!\w){re.escape(task.id)}[\w.-]*", text)
    return (marks.group(1) if marks else "", full.group(0).rstrip(".-") if full else task.id)


def _counted(world: World, task: Task) -> bool:
    """Parts that a document may well list once for each of its sections, and numbers that are no ids at all."""
    if world.plan.format is Format.GENERIC and re.match(r"(?i)(?:phase|step|stage|chunk|part|milestone)\b", task.label):
        return True
    return task.id.isdecimal() and int(task.id[:9]) > 3 * len(world.plan.tasks) + 10
