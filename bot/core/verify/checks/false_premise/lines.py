"""A line range that the cited file does not have."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from bot.core.plans.model import Action, LineRange, Span, Task
from bot.core.tree import Kind, Text
from bot.core.verify import evidence, paths
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.replay import Use, is_stated
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.FALSE_PREMISE


def _weight(wanted: LineRange, length: int, near: bool) -> Weight | None:
    """How far a range misses a file of `length` lines; None when it fits. One line past the end is where
    one adds."""
    if wanted.last <= length + 1:
        return None
    if wanted.approximate or near:
        return Weight.DOUBT if wanted.first > length + max(20, length // 4) else None
    if wanted.first > length + 1:
        return Weight.WRONG
    return Weight.WRONG if wanted.last - length > max(5, length // 20) else Weight.SLIGHT


def find(world: World) -> Iterator[Draft]:
    """One draft for each file, part of the plan and range beyond the file's end."""
    seen: set[tuple[str, int, int]] = set()
    for use in world.walk.uses:
        # `:55` alone belongs to a file named somewhere before: which one is a guess
        if use.ref.raw.startswith((":", "L", "~")):
            continue
        if not use.ref.lines or use.changed or use.ref.action is Action.CREATE or use.ref.hedge is not None:
            continue
        stated = is_stated(use.ref) or _is_to_change(world, use)
        yield from _file(world, use.path, use.ref.lines, use.ref.span, use.task, stated, use.ref.raw, seen)
    for claim in world.plan.claims:
        if claim.path is None or not claim.lines:
            continue
        if posixpath.basename(claim.path) not in world.plan.line(claim.span.path, claim.span.first):
            continue
        position, task = world.task_at(claim.span)
        path = paths.inside(world.tree, claim.path)
        touched = world.walk.touched.get(path)
        if (touched is not None and touched < position) or path in world.walk.created:
            continue
        yield from _file(world, path, claim.lines, claim.span, task, False, claim.path, seen)


def _is_to_change(world: World, use: Use) -> bool:
    """Whether a task has a bare name changed that only one file of the tree has."""
    return use.task is not None and use.ref.action is Action.MODIFY and world.tree.by_suffix(use.path) == (use.path,)


def _file(
    world: World,
    path: str,
    lines: tuple[LineRange, ...],
    span: Span,
    task: Task | None,
    stated: bool,
    raw: str,
    seen: set[tuple[str, int, int]],
) -> Iterator[Draft]:
    if world.tree.kind(path) is not Kind.FILE or path in world.known_added:
        return
    content = world.tree.read(path)
    if not isinstance(content, Text):
        world.note(TYPE.value, f"{path} could not be read: {content.reason}")
        return
    length = len(content.lines)
    if length and content.lines[-1] == "":
        length -= 1
    for wanted in lines:
        if (path, wanted.first, wanted.last) in seen:
            continue
        seen.add((path, wanted.first, wanted.last))
        weight = _weight(wanted, length, "~" in raw)
        if weight is None:
            continue
        if not stated:
            weight = Weight.DOUBT
        cited = f"line {wanted.first}" if wanted.first == wanted.last else f"lines {wanted.first}-{wanted.last}"
        yield Draft(
            TYPE,
            weight,
            span,
            f"{path}:{wanted.first}" if wanted.first == wanted.last else f"{path}:{wanted.first}-{wanted.last}",
            f"the plan cites {cited}, and the file has {length} lines",
            evidence.last_line(world.tree, path),
            task=task,
            raw=raw,
        )
