"""Threads in which the repository cannot be fetched: said with what to do, posted once, and never green."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import sample
from tests.handlers.test_pull_request import SOUND
from tests.stage import Stage, staged


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("cut-off")
    with staged(folder, settings={"PLANPROOF_GIT_URL": f"{folder}/nowhere/{{owner}}/{{repo}}.git"}) as stage:
        yield stage
        assert stage.look.problems == []


def test_a_pull_request_asks_for_action_and_says_which(cut_off: Stage) -> None:
    pull = cut_off.look.open_pull(cut_off.repo, "plan", {"docs/plans/retry.md": SOUND})
    cut_off.settle()
    [comment] = cut_off.ours(pull)
    assert "Planproof could not judge" in comment
    assert "acme/widgets" in comment
    assert "Nothing was checked, so nothing is green" in comment
    assert cut_off.conclusions(pull) == ["action_required"]
    assert cut_off.labels(pull) == []
    assert "review.unjudged" in cut_off.server.log()


def test_an_issue_is_answered_with_what_could_not_be_asked(cut_off: Stage) -> None:
    issue = cut_off.look.open_issue(cut_off.repo, sample.ISSUE_TITLE, sample.ISSUE_PLAN)
    cut_off.settle()
    [comment] = cut_off.ours(issue)
    assert "new as far as can be told" in comment
    assert "could not be read" in comment
