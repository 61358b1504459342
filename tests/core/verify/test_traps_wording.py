"""Sentences that name a path and do not say that it is there."""

from __future__ import annotations

import pytest

from schemas.verify_report import FindingType, Severity
from tests.core.verify.conftest import Bench, files, plan
from tests.git_repo import Content

TREE: dict[str, Content] = {"src/gears/wheel.py": "x = 1\n", "src/gears/cog.py": "y = 1\n"}
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
