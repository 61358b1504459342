"""Whatever a plan says of names and code, it is read and judged without an error."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.plans import parse
from bot.core.plans.model import Document, Format
from bot.core.tree import Tree
from bot.core.verify.report import verify
from tests.core.verify.conftest import PLAN
from tests.git_repo import build_repo

NAMES = ("`turn`", "`Wheel.spin`", "function `stop_it`", "`a::b()`", "`x = 1`", "`", "turn", "`$`", "`Wheel` type")
PATHS = (
    "`src/a.py`",
    "`src/a.py:2-3`",
    "`src/b.go:900`",
    "`b.go`",
    "`src/c.bin:1`",
    ":4-9",
    "`none.ts:~3`",
    "src/a.py",
)
WORDS = (" in ", " (", ") ", " — ", " defines ", " reads ", "'s ", ", ", "Add ", "Update ", "no ", "- Modify: ", " | ")
LINES = (
    "In `src/a.py`, replace:",
    "With:",
    "```python",
    "```go",
    "```",
    "def turn():",
    "func Turn() {}",
    "...",
    "| a | b |",
)


@cache
def repository() -> Path:
    files: dict[str, str | bytes] = {
        "src/a.py": "def turn():\n    return 1\n",
        "src/b.go": "package b\n\nfunc Turn() {}\n",
        "src/c.bin": b"\0\1\2",
        "p/a.proto": "package a.b;\nservice Turn {}\n",
    }
    return build_repo(Path(mkdtemp()) / "r", files).path


SENTENCES = st.lists(st.sampled_from((*NAMES, *PATHS, *WORDS)), max_size=8).map("".join)


@settings(max_examples=120, deadline=None)
@given(st.lists(st.one_of(SENTENCES, st.sampled_from(LINES), st.text(max_size=20)), max_size=14))
def test_it_is_judged_and_each_finding_points_into_the_plan(lines: list[str]) -> None:
    text = "# Gears Implementation Plan\n\n### Task 1: Turn\n\n" + "\n".join(lines) + "\n"
    tree = Tree.open(repository(), "HEAD", overlay={PLAN: text.encode("utf-8", "replace")})
    report = verify(parse([Document(PLAN, text)], Format.SUPERPOWERS), tree)
    assert all(1 <= each.plan_line <= text.count("\n") + 1 for each in report.findings)
    assert all(each.evidence for each in report.findings)
