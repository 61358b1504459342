from __future__ import annotations

import pytest

from bot.core.plans.model import Format
from schemas.verify_report import FindingType, Severity
from tests.core.verify.conftest import PLAN, Bench, files, plan

ORDER = FindingType.TASK_ORDER
TREE = {"src/gears/wheel.py": "x = 1\n", "src/gears/cog.py": "y = 1\n"}


def test_a_path_created_by_a_later_task_is_out_of_order_and_not_missing(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/axle.py`"), files("Create: `src/gears/axle.py`"))
    (finding,) = bench.report(TREE, text).findings
    assert (finding.type, finding.severity, finding.task) == (ORDER, Severity.BLOCKER, "Task 1")
    assert finding.message == "no such file yet, Task 2 creates it later"
    assert (finding.evidence[-1].path, finding.evidence[-1].quote) == (PLAN, "- Create: `src/gears/axle.py`")


def test_a_declared_dependency_on_the_creating_task_settles_the_order_of_the_file(bench: Bench) -> None:
    text = plan(
        "**Depends on:** Task 2\n\n" + files("Modify: `src/gears/axle.py`"), files("Create: `src/gears/axle.py`")
    )
    found = bench.findings(TREE, text, ORDER)
    assert all("creates it later" not in finding.message for finding in found)


def test_changing_a_file_after_its_removal_is_out_of_order(bench: Bench) -> None:
    text = plan(files("Delete: `src/gears/cog.py`"), files("Modify: `src/gears/cog.py`"))
    (finding,) = bench.report(TREE, text).findings
    assert (finding.type, finding.message) == (ORDER, "Task 1 deletes this file before")


def test_creating_a_file_anew_after_its_removal_is_fine(bench: Bench) -> None:
    text = plan(
        files("Delete: `src/gears/cog.py`"), files("Create: `src/gears/cog.py`"), files("Modify: `src/gears/cog.py`")
    )
    assert bench.report(TREE, text).findings == ()


def test_replacing_a_file_within_one_task_is_fine(bench: Bench) -> None:
    text = plan(files("Delete: `src/gears/cog.py`", "Create: `src/gears/cog.py`"))
    assert bench.report(TREE, text).findings == ()


def test_using_the_old_name_after_a_move_names_the_new_one(bench: Bench) -> None:
    text = plan(files("Move: `src/gears/cog.py` → `src/gears/tooth.py`"), files("Modify: `src/gears/cog.py`"))
    (finding,) = bench.findings(TREE, text, ORDER)
    assert finding.suggestion == "src/gears/tooth.py"
    assert finding.message == "Task 1 moves this file before"


def test_a_dependency_on_a_later_task_is_out_of_order(bench: Bench) -> None:
    text = plan(
        "**Depends on:** Task 2\n\n" + files("Modify: `src/gears/cog.py`"), files("Modify: `src/gears/wheel.py`")
    )
    (finding,) = bench.findings(TREE, text, ORDER)
    assert finding.severity is Severity.MAJOR
    assert finding.message == "Task 1 depends on Task 2, which comes after it"


def test_a_dependency_on_an_unknown_task_is_reported_on_its_line(bench: Bench) -> None:
    text = plan(
        files("Modify: `src/gears/cog.py`"), "**Depends on:** Task 9\n\n" + files("Modify: `src/gears/wheel.py`")
    )
    (finding,) = bench.findings(TREE, text, ORDER)
    assert finding.message == "Task 2 depends on 9, and the plan has no such task"
    assert text.split("\n")[finding.plan_line - 1] == "**Depends on:** Task 9"


def test_tasks_that_wait_for_each_other_are_one_finding(bench: Bench) -> None:
    text = plan(
        "**Depends on:** Task 2\n\n" + files("Modify: `src/gears/cog.py`"),
        "**Depends on:** Task 1\n\n" + files("Modify: `src/gears/wheel.py`"),
    )
    (finding,) = bench.findings(TREE, text, ORDER)
    assert (finding.severity, finding.message) == (Severity.BLOCKER, "Task 1 and Task 2 wait for each other")


def test_two_tasks_of_one_number_are_reported_on_the_second(bench: Bench) -> None:
    body = files("Modify: `src/gears/cog.py`")
    text = plan(body, body, body, "%3%" + body, "%4%" + body)
    (finding,) = bench.findings(TREE, text, ORDER)
    assert finding.message == "two tasks are called Task 3"
    assert text.split("\n")[finding.plan_line - 1] == "### Task 3: Part 4"


def test_numbers_that_start_again_in_each_part_are_normal(bench: Bench) -> None:
    body = files("Modify: `src/gears/cog.py`")
    text = plan(body, body, "%1%" + body, "%2%" + body)
    assert bench.findings(TREE, text, ORDER) == ()


@pytest.mark.parametrize("status", ["- [x] **Step 1: Do it**"])
def test_a_finished_task_is_not_judged(bench: Bench, status: str) -> None:
    text = plan(f"**Files:**\n- Modify: `src/gears/axle.py`\n\n{status}\n", files("Create: `src/gears/axle.py`"))
    assert bench.report(TREE, text).gating == ()


def test_two_tasks_that_create_one_file_are_a_doubt(bench: Bench) -> None:
    text = plan(files("Create: `src/gears/axle.py`"), files("Create: `src/gears/axle.py`"))
    (finding,) = bench.report(TREE, text).findings
    assert (finding.type, finding.severity, finding.task) == (ORDER, Severity.ADVICE, "Task 2")
    assert finding.message == "Task 1 creates this file already"


def test_a_file_that_is_created_anew_after_a_removal_is_no_doubt(bench: Bench) -> None:
    text = plan(
        files("Create: `src/gears/axle.py`"), files("Delete: `src/gears/axle.py`"), files("Create: `src/gears/axle.py`")
    )
    assert bench.findings(TREE, text, ORDER) == ()


def speckit(bench: Bench, text: str) -> list[str]:
    path = "specs/001-gears/tasks.md"
    return [finding.message for finding in bench.findings(TREE, text, ORDER, path=path, format=Format.SPECKIT)]


def test_parallel_tasks_of_one_run_that_write_one_file_are_one_finding(bench: Bench) -> None:
    text = (
        "# Tasks: gears\n\n- [ ] T001 [P] Add `turn` to `src/gears/cog.py`\n"
        "- [ ] T002 [P] Add `spin` to `src/gears/wheel.py`\n- [ ] T003 [P] Add `halt` to `src/gears/cog.py`\n"
        "- [ ] T004 [P] Implement `rest` in src/gears/cog.py\n"
    )
    assert speckit(bench, text) == ["T001, T003 and T004 are marked as parallel, and all write this file"]


@pytest.mark.parametrize(
    "between",
    [
        "- [ ] T002 Add `spin` to `src/gears/wheel.py`",  # not parallel itself
        "\n## Phase 2: Halt\n\n- [ ] T002 [P] Add `spin` to `src/gears/wheel.py`",
    ],
)
def test_parallel_tasks_of_two_runs_follow_each_other(bench: Bench, between: str) -> None:
    text = (
        f"# Tasks: gears\n\n- [ ] T001 [P] Add `turn` to `src/gears/cog.py`\n{between}\n"
        "- [ ] T003 [P] Add `halt` to `src/gears/cog.py`\n"
    )
    assert speckit(bench, text) == []


@pytest.mark.parametrize(
    "second",
    [
        "Add `halt` to `src/gears/cog.py` (depends on T001)",
        "Test `src/gears/cog.py`",
        "Write tests for `halt` of `src/gears/cog.py`",
        "Add `halt` to `src/gears/wheel.py`, like `turn` in `src/gears/cog.py`",
        "Check `src/gears/cog.py`",
    ],
)
def test_parallel_tasks_that_do_not_write_the_same_file_are_fine(bench: Bench, second: str) -> None:
    text = f"# Tasks: gears\n\n- [ ] T001 [P] Add `turn` to `src/gears/cog.py`\n- [ ] T002 [P] {second}\n"
    assert speckit(bench, text) == []


def test_a_dependency_between_underscores_counts(bench: Bench) -> None:
    text = "# Implementation Plan\n\n- [ ] 1.1 Turn\n  - _Depends: 2.1_\n- [ ] 2.1 Halt\n  - _Boundary: Halt_\n"
    found = bench.findings(TREE, text, ORDER, path=".kiro/specs/gears/tasks.md", format=Format.KIRO)
    assert [finding.message for finding in found] == ["Task 1.1 depends on Task 2.1, which comes after it"]


def interfaces(*lines: str) -> str:
    return "**Interfaces:**\n" + "\n".join(f"- {line}" for line in lines) + "\n\n" + files("Modify: `src/gears/cog.py`")


def test_what_is_consumed_from_a_task_by_its_number_must_come_before(bench: Bench) -> None:
    text = plan(interfaces("Consumes: `turn()` from Task 2"), interfaces("Produces: `turn(speed)`"))
    (finding,) = bench.findings(TREE, text, ORDER)
    assert (finding.severity, finding.plan_line) == (Severity.MAJOR, 10)
    assert finding.message == "Task 1 consumes what Task 2 produces, which comes after it"
    text = plan(interfaces("Produces: `turn(speed)`"), interfaces("Consumes: `turn()` from Task 1"))
    assert bench.findings(TREE, text, ORDER) == ()


def test_a_bare_name_that_only_a_later_task_makes_is_consumed_too_early(bench: Bench) -> None:
    text = plan(interfaces("Consumes: `turn_wheel()`"), interfaces("Produces: `turn_wheel(speed: int)`"))
    (finding,) = bench.findings(TREE, text, ORDER)
    assert finding.message == "Task 2 produces this only later"


def test_a_bare_name_that_the_tree_has_may_be_consumed(bench: Bench) -> None:
    tree = {**TREE, "src/gears/cog.py": "def turn_wheel():\n    pass\n"}
    text = plan(interfaces("Consumes: `turn_wheel()`"), interfaces("Produces: `turn_wheel(speed: int)`"))
    assert bench.findings(tree, text, ORDER) == ()


def test_tasks_in_files_of_their_own_may_depend_on_each_other(bench: Bench) -> None:
    tree = {**TREE, "docs/plans/03-wheel.md": "# Task 3: Wheel\n"}
    text = plan(
        files("Modify: `src/gears/cog.py`"), "**Depends on:** Task 3\n\n" + files("Modify: `src/gears/wheel.py`")
    )
    assert bench.findings(tree, text, ORDER) == ()


def test_an_id_twice_in_a_row_is_a_slip_in_any_kind_of_plan(bench: Bench) -> None:
    def phases(*numbers: int) -> str:
        parts = [f"## Phase {number}: Part {count}\n\nTurn.\n" for count, number in enumerate(numbers)]
        return "# Gears plan\n\n" + "\n".join(parts)

    for numbers in ((1, 2, 2, 4), (1, 1, 3), (1, 2, 3, 3)):
        found = bench.findings({}, phases(*numbers), FindingType.TASK_ORDER, format=Format.GENERIC)
        assert [each.gating for each in found] == [True], numbers
    assert bench.findings({}, phases(1, 2, 1, 2), FindingType.TASK_ORDER, format=Format.GENERIC) == ()


def test_one_id_in_two_sections_is_numbering_that_starts_again(bench: Bench) -> None:
    text = "# Gears plan\n\n## Backend\n\n### Phase 1: Turn\n\nTurn.\n\n## Frontend\n\n### Phase 1: Show\n\nShow.\n"
    assert bench.findings({}, text, FindingType.TASK_ORDER, format=Format.GENERIC) == ()


@pytest.mark.parametrize(
    "said",
    [
        "Task 1, Phase 0",
        "Tasks 1, Step 7",
        "Task 1, PR #12, issue 9, Phase 0",
        "Task 12 in docs/plans/wheels.md",
        "Task 12 in `docs/plans/wheels.md`",
        "Task 12 of the wheel plan",
        "Task 12 (wheel plan)",
        "the wheel plan's Task 12",
        "docs/plans/wheels.md, Task 12",
    ],
)
def test_phases_and_tasks_of_another_plan_are_not_tasks_of_this_one(bench: Bench, said: str) -> None:
    text = plan(files("Modify: `src/gears/cog.py`"), f"**Dependencies:** {said}\n\nTurn.")
    assert bench.findings(TREE, text, ORDER) == ()


@pytest.mark.parametrize("said", ["Task 12 of this plan", "Task 12 (sets up the plan table)", "Task 1, Task 12"])
def test_a_task_of_this_plan_may_be_unknown_in_more_words(bench: Bench, said: str) -> None:
    text = plan(files("Modify: `src/gears/cog.py`"), f"**Dependencies:** {said}\n\nTurn.")
    (finding,) = bench.findings(TREE, text, ORDER)
    assert finding.message == "Task 2 depends on 12, and the plan has no such task"


def test_a_plan_of_one_task_has_no_other_to_wait_for(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, plan("**Depends on:** Task 9\n\nTurn."), ORDER)
    assert (finding.message, finding.gating) == ("Task 1 depends on 9, and the plan has no such task", True)
    kit = "# Tasks: Gears\n\n- [ ] T001 Turn (depends on T042)\n"
    (finding,) = bench.findings(TREE, kit, ORDER, path="specs/001-gears/tasks.md", format=Format.SPECKIT)
    assert finding.message == "T001 depends on T042, and the plan has no such task"


def test_the_one_task_of_a_later_number_may_wait_for_those_that_came_before(bench: Bench) -> None:
    text = plan("**Depends on:** Task 1\n\nTurn.").replace("### Task 1", "### Task 3")
    report = bench.report(TREE, text)
    assert report.findings == ()
    (record,) = [each for each in report.checks if each.name == ORDER.value]
    assert record.reason == "the one task is Task 3, so the others may be elsewhere"


def todo_list(**waits: str) -> str:
    entries = "".join(
        f"  - id: {name}\n    content: Turn {name}\n    status: pending\n{said}" for name, said in waits.items()
    )
    return f"---\nname: Gears\ntodos:\n{entries}---\n\n# Gears\n"


@pytest.mark.parametrize(
    ("first", "second", "message", "line"),
    [
        ("[rim]", "", "todo hub depends on rim, and the plan has no such task", 7),
        ("\n      - rim", "", "todo hub depends on rim, and the plan has no such task", 8),
        ("[cog]", "", "todo hub depends on todo cog, which comes after it", 7),
        ("[cog]", "[hub]", "todo hub and todo cog wait for each other", 7),
        ("[]", "[hub]", None, 0),
    ],
)
def test_dependencies_of_a_to_do_list_are_judged(
    bench: Bench, first: str, second: str, message: str | None, line: int
) -> None:
    waits = {name: f"    dependencies: {said}\n" if said else "" for name, said in (("hub", first), ("cog", second))}
    found = bench.findings(TREE, todo_list(**waits), ORDER, path=".cursor/plans/gears.plan.md", format=Format.GENERIC)
    assert [(each.message, each.plan_line) for each in found] == ([(message, line)] if message else [])


def blocks(*tasks: tuple[str, str]) -> str:
    fences = "\n".join(f"```task\nid: {name}\nstatus: todo\ndepends_on: [{waits}]\n```\n" for name, waits in tasks)
    return f"---\ntype: workplan\n---\n# Gears\n\n{fences}"


@pytest.mark.parametrize(
    ("tasks", "messages"),
    [
        ((("G-1-T1", "G-1-T2"), ("G-1-T2", "G-1-T1")), ["T1 and T2 wait for each other"]),
        ((("G-1-T1", ""), ("G-1-T2", ""), ("G-1-T2", "")), ["two tasks are called T2"]),
        ((("G-1-T1", "G-1-T9"), ("G-1-T2", "")), ["T1 depends on G-1-T9, and the plan has no such task"]),
        ((("G-1-T1", "G-7-T9"), ("G-1-T2", "")), []),
    ],
)
def test_task_blocks_are_judged_by_their_ids(
    bench: Bench, tasks: tuple[tuple[str, str], ...], messages: list[str]
) -> None:
    found = bench.findings(TREE, blocks(*tasks), ORDER, path="workplans/G-1.md", format=Format.WORKPLAN)
    assert [each.message for each in found] == messages
