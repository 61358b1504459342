"""Threads in which the installation grants less than is needed: named once, with the page where it is granted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.handlers.scenes import (
    conclusion,
    installed,
    log_since,
    pull_in,
    push_to,
    repository,
    rows,
    run_of,
    runs,
    writes,
)
from tests.handlers.test_pull_request import FLAWED, SOUND
from tests.lookalike.state import Installation
from tests.stage import MANIFEST, Stage

ASKED: dict[str, str] = MANIFEST["default_permissions"]


@contextmanager
def granting(stage: Stage, permissions: Mapping[str, str]) -> Iterator[Installation]:
    installation = stage.installation
    before = dict(installation.permissions)
    stage.look.grant(installation, before | dict(permissions), by="owner")
    stage.settle()
    stage.look.revoke_tokens()
    try:
        yield installation
    finally:
        stage.look.grant(installation, before, by="owner")
        stage.settle()


def page_of(installation: Installation) -> str:
    return f"/settings/installations/{installation.id}/permissions/update"


def test_what_an_installation_lacks_is_kept_and_logged_with_the_page(stage: Stage) -> None:
    mark = len(stage.server.log())
    repository(stage, owner="umbrella")
    installation = installed(stage, "umbrella", {"checks": "read", "issues": "read"})
    stage.settle()
    [(account, missing, url)] = rows(
        stage,
        "SELECT account, missing, url FROM planproof_installations WHERE installation_id = ?",
        installation.id,
    )
    assert (account, missing) == ("umbrella", '["checks: write", "issues: write"]')
    assert url.endswith(page_of(installation))
    [line] = [line for line in log_since(stage, mark).splitlines() if "installation.lacks" in line]
    assert "checks: write, issues: write" in line
    assert url in line
    stage.look.grant(installation, ASKED, by="owner")
    stage.settle()
    [(missing,)] = rows(stage, "SELECT missing FROM planproof_installations WHERE installation_id = ?", installation.id)
    assert missing == "[]"


def test_a_missing_permission_is_named_once_with_its_page_and_not_again_at_the_next_push(stage: Stage) -> None:
    with granting(stage, {"issues": "read", "pull_requests": "read"}) as installation:
        pull = pull_in(stage, stage.repo, FLAWED)
        for _ in range(2):
            run = run_of(stage, pull)
            summary = run.summary or ""
            assert run.conclusion == "action_required"
            assert "The comment needs the App's permission *issues: write or pull requests: write*" in summary
            assert page_of(installation) in summary
            assert stage.ours(pull) == []
            push_to(stage, pull, FLAWED + "\nMore.\n")
    # granted, the next event does all of it, without a restart
    push_to(stage, pull, FLAWED + "\nStill more.\n")
    assert (len(stage.ours(pull)), stage.labels(pull)) == (1, ["plan/needs-fix"])
    assert conclusion(stage, pull) == "failure"
    assert "permission" not in (run_of(stage, pull).summary or "")


def test_without_checks_the_one_comment_names_it_once_and_no_more_when_it_is_granted(stage: Stage) -> None:
    stage.expected_errors.add("publish.unchecked")
    with granting(stage, {"checks": "read"}) as installation:
        pull = pull_in(stage, stage.repo, FLAWED)
        push_to(stage, pull, FLAWED + "\nMore.\n")
        [comment] = stage.ours(pull)
        assert comment.count("The check run needs the App's permission *checks: write*") == 1
        assert comment.count(page_of(installation)) == 1
    push_to(stage, pull, FLAWED + "\nStill more.\n")
    [comment] = stage.ours(pull)
    assert "permission" not in comment
    assert conclusion(stage, pull) == "failure"


def test_without_contents_the_check_says_what_to_grant(stage: Stage) -> None:
    repo = repository(stage, owner="cyberdyne")
    installation = installed(stage, "cyberdyne")
    stage.settle()
    granted = {name: level for name, level in ASKED.items() if name != "contents"}
    stage.look.grant(installation, granted, by="owner")
    stage.settle()
    pull = pull_in(stage, repo, SOUND)
    run = run_of(stage, pull)
    assert run.conclusion == "action_required"
    assert "contents: read" in (run.summary or "")
    assert page_of(installation) in (run.summary or "")
    issue = stage.look.open_issue(repo, "Retry", "### Task 1: Retry\n\n### Task 2: Wait\n")
    stage.settle()
    [answer] = stage.ours(issue)
    assert "new as far as can be told" in answer
    assert "contents: read" in answer
    stage.look.grant(installation, ASKED, by="owner")
    stage.settle()
    stage.look.rerequest(run)
    stage.settle()
    assert conclusion(stage, pull) == "success"


def test_a_suspended_installation_ends_what_waits_quietly(stage: Stage) -> None:
    repo = repository(stage, owner="tyrell")
    installation = installed(stage, "tyrell")
    stage.settle()
    mark = len(stage.server.log())
    stage.look.forget()
    with stage.look.outbox.held():
        pull = stage.look.open_pull(repo, "plan", {"docs/plans/a.md": FLAWED})
        issue = stage.look.open_issue(repo, "Retry", "### Task 1: Retry\n\n### Task 2: Wait\n")
        stage.look.suspend(installation, by="owner")
    stage.settle()
    assert writes(stage) == []
    assert (stage.ours(pull), stage.ours(issue), repo.runs) == ([], [], [])
    log = log_since(stage, mark)
    assert log.count("review.unreachable") == 1
    assert log.count("issue.unreachable") == 1
    assert "suspended" in log
    installation.suspended = False
    push_to(stage, pull, FLAWED + "\nMore.\n")
    assert len(runs(stage, repo, pull.pull.head_sha)) == 1  # type: ignore[union-attr]
