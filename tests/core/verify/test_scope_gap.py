from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.plans import parse
from bot.core.plans.model import Document, Format, Plan, Requirement, Span, Task
from bot.core.tree import Tree
from bot.core.verify.checks.scope_gap import find
from bot.core.verify.replay import Walk
from bot.core.verify.world import World
from schemas.verify_report import Finding, FindingType, Severity, VerifyReport
from tests.core.verify.conftest import Bench
from tests.git_repo import build_repo

GAP = FindingType.SCOPE_GAP
KIRO = ".kiro/specs/kiln/"
KIT = "specs/004-kiln/"


def criteria(*counts: int, text: str = "the kiln shall heat") -> str:
    """requirements.md with so many criteria below Requirement 1, 2, …"""
    out = ["# Requirements Document", ""]
    for number, count in enumerate(counts, 1):
        out += [f"### Requirement {number}", "", "#### Acceptance Criteria", ""]
        out += [f"{each}. WHEN {number}.{each} is on THEN {text}" for each in range(1, count + 1)]
        out.append("")
    return "\n".join(out)


def kiro(bench: Bench, requirements: str, *served: str, extra: str = "") -> VerifyReport:
    """The report on tasks of which each names what it serves; `x` before it marks the task as done."""
    out = ["# Implementation Plan", ""]
    for number, names in enumerate(served, 1):
        box = "x" if names.startswith("x") else " "
        out.append(f"- [{box}] {number}. Do part {number}")
        if names:
            out.append(f"  - _Requirements: {names.removeprefix('x')}_")
    text = "\n".join([*out, "", extra, ""])
    companions = {KIRO + "requirements.md": requirements} if requirements else {}
    return bench.report({}, text, path=KIRO + "tasks.md", format=None, companions=companions)


def gaps(report: VerifyReport) -> list[tuple[str, str, int]]:
    return [(f.subject, f.severity.value, f.plan_line) for f in report.findings if f.type is GAP]


def note(report: VerifyReport) -> str | None:
    return next(check.reason for check in report.checks if check.name == GAP.value)


def the(report: VerifyReport) -> Finding:
    (finding,) = (f for f in report.findings if f.type is GAP)
    return finding


def test_a_criterion_that_no_task_names_is_told_at_the_first_task(bench: Bench) -> None:
    found = the(kiro(bench, criteria(3, 2), "1.1, 1.3", "2.1, 2.2"))
    assert (found.subject, found.severity, found.gating, found.plan_line) == ("1.2", Severity.MAJOR, True, 3)
    assert found.message == "no task names 1.2"
    assert [(each.path, each.line) for each in found.evidence] == [(KIRO + "requirements.md", 8)]


def test_a_requirement_without_any_task_is_one_finding(bench: Bench) -> None:
    found = the(kiro(bench, criteria(2, 3, 2), "1.1, 1.2", "3.1, 3.2"))
    assert (found.subject, found.message) == ("2", "no task names requirement 2 (2.1–2.3)")
    assert found.evidence[0].quote == "### Requirement 2"


@pytest.mark.parametrize(
    "served",
    [
        ("1.1-1.3", "2.1, 2.2"),
        ("1.1-2.2", "2.2"),
        ("1", "2.1, 2.2"),
        ("All", "1.1"),
        ("所有需求", "1.1"),
        ("1.1, 1.2", "Requirement 1.3, 2"),
        ("x1.1, 1.2, 1.3", "2.1, 2.2"),
        ("1.1, 1.2, 1.3 (partial)", "2.x"),
    ],
)
def test_ways_to_name_all_of_them(bench: Bench, served: Sequence[str]) -> None:
    assert gaps(kiro(bench, criteria(3, 2), *served)) == []


def test_a_table_below_the_tasks_names_them_too(bench: Bench) -> None:
    extra = "## Coverage\n\nRequirements: 1.3, 2.2"
    assert gaps(kiro(bench, criteria(3, 2), "1.1, 1.2", "2.1", extra=extra)) == []


@pytest.mark.parametrize("words", ["Deferred: 1.3", "1.3 is out of scope for now", "后续: 1.3"])
def test_what_the_plan_sets_aside_is_not_missed(bench: Bench, words: str) -> None:
    report = kiro(bench, criteria(3, 2), "1.1, 1.2", "2.1, 2.2", extra=f"## Notes\n\n{words}")
    assert gaps(report) == []
    assert note(report) == "1.3 is set aside by the plan's own words"


def test_a_criterion_that_keeps_things_as_they_are_is_advice(bench: Bench) -> None:
    text = criteria(3, 2).replace("1.2 is on THEN the kiln shall heat", "off THEN the old API shall remain unchanged")
    assert gaps(kiro(bench, text, "1.1, 1.3", "2.1, 2.2")) == [("1.2", "advice", 3)]


def test_code_that_a_task_quotes_under_another_number_makes_it_advice(bench: Bench) -> None:
    text = criteria(3, 2).replace("1.2 is on THEN the kiln shall heat", "on THEN `kiln.py` shall have `heat()`")
    extra = "- [ ] 3. Write `heat()` into `kiln.py`"
    assert gaps(kiro(bench, text, "1.1, 1.3", "2.1, 2.2", extra=extra)) == [("1.2", "advice", 3)]


def test_tasks_that_name_few_requirements_miss_none(bench: Bench) -> None:
    report = kiro(bench, criteria(1, 1, 1, 1, 1), "1.1", "2.1", "")
    assert gaps(report) == []
    assert note(report) == "tasks name 2 of 5 requirements, too few to miss the rest"
    assert gaps(kiro(bench, criteria(2, 2), "", "")) == []


def test_tasks_that_name_few_criteria_get_advice(bench: Bench) -> None:
    found = gaps(kiro(bench, criteria(5, 5), "1.1", "2.1, 2.2"))
    assert {severity for _, severity, _ in found} == {"advice"}


def test_whole_requirements_are_enough_where_criteria_have_no_numbers(bench: Bench) -> None:
    text = "### Requirement 1\n\n- WHEN a\n\n### Requirement 2\n\n- WHEN b\n\n### Requirement 3\n\n- WHEN c\n"
    assert gaps(kiro(bench, text, "1.2", "2", "3.1")) == []
    assert gaps(kiro(bench, text, "1", "2")) == [("3", "major", 3)]


def test_an_unknown_criterion_is_told_on_its_line(bench: Bench) -> None:
    found = the(kiro(bench, criteria(3, 2), "1.1, 1.2, 1.3", "2.1, 2.2, 2.6"))
    assert (found.subject, found.severity, found.plan_line) == ("2.6", Severity.MAJOR, 6)
    assert found.message == "there is no requirement 2.6; requirement 2 has 2.1, 2.2"
    assert found.evidence[0].quote == "2. WHEN 2.2 is on THEN the kiln shall heat"


def test_criteria_of_an_unknown_requirement_are_one_finding(bench: Bench) -> None:
    found = the(kiro(bench, criteria(1, 1), "1.1, 7.1", "2.1", "7.2-7.4"))
    assert (found.subject, found.plan_line) == ("7.1, 7.2, 7.4", 4)
    assert found.message.endswith("the requirements go from 1 to 2")


def test_a_done_task_and_one_that_names_another_specification_are_not_held(bench: Bench) -> None:
    assert gaps(kiro(bench, criteria(1, 1), "1.1", "2.1", "x2.6")) == []
    report = kiro(bench, criteria(1, 1), "1.1", "2.1", "2.6 of the oven spec")
    assert all(severity == "advice" for _, severity, _ in gaps(report))


def test_numbers_that_are_tasks_are_no_requirements(bench: Bench) -> None:
    extra = "- [ ] 3. After 9.9, on version 2.6\n  - _Depends: 1, 2_"
    assert gaps(kiro(bench, criteria(1, 1), "1.1", "2.1", extra=extra)) == []


def test_criteria_that_cannot_be_read_are_said(bench: Bench) -> None:
    report = kiro(bench, "# Requirements\n\nWords only.\n", "1.1", "2.1")
    assert (gaps(report), note(report)) == ([], "no numbered requirement could be read in requirements.md")
    report = kiro(bench, "", "1.1", "2.1")
    assert note(report) == "the tasks name requirements, and there is no requirements.md beside them"


def test_clauses_of_a_bug_fix_are_not_missed(bench: Bench) -> None:
    text = "- [ ] 1. Fix\n  - _Requirements: 2.1_\n- [ ] 2. Keep\n  - _Requirements: 3.1_\n"
    clauses = "1.1 WHEN cold THEN it hums\n\n2.1 WHEN cold THEN silent\n\n2.2 And dark\n\n3.1 WHEN hot THEN it hums\n"
    report = bench.report({}, text, path=KIRO + "tasks.md", format=None, companions={KIRO + "bugfix.md": clauses})
    assert gaps(report) == []


def kit(bench: Bench, tasks: Sequence[str], spec: str, **more: str) -> VerifyReport:
    text = "# Tasks: Kiln\n\n" + "\n".join(f"- [ ] T{n:03d} {each}" for n, each in enumerate(tasks, 1)) + "\n"
    companions = {KIT + "spec.md": spec, **{KIT + name + ".md": body for name, body in more.items()}}
    return bench.report({}, text, path=KIT + "tasks.md", format=None, companions=companions)


def functional(count: int) -> str:
    head = "### User Story 1 - Heat (Priority: P1)\n\n### User Story 2 - Cool (Priority: P2)\n\n"
    return head + "\n".join(f"- **FR-{n:03d}**: System MUST do {n}" for n in range(1, count + 1)) + "\n"


def test_one_of_ten_functional_requirements_without_a_task(bench: Bench) -> None:
    tasks = [f"[US1] Do (FR-{n:03d})" for n in range(1, 10)] + ["[US2] Do"]
    assert gaps(kit(bench, tasks, functional(10))) == [("FR-010", "major", 3)]


def test_a_range_names_what_lies_between(bench: Bench) -> None:
    assert gaps(kit(bench, ["[US1] Do FR-001 to FR-008", "[US2] Do FR-009–FR-010"], functional(10))) == []


def test_functional_requirements_that_few_tasks_name_are_not_missed(bench: Bench) -> None:
    tasks = [f"[US1] Do (FR-{n:03d})" for n in range(1, 9)] + ["[US2] Do"]
    report = kit(bench, tasks, functional(10))
    assert gaps(report) == []
    assert "tasks name 8 of 10 FR ids" in (note(report) or "")


@pytest.mark.parametrize("name", ["FR-014", "US7"])
def test_an_id_that_the_specification_lacks(bench: Bench, name: str) -> None:
    task = f"[{name}] Do" if name.startswith("US") else f"Do ({name})"
    assert gaps(kit(bench, ["[US1] Do", task], functional(5))) == [(name, "major", 4)]
    # a plan that tells what it is may well be where it comes from
    assert gaps(kit(bench, ["[US1] Do", task], functional(5), plan=f"{name}: added in the meeting")) == []


def units(folder: Path, count: int, served: Sequence[str], origin: str = "") -> list[tuple[str, str]]:
    """What is told of a plan that lists R1, R2, … and whose units say which of them they serve."""
    path = "docs/plans/kiln.md"
    lines = [f"- R{n}. Heat {n}" for n in range(1, count + 1)] + [f"**Requirements:** {each}" for each in served]
    listed = tuple(Requirement(f"R{n}", f"Heat {n}", Span(path, n, n)) for n in range(1, count + 1))
    tasks = tuple(
        Task(f"U{n}", f"U{n}", "Do", Span(path, count + n, count + n), covers=tuple(each.split(", ")))
        for n, each in enumerate(served, 1)
    )
    meta: dict[str, object] | None = {"origin": origin} if origin else None
    document = Document(path, "\n".join(lines))
    plan = Plan(Format.GENERIC, (document,), requirements=listed, tasks=tasks, front_matter=meta)
    repo = build_repo(folder, {"docs/origin.md": "R1 to R9, and R12.\n"})
    drafts = find(World(plan, Tree.open(repo.path, repo.head), Walk()))
    return [(draft.subject, draft.weight.value) for draft in drafts]


def test_units_that_name_nearly_all_of_a_list_miss_the_rest(tmp_path: Path) -> None:
    nine = ", ".join(f"R{n}" for n in range(1, 10))
    assert units(tmp_path / "a", 10, [nine, "R1"]) == [("R10", "wrong")]
    assert units(tmp_path / "b", 12, [nine, "R1"]) == []
    assert units(tmp_path / "c", 10, [nine, "R10, R12"]) == [("R12", "wrong")]
    # the document that the plan stems from knows that id
    assert units(tmp_path / "d", 10, [nine, "R10, R12"], "docs/origin.md") == []
    assert units(tmp_path / "e", 10, [nine, "R10, R14"], "docs/origin.md") == [("R14", "wrong")]
    assert units(tmp_path / "f", 10, [nine, "R10, R14"], "docs/gone.md") == []


def test_ranges_and_words_for_the_whole_of_a_plan_name_requirements_of_units(bench: Bench) -> None:
    listed = "".join(f"- R{n}. Heat {n}\n" for n in range(1, 12))
    text = (
        "# Kiln Plan\n\n## Requirements\n\n" + listed + "\n{words}\n\n## Implementation Units\n\n"
        "### U1. Heat\n\n- **Requirements:** R1, R3-R10\n\n### U2. Cool\n\n- **Requirements:** R2, R4\n"
    )
    path = "docs/plans/2026-02-03-001-kiln-plan.md"
    report = bench.report({}, text.format(words="R11 holds for every unit."), path=path, format=None)
    assert gaps(report) == []
    report = bench.report({}, text.format(words="Words."), path=path, format=None)
    assert gaps(report) == [("R11", "major", 21)]


def test_change_requirements_are_missed_where_tasks_call_them_by_name(bench: Bench) -> None:
    names = ["Shut door", "Long heat", "Loud bell", "Slow cooling"]
    delta = "## ADDED Requirements\n\n" + "\n".join(
        f"### Requirement: {name}\nThe kiln SHALL have it.\n\n#### Scenario: s\n- **WHEN** a\n- **THEN** b\n"
        for name in names
    )
    tasks = "\n".join(f"## {n}. Requirement: {name}\n\n- [ ] {n}.1 Do\n" for n, name in enumerate(names[:3], 1))
    folder = "openspec/changes/kiln/"
    companions = {folder + "specs/kiln/spec.md": delta}
    report = bench.report({}, tasks, path=folder + "tasks.md", format=None, companions=companions)
    assert gaps(report) == [("Slow cooling", "major", 3)]
    few = "- [ ] 1.1 Shut door\n- [ ] 1.2 Do the rest\n"
    assert gaps(bench.report({}, few, path=folder + "tasks.md", format=None, companions=companions)) == []


def test_a_change_requirement_of_which_nothing_speaks(bench: Bench) -> None:
    scenario = "\n#### Scenario: s\n- **WHEN** a\n- **THEN** b\n\n"
    delta = (
        "## ADDED Requirements\n\n### Requirement: Door switch stops burner\n"
        f"The burner SHALL stop within a second when the door switch opens.\n{scenario}"
        "### Requirement: Nightly glaze inventory export\n"
        f"The system SHALL upload glaze stock counts to accounting.\n{scenario}"
    )
    tasks = "- [ ] 1.1 Wire the door switch to the burner\n- [ ] 1.2 Stop within a second when it opens\n"
    folder = "openspec/changes/kiln/"
    long = "## Why\n\n" + " ".join(f"{letter}{other}oor" for letter in "bcdfghjklmn" for other in "bcdfghjklmn") + "\n"
    for proposal, expected in ((long, [("Nightly glaze inventory export", "major", 1)]), ("## Why\n\nA door.\n", [])):
        companions = {folder + "specs/kiln/spec.md": delta, folder + "proposal.md": proposal}
        report = bench.report({}, tasks, path=folder + "tasks.md", format=None, companions=companions)
        assert gaps(report) == expected


DESIGN = """# Keys Design

- `gate keys find` lists them
- `gate keys set NAME` stores one
- `gate keys list` shows the names
- `gate keys rotate NAME` replaces one
- `gate keys sync FROM TO` copies them
- later: `gate keys burn`
"""
KEYS = """# Keys Implementation Plan

**Design:** `docs/plans/keys-design.md`

### Task 1: `gate keys` command

**Files:**
- Create: `cmd/gate/keys.go`

Build `gate keys find`, `gate keys set` and `gate keys list`{more}.

### Task 2: Rotate the log

Sync it.
"""


def test_commands_of_the_design_that_no_task_names(bench: Bench) -> None:
    tree = {"docs/plans/keys-design.md": DESIGN, "cmd/main.go": "package main\n"}
    found = the(bench.report(tree, KEYS.format(more="")))
    assert (found.subject, found.severity, found.plan_line) == ("gate keys rotate, sync", Severity.MAJOR, 10)
    assert [each.line for each in found.evidence] == [6, 7]
    assert gaps(bench.report(tree, KEYS.format(more=", then rotate and sync of keys"))) == []
    # a group that is there already may have them
    assert gaps(bench.report({**tree, "cmd/gate/keys.go": "package main\n"}, KEYS.format(more=""))) == []
    # so may one whose new file belongs to something else
    other = KEYS.format(more="").replace("cmd/gate/keys.go", "store/keys.go")
    assert gaps(bench.report(tree, other)) == []
    # a plan that names few of them builds another part of the design
    few = KEYS.format(more="").replace(", `gate keys set` and `gate keys list`", "")
    assert gaps(bench.report(tree, few)) == []
    assert gaps(bench.report({}, KEYS.format(more=""))) == []


_LINE = st.sampled_from(
    [
        *(
            "- [ ] 1. Do",
            "  - [x] 1.1 Do",
            "  - _Requirements: 1.1-9.9, 2, All_",
            "### Requirement 1",
            "1. WHEN a",
            "1.1 b",
        ),
        *("- [ ] T001 [US1] FR-001-FR-999", "- **FR-001**: x", "### User Story 1 - a", "Deferred: 1.1", "`a` `b`", ""),
    ]
)
_DOCUMENT = st.lists(st.one_of(_LINE, st.text(max_size=12)), max_size=25).map("\n".join)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    repo = build_repo(tmp_path_factory.mktemp("empty"), {"README.md": "# Kiln\n"})
    return Tree.open(repo.path, repo.head)


@settings(deadline=None, max_examples=100)
@given(_DOCUMENT, _DOCUMENT, st.sampled_from([Format.KIRO, Format.SPECKIT]))
def test_whatever_the_documents_hold_findings_have_lines_that_exist(
    tree: Tree, tasks: str, beside: str, form: Format
) -> None:
    folder = KIRO if form is Format.KIRO else KIT
    names = ("tasks.md", "requirements.md" if form is Format.KIRO else "spec.md")
    plan = parse([Document(folder + name, text) for name, text in zip(names, (tasks, beside), strict=True)], form)
    counts = {each.path: each.text.count("\n") + 1 for each in plan.documents}
    for draft in find(World(plan, tree, Walk())):
        assert draft.evidence
        assert 1 <= draft.span.first <= draft.span.last <= counts[draft.span.path]


def test_a_flood_of_requirements_is_cut_and_said(bench: Bench) -> None:
    report = kiro(bench, criteria(*[20] * 120), "1.1", "2.1")
    assert "only the first 2000 requirements were looked at" in (note(report) or "")


def test_nearly_all_is_eight_of_nine(bench: Bench) -> None:
    tasks = [f"[US1] Do (FR-{n:03d})" for n in range(1, 9)] + ["[US2] Do"]
    assert gaps(kit(bench, tasks, functional(9))) == [("FR-009", "major", 3)]


@pytest.mark.parametrize(
    "words",
    [
        "like FR-014 of spec 000",
        "like FR-014 of the oven spec",
        "FR-014 in specs/000-oven/spec.md",
        "spec 000's FR-014",
    ],
)
def test_an_id_of_another_specification_is_not_missing(bench: Bench, words: str) -> None:
    assert gaps(kit(bench, ["[US1] Do", f"[US2] Do {words}"], functional(5))) == []
    own = words.replace("of spec 000", "of this spec")
    assert bool(gaps(kit(bench, ["[US1] Do", f"[US2] Do {own}"], functional(5)))) == (own != words)


def test_a_part_of_a_requirement_that_is_there_is_advice(bench: Bench) -> None:
    assert gaps(kit(bench, ["[US1] Do (FR-002a)", "[US2] Do"], functional(5))) == [("FR-002a", "advice", 3)]


def test_one_task_that_names_criteria_is_too_few(bench: Bench) -> None:
    report = kiro(bench, criteria(2, 1), "1.1, 2.1")
    assert gaps(report) == []
    assert note(report) == "one task alone names 2 of 3 criteria, too few to miss the rest"


@pytest.mark.parametrize(("task", "said"), [("Turn the key", True), ("Export the glazes", False)])
def test_an_added_requirement_of_which_no_task_has_a_word_is_said(bench: Bench, task: str, said: bool) -> None:
    folder = "openspec/changes/kiln/"
    delta = "## ADDED Requirements\n\n### Requirement: Glaze export\nIt SHALL.\n\n#### Scenario: s\n- **WHEN** a\n"
    companions = {folder + "specs/kiln/spec.md": delta}
    report = bench.report({}, f"- [ ] 1.1 {task}\n", path=folder + "tasks.md", format=None, companions=companions)
    assert gaps(report) == []
    assert (note(report) or "").startswith('no task has a word of "Glaze export"') == said
