"""OpenSpec changes: their tasks, their deltas, and the grammar of requirements that deltas and specifications share."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.plans import companions, detect, parse
from bot.core.plans.assembly import load
from bot.core.plans.model import Certainty, DeltaKind, Document, Format, Plan, TaskStatus
from bot.core.plans.openspec import capability, place
from bot.core.plans.spec_text import SpecText, fold, read_spec

CHANGE = "openspec/changes/add-gears/"


def change(documents: Mapping[str, str]) -> Plan:
    """A change of these documents, by their path in it; the first names it."""
    return parse([Document(CHANGE + path, dedent(text).lstrip("\n")) for path, text in documents.items()])


def spec(text: str) -> SpecText:
    document, _, page = load(Document("spec.md", text))
    return read_spec(document, page)


DELTA = """
    ## ADDED Requirements

    ### Requirement: Gears turn
    **Priority**: high
    The gearbox SHALL turn its gears
    while it is driven.

    ```text
    #### Scenario: drawn
    ```

    #### Scenario: Driven ####
    - **WHEN** the shaft turns
    - **THEN** the gears turn

    #### At rest
    - **WHEN** it does not
    - **THEN** they rest

    ## RENAMED Requirements
    - FROM: `### Requirement: Wheels turn`
    - TO: `### Requirement: Cogs turn`

    ## REMOVED Requirements
    - `### Requirement: Belts slip`

    ### Requirement: Belts creak
    **Reason**: there are none
    **Migration**: none
"""


def test_a_change_is_one_plan_whichever_of_its_files_names_it() -> None:
    tasks, delta = "## 1. Gears\n- [ ] 1.1 Cut them\n", DELTA
    for documents in (
        {"tasks.md": tasks, "specs/gearbox/spec.md": delta},
        {"specs/gearbox/spec.md": delta, "tasks.md": tasks},
        {"proposal.md": "# Gears\n", "tasks.md": tasks, "specs/gearbox/spec.md": delta},
    ):
        found = change(documents)
        assert found.format is Format.OPENSPEC
        assert [task.label for task in found.tasks] == ["Task 1.1"]
        assert [each.capability for each in found.spec_delta] == ["gearbox"] * 4


def test_the_companions_of_a_change_are_its_documents_and_its_marker() -> None:
    names = companions(CHANGE + "specs/gearbox/spec.md")
    assert names == tuple(
        CHANGE + name for name in ("tasks.md", "proposal.md", "design.md", ".openspec.yaml", "specs/**/*.md")
    )
    assert detect(CHANGE + "specs/gearbox/spec.md", "x") is Format.OPENSPEC


def test_the_marker_is_no_text_of_the_plan() -> None:
    found = change({"tasks.md": "- [ ] 1.1 Cut\n", ".openspec.yaml": "schema: spec-driven\n- [ ] 9.9 no task\n"})
    assert [task.id for task in found.tasks] == ["1.1"]


def test_deltas_are_read_with_their_statement_scenarios_and_lines() -> None:
    added, renamed, bullet, removed = change({"specs/gearbox/spec.md": DELTA}).spec_delta
    assert (added.kind, added.requirement, added.span.first) == (DeltaKind.ADDED, "Gears turn", 3)
    assert added.body == "The gearbox SHALL turn its gears\nwhile it is driven."
    assert [scenario.name for scenario in added.scenarios] == ["Driven", "At rest"]
    assert [(each.span.first, each.span.last) for each in added.scenarios] == [(12, 14), (16, 18)]
    assert (renamed.kind, renamed.requirement, renamed.new_name) == (DeltaKind.RENAMED, "Wheels turn", "Cogs turn")
    assert (renamed.span.first, renamed.span.last) == (21, 22)
    assert (bullet.kind, bullet.requirement, bullet.span.first) == (DeltaKind.REMOVED, "Belts slip", 25)
    assert (removed.requirement, "there are none" in removed.text) == ("Belts creak", True)


def test_what_is_added_or_modified_is_a_requirement_of_the_plan() -> None:
    found = change({"tasks.md": "- [ ] 1.1 Cut\n", "specs/gearbox/spec.md": DELTA})
    (requirement,) = found.requirements
    assert (requirement.id, len(requirement.scenarios)) == ("Gears turn", 2)
    assert requirement.span.path == CHANGE + "specs/gearbox/spec.md"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (CHANGE + "specs/gearbox/spec.md", "gearbox"),
        (CHANGE + "specs/drive/gearbox/spec.md", "drive/gearbox"),
        (CHANGE + "specs/spec.md", ""),
        ("tools/openspec/changes/archive/2026-01-01-x/specs/a/spec.md", "a"),
        (CHANGE + "specs/gearbox/notes.md", ""),
    ],
)
def test_a_delta_names_its_capability_by_its_folder(path: str, name: str) -> None:
    assert capability(path) == name


def test_the_place_of_a_change_knows_its_root_and_its_archive() -> None:
    found = place("tools/openspec/changes/archive/2026-01-01-x/tasks.md")
    assert found is not None
    assert (found.specs, found.archived, found.name) == ("tools/openspec/specs/", True, "2026-01-01-x")
    assert place("openspec/specs/gearbox/spec.md") is None


def test_every_box_is_a_task_however_it_is_indented_or_numbered() -> None:
    found = change(
        {
            "tasks.md": """
            ## 1. Gears
            - [ ] 1.1 Cut `src/gear.py`
              - [x] Harden it
              - see `src/heat.py`
            * [X] 1.2a Fit them and verify with `pytest tests/test_gear.py`
            - [ ] Oil them
            \t- [ ] 2.10 Check
            """
        }
    )
    assert [(task.id, task.title.split(" ")[0], task.status) for task in found.tasks] == [
        ("1.1", "Cut", TaskStatus.TODO),
        ("#2", "Harden", TaskStatus.DONE),
        ("1.2a", "Fit", TaskStatus.DONE),
        ("#4", "Oil", TaskStatus.TODO),
        ("2.10", "Check", TaskStatus.TODO),
    ]
    assert [task.boxes for task in found.tasks] == [(0, 1), (1, 1), (1, 1), (0, 1), (0, 1)]
    assert [command.text for command in found.tasks[2].commands] == ["pytest tests/test_gear.py"]
    assert [ref.path for ref in found.tasks[0].files] == ["src/gear.py"]


def test_a_number_that_counts_something_is_no_id() -> None:
    found = change({"tasks.md": "- [ ] 3 gears are cut\n- [ ] 2. Oil\n"})
    assert [(task.id, task.title) for task in found.tasks] == [("#1", "3 gears are cut"), ("2", "Oil")]


def test_boxes_in_a_fence_count_where_there_are_no_others() -> None:
    fenced = "```markdown\n## 1. Gears\n- [x] 1.1 Cut\n- [ ] 1.2 Fit\n```\n"
    alone = change({"tasks.md": fenced})
    assert [(task.id, task.status, task.span.first) for task in alone.tasks] == [
        ("1.1", TaskStatus.DONE, 3),
        ("1.2", TaskStatus.TODO, 4),
    ]
    beside = change({"tasks.md": "- [ ] 2.1 Oil\n\n" + fenced})
    assert [task.id for task in beside.tasks] == ["2.1"]


def test_a_list_of_tasks_without_boxes_is_read_like_any_other_plan() -> None:
    found = change({"tasks.md": "# Gears\n\n## Task 1: Cut\n\nx\n\n## Task 2: Fit\n\ny\n"})
    assert [task.label for task in found.tasks] == ["Task 1", "Task 2"]


def test_a_change_without_a_list_of_tasks_is_a_plan_too() -> None:
    found = change({"proposal.md": "# Turn gears\n\n## Why\n\nThey rest.\n", "specs/gearbox/spec.md": DELTA})
    assert (found.title, found.tasks, len(found.spec_delta)) == ("Turn gears", (), 4)


def test_only_the_list_of_tasks_states_what_is_done_to_a_file() -> None:
    found = change({"tasks.md": "- [ ] 1.1 Cut\n", "proposal.md": "## Impact\n\n- Create: `src/gear.py`\n"})
    assert {ref.certainty for ref in found.files} == {Certainty.MENTIONED}


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("### Requirement: Gears turn", "Gears turn"),
        ("###Requirement:Gears turn", "Gears turn"),
        ("### requirement:   Gears `turn`  ", "Gears `turn`"),
        ("###\tREQUIREMENT: 齿轮转动", "齿轮转动"),
        ("### Requirement: Gears: turn #1", "Gears: turn #1"),
    ],
)
def test_headers_that_the_tool_reads(header: str, name: str) -> None:
    (block,) = spec(f"## Requirements\n{header}\ntext\n").blocks
    assert block.name == name


@pytest.mark.parametrize(
    "header", ["### Requirement:", "## Requirement: X", "#### Requirement: X", " ### Requirement: X"]
)
def test_headers_that_the_tool_passes_over(header: str) -> None:
    assert spec(f"## Requirements\n{header}\ntext\n").blocks == ()


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_change_nothing(ends: str) -> None:
    text = "\ufeff" + dedent(DELTA).lstrip("\n").replace("\n", ends)
    (added, *_) = parse([Document(CHANGE + "specs/gearbox/spec.md", text)]).spec_delta
    assert (added.requirement, added.span.first, len(added.scenarios)) == ("Gears turn", 3, 2)


@pytest.mark.parametrize("title", ["## added requirements", "##  Added   Requirements", "## ADDED Requirements ##"])
def test_the_name_of_a_section_may_be_written_in_other_letters(title: str) -> None:
    (section,) = spec(f"{title}\n### Requirement: X\n").deltas
    assert (section.kind, section.empty) == (DeltaKind.ADDED, False)


def test_other_sections_hold_no_delta() -> None:
    found = spec("### Requirement: A\n## Requirements\n### Requirement: B\n## ADDED Requirements (draft)\n")
    assert (found.deltas, [block.name for block in found.blocks]) == ((), ["A", "B"])


@pytest.mark.parametrize(
    ("opening", "closing"), [("```", "```"), ("~~~~", "~~~~"), ("````md\n```", "```\n````"), ("<!--", "-->")]
)
def test_headers_in_code_and_comments_are_no_structure(opening: str, closing: str) -> None:
    hidden = f"{opening}\n## REMOVED Requirements\n### Requirement: B\n#### Scenario: C\n{closing}\n"
    found = spec(f"## ADDED Requirements\n### Requirement: A\ntext\n\n{hidden}\n#### Scenario: D\n")
    (block,) = found.blocks
    assert (block.name, [scenario.name for scenario in block.scenarios]) == ("A", ["D"])


def test_a_statement_of_nothing_but_metadata_is_that_metadata() -> None:
    (block,) = spec("### Requirement: A\n**Limit**: it MUST end\n#### Scenario: B\n").blocks
    assert block.body == "**Limit**: it MUST end"


def test_a_header_of_the_same_level_ends_the_statement_and_not_the_scenarios() -> None:
    found = spec("## ADDED Requirements\n### Notes\n### Requirement: A\n### More\ntext\n#### Scenario: B\n")
    (block,) = found.blocks
    assert (block.body, len(block.scenarios)) == ("", 1)
    assert [(stray.name, stray.after) for stray in found.deltas[0].strays] == [("Notes", False), ("More", True)]


@pytest.mark.parametrize(
    "lines",
    [
        "- FROM: `### Requirement: A`\n- TO: `### Requirement: B`",
        "FROM: ### Requirement: A\nTO: ### Requirement: B",
        "- **FROM:** `### Requirement: A`\n- **TO:** `### Requirement: B`",
        "* from: ### requirement: A\n\n* to: ###Requirement: B",
    ],
)
def test_forms_of_a_renaming(lines: str) -> None:
    (rename,) = spec(f"## RENAMED Requirements\n{lines}\n").deltas[0].renames
    assert (rename.old, rename.new) == ("A", "B")


def test_a_renaming_without_its_other_half_is_none() -> None:
    found = spec("## RENAMED Requirements\n- TO: `### Requirement: B`\n- FROM: `### Requirement: A`\n")
    assert found.deltas[0].empty


def test_spellings_of_one_name() -> None:
    assert fold("The `Gear`  turns.") == fold("the gear turns")
    assert fold("Gear turns") != fold("Gears turn")


_PIECES = st.sampled_from(
    [
        *(
            "## ADDED Requirements",
            "## MODIFIED Requirements\n",
            "## REMOVED Requirements\n",
            "## RENAMED Requirements\n",
        ),
        *(
            "### Requirement: ",
            "###Requirement:A\n",
            "#### Scenario: ",
            "#### ",
            "### ",
            "## ",
            "#",
            " ####",
            "\n",
            "\n\n",
        ),
        *(
            "- FROM: `### Requirement: A`\n",
            "- TO: ### Requirement: B`\n",
            "- `### Requirement: A`\n",
            "A",
            "要求",
            "`",
        ),
        *(
            "```\n",
            "~~~\n",
            "````\n",
            "<!--",
            "-->",
            "\r\n",
            "\r",
            "\ufeff",
            "\t",
            "\0",
            "\u2028",
            "**Key**: v\n",
            "SHALL",
        ),
        *("- [ ] 1.1 x\n", "  - [x] y\n", "- [ ]* z\n", "\t* [ ] 1.\n", "---\n", "a: b\n"),
    ]
)
_TEXT = st.lists(st.one_of(_PIECES, st.text(max_size=6)), max_size=40).map("".join)


@settings(max_examples=200, deadline=None)
@given(st.lists(_TEXT, min_size=1, max_size=4))
def test_any_text_is_read_and_every_span_is_in_its_document(texts: list[str]) -> None:
    names = ("specs/a/spec.md", "tasks.md", "specs/spec.md", "proposal.md")
    found = parse([Document(CHANGE + name, text) for name, text in zip(names, texts, strict=False)], Format.OPENSPEC)
    lines = {document.path: document.text.count("\n") + 1 for document in found.documents}
    spans = [each.span for each in found.spec_delta]
    spans += [each.span for each in found.requirements] + [each.span for each in found.tasks]
    spans += [scenario.span for each in found.requirements for scenario in each.scenarios]
    assert all(1 <= span.first <= span.last <= lines[span.path] for span in spans)
