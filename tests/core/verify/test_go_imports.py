"""Go files of a task that import what only the code of a later task uses."""

from __future__ import annotations

import pytest

from bot.core.verify.checks.task_order import go_imports
from schemas.verify_report import Finding, FindingType, Severity
from tests.core.verify.conftest import Bench, plan
from tests.git_repo import Content

TREE: dict[str, Content] = {"mill/stone.go": "package mill\n\nfunc Grind() int { return 1 }\n"}
LATER = "func TestFile(t *testing.T) { os.Exit(0) }\n"


def go(lead: str, code: str) -> str:
    return f"{lead}\n\n```go\n{code}```\n"


def first(*imports: str, use: str = "", lead: str = "Create `mill/stone_test.go`:") -> str:
    """A task that writes a test file with these imports and this use of them."""
    listed = "".join(f"\t{each}\n" for each in ('"testing"', *imports))
    code = f"package mill\n\nimport (\n{listed})\n\nfunc TestGrind(t *testing.T) {{ {use} }}\n"
    return go(lead, code)


def then(code: str = LATER, path: str = "mill/stone_test.go") -> str:
    return go(f"Append to `{path}`:", code)


def found(bench: Bench, *tasks: str) -> tuple[Finding, ...]:
    return bench.findings(TREE, plan(*tasks), FindingType.TASK_ORDER)


def test_an_import_that_only_a_later_task_uses_does_not_compile(bench: Bench) -> None:
    (finding,) = found(bench, first('"os" // for later'), then())
    assert (finding.subject, finding.severity, finding.task) == ("os", Severity.BLOCKER, "Task 1")
    assert "used only by Task 2" in finding.message
    assert "os.Exit" in (finding.evidence[0].quote or "")


def test_an_import_outside_of_a_list_counts_as_well(bench: Bench) -> None:
    code = 'package mill\n\nimport "testing"\nimport "os"\n\nfunc TestGrind(t *testing.T) {}\n'
    (finding,) = found(bench, go("Create `mill/stone_test.go`:", code), then())
    assert finding.subject == "os"


def test_a_version_at_the_end_of_a_path_is_not_the_name(bench: Bench) -> None:
    later = then("func TestFile(t *testing.T) { rand.Int() }\n")
    assert [each.subject for each in found(bench, first('"math/rand/v2"'), later)] == ["rand"]
    assert found(bench, first('"math/rand/v2"', use="rand.Int()"), later) == ()


def test_several_imports_are_one_finding_that_names_a_few(bench: Bench) -> None:
    names = [f"pack{number}" for number in range(go_imports.SHOWN + 2)]
    later = then("func TestFile(t *testing.T) { " + "; ".join(f"{name}.Do()" for name in names) + " }\n")
    (finding,) = found(bench, first(*(f'"{name}"' for name in names)), later)
    assert "`pack4` and 2 more imported here" in finding.message


@pytest.mark.parametrize(
    "tasks",
    [
        (first('"os"', use="os.Exit(0)"), then()),
        (first('"os"') + then(), then()),  # the same task shows the rest of the file
        (first('"os"'), then(path="mill/sand_test.go")),
        (first('"os"'), then("func TestFile(t *testing.T) { macos.Exit(0) }\n")),
        (first('"os"'), "Nothing more.\n"),
        (first('"os"', use="\n\t// ... more cases\n"), then()),
        (first('"os"', lead="An example for `mill/stone_test.go`:"), then()),
        (first('alias "os"'), then()),
        (first('"example.org/os"'), then()),
        ("**Depends on:** Task 2\n\n" + first('"os"'), then()),
        (first('"os"') + "\n- [x] **Step 1: Write it**\n", then()),
    ],
    ids=[
        "used", "same-task", "other-file", "other-name", "unused-for-good", "elided", "example", "alias", "module",
        "declared", "done",
    ],
)  # fmt: skip
def test_what_compiles_or_cannot_be_told_is_fine(bench: Bench, tasks: tuple[str, ...]) -> None:
    assert [each for each in found(bench, *tasks) if "imported" in each.message] == []
