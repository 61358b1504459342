"""Reports as text and Markdown."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from bot.terminal.render.safe import code, prose, visible
from bot.terminal.render.verify import headline, next_step, to_markdown, to_terminal
from schemas.verify_report import (
    CheckRecord,
    Evidence,
    Finding,
    FindingType,
    PlanInfo,
    Severity,
    Status,
    TreeInfo,
    Verdict,
    VerifyReport,
)


def finding(identity: str = "f-aaaaaa", **fields: object) -> Finding:
    values: dict[str, object] = {
        "id": identity,
        "type": FindingType.MISSING_PATH,
        "severity": Severity.BLOCKER,
        "gating": True,
        "task": "Task 3",
        "plan_path": "plans/p.md",
        "plan_line": 47,
        "plan_end_line": 47,
        "subject": "src/a.py",
        "message": "no such file, no earlier task creates it",
        "evidence": (Evidence(path="src/b.py", line=4, quote="class A:"), Evidence(path="src/a.py", absent=True)),
        "suggestion": "lib/a.py",
    }
    return Finding.model_validate(values | fields)


def report(verdict: Verdict, *findings: Finding, **fields: object) -> VerifyReport:
    values = {
        "plan": PlanInfo(path="plans/p.md", format="superpowers", tasks=2),
        "tree": TreeInfo(rev="80315cd" + "0" * 33),
        "verdict": verdict,
        "findings": findings,
        "seconds": 0.084,
    }
    return VerifyReport.model_validate(values | fields)


def text(of: VerifyReport, width: int = 200) -> str:
    out = io.StringIO()
    to_terminal(of, Console(file=out, width=width))
    return out.getvalue()


NOTE = finding("f-bbbbbb", severity=Severity.ADVICE, gating=False, plan_line=50, suggestion=None, evidence=())
FLAWED = report(
    Verdict.NEEDS_FIX,
    finding(),
    NOTE,
    checks=(
        CheckRecord(name="tree", reason="judged on the parent of abc"),
        CheckRecord(name="missing_path"),
        CheckRecord(name="scope_gap", ran=False, reason="no requirements"),
    ),
)


def test_the_text_of_findings_is_aligned_and_every_place_is_a_path_with_a_line() -> None:
    assert text(FLAWED) == (
        "plans/p.md  1 finding to settle before work starts\n"
        "  2 tasks, superpowers, judged on 80315cd, 0.08 s\n"
        "  judged on the parent of abc\n"
        "\n"
        "  plans/p.md:47  blocker  missing_path  Task 3  f-aaaaaa\n"
        "      `src/a.py`: no such file, no earlier task creates it\n"
        "      src/b.py:4  class A:\n"
        "      nothing at src/a.py\n"
        "      suggestion: lib/a.py\n"
        "\n"
        "  plans/p.md:50  advice  missing_path  Task 3  f-bbbbbb\n"
        "      `src/a.py`: no such file, no earlier task creates it\n"
        "\n"
        "  not checked: scope_gap (no requirements)\n"
    )


def test_the_markdown_of_findings_is_a_table_with_the_rest_below() -> None:
    assert to_markdown(FLAWED) == (
        "**Planproof: 1 finding to settle before work starts**\n"
        "\n"
        "`plans/p.md`, 2 tasks, superpowers, judged on 80315cd, 0.08 s\n"
        "\n"
        "| | plan | disagrees with | evidence |\n"
        "|---|---|---|---|\n"
        "| 🔴 | Task 3, `plans/p.md:47` `f-aaaaaa` | `src/a.py`: no such file, no earlier task creates it "
        "| `src/b.py:4` `class A:`; nothing at `src/a.py`; suggestion: `lib/a.py` |\n"
        "\n"
        "Notes that do not gate:\n"
        "\n"
        "- ⚪ Task 3, `plans/p.md:50`: `src/a.py`: no such file, no earlier task creates it `f-bbbbbb`\n"
        "\n"
        "Checked: missing_path.\n"
        "Not checked: scope_gap (no requirements).\n"
        "Tree: judged on the parent of abc.\n"
    )


@pytest.mark.parametrize(
    ("of", "says", "then"),
    [
        (report(Verdict.CLEAN), "nothing in this plan disagrees with the tree", "Next: the work can start."),
        (
            report(Verdict.CLEAN, NOTE),
            "nothing in this plan disagrees with the tree; 1 note that does not gate",
            "Next: the work can start.",
        ),
        (
            report(Verdict.NOT_VERIFIED, reason="it is too large"),
            "could not judge this plan: it is too large",
            "Next: settle the reason given for plans/p.md, then run this again; nothing is green yet.",
        ),
        (
            report(Verdict.RETROACTIVE, reason="9 of 10 files exist"),
            "not judged: 9 of 10 files exist",
            "Next: nothing to do; the work is there already.",
        ),
        (
            report(Verdict.NOT_A_PLAN),
            "not a plan: no tasks to judge",
            "Next: name a file with tasks, or a folder of plans.",
        ),
        (
            FLAWED,
            "1 finding to settle before work starts",
            (
                "Next: edit the plan at plans/p.md:47 and run this again; "
                "--ignore f-aaaaaa passes over a finding that is wrong."
            ),
        ),
    ],
)
def test_each_outcome_has_its_line_and_its_next_step(of: VerifyReport, says: str, then: str) -> None:
    assert (headline(of), next_step([of])) == (says, then)
    assert says in text(of)
    assert says in to_markdown(of)


def test_the_next_step_of_several_plans_is_that_of_the_worst() -> None:
    broken = report(Verdict.NOT_VERIFIED, plan=PlanInfo(path="plans/q.md", format="unknown"))
    assert "plans/q.md" in next_step([report(Verdict.CLEAN), FLAWED, broken])
    assert "f-aaaaaa" in next_step([report(Verdict.CLEAN), FLAWED])


def test_a_finding_settled_by_a_person_says_so() -> None:
    dismissed = report(Verdict.CLEAN, finding(status=Status.DISMISSED))
    assert "f-aaaaaa (dismissed)" in text(dismissed)
    assert "(dismissed) `f-aaaaaa`" in to_markdown(dismissed)


def test_a_suggestion_that_the_evidence_names_is_not_said_twice() -> None:
    once = report(Verdict.NEEDS_FIX, finding(suggestion="src/b.py"))
    assert "suggestion" not in text(once) + to_markdown(once)


def test_text_of_others_cannot_leave_its_place() -> None:
    hostile = finding(
        subject="a|b`c",
        message="x | <img> [l](u) **b** \x1b[31m\n# heading \u202eabc @someone",
        evidence=(Evidence(path="p|q.py", line=1, quote="``` | \x07"),),
        task="T|1",
        suggestion=None,
    )
    row = next(line for line in to_markdown(report(Verdict.NEEDS_FIX, hostile)).splitlines() if line.startswith("| 🔴"))
    assert row.replace("\\|", "").count("|") == 5
    assert "\\<img\\>" in row
    shown = text(report(Verdict.NEEDS_FIX, hostile))
    assert not {"\x1b", "\x07", "\u202e"} & set(shown + row)
    assert "\\x1b[31m" in shown


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a\tb\n c", "a b c"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("日本語 é", "日本語 é"),
        ("x" * 20, "x" * 9 + "…"),
    ],
)
def test_what_a_terminal_hides_or_obeys_is_shown(raw: str, shown: str) -> None:
    assert visible(raw, 10 if len(raw) == 20 else 500) == shown


def test_code_spans_hold_backticks_and_prose_keeps_its_spans() -> None:
    assert code("a`b") == "`` a`b ``"
    assert code("a|b") == "`a\\|b`"
    assert prose("see `a_b*c` and *d* in x_y _z_") == "see `a_b*c` and \\*d\\* in x_y \\_z\\_"
    assert prose("open ` span") == "open \\` span"


def test_a_narrow_terminal_wraps_messages_but_never_a_place() -> None:
    out = io.StringIO()
    to_terminal(FLAWED, Console(file=out, width=30, force_terminal=True, color_system=None))
    lines = out.getvalue().splitlines()
    assert "  plans/p.md:47  blocker  missing_path  Task 3  f-aaaaaa" in lines
    assert "      `src/a.py`: no such     " in lines
