from __future__ import annotations

import pytest

from tests.core.verify.conftest import run
from tests.core.verify.targets.conftest import Aims

TREE = {
    "src/gears/wheel.py": "",
    "web/src/wheel.ts": "",
    "web/tsconfig.json": "{}\n",
}


@pytest.mark.parametrize(
    ("command", "subject", "suggestion"),
    [
        ("ruff check src/gears/wheels.py", "src/gears/wheels.py", "src/gears/wheel.py"),
        ("uv run ruff format --check src/gear", "src/gear", None),
        ("mypy --config-file x.ini --strict src/gears/wheels.py", "src/gears/wheels.py", "src/gears/wheel.py"),
        ("python -m mypy src/gears/wheels.py", "src/gears/wheels.py", "src/gears/wheel.py"),
        ("npx eslint --ext .ts --fix web/src/wheels.ts", "web/src/wheels.ts", "web/src/wheel.ts"),
        ("npx prettier --check web/src/wheels.ts", "web/src/wheels.ts", "web/src/wheel.ts"),
        ("npx tsc --noEmit -p web/tsconfig.app.json", "web/tsconfig.app.json", "web/tsconfig.json"),
        ("cd web && pnpm exec eslint src/wheels.ts", "src/wheels.ts", "web/src/wheel.ts"),
    ],
)
def test_a_path_that_is_not_there_is_reported(aims: Aims, command: str, subject: str, suggestion: str | None) -> None:
    found = aims(TREE, command)
    assert [each[0] for each in found] == [subject]
    assert suggestion in (None, found[0][1])


@pytest.mark.parametrize(
    "command",
    [
        "ruff check .",
        "ruff check src/",
        "ruff check tests",
        "ruff check packages/app",
        "ruff rule none/x.py",
        "ruff check --new-option src/none.py",
        "mypy -p none.x src/gears",
        "mypy src/gears/wheel.py",
        "eslint 'web/src/**/*.tsx'",
        "eslint -c none/x.js web/src",
        "npx tsc --noEmit",
        "npx prettier@3 --check web/none.ts",
        "ruff check $FILES",
        "! ruff check src/none.py",
        "cd $X && ruff check src/none.py",
        "pnpm --filter web exec eslint src/none.ts",
    ],
)
def test_paths_and_what_cannot_be_known_are_not(aims: Aims, command: str) -> None:
    assert aims(TREE, command) == []


def test_a_path_that_the_plan_creates_is_there(aims: Aims) -> None:
    assert aims(TREE, run("ruff check src/gears/axle.py", "PASS", "Create: `src/gears/axle.py`")) == []
