"""Tasks that are marked as parallel and write one file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import splitext

from bot.core.plans.model import Action, FileRef, Format, Task, TaskStatus
from bot.core.verify import evidence, paths
from bot.core.verify.dependencies import Graph
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.replay import alive, is_stated
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.TASK_ORDER

_WRITES = (Action.CREATE, Action.MODIFY)
# the one file that a line of a task list is about: "add the alarm in src/alarms.py"
_WRITING = re.compile(
    r"(?i)^(?:add|implement|create|write|update|modify|extend|define|build|refactor|register|wire|export|give|rename|remove"
    r"|fix|move|declare|introduce|replace|rewrite|document|describe|configure|set up)\b"
)
_INTO = re.compile(r"(?i)\b(?:in|to|into|inside|within)\s+(?:the\s+|file\s+)*[`*(]*$")
_DIRECT = re.compile(r"(?i)^\w+(?:\s+(?:the|new|file|module))*\s+[`*(]*$")
_TESTS = re.compile(r"(?i)\btests?\b|\bspecs?\b|\bcoverage\b")
_TEST_PATH = re.compile(r"(?i)(?:^|/)(?:tests?|__tests__|specs?|e2e)/|test|spec")
MAX_WRITERS = 20  # of one file in one run that are told apart
MAX_GAP = 200  # lines between two tasks that are looked through for a heading


def find(world: World, graph: Graph) -> Iterator[Draft]:
    """One draft for each file that several tasks of one run write, at the second of them."""
    run: dict[str, list[tuple[int, Task, FileRef]]] = {}
    last: Task | None = None
    for position, task in enumerate(world.plan.tasks):
        if not task.parallel or (last is not None and _parted(world, last, task)):
            yield from _drafts(world, run)
            run = {}
        last = task if task.parallel else None
        if not task.parallel or not alive(task) or task.status is TaskStatus.DONE:
            continue
        for ref in task.files:
            if ref.action not in _WRITES or not (is_stated(ref) or _target(world, task, ref)):
                continue
            writers = run.setdefault(ref.path, [])
            if len(writers) >= MAX_WRITERS or any(
                at == position or graph.reaches(position, at) or graph.reaches(at, position) for at, _, _ in writers
            ):
                continue
            writers.append((position, task, ref))
    yield from _drafts(world, run)


def _drafts(world: World, run: dict[str, list[tuple[int, Task, FileRef]]]) -> Iterator[Draft]:
    for path, writers in run.items():
        if len(writers) < 2:
            continue
        (_, first, _), (_, task, ref) = writers[:2]
        labels = [each.label for _, each, _ in writers[:6]]
        several = "both" if len(writers) == 2 else "all"
        more = ", …" if len(writers) > len(labels) else ""
        named = f"{', '.join(labels[:-1])} and {labels[-1]}{more}"
        yield Draft(
            TYPE,
            Weight.WRONG,
            ref.span,
            path,
            f"{named} are marked as parallel, and {several} write this file",
            evidence.planned(world.plan, first.span, ref.raw, path),
            task=task,
            raw=ref.raw or path,
        )


def _parted(world: World, before: Task, task: Task) -> bool:
    """Whether a heading stands between two tasks: another phase, whose tasks come later."""
    if before.span.path != task.span.path:
        return True
    lines = range(before.span.last + 1, min(task.span.first, before.span.last + MAX_GAP))
    return any(world.plan.line(task.span.path, number).startswith("#") for number in lines)


def _target(world: World, task: Task, ref: FileRef) -> bool:
    """Whether the task's own line names this file, and no other, as where its work goes."""
    if world.plan.format is not Format.SPECKIT or ref.hedge is not None or ref.span.first != task.span.first:
        return False
    if (
        "/" not in ref.path
        or not splitext(ref.path)[1]
        or paths.look(world.tree, ref.path) not in (None, paths.Look.FOREIGN)
    ):
        return False
    if any("/" in other.path and other.path != ref.path for other in task.files):
        return False
    if not _WRITING.match(task.title) or (_TESTS.search(task.title) and not _TEST_PATH.search(ref.path)):
        return False
    before, found, _ = task.title.partition(ref.raw or ref.path)
    return bool(found) and bool(_INTO.search(before) or _DIRECT.match(before))
