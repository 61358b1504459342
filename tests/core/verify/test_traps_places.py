"""Paths that are right although the tree does not have them under that name."""

from __future__ import annotations

import pytest

from bot.core.plans.model import Format
from schemas.verify_report import FindingType, Severity
from tests.core.verify.conftest import Bench, files, plan, run
from tests.git_repo import Content, Submodule

TREE: dict[str, Content] = {"src/gears/wheel.py": "x = 1\n", "src/gears/cog.py": "y = 1\n"}
MISSING = FindingType.MISSING_PATH


def test_a_path_that_the_tree_ought_to_have_is_missing_under_each_of_these_names(bench: Bench) -> None:
    (finding,) = bench.report(TREE, plan(files("Modify: `src/gears/axle.py`"))).findings
    assert (finding.type, finding.severity) == (MISSING, Severity.BLOCKER)


@pytest.mark.parametrize(
    "text",
    [
        "| Repo | File | Action |\n|---|---|---|\n| gears-docs | `src/gears/guide.py` | Modify |\n",
        "| File | Repository | Action |\n|---|---|---|\n| `src/gears/guide.py` | gears-docs | Modify |\n",
        "**Files:**\n- Modify: `src/gears/guide.py` in the gears-docs repo\n",
        "**Files:**\n- Modify: `src/gears/guide.py` (sibling repository)\n",
    ],
)
def test_a_file_of_a_sibling_repository_is_not_missing_here(bench: Bench, text: str) -> None:
    assert bench.report(TREE, plan(files("Modify: `src/gears/cog.py`"), text)).gating == ()


def test_a_path_whose_first_folder_is_nowhere_in_the_tree_may_be_meant_elsewhere(bench: Bench) -> None:
    assert bench.report(TREE, plan(files("Modify: `gears-web/app/page.ts`"))).findings == ()


def test_a_file_in_a_submodule_is_unknown(bench: Bench) -> None:
    tree: dict[str, Content] = {
        **TREE,
        ".gitmodules": '[submodule "oil"]\n\tpath = src/oil\n\turl = ../oil\n',
        "src/oil": Submodule(),
    }
    text = plan(files("Modify: `src/oil/can.py`", "Create: `src/oil/drop.py`", "Delete: `src/oil/old.py`"))
    assert bench.report(tree, text).findings == ()


def test_paths_that_stand_below_a_base_folder_named_once_are_there(bench: Bench) -> None:
    tree: dict[str, Content] = {"native/macos/Gears/Cog.swift": "", "native/macos/Gears/Sub/Rim.swift": "", **TREE}
    text = (
        "# Tasks: gears\n\nSwift paths are relative to `native/macos/Gears/`.\n\n"
        "- [ ] T001 Modify `Sub/Rim.swift`\n- [ ] T002 Create `Sub/Axle.swift`\n- [ ] T003 Modify `Sub/Axle.swift`\n"
    )
    assert bench.report(tree, text, path="specs/001-gears/tasks.md", format=Format.SPECKIT).gating == ()


def test_without_a_declaration_the_only_file_with_that_ending_is_meant(bench: Bench) -> None:
    tree: dict[str, Content] = {**TREE, "packages/web/app/page.ts": ""}
    assert bench.report(tree, plan(files("Modify: `app/page.ts`"))).findings == ()


@pytest.mark.parametrize(
    "command",
    [
        "cd web && npm run build",
        "(cd web && npm run build)",
        "npm --prefix web run build",
        "npm run build --prefix web",
        "pnpm --dir web run build",
        "pnpm -C web build",
        "yarn --cwd web build",
        "bun run --cwd web build",
        "make -C web check",
        "git -C web status",
        "pushd web && npm run build && popd",
        "docker exec box sh -c 'cd /app && npm run typecheck'",
        "docker compose exec box npm run typecheck",
    ],
)
def test_a_command_that_changes_its_directory_is_judged_there(bench: Bench, command: str) -> None:
    tree: dict[str, Content] = {
        **TREE,
        "package.json": '{"scripts": {"start": "x"}}',
        "web/package.json": '{"scripts": {"build": "x"}}',
        "web/Makefile": "check:\n\ttrue\n",
        "Makefile": "all:\n\ttrue\n",
        "compose.yaml": "services:\n  box:\n    image: x\n",
    }
    assert bench.findings(tree, plan(run(command)), FindingType.VERIFY_FORM) == ()


def test_a_command_in_the_wrong_directory_is_wrong(bench: Bench) -> None:
    tree: dict[str, Content] = {
        **TREE,
        "package.json": '{"scripts": {"start": "x"}}',
        "web/package.json": '{"scripts": {"build": "x"}}',
    }
    assert len(bench.findings(tree, plan(run("cd web && npm run start")), FindingType.VERIFY_FORM)) == 1


@pytest.mark.parametrize(
    "move",
    [
        "Move: `src/gears/cog.py` → `src/gears/parts/cog.py`",
        "Rename: `src/gears/cog.py` to `src/gears/parts/cog.py`",
    ],
)
def test_the_target_of_a_refactoring_is_there_afterwards(bench: Bench, move: str) -> None:
    text = plan(files(move), files("Modify: `src/gears/parts/cog.py`", "Test: `tests/test_cog.py`"))
    assert bench.report(TREE, text).findings == ()


def test_the_source_of_a_refactoring_is_gone(bench: Bench) -> None:
    text = plan(files("Move: `src/gears/cog.py` → `src/gears/parts/cog.py`"), files("Modify: `src/gears/cog.py`"))
    assert [each.type for each in bench.report(TREE, text).gating] == [FindingType.TASK_ORDER]


def test_a_git_mv_is_a_move_as_well(bench: Bench) -> None:
    step = "- [ ] **Step 1: Move**\n\n```bash\ngit mv src/gears/cog.py src/gears/parts.py\n```\n"
    assert bench.report(TREE, plan(step, files("Modify: `src/gears/parts.py`"))).gating == ()


@pytest.mark.parametrize(
    "path",
    [
        "app/[slug]/page.tsx",
        "app/(shop)/cart/page.tsx",
        "app/blog/[...parts]/page.tsx",
        "app/[[...all]]/page.tsx",
        "app/@modal/(.)photo/page.tsx",
        "app/+html.tsx",
        "routes/$user.tsx",
    ],
)
def test_a_router_name_is_an_ordinary_path(bench: Bench, path: str) -> None:
    tree: dict[str, Content] = {**TREE, path: "export {};\n"}
    assert bench.report(tree, plan(files(f"Modify: `{path}`"))).findings == ()
    made = plan(files(f"Create: `{path}`"), files(f"Modify: `{path}`"))
    assert bench.report({**TREE, "app/layout.tsx": "", "routes/a.tsx": ""}, made).gating == ()


def test_a_router_name_that_is_not_there_is_missing(bench: Bench) -> None:
    tree: dict[str, Content] = {**TREE, "app/[id]/page.tsx": "export {};\n"}
    (finding,) = bench.findings(tree, plan(files("Modify: `app/[id]/layout.tsx`")), MISSING)
    assert finding.gating


@pytest.mark.parametrize(
    "path",
    [
        "dist/gears.js",
        "src/gears/__pycache__/wheel.pyc",
        "node_modules/oil/index.js",
        "src/gears/wheel_pb2.py",
        "src/gears/wheel.generated.ts",
        "coverage/lcov.info",
        "src/gears/local.toml",
        "src/gears/.env",
    ],
)
def test_what_a_tool_writes_or_git_ignores_is_not_missing(bench: Bench, path: str) -> None:
    tree: dict[str, Content] = {**TREE, ".gitignore": "local.toml\n"}
    assert bench.report(tree, plan(files(f"Modify: `{path}`"))).gating == ()


@pytest.mark.parametrize("path", ["src/gears/global.toml", "src/gears/axle.js"])
def test_what_a_person_writes_is(bench: Bench, path: str) -> None:
    tree: dict[str, Content] = {**TREE, ".gitignore": "local.toml\n"}
    assert [each.subject for each in bench.report(tree, plan(files(f"Modify: `{path}`"))).gating] == [path]


@pytest.mark.parametrize("path", ["SRC/gears/wheel.py", "src/Gears/Wheel.py"])
def test_a_path_in_other_letters_is_no_accusation_when_it_is_changed(bench: Bench, path: str) -> None:
    report = bench.report(TREE, plan(files(f"Modify: `{path}`")))
    assert [each.severity for each in report.findings] in ([], [Severity.ADVICE])


def test_a_path_in_other_letters_is_there_already_when_it_is_created(bench: Bench) -> None:
    found = bench.findings(TREE, plan(files("Create: `src/gears/Wheel.py`")), FindingType.IGNORES_EXISTING_CODE)
    assert [each.gating for each in found] == [True]


@pytest.mark.parametrize(
    "path",
    [
        "/Users/ada/code/gears/src/gears/wheel.py",
        "/home/ada/gears/src/gears/wheel.py",
        "~/work/gears/src/gears/wheel.py",
        "C:\\\\work\\\\gears\\\\src\\\\gears\\\\wheel.py",
    ],
)
def test_a_developers_own_path_is_cut_down_to_the_repository(bench: Bench, path: str) -> None:
    assert bench.report(TREE, plan(files(f"Modify: `{path}`"))).findings == ()
    (finding,) = bench.report(TREE, plan(files("Create: `/Users/ada/code/gears/src/gears/wheel.py`"))).findings
    assert finding.type is FindingType.IGNORES_EXISTING_CODE
