"""Whatever becomes of webhooks, the process and its database: each pull request is judged, and nothing stands twice."""

from __future__ import annotations

import itertools
import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.handlers.test_pull_request import FLAWED, SOUND
from tests.lookalike.state import CheckRun, Issue
from tests.stage import Stage, staged, until

_BRANCHES = itertools.count(1)
CAPABILITY = "# Retry failed calls\n\n### Task 1: Retry failed calls with exponential backoff\n"


@pytest.fixture(scope="module")
def theatre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with staged(tmp_path_factory.mktemp("stage"), clock=lambda: datetime.now(UTC)) as made:
        # so that what the tests do is later by more than the second that GitHub's times are told in
        made.installation.created_at -= timedelta(hours=1)
        made.settle()
        yield made


@pytest.fixture
def stage(theatre: Stage) -> Iterator[Stage]:
    theatre.look.forget()
    before = len(theatre.server.log())
    yield theatre
    assert theatre.look.problems == []
    assert [line for line in theatre.server.log()[before:].splitlines() if " error " in line] == []


def start(stage: Stage) -> str:
    """Start the server and wait for the end of its first sweep and of all that it led to; what it logged."""
    offset = len(stage.server.log())
    stage.server.start()
    until(lambda: "sweep.finished" in stage.server.log()[offset:], "no sweep")
    stage.settle()
    return stage.server.log()[offset:]


def restart(stage: Stage) -> str:
    stage.server.stop()
    return start(stage)


def open_pull(stage: Stage, plan: str = FLAWED, **how: object) -> Issue:
    branch = f"lost-{next(_BRANCHES)}"
    # a file of its own keeps two commits of one second apart
    files = {"docs/plans/retry.md": plan, f"{branch}.txt": "\n"}
    return stage.look.open_pull(stage.repo, branch, files, **how)  # type: ignore[arg-type]


def judged_once(stage: Stage, pull: Issue) -> None:
    assert len(stage.ours(pull)) == 1
    assert stage.labels(pull) == ["plan/needs-fix"]
    [run] = stage.checks(pull)
    assert (run.status, run.conclusion) == ("completed", "failure")


@contextmanager
def webhook_elsewhere(stage: Stage) -> Iterator[None]:
    """Every delivery is taken by somebody else, so that none of them counts as failed."""

    class Elsewhere(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            pass

    [app] = stage.look.apps.values()
    before = app.webhook_url
    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        app.webhook_url = f"http://127.0.0.1:{server.server_port}/"
        try:
            yield
            stage.look.outbox.settle()
        finally:
            app.webhook_url = before
            server.shutdown()
            thread.join()


def age(stage: Stage) -> None:
    """The deliveries so far were made a while ago."""
    stage.look.outbox.settle()
    for delivery in stage.look.outbox.attempts:
        delivery.delivered_at -= timedelta(minutes=5)


def jobs(log: str) -> int:
    return log.count("job.enqueued")


def test_what_was_sent_while_the_server_was_down_is_redelivered_and_judged_once(stage: Stage) -> None:
    stage.server.kill()
    pulls = [open_pull(stage) for _ in range(3)]
    pushed = stage.look.push(stage.repo, "main", {"docs/plans/pushed.md": FLAWED}, "Plan")
    age(stage)
    log = start(stage)
    for pull in pulls:
        judged_once(stage, pull)
    [run] = stage.look.runs(stage.repo, pushed, name="planproof")
    assert run.conclusion == "failure"
    # each pull request, and the push of each branch
    assert log.count("delivery.redelivered") == 7
    age(stage)
    assert "delivery.redelivered" not in restart(stage)


def test_events_that_were_lost_without_a_trace_are_made_up_for(stage: Stage) -> None:
    with webhook_elsewhere(stage):
        pull = open_pull(stage)
        issue = stage.look.open_issue(stage.repo, "Retry failed calls", CAPABILITY)
    stage.settle()
    assert (stage.ours(pull), stage.ours(issue)) == ([], [])
    assert jobs(restart(stage)) == 2
    judged_once(stage, pull)
    assert len(stage.ours(issue)) == 1
    # what the App itself wrote since is no reason to look again
    stage.look.forget()
    assert jobs(restart(stage)) == 0
    assert stage.look.writes == []


def test_what_a_person_cancelled_is_not_begun_again_by_a_sweep(stage: Stage) -> None:
    stage.look.fail_next("GET", r"/compare/", None, delay=20)
    pull = open_pull(stage)
    until(lambda: stage.look.asked("GET", r"/compare/"), "the job did not begin")
    stage.look.comment(pull, "/plan cancel", user="writer")
    stage.settle()
    time.sleep(1.1)  # GitHub tells times in whole seconds
    stage.look.comment(pull, "So be it.", user="writer")
    assert jobs(restart(stage)) == 0
    assert stage.conclusions(pull) == ["cancelled"]
    assert pull.pull is not None
    with webhook_elsewhere(stage):
        stage.look.push(stage.repo, pull.pull.head_ref, {"docs/plans/retry.md": SOUND}, "Mend the plan")
    restart(stage)
    assert stage.conclusions(pull) == ["success"]


def test_an_issue_whose_answer_a_person_cancelled_is_left_alone_until_it_changes(stage: Stage) -> None:
    issue = open_issue_slowly(stage)
    stage.look.comment(issue, "/plan cancel", user="writer")
    stage.settle()
    time.sleep(1.1)  # GitHub tells times in whole seconds
    stage.look.comment(issue, "So be it.", user="writer")
    assert jobs(restart(stage)) == 0
    assert [body for body in stage.ours(issue) if "plan-check" in body] == []
    stage.look.edit(issue, body=CAPABILITY + "Now.\n")
    stage.settle()
    assert len([body for body in stage.ours(issue) if "plan-check" in body]) == 1


def open_issue_slowly(stage: Stage) -> Issue:
    """An issue whose answer is being made."""
    stage.look.fail_next("GET", r"/issues/\d+$", None, delay=20)
    issue = stage.look.open_issue(stage.repo, "Retry failed calls", CAPABILITY)
    until(lambda: stage.look.asked("GET", rf"/issues/{issue.number}$"), "the job did not begin")
    return issue


def test_a_push_that_was_lost_without_a_trace_is_judged_at_its_head(stage: Stage) -> None:
    pull = open_pull(stage)
    stage.settle()
    assert pull.pull is not None
    with webhook_elsewhere(stage):
        stage.look.push(stage.repo, pull.pull.head_ref, {"docs/plans/retry.md": SOUND}, "Mend the plan")
    restart(stage)
    assert stage.conclusions(pull) == ["success"]
    assert stage.labels(pull) == []
    assert len(stage.ours(pull)) == 1


def test_an_issue_that_was_edited_unseen_is_answered_anew(stage: Stage) -> None:
    issue = stage.look.open_issue(stage.repo, "Retry failed calls", CAPABILITY)
    stage.settle()
    assert len(stage.ours(issue)) == 1
    time.sleep(1.1)  # GitHub tells times in whole seconds
    with webhook_elsewhere(stage):
        stage.look.edit(issue, body="No plan any more.")
    assert jobs(restart(stage)) == 1
    [answer] = stage.ours(issue)
    assert "no plan" in answer


def test_what_was_last_changed_before_the_installation_is_left_alone(stage: Stage) -> None:
    with webhook_elsewhere(stage):
        old = [open_pull(stage), stage.look.open_issue(stage.repo, "Retry failed calls", CAPABILITY)]
    for each in old:
        each.updated_at = stage.installation.created_at
    lose_database(stage)
    start(stage)
    assert [stage.ours(each) for each in old] == [[], []]
    assert stage.checks(old[0]) == []


def lose_database(stage: Stage) -> None:
    stage.server.stop()
    data: Path = stage.server.folder / "data"
    for file in data.glob("planproof.db*"):
        file.unlink()


def test_a_lost_database_costs_no_verdict_and_no_second_comment(stage: Stage) -> None:
    pulls = [open_pull(stage), open_pull(stage, SOUND)]
    issue = stage.look.open_issue(stage.repo, "Retry failed calls", CAPABILITY)
    stage.settle()
    before = [stage.checks(pull)[0].id for pull in pulls]
    lose_database(stage)
    log = start(stage)
    judged_once(stage, pulls[0])
    assert [stage.checks(pull)[0].id for pull in pulls] == before
    assert stage.conclusions(pulls[1]) == ["success"]
    assert len(stage.ours(issue)) == 1
    for number in (pulls[0].number, pulls[1].number):
        assert re.search(rf"job\.enqueued job={stage.repo.id}/{number}:", log)


def opened_long_ago(stage: Stage, number: int, head: str) -> None:
    row = (stage.repo.id, number, head, stage.installation.id, stage.repo.full_name, int(time.time() - 7200) * 1000)
    with closing(sqlite3.connect(stage.server.folder / "data" / "planproof.db", timeout=10)) as connection, connection:
        names = "repo_id, number, head_sha, installation_id, repo, since"
        connection.execute(f"INSERT INTO planproof_open_checks ({names}) VALUES (?, ?, ?, ?, ?, ?)", row)  # noqa: S608


def still_open(stage: Stage) -> int:
    with closing(sqlite3.connect(stage.server.folder / "data" / "planproof.db", timeout=10)) as connection:
        return int(connection.execute("SELECT count(*) FROM planproof_open_checks").fetchone()[0])


def ended(run: CheckRun) -> str | None:
    return run.conclusion if run.status == "completed" else run.status


def test_a_check_that_nobody_completed_is_completed_by_judging_again(stage: Stage) -> None:
    pull = open_pull(stage)
    pushed = stage.look.push(stage.repo, "main", {"docs/plans/stuck.md": FLAWED}, "Plan")
    stage.settle()
    assert pull.pull is not None
    stuck = [*stage.checks(pull), *stage.look.runs(stage.repo, pushed, name="planproof")]
    for run in stuck:
        run.status, run.conclusion = "in_progress", None
    stage.server.stop()
    opened_long_ago(stage, pull.number, pull.pull.head_sha)
    opened_long_ago(stage, 0, pushed)
    start(stage)
    assert [ended(run) for run in stuck] == ["failure", "failure"]
    judged_once(stage, pull)
    assert "check.again" not in restart(stage)
    assert still_open(stage) == 0


def test_a_check_of_an_older_head_that_nobody_completed_is_cancelled(stage: Stage) -> None:
    pull = open_pull(stage)
    stage.settle()
    assert pull.pull is not None
    head, [run] = pull.pull.head_sha, stage.checks(pull)
    stage.look.push(stage.repo, pull.pull.head_ref, {"docs/plans/retry.md": SOUND}, "Mend the plan")
    stage.settle()
    run.status, run.conclusion = "in_progress", None
    stage.server.stop()
    opened_long_ago(stage, pull.number, head)
    assert jobs(start(stage)) == 0
    assert ended(run) == "cancelled"
    assert stage.conclusions(pull) == ["success"]
    assert still_open(stage) == 0


def test_a_sweep_over_what_has_not_changed_asks_once_for_each_list(stage: Stage) -> None:
    pulls = [open_pull(stage, SOUND) for _ in range(3)]
    stage.settle()
    restart(stage)
    for pull in pulls:
        pull.updated_at -= timedelta(minutes=3)
    for issue in stage.repo.issues.values():
        if issue not in pulls:
            issue.state = "closed"
    stage.look.forget()
    log = restart(stage)
    assert jobs(log) == 0
    asked = [request.path for request in stage.look.requests if not request.path.endswith("/access_tokens")]
    # more than one page of the deliveries of this whole module
    assert {path for path in asked if asked.count(path) > 1} <= {"/app/hook/deliveries"}
    assert list(dict.fromkeys(asked)) == [
        "/app/hook/deliveries",
        "/app/installations",
        "/installation/repositories",
        f"/repos/{stage.repo.full_name}/issues",
    ]
