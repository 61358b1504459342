"""The tables of the look-alike, its clock and numbers, and how records are made and found."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.lookalike.gitstore import Content, GitStore
from tests.lookalike.shapes import Shapes
from tests.lookalike.state import Account, App, Installation, Issue, Json, Repository, Token

PERMISSIONS = {
    "metadata": "read",
    "contents": "read",
    "issues": "write",
    "pull_requests": "write",
    "checks": "write",
    "merge_queues": "read",
}
EVENTS = [
    *("check_run", "check_suite", "issue_comment", "issues", "merge_group", "pull_request", "push"),
    *("pull_request_review", "pull_request_review_comment", "repository"),
]
FIRST_MOMENT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


class World:
    """State without behaviour. `root` is where the bare repositories are kept; `clock` stamps every record.

    The default clock starts at a fixed moment and goes on by one second each time it is read, so that ids, dates and
    commit ids are the same in every run. What really ends (tokens, JWTs, rate windows) goes by the wall clock.
    """

    def __init__(self, root: Path, *, clock: Callable[[], datetime] | None = None) -> None:
        self.root = root
        self.lock = threading.RLock()
        self.shapes = Shapes("http://github.invalid")
        ticks = itertools.count()
        self.clock = clock or (lambda: FIRST_MOMENT + timedelta(seconds=next(ticks)))
        self._numbers = itertools.count(1001)
        self.accounts: dict[str, Account] = {}
        self.apps: dict[int, App] = {}
        self.installations: dict[int, Installation] = {}
        self.repositories: dict[str, Repository] = {}
        self.tokens: dict[str, Token] = {}
        self.former_names: dict[str, Repository] = {}
        """Where the old addresses of renamed and transferred repositories lead."""

    # ---- addresses -----------------------------------------------------------------------------
    @property
    def url(self) -> str:
        """API base, pages and git; known once the look-alike runs."""
        return self.shapes.url

    @url.setter
    def url(self, value: str) -> None:
        self.shapes.url = value

    @property
    def git_path_url(self) -> str:
        """Template of git addresses on disk."""
        return f"{self.root}/{{owner}}/{{repo}}.git"

    @property
    def git_http_url(self) -> str:
        """Template of git addresses over HTTP, where private repositories want a token."""
        return f"{self.url}/{{owner}}/{{repo}}.git"

    def next_id(self) -> int:
        return next(self._numbers)

    # ---- making --------------------------------------------------------------------------------
    def account(self, login: str, *, kind: str = "User") -> Account:
        """The account of that login, made when there is none: kind User, Organization or Bot."""
        known = self.accounts.get(login.lower())
        if known is None:
            kinds = {"User": "User", "Organization": "Organization", "Bot": "Bot"}
            known = Account(self.next_id(), login, kinds[kind])  # type: ignore[arg-type]
            self.accounts[login.lower()] = known
        return known

    def create_app(
        self,
        slug: str,
        public_key: str,
        *,
        owner: str = "acme",
        permissions: Mapping[str, str] | None = None,
        events: Iterable[str] = EVENTS,
        webhook_url: str | None = None,
        webhook_secret: str = "",
        app_id: int | None = None,
    ) -> App:
        number = app_id or self.next_id()
        app = App(
            id=number,
            slug=slug,
            name=slug.title(),
            owner=self.account(owner, kind="Organization"),
            bot=self.account(f"{slug}[bot]", kind="Bot"),
            public_key=public_key,
            client_id=f"Iv23li{number:014d}",
            created_at=self.clock(),
            permissions=dict(PERMISSIONS if permissions is None else permissions),
            events=list(events),
            webhook_url=webhook_url,
            webhook_secret=webhook_secret,
        )
        self.apps[app.id] = app
        return app

    def create_repository(
        self,
        full_name: str,
        files: Mapping[str, Content] | None = None,
        *,
        source: Path | None = None,
        private: bool = False,
        default_branch: str = "main",
        roles: Mapping[str, str] | None = None,
        parent: Repository | None = None,
    ) -> Repository:
        """A repository with one first commit of `files`, or with every branch of the git repository `source`.

        `roles` maps logins to read, triage, write, maintain or admin.
        """
        owner, _, name = full_name.partition("/")
        with self.lock:
            self._give_up_name(full_name)
            git = GitStore(self.root / owner / f"{name}.git", default_branch=default_branch)
            now = self.clock()
            kind = "User" if parent is not None else "Organization"
            repo = Repository(
                id=self.next_id(),
                owner=self.account(owner, kind=kind),
                name=name,
                git=git,
                private=private,
                default_branch=default_branch,
                created_at=now,
                pushed_at=now,
                parent=parent,
                roles=dict(roles or {}),
            )
            for login in repo.roles:
                self.account(login)
            if source is not None:
                git.fetch(source, "+refs/heads/*:refs/heads/*")
            elif parent is not None:
                git.fetch(parent.git.path, "+refs/heads/*:refs/heads/*")
            else:
                git.commit(default_branch, files or {"README.md": f"# {name}\n"}, "First", author=owner, when=now)
            self.repositories[full_name.lower()] = repo
            return repo

    def _give_up_name(self, full_name: str) -> None:
        """A new repository takes the address of one that was renamed."""
        owner, _, name = full_name.partition("/")
        self.former_names.pop(full_name.lower(), None)
        path = self.root / owner / f"{name}.git"
        if path.is_symlink():
            path.unlink()

    # ---- finding -------------------------------------------------------------------------------
    def repository(self, full_name: str) -> Repository:
        return self.repositories[full_name.lower()]

    def installations_on(self, repo: Repository) -> list[Installation]:
        return [
            installation
            for installation in self.installations.values()
            if not installation.suspended and repo in self.repositories_of(installation)
        ]

    def repositories_of(self, installation: Installation) -> list[Repository]:
        chosen = installation.repositories
        return [
            repo
            for repo in self.repositories.values()
            if repo.owner is installation.account and (chosen is None or repo.id in chosen)
        ]

    def role(self, repo: Repository, login: str) -> str:
        """A login's role: what was given, admin for the owner, read on public repositories, else none."""
        if login.lower() == repo.owner.login.lower():
            return "admin"
        given = {name.lower(): role for name, role in repo.roles.items()}.get(login.lower())
        return given or ("none" if repo.private else "read")

    def next_number(self, repo: Repository) -> int:
        return max([*repo.issues, *repo.moved_issues], default=0) + 1

    def pulls_of_branch(self, repo: Repository, branch: str) -> list[Issue]:
        """Open pull requests, in any repository, whose head is this branch."""
        return [
            issue
            for other in self.repositories.values()
            for issue in other.pulls
            if issue.pull
            and issue.state == "open"
            and (issue.pull.head_repository, issue.pull.head_ref) == (repo, branch)
        ]

    def common_payload(self, repo: Repository, sender: Account) -> Json:
        payload = {"repository": self.shapes.repository(repo), "sender": self.shapes.account(sender)}
        if repo.owner.kind == "Organization":
            api = f"{self.url}/orgs/{repo.owner.login}"
            payload["organization"] = {
                "login": repo.owner.login,
                "id": repo.owner.id,
                "node_id": self.shapes.account(repo.owner)["node_id"],
                "url": api,
                "repos_url": f"{api}/repos",
                "avatar_url": f"{self.url}/avatars/{repo.owner.login}",
                "description": None,
            }
        return payload
