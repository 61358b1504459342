"""The parts of `planproof check`: the query, the index, the answer on stdout, the outcome on record."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from bot.core.reuse import Index, MatchQuery, load_index, markdown, workplan_query
from bot.core.reuse.ask import INDEX_PATHS
from bot.core.reuse.index import MAX_BYTES
from bot.core.tree import InputError
from bot.terminal.config import configured
from bot.terminal.local import Place, append_line, is_folder, is_there, read_file
from bot.terminal.shared import InputProblem, console, file_bytes, tell
from schemas.plan_check_result import PlanCheckResult, ReuseEvent, ReuseOutcome

EVENTS = "registry/telemetry/plan-check-events.jsonl"
# of a folder, the document that says most about what the plan is for
DOCUMENTS = ("proposal.md", "spec.md", "requirements.md", "plan.md", "PLAN.md", "tasks.md", "README.md")


def plan_query(plan: Path) -> MatchQuery:
    """The query of a plan document, or of the telling document of a folder. Raises InputProblem."""
    path: Path | None = plan
    if is_folder(plan):
        path = next((plan / name for name in DOCUMENTS if (plan / name).is_file()), None)
        if path is None:
            raise InputProblem(f"the folder {plan} has none of {', '.join(DOCUMENTS)}; name the plan's file")
    data = file_bytes(path or plan)
    try:
        return workplan_query(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        query = workplan_query(data.decode("utf-8", "replace"))
        note = "the plan is not UTF-8; what could not be read was passed over"
        return replace(query, warnings=(note, *query.warnings))


def find_index(named: Path | None, root: Path, place: Place | None) -> Index:
    """The index named, or the one the repository configures, or the usual one; never an error."""
    path = named
    if path is None:
        chosen = configured(place).index
        path = next((root / each for each in ((chosen,) if chosen else INDEX_PATHS) if is_there(root / each)), None)
        if path is None:
            return Index(problem=f"there is no capability index at {chosen or ' or '.join(INDEX_PATHS)}")
    try:
        # one byte more than an index may have, so that too much is noticed
        return load_index(read_file(path.resolve() if named else path, MAX_BYTES + 1))
    except (InputError, OSError, RuntimeError) as problem:
        return Index(problem=f"the capability index cannot be used: {problem}")


def record(result: PlanCheckResult, outcome: str, consumer: str, root: Path, now: str) -> None:
    """Append the outcome to the repository's events; a failure is a note on stderr."""
    top = result.top
    event = ReuseEvent(
        ts=now,
        consumer_repo=consumer,
        capability_id=top.id if top else None,
        verdict=result.verdict,
        outcome=ReuseOutcome(outcome),
    )
    try:
        append_line(root, EVENTS, event.model_dump_json())
    except (OSError, ValueError, RuntimeError) as problem:
        # a record is worth less than the answer it belongs to
        tell(f"note: the outcome could not be recorded: {problem}")


def show(result: PlanCheckResult, form: str | None) -> None:
    """Print the answer as JSON or Markdown, on a terminal as a table unless a form is asked for."""
    if form == "json":
        click.echo(result.model_dump_json(indent=2))
    elif form == "markdown" or not sys.stdout.isatty():
        click.echo(markdown(result), nl=False)
    else:
        from bot.terminal.render.check import to_terminal

        to_terminal(result, console())
