"""What the plan says of existing code and the tree denies: one module for each kind of statement."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.verify.checks.false_premise import lines, manifests, protos, quotes, symbols
from bot.core.verify.finding import Draft
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.FALSE_PREMISE


def find(world: World) -> Iterator[Draft]:
    for part in (lines, manifests, symbols, quotes, protos):
        yield from part.find(world)
