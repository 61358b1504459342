"""Comments of issues and pull requests, and reactions."""

from __future__ import annotations

from tests.lookalike import refusals
from tests.lookalike.auth import accepted
from tests.lookalike.rest.operations import LONGEST_BODY, THREAD_READ, THREAD_WRITE, Answer, Call, operation
from tests.lookalike.shapes import REACTIONS, stamp
from tests.lookalike.state import Comment, Issue, Reaction

ISSUES = "/repos/{owner}/{repo}/issues"
THREAD = ISSUES + "/{issue_number}"
COMMENT = ISSUES + "/comments/{comment_id}"


def text_of(call: Call) -> str:
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
    call.unlocked(issue)
    comment = call.look.add_comment(issue, call.me, text_of(call), app=call.caller.installation.app)
    shape = call.look.shapes.comment(comment)
    return Answer(201, shape, {"location": shape["url"]})


@operation("PATCH", COMMENT, *THREAD_WRITE)
def update_comment(call: Call) -> Answer:
    comment = call.comment()
    call.need(comment.issue, "write")
    call.unlocked(comment.issue)
    call.look.edit_comment(comment, text_of(call), call.me)
    return Answer(200, call.look.shapes.comment(comment))


@operation("DELETE", COMMENT, *THREAD_WRITE)
def delete_comment(call: Call) -> Answer:
    comment = call.comment()
    call.need(comment.issue, "write")
    call.look.delete_comment(comment, call.me)
    return Answer(204)


# ---- reactions -----------------------------------------------------------------------------------
def react(call: Call, issue: Issue, reactions: list[Reaction]) -> Answer:
    """A reaction to something in the conversation `issue`, made once however often it is asked for."""
    call.unlocked(issue)
    content = call.body.get("content")
    if content not in REACTIONS:
        raise refusals.validation("Reaction", "content", "invalid")
    reaction, fresh = call.look.react(reactions, call.me, str(content))
    return Answer(201 if fresh else 200, call.look.shapes.reaction(reaction))


def unreact(call: Call, issue: Issue, reactions: list[Reaction]) -> Answer:
    """Only one's own reaction can be taken back."""
    call.unlocked(issue)
    found = next((r for r in reactions if r.id == call.number("reaction_id")), None)
    if found is None:
        raise refusals.not_found()
    if found.user is not call.me:
        raise refusals.permission_missing(accepted(THREAD_WRITE))
    reactions.remove(found)
    return Answer(204)


def shown(call: Call, reactions: list[Reaction]) -> Answer:
    wanted = call.query.get("content")
    return call.page([r for r in reactions if wanted in (None, r.content)], call.look.shapes.reaction)


@operation("GET", COMMENT + "/reactions", *THREAD_READ)
def comment_reactions(call: Call) -> Answer:
    return shown(call, call.comment().reactions)


@operation("POST", COMMENT + "/reactions", *THREAD_WRITE)
def react_to_comment(call: Call) -> Answer:
    comment = call.comment()
    call.need(comment.issue, "write")
    return react(call, comment.issue, comment.reactions)


@operation("DELETE", COMMENT + "/reactions/{reaction_id}", *THREAD_WRITE)
def unreact_to_comment(call: Call) -> Answer:
    comment = call.comment()
    call.need(comment.issue, "write")
    return unreact(call, comment.issue, comment.reactions)


@operation("GET", THREAD + "/reactions", *THREAD_READ)
def issue_reactions(call: Call) -> Answer:
    return shown(call, call.issue().reactions)


@operation("POST", THREAD + "/reactions", *THREAD_WRITE)
def react_to_issue(call: Call) -> Answer:
    issue = call.issue()
    call.need(issue, "write")
    return react(call, issue, issue.reactions)


@operation("DELETE", THREAD + "/reactions/{reaction_id}", *THREAD_WRITE)
def unreact_to_issue(call: Call) -> Answer:
    issue = call.issue()
    call.need(issue, "write")
    return unreact(call, issue, issue.reactions)
