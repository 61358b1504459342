from __future__ import annotations

import pytest

from schemas.verify_report import FindingType, Severity
from tests.core.verify.conftest import Bench, files, plan

PREMISE = FindingType.FALSE_PREMISE
TREE = {"src/gears/wheel.py": "".join(f"x{n} = {n}\n" for n in range(1, 41))}


def test_a_range_beyond_the_end_is_a_false_premise_that_shows_the_last_line(bench: Bench) -> None:
    (finding,) = bench.report(TREE, plan(files("Modify: `src/gears/wheel.py:60-70`"))).findings
    assert (finding.type, finding.severity, finding.gating) == (PREMISE, Severity.MAJOR, True)
    assert finding.message == "the plan cites lines 60-70, and the file has 40 lines"
    assert (finding.evidence[0].line, finding.evidence[0].quote) == (40, "x40 = 40")


def test_a_range_that_ends_a_little_late_is_minor(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, plan(files("Modify: `src/gears/wheel.py:30-43`")), PREMISE)
    assert (finding.severity, finding.gating) == (Severity.MINOR, False)


@pytest.mark.parametrize("cited", [":1-40", ":41", ":12,30", ":~55"])
def test_a_range_that_fits_or_nearly_does_is_none(bench: Bench, cited: str) -> None:
    assert bench.findings(TREE, plan(files(f"Modify: `src/gears/wheel.py{cited}`")), PREMISE) == ()


def test_lines_of_a_file_that_an_earlier_task_changed_are_unknown(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/wheel.py:1-20`"), files("Modify: `src/gears/wheel.py:60-70`"))
    assert bench.report(TREE, text).findings == ()


def test_a_file_too_large_to_read_is_said_and_not_judged(bench: Bench) -> None:
    report = bench.report(TREE, plan(files("Modify: `src/gears/wheel.py:60-70`")), max_blob=100)
    assert report.findings == ()
    (record,) = [check for check in report.checks if check.name == "false_premise"]
    assert record.reason is not None
    assert "src/gears/wheel.py could not be read" in record.reason


def test_a_range_in_running_text_never_gates(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/wheel.py`") + "\nSee `src/gears/wheel.py:80` for the idea.\n")
    assert bench.report(TREE, text).gating == ()


def test_each_citation_in_running_text_is_told_with_the_task_it_stands_in(bench: Bench) -> None:
    tasks = [f"The loop in `src/gears/wheel.py` line {number} is slow." for number in (70, 80, 90)]
    found = bench.findings(TREE, plan(*tasks), PREMISE)
    assert [finding.task for finding in found] == ["Task 1", "Task 2", "Task 3"]


def test_a_citation_outside_of_all_tasks_has_none(bench: Bench) -> None:
    text = plan("Turn the wheel.").replace("---", "The loop in `src/gears/wheel.py` line 70 is slow.", 1)
    (finding,) = bench.findings(TREE, text, PREMISE)
    assert finding.task is None


def test_a_bare_name_that_only_one_file_has_is_that_file(bench: Bench) -> None:
    text = plan("- [ ] Update `README.md:90-95` with the new gears\n")
    assert [finding.gating for finding in bench.findings(TREE, text, PREMISE)] == [True]
    two = {**TREE, "docs/README.md": "# Docs\n"}
    assert [finding.gating for finding in bench.findings(two, text, PREMISE)] in ([], [False])
