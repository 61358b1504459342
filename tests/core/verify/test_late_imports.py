"""Code of a task that imports what only a later task creates."""

from __future__ import annotations

import pytest

from schemas.verify_report import Finding, FindingType, Severity
from tests.core.verify.conftest import Bench, plan
from tests.git_repo import Content

ORDER = FindingType.TASK_ORDER
TREE: dict[str, Content] = {
    "gears/__init__.py": "",
    "gears/cog.py": "y = 1\n",
    "web/main.ts": "export {};\n",
    "web/cog.ts": "export const cog = 1;\n",
}
LATER = "**Files:**\n- Create: `{0}`\n\n- [ ] **Step 1: Write it**\n"


def writes(path: str, language: str, code: str, expected: str = "PASS", action: str = "Create") -> str:
    return (
        f"**Files:**\n- {action}: `{path}`\n\n- [ ] **Step 1: Write `{path}`**\n\n```{language}\n{code}\n```\n\n"
        f"Run: `python -m gears`\nExpected: {expected}\n"
    )


def found(bench: Bench, *tasks: str) -> list[Finding]:
    return [each for each in bench.findings(TREE, plan(*tasks), ORDER) if "imports" in each.message]


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("from gears.axle import turn", "gears/axle.py"),
        ("from gears import axle", "gears/axle.py"),
        ("import gears.axle", "gears/axle.py"),
        ("from .axle import turn", "gears/axle.py"),
        ("from gears.axle import (\n    halt,\n    turn,\n)", "gears/axle/__init__.py"),
    ],
)
def test_a_python_module_of_a_later_task(bench: Bench, code: str, made: str) -> None:
    (finding,) = found(bench, writes("gears/wheel.py", "python", f"import os\n\n{code}"), LATER.format(made))
    assert (finding.severity, finding.task) == (Severity.MAJOR, "Task 1")
    assert finding.message == f"imports {made}, which Task 2 creates only later"
    assert finding.evidence[0].absent


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ('import { turn } from "./axle";', "web/axle.ts"),
        ("import turn from './axle.js'", "web/axle.ts"),
        ('import {\n  halt,\n  turn,\n} from "./parts";', "web/parts/index.tsx"),
        ('import "../lib/axle";', "lib/axle.ts"),
        ('export * from "./axle";', "web/axle.tsx"),
        ('const { turn } = require("./axle");', "web/axle.js"),
    ],
)
def test_a_script_of_a_later_task(bench: Bench, code: str, made: str) -> None:
    (finding,) = found(bench, writes("web/main.ts", "ts", code, action="Modify"), LATER.format(made))
    assert finding.message == f"imports {made}, which Task 2 creates only later"


@pytest.mark.parametrize(
    "code",
    [
        "def late():\n    from gears.axle import turn",  # runs when it is called
        "try:\n    from gears.axle import turn\nexcept ImportError:\n    turn = None",
        "from gears.cog import y",
        "from axle import turn",  # as likely a library
        "from other.axle import turn",
    ],
)
def test_what_need_not_be_there_yet_is_fine(bench: Bench, code: str) -> None:
    later = LATER.format("gears/axle.py")
    assert found(bench, writes("gears/wheel.py", "python", code), later) == []
    assert len(found(bench, writes("gears/wheel.py", "python", f"{code}\nfrom gears.axle import halt"), later)) == 1


@pytest.mark.parametrize(
    "code", ['import type { Turn } from "./axle";', 'import { cog } from "./cog";', 'import x from "axle";']
)
def test_types_and_what_is_there_are_fine(bench: Bench, code: str) -> None:
    later = LATER.format("web/axle.ts")
    assert found(bench, writes("web/main.ts", "ts", code, action="Modify"), later) == []
    code += '\nimport { halt } from "./axle";'
    assert len(found(bench, writes("web/main.ts", "ts", code, action="Modify"), later)) == 1


def test_a_module_of_the_same_or_an_earlier_task_is_there(bench: Bench) -> None:
    wheel = writes("gears/wheel.py", "python", "from gears.axle import turn")
    assert found(bench, LATER.format("gears/axle.py"), wheel) == []
    assert len(found(bench, wheel, LATER.format("gears/axle.py"))) == 1
    assert (
        found(bench, wheel.replace("**Files:**", "**Files:**\n- Create: `gears/axle.py`"), LATER.format("gears/rim.py"))
        == []
    )


def test_a_module_whose_code_stands_in_the_same_task_is_there(bench: Bench) -> None:
    wheel = writes("gears/wheel.py", "python", "from gears.axle import turn")
    shown = "\nAnd `gears/axle.py`:\n\n```python\ndef turn():\n    pass\n```\n"
    assert found(bench, wheel + shown, LATER.format("gears/axle.py")) == []
    assert len(found(bench, wheel + shown.replace("axle", "rim"), LATER.format("gears/axle.py"))) == 1


def test_tests_that_are_to_fail_until_the_next_task_are_at_most_a_doubt(bench: Bench) -> None:
    test = writes("tests/test_axle.py", "python", "from gears.axle import turn", "FAIL")
    assert [each.severity for each in found(bench, test, LATER.format("gears/axle.py"))] == [Severity.ADVICE]


def test_a_task_that_speaks_of_the_later_one_knows(bench: Bench) -> None:
    wheel = writes("gears/wheel.py", "python", "from gears.axle import turn") + "\nTask 2 brings the axle.\n"
    assert [each.severity for each in found(bench, wheel, LATER.format("gears/axle.py"))] == [Severity.ADVICE]


def test_code_for_another_file_than_the_tasks_own_is_not_judged(bench: Bench) -> None:
    wheel = writes("gears/wheel.py", "python", "x = 1")
    other = wheel + "\nLater `gears/rim.py` reads:\n\n```python\nfrom gears.axle import turn\n```\n"
    assert found(bench, other, LATER.format("gears/axle.py")) == []
    assert (
        len(found(bench, other.replace("Later `gears/rim.py`", "Then `gears/wheel.py`"), LATER.format("gears/axle.py")))
        == 1
    )
