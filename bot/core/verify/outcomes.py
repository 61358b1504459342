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


@dataclass(frozen=True, slots=True)
class Outcome:
    """`creates`: the pull request's one comment is posted when there is none; an existing one is always edited.
    `one_line`: that is all it says."""

    exit_code: int
    conclusion: str
    label: LabelChange
    creates: bool
    one_line: bool


OUTCOMES = MappingProxyType(
    {
        Verdict.CLEAN: Outcome(0, "success", LabelChange.REMOVE, creates=False, one_line=False),
        Verdict.NEEDS_FIX: Outcome(1, "failure", LabelChange.ADD, creates=True, one_line=False),
        Verdict.NOT_VERIFIED: Outcome(3, "action_required", LabelChange.KEEP, creates=True, one_line=False),
        Verdict.RETROACTIVE: Outcome(0, "neutral", LabelChange.REMOVE, creates=True, one_line=True),
        Verdict.NOT_A_PLAN: Outcome(0, "skipped", LabelChange.REMOVE, creates=False, one_line=True),
    }
)

# several plans in one pull request: the first of these that any of them has
PRECEDENCE = (Verdict.NOT_VERIFIED, Verdict.NEEDS_FIX, Verdict.CLEAN, Verdict.RETROACTIVE, Verdict.NOT_A_PLAN)


def combine(verdicts: Iterable[Verdict]) -> Verdict:
    """One verdict for a pull request of several plans; no plan at all is `not_a_plan`."""
    seen = set(verdicts)
    return next((v for v in PRECEDENCE if v in seen), Verdict.NOT_A_PLAN)
