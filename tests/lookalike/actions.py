"""What changes the state of the look-alike: each change makes the webhooks that GitHub makes of it.

People's actions (people.py) and the REST operations both end here, so that an App also hears of what it did itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.lookalike.sending import Sending
from tests.lookalike.state import (
    Account,
    App,
    CheckRun,
    CheckSuite,
    Comment,
    Issue,
    Json,
    Label,
    Pull,
    Reaction,
    Repository,
)

GREY = "ededed"
NOTHING = "0" * 40


class Actions(Sending):
    # ---- branches ------------------------------------------------------------------------------
    def branch_moved(self, repo: Repository, branch: str, before: str | None, after: str | None, by: Account) -> None:
        """A push is in git already; this makes the push, check_suite and synchronize events of it."""
        repo.pushed_at = self.clock()
        git, page = repo.git, f"{self.url}/{repo.full_name}"
        base = git.merge_base(before, after) if before and after else None
        fresh = git.log(after, hide=before or git.branch(repo.default_branch), limit=20) if after else []
        commits = [self.shapes.webhook_commit(repo, sha) for sha in reversed(fresh)]
        payload = {
            "ref": f"refs/heads/{branch}",
            "before": before or NOTHING,
            "after": after or NOTHING,
            "created": before is None,
            "deleted": after is None,
            "forced": before is not None and after is not None and base != before,
            "base_ref": None,
            "compare": f"{page}/compare/{(before or NOTHING)[:12]}...{(after or NOTHING)[:12]}",
            "commits": commits,
            "head_commit": self.shapes.webhook_commit(repo, after) if after else None,
            "pusher": {"name": by.login, "email": f"{by.login}@users.noreply.github.example"},
        }
        self.emit(repo, "push", by, payload)
        if after is None:
            return
        for installation in self.installations_on(repo):
            if installation.permissions.get("checks") == "write":
                self.emit_suite(self.suite(repo, installation.app, after, branch), "requested", by)
        for issue in self.pulls_of_branch(repo, branch):
            self._synchronize(issue, before, after, by)

    def _synchronize(self, issue: Issue, before: str | None, after: str, by: Account) -> None:
        assert issue.pull is not None
        issue.pull.head_sha = after
        issue.pull.base_sha = issue.repository.git.branch(issue.pull.base_ref) or issue.pull.base_sha
        issue.updated_at = self.clock()
        self._keep_pull_ref(issue)
        self.emit_pull(issue, "synchronize", by, before=before or NOTHING, after=after)

    def _keep_pull_ref(self, issue: Issue) -> None:
        pull = issue.pull
        assert pull is not None
        ref = f"refs/pull/{issue.number}/head"
        if pull.head_repository is not issue.repository:
            refspec = f"+refs/heads/{pull.head_ref}:{ref}"
            issue.repository.git.fetch(pull.head_repository.git.path, refspec)
        else:
            issue.repository.git.set_ref(ref, pull.head_sha)

    # ---- issues and pull requests --------------------------------------------------------------
    def add_issue(
        self, repo: Repository, user: Account, title: str, body: str | None, *, app: App | None = None
    ) -> Issue:
        now = self.clock()
        issue = Issue(self.next_id(), repo, self.next_number(repo), title, body, user, now, now, app=app)
        repo.issues[issue.number] = issue
        self.emit_issue(issue, "opened", user)
        return issue

    def add_pull(
        self,
        repo: Repository,
        user: Account,
        title: str,
        body: str | None,
        *,
        head: tuple[Repository, str],
        base: str,
        draft: bool = False,
    ) -> Issue:
        """`head` is (repository, branch); both branches exist."""
        now = self.clock()
        head_sha, base_sha = head[0].git.branch(head[1]), repo.git.branch(base)
        assert head_sha is not None
        assert base_sha is not None
        issue = Issue(self.next_id(), repo, self.next_number(repo), title, body, user, now, now)
        issue.pull = Pull(head[0], head[1], head_sha, base, base_sha, draft)
        repo.issues[issue.number] = issue
        self._keep_pull_ref(issue)
        self.emit_pull(issue, "opened", user)
        return issue

    def edit_issue(self, issue: Issue, by: Account, *, title: str | None = None, body: str | None = None) -> None:
        changes: Json = {}
        if title is not None and title != issue.title:
            changes["title"] = {"from": issue.title}
            issue.title = title
        if body is not None and body != issue.body:
            changes["body"] = {"from": issue.body}
            issue.body = body
        if changes:
            issue.updated_at = self.clock()
            self.emit_issue(issue, "edited", by, changes=changes)

    def set_state(self, issue: Issue, state: str, by: Account) -> None:
        if state == issue.state:
            return
        issue.updated_at = self.clock()
        issue.state = "closed" if state == "closed" else "open"
        issue.closed_at = issue.updated_at if state == "closed" else None
        if issue.pull is not None and state == "open":
            # what was pushed while it was closed counts from now on
            tip = issue.pull.head_repository.git.branch(issue.pull.head_ref)
            issue.pull.head_sha = tip or issue.pull.head_sha
            self._keep_pull_ref(issue)
        self.emit_issue(issue, "closed" if state == "closed" else "reopened", by)

    def set_draft(self, issue: Issue, draft: bool, by: Account) -> None:
        assert issue.pull is not None
        if issue.pull.draft != draft:
            issue.pull.draft = draft
            issue.updated_at = self.clock()
            self.emit_pull(issue, "converted_to_draft" if draft else "ready_for_review", by)

    # ---- comments, reactions -------------------------------------------------------------------
    def add_comment(self, issue: Issue, user: Account, body: str, *, app: App | None = None) -> Comment:
        now = self.clock()
        comment = Comment(self.next_id(), issue, user, body, now, now, app)
        issue.comments.append(comment)
        issue.updated_at = now
        self.emit_comment(comment, "created", user)
        return comment

    def edit_comment(self, comment: Comment, body: str, by: Account) -> None:
        before, comment.body = comment.body, body
        comment.updated_at = comment.issue.updated_at = self.clock()
        self.emit_comment(comment, "edited", by, changes={"body": {"from": before}})

    def delete_comment(self, comment: Comment, by: Account) -> None:
        comment.issue.comments.remove(comment)
        self.emit_comment(comment, "deleted", by)

    def react(self, reactions: list[Reaction], user: Account, content: str) -> tuple[Reaction, bool]:
        """(the reaction, whether it is new): one person reacts once with each content."""
        for reaction in reactions:
            if reaction.user is user and reaction.content == content:
                return reaction, False
        reaction = Reaction(self.next_id(), user, content, self.clock())
        reactions.append(reaction)
        return reaction, True

    # ---- labels --------------------------------------------------------------------------------
    def add_label(self, repo: Repository, name: str, color: str = GREY, description: str | None = None) -> Label:
        label = Label(self.next_id(), name, color.lower(), description)
        repo.labels.append(label)
        return label

    def put_labels(self, issue: Issue, names: Iterable[str], by: Account) -> None:
        for name in names:
            repo = issue.repository
            label = repo.label(name) or self.add_label(repo, name)
            if label not in issue.labels:
                issue.labels.append(label)
                issue.updated_at = self.clock()
                self.emit_issue(issue, "labeled", by, label=self.shapes.label(repo, label))

    def take_label(self, issue: Issue, label: Label, by: Account) -> None:
        issue.labels.remove(label)
        issue.updated_at = self.clock()
        self.emit_issue(issue, "unlabeled", by, label=self.shapes.label(issue.repository, label))

    # ---- checks --------------------------------------------------------------------------------
    def suite(self, repo: Repository, app: App, sha: str, branch: str | None = None) -> CheckSuite:
        """The App's suite of a commit, made when there is none."""
        for suite in repo.suites:
            if suite.app is app and suite.head_sha == sha:
                return suite
        branch = branch or next((name for name, tip in repo.git.branches().items() if tip == sha), None)
        now = self.clock()
        suite = CheckSuite(self.next_id(), repo, app, sha, branch, now, now)
        repo.suites.append(suite)
        return suite

    def add_run(self, repo: Repository, app: App, sha: str, name: str) -> CheckRun:
        run = CheckRun(self.next_id(), self.suite(repo, app, sha), name, self.clock())
        repo.runs.append(run)
        return run
