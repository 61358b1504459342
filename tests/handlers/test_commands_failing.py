"""When GitHub or the server fails in the middle of a command: never 👀 and then silence, and nothing twice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import cast

import pytest

from bot import answering, review
from bot.answering import Thread
from bot.commands import Role
from bot.dispatch import Context, Services, Step
from bot.events import Event, Json
from handlers import command
from tests.handlers.scenes import writes
from tests.handlers.threads import (
    checks,
    conclusions,
    findings,
    open_issue,
    open_pull,
    reactions,
    replies,
    repository,
    say,
    seen,
    sticky,
)
from tests.lookalike.faults import Outcome
from tests.stage import Stage, until

REACTIONS = r"/reactions$"
COMMENTS = r"/issues/\d+/comments$"


@contextmanager
def granted(stage: Stage, changed: Mapping[str, str]) -> Iterator[None]:
    """While the block runs, the installation has these permissions in place of those it had."""
    before = dict(stage.installation.permissions)
    after = {name: level for name, level in (before | dict(changed)).items() if level != "none"}
    stage.look.grant(stage.installation, after, by="owner")
    stage.look.revoke_tokens()
    stage.settle()
    try:
        yield
    finally:
        stage.look.grant(stage.installation, before, by="owner")
        stage.look.revoke_tokens()
        stage.settle()


# ---- reactions ---------------------------------------------------------------------------------
def test_a_reaction_that_github_stumbles_over_is_tried_again(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    stage.look.fail_next("POST", REACTIONS, 502)
    comment = say(stage, issue, "/plan help")
    assert reactions(comment) == ["eyes", "rocket"]
    assert len(replies(stage, issue)) == 1


def test_a_reaction_whose_answer_was_lost_is_there_once(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    stage.look.fail_next("POST", REACTIONS, "drop")
    comment = say(stage, issue, "/plan help")
    assert reactions(comment) == ["eyes", "rocket"]


def test_reactions_that_are_refused_keep_nothing_back(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    stage.look.fail_next("POST", REACTIONS, 404, times=2)
    comment = say(stage, pull, f"/plan dismiss {finding} generated", user="writer")
    assert reactions(comment) == []
    assert conclusions(stage, pull) == ["success"]
    assert "Dismissed by `writer`" in replies(stage, pull)[0]


def test_a_review_that_cannot_be_reacted_to_is_answered_all_the_same(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    stage.look.fail_next("POST", "/graphql$", 403, times=2)
    review = stage.look.review(pull, "/plan help")
    stage.settle()
    assert reactions(review) == []
    assert len(replies(stage, pull)) == 1


# ---- the reply ---------------------------------------------------------------------------------
def test_a_reply_that_github_stumbles_over_is_posted_once(stage: Stage) -> None:
    outcomes: tuple[Outcome, ...] = (502, "drop", "cut")
    for outcome in outcomes:
        issue = open_issue(stage, repository(stage))
        stage.look.fail_next("POST", COMMENTS, outcome)
        comment = say(stage, issue, "/plan help")
        assert reactions(comment) == ["eyes", "rocket"]
        assert len(replies(stage, issue)) == 1


def test_in_a_locked_conversation_the_effect_counts_and_nothing_fails(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    pull.locked = True
    comment = say(stage, pull, f"/plan dismiss {finding} generated", user="writer")
    assert (reactions(comment), replies(stage, pull)) == ([], [])
    assert conclusions(stage, pull) == ["success"]
    assert "command.unanswered" in stage.server.log()


def test_without_the_permission_to_comment_the_check_says_which_one_is_missing(stage: Stage) -> None:
    stage.expected_errors.add("publish.unsaid")
    pull = open_pull(stage, repository(stage))
    with granted(stage, {"issues": "read", "pull_requests": "read"}):
        comment = say(stage, pull, "/plan verify\n/plan help")
    assert reactions(comment) == []
    [run] = checks(stage, pull)
    assert run.status == "completed"
    assert "command.unreacted" in stage.server.log()
    assert "command.unanswered" in stage.server.log()


def test_without_the_permission_to_read_the_configuration_status_says_so(stage: Stage) -> None:
    repo = repository(stage, "label: needs work\n")
    issue = stage.look.open_issue(repo, "Calls fail", "### Task 1: Retry\n\n### Task 2: Wait\n")
    stage.settle()
    with granted(stage, {"contents": "none"}):
        comment = say(stage, issue, "/plan status")
    assert reactions(comment) == ["eyes", "rocket"]
    seen(stage, "status-unread", issue, comment)


def test_a_configuration_that_github_refuses_to_give_keeps_no_failure_back(stage: Stage) -> None:
    stage.expected_errors.add("job.failed")
    repo = repository(stage)
    issue = open_issue(stage, repo)
    stage.look.fail_next("GET", rf"/repos/{repo.full_name}/contents/", 418, times=2)
    comment = say(stage, issue, "/plan help")
    assert reactions(comment) == ["confused"]
    seen(stage, "failed-configuration", issue, comment)
    # of a pull request, of an issue that holds a plan, of a push
    stage.look.fail_next("GET", rf"/repos/{repo.full_name}/contents/", 418, times=2)
    pull = open_pull(stage, repo)
    assert conclusions(stage, pull) == ["action_required"]
    stage.look.fail_next("GET", rf"/repos/{repo.full_name}/contents/", 418, times=2)
    planned = stage.look.open_issue(repo, "Retry", "### Task 1: Retry\n\n### Task 2: Wait\n")
    stage.settle()
    assert "**Planproof could not answer**" in stage.ours(planned)[0]


@pytest.mark.parametrize(("raised", "told"), [(RuntimeError, ["why"]), (asyncio.CancelledError, [])])
async def test_a_failure_that_cannot_be_answered_is_told_in_the_check_but_not_by_a_job_that_was_stopped(
    monkeypatch: pytest.MonkeyPatch, raised: type[BaseException], told: list[str]
) -> None:
    thread = Thread(Role.WRITE, author=True, pull=True, open=True, off=False, silent=True, plans=None)

    class Looked(Context):
        async def step(self, name: str, fn: Step) -> Json:
            return cast(Json, asdict(thread) | {"plans": None})

    async def reply(*_: object) -> None:
        raise raised

    async def gave_up(_: Context, reason: str) -> None:
        said.append(reason)

    said: list[str] = []
    monkeypatch.setattr(answering, "reply", reply)
    monkeypatch.setattr(review, "gave_up", gave_up)
    event = Event("issue_comment", "created", number=1, comment_id=2, comment_body="/plan verify")
    with pytest.raises(raised):
        await command.failed(Looked(event, cast(Services, None), run_id="7f3c"), "why")
    assert said == told


def test_without_the_permission_for_checks_cancel_stops_and_says_what_is_missing(stage: Stage) -> None:
    repo = repository(stage)
    with granted(stage, {"checks": "read"}):
        stage.look.fail_next("GET", rf"/repos/{repo.full_name}/compare/", None, delay=20)
        pull = stage.look.open_pull(repo, "slow", {"docs/plans/retry.md": "# Plan\n\n### Task 1: Paint\n"})
        until(lambda: stage.look.asked("GET", rf"/repos/{repo.full_name}/compare/"), "the job did not begin")
        comment = stage.look.comment(pull, "/plan cancel", user="writer")
        until(lambda: reactions(comment) == ["eyes", "confused"], "no answer came", seconds=15)
        stage.settle(seconds=15)
    seen(stage, "cancelled-unchecked", pull, comment)


# ---- the run -----------------------------------------------------------------------------------
def test_a_verify_that_fails_for_good_is_told_in_the_reply_the_check_and_the_comment(stage: Stage) -> None:
    stage.expected_errors.add("job.failed")
    pull = open_pull(stage, repository(stage))
    stage.look.fail_next("GET", rf"/pulls/{pull.number}$", 418)
    comment = say(stage, pull, "/plan verify")
    assert reactions(comment) == ["eyes", "confused"]
    assert conclusions(stage, pull) == ["action_required"]
    assert "could not judge" in (sticky(stage, pull) or "")
    seen(stage, "failed", pull, comment)


def test_a_status_that_fails_for_good_leaves_the_check_alone(stage: Stage) -> None:
    stage.expected_errors.add("job.failed")
    pull = open_pull(stage, repository(stage))
    stage.look.fail_next("GET", rf"/pulls/{pull.number}$", 418)
    comment = say(stage, pull, "/plan status")
    assert reactions(comment) == ["eyes", "confused"]
    assert conclusions(stage, pull) == ["failure"]
    assert "**This could not be done**" in replies(stage, pull)[0]


def test_the_failure_of_a_strangers_command_is_not_told(stage: Stage) -> None:
    stage.expected_errors.add("job.failed")
    issue = open_issue(stage, repository(stage))
    stage.look.fail_next("GET", r"/collaborators/stranger/permission$", 418)
    comment = say(stage, issue, "/plan verify", user="stranger")
    assert reactions(comment) == []
    assert writes(stage) == []


def test_a_comment_that_is_edited_while_its_command_fails_is_answered_all_the_same(stage: Stage) -> None:
    stage.expected_errors.add("job.failed")
    pull = open_pull(stage, repository(stage))
    stage.look.before_next(
        "GET",
        r"/collaborators/author/permission$",
        lambda: stage.look.edit_comment_as(pull.comments[-1], "Never mind.", "author"),
    )
    stage.look.fail_next("GET", rf"/pulls/{pull.number}$", 418)
    comment = say(stage, pull, "/plan status")
    assert comment.body == "Never mind."
    assert reactions(comment) == ["eyes", "confused"]
    assert "**This could not be done**" in replies(stage, pull)[0]


def test_a_server_that_dies_in_the_middle_goes_on_and_repeats_nothing(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    [run] = checks(stage, pull)
    stage.look.fail_next("GET", rf"/check-runs/{run.id}/annotations$|/commits/[^/]+/check-runs$", None, delay=3)
    comment = stage.look.comment(pull, f"/plan dismiss {finding} generated", user="writer")
    until(lambda: stage.look.asked("GET", r"/check-runs"), "the verdict was not on its way")
    stage.server.kill()
    stage.server.start()
    stage.settle()
    assert reactions(comment) == ["eyes", "rocket"]
    assert len(stage.look.asked("POST", REACTIONS)) == 2
    assert conclusions(stage, pull) == ["success"]
    [reply] = replies(stage, pull)
    assert "Dismissed by `writer`" in reply


def test_the_same_comment_in_another_delivery_is_the_same_decision(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    comment = say(stage, pull, f"/plan dismiss {finding} generated", user="writer")
    told = stage.look.outbox.of("issue_comment", "created")
    [payload] = [each.payload for each in told if each.payload["comment"]["id"] == comment.id]
    stage.look.outbox.send(stage.installation.app, "issue_comment", payload)
    stage.settle()
    assert reactions(comment) == ["eyes", "rocket"]
    [reply] = replies(stage, pull)
    assert "Dismissed by `writer`" in reply


def test_a_server_that_dies_before_the_last_reaction_gives_it_afterwards(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    stage.look.fail_next("POST", COMMENTS, None, delay=3)
    comment = stage.look.comment(issue, "/plan help", user="author")
    until(lambda: stage.look.asked("POST", COMMENTS), "the reply was not on its way")
    stage.server.kill()
    stage.server.start()
    stage.settle()
    until(lambda: reactions(comment) == ["eyes", "rocket"], "no last reaction")
    assert len(replies(stage, issue)) == 1
