"""`planproof eval verify`, run on a folder of golden cases as its owner runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.core.verify.evaluation.conftest import CASE, PLAN
from tests.test_cli import Done, planproof

START = CASE[: CASE.index("defects:")]
TYPO = "src/kiln/heating.py"
CLEAN = START.replace("origin: defect", "origin: trap").replace(TYPO, "src/kiln/heat.py") + "defects: []\n"
# nothing is wrong with the path that it says is missing
WRONG = CASE.replace("- Modify: `src/kiln/heating.py`", "- Create: `src/kiln/heating.py`").split("repair:")[0]


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    folder = tmp_path / "golden"
    put(folder, "missing_path/kiln", CASE)
    put(folder, "clean/kiln", CLEAN)
    return folder


def put(folder: Path, name: str, text: str) -> None:
    path = folder / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def run(golden: Path, *arguments: str) -> Done:
    return planproof("eval", "verify", "--golden", golden.name, *arguments, cwd=golden.parent)


def test_floors_that_hold_exit_zero(golden: Path) -> None:
    done = run(golden)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "2 cases, 1 of them clean; static only; with a model: n/a; 0 tokens"
    assert "recall     1.000  (floor 0.90, holds); 1 of 1 blocker and major defects found" in lines
    assert "precision  1.000  (floor 0.97, holds); 0 false accusations" in lines
    assert [line.split() for line in lines if line.startswith(("missing_path", "task_order", "all"))] == [
        ["missing_path", "1/1", "n/a", "0"],
        ["task_order", "n/a", "n/a", "0"],
        ["all", "1/1", "n/a", "0"],
    ]


def test_a_missed_defect_is_listed_with_its_place_and_exits_one(golden: Path) -> None:
    put(golden, "missing_path/wrong", WRONG)
    done = run(golden)
    assert done.returncode == 1
    assert "recall     0.500  (floor 0.90, DOES NOT HOLD); 1 of 2 blocker and major defects found" in done.stdout
    assert f"missed:\n  golden/missing_path/wrong.yaml  {PLAN}:8  blocker missing_path\n      A task" in done.stdout


def test_false_accusations_are_listed_with_their_place(golden: Path) -> None:
    put(golden, "clean/accused", CLEAN.replace("- Modify: `src/kiln/heat.py`", "- Modify: `src/kiln/oven.py`"))
    # the repair misses
    put(golden, "missing_path/kiln", CASE.replace("put: src/kiln/heat.py", "put: src/kiln/hot.py"))
    done = run(golden)
    assert done.returncode == 1
    assert "precision  0.333  (floor 0.97, DOES NOT HOLD); 2 false accusations" in done.stdout
    assert f"  golden/clean/accused.yaml  {PLAN}:8  blocker missing_path\n" in done.stdout
    assert f"  golden/missing_path/kiln.yaml  {PLAN}:8  blocker missing_path  after the repair\n" in done.stdout


def test_a_case_whose_plan_is_none_breaks_the_run_and_says_what_to_do(golden: Path) -> None:
    put(golden, "clean/readme", CLEAN.replace(PLAN, "src/kiln/notes.py"))
    done = run(golden)
    assert done.returncode == 1
    assert "not judged; where that is right, the case says so with `verdict`:" in done.stdout
    assert "  golden/clean/readme.yaml  the plan is not_a_plan" in done.stdout
    put(golden, "clean/readme", CLEAN.replace(PLAN, "src/kiln/notes.py") + "verdict: not_a_plan\n")
    assert run(golden).returncode == 0


def test_figures_are_compared_with_the_ones_that_were_kept(golden: Path) -> None:
    written = run(golden, "--write")
    assert (written.returncode, written.stderr) == (0, "wrote golden/scores.json\n")
    again = run(golden, "--write")
    assert again.stderr == "golden/scores.json holds these figures already\n"
    assert "recall     1.000 → 1.000" in again.stdout
    put(golden, "missing_path/wrong", WRONG)
    worse = run(golden)
    assert "recall     1.000 → 0.500" in worse.stdout
    assert "1/1 → 1/2" in worse.stdout
    assert worse.stderr == "note: golden/scores.json holds other figures; --write renews it\n"


def test_figures_are_kept_even_where_a_floor_breaks(golden: Path) -> None:
    put(golden, "missing_path/wrong", WRONG)
    assert run(golden, "--write").returncode == 1
    assert json.loads((golden / "scores.json").read_text())["recall"] == 0.5


def test_kept_figures_that_cannot_be_read_are_said_and_can_be_written_anew(golden: Path) -> None:
    (golden / "scores.json").write_text("{}")
    done = run(golden)
    assert done.returncode == 0
    assert "note: golden/scores.json is not what --write writes (" in done.stderr
    assert run(golden, "--write").stderr.endswith("wrote golden/scores.json\n")
    assert run(golden).stderr == ""


def test_json_holds_all_of_it(golden: Path) -> None:
    put(golden, "missing_path/wrong", WRONG)
    done = run(golden, "--format", "json")
    form = json.loads(done.stdout)
    assert (done.returncode, form["holds"], form["mode"], form["before"]) == (1, False, "static", None)
    assert (form["scores"]["recall"], form["scores"]["cases"], form["scores"]["tokens"]) == (0.5, 3, 0)
    (missed,) = form["missed"]
    assert (missed["case"], missed["path"], missed["line"]) == ("missing_path/wrong.yaml", PLAN, 8)
    assert form["false"] == []


def test_every_case_that_cannot_be_read_is_named_with_its_line(golden: Path, tmp_path: Path) -> None:
    put(golden, "a/one", CASE.replace("origin: defect", "origin: idea"))
    put(golden, "b/two", CASE.replace('at: "- Modify: `src/kiln/heating.py`"', "at: slowly"))
    (golden / "c.yml").symlink_to(tmp_path / "elsewhere")
    done = run(golden)
    assert (done.returncode, done.stdout) == (2, "")
    first, second, third, last = done.stderr.splitlines()
    assert first.startswith("golden/a/one.yaml:2: `origin`: ")
    assert second.startswith("golden/b/two.yaml:30: 'slowly' stands on 2 lines")
    assert third.startswith("golden/c.yml:1: ")
    assert last == "Error: 3 of 5 cases cannot be read, so nothing was measured"


def test_a_folder_without_cases_measures_nothing(tmp_path: Path) -> None:
    (tmp_path / "golden").mkdir()
    done = run(tmp_path / "golden")
    assert (done.returncode, "there is no case in golden" in done.stderr) == (2, True)
    nothing = run(tmp_path / "none")
    assert (nothing.returncode, "none is not a folder" in nothing.stderr) == (2, True)
    unnamed = planproof("eval", "verify", cwd=tmp_path)
    assert (unnamed.returncode, "Missing option '--golden'" in unnamed.stderr) == (2, True)


def test_a_case_that_git_refuses_is_unreadable_input(golden: Path) -> None:
    put(golden, "clean/kiln", CLEAN.replace("  src/kiln/heat.py: |", "  git~1/heat.py: |"))
    done = run(golden)
    assert (done.returncode, "clean/kiln.yaml: no repository can be made of it" in done.stderr) == (2, True)


def test_figures_that_cannot_be_written_are_an_error(golden: Path) -> None:
    (golden / "scores.json").mkdir()
    done = run(golden, "--write")
    assert (done.returncode, "golden/scores.json cannot be written: Is a directory" in done.stderr) == (2, True)
