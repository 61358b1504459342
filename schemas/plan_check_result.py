"""The answer of `planproof check`: does the organisation already have the capability that a plan or intent describes?

The JSON form is public and validated against `plan-check-result.schema.json`. `query`, `verdict`, `top_score`,
`matches`, `federated_index_updated` and `federated_index_stale_warning` follow the plan-check specification of
reuse-surface; everything else is optional and may be ignored by a reader.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer


class ReuseVerdict(StrEnum):
    """How relevant the best candidate is; never whether it can be used today."""

    REUSE = "reuse"
    EXTEND = "extend"
    NEW = "new"


class MatchKind(StrEnum):
    DETERMINISTIC = "deterministic"
    LLM = "llm"
    RELATED = "related"


class ReuseOutcome(StrEnum):
    """What a person did with the answer; it cannot be derived from the verdict."""

    REUSED = "reused"
    EXTENDED = "extended"
    NEW = "new"
    SKIPPED = "skipped"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class CheckQuery(_Model):
    source: Literal["workplan", "intent"]
    text: str = Field(description="the text that was matched")
    workplan_id: str | None = Field(default=None, description="the front matter id; absent for an intent")
    title: str | None = Field(default=None, description="the workplan's title, scored as a second query")

    @model_serializer(mode="wrap")
    def _without_absent_id(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = handler(self)
        if self.source == "intent":
            fields.pop("workplan_id", None)
        return fields


class Alternate(_Model):
    """Another row of the index with the same id: a copy or planning stub in a repository that does not own it."""

    source_repo: str | None = None
    owner: str | None = None
    path: str | None = None


class Match(_Model):
    id: str
    score: float = Field(ge=0, le=1, description="token Jaccard similarity, of this row itself also when it is related")
    vector: str | None = Field(default=None, description="maturity, e.g. `D4/A2/C2/R1`; null where the row has none")
    owner: str | None = None
    kind: MatchKind = MatchKind.DETERMINISTIC
    name: str | None = None
    summary: str | None = None
    source_repo: str | None = None
    path: str | None = None
    scored_by: Literal["blob", "title"] = Field(default="blob", description="which query gave the score")
    shared: tuple[str, ...] = Field(default=(), description="the words that query and row have in common, sorted")
    via: str | None = Field(default=None, description="for a related row: the candidate whose relation names it")
    deprecated: bool = False
    own_repository: bool = Field(default=False, description="the capability is owned by the asking repository itself")
    availability_gap: str | None = Field(default=None, description="why relevance is not readiness here")
    consumption: str | None = Field(default=None, description="the provider's guidance for consumers, from the index")
    alternates: tuple[Alternate, ...] = ()


class PlanCheckResult(_Model):
    query: CheckQuery
    verdict: ReuseVerdict
    top_score: float = Field(ge=0, le=1, description="the numeric maximum; a tie on maturity may put another row first")
    matches: tuple[Match, ...] = ()
    federated_index_updated: str | None = None
    federated_index_stale_warning: str | None = None
    reuse_threshold: float = Field(default=0.45, ge=0, le=1)
    extend_threshold: float = Field(default=0.22, ge=0, le=1)
    reason: str | None = Field(default=None, description="why there was nothing to compare, for a verdict `new`")
    warnings: tuple[str, ...] = Field(default=(), description="what was odd in the index or the plan")

    @property
    def top(self) -> Match | None:
        """The match to act on: the first candidate when the verdict is reuse or extend."""
        if self.verdict is ReuseVerdict.NEW:
            return None
        return next((m for m in self.matches if m.kind is MatchKind.DETERMINISTIC), None)


class ReuseEvent(_Model):
    """One line of `registry/telemetry/plan-check-events.jsonl`, the shape that is also posted as a reuse event."""

    ts: str = Field(description="UTC, e.g. `2026-07-07T10:00:00Z`")
    consumer_repo: str
    capability_id: str | None = Field(description="null for the verdict new")
    verdict: ReuseVerdict
    outcome: ReuseOutcome
    source: Literal["plan-check"] = "plan-check"
