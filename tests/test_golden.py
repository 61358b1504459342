"""The golden cases of this repository: what they hold, and how well the verifier does on them.

After a change for the better or worse: `planproof eval verify --golden tests/golden --write`, and commit the figures.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bot.core.verify.evaluation.cases import Case, Origin
from bot.core.verify.evaluation.figures import PRECISION_FLOOR, RECALL_FLOOR, to_text
from bot.core.verify.evaluation.trial import attempt
from bot.terminal.evaluate import SCORES, Evaluation, evaluate, load
from schemas.verify_report import FindingType

GOLDEN = Path(__file__).parent / "golden"
CLEAN = "clean"


@pytest.fixture(scope="module")
def cases() -> tuple[Case, ...]:
    return load(GOLDEN)


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(GOLDEN)


def test_the_floors_hold(evaluation: Evaluation) -> None:
    scores = evaluation.scores
    assert scores.recall is not None
    assert scores.recall >= RECALL_FLOOR, scores.missed
    assert scores.precision is not None
    assert scores.precision >= PRECISION_FLOOR, scores.false


def test_every_plan_is_judged(evaluation: Evaluation) -> None:
    assert evaluation.scores.unjudged == ()


def test_the_kept_figures_are_the_present_ones(evaluation: Evaluation) -> None:
    path = GOLDEN / SCORES
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    assert kept == to_text(evaluation.scores), "run `planproof eval verify --golden tests/golden --write`"


def test_verifying_twice_gives_the_same_bytes(cases: tuple[Case, ...], tmp_path: Path) -> None:
    for number, case in enumerate(cases):
        first, second = (attempt(case, tmp_path / f"{number}-{each}") for each in "ab")
        # nobody has timed these, so `seconds` is 0 in both
        assert first.report.model_dump_json() == second.report.model_dump_json(), case.name
        assert first.repaired == second.repaired, case.name


def test_there_are_enough_cases_of_each_kind(cases: tuple[Case, ...]) -> None:
    defects = Counter(defect.type for case in cases for defect in case.defects)
    origins = Counter(case.origin for case in cases)
    there = {"cases": len(cases), **{origin.value: origins[origin] for origin in Origin}}
    there |= {type_.value: defects[type_] for type_ in FindingType}
    wanted = {"cases": 80, "trap": 20, "repair": 30, **{type_.value: 8 for type_ in FindingType}}
    assert {name: there[name] for name in wanted if there[name] < wanted[name]} == {}


def test_each_case_lies_in_the_folder_of_its_defect(cases: tuple[Case, ...]) -> None:
    for case in cases:
        folder = case.name.split("/")[0]
        own = {defect.type.value for defect in case.defects} or {CLEAN}
        assert folder in own, case.name
