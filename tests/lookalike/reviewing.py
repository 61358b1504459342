"""Reviews, comments on lines, and what bots of other Apps say."""

from __future__ import annotations

from collections.abc import Iterable

from tests.lookalike.actions import Actions
from tests.lookalike.shapes.reviews import hunk_of
from tests.lookalike.state import Account, App, Comment, Issue, Review, ReviewComment

WRITERS = ("write", "maintain", "admin")
LineComment = tuple[str, int, str]
"""Path, line of the new side, text."""


class Reviewing(Actions):
    # ---- what changes the state ----------------------------------------------------------------
    def add_review(
        self,
        pull: Issue,
        user: Account,
        body: str | None,
        *,
        comments: Iterable[LineComment] = (),
        state: str = "COMMENTED",
        app: App | None = None,
        answers: ReviewComment | None = None,
    ) -> Review:
        """A submitted review of the head. Raises ValueError for a line outside the diff, and for an empty review."""
        ends, wanted = pull.pull, list(comments)
        if ends is None:
            raise ValueError("only a pull request is reviewed")
        if not body and not wanted and state != "APPROVED":
            raise ValueError("a review without a text has comments on lines")
        sha = answers.review.commit_id if answers is not None else ends.head_sha
        for path, line, _ in wanted:
            if answers is None and hunk_of(pull, sha, path, line) is None:
                raise ValueError(f"{path}:{line} is not part of the diff")
        now = self.clock()
        review = Review(self.next_id(), pull, user, body, sha, now, now, state, app)
        for path, line, text in wanted:
            review.comments.append(ReviewComment(self.next_id(), review, path, line, text, now, now, answers))
        pull.reviews.append(review)
        pull.updated_at = now
        self.emit_review(review, "submitted", user)
        for comment in review.comments:
            self.emit_review_comment(comment, "created", user)
        return review

    def add_reply(self, comment: ReviewComment, user: Account, body: str, *, app: App | None = None) -> ReviewComment:
        """An answer below a comment on a line, which GitHub wraps in a review of its own without a text."""
        first = comment.answers or comment
        line = (first.path, first.line, body)
        return self.add_review(comment.issue, user, None, comments=[line], app=app, answers=first).comments[0]

    # ---- what people do ------------------------------------------------------------------------
    def review(
        self,
        pull: Issue,
        body: str | None = None,
        *,
        user: str = "writer",
        comments: Iterable[LineComment] = (),
        state: str = "COMMENTED",
    ) -> Review:
        """A review with a text, comments on lines of the diff, or both; `state` also APPROVED or CHANGES_REQUESTED."""
        with self.lock:
            return self.add_review(pull, self.account(user), body, comments=comments, state=state)

    def reply(self, comment: ReviewComment, body: str, *, user: str = "author") -> ReviewComment:
        with self.lock:
            return self.add_reply(comment, self.account(user), body)

    def edit_review(self, review: Review, body: str, *, user: str = "writer") -> None:
        with self.lock:
            before, review.body = review.body or "", body
            review.updated_at = review.issue.updated_at = self.clock()
            self.emit_review(review, "edited", self.account(user), changes={"body": {"from": before}})

    def edit_review_comment(self, comment: ReviewComment, body: str, *, user: str = "writer") -> None:
        with self.lock:
            before, comment.body = comment.body, body
            comment.updated_at = comment.issue.updated_at = self.clock()
            self.emit_review_comment(comment, "edited", self.account(user), changes={"body": {"from": before}})

    def delete_review_comment(self, comment: ReviewComment, *, user: str = "writer") -> None:
        with self.lock:
            comment.review.comments.remove(comment)
            self.emit_review_comment(comment, "deleted", self.account(user))

    def edit_comment_as(self, comment: Comment, body: str, user: str) -> None:
        """A person edits a comment, whoever wrote it; who may not write in the repository edits only their own."""
        with self.lock:
            who = self.account(user)
            if comment.user is not who and self.role(comment.issue.repository, user) not in (
                "write",
                "maintain",
                "admin",
            ):
                raise ValueError(f"{user} may not edit what {comment.user.login} wrote")
            self.edit_comment(comment, body, who)

    def delete_comment_as(self, comment: Comment, user: str) -> None:
        with self.lock:
            self.delete_comment(comment, self.account(user))

    # ---- what bots do --------------------------------------------------------------------------
    def create_bot(self, slug: str = "helper") -> App:
        """Another App, without a webhook and without a key: it only speaks."""
        with self.lock:
            known = next((app for app in self.apps.values() if app.slug == slug), None)
            return known or self.create_app(slug, "", owner=f"{slug}-makers", permissions={}, events=())

    def bot_comment(self, issue: Issue, body: str, *, app: App | None = None) -> Comment:
        """A comment by an App's bot; `app` None is the bot of `create_bot`."""
        with self.lock:
            app = app or self.create_bot()
            return self.add_comment(issue, app.bot, body, app=app)

    def bot_review(
        self, pull: Issue, body: str | None, *, app: App | None = None, comments: Iterable[LineComment] = ()
    ) -> Review:
        with self.lock:
            app = app or self.create_bot()
            return self.add_review(pull, app.bot, body, comments=comments, app=app)
