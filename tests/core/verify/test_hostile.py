"""Plans that are written to take long: what each check looks at has an end, and where it stops is said."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bot.core.plans import parse
from bot.core.plans.model import Document, Format
from bot.core.tree import Tree
from bot.core.verify.checks import missing_path
from bot.core.verify.checks.false_premise import quotes
from bot.core.verify.checks.scope_gap import commands as designed
from bot.core.verify.checks.scope_gap import unknown
from bot.core.verify.checks.task_order import go_imports
from bot.core.verify.checks.verify_form import commands, counted, staging
from bot.core.verify.replay import replay
from bot.core.verify.world import World
from schemas.verify_report import FindingType, VerifyReport
from tests.core.verify.conftest import PLAN, Bench, files, plan, run
from tests.git_repo import Content, build_repo

FORM = FindingType.VERIFY_FORM
ORDER = FindingType.TASK_ORDER
SCOPE = FindingType.SCOPE_GAP
PREMISE = FindingType.FALSE_PREMISE
TREE: dict[str, Content] = {"src/gears/wheel.py": "total = speed * 2\n", "notes/parts.md": "wheel\nwheel\n"}
MANY = 400


def reason(report: VerifyReport, type_: FindingType) -> str:
    return next(check.reason or "" for check in report.checks if check.name == type_.value)


def messages(report: VerifyReport, type_: FindingType) -> list[str]:
    return [finding.message for finding in report.findings if finding.type is type_]


def go(lead: str, code: str) -> str:
    return f"{lead}\n\n```go\n{code}\n```\n"


def shell(*lines: str) -> str:
    return "\n".join(["- [ ] **Step 1: Check**", "", "```bash", *lines, "```", ""])


def imports(names: list[str], use: str = "") -> str:
    listed = "\n".join(f'\t"{name}"' for name in names)
    return go("Create `mill/stone.go`:", f"package mill\n\nimport (\n{listed}\n)\n\nfunc Grind() {{ {use} }}")


def test_many_imports_and_much_code_that_uses_them_later(bench: Bench) -> None:
    names = [f"pack{number}" for number in range(MANY)]
    later = [go("Append to `mill/stone.go`:", f"func F{number}() {{ pack{number}.Do() }}") for number in range(MANY)]
    report = bench.report(TREE, plan(imports(names), "\n".join(later)))
    (message,) = messages(report, ORDER)
    assert f"and {MANY - go_imports.SHOWN} more imported here and used only by Task 2" in message


def test_lists_of_imports_that_nobody_closes_are_none(bench: Bench) -> None:
    code = "package mill\n\n" + 'import (\n\t"os"\n' * 5_000
    text = plan(go("Create `mill/stone.go`:", code), go("Append to `mill/stone.go`:", "func F() { os.Exit(0) }"))
    assert messages(bench.report(TREE, text), ORDER) == []


def test_blank_lines_in_go_code_are_passed_over(bench: Bench) -> None:
    code = 'package mill\n\nimport (\n\t"os"\n)\n' + "\n" * 20_000 + "func Grind() {}"
    text = plan(go("Create `mill/stone.go`:", code), go("Append to `mill/stone.go`:", "func F() { os.Exit(0) }"))
    assert len(messages(bench.report(TREE, text), ORDER)) == 1


def test_pieces_of_code_are_searched_up_to_a_limit(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(go_imports, "MAX_SNIPPETS", 1)
    text = plan(imports(["os"]), go("Append to `mill/stone.go`:", "func F() { os.Exit(0) }"))
    report = bench.report(TREE, text)
    assert messages(report, ORDER) == []
    assert reason(report, ORDER) == "only the first 1 pieces of code were searched for Go imports"


def commits(count: int) -> str:
    """A task that makes files and stages others, which are there and which nothing else is said of."""
    made = files(*(f"Create: `src/gears/axle_{number}.py`" for number in range(count)))
    return made + shell(f"git add {' '.join(f'src/gears/axles_{number}.py' for number in range(count))}")


def test_staged_files_are_compared_with_made_ones_up_to_a_limit(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = {**TREE, **{f"src/gears/axles_{number}.py": "" for number in range(MANY)}}
    report = bench.report(tree, plan(commits(MANY)))
    assert set(messages(report, FORM)) <= {
        f"the task makes this file, and its commit stages src/gears/axles_{number}.py instead" for number in range(MANY)
    }
    assert messages(report, FORM)
    monkeypatch.setattr(staging, "MAX_COMPARED", 10)
    report = bench.report(tree, plan(commits(20)))
    assert messages(report, FORM) == []
    assert reason(report, FORM) == "after 10 pairs of names no more staged paths were compared"


def test_too_many_staged_paths_are_not_compared(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "MAX_STAGED", 3)
    report = bench.report(TREE, plan(commits(4)))
    assert messages(report, FORM) == []
    assert reason(report, FORM).startswith("the plan stages more than 3 paths")


def test_many_packages_of_a_later_task(bench: Bench) -> None:
    code = "\n".join(f"from lib.part{number} import turn" for number in range(100))
    first = files("Create: `src/app.py`") + f"\nWrite `src/app.py`:\n\n```python\n{code}\n```\n\n"
    first += "Run: `python src/app.py`\nExpected: PASS\n"
    later = files(*(f"Create: `src/lib/part{number}/__init__.py`" for number in range(MANY)))
    found = [each for each in messages(bench.report(TREE, plan(first, later)), ORDER) if "imports" in each]
    assert len(found) == 100
    assert found[0] == "imports src/lib/part0/__init__.py, which Task 2 creates only later"


def test_commands_are_looked_at_up_to_a_limit_that_all_parts_share(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "MAX_COMMANDS", 3)
    late = "pytest -q || true", "echo fine", "grep -c wheel notes/parts.md", "pytest tests/test_none.py"
    text = plan("\n".join([run("ls")] * 3 + [run(each) for each in late]))
    report = bench.report(TREE, text)
    assert messages(report, FORM) == []
    assert reason(report, FORM) == "only the first 3 commands were looked at"


def test_a_long_script_of_prints_is_a_script(bench: Bench) -> None:
    assert messages(bench.report(TREE, plan(shell(*["echo fine"] * MANY))), FORM) == []


def test_pipes_without_end_are_no_status(bench: Bench) -> None:
    long = shell("pytest -q " + "| tee x; " * 900)
    assert messages(bench.report(TREE, plan(long + "\n" + shell("true\ntrue"))), FORM) == []


def counts(number: int) -> str:
    return "\n".join(f"Run: `grep -c wheel notes/parts{each}.md`\nExpected: `7`\n" for each in range(number))


def test_counts_are_compared_until_a_number_of_characters(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = {**TREE, **{f"notes/parts{number}.md": "wheel\n" for number in range(30)}}
    whole = bench.report(tree, plan(counts(30)))
    assert len(messages(whole, FORM)) == 30
    monkeypatch.setattr(counted, "MAX_SEARCHED", 60)
    report = bench.report(tree, plan(counts(30)))
    assert len(messages(report, FORM)) == 10
    assert reason(report, FORM) == "counts were compared until 60 characters were searched"


def test_a_file_that_is_cited_without_end_is_not_known(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    written = "- [ ] **Step 1: Replace the whole content of `notes/parts.md` with:**\n\n```markdown\na wheel\n```\n\n"
    asked = "Run: `grep -n wheel notes/parts.md`\nExpected: two matches\n"
    body = files("Modify: `notes/parts.md`") + written + asked
    assert len(messages(bench.report(TREE, plan(body)), FORM)) == 1
    monkeypatch.setattr(counted, "MAX_CITATIONS", 1)
    cited = "See `notes/parts.md`.\n\n" * 3
    report = bench.report(TREE, plan(cited + body))
    assert messages(report, FORM) == []
    assert reason(report, FORM) == "notes/parts.md is cited too often to know what it holds when a command runs"


def test_groups_of_commands_are_looked_at_up_to_a_limit(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(designed, "MAX_FAMILIES", 2)
    groups = [f"keys{number}" for number in "abcd"]
    verbs = ("find", "set", "list", "rotate")
    design = "# Design\n\n" + "\n".join(f"- `gate {group} {verb}`" for group in groups for verb in verbs) + "\n"
    built = "\n\n".join(f"Build `gate {group} find`, `gate {group} set`, `gate {group} list`." for group in groups)
    made = files(*(f"Create: `cmd/gate/{group}.go`" for group in groups))
    text = plan(f"{made}\n{built}\n").replace("**Goal:**", "**Design:** `docs/design.md`\n\n**Goal:**")
    report = bench.report({"docs/design.md": design, "cmd/main.go": "package main\n"}, text)
    assert len(messages(report, SCOPE)) == 2
    assert reason(report, SCOPE) == "only the first 2 groups of commands of docs/design.md were looked at"


def kit(bench: Bench, spec: list[str], tasks: list[str]) -> VerifyReport:
    folder = "specs/004-gears"
    needs = "# Feature Specification: gears\n\n## Requirements\n\n### Functional Requirements\n\n" + "\n".join(spec)
    text = "# Tasks: gears\n\n" + "\n".join(tasks) + "\n"
    companions = {f"{folder}/spec.md": f"{needs}\n"}
    return bench.report(TREE, text, path=f"{folder}/tasks.md", format=Format.SPECKIT, companions=companions)


def requirements(count: int, *more: str) -> list[str]:
    return [*(f"- **FR-{number:03}**: System MUST do part {number}." for number in range(1, count + 1)), *more]


def cited(numbers: range, start: int = 1) -> list[str]:
    return [f"- [ ] T{at:03} Turn `notes/parts.md` (FR-{number:03})" for at, number in enumerate(numbers, start)]


def test_unknown_ids_are_looked_for_up_to_a_limit(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unknown, "MAX_UNKNOWN", 4)
    report = kit(bench, requirements(9), [*cited(range(1, 10)), *cited(range(50, 60), 20)])
    assert len(messages(report, SCOPE)) == 4
    assert reason(report, SCOPE) == "only the first 4 unknown ids were looked at"


def test_ids_of_which_one_thing_is_to_be_said_share_a_note(bench: Bench) -> None:
    spec = requirements(90, *(f"- **FR-{number}**: Deferred part {number}." for number in range(91, 98)))
    elsewhere = ["", "## Notes", "", "The clock has FR-150 and FR-151."]
    report = kit(bench, [*spec, *elsewhere], [*cited(range(1, 91)), *cited(range(150, 152), 200)])
    assert messages(report, SCOPE) == []
    assert reason(report, SCOPE).split("; ") == [
        "FR-91, FR-92, FR-93, FR-94, FR-95 and 2 more are set aside by the plan's own words",
        "FR-150, FR-151 are named outside of the requirements that were read, so they are not judged",
    ]


def world(bench: Bench, tree: Mapping[str, Content], text: str, suggestion_limit: int = 200) -> World:
    repo = build_repo(bench.folder / "world", tree)
    read, opened = parse([Document(PLAN, text)]), Tree.open(repo.path, repo.head)
    return World(read, opened, replay(read, opened), suggestion_limit=suggestion_limit)


def test_top_folders_are_compared_up_to_a_limit(bench: Bench) -> None:
    tree = {f"frontend{each}/app/page.ts": "" for each in "abc"}
    text = plan(files(*(f"Modify: `frontendz{each}/app/page.ts`" for each in "abc")))
    assert len(list(missing_path.find(world(bench, tree, text)))) == 3
    little = world(bench, tree, text, suggestion_limit=2)
    assert len(list(missing_path.find(little))) == 2
    assert "near paths were looked for in the first 2 cases only" in little.notes["missing_path"]


def test_code_that_is_replaced_is_looked_for_up_to_a_limit(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    said = "".join(f"Change `total = velocity{number} * 2` to `total = 3`.\n\n" for number in range(60))
    text = plan(files("Modify: `src/gears/wheel.py`") + "\n" + said)
    assert len(messages(bench.report(TREE, text), PREMISE)) == 60
    monkeypatch.setattr(quotes, "MAX_QUOTES", 5)
    report = bench.report(TREE, text)
    assert len(messages(report, PREMISE)) == 5
    assert reason(report, PREMISE) == "only the first 5 quotes of code were looked for"
