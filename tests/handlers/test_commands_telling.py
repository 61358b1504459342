"""`/plan check`, `/plan status`, `/plan cancel`."""

from __future__ import annotations

from tests import sample
from tests.handlers.scenes import CONFIG, change_rows, rows, writes
from tests.handlers.threads import (
    SOUND,
    TWICE_FLAWED,
    checks,
    conclusions,
    findings,
    jobs,
    open_issue,
    open_pull,
    reactions,
    replies,
    repository,
    say,
    seen,
)
from tests.stage import Stage, until

RETRY = "# Retry failed calls with exponential backoff\n"


# ---- check -------------------------------------------------------------------------------------
def test_check_on_an_issue_edits_the_answer_in_place(stage: Stage) -> None:
    repo = repository(stage)
    issue = stage.look.open_issue(repo, sample.ISSUE_TITLE, sample.ISSUE_PLAN)
    stage.settle()
    index = sample.INDEX.replace("capability.transport.retry", "capability.transport.again").format(today="2026-11-30")
    stage.look.push(repo, "main", {"registry/indexes/federated.yaml": index}, "Rename", user="owner")
    comment = say(stage, issue, "/plan check")
    assert reactions(comment) == ["eyes", "rocket"]
    [answer] = stage.ours(issue)
    assert "capability.transport.again" in answer


def test_check_answers_also_on_an_issue_that_nobody_marked_as_a_plan(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    comment = say(stage, issue, "/plan-check", user="triager")
    assert reactions(comment) == ["eyes", "rocket"]
    [answer] = stage.ours(issue)
    assert "**Planproof: new.**" in answer


def test_check_on_a_closed_issue(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    stage.look.close_issue(issue)
    comment = say(stage, issue, "/plan check")
    assert reactions(comment) == ["eyes", "confused"]
    assert "This thread is closed" in replies(stage, issue)[0]


def test_check_on_a_pull_request_whose_capability_exists(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage), SOUND.replace("# Retry Plan\n", RETRY))
    comment = say(stage, pull, "/plan check")
    assert reactions(comment) == ["eyes", "rocket"]
    seen(stage, "check-reuse", pull, comment)


def test_check_on_a_pull_request_that_brings_something_new(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage), SOUND.replace("# Retry Plan", "# Paint the shed"))
    comment = say(stage, pull, "/plan check")
    assert reactions(comment) == ["eyes", "rocket"]
    seen(stage, "check-new", pull, comment)


def test_check_on_a_pull_request_with_two_plans_names_each(stage: Stage) -> None:
    plans = {"plans/a.md": SOUND.replace("# Retry Plan\n", RETRY), "plans/b.md": SOUND.replace("Retry Plan", "Shed")}
    pull = stage.look.open_pull(repository(stage), "two", plans)
    stage.settle()
    comment = say(stage, pull, "/plan check")
    assert reactions(comment) == ["eyes", "rocket"]
    seen(stage, "check-two", pull, comment)


def test_check_on_a_pull_request_without_a_plan(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage), None)
    comment = say(stage, pull, "/plan check")
    assert reactions(comment) == ["eyes", "confused"]
    assert "changes no plan" in replies(stage, pull)[0]


# ---- status ------------------------------------------------------------------------------------
def test_status_tells_findings_decisions_and_configuration(stage: Stage) -> None:
    repo = repository(stage, "gate: {placeholder: false}\nlabel: needs work\n")
    pull = open_pull(stage, repo, TWICE_FLAWED)
    first, second = findings(stage, pull)
    say(stage, pull, f"/plan dispute {second} task 0 writes it")
    say(stage, pull, f"/plan dismiss {first} generated", user="writer")
    stage.look.push(repo, "main", {CONFIG: "lable: needs work\n"}, "A typo", user="owner")
    for old in stage.look.comments_by(pull, "planproof[bot]"):
        if old.body.startswith("<!-- planproof:reply"):
            stage.look.delete_comment_as(old, "owner")
    stage.settle()
    comment = say(stage, pull, "/plan status")
    assert reactions(comment) == ["eyes", "rocket"]
    seen(stage, "status", pull, comment)


def test_status_of_a_sound_plan(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage), SOUND)
    comment = say(stage, pull, "/plan status", user="triager")
    seen(stage, "status-sound", pull, comment)


def test_status_without_a_plan(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage), None)
    say(stage, pull, "/plan status")
    assert "**Planproof: no plan here**" in replies(stage, pull)[0]


def test_status_of_an_issue(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    comment = say(stage, issue, "/plan status")
    assert reactions(comment) == ["eyes", "rocket"]
    seen(stage, "status-issue", issue, comment)


def test_status_right_after_verify_speaks_of_that_verdict(stage: Stage) -> None:
    repo = repository(stage, "mode: off\n")
    pull = open_pull(stage, repo, SOUND)
    stage.look.push(repo, "main", {CONFIG: "mode: on\n"}, "On", user="owner")
    comment = say(stage, pull, "/plan verify\n/plan status")
    assert reactions(comment) == ["eyes", "rocket"]
    assert "**Planproof: no finding to settle**" in replies(stage, pull)[0]


def test_status_names_a_permission_that_is_missing(stage: Stage) -> None:
    granted = dict(stage.installation.permissions)
    pull = open_pull(stage, repository(stage), SOUND)
    stage.look.grant(stage.installation, granted | {"merge_queues": "none"}, by="owner")
    stage.settle()
    try:
        say(stage, pull, "/plan status")
        assert "Not granted to the App: *merge queues: read*" in replies(stage, pull)[0]
        assert "/permissions/update" in replies(stage, pull)[0]
    finally:
        stage.look.grant(stage.installation, granted, by="owner")
        stage.settle()


def test_status_asks_github_about_permissions_where_the_store_does_not_know(stage: Stage) -> None:
    granted = dict(stage.installation.permissions)
    pull = open_pull(stage, repository(stage), SOUND)
    stage.look.grant(stage.installation, granted | {"checks": "read"}, by="owner")
    stage.settle()
    change_rows(stage, "DELETE FROM planproof_installations")
    try:
        say(stage, pull, "/plan status")
        assert "Not granted to the App: *checks: write*" in replies(stage, pull)[0]
        assert rows(stage, "SELECT missing FROM planproof_installations") == [('["checks: write"]',)]
    finally:
        stage.look.grant(stage.installation, granted, by="owner")
        stage.settle()


def test_status_is_told_while_a_job_hangs(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage), SOUND)
    stage.look.fail_next("GET", rf"/pulls/{pull.number}$", None, delay=20)
    stage.look.comment(pull, "/plan verify", user="author")
    until(lambda: stage.look.asked("GET", rf"/pulls/{pull.number}$"), "the job did not begin")
    stage.look.comment(pull, "/plan check", user="author")
    until(lambda: jobs(stage, "ENQUEUED") == 1, "the second job was not enqueued")
    comment = stage.look.comment(pull, "/plan status", user="author")
    until(lambda: reactions(comment) == ["eyes", "rocket"], "no answer came")
    assert ", command, running since " in replies(stage, pull)[0]
    assert ", a job, waiting\n" in replies(stage, pull)[0]
    say(stage, pull, "/plan cancel", user="writer")


# ---- cancel ------------------------------------------------------------------------------------
def test_cancel_where_nothing_runs(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    comment = say(stage, pull, "/plan cancel", user="writer")
    assert reactions(comment) == ["eyes", "rocket"]
    assert conclusions(stage, pull) == ["failure"]
    seen(stage, "nothing-runs", pull, comment)


def test_cancel_ends_a_first_judging_that_hangs_and_leaves_a_cancelled_check(stage: Stage) -> None:
    repo = repository(stage)
    stage.look.fail_next("GET", rf"/repos/{repo.full_name}/compare/", None, delay=20)
    pull = stage.look.open_pull(repo, "slow", {"docs/plans/retry.md": SOUND})
    until(lambda: stage.look.asked("GET", rf"/repos/{repo.full_name}/compare/"), "the job did not begin")
    comment = stage.look.comment(pull, "/plan cancel", user="writer")
    until(lambda: reactions(comment) == ["eyes", "rocket"], "no answer came", seconds=15)
    stage.settle(seconds=15)
    assert conclusions(stage, pull) == ["cancelled"]
    assert "Stopped by" in (checks(stage, pull)[0].title or "")
    seen(stage, "cancelled", pull, comment)


def test_cancel_answers_the_commands_that_it_stops(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    stage.look.fail_next("GET", rf"/pulls/{pull.number}$", None, delay=20)
    running = stage.look.comment(pull, "/plan verify", user="author")
    until(lambda: stage.look.asked("GET", rf"/pulls/{pull.number}$"), "the job did not begin")
    waiting = stage.look.review(pull, f"/plan dismiss {finding} generated", user="writer")
    until(lambda: jobs(stage, "ENQUEUED") == 1, "the job was not enqueued")
    comment = stage.look.comment(pull, "/plan cancel", user="writer")
    until(lambda: reactions(comment) == ["eyes", "rocket"], "no answer came", seconds=15)
    stage.settle(seconds=15)
    assert reactions(running) == ["eyes", "confused"]
    assert reactions(waiting) == ["confused"]
    assert conclusions(stage, pull) == ["failure"]
    assert findings(stage, pull) == [finding]
    assert "Stopped: run" in replies(stage, pull)[0]


def test_the_author_may_not_cancel(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    comment = say(stage, pull, "/plan cancel")
    assert reactions(comment) == ["confused"]
    assert "`/plan cancel` needs write access" in replies(stage, pull)[0]
    assert [line for line in writes(stage) if "check-runs" in line] == []
