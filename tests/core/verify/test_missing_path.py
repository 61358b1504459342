from __future__ import annotations

import pytest

from bot.core.plans import parse
from bot.core.plans.model import Document
from bot.core.tree import Tree
from bot.core.verify.checks.missing_path import find
from bot.core.verify.replay import replay
from bot.core.verify.world import World
from schemas.verify_report import Evidence, FindingType, Severity, Verdict
from tests.core.verify.conftest import PLAN, Bench, files, plan
from tests.git_repo import Content, Link, Submodule, build_repo

MISSING = FindingType.MISSING_PATH
TREE = {"src/gears/wheel.py": "x = 1\n", "src/gears/cog.py": "y = 1\n", "tests/test_wheel.py": "\n"}


def test_a_modified_path_that_nothing_creates_is_a_blocker_with_its_evidence(bench: Bench) -> None:
    report = bench.report(TREE, plan(files("Modify: `src/gears/axle.py`")))
    (finding,) = report.findings
    assert (finding.type, finding.severity, finding.gating) == (MISSING, Severity.BLOCKER, True)
    assert (finding.subject, finding.task) == ("src/gears/axle.py", "Task 1")
    assert finding.message == "no such file, no earlier task creates it"
    assert finding.evidence[0] == Evidence(path="src/gears/axle.py", absent=True)
    assert report.verdict is Verdict.NEEDS_FIX
    assert finding.plan_line == finding.plan_end_line == 10


def test_the_only_file_of_that_name_is_suggested_with_an_exact_edit(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, plan(files("Modify: `src/core/wheel.py`")), MISSING)
    assert finding.suggestion == "src/gears/wheel.py"
    assert finding.edit is not None
    assert (finding.edit.old, finding.edit.new) == ("src/core/wheel.py", "src/gears/wheel.py")
    assert finding.edit.start == finding.edit.end == finding.plan_line


def test_several_files_of_that_name_give_no_edit(bench: Bench) -> None:
    tree = {**TREE, "lib/gears/wheel.py": ""}
    (finding,) = bench.findings(tree, plan(files("Modify: `src/core/wheel.py`")), MISSING)
    assert finding.edit is None
    assert finding.suggestion in ("src/gears/wheel.py", "lib/gears/wheel.py")


def test_a_path_created_by_an_earlier_task_is_not_missing(bench: Bench) -> None:
    text = plan(files("Create: `src/gears/axle.py`"), files("Modify: `src/gears/axle.py:1-9`"))
    assert bench.report(TREE, text).findings == ()


def test_a_path_created_by_its_own_task_is_not_missing(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/axle.py`", "Create: `src/gears/axle.py`"))
    assert bench.report(TREE, text).findings == ()


def test_the_target_of_a_move_is_there_afterwards(bench: Bench) -> None:
    text = plan(files("Move: `src/gears/wheel.py` → `src/gears/rim.py`"), files("Modify: `src/gears/rim.py`"))
    assert bench.findings(TREE, text, MISSING) == ()


def test_a_path_is_reported_once_however_often_it_is_cited(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/axle.py`"), files("Modify: `src/gears/axle.py`"))
    assert len(bench.findings(TREE, text, MISSING)) == 1


def test_a_test_that_is_not_there_is_created_by_its_task(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/wheel.py`", "Test: `tests/test_axle.py`"))
    assert bench.report(TREE, text).findings == ()


def test_a_test_that_the_plan_says_exists_is_missing(bench: Bench) -> None:
    text = plan(files("Test: `tests/test_axle.py:12-30`"))
    (finding,) = bench.findings(TREE, text, MISSING)
    assert finding.severity is Severity.MAJOR


def test_a_path_that_is_only_mentioned_never_gates(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/wheel.py`") + "\nThe idea comes from `src/gears/axle.py`.\n")
    assert bench.report(TREE, text).gating == ()


@pytest.mark.parametrize(
    "bullet",
    [
        "Modify: `gears/wheel.py`",  # a base folder declared once
        "Modify: `/Users/ada/work/gears/src/gears/wheel.py`",
        "Modify: `/Users/ada/work/gears/src/gears/axle.py`",
        "Modify: `~/gears/axle.py`",
        "Modify: `src/gears/*_axle.py`",
        "Modify: `src/gears/<name>.py`",
        "Modify: `src/gears/{name}.py`",
        "Modify: `src/gears/YYYY-notes.py`",
        "Modify: `engine/src/axle.py`",  # another repository
        "Modify: `node_modules/left/index.js`",
        "Modify: `dist/app.js`",
        "Modify: `src/package-lock.json`",
        "Modify: `build.local/axle.py`",  # ignored
        "Modify: `axle`",
        "Modify: `vendored/lib/axle.py`",  # in a submodule
        "Modify: `linked/axle.py`",  # behind a link
        "Modify: `src/gears/wheel.py` or `src/gears/axle.py`",
        "Modify (if present): `src/gears/axle.py`",
        "Possibly modify: `src/gears/axle.py`",
        "Modify: `SRC/gears/Wheel.py`",
    ],
)
def test_what_may_well_be_right_does_not_gate(bench: Bench, bullet: str) -> None:
    tree: dict[str, Content] = {
        **TREE,
        ".gitignore": "*.local/\n",
        ".gitmodules": '[submodule "v"]\n\tpath = vendored/lib\n\turl = ../lib\n',
        "vendored/lib": Submodule(),
        "linked": Link("src/gears"),
    }
    assert bench.report(tree, plan(files(bullet))).gating == ()


def test_a_path_in_other_letters_is_advice_that_names_the_real_one(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, plan(files("Modify: `src/gears/Wheel.py`")), MISSING)
    assert (finding.severity, finding.suggestion) == (Severity.ADVICE, "src/gears/wheel.py")


def test_a_path_that_the_same_change_added_before_is_not_missing(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/axle.py`"))
    assert bench.findings(TREE, text, MISSING, known_added=frozenset({"src/gears/axle.py"})) == ()


def test_a_file_that_another_plan_creates_is_advice_with_that_plans_line(bench: Bench) -> None:
    tree = {**TREE, "docs/plans/2026-01-02-axles.md": "# Axles\n\n- Create: `src/gears/axle.py`\n"}
    (finding,) = bench.findings(tree, plan(files("Modify: `src/gears/axle.py`")), MISSING)
    assert finding.severity is Severity.ADVICE
    assert finding.evidence[-1].path == "docs/plans/2026-01-02-axles.md"
    assert finding.evidence[-1].line == 3


def test_a_file_that_another_plan_only_changes_is_still_missing(bench: Bench) -> None:
    tree = {**TREE, "docs/plans/2026-01-02-axles.md": "# Axles\n\n- Modify: `src/gears/axle.py`\n"}
    assert len(bench.findings(tree, plan(files("Modify: `src/gears/axle.py`")), MISSING)) == 1


def test_a_module_that_became_a_package_is_named(bench: Bench) -> None:
    tree = {**TREE, "src/gears/axle/__init__.py": ""}
    (finding,) = bench.findings(tree, plan(files("Modify: `src/gears/axle.py`")), MISSING)
    assert finding.suggestion == "src/gears/axle/__init__.py"


def test_files_below_a_folder_that_a_tool_lays_out_are_unknown(bench: Bench) -> None:
    text = plan(
        "- [ ] **Step 1**\n\n```bash\ncargo new src/engine\n```\n",
        files("Modify: `src/engine/src/lib.rs`"),
    )
    assert bench.report(TREE, text).findings == ()


def test_a_cancelled_or_finished_task_is_not_accused(bench: Bench) -> None:
    text = plan(
        "**Files:**\n- Modify: `src/gears/axle.py`\n\n- [x] **Step 1: Do it**\n",
        files("Modify: `src/gears/wheel.py`"),
    )
    assert bench.report(TREE, text).gating == ()


def test_deleting_what_is_not_there_is_a_blocker(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, plan(files("Delete: `src/gears/axle.py`")), MISSING)
    assert finding.severity is Severity.BLOCKER


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "/proc/self/environ", "C:\\windows\\x.ini", "src/" + "a" * 4_100 + ".py"]
)
def test_a_path_that_no_tree_can_hold_is_not_looked_up_and_that_is_said(bench: Bench, path: str) -> None:
    report = bench.report(TREE, plan(files(f"Modify: `{path}`")))
    assert report.findings == ()
    [record] = [check for check in report.checks if check.name == MISSING.value]
    assert record.reason == "paths outside the repository were not looked up: line 10 of the plan"
    assert [read.path for read in report.reads] == []


@pytest.mark.parametrize(
    "bullet",
    ["Delete: `AXLES_old.md`", "**Modify:** `axle.py`", "Update: `AXLES.md`, and say what is new", "Remove: `axle.sh`"],
)
def test_a_bare_name_in_a_bullet_that_no_file_of_the_tree_has_is_missing(bench: Bench, bullet: str) -> None:
    (finding,) = bench.findings(TREE, plan(files(bullet)), MISSING)
    assert finding.severity is Severity.BLOCKER
    assert finding.evidence[0].absent


@pytest.mark.parametrize(
    "bullet",
    [
        "Modify: `wheel.py`",
        "Modify: `.axlerc`",
        "Modify: `package-lock.json`",
        "Modify: `axle.py` (new file)",
        "Modify: `axle.py` if there is one",
        "Modify: `FEATURE.md`",
        "Modify: the parts of `axle.py` that turn",
        "Read: `axle.py`",
    ],
)
def test_a_bare_name_that_is_somewhere_or_not_certainly_a_file_is_not(bench: Bench, bullet: str) -> None:
    assert bench.findings(TREE, plan(files(bullet)), MISSING) == ()


def test_a_bare_name_that_an_earlier_task_makes_in_some_folder_is_not_missing(bench: Bench) -> None:
    text = plan(files("Create: `src/gears/axle.py`"), files("Modify: `axle.py`"))
    assert bench.findings(TREE, text, MISSING) == ()


def test_a_bare_name_in_a_plan_of_several_repositories_is_left_open(bench: Bench) -> None:
    text = plan("This is a cross-repo change.\n\n" + files("Modify: `axle.py`"))
    assert bench.findings(TREE, text, MISSING) == ()


def test_a_top_folder_of_nearly_the_right_name_is_missing(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, plan(files("Modify: `src-core/gears/wheel.py`")), MISSING)
    assert (finding.severity, finding.suggestion) == (Severity.BLOCKER, "src/gears/wheel.py")
    assert bench.findings(TREE, plan(files("Modify: `src-core/gears/axle.py`")), MISSING) == ()
    assert bench.findings(TREE, plan(files("Modify: `lib/gears/wheel.py`")), MISSING) == ()


@pytest.mark.parametrize("path", ["nowhere/axle.py", "somewhere/axle.yml"])
def test_a_changed_path_that_may_be_meant_elsewhere_is_not_silently_passed_over(bench: Bench, path: str) -> None:
    report = bench.report(TREE, plan(files(f"Modify: `{path}`")))
    assert report.findings == ()
    [record] = [check for check in report.checks if check.name == MISSING.value]
    assert record.reason is not None
    assert record.reason.endswith("may be meant elsewhere: line 10 of the plan")


def test_near_paths_are_looked_for_up_to_a_limit_and_the_rest_is_still_missing(bench: Bench) -> None:
    repo = build_repo(bench.folder / "near", TREE)
    read = parse([Document(PLAN, plan(files(*(f"Modify: `src/a{n}/wheel.py`" for n in range(5)))))])
    tree = Tree.open(repo.path, repo.head)
    world = World(read, tree, replay(read, tree), suggestion_limit=2)
    drafts = list(find(world))
    assert [draft.suggestion for draft in drafts] == ["src/gears/wheel.py"] * 2 + [None] * 3
    assert world.notes[MISSING.value] == ["near paths were looked for in the first 2 cases only"]
