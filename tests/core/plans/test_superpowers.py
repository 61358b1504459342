from __future__ import annotations

import pytest

from bot.core.plans.model import Action, Expect, Hedge, SymbolClaim, TaskStatus
from tests.core.plans.reading import files, plan, prose, refs, said


def test_a_whole_small_plan() -> None:
    found = plan(
        """
        # Widget Implementation Plan

        > **For agentic workers:** REQUIRED SUB-SKILL: use it.

        **Goal:** Widgets that turn.

        ## Global Constraints
        Keep `pyproject.toml` as it is.

        ### Task 1: Parser

        **Files:**
        - Create: `src/parser.py`
        - Modify: `src/main.py:10-20`
        - Test: `tests/test_parser.py`

        **Interfaces:**
        - Consumes: nothing
        - Produces: `parse(text)`

        - [ ] **Step 1: Write the failing test**

        ```python
        open("not/a/reference.py")
        ```

        - [ ] **Step 2: Run test to verify it fails**

        Run: `pytest tests/test_parser.py -v`
        Expected: FAIL with "No module named parser"

        - [x] **Step 3: Commit**

        ### Task 2: Use it

        **Files:**
        - Modify: `src/parser.py`

        **Interfaces:**
        - Consumes: `parse(text)`
        """
    )
    assert found.title == "Widget Implementation Plan"
    assert found.goal == "Widgets that turn."
    first, second = found.tasks
    assert (first.id, first.label, first.title, first.span.first) == ("1", "Task 1", "Parser", 10)
    assert (first.boxes, first.status) == ((1, 3), TaskStatus.IN_PROGRESS)
    assert said(found) == ["create src/parser.py", "modify src/main.py", "test tests/test_parser.py"]
    assert refs(found)[1].span.first == 14
    assert refs(found)[1].says_exists
    assert not refs(found)[2].says_exists
    assert [(c.text, c.expects, c.span.first) for c in first.commands] == [
        ("pytest tests/test_parser.py -v", Expect.FAIL, 29)
    ]
    assert first.produces == ("parse(text)",)
    assert second.consumes == ("parse(text)",)
    assert said(found, None) == ["read? pyproject.toml"]


@pytest.mark.parametrize(
    ("heading", "identifier", "title"),
    [
        ("## Task 3: Two hashes", "3", "Two hashes"),
        ("### Task 0: Zero", "0", "Zero"),
        ("### Task 10a: Letter", "10a", "Letter"),
        ("### Task 2.1: Dotted", "2.1", "Dotted"),
        ("### Task 4 - Dash", "4", "Dash"),
        ("#### Task 5", "5", ""),
        ("## Task 6：全角", "6", "全角"),
    ],
)
def test_task_headings_of_every_shape(heading: str, identifier: str, title: str) -> None:
    (task,) = plan(f"# P\n\n{heading}\n\n**Files:**\n- Create: `src/a.py`\n").tasks
    assert (task.id, task.title) == (identifier, title)


def test_a_finished_task_is_marked_in_its_heading_or_by_its_boxes() -> None:
    found = plan("### Task 1: a [DONE]\n\ntext\n\n### Task 2: b\n\n- [x] x\n- [X] y\n\n### Task 3: c\n\n- [ ] x\n")
    assert [(t.title, t.status) for t in found.tasks] == [
        ("a", TaskStatus.DONE),
        ("b", TaskStatus.DONE),
        ("c", TaskStatus.TODO),
    ]


def test_a_plan_about_plans_has_only_its_own_tasks() -> None:
    found = plan(
        """
        ### Task 1: Document

        ````markdown
        ### Task 7: Example
        **Files:**
        - Create: `x/y.py`
        ```bash
        ls
        ```
        ### Task 8: Example
        ````

        ### Task 2: Real
        """
    )
    assert [t.id for t in found.tasks] == ["1", "2"]
    assert said(found) == []
    assert found.tasks[0].commands == ()


def test_chunks_and_phases_above_tasks_end_the_task_before() -> None:
    found = plan("## Chunk 1: a\n\n### Task 1: x\n\n## Chunk 2: b\n\nSee `src/other.py`.\n\n### Task 2: y\n")
    assert [(t.id, t.span.first, t.span.last) for t in found.tasks] == [("1", 3, 3), ("2", 9, 9)]
    assert said(found, None) == ["read? src/other.py"]


@pytest.mark.parametrize(
    ("bullet", "expected"),
    [
        ("- Create: `src/a.py`", ["create src/a.py"]),
        ("- **Create:** `src/a.py`", ["create src/a.py"]),
        ("- New: src/a.py", ["create src/a.py"]),
        ("- Create (temp only, not committed): `src/a.py`", ["create src/a.py"]),
        ("- Update: `src/a.py`", ["modify src/a.py"]),
        ("- Rewrite: `src/a.py`", ["modify src/a.py"]),
        ("- Annotate (do not rewrite): `src/a.py`", ["modify src/a.py"]),
        ("- Possibly modify: `src/a.py`", ["modify src/a.py #conditional"]),
        ("- Modify: `src/a.py` if needed", ["modify src/a.py #conditional"]),
        ("- Modify: `src/a.ts` (or `src/b.ts`)", ["modify src/a.ts #alternative", "modify src/b.ts #alternative"]),
        ("- Delete: `src/a.py`", ["delete src/a.py"]),
        ("- Remove: `src/a.py`", ["delete src/a.py"]),
        ("- Read: `src/a.py`", ["read src/a.py"]),
        ("- Reference: `src/a.py`", ["read src/a.py"]),
        ("- Inspect: `src/a.py`", ["read src/a.py"]),
        ("- Check: `src/a.py`", ["read src/a.py"]),
        ("- Keep: `src/a.py`", ["read src/a.py"]),
        ("- Verification target: `src/a.py`", ["read src/a.py"]),
        ("- Test: `tests/test_a.py`", ["test tests/test_a.py"]),
        ("- Rename: `src/a.py` → `src/b.py`", ["move src/a.py -> src/b.py"]),
        ("- Move: `src/a.py` to `src/b.py`", ["move src/a.py -> src/b.py"]),
        ("- Modify: `src/a.py`, `src/b.py` and `src/c.py`", ["modify src/a.py", "modify src/b.py", "modify src/c.py"]),
        ("- Modify: `src/a.py` (remove the old flag)", ["modify src/a.py"]),
        ("- Modify: `src/a.py` (new helper functions)", ["modify src/a.py"]),
        ("- `src/a.py` (create)", ["create src/a.py"]),
        ("- src/a.py (modify)", ["modify src/a.py"]),
        ("- `src/a.py` — **new**", ["create src/a.py"]),
        ("- `src/a.py`", ["modify? src/a.py"]),
        ("- Create: `src/a.py` (does not exist yet)", ["create src/a.py"]),
        ("- Modify: `plans/*.md`", ["modify plans/*.md"]),
        ("- 修改: `src/a.py`", ["modify src/a.py"]),
    ],
)
def test_the_verbs_of_files_bullets(bullet: str, expected: list[str]) -> None:
    assert files(bullet) == expected


def test_a_files_block_may_say_none() -> None:
    found = plan("### Task 1: x\n\n**Files:** none (verification only)\n\n- [ ] **Step 1: Check**\n")
    assert said(found) == []


def test_files_on_the_line_of_the_label() -> None:
    assert said(plan("### Task 1: x\n\n**Files:** `src/a.py`, `src/b.py`\n")) == [
        "modify? src/a.py",
        "modify? src/b.py",
    ]


def test_labels_without_bullets_on_lines_of_one_paragraph() -> None:
    found = plan("### Task 1: x\n\n**Files:**\nCreate: `src/a.py`\nModify: `src/b.py`\n")
    assert said(found) == ["create src/a.py", "modify src/b.py"]


def test_a_verb_above_nested_bullets_governs_them() -> None:
    assert files("- Delete:\n  - `src/a.py`\n  - `src/b.py`\n- Create: `src/c.py`") == [
        "delete src/a.py",
        "delete src/b.py",
        "create src/c.py",
    ]


def test_bare_names_after_a_full_path_know_where_they_may_be() -> None:
    found = plan("### Task 1: x\n\n**Files:**\n- Delete: `agents/claude.py`, `qwen.py`\n")
    assert [(r.path, r.beside) for r in refs(found)] == [("agents/claude.py", None), ("qwen.py", "agents")]


def test_a_second_range_belongs_to_the_file_named_before() -> None:
    found = plan("### Task 1: x\n\n**Files:**\n- Modify: `src/a.py:51-54` (why), `:91-111` (why)\n")
    assert [(r.path, [(n.first, n.last) for n in r.lines]) for r in refs(found)] == [
        ("src/a.py", [(51, 54)]),
        ("src/a.py", [(91, 111)]),
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("`src/a.py` (lines 97-136, approximately)", [(97, 136, True)]),
        ("`src/a.py` (lines 97-136)", [(97, 136, False)]),
        ("`src/a.py` around line 40", [(40, 40, True)]),
        ("`src/a.py` (~L1215)", [(1215, 1215, True)]),
        ("`src/a.py` line 12", [(12, 12, False)]),
        ("`src/a.py` lines 12 and 20", [(12, 12, False), (20, 20, False)]),
        ("lines 3-9 of `src/a.py`", [(3, 9, False)]),
    ],
)
def test_line_numbers_in_words(text: str, lines: list[tuple[int, int, bool]]) -> None:
    (ref,) = refs(plan(f"### Task 1: x\n\nLook at {text}.\n"))
    assert [(n.first, n.last, n.approximate) for n in ref.lines] == lines


def test_a_cited_line_is_a_claim_and_a_named_function_there_a_symbol() -> None:
    found = plan("### Task 1: x\n\n**Files:**\n- Modify: `src/a.py:10-20` (function `build`)\n")
    (claim,) = found.claims
    assert (claim.path, claim.lines[0].last, claim.quote) == ("src/a.py", 20, None)
    (symbol,) = found.tasks[0].symbols
    assert (symbol.name, symbol.path, symbol.claim) == ("build", "src/a.py", SymbolClaim.EXISTS)


def test_code_shown_as_current_is_a_claim_with_its_quote() -> None:
    found = plan(
        """
        ### Task 1: x

        In `src/a.py`, replace:

        ```python
        x = 1
        ```

        with:

        ```python
        x = 2
        ```
        """
    )
    assert [(c.path, c.quote) for c in found.claims] == [("src/a.py", "x = 1\n")]


@pytest.mark.parametrize(
    ("text", "hedge"),
    [
        ("There is no `src/a.py` here.", Hedge.NEGATED),
        ("Do not touch `src/a.py`.", Hedge.NEGATED),
        ("`src/a.py` does not exist.", Hedge.NEGATED),
        ("`src/a.py` was removed last year.", Hedge.NEGATED),
        ("Look at `src/a.py` if it exists.", Hedge.CONDITIONAL),
        ("It may live in `src/a.py`.", Hedge.CONDITIONAL),
        ("See `src/a.py` or wherever it lives.", Hedge.ALTERNATIVE),
        ("Either `src/a.py` or `src/b.py`.", Hedge.ALTERNATIVE),
        ("Some module, e.g. `src/a.py`, does.", Hedge.EXAMPLE),
        ("See `src/a.py` in the upstream repository.", Hedge.ELSEWHERE),
        ("See `src/a.py` for the parser.", None),
        ("That is wrong. See `src/a.py` for the parser.", None),
    ],
)
def test_what_a_sentence_takes_back(text: str, hedge: Hedge | None) -> None:
    assert refs(plan(f"### Task 1: x\n\n{text}\n"))[0].hedge is hedge


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- [ ] Create `src/a.py` with the parser", ["create src/a.py"]),
        ("- [ ] Delete `src/a.py`", ["delete src/a.py"]),
        ("- [ ] Create the parser in `src/a.py`", ["create? src/a.py"]),
        ("- [ ] Extract the parser into `src/a.py`", ["create? src/a.py"]),
        ("- [ ] Add the flag to `src/a.py`", ["modify? src/a.py"]),
        ("- [ ] Add a `CHANGELOG.md` entry", ["modify? CHANGELOG.md"]),
        ("The parser reads `src/a.py`.", ["read? src/a.py"]),
        ("Run `git mv src/a.py src/b.py` first.", []),
    ],
)
def test_verbs_of_running_text(text: str, expected: list[str]) -> None:
    assert prose(text) == expected


def test_lists_of_assertions_are_no_file_lists() -> None:
    found = plan("### Task 1: x\n\n- Add tests that assert:\n  - Preview includes `hooks/start.sh`.\n")
    assert said(found) == ["read? hooks/start.sh"]


def test_dependencies_named_in_labels_and_ranges() -> None:
    found = plan("### Task 4: x\n\n**Depends on:** Task 1, Tasks 2-3\n\n### Task 5: y\n\n**Dependencies:** none\n")
    assert [t.depends_on for t in found.tasks] == [("1", "2", "3"), ()]


def test_another_repository_named_for_one_task_hedges_its_paths() -> None:
    found = plan(
        """
        ### Task 1: a

        **Files:**
        - Modify: `src/a.py`

        ### Task 2: b

        **Repo:** other-plugin

        **Files:**
        - Modify: `src/b.py`
        """
    )
    assert said(found, 0) == ["modify src/a.py"]
    assert said(found, 1) == ["modify src/b.py #elsewhere"]


def test_file_structure_sections_and_tables_belong_to_the_plan() -> None:
    found = plan(
        """
        ## File Structure

        | File | Action | Why |
        |---|---|---|
        | `src/a.py` | Create | parser |
        | `src/b.py` | Modify (lines 3-4) | wiring |
        | `src/c.py` | Create contract objects | unclear |

        ### Existing Tests (Must Pass)

        | Test | Why |
        |---|---|
        | `tests/test_old.py` | stays |

        ### Task 1: x
        """
    )
    assert said(found, None)[:2] == ["create src/a.py", "modify src/b.py"]
    assert found.files[2].certainty == "mentioned"
    last = found.files[-1]
    assert (last.action, last.says_exists) == (Action.TEST, True)


def test_a_tree_drawing_states_nothing() -> None:
    found = plan("## Layout\n\n```\nsrc/\n├── a.py  # new\n└── deep/\n    └── b.py\n```\n\n### Task 1: x\n")
    assert said(found, None) == ["create? src/a.py", "read? src/deep/ #example", "read? src/deep/b.py #example"]


def test_prose_leaves_code_and_quotes_out() -> None:
    found = plan("### Task 1: x\n\nDo it `TBD` later TODO.\n\n> TBD quoted\n\n```\nTBD\n```\n")
    assert [p.text for p in found.tasks[0].prose] == ["Task 1: x", "Do it  later TODO."]
    assert found.tasks[0].prose[1].span.first == 3


def test_a_verb_without_a_colon_below_files_says_what_is_done() -> None:
    assert files(
        """
        - Modify `src/a.py`
        - **Create** `src/b.py`
        - Delete `src/c.py`
        - `src/d.py`
        """
    ) == ["modify src/a.py", "create src/b.py", "delete src/c.py", "modify? src/d.py"]
