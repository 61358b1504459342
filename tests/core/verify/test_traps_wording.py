"""Sentences that name a path and do not say that it is there."""

from __future__ import annotations

import pytest

from bot.core.plans.model import Format
from schemas.verify_report import FindingType, Severity
from tests.core.verify.conftest import Bench, files, plan
from tests.git_repo import Content

TREE: dict[str, Content] = {"src/gears/wheel.py": "x = 1\n", "src/gears/cog.py": "y = 1\n"}
TESTED: dict[str, Content] = {**TREE, "tests/test_cog.py": "def test_cog():\n    pass\n"}
BODY = files("Modify: `src/gears/cog.py`")


@pytest.mark.parametrize(
    "text",
    [
        BODY + "\n- Modify: `src/gears/axle.py`\n",
        BODY + "\n- Delete: `src/gears/axle.py`\n",
        files("Modify: `src/gears/wheel.py`, `src/gears/axle.py`"),
        files("Modify: `src/gears/axle.py` (the one of the wheel)"),
    ],
)
def test_a_path_that_is_stated_plainly_is_missing(bench: Bench, text: str) -> None:
    found = bench.report(TREE, plan(text)).gating
    assert [(each.type, each.subject) for each in found] == [(FindingType.MISSING_PATH, "src/gears/axle.py")]


@pytest.mark.parametrize(
    "line",
    [
        "There is no `src/gears/axle.py`.",
        "`src/gears/axle.py` does not exist.",
        "Do not create `src/gears/wheel.py`; it stays as it is.",
        "- Do not modify `src/gears/axle.py`",
        "- Never edit `src/gears/axle.py` here",
        "Write to `src/gears/cog.py` instead of `src/gears/axle.py`.",
        "The old `src/gears/axle.py` was removed.",
    ],
)
def test_a_path_that_a_sentence_denies_is_not_missing(bench: Bench, line: str) -> None:
    assert bench.report(TREE, plan(BODY + f"\n{line}\n")).findings == ()


@pytest.mark.parametrize(
    "line",
    [
        "- DELETE `/src/gears/axle.py` answers 204",
        "- `DELETE /api/gears/axle.py`",
        "| Method | Route |\n|---|---|\n| DELETE | `/gears/axle` |\n| PATCH | `/gears/axle.json` |",
        "The client sends `PATCH /gears/axle.json`, and the server a DELETE for `src/gears/axle`.",
    ],
)
def test_a_verb_of_http_marks_no_file(bench: Bench, line: str) -> None:
    assert bench.report(TREE, plan(BODY + f"\n{line}\n")).gating == ()


@pytest.mark.parametrize(
    "line",
    [
        'The user types "modify `src/gears/axle.py`" and waits.',
        "For example, modify `src/gears/axle.py`.",
        "Files such as `src/gears/axle.py` are listed.",
        "```text\n- Modify: `src/gears/axle.py`\n```",
        "```markdown\n### Task 9: Axle\n\n**Files:**\n- Modify: `src/gears/axle.py`\n```",
        "> - Modify: `src/gears/axle.py`",
        "| Input | Example |\n|---|---|\n| a path | `src/gears/axle.py` |",
    ],
)
def test_an_example_is_no_statement(bench: Bench, line: str) -> None:
    assert bench.report(TREE, plan(BODY + f"\n{line}\n")).gating == ()


@pytest.mark.parametrize(
    "line",
    [
        "Modify: `src/gears/wheel.py`/`src/gears/axle.py`",
        "Modify: `src/gears/wheel.py / src/gears/axle.py`",
        "Modify: `src/gears/axle.py` (or `src/gears/wheel.py`)",
        "Modify: `wheel.py/axle.py`",
        "Run `parse()`/`render()` of the wheel",
    ],
)
def test_alternatives_joined_by_a_slash_are_two_names(bench: Bench, line: str) -> None:
    assert bench.report(TREE, plan(files(line))).gating == ()


@pytest.mark.parametrize(
    "bullet",
    [
        "Modify if needed: `src/gears/axle.py`",
        "Modify: `src/gears/axle.py` (if it exists)",
        "Modify: `src/gears/axle.py` or wherever the axle lives",
        "Modify: `src/gears/axle.py` (optional)",
        "Modify: `src/gears/axle.py`, or create it",
        "Probably modify: `src/gears/axle.py`",
    ],
)
def test_a_hedge_lowers_the_severity(bench: Bench, bullet: str) -> None:
    found = bench.report(TREE, plan(files(bullet))).findings
    assert {finding.severity for finding in found} <= {Severity.ADVICE}


@pytest.mark.parametrize(
    "path",
    [
        "src/gears/<name>.py",
        "src/gears/{part}.py",
        "src/gears/your-part.py",
        "src/gears/YYYY-MM-DD-part.py",
        "src/gears/XXX.py",
        "path/to/part.py",
        "src/gears/foo.py",
        "src/gears/[name].py",
        "src/.../part.py",
        "src/gears/part_N.py",
    ],
)
def test_a_placeholder_is_no_path(bench: Bench, path: str) -> None:
    assert bench.findings(TREE, plan(files(f"Modify: `{path}`")), FindingType.MISSING_PATH) == ()


@pytest.mark.parametrize(
    "title",
    [
        "Future work",
        "Possible future improvements",
        "Follow-ups",
        "Follow-up PRs",
        "Later",
        "Deferred",
        "7. Deferred items",
        "Next steps (separate PR)",
        "Nice to have",
        "Backlog",
        "Appendix",
        "Appendix B: notes",
        "Example",
        "Usage examples",
        "History",
        "Rollback",
        "Rollback plan",
        "Prerequisites",
        "Option B (rejected)",
        "Option A: one axle",
        "Optional",
        "Optional: polish",
    ],
)
def test_a_section_that_is_not_the_work_of_the_plan_states_no_change(bench: Bench, title: str) -> None:
    text = f"# Gears\n\n## Tasks\n\n- [ ] Modify `src/gears/cog.py`\n\n## {title}\n\n- Delete `src/gears/axle.py`\n"
    assert bench.report(TREE, text, format=Format.GENERIC).gating == ()


@pytest.mark.parametrize("label", ["**Follow-ups:**", "Rollback:", "**Nice to have:**"])
def test_a_label_sets_its_list_aside_as_a_heading_does(bench: Bench, label: str) -> None:
    assert bench.report(TREE, plan(BODY + f"\n{label}\n\n- Delete `src/gears/axle.py`\n")).gating == ()


@pytest.mark.parametrize(
    "text",
    [
        plan(BODY) + "\n## Appendix\n\n### Task 2: Axle\n\n" + files("Modify: `src/gears/axle.py`"),
        plan(BODY) + "\n### Task 2: Optional axle\n\n" + files("Modify: `src/gears/axle.py`"),
        plan(BODY) + "\n### Task 2: Rollback of a turn\n\n" + files("Modify: `src/gears/axle.py`"),
        "# Follow-ups\n\n### Task 1: Axle\n\n" + files("Modify: `src/gears/axle.py`"),
        plan(BODY) + "\n## Later\n\n- x\n\n## Rest\n\n- Delete `src/gears/axle.py`\n",
    ],
)
def test_a_task_is_one_whatever_the_section_is_called(bench: Bench, text: str) -> None:
    assert [each.subject for each in bench.report(TREE, text).gating] == ["src/gears/axle.py"]


def test_the_way_back_is_no_step_of_the_plan(bench: Bench) -> None:
    text = plan(BODY + "\n- Revert the commit; delete `src/gears/axle.py`\n")
    assert bench.report(TREE, text).gating == ()


@pytest.mark.parametrize("note", ["— new tests", "– add tests for the wheel", "– tests", "- unit tests for `turn`"])
def test_tests_listed_among_the_changes_may_be_new(bench: Bench, note: str) -> None:
    text = f"# Gears\n\n## Files to modify\n\n- `src/gears/cog.py`\n- `tests/test_axle.py` {note}\n"
    assert bench.report(TESTED, text, format=Format.GENERIC).gating == ()


def test_new_tests_may_be_a_new_file_although_the_label_says_modify(bench: Bench) -> None:
    assert bench.report(TESTED, plan(files("Modify: `tests/test_axle.py` — new tests"))).gating == ()


@pytest.mark.parametrize(
    "bullet", ["Modify: `tests/test_axle.py` — add tests for the wheel", "Modify: `src/gears/axle.py` — new tests"]
)
def test_a_file_that_is_to_be_changed_is_missing_whatever_is_added_to_it(bench: Bench, bullet: str) -> None:
    assert len(bench.report(TESTED, plan(files(bullet))).gating) == 1


@pytest.mark.parametrize(
    "line",
    [
        "- ~~Modify: `src/gears/axle.py`~~",
        "- Modify: ~~`src/gears/axle.py`~~",
        "- [ ] ~~Modify `src/gears/axle.py`~~",
        "- [ ] ~~**Step 2: Modify `src/gears/axle.py`**~~",
        "- [ ] ~~Run: `pytest src/gears/axle.py`~~",
    ],
)
def test_what_is_struck_out_is_withdrawn(bench: Bench, line: str) -> None:
    assert bench.report(TREE, plan(BODY + f"\n**Files:**\n{line}\n")).gating == ()


def test_a_struck_word_beside_a_path_withdraws_only_itself(bench: Bench) -> None:
    text = plan(files("Modify: ~~`src/gears/wheel.py`~~ `src/gears/axle.py`"))
    assert [each.subject for each in bench.report(TREE, text).gating] == ["src/gears/axle.py"]


@pytest.mark.parametrize(
    "item",
    [
        "[-] Modify `src/gears/axle.py`",
        "[~] Modify `src/gears/axle.py`",
        "[ ] ❌ Modify `src/gears/axle.py`",
        "[ ] Dropped: modify `src/gears/axle.py`",
        "[ ] Modify `src/gears/axle.py` (won't do)",
        "[ ] Modify `src/gears/axle.py` (superseded by task 2)",
        "[ ] Modify `src/gears/axle.py` — cancelled",
        "[ ]* Modify `src/gears/axle.py`",
        "[-] The axle\n  - Modify `src/gears/axle.py`",
    ],
)
def test_an_item_that_is_dropped_or_not_plainly_open_accuses_nothing(bench: Bench, item: str) -> None:
    text = f"# Gears\n\n## Tasks\n\n- [ ] Modify `src/gears/cog.py`\n- {item}\n"
    assert bench.report(TREE, text, format=Format.GENERIC).gating == ()


def test_the_item_after_a_dropped_one_is_judged(bench: Bench) -> None:
    text = "# Gears\n\n## Tasks\n\n- [-] Modify `src/gears/cog.py`\n- [ ] Modify `src/gears/axle.py`\n"
    assert len(bench.report(TREE, text, format=Format.GENERIC).gating) == 1


@pytest.mark.parametrize(
    "note",
    [
        "(overwrite the existing one)",
        "(replaces the current file)",
        "— overwrites what is there",
        "(overwritten)",
    ],
)
def test_a_file_that_is_overwritten_is_known_to_be_there(bench: Bench, note: str) -> None:
    assert bench.report(TREE, plan(files(f"Create: `src/gears/cog.py` {note}"))).gating == ()


def test_a_new_file_that_replaces_another_may_overlook_one(bench: Bench) -> None:
    text = plan(files("Create: `src/gears/cog.py` (replaces the wooden wheel)"))
    assert [each.type for each in bench.report(TREE, text).gating] == [FindingType.IGNORES_EXISTING_CODE]


@pytest.mark.parametrize(
    "note",
    [
        "(if steel is adopted)",
        "if we go with option B",
        "— if we keep the axle",
        "(once steel is approved)",
        "(only when the wheel slips)",
    ],
)
def test_a_condition_right_after_a_path_is_one_of_the_path(bench: Bench, note: str) -> None:
    text = f"# Gears\n\n## Files to modify\n\n- `src/gears/cog.py`\n- `src/gears/axle.py` {note}\n"
    assert bench.report(TREE, text, format=Format.GENERIC).gating == ()
