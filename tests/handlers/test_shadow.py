"""Threads with PLANPROOF_MODE=shadow: everything is judged, nothing is posted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import sample
from tests.handlers.scenes import change_rows
from tests.handlers.test_pull_request import FLAWED
from tests.stage import Stage, staged


@pytest.fixture(scope="module")
def shadowed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with staged(tmp_path_factory.mktemp("shadow"), settings={"PLANPROOF_MODE": "shadow"}) as stage:
        yield stage
        assert stage.look.problems == []


def test_nothing_is_posted_and_the_log_says_what_would_have_been(shadowed: Stage) -> None:
    issue = shadowed.look.open_issue(shadowed.repo, sample.ISSUE_TITLE, sample.ISSUE_PLAN)
    pull = shadowed.look.open_pull(
        shadowed.repo, "plan", {"docs/plans/retry.md": FLAWED}, body=f"Closes #{issue.number}"
    )
    shadowed.settle()
    shadowed.look.close_pull(pull)
    shadowed.settle()
    assert [r.line for r in shadowed.look.writes if "access_tokens" not in r.line] == []
    assert "publish.shadowed" in shadowed.server.log()
    assert "verdict=needs_fix" in shadowed.server.log()


def test_a_check_that_was_left_unfinished_stays_as_it_is(shadowed: Stage) -> None:
    pull = shadowed.look.open_pull(shadowed.repo, "left", {"docs/plans/left.md": FLAWED})
    shadowed.settle()
    assert pull.pull is not None
    old = pull.pull.head_sha
    run = shadowed.look.add_run(shadowed.repo, shadowed.installation.app, old, "planproof")
    run.status = "in_progress"
    names = "repo_id, number, head_sha, installation_id, repo, since"
    statement = f"INSERT INTO planproof_open_checks ({names}) VALUES (?, ?, ?, ?, ?, 1)"  # noqa: S608
    where = (shadowed.repo.id, pull.number, old, shadowed.installation.id, shadowed.repo.full_name)
    change_rows(shadowed, statement, *where)
    shadowed.look.forget()
    shadowed.look.push(shadowed.repo, "left", {"docs/plans/left.md": "# Another\n"}, "Change the plan")
    shadowed.settle()
    shadowed.look.close_pull(pull)
    shadowed.settle()
    assert [r.line for r in shadowed.look.writes if "access_tokens" not in r.line] == []
    assert run.status == "in_progress"
