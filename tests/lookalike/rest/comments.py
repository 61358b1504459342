"""Comments of issues and pull requests, and reactions."""

from __future__ import annotations

from tests.lookalike import refusals
from tests.lookalike.rest.operations import LONGEST_BODY, THREAD_READ, THREAD_WRITE, Answer, Call, operation
from tests.lookalike.shapes import REACTIONS, stamp
from tests.lookalike.state import Comment, Reaction

ISSUES = "/repos/{owner}/{repo}/issues"
THREAD = ISSUES + "/{issue_number}"
COMMENT = ISSUES + "/comments/{comment_id}"


def body_of(call: Call) -> str:
    body = call.body.get("body")
    if not isinstance(body, str) or not body.strip():
        raise refusals.validation("IssueComment", "body", "unprocessable", "Body can't be blank")
    if len(body) > LONGEST_BODY:
        message = f"Body is too long (maximum is {LONGEST_BODY} characters)"
        raise refusals.validation("IssueComment", "data", "unprocessable", message)
    return body


def since(call: Call, comments: list[Comment]) -> list[Comment]:
    moment = call.query.get("since")
    return comments if moment is None else [c for c in comments if stamp(c.updated_at) >= moment]


@operation("GET", THREAD + "/comments", *THREAD_READ)
def list_comments(call: Call) -> Answer:
    issue = call.issue()
    call.need(issue, "read")
    return call.page(since(call, issue.comments), call.look.shapes.comment)


@operation("GET", ISSUES + "/comments", *THREAD_READ)
def list_all_comments(call: Call) -> Answer:
    every = [comment for issue in call.repo.issues.values() for comment in issue.comments]
    newest_first = call.query.get("direction") == "desc" and "sort" in call.query
    key = call.query.get("sort", "created")
    every.sort(key=lambda c: c.updated_at if key == "updated" else c.created_at, reverse=newest_first)
    return call.page(since(call, every), call.look.shapes.comment)


@operation("GET", COMMENT, *THREAD_READ)
def get_comment(call: Call) -> Answer:
    comment = call.comment()
    call.need(comment.issue, "read")
    return Answer(200, call.look.shapes.comment(comment))


@operation("POST", THREAD + "/comments", *THREAD_WRITE)
def create_comment(call: Call) -> Answer:
    issue = call.issue()
    call.need(issue, "write")
    comment = call.look.add_comment(issue, call.me, body_of(call), app=call.caller.installation.app)
    shape = call.look.shapes.comment(comment)
    return Answer(201, shape, {"location": shape["url"]})


@operation("PATCH", COMMENT, *THREAD_WRITE)
def update_comment(call: Call) -> Answer:
    comment = call.comment()
    call.need(comment.issue, "write")
    call.look.edit_comment(comment, body_of(call), call.me)
    return Answer(200, call.look.shapes.comment(comment))


@operation("DELETE", COMMENT, *THREAD_WRITE)
def delete_comment(call: Call) -> Answer:
    comment = call.comment()
    call.need(comment.issue, "write")
    call.look.delete_comment(comment, call.me)
    return Answer(204)


# ---- reactions -----------------------------------------------------------------------------------
def _react(call: Call, reactions: list[Reaction]) -> Answer:
    content = call.body.get("content")
    if content not in REACTIONS:
        raise refusals.validation("Reaction", "content", "invalid")
    reaction, fresh = call.look.react(reactions, call.me, str(content))
    return Answer(201 if fresh else 200, call.look.shapes.reaction(reaction))


def _unreact(call: Call, reactions: list[Reaction]) -> Answer:
    found = next((r for r in reactions if r.id == call.number("reaction_id")), None)
    if found is None:
        raise refusals.not_found()
    reactions.remove(found)
    return Answer(204)


def _list(call: Call, reactions: list[Reaction]) -> Answer:
    wanted = call.query.get("content")
    return call.page([r for r in reactions if wanted in (None, r.content)], call.look.shapes.reaction)


@operation("GET", COMMENT + "/reactions", *THREAD_READ)
def comment_reactions(call: Call) -> Answer:
    return _list(call, call.comment().reactions)


@operation("POST", COMMENT + "/reactions", *THREAD_WRITE)
def react_to_comment(call: Call) -> Answer:
    comment = call.comment()
    call.need(comment.issue, "write")
    return _react(call, comment.reactions)


@operation("DELETE", COMMENT + "/reactions/{reaction_id}", *THREAD_WRITE)
def unreact_to_comment(call: Call) -> Answer:
    comment = call.comment()
    call.need(comment.issue, "write")
    return _unreact(call, comment.reactions)


@operation("GET", THREAD + "/reactions", *THREAD_READ)
def issue_reactions(call: Call) -> Answer:
    return _list(call, call.issue().reactions)


@operation("POST", THREAD + "/reactions", *THREAD_WRITE)
def react_to_issue(call: Call) -> Answer:
    issue = call.issue()
    call.need(issue, "write")
    return _react(call, issue.reactions)


@operation("DELETE", THREAD + "/reactions/{reaction_id}", *THREAD_WRITE)
def unreact_to_issue(call: Call) -> Answer:
    issue = call.issue()
    call.need(issue, "write")
    return _unreact(call, issue.reactions)
