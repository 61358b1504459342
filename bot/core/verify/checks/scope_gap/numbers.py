"""Requirements that have an id: the ones that no task names, and the ids that are named and are not there."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.plans.model import Format, Plan
from bot.core.verify.checks.scope_gap import families, forgotten, unknown
from bot.core.verify.checks.scope_gap.families import MAX_REQUIREMENTS
from bot.core.verify.finding import Draft
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.SCOPE_GAP

_WITH_REQUIREMENTS = (Format.KIRO, Format.SPECKIT)


def find(world: World) -> Iterator[Draft]:
    """One draft for each requirement of which a part is forgotten, and one for each line that names unknown ids."""
    plan = world.plan
    found = families.read(plan)
    if len(plan.requirements) > MAX_REQUIREMENTS:
        world.note(TYPE.value, f"only the first {MAX_REQUIREMENTS} requirements were looked at")
    if found:
        yield from forgotten.find(world, found)
        yield from unknown.find(world, found)
        return
    named = any(task.covers for task in plan.tasks)
    # a plan that neither lists nor names requirements has none to miss
    if not plan.requirements and not plan.spec_delta and (named or plan.format in _WITH_REQUIREMENTS):
        world.note(TYPE.value, _nothing_read(plan))


def _nothing_read(plan: Plan) -> str:
    if plan.format is Format.KIRO and any(task.covers for task in plan.tasks):
        if any(document.path.endswith("/requirements.md") for document in plan.documents):
            return "no numbered requirement could be read in requirements.md"
        return "the tasks name requirements, and there is no requirements.md beside them"
    return "the plan lists no requirements by number"
