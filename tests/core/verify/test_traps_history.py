"""Plans that are right at the commit they were written for, or beside other plans, branches and clones."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.core.judge import judge
from schemas.engine import Request
from schemas.verify_report import FindingType, Severity, Verdict, VerifyReport
from tests.core.verify.conftest import Bench, files, plan, run
from tests.git_repo import Content, GitRepo, build_repo

TREE: dict[str, Content] = {"src/gears/wheel.py": "x = 1\n", "src/gears/cog.py": "y = 1\n"}
PLAN = "docs/plans/gears.md"
MISSING = FindingType.MISSING_PATH
EXISTING = FindingType.IGNORES_EXISTING_CODE


@pytest.fixture
def made(tmp_path: Path) -> GitRepo:
    return build_repo(tmp_path / "r", TREE)


def ask(made: GitRepo, path: str = PLAN, **more: object) -> VerifyReport:
    return judge(Request.model_validate({"repo": str(made.path), "plan": path, **more}))


def test_a_plan_that_is_moved_to_the_archive_is_judged_as_when_it_was_written(made: GitRepo) -> None:
    made.commit({PLAN: plan(files("Create: `src/gears/axle.py`", "Modify: `src/gears/cog.py`"))})
    made.commit({"src/gears/axle.py": "z = 1\n", "src/gears/cog.py": None})
    text = plan(files("Create: `src/gears/axle.py`", "Modify: `src/gears/cog.py`"))
    made.commit({PLAN: None, "docs/plans/archive/gears.md": text})
    report = ask(made, "docs/plans/archive/gears.md")
    assert (report.verdict, report.findings) == (Verdict.CLEAN, ())


def test_an_archived_plan_that_is_rewritten_on_the_way_is_judged_anew(made: GitRepo) -> None:
    made.commit({PLAN: plan(files("Create: `src/gears/axle.py`"))})
    made.commit({"src/gears/axle.py": "z = 1\n"})
    made.commit({PLAN: None, "docs/plans/archive/wheels.md": plan(files("Create: `src/gears/axle.py` for the axles"))})
    assert [each.type for each in ask(made, "docs/plans/archive/wheels.md").findings] == [EXISTING]


def test_a_plan_squashed_with_its_code_is_judged_without_that_code(made: GitRepo) -> None:
    text = plan(files("Create: `src/gears/axle.py`", "Modify: `src/gears/wheel.py`"))
    made.commit({PLAN: text, "src/gears/axle.py": "z = 1\n", "src/gears/wheel.py": "x = 2\n"})
    assert ask(made).findings == ()


def test_a_mistake_in_a_plan_squashed_with_its_code_is_still_one(made: GitRepo) -> None:
    made.commit({PLAN: plan(files("Modify: `src/gears/rim.py`")), "src/gears/axle.py": "z = 1\n"})
    assert [(each.type, each.subject) for each in ask(made).gating] == [(MISSING, "src/gears/rim.py")]


def test_a_file_that_a_plan_of_the_same_folder_creates_is_at_most_advice(made: GitRepo) -> None:
    made.commit({"docs/plans/axles.md": plan(files("Create: `src/gears/axle.py`"))})
    made.commit({PLAN: plan(files("Modify: `src/gears/axle.py`"))})
    assert [each.severity for each in ask(made).findings] == [Severity.ADVICE]


def test_a_file_that_an_open_change_beside_it_creates_is_at_most_advice(made: GitRepo) -> None:
    made.commit({"openspec/changes/add-axles/tasks.md": "## 1. Axles\n\n- [ ] 1.1 Create `src/gears/axle.py`\n"})
    changed = "openspec/changes/turn-axles/tasks.md"
    made.commit({changed: "## 1. Turn\n\n- [ ] 1.1 Modify `src/gears/axle.py`\n- [ ] 1.2 Modify `src/gears/cog.py`\n"})
    assert ask(made, changed).gating == ()


def test_a_feature_beside_it_may_create_what_a_feature_changes(made: GitRepo) -> None:
    made.commit({"specs/001-axles/tasks.md": "# Tasks: Axles\n\n- [ ] T001 Create `src/gears/axle.py`\n"})
    later = "specs/002-turn/tasks.md"
    made.commit(
        {later: "# Tasks: Turn\n\n- [ ] T001 Modify `src/gears/axle.py`\n- [ ] T002 Modify `src/gears/cog.py`\n"}
    )
    assert ask(made, later).gating == ()


@pytest.mark.parametrize(
    "line",
    [
        "- Modify: `origin/rework:src/gears/axle.py`",
        "- Modify: `src/gears/axle.py` (on the `rework` branch)",
        "- Modify: `src/gears/axle.py` in the rework worktree",
        "- Read: `rework:src/gears/axle.py`",
    ],
)
def test_a_file_of_another_branch_is_not_missing_here(bench: Bench, line: str) -> None:
    assert bench.report(TREE, plan(files(line.removeprefix("- ")))).gating == ()


@pytest.mark.parametrize(
    "line", ["Modify: `src/gears/axle.py`", "Modify: `src/gears/axle.py` on the way to the rework"]
)
def test_one_of_no_other_branch_is(bench: Bench, line: str) -> None:
    assert [each.type for each in bench.report(TREE, plan(files(line))).gating] == [MISSING]


def test_the_plan_may_edit_itself_and_the_documents_beside_it(made: GitRepo) -> None:
    folder = "specs/001-gears"
    tasks = (
        f"# Tasks: Gears\n\n- [ ] T001 Modify `src/gears/cog.py`\n- [ ] T002 Update `{folder}/tasks.md`\n"
        f"- [ ] T003 Update `{folder}/plan.md` with the figures\n"
    )
    made.commit({f"{folder}/tasks.md": tasks, f"{folder}/plan.md": "# Implementation Plan: Gears\n\nTurn.\n"})
    assert ask(made, f"{folder}/tasks.md").findings == ()


def test_the_plan_may_edit_itself_before_it_is_committed(made: GitRepo) -> None:
    text = plan(files("Modify: `src/gears/cog.py`", f"Modify: `{PLAN}`"))
    assert ask(made, contents={PLAN: text.encode()}).findings == ()


def test_a_file_that_this_clone_does_not_hold_is_unknown(made: GitRepo) -> None:
    made.commit({PLAN: plan(files("Modify: `src/gears/wheel.py:900-950`"))})
    assert [each.type for each in ask(made).findings] == [FindingType.FALSE_PREMISE]
    made.forget_object("main~1:src/gears/wheel.py")
    report = ask(made)
    assert report.findings == ()
    assert any("wheel.py" in read.path and read.outcome != "ok" for read in report.reads)


def test_a_manifest_that_this_clone_does_not_hold_is_unknown(tmp_path: Path) -> None:
    tree: dict[str, Content] = {**TREE, "package.json": '{"scripts": {"build": "x"}}'}
    made = build_repo(
        tmp_path / "r", tree, {PLAN: plan(run("npm run typecheck", "PASS", "Modify: `src/gears/cog.py`"))}
    )
    assert [each.type for each in ask(made).gating] == [FindingType.VERIFY_FORM]
    made.forget_object("main~1:package.json")
    assert ask(made).gating == ()


def test_what_a_finished_task_creates_is_there_for_the_tasks_after_it(bench: Bench) -> None:
    done = "**Files:**\n- Create: `src/gears/axle.py`\n\n- [x] **Step 1: Do it**\n"
    text = plan(done, files("Modify: `src/gears/axle.py`"), files("Modify: `src/gears/cog.py`"))
    assert bench.report(TREE, text).findings == ()


def test_what_a_finished_task_creates_may_be_in_the_tree(bench: Bench) -> None:
    done = "**Files:**\n- Create: `src/gears/cog.py`\n\n- [x] **Step 1: Do it**\n"
    assert bench.report(TREE, plan(done, files("Modify: `src/gears/cog.py`"))).findings == ()
