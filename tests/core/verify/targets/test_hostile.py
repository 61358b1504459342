"""Plans and trees that are made to be slow to read, and what is said where they are too much.

Nothing is timed: a reader that looks at a part of such a text again and again does not come to its end here.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bot.core.plans import parse
from bot.core.plans.model import Document
from bot.core.tree import Tree
from bot.core.verify.replay import replay
from bot.core.verify.targets import TYPE, ground
from bot.core.verify.targets.ground import MAX_ELSEWHERE
from bot.core.verify.world import World
from schemas.verify_report import VerifyReport
from tests.core.verify.conftest import PLAN, Bench, plan, run
from tests.core.verify.targets.conftest import Aims
from tests.git_repo import build_repo

LONG = 100_000


def reason(report: VerifyReport) -> str:
    return "; ".join(check.reason or "" for check in report.checks if check.name == TYPE.value)


def world(bench: Bench, tree: Mapping[str, str], text: str, known_added: frozenset[str] = frozenset()) -> World:
    repo = build_repo(bench.folder / "world", {"README.md": "# Gears\n", **tree})
    opened = Tree.open(repo.path, repo.head)
    read = parse([Document(PLAN, text)])
    return World(read, opened, replay(read, opened), known_added)


@pytest.mark.parametrize(
    "line",
    [
        "add ` " + "a " * LONG,
        "\n".join(["add ` " + "a " * 1_900] * 100),
        "add " + "`a " * LONG,
        "add" + " " * LONG + "`",
        '"a' * LONG,
        "a " * LONG + ":",
    ],
)
def test_a_line_of_unclosed_marks_and_blanks_is_read_once(line: str) -> None:
    assert "wheel" in ground.announcements(f"{line}\n\nAdd the target wheel.")


def test_a_command_in_code_marks_adds_nothing_and_the_words_between_two_spans_do() -> None:
    found = ground.announcements("Add `wheel` beside hub to `make axle rim`, then `belt`.")
    assert {"wheel", "hub", "belt"} <= found
    assert not {"make", "axle", "rim"} & found


@pytest.mark.parametrize(
    "settings",
    [
        "include " * LONG,
        "apply " * LONG,
        "// include 'a' " * (LONG // 10),
        "include ':hub'" + " " * LONG,
        " " * LONG + "include ':hub'",
        "include ':hub' " * 20_000,
    ],
)
def test_settings_of_one_long_line_are_read_once(aims: Aims, settings: str) -> None:
    tree = {"settings.gradle": settings, "hub/build.gradle": ""}
    aims.report(tree, "./gradlew :hub:test", max_blob=4_000_000)


def test_what_stands_in_a_comment_of_the_settings_is_no_module(aims: Aims) -> None:
    tree = {"settings.gradle": "include ':hub'\n  // include ':axle', include ':axle'\n * include ':axle'\n"}
    assert aims(tree, "./gradlew :hub:test :axle:test") == [(":axle:test", None)]


def test_more_modules_than_can_be_compared_are_said(aims: Aims) -> None:
    tree = {"settings.gradle": "\n".join(f"include ':part{n}'" for n in range(2_100))}
    assert "more than 2000 modules" in aims.notes(tree, "./gradlew :axle:test")


@pytest.mark.parametrize(
    "ini",
    [
        "[tox]\nenvlist = a" + " " * LONG + "b",
        "[tox]\na" + " " * LONG + "b",
        "[tox]\nenvlist = " + "{" * LONG,
        "[tox]\nenvlist = a\n" + " \n" * LONG + " b",
        "[tox]\nenvlist = " + "a, " * (LONG // 3),
        "[tox]\nenvlist = " + "{,}{,}{,}{,}{,}{,} " * 10_000,
    ],
)
def test_a_list_of_environments_is_read_once(aims: Aims, ini: str) -> None:
    aims.report({"tox.ini": ini}, "tox -e lint", max_blob=4_000_000)


def test_more_environments_than_can_be_known_are_said(aims: Aims) -> None:
    tree = {"tox.ini": "[tox]\nenvlist = " + ", ".join(f"part{n}" for n in range(2_100))}
    assert aims.notes(tree, "tox -e lint") == "tox.ini leaves its environments open, so they are not known"


def test_a_list_in_braces_may_be_spread_over_lines(aims: Aims) -> None:
    tree = {"tox.ini": "[tox]\nenvlist =\n    py{311,\n      312 , 313\n    }-fast lint,docs\n    slow\n"}
    known = "py311-fast,py312-fast,py313-fast,lint,docs,slow"
    assert aims(tree, f"tox -e {known}") == []
    assert aims(tree, f"tox -e {known},lints") == [("lints", "lint")]


def test_a_recipe_with_many_blanks_is_read_once(aims: Aims) -> None:
    tree = {"justfile": ("wheel" + " " * 1_900 + ":\n") * 200}
    assert aims(tree, "just wheels") == [("wheels", "wheel")]


def test_what_is_asked_of_a_plan_and_its_tree_is_worked_out_once(bench: Bench) -> None:
    known = world(bench, {"a/one.txt": "1", "b/two.txt": "2"}, plan(run("make wheel")))
    asked: list[str] = []

    def files(each: World) -> tuple[str, ...]:
        asked.append("tree")
        return tuple(each.tree.paths())

    def first(text: str) -> str | None:
        asked.append(text)
        return None

    assert known.once(files) == known.once(files)
    assert [known.parsed(path, first, "x") for path in ("a/one.txt", "b/two.txt", "a/one.txt")] == [None, None, None]
    assert asked == ["tree", "1", "2"]
    assert known.notes == {}


def test_what_the_change_added_is_sorted_by_name_and_folder_once(bench: Bench) -> None:
    known = world(bench, {}, plan(run("make wheel")), frozenset({"b/c/go.mod", "a/go.mod", "x.py"}))
    assert known.added_by_name == {"go.mod": ["a/go.mod", "b/c/go.mod"], "x.py": ["x.py"]}
    assert known.added_below == {"a", "b", "b/c"}
    assert known.added_below is known.added_below


def test_a_project_that_the_change_added_is_known_by_its_folder(aims: Aims) -> None:
    tree = {"go.mod": "module example.com/gears\n", "internal/hub/hub.go": "package hub\n", "src/App.sln": ""}
    assert aims(tree, "go test ./internal/axle") == [("./internal/axle", None)]
    added = frozenset({"internal/axle/sub/axle.go", "src/tool/deep/Tool.csproj"})
    assert aims(tree, "go test ./internal/axle", known_added=added) == []
    assert aims(tree, "dotnet build src/tool") == [("src/tool", None)]
    assert aims(tree, "dotnet build src/tool", known_added=added) == []


MANY = {
    "justfile": ("just axle", "justfile", "wheel:\n    x\n"),
    "Taskfile": ("task axle", "Taskfile.yml", "version: '3'\ntasks:\n  wheel: {cmds: [x]}\n"),
    "compose": ("docker compose up axle", "compose.yaml", "services:\n  wheel: {image: x}\n"),
    "package.json": ("npm run axle", "package.json", '{"scripts": {"wheel": "x"}}'),
    "makefile": ("make axle", "Makefile", "wheel:\n\tx\n"),
}


@pytest.mark.parametrize("kind", MANY)
def test_a_name_is_not_called_missing_where_too_many_other_files_may_have_it(aims: Aims, kind: str) -> None:
    command, name, content = MANY[kind]
    tree = {f"part{n}/{name}": content for n in range(MAX_ELSEWHERE)}
    assert [subject for subject, _ in aims({name: content, **tree}, command)] == ["axle"]
    over = aims.notes({name: content, **tree, f"more/{name}": content}, command)
    assert f"{MAX_ELSEWHERE + 1} other files like more/{name} are too many to look into" in over


@pytest.mark.parametrize("kind", MANY)
def test_a_name_is_not_called_missing_where_a_file_that_may_have_it_cannot_be_read(aims: Aims, kind: str) -> None:
    command, name, content = MANY[kind]
    report = aims.report({name: content, f"part/{name}": content + " " * 3_000}, command, max_blob=2_000)
    assert report.findings == ()
    assert f"part/{name} could not be read: too large" in reason(report)


def test_how_many_other_files_are_looked_into_can_be_set(bench: Bench) -> None:
    known = world(bench, {}, plan(run("make wheel")))
    looked: list[str] = []

    def has(path: str) -> bool | None:
        looked.append(path)
        return {"yes": True, "unknown": None}.get(path, False)

    assert not ground.elsewhere(known, ["a", "b"], has, limit=2)
    assert looked == ["a", "b"]
    assert ground.elsewhere(known, ["a", "unknown"], has)
    assert ground.elsewhere(known, ["a", "yes"], has)
    assert known.notes == {}
    assert ground.elsewhere(known, ["a", "b", "c"], has, limit=2)
    assert known.notes == {TYPE.value: ["3 other files like a are too many to look into"]}


@pytest.mark.parametrize(
    ("tree", "command", "unread"),
    [
        ({"Cargo.toml": '[package]\nname = "hub"\n', "Cargo.lock": "#" * 3_000}, "cargo test -p axle", "Cargo.lock"),
        ({"package.json": '{"name": "hub"}', "a/package.json": " " * 3_000}, "npm -w axle test", "a/package.json"),
        ({"gears/hub.py": "", "gears/__init__.py": "#" * 3_000}, "python -m gears.axle", "gears/__init__.py"),
        ({"tests/test_a.py": "#" * 3_000}, "pytest tests/test_a.py::test_x", "tests/test_a.py"),
        ({"Makefile": "#" * 3_000}, "make axle", "Makefile"),
        ({"tox.ini": "#" * 3_000}, "tox -e axle", "tox.ini"),
    ],
)
def test_a_file_that_cannot_be_read_denies_nothing_and_is_said(
    aims: Aims, tree: Mapping[str, str], command: str, unread: str
) -> None:
    report = aims.report(tree, command, max_blob=2_000)
    assert report.findings == ()
    assert f"{unread} could not be read: too large" in reason(report)
    assert reason(report).count(unread) == 1
