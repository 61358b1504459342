"""`/plan check`, `/plan status`, `/plan cancel`."""

from __future__ import annotations

from tests import sample
from tests.handlers import scenes
from tests.handlers.scenes import CONFIG, change_rows, log_since, rows, writes
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
    sticky,
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
    [answer] = replies(stage, issue)
    assert "**Planproof: new.**" in answer
    # what was asked for stays when the issue changes
    stage.look.label(issue, "bug")
    stage.look.edit(issue, body="They really do.")
    stage.settle()
    assert stage.ours(issue) == [answer]


def test_check_on_an_issue_that_held_a_plan_once_answers_and_takes_the_old_answer_back(stage: Stage) -> None:
    issue = stage.look.open_issue(repository(stage), sample.ISSUE_TITLE, sample.ISSUE_PLAN)
    stage.settle()
    # the event that tells of the edit can be lost
    stage.look.outbox.lose_next()
    stage.look.edit(issue, body="Never mind.")
    say(stage, issue, "/plan check")
    assert "holds no plan any more" in stage.ours(issue)[0]
    assert "capability.transport.retry" in replies(stage, issue)[0]


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


def test_check_tells_what_kept_it_from_comparing(stage: Stage) -> None:
    stage.look.fail_next("GET", r"/compare/", 404, times=2)
    pull = open_pull(stage, repository(stage), SOUND)
    comment = say(stage, pull, "/plan check")
    assert reactions(comment) == ["eyes", "confused"]
    assert "no commit that the head and the base branch have in common" in replies(stage, pull)[0]
    assert "changes no plan" not in replies(stage, pull)[0]


def test_check_tells_that_the_pull_request_was_closed_or_the_app_switched_off_meanwhile(stage: Stage) -> None:
    repo = repository(stage)
    for pull, then, said in (
        (closing := open_pull(stage, repo, SOUND), lambda: stage.look.close_pull(closing), "This thread is closed"),
        (
            open_pull(stage, repo, SOUND),
            lambda: stage.look.push(repo, "main", {CONFIG: "mode: off\n"}, "Off", user="owner"),
            "is switched off here: `mode: off` in the configuration",
        ),
    ):
        stage.look.before_next("POST", r"/reactions$", then)
        comment = say(stage, pull, "/plan check")
        assert reactions(comment) == ["eyes", "confused"]
        assert said in replies(stage, pull)[0]


def test_the_same_command_in_two_spellings_is_done_once(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage), SOUND)
    say(stage, pull, "/plan check\n\n/plan-check\n\n/plan CHECK")
    assert replies(stage, pull)[0].count("This is advice") == 1


def test_places_that_only_the_organisation_names_are_not_told_in_another_repository(stage: Stage) -> None:
    scenes.repository(stage, 'plans: ["secret-project/*.md"]\n', owner="oscorp", name=".github")
    repo = scenes.repository(stage, owner="oscorp")
    scenes.installed(stage, "oscorp")
    stage.settle()
    pull = open_pull(stage, repo, SOUND)
    for command in ("/plan check", "/plan verify", "/plan status"):
        say(stage, pull, command, user="writer")
    assert "in the places that the organisation's defaults name" in replies(stage, pull)[0]
    assert "secret-project" not in "".join(stage.ours(pull))
    stage.look.push(repo, "main", {CONFIG: "plans: [rfcs/*.md]\n"}, "Own places", user="owner")
    say(stage, pull, "/plan check", user="writer")
    assert "looked for in `rfcs/*.md`;" in replies(stage, pull)[-1]


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


def test_status_asks_github_about_permissions_and_goes_by_what_it_knew_where_github_fails(stage: Stage) -> None:
    granted = dict(stage.installation.permissions)
    pull = open_pull(stage, repository(stage), SOUND)
    stage.look.grant(stage.installation, granted | {"merge_queues": "none"}, by="owner")
    stage.settle()
    # the event that tells of it can be lost
    stage.look.outbox.lose_next()
    stage.look.grant(stage.installation, granted, by="owner")
    stage.settle()
    stage.look.fail_next("GET", rf"/app/installations/{stage.installation.id}$", 418)
    say(stage, pull, "/plan status")
    assert "Not granted to the App: *merge queues: read*" in replies(stage, pull)[-1]
    say(stage, pull, "/plan status")
    assert "Not granted" not in replies(stage, pull)[-1]


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


def test_cancel_does_not_wait_for_the_run_that_it_is_to_stop_and_the_rest_of_the_comment_comes_after_it(
    stage: Stage,
) -> None:
    repo = repository(stage)
    stage.look.fail_next("GET", rf"/repos/{repo.full_name}/compare/", None, delay=20)
    pull = stage.look.open_pull(repo, "slow", {"docs/plans/retry.md": SOUND})
    until(lambda: stage.look.asked("GET", rf"/repos/{repo.full_name}/compare/"), "the job did not begin")
    comment = stage.look.comment(pull, "/plan cancel\n/plan verify", user="writer")
    until(lambda: reactions(comment) == ["eyes", "rocket"], "no answer came", seconds=15)
    stage.settle(seconds=15)
    assert conclusions(stage, pull) == ["success"]
    assert "Stopped: run" in replies(stage, pull)[0]


def test_cancel_answers_the_merge_queue_whose_run_it_stops(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage), SOUND)
    stage.look.fail_next("GET", rf"/pulls/{pull.number}$", None, delay=20)
    group = stage.look.enqueue(pull)
    until(lambda: stage.look.asked("GET", rf"/pulls/{pull.number}$"), "the job did not begin")
    comment = stage.look.comment(pull, "/plan cancel", user="writer")
    until(lambda: reactions(comment) == ["eyes", "rocket"], "no answer came", seconds=15)
    stage.settle(seconds=15)
    [run] = stage.look.runs(pull.repository, group, name="planproof")
    assert (run.status, run.conclusion) == ("completed", "action_required")
    assert "`/plan cancel`" in (run.summary or "")
    assert conclusions(stage, pull) == ["success"]


# ---- what fails beside ---------------------------------------------------------------------------
def test_a_failed_judging_is_told_although_a_command_came_after_it(stage: Stage) -> None:
    stage.expected_errors.add("job.failed")
    repo = repository(stage)
    stage.look.fail_next("GET", rf"/repos/{repo.full_name}/compare/", 418, delay=5)
    pull = stage.look.open_pull(repo, "slow", {"docs/plans/retry.md": SOUND})
    until(lambda: stage.look.asked("GET", rf"/repos/{repo.full_name}/compare/"), "the job did not begin")
    comment = stage.look.comment(pull, "/plan status", user="author")
    until(lambda: reactions(comment) == ["eyes", "rocket"], "no answer came")
    stage.settle()
    assert conclusions(stage, pull) == ["action_required"]


def test_an_answer_that_fails_after_the_verdict_leaves_the_verdict(stage: Stage) -> None:
    stage.expected_errors.add("job.failed")
    pull = open_pull(stage, repository(stage), SOUND)
    verdict = rf"/repos/{pull.repository.full_name}/check-runs"
    stage.look.before_next("*", verdict, lambda: stage.look.fail_next("GET", rf"/pulls/{pull.number}$", 418))
    mark = len(stage.server.log())
    comment = say(stage, pull, "/plan verify\n/plan status")
    assert "job.failed" in log_since(stage, mark)
    assert reactions(comment)[-1] == "confused"
    assert conclusions(stage, pull) == ["success"]
    assert "could not" not in (sticky(stage, pull) or "")


def test_the_author_may_not_cancel(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    comment = say(stage, pull, "/plan cancel")
    assert reactions(comment) == ["confused"]
    assert "`/plan cancel` needs write access" in replies(stage, pull)[0]
    assert [line for line in writes(stage) if "check-runs" in line] == []
