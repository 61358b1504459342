"""The parts of `planproof verify`: which plans, one report each, and the reports on stdout."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import click

from bot.core.documents import find_plans
from bot.core.judge import AUTO, judge
from bot.core.tree import InputError, TreeError, commit_of
from bot.terminal.config import configured
from bot.terminal.local import Place, Target, changed, committed, is_folder, is_there, on_disk
from bot.terminal.shared import InputProblem, console, tell
from schemas.engine import Request
from schemas.verify_report import PlanInfo, Status, Verdict, VerifyReport


def targets(plans: Sequence[str], repo_path: Path | None, rev: str, plan_rev: str | None) -> list[tuple[Place, Target]]:
    """Every plan asked for, each with its repository. Raises InputProblem."""
    try:
        if not repo_path and plan_rev is None and plans:
            return [pair for name in plans for pair in _disk(Path(name), rev)]
        home = Place.at(repo_path or Path())
        if plan_rev is not None or home.root is None:
            at = plan_rev if plan_rev is not None else _head(rev)
            return [(home, target) for target in _at(home, plans, at, rev)]
        if plans:
            return [pair for name in plans for pair in _disk(_under(name, home.root), rev, home)]
        found, which = changed(home, configured(home, _head(rev)).plans)
        names = ", ".join(target.plan for target in found[:5]) + (", …" if found[5:] else "")
        counted = f"{len(found)} plan{'' if len(found) == 1 else 's'} {which}"
        tell(f"{counted}: {names}" if found else "no plans in this repository")
        return [(home, target) for target in found]
    except (InputError, TreeError) as problem:
        raise InputProblem(str(problem)) from None


def reports(
    found: Iterable[tuple[Place, Target]], rev: str, plan_rev: str | None, ignored: Sequence[str]
) -> Iterable[VerifyReport | None]:
    """The report on each, with its time; None for a plan that is not there, which is said on stderr.

    What the configuration in the judged tree ignores is passed over like `ignored`, and its severities count.
    """
    settled = dict.fromkeys(ignored, Status.DISMISSED)
    for place, target in found:
        if target.empty:
            plan = PlanInfo(path=target.plan, format="unknown")
            yield VerifyReport(plan=plan, verdict=Verdict.NOT_A_PLAN, reason="there is no plan in this folder")
            continue
        request = Request(
            repo=place.git, plan=target.plan, rev=rev, plan_rev=plan_rev, contents=target.contents, settled=settled
        )
        began = time.perf_counter()
        try:
            report = judge(request, on_error=_tell, settle=partial(_settle, place))
        except InputError as problem:
            tell(f"Error: {problem}")
            yield None
        else:
            yield report.model_copy(update={"seconds": round(time.perf_counter() - began, 3)})


def show(report: VerifyReport, form: str, *, first: bool) -> None:
    """Print one report: JSON on a line of its own, so that several plans give JSON lines."""
    if form == "json":
        click.echo(report.model_dump_json())
        return
    from bot.terminal.render.verify import to_markdown, to_terminal

    if not first:
        click.echo()
    if form == "markdown":
        click.echo(to_markdown(report), nl=False)
    else:
        to_terminal(report, console())


def show_next_step(done: Sequence[VerifyReport]) -> None:
    from rich.text import Text

    from bot.terminal.render.verify import next_step

    console().print(Text(f"\n{next_step(done)}"), soft_wrap=True)


def tell_unknown_ids(ignored: Sequence[str], done: Sequence[VerifyReport]) -> None:
    """Say which of the ids to pass over belong to no finding: a typo would otherwise change nothing unseen."""
    known = {finding.id for report in done for finding in report.findings}
    for name in ignored:
        if name not in known:
            tell(f"note: no finding has the id {name}")


def _settle(place: Place, request: Request, tree_rev: str | None) -> Request:
    """The request with what the configuration of the judged tree says."""
    config = configured(place, tree_rev)
    settled = dict.fromkeys(config.ignore, Status.DISMISSED) | request.settled
    return request.model_copy(update={"settled": settled, "severity": config.severity})


def _disk(path: Path, rev: str, home: Place | None = None) -> list[tuple[Place, Target]]:
    """Plans as they stand in the work tree that `path` is in; where that is none, as committed."""
    place = home or Place.around(path)
    if place.root is None:
        return [(place, target) for target in _at(place, (path.as_posix(),), _head(rev), rev)]
    patterns = configured(place, _head(rev)).plans if is_folder(path) else None
    return [(place, target) for target in on_disk(place, path, patterns)]


def _at(home: Place, plans: Sequence[str], rev: str, tree_rev: str) -> list[Target]:
    """Plans as committed at `rev`, to be judged on `tree_rev`."""
    commit_of(home.repo, rev)
    patterns = configured(home, tree_rev if tree_rev != AUTO else rev).plans
    if plans:
        return [target for name in plans for target in committed(home, rev, name, patterns)]
    return [Target(name) for name in find_plans(home.repo, rev, patterns=patterns)]


def _head(rev: str) -> str:
    return rev if rev != AUTO else "HEAD"


def _under(name: str, root: Path) -> Path:
    """`name` from the root of the repository that was named, else from the current folder."""
    below = root / name
    return below if is_there(below) else Path(name)


def _tell(error: BaseException) -> None:
    tell(f"note: {type(error).__name__}: {error}")
