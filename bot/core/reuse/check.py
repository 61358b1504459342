"""From a query and an index to the verdict and its matches."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from bot.core.reuse.index import Capability, Index, same_repository
from bot.core.reuse.match import Candidate, Score, Scorer, related
from bot.core.reuse.query import MatchQuery
from schemas.plan_check_result import Alternate, CheckQuery, Match, MatchKind, PlanCheckResult, ReuseVerdict

_SHARED_WORDS = 12


@dataclass(frozen=True, slots=True)
class Options:
    """Cut-offs of a check. Raises ValueError when they contradict each other.

    A top score of at least `reuse` means reuse, of at least `extend` extend. `limit` is the number of candidates
    listed, `consumer_repo` the repository that asks, `stale_days` the age beyond which the index draws a warning.
    """

    reuse: float = 0.45
    extend: float = 0.22
    tie_window: float = 0.05
    limit: int = 10
    consumer_repo: str | None = None
    stale_days: int = 14

    def __post_init__(self) -> None:
        for name, value in (
            ("reuse threshold", self.reuse),
            ("extend threshold", self.extend),
            ("tie window", self.tie_window),
        ):
            if not 0 <= value <= 1:
                raise ValueError(f"the {name} must be between 0 and 1, not {value}")
        if self.extend > self.reuse:
            raise ValueError(f"the extend threshold ({self.extend}) is above the reuse threshold ({self.reuse})")


def plan_check(query: MatchQuery, index: Index, options: Options, today: date) -> PlanCheckResult:
    """Match `query` against `index`. Advisory: whatever is wrong with either gives verdict `new` and a reason."""
    scorer = Scorer(index, query.tokens, query.title_tokens)
    ranked = scorer.best(options.limit, options.tie_window)
    top_score = scorer.top
    verdict = _verdict(top_score, options) if ranked else ReuseVerdict.NEW
    # relations of what is too far away to act on would only add noise
    strong = [c for c in ranked if c.score.value >= options.extend] if verdict is not ReuseVerdict.NEW else []
    neighbours = related(scorer, strong)
    named = {candidate.capability.id for candidate, _ in neighbours}
    matches = [_match(c, query, options, MatchKind.DETERMINISTIC) for c in ranked if c.capability.id not in named]
    matches += [_match(c, query, options, MatchKind.RELATED, via) for c, via in neighbours]
    return PlanCheckResult(
        query=CheckQuery(source=query.source, text=query.text, workplan_id=query.workplan_id, title=query.title),
        verdict=verdict,
        top_score=top_score,
        matches=tuple(matches),
        federated_index_updated=index.updated,
        federated_index_stale_warning=index.stale_warning(today, options.stale_days),
        reuse_threshold=options.reuse,
        extend_threshold=options.extend,
        reason=_reason(query, index, found=bool(ranked)),
        warnings=query.warnings + index.warnings,
    )


def _verdict(top_score: float, options: Options) -> ReuseVerdict:
    if top_score >= options.reuse:
        return ReuseVerdict.REUSE
    return ReuseVerdict.EXTEND if top_score >= options.extend else ReuseVerdict.NEW


def _reason(query: MatchQuery, index: Index, *, found: bool) -> str | None:
    if index.problem is not None:
        return index.problem
    if not query.tokens and not query.title_tokens:
        return query.empty_reason
    return None if found else "no capability of the index shares a word with this"


def _match(candidate: Candidate, query: MatchQuery, options: Options, kind: MatchKind, via: str | None = None) -> Match:
    capability, score = candidate.capability, candidate.score
    return Match(
        id=capability.id,
        score=score.value,
        vector=capability.vector.text,
        owner=capability.owner or None,
        kind=kind,
        name=capability.name or None,
        summary=capability.summary or None,
        source_repo=capability.source_repo or None,
        path=capability.path or None,
        scored_by=score.by,
        shared=_shared_words(capability, query, score),
        via=via,
        deprecated=capability.deprecated,
        own_repository=same_repository(capability.owner or capability.source_repo, options.consumer_repo or ""),
        availability_gap=capability.vector.gap,
        consumption=capability.consumption,
        alternates=tuple(
            Alternate(source_repo=c.source_repo or None, owner=c.owner or None, path=c.path or None)
            for c in capability.alternates
        ),
    )


def _shared_words(capability: Capability, query: MatchQuery, score: Score) -> tuple[str, ...]:
    words = query.title_tokens if score.by == "title" else query.tokens
    return tuple(sorted((words or frozenset()) & capability.words)[:_SHARED_WORDS])
