"""A case becomes a repository and is judged as any plan is."""

from __future__ import annotations

from pathlib import Path

import pygit2
import pytest

from bot.core.tree import InputError
from bot.core.verify.evaluation.cases import Case
from bot.core.verify.evaluation.trial import attempt, build
from schemas.verify_report import FindingType, Verdict
from tests.core.verify.evaluation.conftest import PLAN, case


def test_the_plan_is_judged_on_the_tree_before_it(kiln: Case, tmp_path: Path) -> None:
    trial = attempt(kiln, tmp_path)
    assert trial.report.verdict is Verdict.NEEDS_FIX
    (finding,) = trial.report.gating
    assert (finding.type, finding.plan_path, finding.plan_line) == (FindingType.MISSING_PATH, PLAN, 8)
    repo = pygit2.Repository(str(tmp_path / "plan"))
    assert trial.report.tree.rev == str(repo.revparse_single("main^").id)


def test_the_repaired_plan_is_judged_as_well(kiln: Case, tmp_path: Path) -> None:
    repaired = attempt(kiln, tmp_path).repaired
    assert repaired is not None
    assert repaired.verdict is Verdict.CLEAN


def test_without_a_repair_there_is_one_report(tmp_path: Path) -> None:
    unrepaired = case("repair:\n  - find: src/kiln/heating.py\n    put: src/kiln/heat.py\n", "")
    assert attempt(unrepaired, tmp_path).repaired is None


def test_the_same_case_gives_the_same_bytes_wherever_it_is_judged(kiln: Case, tmp_path: Path) -> None:
    first, second = (attempt(kiln, tmp_path / name).report.model_dump_json() for name in ("a", "b/c"))
    assert first == second


def test_a_path_of_the_tree_that_ends_in_an_at_sign_is_a_link(tmp_path: Path) -> None:
    build({"src/a.py": "", "lib@": "src\n"}, {"a@b@": "x\n"}, tmp_path / "r")
    tree = pygit2.Repository(str(tmp_path / "r")).revparse_single("main^{tree}")
    assert isinstance(tree, pygit2.Tree)
    assert tree["lib"].filemode == pygit2.enums.FileMode.LINK
    assert tree["a@b@"].filemode == pygit2.enums.FileMode.BLOB
    link = tree["lib"]
    assert isinstance(link, pygit2.Blob)
    assert link.data == b"src"


def test_a_tree_may_be_empty(tmp_path: Path) -> None:
    build({}, {"plan.md": "# Plan\n"}, tmp_path / "r")
    assert len(pygit2.Repository(str(tmp_path / "r")).revparse_single("main^^{tree}")) == 0  # type: ignore[arg-type]


def test_a_name_that_git_refuses_is_a_mistake_of_the_case(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no repository can be made of it"):
        build({"git~1/x": ""}, {}, tmp_path / "r")
