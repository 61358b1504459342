"""What the reports on golden cases are worth: which known defects were found, and what was accused falsely.

Found is a defect by a finding of its type whose lines overlap the defect's; where the defect is a blocker or major, the
finding must be one too. One finding finds one defect. Every other blocker or major finding is a false accusation,
unless it points at a defect that another one found already; every one on the repaired plan is. So precision is found
over found and false: to say the same twice neither helps nor harms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.core.verify.evaluation.cases import BLOCKS, MAX_LINES, Case, Defect
from bot.core.verify.evaluation.trial import Trial
from schemas.verify_report import Finding, Severity, Verdict, VerifyReport

_HARD = frozenset({Severity.BLOCKER, Severity.MAJOR})


@dataclass(frozen=True, slots=True)
class Missed:
    """`instead`: what the report says near by or of that type, for people; empty where it says nothing."""

    case: Case
    defect: Defect
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A finding that meets no defect, in the plan as it is or after its repair."""

    case: Case
    finding: Finding
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A case that proves nothing, because its plan was not judged."""

    case: Case
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one case. `false` are blocker and major findings, `notes` the others that meet no defect."""

    case: Case
    found: tuple[Defect, ...]
    missed: tuple[Missed, ...]
    false: tuple[Unmatched, ...]
    notes: tuple[Unmatched, ...]
    unjudged: tuple[Unjudged, ...]
    tokens: int = 0


def is_hard(severity: Severity) -> bool:
    """Blocker and major: what recall and precision are about."""
    return severity in _HARD


def compare(case: Case, trial: Trial) -> Outcome:
    """Holds the reports against what is known of the case."""
    findings = trial.report.findings
    pairs = _pair(case.defects, findings)
    taken = set(pairs.values())
    found = tuple(defect for number, defect in enumerate(case.defects) if number in pairs)
    missed = tuple(
        Missed(case, defect, _instead(defect, findings))
        for number, defect in enumerate(case.defects)
        if number not in pairs
    )
    rest = [
        Unmatched(case, finding)
        for number, finding in enumerate(findings)
        if number not in taken and not any(_finds(finding, defect) for defect in case.defects)
    ]
    after = trial.repaired.findings if trial.repaired is not None else ()
    rest += [Unmatched(case, finding, repaired=True) for finding in after if is_hard(finding.severity)]
    return Outcome(
        case=case,
        found=found,
        missed=missed,
        false=tuple(each for each in rest if is_hard(each.finding.severity)),
        notes=tuple(each for each in rest if not is_hard(each.finding.severity)),
        unjudged=tuple(Unjudged(case, reason) for reason in _unjudged(case, trial)),
        tokens=sum(_tokens(report) for report in (trial.report, trial.repaired) if report is not None),
    )


def _finds(finding: Finding, defect: Defect) -> bool:
    """Whether `finding` points at `defect`, and stops the plan exactly where the defect should."""
    same = finding.type is defect.type and is_hard(finding.severity) == is_hard(defect.severity)
    return same and _on(finding, defect)


def _on(finding: Finding, defect: Defect) -> bool:
    return overlaps(finding, defect.path, defect.first, defect.last)


def overlaps(finding: Finding, path: str, first: int, last: int) -> bool:
    """Whether a finding points into lines `first` to `last` of the document `path`."""
    end = finding.plan_end_line
    if finding.type not in BLOCKS:
        # whoever points at half the plan has pointed at nothing; a reader starts at the first line
        end = min(end, finding.plan_line + MAX_LINES - 1)
    return finding.plan_path == path and finding.plan_line <= last and first <= end


def _pair(defects: Sequence[Defect], findings: Sequence[Finding]) -> dict[int, int]:
    """Defect → the finding that finds it, by index; as many pairs as there can be, each finding in one only."""
    options = [[n for n, finding in enumerate(findings) if _finds(finding, defect)] for defect in defects]
    owner: dict[int, int] = {}

    def place(defect: int, tried: set[int]) -> bool:
        for finding in options[defect]:
            if finding in tried:
                continue
            tried.add(finding)
            if finding not in owner or place(owner[finding], tried):
                owner[finding] = defect
                return True
        return False

    for number in range(len(defects)):
        place(number, set())
    return {defect: finding for finding, defect in owner.items()}


def _instead(defect: Defect, findings: Sequence[Finding]) -> str:
    """The findings that came nearest to a defect that none found, in words."""
    here = [f for f in findings if _on(f, defect)]
    near = here or [f for f in findings if f.type is defect.type and f.plan_path == defect.path]
    said = [f"{f.severity} {f.type}" + ("" if here else f" in line {f.plan_line}") for f in near]
    return f"there is {', '.join(dict.fromkeys(said[:3]))}" if said else ""


def _unjudged(case: Case, trial: Trial) -> Iterable[str]:
    expected = (case.verdict,) if case.verdict is not None else (Verdict.CLEAN, Verdict.NEEDS_FIX)
    for report, what in ((trial.report, "the plan"), (trial.repaired, "the repaired plan")):
        if report is not None and report.verdict not in expected:
            yield f"{what} is {report.verdict}" + (f" ({report.reason})" if report.reason else "")


def _tokens(report: VerifyReport) -> int:
    return report.tokens.request + report.tokens.reads + report.tokens.output
