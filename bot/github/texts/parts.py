"""Parts that the comment and the check run share: one plan with its table, and what is folded below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.github import findings
from bot.github.findings import Place
from bot.github.markdown import (
    and_more,
    code,
    commit_link,
    fold,
    joined,
    listed,
    prose,
    table,
)
from bot.github.texts.words import MAX_ROWS, amount, plan_link, why
from schemas.verify_report import Finding, Severity, Status, Verdict, VerifyReport

MAX_NOTES = 50
MAX_READS = 30
MAX_READ_ROWS = 300


def plan_block(place: Place, report: VerifyReport) -> str:
    """One plan: what it is and what it was judged on, then its table."""
    facts = [plan_link(place, report)]
    if report.plan.tasks:
        facts.append(amount(report.plan.tasks, "task"))
    if report.verdict is Verdict.RETROACTIVE:
        facts.append(f"not judged: {why(report)}" if report.reason else "not judged: its work is in the tree already")
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
        blocks.append(fold(f"{amount(more, 'more finding')}", findings.rows(place, report, report.gating[MAX_ROWS:])))
    return "\n\n".join(blocks)


def folds(
    place: Place, reports: Sequence[VerifyReport], sources: Mapping[str, str], problems: Sequence[str]
) -> list[str]:
    return [fold(summary, body) for summary, body in details(place, reports, sources, problems)]


def details(
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
        gate = "does not gate" if len(lines) == 1 else "do not gate"
        parts.append((f"{amount(len(lines), 'note')} that {gate}", listed(lines, MAX_NOTES)))
    settled = [
        f"{code(f.id)} {findings.line(place, report, f)}: {f.status.value}{findings.decision(place, f)}"
        for report in reports
        for f in report.findings
        if f.status in (Status.DISMISSED, Status.REPAIRED)
    ]
    if settled:
        parts.append((f"{amount(len(settled), 'finding')} dismissed or repaired", listed(settled, MAX_NOTES)))
    if problems:
        words = f"{amount(len(problems), 'problem')} in the configuration, so the last valid one counts"
        parts.append((words, listed([prose(problem) for problem in problems], MAX_NOTES)))
    checked = [text for report in reports if (text := _checked(place, report, alone=len(reports) == 1))]
    if checked:
        parts.append(("What was checked, and what was not", "\n\n".join(checked)))
    return parts


def _note_line(place: Place, report: VerifyReport, finding: Finding) -> str:
    dot = f"{findings.DOTS[finding.severity]} " if finding.severity is not Severity.ADVICE else ""
    return f"{dot}{code(finding.id)} {findings.line(place, report, finding)}"


def _checked(place: Place, report: VerifyReport, *, alone: bool) -> str:
    if not report.checks and not report.reads:
        return ""
    ran = [_check_name(c.name) + (f" ({prose(c.reason)})" if c.reason else "") for c in report.checks if c.ran]
    skipped = [f"{_check_name(c.name)} ({prose(c.reason or 'no reason given')})" for c in report.checks if not c.ran]
    lines = [] if alone else [plan_link(place, report)]
    if ran:
        lines.append(f"- Checked: {', '.join(ran)}")
    if skipped:
        lines.append(f"- Not checked: {', '.join(skipped)}")
    lines.append(f"- {amount(report.attempts, 'attempt')}. {_reads(report)}")
    return "\n".join(lines)


def _reads(report: VerifyReport) -> str:
    model = f"{report.tokens.request + report.tokens.reads + report.tokens.output:,} tokens"
    used = model if any((report.tokens.request, report.tokens.reads, report.tokens.output)) else "no model"
    failed = [read for read in report.reads if read.outcome != "ok"]
    said = f"Read: {amount(len(report.reads) - len(failed), 'file')}, {used}"
    if failed:
        shown = joined([f"{code(read.path)} ({prose(read.outcome, 100)})" for read in failed], MAX_READS)
        said += f"; could not be read: {shown}"
    return said


def reads(reports: Sequence[VerifyReport]) -> str:
    """Every read of every plan, for where there is room: what, how much, with what outcome."""
    rows = [
        (
            code(read.path if read.lines is None else f"{read.path}:{read.lines[0]}-{read.lines[1]}"),
            f"{read.bytes:,}",
            "" if read.tokens is None else f"{read.tokens:,}",
            prose(read.outcome, 100),
        )
        for report in reports
        for read in report.reads
    ]
    if not rows:
        return ""
    shown = table(("read", "bytes", "tokens", "outcome"), rows[:MAX_READ_ROWS])
    return "\n\n".join(part for part in (shown, and_more(len(rows), MAX_READ_ROWS)) if part)


def _check_name(name: str) -> str:
    return prose(name.replace("_", " "), 80)
