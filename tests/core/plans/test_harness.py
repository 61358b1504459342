from __future__ import annotations

from textwrap import dedent

from bot.core.plans import detect
from bot.core.plans.model import Certainty, Format, Hedge, Plan
from tests.core.plans.reading import plan, said

TAIL = "\n## Alternatives Considered\n\nx\n\n## Codebase Ground-Truth Citations\n\nx\n\n## Pre-Mortem\n\nx\n"


def harness(text: str, tail: str = "") -> Plan:
    found = plan(dedent(text).lstrip("\n") + tail, path="mill-7/plan.md")
    assert found.format is Format.HARNESS
    return found


def test_the_four_sections_tell_the_format() -> None:
    assert detect("mill-7/plan.md", f"## Slices\n\nx\n{TAIL}") is Format.HARNESS
    assert detect("mill-7/plan.md", f"## Slices (3)\r\n{TAIL}") is Format.HARNESS
    assert detect("notes/mill.md", f"### Slices\n{TAIL}") is not Format.HARNESS


def test_slices_are_tasks_and_wait_for_each_other() -> None:
    found = harness(
        """
        # Mill

        ## Slices

        ### slice-a-oil-can

        - Create: `src/can.py`

        ### Slice B: Nozzle

        Depends on: slice-a

        - Modify: `src/can.py`

        Run: `make nozzle`

        ### slice-c-docs

        Depends on slices A and B.
        """,
        TAIL,
    )
    assert [(each.id, each.label, each.title, each.depends_on) for each in found.tasks] == [
        ("slice-a-oil-can", "slice-a-oil-can", "slice-a-oil-can", ()),
        ("B", "Slice B", "Nozzle", ("slice-a-oil-can",)),
        ("slice-c-docs", "slice-c-docs", "slice-c-docs", ("slice-a-oil-can", "B")),
    ]
    assert said(found, 0) == ["create src/can.py"]
    assert [each.text for each in found.tasks[1].commands] == ["make nozzle"]
    assert found.tasks[2].span.last == 19


def test_slices_may_be_a_list_or_a_table() -> None:
    listed = harness(f"## Slices\n\n1. Oil in `src/a.py`\n   - more\n2. Turn\n{TAIL}")
    assert [(each.id, each.title) for each in listed.tasks] == [("#1", "Oil in `src/a.py`"), ("#2", "Turn")]
    table = harness(f"## Slices\n\n| Slice | What |\n|---|---|\n| A | Oil |\n| B | Turn |\n{TAIL}")
    assert [(each.id, each.title) for each in table.tasks] == [("A", "Oil"), ("B", "Turn")]


def test_citations_are_statements_about_the_tree() -> None:
    found = harness(
        """
        ## Slices

        ### Slice A: Oil

        ## Affected Files

        - `src/can.py` (create)
        - `src/mill.py` (modify)

        ## Alternatives Considered

        - Create: `src/pump.py`

        ## Failing Test Stubs (per AC)

        | AC | Test | Asserts |
        |---|---|---|
        | AC1 | `tests/test_can.py` | it is full |

        ## Codebase Ground-Truth Citations

        1. `src/mill.py:12-40` — reads `src/rules.json`
        2. there is no `src/pump.py`

        ## Pre-Mortem

        `src/mill.py` may be slow.
        """
    )
    assert said(found, None) == [
        "create src/can.py",
        "modify src/mill.py",
        "create? src/pump.py #negated",
        "test? tests/test_can.py",
        "read src/mill.py",
        "read? src/rules.json",
        "read? src/pump.py #negated",
        "read? src/mill.py #conditional",
    ]
    cited = found.files[4]
    assert (cited.certainty, cited.says_exists, cited.lines[0].last) == (Certainty.STATED, True, 40)
    assert [(each.path, each.lines[0].first) for each in found.claims] == [("src/mill.py", 12)]
    assert not found.files[3].says_exists
    assert found.files[2].hedge is Hedge.NEGATED


def test_a_harness_plan_without_slices_in_it_has_no_tasks() -> None:
    assert harness(f"## Slices\n\nNone yet.\n{TAIL}").tasks == ()
