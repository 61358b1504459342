from __future__ import annotations

import pytest

from tests.core.verify.conftest import files, run
from tests.core.verify.targets.conftest import Aims

TREE = {
    "scripts/wind.py": "",
    "scripts/wind.sh": "",
    "scripts/wind.mjs": "",
    "src/gears/__init__.py": "from gears.api import serve\n",
    "src/gears/wheel.py": "",
    "src/gears/cli/__main__.py": "",
    "src/gears/cli/__init__.py": "",
    "tests/__init__.py": "",
    "tests/test_wheel.py": "",
    "web/tools/seed.ts": "",
}


@pytest.mark.parametrize(
    ("command", "subject", "suggestion"),
    [
        ("python scripts/winds.py --fast scripts/none.py", "scripts/winds.py", "scripts/wind.py"),
        ("uv run python -u scripts/winds.py", "scripts/winds.py", "scripts/wind.py"),
        ("uv run scripts/winds.py", "scripts/winds.py", "scripts/wind.py"),
        ("poetry run python3 -W error scripts/winds.py", "scripts/winds.py", "scripts/wind.py"),
        ("hatch run python scripts/winds.py", "scripts/winds.py", "scripts/wind.py"),
        ("bash -eu scripts/winds.sh", "scripts/winds.sh", "scripts/wind.sh"),
        ("./scripts/winds.sh --all", "./scripts/winds.sh", "scripts/wind.sh"),
        ("node --import tsx scripts/winds.mjs", "scripts/winds.mjs", "scripts/wind.mjs"),
        ("npx tsx web/tools/seeds.ts", "web/tools/seeds.ts", "web/tools/seed.ts"),
        ("pnpm -C web exec tsx tools/seeds.ts", "tools/seeds.ts", "web/tools/seed.ts"),
        ("bun run web/tools/seeds.ts", "web/tools/seeds.ts", "web/tools/seed.ts"),
        ("deno run --allow-all web/tools/seeds.ts", "web/tools/seeds.ts", "web/tools/seed.ts"),
        ("cd scripts && python winds.py", "winds.py", "scripts/wind.py"),
        ("python -m gears.wheels", "gears.wheels", "src/gears/wheel.py"),
        ("python -m gears.clis.main", "gears.clis.main", None),
        ("python -m unittest tests.test_wheels.TestTurn", "tests.test_wheels.TestTurn", "tests/test_wheel.py"),
    ],
)
def test_a_script_or_module_that_is_not_there_is_reported(
    aims: Aims, command: str, subject: str, suggestion: str | None
) -> None:
    found = aims(TREE, command)
    assert [each[0] for each in found] == [subject]
    assert suggestion in (None, found[0][1])


@pytest.mark.parametrize(
    "command",
    [
        "python scripts/wind.py",
        "python -c 'import none.x'",
        "python -m json.tool",
        "python -m gears.wheel",
        "python -m gears.cli",
        "python -m gears.api",
        "python -m gears.serve",
        "python -m pip install x",
        "python -m unittest discover -s tests.none",
        "python -m unittest tests.test_wheel.TestTurn.test_a",
        "python migrate.py",
        "python $SCRIPT",
        "python scripts/<name>.py",
        "python scripts/my_script.py",
        "python /opt/none/x.py",
        "bash -c 'none/x.sh'",
        "bash -n scripts/wind.sh",
        "./build/app",
        "./gears",
        "scripts/winder",
        "node -e 'require(\"./scripts/none.mjs\")'",
        "node dist/index.mjs",
        "bun run dev",
        "bunx none/x.ts",
        "bun run --cwd web none/x.ts",
        "docker exec -w /app box python scripts/none.py",
        "cd $HOME && python scripts/none.py",
        "! python scripts/none.py",
        "test -f x || python scripts/none.py",
        "python wind.py",
    ],
)
def test_scripts_and_what_cannot_be_known_are_not(aims: Aims, command: str) -> None:
    assert aims(TREE, command) == []


def test_a_script_that_its_task_creates_is_there(aims: Aims) -> None:
    assert aims(TREE, run("bash scripts/new.sh", "PASS", "Create: `scripts/new.sh`")) == []
    assert aims(TREE, run("python -m gears.new", "PASS", "Create: `src/gears/new.py`")) == []
    assert aims(TREE, "cat x > scripts/new.sh && bash scripts/new.sh") == []


def test_a_script_that_only_a_later_task_creates_is_too_early(aims: Aims) -> None:
    (finding,) = aims.findings(TREE, "bash scripts/new.sh", files("Create: `scripts/new.sh`"))
    assert finding.message == "no such script yet, Task 2 creates it later"


def test_a_script_that_an_earlier_task_deletes_is_gone(aims: Aims) -> None:
    (finding,) = aims.findings(TREE, files("Delete: `scripts/wind.sh`"), "bash scripts/wind.sh")
    assert finding.message == "Task 1 deletes or moves this script before"


def test_a_script_that_the_text_speaks_of_may_be_written_on_the_way(aims: Aims) -> None:
    assert aims(TREE, run("bash scripts/new.sh") + "\nWrite the loop to new.sh as shown.\n") == []


def test_a_script_of_another_plan_of_the_folder_is_not_missed(aims: Aims) -> None:
    other = {"docs/plans/2026-01-01-tools.md": "# Tools\n\n- Create: `scripts/new.sh`\n"}
    assert aims({**TREE, **other}, "bash scripts/new.sh") == []


def test_a_red_step_may_run_what_does_not_exist_yet(aims: Aims) -> None:
    assert aims(TREE, run("bash scripts/new.sh", "FAIL, no such file")) == []
