from __future__ import annotations

import pytest

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
