"""Boxes that stand for headings: `- [ ] **Unit 2: Brake**`, with the unit's text at the margin below."""

from __future__ import annotations

from bot.core.plans import parse
from bot.core.plans.model import Action, Document, TaskStatus

TEXT = """# Gears

## Implementation Units

- [x] **Unit 1: Wheel**

**Goal:** It turns.

**Files:**
- Create: `src/wheel.py`

- [ ] **Unit 2: Brake**

**Dependencies:** Unit 1

**Files:**
- Modify: `src/wheel.py`

**Approach:**
- A lever

## Risks

- Rust
"""


def test_what_follows_a_boxed_unit_at_the_margin_is_its_own() -> None:
    wheel, brake = parse([Document("docs/plans/gears.md", TEXT)]).tasks
    assert (wheel.label, wheel.title, wheel.status) == ("Unit 1", "Wheel", TaskStatus.DONE)
    assert [(ref.path, ref.action) for ref in wheel.files] == [("src/wheel.py", Action.CREATE)]
    assert (brake.label, brake.depends_on, brake.status) == ("Unit 2", ("1",), TaskStatus.TODO)
    assert (brake.span.first, brake.span.last) == (12, 20)


def test_boxes_without_text_below_stay_a_checklist() -> None:
    text = "# Gears\n\n- [ ] **Task 1: Wheel**\n  - turns\n- [ ] **Task 2: Brake**\n  - halts\n\nLater more.\n"
    tasks = parse([Document("docs/plans/gears.md", text)]).tasks
    assert [(task.span.first, task.span.last) for task in tasks] == [(3, 4), (5, 6)]
