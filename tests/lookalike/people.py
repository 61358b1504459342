"""`Lookalike`: what people do on GitHub, said in one call each, by login."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from tests.lookalike.auth import TOKEN_LIFE, Caller
from tests.lookalike.gitstore import Content
from tests.lookalike.journal import Journal
from tests.lookalike.moving import Moving
from tests.lookalike.queueing import Queueing
from tests.lookalike.reviewing import Reviewing
from tests.lookalike.state import App, CheckRun, CheckSuite, Comment, Installation, Issue, Repository
from tests.lookalike.webhooks import Delivery

HOUR = 3600


@dataclass
class Rate:
    """The primary limit of one caller; `reset` is in Unix seconds."""

    limit: int = 5000
    used: int = 0
    reset: int = field(default_factory=lambda: int(time.time()) + HOUR)

    @property
    def remaining(self) -> int:
        return max(self.limit - self.used, 0)


class Lookalike(Reviewing, Queueing, Moving, Journal):
    """The whole server's state. See the package's docstring for a tour."""

    def __init__(self, root: Path, *, clock: Callable[[], datetime] | None = None) -> None:
        Reviewing.__init__(self, root, clock=clock)
        Journal.__init__(self)
        self.token_life: timedelta = TOKEN_LIFE
        self.ignore_draft_conversion = False
        """GraphQL says that a pull request was converted, and leaves it as it is."""
        self._rates: dict[str, Rate] = {}

    # ---- Apps ----------------------------------------------------------------------------------
    def install(
        self,
        app: App,
        owner: str,
        *,
        repositories: Iterable[str] | None = None,
        permissions: Mapping[str, str] | None = None,
        by: str | None = None,
    ) -> Installation:
        """Installs on all repositories of an account, or those named (without owner); permissions: the App's."""
        with self.lock:
            account = self.account(owner)
            names = None if repositories is None else {self.repository(f"{owner}/{name}").id for name in repositories}
            installation = Installation(
                id=self.next_id(),
                app=app,
                account=account,
                permissions=dict(app.permissions if permissions is None else permissions),
                events=list(app.events),
                created_at=self.clock(),
                repositories=names,
            )
            self.installations[installation.id] = installation
            self.emit_installation(installation, "created", self.account(by or owner))
            return installation

    def uninstall(self, installation: Installation, *, by: str | None = None) -> Delivery:
        with self.lock:
            delivery = self.emit_installation(installation, "deleted", self.account(by or installation.account.login))
            del self.installations[installation.id]
            return delivery

    def suspend(self, installation: Installation, *, by: str | None = None) -> Delivery:
        with self.lock:
            installation.suspended, installation.suspended_at = True, self.clock()
            return self.emit_installation(installation, "suspend", self.account(by or installation.account.login))

    def grant(self, installation: Installation, permissions: Mapping[str, str], *, by: str | None = None) -> Delivery:
        """The owner accepts other permissions (all of them are named); tokens given out before keep theirs."""
        with self.lock:
            installation.permissions = dict(permissions)
            who = self.account(by or installation.account.login)
            return self.emit_installation(installation, "new_permissions_accepted", who)

    def choose(
        self, installation: Installation, repositories: Iterable[str] | None, *, by: str | None = None
    ) -> list[Delivery]:
        """The owner chooses other repositories (names without owner; None: all)."""
        with self.lock:
            before = {repo.id: repo for repo in self.repositories_of(installation)}
            owner = installation.account.login
            names = None if repositories is None else {self.repository(f"{owner}/{name}").id for name in repositories}
            installation.repositories = names
            after = {repo.id: repo for repo in self.repositories_of(installation)}
            added = [after[number] for number in after.keys() - before.keys()]
            removed = [before[number] for number in before.keys() - after.keys()]
            return self.emit_choice(installation, added, removed, self.account(by or owner))

    def revoke_tokens(self) -> None:
        """Every token given out so far stops working, as when they expire."""
        with self.lock:
            for token in self.tokens.values():
                token.revoked = True

    # ---- limits --------------------------------------------------------------------------------
    def rate(self, caller: Caller) -> Rate:
        key = f"installation {caller.installation.id}" if caller.token else caller.kind
        return self._rates.setdefault(key, Rate())

    def exhaust(self, installation: Installation, *, reset_in: int = 60) -> None:
        """The primary limit of an installation is used up until `reset_in` seconds from now (0: until just now)."""
        with self.lock:
            rate = self._rates.setdefault(f"installation {installation.id}", Rate())
            rate.used, rate.reset = rate.limit, int(time.time()) + reset_in

    # ---- code ----------------------------------------------------------------------------------
    def push(
        self,
        repo: Repository,
        branch: str,
        files: Mapping[str, Content],
        message: str = "Change",
        *,
        user: str = "author",
        onto: str | None = None,
    ) -> str:
        """One commit pushed to a branch, which is made from the default branch when it is new. Returns the commit id.

        `onto` rewrites the branch: the commit's parent is that commit (a force-push).
        """
        with self.lock:
            before = repo.git.branch(branch)
            parent = onto or before or repo.git.branch(repo.default_branch)
            sha = repo.git.commit(branch, files, message, author=user, when=self.clock(), parent=parent)
            self.branch_moved(repo, branch, before, sha, self.account(user))
            return sha

    def delete_branch(self, repo: Repository, branch: str, *, user: str = "author") -> None:
        with self.lock:
            before = repo.git.branch(branch)
            repo.git.delete_branch(branch)
            self.branch_moved(repo, branch, before, None, self.account(user))

    def fork(self, repo: Repository, user: str) -> Repository:
        """The person's fork, made when there is none; no App is installed on it."""
        with self.lock:
            name = f"{user}/{repo.name}"
            if name.lower() in self.repositories:
                return self.repository(name)
            branch = repo.default_branch
            return self.create_repository(name, parent=repo, default_branch=branch, private=repo.private)

    def open_pull(
        self,
        repo: Repository,
        branch: str,
        files: Mapping[str, Content] | None = None,
        *,
        user: str = "author",
        title: str | None = None,
        body: str | None = None,
        base: str | None = None,
        draft: bool = False,
        fork: bool = False,
    ) -> Issue:
        """A pull request of `branch`: `files` are pushed to it first, in the author's fork when `fork` is set."""
        with self.lock:
            home = self.fork(repo, user) if fork else repo
            if files is not None:
                self.push(home, branch, files, title or f"Add {', '.join(files)}", user=user)
            base = base or repo.default_branch
            who = self.account(user)
            return self.add_pull(repo, who, title or branch, body, head=(home, branch), base=base, draft=draft)

    def merge_pull(self, pull: Issue, *, user: str = "writer") -> str:
        """A merge commit on the base branch; the pull request closes as merged. Returns the commit id."""
        with self.lock:
            ends, repo, who = pull.pull, pull.repository, self.account(user)
            assert ends is not None
            before = repo.git.branch(ends.base_ref)
            message = f"Merge pull request #{pull.number} from {ends.head_repository.owner.login}/{ends.head_ref}"
            sha = repo.git.merge(ends.base_ref, ends.head_sha, message, author=user, when=self.clock())
            ends.merge_sha, ends.merged_by, ends.merged_at = sha, who, self.clock()
            self.set_state(pull, "closed", who)
            self.branch_moved(repo, ends.base_ref, before, sha, who)
            return sha

    def close_pull(self, pull: Issue, *, user: str = "author") -> None:
        with self.lock:
            self.set_state(pull, "closed", self.account(user))

    def reopen_pull(self, pull: Issue, *, user: str = "author") -> None:
        with self.lock:
            self.set_state(pull, "open", self.account(user))

    def mark_ready(self, pull: Issue, *, user: str = "author") -> None:
        with self.lock:
            self.set_draft(pull, False, self.account(user))

    def convert_to_draft(self, pull: Issue, *, user: str = "author") -> None:
        with self.lock:
            self.set_draft(pull, True, self.account(user))

    # ---- conversations -------------------------------------------------------------------------
    def open_issue(
        self, repo: Repository, title: str, body: str | None = None, *, user: str = "author", labels: Iterable[str] = ()
    ) -> Issue:
        with self.lock:
            issue = self.add_issue(repo, self.account(user), title, body)
            self.put_labels(issue, labels, self.account(user))
            return issue

    def edit(self, issue: Issue, *, title: str | None = None, body: str | None = None, user: str = "author") -> None:
        with self.lock:
            self.edit_issue(issue, self.account(user), title=title, body=body)

    def close_issue(self, issue: Issue, *, user: str = "author") -> None:
        with self.lock:
            self.set_state(issue, "closed", self.account(user))

    def comment(self, issue: Issue, body: str, *, user: str = "author") -> Comment:
        with self.lock:
            return self.add_comment(issue, self.account(user), body)

    def label(self, issue: Issue, *names: str, user: str = "triager") -> None:
        with self.lock:
            self.put_labels(issue, names, self.account(user))

    def unlabel(self, issue: Issue, name: str, *, user: str = "triager") -> None:
        with self.lock:
            label = issue.repository.label(name)
            assert label is not None
            self.take_label(issue, label, self.account(user))

    # ---- checks --------------------------------------------------------------------------------
    def rerequest(self, run: CheckRun, *, user: str = "author") -> None:
        """Re-run, pressed at one check run."""
        with self.lock:
            self.emit_run(run, "rerequested", self.account(user))

    def rerequest_suite(self, suite: CheckSuite, *, user: str = "author") -> None:
        """Re-run all."""
        with self.lock:
            self.emit_suite(suite, "rerequested", self.account(user))

    def press(self, run: CheckRun, identifier: str, *, user: str = "author") -> None:
        """A button that the check run offers. Raises ValueError when it does not."""
        if identifier not in [action["identifier"] for action in run.actions] or run.status != "completed":
            raise ValueError(f"{run.name} offers no {identifier}")
        with self.lock:
            self.emit_run(run, "requested_action", self.account(user), requested_action={"identifier": identifier})

    # ---- what can be seen ----------------------------------------------------------------------
    def runs(self, repo: Repository, sha: str, *, name: str | None = None) -> list[CheckRun]:
        return [run for run in repo.runs if run.head_sha == sha and name in (None, run.name)]

    def labels(self, issue: Issue) -> list[str]:
        return [label.name for label in issue.labels]

    def comments_by(self, issue: Issue, login: str) -> list[Comment]:
        return [comment for comment in issue.comments if comment.user.login.lower() == login.lower()]

    def close(self) -> None:
        self.outbox.close()
