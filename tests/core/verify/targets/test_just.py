from __future__ import annotations

import pytest

from tests.core.verify.conftest import files, run
from tests.core.verify.targets.conftest import Aims

JUSTFILE = """\
set shell := ["bash", "-c"]
version := "1"
export RUST_LOG := "info"
alias t := test

# runs all checks
check: lint test

[group('a')]
@lint *paths:
    ruff check {{ paths }}

test target="all: of them" +rest='':
    pytest {{ target }}

_hidden:
    true

build kind:
    echo {{ kind }}
"""
TREE = {"justfile": JUSTFILE, "web/src/a.ts": "export {}\n"}


@pytest.mark.parametrize(
    ("command", "subject", "suggestion"),
    [
        ("just lnit", "lnit", "lint"),
        ("just check lnit", "lnit", "lint"),
        ("just --dry-run -v chek", "chek", "check"),
        ("cd web && just chek", "chek", "check"),
        ("just -f justfile chek", "chek", "check"),
        ("just --justfile=justfile version", "version", None),
        ("just typecheck", "typecheck", "check"),
    ],
)
def test_a_recipe_that_is_not_there_is_reported(aims: Aims, command: str, subject: str, suggestion: str | None) -> None:
    assert aims(TREE, command) == [(subject, suggestion)]


@pytest.mark.parametrize(
    "command",
    [
        "just",
        "just check",
        "just t",
        "just _hidden",
        "just lint src none",
        "just test none --none",
        "just build none",
        "just version=2 check",
        "just --set version 2 none",
        "just --list",
        "just $RECIPE",
        "just other/none",
        "! just none",
        "cd elsewhere && just none",
        "just -f other.just none",
    ],
)
def test_recipes_their_words_and_what_cannot_be_known_are_not(aims: Aims, command: str) -> None:
    assert aims(TREE, command) == []


def test_an_import_is_followed(aims: Aims) -> None:
    tree = {"justfile": "import 'ci/rules.just'\nimport? \"local.just\"\na:\n", "ci/rules.just": "import 'more.just'\n"}
    more = {"ci/more.just": "deep arg:\n    true\n"}
    assert aims({**tree, **more, "local.just": "b:\n"}, "just deep x", "just b") == []
    assert aims({**tree, **more, "local.just": "b:\n"}, "just deeper") == [("deeper", "deep")]
    assert aims({**tree, **more}, "just deeper") == []


def test_imports_that_go_round_end(aims: Aims) -> None:
    assert aims({"justfile": "import 'b.just'\n", "b.just": "import 'justfile'\n"}, "just none") == [("none", None)]


@pytest.mark.parametrize("line", ["set fallback", "set fallback := true", "mod none", "import x"])
def test_fallback_modules_and_odd_imports_leave_recipes_open(aims: Aims, line: str) -> None:
    assert aims({"web/justfile": f"{line}\nmod? other\na:\n"}, "cd web && just none") == []


def test_a_recipe_that_the_plan_adds_is_there(aims: Aims) -> None:
    assert aims(TREE, files("Modify: `justfile`"), "just none") == []
    fence = run("just none") + "\n```just\nnone arg='x':\n    true\n```\n"
    assert aims(TREE, fence) == []
    assert aims(TREE, run("just none") + "\nAdd a `none` recipe first.\n") == []


def test_a_recipe_of_another_justfile_is_the_readers_to_find(aims: Aims) -> None:
    assert aims({**TREE, "web/justfile": "typecheck:\n"}, "just typecheck") == []


def test_no_justfile_says_nothing(aims: Aims) -> None:
    assert aims({}, "just none") == []
