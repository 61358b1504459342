"""Every text that Planproof posts, and the publications made of them.

Plain words: the first line says the outcome, the first screen holds all that needs doing, the rest is folded. Each
path, line and commit is a link at the judged commit, and each surface ends with the run's id. A text names only
commands and buttons that work in this version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.core.verify.outcomes import OUTCOMES, LabelChange, combine
from bot.github.findings import Place
from bot.github.markdown import CHECK_LIMIT, commit_link, fit, prose
from bot.github.publication import (
    PLAN_CHECK_MARKER,
    Note,
    Publication,
    evidence_marker,
    reply_marker,
)
from bot.github.texts.check_run import check, failed_check
from bot.github.texts.frame import comment
from bot.github.texts.on_issues import evidence, evidence_settled
from bot.github.texts.plan_check import plan_check_comment
from bot.github.texts.sticky import not_verified, sticky_body
from bot.github.texts.words import QUEUE_AGAIN, RE_RUN, REST_IN_COMMENT, number_of, sentence_part
from schemas.plan_check_result import PlanCheckResult
from schemas.verify_report import Verdict, VerifyReport

__all__ = [
    "commit",
    "commit_unjudged",
    "could_not_judge",
    "group_unjudged",
    "grouped",
    "issue",
    "issue_unanswered",
    "issue_without_plan",
    "pull_request",
    "reply",
]


def pull_request(
    key: str,
    place: Place,
    reports: Sequence[VerifyReport],
    *,
    plan_check: PlanCheckResult | None = None,
    issues: Sequence[int] = (),
    introduce: bool = False,
    earlier: Sequence[VerifyReport] = (),
    earlier_head: str | None = None,
    sources: Mapping[str, str] | None = None,
    config_problems: Sequence[str] = (),
    beside: Sequence[VerifyReport] = (),
    config_errors: Sequence[tuple[int, str]] | None = None,
    config_notes: Sequence[tuple[int, str]] = (),
    skips: bool = True,
    draft: bool = False,
) -> Publication:
    """What a pull request's plans came to. `place.number` must be set.

    `issues` may get evidence; `earlier` are the reports that the sticky comment told of last, at `earlier_head`;
    `sources` maps plan documents to their text at the head, for an exact patch; `config_problems` say what is wrong
    with the repository's configuration, one line each, `config_errors` (line, message) what would be wrong with one
    that the pull request brings, and `config_notes` what would have no effect in it. `introduce` folds in what this
    is, for the first comment in a repository. `beside` are reports on other plans of the same head, of other pull
    requests: the check run is the commit's, so it speaks of them too, lest a pull request that shows less of the
    commit turn it green. Without `skips` a pull request that has nothing to judge gets no check run. `draft`: with a
    finding open it becomes a draft.
    """
    number = number_of(place)
    verdict = combine(report.verdict for report in reports)
    outcome = OUTCOMES[verdict]
    # a pull request that never held a plan may wear a label of that name for a reason of its own
    label = outcome.label if earlier or verdict is not Verdict.NOT_A_PLAN else LabelChange.KEEP
    before = replace(place, head=earlier_head or place.head)
    body = sticky_body(
        place, verdict, reports, plan_check, (before, earlier), sources or {}, config_problems, introduce=introduce
    )
    notes = [body.on(number, create=outcome.creates)]
    if verdict is Verdict.NEEDS_FIX:
        notes += [Note(n, evidence_marker(number), evidence(place, reports), True) for n in issues]
    elif verdict is not Verdict.NOT_VERIFIED:
        notes += [Note(n, evidence_marker(number), evidence_settled(place, verdict), False) for n in issues]
    made = check(
        place,
        [*reports, *beside],
        plan_check,
        sources=sources,
        config_problems=config_problems,
        config_errors=config_errors,
        config_notes=config_notes,
    )
    return Publication(
        key,
        number,
        place.head,
        label,
        tuple(notes),
        made if skips or made.conclusion != "skipped" else None,
        label_name=place.label,
        draft=draft and verdict is Verdict.NEEDS_FIX,
    )


def commit(
    key: str,
    place: Place,
    reports: Sequence[VerifyReport],
    *,
    config_problems: Sequence[str] = (),
    config_errors: Sequence[tuple[int, str]] | None = None,
    config_notes: Sequence[tuple[int, str]] = (),
) -> Publication:
    """What the plans of a pushed commit came to: a check run, and nothing else."""
    made = check(
        place, reports, None, config_problems=config_problems, config_errors=config_errors, config_notes=config_notes
    )
    return Publication(key, None, place.head, check=made)


def grouped(key: str, place: Place, reports: Sequence[VerifyReport], group_head: str) -> Publication:
    """What the pull request of a merge group came to, on the group's commit; `place` is the pull request's. Its
    annotations stay there: in the group, lines may have moved."""
    made = check(place, reports, None)
    came = f"What pull request #{number_of(place)} came to at {commit_link(place.web, place.head)}."
    summary = fit(f"{came}\n\n{made.summary}", "", CHECK_LIMIT, REST_IN_COMMENT)
    return Publication(key, None, group_head, check=replace(made, summary=summary, annotations=(), actions=()))


def commit_unjudged(key: str, place: Place, reason: str) -> Publication:
    """A pushed commit whose plans could not be judged."""
    return Publication(key, None, place.head, check=failed_check(place, reason, RE_RUN))


def group_unjudged(key: str, place: Place, reason: str) -> Publication:
    """A merge group of whose pull request there is no verdict."""
    return Publication(key, None, place.head, check=replace(failed_check(place, reason, QUEUE_AGAIN), actions=()))


def reply(key: str, place: Place, written: str, answers: Sequence[str]) -> Publication:
    """One answer to the commands of one comment or review; `written` is its kind and id, `answers` ready Markdown."""
    number = number_of(place)
    marker = reply_marker(written)
    return Publication(
        key, number, notes=(comment(marker, place, answers, "", introduce=False).on(number, create=True),)
    )


def could_not_judge(key: str, place: Place, reason: str, *, introduce: bool = False) -> Publication:
    """Nothing could be judged at all: not fetched, not allowed, given up. `reason` is for people, without a period."""
    number = number_of(place)
    body = not_verified(place, reason, introduce=introduce)
    return Publication(
        key,
        number,
        place.head,
        LabelChange.KEEP,
        (body.on(number, create=True),),
        failed_check(place, reason),
    )


def issue(key: str, place: Place, result: PlanCheckResult, *, introduce: bool = False) -> Publication:
    """The plan check of an issue that holds a plan; always posted, `new` in one line."""
    number = number_of(place)
    body = plan_check_comment(place, result, introduce=introduce)
    return Publication(key, number, None, LabelChange.KEEP, (body.on(number, create=True),))


def issue_unanswered(key: str, place: Place, reason: str) -> Publication:
    """The plan check of an issue that could not be made; said where an answer would stand."""
    number = number_of(place)
    blocks = [f"**Planproof could not answer**: {prose(sentence_part(reason))}. `/plan check` asks again."]
    body = comment(PLAN_CHECK_MARKER, place, blocks, "", introduce=False, joined=True)
    return Publication(key, number, None, LabelChange.KEEP, (body.on(number, create=True),))


def issue_without_plan(key: str, place: Place) -> Publication:
    """An issue that held a plan and does not any more: an answer that stands there becomes one line."""
    number = number_of(place)
    blocks = ["**Planproof: this issue holds no plan any more.** Nothing is compared."]
    body = comment(PLAN_CHECK_MARKER, place, blocks, "", introduce=False, joined=True)
    return Publication(key, number, None, LabelChange.KEEP, (body.on(number, create=False),))
