"""Failures at random that can be repeated."""

from __future__ import annotations

from collections import Counter

import httpx
import pytest

from tests.lookalike.asking import WIDGETS, as_app, client, token
from tests.lookalike.fixtures import KeyPair
from tests.lookalike.people import Lookalike
from tests.lookalike.state import Installation, Issue, Repository

REQUESTS = 200


@pytest.fixture
def issue(github: Lookalike, widgets: Repository) -> Issue:
    return github.open_issue(widgets, "An issue")


def lots(http: httpx.Client) -> list[str]:
    """What became of each request: its status, or that there was no answer."""
    seen = []
    for number in range(REQUESTS):
        try:
            answer = http.post(f"{WIDGETS}/issues/1/comments", json={"body": str(number)})
        except httpx.RemoteProtocolError:
            seen.append("drop")
        else:
            waits = answer.headers.get("retry-after")
            seen.append(f"{answer.status_code}" + (f" retry {waits}" if waits else ""))
    return seen


def test_a_seed_chooses_the_same_failures_again(
    github: Lookalike, acme_installation: Installation, app_keys: KeyPair, issue: Issue
) -> None:
    with client(github, token(github, acme_installation, app_keys)) as http:
        github.shake(7, share=0.3)
        first = lots(http)
        counts = Counter(github.shaken)
        github.shake(7, share=0.3)
        assert lots(http) == first
        assert github.shaken == counts
        github.shake(8, share=0.3)
        assert lots(http) != first
        github.steady()
        assert http.get(WIDGETS).status_code == 200
    assert set(counts) == {"502", "502 after", "drop", "limit", "limit unsaid", "401"}
    seen = Counter(first)
    assert seen["502"] == counts["502"] + counts["502 after"]
    assert (seen["drop"], seen["403 retry 1"], seen["403"], seen["401"]) == (
        counts["drop"],
        counts["limit"],
        counts["limit unsaid"],
        counts["401"],
    )


def test_some_answers_are_lost_after_the_write(
    github: Lookalike, acme_installation: Installation, app_keys: KeyPair, issue: Issue
) -> None:
    with client(github, token(github, acme_installation, app_keys)) as http:
        github.shake(1, share=0.5, kinds=("502", "502 after"))
        done = lots(http).count("201")
    assert 0 < done < REQUESTS
    assert len(issue.comments) == done + github.shaken["502 after"]
    assert github.shaken["502 after"] > 0


def test_the_share_is_about_what_was_asked_for(
    github: Lookalike, acme_installation: Installation, app_keys: KeyPair, issue: Issue
) -> None:
    with client(github, token(github, acme_installation, app_keys)) as http:
        github.shake(3)
        wrong = REQUESTS - lots(http).count("201")
    assert wrong == github.shaken.total()
    assert 0.05 * REQUESTS < wrong < 0.15 * REQUESTS


def test_making_a_token_is_only_ever_refused(
    github: Lookalike, acme_installation: Installation, app_keys: KeyPair
) -> None:
    path = f"/app/installations/{acme_installation.id}/access_tokens"
    with as_app(github, acme_installation.app, app_keys) as http:
        github.shake(5, share=1.0)
        seen = {http.post(path).status_code for _ in range(60)}
    assert seen == {201, 401}
    assert set(github.shaken) == {"401"}


def test_a_failure_that_was_set_comes_first(github: Lookalike, issue: Issue) -> None:
    with client(github, None) as http:
        github.shake(5, share=1.0, kinds=("401",))
        github.fail_next("GET", "widgets", 500)
        assert [http.get(WIDGETS).status_code for _ in range(2)] == [500, 401]


def test_a_status_after_the_write_is_set_for_one_request(
    github: Lookalike, acme_installation: Installation, app_keys: KeyPair, issue: Issue
) -> None:
    github.fail_next("POST", "/comments$", 502, after=True)
    with client(github, token(github, acme_installation, app_keys)) as http:
        assert http.post(f"{WIDGETS}/issues/1/comments", json={"body": "once"}).status_code == 502
    assert [comment.body for comment in issue.comments] == ["once"]


def test_an_unknown_kind_is_refused(github: Lookalike) -> None:
    with pytest.raises(ValueError, match="502 after"):
        github.shake(1, kinds=("earthquake",))
