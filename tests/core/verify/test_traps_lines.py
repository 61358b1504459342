"""Lines and names that look wrong and are right."""

from __future__ import annotations

import pytest

from schemas.verify_report import FindingType
from tests.core.verify.conftest import Bench, files, plan
from tests.git_repo import Content

PREMISE = FindingType.FALSE_PREMISE
LONG = "def turn(speed):\n" + "".join(f"    step_{number} = {number}\n" for number in range(40)) + "    return speed\n"
TREE: dict[str, Content] = {
    "src/gears/wheel.py": "x = 1\n\n\n" + LONG + "\n\ndef halt():\n    return 0\n",
    "src/gears/cog.py": "y = 1\n",
}


@pytest.mark.parametrize(
    "bullet",
    [
        "Modify: `src/gears/wheel.py:20-30` (function `turn`)",
        "Modify: `src/gears/wheel.py:44` (the `return` of `turn`)",
        "Modify: `src/gears/wheel.py:4-45` (`turn`), `:48-49` (`halt`)",
        "Modify: `src/gears/wheel.py:10-12` (`turn`), `:48` (`halt`), `:1`",
    ],
)
def test_a_range_inside_the_body_of_its_function_is_right(bench: Bench, bullet: str) -> None:
    assert bench.findings(TREE, plan(files(bullet)), PREMISE) == ()


def test_a_range_inside_the_body_of_another_function_is_not(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, plan(files("Modify: `src/gears/wheel.py:20-30` (function `halt`)")), PREMISE)
    assert finding.subject == "src/gears/wheel.py:20-30 halt"


def test_each_of_several_ranges_is_held_against_the_name_beside_it(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/wheel.py:48-49` (function `halt`) and lines 10-14 (function `turn`)"))
    assert bench.findings(TREE, text, PREMISE) == ()


def test_a_range_beyond_the_file_is_wrong_whatever_stands_beside_it(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/wheel.py:10-14` (`turn`), `:300-310` (`halt`)"))
    assert len(bench.findings(TREE, text, PREMISE)) == 1


@pytest.mark.parametrize(
    "body",
    [
        "Call `spin_all` from `src/gears/cog.py`.\n\n```python\ndef spin_all():\n    pass\n```\n",
        "Use `spin_all` (from the library `rotor`) in `src/gears/cog.py`.\n",
        "In `src/gears/cog.py`, `requests.get` is called twice.\n",
    ],
)
def test_a_name_that_the_plan_or_a_library_defines_cannot_be_refuted_from_the_tree(bench: Bench, body: str) -> None:
    text = plan(files("Modify: `src/gears/cog.py`") + "\n" + body)
    assert bench.findings(TREE, text, PREMISE) == ()


def test_a_name_that_nothing_defines_can_be(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/cog.py`") + "\nCall `spin_all` from `src/gears/cog.py`.\n")
    assert [finding.subject for finding in bench.findings(TREE, text, PREMISE)] == ["spin_all"]
