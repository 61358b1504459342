"""Files that a task uses before another creates them, or after another has taken them away."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.plans.model import Action, Task, TaskStatus
from bot.core.tree import Kind
from bot.core.verify import evidence, paths
from bot.core.verify.dependencies import Graph
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.replay import Standing, Use, alive, is_stated
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.TASK_ORDER

_CHANGES = (Action.MODIFY, Action.DELETE, Action.MOVE)


def find(world: World, graph: Graph) -> Iterator[Draft]:
    """One draft for each file that is used too early or too late, at the first such use, and one for each that is
    created twice, at the second creation."""
    yield from _uses(world, graph)
    yield from _made_twice(world)


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


def _made_twice(world: World) -> Iterator[Draft]:
    """Two tasks that both say they create one path. The second may well mean to go on with it: a doubt, no more."""
    first: dict[str, tuple[int, Task]] = {}
    said: set[str] = set()
    for position, task in enumerate(world.plan.tasks):
        if not alive(task) or task.status is TaskStatus.DONE:
            continue
        for ref in task.files:
            path = paths.inside(world.tree, ref.path)
            if ref.action is not Action.CREATE or not is_stated(ref) or paths.look(world.tree, path) is not None:
                continue
            before = first.setdefault(path, (position, task))
            gone = world.walk.deleted.get(path)
            if before[0] == position or path in said or world.tree.kind(path) is not Kind.MISSING:
                continue
            if gone is not None and before[0] <= gone[0] <= position:
                continue
            said.add(path)
            yield Draft(
                TYPE,
                Weight.DOUBT,
                ref.span,
                path,
                f"{before[1].label} creates this file already",
                evidence.planned(world.plan, before[1].span, ref.path),
                task=task,
                raw=ref.path,
            )
