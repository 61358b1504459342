"""Deltas that OpenSpec cannot apply: wrong in themselves, or against the specifications that hold today."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.plans import parse
from bot.core.plans.model import Document, Format
from bot.core.tree import Tree
from bot.core.verify.report import verify
from schemas.verify_report import Finding, FindingType, Severity, VerifyReport
from tests.core.verify.conftest import Bench
from tests.git_repo import Content, build_repo

WRONG = FindingType.SPEC_DELTA_WRONG
CHANGE = "openspec/changes/faster-gears/"
DELTA = CHANGE + "specs/gearbox/spec.md"
TASKS = "## 1. Gears\n\n- [ ] 1.1 Cut them\n- [ ] 1.2 Fit them\n"
BASE = """\
# gearbox Specification

## Purpose

Gears turn.

## Requirements

### Requirement: Gears turn
The gearbox SHALL turn its gears while it is driven.

#### Scenario: Shaft driven
- **WHEN** the shaft turns
- **THEN** the gears turn

#### Scenario: Shaft reversed
- **WHEN** the shaft turns back
- **THEN** the gears turn back

### Requirement: Gears rest
The gearbox SHALL rest while it is not driven.

#### Scenario: Not driven
- **WHEN** the shaft rests
- **THEN** the gears rest
"""
TREE: Mapping[str, Content] = {"openspec/specs/gearbox/spec.md": BASE}


def requirement(name: str, *scenarios: str, body: str = "The gearbox SHALL do so.") -> str:
    lines = [f"### Requirement: {name}", body, ""]
    for each in scenarios or ("One",):
        lines += [f"#### Scenario: {each}", "- **WHEN** it is asked", "- **THEN** it does", ""]
    return "\n".join(lines)


def section(kind: str, *parts: str) -> str:
    return "\n".join([f"## {kind} Requirements", "", *parts, ""])


class Judged:
    """A change judged on a tree; `findings` are those of its deltas."""

    def __init__(self, report: VerifyReport) -> None:
        self.findings = tuple(each for each in report.findings if each.type is WRONG)
        self.gating = tuple(each for each in self.findings if each.gating)
        self.reason = next(record.reason or "" for record in report.checks if record.name == WRONG.value)


def judge(
    bench: Bench,
    delta: str | None,
    files: Mapping[str, Content] = TREE,
    *,
    tasks: str = TASKS,
    path: str = DELTA,
    known_added: frozenset[str] = frozenset(),
    more: Mapping[str, str] | None = None,
) -> Judged:
    """A change of these tasks and this delta; `more` are other documents by their path in it."""
    documents = {path: delta} if delta is not None else {}
    documents |= {CHANGE + name: text for name, text in (more or {}).items()}
    report = bench.report(
        files, tasks, path=CHANGE + "tasks.md", format=None, companions=documents, known_added=known_added
    )
    return Judged(report)


def only(judged: Judged) -> Finding:
    (finding,) = judged.findings
    return finding


def test_a_delta_that_fits_is_not_wrong(bench: Bench) -> None:
    delta = section("MODIFIED", requirement("Gears turn", "Shaft driven", "Shaft reversed", "Fast"))
    delta += section("ADDED", requirement("Gears sing")) + section(
        "REMOVED", requirement("Gears rest", body="Reason: no. Migration: none")
    )
    assert judge(bench, delta).findings == ()


@pytest.mark.parametrize("kind", ["MODIFIED", "REMOVED"])
def test_a_change_of_a_requirement_that_the_specification_has_not(bench: Bench, kind: str) -> None:
    delta = section(kind, requirement("Belts slip", body="It SHALL. Reason: x. Migration: y."))
    finding = only(judge(bench, delta))
    assert (finding.severity, finding.gating) == (Severity.MAJOR, True)
    assert (finding.plan_path, finding.plan_line, finding.plan_end_line) == (DELTA, 3, 3)
    assert (finding.subject, finding.suggestion) == ("Belts slip", None)
    assert finding.evidence[0].path == "openspec/specs/gearbox/spec.md"


def test_the_finding_is_the_same_whichever_file_names_the_change(bench: Bench) -> None:
    delta = section("MODIFIED", requirement("Belts slip"))
    first = only(judge(bench, delta))
    report = bench.report(TREE, delta, path=DELTA, format=None, companions={CHANGE + "tasks.md": TASKS})
    assert [(each.id, each.plan_path, each.plan_line) for each in report.findings] == [
        (first.id, first.plan_path, first.plan_line)
    ]


def test_a_renaming_of_what_the_specification_has_not(bench: Bench) -> None:
    delta = section("RENAMED", "- FROM: `### Requirement: Belts slip`", "- TO: `### Requirement: Belts creak`")
    finding = only(judge(bench, delta))
    assert (finding.subject, finding.gating, finding.plan_line) == ("Belts slip", True, 3)


def test_a_renaming_to_the_title_of_another_requirement(bench: Bench) -> None:
    delta = section("RENAMED", "- FROM: `### Requirement: Gears rest`", "- TO: `### Requirement: Gears turn`")
    assert only(judge(bench, delta)).gating


def test_a_renaming_that_was_made_already_is_not_wrong(bench: Bench) -> None:
    delta = section("RENAMED", "- FROM: `### Requirement: Gears idle`", "- TO: `### Requirement: Gears rest`")
    assert judge(bench, delta).findings == ()


def test_what_is_renamed_may_be_modified_under_its_new_name(bench: Bench) -> None:
    rename = section("RENAMED", "- FROM: `### Requirement: Gears rest`", "- TO: `### Requirement: Gears idle`")
    assert judge(bench, rename + section("MODIFIED", requirement("Gears idle", "Not driven"))).findings == ()
    old = judge(bench, rename + section("MODIFIED", requirement("Gears rest", "Not driven")))
    assert (only(old).suggestion, only(old).gating) == ("### Requirement: Gears idle", True)


def test_a_title_that_the_specification_has_with_a_word_changed_is_suggested(bench: Bench) -> None:
    finding = only(judge(bench, section("MODIFIED", requirement("Gears turned", "Shaft driven", "Shaft reversed"))))
    assert (finding.suggestion, finding.gating) == ("Gears turn", True)
    assert finding.evidence[0].quote == "### Requirement: Gears turn"


@pytest.mark.parametrize("suffix", [" (MODIFIED)", " [modified]", " (REPLACES the old one)", " (Updated: faster)"])
def test_a_mark_behind_the_title_makes_it_another_title(bench: Bench, suffix: str) -> None:
    delta = requirement("Gears turn" + suffix, "Shaft driven", "Shaft reversed")
    finding = only(judge(bench, section("MODIFIED", delta)))
    assert finding.gating
    assert finding.suggestion == "Gears turn"


@pytest.mark.parametrize("title", ["Gears Turn", "`Gears` turn", "Gears  turn.", "**Gears turn**"])
def test_another_spelling_of_the_title_is_advice(bench: Bench, title: str) -> None:
    finding = only(judge(bench, section("MODIFIED", requirement(title, "Shaft driven", "Shaft reversed"))))
    assert (finding.severity, finding.suggestion) == (Severity.ADVICE, "Gears turn")


def test_a_requirement_of_another_specification_is_pointed_at(bench: Bench) -> None:
    files = {**TREE, "openspec/specs/belts/spec.md": f"## Requirements\n{requirement('Belts slip')}"}
    finding = only(judge(bench, section("MODIFIED", requirement("Belts slip")), files))
    assert (finding.suggestion, finding.gating) == ("openspec/specs/belts/spec.md", True)
    assert (finding.evidence[0].path, finding.evidence[0].line) == ("openspec/specs/belts/spec.md", 2)


def test_a_capability_without_specification_cannot_be_modified(bench: Bench) -> None:
    path = CHANGE + "specs/belts/spec.md"
    finding = only(judge(bench, section("MODIFIED", requirement("Belts slip")), path=path))
    assert (finding.gating, finding.plan_path) == (True, path)
    assert (finding.evidence[0].path, finding.evidence[0].absent) == ("openspec/specs/belts/spec.md", True)
    assert judge(bench, section("ADDED", requirement("Belts slip")), path=path).findings == ()


@pytest.mark.parametrize("title", ["Belts slip", "Belts are there"])
def test_a_capability_that_another_open_change_creates_may_be_modified(bench: Bench, title: str) -> None:
    files = {**TREE, "openspec/changes/add-belts/specs/belts/spec.md": section("ADDED", requirement("Belts are there"))}
    delta = section("MODIFIED", requirement(title))
    assert judge(bench, delta, files, path=CHANGE + "specs/belts/spec.md").findings == ()


@pytest.mark.parametrize(
    "other",
    [
        section("ADDED", requirement("Belts slip")),
        section("RENAMED", "- FROM: `### Requirement: Gears rest`", "- TO: `### Requirement: Belts slip`"),
    ],
)
def test_a_requirement_that_another_open_change_brings_may_be_modified(bench: Bench, other: str) -> None:
    files = {**TREE, "openspec/changes/add-belts/specs/gearbox/spec.md": other}
    assert judge(bench, section("MODIFIED", requirement("Belts slip")), files).findings == ()


@pytest.mark.parametrize(
    "where", ["openspec/changes/archive/2026-01-01-belts/", "openspec/changes/add-belts/specs/other/", CHANGE]
)
def test_an_archived_change_or_another_capability_brings_nothing(bench: Bench, where: str) -> None:
    files = {**TREE, f"{where}specs/gearbox/spec.md": section("ADDED", requirement("Belts slip"))}
    assert only(judge(bench, section("MODIFIED", requirement("Belts slip")), files)).gating


def test_an_open_change_that_modifies_it_too_brings_nothing(bench: Bench) -> None:
    files = {**TREE, "openspec/changes/more/specs/gearbox/spec.md": section("MODIFIED", requirement("Belts slip"))}
    assert only(judge(bench, section("MODIFIED", requirement("Belts slip")), files)).gating


def test_a_delta_that_came_with_the_same_pull_request_is_trusted(bench: Bench) -> None:
    added = frozenset({"openspec/changes/add-belts/specs/gearbox/spec.md"})
    assert judge(bench, section("MODIFIED", requirement("Belts slip")), known_added=added).findings == ()


def test_what_is_added_may_stand_in_a_specification_that_came_with_the_same_pull_request(bench: Bench) -> None:
    judged = judge(
        bench, section("ADDED", requirement("Gears turn")), known_added=frozenset({"openspec/specs/gearbox/spec.md"})
    )
    assert judged.findings == ()
    assert "came with the change itself" in judged.reason
    gone = judge(
        bench, section("MODIFIED", requirement("Belts slip")), known_added=frozenset({"openspec/specs/gearbox/spec.md"})
    )
    assert only(gone).gating


def test_an_addition_of_what_is_there(bench: Bench) -> None:
    finding = only(judge(bench, section("ADDED", requirement("Gears turn", "Fast"))))
    assert (finding.gating, finding.subject) == (True, "Gears turn")
    assert (finding.evidence[0].line, finding.evidence[0].quote) == (9, "### Requirement: Gears turn")


def test_an_addition_in_another_spelling_is_advice(bench: Bench) -> None:
    assert only(judge(bench, section("ADDED", requirement("gears `turn`")))).severity is Severity.ADVICE


def test_an_addition_that_the_specification_holds_word_for_word_is_not_wrong(bench: Bench) -> None:
    text = BASE[BASE.index("### Requirement: Gears rest") :].replace("rest while", "rest\nwhile")
    assert judge(bench, section("ADDED", text)).findings == ()


def test_a_renaming_makes_room_for_an_addition(bench: Bench) -> None:
    rename = section("RENAMED", "- FROM: `### Requirement: Gears turn`", "- TO: `### Requirement: Gears revolve`")
    assert judge(bench, rename + section("ADDED", requirement("Gears turn"))).findings == ()


def test_a_change_with_every_task_ticked_may_be_in_the_specification_already(bench: Bench) -> None:
    judged = judge(bench, section("ADDED", requirement("Gears turn", "Fast")), tasks="- [x] 1.1 Cut\n- [X] 1.2 Fit\n")
    assert judged.findings == ()
    assert "every task is ticked" in judged.reason


def test_an_archived_change_is_not_judged(bench: Bench) -> None:
    folder = "openspec/changes/archive/2026-01-01-faster-gears/"
    delta = {folder + "specs/gearbox/spec.md": section("ADDED", requirement("Gears turn"))}
    judged = Judged(bench.report(TREE, TASKS, path=folder + "tasks.md", format=None, companions=delta))
    assert judged.findings == ()
    assert "archived" in judged.reason


LOST = "The gearbox SHALL turn its gears while it is driven, and count the turns."


def test_a_modification_that_forgets_a_scenario(bench: Bench) -> None:
    finding = only(judge(bench, section("MODIFIED", requirement("Gears turn", "Shaft driven", body=LOST))))
    assert (finding.gating, finding.plan_line) == (True, 3)
    assert '"Shaft reversed"' in finding.message
    assert '"Shaft driven"' not in finding.message
    assert finding.evidence[0].quote == "#### Scenario: Shaft reversed"


def test_a_modification_that_holds_nothing_but_what_is_new(bench: Bench) -> None:
    assert only(judge(bench, section("MODIFIED", requirement("Gears turn", "Counted", body=LOST)))).gating
    body = "The gears SHALL additionally be counted."
    assert only(judge(bench, section("MODIFIED", requirement("Gears turn", "Counted", body=body)))).gating


def test_scenarios_of_one_name_are_counted(bench: Bench) -> None:
    base = BASE.replace("#### Scenario: Shaft reversed", "#### Scenario: Shaft driven")
    files = {"openspec/specs/gearbox/spec.md": base}
    both = section("MODIFIED", requirement("Gears turn", "Shaft driven", "Shaft driven", body=LOST))
    assert judge(bench, both, files).findings == ()
    one = section("MODIFIED", requirement("Gears turn", "Shaft driven", body=LOST))
    assert only(judge(bench, one, files)).gating


@pytest.mark.parametrize(
    "delta",
    [
        requirement("Gears turn", "Shaft driven", "Gears turn back", body=LOST),
        requirement("Gears turn", "Shaft driven", "Geared down", body="The gearbox SHALL turn while it is asked to."),
        requirement("Gears turn", "Belt", body="A belt SHALL drive the shaft instead of all gears."),
    ],
)
def test_scenarios_that_others_may_stand_for_are_advice(bench: Bench, delta: str) -> None:
    assert only(judge(bench, section("MODIFIED", delta))).severity is Severity.ADVICE


@pytest.mark.parametrize(
    "delta",
    [
        requirement("Gears turn", "shaft `driven`", "Shaft reversed (MODIFIED)", body=LOST),
        requirement("Gears turn", "Shaft driven", body=LOST + '\n"Shaft reversed" is dropped.'),
        requirement("Gears turn", "Shaft driven ####", body=LOST) + "##### Scenario: Shaft reversed\n- back\n",
    ],
)
def test_scenarios_that_the_delta_still_names_are_not_lost(bench: Bench, delta: str) -> None:
    assert judge(bench, section("MODIFIED", delta)).findings == ()


@pytest.mark.parametrize(
    ("delta", "line", "said"),
    [
        (section("ADDED", requirement("A"), requirement("A")), 10, "twice"),
        (
            section("MODIFIED", requirement("Gears rest", "Not driven"), requirement("Gears rest", "Not driven")),
            10,
            "twice",
        ),
        (
            section("ADDED", requirement("A")) + section("REMOVED", requirement("A", body="Reason: Migration:")),
            12,
            "both",
        ),
        (section("ADDED", "### Requirement: A\nIt SHALL.\n"), 3, "no scenario"),
        (section("ADDED", "### Requirement: A\nIt SHALL.\n\n**Scenario: B**\n- it does\n"), 3, "`####`"),
        (section("ADDED", "### Requirement: A\n\n#### Scenario: B\n- it does\n"), 3, "no text"),
        (section("ADDED", "None."), 1, "no requirement can be read"),
        (section("MODIFIED", "") + section("ADDED", "## Notes"), 1, "no requirement can be read"),
        (f"# Gears\n\n## Requirements\n\n{requirement('A')}", 5, "no delta section"),
    ],
)
def test_a_delta_that_is_wrong_in_itself(bench: Bench, delta: str, line: int, said: str) -> None:
    other = {"openspec/changes/other/specs/x/spec.md": section("ADDED", requirement("X"))}
    judged = judge(bench, delta, {**TREE, **other})
    found = [each for each in judged.gating if said in each.message]
    assert [(each.plan_path, each.plan_line) for each in found] == [(DELTA, line)]


def test_what_renaming_contradicts(bench: Bench) -> None:
    rename = section("RENAMED", "- FROM: `### Requirement: Gears rest`", "- TO: `### Requirement: Gears idle`")
    taken = judge(bench, rename + section("ADDED", requirement("Gears idle")))
    assert "collide" in only(taken).message
    gone = judge(bench, rename + section("REMOVED", requirement("gears rest", body="Reason: Migration:")))
    assert any("both RENAMED and REMOVED" in each.message for each in gone.gating)
    twice = section("RENAMED", *rename.split("\n")[2:4], *rename.split("\n")[2:4])
    assert "twice" in only(judge(bench, twice)).message


def test_a_delta_right_below_specs_belongs_to_nothing(bench: Bench) -> None:
    path = CHANGE + "specs/spec.md"
    finding = only(judge(bench, "\n" + section("ADDED", requirement("A")), path=path))
    assert (finding.gating, finding.plan_path, finding.plan_line) == (True, path, 2)


def test_whole_specifications_are_not_judged_where_nobody_writes_deltas(bench: Bench) -> None:
    judged = judge(bench, BASE)
    assert judged.findings == ()
    assert "no delta section" in judged.reason


def test_a_base_without_requirement_headers_is_said_and_not_held_against_the_delta(bench: Bench) -> None:
    files = {"openspec/specs/gearbox/spec.md": "# gearbox\n\n## Behaviour\n\nGears turn.\n"}
    judged = judge(bench, section("MODIFIED", requirement("Gears turn")), files)
    assert judged.findings == ()
    assert "openspec/specs/gearbox/spec.md has no `### Requirement:` header" in judged.reason


@pytest.mark.parametrize(
    "hidden",
    [
        "### MODIFIED Requirement: Gears hum",
        "#### Requirement: Gears hum",
        "## Gears hum",
        "```\n### Requirement: Gears hum",
    ],
)
def test_a_header_of_the_base_that_the_tool_does_not_see_is_said(bench: Bench, hidden: str) -> None:
    files = {"openspec/specs/gearbox/spec.md": f"{BASE}\n{hidden}\nThey hum.\n"}
    judged = judge(bench, section("MODIFIED", requirement("Gears hum")), files)
    assert judged.findings == ()
    assert "Gears hum" in judged.reason


def test_a_base_that_cannot_be_read_is_said(bench: Bench) -> None:
    documents = {DELTA: section("MODIFIED", requirement("Belts slip"))}
    files = {**TREE, "openspec/specs/belts/spec.md": "x"}
    report = bench.report(files, TASKS, path=CHANGE + "tasks.md", format=None, companions=documents, max_blob=100)
    assert Judged(report).findings == ()
    assert "could not be read: too large" in Judged(report).reason


def test_a_repository_without_specifications_has_nothing_to_compare_with(bench: Bench) -> None:
    judged = judge(bench, section("MODIFIED", requirement("Gears turn")), {})
    assert judged.findings == ()
    assert "holds no specification" in judged.reason


def test_a_delta_in_no_change_is_said(bench: Bench) -> None:
    report = bench.report(TREE, section("MODIFIED", requirement("X")), path="docs/gears.md", format=Format.OPENSPEC)
    assert "no folder of openspec/changes/" in Judged(report).reason


def test_a_change_below_another_folder_has_its_own_specifications(bench: Bench) -> None:
    files = {f"tools/{path}": text for path, text in TREE.items()}
    delta = {f"tools/{DELTA}": section("MODIFIED", requirement("Belts slip"))}
    report = bench.report(files, TASKS, path=f"tools/{CHANGE}tasks.md", format=None, companions=delta)
    assert [each.evidence[0].path for each in Judged(report).gating] == ["tools/openspec/specs/gearbox/spec.md"]


@pytest.mark.parametrize("marker", ["skip_specs: true\n", "schema: spec-driven\nskip_specs: true # no behaviour\n"])
def test_a_change_without_deltas_is_advice_unless_it_says_so(bench: Bench, marker: str) -> None:
    bare = only(judge(bench, None))
    assert (bare.severity, bare.plan_path, bare.plan_line) == (Severity.ADVICE, CHANGE + "tasks.md", 1)
    assert judge(bench, None, more={".openspec.yaml": marker}).findings == ()
    assert judge(bench, None, {**TREE, CHANGE + ".openspec.yaml": marker}).findings == ()
    assert judge(bench, None, more={".openspec.yaml": "schema: spec-driven\n"}).findings != ()


@pytest.mark.parametrize(
    "delta",
    [
        section("ADDED", requirement("A SHALL B", body="It does.")),
        section("REMOVED", requirement("Gears rest", body="It SHALL.")),
        section("ADDED", "### Gears hum", "They SHALL.", "", requirement("A")),
        section("ADDED", requirement("A")) + section("ADDED", requirement("B")),
    ],
)
def test_what_is_unusual_is_advice(bench: Bench, delta: str) -> None:
    assert only(judge(bench, delta)).severity is Severity.ADVICE


def test_a_statement_that_obliges_nobody(bench: Bench) -> None:
    assert only(judge(bench, section("ADDED", requirement("A", body="It does.")))).gating


def test_a_section_of_words_that_are_never_applied(bench: Bench) -> None:
    added = section("ADDED", requirement("A"))
    finding = only(judge(bench, added + section("REMOVED", "The old gears go away.")))
    assert (finding.gating, finding.subject) == (True, "REMOVED Requirements")
    for words in ("None.", "(none)", "No requirement is removed.", "_Nothing_"):
        assert judge(bench, added + section("REMOVED", words)).findings == ()


def test_a_new_scenario_does_not_make_up_for_one_that_was_forgotten(bench: Bench) -> None:
    kept = BASE[BASE.index("### Requirement: Gears turn") : BASE.index("#### Scenario: Shaft reversed")]
    new = "#### Scenario: Counted\n- **WHEN** it is asked\n- **THEN** it says how often\n"
    finding = only(judge(bench, section("MODIFIED", kept + new)))
    assert finding.gating
    assert "Shaft reversed" in finding.message
    rewritten = kept.replace("the gears turn", "all gears turn")
    assert rewritten != kept
    assert only(judge(bench, section("MODIFIED", rewritten + new))).severity is Severity.ADVICE


def test_a_translated_statement_needs_no_english_word(bench: Bench) -> None:
    delta = section("ADDED", requirement("齿轮转动", body="齿轮箱必须在驱动时转动其齿轮 (API)。"))
    assert judge(bench, delta).findings == ()
    assert only(judge(bench, section("MODIFIED", requirement("齿轮转动", body="必须。")))).gating


def test_a_file_of_another_name_is_not_applied(bench: Bench) -> None:
    delta = section("ADDED", requirement("A"))
    judged = judge(bench, delta, more={"specs/gearbox/more.md": section("ADDED", requirement("B"))})
    assert (only(judged).severity, only(judged).plan_path) == (Severity.ADVICE, CHANGE + "specs/gearbox/more.md")


def test_a_capability_that_the_proposal_modifies_and_nobody_knows_is_advice(bench: Bench) -> None:
    proposal = "## Capabilities\n\n### New Capabilities\n- `cogs`: new\n\n### Modified Capabilities\n"
    proposal += "- `gearbox`: faster\n- `belts`: x\n"
    judged = judge(bench, section("ADDED", requirement("A")), more={"proposal.md": proposal})
    assert (only(judged).subject, only(judged).severity, only(judged).plan_line) == ("belts", Severity.ADVICE, 8)


def test_task_numbers_of_another_group_or_of_another_file_are_advice(bench: Bench) -> None:
    tasks = "## 1. Gears\n- [ ] 1.1 Cut\n- [ ] 2.2 Fit\n\n## Rest\n- [ ] 7.1 Wait\n"
    delta = section("ADDED", requirement("A"))
    judged = judge(bench, delta, tasks=tasks, more={"more/tasks.md": "- [ ] 1.1 Oil\n"})
    assert [(each.subject, each.severity) for each in judged.findings] == [
        ("2.2", Severity.ADVICE),
        ("1.1", Severity.ADVICE),
    ]


@pytest.mark.parametrize("change", [lambda text: text.replace("\n", "\r\n"), lambda text: "\ufeff" + text])
def test_line_ends_and_byte_order_marks_hide_nothing(bench: Bench, change: object) -> None:
    assert callable(change)
    delta = change(section("MODIFIED", requirement("Gears turn", "Shaft driven", body=LOST)))
    files = {"openspec/specs/gearbox/spec.md": change(BASE)}
    assert only(judge(bench, delta, files)).plan_line == 3


_PIECES = st.sampled_from(
    [
        *(
            "## ADDED Requirements\n",
            "## MODIFIED Requirements\n",
            "## REMOVED Requirements\n",
            "## RENAMED Requirements\n",
        ),
        *(
            "### Requirement: Gears turn\n",
            "### Requirement: Gears rest\n",
            "### Requirement: A\n",
            "#### Scenario: B\n",
        ),
        *(
            "- FROM: `### Requirement: Gears turn`\n",
            "- TO: `### Requirement: A`\n",
            "- ### Requirement: A\n",
            "text\n",
        ),
        *("```\n", "<!--", "-->", "\r", "\n", "SHALL\n", "齿轮\n", "\0", "#### Scenario: Shaft driven\n"),
    ]
)


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    other = {"openspec/changes/other/specs/b/spec.md": section("ADDED", requirement("A"))}
    built = build_repo(tmp_path_factory.mktemp("specs") / "repo", {**TREE, **other})
    return built.path, built.head


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(st.one_of(_PIECES, st.text(max_size=5)), max_size=25).map("".join), min_size=1, max_size=3))
def test_any_delta_is_judged(repo: tuple[Path, str], texts: list[str]) -> None:
    names = ("specs/gearbox/spec.md", "specs/b/spec.md", "specs/spec.md")
    documents = [Document(CHANGE + "tasks.md", TASKS)]
    documents += [Document(CHANGE + name, text) for name, text in zip(names, texts, strict=False)]
    tree = Tree.open(repo[0], repo[1])
    plan = parse(documents)
    report = verify(plan, tree)
    assert report == verify(parse(documents), Tree.open(repo[0], repo[1]))
    for finding in report.findings:
        assert plan.line(finding.plan_path, finding.plan_line) != ""


def test_many_other_changes_are_looked_into_up_to_a_limit(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from bot.core.verify.checks.spec_delta_wrong import specs

    monkeypatch.setattr(specs, "MAX_CHANGES", 1)
    files = {
        **TREE,
        "openspec/changes/a/specs/gearbox/spec.md": section("ADDED", requirement("X")),
        "openspec/changes/b/specs/gearbox/spec.md": section("ADDED", requirement("Belts slip")),
    }
    judged = judge(bench, section("MODIFIED", requirement("Belts slip")), files)
    assert "only 1 of the 2 other open changes" in judged.reason


def test_a_long_list_of_titles_is_compared_up_to_a_limit(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from bot.core.verify.checks.spec_delta_wrong import against

    monkeypatch.setattr(against, "MAX_COMPARED", 1)
    judged = judge(bench, dedent(section("MODIFIED", requirement("The gears turn"))))
    assert (only(judged).suggestion, only(judged).gating) == (None, True)
    assert "too many titles" in judged.reason


def test_a_name_that_a_rename_gave_up_is_free_for_the_next(bench: Bench) -> None:
    def renamed(*pairs: tuple[str, str]) -> str:
        lines = [
            f"- {word}: `### Requirement: {name}`"
            for pair in pairs
            for word, name in zip(("FROM", "TO"), pair, strict=True)
        ]
        return section("RENAMED", *lines)

    moved, taken = ("Gears turn", "Gears revolve"), ("Gears rest", "Gears turn")
    assert judge(bench, renamed(moved, taken)).findings == ()
    assert judge(bench, renamed(moved, ("Gears revolve", "Gears spin"))).findings == ()
    assert only(judge(bench, renamed(taken, moved))).message == "RENAMED to the title of another requirement"


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_delta_is_never_applied(bench: Bench, text: str) -> None:
    finding = only(judge(bench, text))
    assert (finding.message, finding.gating) == ("the delta is empty, so nothing of it is ever applied", True)
    assert (finding.plan_path, finding.plan_line) == (DELTA, 1)
