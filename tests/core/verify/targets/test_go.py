from __future__ import annotations

import pytest

from tests.core.verify.conftest import files, run
from tests.core.verify.targets.conftest import Aims

TREE = {
    "go.mod": "module git.corp/gears\n\ngo 1.23\n",
    "cmd/wind/main.go": "package main\n",
    "internal/wheel/wheel.go": "package wheel\n",
    "internal/wheel/wheel_test.go": "package wheel\n",
    "internal/assets/logo.txt": "x\n",
    "internal/drive/belt/belt.go": "package belt\n",
}


@pytest.mark.parametrize(
    ("command", "subject", "suggestion"),
    [
        ("go test ./internal/wheels -run TestTurn -count=1", "./internal/wheels", "internal/wheel"),
        ("go test ./internal/wheels/...", "./internal/wheels/...", "internal/wheel"),
        ("go vet ./internal/wheel ./internal/axle", "./internal/axle", None),
        ("go run ./cmd/winds --fast ./internal/none", "./cmd/winds", "cmd/wind"),
        ("go build -o /tmp/wind ./cmd/winder", "./cmd/winder", "cmd/wind"),
        ("go test git.corp/gears/internal/wheels", "git.corp/gears/internal/wheels", "internal/wheel"),
        ("go -C internal test ./drive/belts", "./drive/belts", "internal/drive/belt"),
        ("cd internal && go test ./drive/belts", "./drive/belts", "internal/drive/belt"),
        ("go test ./internal/assets", "./internal/assets", "internal/wheel"),
        ("go test ./internal/wheel/wheels_test.go", "./internal/wheel/wheels_test.go", "internal/wheel/wheel_test.go"),
    ],
)
def test_a_package_that_is_not_there_is_reported(
    aims: Aims, command: str, subject: str, suggestion: str | None
) -> None:
    found = aims(TREE, command)
    assert [each[0] for each in found] == [subject]
    if subject != "./internal/assets":
        assert found[0][1] == suggestion


@pytest.mark.parametrize(
    "command",
    [
        "go test ./...",
        "go test ./internal/...",
        "go test ./internal/drive/...",
        "go test .",
        "go test fmt",
        "go test ./internal/wheel -run TestThatIsNowhere",
        "go test -coverprofile ./internal/none ./internal/wheel",
        "go test -run ./internal/none ./internal/wheel",
        "go build -ldflags='-X main.v=./internal/none' ./cmd/wind",
        "go run github.com/bufbuild/buf/cmd/buf@latest generate",
        "go test ./handlers/",
        "go test ./vendor/x/y",
        "go test ./belt",
        "go test ./internal/<name>",
        "go test ./internal/$PKG",
        "cd $ROOT && go test ./internal/none",
        "docker compose exec app go test ./internal/none",
        "! go test ./internal/none",
        "go mod tidy",
        "go test ./internal/wheel -args ./internal/none",
    ],
)
def test_a_package_that_is_there_or_cannot_be_known_is_not(aims: Aims, command: str) -> None:
    assert aims(TREE, command) == []


def test_a_package_that_the_plan_fills_is_there(aims: Aims) -> None:
    assert aims(TREE, files("Create: `internal/axle/axle.go`"), "go test ./internal/axle") == []
    assert aims(TREE, "go test ./internal/axle", files("Modify: `internal/axle/axle.go`")) == []


def test_a_red_step_may_name_a_package_to_come(aims: Aims) -> None:
    assert aims(TREE, run("go test ./internal/axle", "FAIL with no such directory")) == []
    assert aims(TREE, run("go test ./internal/axle", "FAIL")) == [("./internal/axle", None)]
    later = files("Create: `internal/axle/axle.go`")
    assert aims(TREE, run("go test ./internal/axle", "FAIL with undefined: Axle"), later) == []


def test_a_plan_over_several_repositories_is_not_judged_by_this_one(aims: Aims) -> None:
    elsewhere = "\nThis is a cross-repo change.\n"
    assert aims(TREE, run("go test ./internal/axle") + elsewhere) == []
    # but for a name that is nearly right
    near = [("./internal/wheels", "internal/wheel")]
    assert aims(TREE, run("go test ./internal/wheels") + elsewhere) == near
    # and for a task that works on files of this one
    work = run("go test ./internal/axle", "PASS", "Modify: `internal/wheel/wheel.go`")
    assert aims(TREE, "Some words." + elsewhere, work) == [("./internal/axle", None)]
    assert aims(TREE, "Some words." + elsewhere, work + "\nThen tag the repo.\n") == []


def test_a_package_is_no_binary_that_an_ignore_rule_leaves_out(aims: Aims) -> None:
    tree = {**TREE, ".gitignore": "*\n!*.*\n!*/\n"}
    assert aims(tree, "go test ./internal/axle") == [("./internal/axle", None)]


def test_without_a_module_or_beside_a_new_one_there_is_nothing_to_say(aims: Aims) -> None:
    bare = {path: text for path, text in TREE.items() if path != "go.mod"}
    assert aims(bare, "go test ./internal/axle") == []
    assert aims(TREE, files("Create: `tool/go.mod`"), "go test ./internal/axle") == []


def test_a_folder_of_code_that_the_plan_only_quotes_says_nothing_of_repositories(aims: Aims) -> None:
    code = "```go\nx := info{\n\tRepository: repository,\n}\n```\n"
    assert aims(TREE, run("go test ./internal/axle") + "\n" + code) == [("./internal/axle", None)]


def test_an_area_that_is_not_there_is_wrong_in_a_task_that_works_in_this_repository(aims: Aims) -> None:
    assert aims(TREE, "go test ./drive/axle/...") == []
    work = run("go test ./drive/axle/...", "PASS", "Modify: `internal/wheel/wheel.go`")
    assert aims(TREE, work) == [("./drive/axle/...", None)]
