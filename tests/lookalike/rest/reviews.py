"""Reviews of a pull request, the comments on its lines, and the reactions to those."""

from __future__ import annotations

from tests.lookalike import refusals
from tests.lookalike.rest.comments import react, shown, text_of, unreact
from tests.lookalike.rest.operations import Answer, Call, operation
from tests.lookalike.state import Review, ReviewComment

PULLS = "/repos/{owner}/{repo}/pulls"
REVIEWS = PULLS + "/{pull_number}/reviews"
COMMENT = PULLS + "/comments/{comment_id}"
READS, WRITES = {"pull_requests": "read"}, {"pull_requests": "write"}


def _review(call: Call) -> Review:
    wanted = call.number("review_id")
    found = next((review for review in call.pull().reviews if review.id == wanted), None)
    if found is None:
        raise refusals.not_found()
    return found


def _comment(call: Call) -> ReviewComment:
    wanted = call.number("comment_id")
    every = (comment for issue in call.repo.pulls for comment in issue.review_comments)
    found = next((comment for comment in every if comment.id == wanted), None)
    if found is None:
        raise refusals.not_found()
    return found


@operation("GET", REVIEWS, READS)
def list_reviews(call: Call) -> Answer:
    return call.page(call.pull().reviews, call.look.shapes.review)


@operation("GET", REVIEWS + "/{review_id}", READS)
def get_review(call: Call) -> Answer:
    return Answer(200, call.look.shapes.review(_review(call)))


@operation("GET", REVIEWS + "/{review_id}/comments", READS)
def comments_of_review(call: Call) -> Answer:
    return call.page(_review(call).comments, call.look.shapes.review_comment)


@operation("GET", PULLS + "/{pull_number}/comments", READS)
def list_comments(call: Call) -> Answer:
    return call.page(call.pull().review_comments, call.look.shapes.review_comment)


@operation("GET", COMMENT, READS)
def get_comment(call: Call) -> Answer:
    return Answer(200, call.look.shapes.review_comment(_comment(call)))


@operation("POST", PULLS + "/{pull_number}/comments/{comment_id}/replies", WRITES)
def reply(call: Call) -> Answer:
    comment = _comment(call)
    call.unlocked(comment.issue)
    made = call.look.add_reply(comment, call.me, text_of(call), app=call.caller.installation.app)
    shape = call.look.shapes.review_comment(made)
    return Answer(201, shape, {"location": shape["url"]})


# ---- reactions -----------------------------------------------------------------------------------
@operation("GET", COMMENT + "/reactions", READS)
def list_reactions(call: Call) -> Answer:
    return shown(call, _comment(call).reactions)


@operation("POST", COMMENT + "/reactions", WRITES)
def create_reaction(call: Call) -> Answer:
    comment = _comment(call)
    return react(call, comment.issue, comment.reactions)


@operation("DELETE", COMMENT + "/reactions/{reaction_id}", WRITES)
def delete_reaction(call: Call) -> Answer:
    comment = _comment(call)
    return unreact(call, comment.issue, comment.reactions)
