"""kill -9 of the real server at each step of a job: after a restart, one comment, one check run, one label, once.

Each kill hits a fresh pull request. The kills within a step are timed by the look-alike: it ends the server just
before it carries out the request that is named, so that what was asked for before has happened and the rest has not.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.handlers.test_pull_request import FLAWED
from tests.lookalike.state import Issue
from tests.stage import Stage, staged

MOMENTS = (
    "delivery.stored name=pull_request",
    "job.enqueued",
    "job.started",
    "step.started name=resolve ",
    "step.started name=fetch ",
    "step.started name=find-plans ",
    "step.started name=judge-1 ",
    "step.started name=plan-check ",
    "step.started name=publish ",
)
WITHIN = (
    ("GET", r"/pulls/\d+$"),
    ("GET", r"/compare/"),
    ("POST", r"/access_tokens$"),
    ("POST", r"/issues/\d+/comments$"),
    ("GET", r"/labels/plan"),
    ("POST", r"/issues/\d+/labels$"),
    ("POST", r"/check-runs$"),
    ("GET", r"/check-runs$"),
)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with staged(tmp_path_factory.mktemp("stage")) as made:
        yield made
        assert made.look.problems == []


def judged_once(stage: Stage, pull: Issue) -> None:
    assert pull.pull is not None
    assert len(stage.ours(pull)) == 1
    assert stage.labels(pull) == ["plan/needs-fix"]
    [run] = stage.checks(pull)
    assert (run.status, run.conclusion) == ("completed", "failure")
    assert run.suite.head_sha == pull.pull.head_sha


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_server_killed_as_a_step_begins_finishes_the_job_after_its_restart(stage: Stage, moment: str) -> None:
    offset = len(stage.server.log())
    branch = f"killed-at-{MOMENTS.index(moment)}"
    pull = stage.look.open_pull(stage.repo, branch, {"docs/plans/retry.md": FLAWED})
    _wait_for_line(stage, offset, moment)
    stage.server.kill()
    stage.server.start()
    stage.settle()
    judged_once(stage, pull)


@pytest.mark.parametrize(("method", "path"), WITHIN)
def test_a_server_killed_between_two_requests_posts_nothing_twice(stage: Stage, method: str, path: str) -> None:
    killed = threading.Event()

    def kill() -> None:
        stage.server.kill()
        killed.set()

    if "access_tokens" in path:
        stage.look.revoke_tokens()
    stage.look.before_next(method, path, kill)
    name = "".join(c if c.isalnum() else "-" for c in f"{method}{path}")
    pull = stage.look.open_pull(stage.repo, f"killed-at-{name.strip('-')}", {"docs/plans/retry.md": FLAWED})
    assert killed.wait(60)
    stage.server.start()
    stage.settle()
    judged_once(stage, pull)


def test_a_step_that_had_finished_is_not_run_again(stage: Stage) -> None:
    offset = len(stage.server.log())
    pull = stage.look.open_pull(stage.repo, "killed-after-judge", {"docs/plans/retry.md": FLAWED})
    _wait_for_line(stage, offset, "step.started name=publish ")
    stage.server.kill()
    stage.server.start()
    stage.settle()
    judged_once(stage, pull)
    ran = stage.server.log()[offset:]
    assert ran.count("step.started name=judge-1 ") == 1


def _wait_for_line(stage: Stage, offset: int, words: str) -> None:
    log: Path = stage.server.folder / "log"
    end = time.monotonic() + 60
    while words not in log.read_text(encoding="utf-8", errors="replace")[offset:]:
        assert time.monotonic() < end, f"no line `{words}`"
        time.sleep(0.001)


def test_what_the_server_keeps_is_for_its_user_alone(stage: Stage) -> None:
    data = stage.server.folder / "data"
    modes = {path.name: path.stat().st_mode & 0o077 for path in data.rglob("*")}
    assert modes
    assert {name: mode for name, mode in modes.items() if mode} == {}
