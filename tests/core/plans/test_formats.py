from __future__ import annotations

import pytest

from bot.core.plans import PLAN_GLOBS, companions, detect, parse
from bot.core.plans.model import Document, Format, TaskStatus
from tests.core.plans.reading import plan, said


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("specs/001-login/tasks.md", "# T\n- [ ] T001 x\n", Format.SPECKIT),
        ("specs/20260101-120000-login/plan.md", "# x\n", Format.SPECKIT),
        ("openspec/changes/add-x/tasks.md", "## 1. A\n- [ ] 1.1 x\n", Format.OPENSPEC),
        ("openspec/changes/archive/2026-01-01-x/proposal.md", "## Why\n", Format.OPENSPEC),
        (".kiro/specs/login/tasks.md", "- [ ] 1. x\n", Format.KIRO),
        (".lets/plans/x.md", "### Task 1: x\n", Format.LETS),
        ("workplans/AB-WP-0001-x.md", "---\ntype: workplan\n---\n# x\n", Format.WORKPLAN),
        ("anything.md", "# x\n\n## A\n\n```task\nid: X\n```\n", Format.WORKPLAN),
        (
            "work/plan.md",
            "## Slices\n## Alternatives Considered\n## Codebase Ground-Truth Citations\n## Pre-Mortem\n",
            Format.HARNESS,
        ),
        ("docs/plans/x.md", "### Task 1: x\n**Files:**\n- Create: `a/b.py`\n", Format.SUPERPOWERS),
        ("notes.md", "## Task 1: x\n## Task 2: y\n", Format.SUPERPOWERS),
        ("", "Requirement: A\n\nScenario: B\n", Format.ROADMAP),
        ("docs/plans/idea.md", "# An idea\n", Format.GENERIC),
        ("PLAN.md", "# x\n", Format.GENERIC),
        ("docs/notes.md", "just words\n", None),
        ("docs/plans/README.md", "# Plans\n", None),
        ("docs/plans/picture.png", "x", None),
        ("docs/plans/empty.md", " \n\n", None),
    ],
)
def test_the_path_decides_first_and_then_the_text(path: str, text: str, expected: Format | None) -> None:
    assert detect(path, text) is expected


def test_a_task_heading_inside_a_workplan_path_is_still_read_by_its_text() -> None:
    assert detect("workplans/x.md", "\ufeff---\r\ntype: workplan\r\n---\r\n# x\r\n") is Format.WORKPLAN


def test_plans_of_several_files_name_their_companions() -> None:
    assert "specs/001-x/spec.md" in companions("specs/001-x/tasks.md")
    assert companions("openspec/changes/a/tasks.md")[-1] == "openspec/changes/a/specs/**/*.md"
    assert companions(".kiro/specs/a/design.md")[:2] == (".kiro/specs/a/tasks.md", ".kiro/specs/a/requirements.md")
    assert companions("docs/plans/x.md") == ()
    assert "docs/**/plans/**/*.md" in PLAN_GLOBS


def test_a_workplan() -> None:
    found = plan(
        """
        ---
        id: AB-WP-0001
        type: workplan
        title: Order the shelves
        ---
        # AB-WP-0001 — Shelves

        Intro.

        ## Goal

        Shelves in order.

        ### T01 - Sort

        ```task
        id: AB-WP-0001-T01
        status: done
        priority: high
        ```

        Change `src/a.py`.

        ## Add Validation

        ```task
        id: AB-WP-0001-T02
        status: progress
        depends_on: [AB-WP-0001-T01]
        ```

        ## Drop it

        ```task
        id: AB-WP-0001-T03
        status: cancel
        ```
        """,
        path="workplans/AB-WP-0001-x.md",
    )
    assert found.format is Format.WORKPLAN
    assert found.front_matter is not None
    assert found.goal == "Shelves in order."
    assert [(t.id, t.label, t.title, t.status) for t in found.tasks] == [
        ("AB-WP-0001-T01", "T01", "Sort", TaskStatus.DONE),
        ("AB-WP-0001-T02", "T02", "Add Validation", TaskStatus.IN_PROGRESS),
        ("AB-WP-0001-T03", "T03", "Drop it", TaskStatus.CANCELLED),
    ]
    assert found.tasks[1].depends_on == ("AB-WP-0001-T01",)
    assert found.tasks[0].span.first == 14


def test_the_oldest_workplans_are_checklists() -> None:
    found = plan("---\ntype: workplan\n---\n# x\n\n- [x] T01 Sort\n- [ ] T02 Label `src/a.py`\n", path="workplans/x.md")
    assert [(t.id, t.status) for t in found.tasks] == [("T01", TaskStatus.DONE), ("T02", TaskStatus.TODO)]


def test_front_matter_that_is_none_is_text() -> None:
    assert plan("---\n\nwords\n\n---\n", path="docs/plans/x.md").front_matter is None
    assert plan("---\n- a\n---\n", path="docs/plans/x.md").front_matter is None
    assert plan("---\na: [b\n---\n# T\n", path="docs/plans/x.md").front_matter is None


def test_spec_kit_lines_are_tasks() -> None:
    found = plan(
        """
        ## Phase 1: Setup

        - [ ] T001 Create the project in src/main.py
        - [X] T002 [P] [US1] Write test in tests/test_a.py
          and more of it
        - [ ] T003 Wire it (depends on T001, T002)
        """,
        path="specs/001-x/tasks.md",
    )
    assert [(t.id, t.parallel, t.status) for t in found.tasks] == [
        ("T001", False, TaskStatus.TODO),
        ("T002", True, TaskStatus.DONE),
        ("T003", False, TaskStatus.TODO),
    ]
    assert found.tasks[2].depends_on == ("T001", "T002")
    assert found.tasks[1].covers == ("US1",)
    assert said(found) == ["create? src/main.py"]


def test_kiro_boxes_nest_and_may_be_optional() -> None:
    found = plan(
        "- [ ] 1. Parent\n  - [ ] 1.1 Child\n    - detail\n    - _Requirements: 1.1, 2.3_\n  - [ ]* 1.2 Maybe\n",
        path=".kiro/specs/x/tasks.md",
    )
    assert [(t.id, t.optional) for t in found.tasks] == [("1", False), ("1.1", False), ("1.2", True)]
    assert found.tasks[1].covers == ("1.1", "2.3")


def test_only_the_task_list_of_a_plan_of_several_files_has_tasks() -> None:
    found = parse(
        [
            Document(".kiro/specs/x/requirements.md", "### Requirement 1: A\n\n- [ ] a box\n"),
            Document(".kiro/specs/x/tasks.md", "- [ ] 1. Do\n"),
        ]
    )
    assert [t.span.path for t in found.tasks] == [".kiro/specs/x/tasks.md"]


def test_units_steps_and_phases_of_any_plan() -> None:
    units = plan("## Implementation Units\n\n### U1. A\n\n### U2. B\n\n**Dependencies:** U1\n", path="plans/x.md")
    assert [(t.id, t.depends_on) for t in units.tasks] == [("U1", ()), ("U2", ("U1",))]
    phases = plan("## Phase 1: A\n\n- [x] a\n\n## Phase 2: B\n", path="plans/x.md")
    assert [(t.label, t.status) for t in phases.tasks] == [("Phase 1", TaskStatus.DONE), ("Phase 2", TaskStatus.TODO)]
    boxes = plan("# P\n\n- [ ] do a\n- [x] do b\n", path="plans/x.md")
    assert [(t.label, t.status) for t in boxes.tasks] == [("item 1", TaskStatus.TODO), ("item 2", TaskStatus.DONE)]
    numbered = plan("## Implementation\n\n### 1. A\n\n### 2. B\n\n## Risks\n\n### 3. No\n", path="plans/x.md")
    assert [t.title for t in numbered.tasks] == ["A", "B"]


def test_a_plan_without_tasks_says_what_cannot_be_checked() -> None:
    found = plan("# Idea\n\nWords about `src/a.py`.\n", path="plans/x.md")
    assert found.tasks == ()
    assert [s.check for s in found.skipped] == ["task_order"]


def test_sections_of_files_say_what_happens_to_them() -> None:
    found = plan(
        """
        ## Files to touch

        ### New

        - `src/a.py` - the parser

        ### Modified

        - `src/b.py` - wiring

        ## Out of scope

        - `src/c.py`
        """,
        path="plans/x.md",
    )
    assert said(found, None) == ["create src/a.py", "modify src/b.py", "read? src/c.py #negated"]
