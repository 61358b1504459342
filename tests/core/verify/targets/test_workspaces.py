from __future__ import annotations

import pytest

from tests.core.verify.conftest import files, run
from tests.core.verify.targets.conftest import Aims

TREE = {
    "package.json": '{"name": "gears", "scripts": {"test": "turbo test"}}\n',
    "packages/wheel/package.json": '{"name": "@gears/wheel", "scripts": {"build": "tsc", "test": "vitest"}}\n',
    "packages/wheel/src/turn.test.ts": "export {}\n",
    "packages/belt/package.json": '{"name": "belt", "scripts": {"check": "tsc"}}\n',
}


@pytest.mark.parametrize(
    ("command", "subject", "suggestion"),
    [
        ("pnpm --filter @gears/wheel run check", "check", None),
        ("pnpm --filter wheel run builds", "builds", "build"),
        ("pnpm -F belt typecheck", "typecheck", "check"),
        ("pnpm --filter=./packages/belt run builds", "builds", None),
        ("yarn workspace belt run type:check", "type:check", None),
        ("npm run typecheck -w belt", "typecheck", "check"),
        ("npm run typecheck --workspace=packages/belt", "typecheck", "check"),
        ("bun --filter belt run type:check", "type:check", None),
        (
            "pnpm --filter wheel exec vitest run src/turns.test.ts",
            "src/turns.test.ts",
            "packages/wheel/src/turn.test.ts",
        ),
        ("pnpm --filter @gears/wheels test", "@gears/wheels", "@gears/wheel"),
        ("yarn workspace axle test", "axle", None),
        ("bun type:check", "type:check", None),
    ],
)
def test_a_command_for_one_package_is_judged_in_its_folder(
    aims: Aims, command: str, subject: str, suggestion: str | None
) -> None:
    assert aims(TREE, command) == [(subject, suggestion)]


@pytest.mark.parametrize(
    "command",
    [
        "pnpm --filter @gears/wheel run build",
        "pnpm --filter belt run check",
        "npm run check -w belt",
        "npm test -- -w none",
        "pnpm --filter belt --filter wheel run none",
        "pnpm --filter 'axle-*' run none",
        "pnpm --filter belt... run none",
        "pnpm --filter '[origin/main]' run none",
        "pnpm --filter <package> run none",
        "pnpm --filter $PACKAGE run none",
        "pnpm -r run none",
        "pnpm run check --filter none",
        "yarn workspaces run none",
        "cd $ROOT && pnpm --filter axle test",
    ],
)
def test_a_package_that_has_it_or_cannot_be_told_is_left_alone(aims: Aims, command: str) -> None:
    assert aims(TREE, command) == []


def test_a_package_that_the_plan_makes_or_names_is_there(aims: Aims) -> None:
    assert aims(TREE, files("Create: `packages/axle/package.json`"), "pnpm --filter axle test") == []
    named = "Add a package `axle` to the workspace.\n\n" + run("pnpm --filter axle test")
    assert aims(TREE, named) == []
    assert aims(TREE, "pnpm --filter axle test", known_added=frozenset({"packages/axle/package.json"})) == []


def test_two_packages_of_one_name_are_not_told_apart(aims: Aims) -> None:
    tree = {**TREE, "old/belt/package.json": '{"name": "belt"}\n'}
    assert aims(tree, "pnpm --filter belt run none") == []


def test_manifests_that_cannot_be_read_name_nothing(aims: Aims) -> None:
    assert aims({"package.json": "{", "web/package.json": "[]"}, "pnpm --filter axle test") == []


def test_in_a_plan_of_several_repositories_a_package_may_be_another_ones(aims: Aims) -> None:
    assert aims(TREE, "This is a cross-repo change.\n" + run("pnpm --filter axle test")) == []
