"""Where a command is heard: comments, review bodies and comments on lines; never quoted, in code, or in an edit."""

from __future__ import annotations

import pytest

from tests.handlers.scenes import PLAN, writes
from tests.handlers.threads import jobs, open_issue, open_pull, reactions, replies, repository, say, seen
from tests.lookalike.state import Comment, Issue
from tests.stage import Stage


def test_in_the_body_of_a_review(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    review = stage.look.review(pull, "Looks odd.\n\n/plan help", user="triager")
    stage.settle()
    assert reactions(review) == ["eyes", "rocket"]
    assert len(replies(stage, pull)) == 1


def test_a_wrong_one_in_the_body_of_a_review(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    review = stage.look.review(pull, "/plan verfy", user="writer")
    stage.settle()
    assert reactions(review) == ["confused"]
    seen(stage, "unknown-in-review", pull, review)


def test_in_a_comment_on_a_line(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    review = stage.look.review(pull, comments=[(PLAN, 6, "/plan help")], user="writer")
    stage.settle()
    [comment] = review.comments
    assert reactions(comment) == ["eyes", "rocket"]
    assert reactions(review) == []
    assert len(replies(stage, pull)) == 1


def test_in_an_answer_below_a_comment_on_a_line(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [comment] = stage.look.review(pull, comments=[(PLAN, 6, "Really?")], user="writer").comments
    answer = stage.look.reply(comment, "/plan verfy")
    stage.settle()
    assert reactions(answer) == ["confused"]
    seen(stage, "unknown-in-line", pull, answer)


def test_a_review_with_a_command_in_its_body_and_on_a_line_gets_two_answers(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    review = stage.look.review(pull, "/plan help", comments=[(PLAN, 6, "/plan status")], user="writer")
    stage.settle()
    assert reactions(review) == reactions(review.comments[0]) == ["eyes", "rocket"]
    assert len(replies(stage, pull)) == 2


def test_several_in_one_comment_get_one_reply(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    comment = say(stage, pull, "/plan help\n/plan verfy\n/plan dispute\n/plan help\n", user="writer")
    assert reactions(comment) == ["eyes", "confused"]
    seen(stage, "several", pull, comment)


def test_the_sixth_command_of_a_comment_is_not_read(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    comment = say(stage, issue, "".join(f"/plan {word}\n" for word in ("a", "b", "c", "d", "e", "help")))
    assert reactions(comment) == ["confused"]
    [reply] = replies(stage, issue)
    assert "Only the first 5 commands" in reply
    assert "| command |" not in reply


def test_quoted_fenced_and_in_a_sentence_it_is_text(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    bodies = (
        "> /plan help",
        "```\n/plan help\n```",
        "    /plan help",
        "`/plan help`",
        "Try /plan help.",
        "- /plan help",
        "<!-- /plan help -->",
        "<details>\n\n/plan help\n\n</details>",
    )
    comments = [stage.look.comment(issue, body, user="author") for body in bodies]
    stage.settle()
    assert [reactions(comment) for comment in comments] == [[]] * len(bodies)
    assert writes(stage) == []


def test_an_edit_gives_no_command(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    comment = say(stage, pull, "Hm.")
    review = stage.look.review(pull, "Hm.", comments=[(PLAN, 6, "Hm.")])
    stage.settle()
    stage.look.edit_comment_as(comment, "/plan help", "author")
    stage.look.edit_review(review, "/plan help")
    stage.look.edit_review_comment(review.comments[0], "/plan help")
    stage.settle()
    assert replies(stage, pull) == []
    assert reactions(comment) == reactions(review) == reactions(review.comments[0]) == []


def edited_at_once(stage: Stage, issue: Issue, body: str, later: str, *, user: str = "author") -> Comment:
    stage.look.before_next(
        "GET",
        r"/issues/comments/\d+$",
        lambda: stage.look.edit_comment_as(issue.comments[-1], later, user),
    )
    return say(stage, issue, body, user=user)


@pytest.mark.parametrize("later", ["Never mind.", "/plan status", "/plan help\n/plan cancel", "> /plan help"])
def test_a_command_that_was_edited_before_it_was_read_does_nothing_and_is_told_so(stage: Stage, later: str) -> None:
    issue = open_issue(stage, repository(stage))
    comment = edited_at_once(stage, issue, "/plan help", later)
    assert reactions(comment) == ["confused"]
    assert "was edited before it was read, and nothing was done" in replies(stage, issue)[0]


def test_a_stranger_who_edits_a_command_is_met_with_silence(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    assert reactions(edited_at_once(stage, issue, "/plan help", "/plan verify", user="stranger")) == []
    assert writes(stage) == []


def test_an_edit_that_leaves_the_command_as_it_was_changes_nothing(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    comment = edited_at_once(stage, issue, "What can it doo?\n\n/plan help", "What can it do?\n\n/plan help  ")
    assert reactions(comment) == ["eyes", "rocket"]
    assert len(replies(stage, issue)) == 1


def test_a_command_that_was_deleted_before_it_was_read_does_nothing(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    stage.look.before_next(
        "GET",
        r"/issues/comments/\d+$",
        lambda: stage.look.delete_comment_as(issue.comments[0], "author"),
    )
    say(stage, issue, "/plan help")
    assert writes(stage) == []


def test_a_comment_without_a_command_starts_nothing(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    before = jobs(stage)
    say(stage, pull, "Looks good to me, the plan is fine.")
    stage.look.review(pull, "Approved.", state="APPROVED")
    stage.settle()
    assert jobs(stage) == before
    assert [request.line for request in stage.look.requests] == []


def test_the_same_delivery_twice_answers_once(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    comment = say(stage, issue, "/plan help")
    stage.look.outbox.duplicate(list(stage.look.outbox.of("issue_comment", "created"))[-2])
    stage.settle()
    assert len(replies(stage, issue)) == 1
    assert reactions(comment) == ["eyes", "rocket"]


def test_a_command_is_answered_also_when_the_repository_is_renamed_meanwhile(stage: Stage) -> None:
    repo = repository(stage)
    issue = open_issue(stage, repo)
    stage.look.before_next("POST", r"/reactions$", lambda: stage.look.rename(repo, f"{repo.name}-renamed"))
    comment = say(stage, issue, "/plan help")
    assert reactions(comment) == ["eyes", "rocket"]
    assert len(replies(stage, issue)) == 1


def test_a_command_on_an_issue_that_was_transferred_does_nothing(stage: Stage) -> None:
    repo, other = repository(stage), repository(stage)
    issue = open_issue(stage, repo)
    stage.look.before_next("GET", r"/issues/comments/\d+$", lambda: stage.look.transfer_issue(issue, other))
    say(stage, issue, "/plan help")
    assert writes(stage) == []


def test_a_command_in_an_archived_repository_fails_nothing(stage: Stage) -> None:
    repo = repository(stage)
    pull = open_pull(stage, repo)
    stage.look.before_next("GET", r"/issues/comments/\d+$", lambda: stage.look.archive(repo))
    comment = say(stage, pull, "/plan verify\n/plan help")
    assert reactions(comment) == []
    assert replies(stage, pull) == []
