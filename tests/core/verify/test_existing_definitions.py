"""Definitions that a package has already."""

from __future__ import annotations

import pytest

from schemas.verify_report import FindingType, Severity
from tests.core.verify.conftest import Bench, plan

EXISTS = FindingType.IGNORES_EXISTING_CODE
TREE = {
    "cmd/gears/main.go": "package main\n\nfunc main() {}\n",
    "cmd/gears/wheel.go": "package main\n\n\nfunc countSpokes(x int) int { return x }\n\ntype Wheel struct{}\n",
    "cmd/gears/wheel_linux.go": "package main\n\nfunc spin() {}\n",
    "cmd/gears/tool.go": "//go:build ignore\n\npackage main\n\nfunc helper() {}\n",
    "cmd/gears/wheel_test.go": "package main_test\n\nfunc build() {}\n",
    "src/gears/wheel.py": "def turn_wheel():\n    pass\n\n\nclass Hub:\n    def turn(self): ...\n",
}
ADD = "Add a small helper `countSpokes` at the end of the file:"


def task(lead: str, code: str, *bullets: str, language: str = "go") -> str:
    listed = "\n".join(f"- {bullet}" for bullet in bullets or ("Modify: `cmd/gears/main.go`",))
    return f"**Files:**\n{listed}\n\n{lead}\n\n```{language}\n{code}\n```\n"


def test_a_helper_that_another_file_of_the_package_has_is_a_compile_error(bench: Bench) -> None:
    text = plan(task(ADD, "func countSpokes(x string) string { return x }"))
    (finding,) = bench.findings(TREE, text, EXISTS)
    assert (finding.severity, finding.gating, finding.subject) == (Severity.MAJOR, True, "countSpokes")
    assert finding.message == "the plan adds `countSpokes`, and package `main` has one already, in cmd/gears/wheel.go"
    assert (finding.evidence[0].path, finding.evidence[0].line) == ("cmd/gears/wheel.go", 4)


def test_so_is_a_type_in_a_new_file_shown_whole(bench: Bench) -> None:
    code = "package main\n\ntype Wheel struct{ size int }\n\nfunc (w *Wheel) Size() int { return w.size }"
    text = plan(task("Create `cmd/gears/rim.go`:", code, "Create: `cmd/gears/rim.go`"))
    (finding,) = bench.findings(TREE, text, EXISTS)
    assert (finding.subject, finding.gating) == ("Wheel", True)


@pytest.mark.parametrize(
    "text",
    [
        task("Replace `countSpokes` in `cmd/gears/main.go`:", "func countSpokes() {}"),
        task("The new version:", "func countSpokes() {}"),
        task(ADD, "func countSpokes() {}", "Modify: `cmd/gears/main.go`", "Delete: `cmd/gears/wheel.go`"),
        task("Add `spin` here:", "func spin() {}"),
        task("Add `helper` here:", "func helper() {}"),
        task("Add `build` here:", "func build() {}"),
        task("Add `main` here:", "func main() {}"),
        task(ADD, "package other\n\nfunc countSpokes() {}"),
        task(ADD, "//go:build linux\n\npackage main\n\nfunc countSpokes() {}"),
        task(ADD, "func (g *Gear) countSpokes() {}"),
        task("Add a call to `countSpokes`:", "func run() { countSpokes(1) }"),
        task("Add a field to the `Wheel` type:", "type Wheel struct { a int }"),
    ],
)
def test_what_changes_moves_or_may_live_side_by_side_is_none(bench: Bench, text: str) -> None:
    assert bench.findings(TREE, plan(text), EXISTS) == ()


def test_where_the_plan_changes_the_other_file_too_it_may_take_it_away(bench: Bench) -> None:
    text = plan(task(ADD, "func countSpokes() {}", "Modify: `cmd/gears/wheel.go`", "Modify: `cmd/gears/main.go`"))
    assert bench.findings(TREE, text, EXISTS) == ()


def test_a_function_that_the_file_itself_has_is_not_new(bench: Bench) -> None:
    lead = "Add a function `turn_wheel` to `src/gears/wheel.py`:"
    text = plan(task(lead, "def turn_wheel():\n    return 1", "Modify: `src/gears/wheel.py`", language="python"))
    (finding,) = bench.findings(TREE, text, EXISTS)
    assert (finding.subject, finding.gating, finding.suggestion) == ("turn_wheel", True, "src/gears/wheel.py:1")


@pytest.mark.parametrize(
    ("lead", "code"),
    [
        ("Update `turn_wheel` in `src/gears/wheel.py`:", "def turn_wheel():\n    return 1"),
        ("Add a flag to `turn_wheel` in `src/gears/wheel.py`:", "def turn_wheel(flag):\n    return 1"),
        ("Add a function `turn` to `src/gears/wheel.py`:", "def turn():\n    return 1"),
        ("In `src/gears/wheel.py`:", "def turn_wheel():\n    return 1"),
    ],
)
def test_the_new_version_of_a_function_in_its_own_file_is_none(bench: Bench, lead: str, code: str) -> None:
    text = plan(task(lead, code, "Modify: `src/gears/wheel.py`", language="python"))
    assert bench.findings(TREE, text, EXISTS) == ()


def test_a_file_that_an_earlier_task_rewrites_may_have_lost_it(bench: Bench) -> None:
    lead = "Add a function `turn_wheel` to `src/gears/wheel.py`:"
    first = "**Files:**\n- Modify: `src/gears/wheel.py`\n\n- [ ] Take the old one out\n"
    second = task(lead, "def turn_wheel():\n    return 1", "Modify: `src/gears/wheel.py`", language="python")
    assert bench.findings(TREE, plan(first, second), EXISTS) == ()


def test_code_that_is_appended_is_new_without_being_named(bench: Bench) -> None:
    code = "func countSpokes(x string) string { return x }"
    (finding,) = bench.findings(TREE, plan(task("Append to `cmd/gears/main.go`:", code)), EXISTS)
    assert (finding.subject, finding.gating) == ("countSpokes", True)
    assert bench.findings(TREE, plan(task("Change in `cmd/gears/main.go`:", code)), EXISTS) == ()


def test_the_one_function_shown_is_the_new_one(bench: Bench) -> None:
    lead, code = "Add a new function to `src/gears/wheel.py`", "def turn_wheel():\n    return 1"
    text = plan(task(lead, code, "Modify: `src/gears/wheel.py`", language="python"))
    (finding,) = bench.findings(TREE, text, EXISTS)
    assert (finding.subject, finding.gating) == ("turn_wheel", True)
    two = plan(task(lead, f"{code}\n\n\ndef stop(): ...", "Modify: `src/gears/wheel.py`", language="python"))
    assert bench.findings(TREE, two, EXISTS) == ()


JAVA = {"src/org/gears/Wheel.java": "package org.gears;\n\npublic class Wheel {}\n\nclass Spokes {}\n"}


@pytest.mark.parametrize(
    ("code", "gates"),
    [
        ("package org.gears;\n\nclass Rim {}\n\nclass Spokes {}", True),
        ("package org.gears;\n\nclass Rim {\n  class Spokes {}\n}", False),
        ("package org.other;\n\nclass Rim {}\n\nclass Spokes {}", False),
        ("class Rim {}\n\nclass Spokes {}", False),
    ],
)
def test_a_type_of_a_new_java_file_may_be_in_the_package(bench: Bench, code: str, gates: bool) -> None:
    text = plan(task("Create `src/org/gears/Rim.java`:", code, "Create: `src/org/gears/Rim.java`", language="java"))
    found = bench.findings(JAVA, text, EXISTS)
    assert [finding.subject for finding in found] == (["Spokes"] if gates else [])


def test_a_stub_of_a_new_test_in_the_root_folder_may_be_declared_already(bench: Bench) -> None:
    stub = "package gears\n\ntype quietBell struct{}\n"
    text = plan(task("Write the test:", stub, "Create: `rim_test.go`"))
    (finding,) = bench.findings({"bell_test.go": stub}, text, EXISTS)
    assert (finding.subject, finding.gating) == ("quietBell", True)


@pytest.mark.parametrize(
    ("lead", "code", "language", "path"),
    [
        (
            "Add a `turn_wheel` method to `Hub` in `{}`:",
            "    def turn_wheel(self):\n        pass",
            "python",
            "wheel.py",
        ),
        ("Add `turn_wheel` to `Hub` in `{}`:", "    def turn_wheel():\n        pass", "python", "wheel.py"),
        ("Add `turn_wheel` to `Hub` in `{}`:", "def turn_wheel(self): ...", "python", "wheel.py"),
        ("Append to `{}`:", "    def turn_wheel(self): ...", "python", "wheel.py"),
        ("Add `spin` to `impl Hub` in `{}`:", "pub fn spin(&mut self) {}", "rust", "hub.rs"),
        ("Add the method `spin` to `Hub` in `{}`:", "fn spin() {}", "rust", "hub.rs"),
    ],
)
def test_a_method_may_have_the_name_of_a_function(bench: Bench, lead: str, code: str, language: str, path: str) -> None:
    path = f"src/gears/{path}"
    tree = {**TREE, "src/gears/hub.rs": "pub struct Hub;\n\npub fn spin() {}\n"}
    text = plan(task(lead.format(path), code, f"Modify: `{path}`", language=language))
    assert bench.findings(tree, text, EXISTS) == ()
