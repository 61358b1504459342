from __future__ import annotations

import pytest

from bot.core.verify.evaluation.cases import Case, parse

PLAN = "docs/plans/2026-01-05-kiln.md"
CASE = """\
about: A task changes a module that the tree calls by another name.
origin: defect
plan: docs/plans/2026-01-05-kiln.md
tree:
  src/kiln/heat.py: |
    def heat(degrees):
        return degrees
documents:
  docs/plans/2026-01-05-kiln.md: |
    # Kiln Implementation Plan

    **Goal:** Fire evenly.

    ### Task 1: Heat slowly

    **Files:**
    - Modify: `src/kiln/heating.py`

    - [ ] **Step 1: Ramp the heat**

    ### Task 2: Cool slowly

    **Files:**
    - Create: `src/kiln/cool.py`

    - [ ] **Step 1: Ramp down**
defects:
  - type: missing_path
    severity: blocker
    at: "- Modify: `src/kiln/heating.py`"
    mechanical: true
repair:
  - find: src/kiln/heating.py
    put: src/kiln/heat.py
"""


def written(old: str = "", new: str = "") -> bytes:
    """The case above with one replacement, which must be one."""
    assert not old or CASE.count(old) == 1, old
    return (CASE.replace(old, new) if old else CASE).encode()


def case(old: str = "", new: str = "", *, name: str = "missing_path/kiln.yaml") -> Case:
    parsed = parse(name, written(old, new))
    assert parsed.case is not None, parsed.problems
    return parsed.case


@pytest.fixture
def kiln() -> Case:
    return case()
