"""Seeding and judging a whole plan, and the figures."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import bot.core.verify.evaluation.mutate as package
from bot.core.verify.evaluation.mutate import missing_path
from bot.core.verify.evaluation.mutate.figures import figures
from bot.core.verify.evaluation.mutate.model import Mutant, Spot, Subject
from bot.core.verify.evaluation.mutate.run import choose, measure
from schemas.verify_report import FindingType, Severity, Verdict
from tests.core.verify.evaluation.mutate.conftest import TEXT, TREE, Shop


def nothing_wrong(subject: Subject) -> Iterator[Mutant]:
    """Says that there is a defect where there is none: what no verifier can find."""
    spots = [Spot(subject.main.path, 1)]
    yield subject.mutant("nothing_wrong", FindingType.TASK_ORDER, Severity.MAJOR, "nothing at all", spots)


def test_the_plan_that_defects_are_seeded_in_is_clean(shop: Shop) -> None:
    assert shop.case().report().verdict is Verdict.CLEAN


def test_a_missing_path_is_found_and_a_defect_that_is_none_is_missed(shop: Shop) -> None:
    mutators = {
        FindingType.MISSING_PATH: (missing_path.renamed_in_plan,),
        FindingType.TASK_ORDER: (nothing_wrong,),
    }
    outcome = measure(shop.case(), mutators=mutators)
    assert {attempt.seed.mutator: attempt.found for attempt in outcome.attempts} == {
        "renamed_in_plan": True,
        "nothing_wrong": False,
    }
    result = figures([outcome], seed=0)
    assert (result.total.seeded, result.total.found, result.total.recall) == (2, 1, 0.5)
    assert not result.holds
    assert [(miss.mutator, miss.line, miss.what) for miss in result.missed] == [("nothing_wrong", 1, "nothing at all")]


def test_a_file_taken_out_of_the_tree_is_missed_by_the_plan(shop: Shop) -> None:
    mutators = {FindingType.MISSING_PATH: (missing_path.removed_from_tree,)}
    outcome = measure(shop.case(), mutators=mutators)
    assert [attempt.found for attempt in outcome.attempts] == [True]


def test_the_same_seed_gives_the_same_defects_and_another_one_others(shop: Shop) -> None:
    subject = shop.subject()
    once, again, other = (choose(subject, seed=seed, per_plan=8) for seed in (0, 0, 1))
    assert once == again
    assert [mutant.seed for mutant in once] != [mutant.seed for mutant in other]


def test_no_more_defects_than_asked_for_and_hidden_text_apart(shop: Shop) -> None:
    chosen = choose(shop.subject(TEXT + "\nAll of the wheels are counted by then.\n"), seed=0, per_plan=4)
    hard = [mutant for mutant in chosen if mutant.seed.severity is not Severity.ADVICE]
    assert len(hard) == 4
    assert len(chosen) == 5


def test_several_types_come_before_a_second_defect_of_one(shop: Shop) -> None:
    chosen = choose(shop.subject(), seed=0, per_plan=5)
    hard = [mutant.seed.type for mutant in chosen if mutant.seed.severity is not Severity.ADVICE]
    assert len(hard) == len(set(hard)) == 5


def test_a_plan_that_is_not_clean_is_passed_over_and_the_reason_is_said(shop: Shop) -> None:
    outcome = measure(shop.case(TEXT.replace("src/axle.py", "src/axel.py")))
    assert not outcome.attempts
    assert outcome.skipped is not None
    assert outcome.skipped.startswith("it is not clean as it is: 1 findings")


def test_a_plan_without_anything_certain_is_passed_over(shop: Shop) -> None:
    outcome = measure(shop.case("# Gear Plan\n\nLet us see.\n"))
    assert not outcome.attempts
    assert outcome.skipped


def test_where_nothing_is_seeded_no_floor_is_shown_to_hold() -> None:
    result = figures([], seed=0)
    assert result.total.recall is None
    assert not result.holds


def test_an_engine_that_fails_on_a_mutant_has_missed_the_defect(shop: Shop) -> None:
    def too_large(subject: Subject) -> Iterator[Mutant]:
        mutant = next(missing_path.renamed_in_plan(subject))
        yield Mutant(mutant.seed, (), {})

    errors: list[BaseException] = []
    outcome = measure(shop.case(), mutators={FindingType.MISSING_PATH: (too_large,)}, on_error=errors.append)
    assert [attempt.found for attempt in outcome.attempts] == [False]
    assert "the engine failed" in outcome.attempts[0].instead
    assert len(errors) == 1


def test_findings_of_another_type_that_come_with_a_change_are_counted_apart(shop: Shop) -> None:
    def wrong_type(subject: Subject) -> Iterator[Mutant]:
        mutant = next(missing_path.renamed_in_plan(subject))
        seed = mutant.seed
        changed = type(seed)(seed.mutator, FindingType.PLACEHOLDER, seed.severity, seed.spots, seed.what)
        yield Mutant(changed, mutant.documents, mutant.files)

    outcome = measure(shop.case(), mutators={FindingType.PLACEHOLDER: (wrong_type,)})
    assert figures([outcome], seed=0).others == {FindingType.MISSING_PATH: 1}


def test_no_mutator_knows_how_the_verifier_looks() -> None:
    """Else the measure would agree with the checks by construction."""
    folder = Path(package.__file__).parent
    mutators = [path for path in folder.glob("*.py") if path.name not in ("run.py", "figures.py")]
    assert len(mutators) >= 12
    for path in mutators:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                if name.startswith("bot."):
                    allowed = ("bot.core.plans.model", "bot.core.tree", "bot.core.verify.evaluation.mutate")
                    assert name.startswith(allowed), f"{path.name} imports {name}"


def test_nothing_that_is_seeded_names_a_line_beyond_its_document(shop: Shop) -> None:
    for mutant in choose(shop.subject(TEXT, TREE), seed=3, per_plan=50):
        lengths = {document.path: len(document.text.split("\n")) for document in mutant.documents}
        assert all(1 <= spot.first <= lengths[spot.path] for spot in mutant.seed.spots), mutant.seed
