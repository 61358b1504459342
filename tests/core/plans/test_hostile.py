"""Whatever the text, a plan is read: no exception, every span inside the document."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.plans import detect, parse
from bot.core.plans.model import Document, Format, Plan, Span
from bot.core.plans.references import MAX_REFERENCES

_PIECES = st.sampled_from(
    [
        *(
            "# ",
            "## ",
            "### Task 1: x",
            "- ",
            "  - ",
            "* ",
            "1. ",
            "> ",
            "- [ ] ",
            "- [x] ",
            "[ ]* ",
            "```",
            "````",
            "~~~",
        ),
        *(
            "```bash\n",
            "```task\n",
            "id: X\n",
            "status: done\n",
            "---\n",
            "<!--",
            "-->",
            "|",
            "|---|",
            "\n",
            "\n\n",
            "\t",
        ),
        *(
            "**Files:**",
            "Create: ",
            "Modify: ",
            "Delete:",
            "(new)",
            "(or ",
            "`",
            "src/a.py",
            "`src/a.py:12-34`",
            ":1-2",
        ),
        *("Run: ", "`pytest a.py`", "Expected: FAIL", "cd a && ", "\\\n", "<<EOF\n", "EOF", '"', "'", "→", "├── a.py"),
        *(
            "[a](b.md)",
            "<x>",
            "\x00",
            "\ufeff",
            "\r\n",
            "\r",
            "ä",
            "日本",
            "\u2028",
            "T001 [P] ",
            "Depends on: Task 1-3",
            "Requirement: A",
            "Scenario: B",
            "\u2022 WHEN ",
            "[sources: src/a.py:1, b.md]",
            "Verification: make a",
            "## Requirements",
            "- R1. x",
            "## Slices",
            "### slice-a-x",
            "## Steps",
            "---\ntodos:\n  - content: x\n    id: a\n---\n",
            "**Status:** done",
        ),
    ]
)
_TEXT = st.lists(st.one_of(_PIECES, st.text(max_size=8)), max_size=40).map("".join)


def _spans(plan: Plan) -> list[Span]:
    spans = [ref.span for ref in plan.files] + [command.span for command in plan.commands]
    spans += [item.span for item in (*plan.prose, *plan.comments)] + [claim.span for claim in plan.claims]
    for requirement in plan.requirements:
        spans += [requirement.span, *(scenario.span for scenario in requirement.scenarios)]
    for task in plan.tasks:
        spans.append(task.span)
        spans += [ref.span for ref in task.files] + [command.span for command in task.commands]
        spans += [item.span for item in task.prose] + [symbol.span for symbol in task.symbols]
    return spans


@settings(deadline=None, max_examples=150)
@given(_TEXT, st.sampled_from([None, *Format]))
def test_parsing_never_raises_and_points_into_the_document(text: str, form: Format | None) -> None:
    detect("docs/plans/x.md", text)
    plan = parse([Document("docs/plans/x.md", text)], form)
    count = plan.documents[0].text.count("\n") + 1
    for span in _spans(plan):
        assert 1 <= span.first <= span.last <= count


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=300), st.text(max_size=40))
def test_detection_never_raises(text: str, path: str) -> None:
    detect(path, text)


@pytest.mark.parametrize(
    "text",
    [
        "# h\n" * 10_000,
        "### Task 1: x\n" * 2_000,
        "* " * 3_000 + "```\n" + "\n" * 20_000,
        "> " * 3_000 + "a\n" + "b\n" * 5_000,
        "```\n" * 10_001,
        "```bash\n" + "echo 'a\n" * 10_000,
        "```bash\ncat <<EOF\n" * 5_000,
        "[" * 50_000,
        "`" * 50_000,
        "<!-- " * 20_000,
        "<div>\n" + "<!-- x --> " * 20_000,
        "**Files:** " + "`a/b.py`, " * 20_000,
        "src/a.py " * 20_000,
        "x " + ":1" * 20_000,
        "(" * 30_000 + "a/b.py",
        "|a" * 500 + "\n" + "|-" * 500 + "\n" + "|x\n" * 500,
        "---\na: " + "[" * 30_000 + "\n---\n",
        "---\na: " + "{b: " * 400 + "\n---\n",
        "a\n" * 100_000,
        "- [ ] T001 x\n" * 5_000,
        "\ud800 \udfff",
        "Requirement: " + "# " * 400 + "\n",
        ("Requirement: a" + " #*_" * 200 + "\n") * 500 + "Scenario: b\n",
        "Requirement: a\nScenario: b\n" * 5_000,
        "Requirement: a\nScenario: b\n" + "[sources: " * 20_000,
        "Requirement: a\nScenario: b\n[sources: " + "a/b.py:1, " * 20_000 + "]",
        "## Requirements\n" + "- R1. x\n" * 20_000,
        "---\ntodos:\n" + "  - content: x\n" * 4_000 + "---\n",
        "## Slices\n" + "### slice-a depends on slice b, c\n" * 2_000 + "## Alternatives Considered\n"
        "## Codebase Ground-Truth Citations\n" + "- `a/b.py:1`\n" * 5_000 + "## Pre-Mortem\n",
        "## Steps\n" + "1. x\n" * 10_000,
    ],
    ids=range(30),
)
def test_hostile_text_is_read_to_its_end(text: str) -> None:
    plan = parse([Document("docs/plans/x.md", text)])
    assert plan.documents[0].path == "docs/plans/x.md"


def test_paths_beyond_the_limit_are_reported_as_not_read() -> None:
    plan = parse([Document("docs/plans/x.md", "- Modify: `src/a.py`\n" * (MAX_REFERENCES + 10))])
    assert len(plan.files) + sum(len(t.files) for t in plan.tasks) == MAX_REFERENCES
    assert any("only the first" in item.reason for item in plan.skipped)


def test_a_path_before_a_wide_gap_is_read_with_its_lines() -> None:
    gap = " " * 100_000
    found = parse(
        [Document("docs/plans/a.md", f"# P\n\n- `src/a.py`{gap}x\n- `src/b.py`   lines   4-9\n")], Format.GENERIC
    )
    assert [(ref.path, [(each.first, each.last) for each in ref.lines]) for ref in found.files] == [
        ("src/a.py", []),
        ("src/b.py", [(4, 9)]),
    ]
