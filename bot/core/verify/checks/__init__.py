"""The static checks, one module per finding type. Each has `TYPE` and `find(world)`, which yields drafts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bot.core.verify.checks import (
    false_premise,
    hidden_text,
    ignores_existing_code,
    missing_path,
    placeholder,
    scope_gap,
    spec_delta_wrong,
    task_order,
    verify_form,
)
from bot.core.verify.finding import Draft
from bot.core.verify.world import World
from schemas.verify_report import FindingType

Check = Callable[[World], Iterator[Draft]]

CHECKS: tuple[tuple[FindingType, Check], ...] = (
    (missing_path.TYPE, missing_path.find),
    (task_order.TYPE, task_order.find),
    (ignores_existing_code.TYPE, ignores_existing_code.find),
    (false_premise.TYPE, false_premise.find),
    (verify_form.TYPE, verify_form.find),
    (spec_delta_wrong.TYPE, spec_delta_wrong.find),
    (placeholder.TYPE, placeholder.find),
    (scope_gap.TYPE, scope_gap.find),
    (hidden_text.TYPE, hidden_text.find),
)
