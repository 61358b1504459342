from __future__ import annotations

from bot.core.plans import detect
from bot.core.plans.model import Expect, Format, Plan, TaskStatus
from tests.core.plans.reading import plan, said

PATH = ".lets/plans/2026-02-03-1010-mill.md"
HEAD = (
    "# Mill - Implementation Plan\n**Task:** mill-7\n**Date:** 2026-02-03\n"
    "**Goal:** Grind finer.\n**Approach:** Oil.\n\n"
)


def lets(text: str) -> Plan:
    return plan(text, path=PATH)


def test_the_place_of_the_file_tells_the_format() -> None:
    assert detect(PATH, "# Mill\n") is Format.LETS
    assert detect("sub/.lets/plans/mill.md", HEAD) is Format.LETS


def test_the_labels_of_the_head_stand_one_a_line() -> None:
    found = lets(HEAD + "### Task 1: Oil\n")
    assert found.goal == "Grind finer."
    assert found.front_matter == {
        "task": "mill-7",
        "date": "2026-02-03",
        "goal": "Grind finer.",
        "approach": "Oil.",
    }
    assert found.title == "Mill - Implementation Plan"


def test_labels_on_one_line_of_their_own_paragraphs_are_read_too() -> None:
    assert (
        lets("# M\n\n**Task:** mill-7\n\n**Goal:** Grind finer.\n\n## Context\n\n**Goal:** no\n").goal == "Grind finer."
    )


def test_a_task_has_files_a_verify_part_and_a_mark_when_it_is_done() -> None:
    found = lets(
        HEAD
        + """## Implementation

### Task 1: Oil [DONE]

**Files:**
- Create: `src/oil.py` - the can
- Modify: `src/mill.py` - a nozzle

**Step 1.1: Write the can**

```python
CAN = 1
```

**Verify:**
Run: `pytest tests/test_oil.py`
Expected: 3 passed

**Commit:** `git add src/oil.py`

### Task 2: Grind

**Files:**
- Modify: `src/oil.py`

**Verify:**
Run: `pytest tests/test_grind.py`
Expected: FAIL with "no grind"

## Verification

- [ ] the flour is fine
"""
    )
    assert [(task.id, task.title, task.status) for task in found.tasks] == [
        ("1", "Oil", TaskStatus.DONE),
        ("2", "Grind", TaskStatus.TODO),
    ]
    assert said(found) == ["create src/oil.py", "modify src/mill.py"]
    assert [(each.text, each.expects) for task in found.tasks for each in task.commands] == [
        ("pytest tests/test_oil.py", Expect.PASS),
        ("pytest tests/test_grind.py", Expect.FAIL),
    ]
    assert found.tasks[1].boxes == (0, 0)


def test_a_plan_without_task_headings_is_read_as_any_other() -> None:
    found = lets("# Mill\n\n- [x] oil\n- [ ] grind\n")
    assert [task.title for task in found.tasks] == ["oil", "grind"]
    assert found.front_matter is None
