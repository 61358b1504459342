"""`planproof`: plan check and verify in the terminal and in CI, and the App's processes.

JSON and Markdown go to stdout, everything else to stderr. Exit codes of `verify`: 0 clean, retroactive or no plan,
1 findings to settle, 3 could not be judged, 2 usage or unreadable input; of `check`: 0 for every verdict, 2 likewise;
of `eval`: 0 when the floors hold, 1 when one does not, 2 likewise; of `config check`: 0 valid, 1 not, 2 likewise.
What a command needs is imported when it runs: neither of the two loads the App's database, job engine or web server.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

INTERRUPTED = 130
FAILED = 70


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="planproof", prog_name="planproof")
def cli() -> None:
    """Try to refute a coding plan before anyone writes the code."""


@cli.command()
@click.argument("plan", required=False, type=click.Path(path_type=Path))
@click.option("--intent", metavar="TEXT", help="Check this text instead of a plan.")
@click.option("--index", "index_file", metavar="FILE", type=click.Path(path_type=Path), help="Capability index.")
@click.option("--format", "form", type=click.Choice(["markdown", "json"]), help="Default: aligned text on a terminal.")
@click.option("--reuse-threshold", type=float, default=0.45, show_default=True, help="Score that means reuse.")
@click.option("--extend-threshold", type=float, default=0.22, show_default=True, help="Score that means extend.")
@click.option("--tie-window", type=float, default=0.05, show_default=True, help="Scores this close tie.")
@click.option("--no-llm", is_flag=True, help="Deterministic matching only.")
@click.option(
    "--record-outcome",
    type=click.Choice(["reused", "extended", "new", "skipped"]),
    help="Append what became of the answer to registry/telemetry/plan-check-events.jsonl.",
)
def check(
    plan: Path | None,
    intent: str | None,
    index_file: Path | None,
    form: str | None,
    reuse_threshold: float,
    extend_threshold: float,
    tie_window: float,
    no_llm: bool,  # noqa: ARG001  there is no other matching yet; scripts may already say so
    record_outcome: str | None,
) -> None:
    """Does a capability for PLAN, or for an intent, exist already? Advisory: reuse, extend or new."""
    from datetime import UTC, datetime

    from bot.core.reuse import Options, intent_query, plan_check
    from bot.terminal import check as parts
    from bot.terminal.shared import current_folder, place_or_none

    if (plan is None) == (intent is None):
        raise click.UsageError("Give either a PLAN or --intent TEXT" + (", not both." if plan else "."))
    query = intent_query(intent) if intent is not None else parts.plan_query(plan or Path())
    place = place_or_none(plan or Path())
    root = (place.root if place else None) or current_folder()
    consumer = place.name if place else root.name
    try:
        options = Options(reuse_threshold, extend_threshold, tie_window, consumer_repo=consumer)
    except ValueError as problem:
        raise click.UsageError(f"{str(problem)[:1].upper()}{str(problem)[1:]}.") from None
    now = datetime.now(UTC)
    result = plan_check(query, parts.find_index(index_file, root, place), options, now.date())
    parts.show(result, form)
    if record_outcome:
        parts.record(result, record_outcome, consumer, root, now.strftime("%Y-%m-%dT%H:%M:%SZ"))


@cli.command()
@click.argument("plans", nargs=-1, metavar="[PLAN]...")
@click.option("--repo", "repo_path", metavar="DIR", type=click.Path(path_type=Path), help="Repository, may be bare.")
@click.option("--rev", default="auto", show_default=True, help="Commit to judge on; auto is the tree its author saw.")
@click.option("--plan-rev", metavar="REV", help="Read the plan at this commit instead of from disk.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "json", "text"]),
    help="Default: text on a terminal, else markdown.",
)
@click.option("--ignore", "ignored", metavar="ID", multiple=True, help="Pass over this finding; may be repeated.")
@click.option("--no-llm", is_flag=True, help="Static checks only.")
def verify(
    plans: tuple[str, ...],
    repo_path: Path | None,
    rev: str,
    plan_rev: str | None,
    form: str | None,
    ignored: tuple[str, ...],
    no_llm: bool,  # noqa: ARG001  there are no other checks yet; scripts may already say so
) -> None:
    """Is each PLAN true of the tree its author saw?

    PLAN is a file or folder of a git work tree; without one, the plans that differ from the default branch are judged,
    else all. Nothing is fetched and nothing is executed.
    """
    from bot.core.verify.outcomes import OUTCOMES, combine
    from bot.terminal import verify as parts

    form = form or ("text" if sys.stdout.isatty() else "markdown")
    done = []
    missing = False
    for report in parts.reports(parts.targets(plans, repo_path, rev, plan_rev), rev, plan_rev, ignored):
        if report is None:
            missing = True
            continue
        done.append(report)
        parts.show(report, form, first=len(done) == 1)
    parts.tell_unknown_ids(ignored, done)
    if form == "text" and done and sys.stdout.isatty():
        parts.show_next_step(done)
    sys.exit(2 if missing else OUTCOMES[combine(report.verdict for report in done)].exit_code)


@cli.group("eval")
def evaluate() -> None:
    """How well does the verifier do? Measured on golden cases, and on defects seeded into clean plans."""


@evaluate.command("verify")
@click.option(
    "--golden",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder of golden cases, YAML, at any depth; its scores.json holds the figures before.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--write", is_flag=True, help="Write the figures to scores.json in that folder.")
def evaluate_verify(golden: Path, form: str, write: bool) -> None:
    """Recall and precision of `verify` on cases whose defects are known.

    Exit 0 when the floors hold, 1 when one does not, 2 when a case cannot be read.
    """
    from bot.terminal import evaluate as parts

    evaluation = parts.evaluate(golden)
    parts.show(evaluation, form)
    if write:
        parts.write(evaluation)
    else:
        parts.tell_stale(evaluation)
    sys.exit(0 if evaluation.scores.holds else 1)


@evaluate.command("mutate")
@click.argument("plans", nargs=-1, metavar="[PLAN]...")
@click.option("--repo", "repo_path", metavar="DIR", type=click.Path(path_type=Path), help="Repository, may be bare.")
@click.option("--rev", default="auto", show_default=True, help="Commit to judge on; auto is the tree its author saw.")
@click.option("--plan-rev", metavar="REV", help="Read the plans at this commit instead of from disk.")
@click.option(
    "--list",
    "list_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Plans of several repositories: JSON lines with repo, plan, plan_rev and rev.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same number seeds the same defects.")
@click.option("--per-plan", type=click.IntRange(1), default=10, show_default=True, help="Most defects in one plan.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Stop after N clean plans.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def evaluate_mutate(
    plans: tuple[str, ...],
    repo_path: Path | None,
    rev: str,
    plan_rev: str | None,
    list_file: Path | None,
    seed: int,
    per_plan: int,
    limit: int | None,
    form: str,
) -> None:
    """Recall of `verify` on defects that are seeded into clean plans and their trees.

    PLAN is as for `verify`; a plan that is not clean as it is is passed over. Nothing is written to the repository.
    Exit 0 when the floor holds, 1 when it does not or no defect could be seeded, 2 when a plan cannot be read.
    """
    from bot.terminal import mutate as parts

    if list_file and (plans or repo_path or plan_rev or rev != "auto"):
        raise click.UsageError("Give either plans or --list FILE, not both.")
    asked = parts.listed(list_file) if list_file else parts.requests(plans, repo_path, rev, plan_rev)
    mutation = parts.run(asked, seed=seed, per_plan=per_plan, limit=limit)
    parts.show(mutation, form)
    sys.exit(0 if mutation.holds else 1)


@cli.group("config")
def configuration() -> None:
    """The configuration that a repository keeps in .github/planproof.yml."""


@configuration.command("check")
@click.argument("file", required=False)
def config_check(file: str | None) -> None:
    """Is FILE a valid configuration?

    FILE is .github/planproof.yml of the work tree unless named; - reads standard input. Each error is a line
    FILE:LINE: message. Exit 0 when it is valid, 1 with errors, 2 when it cannot be read.
    """
    from bot.terminal import config as parts

    sys.exit(0 if parts.check(file) else 1)


@cli.command()
@click.argument("event")
@click.argument("file", type=click.Path(path_type=Path))
def deliver(event: str, file: Path) -> None:
    """Send FILE, signed, as a webhook EVENT to the server of this machine.

    The server's address is PLANPROOF_HOST and PLANPROOF_PORT, the secret PLANPROOF_WEBHOOK_SECRET, in the environment
    or in `.env`.
    """
    import json

    from bot.terminal.deliver import DeliveryError
    from bot.terminal.deliver import deliver as send
    from bot.terminal.shared import file_bytes, tell

    host, port, secret = _receiver()
    body = file_bytes(file)
    try:
        json.loads(body)
    except ValueError as problem:
        tell(f"note: {file} is not JSON ({problem}); sent as it is")
    try:
        answer = send(event, body, secret, host=host, port=port)
    except DeliveryError as problem:
        raise click.ClickException(f"{problem}. Is `planproof serve` running?") from None
    click.echo(f"{answer.status} {answer.text.strip()}".rstrip())
    click.echo(f"delivery {answer.delivery}", err=True)
    if not 200 <= answer.status < 300:
        sys.exit(1)


@cli.command()
def serve() -> None:
    """Receive webhooks and work on them."""
    from bot.settings import SettingsError, load
    from bot.terminal.shared import InputProblem

    try:
        settings = load()
    except SettingsError as problem:
        raise InputProblem(str(problem)) from None
    from bot import app

    sys.exit(app.serve(settings))


def main() -> None:
    """The console script: nothing that goes wrong shows a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # a plan may hold any character, a terminal may not
            stream.reconfigure(errors="backslashreplace")
    try:
        cli(prog_name="planproof", standalone_mode=False)
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(INTERRUPTED)
    except Exception as error:  # noqa: BLE001  the last line of defence
        from bot.terminal.shared import tell

        frame = error.__traceback__
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        where = f" at {Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno}" if frame else ""
        tell(f"Error: planproof failed: {type(error).__name__}: {error}{where}. Please report this.")
        sys.exit(FAILED)


def _receiver() -> tuple[str, int, str]:
    """Host, port and secret of the local server: all that a delivery needs of the settings."""
    from bot.settings import SettingsError, env_values
    from bot.terminal.shared import InputProblem

    try:
        values: dict[str, str | None] = {**env_values(), **os.environ}
    except SettingsError as problem:
        raise InputProblem(str(problem)) from None
    secret = next(
        (part.strip() for part in (values.get("PLANPROOF_WEBHOOK_SECRET") or "").split(",") if part.strip()), ""
    )
    if not secret:
        raise InputProblem("PLANPROOF_WEBHOOK_SECRET is not set, so nothing can be signed")
    port = values.get("PLANPROOF_PORT") or "8000"
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise InputProblem(f"PLANPROOF_PORT must be a port number, not {port}")
    return values.get("PLANPROOF_HOST") or "127.0.0.1", int(port), secret


if __name__ == "__main__":
    main()
