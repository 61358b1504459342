"""Tasks that cannot run in the order in which the plan lists them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.plans.model import Action, Format, Span, Task, TaskStatus
from bot.core.verify import evidence
from bot.core.verify.dependencies import Graph, depends_span, depends_words, key, says_so
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.replay import Standing, Use, alive, is_stated
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.TASK_ORDER

_WRITES = (Action.CREATE, Action.MODIFY)
_CHANGES = (Action.MODIFY, Action.DELETE, Action.MOVE)
_OWN_ORDER = re.compile(
    r"(?im)^[#>*\s]{0,8}.{0,20}\b(execution order|suggested order|task order|implementation order|sequencing)\b"
)


def find(world: World) -> Iterator[Draft]:
    """Drafts for uses out of order, for declared dependencies that cannot hold, and for ids used twice."""
    if not world.plan.tasks:
        world.note(TYPE.value, "no tasks could be told apart")
        return
    graph = Graph(world.plan)
    yield from _uses(world, graph)
    yield from _dependencies(world, graph)
    yield from _twice(world)
    yield from _interfaces(world)
    yield from _parallel(world, graph)


def _uses(world: World, graph: Graph) -> Iterator[Draft]:
    seen: set[tuple[str, Standing]] = set()
    for use in world.walk.uses:
        if use.task is None or use.by is None or use.by_ref is None or not is_stated(use.ref):
            continue
        if use.task.status is TaskStatus.DONE or (use.path, use.standing) in seen:
            continue
        draft = _later(world, use, graph) if use.standing is Standing.LATER else _gone(world, use)
        if draft is not None:
            seen.add((use.path, use.standing))
            yield draft


def _later(world: World, use: Use, graph: Graph) -> Draft | None:
    if use.by is None or use.by_ref is None:
        return None
    needs = use.ref.action in (*_CHANGES, Action.READ) or (use.ref.action is Action.TEST and use.ref.says_exists)
    maker = world.walk.created[use.path][0]
    if not needs or graph.reaches(use.position, maker) or use.by.status is TaskStatus.DONE:
        return None
    return Draft(
        TYPE,
        Weight.BREAKS if use.ref.action in _CHANGES else Weight.WRONG,
        use.ref.span,
        use.path,
        f"no such file yet, {use.by.label} creates it later",
        (*evidence.absent(world.tree, use.path), *evidence.planned(world.plan, use.by_ref.span, use.by_ref.path)),
        task=use.task,
        raw=use.ref.path,
    )


def _gone(world: World, use: Use) -> Draft | None:
    if use.standing is not Standing.GONE or use.by is None or use.by_ref is None:
        return None
    if use.ref.action not in (Action.MODIFY, Action.MOVE):
        return None
    moved = use.by_ref.action is Action.MOVE
    return Draft(
        TYPE,
        Weight.BREAKS,
        use.ref.span,
        use.path,
        f"{use.by.label} {'moves' if moved else 'deletes'} this file before",
        evidence.planned(world.plan, use.by_ref.span, use.by_ref.path),
        task=use.task,
        raw=use.ref.path,
        suggestion=use.by_ref.target if moved else None,
    )


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
            for piece in evidence.planned(plan, plan.tasks[member].span, *depends_words(plan.tasks[member]))
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
                Weight.DOUBT if own_order else Weight.WRONG,
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
        yield Draft(
            TYPE,
            Weight.WRONG,
            depends_span(world.plan, task, wanted),
            f"{task.label} → {wanted}",
            f"{task.label} depends on {wanted}, and the plan has no such task",
            evidence.planned(plan, depends_span(world.plan, task, wanted), wanted),
            task=task,
        )


# a name that is a program's and no ordinary word
_EXACT = re.compile(r"^[^\s]{6,}$(?<=\))|^\w*(?:[a-z][A-Z]|\w_\w|\w\(|::|\w\.\w)[^\n]*$")


def _twice(world: World) -> Iterator[Draft]:
    """An id that two tasks of one document share. Numbering that starts again in each part of a plan is normal."""
    by_document: dict[str, list[Task]] = {}
    for task in world.plan.tasks:
        by_document.setdefault(task.span.path, []).append(task)
    for tasks in by_document.values():
        first: dict[str, Task] = {}
        repeated: list[Task] = []
        for task in tasks:
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
            if task.title.strip().casefold() == other.title.strip().casefold() or not task.id.strip():
                continue
            if _heading(world, task) != _heading(world, other) or _counted(world, task):
                continue
            yield Draft(
                TYPE,
                Weight.WRONG,
                Span(task.span.path, task.span.first, task.span.first),
                task.label,
                f"two tasks are called {task.label}",
                (
                    *evidence.planned(world.plan, Span(other.span.path, other.span.first, other.span.first)),
                    *evidence.planned(world.plan, Span(task.span.path, task.span.first, task.span.first)),
                ),
                task=task,
            )


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


def _interfaces(world: World) -> Iterator[Draft]:
    """What a task consumes in exactly the words in which only a later task produces it."""
    produced: dict[str, int] = {}
    for position, task in enumerate(world.plan.tasks):
        for name in task.produces:
            produced.setdefault(name.strip(), position)
    for position, task in enumerate(world.plan.tasks):
        if task.status is TaskStatus.DONE or not alive(task):
            continue
        for name in task.consumes:
            name = name.strip()
            maker = produced.get(name)
            if maker is None or maker <= position or not _EXACT.search(name):
                continue
            later = world.plan.tasks[maker]
            yield Draft(
                TYPE,
                Weight.WRONG,
                task.span,
                name[:120],
                f"{later.label} produces this only later",
                evidence.planned(world.plan, later.span, name, "Produces"),
                task=task,
                raw=name,
            )


def _parallel(world: World, graph: Graph) -> Iterator[Draft]:
    """Neighbouring tasks that are marked as parallel and write one file."""
    writers: dict[str, tuple[int, Task]] = {}
    for position, task in enumerate(world.plan.tasks):
        if not task.parallel:
            writers = {}
            continue
        if not alive(task) or task.status is TaskStatus.DONE:
            continue
        for ref in task.files:
            if ref.action not in _WRITES or not is_stated(ref):
                continue
            before = writers.setdefault(ref.path, (position, task))
            if before[0] == position or graph.reaches(position, before[0]):
                continue
            writers[ref.path] = (position, task)
            yield Draft(
                TYPE,
                Weight.WRONG,
                ref.span,
                ref.path,
                f"{before[1].label} and {task.label} are marked as parallel, and both write this file",
                evidence.planned(world.plan, before[1].span, ref.path),
                task=task,
                raw=ref.path,
            )
