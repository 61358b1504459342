"""Webhooks: signed, remembered, repeated, lost and out of order."""

from __future__ import annotations

import hashlib
import hmac
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from tests.lookalike.asking import as_app
from tests.lookalike.fixtures import WEBHOOK_SECRET, KeyPair
from tests.lookalike.people import Lookalike
from tests.lookalike.state import App, Issue, Repository


@dataclass
class Receiver:
    """What a bot's /webhook got; answers with `status`."""

    url: str = ""
    status: int = 202
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def events(self) -> list[str]:
        return [headers["x-github-event"] for headers, _ in self.got]


@pytest.fixture
def receiver(acme_app: App) -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(receiver.status)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    receiver.url = f"http://127.0.0.1:{server.server_port}/webhook"
    acme_app.webhook_url = receiver.url
    yield receiver
    server.shutdown()
    thread.join()
    server.server_close()


def events(github: Lookalike) -> list[str]:
    return [f"{d.event}.{d.action}" if d.action else d.event for d in github.outbox.attempts]


def test_deliveries_are_signed_over_their_bytes(receiver: Receiver, github: Lookalike, widgets: Repository) -> None:
    github.open_issue(widgets, "Ünïcode", "text")
    github.outbox.settle()
    headers, body = receiver.got[-1]
    expected = hmac.new(WEBHOOK_SECRET.encode(), body, hashlib.sha256).hexdigest()
    assert headers["x-hub-signature-256"] == f"sha256={expected}"
    assert headers["x-github-event"] == "issues"
    assert headers["x-github-hook-installation-target-type"] == "integration"
    assert len(headers["x-github-delivery"]) == 36


def test_opening_a_pull_request_says_push_then_suite_then_opened(github: Lookalike, widgets: Repository) -> None:
    github.open_pull(widgets, "plan", {"PLAN.md": "# Plan\n"}, draft=True)
    assert events(github) == ["installation.created", "push", "check_suite.requested", "pull_request.opened"]
    push, opened = github.outbox.of("push")[0].payload, github.outbox.of("pull_request")[0].payload
    assert (push["ref"], push["created"], push["commits"][0]["added"]) == ("refs/heads/plan", True, ["PLAN.md"])
    assert opened["pull_request"]["head"]["sha"] == push["after"]
    assert opened["pull_request"]["draft"] is True
    assert opened["installation"]["id"] in github.installations


def test_a_push_to_its_branch_synchronizes_a_pull_request(github: Lookalike, widgets: Repository) -> None:
    pull = github.open_pull(widgets, "plan", {"PLAN.md": "# Plan\n"})
    assert pull.pull is not None
    before = pull.pull.head_sha
    after = github.push(widgets, "plan", {"PLAN.md": None, "b.md": "b\n"})
    payload = github.outbox.of("pull_request", "synchronize")[0].payload
    assert (payload["before"], payload["after"], pull.pull.head_sha) == (before, after, after)
    forced = github.push(widgets, "plan", {"c.md": "c\n"}, onto=widgets.git.branch("main"))
    assert github.outbox.of("push")[-1].payload["forced"] is True
    assert widgets.git.resolve("refs/pull/1/head") == forced


def test_a_forks_push_is_heard_of_only_through_its_pull_request(github: Lookalike, widgets: Repository) -> None:
    github.open_pull(widgets, "idea", {"PLAN.md": "# Plan\n"}, user="stranger", fork=True)
    github.push(github.repository("stranger/widgets"), "idea", {"b.md": "b\n"}, user="stranger")
    assert events(github) == ["installation.created", "pull_request.opened", "pull_request.synchronize"]


def test_what_people_do_to_a_pull_request(github: Lookalike, widgets: Repository) -> None:
    pull = github.open_pull(widgets, "plan", {"PLAN.md": "# Plan\n"}, draft=True)
    github.mark_ready(pull)
    github.convert_to_draft(pull)
    github.label(pull, "plan/needs-fix")
    github.unlabel(pull, "plan/needs-fix")
    github.comment(pull, "/plan verify", user="triager")
    github.close_pull(pull)
    github.reopen_pull(pull)
    github.mark_ready(pull)
    github.merge_pull(pull)
    assert events(github)[4:] == [
        "pull_request.ready_for_review",
        "pull_request.converted_to_draft",
        "pull_request.labeled",
        "pull_request.unlabeled",
        "issue_comment.created",
        "pull_request.closed",
        "pull_request.reopened",
        "pull_request.ready_for_review",
        "pull_request.closed",
        "push",
        "check_suite.requested",
    ]
    assert github.outbox.of("pull_request", "closed")[-1].payload["pull_request"]["merged"] is True


def test_what_people_do_to_an_issue(github: Lookalike, widgets: Repository) -> None:
    issue = github.open_issue(widgets, "Title", "old", labels=["workplan"])
    github.edit(issue, body="new")
    github.close_issue(issue)
    assert events(github)[1:] == ["issues.opened", "issues.labeled", "issues.edited", "issues.closed"]
    assert github.outbox.of("issues", "edited")[0].payload["changes"] == {"body": {"from": "old"}}


def test_buttons_and_reruns_go_to_the_app_that_made_the_run(
    github: Lookalike, widgets: Repository, acme_app: App, app_keys: KeyPair
) -> None:
    pull = github.open_pull(widgets, "plan", {"PLAN.md": "# Plan\n"})
    assert pull.pull is not None
    other = github.create_app("other", app_keys.public)
    github.install(other, "acme")
    run = github.add_run(widgets, acme_app, pull.pull.head_sha, "planproof")
    run.status, run.conclusion = "completed", "failure"
    run.actions = [{"label": "Fix", "description": "Fix it", "identifier": "fix"}]
    start = len(github.outbox.attempts)
    github.rerequest(run)
    github.rerequest_suite(run.suite)
    github.press(run, "fix")
    made = github.outbox.attempts[start:]
    assert [(d.event, d.action, d.app) for d in made] == [
        ("check_run", "rerequested", acme_app),
        ("check_suite", "rerequested", acme_app),
        ("check_run", "requested_action", acme_app),
    ]
    assert made[-1].payload["requested_action"] == {"identifier": "fix"}
    assert made[0].payload["check_run"]["check_suite"]["head_sha"] == pull.pull.head_sha
    with pytest.raises(ValueError, match="offers no"):
        github.press(run, "other")


def test_a_guid_stays_the_same_through_redelivery_and_replay(
    receiver: Receiver, github: Lookalike, widgets: Repository, acme_app: App, app_keys: KeyPair
) -> None:
    github.outbox.settle()
    github.outbox.lose_next()
    github.open_issue(widgets, "Lost")
    github.outbox.settle()
    assert receiver.events() == ["installation"]
    with as_app(github, acme_app, app_keys) as http:
        [failed] = http.get("/app/hook/deliveries", params={"status": "failure"}).json()
        assert (failed["event"], failed["status_code"]) == ("issues", 0)
        assert http.post(f"/app/hook/deliveries/{failed['id']}/attempts").status_code == 202
        github.outbox.settle()
        listed = http.get("/app/hook/deliveries").json()
        assert http.get(f"/app/hook/deliveries/{failed['id']}").json()["request"]["payload"]["action"] == "opened"
    github.outbox.duplicate(github.outbox.of("issues")[0])
    github.outbox.settle()
    assert receiver.events() == ["installation", "issues", "issues"]
    assert {headers["x-github-delivery"] for headers, _ in receiver.got[1:]} == {failed["guid"]}
    assert [(d["guid"], d["redelivery"], d["status"]) for d in listed[:2]] == [
        (failed["guid"], True, "OK"),
        (failed["guid"], False, "failed to connect to host"),
    ]


def test_deliveries_page_by_cursor(github: Lookalike, widgets: Repository, acme_app: App, app_keys: KeyPair) -> None:
    for n in range(5):
        github.open_issue(widgets, f"Issue {n}")
    seen, path = [], "/app/hook/deliveries?per_page=2"
    with as_app(github, acme_app, app_keys) as http:
        while path:
            page = http.get(path)
            seen += [d["id"] for d in page.json()]
            path = page.links["next"]["url"] if "next" in page.links else ""
    assert seen == sorted((d.id for d in github.outbox.attempts), reverse=True)


def test_deliveries_can_arrive_in_another_order(receiver: Receiver, github: Lookalike, widgets: Repository) -> None:
    with github.outbox.held() as held:
        github.open_pull(widgets, "plan", {"PLAN.md": "# Plan\n"})
        held.reverse()
    github.outbox.settle()
    assert receiver.events()[-3:] == ["pull_request", "check_suite", "push"]


def test_a_receiver_that_refuses_is_noted(receiver: Receiver, github: Lookalike, widgets: Repository) -> None:
    receiver.status = 503
    github.open_issue(widgets, "An issue")
    github.outbox.settle()
    assert github.outbox.attempts[-1].status == "Invalid HTTP Response: 503"
    assert not github.outbox.attempts[-1].ok


def test_an_app_hears_only_what_it_subscribed_to(github: Lookalike, widgets: Repository, app_keys: KeyPair) -> None:
    quiet = github.create_app("quiet", app_keys.public, events=["issues"], permissions={"issues": "read"})
    github.install(quiet, "acme")
    issue: Issue = github.open_issue(widgets, "An issue")
    github.comment(issue, "text")
    github.push(widgets, "main", {"a": "a"})
    assert [d.event for d in github.outbox.attempts if d.app is quiet] == ["installation", "issues"]


def test_an_owner_changes_an_installation(github: Lookalike, widgets: Repository) -> None:
    [installation] = github.installations.values()
    github.create_repository("acme/gadgets")
    github.choose(installation, ["gadgets"])
    github.choose(installation, ["gadgets", "widgets"])
    github.grant(installation, {"issues": "write"})
    github.suspend(installation)
    github.uninstall(installation)
    assert events(github) == [
        "installation.created",
        "installation_repositories.removed",
        "installation_repositories.added",
        "installation.new_permissions_accepted",
        "installation.suspend",
        "installation.deleted",
    ]
    removed = github.outbox.of("installation_repositories", "removed")[0].payload
    assert [repo["full_name"] for repo in removed["repositories_removed"]] == ["acme/widgets"]
    assert github.outbox.attempts[-1].repository_id is None
