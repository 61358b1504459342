"""What a plan says of where a name is."""

from __future__ import annotations

import pytest

from bot.core.plans.model import SymbolRef
from bot.core.plans.statements import old_code
from tests.core.plans.reading import plan


def symbols(text: str) -> list[SymbolRef]:
    found = plan(f"### Task 1: x\n\n{text}\n")
    return [*found.symbols, *found.tasks[0].symbols]


def bullet(text: str) -> list[str]:
    """Each statement of a Files bullet as `name@path:lines`, with `!` where the path is said to define it."""
    return [
        f"{each.name}@{each.path}"
        + (":" + ",".join(f"{lines.first}-{lines.last}" for lines in each.lines) if each.lines else "")
        + ("!" if each.defines else "")
        for each in symbols(f"**Files:**\n- {text}")
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Modify: `src/a.py:12-30` (`turn_wheel`)", ["turn_wheel@src/a.py:12-30"]),
        ("Modify: `src/a.py:12-30` (function `turn_wheel`)", ["turn_wheel@src/a.py:12-30!"]),
        ("Modify: `src/a.py:12-30` (the `turn_wheel` function)", ["turn_wheel@src/a.py:12-30!"]),
        ("Modify: `src/a.py:12-30` (`turn`, declared at `:9`)", ["turn@src/a.py:12-30!", "turn@src/a.py:9-9!"]),
        ("Modify: `src/a.py:12-30` — `turn_wheel()`", ["turn_wheel@src/a.py:12-30"]),
        ("Modify: `src/a.py:12-30` — extend `turn_wheel` with a brake", ["turn_wheel@src/a.py:12-30"]),
        ("Modify: `src/a.py` — function `turn_wheel`", ["turn_wheel@src/a.py!"]),
        ("Modify: `src/a.py` (delete `turn_wheel` and its caller)", ["turn_wheel@src/a.py"]),
        ("Modify: `src/a.py:1-3,9-12` (`turn`, `stop`)", ["turn@src/a.py:1-3,9-12", "stop@src/a.py:1-3,9-12"]),
        ("Modify: `src/a.py` lines 12-30 (`turn_wheel`)", ["turn_wheel@src/a.py:12-30"]),
    ],
)  # fmt: skip
def test_a_files_bullet_says_what_is_in_the_file(text: str, said: list[str]) -> None:
    assert bullet(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "Create: `src/a.py` (`turn_wheel`)",
        "Modify: `src/a.py` (add `turn_wheel`)",
        "Modify: `src/a.py:12-30` (`turn_wheel`, new helper)",
        "Modify: `src/a.py:12-30` — add `turn_wheel`",
        "Modify: `src/a.py` — call `turn_wheel` first",
        "Modify (if needed): `src/a.py:12-30` (`turn_wheel`)",
        "Modify: `src/a.py:12` (`true`)",
        "Modify: `src/a.py:12` (`b.py`)",
        "Modify: `src/a.py:12` (`x = 1`)",
    ],
)
def test_what_is_to_come_or_no_name_is_no_statement(text: str) -> None:
    assert bullet(text) == []


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("The loop is `turn_wheel` in `src/a.py:12`.", True),
        ("`turn_wheel` is defined in `src/a.py`.", True),
        ("`src/a.py` already defines `turn_wheel`.", True),
        ("Update `turn_wheel` in `src/a.py`.", True),
        ("`turn_wheel` (`src/a.py:12`) is slow.", True),
        ("There is no `turn_wheel` in `src/a.py`.", False),
        ("Add `turn_wheel` in `src/a.py:12`.", False),
        ("`src/a.py` will have `turn_wheel`.", False),
        ("Call `turn_wheel` in `src/a.py`.", False),
        ("If needed, update `turn_wheel` in `src/a.py`.", False),
        ("`turn_wheel` or `src/a.py`", False),
    ],
)
def test_a_sentence_may_say_where_a_name_is(sentence: str, said: bool) -> None:
    assert bool(symbols(sentence)) is said


def test_each_range_of_a_line_belongs_to_the_name_beside_it() -> None:
    text = "Modify: `src/a.py:12-30` (`turn_wheel`), `src/b.py:4-8` (`stop_wheel`)"
    assert bullet(text) == ["turn_wheel@src/a.py:12-30", "stop_wheel@src/b.py:4-8"]


def test_the_next_cell_of_a_table_says_what_is_changed_in_the_file() -> None:
    table = "| File | What |\n|---|---|\n| `src/a.py:12-30` | Update `turn_wheel` query |\n"
    (found,) = symbols(table)
    assert (found.name, found.path, found.lines[0].first) == ("turn_wheel", "src/a.py", 12)


def test_a_statement_outside_of_all_tasks_is_the_plans_own() -> None:
    found = plan("Read by `turn_wheel` in `src/a.py:12`.\n\n### Task 1: x\n\nDo it.\n")
    assert [each.name for each in found.symbols] == ["turn_wheel"]


def test_code_quoted_in_a_sentence_is_a_claim_on_its_line() -> None:
    found = plan("### Task 1: x\n\n`src/a.py:12` currently reads `speed = wheel.turn(1)` and is slow.\n")
    assert [claim.quote for claim in found.claims] == ["speed = wheel.turn(1)"]


@pytest.mark.parametrize(
    ("lead", "then", "quoted"),
    [
        ("Replace:", "With:", True),
        ("Find this block:", "Replace with:", True),
        ("In `src/a.py`, change the body to:", "After that, run it:", False),
        ("Current:", "New:", True),
    ],
)
def test_only_what_is_there_now_is_quoted(lead: str, then: str, quoted: bool) -> None:
    text = f"- Modify: `src/a.py`\n\n{lead}\n\n```python\na = 1\n```\n\n{then}\n\n```python\nb = 2\n```\n"
    assert [claim.quote for claim in plan(f"### Task 1: x\n\n{text}").claims if claim.quote] == (
        ["a = 1\n"] if quoted else []
    )


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("In `src/a.py`, find `turn_wheel` (around line 27).", ["turn_wheel"]),
        ("In `src/a.py`, update the `turn_wheel` function so that it stops.", ["turn_wheel"]),
        ("In `src/a.py`, add `stop` first.", []),
        ("The brake goes right after the existing `turn_wheel()` function in `src/a.py`.", ["turn_wheel"]),
        ("Add a brake to `src/a.py` (after the existing `turn_wheel` block at line 4).", ["turn_wheel"]),
        ("In `src/a.py`, add this helper after `turn_wheel()`:", ["turn_wheel"]),
        ("In `src/a.py`, call `stop` after `turn_wheel` runs.", []),
        ("Consumes: `turn_wheel` from `src/a.py`", ["turn_wheel"]),
        ("Remove `turn_wheel` and `stop_wheel` from `src/a.py`.", ["turn_wheel", "stop_wheel"]),
        ("Extract `turn_wheel` from `src/a.py`.", []),
        ("Replace `turn_wheel` in `src/a.py` with a table.", ["turn_wheel"]),
        ("Modify `turn_wheel` signature in `src/a.py` to take a speed.", ["turn_wheel"]),
        ("Update `func turn_wheel` (`src/a.py:12`).", ["turn_wheel"]),
        ("Extend `tests/test_a.py::test_wheel` by a case.", ["test_wheel"]),
    ],
)
def test_more_ways_to_say_where_a_name_is(sentence: str, said: list[str]) -> None:
    assert [each.name for each in symbols(sentence)] == said


def test_what_the_plan_has_changed_is_told_from_what_it_only_speaks_of() -> None:
    found = symbols("Update `turn_wheel` in `src/a.py`. The loop is `oil_wheel` in `src/a.py:12`.")
    assert {each.name: each.changed for each in found} == {"turn_wheel": True, "oil_wheel": False}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Change `total = speed * 2` to `total = speed`.", "total = speed * 2"),
        ("Find the line `total = speed * 2` and drop it.", "total = speed * 2"),
        ("Replace the test named `turns when it is pushed` with:", "turns when it is pushed"),
        ("Replace the loop with `total = speed * 2`.", None),
        ("Replace all of `total = speed * 2` there.", None),
        ("Replace `total = speed ...` there.", None),
        ("Find `a_name_of_code` there.", None),
        ("Do not replace `total = speed * 2`.", None),
    ],
)
def test_a_sentence_may_quote_the_code_of_today(text: str, code: str | None) -> None:
    assert old_code(text) == code
