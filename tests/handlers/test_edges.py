"""Threads at the edges: forks, what people delete and edit, sizes, and repositories and issues that move."""

from __future__ import annotations

import pytest

from tests import sample
from tests.handlers.scenes import (
    CONFIG,
    PLAN,
    conclusion,
    head_of,
    installed,
    log_since,
    many_findings,
    pull_in,
    push_to,
    repository,
    run_of,
    runs,
    writes,
)
from tests.handlers.test_pull_request import FLAWED, SOUND
from tests.lookalike.state import Issue
from tests.stage import Stage

PLAN_ISSUE = "### Task 1: Buy paint\n\nGreen.\n\n### Task 2: Paint\n"
WRITTEN = "planproof[bot]"


def stands(stage: Stage, pull: Issue) -> tuple[int, list[str], str | None]:
    """Comments of ours, labels, conclusion."""
    return len(stage.ours(pull)), stage.labels(pull), conclusion(stage, pull)


ALL = (1, ["plan/needs-fix"], "failure")


# ---- forks ---------------------------------------------------------------------------------------
def test_a_fork_is_judged_and_so_is_what_is_left_of_one_that_was_deleted(stage: Stage) -> None:
    repo = repository(stage)
    pull = pull_in(stage, repo, FLAWED, user="stranger", fork=True)
    assert stands(stage, pull) == ALL
    run = run_of(stage, pull)
    stage.look.delete_repository(stage.look.repository(f"stranger/{repo.name}"), user="stranger")
    stage.look.forget()
    stage.look.rerequest(run)
    stage.settle()
    assert stands(stage, pull) == ALL
    assert len(stage.look.asked("PATCH", rf"/check-runs/{run.id}$")) == 1


# ---- what people delete and edit -----------------------------------------------------------------
def test_a_label_that_was_deleted_from_the_repository_is_made_again(stage: Stage) -> None:
    repo = repository(stage)
    pull = pull_in(stage, repo, FLAWED)
    stage.look.delete_label(repo, "plan/needs-fix")
    assert stage.labels(pull) == []
    push_to(stage, pull, FLAWED + "\nMore.\n")
    assert stands(stage, pull) == ALL
    assert [(label.color, bool(label.description)) for label in repo.labels] == [("d93f0b", True)]


def test_a_label_that_was_taken_off_comes_back_with_the_next_verdict(stage: Stage) -> None:
    pull = pull_in(stage, stage.repo, FLAWED)
    stage.look.unlabel(pull, "plan/needs-fix")
    stage.settle()
    assert stage.labels(pull) == []
    push_to(stage, pull, FLAWED + "\nMore.\n")
    assert stands(stage, pull) == ALL


def test_a_label_that_is_deleted_while_it_is_put_on_ends_well(stage: Stage) -> None:
    repo = repository(stage)
    pull = pull_in(stage, repo, FLAWED)
    stage.look.before_next("DELETE", r"/labels/", lambda: stage.look.delete_label(repo, "plan/needs-fix"))
    push_to(stage, pull, SOUND)
    assert stands(stage, pull) == (1, [], "success")


def test_a_comment_that_a_person_edited_is_put_right(stage: Stage) -> None:
    pull = pull_in(stage, stage.repo, FLAWED)
    [comment] = stage.look.comments_by(pull, WRITTEN)
    said = comment.body
    stage.look.edit_comment(comment, said.replace("1 finding", "no finding"), stage.look.account("owner"))
    stage.look.rerequest(run_of(stage, pull))
    stage.settle()
    assert [body.rpartition("run ")[0] for body in stage.ours(pull)] == [said.rpartition("run ")[0]]


def test_a_comment_whose_marker_a_person_took_away_is_not_ours_any_more(stage: Stage) -> None:
    pull = pull_in(stage, stage.repo, FLAWED)
    [comment] = stage.look.comments_by(pull, WRITTEN)
    stage.look.edit_comment(comment, "Gone.", stage.look.account("owner"))
    push_to(stage, pull, FLAWED + "\nMore.\n")
    assert [body for body in stage.ours(pull) if body != "Gone."] != []
    assert len(stage.ours(pull)) == 2


def test_a_comment_that_was_deleted_stays_away_once_all_is_settled(stage: Stage) -> None:
    pull = pull_in(stage, stage.repo, FLAWED)
    [comment] = stage.look.comments_by(pull, WRITTEN)
    stage.look.delete_comment(comment, stage.look.account("owner"))
    push_to(stage, pull, SOUND)
    assert stands(stage, pull) == (0, [], "success")


def test_a_comment_that_is_deleted_while_it_is_edited_is_posted_again(stage: Stage) -> None:
    pull = pull_in(stage, stage.repo, FLAWED)
    [comment] = stage.look.comments_by(pull, WRITTEN)
    stage.look.before_next(
        "PATCH", r"/issues/comments/", lambda: stage.look.delete_comment(comment, stage.look.account("owner"))
    )
    push_to(stage, pull, FLAWED.replace("clients.py", "clerks.py"))
    assert stands(stage, pull) == ALL


# ---- sizes ---------------------------------------------------------------------------------------
def test_a_comment_stays_within_githubs_limit_closed_and_saying_where_the_rest_is(stage: Stage) -> None:
    pull = pull_in(stage, stage.repo, many_findings(600, name="part_" * 30))
    [comment] = stage.ours(pull)
    assert "200 findings to settle" in comment
    assert 60_000 < len(comment.encode("utf-16-le")) // 2 <= 65_536
    assert comment.count("<details>") == comment.count("</details>")
    assert "All of it stands in the check `planproof`." in comment
    run = run_of(stage, pull)
    assert (run.status, run.conclusion, len(run.annotations)) == ("completed", "failure", 200)
    assert max(len(run.summary or ""), len(run.text or "")) <= 65_535
    push_to(stage, pull, SOUND)
    assert stands(stage, pull) == (1, [], "success")


def test_a_plan_among_more_files_than_github_lists_is_found(stage: Stage) -> None:
    repo = repository(stage)
    files: dict[str, str] = {f"data/{n:04d}.csv": f"{n}\n" for n in range(3_100)}
    pull = pull_in(stage, repo, {**files, PLAN: FLAWED})
    assert stands(stage, pull) == ALL
    assert stage.look.asked("GET", rf"/pulls/{pull.number}/files") == []


# ---- conversations -------------------------------------------------------------------------------
def test_a_locked_conversation_keeps_its_check_right_and_hears_what_was_not_posted(stage: Stage) -> None:
    pull = pull_in(stage, stage.repo, SOUND)
    stage.look.lock_conversation(pull)
    push_to(stage, pull, FLAWED)
    assert stands(stage, pull) == (0, ["plan/needs-fix"], "failure")
    run = run_of(stage, pull)
    assert "not everything could be posted" in (run.title or "")
    assert "The comment was refused: Unable to create comment because issue is locked" in (run.summary or "")
    stage.look.unlock_conversation(pull)
    push_to(stage, pull, FLAWED + "\nMore.\n")
    assert stands(stage, pull) == ALL
    assert "refused" not in (run_of(stage, pull).summary or "")


def test_a_locked_issue_is_left_alone(stage: Stage) -> None:
    issue = stage.look.open_issue(stage.repo, "Paint the shed", "Please.")
    stage.settle()
    stage.look.lock_conversation(issue)
    stage.look.edit(issue, body=PLAN_ISSUE)
    stage.settle()
    assert stage.ours(issue) == []


def test_an_issue_whose_plan_changes_has_its_one_comment_changed_and_in_the_end_one_line(stage: Stage) -> None:
    issue = stage.look.open_issue(stage.repo, "Paint the shed", PLAN_ISSUE)
    stage.settle()
    [first] = stage.ours(issue)
    assert "**Planproof: new" in first
    stage.look.edit(issue, title=sample.ISSUE_TITLE, body=sample.ISSUE_PLAN)
    stage.settle()
    [second] = stage.ours(issue)
    assert "capability.transport.retry" in second
    stage.look.edit(issue, body="Never mind.")
    stage.settle()
    [last] = stage.ours(issue)
    assert len(last.splitlines()) == 2
    assert "holds no plan any more" in last


def test_an_issue_with_two_marks_of_a_plan_is_answered_once(stage: Stage) -> None:
    issue = stage.look.open_issue(stage.repo, sample.ISSUE_TITLE, sample.ISSUE_PLAN, labels=["workplan"])
    stage.settle()
    assert len(stage.ours(issue)) == 1
    stage.look.unlabel(issue, "workplan")
    stage.settle()
    [comment] = stage.ours(issue)
    assert "capability.transport.retry" in comment


def test_a_closed_issue_is_left_alone_and_a_reopened_one_is_answered(stage: Stage) -> None:
    issue = stage.look.open_issue(stage.repo, "Paint the shed", "Please.")
    stage.look.close_issue(issue)
    stage.look.edit(issue, title=sample.ISSUE_TITLE, body=sample.ISSUE_PLAN)
    stage.settle()
    assert stage.ours(issue) == []
    stage.look.set_state(issue, "open", stage.look.account("author"))
    stage.settle()
    [comment] = stage.ours(issue)
    assert "capability.transport.retry" in comment


@pytest.mark.parametrize("private", [False, True])
def test_a_transferred_issue_keeps_its_one_answer_where_it_is_now(stage: Stage, private: bool) -> None:
    target = repository(stage)
    target.private = private
    stage.look.open_issue(target, "Another", "Please.")
    issue = stage.look.open_issue(stage.repo, sample.ISSUE_TITLE, PLAN_ISSUE)
    stage.settle()
    stage.look.forget()
    with stage.look.outbox.held():
        stage.look.edit(issue, body=PLAN_ISSUE + "\nMore.\n")  # is heard when the issue has left already
        moved = stage.look.transfer_issue(issue, target)
    stage.settle()
    assert len(stage.ours(moved)) == 1
    stage.look.edit(moved, body="Never mind.")
    stage.settle()
    [comment] = stage.ours(moved)
    assert "holds no plan any more" in comment


def test_evidence_on_an_issue_that_was_transferred_holds_nothing_up(stage: Stage) -> None:
    target = repository(stage)
    issue = stage.look.open_issue(stage.repo, "Calls fail", "They do.")
    pull = pull_in(stage, stage.repo, FLAWED, body=f"Closes #{issue.number}")
    assert len(stage.ours(issue)) == 1
    stage.look.transfer_issue(issue, target)
    push_to(stage, pull, SOUND)
    assert stands(stage, pull) == (1, [], "success")


# ---- repositories --------------------------------------------------------------------------------
def test_a_repository_is_renamed_before_its_event_is_handled(stage: Stage) -> None:
    repo = repository(stage)
    with stage.look.outbox.held():
        pull = stage.look.open_pull(repo, "plan", {PLAN: FLAWED})
        issue = stage.look.open_issue(repo, "Paint the shed", PLAN_ISSUE)
        stage.look.rename(repo, f"{repo.name}-renamed")
    stage.settle()
    assert stands(stage, pull) == ALL
    [comment] = stage.ours(pull)
    assert f"/{repo.full_name}/blob/" in comment
    assert len(stage.ours(issue)) == 1
    push_to(stage, pull, SOUND)
    assert stands(stage, pull) == (1, [], "success")


def test_a_repository_is_renamed_while_its_job_runs(stage: Stage) -> None:
    repo = repository(stage)
    name = repo.name
    stage.look.before_next("GET", r"/compare/", lambda: stage.look.rename(repo, f"{name}-renamed"))
    pull = pull_in(stage, repo, FLAWED)
    assert stands(stage, pull) == ALL
    # another takes the old name: it is not mistaken for the first
    other = repository(stage, name=name)
    stage.look.rerequest(run_of(stage, pull))
    stage.settle()
    assert stands(stage, pull) == ALL
    assert (other.runs, other.labels) == ([], [])


def test_a_push_to_a_repository_that_is_renamed_is_judged(stage: Stage) -> None:
    repo = repository(stage)
    with stage.look.outbox.held():
        sha = stage.look.push(repo, "main", {PLAN: FLAWED})
        stage.look.rename(repo, f"{repo.name}-renamed")
    stage.settle()
    assert [run.conclusion for run in runs(stage, repo, sha)] == ["failure"]


def test_a_repository_that_goes_to_an_account_without_the_app_is_left_alone(stage: Stage) -> None:
    repo = repository(stage)
    with stage.look.outbox.held():
        pull = stage.look.open_pull(repo, "plan", {PLAN: FLAWED})
        stage.look.transfer_repository(repo, "elsewhere")
    stage.settle()
    assert (repo.runs, stage.ours(pull)) == ([], [])
    assert writes(stage) == []


def test_a_repository_that_goes_to_an_account_with_the_app_goes_on_there(stage: Stage) -> None:
    repo = repository(stage)
    pull = pull_in(stage, repo, FLAWED)
    installed(stage, "somewhere")
    stage.look.transfer_repository(repo, "somewhere")
    stage.settle()
    push_to(stage, pull, SOUND)
    assert stands(stage, pull) == (1, [], "success")


def test_an_archived_repository_ends_quietly(stage: Stage) -> None:
    repo = repository(stage)
    judged = pull_in(stage, repo, FLAWED)
    mark = len(stage.server.log())
    stage.look.forget()
    with stage.look.outbox.held():
        pull = stage.look.open_pull(repo, "plan", {PLAN: FLAWED})
        issue = stage.look.open_issue(repo, "Paint the shed", PLAN_ISSUE)
        sha = stage.look.push(repo, "main", {CONFIG: "gates: true\n"})
        stage.look.archive(repo)
        stage.look.rerequest(run_of(stage, judged))
    stage.settle()
    assert (stage.ours(pull), stage.ours(issue), runs(stage, repo, sha)) == ([], [], [])
    assert runs(stage, repo, head_of(pull)) == []
    assert [request.status for request in stage.look.writes] == [403] * len(writes(stage))
    assert len(writes(stage)) <= 3
    log = log_since(stage, mark)
    assert "step.retried" not in log
    assert log.count("publish.archived") == len(writes(stage))


def test_a_repository_that_is_archived_while_it_is_judged_ends_quietly(stage: Stage) -> None:
    repo = repository(stage)
    mark = len(stage.server.log())
    stage.look.before_next("GET", r"/issues/\d+/comments$", lambda: stage.look.archive(repo))
    pull = pull_in(stage, repo, FLAWED)
    assert (stage.ours(pull), repo.runs) == ([], [])
    assert log_since(stage, mark).count("publish.archived") == 1
    assert len(writes(stage)) == 1
