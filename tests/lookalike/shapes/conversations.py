"""Issues, pull requests, their comments, labels and reactions."""

from __future__ import annotations

from collections import Counter

from tests.lookalike.shapes.accounts import AccountShapes, maybe, node, stamp
from tests.lookalike.state import Account, Comment, Issue, Json, Label, Pull, Reaction, Repository

REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


class ConversationShapes(AccountShapes):
    def label(self, repo: Repository, label: Label) -> Json:
        return {
            "id": label.id,
            "node_id": node("L", label.id),
            "url": f"{self.url}/repos/{repo.full_name}/labels/{label.name}",
            "name": label.name,
            "color": label.color,
            "default": label.default,
            "description": label.description,
        }

    def association(self, repo: Repository, user: Account) -> str:
        if user.login == repo.owner.login:
            return "OWNER"
        role = repo.roles.get(user.login)
        return "NONE" if role is None or user.kind == "Bot" else "COLLABORATOR" if role == "read" else "MEMBER"

    def reactions(self, url: str, reactions: list[Reaction]) -> Json:
        count = Counter(reaction.content for reaction in reactions)
        return {"url": f"{url}/reactions", "total_count": len(reactions), **{name: count[name] for name in REACTIONS}}

    def reaction(self, reaction: Reaction) -> Json:
        return {
            "id": reaction.id,
            "node_id": node("RE", reaction.id),
            "user": self.account(reaction.user),
            "content": reaction.content,
            "created_at": stamp(reaction.created_at),
        }

    def issue(self, issue: Issue) -> Json:
        repo = issue.repository
        api = f"{self.url}/repos/{repo.full_name}/issues/{issue.number}"
        page = self.page(issue)
        shape = {
            "url": api,
            "repository_url": f"{self.url}/repos/{repo.full_name}",
            "labels_url": api + "/labels{/name}",
            "comments_url": f"{api}/comments",
            "events_url": f"{api}/events",
            "html_url": page,
            "id": issue.id,
            "node_id": node("I", issue.id),
            "number": issue.number,
            "title": issue.title,
            "user": self.account(issue.user),
            "labels": [self.label(repo, label) for label in issue.labels],
            "state": issue.state,
            "state_reason": "completed" if issue.state == "closed" else None,
            "locked": issue.locked,
            "assignee": None,
            "assignees": [],
            "milestone": None,
            "comments": len(issue.comments),
            "created_at": stamp(issue.created_at),
            "updated_at": stamp(issue.updated_at),
            "closed_at": maybe(issue.closed_at),
            "author_association": self.association(repo, issue.user),
            "active_lock_reason": None,
            "body": issue.body,
            "closed_by": None,
            "reactions": self.reactions(api, issue.reactions),
            "timeline_url": f"{api}/timeline",
            "performed_via_github_app": self.app(issue.app) if issue.app else None,
        }
        if issue.pull is not None:
            shape["draft"] = issue.pull.draft
            shape["pull_request"] = {
                "url": f"{self.url}/repos/{repo.full_name}/pulls/{issue.number}",
                "html_url": page,
                "diff_url": f"{page}.diff",
                "patch_url": f"{page}.patch",
                "merged_at": maybe(issue.pull.merged_at),
            }
        return shape

    def page(self, issue: Issue) -> str:
        kind = "issues" if issue.pull is None else "pull"
        return f"{self.url}/{issue.repository.full_name}/{kind}/{issue.number}"

    def comment(self, comment: Comment) -> Json:
        issue = comment.issue
        api = f"{self.url}/repos/{issue.repository.full_name}/issues"
        return {
            "url": f"{api}/comments/{comment.id}",
            "html_url": f"{self.page(issue)}#issuecomment-{comment.id}",
            "issue_url": f"{api}/{issue.number}",
            "id": comment.id,
            "node_id": node("IC", comment.id),
            "user": self.account(comment.user),
            "created_at": stamp(comment.created_at),
            "updated_at": stamp(comment.updated_at),
            "body": comment.body,
            "author_association": self.association(issue.repository, comment.user),
            "reactions": self.reactions(f"{api}/comments/{comment.id}", comment.reactions),
            "performed_via_github_app": self.app(comment.app) if comment.app else None,
        }

    # ---- pull requests -------------------------------------------------------------------------
    def _end(self, repo: Repository, ref: str, sha: str) -> Json:
        owner = self.account(repo.owner)
        return {"label": f"{repo.owner.login}:{ref}", "ref": ref, "sha": sha, "user": owner} | {
            "repo": self.repository(repo)
        }

    def pull(self, issue: Issue, *, full: bool = True) -> Json:
        pull, repo = issue.pull, issue.repository
        assert pull is not None
        api, page = f"{self.url}/repos/{repo.full_name}/pulls/{issue.number}", self.page(issue)
        thread = f"{self.url}/repos/{repo.full_name}/issues/{issue.number}"
        statuses = f"{self.url}/repos/{repo.full_name}/statuses/{pull.head_sha}"
        links = {
            "self": api,
            "html": page,
            "issue": thread,
            "comments": f"{thread}/comments",
            "review_comments": f"{api}/comments",
            "review_comment": f"{self.url}/repos/{repo.full_name}/pulls/comments{{/number}}",
            "commits": f"{api}/commits",
            "statuses": statuses,
        }
        shape = {
            "url": api,
            "id": issue.id,
            "node_id": node("PR", issue.id),
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "issue_url": thread,
            "number": issue.number,
            "state": issue.state,
            "locked": issue.locked,
            "title": issue.title,
            "user": self.account(issue.user),
            "body": issue.body,
            "created_at": stamp(issue.created_at),
            "updated_at": stamp(issue.updated_at),
            "closed_at": maybe(issue.closed_at),
            "merged_at": maybe(pull.merged_at),
            "merge_commit_sha": pull.merge_sha,
            "assignee": None,
            "assignees": [],
            "requested_reviewers": [],
            "requested_teams": [],
            "labels": [self.label(repo, label) for label in issue.labels],
            "milestone": None,
            "draft": pull.draft,
            "commits_url": links["commits"],
            "review_comments_url": links["review_comments"],
            "review_comment_url": links["review_comment"],
            "comments_url": links["comments"],
            "statuses_url": statuses,
            "head": self._end(pull.head_repository, pull.head_ref, pull.head_sha),
            "base": self._end(repo, pull.base_ref, pull.base_sha),
            "_links": {name: {"href": href} for name, href in links.items()},
            "author_association": self.association(repo, issue.user),
            "auto_merge": None,
            "active_lock_reason": None,
        }
        return shape | self._pull_totals(issue, pull) if full else shape

    def _pull_totals(self, issue: Issue, pull: Pull) -> Json:
        git = issue.repository.git
        base = git.merge_base(pull.base_sha, pull.head_sha)
        changes = git.changes(base, pull.head_sha)
        open_ = issue.state == "open"
        return {
            "merged": pull.merged_at is not None,
            "mergeable": True if open_ else None,
            "rebaseable": True if open_ else None,
            "mergeable_state": ("draft" if pull.draft else "clean") if open_ else "unknown",
            "merged_by": self.account(pull.merged_by) if pull.merged_by else None,
            "comments": len(issue.comments),
            "review_comments": len(issue.review_comments),
            "maintainer_can_modify": False,
            "commits": len(git.log(pull.head_sha, hide=base)),
            "additions": sum(change.additions for change in changes),
            "deletions": sum(change.deletions for change in changes),
            "changed_files": len(changes),
        }

    def pull_reference(self, issue: Issue) -> Json:
        """The short form that check runs and check suites list."""
        pull = issue.pull
        assert pull is not None

        def end(repo: Repository, ref: str, sha: str) -> Json:
            api = f"{self.url}/repos/{repo.full_name}"
            return {"ref": ref, "sha": sha, "repo": {"id": repo.id, "url": api, "name": repo.name}}

        return {
            "url": f"{self.url}/repos/{issue.repository.full_name}/pulls/{issue.number}",
            "id": issue.id,
            "number": issue.number,
            "head": end(pull.head_repository, pull.head_ref, pull.head_sha),
            "base": end(issue.repository, pull.base_ref, pull.base_sha),
        }

    def pull_references(self, repo: Repository, sha: str) -> list[Json]:
        """Open pull requests of the repository's own branches: GitHub lists none for forks."""
        return [
            self.pull_reference(issue)
            for issue in repo.pulls
            if issue.pull
            and issue.state == "open"
            and issue.pull.head_sha == sha
            and issue.pull.head_repository is repo
        ]
