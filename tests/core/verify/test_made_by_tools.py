"""Files that a command leaves behind, manifests that cannot be read, and checks that are run plainly as well."""

from __future__ import annotations

import pytest

from bot.core.verify import makers, shell
from bot.core.verify.targets import compose, makefile, package_json
from tests.core.verify.conftest import Bench, plan


def _made(line: str) -> set[str]:
    return {path for each in shell.invocations(line) for path in (*makers.files(each), *shell.writes(each))}


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("npm init -y", "package.json"),
        ("cd web && pnpm init", "web/package.json"),
        ("cargo init", "src/main.rs"),
        ("uv init", "pyproject.toml"),
        ("poetry init -n", "pyproject.toml"),
        ("go mod init shop", "go.mod"),
        ("npx tsc --init", "tsconfig.json"),
        ("npx tailwindcss@3 init -p", "tailwind.config.js"),
        ("npx eslint --init", "eslint.config.js"),
        ("docker init", "Dockerfile"),
        ("bundle init", "Gemfile"),
        ("composer init", "composer.json"),
        ("curl -o rates.json https://host.test/r", "rates.json"),
        ("curl -sSLo rates.json https://host.test/r", "rates.json"),
        ("curl -LO https://host.test/rates.json", "rates.json"),
        ("wget -O rates.json https://host.test/r", "rates.json"),
        ("wget -qO rates.json https://host.test/r", "rates.json"),
        ("git checkout old -- lib/rates.py", "lib/rates.py"),
        ("git restore --source=old lib/rates.py", "lib/rates.py"),
    ],
)
def test_a_command_that_makes_a_file_is_known_to_make_it(line: str, path: str) -> None:
    assert path in _made(line)


@pytest.mark.parametrize(
    "line", ["npm install", "cargo build", "git checkout -b x", "pytest -o a=b", "npx tsc", "ls -o"]
)
def test_other_commands_of_the_same_programs_make_nothing(line: str) -> None:
    assert not _made(line)


def test_a_generator_fills_the_folders_of_its_framework() -> None:
    (call,) = shell.invocations("bundle exec rails g model Invoice")
    assert {"app", "db", "test"} <= set(makers.folders(call))


def test_a_compose_file_without_services_says_nothing() -> None:
    assert compose.services("a: &a [*a]\n") is None


def test_a_makefile_that_make_cannot_read_leaves_its_targets_open() -> None:
    assert makefile.targets("word " * 1000) is None
    assert makefile.targets("ifdef A\nB = 1\nendif\nexport\nall:\n\techo\n") == frozenset({"all"})


def test_dependencies_that_are_no_object_are_not_listed() -> None:
    odd = package_json.read('{"scripts": [1], "dependencies": "x"}')
    assert odd is not None
    assert odd.scripts is None
    assert not odd.listed


def test_a_script_in_a_folder_that_is_nowhere_is_missing(bench: Bench) -> None:
    plan = (
        "# Gears Implementation Plan\n\n### Task 1: Turn\n\n**Files:**\n- Modify: `gears/turn.py`\n\n"
        "- [ ] **Step 1: Check**\n\nRun: `bash scripts/turn.sh`\nExpected: PASS\n"
    )
    report = bench.report({"gears/turn.py": "A = 1\n"}, plan)
    assert len(report.findings) == 1


def test_a_script_that_a_command_sets_is_there(bench: Bench) -> None:
    tree = {"package.json": '{"name": "web", "scripts": {"build": "vite build"}}\n'}
    text = plan('```bash\nnpm pkg set scripts.lint="eslint ."\n```\n\nRun: `npm run lint`\nExpected: PASS\n')
    assert bench.report(tree, text).gating == ()
    assert len(bench.report(tree, plan("Run: `npm run lint`\nExpected: PASS\n")).gating) == 1


def test_what_a_broken_manifest_has_is_not_known(bench: Bench) -> None:
    text = plan("`pandas` is already a dependency in `pyproject.toml`.\n\n- [ ] **Step 1: Use it**\n")
    broken = bench.report({"pyproject.toml": "[project\n"}, text)
    assert broken.gating == ()
    assert any(check.name == "false_premise" and check.reason for check in broken.checks)
    whole = {"pyproject.toml": '[project]\nname = "x"\ndependencies = ["polars"]\n'}
    assert len(bench.report(whole, text).gating) == 1


def test_a_look_at_what_is_left_is_no_check_when_the_check_stands_beside_it(bench: Bench) -> None:
    tree = {"tests/test_a.py": "def test_a():\n    pass\n"}
    step = "Run: `pytest tests || true` to see what is left; then `pytest tests` must pass.\nExpected: PASS\n"
    assert bench.report(tree, plan(step)).gating == ()
    alone = "Run: `pytest tests || true`\nExpected: PASS\n"
    assert len(bench.report(tree, plan(alone)).gating) == 1
