"""What a conversation's page shows in which order, and whether there is news."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from tests.lookalike.shapes import stamp
from tests.lookalike.state import CheckRun, Comment, Issue, Json, Review, ReviewComment


@dataclass(frozen=True)
class Entry:
    """One thing said: a comment, or a review with its threads, each a comment on a line and the answers to it."""

    said: Comment | Review
    kind: str
    threads: tuple[tuple[ReviewComment, ...], ...] = ()


def timeline(issue: Issue) -> list[Entry]:
    """Oldest first. Answers on lines stand in their threads, not where they were made."""
    answers = [comment for comment in issue.review_comments if comment.answers is not None]
    entries = [Entry(comment, "comment") for comment in issue.comments]
    for review in issue.reviews:
        first = [comment for comment in review.comments if comment.answers is None]
        threads = tuple((one, *(answer for answer in answers if answer.answers is one)) for one in first)
        if review.body or threads or not review.comments:
            entries.append(Entry(review, "review", threads))
    return sorted(entries, key=lambda entry: entry.said.id)


def checks(issue: Issue) -> list[CheckRun]:
    """The newest run of each name and App on the head."""
    if issue.pull is None:
        return []
    runs = [run for run in issue.repository.runs if run.head_sha == issue.pull.head_sha]
    return list({(run.suite.id, run.name): run for run in runs}.values())


def standing(issue: Issue) -> Json:
    """Counts and times, and a `tag` that is another one as soon as anything on the page is."""
    lines = issue.review_comments
    said: list[Comment | Review | ReviewComment] = [*issue.comments, *issue.reviews, *lines]
    reactions = [*issue.reactions, *(reaction for one in said for reaction in one.reactions)]
    runs = checks(issue)
    body: Json = {
        "updated_at": stamp(issue.updated_at),
        "state": issue.state,
        "draft": issue.pull.draft if issue.pull is not None else None,
        "locked": issue.locked,
        "labels": [label.name for label in issue.labels],
        "comments": len(issue.comments),
        "reviews": len(issue.reviews),
        "review_comments": len(lines),
        "reactions": len(reactions),
        "checks": [{"name": run.name, "status": run.status, "conclusion": run.conclusion} for run in runs],
    }
    every = (
        body,
        (issue.title, issue.body, issue.pull.head_sha if issue.pull is not None else None),
        [(one.id, one.body, one.minimized) for one in said],
        [(reaction.id, reaction.content) for reaction in reactions],
        [(run.id, run.title, run.summary, run.text, len(run.annotations), run.actions) for run in runs],
    )
    return body | {"tag": hashlib.sha256(repr(every).encode()).hexdigest()[:16]}
