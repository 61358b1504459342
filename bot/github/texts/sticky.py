"""The one comment on a pull request, by verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.commands import DISMISS, DISPUTE
from bot.core.verify.outcomes import OUTCOMES
from bot.github import findings
from bot.github.findings import Place
from bot.github.markdown import (
    commit_link,
    fold,
    prose,
)
from bot.github.publication import (
    STICKY_MARKER,
)
from bot.github.texts.frame import Comment, comment
from bot.github.texts.parts import folds, plan_block
from bot.github.texts.plan_check import reuse_block
from bot.github.texts.words import AGAIN, MAX_ROWS, amount, bold, named, plan_link, sentence_part, to_settle, why
from schemas.plan_check_result import PlanCheckResult
from schemas.verify_report import Verdict, VerifyReport


def sticky_body(
    place: Place,
    verdict: Verdict,
    reports: Sequence[VerifyReport],
    plan_check: PlanCheckResult | None,
    earlier: tuple[Place, Sequence[VerifyReport]],
    sources: Mapping[str, str],
    problems: Sequence[str],
    *,
    introduce: bool,
) -> Comment:
    judged = [report for report in reports if report.verdict is not Verdict.NOT_A_PLAN]
    match verdict:
        case Verdict.NEEDS_FIX:
            blocks = [bold(_count_title(judged))]
            blocks += [plan_block(place, report) for report in judged]
            blocks += reuse_block(plan_check)
            blocks += folds(place, judged, sources, problems)
            ending = _objection(judged)
        case Verdict.NOT_VERIFIED:
            return not_verified_plans(place, judged, plan_check, sources, problems, introduce=introduce)
        case Verdict.CLEAN:
            blocks = [_settled_line(place, earlier[1])]
            blocks += [plan_block(place, report) for report in judged]
            blocks += reuse_block(plan_check)
            blocks += _earlier_fold(*earlier)
            blocks += folds(place, judged, sources, problems)
            ending = ""
        case Verdict.RETROACTIVE:
            names = ", ".join(plan_link(place, report) for report in judged)
            reason = f" ({prose(sentence_part(judged[0].reason))})" if len(judged) == 1 and judged[0].reason else ""
            describes = "describe" if len(judged) > 1 else "describes"
            blocks = [f"**Planproof: nothing to judge.** {names} {describes} work that the tree holds already{reason}."]
            ending = ""
        case Verdict.NOT_A_PLAN:
            blocks, ending = ["**Planproof: this pull request holds no plan any more.** Nothing is judged."], ""
    return comment(STICKY_MARKER, place, blocks, ending, introduce=introduce, joined=OUTCOMES[verdict].one_line)


def not_verified(place: Place, reason: str, *, introduce: bool = False) -> Comment:
    """The sticky comment where not even a report exists."""
    blocks = [f"**Planproof could not judge this plan**: {prose(sentence_part(reason))}."]
    return comment(STICKY_MARKER, place, blocks, nothing_green(), introduce=introduce)


def not_verified_plans(
    place: Place,
    reports: Sequence[VerifyReport],
    plan_check: PlanCheckResult | None,
    sources: Mapping[str, str],
    problems: Sequence[str],
    *,
    introduce: bool,
) -> Comment:
    failed = [report for report in reports if report.verdict is Verdict.NOT_VERIFIED]
    others = [report for report in reports if report.verdict is not Verdict.NOT_VERIFIED]
    if len(reports) == 1:
        blocks = [f"**Planproof could not judge this plan**: {named(place, failed[0])}{why(failed[0])}."]
    else:
        blocks = [bold(f"Planproof could not judge {len(failed)} of {len(reports)} plans")]
        blocks.append("\n".join(f"- {named(place, report)}{why(report)}" for report in failed))
        blocks += [plan_block(place, report) for report in others]
    blocks += reuse_block(plan_check)
    blocks += folds(place, others, sources, problems)
    ending = nothing_green() if not others else f"A plan that was not judged is not green. After fixing it: {AGAIN}."
    return comment(STICKY_MARKER, place, blocks, ending, introduce=introduce)


def nothing_green(again: str = AGAIN) -> str:
    return f"Nothing was checked, so nothing is green. After fixing it: {again}."


def _objection(reports: Sequence[VerifyReport]) -> str:
    """How to object to a finding, with the id of the first as the example."""
    example = next(f.id for report in reports for f in report.gating)
    return (
        f"Wrong for this plan? `{DISMISS.spoken} {example} why` ({DISMISS.access.value}) or"
        f" `{DISPUTE.spoken} {example} why` ({DISPUTE.access.value}). Each push is judged again."
    )


def _count_title(reports: Sequence[VerifyReport]) -> str:
    return f"Planproof: {to_settle(reports)} before work starts"


def _settled_line(place: Place, earlier: Sequence[VerifyReport]) -> str:
    count = sum(len(report.gating) for report in earlier)
    at = commit_link(place.web, place.head)
    if not count:
        return f"**Planproof: settled.** No open finding at {at}."
    return f"**Planproof: settled.** {amount(count, 'finding')}, {'all ' if count > 1 else ''}settled in {at}."


def _earlier_fold(place: Place, earlier: Sequence[VerifyReport]) -> list[str]:
    """The table that the comment held before, so that what was settled can still be read."""
    tables = [findings.rows(place, report, report.gating[:MAX_ROWS]) for report in earlier if report.gating]
    return [fold("What was settled", "\n\n".join(tables))] if tables else []
