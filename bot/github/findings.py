"""A finding as readers see it: where in the plan, what it disagrees with, what was read, with links at the commit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.github.markdown import and_more, blob_url, code, fenced, link, one_line, plain, prose, table
from bot.github.publication import Annotation
from schemas.repo_config import LABEL
from schemas.verify_report import Edit, Evidence, Finding, FindingType, Severity, Status, VerifyReport

DOTS = {Severity.BLOCKER: "🔴", Severity.MAJOR: "🟠", Severity.MINOR: "🟡", Severity.ADVICE: "⚪"}
MAX_EVIDENCE = 3
MAX_QUOTE = 72
"""Characters of a quoted line; a table has to stay within a page, and the link leads to the rest."""
MAX_ANNOTATIONS = 250
"""Five requests' worth; more would only hide the first ones."""
ANNOTATION_MESSAGE = 8_000
ANNOTATION_TITLE = 255

# for these the suggestion is a path of the judged tree
_SUGGESTS_A_PATH = frozenset({FindingType.MISSING_PATH, FindingType.IGNORES_EXISTING_CODE})


@dataclass(frozen=True)
class Place:
    """Where all of it is: the repository's page, the judged head, the pull request or issue, the run that says it; and
    what holds there: the label's name, whether open findings fail the check, what was decided on findings (document
    and id → who and why, plain text)."""

    web: str
    head: str
    run: str
    number: int | None = None
    label: str = LABEL
    gates: bool = True
    decided: Mapping[tuple[str, str], str] = field(default_factory=dict)


def notes(report: VerifyReport) -> tuple[Finding, ...]:
    """Open findings that do not gate."""
    return tuple(f for f in report.findings if not f.gating and f.status in (Status.OPEN, Status.DISPUTED))


def rows(place: Place, report: VerifyReport, found: Iterable[Finding]) -> str:
    """The table of findings."""
    return table(
        ("", "plan", "disagrees with", "evidence"),
        (
            (
                f"{DOTS[f.severity]} {code(f.id)}",
                where(place, f),
                disagreement(place, report, f),
                evidence(place, report, f),
            )
            for f in found
        ),
    )


def line(place: Place, report: VerifyReport, finding: Finding) -> str:
    """The same as `rows`, for a list."""
    shown = evidence(place, report, finding)
    return f"{where(place, finding)}: {disagreement(place, report, finding)}" + (f" ({shown})" if shown else "")


def where(place: Place, finding: Finding) -> str:
    """`Task 3, line 47: subject`, the line linked at the head."""
    number, last = finding.plan_line, finding.plan_end_line
    label = f"line {number}" if last <= number else f"lines {number}-{last}"
    url = blob_url(place.web, place.head, finding.plan_path, number, last)
    task = f"{prose(finding.task, 80)}, " if finding.task else ""
    said = ""
    if finding.status is Status.DISPUTED:
        said = f" (disputed{decision(place, finding)})"
    return f"{task}{link(label, url)}: {code(finding.subject)}{said}"


def decision(place: Place, finding: Finding) -> str:
    """` by …: why`, nothing where nobody is known to have decided."""
    # two plans may hold the same line
    who = place.decided.get((finding.plan_path, finding.id))
    return f" {prose(who)}" if who else ""


def disagreement(place: Place, report: VerifyReport, finding: Finding) -> str:
    said = prose(finding.message)
    if not finding.suggestion or finding.suggestion == finding.subject:
        return said
    if finding.type in _SUGGESTS_A_PATH:
        url = blob_url(place.web, report.tree.rev or "", finding.suggestion)
        return f"{said}; nearest: {link(code(finding.suggestion), url)}"
    return f"{said}; suggested: {code(finding.suggestion)}"


def evidence(place: Place, report: VerifyReport, finding: Finding) -> str:
    """What was read, each linked at the commit it was read at; a path that the suggestion links is not said twice."""
    read = [e for e in finding.evidence if e.absent or e.line is not None or not _is_suggestion(finding, e)]
    shown = [_read(place, report, each) for each in read[:MAX_EVIDENCE]]
    rest = and_more(len(read), MAX_EVIDENCE)
    return ", ".join([*shown, *([rest] if rest else [])])


def _is_suggestion(finding: Finding, each: Evidence) -> bool:
    return each.path == finding.suggestion != finding.subject and finding.type in _SUGGESTS_A_PATH


def _read(place: Place, report: VerifyReport, each: Evidence) -> str:
    if each.absent:
        return f"nothing at {code(each.path)}"
    # a plan's own documents are read at the head, all else in the tree that the plan is judged on
    of_plan = each.path == report.plan.path or each.path in report.plan.files
    sha = place.head if of_plan or report.tree.rev is None else report.tree.rev
    label = code(each.path if each.line is None else f"{each.path}:{each.line}")
    quote = f" {code(each.quote, MAX_QUOTE)}" if each.quote else ""
    return f"{link(label, blob_url(place.web, sha, each.path, each.line))}{quote}"


# ---- the patch ---------------------------------------------------------------------------------
def patch(found: Sequence[Finding], sources: Mapping[str, str]) -> str:
    """The mechanical edits of `found` as one fenced diff; whole lines where `sources` holds the document's text."""
    hunks: list[str] = []
    previous = ""
    for edit in sorted(
        (f.edit for f in found if f.edit is not None), key=lambda edit: (edit.path, edit.start, edit.end, edit.old)
    ):
        if edit.path != previous:
            name = one_line(edit.path, 400)
            hunks += [f"--- a/{name}", f"+++ b/{name}"]
            previous = edit.path
        hunks += _hunk(edit, sources.get(edit.path))
    return fenced("\n".join(hunks), "diff")


def _hunk(edit: Edit, source: str | None) -> list[str]:
    old, new = edit.old, edit.new
    # without the whole lines it is no patch that a tool could apply, and must not look like one
    head = f"@@ line {edit.start} @@"
    if source is not None:
        there = "\n".join(source.replace("\r\n", "\n").split("\n")[edit.start - 1 : edit.end])
        if there.count(old) == 1:
            old, new = there, there.replace(old, new)
            head = f"@@ -{edit.start},{_lines(old)} +{edit.start},{_lines(new)} @@"
    before, after = old.split("\n"), new.split("\n") if new else []
    return [head, *(f"-{text}" for text in before), *(f"+{text}" for text in after)]


def _lines(text: str) -> int:
    return text.count("\n") + 1 if text else 0


# ---- annotations -------------------------------------------------------------------------------
def annotated(reports: Iterable[VerifyReport]) -> tuple[Annotation, ...]:
    """Open findings on the plan's lines, gating ones first, at most `MAX_ANNOTATIONS`."""
    found = [f for report in reports for f in (*report.gating, *notes(report))]
    found.sort(key=lambda f: not f.gating)
    return tuple(_annotation(f) for f in found[:MAX_ANNOTATIONS])


def _annotation(finding: Finding) -> Annotation:
    task = f"{finding.task}: " if finding.task else ""
    lines = [f"{finding.subject}: {finding.message}"]
    if finding.suggestion:
        lines.append(f"Suggested: {finding.suggestion}")
    for each in finding.evidence[:MAX_EVIDENCE]:
        at = each.path if each.line is None else f"{each.path}:{each.line}"
        lines.append(f"Nothing at {at}" if each.absent else f"Read {at}" + (f": {each.quote}" if each.quote else ""))
    return Annotation(
        path=finding.plan_path,
        start_line=finding.plan_line,
        end_line=max(finding.plan_line, finding.plan_end_line),
        annotation_level="failure" if finding.gating else "warning",
        title=plain(one_line(f"{task}{finding.type.value.replace('_', ' ')}", 200), ANNOTATION_TITLE),
        message=plain("\n".join(one_line(text, 1_000) for text in lines), ANNOTATION_MESSAGE),
    )
