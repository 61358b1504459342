"""What an engine process is asked: one plan of one repository, to be judged on one tree."""

from __future__ import annotations

from datetime import date

from pydantic import BaseModel, ConfigDict, Field

from schemas.verify_report import FindingType, Severity, Status


class Limits(BaseModel):
    """Sizes are in bytes. Beyond a limit nothing is guessed: the report says what was not looked at."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    max_plan: int = Field(default=1024 * 1024, gt=0, description="largest plan document")
    max_blob: int = Field(default=1024 * 1024, gt=0, description="largest file of the tree that is read")
    max_documents: int = Field(default=200, gt=0, description="most documents that are read as one plan")
    max_entries: int = Field(default=2_000_000, gt=0, description="most paths of a tree")
    max_commits: int = Field(default=10_000, gt=0, description="most commits visited to find the plan's last change")


class Request(BaseModel):
    """`judge` takes one of these; as JSON, bytes are base64.

    `rev` "auto" is the tree that the plan's author saw; anything else names the commit whose tree is judged on. The
    plan is read at `plan_rev`, by default at `rev`, or at HEAD for "auto". With `base_rev` only the commits of
    `base_rev..plan_rev` count as the plan's history, as in a pull request.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, defer_build=True, ser_json_bytes="base64", val_json_bytes="base64"
    )

    repo: str = Field(description="a git directory, or a work tree")
    plan: str = Field(description="the plan's path in the repository, or its folder")
    rev: str = "auto"
    plan_rev: str | None = None
    base_rev: str | None = None
    contents: dict[str, bytes] = Field(
        default_factory=dict,
        description="documents of the plan as they stand in a work tree, by their path in the repository; "
        "they take the place of what is committed",
    )
    settled: dict[str, Status] = Field(default_factory=dict, description="finding id: what a person has decided on it")
    severity: dict[FindingType, Severity] = Field(
        default_factory=dict, description="severity of a type in place of the usual one; advice stays advice"
    )
    limits: Limits = Limits()


class PlanCheckRequest(BaseModel):
    """`plan_check` takes one of these: a plan's text, or the path of a plan, against the index of a repository."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    repo: str | None = Field(description="a git directory, or a work tree; None where there is none to ask")
    rev: str | None = Field(description="the commit whose index is asked")
    problem: str | None = Field(default=None, description="why there is none to ask, for people")
    index: str | None = Field(default=None, description="path of the index; None tries the usual places")
    plan: str | None = Field(default=None, description="path of the plan at `plan_rev`; None where `text` is given")
    plan_rev: str | None = None
    text: str | None = Field(default=None, description="the plan itself, an issue's body for instance")
    title: str | None = Field(default=None, description="stands in for a title that `text` does not have")
    consumer_repo: str | None = Field(default=None, description="the repository that asks, to mark its own rows")
    today: date
