"""The plan files of editors: Cursor's to-do lists in the front matter, Claude's free prose with steps."""

from __future__ import annotations

import pytest

from bot.core.plans import detect
from bot.core.plans.model import Format, TaskStatus
from tests.core.plans.reading import plan, said

CURSOR = """---
name: Mill
overview: Grind finer
todos:
  - id: can
    content: Create `src/can.py` with the oil
    status: completed
  - id: nozzle
    content: >-
      Modify `src/mill.py`
      to take a nozzle
    status: in_progress
    dependencies: [can]
  - {id: docs, content: "Update docs/mill.md: say so", status: pending}
  - id: wheel
    content: Delete `src/wheel.py`
    status: cancelled
isProject: false
---

# The mill

See `src/stone.py`.

- a detail of `src/rules.py`

Run: `make mill`
"""
CURSOR_PATH = ".cursor/plans/mill_1a2b3c.plan.md"


def test_the_to_do_list_is_the_list_of_tasks() -> None:
    found = plan(CURSOR, path=CURSOR_PATH)
    assert found.format is Format.GENERIC
    assert [(each.id, each.status, each.span.first, each.depends_on) for each in found.tasks] == [
        ("can", TaskStatus.DONE, 6, ()),
        ("nozzle", TaskStatus.IN_PROGRESS, 10, ("can",)),
        ("docs", TaskStatus.TODO, 14, ()),
        ("wheel", TaskStatus.CANCELLED, 16, ()),
    ]
    assert found.tasks[1].title == "Modify `src/mill.py` to take a nozzle"
    assert [said(found, number) for number in range(4)] == [
        ["create src/can.py"],
        ["modify src/mill.py"],
        ["modify? docs/mill.md"],
        ["delete src/wheel.py"],
    ]
    assert [each.boxes for each in found.tasks] == [(1, 1), (0, 1), (0, 1), (0, 1)]


def test_what_the_text_below_says_belongs_to_the_plan() -> None:
    found = plan(CURSOR, path=CURSOR_PATH)
    assert (found.title, found.goal) == ("The mill", "Grind finer")
    assert said(found, None) == ["read? src/stone.py", "read? src/rules.py"]
    assert [(each.text, each.span.first) for each in found.commands] == [("make mill", 27)]


def test_a_to_do_list_is_found_wherever_the_file_lies() -> None:
    assert detect("notes/mill.md", CURSOR) is Format.GENERIC
    assert detect("notes/mill.md", "---\ntodos: []\n---\nwords\n") is None
    assert plan("---\ntodos: []\n---\n# P\n\n- [ ] a\n- [ ] b\n", path=CURSOR_PATH).tasks[1].title == "b"


@pytest.mark.parametrize(
    "head",
    [
        "todos: 5",
        "todos: [a, b]",
        "todos:\n  - content: 7",
        "todos:\n  - {content: ' '}",
        "todos: &a\n  - content: x\n    dependencies: *a",
        "todos:\n  - content: x\n    content: y\n    status: [done]",
    ],
)
def test_a_to_do_list_of_another_shape_is_read_as_far_as_it_goes(head: str) -> None:
    found = plan(f"---\n{head}\n---\n\n# P\n", path=CURSOR_PATH)
    assert all(1 <= task.span.first <= 7 for task in found.tasks)


def test_windows_line_ends_change_no_line() -> None:
    found = plan("\ufeff" + CURSOR.replace("\n", "\r\n"), path=CURSOR_PATH)
    assert [each.span.first for each in found.tasks] == [6, 10, 14, 16]


def test_the_one_numbered_list_below_a_heading_of_steps_is_the_tasks() -> None:
    found = plan(
        """
        # Grind finer

        ## Context

        1. not a step

        ## Implementation plan

        1. **Oil** — create `src/can.py`
           - also `src/mill.py`
        2. Turn the stone

           Run: `make turn`

        ## Verification

        1. look
        2. listen
        """,
        path=".claude/plans/quiet-stone-turning.md",
    )
    assert [(each.label, each.title, each.span.first, each.span.last) for each in found.tasks] == [
        ("Step 1", "Oil — create `src/can.py`", 9, 10),
        ("Step 2", "Turn the stone", 11, 13),
    ]
    assert said(found) == ["create? src/can.py", "read? src/mill.py"]
    assert [each.text for each in found.tasks[1].commands] == ["make turn"]


def test_two_numbered_lists_leave_open_which_one_is_meant() -> None:
    text = "## Steps\n\n1. a\n2. b\n\n## Changes\n\n1. c\n2. d\n"
    assert plan(text, path=".claude/plans/x.md").tasks == ()


def test_steps_with_headings_win_over_lists() -> None:
    text = "## Implementation\n\n### Step 1: A\n\n1. x\n2. y\n\n### Step 2: B\n"
    assert [each.title for each in plan(text, path=".claude/plans/x.md").tasks] == ["A", "B"]
