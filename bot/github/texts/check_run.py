"""The check run of a head: title, summary, text, and the words for what could not be posted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bot.core.verify.outcomes import OUTCOMES, combine
from bot.github import findings
from bot.github.findings import Place
from bot.github.markdown import (
    CHECK_LIMIT,
    COMMENT_LIMIT,
    fit,
    one_line,
    plain,
    prose,
)
from bot.github.publication import Annotation, Check, Note
from bot.github.texts.parts import details, plan_block, reads
from bot.github.texts.plan_check import reuse_block
from bot.github.texts.sticky import nothing_green
from bot.github.texts.words import (
    AGAIN,
    RE_RUN,
    REST_IN_COMMENT,
    TITLE_LIMIT,
    amount,
    capital,
    named,
    sentence_part,
    to_settle,
    why,
)
from schemas.plan_check_result import PlanCheckResult
from schemas.repo_config import CONFIG_PATH
from schemas.verify_report import Status, Verdict, VerifyReport

NO_PLAN_TITLE = "No plan in this {}"
CANCELLED_TITLE = "A newer commit is judged instead"
CLOSED_TITLE = "The pull request was closed"
STOPPED_TITLE = "Stopped by `/plan cancel`"
UNJUDGED_TITLE = "Not judged"
STILL_NO_DRAFT = (
    "Converting to a draft was asked for by `draft: true`, and GitHub did not do it; the label and this check say the"
    " same"
)


def check(
    place: Place,
    reports: Sequence[VerifyReport],
    plan_check: PlanCheckResult | None,
    *,
    sources: Mapping[str, str] | None = None,
    config_problems: Sequence[str] = (),
    config_errors: Sequence[tuple[int, str]] | None = None,
    config_notes: Sequence[tuple[int, str]] = (),
) -> Check:
    """The check run of the head: the same facts as the comment, nothing folded, and annotations on the plan's lines.

    `config_errors` are (line, message) pairs of a configuration file that the commit itself changes; None where it
    changes none. `config_notes` are of the same kind, and no errors.
    """
    verdict = combine(report.verdict for report in reports)
    judged = [report for report in reports if report.verdict is not Verdict.NOT_A_PLAN]
    blocks: list[str] = []
    match verdict:
        case Verdict.NEEDS_FIX:
            title = f"{to_settle(judged)} before work starts"
            if not place.gates:
                blocks = ["Advice here: by `gate` in the configuration these findings do not fail the check."]
        case Verdict.NOT_VERIFIED:
            failed = [report for report in judged if report.verdict is Verdict.NOT_VERIFIED]
            which = "this plan" if len(judged) == 1 else f"{len(failed)} of {len(judged)} plans"
            title = f"Could not judge {which}"
            blocks = [f"- {named(place, report)}{why(report)}" for report in failed]
            again = AGAIN if place.number is not None else RE_RUN
            blocks = ["\n".join(blocks), f"A plan that was not judged is not green. After fixing it: {again}."]
        case Verdict.CLEAN:
            title = "No open finding"
        case Verdict.RETROACTIVE:
            title = "The plan describes work that is done already"
        case Verdict.NOT_A_PLAN:
            title = NO_PLAN_TITLE.format("pull request" if place.number is not None else "commit")
            blocks = ["No file here reads as a plan, so there is nothing to judge."]
    blocks += [plan_block(place, report) for report in judged if report.verdict is not Verdict.NOT_VERIFIED]
    blocks += reuse_block(plan_check)
    if any(finding.status is Status.DISMISSED for report in judged for finding in report.findings):
        blocks.append("The annotations of dismissed findings stay on this commit: GitHub takes none away.")
    parts = details(place, judged, sources or {}, config_problems)
    if table := reads(judged):
        parts.append(("Every read", table))
    text = "\n\n".join(f"### {name}\n\n{body}" for name, body in parts)
    run = f"run {one_line(place.run, 40)}"
    conclusion = OUTCOMES[verdict].conclusion
    if conclusion == "failure" and not place.gates:
        conclusion = "neutral"
    made = Check(
        conclusion=conclusion,
        title=plain(title, TITLE_LIMIT),
        summary=fit("\n\n".join(blocks), "" if text else run, CHECK_LIMIT, REST_IN_COMMENT),
        text=fit(text, run, CHECK_LIMIT, REST_IN_COMMENT) if text else "",
        annotations=findings.annotated(judged),
    )
    if config_errors is None:
        return made
    return with_config(made, config_errors, config_notes, run, alone=verdict is Verdict.NOT_A_PLAN)


def with_config(
    made: Check, errors: Sequence[tuple[int, str]], notes: Sequence[tuple[int, str]], run: str, *, alone: bool
) -> Check:
    """The check run of a commit that changes the configuration: with errors in it, it fails, whatever the plans are
    worth. `alone`: there is no plan beside it."""
    if not errors:
        said = f"`{CONFIG_PATH}` as it stands here is valid; it counts once it is on the default branch."
        whole = "\n\n".join(part for part in (said, _lines(notes), made.summary) if part)
        return replace(made, summary=fit(whole, "", CHECK_LIMIT, REST_IN_COMMENT))
    title = f"{amount(len(errors), 'error')} in {CONFIG_PATH}"
    listed = _lines([*errors, *notes])
    block = f"`{CONFIG_PATH}` is not valid here; until it is mended the last valid one counts.\n\n{listed}"
    marks = tuple(
        Annotation(CONFIG_PATH, line, line, "failure", "configuration", plain(message, 2_000))
        for line, message in errors
    )
    return replace(
        made,
        conclusion="action_required" if made.conclusion == "action_required" else "failure",
        title=plain(title if alone else f"{title}; {made.title}", TITLE_LIMIT),
        summary=fit(block, run, CHECK_LIMIT, REST_IN_COMMENT)
        if alone
        else fit(f"{block}\n\n{made.summary}", "", CHECK_LIMIT, REST_IN_COMMENT),
        annotations=(*marks, *made.annotations),
    )


def _lines(remarks: Sequence[tuple[int, str]]) -> str:
    return "\n".join(f"- line {line}: {prose(message)}" for line, message in remarks)


def failed_check(place: Place, reason: str, again: str = AGAIN) -> Check:
    """The check run where nothing could be judged: never green, nor a conclusion that satisfies a required check.
    `again` says how it is asked for once more."""
    said = prose(sentence_part(reason))
    summary = f"{capital(said)}.\n\n{nothing_green(again)}"
    return Check(
        conclusion=OUTCOMES[Verdict.NOT_VERIFIED].conclusion,
        title=plain(f"Could not judge the plan: {one_line(reason, 120)}", TITLE_LIMIT),
        summary=fit(summary, f"run {one_line(place.run, 40)}", CHECK_LIMIT, REST_IN_COMMENT),
    )


def with_problems(made: Check, problems: Iterable[str], *, permission: bool) -> Check:
    """The check run once it is known that something else could not be posted; `problems` are ready Markdown.

    A missing permission is something that an owner has to act on, whatever the verdict.
    """
    listed = list(problems)
    lines = "\n".join(f"- {problem}" for problem in listed)
    body = f"Not posted:\n\n{lines}\n\n{made.summary}"
    return replace(
        made,
        conclusion="action_required" if permission else made.conclusion,
        title=plain(f"{made.title}; not everything could be posted", TITLE_LIMIT),
        summary=fit(body, "", CHECK_LIMIT, REST_IN_COMMENT),
    )


def not_posted(what: str, permission: str, url: str) -> str:
    """One line of `with_problems`; `what` is ours."""
    return (
        f"{what} needs the App's permission *{prose(permission)}*, which was not granted: [review permissions]({url})"
    )


def not_taken(what: str, reason: str) -> str:
    """One line of `with_problems` where GitHub refused for another reason, such as a locked conversation."""
    return f"{what} was refused: {prose(reason)}"


def without_check(note: Note, problem: str) -> str:
    """The body of the sticky comment once it is known that the check run could not be written; `problem` is ready
    Markdown."""
    whole = "\n\n".join([*note.blocks[:1], f"{problem}.", *note.blocks[1:]])
    return fit(whole, note.footer, COMMENT_LIMIT, "`planproof verify` prints all of it.")


def stopped(title: str) -> tuple[str, str]:
    """Title and summary of a check run that is cancelled."""
    return title, f"{title}, so nothing is said about this commit."
