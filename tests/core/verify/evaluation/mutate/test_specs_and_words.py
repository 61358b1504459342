"""Seeded gaps between requirements and tasks, wrong deltas, placeholders and hidden text."""

from __future__ import annotations

from bot.core.verify.evaluation.mutate import hidden_text, placeholder, scope_gap, spec_delta
from schemas.verify_report import Severity
from tests.core.verify.evaluation.mutate.conftest import TEXT, TREE, Shop, shown

KIRO = {
    "path": ".kiro/specs/teeth/tasks.md",
    "more": {
        ".kiro/specs/teeth/requirements.md": "# Requirements\n\n### Requirement 1\n\n1. WHEN it turns THEN it counts\n"
        "2. WHEN it stops THEN it shows\n"
    },
}
KIRO_TASKS = "# Plan\n\n- [ ] 1. Count\n  - _Requirements: 1.1_\n- [ ] 2. Show\n  - _Requirements: 1.2_\n"
DELTA = "openspec/changes/teeth/specs/wheel/spec.md"
OPENSPEC = {
    "path": "openspec/changes/teeth/tasks.md",
    "more": {
        DELTA: """## ADDED Requirements
### Requirement: Count teeth
The wheel SHALL count its teeth.

#### Scenario: One turn
- **WHEN** it turns
- **THEN** it counts

## MODIFIED Requirements
### Requirement: Turn smoothly
The wheel SHALL turn.

#### Scenario: A push
- **WHEN** it is pushed
- **THEN** it turns
"""
    },
}
BASE = {**TREE, "openspec/specs/wheel/spec.md": "# Wheel\n\n### Requirement: Turn smoothly\nThe wheel SHALL turn.\n"}
CHANGE = "## 1. Wheel\n\n- [ ] 1.1 Count the teeth\n- [ ] 1.2 Turn the wheel\n"


def test_the_only_reference_to_a_criterion_is_dropped(shop: Shop) -> None:
    mutants = shop.seeded(scope_gap.criterion_without_a_task, KIRO_TASKS, TREE, **KIRO)
    assert [mutant.seed.what for mutant in mutants] == ["no task names 1.1 any more", "no task names 1.2 any more"]
    assert "1. WHEN it turns THEN it counts" in shown(mutants[0])
    assert "1.1" not in mutants[0].documents[0].text


def test_a_criterion_that_a_range_may_cover_is_left_alone(shop: Shop) -> None:
    text = KIRO_TASKS + "- [ ] 3. Test\n  - _Requirements: 1.1-1.2_\n"
    assert not shop.seeded(scope_gap.criterion_without_a_task, text, TREE, **KIRO)


def test_a_task_names_a_requirement_that_is_nowhere(shop: Shop) -> None:
    mutants = shop.seeded(scope_gap.names_no_requirement, KIRO_TASKS, TREE, **KIRO)
    assert shown(mutants[0]) == ["  - _Requirements: 1.1, 97.3_"]


def test_a_unit_no_longer_names_a_requirement_of_the_plan(shop: Shop) -> None:
    text = (
        "# Plan\n\n## Requirements\n\n- R1. It counts\n- R2. It shows\n\n### Task 1: Count\n\n**Requirements:** R1\n\n"
        "### Task 2: Show\n\n**Requirements:** R2\n"
    )
    mutants = shop.seeded(scope_gap.requirement_without_a_unit, text)
    assert len(mutants) == 2
    assert "- R1. It counts" in shown(mutants[0])


def test_a_modified_requirement_gets_a_title_that_the_base_has_not(shop: Shop) -> None:
    (mutant,) = shop.seeded(spec_delta.modifies_what_the_base_has_not, CHANGE, BASE, **OPENSPEC)
    assert shown(mutant)[0] == "### Requirement: Turn smoothly of the gears"


def test_the_base_gets_another_title_for_what_is_modified(shop: Shop) -> None:
    (mutant,) = shop.seeded(spec_delta.modifies_what_was_renamed, CHANGE, BASE, **OPENSPEC)
    base = mutant.files["openspec/specs/wheel/spec.md"]
    assert base is not None
    assert b"Requirement: Turn smoothly (first release)\n" in base


def test_another_open_change_may_be_what_adds_the_requirement(shop: Shop) -> None:
    other = "openspec/changes/spokes/specs/wheel/spec.md"
    files = {**BASE, other: "## ADDED Requirements\n### Requirement: Turn smoothly\nIt SHALL.\n"}
    assert not shop.seeded(spec_delta.modifies_what_was_renamed, CHANGE, files, **OPENSPEC)


def test_a_requirement_loses_its_scenarios_and_keeps_its_text(shop: Shop) -> None:
    mutant = shop.seeded(spec_delta.has_no_scenario, CHANGE, BASE, **OPENSPEC)[0]
    text = mutant.documents[1].text
    assert "The wheel SHALL count its teeth." in text
    assert "One turn" not in text
    assert "A push" in text


def test_the_base_has_already_what_is_added(shop: Shop) -> None:
    (mutant,) = shop.seeded(spec_delta.adds_what_the_base_has, CHANGE, BASE, **OPENSPEC)
    base = mutant.files["openspec/specs/wheel/spec.md"]
    assert base is not None
    assert b"### Requirement: Count teeth" in base


def test_a_requirement_is_added_twice_or_obliges_nobody(shop: Shop) -> None:
    (twice,) = shop.seeded(spec_delta.is_there_twice, CHANGE, BASE, **OPENSPEC)
    assert twice.documents[1].text.count("### Requirement: Count teeth") == 2
    (nobody,) = shop.seeded(spec_delta.obliges_nobody, CHANGE, BASE, **OPENSPEC)
    assert "The wheel can count its teeth." in shown(nobody)


def test_a_step_is_left_with_a_placeholder(shop: Shop) -> None:
    mutant = shop.seeded(placeholder.step_is_emptied)[0]
    assert shown(mutant)[0] == "- [ ] **Step 1: Write the counter**"
    assert "Write a function that counts" not in mutant.documents[0].text
    assert "### Task 2: Use the count" in mutant.documents[0].text


def test_an_item_with_details_below_it_is_no_empty_one(shop: Shop) -> None:
    text = "# Plan\n\n- [ ] 1.1 Count the teeth\n  - all of them\n- [ ] 1.2 Turn the wheel\n"
    mutants = shop.seeded(placeholder.item_is_emptied, text)
    assert len(mutants) == 1
    assert shown(mutants[0])[0].startswith("- [ ] 1.2 ")
    assert "Turn" not in shown(mutants[0])[0]


def test_an_open_question_is_put_into_a_task(shop: Shop) -> None:
    assert "NEEDS CLARIFICATION" in shown(shop.seeded(placeholder.question_is_open)[0])[0]


def test_hidden_text_is_advice_and_changes_no_word_that_is_seen(shop: Shop) -> None:
    mutant = shop.seeded(hidden_text.zero_width_characters, TEXT + "\nAll of the wheels are counted by then.\n")[0]
    assert mutant.seed.severity is Severity.ADVICE
    assert "\u200b" in shown(mutant)[0]
    assert mutant.documents[0].text.replace("\u200b", "").startswith(TEXT)
