"""The report of `planproof verify`: one plan, judged on one tree.

The JSON form is public. Field names and enum values are relied on by scripts and by the App itself, which stores
reports and re-reads them; adding an optional field is fine, anything else needs a new `schema` number.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

FINDING_ID = "f-[0-9a-f]{6,12}"
"""The pattern of a finding's id."""


class Verdict(StrEnum):
    """What verifying one plan came to; the order in a PR with several plans is `bot.core.verify.outcomes`."""

    CLEAN = "clean"
    NEEDS_FIX = "needs_fix"
    NOT_VERIFIED = "not_verified"
    RETROACTIVE = "retroactive"
    NOT_A_PLAN = "not_a_plan"


class Severity(StrEnum):
    BLOCKER = "blocker"
    MAJOR = "major"
    MINOR = "minor"
    ADVICE = "advice"


class FindingType(StrEnum):
    """The kinds of defect a plan can have; `bot.core.verify.finding` says how severe each is and whether it gates."""

    MISSING_PATH = "missing_path"
    TASK_ORDER = "task_order"
    IGNORES_EXISTING_CODE = "ignores_existing_code"
    FALSE_PREMISE = "false_premise"
    VERIFY_FORM = "verify_form"
    SCOPE_GAP = "scope_gap"
    SPEC_DELTA_WRONG = "spec_delta_wrong"
    PLACEHOLDER = "placeholder"
    HIDDEN_TEXT = "hidden_text"


class Status(StrEnum):
    OPEN = "open"
    REPAIRED = "repaired"
    DISMISSED = "dismissed"
    DISPUTED = "disputed"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Evidence(_Model):
    """Something code re-read in the judged tree (or in the plan itself): the ground a finding stands on."""

    path: str
    line: int | None = Field(default=None, ge=1, description="1-based; null when the path as a whole is meant")
    quote: str | None = Field(default=None, description="the text of that line, as read, at most 200 characters")
    absent: bool = Field(default=False, description="true: what is shown is that nothing of that name is there")


class Edit(_Model):
    """An exact mechanical repair: replace `old` by `new` within lines `start` to `end` of the plan document `path`."""

    path: str
    start: int = Field(ge=1)
    end: int = Field(ge=1)
    old: str
    new: str


class Finding(_Model):
    id: str = Field(pattern=f"^{FINDING_ID}$", description="equal on every re-run over the same plan line")
    type: FindingType
    severity: Severity
    gating: bool
    source: Literal["static", "model"] = "static"
    status: Status = Status.OPEN
    task: str | None = Field(default=None, description="the task's label as a reader sees it, e.g. `Task 3`")
    plan_path: str
    plan_line: int = Field(ge=1)
    plan_end_line: int = Field(ge=1)
    subject: str
    message: str
    evidence: tuple[Evidence, ...] = ()
    suggestion: str | None = None
    edit: Edit | None = None


class PlanInfo(_Model):
    path: str
    format: str
    title: str | None = None
    tasks: int = 0
    files: tuple[str, ...] = ()


class TreeInfo(_Model):
    rev: str | None = Field(default=None, description="full commit id of the tree the plan was judged on")


class CheckRecord(_Model):
    """One check and whether it ran: what was not looked at is as much part of the answer as what was found."""

    name: str
    ran: bool = True
    reason: str | None = None


class Read(_Model):
    path: str
    lines: tuple[int, int] | None = None
    bytes: int = 0
    tokens: int | None = None
    outcome: str = "ok"


class Tokens(_Model):
    request: int = 0
    reads: int = 0
    output: int = 0


class VerifyReport(_Model):
    # `schema` is the public field name; pydantic's own attribute of that name is deprecated, hence the alias
    schema_: Literal[1] = Field(default=1, alias="schema", serialization_alias="schema")
    plan: PlanInfo
    tree: TreeInfo = TreeInfo()
    verdict: Verdict
    reason: str | None = None
    attempts: int = 1
    findings: tuple[Finding, ...] = ()
    checks: tuple[CheckRecord, ...] = ()
    reads: tuple[Read, ...] = ()
    tokens: Tokens = Tokens()
    seconds: float = 0.0

    model_config = ConfigDict(
        extra="forbid", frozen=True, defer_build=True, populate_by_name=True, serialize_by_alias=True
    )

    @property
    def gating(self) -> tuple[Finding, ...]:
        """The findings that keep `plan/needs-fix`: open, of a gating type, blocker or major."""
        return tuple(f for f in self.findings if f.gating and f.status in (Status.OPEN, Status.DISPUTED))

    @classmethod
    def unjudged(cls, path: str, reason: str, verdict: Verdict = Verdict.NOT_VERIFIED) -> VerifyReport:
        """The report on a plan that was not even read as one, and why."""
        return cls(plan=PlanInfo(path=path, format="unknown", files=(path,)), verdict=verdict, reason=reason)
