"""When a known defect counts as found, and what counts as a false accusation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.verify.evaluation.cases import Case, Defect
from bot.core.verify.evaluation.figures import Scores, figures, from_text, shown, to_text
from bot.core.verify.evaluation.score import Outcome, compare
from bot.core.verify.evaluation.trial import Trial
from schemas.verify_report import Finding, FindingType, PlanInfo, Severity, Verdict, VerifyReport
from tests.core.verify.evaluation.conftest import PLAN

MISSING, PREMISE, ORDER = FindingType.MISSING_PATH, FindingType.FALSE_PREMISE, FindingType.TASK_ORDER
BLOCKER, MAJOR, ADVICE = Severity.BLOCKER, Severity.MAJOR, Severity.ADVICE


def finding(
    first: int, last: int | None = None, type_: FindingType = MISSING, severity: Severity = BLOCKER, path: str = PLAN
) -> Finding:
    return Finding(
        id="f-000000",
        type=type_,
        severity=severity,
        gating=severity is not ADVICE,
        plan_path=path,
        plan_line=first,
        plan_end_line=last or first,
        subject="x",
        message="x is not so",
    )


def defect(first: int, last: int | None = None, type_: FindingType = MISSING, severity: Severity = BLOCKER) -> Defect:
    return Defect(type_, severity, PLAN, first, last or first, mechanical=False)


def report(*findings: Finding, verdict: Verdict = Verdict.NEEDS_FIX) -> VerifyReport:
    return VerifyReport(plan=PlanInfo(path=PLAN, format="generic"), verdict=verdict, findings=findings)


def outcome(
    case: Case, defects: list[Defect], findings: list[Finding], repaired: list[Finding] | None = None
) -> Outcome:
    after = None if repaired is None else report(*repaired)
    return compare(replace(case, defects=tuple(defects)), Trial(report(*findings), after))


@pytest.mark.parametrize(
    ("known", "said", "found"),
    [
        (defect(8), finding(8), True),
        (defect(8, 10), finding(10), True),
        (defect(8), finding(6, 8), True),
        (defect(8), finding(9), False),
        (defect(8), finding(8, path="docs/spec.md"), False),
        (defect(8), finding(8, type_=PREMISE), False),
        (defect(8, severity=MAJOR), finding(8, severity=BLOCKER), True),
        (defect(8), finding(8, severity=ADVICE), False),
        (defect(8, severity=ADVICE), finding(8, severity=Severity.MINOR), True),
        # it would stop a plan that has nothing to be stopped for
        (defect(8, severity=ADVICE), finding(8, severity=MAJOR), False),
        # a finding over half the plan points at its first lines only
        (defect(30), finding(8, 90), False),
        (defect(30, type_=ORDER), finding(8, 90, type_=ORDER), True),
    ],
)
def test_found_is_the_same_type_at_the_same_place_with_the_same_weight(
    kiln: Case, known: Defect, said: Finding, found: bool
) -> None:
    done = outcome(kiln, [known], [said])
    assert (len(done.found), len(done.missed)) == ((1, 0) if found else (0, 1))
    accused = not found and said.severity in (BLOCKER, MAJOR)
    assert len(done.false) == accused


def test_to_say_the_same_twice_is_no_false_accusation_and_no_second_find(kiln: Case) -> None:
    done = outcome(kiln, [defect(8)], [finding(8), finding(8), finding(7, 9)])
    assert (len(done.found), done.false) == (1, ())
    assert figures([done]).precision == 1.0


def test_two_defects_of_one_line_need_two_findings(kiln: Case) -> None:
    assert len(outcome(kiln, [defect(8), defect(8)], [finding(8)]).found) == 1
    assert len(outcome(kiln, [defect(8), defect(8)], [finding(8), finding(8)]).found) == 2


def test_a_wide_finding_makes_room_for_a_defect_that_only_it_can_meet(kiln: Case) -> None:
    done = outcome(kiln, [defect(8), defect(9)], [finding(8, 9), finding(8)])
    assert len(done.found) == 2


def test_whatever_stops_the_repaired_plan_is_false(kiln: Case) -> None:
    done = outcome(kiln, [defect(8)], [finding(8)], repaired=[finding(8), finding(8, severity=ADVICE)])
    assert [(each.repaired, each.finding.severity) for each in done.false] == [(True, BLOCKER)]


def test_what_was_said_instead_of_a_missed_defect_is_told(kiln: Case) -> None:
    here = outcome(kiln, [defect(8)], [finding(8, severity=ADVICE), finding(20)])
    assert here.missed[0].instead == "there is advice missing_path"
    far = outcome(kiln, [defect(8)], [finding(20)])
    assert far.missed[0].instead == "there is blocker missing_path in line 20"
    assert outcome(kiln, [defect(8)], []).missed[0].instead == ""


@pytest.mark.parametrize(
    ("verdict", "expected", "proves"),
    [
        (Verdict.CLEAN, None, True),
        (Verdict.NOT_VERIFIED, None, False),
        (Verdict.NOT_A_PLAN, None, False),
        (Verdict.RETROACTIVE, None, False),
        (Verdict.RETROACTIVE, Verdict.RETROACTIVE, True),
        (Verdict.CLEAN, Verdict.RETROACTIVE, False),
    ],
)
def test_a_plan_that_was_not_judged_proves_nothing(
    kiln: Case, verdict: Verdict, expected: Verdict | None, proves: bool
) -> None:
    done = compare(replace(kiln, defects=(), verdict=expected), Trial(report(verdict=verdict)))
    scores = figures([done])
    assert (len(done.unjudged), scores.holds) == ((0, True) if proves else (1, False))


def test_the_figures_add_up_by_type(kiln: Case) -> None:
    scores = figures(
        [
            outcome(kiln, [defect(8), defect(9, severity=ADVICE)], [finding(8), finding(9, severity=ADVICE)]),
            outcome(kiln, [defect(8, type_=PREMISE, severity=MAJOR)], [finding(20)]),
            outcome(kiln, [], [finding(5, severity=ADVICE)]),
        ]
    )
    assert (scores.cases, scores.clean, scores.recall, scores.precision) == (3, 1, 0.5, 0.5)
    row = scores.types[MISSING]
    assert (row.found, row.defects, row.slight_found, row.slight, row.false) == (1, 1, 1, 1, 1)
    assert scores.missed == (f"missing_path/kiln.yaml major false_premise at {PLAN}:8",)
    assert scores.false == (f"missing_path/kiln.yaml blocker missing_path at {PLAN}:20",)
    assert not scores.holds


def test_nothing_to_divide_by_is_not_available_and_breaks_no_floor(kiln: Case) -> None:
    scores = figures([outcome(kiln, [], [])])
    assert (shown(scores.recall), shown(scores.precision), scores.holds) == ("n/a", "n/a", True)


def test_a_clean_plan_that_is_accused_breaks_the_floor(kiln: Case) -> None:
    scores = figures([outcome(kiln, [], [finding(8)])])
    assert (shown(scores.recall), shown(scores.precision), scores.holds) == ("n/a", "0.000", False)


def test_a_ratio_is_cut_so_that_it_never_reaches_a_floor_that_it_misses(kiln: Case) -> None:
    found = [outcome(kiln, [defect(8)], [finding(8)])] * 1799
    missed = [outcome(kiln, [defect(8)], [])] * 200
    scores = figures(found + missed)
    # 1799 of 1999 is 0.89995
    assert (shown(scores.recall), scores.holds) == ("0.899", False)


def test_the_order_of_the_cases_makes_no_difference(kiln: Case) -> None:
    some = [outcome(replace(kiln, name=f"{n}.yaml"), [defect(8)], [finding(n)]) for n in range(1, 12)]
    assert to_text(figures(some)) == to_text(figures(some[::-1]))


def test_the_kept_figures_have_a_line_a_fact_and_come_back_equal(kiln: Case) -> None:
    scores = figures([outcome(kiln, [defect(8)], [finding(20)])])
    text = to_text(scores)
    assert from_text(text) == scores
    assert '\n    "missing_path": {"defects": 1, "found": 0, "slight": 0, "slight_found": 0, "false": 1},\n' in text
    assert f'"missed": [\n    "missing_path/kiln.yaml blocker missing_path at {PLAN}:8"\n  ],\n' in text
    assert text.index("false_premise") < text.index('"hidden_text"') < text.index('"verify_form"')


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cases": -1}', "{" * 100_000])
def test_kept_figures_that_are_none_say_so_in_one_line(text: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        from_text(text)


def test_figures_of_before_a_type_was_known_can_be_read() -> None:
    assert (
        Scores(
            cases=0, clean=0, recall=None, precision=None, tokens=0, types={}, missed=(), false=(), unjudged=()
        ).totals.defects
        == 0
    )
