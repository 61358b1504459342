"""What maintainers complain of in bots of this kind, one test for each complaint: here it cannot happen.

The details of each are tested where they belong; this is the list.
"""

from __future__ import annotations

import pytest

from tests.handlers.scenes import many_findings, pull_in, push_to, repository, run_of
from tests.handlers.threads import FLAWED, SOUND, conclusions, open_pull, reactions, replies, say
from tests.lookalike.markup import render
from tests.stage import Stage, until

TYPO = "gates: false\n"


def test_green_though_nothing_was_verified(stage: Stage) -> None:
    """Whatever keeps a plan from being judged, the check is not green."""
    not_text = pull_in(stage, stage.repo, {"docs/plans/retry.md": b"# Plan\n\n### Task 1: \xff\xfe\n"})
    stage.look.fail_next("GET", r"/compare/", 404, message="No common ancestor between main and plan.")
    unrelated = pull_in(stage, stage.repo, SOUND)
    assert (conclusions(stage, not_text), conclusions(stage, unrelated)) == (["action_required"], ["action_required"])


def test_a_check_that_stays_in_progress(stage: Stage) -> None:
    """A server that dies between two batches of annotations completes the check when it is back."""
    stage.look.fail_next("PATCH", r"/check-runs/\d+$", None, delay=3)
    pull = stage.look.open_pull(stage.repo, "stuck", {"docs/plans/retry.md": many_findings(120)})
    until(lambda: stage.look.asked("PATCH", r"/check-runs/\d+$"), "the second batch was not on its way")
    assert run_of(stage, pull).status == "in_progress"
    stage.server.kill()
    stage.server.start()
    stage.settle()
    run = run_of(stage, pull)
    assert (run.status, run.conclusion) == ("completed", "failure")


def test_a_re_run_that_does_nothing(stage: Stage) -> None:
    """The check is completed anew also when nothing changed."""
    pull = pull_in(stage, stage.repo, SOUND)
    run = run_of(stage, pull)
    stage.look.rerequest(run)
    stage.settle()
    assert len(stage.look.asked("PATCH", rf"/check-runs/{run.id}$")) == 1


def test_two_sticky_comments(stage: Stage) -> None:
    """Not even when the answer to the first is lost, the delivery comes twice and a push comes in between."""
    stage.look.fail_next("POST", r"/issues/\d+/comments$", "drop")
    pull = stage.look.open_pull(stage.repo, "twice", {"docs/plans/retry.md": FLAWED})
    stage.look.outbox.duplicate(stage.look.outbox.of("pull_request", "opened")[-1])
    push_to(stage, pull, FLAWED + "\nMore.\n")
    assert len(stage.ours(pull)) == 1


def test_a_verdict_on_a_head_that_was_never_read(stage: Stage) -> None:
    """A head that moves while a plan is judged keeps that verdict from being posted anywhere."""
    old: list[str] = []

    def overtake() -> None:
        [pull] = [each for each in stage.repo.pulls if each.pull and each.pull.head_ref == "moving"]
        assert pull.pull is not None
        old.append(pull.pull.head_sha)
        stage.look.push(stage.repo, "moving", {"docs/plans/retry.md": SOUND}, "Mend the plan")

    stage.look.before_next("GET", r"/commits/[0-9a-f]+/check-runs$", overtake)
    pull = stage.look.open_pull(stage.repo, "moving", {"docs/plans/retry.md": FLAWED})
    stage.settle()
    assert conclusions(stage, pull) == ["success"]
    assert stage.labels(pull) == []
    assert stage.look.runs(stage.repo, old[0], name="planproof") == []


def test_eyes_then_silence(stage: Stage) -> None:
    """A reply that GitHub refuses for a while comes all the same, and so does the last reaction."""
    pull = open_pull(stage, repository(stage))
    stage.look.fail_next("POST", r"/issues/\d+/comments$", 502, times=2)
    comment = say(stage, pull, "/plan help")
    assert reactions(comment) == ["eyes", "rocket"]
    assert len(replies(stage, pull)) == 1


def test_an_unknown_command_that_nobody_answers(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    comment = say(stage, pull, "/plan verfy", user="triager")
    assert reactions(comment) == ["confused"]
    [reply] = replies(stage, pull)
    assert "the nearest is `/plan verify`" in reply


def test_a_typo_in_the_configuration_that_is_passed_over(stage: Stage) -> None:
    """It fails the pull request that brings it, on its line, and is named while it is there."""
    repo = repository(stage)
    bringing = pull_in(stage, repo, {".github/planproof.yml": TYPO})
    run = run_of(stage, bringing)
    assert run.conclusion == "failure"
    [annotation] = run.annotations
    assert (annotation["path"], annotation["start_line"]) == (".github/planproof.yml", 1)
    assert "the nearest is `gate`" in annotation["message"]
    stage.look.push(repo, "main", {".github/planproof.yml": TYPO}, "All the same", user="owner")
    [comment] = stage.ours(pull_in(stage, repo, FLAWED))
    assert "the nearest is `gate`" in comment


def test_a_403_that_nobody_explains(stage: Stage) -> None:
    """The check names the permission and the page where an owner grants it."""
    granted = dict(stage.installation.permissions)
    stage.look.grant(stage.installation, granted | {"issues": "read", "pull_requests": "read"}, by="owner")
    stage.look.revoke_tokens()
    try:
        run = run_of(stage, pull_in(stage, stage.repo, FLAWED))
        assert run.conclusion == "action_required"
        assert "issues: write" in (run.summary or "")
        assert "/permissions/update" in (run.summary or "")
    finally:
        stage.look.grant(stage.installation, granted, by="owner")
        stage.look.revoke_tokens()


def test_a_label_that_is_missing(stage: Stage) -> None:
    """One that somebody deleted from the repository is made again, with its colour and description."""
    repo = repository(stage)
    pull = pull_in(stage, repo, FLAWED)
    stage.look.delete_label(repo, "plan/needs-fix")
    push_to(stage, pull, FLAWED + "\nMore.\n")
    assert stage.labels(pull) == ["plan/needs-fix"]
    assert [(label.color, bool(label.description)) for label in repo.labels] == [("d93f0b", True)]


def test_a_loop_with_another_bot(stage: Stage) -> None:
    """Another bot that repeats what we say, and what people say to us, gets no answer, even where it may ask."""
    helper = stage.look.create_bot()
    pull = pull_in(stage, repository(stage, f"apps: [{helper.id}]\n"), FLAWED)
    say(stage, pull, "/plan help")
    count = len(stage.ours(pull))
    for body in stage.ours(pull):
        stage.look.bot_comment(pull, body)
        stage.look.bot_comment(pull, "".join(f"> {line}\n" for line in body.splitlines()))
    stage.settle()
    assert len(stage.ours(pull)) == count


def test_a_comment_that_is_longer_than_github_takes(stage: Stage) -> None:
    """It is cut where Markdown allows it, everything opened is closed, and it says where the rest is."""
    [comment] = stage.ours(pull_in(stage, stage.repo, many_findings(600, name="part_" * 30)))
    assert len(comment.encode("utf-16-le")) // 2 <= 65_536
    assert comment.count("<details>") == comment.count("</details>")
    assert "**Cut here**" in comment
    assert "run " in render(comment).rpartition("Cut here")[2]


@pytest.mark.parametrize("marked", [True, False], ids=["redelivered", "replayed"])
def test_work_that_is_done_twice_after_a_redelivery(stage: Stage, marked: bool) -> None:
    """A delivery that is known already starts nothing: GitHub is not asked a single question."""
    pull = pull_in(stage, stage.repo, FLAWED)
    [opened] = [
        each for each in stage.look.outbox.of("pull_request", "opened") if each.payload["number"] == pull.number
    ]
    stage.look.forget()
    again = stage.look.outbox.redeliver(opened) if marked else stage.look.outbox.duplicate(opened)
    stage.settle()
    assert again.answer.strip() == "known already"
    assert stage.look.requests == []
