"""Threads of the merge queue: the group's commit gets what its pull request came to, never green without a report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.handlers.scenes import (
    CONFIG,
    PLAN,
    change_rows,
    conclusion,
    head_of,
    pull_in,
    push_to,
    repository,
    rows,
    runs,
    writes,
)
from tests.handlers.test_pull_request import FLAWED, SOUND
from tests.lookalike.state import CheckRun, Issue, Repository
from tests.stage import Stage

NO_PLAN = {"NEWS.md": "Nothing yet.\n"}


@pytest.fixture
def repo(stage: Stage) -> Repository:
    return repository(stage)


def queue(stage: Stage, pull: Issue) -> CheckRun:
    """The check run of the merge group, with the journal of what its making took."""
    stage.settle()
    stage.look.forget()
    sha = stage.look.enqueue(pull)
    stage.settle()
    [run] = runs(stage, pull.repository, sha)
    return run


@contextmanager
def unheard(stage: Stage) -> Iterator[None]:
    """What happens meanwhile is not told."""
    with stage.look.outbox.held() as held:
        yield
        for delivery in held:
            stage.look.outbox.attempts.remove(delivery)
        held.clear()


def lose_database(stage: Stage, repo: Repository) -> None:
    for table in ("planproof_reports", "planproof_runs", "planproof_configs"):
        change_rows(stage, f"DELETE FROM {table} WHERE repo_id = ?", repo.id)  # noqa: S608


@pytest.mark.parametrize(("plan", "expected"), [(SOUND, "success"), (FLAWED, "failure"), (None, "skipped")])
def test_the_queue_is_answered_from_what_is_stored(
    stage: Stage, repo: Repository, plan: str | None, expected: str
) -> None:
    pull = pull_in(stage, repo, {PLAN: plan} if plan is not None else NO_PLAN)
    judged = len(rows(stage, "SELECT 1 FROM planproof_runs WHERE repo_id = ? AND verdict IS NOT NULL", repo.id))
    run = queue(stage, pull)
    assert (run.status, run.conclusion) == ("completed", expected)
    assert f"What pull request #{pull.number} came to at" in (run.summary or "")
    assert (run.annotations, run.actions) == ([], [])
    # nothing is judged again and nothing fetched
    after = rows(stage, "SELECT 1 FROM planproof_runs WHERE repo_id = ? AND verdict IS NOT NULL", repo.id)
    assert len(after) == judged
    assert stage.look.git_requests == []
    assert len(writes(stage)) == 1
    assert len([request for request in stage.look.requests if "access_tokens" not in request.path]) <= 6


@pytest.mark.parametrize(
    ("files", "expected"), [({PLAN: SOUND}, "success"), ({PLAN: FLAWED}, "failure"), (NO_PLAN, "skipped")]
)
def test_what_was_never_judged_is_judged_first(
    stage: Stage, repo: Repository, files: dict[str, str | bytes | None], expected: str
) -> None:
    with unheard(stage):
        pull = stage.look.open_pull(repo, "unheard", files)
    run = queue(stage, pull)
    assert run.conclusion == expected
    assert conclusion(stage, pull) == expected
    assert head_of(pull) != run.head_sha


def test_a_head_that_moved_after_the_group_was_made_says_nothing_about_the_group(
    stage: Stage, repo: Repository
) -> None:
    pull = pull_in(stage, repo, FLAWED)
    with stage.look.outbox.held() as held:
        group = stage.look.enqueue(pull)
        [told] = [delivery for delivery in held if delivery.event == "merge_group"]
        held.remove(told)
        stage.look.outbox.attempts.remove(told)
    push_to(stage, pull, SOUND)
    assert conclusion(stage, pull) == "success"
    stage.look.outbox.redeliver(told)
    stage.settle()
    [run] = runs(stage, repo, group)
    assert run.conclusion == "action_required"
    assert "pushed to after this merge group was made" in (run.summary or "")


@pytest.mark.parametrize(("plan", "expected"), [(SOUND, "success"), (FLAWED, "failure"), (None, "skipped")])
def test_a_lost_database_is_made_good_by_judging_again(
    stage: Stage, repo: Repository, plan: str | None, expected: str
) -> None:
    pull = pull_in(stage, repo, {PLAN: plan} if plan is not None else NO_PLAN)
    lose_database(stage, repo)
    assert queue(stage, pull).conclusion == expected
    assert len(stage.ours(pull)) == (1 if plan == FLAWED else 0)


def test_one_report_of_two_is_no_answer(stage: Stage, repo: Repository) -> None:
    """A run that judges several plans stores one report after another: what stands between is not yet the outcome."""
    pull = pull_in(stage, repo, {"docs/plans/a.md": SOUND, "docs/plans/b.md": FLAWED})
    change_rows(stage, "DELETE FROM planproof_runs WHERE repo_id = ?", repo.id)
    change_rows(stage, "DELETE FROM planproof_reports WHERE repo_id = ? AND plan_path = 'docs/plans/b.md'", repo.id)
    assert queue(stage, pull).conclusion == "failure"


def test_a_report_that_cannot_be_read_is_never_green(stage: Stage, repo: Repository) -> None:
    pull = pull_in(stage, repo, SOUND)
    change_rows(stage, """UPDATE planproof_reports SET report = '{"schema": 99}' WHERE repo_id = ?""", repo.id)
    assert queue(stage, pull).conclusion == "action_required"


def test_a_group_whose_pull_request_is_gone_is_refused(stage: Stage, repo: Repository) -> None:
    pull = pull_in(stage, repo, SOUND)
    with stage.look.outbox.held():
        sha = stage.look.enqueue(pull)
        del repo.issues[pull.number]
    stage.settle()
    [run] = runs(stage, repo, sha)
    assert run.conclusion == "action_required"
    assert "names no pull request" in (run.summary or "")
    assert "add the pull request to the merge queue again" in (run.summary or "")
    assert run.actions == []


def test_a_group_whose_pull_request_cannot_be_judged_is_never_green(stage: Stage, repo: Repository) -> None:
    stage.look.fail_next("GET", r"/compare/", 404, message="No common ancestor between main and plan.")
    pull = pull_in(stage, repo, SOUND)
    assert conclusion(stage, pull) == "action_required"
    run = queue(stage, pull)
    assert run.conclusion == "action_required"
    assert "was not judged at its head" in (run.summary or "").lower()


def test_a_group_is_answered_also_when_looking_at_its_pull_request_fails_for_good(
    stage: Stage, repo: Repository
) -> None:
    stage.expected_errors.add("job.failed")
    pull = pull_in(stage, repo, SOUND)
    stage.look.fail_next("GET", rf"/pulls/{pull.number}$", 418)
    run = queue(stage, pull)
    assert (run.status, run.conclusion) == ("completed", "action_required")


@pytest.mark.parametrize("mode", ["off", "shadow"])
def test_a_repository_that_wants_nothing_posted_gets_no_check_on_a_group(stage: Stage, mode: str) -> None:
    repo = repository(stage, f"mode: {mode}\n")
    pull = pull_in(stage, repo, FLAWED)
    groups = [stage.look.enqueue(pull)]
    stage.settle()
    stage.look.dequeue(pull)
    with stage.look.outbox.held():
        stage.look.push(repo, "main", {"NEWS.md": "Nothing yet.\n"})
        groups.append(stage.look.enqueue(pull))
        del repo.issues[pull.number]
    stage.settle()
    assert [runs(stage, repo, sha) for sha in groups] == [[], []]
    assert writes(stage) == []


@pytest.mark.parametrize("files", [{PLAN: SOUND}, NO_PLAN])
def test_a_group_is_never_greener_than_the_check_of_its_pull_request(
    stage: Stage, repo: Repository, files: dict[str, str | bytes | None]
) -> None:
    pull = pull_in(stage, repo, {**files, CONFIG: "labels: [\n"})
    assert conclusion(stage, pull) == "failure"
    run = queue(stage, pull)
    assert run.conclusion == "action_required"
    assert "came to `failure`" in (run.summary or "")


def test_a_group_that_is_judged_first_is_no_greener_than_its_pull_request(stage: Stage, repo: Repository) -> None:
    with unheard(stage):
        pull = stage.look.open_pull(repo, "unheard-config", {CONFIG: "labels: [\n"})
    assert queue(stage, pull).conclusion == "action_required"
    assert conclusion(stage, pull) == "failure"


def test_a_group_waits_for_the_jobs_of_its_pull_request(stage: Stage, repo: Repository) -> None:
    pull = pull_in(stage, repo, SOUND)
    queue(stage, pull)
    query = "SELECT job_id, number FROM planproof_runs WHERE repo_id = ? AND handler = 'merge_group'"
    [(job, number)] = rows(stage, query, repo.id)
    assert job.startswith(f"{repo.id}/{pull.number}:")
    assert number == pull.number


def test_a_merged_group_leaves_its_commit_with_one_check(stage: Stage, repo: Repository) -> None:
    pull = pull_in(stage, repo, SOUND)
    run = queue(stage, pull)
    stage.look.dequeue(pull, reason="merged")
    stage.settle()
    assert [each.conclusion for each in runs(stage, repo, run.head_sha)] == ["success"]


def test_a_gate_that_is_off_holds_for_the_group_too(stage: Stage) -> None:
    repo = repository(stage, "gate: false\n")
    assert repo.git.entry(str(repo.git.branch("main")), CONFIG) is not None
    assert queue(stage, pull_in(stage, repo, FLAWED)).conclusion == "neutral"


def test_a_re_run_on_a_group_completes_its_check_as_it_was(stage: Stage, repo: Repository) -> None:
    run = queue(stage, pull_in(stage, repo, SOUND))
    stage.look.forget()
    stage.look.rerequest(run)
    stage.settle()
    assert writes(stage) == [f"PATCH /repos/{repo.full_name}/check-runs/{run.id}"]
    assert run.conclusion == "success"
