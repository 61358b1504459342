"""Who is let in, what is refused, and how a test makes things fail."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest

from tests.lookalike.asking import WIDGETS, app_jwt, as_app, client, token
from tests.lookalike.fixtures import KeyPair, new_key_pair
from tests.lookalike.people import Lookalike
from tests.lookalike.server import running
from tests.lookalike.state import App, Installation, Issue, Repository


@pytest.fixture
def http(github: Lookalike, acme_installation: Installation, app_keys: KeyPair) -> Iterator[httpx.Client]:
    with client(github, token(github, acme_installation, app_keys)) as http:
        yield http


@pytest.fixture
def pull(github: Lookalike, widgets: Repository) -> Issue:
    return github.open_pull(widgets, "plan", {"docs/plans/a.md": "# A plan\n"}, draft=True)


# ---- the App's JWT -------------------------------------------------------------------------------
def test_an_app_is_known_by_its_id_and_by_its_client_id(github: Lookalike, acme_app: App, app_keys: KeyPair) -> None:
    for issuer in (acme_app.id, acme_app.client_id):
        with client(github, app_jwt(app_keys, issuer)) as http:
            assert http.get("/app").json()["slug"] == "planproof"


@pytest.mark.parametrize(
    ("age", "life", "reason"),
    [
        (60, 660, "too far in the future"),
        (700, -10, "must be a numeric value representing the future time"),
        (-120, 300, "'Issued at' claim"),
    ],
)
def test_a_jwt_outside_its_ten_minutes_is_refused(
    github: Lookalike, acme_app: App, app_keys: KeyPair, age: int, life: int, reason: str
) -> None:
    with client(github, app_jwt(app_keys, acme_app.id, age=age, life=life)) as http:
        answer = http.get("/app")
    assert answer.status_code == 401
    assert reason in answer.json()["message"]


def test_a_jwt_signed_with_another_key_is_refused(github: Lookalike, acme_app: App) -> None:
    with client(github, app_jwt(new_key_pair(), acme_app.id)) as http:
        answer = http.get("/app")
    assert (answer.status_code, answer.json()["message"]) == (401, "A JSON web token could not be decoded")


# ---- installation tokens -------------------------------------------------------------------------
def test_a_token_is_narrowed_to_what_was_asked_for(
    github: Lookalike, acme_installation: Installation, app_keys: KeyPair
) -> None:
    github.create_repository("acme/gadgets")
    narrow = token(github, acme_installation, app_keys, repositories=["widgets"], permissions={"contents": "read"})
    with client(github, narrow) as http:
        assert http.get("/repos/acme/gadgets").status_code == 404
        assert http.get(f"{WIDGETS}/contents/README.md").status_code == 200
        answer = http.get(f"{WIDGETS}/pulls")
    assert (answer.status_code, answer.json()["message"]) == (403, "Resource not accessible by integration")
    assert answer.headers["x-accepted-github-permissions"] == "pull_requests=read"


@pytest.mark.parametrize(
    "asked", [{"permissions": {"contents": "write"}}, {"repositories": ["nothing"]}, {"repository_ids": [1]}]
)
def test_a_token_wider_than_the_installation_is_refused(
    github: Lookalike, acme_installation: Installation, app_keys: KeyPair, asked: dict[str, object]
) -> None:
    with as_app(github, acme_installation.app, app_keys) as http:
        answer = http.post(f"/app/installations/{acme_installation.id}/access_tokens", json=asked)
    assert answer.status_code == 422


def test_an_expired_or_revoked_token_is_bad_credentials(
    github: Lookalike, acme_installation: Installation, app_keys: KeyPair
) -> None:
    github.token_life = timedelta(seconds=-5)
    expired = token(github, acme_installation, app_keys)
    github.token_life = timedelta(hours=1)
    revoked = token(github, acme_installation, app_keys)
    github.revoke_tokens()
    for secret in (expired, revoked):
        with client(github, secret) as http:
            answer = http.get(WIDGETS)
        assert (answer.status_code, answer.json()["message"]) == (401, "Bad credentials")


def test_a_suspended_installation_gets_nothing(
    github: Lookalike, acme_installation: Installation, app_keys: KeyPair
) -> None:
    secret = token(github, acme_installation, app_keys)
    github.suspend(acme_installation)
    with client(github, secret) as http:
        assert http.get(WIDGETS).status_code == 403


def test_a_repository_that_was_not_chosen_is_not_found(
    github: Lookalike, acme_app: App, app_keys: KeyPair, acme_installation: Installation
) -> None:
    github.uninstall(acme_installation)
    github.create_repository("acme/gadgets")
    chosen = github.install(acme_app, "acme", repositories=["gadgets"])
    with client(github, token(github, chosen, app_keys)) as http:
        assert http.get("/repos/acme/gadgets").status_code == 200
        assert http.get(WIDGETS).status_code == 404
        assert http.post(f"{WIDGETS}/issues/1/comments", json={"body": "x"}).status_code == 404


def test_nobody_may_read_what_is_public_and_write_nothing(github: Lookalike, pull: Issue) -> None:
    with client(github, None) as http:
        assert http.get(f"{WIDGETS}/pulls/1").status_code == 200
        assert http.post(f"{WIDGETS}/issues/1/comments", json={"body": "x"}).status_code == 401
        assert http.get("/app").status_code == 401


def test_a_pull_request_takes_pull_requests_write_and_an_issue_takes_issues_write(
    github: Lookalike, acme_installation: Installation, app_keys: KeyPair, widgets: Repository, pull: Issue
) -> None:
    issue = github.open_issue(widgets, "An issue")
    for permission, works, refused in (("issues", issue, pull), ("pull_requests", pull, issue)):
        secret = token(github, acme_installation, app_keys, permissions={permission: "write"})
        with client(github, secret) as http:
            body = {"body": "x"}
            assert http.post(f"{WIDGETS}/issues/{works.number}/comments", json=body).status_code == 201
            assert http.post(f"{WIDGETS}/issues/{refused.number}/comments", json=body).status_code == 403


# ---- limits --------------------------------------------------------------------------------------
def test_a_comment_of_65536_characters_is_the_longest(http: httpx.Client, pull: Issue) -> None:
    path = f"{WIDGETS}/issues/{pull.number}/comments"
    assert http.post(path, json={"body": "ä" * 65_536}).status_code == 201
    answer = http.post(path, json={"body": "ä" * 65_537})
    assert answer.status_code == 422
    assert answer.json()["errors"] == [
        {
            "resource": "IssueComment",
            "code": "unprocessable",
            "field": "data",
            "message": "Body is too long (maximum is 65536 characters)",
        }
    ]
    assert http.post(path, json={"body": " "}).status_code == 422


NOTE = {"path": "a.md", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "m"}


def output(**fields: object) -> dict[str, object]:
    return {"output": {"title": "t", "summary": "s", **fields}}


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(output(annotations=[NOTE] * 51), id="fifty-one annotations"),
        pytest.param(output(summary="s" * 65_536), id="summary too long"),
        pytest.param(output(text="s" * 65_536), id="text too long"),
        pytest.param(output(annotations=[NOTE | {"title": "t" * 256}]), id="annotation title too long"),
        pytest.param(output(annotations=[NOTE | {"message": "é" * 32_769}]), id="annotation message over 64 KB"),
        pytest.param(output(annotations=[NOTE | {"end_line": 0}]), id="ends before it starts"),
        pytest.param({"status": "completed"}, id="completed without a conclusion"),
        pytest.param({"head_sha": "1" * 40}, id="no such commit"),
        pytest.param(
            {"actions": [{"label": "l" * 21, "description": "d", "identifier": "i"}]}, id="button label too long"
        ),
        pytest.param({"actions": [{"label": "l", "description": "d", "identifier": "i"}] * 4}, id="four buttons"),
    ],
)
def test_a_check_run_over_a_limit_is_refused(
    github: Lookalike, http: httpx.Client, pull: Issue, wrong: dict[str, object]
) -> None:
    assert pull.pull is not None
    right = {"name": "planproof", "head_sha": pull.pull.head_sha}
    answer = http.post(f"{WIDGETS}/check-runs", json={**right, **wrong})
    assert answer.status_code == 422, answer.text
    assert pull.repository.runs == []
    github.problems.clear()  # the description holds some of these limits too


def test_annotations_are_added_by_each_update(http: httpx.Client, pull: Issue) -> None:
    assert pull.pull is not None
    body = {"name": "planproof", "head_sha": pull.pull.head_sha, **output(annotations=[NOTE] * 50)}
    run = http.post(f"{WIDGETS}/check-runs", json=body).json()
    more = {"conclusion": "failure", **output(annotations=[NOTE] * 7)}
    run = http.patch(f"{WIDGETS}/check-runs/{run['id']}", json=more).json()
    assert (run["status"], run["conclusion"], run["output"]["annotations_count"]) == ("completed", "failure", 57)
    assert len(http.get(f"{WIDGETS}/check-runs/{run['id']}/annotations?per_page=100").json()) == 57


def test_another_apps_check_run_cannot_be_changed(
    github: Lookalike, http: httpx.Client, pull: Issue, app_keys: KeyPair
) -> None:
    assert pull.pull is not None
    other = github.add_run(pull.repository, github.create_app("other", app_keys.public), pull.pull.head_sha, "other")
    answer = http.patch(f"{WIDGETS}/check-runs/{other.id}", json={"status": "in_progress"})
    assert answer.status_code == 403
    assert "can only be modified by the GitHub App that created it" in answer.json()["message"]


def test_an_unknown_api_version_is_refused(http: httpx.Client) -> None:
    assert http.get(WIDGETS, headers={"x-github-api-version": "2022-11-28"}).status_code == 200
    assert http.get(WIDGETS, headers={"x-github-api-version": "1999-01-01"}).status_code == 400


def test_an_exhausted_limit_says_when_it_resets(
    github: Lookalike, http: httpx.Client, acme_installation: Installation
) -> None:
    github.exhaust(acme_installation, reset_in=120)
    answer = http.get(WIDGETS)
    assert (answer.status_code, answer.headers["x-ratelimit-remaining"]) == (403, "0")
    assert int(answer.headers["x-ratelimit-reset"]) > 0
    github.exhaust(acme_installation, reset_in=0)
    assert http.get(WIDGETS).status_code == 200


def test_an_unchanged_answer_is_304_and_costs_nothing(http: httpx.Client, pull: Issue) -> None:
    first = http.get(f"{WIDGETS}/pulls/1")
    again = http.get(f"{WIDGETS}/pulls/1", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["x-ratelimit-remaining"] == first.headers["x-ratelimit-remaining"]


# ---- failures on purpose -------------------------------------------------------------------------
def test_a_dropped_answer_leaves_the_write_done(github: Lookalike, http: httpx.Client, pull: Issue) -> None:
    github.fail_next("POST", "/comments$", "drop")
    with pytest.raises(httpx.RemoteProtocolError):
        http.post(f"{WIDGETS}/issues/1/comments", json={"body": "once"})
    assert [comment.body for comment in pull.comments] == ["once"]
    assert github.requests[-1].status == 0


def test_a_cut_connection_leaves_the_write_undone(github: Lookalike, http: httpx.Client, pull: Issue) -> None:
    github.fail_next("POST", "/comments$", "cut")
    with pytest.raises(httpx.RemoteProtocolError):
        http.post(f"{WIDGETS}/issues/1/comments", json={"body": "never"})
    assert pull.comments == []
    assert http.post(f"{WIDGETS}/issues/1/comments", json={"body": "then"}).status_code == 201


def test_a_status_is_answered_as_often_as_it_was_asked_for(github: Lookalike, http: httpx.Client) -> None:
    github.fail_next("GET", "^/repos/acme/widgets$", 502, times=2)
    assert [http.get(WIDGETS).status_code for _ in range(3)] == [502, 502, 200]


def test_a_slow_answer_comes_after_the_client_gave_up(github: Lookalike, http: httpx.Client, pull: Issue) -> None:
    github.fail_next("POST", "/comments$", delay=0.3)
    with pytest.raises(httpx.ReadTimeout):
        http.post(f"{WIDGETS}/issues/1/comments", json={"body": "x"}, timeout=0.05)


def test_a_secondary_limit_may_come_without_retry_after(github: Lookalike, http: httpx.Client) -> None:
    github.limit_next("GET", "widgets", 429, retry_after="7")
    github.limit_next("GET", "widgets")
    first, second = http.get(WIDGETS), http.get(WIDGETS)
    assert (first.status_code, first.headers["retry-after"]) == (429, "7")
    assert second.status_code == 403
    assert "retry-after" not in second.headers
    assert "secondary rate limit" in second.json()["message"]


def test_a_push_can_be_staged_just_before_a_write(
    github: Lookalike, http: httpx.Client, widgets: Repository, pull: Issue
) -> None:
    assert pull.pull is not None
    seen = pull.pull.head_sha
    github.before_next("POST", "/labels$", lambda: github.push(widgets, "plan", {"x": "x"}))
    http.post(f"{WIDGETS}/issues/1/labels", json={"labels": ["late"]})
    assert pull.pull.head_sha != seen


# ---- conformance ---------------------------------------------------------------------------------
def test_a_request_that_the_description_does_not_know_is_a_problem(
    github: Lookalike, http: httpx.Client, pull: Issue
) -> None:
    http.get(f"{WIDGETS}/pulls/1", params={"colour": "red"})
    http.post(f"{WIDGETS}/issues/1/comments", json={"body": "x", "draft": True})
    http.get("/repos/acme/widgets/nonsense/at/all")
    found, github.problems = github.problems, []
    assert len(found) == 3
    assert "query colour: no such parameter" in found[0]
    assert "body.draft: no such property" in found[1]
    assert "no path" in found[2]


def test_requests_are_kept_with_what_they_carried(github: Lookalike, http: httpx.Client, pull: Issue) -> None:
    github.forget()
    http.post(f"{WIDGETS}/issues/1/labels", json={"labels": ["a"]})
    http.get(f"{WIDGETS}/pulls/1")
    [write] = github.writes
    assert (write.line, write.body, write.auth, write.status) == (
        f"POST {WIDGETS}/issues/1/labels",
        {"labels": ["a"]},
        "token",
        200,
    )
    assert len(github.asked("GET", r"/pulls/\d+$")) == 1


def test_a_delay_longer_than_the_test_does_not_hold_up_its_end(
    lookalike: Lookalike, widgets: Repository, capfd: pytest.CaptureFixture[str]
) -> None:
    with running(lookalike), client(lookalike, None) as http:
        lookalike.fail_next("GET", "widgets", delay=3_600)
        with pytest.raises(httpx.ReadTimeout):
            http.get(WIDGETS, timeout=0.05)
    assert capfd.readouterr().err == ""
