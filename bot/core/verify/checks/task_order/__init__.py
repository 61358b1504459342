"""Tasks that cannot run in the order in which the plan lists them."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.verify.checks.task_order import declared, interfaces, late_imports, parallel, uses
from bot.core.verify.dependencies import Graph
from bot.core.verify.finding import Draft
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.TASK_ORDER


def find(world: World) -> Iterator[Draft]:
    """Drafts for uses out of order, for declared dependencies that cannot hold, and for ids used twice."""
    if not world.plan.tasks:
        world.note(TYPE.value, "no tasks could be told apart")
        return
    graph = Graph(world.plan)
    for part in (uses, declared, interfaces, parallel, late_imports):
        yield from part.find(world, graph)
