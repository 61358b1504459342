"""The parts of `planproof eval mutate`: which plans, the run over them, and its figures on stdout."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from bot.core.judge import read_case
from bot.core.tree import InputError, TreeError
from bot.core.verify.evaluation.figures import shown
from bot.core.verify.evaluation.mutate.figures import Mutation, Row, figures
from bot.core.verify.evaluation.mutate.run import Outcome, measure
from bot.terminal import verify
from bot.terminal.render.safe import visible
from bot.terminal.shared import InputProblem, file_bytes, tell
from schemas.engine import Request
from schemas.verify_report import VerifyReport

_WIDE = 400  # characters of a line that may hold text of the plan or the tree
_KEYS = ("repo", "plan", "plan_rev", "rev")


def requests(plans: Sequence[str], repo: Path | None, rev: str, plan_rev: str | None) -> list[Request]:
    """What is to be judged of the plans named. Raises InputProblem."""
    return [
        Request(repo=place.git, plan=target.plan, rev=rev, plan_rev=plan_rev, contents=target.contents)
        for place, target in verify.targets(plans, repo, rev, plan_rev)
        if not target.empty
    ]


def listed(path: Path) -> list[Request]:
    """What is to be judged of the plans in a file of JSON lines. Raises InputProblem."""
    found: list[Request] = []
    for number, line in enumerate(file_bytes(path).decode("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputProblem(f"{path}:{number} is not JSON: {error}") from None
        if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in _KEYS):
            raise InputProblem(f"{path}:{number} needs the texts {', '.join(_KEYS)}")
        found.append(Request(**{key: row[key] for key in _KEYS}))
    return found


def run(asked: Sequence[Request], *, seed: int, per_plan: int, limit: int | None) -> Mutation:
    """Seeds and judges, plan by plan, until `limit` plans were clean. Raises InputProblem."""
    return figures(list(_outcomes(asked, seed=seed, per_plan=per_plan, limit=limit)), seed=seed)


def _outcomes(asked: Iterable[Request], *, seed: int, per_plan: int, limit: int | None) -> Iterator[Outcome]:
    clean = 0
    for request in asked:
        if limit is not None and clean >= limit:
            return
        try:
            case = read_case(request)
        except InputError as problem:
            raise InputProblem(str(problem)) from None
        except TreeError as problem:
            yield Outcome(request.plan, skipped=str(problem))
            continue
        if isinstance(case, VerifyReport):
            yield Outcome(request.plan, skipped=case.reason or case.verdict)
            continue
        outcome = measure(case, seed=seed, per_plan=per_plan, on_error=_tell)
        clean += bool(outcome.attempts)
        yield outcome


def show(mutation: Mutation, form: str) -> None:
    if form == "json":
        click.echo(mutation.model_dump_json())
        return
    for line in to_text(mutation):
        click.echo(line)


def to_text(mutation: Mutation) -> Iterator[str]:
    """The figures in aligned columns, then what was missed and what was not used."""
    yield f"{mutation.total.seeded} defects seeded into {mutation.plans} clean plans (seed {mutation.seed})"
    yield ""
    yield f"{'':<34}{'seeded':>8}{'found':>8}{'recall':>8}"
    for type_, row in mutation.types.items():
        yield _row(f"{type_}{' (advice)' if type_ == 'hidden_text' else ''}", row)
    yield _row("blocker and major", mutation.total)
    kept = "holds" if mutation.holds else "does not hold" if mutation.total.recall is not None else "was not measured"
    yield f"{'floor':<34}{'':>8}{'':>8}{shown(mutation.floor):>8}  {kept}"
    yield ""
    for name, row in mutation.mutators.items():
        yield _row(f"  {name}", row)
    if mutation.missed:
        yield ""
        yield "missed:"
    for miss in mutation.missed:
        instead = f"; there is {miss.instead}" if miss.instead else ""
        said = visible(
            f"{miss.plan}:{miss.line} {miss.severity} {miss.type} {miss.mutator}: {miss.what}{instead}", _WIDE
        )
        yield f"  {said}"
    if mutation.others:
        counted = ", ".join(f"{count} {type_}" for type_, count in mutation.others.items())
        yield ""
        yield f"gating findings of other types that came with the changes: {counted}"
    if mutation.skipped:
        yield ""
        yield "not used:"
    for skip in mutation.skipped:
        yield f"  {visible(f'{skip.plan}: {skip.reason}', _WIDE)}"


def _row(name: str, row: Row) -> str:
    return f"{name:<34}{row.seeded:>8}{row.found:>8}{shown(row.recall):>8}"


def _tell(error: BaseException) -> None:
    tell(f"note: {type(error).__name__}: {error}")
