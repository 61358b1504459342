"""Who is answered: authors and triagers are, strangers once, bots that are not allowed never."""

from __future__ import annotations

from tests.handlers.scenes import CONFIG, PLAN, writes
from tests.handlers.threads import FLAWED, findings, open_issue, open_pull, reactions, replies, repository, say, seen
from tests.stage import Stage


def test_the_author_asks_for_help(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    comment = say(stage, issue, "/plan help")
    assert reactions(comment) == ["eyes", "rocket"]
    seen(stage, "help-author", issue, comment)


def test_a_writer_is_told_that_all_commands_are_open(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    comment = say(stage, issue, "What can it do?\n\n/plan help\n", user="writer")
    assert reactions(comment) == ["eyes", "rocket"]
    seen(stage, "help-writer", issue, comment)


def test_a_triager_asks_for_help(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    comment = say(stage, issue, "/plan help", user="triager")
    assert reactions(comment) == ["eyes", "rocket"]
    [reply] = replies(stage, issue)
    assert reply.count("not open to you") == 2


def test_an_unknown_command_of_the_author_is_answered_with_the_nearest(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    comment = say(stage, pull, "/plan verfy")
    assert reactions(comment) == ["confused"]
    seen(stage, "unknown", pull, comment)


def test_an_unknown_command_of_a_triager_is_answered_too(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    comment = say(stage, issue, "/plan", user="triager")
    assert reactions(comment) == ["confused"]
    seen(stage, "no-command", issue, comment)


def test_an_unknown_command_of_a_stranger_is_met_with_silence(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    for body in ("/plan verfy", "/plan", "/plan dismiss", "/plan help me"):
        assert reactions(say(stage, issue, body, user="stranger")) == []
    assert writes(stage) == []


def test_a_stranger_gets_one_reply_in_a_thread_however_often_they_ask(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    first = say(stage, pull, "/plan verify", user="stranger")
    assert reactions(first) == ["confused"]
    seen(stage, "refused-stranger", pull, first)
    for body in ("/plan verify", "/plan cancel", "/plan help"):
        assert reactions(say(stage, pull, body, user="stranger")) == ["confused"]
    [reply] = replies(stage, pull)
    assert "`/plan help`" in reply


def test_two_strangers_get_a_reply_each(stage: Stage) -> None:
    stage.look.account("passer-by")
    pull = open_pull(stage, repository(stage))
    for user in ("stranger", "passer-by", "stranger"):
        say(stage, pull, "/plan verify", user=user)
    assert len(replies(stage, pull)) == 2


def test_the_author_may_not_dismiss_without_write_access(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    comment = say(stage, pull, f"/plan dismiss {finding} because")
    assert reactions(comment) == ["confused"]
    assert findings(stage, pull) == [finding]
    seen(stage, "refused-author", pull, comment)


def test_a_triager_may_not_dismiss(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    comment = say(stage, pull, f"/plan dismiss {finding} because", user="triager")
    assert reactions(comment) == ["confused"]
    seen(stage, "refused-triager", pull, comment)


def test_rights_are_asked_when_the_command_is_given(stage: Stage) -> None:
    repo = repository(stage)
    issue = open_issue(stage, repo)
    assert reactions(say(stage, issue, "/plan help", user="triager")) == ["eyes", "rocket"]
    repo.roles["triager"] = "read"
    assert reactions(say(stage, issue, "/plan help", user="triager")) == ["confused"]


def test_what_is_allowed_is_done_and_the_rest_is_refused_in_the_same_reply(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    comment = say(stage, pull, "/plan help\n\n/plan cancel\n")
    assert reactions(comment) == ["eyes", "confused"]
    [reply] = replies(stage, pull)
    assert "| command |" in reply
    assert "`/plan cancel` needs write access" in reply


# ---- bots --------------------------------------------------------------------------------------
def test_a_bot_that_is_not_allowed_is_met_with_silence(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    for body in ("/plan help", "/plan verfy", "/plan cancel"):
        comment = stage.look.bot_comment(issue, body)
        stage.settle()
        assert reactions(comment) == []
    assert writes(stage) == []


def test_a_bot_that_the_configuration_names_may_what_a_writer_may(stage: Stage) -> None:
    helper = stage.look.create_bot()
    pull = open_pull(stage, repository(stage, f"apps: [{helper.id}]\n"))
    [finding] = findings(stage, pull)
    comment = stage.look.bot_comment(pull, f"/plan dismiss {finding} the build writes it")
    stage.settle()
    assert reactions(comment) == ["eyes", "rocket"]
    assert findings(stage, pull) == []
    seen(stage, "dismissed-by-bot", pull, comment)


def test_another_bot_than_the_one_that_is_named_is_met_with_silence(stage: Stage) -> None:
    helper, other = stage.look.create_bot(), stage.look.create_bot("other")
    issue = open_issue(stage, repository(stage, f"apps: [{helper.id}]\n"))
    comment = stage.look.bot_comment(issue, "/plan help", app=other)
    stage.settle()
    assert reactions(comment) == []
    assert writes(stage) == []


def test_a_bots_review_names_no_app_so_it_gives_no_commands(stage: Stage) -> None:
    helper = stage.look.create_bot()
    pull = open_pull(stage, repository(stage, f"apps: [{helper.id}]\n"))
    review = stage.look.bot_review(pull, "/plan help")
    stage.settle()
    assert reactions(review) == []
    assert replies(stage, pull) == []


def test_our_own_bot_never_commands_itself(stage: Stage) -> None:
    ours = stage.installation.app
    issue = open_issue(stage, repository(stage, f"apps: [{ours.id}]\n"))
    comment = stage.look.bot_comment(issue, "/plan help", app=ours)
    stage.settle()
    assert reactions(comment) == []
    assert len(stage.ours(issue)) == 1


def test_two_bots_do_not_talk_to_each_other(stage: Stage) -> None:
    helper = stage.look.create_bot()
    issue = open_issue(stage, repository(stage, f"apps: [{helper.id}]\n"))
    stage.look.bot_comment(issue, "/plan help")
    stage.settle()
    [reply] = replies(stage, issue)
    # what we say holds no command when another bot repeats it
    stage.look.bot_comment(issue, reply)
    stage.settle()
    assert len(replies(stage, issue)) == 1


# ---- what the repository set -------------------------------------------------------------------
def test_a_repository_that_is_switched_off_says_so_to_those_who_may_ask(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage, "mode: off\n"))
    assert reactions(say(stage, pull, "/plan verify", user="stranger")) == []
    comment = say(stage, pull, "/plan verify\n\n/plan status")
    assert reactions(comment) == ["confused"]
    seen(stage, "switched-off", pull, comment)
    assert [line for line in writes(stage) if "check-runs" in line] == []


def test_in_shadow_a_dismissal_counts_and_nothing_is_posted(stage: Stage) -> None:
    repo = repository(stage)
    pull = open_pull(stage, repo)
    [finding] = findings(stage, pull)
    stage.look.push(repo, "main", {CONFIG: "mode: shadow\n"}, "Watch only", user="owner")
    stage.settle()
    stage.look.forget()
    comment = say(stage, pull, f"/plan dismiss {finding} generated\n\n/plan status\n\n/plan verfy", user="writer")
    assert reactions(comment) == []
    assert writes(stage) == []
    stage.look.push(repo, "main", {CONFIG: "mode: on\n"}, "Go", user="owner")
    say(stage, pull, "/plan verify")
    assert findings(stage, pull) == []
    assert stage.labels(pull) == []


def test_the_pull_requests_own_configuration_allows_nobody(stage: Stage) -> None:
    helper = stage.look.create_bot()
    repo = repository(stage)
    files = {PLAN: FLAWED, CONFIG: f"apps: [{helper.id}]\n"}
    pull = stage.look.open_pull(repo, "sly", files)
    stage.settle()
    comment = stage.look.bot_comment(pull, "/plan help")
    stage.settle()
    assert reactions(comment) == []
    assert replies(stage, pull) == []
