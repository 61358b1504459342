"""Every text that Planproof posts, and the publications made of them.

Plain words: the first line says the outcome, the first screen holds all that needs doing, the rest is folded. Each
path, line and commit is a link at the judged commit, and each surface ends with the run's id. Nothing names a command
that this version does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bot.core.reuse.markdown import score_text
from bot.core.verify.outcomes import OUTCOMES, LabelChange, Sticky, combine
from bot.github import findings
from bot.github.findings import Place
from bot.github.markdown import (
    CHECK_LIMIT,
    COMMENT_LIMIT,
    blob_url,
    code,
    commit_link,
    fit,
    fold,
    length,
    link,
    one_line,
    plain,
    prose,
)
from bot.github.publication import (
    CHECK_NAME,
    LABEL,
    PLAN_CHECK_MARKER,
    STICKY_MARKER,
    Check,
    Note,
    Publication,
    evidence_marker,
)
from schemas.plan_check_result import Match, MatchKind, PlanCheckResult, ReuseVerdict
from schemas.verify_report import Finding, Severity, Status, Verdict, VerifyReport

MAX_ROWS = 25
MAX_NOTES = 50
MAX_READS = 30
TITLE_LIMIT = 200
NO_PLAN_TITLE = "No plan in this pull request"
CANCELLED_TITLE = "A newer commit is judged instead"
CLOSED_TITLE = "The pull request was closed"
RUNNING_TITLE = "Reading the plan"

_REST_IN_CHECK = f"All of it stands in the check `{CHECK_NAME}`."
_REST_IN_COMMENT = "The rest stands as annotations on the plan's lines, and `planproof verify` prints all of it."
_AGAIN = f"Re-run on the check `{CHECK_NAME}`, or push"


# ---- publications ------------------------------------------------------------------------------
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
    details_url: str | None = None,
    write_skipped: bool = True,
    beside: Sequence[VerifyReport] = (),
) -> Publication:
    """What a pull request's plans came to. `place.number` must be set.

    `issues` may get evidence; `earlier` are the reports that the sticky comment told of last, at `earlier_head`;
    `sources` maps plan documents to their text at the head, for an exact patch; `config_problems` say what is wrong
    with the repository's configuration, one line each. `introduce` folds in what this is, for the first comment in a
    repository. `write_skipped` false leaves out the check run where there is no plan. `beside` are reports on other
    plans of the same head, of other pull requests: the check run is the commit's, so it speaks of them too, lest a pull
    request that shows less of the commit turn it green.
    """
    number = _number(place)
    verdict = combine(report.verdict for report in reports)
    outcome = OUTCOMES[verdict]
    before = replace(place, head=earlier_head or place.head)
    body = _sticky(
        place, verdict, reports, plan_check, (before, earlier), sources or {}, config_problems, introduce=introduce
    )
    notes = [Note(number, STICKY_MARKER, body, outcome.sticky in (Sticky.POST, Sticky.ONE_LINE))]
    if verdict is Verdict.NEEDS_FIX:
        notes += [Note(n, evidence_marker(number), evidence(place, reports), True) for n in issues]
    elif verdict is not Verdict.NOT_VERIFIED:
        notes += [Note(n, evidence_marker(number), evidence_settled(place, verdict), False) for n in issues]
    made = None
    if verdict is not Verdict.NOT_A_PLAN or write_skipped or beside:
        told = [*reports, *beside]
        made = check(place, told, plan_check, sources=sources, config_problems=config_problems, details_url=details_url)
    return Publication(key, number, place.head, outcome.label, tuple(notes), made)


def could_not_judge(key: str, place: Place, reason: str, *, introduce: bool = False) -> Publication:
    """Nothing could be judged at all: not fetched, not allowed, given up. `reason` is for people, without a period."""
    number = _number(place)
    body = not_verified(place, reason, introduce=introduce)
    return Publication(
        key,
        number,
        place.head,
        LabelChange.KEEP,
        (Note(number, STICKY_MARKER, body, True),),
        failed_check(place, reason),
    )


def pushed(key: str, place: Place, reports: Sequence[VerifyReport]) -> Publication:
    """Plans that were pushed to the default branch: a check run on the commit, and no comment."""
    return Publication(key, None, place.head, LabelChange.KEEP, (), check(place, reports, None))


def issue(key: str, place: Place, result: PlanCheckResult, *, introduce: bool = False) -> Publication:
    """The plan check of an issue that holds a plan; always posted, `new` in one line."""
    number = _number(place)
    body = plan_check_comment(place, result, introduce=introduce)
    return Publication(key, number, None, LabelChange.KEEP, (Note(number, PLAN_CHECK_MARKER, body, True),))


def issue_without_plan(key: str, place: Place) -> Publication:
    """An issue that held a plan and does not any more: an answer that stands there becomes one line."""
    number = _number(place)
    blocks = ["**Planproof: this issue holds no plan any more.** Nothing is compared."]
    body = _comment(PLAN_CHECK_MARKER, place, blocks, "", introduce=False, joined=True)
    return Publication(key, number, None, LabelChange.KEEP, (Note(number, PLAN_CHECK_MARKER, body, False),))


# ---- the sticky comment ------------------------------------------------------------------------
def _sticky(
    place: Place,
    verdict: Verdict,
    reports: Sequence[VerifyReport],
    plan_check: PlanCheckResult | None,
    earlier: tuple[Place, Sequence[VerifyReport]],
    sources: Mapping[str, str],
    problems: Sequence[str],
    *,
    introduce: bool,
) -> str:
    judged = [report for report in reports if report.verdict is not Verdict.NOT_A_PLAN]
    match verdict:
        case Verdict.NEEDS_FIX:
            blocks = [_bold(_count_title(judged))]
            blocks += [_plan_block(place, report) for report in judged]
            blocks += _reuse_block(plan_check)
            blocks += _folds(place, judged, sources, problems)
            ending = f"Each push is judged anew; Re-run on the check `{CHECK_NAME}` judges this commit again."
        case Verdict.NOT_VERIFIED:
            return not_verified_plans(place, judged, plan_check, sources, problems, introduce=introduce)
        case Verdict.CLEAN:
            blocks = [_settled_line(place, earlier[1])]
            blocks += [_plan_block(place, report) for report in judged]
            blocks += _reuse_block(plan_check)
            blocks += _earlier_fold(*earlier)
            blocks += _folds(place, judged, sources, problems)
            ending = ""
        case Verdict.RETROACTIVE:
            names = ", ".join(_plan_link(place, report) for report in judged)
            reason = f" ({prose(_sentence_part(judged[0].reason))})" if len(judged) == 1 and judged[0].reason else ""
            describes = "describe" if len(judged) > 1 else "describes"
            blocks = [f"**Planproof: nothing to judge.** {names} {describes} work that the tree holds already{reason}."]
            ending = ""
        case Verdict.NOT_A_PLAN:
            blocks, ending = ["**Planproof: this pull request holds no plan any more.** Nothing is judged."], ""
    one_line_only = verdict in (Verdict.RETROACTIVE, Verdict.NOT_A_PLAN)
    return _comment(STICKY_MARKER, place, blocks, ending, introduce=introduce, joined=one_line_only)


def not_verified(place: Place, reason: str, *, introduce: bool = False) -> str:
    """The sticky comment where not even a report exists."""
    blocks = [f"**Planproof could not judge this plan**: {prose(_sentence_part(reason))}."]
    return _comment(STICKY_MARKER, place, blocks, _nothing_green(), introduce=introduce)


def not_verified_plans(
    place: Place,
    reports: Sequence[VerifyReport],
    plan_check: PlanCheckResult | None,
    sources: Mapping[str, str],
    problems: Sequence[str],
    *,
    introduce: bool,
) -> str:
    failed = [report for report in reports if report.verdict is Verdict.NOT_VERIFIED]
    others = [report for report in reports if report.verdict is not Verdict.NOT_VERIFIED]
    if len(reports) == 1:
        blocks = [f"**Planproof could not judge this plan**: {_named(place, failed[0])}{_why(failed[0])}."]
    else:
        blocks = [_bold(f"Planproof could not judge {len(failed)} of {len(reports)} plans")]
        blocks.append("\n".join(f"- {_named(place, report)}{_why(report)}" for report in failed))
        blocks += [_plan_block(place, report) for report in others]
    blocks += _reuse_block(plan_check)
    blocks += _folds(place, others, sources, problems)
    ending = _nothing_green() if not others else f"A plan that was not judged is not green. After fixing it: {_AGAIN}."
    return _comment(STICKY_MARKER, place, blocks, ending, introduce=introduce)


def _nothing_green() -> str:
    return f"Nothing was checked, so nothing is green. After fixing it: {_AGAIN}."


def _comment(
    marker: str, place: Place, blocks: Sequence[str], ending: str, *, introduce: bool, joined: bool = False
) -> str:
    footer = " · ".join(part for part in (ending, f"run {one_line(place.run, 40)}") if part)
    if introduce:
        blocks = [*blocks, introduction(place)]
    if joined and not introduce and length(whole := f"{marker}\n{' '.join(blocks)} · {footer}") <= COMMENT_LIMIT:
        return whole
    return fit(f"{marker}\n" + "\n\n".join(blocks), footer, COMMENT_LIMIT, _REST_IN_CHECK)


def introduction(place: Place) -> str:
    """What this is, why it came and how to switch it off: folded into the first comment in a repository."""
    return fold(
        "What is this?",
        "Planproof is a GitHub App installed on this repository. It reads coding plans (files under `docs/plans`, "
        "`specs` and the like, and issues that hold one) and compares what they say with the code at one commit. It "
        f"runs nothing, and writes nothing but comments like this one, the label `{LABEL}` and the check "
        f"`{CHECK_NAME}`. It came because there is a plan here.\n\n"
        "To change what counts as a plan: `plans:` in `.github/planproof.yml`. To switch it off: remove this "
        f"repository from the App on [its page in the settings]({place.web}/settings/installations).",
    )


# ---- parts of it -------------------------------------------------------------------------------
def _count_title(reports: Sequence[VerifyReport]) -> str:
    return f"Planproof: {_to_settle(reports)} before work starts"


def _to_settle(reports: Sequence[VerifyReport]) -> str:
    count = sum(len(report.gating) for report in reports)
    concerned = sum(1 for report in reports if report.gating)
    where = f" in {concerned} plans" if concerned > 1 else ""
    return f"{_n(count, 'finding')}{where} to settle"


def _settled_line(place: Place, earlier: Sequence[VerifyReport]) -> str:
    count = sum(len(report.gating) for report in earlier)
    at = commit_link(place.web, place.head)
    if not count:
        return f"**Planproof: settled.** No open finding at {at}."
    return f"**Planproof: settled.** {_n(count, 'finding')}, {'all ' if count > 1 else ''}settled in {at}."


def _plan_block(place: Place, report: VerifyReport) -> str:
    """One plan: what it is and what it was judged on, then its table."""
    facts = [_plan_link(place, report)]
    if report.plan.tasks:
        facts.append(_n(report.plan.tasks, "task"))
    if report.verdict is Verdict.RETROACTIVE:
        facts.append(f"not judged: {_why(report)}" if report.reason else "not judged: its work is in the tree already")
        return ", ".join(facts)
    if report.tree.rev:
        saw = " (the head)" if report.tree.rev == place.head else " (the tree its author saw)"
        facts.append(f"judged on {commit_link(place.web, report.tree.rev)}{saw}")
    said = ", ".join(facts)
    if not report.gating:
        return f"{said}: no open finding" if report.verdict is Verdict.CLEAN else said
    blocks = [said, findings.rows(place, report, report.gating[:MAX_ROWS])]
    if len(report.gating) > MAX_ROWS:
        more = len(report.gating) - MAX_ROWS
        blocks.append(fold(f"{_n(more, 'more finding')}", findings.rows(place, report, report.gating[MAX_ROWS:])))
    return "\n\n".join(blocks)


def _folds(
    place: Place, reports: Sequence[VerifyReport], sources: Mapping[str, str], problems: Sequence[str]
) -> list[str]:
    return [fold(summary, body) for summary, body in _details(place, reports, sources, problems)]


def _details(
    place: Place, reports: Sequence[VerifyReport], sources: Mapping[str, str], problems: Sequence[str]
) -> list[tuple[str, str]]:
    """What is folded in the comment and stands open in the check: (summary, body) pairs."""
    parts: list[tuple[str, str]] = []
    gating = [f for report in reports for f in report.gating]
    mechanical = [f for f in gating if f.edit is not None]
    if mechanical:
        parts.append((f"Patch for {len(mechanical)} of the {len(gating)}", findings.patch(mechanical, sources)))
    lines = [_note_line(place, report, f) for report in reports for f in findings.notes(report)]
    if lines:
        more = [f"- and {len(lines) - MAX_NOTES} more"] if len(lines) > MAX_NOTES else []
        gate = "does not gate" if len(lines) == 1 else "do not gate"
        parts.append((f"{_n(len(lines), 'note')} that {gate}", "\n".join(lines[:MAX_NOTES] + more)))
    settled = [
        f"- {findings.line(place, report, f)}: {f.status.value}"
        for report in reports
        for f in report.findings
        if f.status in (Status.DISMISSED, Status.REPAIRED)
    ]
    if settled:
        parts.append((f"{_n(len(settled), 'finding')} dismissed or repaired", "\n".join(settled[:MAX_NOTES])))
    if problems:
        listed = [f"- {prose(problem)}" for problem in problems[:MAX_NOTES]]
        words = f"{_n(len(problems), 'problem')} in the configuration, so the last valid one counts"
        parts.append((words, "\n".join(listed)))
    checked = [text for report in reports if (text := _checked(place, report, alone=len(reports) == 1))]
    if checked:
        parts.append(("What was checked, and what was not", "\n\n".join(checked)))
    return parts


def _note_line(place: Place, report: VerifyReport, finding: Finding) -> str:
    dot = f"{findings.DOTS[finding.severity]} " if finding.severity is not Severity.ADVICE else ""
    return f"- {dot}{findings.line(place, report, finding)}"


def _checked(place: Place, report: VerifyReport, *, alone: bool) -> str:
    if not report.checks and not report.reads:
        return ""
    ran = [_check_name(c.name) + (f" ({prose(c.reason)})" if c.reason else "") for c in report.checks if c.ran]
    skipped = [f"{_check_name(c.name)} ({prose(c.reason or 'no reason given')})" for c in report.checks if not c.ran]
    lines = [] if alone else [_plan_link(place, report)]
    if ran:
        lines.append(f"- Checked: {', '.join(ran)}")
    if skipped:
        lines.append(f"- Not checked: {', '.join(skipped)}")
    lines.append(f"- {_reads(report)}")
    return "\n".join(lines)


def _reads(report: VerifyReport) -> str:
    model = f"{report.tokens.request + report.tokens.reads + report.tokens.output:,} tokens"
    used = model if any((report.tokens.request, report.tokens.reads, report.tokens.output)) else "no model"
    failed = [read for read in report.reads if read.outcome != "ok"]
    said = f"Read: {_n(len(report.reads) - len(failed), 'file')}, {used}"
    if failed:
        shown = ", ".join(f"{code(read.path)} ({prose(read.outcome, 100)})" for read in failed[:MAX_READS])
        said += f"; could not be read: {shown}" + (
            f" and {len(failed) - MAX_READS} more" if len(failed) > MAX_READS else ""
        )
    return said


def _check_name(name: str) -> str:
    return prose(name.replace("_", " "), 80)


def _earlier_fold(place: Place, earlier: Sequence[VerifyReport]) -> list[str]:
    """The table that the comment held before, so that what was settled can still be read."""
    tables = [findings.rows(place, report, report.gating[:MAX_ROWS]) for report in earlier if report.gating]
    return [fold("What was settled", "\n\n".join(tables))] if tables else []


# ---- evidence on the issues that the pull request closes ---------------------------------------
def evidence(place: Place, reports: Sequence[VerifyReport]) -> str:
    """The comment on an issue whose plan disagrees with the code."""
    number = _number(place)
    lines = [f"- {findings.line(place, report, f)}" for report in reports for f in report.gating]
    attempts = max((report.attempts for report in reports), default=1)
    read = sum(len(report.reads) for report in reports)
    tokens = sum(report.tokens.request + report.tokens.reads + report.tokens.output for report in reports)
    spent = f"{tokens:,} tokens" if tokens else "no model"
    rounds = f" still disagrees with the code after {_n(attempts - 1, 'repair round')}"
    title = f"**The plan for this issue (#{number}){rounds if attempts > 1 else ' disagrees with the code'}**"
    ending = (
        f"{_n(attempts, 'attempt')}, {_n(read, 'read')}, {spent}, judged at {commit_link(place.web, place.head)}. "
        f"The pull request keeps `{LABEL}` until plan and code agree; a person has to decide which of them changes."
    )
    blocks = [title, "\n".join(lines), ending]
    footer = f"run {one_line(place.run, 40)}"
    return fit(
        f"{evidence_marker(number)}\n" + "\n\n".join(blocks), footer, COMMENT_LIMIT, f"All of it stands on #{number}."
    )


def evidence_settled(place: Place, verdict: Verdict) -> str:
    """What the evidence becomes once nothing is open."""
    number = _number(place)
    if verdict is Verdict.CLEAN:
        said = f"**Settled: the plan for this issue (#{number}) agrees with the code** at"
    else:
        said = f"**Settled: the pull request (#{number}) holds no plan that is open** at"
    return f"{evidence_marker(number)}\n{said} {commit_link(place.web, place.head)}. · run {one_line(place.run, 40)}"


# ---- plan check --------------------------------------------------------------------------------
def plan_check_comment(place: Place, result: PlanCheckResult, *, introduce: bool = False) -> str:
    """Whether the organisation has the capability already; advice, on an issue."""
    top = result.top
    if top is None:
        blocks = [_new_line(result)]
        return _comment(PLAN_CHECK_MARKER, place, blocks, "This is advice.", introduce=introduce, joined=True)
    blocks = [f"**Planproof: {_reuse_title(result)}**", *_reuse_lines(top, result), *_candidates(top, result)]
    return _comment(PLAN_CHECK_MARKER, place, blocks, "This is advice; nothing is held back.", introduce=introduce)


def _new_line(result: PlanCheckResult) -> str:
    if result.reason:
        return f"**Planproof: new as far as can be told.** {prose(_capital(_sentence_part(result.reason)))}."
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
        said += f": {_stop(prose(summary, 400))}"
    else:
        said += "."
    if top.shared:
        said += f" Shares: {', '.join(code(word, 60) for word in top.shared)}."
    how = []
    if top.availability_gap:
        how.append(f"Availability: {_stop(prose(top.availability_gap, 300))}")
    if top.consumption:
        how.append(f"To reuse it: {_stop(prose(top.consumption, 600))}")
    if result.federated_index_updated:
        how.append(f"Index of {prose(result.federated_index_updated, 40)}.")
    if result.federated_index_stale_warning:
        how.append(_stop(prose(_capital(result.federated_index_stale_warning), 300)))
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
    return [fold(_n(len(others), "other candidate"), "\n".join(lines))]


def _reuse_block(result: PlanCheckResult | None) -> list[str]:
    """Within a pull request's comment: only when there is something to reuse or extend."""
    top = result.top if result is not None else None
    if result is None or top is None:
        return []
    return [f"**{_capital(_reuse_title(result))}**", *_reuse_lines(top, result), *_candidates(top, result)]


# ---- the check run -----------------------------------------------------------------------------
def check(
    place: Place,
    reports: Sequence[VerifyReport],
    plan_check: PlanCheckResult | None,
    *,
    sources: Mapping[str, str] | None = None,
    config_problems: Sequence[str] = (),
    details_url: str | None = None,
) -> Check:
    """The check run of the head: the same facts as the comment, nothing folded, and annotations on the plan's lines."""
    verdict = combine(report.verdict for report in reports)
    judged = [report for report in reports if report.verdict is not Verdict.NOT_A_PLAN]
    blocks: list[str] = []
    match verdict:
        case Verdict.NEEDS_FIX:
            title = f"{_to_settle(judged)} before work starts"
        case Verdict.NOT_VERIFIED:
            failed = [report for report in judged if report.verdict is Verdict.NOT_VERIFIED]
            which = "this plan" if len(judged) == 1 else f"{len(failed)} of {len(judged)} plans"
            title = f"Could not judge {which}"
            blocks = [f"- {_named(place, report)}{_why(report)}" for report in failed]
            blocks = ["\n".join(blocks), f"A plan that was not judged is not green. After fixing it: {_AGAIN}."]
        case Verdict.CLEAN:
            title = "No open finding"
        case Verdict.RETROACTIVE:
            title = "The plan describes work that is done already"
        case Verdict.NOT_A_PLAN:
            title = NO_PLAN_TITLE
            blocks = ["No file here reads as a plan, so there is nothing to judge."]
    blocks += [_plan_block(place, report) for report in judged if report.verdict is not Verdict.NOT_VERIFIED]
    blocks += _reuse_block(plan_check)
    details = "\n\n".join(
        f"### {name}\n\n{body}" for name, body in _details(place, judged, sources or {}, config_problems)
    )
    run = f"run {one_line(place.run, 40)}"
    return Check(
        conclusion=OUTCOMES[verdict].conclusion,
        title=plain(title, TITLE_LIMIT),
        summary=fit("\n\n".join(blocks), "" if details else run, CHECK_LIMIT, _REST_IN_COMMENT),
        text=fit(details, run, CHECK_LIMIT, _REST_IN_COMMENT) if details else "",
        annotations=findings.annotated(judged),
        details_url=details_url,
    )


def failed_check(place: Place, reason: str) -> Check:
    """The check run where nothing could be judged: never green, nor a conclusion that satisfies a required check."""
    said = prose(_sentence_part(reason))
    summary = f"{_capital(said)}.\n\n{_nothing_green()}"
    return Check(
        conclusion=OUTCOMES[Verdict.NOT_VERIFIED].conclusion,
        title=plain(f"Could not judge the plan: {one_line(reason, 120)}", TITLE_LIMIT),
        summary=fit(summary, f"run {one_line(place.run, 40)}", CHECK_LIMIT, _REST_IN_COMMENT),
    )


def with_problems(made: Check, problems: Iterable[str], *, permission: bool) -> Check:
    """The check run once it is known that something else could not be posted; `problems` are ready Markdown.

    A missing permission is something that an owner has to act on, whatever the verdict.
    """
    listed = list(problems)
    lines = "\n".join(f"- {problem}" for problem in listed)
    body = f"Not posted:\n\n{lines}\n\n{made.summary}"
    return Check(
        conclusion="action_required" if permission else made.conclusion,
        title=plain(f"{made.title}; not everything could be posted", TITLE_LIMIT),
        summary=fit(body, "", CHECK_LIMIT, _REST_IN_COMMENT),
        text=made.text,
        annotations=made.annotations,
        details_url=made.details_url,
    )


def not_posted(what: str, permission: str, url: str) -> str:
    """One line of `with_problems`; `what` is ours."""
    return (
        f"{what} needs the App's permission *{prose(permission)}*, which was not granted: [review permissions]({url})"
    )


def not_taken(what: str, reason: str) -> str:
    """One line of `with_problems` where GitHub refused for another reason, such as a locked conversation."""
    return f"{what} was refused: {prose(reason)}"


def without_check(body: str, problem: str) -> str:
    """The sticky comment once it is known that the check run could not be written; `problem` is ready Markdown."""
    first, gap, rest = body.partition("\n\n")
    if not gap:
        first, _, rest = body.rpartition(" · ")
    main, _, footer = rest.rpartition("\n\n")
    whole = "\n\n".join(part for part in (first, f"{problem}.", main) if part)
    return fit(whole, footer, COMMENT_LIMIT, "`planproof verify` prints all of it.")


def stopped(title: str) -> tuple[str, str]:
    """Title and summary of a check run that is cancelled."""
    return title, f"{title}, so nothing is said about this commit."


# ---- words -------------------------------------------------------------------------------------
def _plan_link(place: Place, report: VerifyReport) -> str:
    return link(code(report.plan.path), blob_url(place.web, place.head, report.plan.path))


def _named(place: Place, report: VerifyReport) -> str:
    """The plan and a colon; nothing where what failed concerns no plan in particular."""
    return f"{_plan_link(place, report)}: " if report.plan.path else ""


def _why(report: VerifyReport) -> str:
    return prose(_sentence_part(report.reason or "no reason was given"))


def _sentence_part(text: str | None) -> str:
    return (text or "").strip().rstrip(".")


def _stop(markdown: str) -> str:
    return markdown if markdown.endswith((".", "…", "!", "?")) else f"{markdown}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _bold(text: str) -> str:
    return f"**{text}**"


def _n(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _number(place: Place) -> int:
    if place.number is None:
        raise ValueError("this publication needs the number of an issue or pull request")
    return place.number
