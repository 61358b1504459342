"""A specification delta that OpenSpec cannot apply, or that would lose what it does not mention."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from bot.core.plans.model import Format
from bot.core.verify.checks.spec_delta_wrong import against, change, form
from bot.core.verify.checks.spec_delta_wrong.specs import Specs
from bot.core.verify.finding import Draft
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.SPEC_DELTA_WRONG

MAX_DRAFTS = 1000  # of each kind of rule; a report has room for far fewer


def find(world: World) -> Iterator[Draft]:
    """What is wrong in each delta by itself, then against the specifications that hold today."""
    if world.plan.format is not Format.OPENSPEC:
        return
    specs = Specs.of(world)
    if specs is None:
        world.note(TYPE.value, "the plan is in no folder of openspec/changes/, so its deltas have no specification")
        return
    if specs.place.archived:
        world.note(TYPE.value, "the change is archived, so its deltas are in the specifications already")
        return
    yield from _some(world, form.find(specs))
    yield from _some(world, change.find(specs))
    if specs.finished:
        world.note(TYPE.value, "every task is ticked, so the specifications may hold the deltas already")
        return
    yield from _some(world, against.find(specs))


def _some(world: World, drafts: Iterator[Draft]) -> Iterator[Draft]:
    yield from islice(drafts, MAX_DRAFTS)
    if next(drafts, None) is not None:
        world.note(TYPE.value, f"the check stopped after {MAX_DRAFTS} findings of one kind")
