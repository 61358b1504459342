"""Steps that prove nothing: commands that always succeed, red steps that are green, commits that miss a file."""

from __future__ import annotations

import pytest

from schemas.verify_report import FindingType
from tests.core.verify.conftest import Bench, files, plan, run

FORM = FindingType.VERIFY_FORM
TREE = {
    "gears/__init__.py": "",
    "gears/wheel.py": "def turn():\n    return 1\n",
    "tests/test_wheel.py": "def test_turn():\n    pass\n",
    "mill/stone.go": "package mill\n\nfunc Grind() int { return 1 }\n",
    "notes/parts.md": "# Parts\n\nwheel: round\ncog: toothed\nwheel: spare\n",
}


def shell(*lines: str, after: str = "") -> str:
    return "\n".join(["- [ ] **Step 1: Check**", "", "```bash", *lines, "```", "", after])


def commit(*paths: str) -> str:
    return shell(f"git add {' '.join(paths)}", "git commit -m 'turn'")


@pytest.mark.parametrize(
    "lines",
    [
        ("pytest -q 2>&1 | tee out.txt", "test $? -eq 0"),
        ("pytest -q | tail -3; echo $?",),
        ("go test ./mill/ | head", "", "exit $?"),
    ],
)
def test_the_status_after_a_pipe_is_the_pipes_last_command(bench: Bench, lines: tuple[str, ...]) -> None:
    (finding,) = bench.findings(TREE, plan(shell(*lines)), FORM)
    assert (finding.subject, finding.gating) == ("$?", True)


@pytest.mark.parametrize(
    "lines",
    [
        ("set -o pipefail", "pytest -q | tee out.txt", "test $? -eq 0"),
        ("pytest -q | tee out.txt", "echo ${PIPESTATUS[0]}"),
        ("pytest -q | grep passed", "test $? -eq 0"),
        ("pytest -q > out.txt", "test $? -eq 0"),
        ("pytest -q | tee out.txt", "pytest -q && test $? -eq 0"),
        ("pytest -q | tee out.txt", "ls", "echo $?"),
    ],
)
def test_a_status_that_means_what_it_says_is_fine(bench: Bench, lines: tuple[str, ...]) -> None:
    assert bench.findings(TREE, plan(shell(*lines)), FORM) == ()


@pytest.mark.parametrize("end", ["|| true", "|| :", "; true", "|| exit 0"])
def test_a_check_whose_failure_is_thrown_away_proves_nothing(bench: Bench, end: str) -> None:
    (finding,) = bench.findings(TREE, plan(run(f"pytest tests/test_wheel.py {end}")), FORM)
    assert (finding.subject, finding.gating) == (end, True)


@pytest.mark.parametrize(
    "text",
    [
        run("rm -f out.txt || true"),
        run("grep -c wheel notes/parts.md || true"),
        run("pytest tests/test_wheel.py || true", "FAIL"),
        "- [ ] **Step 1: Baseline, may fail**\n\nRun: `pytest tests/test_wheel.py || true`\nExpected: PASS\n",
        shell("pytest tests/test_wheel.py || echo broken && exit 1"),
    ],
)
def test_a_failure_that_is_let_pass_on_purpose_is_fine(bench: Bench, text: str) -> None:
    assert bench.report(TREE, plan(text)).gating == ()


def test_an_exit_in_parentheses_leaves_only_these(bench: Bench) -> None:
    guard = "grep -q wheel notes/parts.md && (echo 'still there' && exit 1) || echo gone"
    (finding,) = bench.findings(TREE, plan(shell(guard)), FORM)
    assert finding.gating
    braces = "grep -q wheel notes/parts.md && { echo 'still there'; exit 1; } || echo gone"
    assert bench.findings(TREE, plan(shell(braces)), FORM) == ()


def test_words_of_its_own_verify_no_step(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, plan(run("echo 'all tests pass'")), FORM)
    assert finding.gating
    assert bench.findings(TREE, plan(run("echo $PATH")), FORM) == ()


def test_a_step_cannot_fail_for_a_module_that_is_there(bench: Bench) -> None:
    text = plan(run("pytest tests/test_wheel.py", "FAIL with \"No module named 'gears.wheel'\""))
    (finding,) = bench.findings(TREE, text, FORM)
    assert (finding.subject, finding.evidence[0].path) == ("gears.wheel", "gears/wheel.py")


def test_nor_for_one_that_an_earlier_task_has_made(bench: Bench) -> None:
    red = run("pytest tests/test_cog.py", "FAIL with \"No module named 'gears.cog'\"", "Create: `tests/test_cog.py`")
    made = files("Create: `gears/cog.py`")
    (finding,) = bench.findings(TREE, plan(made, red), FORM)
    assert finding.task == "Task 2"
    assert bench.findings(TREE, plan(red, made), FORM) == ()
    assert bench.findings(TREE, plan(f"{made}\n{red}"), FORM) == ()


def test_a_name_that_is_defined_is_no_reason_to_fail(bench: Bench) -> None:
    for expected in ("ImportError: cannot import name 'turn' from 'gears.wheel'", "undefined: Grind"):
        command = "pytest tests/test_wheel.py" if "import" in expected else "go test ./mill/"
        (finding,) = bench.findings(TREE, plan(run(command, f"FAIL with {expected}")), FORM)
        assert finding.gating
    for expected in ("ImportError: cannot import name 'spin' from 'gears.wheel'", "undefined: Crush"):
        command = "pytest tests/test_wheel.py" if "import" in expected else "go test ./mill/"
        assert bench.findings(TREE, plan(run(command, f"FAIL with {expected}")), FORM) == ()


def test_a_module_that_the_plan_changes_may_lose_the_name_first(bench: Bench) -> None:
    red = run("pytest tests/test_wheel.py", "FAIL with cannot import name 'turn' from 'gears.wheel'")
    assert bench.findings(TREE, plan(files("Modify: `gears/wheel.py`"), red), FORM) == ()


def test_a_new_test_that_no_commit_stages_is_lost(bench: Bench) -> None:
    text = plan(
        files("Create: `tests/test_cog.py`", "Modify: `gears/wheel.py`")
        + commit("gears/wheel.py", "tests/test_wheel.py")
    )
    (finding,) = bench.findings(TREE, text, FORM)
    assert (finding.subject, finding.suggestion, finding.gating) == ("tests/test_cog.py", "tests/test_cog.py", True)


def test_a_staged_name_that_nothing_has_stops_git(bench: Bench) -> None:
    text = plan(files("Modify: `gears/wheel.py`") + commit("gears/wheels.py"))
    (finding,) = bench.findings(TREE, text, FORM)
    assert (finding.subject, finding.suggestion) == ("gears/wheels.py", "gears/wheel.py")


@pytest.mark.parametrize(
    "staged",
    [
        ("gears/wheel.py", "tests/"),
        ("-A",),
        (".",),
        ("gears/wheel.py", "tests/*.py"),
        ("gears/wheel.py", "tests/test_cog.py"),
        ("gears/wheel.py", "$NEW"),
        ("gears/wheel.py", "docs/notes.md"),
    ],
)
def test_a_commit_that_takes_more_or_something_unlike_is_not_accused(bench: Bench, staged: tuple[str, ...]) -> None:
    text = plan(files("Create: `tests/test_cog.py`", "Modify: `gears/wheel.py`") + commit(*staged))
    assert bench.findings(TREE, text, FORM) == ()


def test_a_later_task_may_stage_what_an_earlier_one_made(bench: Bench) -> None:
    made = files("Create: `tests/test_cog.py`") + commit("tests/test_wheel.py")
    assert bench.findings(TREE, plan(made, commit("tests/test_cog.py")), FORM) == ()
    assert bench.findings(TREE, plan(made, shell("git commit -am 'all'")), FORM) == ()


def written(body: str, count: str, pattern: str = "wheel") -> str:
    return "\n".join(
        [
            "- [ ] **Step 1: Replace the whole content of `notes/parts.md` with:**", "", "```markdown", body, "```", "",
            f"Run: `grep -n \"{pattern}\" notes/parts.md`", f"Expected: {count}", "",
        ]
    )  # fmt: skip


def test_a_count_that_the_written_text_denies(bench: Bench) -> None:
    text = plan(files("Modify: `notes/parts.md`") + written("a wheel\na cog", "two matches"))
    (finding,) = bench.findings(TREE, text, FORM)
    assert (finding.subject, finding.gating) == ("two matches", True)
    assert "has 1" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        written("a wheel\na wheel", "two matches (both lines)"),
        written("a wheel", "at least two matches"),
        written("a wheel\n...", "two matches"),
        written("a wheel", "two matches", pattern="w[aeiou]*"),
        "Run: `grep -n wheel notes/parts.md`\nExpected: two matches\n",
        "Run: `grep -c wheel notes/parts.md`\nExpected: `2`\n",
        "Run: `grep -n axle notes/parts.md`\nExpected: no output\n",
    ],
)
def test_a_count_that_is_right_or_cannot_be_known_is_no_finding(bench: Bench, text: str) -> None:
    assert bench.findings(TREE, plan(text), FORM) == ()


def test_a_count_in_a_file_that_the_plan_leaves_alone(bench: Bench) -> None:
    text = plan("Run: `grep -c wheel notes/parts.md`\nExpected: `3`\n")
    (finding,) = bench.findings(TREE, text, FORM)
    assert {(each.path, each.line) for each in finding.evidence} == {("notes/parts.md", 3), ("notes/parts.md", 5)}
    changed = plan(files("Modify: `notes/parts.md`") + "Run: `grep -c wheel notes/parts.md`\nExpected: `3`\n")
    assert bench.findings(TREE, changed, FORM) == ()
