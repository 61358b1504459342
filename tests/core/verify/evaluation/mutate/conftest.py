from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.core.judge import Case
from bot.core.plans import parse
from bot.core.plans.model import Document
from bot.core.verify.evaluation.mutate.model import Mutant, Mutator, Subject
from schemas.engine import Limits
from tests.git_repo import Content, build_repo

PLAN = "docs/plans/2026-02-03-teeth.md"
TREE: Mapping[str, Content] = {
    "README.md": "# Gears\n",
    "src/wheel.py": "def turn_wheel(teeth: int) -> int:\n    return teeth\n",
    "src/axle.py": "GREASE = 3\n",
    "tests/test_wheel.py": "def test_wheel() -> None:\n    assert True\n",
    "pyproject.toml": '[project]\nname = "gears"\nversion = "1.0"\ndependencies = []\n',
}
TEXT = """# Teeth Implementation Plan

**Goal:** Count the teeth.

### Task 1: Count

**Files:**
- Create: `src/teeth.py`
- Modify: `src/wheel.py`

- [ ] **Step 1: Write the counter**

Write a function that counts and returns an int.
It takes the wheel.
Then it is exported.

Run: `pytest tests/test_wheel.py -v`
Expected: PASS

### Task 2: Use the count

**Files:**
- Modify: `src/teeth.py`
- Modify: `src/axle.py`

- [ ] **Step 1: Call it**

Call the counter where the axle is built.
Pass it the wheel.

### Task 3: Tell people

**Files:**
- Modify: `README.md`

- [ ] **Step 1: Describe it**

Say what the count is for.
"""


class Shop:
    """Plans on a small real repository, ready to have defects seeded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0

    def case(
        self,
        text: str = TEXT,
        files: Mapping[str, Content] = TREE,
        *,
        path: str = PLAN,
        more: Mapping[str, str] | None = None,
    ) -> Case:
        self.count += 1
        repo = build_repo(self.folder / str(self.count), files)
        documents = (Document(path, text), *(Document(name, body) for name, body in (more or {}).items()))
        return Case(repo.repo, documents, Limits(), repo.head)

    def subject(self, text: str = TEXT, files: Mapping[str, Content] = TREE, **more: object) -> Subject:
        case = self.case(text, files, **more)  # type: ignore[arg-type]
        return Subject(parse(case.documents), case.tree())

    def seeded(
        self, mutator: Mutator, text: str = TEXT, files: Mapping[str, Content] = TREE, **more: object
    ) -> list[Mutant]:
        return list(mutator(self.subject(text, files, **more)))


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def shown(mutant: Mutant) -> list[str]:
    """The lines at which the defect can be seen."""
    texts = {document.path: document.text.split("\n") for document in mutant.documents}
    return [texts[spot.path][spot.first - 1] for spot in mutant.seed.spots]
