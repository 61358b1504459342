"""What a plan sets out to do and no task does, and tasks for what is nowhere asked: one module for each way to tell."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.verify.checks.scope_gap import commands, names, numbers
from bot.core.verify.finding import Draft
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.SCOPE_GAP


def find(world: World) -> Iterator[Draft]:
    if not world.plan.tasks:
        world.note(TYPE.value, "no tasks could be told apart")
        return
    for part in (numbers, names, commands):
        yield from part.find(world)
