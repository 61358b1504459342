from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.dispatch import Drop, Route, drop, match
from bot.events import Event, Repo, Sender, kept, parse
from schemas.github import MAX_BODY
from tests.machine import pull_request

ROUTES = (
    Route("pull_request", "opened", "pull_request"),
    Route("push", None, "push"),
    Route("check_run", "rerequested", "check_run"),
    Route("issue_comment", "created", "command"),
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
WORDS = """action number pull_request issue check_run check_suite repository sender installation id head sha app owner
    login name full_name comment review body label changes merge_group pull_requests base repo requested_action after
    private"""
KEYS = st.sampled_from(WORDS.split())
SHAPED = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=24,
)


@given(payload=JSON | SHAPED, name=st.sampled_from(["check_run", "check_suite", "push", "issues", "x"]))
def test_no_json_makes_reading_fail_and_the_event_survives_storage(payload: object, name: str) -> None:
    event = parse(name, "d", payload)
    stored = json.dumps(event.to_json(), ensure_ascii=False).encode("utf-8")
    assert Event.from_json(json.loads(stored)) == event


def test_a_pull_request_event_has_all_that_a_handler_needs() -> None:
    payload = pull_request(7, "synchronize", before="a" * 40, after="b" * 40)
    event = parse("pull_request", "guid", payload)
    assert event == Event(
        "pull_request",
        "synchronize",
        "guid",
        3,
        Repo(11, "acme", "engine", True, "trunk"),
        7,
        head_sha="c" * 40,
        sender=Sender(5, "ada", False),
        before="a" * 40,
        after="b" * 40,
    )


def test_a_check_names_its_app_and_only_the_pull_requests_of_this_repository() -> None:
    pulls = [
        {"number": 1, "base": {"repo": {"id": 11}}},
        {"number": 2, "base": {"repo": {"id": 99}}},
        {"number": 3},
        {"number": "4"},
        None,
    ]
    check = {"id": 8, "head_sha": "d" * 40, "app": {"id": 4711}, "pull_requests": pulls}
    event = parse("check_run", "d", {"action": "rerequested", "check_run": check, "repository": _repository()})
    assert (event.app_id, event.head_sha) == (4711, "d" * 40)
    assert event.pulls == (1, 3)
    assert event.number is None


def _repository() -> dict[str, Any]:
    return {"id": 11, "full_name": "acme/engine", "private": False}


def test_a_repository_may_be_known_by_its_full_name_only() -> None:
    event = parse("push", "d", {"repository": _repository(), "ref": "refs/heads/main", "after": "b" * 40})
    assert event.repo == Repo(11, "acme", "engine", False, "main")
    assert event.head_sha == "b" * 40


@pytest.mark.parametrize(
    "repository", [{}, {"id": 11}, {"id": 11, "full_name": "a/b/c"}, {"id": True, "name": "x"}, []]
)
def test_half_a_repository_is_none(repository: object) -> None:
    assert parse("push", "d", {"repository": repository}).repo is None


def test_a_comment_comes_with_the_number_it_stands_on() -> None:
    comment = {"id": 1, "body": "/plan verify", "updated_at": "2026-01-02T03:04:05Z"}
    event = parse("issue_comment", "d", {"comment": comment, "issue": {"number": 4, "pull_request": {}}})
    assert (event.number, event.comment_id, event.comment_body) == (4, 1, "/plan verify")
    assert event.updated_at == comment["updated_at"]


def test_long_and_unstorable_text_is_cut_and_replaced() -> None:
    body = "\ud800 \0" + "x" * (2 * MAX_BODY)
    event = parse("issue_comment", "d", {"comment": {"id": 1, "body": body}})
    assert event.comment_body is not None
    assert event.comment_body.startswith("? \ufffdx")
    assert len(event.comment_body) == MAX_BODY
    # what stands there later is cut in the same way
    assert kept(body) == event.comment_body
    assert kept(None) == ""


def test_a_bot_is_known_by_its_type_or_its_login() -> None:
    for sender, bot in (({"type": "Bot"}, True), ({"login": "x[bot]"}, True), ({"type": "User"}, False)):
        event = parse("push", "d", {"sender": {"id": 1, "login": "x"} | sender})
        assert event.sender is not None
        assert event.sender.bot is bot


def test_a_stored_event_of_a_newer_version_can_be_read() -> None:
    stored = parse("pull_request", "d", pull_request()).to_json() | {"colour": "red"}
    assert Event.from_json(stored) == parse("pull_request", "d", pull_request())


def test_a_route_without_action_takes_every_action() -> None:
    assert match(ROUTES, Event("push")) == ROUTES[1]
    assert match(ROUTES, Event("pull_request", "closed")) is None


def test_what_starts_no_job_says_why() -> None:
    wanted = Event("pull_request", "opened", installation_id=1)
    person, bot = Sender(1, "ada", False), Sender(2, "planproof[bot]", True)
    check = Event("check_run", "rerequested", installation_id=1, sender=person)

    def why(event: Event, mode: str = "on") -> Drop | None:
        return drop(ROUTES, event, app_id=4711, mode=mode)

    assert why(wanted) is None
    assert why(Event("pull_request", "closed", installation_id=1)) is Drop.UNWANTED
    assert why(Event("pull_request", "opened")) is Drop.NO_INSTALLATION
    assert why(wanted, "off") is Drop.OFF
    assert why(replace(check, app_id=4711)) is None
    ours = Event("issue_comment", "created", installation_id=1, app_id=4711, sender=bot)
    assert why(ours) is Drop.OWN
    assert why(Event("issue_comment", "created", installation_id=1, app_id=None, sender=bot)) is None


def test_an_uninstall_is_heeded_also_while_the_app_is_switched_off() -> None:
    routes = (Route("installation", None, "installation"),)
    gone = Event("installation", "deleted", installation_id=1)
    assert drop(routes, gone, app_id=4711, mode="off") is None


def test_a_route_may_want_only_some_of_its_events() -> None:
    routes = (Route("issue_comment", "created", "command", wanted=lambda event: event.comment_body == "/plan help"),)
    event = Event("issue_comment", "created", installation_id=1, comment_body="/plan help")
    assert match(routes, event) is routes[0]
    assert drop(routes, replace(event, comment_body="thanks"), app_id=None) is Drop.UNWANTED


def push(*commits: dict[str, Any], **fields: Any) -> Event:
    return parse("push", "guid", {"ref": "refs/heads/main", "commits": list(commits), **fields})


def commit(*paths: str, how: str = "modified") -> dict[str, Any]:
    return {"added": [], "removed": [], "modified": []} | {how: list(paths)}


@pytest.mark.parametrize("how", ["added", "modified", "removed"])
def test_a_push_that_touches_a_document_may_bring_a_plan(how: str) -> None:
    assert push(commit("src/a.py"), commit("docs/plans/retry.MD", how=how)).documents is True
    assert push(commit("src/a.py"), commit("src/b.py", how=how)).documents is False
    assert push(commit(".github/planproof.yml", how=how)).documents is True


def test_a_push_that_does_not_list_its_changes_may_bring_a_plan() -> None:
    many = [commit("src/a.py")] * 2048
    for event in (push(), push(*many), push(commit("src/a.py"), forced=True), push({"added": None})):
        assert event.documents is True
    assert parse("issues", "guid", {"action": "opened"}).documents is None


def test_repositories_taken_from_an_installation_are_known_by_their_ids() -> None:
    payload = {
        "action": "removed",
        "installation": {"id": 3, "account": {"login": "acme"}},
        "repositories_removed": [{"id": 11, "name": "engine"}, {"id": "x"}, 7, {"id": 12}],
    }
    event = parse("installation_repositories", "guid", payload)
    assert (event.removed, event.account) == ((11, 12), "acme")
    assert Event.from_json(json.loads(json.dumps(event.to_json()))) == event


def test_a_merge_group_names_its_commit_and_its_branch() -> None:
    ref = "refs/heads/gh-readonly-queue/main/pr-7-" + "a" * 40
    event = parse("merge_group", "guid", {"merge_group": {"head_sha": "b" * 40, "head_ref": ref, "base_ref": "m"}})
    assert (event.head_sha, event.head_ref) == ("b" * 40, ref)


def test_a_review_is_read_like_a_comment() -> None:
    review = {"id": 8, "node_id": "PRR_x", "body": "/plan help", "submitted_at": "2026-01-02T03:04:05Z"}
    event = parse("pull_request_review", "guid", {"review": review, "pull_request": {"number": 7}})
    assert (event.comment_id, event.node_id, event.comment_body, event.number) == (8, "PRR_x", "/plan help", 7)
