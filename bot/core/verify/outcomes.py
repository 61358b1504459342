"""The one table of outcomes: what a verdict means for the exit code, the check run, the label and the comment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from schemas.verify_report import Verdict


class LabelChange(StrEnum):
    ADD = "add"
    REMOVE = "remove"
    KEEP = "keep"


class Sticky(StrEnum):
    """When the pull request's one comment is written."""

    POST = "post"  # created when there is none, else edited
    EDIT = "edit"  # edited when there is one, never created
    ONE_LINE = "one_line"  # created or edited, one line
    FOLD = "fold"  # an existing one shrinks to one line, never created


@dataclass(frozen=True, slots=True)
class Outcome:
    exit_code: int
    conclusion: str
    label: LabelChange
    sticky: Sticky


OUTCOMES = MappingProxyType(
    {
        Verdict.CLEAN: Outcome(0, "success", LabelChange.REMOVE, Sticky.EDIT),
        Verdict.NEEDS_FIX: Outcome(1, "failure", LabelChange.ADD, Sticky.POST),
        Verdict.NOT_VERIFIED: Outcome(3, "action_required", LabelChange.KEEP, Sticky.POST),
        Verdict.RETROACTIVE: Outcome(0, "neutral", LabelChange.REMOVE, Sticky.ONE_LINE),
        Verdict.NOT_A_PLAN: Outcome(0, "skipped", LabelChange.REMOVE, Sticky.FOLD),
    }
)

# several plans in one pull request: the first of these that any of them has
PRECEDENCE = (Verdict.NOT_VERIFIED, Verdict.NEEDS_FIX, Verdict.CLEAN, Verdict.RETROACTIVE, Verdict.NOT_A_PLAN)


def combine(verdicts: Iterable[Verdict]) -> Verdict:
    """One verdict for a pull request of several plans; no plan at all is `not_a_plan`."""
    seen = set(verdicts)
    return next((v for v in PRECEDENCE if v in seen), Verdict.NOT_A_PLAN)
