from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.plans import companions, coverage, parse
from bot.core.plans.model import Document, Format, Plan, TaskStatus

FOLDER = ".kiro/specs/kiln/"
ONE = """
    # Requirements Document

    ## Requirements

    ### Requirement 2: Heat

    **User Story:** As a potter, I want heat.

    #### Acceptance Criteria

    1. WHEN the door is shut THEN the kiln SHALL heat
    2. IF the door opens THEN the kiln SHALL stop
       and ring

    ### Requirement 1

    #### Acceptance Criteria

    1. The kiln shall show its heat
"""


def spec(tasks: str, requirements: str = ONE, *, name: str = "requirements.md") -> Plan:
    documents = [Document(FOLDER + "tasks.md", dedent(tasks).lstrip("\n"))]
    documents.append(Document(FOLDER + name, dedent(requirements).lstrip("\n")))
    return parse(documents)


def ids(plan: Plan) -> list[str]:
    return [each.id for each in plan.requirements]


def test_criteria_are_numbered_below_their_requirement_whatever_the_order() -> None:
    plan = spec("- [ ] 1. Build")
    assert ids(plan) == ["2", "2.1", "2.2", "1", "1.1"]
    stop = plan.requirements[2]
    assert (stop.span.first, stop.span.last) == (12, 13)
    assert stop.text.startswith("IF the door opens")
    assert plan.requirements[0].text == "Heat"


@pytest.mark.parametrize(
    ("heading", "criteria"),
    [
        ("### 要件 3: 温度", "#### 受け入れ基準"),
        ("### 要件3: 温度", "#### 受入基準"),
        ("### 需求 3：温度", "#### 验收标准"),
        ("### Anforderung 3: Hitze", "#### Abnahmekriterien"),
        ("### Requisito 3", "**Criterios de aceptación:**"),
        ("## Requirement 3 - Heat", "### Acceptance Criteria"),
        ("### **Requirement 3: Heat**", "Acceptance Criteria:"),
        ("### R3: Heat", "#### Acceptance Criteria"),
    ],
)
def test_headings_of_any_language_open_a_requirement(heading: str, criteria: str) -> None:
    plan = spec("- [ ] 1. Build", f"{heading}\n\n{criteria}\n\n1. heat\n2. hold\n")
    assert ids(plan) == ["3", "3.1", "3.2"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("1.1 WHEN a THEN b\n\n1.2 WHEN c THEN d\n", ["1.1", "1.2"]),
        ("- **1.1** a\n- **1.2** b\n", ["1.1", "1.2"]),
        ("1. a\n1. b\n1. c\n", ["1.1", "1.2", "1.3"]),
        ("1. a\n   1. not a criterion\n2. b\n", ["1.1", "1.2"]),
        ("1. a\n\n```\n3. code\n```\n\n2. b\n", ["1.1", "1.2"]),
        ("- WHEN a\n- WHEN b\n", []),
        ("1. a\n2. b\n\n#### More\n\n1. c\n", ["1.1", "1.2"]),
    ],
)
def test_ways_to_number_criteria(body: str, expected: list[str]) -> None:
    plan = spec("- [ ] 1. Build", f"### Requirement 1: Heat\n\n#### Acceptance Criteria\n\n{body}")
    assert ids(plan)[1:] == expected


def test_criteria_that_cannot_be_told_from_other_lists_are_left_out() -> None:
    two = "### Requirement 1\n\n#### Steps\n\n1. a\n\n#### Notes\n\n1. b\n"
    assert ids(spec("- [ ] 1. Build", two)) == ["1"]
    same = "### Requirement 1\n\n#### Acceptance Criteria\n\n1. a\n\n"
    assert ids(spec("- [ ] 1. Build", same + same)) == ["1"]


def test_bare_numbers_head_requirements_only_below_such_a_section() -> None:
    text = "## Background\n\n### 1. Past\n\n## Requirements\n\n### 2. Heat\n\n1. a\n"
    assert ids(spec("- [ ] 1. Build", text)) == ["2", "2.1"]


def test_clauses_of_a_bug_fix() -> None:
    text = "### Current Behavior\n\n1.1 WHEN cold THEN it hums\n\n### Expected\n\n2.1 WHEN cold THEN silent\n"
    assert ids(spec("- [ ] 1. Fix", text, name="bugfix.md")) == ["1.1", "2.1"]
    assert FOLDER + "bugfix.md" in companions(FOLDER + "tasks.md")


def test_what_a_task_says_of_itself() -> None:
    plan = spec(
        """
        - [ ] 1. Parent
          - [x] 1.1 Done (P)
            - detail
            - _Requirements: 2.1, 1.1-1.3_
            - _Boundary: Burner_
          - [ ]* 1.2 Property test
            - **Property 1: heat**
            - **Validates: Requirements 2.2, 2.3**
        - [ ] 2. All of it
          - _Requirements: All requirements_
          - _Depends: 1.1, 1.2_
        - [-] 3. Whole
          - _需求: 2，1_
        - [~] 4. Words
          - _Requirements: groundwork_
        """
    )
    tasks = {task.id: task for task in plan.tasks}
    assert list(tasks) == ["1", "1.1", "1.2", "2", "3", "4"]
    assert tasks["1.1"].covers == ("2.1", "1.1-1.3")
    assert tasks["1.2"].covers == ("2.2", "2.3")
    assert tasks["2"].covers == ("all",)
    assert tasks["3"].covers == ("2", "1")
    assert tasks["4"].covers == ()
    assert tasks["2"].depends_on == ("1.1", "1.2")
    assert (tasks["1.1"].parallel, tasks["1.2"].optional, tasks["2"].parallel) == (True, True, False)
    # an open optional test keeps no parent open
    assert [tasks[name].status for name in ("1", "3", "4")] == [
        TaskStatus.DONE,
        TaskStatus.IN_PROGRESS,
        TaskStatus.IN_PROGRESS,
    ]


def test_a_bullet_after_a_sub_task_still_belongs_to_a_task() -> None:
    plan = spec("- [ ] 1. Parent\n  - [ ] 1.1 Child\n  - _Requirements: 2.1_\n")
    assert [task.covers for task in plan.tasks] == [(), ("2.1",)]


def test_groups_may_be_headings_and_sub_tasks_stand_alone() -> None:
    plan = spec(
        "## 1. Group\n\n- [ ] 1.1 (P) One\n  - _Requirements: 1.1_\n- [x] 1.2 Two\n\n## 2. Next\n\n- [ ] 2.1 Three\n"
    )
    assert [(task.id, task.parallel) for task in plan.tasks] == [("1.1", True), ("1.2", False), ("2.1", False)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Requirements: 1.1, 2.3–2.5", (("1.1", "2.3-2.5"), 0)),
        ("Requirements: 1.1 (in part), 3.x", (("1.1", "3"), 0)),
        ("Requirements: 1.1 Boundary: 2.2", (("1.1",), 0)),
        ("Validates: Requirements 3.2, 3.3", (("3.2", "3.3"), 0)),
        ("要件: すべて", (("all",), 0)),
        ("Requirements: all of them later, 2.1", (("all", "2.1"), 0)),
        ("Requirements: R1, R3", (("R1", "R3"), 0)),
        ("Requirements: other-spec 4.1", ((), 1)),
    ],
)
def test_lists_of_ids(text: str, expected: tuple[tuple[str, ...], int]) -> None:
    (named,) = coverage.labelled(text)
    assert (named.ids, named.words) == expected


def test_one_id_is_known_by_all_its_spellings() -> None:
    assert {coverage.key(each) for each in ("FR-001", "FR1", "fr-1")} == {"FR1"}
    assert {coverage.key(each) for each in ("R1", "REQ-1", "1", "Requirement 1")} == {"1"}
    assert coverage.key("Open Calls") == "open calls"


_PIECES = st.sampled_from(
    [
        *(
            "### Requirement 1",
            "### 要件 2: x",
            "## Requirements",
            "#### Acceptance Criteria",
            "1. ",
            "2. ",
            "1.1 ",
            "- ",
        ),
        *(
            "- [ ] 1. ",
            "  - [ ] 1.1 ",
            "- [ ]* 2 ",
            "- [-] ",
            "_Requirements: 1.1, 2_",
            "**Validates: Requirements 1.1-9**",
        ),
        *(
            "_Depends: 1.1_",
            "All",
            "(P)",
            "\n",
            "\n\n",
            "\r\n",
            "\t",
            "\ufeff",
            "> ",
            "```\n",
            "`",
            "|",
            ":",
            "：",
            "9" * 30,
        ),
    ]
)
_TEXT = st.lists(st.one_of(_PIECES, st.text(max_size=6)), max_size=40).map("".join)


@settings(deadline=None, max_examples=150)
@given(_TEXT, _TEXT, st.sampled_from(["requirements.md", "bugfix.md", "design.md"]))
def test_any_text_is_read_and_spans_stay_inside(tasks: str, beside: str, name: str) -> None:
    plan = parse([Document(FOLDER + "tasks.md", tasks), Document(FOLDER + name, beside)], Format.KIRO)
    lines = {each.path: each.text.count("\n") + 1 for each in plan.documents}
    for span in [each.span for each in plan.requirements] + [each.span for each in plan.tasks]:
        assert 1 <= span.first <= span.last <= lines[span.path]


@pytest.mark.parametrize(
    "text",
    [
        "### Requirement 1\n" * 5_000,
        "### Requirement 1\n" + "1. a\n" * 10_000,
        "Requirements: " + "1.1, " * 20_000,
        "Requirements" * 30_000,
        "- [ ] 1. a\n  - _Requirements: " + "1.1-2.2 " * 30_000,
        "Requirement 1, " * 30_000,
        "(" * 50_000 + "Requirements: 1",
    ],
    ids=range(7),
)
def test_hostile_documents_are_read_to_their_end(text: str) -> None:
    parse([Document(FOLDER + "tasks.md", text), Document(FOLDER + "requirements.md", text)])
