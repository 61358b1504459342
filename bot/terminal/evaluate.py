"""The parts of `planproof eval verify`: the cases of a folder, their figures, and the file those are kept in."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from bot.core.tree import InputError
from bot.core.verify.evaluation.cases import MAX_BYTES, Case, Problem, parse
from bot.core.verify.evaluation.figures import (
    NOT_AVAILABLE,
    PRECISION_FLOOR,
    RECALL_FLOOR,
    Scores,
    TypeScore,
    figures,
    from_text,
    shown,
    to_text,
)
from bot.core.verify.evaluation.score import Outcome, Unmatched, compare
from bot.core.verify.evaluation.trial import attempt
from bot.terminal.local import read_file
from bot.terminal.render.safe import visible
from bot.terminal.shared import InputProblem, tell

SCORES = "scores.json"
MODE = "static only; with a model: n/a"
_ENDINGS = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """`before` are the figures that the folder's scores.json keeps, None where it keeps none."""

    folder: Path
    outcomes: tuple[Outcome, ...]
    scores: Scores
    before: Scores | None


def evaluate(folder: Path) -> Evaluation:
    """Judges every case below `folder`. Raises InputProblem, after saying all that is wrong with the cases."""
    cases = load(folder)
    before = _before(folder / SCORES)
    outcomes = tuple(_outcomes(cases, folder))
    return Evaluation(folder, outcomes, figures(outcomes), before)


def load(folder: Path) -> tuple[Case, ...]:
    """The cases below `folder`, in the order of their names. Raises InputProblem, as `evaluate` does."""
    if not folder.is_dir():
        raise InputProblem(f"{folder} is not a folder; name the one that holds your golden cases")
    found: list[Case] = []
    problems: list[Problem] = []
    for name in _names(folder):
        try:
            parsed = parse(name, read_file(folder / name, MAX_BYTES + 1))
        except InputError as problem:
            problems.append(Problem(name, 1, str(problem)))
            continue
        problems += parsed.problems
        if parsed.case is not None:
            found.append(parsed.case)
    for each in problems:
        tell(f"{folder / each.name}:{each.line}: {each.message}")
    if problems:
        files = len({each.name for each in problems})
        raise InputProblem(f"{files} of {files + len(found)} cases cannot be read, so nothing was measured")
    if not found:
        raise InputProblem(f"there is no case in {folder}; a case is a file that ends in .yaml")
    return tuple(found)


def write(evaluation: Evaluation) -> None:
    """Keep the figures in the folder's scores.json. Raises InputProblem where that cannot be written."""
    path = evaluation.folder / SCORES
    text = to_text(evaluation.scores)
    if evaluation.before is not None and to_text(evaluation.before) == text:
        tell(f"{path} holds these figures already")
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputProblem(f"{path} cannot be written: {error.strerror}") from None
    tell(f"wrote {path}")


def tell_stale(evaluation: Evaluation) -> None:
    """Say when the folder keeps figures that are no longer true."""
    if evaluation.before is not None and evaluation.before != evaluation.scores:
        tell(f"note: {evaluation.folder / SCORES} holds other figures; --write renews it")


def show(evaluation: Evaluation, form: str) -> None:
    if form == "json":
        click.echo(json.dumps(_json(evaluation), ensure_ascii=False))
        return
    for line in (*_head(evaluation), "", *_table(evaluation), *_lists(evaluation)):
        click.echo(line)


def _names(folder: Path) -> list[str]:
    """Paths below `folder` of all that ends like a case; links are not followed."""
    names = []
    for where, _, files in os.walk(folder):
        names += [(Path(where) / name).relative_to(folder).as_posix() for name in files if name.endswith(_ENDINGS)]
    return sorted(names)


def _before(path: Path) -> Scores | None:
    if not path.exists():
        return None
    try:
        return from_text(read_file(path).decode())
    except (InputError, ValueError, OSError) as problem:
        tell(f"note: {path} is not what --write writes ({problem}); there is nothing to compare with")
        return None


def _outcomes(cases: Sequence[Case], folder: Path) -> Iterable[Outcome]:
    with tempfile.TemporaryDirectory(prefix="planproof-") as made:
        for number, case in enumerate(cases):
            path = folder / case.name
            try:
                trial = attempt(case, Path(made) / str(number), on_error=partial(_tell, path))
            except InputError as problem:
                raise InputProblem(f"{path}: {problem}") from None
            yield compare(case, trial)


def _tell(path: Path, error: BaseException) -> None:
    tell(f"note: {path}: {type(error).__name__}: {error}")


def _head(evaluation: Evaluation) -> Iterable[str]:
    scores, before = evaluation.scores, evaluation.before
    total = scores.totals
    yield f"{scores.cases} cases, {scores.clean} of them clean; {MODE}; {scores.tokens} tokens"
    yield ""
    for name, value, old, counts, floor in (
        (
            "recall",
            scores.recall,
            before.recall if before else None,
            f"{total.found} of {total.defects} blocker and major defects found",
            RECALL_FLOOR,
        ),
        (
            "precision",
            scores.precision,
            before.precision if before else None,
            f"{total.false} false accusation{'' if total.false == 1 else 's'}",
            PRECISION_FLOOR,
        ),
    ):
        held = "" if value is None else ", holds" if value >= floor else ", DOES NOT HOLD"
        figure = f"{shown(old)} → {shown(value)}" if before else shown(value)
        yield f"{name:<9}  {figure}  (floor {floor:.2f}{held}); {counts}"


def _table(evaluation: Evaluation) -> Iterable[str]:
    """One row a type; where the kept figures differ, they come first."""
    scores, before = evaluation.scores, evaluation.before
    rows = [["type", "blocker and major found", "minor and advice found", "false accusations"]]
    for type_, score in sorted(scores.types.items()):
        rows.append([type_.value, *_cells(score, before.types.get(type_) if before else None)])
    rows.append(["all", *_cells(scores.totals, before.totals if before else None)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _cells(row: TypeScore, old: TypeScore | None) -> list[str]:
    now = _counts(row)
    before = now if old is None else _counts(old)
    return [cell if cell == was else f"{was} → {cell}" for cell, was in zip(now, before, strict=True)]


def _counts(row: TypeScore) -> list[str]:
    return [_share(row.found, row.defects), _share(row.slight_found, row.slight), str(row.false)]


def _share(found: int, of: int) -> str:
    return f"{found}/{of}" if of else NOT_AVAILABLE


def _lists(evaluation: Evaluation) -> Iterable[str]:
    outcomes, folder = evaluation.outcomes, evaluation.folder
    missed = [each for outcome in outcomes for each in outcome.missed]
    false = [each for outcome in outcomes for each in outcome.false]
    unjudged = [each for outcome in outcomes for each in outcome.unjudged]
    notes = sum(len(outcome.notes) for outcome in outcomes)
    if missed:
        yield from ("", "missed:")
    for miss in missed:
        place = f"{miss.defect.path}:{miss.defect.first}"
        yield f"  {_file(folder, miss.case)}  {visible(place)}  {miss.defect.severity} {miss.defect.type}"
        yield f"      {visible(miss.case.about)}" + (f" ({miss.instead})" if miss.instead else "")
    if false:
        yield from ("", "false accusations:")
    for each in false:
        place = f"{each.finding.plan_path}:{each.finding.plan_line}"
        after = "  after the repair" if each.repaired else ""
        yield f"  {_file(folder, each.case)}  {visible(place)}  {each.finding.severity} {each.finding.type}{after}"
        yield f"      {visible(each.finding.message)}"
    if unjudged:
        yield from ("", "not judged; where that is right, the case says so with `verdict`:")
    for which in unjudged:
        yield f"  {_file(folder, which.case)}  {visible(which.reason)}"
    if notes:
        yield ""
        yield f"{notes} minor findings and advice meet no defect; they do not count (--format json lists them)"


def _file(folder: Path, case: Case) -> str:
    return visible(str(folder / case.name))


def _json(evaluation: Evaluation) -> dict[str, Any]:
    outcomes, scores = evaluation.outcomes, evaluation.scores
    return {
        "schema": 1,
        "mode": "static",
        "holds": scores.holds,
        "floors": {"recall": RECALL_FLOOR, "precision": PRECISION_FLOOR},
        "scores": _numbers(scores),
        "before": _numbers(evaluation.before) if evaluation.before else None,
        "missed": [
            {
                "case": each.case.name,
                "type": each.defect.type,
                "severity": each.defect.severity,
                "path": each.defect.path,
                "line": each.defect.first,
                "end_line": each.defect.last,
                "about": each.case.about,
            }
            for outcome in outcomes
            for each in outcome.missed
        ],
        "false": [_finding(each) for outcome in outcomes for each in outcome.false],
        "notes": [_finding(each) for outcome in outcomes for each in outcome.notes],
        "unjudged": [
            {"case": each.case.name, "reason": each.reason} for outcome in outcomes for each in outcome.unjudged
        ],
    }


def _numbers(scores: Scores) -> dict[str, Any]:
    return scores.model_dump(mode="json", exclude={"missed", "false", "unjudged"})


def _finding(each: Unmatched) -> dict[str, Any]:
    finding = each.finding
    return {
        "case": each.case.name,
        "repaired": each.repaired,
        "type": finding.type,
        "severity": finding.severity,
        "path": finding.plan_path,
        "line": finding.plan_line,
        "end_line": finding.plan_end_line,
        "message": finding.message,
    }
