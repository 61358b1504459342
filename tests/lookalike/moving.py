"""What happens to whole repositories and conversations: renamed, transferred, archived, locked, deleted."""

from __future__ import annotations

import shutil

from tests.lookalike.actions import Actions
from tests.lookalike.gitstore import GitStore
from tests.lookalike.state import Account, Comment, Installation, Issue, Repository


class Moving(Actions):
    # ---- repositories --------------------------------------------------------------------------
    def rename(self, repo: Repository, new_name: str, *, user: str = "owner") -> None:
        """Its old address leads to the new one, until another repository takes the name."""
        with self.lock:
            before = repo.name
            self._relocate(repo, repo.owner, new_name)
            changes = {"repository": {"name": {"from": before}}}
            self.emit_repository(repo, "renamed", self.account(user), changes=changes)

    def transfer_repository(self, repo: Repository, new_owner: str, *, user: str = "owner") -> None:
        """To another account; only who is installed there sees it from then on."""
        with self.lock:
            before, left = repo.owner, self.installations_on(repo)
            self._relocate(repo, self.account(new_owner, kind="Organization"), repo.name)
            kind = "user" if before.kind == "User" else "organization"
            changes = {"owner": {"from": {kind: self.shapes.account(before)}}}
            self.emit_repository(repo, "transferred", self.account(user), changes=changes)
            for installation in left:
                self._lost(installation, repo, user)

    def _relocate(self, repo: Repository, owner: Account, name: str) -> None:
        old, new = repo.full_name.lower(), f"{owner.login}/{name}".lower()
        if new in self.repositories:
            raise ValueError(f"{new} exists already")
        del self.repositories[old]
        repo.owner, repo.name = owner, name
        self.repositories[new] = repo
        self.former_names.pop(new, None)
        self.former_names[old] = repo
        source, target = repo.git.path, self.root / owner.login / f"{name}.git"
        if target.is_symlink():
            target.unlink()
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)
        source.symlink_to(target)
        repo.git = GitStore(target, default_branch=repo.default_branch)

    def archive(self, repo: Repository, *, user: str = "owner") -> None:
        """Nothing can be written in it any more."""
        with self.lock:
            repo.archived = True
            self.emit_repository(repo, "archived", self.account(user))

    def unarchive(self, repo: Repository, *, user: str = "owner") -> None:
        with self.lock:
            repo.archived = False
            self.emit_repository(repo, "unarchived", self.account(user))

    def privatize(self, repo: Repository, *, user: str = "owner") -> None:
        with self.lock:
            repo.private = True
            self.emit_repository(repo, "privatized", self.account(user))

    def delete_repository(self, repo: Repository, *, user: str = "owner") -> None:
        with self.lock:
            left = self.installations_on(repo)
            self.emit_repository(repo, "deleted", self.account(user))
            del self.repositories[repo.full_name.lower()]
            for name in [name for name, known in self.former_names.items() if known is repo]:
                del self.former_names[name]
            for installation in left:
                self._lost(installation, repo, user)
            shutil.rmtree(repo.git.path)

    def _lost(self, installation: Installation, repo: Repository, user: str) -> None:
        """An App that loses a repository is told so, whether or not it subscribed to what happened to it."""
        if installation.repositories is not None:
            installation.repositories.discard(repo.id)
        self.emit_choice(installation, [], [repo], self.account(user))

    def delete_label(self, repo: Repository, name: str, *, user: str = "triager") -> None:
        """From the repository and from everything that wears it, which GitHub tells of only by the event `label`."""
        with self.lock:
            label = repo.label(name)
            if label is None:
                raise ValueError(f"no label {name}")
            shape = self.shapes.label(repo, label)
            repo.labels.remove(label)
            for issue in repo.issues.values():
                if label in issue.labels:
                    issue.labels.remove(label)
            self.emit(repo, "label", self.account(user), {"action": "deleted", "label": shape})

    # ---- conversations -------------------------------------------------------------------------
    def lock_conversation(self, issue: Issue, *, user: str = "owner") -> None:
        with self.lock:
            issue.locked = True
            self.emit_issue(issue, "locked", self.account(user))

    def unlock_conversation(self, issue: Issue, *, user: str = "owner") -> None:
        with self.lock:
            issue.locked = False
            self.emit_issue(issue, "unlocked", self.account(user))

    def transfer_issue(self, issue: Issue, target: Repository, *, user: str = "owner") -> Issue:
        """Gives the new issue, with the next number there, the comments, and the labels that are known there by name.

        The old number leads to the new issue.
        """
        with self.lock:
            source, who, now = issue.repository, self.account(user), self.clock()
            if issue.pull is not None or target is source:
                raise ValueError("an issue is transferred, and to another repository")
            moved = Issue(
                id=self.next_id(),
                repository=target,
                number=self.next_number(target),
                title=issue.title,
                body=issue.body,
                user=issue.user,
                created_at=issue.created_at,
                updated_at=now,
                state=issue.state,
                closed_at=issue.closed_at,
                reactions=issue.reactions,
                app=issue.app,
            )
            known = (target.label(label.name) for label in issue.labels)
            moved.labels = [label for label in known if label is not None]
            moved.comments = [self._copied(comment, moved) for comment in issue.comments]
            target.issues[moved.number] = moved
            before, after = self.shapes.issue(issue), self.shapes.issue(moved)
            del source.issues[issue.number]
            source.moved_issues[issue.number] = moved
            there = {"new_issue": after, "new_repository": self.shapes.repository(target)}
            self.emit_issue(issue, "transferred", who, changes=there)
            here = {"old_issue": before, "old_repository": self.shapes.repository(source)}
            self.emit_issue(moved, "opened", who, changes=here)
            return moved

    def _copied(self, comment: Comment, issue: Issue) -> Comment:
        return Comment(
            id=self.next_id(),
            issue=issue,
            user=comment.user,
            body=comment.body,
            created_at=comment.created_at,
            updated_at=comment.updated_at,
            app=comment.app,
            reactions=comment.reactions,
            minimized=comment.minimized,
        )
