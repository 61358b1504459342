"""A verify report as aligned text and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from bot.core.verify.outcomes import combine
from bot.terminal.render.safe import code, prose, visible
from schemas.verify_report import CheckRecord, Evidence, Finding, Severity, Status, Verdict, VerifyReport

_STYLES = {Severity.BLOCKER: "bold red", Severity.MAJOR: "yellow", Severity.MINOR: "cyan", Severity.ADVICE: "dim"}
_DOTS = {Severity.BLOCKER: "🔴", Severity.MAJOR: "🟠", Severity.MINOR: "🟡", Severity.ADVICE: "⚪"}
_VERDICT_STYLES = {Verdict.CLEAN: "bold green", Verdict.NEEDS_FIX: "bold red", Verdict.NOT_VERIFIED: "bold yellow"}
_SHORT_REV = 7
# the record that says how the judged tree was chosen; not a check
_TREE = "tree"


def headline(report: VerifyReport) -> str:
    """The outcome in one line, without the plan's name."""
    match report.verdict:
        case Verdict.NEEDS_FIX:
            return f"{_count(len(report.gating), 'finding')} to settle before work starts"
        case Verdict.CLEAN:
            notes = len(_notes(report))
            return "nothing in this plan disagrees with the tree" + (
                f"; {_count(notes, 'note')} that {'does' if notes == 1 else 'do'} not gate" if notes else ""
            )
        case Verdict.NOT_VERIFIED:
            return f"could not judge this plan: {report.reason or 'no reason given'}"
        case Verdict.RETROACTIVE:
            return f"not judged: {report.reason or 'most of what it plans is there already'}"
        case Verdict.NOT_A_PLAN:
            return f"not a plan: {report.reason or 'no tasks to judge'}"


def facts(report: VerifyReport) -> str:
    """What was judged, on what, and in which time."""
    parts = []
    if report.plan.tasks:
        parts.append(_count(report.plan.tasks, "task"))
    if report.plan.format and report.verdict is not Verdict.NOT_A_PLAN:
        parts.append(report.plan.format)
    if report.tree.rev:
        parts.append(f"judged on {report.tree.rev[:_SHORT_REV]}")
    elif report.findings or report.checks:
        parts.append("judged on an empty tree")
    parts.append(f"{report.seconds:.2f} s")
    return ", ".join(parts)


def next_step(reports: Sequence[VerifyReport]) -> str:
    """What a person does now, in one line."""
    verdict = combine(report.verdict for report in reports)
    if verdict is Verdict.NOT_VERIFIED:
        report = next(r for r in reports if r.verdict is Verdict.NOT_VERIFIED)
        return (
            f"Next: settle the reason given for {visible(report.plan.path)}, then run this again; nothing is green yet."
        )
    if verdict is Verdict.NEEDS_FIX:
        finding = next(f for r in reports for f in r.gating)
        return (
            f"Next: edit the plan at {_place(finding)} and run this again; "
            f"--ignore {finding.id} passes over a finding that is wrong."
        )
    if verdict is Verdict.CLEAN:
        return "Next: the work can start."
    if verdict is Verdict.RETROACTIVE:
        return "Next: nothing to do; the work is there already."
    return "Next: name a file with tasks, or a folder of plans."


def to_terminal(report: VerifyReport, console: Console) -> None:
    """Print one report: a line a finding that starts with `path:line`, its ground below it."""
    path = visible(report.plan.path)
    console.print(
        Text.assemble((path, "bold"), "  ", (visible(headline(report)), _VERDICT_STYLES.get(report.verdict, "bold"))),
        soft_wrap=True,
    )
    console.print(Text(f"  {facts(report)}", style="dim"), soft_wrap=True)
    if why := _why_this_tree(report):
        console.print(Text(f"  {visible(why)}", style="dim"), soft_wrap=True)
    for finding in (*report.gating, *_notes(report)):
        console.print()
        _finding(finding, console)
    skipped = [check for check in report.checks if not check.ran or _partly(check)]
    if skipped:
        console.print()
    for check in skipped:
        console.print(Text(f"  not checked: {_record(check)}", style="dim"), soft_wrap=True)


def to_markdown(report: VerifyReport) -> str:
    """The report as Markdown, ending in a line feed; text of the plan and the tree is escaped."""
    lines = [f"**Planproof: {prose(headline(report))}**", "", f"{code(report.plan.path)}, {facts(report)}"]
    gating = report.gating
    if gating:
        lines += ["", "| | plan | disagrees with | evidence |", "|---|---|---|---|"]
        lines += [_row(finding) for finding in gating]
    notes = _notes(report)
    if notes:
        lines += ["", "Notes that do not gate:", ""]
        lines += [f"- {_DOTS[f.severity]} {_where(f)}: {prose(_message(f))}{_state(f)} {code(f.id)}" for f in notes]
    if report.checks:
        ran = [check.name for check in report.checks if check.ran and check.name != _TREE]
        lines += ["", f"Checked: {', '.join(prose(name) for name in ran) or 'nothing'}."]
        lines += [f"Not checked: {prose(_record(check))}." for check in report.checks if not check.ran]
        lines += [f"Not all: {prose(_record(check))}." for check in report.checks if _partly(check)]
        if why := _why_this_tree(report):
            lines.append(f"Tree: {prose(why)}.")
    return "\n".join(lines) + "\n"


def _finding(finding: Finding, console: Console) -> None:
    style = _STYLES[finding.severity] if finding.status in (Status.OPEN, Status.DISPUTED) else "dim"
    head = Text.assemble("  ", _place(finding), "  ", (finding.severity.value, style), "  ", finding.type.value)
    if finding.task:
        head.append(f"  {visible(finding.task, 80)}")
    head.append(f"  {finding.id}{_state(finding)}", style="dim")
    console.print(head, soft_wrap=True)
    message = Text(visible(_message(finding)))
    # a terminal gets hanging lines; a file keeps each fact on one line
    if console.is_terminal:
        console.print(Padding(message, (0, 0, 0, 6)))
    else:
        console.print(Text("      ").append(message), soft_wrap=True)
    for evidence in finding.evidence:
        console.print(Text(f"      {_ground(evidence)}", style="dim"), soft_wrap=True)
    if suggestion := _suggestion(finding):
        console.print(Text.assemble("      suggestion: ", (visible(suggestion), "green")), soft_wrap=True)


def _row(finding: Finding) -> str:
    evidence = "; ".join(_cell(e) for e in finding.evidence[:3])
    if suggestion := _suggestion(finding):
        evidence += ("; " if evidence else "") + f"suggestion: {code(suggestion)}"
    dot, said = _DOTS[finding.severity], prose(_message(finding))
    return f"| {dot} | {_where(finding)} {code(finding.id)} | {said} | {evidence} |"


def _message(finding: Finding) -> str:
    """What disagrees, beginning with what it is about."""
    subject = finding.subject.strip()
    return finding.message if not subject or subject in finding.message else f"`{subject}`: {finding.message}"


def _suggestion(finding: Finding) -> str | None:
    """The suggestion, unless the evidence names it already."""
    return None if finding.suggestion in {evidence.path for evidence in finding.evidence} else finding.suggestion


def _why_this_tree(report: VerifyReport) -> str | None:
    return next((check.reason for check in report.checks if check.name == _TREE and check.reason), None)


def _where(finding: Finding) -> str:
    task = f"{prose(finding.task, 80)}, " if finding.task else ""
    return f"{task}{code(_place(finding))}"


def _cell(evidence: Evidence) -> str:
    quote = f" {code(evidence.quote, 120)}" if evidence.quote else ""
    return f"{'nothing at ' if evidence.absent else ''}{code(_spot(evidence))}{quote}"


def _ground(evidence: Evidence) -> str:
    quote = f"  {visible(evidence.quote, 160)}" if evidence.quote else ""
    return f"{'nothing at ' if evidence.absent else ''}{_spot(evidence)}{quote}"


def _spot(evidence: Evidence) -> str:
    return visible(evidence.path) + (f":{evidence.line}" if evidence.line else "")


def _place(finding: Finding) -> str:
    return f"{visible(finding.plan_path)}:{finding.plan_line}"


def _state(finding: Finding) -> str:
    return "" if finding.status is Status.OPEN else f" ({finding.status.value})"


def _record(check: CheckRecord) -> str:
    return visible(check.name) + (f" ({visible(check.reason)})" if check.reason else "")


def _notes(report: VerifyReport) -> tuple[Finding, ...]:
    gating = set(_ids(report.gating))
    return tuple(f for f in report.findings if f.id not in gating)


def _ids(findings: Iterable[Finding]) -> Iterable[str]:
    return (finding.id for finding in findings)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _partly(check: CheckRecord) -> bool:
    """Whether a check that ran left something out."""
    return check.ran and check.reason is not None and check.name != _TREE
