from __future__ import annotations

import pytest

from schemas.verify_report import FindingType, Severity
from tests.core.verify.conftest import Bench, files, plan

EXISTS = FindingType.IGNORES_EXISTING_CODE
TREE = {"src/gears/wheel.py": "x = 1\n", "src/gears/cog.py": "y = 1\n", "src/gears/__init__.py": ""}


def test_creating_a_file_that_is_there_ignores_existing_code(bench: Bench) -> None:
    (finding,) = bench.report(TREE, plan(files("Create: `src/gears/cog.py`"))).findings
    assert (finding.type, finding.severity, finding.gating) == (EXISTS, Severity.MAJOR, True)
    assert finding.evidence[0].path == "src/gears/cog.py"
    assert not finding.evidence[0].absent


def test_creating_a_file_that_is_there_in_other_letters_does_too(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, plan(files("Create: `src/gears/Cog.py`")), EXISTS)
    assert (finding.suggestion, finding.gating) == ("src/gears/cog.py", True)


def test_two_tasks_that_create_one_file_are_not_existing_code(bench: Bench) -> None:
    text = plan(files("Create: `src/gears/axle.py`"), files("Create: `src/gears/axle.py`"))
    assert bench.findings(TREE, text, EXISTS) == ()


@pytest.mark.parametrize(
    "bullets",
    [
        ("Create: `src/gears/`",),
        ("Create or modify: `src/gears/cog.py`",),
        ("Create/Modify: `src/gears/cog.py`",),
        ("Create (if needed): `src/gears/cog.py`",),
        ("Create: `src/gears/__init__.py`",),
        ("Modify: `src/gears/cog.py`", "Create: `src/gears/cog.py`"),
        ("Test: `src/gears/cog.py`",),
    ],
)
def test_what_does_not_overlook_the_file_does_not_gate(bench: Bench, bullets: tuple[str, ...]) -> None:
    assert bench.report(TREE, plan(files(*bullets))).gating == ()


def test_a_file_of_the_same_change_is_not_existing_code(bench: Bench) -> None:
    text = plan(files("Create: `src/gears/cog.py`"))
    assert bench.findings(TREE, text, EXISTS, known_added=frozenset({"src/gears/cog.py"})) == ()


def test_a_finished_task_has_created_its_file(bench: Bench) -> None:
    text = plan(
        "**Files:**\n- Create: `src/gears/cog.py`\n\n- [x] **Step 1: Do it**\n", files("Modify: `src/gears/cog.py`")
    )
    assert bench.findings(TREE, text, EXISTS) == ()
