"""Threads of issues that hold a plan."""

from __future__ import annotations

from tests import sample
from tests.stage import Stage


def test_an_issue_that_asks_for_what_exists_is_told_so(stage: Stage) -> None:
    issue = stage.look.open_issue(stage.repo, sample.ISSUE_TITLE, sample.ISSUE_PLAN)
    stage.settle()
    [comment] = stage.ours(issue)
    assert "this may exist already (reuse" in comment
    assert "capability.transport.retry" in comment
    assert "This is advice" in comment


def test_an_issue_that_holds_no_plan_is_left_alone(stage: Stage) -> None:
    issue = stage.look.open_issue(stage.repo, "Retry failed calls with exponential backoff", "Please.")
    stage.settle()
    assert stage.ours(issue) == []


def test_the_label_workplan_makes_an_issue_a_plan(stage: Stage) -> None:
    issue = stage.look.open_issue(stage.repo, "Retry failed calls with exponential backoff", "Please.")
    stage.settle()
    stage.look.label(issue, "workplan")
    stage.settle()
    [comment] = stage.ours(issue)
    assert "capability.transport.retry" in comment


def test_nothing_alike_is_said_in_one_line(stage: Stage) -> None:
    issue = stage.look.open_issue(
        stage.repo, "Paint the shed", "### Task 1: Buy paint\n\nGreen.\n\n### Task 2: Paint\n"
    )
    stage.settle()
    [comment] = stage.ours(issue)
    assert "**Planproof: new" in comment


def test_an_edited_issue_edits_the_same_comment(stage: Stage) -> None:
    issue = stage.look.open_issue(stage.repo, sample.ISSUE_TITLE, sample.ISSUE_PLAN)
    stage.settle()
    stage.look.edit(issue, title="Paint the shed", body="### Task 1: Buy paint\n\n### Task 2: Paint it\n")
    stage.settle()
    [comment] = stage.ours(issue)
    assert "**Planproof: new" in comment


def test_an_issue_that_loses_its_plan_keeps_one_line_of_the_answer(stage: Stage) -> None:
    issue = stage.look.open_issue(stage.repo, sample.ISSUE_TITLE, sample.ISSUE_PLAN)
    stage.settle()
    stage.look.edit(issue, body="Never mind.")
    stage.settle()
    [comment] = stage.ours(issue)
    assert "holds no plan any more" in comment
    assert len(comment.splitlines()) == 2


def test_an_edited_issue_without_a_plan_stays_without_a_comment(stage: Stage) -> None:
    issue = stage.look.open_issue(stage.repo, "Retry", "Please.")
    stage.settle()
    stage.look.edit(issue, body="Pretty please.")
    stage.settle()
    assert stage.ours(issue) == []


def test_a_git_server_that_stumbles_once_is_asked_again_before_anything_is_said(stage: Stage) -> None:
    stage.look.fail_next("GET", r"/info/refs$", 500)
    issue = stage.look.open_issue(stage.repo, sample.ISSUE_TITLE, sample.ISSUE_PLAN)
    stage.settle()
    [comment] = stage.ours(issue)
    assert "capability.transport.retry" in comment
