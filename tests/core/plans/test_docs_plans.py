"""Plans of `docs/plans` that are neither Superpowers nor a known tool's: implementation units with numbered
requirements, and plans with lists and tables of the files and tests that they affect."""

from __future__ import annotations

import pytest

from bot.core.plans.model import Action, TaskStatus
from tests.core.plans.reading import plan, said

PATH = "docs/plans/2026-01-05-001-feat-mill-plan.md"

UNITS = """---
title: "feat: Mill"
type: feat
status: active
date: 2026-01-05
origin: docs/ideas/mill.md
---

# feat: Mill

## Requirements

**Oil**

- R1. The stone is oiled.
- **R2.** The can never runs dry.
- R2a. Nor does the spare.

R3. Sacks are counted.

R4. Sacks are weighed.

## Implementation Units

### U1. Oil can

**Goal:** A can.

**Requirements:** R1, R2a (origin R7)

**Dependencies:** None

**Files:**
- Create: `src/can.py`
- Test: `tests/test_can.py`

**Test scenarios:**
- Pour from a full can.

**Verification:** Run `pytest tests/test_can.py`.

### U2. Sacks

- **Goal:** Count.
- **Requirements:** R2-R4
- **Dependencies:** U1
- **Files:** Modify `src/can.py`. Create or update `tests/test_sack.py`.

### U3. Docs

**Requirements:** all

**Dependencies:** U1–U2
"""


def test_implementation_units_are_tasks() -> None:
    found = plan(UNITS, path=PATH)
    assert [(each.id, each.label, each.title) for each in found.tasks] == [
        ("U1", "U1", "Oil can"),
        ("U2", "U2", "Sacks"),
        ("U3", "U3", "Docs"),
    ]
    assert [each.depends_on for each in found.tasks] == [(), ("U1",), ("U1", "U2")]
    assert [each.covers for each in found.tasks] == [("R1", "R2a", "R7"), ("R2-R4",), ("all",)]
    assert said(found, 0) == ["create src/can.py", "test tests/test_can.py"]
    assert said(found, 1) == ["modify src/can.py", "create? tests/test_sack.py #alternative"]
    assert [each.text for each in found.tasks[0].commands] == ["pytest tests/test_can.py"]


def test_the_requirements_that_a_plan_numbers_are_read_with_their_lines() -> None:
    found = plan(UNITS, path=PATH).requirements
    assert [(each.id, each.span.first, each.text) for each in found] == [
        ("R1", 15, "The stone is oiled."),
        ("R2", 16, "The can never runs dry."),
        ("R2a", 17, "Nor does the spare."),
        ("R3", 19, "Sacks are counted."),
        ("R4", 21, "Sacks are weighed."),
    ]


@pytest.mark.parametrize(
    "heading", ["## Requirements", "### 2. Requirements Trace", "## Functional Requirements", "## REQUIREMENTS:"]
)
def test_sections_of_requirements_of_any_name(heading: str) -> None:
    found = plan(f"# M\n\n{heading}\n\n- R1. a b\n\n## Units\n\n- R2. no\n", path=PATH)
    assert [each.id for each in found.requirements] == ["R1"]


@pytest.mark.parametrize(
    "body",
    [
        "- R1–R3 (oil)\n",  # a group of another document's
        "- Requirement one\n",
        "- R1\n",
        "1. first\n2. second\n",
        "```\n- R1. example\n```\n",
        "> - R1. quoted\n",
        "- RFC1. no\n",
        "- R1-based oil\n",
    ],
)
def test_what_numbers_no_requirement(body: str) -> None:
    assert plan(f"# M\n\n## Requirements\n\n{body}", path=PATH).requirements == ()


def test_requirements_in_a_table_and_lines_of_one_paragraph() -> None:
    table = plan("## Requirements\n\n| ID | What |\n|---|---|\n| R1 | oil |\n| R2 | turn |\n", path=PATH)
    assert [(each.id, each.text, each.span.first) for each in table.requirements] == [
        ("R1", "oil", 5),
        ("R2", "turn", 6),
    ]
    lines = plan("## Requirements\n\nR1. oil\nR2. turn\nR1. again\n", path=PATH)
    assert [(each.id, each.text, each.span.first) for each in lines.requirements] == [
        ("R1", "oil", 3),
        ("R2", "turn", 4),
    ]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("- U1. **Oil**\n- U2. **Turn**\n", []),
        ("- [ ] U1. **Oil**\n- [x] U2. **Turn**\n", ["U1", "U2"]),
        ("### Unit 1: Oil\n\n### Unit 2: Turn\n", ["1", "2"]),
        ("#### U1: Oil\n\n#### U2: Turn\n", ["U1", "U2"]),
        ("### U1. Only one\n", ["U1"]),
        ("### Implementation Unit 1 — Oil\n\n### Implementation Unit 2 — Turn\n", ["1", "2"]),
    ],
)
def test_units_of_every_shape(text: str, ids: list[str]) -> None:
    assert [each.id for each in plan(f"# M\n\n## Implementation Units\n\n{text}", path=PATH).tasks] == ids


AFFECTED = """# Plan 12: Mill

**Status:** 📋 Planned
**Priority:** High
**Blocked By:** #11 (can), #9
**Blocks:** #13

## Gap

**Current:** dry.

## Files Affected

- src/can.py (create)
- `src/mill.py` (modify)
- src/wheel.py (delete)
- `src/mill.py:12-20` (reference)

| File | Change |
|---|---|
| `src/sack.py` | Create |
| `src/flour.py` | Modify |

## Plan

### Steps

1. Oil
2. Turn

## Required Tests

### New Tests (TDD)

| Test File | Test Function | What It Verifies |
|---|---|---|
| `tests/test_can.py` | `test_full` | it is full |

### Existing Tests (Must Pass)

| Test Pattern | Why |
|---|---|
| `tests/test_mill.py` | turns as before |
| `tests/deep/` | all of it |
"""


def test_files_affected_and_the_two_tables_of_tests() -> None:
    found = plan(AFFECTED, path="docs/plans/12_mill.md")
    assert said(found, None) == [
        "create src/can.py",
        "modify src/mill.py",
        "delete src/wheel.py",
        "read? src/mill.py",
        "create src/sack.py",
        "modify src/flour.py",
        "test? tests/test_can.py",
        "test tests/test_mill.py",
        "test tests/deep/",
    ]
    by_path = {(each.path, each.action): each for each in found.files}
    assert by_path["tests/test_mill.py", Action.TEST].says_exists
    assert by_path["tests/deep/", Action.TEST].says_exists
    assert not by_path["tests/test_can.py", Action.TEST].says_exists


def test_the_plans_that_a_plan_waits_for_are_no_tasks_of_it() -> None:
    found = plan(AFFECTED, path="docs/plans/12_mill.md")
    assert [(each.label, each.depends_on) for each in found.tasks] == [("Step 1", ()), ("Step 2", ())]
    assert all(each.status is TaskStatus.TODO for each in found.tasks)


@pytest.mark.parametrize(
    "heading", ["## Alternatives Considered", "## Out of Scope", "## Non-Goals", "### Rejected Alternatives"]
)
def test_what_a_plan_sets_aside_it_does_not_do(heading: str) -> None:
    found = plan(
        f"# M\n\n{heading}\n\n- Create `src/a.py`\n- Modify: `src/b.py:3`\n\n## Plan\n\nSee `src/c.py`.\n", path=PATH
    )
    assert said(found, None) == ["create? src/a.py #negated", "modify? src/b.py #negated", "read? src/c.py"]
    assert not found.files[1].says_exists
