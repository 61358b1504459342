"""Commands of the plan that cannot prove what they are there to prove: one module for each way."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.verify.checks.verify_form import aim, cannot_fail, counted, red_step, staging
from bot.core.verify.finding import Draft
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.VERIFY_FORM


def find(world: World) -> Iterator[Draft]:
    for part in (aim, cannot_fail, counted, red_step, staging):
        yield from part.find(world)
