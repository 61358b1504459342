"""`make demo`: a look-alike GitHub, the real App, and a flawed plan in a pull request.

Prints what the App posted and the address of the pull request's page, then serves until Ctrl-C. With DEMO_ONCE=1 it
ends after printing, with status 0 when all was posted as expected and 1 when not.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.rule import Rule

from tests import sample
from tests.lookalike.state import Issue
from tests.stage import Stage, staged


@dataclass(frozen=True)
class Demo:
    """The stage, a pull request that brings a flawed plan, and the issue that it closes."""

    stage: Stage
    pull: Issue
    issue: Issue


@contextmanager
def set_up(folder: Path) -> Iterator[Demo]:
    """Everything the demo shows, posted already; `folder` takes the repositories and the App's data."""
    with staged(folder, clock=now, module=None) as stage:
        issue = stage.look.open_issue(stage.repo, sample.ISSUE_TITLE, sample.ISSUE_PLAN, user="writer")
        pull = stage.look.open_pull(
            stage.repo,
            "retry-plan",
            {sample.PLAN_PATH: sample.FLAWED_PLAN},
            title="Plan: retry failed calls",
            body=f"The plan for retries. Closes #{issue.number}.",
            draft=True,
        )
        stage.settle()
        yield Demo(stage, pull, issue)


def main() -> int:
    once = os.environ.get("DEMO_ONCE") == "1"
    console = Console(soft_wrap=False)
    console.print("[dim]starting a look-alike GitHub and the App …[/dim]")
    with tempfile.TemporaryDirectory(prefix="planproof-demo-") as folder, set_up(Path(folder)) as demo:
        show(console, demo.stage, demo.pull, demo.issue)
        missing = unexpected(demo.stage, demo.pull, demo.issue)
        for line in missing:
            console.print(f"[red]not as expected:[/red] {line}")
        if not once:
            console.print(what_to_try(demo))
            with suppress(KeyboardInterrupt):
                threading.Event().wait()
            console.print()
        return 1 if missing else 0


def what_to_try(demo: Demo) -> str:
    """Commands for the comment box of the pull request's page, and who may give each."""
    finding = findings(demo.stage.ours(demo.pull)[0])[0]
    lines = (
        ("/plan help", "author, triager, writer, owner"),
        ("/plan verify", "author, triager, writer, owner"),
        (f"/plan dismiss {finding} it comes later", "author, writer, owner"),
    )
    commands = "\n".join(f"  {command:<42} {who}" for command, who in lines)
    return (
        "Comment on the pull request's page, as one of the people in “Act as”:\n"
        f"{commands}\n"
        "The answers appear there by themselves, to others too. Or push, close, re-run.\n"
        "Ctrl-C ends the demo."
    )


def findings(comment: str) -> list[str]:
    """The ids in the first column of a comment's table, in its order."""
    return re.findall(r"^\|.*?\b(f-[0-9a-f]{6,12})\b", comment, re.MULTILINE)


def now() -> datetime:
    return datetime.now(UTC)


def show(console: Console, stage: Stage, pull: Issue, issue: Issue) -> None:
    """What was posted, as a reader of the terminal wants it; the pages show it as GitHub would."""
    for comment in stage.ours(pull):
        console.print(Rule(f"comment on pull request #{pull.number}"))
        console.print(Markdown(visible(comment)))
    for comment in stage.ours(issue):
        console.print(Rule(f"comment on issue #{issue.number}"))
        console.print(Markdown(visible(comment)))
    console.print(Rule("also posted"))
    console.print(f"label  {', '.join(stage.labels(pull)) or 'none'}")
    for run in stage.checks(pull):
        console.print(f"check  {run.name}: {run.conclusion}, “{run.title}”, {len(run.annotations)} annotations")
    console.print(f"\npull request  {page(stage, pull, 'pull')}\nissue         {page(stage, issue, 'issues')}\n")


def visible(comment: str) -> str:
    """The comment without its marker and without link targets, which a terminal would print in full."""
    text = re.sub(r"<!--.*?-->\n?", "", comment)
    text = re.sub(r"</?(?:details|summary)>", "\n", text)
    return re.sub(r"\]\(https?://[^)\s]*\)", "]", text)


def page(stage: Stage, issue: Issue, kind: str) -> str:
    return f"{stage.look.url}/{stage.repo.full_name}/{kind}/{issue.number}"


def unexpected(stage: Stage, pull: Issue, issue: Issue) -> list[str]:
    """Where what was posted differs from what the sample's defects call for."""
    text = "\n".join(stage.ours(pull))
    found = [f"no word of {word}" for word in sample.DEFECTS if word not in text]
    if len(stage.ours(pull)) != 1:
        found.append(f"{len(stage.ours(pull))} comments on the pull request, not one")
    if stage.labels(pull) != ["plan/needs-fix"]:
        found.append(f"labels {stage.labels(pull)}")
    if stage.conclusions(pull) != ["failure"]:
        found.append(f"check conclusions {stage.conclusions(pull)}")
    if len(stage.ours(issue)) != 2:
        found.append(f"{len(stage.ours(issue))} comments on the issue, not a plan check and the evidence")
    if not any("capability.transport.retry" in comment for comment in stage.ours(issue)):
        found.append("no word of the capability that exists already")
    return found + stage.look.problems


if __name__ == "__main__":
    sys.exit(main())
