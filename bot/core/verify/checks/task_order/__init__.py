"""Tasks that cannot run in the order in which the plan lists them."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.verify.checks.task_order import declared, go_imports, interfaces, late_imports, parallel, uses
from bot.core.verify.dependencies import Graph
from bot.core.verify.finding import Draft
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.TASK_ORDER


def find(world: World) -> Iterator[Draft]:
    """Drafts for uses out of order, for declared dependencies that cannot hold, for ids used twice, and for code that
    needs what a later task brings."""
    if not world.plan.tasks:
        world.note(TYPE.value, "no tasks could be told apart")
        return
    graph = Graph(world.plan)
    for part in (uses, declared, interfaces, parallel, late_imports, go_imports):
        yield from part.find(world, graph)
