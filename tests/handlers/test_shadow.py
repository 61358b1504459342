"""Threads with PLANPROOF_MODE=shadow: everything is judged, nothing is posted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import sample
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
