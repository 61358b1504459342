"""Code that the plan shows as the current code of a file."""

from __future__ import annotations

import pytest

from bot.core.verify.checks.false_premise.quotes import but_for_a_word, significant
from schemas.verify_report import FindingType, Severity
from tests.core.verify.conftest import Bench, files, plan

PREMISE = FindingType.FALSE_PREMISE
TREE = {
    "src/gears/wheel.py": "def turn(speed):\n  total = speed * 2\n  if total > 9:\n    total = 9\n  return total\n",
    "src/gears/brake.py": "def stop():\n    pressure = 4\n    release = 5\n",
}


def quoting(code: str, lead: str = "In `src/gears/wheel.py`, replace:", before: str = "") -> str:
    head = f"{before}**Files:**\n- Modify: `src/gears/wheel.py`\n\n{lead}\n\n"
    return plan(f"{head}```python\n{code}\n```\n\nWith:\n\n```python\npass\n```\n")


def test_a_quote_of_which_no_line_is_there_is_a_false_premise(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, quoting("amount = speed + 1\nreturn amount"), PREMISE)
    assert (finding.severity, finding.gating) == (Severity.MAJOR, True)
    assert finding.message == "the plan quotes code of src/gears/wheel.py, and no line of it is in the file"


def test_a_quote_that_is_there_for_the_most_part_is_minor_and_shows_what_is_there(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, quoting("total = speed * 2\nif total > 9:\nlog(wheel.name)"), PREMISE)
    assert (finding.severity, finding.evidence[0].line) == (Severity.MINOR, 2)
    assert "1 of 3 lines" in finding.message


@pytest.mark.parametrize(
    "code",
    [
        "total = speed * 2\nif total > 9:",
        "      total  =  speed*2\n      if total>9 :",
        "2 | total = speed * 2\n3 | if total > 9:",
        "total = speed * 2  # the odd one\n# ...\nreturn total",
        "total = speed * 2\n...\nif something else ...:\nreturn total",
        "amount = 3",
        "}\n{\n",
    ],
)
def test_what_the_file_has_in_other_dress_is_there(bench: Bench, code: str) -> None:
    assert bench.findings(TREE, quoting(code), PREMISE) == ()


def test_a_quote_of_another_cited_file_is_no_finding(bench: Bench) -> None:
    text = quoting("pressure = 4\nrelease = 5", before="See `src/gears/brake.py`.\n\n")
    assert bench.findings(TREE, text, PREMISE) == ()


def test_a_quote_whose_file_is_only_guessed_is_advice(bench: Bench) -> None:
    found = bench.findings(TREE, quoting("amount = speed + 1\nreturn amount", lead="Replace:"), PREMISE)
    assert [finding.gating for finding in found] in ([], [False])


def test_code_that_the_plan_wrote_before_is_quoted_as_it_is_by_then(bench: Bench) -> None:
    text = quoting("amount = speed + 1\nreturn amount", before="```python\namount = speed + 1\n```\n\n")
    assert bench.findings(TREE, text, PREMISE) == ()


def test_a_file_that_an_earlier_task_changed_is_not_compared(bench: Bench) -> None:
    body = quoting("amount = speed + 1\nreturn amount").split("### Task 1: Part 1\n", 1)[1]
    assert bench.findings(TREE, plan(files("Modify: `src/gears/wheel.py`"), body), PREMISE) == ()


def test_of_a_diff_only_what_it_takes_away_is_looked_for() -> None:
    assert significant("@@ -1 +1 @@\n-old_total = 1\n+new_total = 2\n kept_total = 3", "diff") == [
        "old_total=1",
        "kept_total=3",
    ]


@pytest.mark.parametrize(
    ("line", "code", "severity"),
    [
        (2, "total = speed * 2", None),
        (5, "total = speed * 2", None),
        (1, "return total", Severity.MINOR),
        (2, "total = speed * 3", Severity.MAJOR),
    ],
)
def test_code_quoted_in_a_sentence_is_at_its_line(
    bench: Bench, line: int, code: str, severity: Severity | None
) -> None:
    text = plan(f"Now `src/gears/wheel.py:{line}` currently reads `{code}` there.")
    found = bench.findings(TREE, text, PREMISE)
    assert [finding.severity for finding in found] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("row", "text", "real"),
    [
        ("total = speed * 2", "deffoo():total=pace*2end", "total=pace*2"),
        ("total = speed * 2", "deffoo():amount=speed*2end", "amount=speed*2"),
        ("return wheel(total, brakes)", "return wheel(total,brake)".replace(" ", ""), "returnwheel(total,brake)"),
        ("total = speed * 2", "total=speed*2", None),
        ("total = speed * 2", "other=pace*2", None),
        ("a = b", "a=c", None),
    ],
)
def test_a_line_may_differ_from_one_of_the_file_in_a_word(row: str, text: str, real: str | None) -> None:
    found = but_for_a_word(row, text)
    assert found == real or (real is not None and found is not None and found.endswith(real))


def test_a_line_that_differs_in_one_word_gates_and_names_the_real_one(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, quoting("total = velocity * 2\nif total > 9:\nreturn total"), PREMISE)
    assert (finding.severity, finding.suggestion) == (Severity.MAJOR, "total = speed * 2")


def test_a_quote_of_which_half_is_not_there_gates(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, quoting("total = speed * 2\nbrake(wheel.left)"), PREMISE)
    assert (finding.severity, finding.gating) == (Severity.MAJOR, True)


@pytest.mark.parametrize(
    "lead",
    ["The current code in `src/gears/wheel.py` is:", "Remove this from `src/gears/wheel.py`:"],
)
def test_there_are_more_ways_to_announce_the_code_of_today(bench: Bench, lead: str) -> None:
    body = (
        f"**Files:**\n- Modify: `src/gears/wheel.py`\n\n{lead}\n\n```python\namount = speed + 1\nreturn amount\n```\n"
    )
    (finding,) = bench.findings(TREE, plan(body), PREMISE)
    assert finding.gating


REPLACED = files("Modify: `src/gears/wheel.py`")


@pytest.mark.parametrize(
    ("said", "gates"),
    [
        ("In `src/gears/wheel.py`, change `total = velocity * 2` to `total = 3`.", True),
        ("Change `total = velocity * 2` to `total = 3`.", True),
        ("Change `total = speed * 2` to `total = 3`.", False),
        ("Change `wholly = other - code` to `total = 3`.", False),
        ("Change `pressure = 4 ` to `total = 3`. See `src/gears/brake.py`.", False),
    ],
)
def test_a_piece_of_code_to_replace_is_in_the_file(bench: Bench, said: str, gates: bool) -> None:
    found = bench.findings(TREE, plan(f"{REPLACED}\n{said}\n"), PREMISE)
    assert bool(found) is gates
    assert all(finding.suggestion == "total = speed * 2" for finding in found)


def test_code_that_the_plan_writes_first_may_be_replaced_later(bench: Bench) -> None:
    made = "Write `total = velocity * 2` there.\n\n"
    text = plan(f"{REPLACED}\n{made}Change `total = velocity * 2` to `total = 3`.\n")
    assert bench.findings(TREE, text, PREMISE) == ()
