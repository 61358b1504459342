"""Requirements that no task covers, and tasks that name a requirement that does not exist."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.verify.evaluation.mutate.model import Mutant, Spot, Subject
from bot.core.verify.evaluation.mutate.reading import Page
from schemas.verify_report import FindingType, Severity

_TYPE = FindingType.SCOPE_GAP
_KIRO = re.compile(r"_Requirements?:\s*(?P<ids>[\d., ]+?)\s*_")
_UNITS = re.compile(r"^\s*(?:[-*]\s+)?\*\*Requirements?(?: addressed)?:?\*\*:?\s*(?P<ids>R\d+(?:,\s*R\d+)*)\s*\.?$")
_HEADING = re.compile(r"^#{2,4}\s+.{0,20}?\b(?P<number>\d+)\b")
_CRITERION = re.compile(r"^\s*(?P<number>\d+)[.)]\s+\S")
_DELTA = re.compile(r"(?i)^##\s+ADDED Requirements\s*$")


def criterion_without_a_task(subject: Subject) -> Iterator[Mutant]:
    """The one task that named a criterion of the requirements no longer does."""
    requirements = next((page for page in subject.pages if page.path.endswith("/requirements.md")), None)
    if requirements is None or "/.kiro/" not in f"/{subject.main.path}":
        return
    criteria = _criteria(requirements)
    cited = _cited(subject, _KIRO)
    for name, places in cited.items():
        if len(places) != 1 or name not in criteria or name.partition(".")[0] in cited or "." not in name:
            continue
        if re.search(r"(?i)_Requirements?:[^_]*(?:all|\d\s*[-–]\s*\d)", subject.main.text):
            return  # a range or "all" may well cover it
        yield _dropped(
            subject, "criterion_without_a_task", name, places[0], _KIRO, [Spot(requirements.path, criteria[name])]
        )


def requirement_without_a_unit(subject: Subject) -> Iterator[Mutant]:
    """The one unit that named a requirement of the plan no longer does."""
    defined = _defined(subject)
    cited = _cited(subject, _UNITS)
    if len(set(defined) & set(cited)) * 10 < len(defined) * 9:
        return  # a plan that leaves out others as well does not mean to cite them all
    for name, places in cited.items():
        if len(places) == 1 and name in defined and not re.search(rf"\b{name}\s*[-–]\s*R?\d", subject.main.text):
            others = [n for n, line in enumerate(subject.main.lines, 1) if re.search(rf"\b{name}\b", line)]
            inside = [n for n in others if subject.part_at(n) and n != places[0]]
            if not inside:
                spot = Spot(subject.main.path, defined[name])
                yield _dropped(subject, "requirement_without_a_unit", name, places[0], _UNITS, [spot])


def names_no_requirement(subject: Subject) -> Iterator[Mutant]:
    """A task names a requirement that the documents do not have."""
    if any(page.path.endswith("/requirements.md") for page in subject.pages):
        pattern, new = _KIRO, "97.3"
    elif len(_defined(subject)) >= 2:
        pattern, new = _UNITS, "R97"
    else:
        return
    for number, line in enumerate(subject.main.lines, 1):
        match = pattern.search(line)
        if match and subject.part_at(number) and subject.is_open(number) and number not in subject.main.code:
            yield subject.mutant(
                "names_no_requirement",
                _TYPE,
                Severity.MAJOR,
                f"a task names requirement {new}, which is nowhere",
                [Spot(subject.main.path, number)],
                edits={subject.main.path: {number: [line[: match.end("ids")] + f", {new}" + line[match.end("ids") :]]}},
            )


def names_no_functional_requirement(subject: Subject) -> Iterator[Mutant]:
    """A spec-kit task names an FR id beyond the last of the specification."""
    spec = next((page for page in subject.pages if page.path.endswith("/spec.md")), None)
    ids = sorted(set(re.findall(r"\bFR-(\d{3})\b", spec.text))) if spec else []
    if not ids or not re.search(r"\bFR-\d{3}\b", subject.main.text):
        return
    new = f"FR-{int(ids[-1]) + 70:03d}"
    for part in subject.parts:
        if part.is_open and part.task.id.startswith("T"):
            yield subject.mutant(
                "names_no_functional_requirement",
                _TYPE,
                Severity.MAJOR,
                f"{part.task.label} names {new}, which the specification does not have",
                [Spot(subject.main.path, part.first)],
                edits={subject.main.path: {part.first: [f"{subject.main.line(part.first)} ({new})"]}},
            )


def added_requirement_without_a_task(subject: Subject) -> Iterator[Mutant]:
    """A delta adds a requirement on something that no task speaks of."""
    if any(re.search(r"(?i)ledger|archivist|tape", page.text) for page in subject.pages):
        return
    for page in subject.pages:
        at = next((n for n, line in enumerate(page.lines, 1) if _DELTA.match(line) and n not in page.code), None)
        if at is None or not subject.parts:
            continue
        added = [
            page.line(at),
            "",
            "### Requirement: Ledger tape export",
            "The system SHALL write the audit ledger to tape every night for the archivist.",
            "",
            "#### Scenario: Nightly ledger tape",
            "- **WHEN** the night begins",
            "- **THEN** the audit ledger is written to tape",
            "",
        ]
        yield subject.mutant(
            "added_requirement_without_a_task",
            _TYPE,
            Severity.MAJOR,
            "no task speaks of the added requirement `Ledger tape export`",
            [Spot(page.path, at, 2), Spot(subject.main.path, subject.parts[0].first)],
            edits={page.path: {at: added}},
        )


def _criteria(page: Page) -> dict[str, int]:
    """Id (`2.3`) → the line of the criterion, of a requirements document with numbered headings and lists."""
    found: dict[str, int] = {}
    group = ""
    for number, line in enumerate(page.lines, 1):
        if heading := _HEADING.match(line):
            group = heading["number"]
        elif group and (item := _CRITERION.match(line)):
            found.setdefault(f"{group}.{item['number']}", number)
    return found


def _cited(subject: Subject, pattern: re.Pattern[str]) -> dict[str, list[int]]:
    """Requirement id → the lines of tasks that name it."""
    found: dict[str, list[int]] = {}
    for number, line in enumerate(subject.main.lines, 1):
        if (match := pattern.search(line)) and subject.part_at(number):
            for name in re.split(r"[,\s]+", match["ids"].strip(" ,")):
                found.setdefault(name, []).append(number)
    return found


def _defined(subject: Subject) -> dict[str, int]:
    """Requirement id (`R3`) → the line of the plan that defines it."""
    found: dict[str, int] = {}
    for number, line in enumerate(subject.main.lines, 1):
        if (match := re.match(r"^\s*[-*]\s+\**(R\d+)\b\**[.:)]", line)) and not subject.part_at(number):
            found.setdefault(match[1], number)
    return found


def _dropped(subject: Subject, mutator: str, name: str, at: int, pattern: re.Pattern[str], spots: list[Spot]) -> Mutant:
    line = subject.main.line(at)
    match = pattern.search(line)
    ids = [each for each in re.split(r"[,\s]+", match["ids"].strip(" ,")) if each != name] if match else []
    edits: dict[int, list[str]] = {at: []}
    if match and ids:
        edits = {at: [line[: match.start("ids")] + ", ".join(ids) + line[match.end("ids") :]]}
    # said at the first task, for no line of a task is at fault
    spots = [*spots, Spot(subject.main.path, subject.parts[0].first)]
    return subject.mutant(
        mutator, _TYPE, Severity.MAJOR, f"no task names {name} any more", spots, edits={subject.main.path: edits}
    )


MUTATORS = (
    criterion_without_a_task,
    requirement_without_a_unit,
    names_no_requirement,
    names_no_functional_requirement,
    added_requirement_without_a_task,
)
