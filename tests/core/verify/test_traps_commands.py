"""Commands that a simpler check takes for wrong."""

from __future__ import annotations

import pytest

from schemas.verify_report import FindingType
from tests.core.verify.conftest import Bench, files, plan, run
from tests.git_repo import Content

VERIFY = FindingType.VERIFY_FORM
TREE: dict[str, Content] = {
    "package.json": '{"name": "root", "workspaces": ["packages/*"], "scripts": {"build": "x"}}',
    "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
    "packages/cog/package.json": '{"name": "@gears/cog", "scripts": {"spin": "x"}}',
    "src/index.ts": "export {};\n",
    "src/gears/wheel.py": "x = 1\n",
    "tests/test_wheel.py": "def test_turn():\n    pass\n",
    "go.mod": "module example.org/gears\n\ngo 1.22\n",
    "internal/cog/cog.go": "package cog\n",
    "internal/cog/cog_test.go": "package cog\n",
    "justfile": (
        "import 'more.just'\nmod oil\n\nbuild target profile='debug':\n\techo {{target}}\n\n@quiet *args:\n\ttrue\n"
    ),
    "more.just": "lint:\n\ttrue\n",
    "oil.just": "drain:\n\ttrue\n",
    "Makefile": "include extra.mk\n\nall:\n\ttrue\n\nout/%.bin: src/%.c\n\ttrue\n",
}


@pytest.mark.parametrize(
    "command",
    [
        "bun run src/index.ts",
        "bun run --cwd packages/cog spin",
        "bunx tsc --noEmit",
        "npx tsc --noEmit",
        "pnpm --filter @gears/cog spin",
        "pnpm --filter @gears/cog run spin",
        "pnpm -r test",
        "npm run spin -w packages/cog",
        "npm run spin --workspace @gears/cog",
        "yarn workspace @gears/cog spin",
    ],
)
def test_a_file_a_flag_or_a_package_is_no_script_name(bench: Bench, command: str) -> None:
    assert bench.findings(TREE, plan(run(command)), VERIFY) == ()


def test_a_script_that_no_manifest_has_is_reported_all_the_same(bench: Bench) -> None:
    assert len(bench.findings(TREE, plan(run("pnpm run polish")), VERIFY)) == 1


@pytest.mark.parametrize("command", ["go test ./...", "go build ./internal/...", "go vet ./... && go test -race ./..."])
def test_three_dots_of_go_are_a_wildcard(bench: Bench, command: str) -> None:
    assert bench.findings(TREE, plan(run(command)), VERIFY) == ()


@pytest.mark.parametrize(
    "command",
    [
        "just build linux",
        "just build linux release",
        "just lint",
        "just quiet a b",
        "just oil drain",
        "just oil::drain",
    ],
)
def test_recipes_have_parameters_imports_and_modules(bench: Bench, command: str) -> None:
    assert bench.findings(TREE, plan(run(command)), VERIFY) == ()


@pytest.mark.parametrize("command", ["go test ./internal/axle", "just polish"])
def test_a_package_or_a_recipe_that_is_not_there_is_reported(bench: Bench, command: str) -> None:
    assert len(bench.findings(TREE, plan(run(command)), VERIFY)) == 1


@pytest.mark.parametrize("command", ["make out/wheel.bin", "make whatever-extra-mk-has", "make all"])
def test_targets_of_patterns_and_included_files_are_unknown(bench: Bench, command: str) -> None:
    assert bench.findings(TREE, plan(run(command)), VERIFY) == ()


def test_a_target_that_a_makefile_without_patterns_lacks_is_reported(bench: Bench) -> None:
    tree: dict[str, Content] = {**TREE, "Makefile": "all:\n\ttrue\n"}
    assert len(bench.findings(tree, plan(run("make polish")), VERIFY)) == 1


@pytest.mark.parametrize(
    "command",
    [
        "npm run polish || true",
        "npm run polish 2>/dev/null || echo none",
        "if [ -f polish.sh ]; then npm run polish; fi",
    ],
)
def test_a_command_whose_failure_is_tolerated_is_no_claim_that_it_works(bench: Bench, command: str) -> None:
    step = f"- [ ] **Step 1: Tidy up**\n\n```bash\n{command}\n```\n"
    found = bench.findings(TREE, plan(step), VERIFY)
    assert not any("polish" in finding.message for finding in found)


def test_the_same_command_whose_failure_counts_is_reported(bench: Bench) -> None:
    step = "- [ ] **Step 1: Tidy up**\n\n```bash\nnpm run polish\n```\n"
    (finding,) = bench.findings(TREE, plan(step), VERIFY)
    assert "polish" in finding.message


def test_a_red_step_may_run_the_test_that_is_still_to_be_written(bench: Bench) -> None:
    text = plan(
        "**Files:**\n- Create: `src/gears/axle.py`\n- Test: `tests/test_axle.py`\n\n"
        "- [ ] **Step 1: Run it**\n\nRun: `pytest tests/test_axle.py -v`\nExpected: FAIL\n\n"
        "- [ ] **Step 2: Write it and run again**\n\nRun: `pytest tests/test_axle.py -v`\nExpected: PASS\n"
    )
    assert bench.report(TREE, text).gating == ()


def test_a_file_that_is_only_staged_is_not_created_by_that(bench: Bench) -> None:
    commit = "- [ ] **Step 2: Commit**\n\n```bash\ngit add src/gears/axle.py\ngit commit -m x\n```\n"
    text = plan(files("Modify: `src/gears/wheel.py`") + commit, files("Modify: `src/gears/axle.py`"))
    types = {finding.type for finding in bench.report(TREE, text).gating}
    assert FindingType.MISSING_PATH in types
