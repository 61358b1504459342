"""Reviews of pull requests and the comments on their lines."""

from __future__ import annotations

from tests.lookalike.hunks import hunk_at
from tests.lookalike.shapes.accounts import node, stamp
from tests.lookalike.shapes.code import CodeShapes
from tests.lookalike.state import Issue, Json, Review, ReviewComment


def hunk_of(issue: Issue, sha: str, path: str, line: int) -> tuple[str, int] | None:
    """The part of a pull request's diff that ends at this line, and its position there; None outside the diff."""
    git, pull = issue.repository.git, issue.pull
    assert pull is not None
    for change in git.changes(git.merge_base(pull.base_sha, sha), sha):
        if change.path == path:
            return hunk_at(change.patch, line)
    return None


class ReviewShapes(CodeShapes):
    def review(self, review: Review, *, webhook: bool = False) -> Json:
        """Webhooks spell the state in lower case, answers in upper case."""
        issue = review.issue
        api = f"{self.url}/repos/{issue.repository.full_name}/pulls/{issue.number}"
        page = f"{self.page(issue)}#pullrequestreview-{review.id}"
        shape: Json = {
            "id": review.id,
            "node_id": node("PRR", review.id),
            "user": self.account(review.user),
            "body": review.body if review.body or webhook else "",
            "commit_id": review.commit_id,
            "submitted_at": stamp(review.submitted_at),
            "state": review.state.lower() if webhook else review.state,
            "html_url": page,
            "pull_request_url": api,
            "author_association": self.association(issue.repository, review.user),
            "_links": {"html": {"href": page}, "pull_request": {"href": api}},
        }
        return shape | ({"updated_at": stamp(review.updated_at)} if webhook else {})

    def review_comment(self, comment: ReviewComment) -> Json:
        """Once the head has moved on and the line is no longer as it was, line and position are null."""
        issue, review = comment.issue, comment.review
        pull, repo = issue.pull, issue.repository
        assert pull is not None
        first = hunk_of(issue, review.commit_id, comment.path, comment.line)
        now = hunk_of(issue, pull.head_sha, comment.path, comment.line)
        current = now is not None and first is not None and now[0] == first[0]
        hunk, position = first or ("", None)
        api = f"{self.url}/repos/{repo.full_name}/pulls"
        url = f"{api}/comments/{comment.id}"
        page = f"{self.page(issue)}#discussion_r{comment.id}"
        links = {"self": url, "html": page, "pull_request": f"{api}/{issue.number}"}
        shape: Json = {
            "url": url,
            "pull_request_review_id": review.id,
            "id": comment.id,
            "node_id": node("PRRC", comment.id),
            "diff_hunk": hunk,
            "path": comment.path,
            "commit_id": pull.head_sha if current else review.commit_id,
            "original_commit_id": review.commit_id,
            "user": self.account(comment.user),
            "body": comment.body,
            "created_at": stamp(comment.created_at),
            "updated_at": stamp(comment.updated_at),
            "html_url": page,
            "pull_request_url": links["pull_request"],
            "author_association": self.association(repo, comment.user),
            "_links": {name: {"href": href} for name, href in links.items()},
            "reactions": self.reactions(url, comment.reactions),
            "start_line": None,
            "original_start_line": None,
            "start_side": None,
            "line": comment.line if current else None,
            "original_line": comment.line,
            "side": "RIGHT",
            "position": position if current else None,
            "original_position": position,
            "subject_type": "line",
        }
        return shape | ({"in_reply_to_id": comment.answers.id} if comment.answers is not None else {})
