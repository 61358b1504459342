"""All mutators, by the type of the finding that they call for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bot.core.verify.evaluation.mutate import (
    existing_code,
    false_premise,
    hidden_text,
    missing_path,
    placeholder,
    scope_gap,
    spec_delta,
    task_order,
    verify_form,
)
from bot.core.verify.evaluation.mutate.model import Mutator
from schemas.verify_report import FindingType

MUTATORS: Mapping[FindingType, tuple[Mutator, ...]] = MappingProxyType(
    {
        FindingType.MISSING_PATH: missing_path.MUTATORS,
        FindingType.TASK_ORDER: task_order.MUTATORS,
        FindingType.IGNORES_EXISTING_CODE: existing_code.MUTATORS,
        FindingType.FALSE_PREMISE: false_premise.MUTATORS,
        FindingType.VERIFY_FORM: verify_form.MUTATORS,
        FindingType.SCOPE_GAP: scope_gap.MUTATORS,
        FindingType.SPEC_DELTA_WRONG: spec_delta.MUTATORS,
        FindingType.PLACEHOLDER: placeholder.MUTATORS,
        FindingType.HIDDEN_TEXT: hidden_text.MUTATORS,
    }
)
