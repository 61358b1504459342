"""Names that the plan places in files and at lines where they are not."""

from __future__ import annotations

import pytest

from bot.core.plans import parse
from bot.core.plans.model import Document
from bot.core.tree import Tree
from bot.core.verify.places import Places, may_define
from bot.core.verify.replay import replay
from bot.core.verify.world import World
from schemas.verify_report import FindingType, Severity
from tests.core.verify.conftest import PLAN, Bench, files, plan
from tests.git_repo import build_repo

PREMISE = FindingType.FALSE_PREMISE
WHEEL = "\n".join(
    [
        "from gears.brake import stop_wheel",  # 1
        "",
        "SPOKES_MAX = 12",
        "",
        "",
        "@cached",
        "def turn_wheel(speed):",  # 7
        "    a = speed",
        "    b = a",
        "    return b",  # 10
        "",
        "",
        "def read_wheel():",  # 13
        *(f"    x{n} = {n}" for n in range(30)),
        "    return stop_wheel()",  # 44
        "",
    ]
)
TREE = {"src/gears/wheel.py": WHEEL, "src/gears/brake.py": "LEVER = 1\n\n\ndef stop_wheel():\n    return LEVER\n"}


def test_lines_that_are_all_of_another_function_are_minor_and_put_right(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, plan(files("Modify: `src/gears/wheel.py:20-30` (`turn_wheel`)")), PREMISE)
    assert (finding.severity, finding.gating) == (Severity.MINOR, False)
    assert finding.message == "the plan has `turn_wheel` at lines 20-30; it is defined at lines 6-10"
    assert (finding.evidence[0].line, finding.suggestion) == (6, "src/gears/wheel.py:6-10")
    assert finding.edit is not None
    assert (finding.edit.old, finding.edit.new) == (":20-30", ":6-10")


@pytest.mark.parametrize(
    "bullet",
    [
        "Modify: `src/gears/wheel.py:6-10` (`turn_wheel`)",
        "Modify: `src/gears/wheel.py:9` (`turn_wheel`)",
        "Modify: `src/gears/wheel.py:3-5` (`turn_wheel`)",
        "Modify: `src/gears/wheel.py:1-60` (`turn_wheel`)",
        "Modify: `src/gears/wheel.py:~30` (`turn_wheel`)",
        "Modify: `src/gears/wheel.py:42-44` (`stop_wheel`)",
        "Modify: `src/gears/wheel.py:5` (`SPOKES_MAX`)",
        "Modify: `src/gears/wheel.py:30-33,7` (`turn_wheel`)",
    ],
)
def test_lines_in_the_body_or_close_to_the_name_are_right(bench: Bench, bullet: str) -> None:
    assert [f for f in bench.findings(TREE, plan(files(bullet)), PREMISE) if "turn" in f.message] == []
    other = plan(files(bullet, "Modify: `src/gears/wheel.py:20-30` (`turn_wheel`)"))
    assert len([f for f in bench.findings(TREE, other, PREMISE) if "turn" in f.message]) == 1


def test_a_function_that_the_file_only_calls_is_a_false_premise(bench: Bench) -> None:
    (finding,) = bench.findings(
        TREE, plan(files("Modify: `src/gears/wheel.py:40-44` (function `stop_wheel`)")), PREMISE
    )
    assert (finding.severity, finding.gating) == (Severity.MAJOR, True)
    assert (finding.evidence[0].path, finding.evidence[0].line) == ("src/gears/brake.py", 4)
    assert finding.suggestion == "src/gears/brake.py:4"


def test_a_name_that_is_nowhere_in_the_file_is_a_false_premise(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, plan(files("Modify: `src/gears/brake.py:1-4` (`read_wheel`)")), PREMISE)
    assert (finding.severity, finding.suggestion) == (Severity.MAJOR, "src/gears/wheel.py:13")
    (finding,) = bench.findings(TREE, plan(files("Modify: `src/gears/brake.py:4` (`oil_wheel`)")), PREMISE)
    assert (finding.severity, finding.evidence[0].line) == (Severity.MAJOR, 4)


@pytest.mark.parametrize(
    "after",
    [
        "```python\ndef oil_wheel():\n    pass\n```\n",
        "Add `oil_wheel` there.\n",
        "Extract the loop into `oil_wheel`.\n",
    ],
)
def test_a_name_that_the_plan_itself_makes_is_no_claim_on_the_tree(bench: Bench, after: str) -> None:
    bullet = files("Modify: `src/gears/brake.py:4` (`oil_wheel`)")
    assert bench.findings(TREE, plan(bullet + "\n" + after), PREMISE) == ()
    assert len(bench.findings(TREE, plan(bullet + "\n" + after.replace("oil_wheel", "oil_brake")), PREMISE)) == 1


def test_a_function_that_the_plan_moves_there_is_no_claim_on_the_tree(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/wheel.py:40-44` (function `stop_wheel`)") + "\nMove `stop_wheel` over.\n")
    assert bench.findings(TREE, text, PREMISE) == ()


def test_a_file_that_an_earlier_task_changed_may_hold_any_name(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/brake.py`"), files("Modify: `src/gears/brake.py:1-4` (`read_wheel`)"))
    assert bench.findings(TREE, text, PREMISE) == ()


def test_an_ordinary_word_never_gates(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/brake.py:1-4` (`grease`)"))
    assert [finding.gating for finding in bench.findings(TREE, text, PREMISE)] == [False]


def test_a_file_without_a_grammar_is_not_judged_without_lines(bench: Bench) -> None:
    text = plan(files("Modify: `conf/gears.yaml` (update `spoke_count`)"))
    assert bench.findings({"conf/gears.yaml": "a: 1\n"}, text, PREMISE) == ()


def test_a_name_without_folder_is_looked_for_where_the_only_such_file_is(bench: Bench) -> None:
    text = plan("The loop is `turn_wheel` in `wheel.py:30`.")
    (finding,) = bench.findings(TREE, text, PREMISE)
    assert (finding.severity, finding.subject) == (Severity.MINOR, "src/gears/wheel.py:30 turn_wheel")


def test_a_done_task_is_not_judged(bench: Bench) -> None:
    text = plan("**Files:**\n- Modify: `src/gears/brake.py:1-4` (`read_wheel`)\n\n- [x] **Step 1: Do it**\n")
    assert bench.findings(TREE, text, PREMISE) == ()


def test_what_was_not_searched_is_said(bench: Bench) -> None:
    repo = build_repo(bench.folder / "places", {f"src/part{n}.py": f"def part_{n}(): ...\n" for n in range(9)})
    text = plan(files("Modify: `src/part0.py:1` (`part_8`)"))
    tree = Tree.open(repo.path, repo.head)
    read = parse([Document(PLAN, text)])
    world = World(read, tree, replay(read, tree))
    whole = Places(world)
    whole.search([("part_8", "src/part0.py")])
    assert [path for path, _ in whole.of("part_8", "src/part0.py")] == ["src/part8.py"]
    assert not whole.partial
    little = Places(world, max_files=3)
    little.search([("part_8", "src/part0.py")])
    assert little.partial
    assert little.of("part_8", "src/part0.py") == []


def test_the_nearest_of_several_definitions_is_shown(bench: Bench) -> None:
    tree = {"src/gears/wheel.py": "from x import spin\nspin()\n", "other/a.py": "def spin(): ...\n"}
    tree["src/gears/hub.py"] = "def spin(): ...\n"
    (finding,) = bench.findings(tree, plan(files("Modify: `src/gears/wheel.py:1-2` (function `do_spin`)")), PREMISE)
    assert finding.severity is Severity.MAJOR
    text = plan(files("Modify: `src/gears/wheel.py:1-2` (function `spin`)"))
    (finding,) = bench.findings(tree, text, PREMISE)
    assert finding.suggestion == "src/gears/hub.py:1"


@pytest.mark.parametrize(
    "line",
    ["export { wheel }", "wheel: 1,", "  wheel(x) {", "fn wheel()", "from a import b as wheel", "#define wheel 3"],
)
def test_any_look_of_a_definition_counts(line: str) -> None:
    assert may_define(f"a\n{line}\n", "wheel")
    assert not may_define("x = wheel\ny.wheel = 2\nif wheel == 3:\n", "wheel")


@pytest.mark.parametrize(
    "said",
    [
        "The brake goes right after the existing `shift_wheel()` function in `src/gears/wheel.py`.",
        "`src/gears/wheel.py` already defines `shift_wheel()`; call that here.",
        "Follow the existing function `shift_wheel` in `src/gears/wheel.py`.",
        "In `src/gears/wheel.py`, find `shift_wheel`.",
    ],
)
def test_what_is_said_to_be_there_is_not_made_by_saying_so(bench: Bench, said: str) -> None:
    (finding,) = bench.findings(TREE, plan(f"{said}\n"), PREMISE)
    assert (finding.subject, finding.gating) == ("shift_wheel", True)


def test_the_new_form_of_what_is_changed_does_not_make_it(bench: Bench) -> None:
    body = (
        "Refactor `shift_wheel` in `src/gears/wheel.py`:\n\n```python\ndef shift_wheel(speed):\n    return speed\n```\n"
    )
    (finding,) = bench.findings(TREE, plan(body), PREMISE)
    assert (finding.subject, finding.gating) == ("shift_wheel", True)
    assert bench.findings(TREE, plan("Add `shift_wheel` to it.\n\n" + body), PREMISE) == ()


def test_a_module_that_hands_on_what_another_defines_may_have_the_name(bench: Bench) -> None:
    tree = {**TREE, "src/gears/all.py": "from src.gears.more import *\n"}
    text = plan("Consumes: `shift_wheel` from `src/gears/all.py`\n")
    assert bench.findings(tree, text, PREMISE) == ()
    tree["src/gears/all.py"] = "from src.gears.more import halt\n"
    assert len(bench.findings(tree, text, PREMISE)) == 1


def test_a_change_at_lines_of_today_holds_after_earlier_tasks_too(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/brake.py`"), "Update `read_wheel` (`src/gears/brake.py:2`) to read twice.\n")
    (finding,) = bench.findings(TREE, text, PREMISE)
    assert (finding.subject, finding.gating) == ("read_wheel", True)
