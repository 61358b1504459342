"""Seeded verify steps whose command cannot do what it is there for."""

from __future__ import annotations

import pytest

from bot.core.verify.evaluation.mutate import verify_form
from tests.core.verify.evaluation.mutate.conftest import TEXT, TREE, Shop, shown

PACKAGE = '{"name": "gears", "scripts": {"lint": "x"}}'


def test_a_test_path_is_misspelt_in_the_command_alone(shop: Shop) -> None:
    (mutant,) = shop.seeded(verify_form.test_path_is_misspelt)
    assert shown(mutant) == ["Run: `pytest tests/test_wheels.py -v`"]


def test_a_test_that_is_nowhere_to_begin_with_is_left_alone(shop: Shop) -> None:
    assert not shop.seeded(verify_form.test_path_is_misspelt, TEXT.replace("tests/test_wheel.py", "tests/test_x.py"))


def test_a_path_is_looked_up_in_the_folder_that_the_command_changes_to(shop: Shop) -> None:
    text = TEXT.replace("pytest tests/", "cd engine && pytest tests/")
    files = {**TREE, "engine/tests/test_wheel.py": "x = 1\n"}
    (mutant,) = shop.seeded(verify_form.test_path_is_misspelt, text, files)
    assert shown(mutant) == ["Run: `cd engine && pytest tests/test_wheels.py -v`"]


def test_a_command_somewhere_else_on_the_machine_is_left_alone(shop: Shop) -> None:
    text = TEXT.replace("pytest tests/", "cd /home/ada/gears && pytest tests/")
    assert not shop.seeded(verify_form.cannot_fail, text)


def test_success_is_hidden_only_where_success_is_expected(shop: Shop) -> None:
    (mutant,) = shop.seeded(verify_form.cannot_fail)
    assert shown(mutant) == ["Run: `pytest tests/test_wheel.py -v || true`"]
    assert not shop.seeded(verify_form.cannot_fail, TEXT.replace("Expected: PASS", "Expected: FAIL"))


def test_a_python_test_is_handed_to_jest(shop: Shop) -> None:
    (mutant,) = shop.seeded(verify_form.runner_takes_no_such_file)
    assert shown(mutant) == ["Run: `npx jest tests/test_wheel.py`"]


@pytest.mark.parametrize(
    ("command", "file", "content", "mutator", "becomes"),
    [
        ("npm run lint", "package.json", PACKAGE, verify_form.script_is_unknown, "npm run lint:gears"),
        ("make check", "Makefile", "check:\n\ttrue\n", verify_form.target_is_unknown, "make check-gears"),
        ("just check", "justfile", "check:\n  true\n", verify_form.target_is_unknown, "just check-gears"),
        ("cargo test -p rim", "Cargo.toml", "[workspace]\n", verify_form.crate_is_unknown, "cargo test -p rim-gears"),
        (
            "go test ./gear/...",
            "gear/gear.go",
            "package gear\n",
            verify_form.package_is_misspelt,
            "go test ./gearutil/...",
        ),
        (
            "pnpm --filter gears lint",
            "package.json",
            PACKAGE,
            verify_form.workspace_is_unknown,
            "pnpm --filter gears-gears lint",
        ),
    ],
)
def test_a_target_gets_a_name_that_nothing_defines(
    shop: Shop, command: str, file: str, content: str, mutator: object, becomes: str
) -> None:
    text = TEXT.replace("pytest tests/test_wheel.py -v", command)
    assert callable(mutator)
    (mutant,) = shop.seeded(mutator, text, {**TREE, file: content})
    assert shown(mutant) == [f"Run: `{becomes}`"]


def test_a_makefile_with_patterns_may_make_anything(shop: Shop) -> None:
    text = TEXT.replace("pytest tests/test_wheel.py -v", "make check")
    files = {**TREE, "Makefile": "%:\n\ttrue\n"}
    assert not shop.seeded(verify_form.target_is_unknown, text, files)


def test_a_task_gets_a_verify_step_without_a_target(shop: Shop) -> None:
    mutant = shop.seeded(verify_form.verifies_with_nothing)[0]
    assert shown(mutant) == ["Run: `pytest tests/test_gearbox_ratio.py -v`"]
