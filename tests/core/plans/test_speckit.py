from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.plans import parse
from bot.core.plans.model import Certainty, Document, Format, Plan, TaskStatus
from tests.core.plans.reading import said

FOLDER = "specs/004-kiln/"
SPEC = """
    # Feature Specification: Kiln

    ### User Story 1 - Heat it (Priority: P1)

    A potter heats the kiln.

    **Acceptance Scenarios**:

    1. **Given** a shut door, **When** it is switched on, **Then** it heats
    2. **Given** an open door, **When** it is switched on, **Then** it rings

    ### User Story 2 - Cool it (Priority: P2)

    ## Requirements

    - **FR-001**: System MUST heat
      for an hour
    - **FR-002 (safety)**: System MUST ring [NEEDS CLARIFICATION: how loud?]
    - **NFR-001**: System MUST be quiet otherwise

    ## Success Criteria

    - **SC-001**: Nobody is burnt, as FR-001 asks
"""


def feature(tasks: str, spec: str = SPEC) -> Plan:
    documents = [Document(FOLDER + "tasks.md", dedent(tasks).lstrip("\n"))]
    documents.append(Document(FOLDER + "spec.md", dedent(spec).lstrip("\n")))
    return parse(documents)


def line(text: str) -> list[str]:
    return said(feature(f"- [ ] T001 {text}\n"))


def test_stories_requirements_and_criteria_of_a_specification() -> None:
    plan = feature("- [ ] T001 Build")
    assert [each.id for each in plan.requirements] == ["US1", "US2", "FR-001", "FR-002", "NFR-001", "SC-001"]
    story, _, heat, ring = plan.requirements[:4]
    assert (story.text, len(story.scenarios)) == ("Heat it (Priority: P1)", 2)
    assert story.scenarios[1].span.first == 10
    assert (heat.text, heat.span.first, heat.span.last) == ("System MUST heat for an hour", 16, 17)
    assert ring.text.endswith("[NEEDS CLARIFICATION: how loud?]")


@pytest.mark.parametrize(
    ("written", "identity", "parallel", "stories"),
    [
        ("- [ ] T001 [P] [US1] Do", "T001", True, ("US1",)),
        ("- [ ] T001 [US2] [P] Do", "T001", True, ("US2",)),
        ("- [X] T1000 Do", "T1000", False, ()),
        ("- [ ] T009a [Setup] Do", "T009a", False, ()),
        ("- [ ] T090.1 [P] Do", "T090.1", True, ()),
        ("- [ ] T-HF01 [US1][P] Do", "T-HF01", True, ("US1",)),
        ("- [ ] **T001** [P] Do", "T001", True, ()),
        ("* [ ] T001: Do", "T001", False, ()),
        ("- [ ] T001 [P] [US1,US3] Do", "T001", True, ("US1", "US3")),
        ("- [ ] T001 Do it in [P] mode", "T001", False, ()),
    ],
)
def test_a_task_line(written: str, identity: str, parallel: bool, stories: tuple[str, ...]) -> None:
    (task,) = feature(written).tasks
    assert (task.id, task.label, task.parallel, task.covers) == (identity, identity, parallel, stories)
    assert task.title.startswith("Do")


def test_lines_that_go_on_and_bullets_below_belong_to_the_task() -> None:
    plan = feature(
        """
        ## Phase 1: Setup

        - [ ] T001 [P] Heat the kiln
          as FR-001 says
          - Files: src/kiln/heat.py, src/kiln/door.py

        **Checkpoint**: it is hot

        - [x] T002 Ring
        """
    )
    first, second = plan.tasks
    assert [ref.path for ref in first.files] == ["src/kiln/heat.py", "src/kiln/door.py"]
    assert first.covers == ("FR-001",)
    assert (second.status, second.files) == (TaskStatus.DONE, ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Create src/models/user.py", ["create src/models/user.py"]),
        ("[P] [US1] Create `src/models/user.py`", ["create src/models/user.py"]),
        ("Create the user model in src/models/user.py", ["create? src/models/user.py"]),
        ("Update src/models/user.py", ["modify src/models/user.py"]),
        ("Update the user model in src/models/user.py", ["modify src/models/user.py"]),
        ("Update the user model in `src/models/user.py`", ["modify src/models/user.py"]),
        ("Update the model in src/models/user.py if needed", ["modify? src/models/user.py #conditional"]),
        ("Update client/server parts", []),
        ("Add a field to src/models/user.py", ["modify? src/models/user.py"]),
    ],
)
def test_a_path_is_taken_as_the_verb_says_quoted_or_not(text: str, expected: list[str]) -> None:
    assert line(text) == expected


def test_a_line_may_stand_for_several_tasks() -> None:
    plan = feature("- [ ] T021-T023 [P] Heat in src/kiln/heat.py\n- [ ] T024 Ring (depends on T022)\n")
    assert [task.id for task in plan.tasks] == ["T021", "T022", "T023", "T024"]
    assert plan.tasks[0].label == "T021–T023"
    assert [len(task.files) for task in plan.tasks] == [1, 0, 0, 0]
    assert plan.tasks[3].depends_on == ("T022",)


def test_what_waits_for_what() -> None:
    plan = feature(
        """
        - [ ] T001 A
        - [ ] T002 B
        - [ ] T003 C (depends on T001, T002)
        - [ ] T004 D
        - [ ] T005 E

        ## Dependencies & Execution Order

        - T004 depends on T002 and T003 (one file)
        - US1: T001 -> T002 → T005 (wiring)
        - Phase 1 → Phase 2 → T001
        - T001 (docs) runs beside T005
        """
    )
    assert {task.id: task.depends_on for task in plan.tasks} == {
        "T001": (),
        "T002": ("T001",),
        "T003": ("T001", "T002"),
        "T004": ("T002", "T003"),
        "T005": ("T002",),
    }


def test_a_base_directory_that_is_declared_once() -> None:
    plan = feature(
        """
        # Tasks

        Swift paths are relative to `native/app/`.

        - [ ] T001 Create Views/Kiln.swift
        - [ ] T002 Create native/app/Views/Door.swift
        - [ ] T003 Create server/kiln.go
        """
    )
    paths = [ref.path for task in plan.tasks for ref in task.files]
    assert paths == ["native/app/Views/Kiln.swift", "native/app/Views/Door.swift", "server/kiln.go"]


def test_documents_beside_the_list_state_nothing() -> None:
    tree = "## Project Structure\n\n```text\nsrc/\n├── kiln.py\n└── door.py   # NEW\n```\n\nModify `src/bell.py`.\n"
    plan = parse([Document(FOLDER + "tasks.md", "- [ ] T001 Build\n"), Document(FOLDER + "plan.md", tree)])
    assert plan.files
    assert {ref.certainty for ref in plan.files} == {Certainty.MENTIONED}


def test_lists_in_other_languages_and_line_ends() -> None:
    plan = feature(
        "\ufeff# 任务\r\n\r\n## 阶段 1\r\n\r\n- [ ] T001 [P] 创建 src/kiln/heat.py\r\n\t- 细节\r\n- [X] T002 完成\r\n"
    )
    assert [(task.id, task.span.first, task.span.last) for task in plan.tasks] == [("T001", 5, 6), ("T002", 7, 7)]


_PIECES = st.sampled_from(
    [
        *(
            "- [ ] T001 ",
            "- [x] T002a [P] [US1] ",
            "- [ ] T003-T009 ",
            "T001 -> T002 → T003",
            "T004 depends on T001, T002",
        ),
        *(
            "### User Story 1 - x",
            "- **FR-001**: ",
            "1. **Given**",
            "**Acceptance Scenarios**:",
            "## Dependencies",
            "Update ",
        ),
        *(
            "src/a/b.py",
            "paths relative to `a/b/`",
            "\n",
            "\n\n",
            "\r\n",
            "\t",
            "\ufeff",
            "> ",
            "```\n",
            "`",
            "|",
            "T" + "9" * 30,
        ),
    ]
)
_TEXT = st.lists(st.one_of(_PIECES, st.text(max_size=6)), max_size=40).map("".join)


@settings(deadline=None, max_examples=150)
@given(_TEXT, _TEXT)
def test_any_text_is_read_and_spans_stay_inside(tasks: str, spec: str) -> None:
    plan = parse([Document(FOLDER + "tasks.md", tasks), Document(FOLDER + "spec.md", spec)], Format.SPECKIT)
    lines = {each.path: each.text.count("\n") + 1 for each in plan.documents}
    spans = [each.span for each in plan.requirements] + [each.span for each in plan.tasks]
    spans += [scenario.span for each in plan.requirements for scenario in each.scenarios]
    for span in spans:
        assert 1 <= span.first <= span.last <= lines[span.path]


@pytest.mark.parametrize(
    "text",
    [
        "- [ ] T001 " + "[P] " * 20_000,
        "- [ ] T001 x\n\n## Dependencies\n\n" + "T001 -> " * 20_000,
        "- [ ] T001 x\n\n## Dependencies\n\n" + "T001, " * 20_000 + "depends on T002",
        "- [ ] T001-T200 x\n" * 300,
        "- **FR-001**: x\n" * 10_000,
        "### User Story 1 - x\n" * 5_000,
        "paths relative to " * 10_000,
    ],
    ids=range(7),
)
def test_hostile_documents_are_read_to_their_end(text: str) -> None:
    parse([Document(FOLDER + "tasks.md", text), Document(FOLDER + "spec.md", text)])
