"""What a golden case may say, and what is said to somebody who wrote one wrongly."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.verify.evaluation.cases import MAX_BYTES, Case, Defect, Origin, parse
from schemas.verify_report import FindingType, Severity
from tests.core.verify.evaluation.conftest import CASE, PLAN, case, written

AT = 'at: "- Modify: `src/kiln/heating.py`"'
CODE = "    def heat(degrees):\n        return degrees"


def problems(raw: bytes) -> list[str]:
    parsed = parse("kiln.yaml", raw)
    assert (parsed.case is None) == bool(parsed.problems)
    return [str(each) for each in parsed.problems]


def line(text: str) -> int:
    """The line of the case file that begins with `text`."""
    return next(number for number, each in enumerate(CASE.splitlines(), 1) if each.strip().startswith(text))


def test_a_defect_is_where_its_text_stands_in_the_document(kiln: Case) -> None:
    assert kiln.defects == (Defect(FindingType.MISSING_PATH, Severity.BLOCKER, PLAN, 8, 8, True),)
    assert kiln.origin is Origin.DEFECT
    assert kiln.repaired is not None
    assert "- Modify: `src/kiln/heat.py`" in kiln.repaired[PLAN]


def test_a_defect_may_reach_over_several_lines_and_stand_in_another_document() -> None:
    wide = case("    mechanical: true\n", '    until: "Step 1: Ramp the heat"\n')
    assert (wide.defects[0].first, wide.defects[0].last) == (8, 10)
    spec = "  docs/spec.md: |\n    # Spec\n    Fire `src/kiln/oven.py` last.\ndefects:\n"
    other = parse(
        "x",
        written("defects:\n", spec).replace(
            b'"- Modify: `src/kiln/heating.py`"', b"oven.py\n    document: docs/spec.md"
        ),
    )
    assert other.case is not None
    assert (other.case.defects[0].path, other.case.defects[0].first) == ("docs/spec.md", 2)


def test_a_clean_case_says_that_it_has_no_defects() -> None:
    start = CASE.index("defects:")
    clean = CASE[:start].replace("origin: defect", "origin: trap")
    assert parse("x", (clean + "defects: []\n").encode()).problems == ()
    (said,) = problems(clean.encode())
    assert "`defects` is missing; write `defects: []` for a clean plan" in said


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        ("about:", "abuot:", "about", "the nearest is `about`. Allowed: about, origin, plan, tree"),
        (
            "    severity: blocker",
            "    severty: blocker",
            "severity",
            "the nearest is `severity`. Allowed: type, severity, at",
        ),
        ("    put:", "    puts:", "put", "Allowed: find, put, document"),
        (
            "type: missing_path",
            "type: missing",
            "- type",
            "`defects.0.type`: input should be 'missing_path', 'task_order'",
        ),
        ("origin: defect", "origin: idea", "origin", "'repair', 'trap' or 'defect'"),
        ("origin: defect", "origin: trap", "defects", "a trap is clean"),
        (
            f"  src/kiln/heat.py: |\n{CODE}",
            "  src/kiln/heat.py: 1",
            "src/kiln/heat.py",
            "must be text; put it in quotes",
        ),
        ("plan: docs", "plan: doc", "plan", "`documents` has no 'doc/plans/2026-01-05-kiln.md'"),
        ("src/kiln/heat.py: |", "../heat.py: |", "src/kiln/heat.py: |", "'../heat.py' is no path of a file"),
        ("src/kiln/heat.py: |", ".git/config: |", "src/kiln/heat.py: |", "'.git/config' is no path of a file"),
        ("src/kiln/heat.py: |", "docs/plans: |", "docs/plans/2026", "'docs/plans' cannot be a file and the folder of"),
        ("src/kiln/heat.py: |", f"{PLAN}: |", "src/kiln/heat.py: |", "the plan itself is in `tree`"),
        (AT, 'at: "slowly"', "at:", f"'slowly' stands on 2 lines of {PLAN} (5, 12); take text of one line"),
        (AT, 'at: "quickly"', "at:", "'quickly' stands on no line of"),
        (AT, 'at: "a\\nb"', "at:", "must be text of one line"),
        (
            "    mechanical: true",
            '    until: "Step 1: Ramp down"',
            "mechanical",
            "10 lines are too wide a place; a missing_path may have 5",
        ),
        (
            "    mechanical: true",
            '    until: "Goal"',
            "mechanical",
            f"`until` is line 3 of {PLAN}, before `at` in line 8",
        ),
        ("    mechanical: true", "    document: spec.md", "mechanical", "`documents` has no 'spec.md'"),
        (
            "    mechanical: true",
            "    mechanical: perhaps",
            "mechanical",
            "`defects.0.mechanical`: input should be a valid boolean",
        ),
        ("find: src/kiln/heating.py", "find: slowly", "- find", "'slowly' stands 2 times in"),
        ("find: src/kiln/heating.py", "find: quickly", "- find", "'quickly' does not stand in"),
        ("put: src/kiln/heat.py", "put: src/kiln/heating.py", "repair", "the repair changes nothing"),
        ("repair:\n", "verdict: clean\nrepair:\n", "repair", "only `retroactive` or `not_a_plan` need saying"),
        ("repair:\n", "verdict: retroactive\nrepair:\n", "repair", "so it has no defects to find"),
        ("origin: defect\n", "origin: defect\norigin: trap\n", "plan:", "the key `origin` is there twice"),
        ("origin: defect", "origin: [", "", "not valid YAML"),
    ],
)
def test_a_case_that_is_written_wrongly_names_its_line_and_what_is_right(
    old: str, new: str, at: str, says: str
) -> None:
    found = problems(written(old, new))
    place = f"kiln.yaml:{line(at)}: " if at else "kiln.yaml:"
    assert any(each.startswith(place) and says in each for each in found), found


def test_a_severity_that_the_type_never_has_is_refused() -> None:
    hidden = written("type: missing_path", "type: hidden_text")
    assert "a hidden_text is never blocker; it is one of advice" in problems(hidden)[0]


def test_a_defect_of_a_whole_task_may_be_wider() -> None:
    wide = written("type: missing_path", "type: task_order").replace(
        b"    mechanical: true", b'    until: "Step 1: Ramp down"'
    )
    assert problems(wide) == []


def test_a_repair_that_moves_a_document_cannot_be_written_as_an_edit_and_may_be_left_out() -> None:
    raw = written("origin: defect", "origin: repair")
    assert problems(raw) == problems(raw[: raw.index(b"repair:\n")]) == []


def test_every_mistake_is_said_at_once() -> None:
    raw = written("origin: defect", "origin: idea").replace(b"severity: blocker", b"severity: bad")
    assert [each.split(":")[1] for each in problems(raw)] == ["2", str(line("severity"))]


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "expected the keys of a case: about, origin, plan, tree, documents, defects"),
        (b"- 1\n", "expected the keys of a case"),
        (b"about: \xff\n", "not UTF-8"),
        (b"x" * (MAX_BYTES + 1), "larger than 1,048,576 bytes"),
        (b"[" * 200_000, "not valid YAML"),
        (b"about: !!python/object:os.system {}\n", "not valid YAML"),
        (b"about: 2026-13-45\n", "not valid YAML"),
        (b"&a [*a]\n", "expected the keys of a case"),
        (b"tree: &a {x: *a}\n", "is missing"),
    ],
)
def test_what_is_no_case_at_all_is_one_plain_sentence(raw: bytes, says: str) -> None:
    found = problems(raw)
    assert says in found[0] or any(says in each for each in found)
    assert all("\n" not in each for each in found)


@settings(deadline=None)
@given(st.integers(0, len(CASE)), st.integers(0, len(CASE)), st.text(max_size=30))
def test_no_file_makes_the_reader_fall_over(start: int, end: int, text: str) -> None:
    parse("x", (CASE[:start] + text + CASE[end:]).encode())
