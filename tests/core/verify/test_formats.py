"""What the verifier makes of formats that say in their own way what is there, what is to come and what is done."""

from __future__ import annotations

import pytest

from bot.core.plans.model import Format
from schemas.verify_report import FindingType, Verdict
from tests.core.verify.conftest import Bench

TREE = {
    "src/mill.py": "a = 1\nb = 2\n",
    "src/can.py": "c = 3\n",
    "tests/test_mill.py": "",
    "Makefile": "turn:\n\ttrue\n",
}


def gating(bench: Bench, text: str, **more: object) -> list[tuple[str, str, int]]:
    found = bench.report(TREE, text, format=None, **more)  # type: ignore[arg-type]
    return [(each.type.value, each.subject, each.plan_line) for each in found.gating]


# the roadmap section of an issue

ISSUE = """Requirement: Oil

The mill SHALL oil.

Scenario: Dry

• WHEN dry
• THEN stop

Key questions

• Where?: There. [sources: {sources}]
• Rejected: src/pump.py. Nobody fills it.
"""


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        ("src/mill.py:2, src/can.py", []),
        ("src/mill.py, https://example.com/x.py", []),
        ("src/mile.py", [("missing_path", "src/mile.py", 12)]),
        ("src/mill.py:90", [("false_premise", "src/mill.py:90", 12)]),
    ],
)
def test_a_source_of_an_issue_has_to_be_there(bench: Bench, sources: str, found: list[tuple[str, str, int]]) -> None:
    assert gating(bench, ISSUE.format(sources=sources), path="issue") == found


# a harness plan

HARNESS = """## Slices

### Slice A: Oil

- Create: `src/oil.py`

### Slice B: Turn

- Modify: `src/oil.py`

## Alternatives Considered

- Modify: `src/wind.py`

## Failing Test Stubs (per AC)

| AC | Test |
|---|---|
| AC1 | `tests/test_oil.py` |

## Codebase Ground-Truth Citations

- `{cited}` — turns

## Pre-Mortem

Slow.
"""


@pytest.mark.parametrize(
    ("cited", "found"),
    [
        ("src/mill.py:1-2", []),
        ("src/mill.py:1-20", [("false_premise", "src/mill.py:1-20")]),
        ("src/wheel.py", [("missing_path", "src/wheel.py")]),
    ],
)
def test_a_ground_truth_citation_has_to_be_there(bench: Bench, cited: str, found: list[tuple[str, str]]) -> None:
    report = gating(bench, HARNESS.format(cited=cited), path="mill-7/plan.md")
    assert [(type_, subject) for type_, subject, _ in report] == found


# tables of tests

TESTS = """# Plan 3: Mill

**Status:** 📋 Planned

## Required Tests

### New Tests (TDD)

| Test File | What |
|---|---|
| `tests/test_oil.py` | oil |

### Existing Tests (Must Pass)

| Test File | Why |
|---|---|
| `tests/{name}.py` | as before |
"""


def test_a_test_that_must_pass_already_has_to_be_there(bench: Bench) -> None:
    assert gating(bench, TESTS.format(name="test_mill"), path="docs/plans/3_mill.md") == []
    assert gating(bench, TESTS.format(name="test_wheel"), path="docs/plans/3_mill.md") == [
        ("missing_path", "tests/test_wheel.py", 17)
    ]


# requirements that a plan numbers itself

REQUIREMENTS = """# Mill

## Requirements

- R1. Oil.
- R2. Turn.
- R3. Count.
- R4. Weigh.
- R5. Sort.
- R6. Sew.
- R7. Load.
- R8. Rest.
- R9. Sweep.
- R10. {last}

## Implementation Units

### U1. All

**Requirements:** R1-R4, R5 through R8

### U2. Rest

**Requirements:** R9
"""


def test_the_one_requirement_that_no_unit_names_is_a_gap(bench: Bench) -> None:
    path = "docs/plans/mill-plan.md"
    assert gating(bench, REQUIREMENTS.format(last="Lock the door."), path=path) == [("scope_gap", "R10", 18)]
    assert gating(bench, REQUIREMENTS.format(last="Lock the door (deferred)."), path=path) == []
    text = REQUIREMENTS.format(last="Lock the door.")
    assert gating(bench, text + "\nR10 is an invariant of the whole change.\n", path=path) == []


# to-do lists


def test_a_to_do_list_is_walked_in_its_order(bench: Bench) -> None:
    todos = [
        "Modify `src/oil.py`",
        "Create `src/oil.py`",
    ]
    text = "---\nname: Mill\ntodos:\n" + "".join(
        f"  - id: t{number}\n    content: {content}\n    status: pending\n" for number, content in enumerate(todos)
    )
    found = gating(bench, text + "---\n\n# Mill\n", path=".cursor/plans/mill.plan.md")
    assert found == [("task_order", "src/oil.py", 5)]


# plans that say that they are done

CREATES = "".join(f"- Create: `src/{name}.py`\n" for name in ("can", "mill", "new"))


@pytest.mark.parametrize(
    "status",
    [
        "**Status:** ✅ Complete",
        "**Status:** Complete (2026-01-05)",
        "> **Status:** ✅ COMPLETED - 2026-01-05",
        "Status: done",
        "- **Status**: Implemented in PR #12",
        "| Status | Shipped |",
    ],
)
def test_a_plan_whose_head_says_that_it_is_done_is_history(bench: Bench, status: str) -> None:
    report = bench.report(TREE, f"# Mill\n\n{status}\n\n## Files\n\n{CREATES}", format=Format.GENERIC)
    assert report.verdict is Verdict.RETROACTIVE
    assert report.reason is not None
    assert report.reason.startswith("its status says that it is ")


@pytest.mark.parametrize(
    "status",
    [
        "**Status:** 📋 Planned",
        "**Status:** In Progress",
        "**Status:** Phases 1-3 Complete (phase 4 is not)",
        "**Status:** Design Complete, Awaiting Implementation",
        "**Status:** Complete, except for the docs",
        "**Status:** Not done",
        "**Status:** Done?",
        "**Status:** ❌ Done",
        "Status: done when the mill turns",
        "The status: done",
        "```\nStatus: done\n```",
        "## Phase 1\n\n**Status:** Complete",
    ],
)
def test_any_other_status_is_none_of_the_whole_plan(bench: Bench, status: str) -> None:
    report = bench.report(TREE, f"# Mill\n\n{status}\n\n## Files\n\n{CREATES}", format=Format.GENERIC)
    assert report.verdict is Verdict.NEEDS_FIX


@pytest.mark.parametrize(
    ("word", "verdict"), [("completed", "retroactive"), ("draft", "needs_fix"), ("[done]", "needs_fix")]
)
def test_the_status_of_the_front_matter_comes_first(bench: Bench, word: str, verdict: str) -> None:
    text = f"---\nstatus: {word}\n---\n# Mill\n\n**Status:** done\n\n## Files\n\n{CREATES}"
    expected = "retroactive" if word == "[done]" else verdict  # a list is no status, so the line below it counts
    assert bench.report(TREE, text, format=Format.GENERIC).verdict.value == expected


def test_a_status_that_the_tree_does_not_bear_out_is_not_believed(bench: Bench) -> None:
    creates = "".join(f"- Create: `src/{name}.py`\n" for name in ("can", "new", "newer"))
    text = f"# Mill\n\n**Status:** ✅ Complete\n\n## Files\n\n{creates}"
    report = bench.report(TREE, text, format=Format.GENERIC)
    assert [each.type for each in report.gating] == [FindingType.IGNORES_EXISTING_CODE]
