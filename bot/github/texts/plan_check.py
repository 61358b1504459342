"""Whether the organisation has the capability already: a comment on an issue, a paragraph in another."""

from __future__ import annotations

from bot.core.reuse.markdown import score_text
from bot.github.findings import Place
from bot.github.markdown import (
    code,
    fold,
    prose,
)
from bot.github.publication import (
    PLAN_CHECK_MARKER,
)
from bot.github.texts.frame import Comment, comment
from bot.github.texts.words import amount, capital, sentence_part, stop
from schemas.plan_check_result import Match, MatchKind, PlanCheckResult, ReuseVerdict


def plan_check_comment(place: Place, result: PlanCheckResult, *, introduce: bool = False) -> Comment:
    """Whether the organisation has the capability already; advice, on an issue."""
    top = result.top
    if top is None:
        blocks = [new_line(result)]
        return comment(PLAN_CHECK_MARKER, place, blocks, "This is advice.", introduce=introduce, joined=True)
    blocks = [f"**Planproof: {_reuse_title(result)}**", *_reuse_lines(top, result), *_candidates(top, result)]
    return comment(PLAN_CHECK_MARKER, place, blocks, "This is advice; nothing is held back.", introduce=introduce)


def new_line(result: PlanCheckResult) -> str:
    """That nothing comes close, or why that cannot be told."""
    if result.reason:
        return f"**Planproof: new as far as can be told.** {prose(capital(sentence_part(result.reason)))}."
    index = f", index of {prose(result.federated_index_updated, 40)}" if result.federated_index_updated else ""
    best = score_text(result.top_score, result)
    return f"**Planproof: new.** Nothing in the capability index comes close (best {best}{index})."


def _reuse_title(result: PlanCheckResult) -> str:
    score = score_text(result.top.score if result.top else result.top_score, result)
    if result.verdict is ReuseVerdict.REUSE:
        return f"this may exist already (reuse, {score})"
    return f"this may be part of something that exists (extend, {score})"


def _reuse_lines(top: Match, result: PlanCheckResult) -> list[str]:
    said = code(top.id)
    if owner := top.owner or top.source_repo:
        said += f" in {code(owner, 100)}"
    if top.vector:
        said += f", {prose(top.vector, 60)}"
    if top.deprecated:
        said += ", deprecated"
    if top.own_repository:
        said += ", this repository's own"
    if summary := top.summary or top.name:
        said += f": {stop(prose(summary, 400))}"
    else:
        said += "."
    if top.shared:
        said += f" Shares: {', '.join(code(word, 60) for word in top.shared)}."
    how = []
    if top.availability_gap:
        how.append(f"Availability: {stop(prose(top.availability_gap, 300))}")
    if top.consumption:
        how.append(f"To reuse it: {stop(prose(top.consumption, 600))}")
    if result.federated_index_updated:
        how.append(f"Index of {prose(result.federated_index_updated, 40)}.")
    if result.federated_index_stale_warning:
        how.append(stop(prose(capital(result.federated_index_stale_warning), 300)))
    return [said, " ".join(how)] if how else [said]


def _candidates(top: Match, result: PlanCheckResult) -> list[str]:
    others = [m for m in result.matches if m is not top and m.kind is not MatchKind.LLM][:10]
    if not others:
        return []
    lines = []
    for each in others:
        facts = [score_text(each.score, result), *([prose(each.vector, 60)] if each.vector else [])]
        facts += ["related"] if each.kind is MatchKind.RELATED else []
        facts += ["deprecated"] if each.deprecated else []
        said = f": {prose(each.summary, 200)}" if each.summary else ""
        lines.append(f"- {code(each.id)} ({', '.join(facts)}){said}")
    return [fold(amount(len(others), "other candidate"), "\n".join(lines))]


def reuse_block(result: PlanCheckResult | None) -> list[str]:
    """Within a pull request's comment: only when there is something to reuse or extend."""
    top = result.top if result is not None else None
    if result is None or top is None:
        return []
    return [f"**{capital(_reuse_title(result))}**", *_reuse_lines(top, result), *_candidates(top, result)]
