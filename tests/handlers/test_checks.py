"""Threads about the check run: asked for again, in many parts, on commits that are not judged any more."""

from __future__ import annotations

import pytest

from tests.handlers.scenes import (
    CONFIG,
    PLAN,
    change_rows,
    conclusion,
    head_of,
    many_findings,
    pull_in,
    push_to,
    repository,
    rows,
    run_of,
    runs,
    updates,
    writes,
)
from tests.handlers.test_pull_request import FLAWED, SOUND
from tests.lookalike.state import CheckRun, Issue, Repository
from tests.stage import Stage


def ask_again(stage: Stage, run: CheckRun, how: str) -> None:
    stage.look.forget()
    if how == "Re-run":
        stage.look.rerequest(run)
    else:
        stage.look.rerequest_suite(run.suite)
    stage.settle()


BOTH_WAYS = ("Re-run", "Re-run all")


def assert_completed_again(stage: Stage, run: CheckRun, conclusion: str) -> None:
    """The run is completed as it was, by the only write."""
    assert (run.status, run.conclusion) == ("completed", conclusion)
    assert writes(stage) == [f"PATCH /repos/{run.suite.repository.full_name}/check-runs/{run.id}"]
    assert updates(stage, run)[0]["status"] == "completed"


def test_the_button_re_verify_judges_again(stage: Stage) -> None:
    pull = pull_in(stage, stage.repo, FLAWED)
    run = run_of(stage, pull)
    stage.look.forget()
    stage.look.press(run, "verify", user="stranger")
    stage.settle()
    assert run_of(stage, pull).conclusion == "failure"
    assert updates(stage, run)[-1]["conclusion"] == "failure"
    assert len(stage.ours(pull)) == 1
    assert stage.look.asked("GET", rf"/pulls/{pull.number}$")


@pytest.mark.parametrize("plan", [FLAWED, SOUND, "Nothing yet.\n", b"# Plan\n\n### Task 1: \xff\xfe\n"])
def test_every_completed_check_offers_the_button(stage: Stage, plan: str | bytes) -> None:
    pull = pull_in(stage, stage.repo, {PLAN: plan})
    run = run_of(stage, pull)
    assert run.status == "completed"
    assert [action["identifier"] for action in run.actions] == ["verify"]


def test_a_re_run_on_an_older_commit_completes_its_check_as_it_was(stage: Stage) -> None:
    pull = pull_in(stage, stage.repo, FLAWED)
    old = run_of(stage, pull)
    push_to(stage, pull, SOUND)
    for how in BOTH_WAYS:
        ask_again(stage, old, how)
        # the head is judged too, which changes nothing there but the answer that its own check may wait for
        newest = run_of(stage, pull)
        assert (old.status, old.conclusion, newest.conclusion) == ("completed", "failure", "success")
        assert updates(stage, old)
        assert {request.path.rpartition("/")[2] for request in stage.look.writes} <= {str(old.id), str(newest.id)}


def test_a_re_run_on_a_closed_pull_request_completes_its_check_as_it_was(stage: Stage) -> None:
    pull = pull_in(stage, stage.repo, FLAWED)
    stage.look.close_pull(pull)
    stage.settle()
    for how in BOTH_WAYS:
        ask_again(stage, run_of(stage, pull), how)
        assert_completed_again(stage, run_of(stage, pull), "failure")


def test_a_re_run_on_a_merged_pull_request_completes_its_check_as_it_was(stage: Stage) -> None:
    pull = pull_in(stage, repository(stage), SOUND)
    stage.look.merge_pull(pull)
    stage.settle()
    for how in BOTH_WAYS:
        ask_again(stage, run_of(stage, pull), how)
        assert_completed_again(stage, run_of(stage, pull), "success")


def test_a_re_run_on_a_commit_that_belongs_to_nothing_completes_its_check_as_it_was(stage: Stage) -> None:
    sha = stage.look.push(stage.repo, "nobodys", {PLAN: FLAWED})
    run = stage.look.add_run(stage.repo, stage.installation.app, sha, "planproof")
    run.status, run.conclusion = "completed", "neutral"
    for how in BOTH_WAYS:
        ask_again(stage, run, how)
        assert_completed_again(stage, run, "neutral")


def test_a_re_run_on_a_commit_that_was_left_in_progress_cancels_it(stage: Stage) -> None:
    sha = stage.look.push(stage.repo, "left", {PLAN: FLAWED})
    run = stage.look.add_run(stage.repo, stage.installation.app, sha, "planproof")
    run.status = "in_progress"
    ask_again(stage, run, "Re-run")
    assert_completed_again(stage, run, "cancelled")


def test_a_re_run_that_a_push_overtakes_leaves_neither_commit_waiting(stage: Stage) -> None:
    pull = pull_in(stage, stage.repo, FLAWED)
    old = run_of(stage, pull)
    assert pull.pull is not None
    branch = pull.pull.head_ref
    stage.look.before_next(
        "GET", r"/check-runs$", lambda: stage.look.push(stage.repo, branch, {PLAN: SOUND}, "Mend the plan")
    )
    ask_again(stage, old, "Re-run")
    assert (old.status, old.conclusion) == ("completed", "failure")
    assert updates(stage, old)
    assert conclusion(stage, pull) == "success"


def test_a_re_run_on_an_older_commit_that_breaks_off_leaves_neither_commit_waiting(stage: Stage) -> None:
    stage.expected_errors.add("job.failed")
    repo = repository(stage)
    pull = pull_in(stage, repo, FLAWED)
    old = run_of(stage, pull)
    push_to(stage, pull, SOUND)
    stage.look.fail_next("GET", rf"/repos/{repo.full_name}/contents/", 418)
    ask_again(stage, old, "Re-run")
    assert [sent["conclusion"] for sent in updates(stage, old)] == ["failure"]
    assert [sent["conclusion"] for sent in updates(stage, run_of(stage, pull))] == ["action_required"]


def test_a_re_run_that_breaks_off_on_a_closed_pull_request_does_not_leave_it_waiting(stage: Stage) -> None:
    stage.expected_errors.add("job.failed")
    repo = repository(stage)
    pull = pull_in(stage, repo, FLAWED)
    stage.look.close_pull(pull)
    stage.settle()
    stage.look.fail_next("GET", rf"/repos/{repo.full_name}/pulls/{pull.number}$", 418)
    ask_again(stage, run_of(stage, pull), "Re-run")
    assert_completed_again(stage, run_of(stage, pull), "failure")


def test_a_re_run_where_we_were_switched_off_completes_its_check_as_it_was(stage: Stage) -> None:
    repo = repository(stage)
    pull = pull_in(stage, repo, FLAWED)
    stage.look.push(repo, "main", {CONFIG: "mode: off\n"})
    stage.settle()
    for how in BOTH_WAYS:
        ask_again(stage, run_of(stage, pull), how)
        assert_completed_again(stage, run_of(stage, pull), "failure")


def test_a_button_that_we_do_not_know_judges_nothing(stage: Stage) -> None:
    pull = pull_in(stage, stage.repo, FLAWED)
    run = run_of(stage, pull)
    run.actions.append({"label": "Ship it", "description": "Of another version", "identifier": "ship"})
    stage.look.forget()
    stage.look.press(run, "ship")
    stage.settle()
    assert_completed_again(stage, run, "failure")
    assert stage.look.asked("GET", r"/pulls/") == []


def kept_open(stage: Stage, repo: Repository) -> list[str]:
    """The heads that are kept as those of a check of ours which may be unfinished."""
    found = rows(stage, "SELECT head_sha FROM planproof_open_checks WHERE repo_id = ?", repo.id)
    return [str(head) for (head,) in found]


def left_unfinished(stage: Stage, pull: Issue) -> CheckRun:
    """The check on the head is under way, and nobody is at work on it any more."""
    run = run_of(stage, pull)
    run.status, run.conclusion = "in_progress", None
    where = (pull.repository.id, pull.number, head_of(pull), stage.installation.id, pull.repository.full_name)
    names = "repo_id, number, head_sha, installation_id, repo, since"
    statement = f"INSERT INTO planproof_open_checks ({names}) VALUES (?, ?, ?, ?, ?, 1)"  # noqa: S608
    change_rows(stage, statement, *where)
    return run


def test_a_check_left_behind_is_cancelled_by_the_next_push(stage: Stage) -> None:
    pull = pull_in(stage, repository(stage), FLAWED)
    run = left_unfinished(stage, pull)
    push_to(stage, pull, SOUND)
    assert (run.status, run.conclusion, run.title) == ("completed", "cancelled", "A newer commit is judged instead")
    assert kept_open(stage, pull.repository) == []


def test_a_check_whose_cancel_is_not_confirmed_is_looked_at_again(stage: Stage) -> None:
    pull = pull_in(stage, repository(stage), FLAWED)
    run, old = left_unfinished(stage, pull), head_of(pull)
    stage.look.fail_next("PATCH", rf"/check-runs/{run.id}$", 502, times=99)
    try:
        push_to(stage, pull, SOUND)
    finally:
        stage.look._faults.clear()
    assert (run.status, kept_open(stage, pull.repository)) == ("in_progress", [old])
    # the verdict on the new head does not wait for it
    assert conclusion(stage, pull) == "success"
    stage.look.close_pull(pull)
    stage.settle()
    assert (run.status, run.conclusion, run.title) == ("completed", "cancelled", "The pull request was closed")
    assert kept_open(stage, pull.repository) == []


def test_a_repository_that_went_into_shadow_keeps_what_was_left_behind(stage: Stage) -> None:
    pull = pull_in(stage, repository(stage), FLAWED)
    run, old = left_unfinished(stage, pull), head_of(pull)
    stage.look.push(pull.repository, "main", {CONFIG: "mode: shadow\n"})
    stage.settle()
    stage.look.forget()
    push_to(stage, pull, SOUND)
    stage.look.close_pull(pull)
    stage.settle()
    assert writes(stage) == []
    assert (run.status, kept_open(stage, pull.repository)) == ("in_progress", [old])


def test_a_check_in_parts_that_may_not_be_written_is_not_waited_for(stage: Stage) -> None:
    stage.expected_errors.add("publish.unchecked")
    repo = repository(stage)
    message = "Resource not accessible by integration"
    stage.look.fail_next("POST", rf"/repos/{repo.full_name}/check-runs$", 403, message=message)
    pull = pull_in(stage, repo, many_findings(120))
    assert runs(stage, repo, head_of(pull)) == []
    assert kept_open(stage, repo) == []


def findings_of(run: CheckRun) -> list[str]:
    return sorted(annotation["message"] for annotation in run.annotations)


def big_pull(stage: Stage) -> Issue:
    return pull_in(stage, stage.repo, many_findings(120))


def test_a_hundred_and_twenty_findings_are_annotated_each_once_also_after_a_re_run(stage: Stage) -> None:
    pull = big_pull(stage)
    run = run_of(stage, pull)
    assert (run.status, run.conclusion, len(run.annotations)) == ("completed", "failure", 120)
    assert len(set(findings_of(run))) == 120
    sent = [request.body for request in stage.look.asked("*", r"/check-runs") if request.writes]
    assert [len(body["output"]["annotations"]) for body in sent] == [50, 50, 20]
    assert [body["status"] for body in sent] == ["in_progress", "in_progress", "completed"]
    ask_again(stage, run, "Re-run")
    assert run.status == "completed"
    assert len(findings_of(run)) == 120
    assert len(updates(stage, run)) == 1


def test_a_push_in_the_middle_of_the_annotations_leaves_the_old_head_cancelled(stage: Stage) -> None:
    branch = "overtaken-in-parts"
    stage.look.before_next(
        "PATCH", r"/check-runs/\d+$", lambda: stage.look.push(stage.repo, branch, {PLAN: SOUND}, "Mend the plan")
    )
    pull = stage.look.open_pull(stage.repo, branch, {PLAN: many_findings(120)})
    old = head_of(pull)
    stage.settle()
    assert [(run.status, run.conclusion) for run in runs(stage, stage.repo, old)] == [("completed", "cancelled")]
    assert conclusion(stage, pull) == "success"
    assert stage.labels(pull) == []


def test_a_pull_request_that_is_closed_in_the_middle_of_the_annotations_leaves_them_cancelled(stage: Stage) -> None:
    def close() -> None:
        stage.look.close_pull(stage.repo.pulls[-1])

    stage.look.before_next("PATCH", r"/check-runs/\d+$", close)
    pull = big_pull(stage)
    run = run_of(stage, pull)
    assert (run.status, run.conclusion, run.title) == ("completed", "cancelled", "The pull request was closed")


def test_a_pull_request_that_is_closed_while_it_is_judged_gets_nothing(stage: Stage) -> None:
    stage.look.before_next("GET", r"/compare/", lambda: stage.look.close_pull(stage.repo.pulls[-1]))
    pull = pull_in(stage, stage.repo, FLAWED)
    assert runs(stage, stage.repo, head_of(pull)) == []
    assert (stage.ours(pull), stage.labels(pull)) == ([], [])
    assert writes(stage) == []


def test_a_repository_may_want_checks_only_where_there_is_a_plan(stage: Stage) -> None:
    repo = repository(stage, "check: plans\n")
    without = pull_in(stage, repo, {"NEWS.md": "Nothing yet.\n"})
    assert runs(stage, repo, head_of(without)) == []
    assert writes(stage) == []
    assert conclusion(stage, pull_in(stage, repo, FLAWED)) == "failure"
    assert conclusion(stage, pull_in(stage, repo, SOUND)) == "success"


def test_a_check_that_the_repository_wants_no_more_is_completed_again_as_it_was(stage: Stage) -> None:
    repo = repository(stage)
    pull = pull_in(stage, repo, {"NEWS.md": "Nothing yet.\n"})
    run = run_of(stage, pull)
    stage.look.push(repo, "main", {".github/planproof.yml": "check: plans\n"})
    stage.settle()
    ask_again(stage, run, "Re-run")
    assert_completed_again(stage, run, "skipped")


def test_a_repository_may_say_that_every_pull_request_gets_a_check(stage: Stage) -> None:
    pull = pull_in(stage, repository(stage, "check: always\n"), {"NEWS.md": "Nothing yet.\n"})
    assert conclusion(stage, pull) == "skipped"


def test_the_checks_text_lists_every_read_with_its_bytes_and_the_attempts(stage: Stage) -> None:
    pull = pull_in(stage, stage.repo, FLAWED.replace("clients.py", "client.py:40-52"))
    text = run_of(stage, pull).text or ""
    assert "| read | bytes | tokens | outcome |" in text
    size = len(stage.repo.git.entry(head_of(pull), "src/widgets/client.py").read_raw())  # type: ignore[union-attr]
    assert f"`src/widgets/client.py` | {size:,} |" in text
    assert "1 attempt. Read: " in text
