from __future__ import annotations

import pytest

from bot.core.plans import detect, parse
from bot.core.plans.model import Action, Certainty, Document, Format, Hedge, Plan

LOST = """Proposed design

Problem statement

The mill stops when `src/mill/stone.py` is dry.

Acceptance criteria

Requirement: Oil before grinding

The mill SHALL oil the stone of src/mill/stone.py and MUST stop when the can is empty.

Scenario: Can is empty

• WHEN the can holds no oil
• THEN the mill stops

Scenario: Can is full

• WHEN the can holds oil
• THEN the mill turns

Requirement: Count the sacks

The mill SHALL count each sack.

Scenario: One sack

• WHEN a sack is filled
• THEN the count is one more

Existing Tool Considered

A wind wheel does not grind.

Key questions

• Where is the oil?: In the can. [sources: src/mill/can.py:12-14, docs/mill.md]
  • Chosen: Reuse src/mill/can.py. It holds oil.
  • Rejected: Write a second can in src/mill/spare.py. Nobody fills it.

Fit

Fits in one pull request.
"""

MARKED = """## Acceptance criteria

### Requirement: Oil before grinding
The mill SHALL oil the stone.

#### Scenario: Can is empty
- **WHEN** the can holds no oil
- **THEN** the mill stops

### Fit
Fits in one pull request.
"""


def issue(text: str, path: str = "issue") -> Plan:
    return parse([Document(path, text)])


@pytest.mark.parametrize("path", ["", "issue", "issues/12.md"])
@pytest.mark.parametrize("text", [LOST, MARKED])
def test_an_issue_is_told_by_its_text(path: str, text: str) -> None:
    assert detect(path, text) is Format.ROADMAP


def test_a_base_specification_of_the_same_grammar_is_no_plan() -> None:
    assert detect("openspec/specs/mill/spec.md", MARKED) is None


def test_requirements_are_read_where_the_markup_is_lost() -> None:
    first, second = issue(LOST).requirements
    assert (first.id, first.span.first, first.span.last) == ("Oil before grinding", 9, 21)
    assert first.text.startswith("The mill SHALL oil")
    assert [(each.name, each.span.first, each.span.last) for each in first.scenarios] == [
        ("Can is empty", 13, 16),
        ("Can is full", 18, 21),
    ]
    assert first.scenarios[0].text == "• WHEN the can holds no oil\n• THEN the mill stops"
    assert (second.id, second.span.last) == ("Count the sacks", 30)


def test_requirements_are_read_where_the_markup_is_there() -> None:
    (found,) = issue(MARKED).requirements
    assert (found.id, found.text) == ("Oil before grinding", "The mill SHALL oil the stone.")
    assert [each.name for each in found.scenarios] == ["Can is empty"]
    assert found.span.last == 8


@pytest.mark.parametrize(
    "line", ["**Requirement:** Oil", "- Requirement: Oil", "> Requirement: Oil", "Requirement: Oil ##"]
)
def test_a_requirement_line_of_any_dress(line: str) -> None:
    found = issue(f"{line}\n\nIt SHALL.\n\nScenario: Dry\n\n- WHEN dry\n").requirements
    assert [(each.id, each.text) for each in found] == [("Oil", "It SHALL.")]


def test_requirements_in_code_and_comments_are_examples() -> None:
    text = f"```text\nRequirement: No\nScenario: No\n```\n\n<!--\nRequirement: No\n-->\n\n{MARKED}"
    assert [each.id for each in issue(text).requirements] == ["Oil before grinding"]


def test_sources_are_statements_that_a_path_is_there() -> None:
    found = {(ref.path, ref.span.first): ref for ref in issue(LOST).files}
    can = found["src/mill/can.py", 38]
    assert (can.action, can.certainty, can.says_exists) == (Action.READ, Certainty.STATED, True)
    assert [(each.first, each.last) for each in can.lines] == [(12, 14)]
    assert found["docs/mill.md", 38].says_exists
    assert found["src/mill/stone.py", 11].certainty is Certainty.MENTIONED
    assert len([ref for ref in issue(LOST).files if ref.span.first == 38]) == 2
    assert [claim.path for claim in issue(LOST).claims] == ["src/mill/can.py"]


def test_addresses_among_the_sources_are_no_paths() -> None:
    found = issue(MARKED + "\n- **Q**: a [sources: https://example.com/a.py, src/a.py:3]\n")
    assert [ref.path for ref in found.files] == ["src/a.py"]


def test_what_was_turned_down_is_not_done() -> None:
    found = {ref.path: ref for ref in issue(LOST).files if ref.span.first > 38}
    assert found["src/mill/spare.py"].hedge is Hedge.NEGATED
    assert found["src/mill/can.py"].hedge is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Verification: `pytest tests/test_oil.py`", ["pytest tests/test_oil.py"]),
        ("  Verification: pytest tests/test_oil.py", ["pytest tests/test_oil.py"]),
        ("- **Verification:** make check", ["make check"]),
        ("Verification: A test pours the can.", []),
        ("Verification: make sure that it turns.", []),
    ],
)
def test_verification_lines_are_commands_where_they_name_a_program(line: str, expected: list[str]) -> None:
    found = issue(f"{MARKED}\n{line}\n")
    assert [each.text for each in found.commands] == expected


def test_an_issue_has_no_tasks_and_says_so() -> None:
    found = issue(LOST + "\n- [ ] I have read the rules\n- [ ] I agree\n")
    assert found.tasks == ()
    assert [each.check for each in found.skipped] == ["task_order"]
