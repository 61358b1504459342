"""The records that the look-alike keeps: what a GitHub server would have in its tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from tests.lookalike.gitstore import GitStore

Json = dict[str, Any]
Level = Literal["read", "write", "admin"]
LEVELS: dict[str, int] = {"none": 0, "read": 1, "write": 2, "admin": 3}

ROLE_PERMISSION = {"none": "none", "read": "read", "triage": "read", "write": "write", "maintain": "write"} | {
    "admin": "admin"
}


@dataclass
class Account:
    id: int
    login: str
    kind: Literal["User", "Organization", "Bot"] = "User"
    name: str | None = None


@dataclass
class App:
    """`public_key` is the PEM that the App's JWTs are checked against; webhooks go to `webhook_url` when it is set."""

    id: int
    slug: str
    name: str
    owner: Account
    bot: Account
    public_key: str
    client_id: str
    created_at: datetime
    permissions: dict[str, str]
    events: list[str]
    webhook_url: str | None = None
    webhook_secret: str = ""


@dataclass
class Installation:
    """`repositories` None: all repositories of the account."""

    id: int
    app: App
    account: Account
    permissions: dict[str, str]
    events: list[str]
    created_at: datetime
    repositories: set[int] | None = None
    suspended: bool = False
    suspended_at: datetime | None = None


@dataclass
class Token:
    text: str
    installation: Installation
    permissions: dict[str, str]
    repositories: set[int] | None
    expires_at: datetime
    revoked: bool = False


@dataclass
class Label:
    id: int
    name: str
    color: str
    description: str | None = None
    default: bool = False


@dataclass
class Reaction:
    id: int
    user: Account
    content: str
    created_at: datetime


@dataclass
class Comment:
    id: int
    issue: Issue
    user: Account
    body: str
    created_at: datetime
    updated_at: datetime
    app: App | None = None
    reactions: list[Reaction] = field(default_factory=list)
    minimized: str | None = None


@dataclass
class ReviewComment:
    """A comment on one line of the new side of a file, or an answer to one (`answers`)."""

    id: int
    review: Review
    path: str
    line: int
    body: str
    created_at: datetime
    updated_at: datetime
    answers: ReviewComment | None = None
    reactions: list[Reaction] = field(default_factory=list)
    minimized: str | None = None

    @property
    def issue(self) -> Issue:
        return self.review.issue

    @property
    def user(self) -> Account:
        return self.review.user


@dataclass
class Review:
    """A submitted review of `commit_id`. `state` is COMMENTED, APPROVED or CHANGES_REQUESTED."""

    id: int
    issue: Issue
    user: Account
    body: str | None
    commit_id: str
    submitted_at: datetime
    updated_at: datetime
    state: str = "COMMENTED"
    app: App | None = None
    comments: list[ReviewComment] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    minimized: str | None = None


@dataclass
class Pull:
    """What a pull request has beyond an issue. `base_sha` is the base branch's tip when it was opened or last moved,
    `queued_as` the merge queue's branch while it is in the queue.
    """

    head_repository: Repository
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    draft: bool = False
    queued_as: str | None = None
    merged_at: datetime | None = None
    merged_by: Account | None = None
    merge_sha: str | None = None


@dataclass
class Issue:
    """An issue, or a pull request where `pull` is set: GitHub counts both in one series of numbers."""

    id: int
    repository: Repository
    number: int
    title: str
    body: str | None
    user: Account
    created_at: datetime
    updated_at: datetime
    state: Literal["open", "closed"] = "open"
    closed_at: datetime | None = None
    labels: list[Label] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    pull: Pull | None = None
    app: App | None = None
    reviews: list[Review] = field(default_factory=list)
    locked: bool = False

    @property
    def review_comments(self) -> list[ReviewComment]:
        """Oldest first."""
        found = [comment for review in self.reviews for comment in review.comments]
        return sorted(found, key=lambda comment: comment.id)


@dataclass
class CheckSuite:
    id: int
    repository: Repository
    app: App
    head_sha: str
    head_branch: str | None
    created_at: datetime
    updated_at: datetime


@dataclass
class CheckRun:
    id: int
    suite: CheckSuite
    name: str
    started_at: datetime
    status: str = "queued"
    conclusion: str | None = None
    completed_at: datetime | None = None
    external_id: str = ""
    details_url: str | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[Json] = field(default_factory=list)
    actions: list[Json] = field(default_factory=list)

    @property
    def head_sha(self) -> str:
        return self.suite.head_sha


@dataclass
class Repository:
    id: int
    owner: Account
    name: str
    git: GitStore
    private: bool
    default_branch: str
    created_at: datetime
    pushed_at: datetime
    description: str | None = None
    parent: Repository | None = None
    roles: dict[str, str] = field(default_factory=dict)
    labels: list[Label] = field(default_factory=list)
    issues: dict[int, Issue] = field(default_factory=dict)
    suites: list[CheckSuite] = field(default_factory=list)
    runs: list[CheckRun] = field(default_factory=list)
    archived: bool = False
    moved_issues: dict[int, Issue] = field(default_factory=dict)
    """What became of the numbers of issues that were transferred away."""
    changed_at: datetime | None = None
    """When something else than its branches changed last; None for never."""

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    @property
    def pulls(self) -> list[Issue]:
        return [issue for issue in self.issues.values() if issue.pull is not None]

    def label(self, name: str) -> Label | None:
        """Label names are compared without regard to case."""
        return next((label for label in self.labels if label.name.lower() == name.lower()), None)
