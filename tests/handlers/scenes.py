"""What the threads of this folder set up: repositories with a configuration of their own, and plans in them."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from tests import sample
from tests.handlers.test_pull_request import FLAWED
from tests.lookalike.gitstore import Content
from tests.lookalike.state import CheckRun, Installation, Issue, Repository
from tests.stage import MANIFEST, ROLES, Stage

CONFIG = ".github/planproof.yml"
PLAN = "docs/plans/retry.md"

_NUMBERS = itertools.count(1)


def repository(stage: Stage, config: str | None = None, *, owner: str = "acme", name: str | None = None) -> Repository:
    """A repository that nobody else uses; `config` is the text of its configuration, None for no file."""
    files = {path: text for path, text in sample.files("2026-01-05").items() if path != CONFIG}
    files |= {CONFIG: config} if config is not None else {}
    return stage.look.create_repository(f"{owner}/{name or f'gears-{next(_NUMBERS)}'}", files, roles=ROLES)


def installed(stage: Stage, owner: str, permissions: Mapping[str, str] | None = None) -> Installation:
    """The App on another account, with what the manifest asks for and `permissions` beyond it."""
    granted = {**MANIFEST["default_permissions"], **(permissions or {})}
    return stage.look.install(stage.installation.app, owner, permissions=granted, by="owner")


def pull_in(
    stage: Stage,
    repo: Repository,
    files: Mapping[str, Content] | str = FLAWED,
    **how: Any,
) -> Issue:
    """A pull request that has been looked at; a text is a plan."""
    files = {PLAN: files} if isinstance(files, str) else files
    pull = stage.look.open_pull(repo, f"change-{next(_NUMBERS)}", files, **how)
    stage.settle()
    return pull


def push_to(stage: Stage, pull: Issue, files: Mapping[str, Content] | str, message: str = "Change") -> str:
    assert pull.pull is not None
    files = {PLAN: files} if isinstance(files, str) else files
    sha = stage.look.push(pull.pull.head_repository, pull.pull.head_ref, files, message)
    stage.settle()
    return sha


def head_of(pull: Issue) -> str:
    assert pull.pull is not None
    return pull.pull.head_sha


def runs(stage: Stage, repo: Repository, sha: str) -> list[CheckRun]:
    return stage.look.runs(repo, sha, name="planproof")


def run_of(stage: Stage, pull: Issue, sha: str | None = None) -> CheckRun:
    """The one check run on the head, or on another commit."""
    [run] = runs(stage, pull.repository, sha or head_of(pull))
    return run


def conclusion(stage: Stage, pull: Issue) -> str | None:
    return run_of(stage, pull).conclusion


def writes(stage: Stage) -> list[str]:
    return [request.line for request in stage.look.writes]


def updates(stage: Stage, run: CheckRun) -> list[dict[str, Any]]:
    """What was sent to a check run after it was made, oldest first."""
    return [request.body for request in stage.look.asked("PATCH", rf"/check-runs/{run.id}$")]


def rows(stage: Stage, query: str, *values: object) -> list[tuple[Any, ...]]:
    """Rows of the server's database."""
    database = stage.server.folder / "data" / "planproof.db"
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)) as connection:
        return connection.execute(query, values).fetchall()


def change_rows(stage: Stage, statement: str, *values: object) -> None:
    database = stage.server.folder / "data" / "planproof.db"
    with closing(sqlite3.connect(database, timeout=30)) as connection, connection:
        connection.execute(statement, values)


def log_since(stage: Stage, mark: int) -> str:
    return stage.server.log()[mark:]


def many_findings(count: int, *, name: str = "part") -> str:
    """A plan with that many findings."""
    tasks = (
        f"### Task {n}: Part {n}\n\n**Files:**\n- Modify: `src/widgets/{name}_{n}.py`\n\n- [ ] **Step 1: Write it**\n"
        for n in range(1, count + 1)
    )
    return "# Parts Plan\n\n" + "\n".join(tasks)
