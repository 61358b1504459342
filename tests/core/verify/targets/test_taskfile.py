from __future__ import annotations

import pytest

from tests.core.verify.conftest import files, run
from tests.core.verify.targets.conftest import Aims

TREE = {
    "Taskfile.yml": "version: '3'\nincludes:\n  docs: ./docs\n  web: {taskfile: ./web, aliases: [w]}\ntasks:\n"
    "  lint:\n    aliases: [l]\n    cmds: [ruff check]\n  test:unit: pytest\n",
    "src/a.py": "",
}


@pytest.mark.parametrize(
    ("command", "subject", "suggestion"),
    [
        ("task lintt", "lintt", "lint"),
        ("task lint test:units", "test:units", "test:unit"),
        ("go-task -v lintt CASE=1", "lintt", "lint"),
        ("cd src && task lintt", "lintt", "lint"),
        ("task -t Taskfile.yml lintt", "lintt", "lint"),
    ],
)
def test_a_task_that_is_not_there_is_reported(aims: Aims, command: str, subject: str, suggestion: str) -> None:
    assert aims(TREE, command) == [(subject, suggestion)]


@pytest.mark.parametrize(
    "command",
    ["task", "task l", "task lint test:unit", "task docs:none", "w:none", "task w:none", "task --list", "task $X none",
     "task lint -- none", "task -d other none", "task A=b", "! task none"],
)  # fmt: skip
def test_tasks_and_what_cannot_be_known_are_not(aims: Aims, command: str) -> None:
    assert aims(TREE, command) == []


def test_a_task_that_the_plan_adds_is_there(aims: Aims) -> None:
    assert aims(TREE, files("Modify: `Taskfile.yml`"), "task none") == []
    assert aims(TREE, run("task none") + "\n```yaml\n  none:\n    cmds: [true]\n```\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "version: '3'\nincludes: {a: {taskfile: ./a, flatten: true}}\ntasks: {b: x}\n",
        "tasks: {'gen:*': x}\n",
        "- a\n",
        "{",
    ],
)
def test_a_taskfile_that_leaves_its_names_open_says_so(aims: Aims, text: str) -> None:
    assert "Taskfile.yml" in aims.notes({"Taskfile.yml": text}, "task none")
