"""What the plan makes anew although it is there already."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.verify.checks.ignores_existing_code import definitions, files
from bot.core.verify.finding import Draft
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.IGNORES_EXISTING_CODE


def find(world: World) -> Iterator[Draft]:
    for part in (files, definitions):
        yield from part.find(world)
