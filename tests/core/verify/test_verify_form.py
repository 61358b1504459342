from __future__ import annotations

import pytest

from schemas.verify_report import FindingType
from tests.core.verify.conftest import Bench, files, plan, run

FORM = FindingType.VERIFY_FORM
TESTS = "class TestTurn:\n    def test_fast(self):\n        pass\n\n\ndef test_slow():\n    pass\n"
PACKAGE = '{"name": "web", "scripts": {"build": "vite build", "test": "vitest run"}}\n'
TREE = {
    "src/gears/wheel.py": "x = 1\n",
    "tests/unit/test_wheel.py": TESTS,
    "web/package.json": PACKAGE,
    "src/index.ts": "export {}\n",
    "tests/none.test.ts": "export {}\n",
    "Makefile": "SHELL := /bin/sh\n.PHONY: test lint\ntest: lint\n\tpytest\n\nlint:\n\truff check .\n",
}


@pytest.mark.parametrize(
    ("command", "subject", "suggestion"),
    [
        ("pytest tests/test_wheel.py -v", "tests/test_wheel.py", "tests/unit/test_wheel.py"),
        ("uv run pytest tests/test_wheel.py", "tests/test_wheel.py", "tests/unit/test_wheel.py"),
        ("python -m pytest -k fast tests/test_wheel.py", "tests/test_wheel.py", "tests/unit/test_wheel.py"),
        (
            "pytest tests/unit/test_wheel.py::test_slowly",
            "tests/unit/test_wheel.py::test_slowly",
            "tests/unit/test_wheel.py::test_slow",
        ),
        (
            "pytest tests/unit/test_wheel.py::TestBrake::test_fast",
            "tests/unit/test_wheel.py::TestBrake::test_fast",
            None,
        ),
        ("cd web && npm run typecheck", "typecheck", None),
        ("npm --prefix web run typecheck", "typecheck", None),
        ("npm run build:all --prefix web", "build:all", "build"),
        ("pnpm -C web run tests", "tests", "test"),
        ("yarn --cwd web typecheck", "typecheck", None),
        ("bun run --cwd web typecheck", "typecheck", None),
        ("make tests", "tests", "test"),
        ("make -j4 V=1 lint typecheck", "typecheck", None),
    ],
)
def test_a_target_that_is_not_there_is_reported(
    bench: Bench, command: str, subject: str, suggestion: str | None
) -> None:
    (finding,) = bench.findings(TREE, plan(run(command)), FORM)
    assert (finding.subject, finding.suggestion, finding.gating) == (subject, suggestion, True)
    assert finding.evidence


@pytest.mark.parametrize(
    "command",
    [
        "pytest tests/unit/test_wheel.py::TestTurn::test_fast[1-2] -v",
        "pytest",
        "pytest tests/",
        "pytest tests/unit -k 'tests/other.py'",
        "pytest tests/$NAME.py",
        "pytest tests/<name>.py",
        "pytest tests/test_*.py",
        "pytest unit/test_wheel.py",
        "pytest tests/test_none.py || pytest tests/unit",
        "! pytest tests/test_none.py",
        "cd $ROOT && pytest tests/test_none.py",
        "docker compose exec app pytest tests/test_none.py",
        "cd web && npm test",
        "cd web && npm run build -- --watch",
        "cd web/src && npm run build",
        "npm run build",
        "cd web && npx tsc --noEmit",
        "bunx vitest",
        "bun run src/index.ts",
        "bun test tests/none.test.ts",
        "pnpm --filter 'web*' run typecheck",
        "pnpm --filter web... run typecheck",
        "pnpm --filter web --filter api run typecheck",
        "yarn workspace web build",
        "cd web && yarn eslint .",
        "cd web && npm run typecheck --if-present",
        "npm install",
        "make",
        "make test lint",
        "make -C tools typecheck",
        "make $TARGET",
        "go test ./...",
    ],
)
def test_a_target_that_is_there_or_cannot_be_known_is_not(bench: Bench, command: str) -> None:
    assert bench.findings(TREE, plan(run(command)), FORM) == ()


def test_a_red_step_may_run_what_does_not_exist_yet(bench: Bench) -> None:
    assert bench.report(TREE, plan(run("pytest tests/test_axle.py -v", "FAIL with import error"))).findings == ()


def test_a_test_that_its_task_creates_is_there(bench: Bench) -> None:
    text = plan(run("pytest tests/test_axle.py::test_new -v", "PASS", "Test: `tests/test_axle.py`"))
    assert bench.report(TREE, text).findings == ()


def test_a_test_that_is_created_elsewhere_gives_an_edit(bench: Bench) -> None:
    text = plan(run("pytest tests/test_axle.py -v", "PASS", "Create: `tests/unit/test_axle.py`"))
    (finding,) = bench.findings(TREE, text, FORM)
    assert finding.message == "no such test; the plan creates it elsewhere"
    assert finding.edit is not None
    assert (finding.edit.old, finding.edit.new) == ("tests/test_axle.py", "tests/unit/test_axle.py")


def test_a_test_that_only_a_later_task_creates_cannot_pass_now(bench: Bench) -> None:
    text = plan(run("pytest tests/test_axle.py -v"), files("Create: `tests/test_axle.py`"))
    (finding,) = bench.findings(TREE, text, FORM)
    assert finding.message == "no such test yet, Task 2 creates it later"


def test_a_test_function_that_the_plan_writes_is_there(bench: Bench) -> None:
    body = run("pytest tests/unit/test_wheel.py::test_new -v") + "\n```python\ndef test_new():\n    assert True\n```\n"
    assert bench.findings(TREE, plan(body), FORM) == ()


def test_a_test_of_a_class_with_a_base_may_be_inherited(bench: Bench) -> None:
    tree = {**TREE, "tests/unit/test_wheel.py": "from base import Base\n\n\nclass TestTurn(Base):\n    pass\n"}
    assert bench.findings(tree, plan(run("pytest tests/unit/test_wheel.py::TestTurn::test_x")), FORM) == ()


def test_a_test_file_that_an_earlier_task_deletes_is_gone(bench: Bench) -> None:
    text = plan(files("Delete: `tests/unit/test_wheel.py`"), run("pytest tests/unit/test_wheel.py"))
    (finding,) = bench.findings(TREE, text, FORM)
    assert finding.message == "Task 1 deletes or moves this test before"


def test_a_script_that_a_task_may_add_is_unknown(bench: Bench) -> None:
    text = plan(files("Modify: `web/package.json`"), run("cd web && npm run typecheck"))
    assert bench.findings(TREE, text, FORM) == ()


def test_a_change_of_the_manifest_that_is_about_something_else_adds_no_script(bench: Bench) -> None:
    command = run("cd web && npm run typecheck")
    other = files("Modify: `web/package.json` (one more dependency, zod)")
    assert len(bench.findings(TREE, plan(other, command), FORM)) == 1
    both = files("Modify: `web/package.json` (one more dependency, zod, and scripts)")
    assert bench.findings(TREE, plan(both, command), FORM) == ()
    named = "The types are checked by a typecheck of the page.\n"
    assert bench.findings(TREE, plan(other, named, command), FORM) == ()


def test_a_script_that_the_plan_writes_in_code_is_there(bench: Bench) -> None:
    body = run("cd web && npm run typecheck") + '\n```json\n"typecheck": "tsc --noEmit"\n```\n'
    assert bench.findings(TREE, plan(body), FORM) == ()


def test_a_script_of_another_package_is_the_readers_to_find(bench: Bench) -> None:
    tree = {**TREE, "package.json": '{"scripts": {}}', "api/package.json": '{"scripts": {"typecheck": "tsc"}}'}
    assert bench.findings(tree, plan(run("npm run typecheck")), FORM) == ()


@pytest.mark.parametrize(
    "makefile", ["include rules.mk\ntest:\n\ttrue\n", "%.o: %.c\n\tcc\n", "$(ALL): x\n\ttrue\n", "define x\nendef\n"]
)
def test_a_makefile_whose_targets_are_open_is_unknown_and_says_so(bench: Bench, makefile: str) -> None:
    report = bench.report({**TREE, "Makefile": makefile}, plan(run("make typecheck")))
    assert report.findings == ()
    (record,) = [check for check in report.checks if check.name == "verify_form"]
    assert record.reason is not None


def test_a_makefile_that_a_task_changes_is_unknown(bench: Bench) -> None:
    text = plan(files("Modify: `Makefile`"), run("make typecheck"))
    assert bench.findings(TREE, text, FORM) == ()


def test_broken_package_json_is_said_and_not_judged(bench: Bench) -> None:
    report = bench.report({**TREE, "web/package.json": "{"}, plan(run("cd web && npm run typecheck")))
    assert report.findings == ()
    (record,) = [check for check in report.checks if check.name == "verify_form"]
    assert record.reason == "web/package.json is not valid JSON"


@pytest.mark.parametrize(
    ("name", "command", "subject"),
    [
        ("tests/test_blank.py", "pytest tests/test_blank.py::test_any", "tests/test_blank.py::test_any"),
        ("Makefile", "make any", "any"),
    ],
)
def test_a_file_of_nothing_but_line_ends_is_looked_through_once(
    bench: Bench, name: str, command: str, subject: str
) -> None:
    (finding,) = bench.findings({name: "\n" * 500_000}, plan(run(command)), FORM)
    assert (finding.subject, finding.suggestion) == (subject, None)


def test_among_very_many_targets_none_is_suggested(bench: Bench) -> None:
    def suggestion(count: int) -> str | None:
        rules = "".join(f"part{number}:\n" for number in range(count))
        (finding,) = bench.findings({"Makefile": rules}, plan(run("make part1x")), FORM)
        return finding.suggestion

    assert suggestion(10) == "part1"
    assert suggestion(20_000) is None


def test_a_test_that_another_import_may_bring_is_not_missed(bench: Bench) -> None:
    tree = {
        "tests/test_star.py": "\n\n    from  shared  import  *\n",
        "tests/test_child.py": "class TestA (Base): ...\n",
    }
    assert not bench.findings(tree, plan(run("pytest tests/test_star.py::test_any")), FORM)
    assert not bench.findings(tree, plan(run("pytest tests/test_child.py::TestA::test_any")), FORM)


METHODS = """import pytest


class TestTurn:
    def test_fast(self):
        pass

    async def test_slow(self):
        pass


class TestBrake:
    def test_fast(self):
        pass


if True:
    def test_both(self):
        pass


def test_slow():
    pass
"""


def test_a_method_is_not_found_by_an_id_without_its_class(bench: Bench) -> None:
    tree = {**TREE, "tests/test_turn.py": METHODS.replace("def test_slow():", "def test_other():")}
    (finding,) = bench.findings(tree, plan(run("pytest tests/test_turn.py::test_slow")), FORM)
    assert finding.suggestion == "tests/test_turn.py::TestTurn::test_slow"
    (finding,) = bench.findings(tree, plan(run("pytest tests/test_turn.py::test_fast -q")), FORM)
    assert finding.suggestion is None  # of two classes
    for node in ("TestTurn::test_slow", "TestBrake::test_fast", "test_other", "test_both"):
        assert bench.findings(tree, plan(run(f"pytest tests/test_turn.py::{node}")), FORM) == ()


def test_a_test_that_a_class_and_the_module_have_or_that_the_plan_writes_is_found(bench: Bench) -> None:
    tree = {**TREE, "tests/test_turn.py": METHODS}
    assert bench.findings(tree, plan(run("pytest tests/test_turn.py::test_slow")), FORM) == ()
    written = "```python\ndef test_fast():\n    pass\n```\n"
    assert bench.findings(tree, plan(written + run("pytest tests/test_turn.py::test_fast")), FORM) == ()
