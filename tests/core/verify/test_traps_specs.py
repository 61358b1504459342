"""Specifications, ids and requirements that a simpler check takes for wrong."""

from __future__ import annotations

from bot.core.plans.model import Format
from schemas.verify_report import FindingType
from tests.core.verify.conftest import Bench
from tests.git_repo import Content

DELTA = FindingType.SPEC_DELTA_WRONG
SCOPE = FindingType.SCOPE_GAP
ORDER = FindingType.TASK_ORDER
TREE: dict[str, Content] = {
    "src/cog.py": "y = 1\n",
    "openspec/specs/gears/spec.md": (
        "# Gears\n\n## Purpose\n\nTurn.\n\n## Requirements\n\n### Requirement: Turn\nThe system SHALL turn.\n\n"
        "#### Scenario: Turns\n- **WHEN** asked\n- **THEN** it turns\n"
    ),
}
TASKS = "## 1. Work\n\n- [ ] 1.1 Modify `src/cog.py` for Halt\n"
CHANGE = "openspec/changes/halt-gears"
HALT = (
    "## {kind} Requirements\n\n### Requirement: Halt\nThe system SHALL halt.\n\n"
    "#### Scenario: Halts\n- **WHEN** asked\n- **THEN** it halts\n"
)


def modified(bench: Bench, tree: dict[str, Content]) -> list[str]:
    found = bench.findings(
        tree,
        TASKS,
        DELTA,
        path=f"{CHANGE}/tasks.md",
        format=Format.OPENSPEC,
        companions={f"{CHANGE}/specs/gears/spec.md": HALT.format(kind="MODIFIED")},
    )
    return [finding.message for finding in found if finding.gating]


def test_a_requirement_that_nothing_holds_cannot_be_modified(bench: Bench) -> None:
    assert len(modified(bench, TREE)) == 1


def test_a_requirement_that_an_open_change_adds_may_be_modified(bench: Bench) -> None:
    other = {"openspec/changes/add-halt/specs/gears/spec.md": HALT.format(kind="ADDED")}
    assert modified(bench, {**TREE, **other}) == []


def test_a_requirement_of_an_archived_change_is_no_longer_on_its_way(bench: Bench) -> None:
    other = {"openspec/changes/archive/2026-01-01-add-halt/specs/gears/spec.md": HALT.format(kind="ADDED")}
    assert len(modified(bench, {**TREE, **other})) == 1


def test_a_base_without_requirement_headers_is_not_held_against_the_delta(bench: Bench) -> None:
    base = {"openspec/specs/gears/spec.md": "# Gears\n\n- The system halts when asked.\n- It turns.\n"}
    assert modified(bench, {**TREE, **base}) == []


def speckit(bench: Bench, text: str, spec: str | None = None) -> list[tuple[FindingType, str]]:
    folder = "specs/001-gears"
    companions = {f"{folder}/spec.md": spec} if spec else None
    report = bench.report(TREE, text, path=f"{folder}/tasks.md", format=Format.SPECKIT, companions=companions)
    return [(finding.type, finding.message) for finding in report.gating]


def test_an_id_with_a_letter_or_a_point_is_an_id_of_its_own(bench: Bench) -> None:
    lines = ("T009 Turn", "T009a Halt", "T009b Oil", "T090.1 Rest", "T090.2 Sleep", "T-HF01 Mend", "T-HF02 Mend more")
    text = "# Tasks: gears\n\n" + "\n".join(f"- [ ] {line} in `src/cog.py`" for line in lines) + "\n"
    assert speckit(bench, text) == []


def test_the_same_id_twice_is_reported(bench: Bench) -> None:
    lines = ("T001 Turn", "T002 Halt", "T003 Oil", "T003 Rest", "T004 Sleep")
    text = "# Tasks: gears\n\n" + "\n".join(f"- [ ] {line} in `src/cog.py`" for line in lines) + "\n"
    assert speckit(bench, text) == [(ORDER, "two tasks are called T003")]


def requirements(count: int) -> str:
    lines = "\n".join(f"- **FR-{number:03}**: System MUST do part {number}." for number in range(1, count + 1))
    return f"# Feature Specification: gears\n\n## Requirements\n\n### Functional Requirements\n\n{lines}\n"


def cited(numbers: range) -> str:
    lines = "\n".join(f"- [ ] T{number:03} Modify `src/cog.py` (FR-{number:03})" for number in numbers)
    return f"# Tasks: gears\n\n{lines}\n"


def test_requirement_ids_that_few_tasks_cite_say_nothing_about_coverage(bench: Bench) -> None:
    assert speckit(bench, cited(range(1, 5)), requirements(10)) == []


def test_one_requirement_left_out_where_all_others_are_cited_is_missed(bench: Bench) -> None:
    assert [type_ for type_, _ in speckit(bench, cited(range(1, 12)), requirements(12))] == [SCOPE]


def test_a_kiro_task_may_serve_a_requirement_of_another_specification(bench: Bench) -> None:
    folder = ".kiro/specs/gears"
    needs = (
        "# Requirements Document\n\n## Requirements\n\n### Requirement 1: Turn\n\n#### Acceptance Criteria\n\n"
        "1. WHEN asked, THE System SHALL turn\n2. WHEN told, THE System SHALL halt\n"
    )
    text = (
        "# Implementation Plan\n\n- [ ] 1. Turn\n  - _Requirements: 1.1, 1.2_\n\n"
        "- [ ] 2. Oil the gears\n  - As the specification `oil` asks\n  - _Requirements: oil 4.2_\n"
    )
    tree: dict[str, Content] = {**TREE, ".kiro/specs/oil/requirements.md": needs}
    report = bench.report(
        tree, text, path=f"{folder}/tasks.md", format=Format.KIRO, companions={f"{folder}/requirements.md": needs}
    )
    assert report.gating == ()


def test_a_kiro_task_that_cites_what_its_own_specification_lacks_is_reported(bench: Bench) -> None:
    folder = ".kiro/specs/gears"
    needs = (
        "# Requirements Document\n\n## Requirements\n\n### Requirement 1: Turn\n\n#### Acceptance Criteria\n\n"
        "1. WHEN asked, THE System SHALL turn\n"
    )
    text = "# Implementation Plan\n\n- [ ] 1. Turn\n  - _Requirements: 1.1_\n\n- [ ] 2. Oil\n  - _Requirements: 1.4_\n"
    report = bench.report(
        TREE, text, path=f"{folder}/tasks.md", format=Format.KIRO, companions={f"{folder}/requirements.md": needs}
    )
    assert [finding.type for finding in report.gating] == [SCOPE]
