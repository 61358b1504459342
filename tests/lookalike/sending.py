"""The webhooks of each thing that happens, sent to the Apps that GitHub would tell of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from tests.lookalike.shapes import node
from tests.lookalike.state import (
    Account,
    App,
    CheckRun,
    CheckSuite,
    Comment,
    Installation,
    Issue,
    Json,
    Repository,
    Review,
    ReviewComment,
)
from tests.lookalike.webhooks import Delivery, Outbox
from tests.lookalike.world import World

UNASKED = frozenset(
    ("check_suite.requested", "check_suite.rerequested", "check_run.rerequested", "check_run.requested_action")
)
"""Delivered to every App that may write checks, whether or not it subscribed."""
RUN_SUITE_KEYS = (
    *("id", "node_id", "head_branch", "head_sha", "status", "conclusion", "url", "before", "after"),
    *("pull_requests", "app", "created_at", "updated_at"),
)
EVENT_NEEDS = {
    "merge_group": "merge_queues",
    "pull_request_review": "pull_requests",
    "pull_request_review_comment": "pull_requests",
}
"""Events that only come where this permission was granted; a subscription alone is not enough."""


class Sending(World):
    def __init__(self, root: Path, *, clock: Callable[[], datetime] | None = None) -> None:
        super().__init__(root, clock=clock)
        self.outbox = Outbox(self.next_id)

    def emit(self, repo: Repository, event: str, sender: Account, payload: Json, *, only: App | None = None) -> None:
        """Sends to the Apps installed on the repository that subscribed to the event."""
        for installation in self.installations_on(repo):
            app = installation.app
            if only is not None and app is not only:
                continue
            if event in EVENT_NEEDS and EVENT_NEEDS[event] not in installation.permissions:
                continue
            if event in installation.events or f"{event}.{payload.get('action')}" in UNASKED:
                common = self.common_payload(repo, sender)
                target = {"id": installation.id, "node_id": node("GI", installation.id)}
                self.outbox.send(app, event, {**payload, **common, "installation": target})

    def emit_installation(self, installation: Installation, action: str, sender: Account) -> Delivery:
        payload = {
            "action": action,
            "installation": self.shapes.installation(installation),
            "repositories": [self.shapes.short_repository(repo) for repo in self.repositories_of(installation)],
            "requester": None,
            "sender": self.shapes.account(sender),
        }
        return self.outbox.send(installation.app, "installation", payload)

    def emit_choice(
        self, installation: Installation, added: list[Repository], removed: list[Repository], sender: Account
    ) -> list[Delivery]:
        """installation_repositories: one delivery for what was added, one for what was removed."""
        shape = self.shapes.installation(installation)
        made = []
        for action, repos in (("added", added), ("removed", removed)):
            if repos:
                short = [self.shapes.short_repository(repo) for repo in sorted(repos, key=lambda repo: repo.id)]
                payload = {
                    "action": action,
                    "installation": shape,
                    "repository_selection": shape["repository_selection"],
                    "repositories_added": short if action == "added" else [],
                    "repositories_removed": short if action == "removed" else [],
                    "requester": None,
                    "sender": self.shapes.account(sender),
                }
                made.append(self.outbox.send(installation.app, "installation_repositories", payload))
        return made

    def emit_pull(self, issue: Issue, action: str, sender: Account, **more: object) -> None:
        payload = {"action": action, "number": issue.number, "pull_request": self.shapes.pull(issue), **more}
        self.emit(issue.repository, "pull_request", sender, payload)

    def emit_issue(self, issue: Issue, action: str, sender: Account, **more: object) -> None:
        if issue.pull is not None:
            self.emit_pull(issue, action, sender, **more)
        else:
            payload = {"action": action, "issue": self.shapes.issue(issue), **more}
            self.emit(issue.repository, "issues", sender, payload)

    def emit_comment(self, comment: Comment, action: str, sender: Account, **more: object) -> None:
        payload = {
            "action": action,
            "issue": self.shapes.issue(comment.issue),
            "comment": self.shapes.comment(comment),
            **more,
        }
        self.emit(comment.issue.repository, "issue_comment", sender, payload)

    def emit_review(self, review: Review, action: str, sender: Account, **more: object) -> None:
        payload = {
            "action": action,
            "review": self.shapes.review(review, webhook=True),
            "pull_request": self.shapes.pull(review.issue, full=False),
            **more,
        }
        self.emit(review.issue.repository, "pull_request_review", sender, payload)

    def emit_review_comment(self, comment: ReviewComment, action: str, sender: Account, **more: object) -> None:
        payload = {
            "action": action,
            "comment": self.shapes.review_comment(comment),
            "pull_request": self.shapes.pull(comment.issue, full=False),
            **more,
        }
        self.emit(comment.issue.repository, "pull_request_review_comment", sender, payload)

    def emit_repository(self, repo: Repository, action: str, sender: Account, **more: object) -> None:
        self.emit(repo, "repository", sender, {"action": action, **more})

    def emit_run(self, run: CheckRun, action: str, sender: Account, **more: object) -> None:
        suite = self.shapes.suite(run.suite)
        shape = self.shapes.run(run) | {"check_suite": {key: suite[key] for key in RUN_SUITE_KEYS}}
        only = run.suite.app if action in ("rerequested", "requested_action") else None
        payload = {"action": action, "check_run": shape, **more}
        self.emit(run.suite.repository, "check_run", sender, payload, only=only)

    def emit_suite(self, suite: CheckSuite, action: str, sender: Account) -> None:
        shape = self.shapes.suite(suite)
        del shape["repository"]
        payload = {"action": action, "check_suite": shape | {"rerequestable": True, "runs_rerequestable": True}}
        self.emit(suite.repository, "check_suite", sender, payload, only=suite.app)
