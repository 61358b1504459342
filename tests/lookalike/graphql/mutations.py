"""What each mutation does, and how GitHub says that it did not."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Any

from tests.lookalike.graphql.documents import Document, Field, Malformed, Variable, read
from tests.lookalike.graphql.schema import MUTATIONS, OBJECTS, REACTION_NAMES, mistakes
from tests.lookalike.rest.operations import Call
from tests.lookalike.shapes import node, stamp
from tests.lookalike.state import Comment, Issue, Json, Review, ReviewComment

Node = Issue | Comment | Review | ReviewComment
NODE = re.compile(r"([A-Z]+)(\d{1,18})")


class Failed(Exception):  # noqa: N818
    """`kind` is NOT_FOUND, FORBIDDEN or UNPROCESSABLE."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def answer(call: Call) -> Json:
    """The body of an answer with status 200. What no document may hold is also a problem of the journal's."""
    text, given = call.body.get("query"), call.body.get("variables") or {}
    if not isinstance(text, str):
        return _refused(call, [{"message": "A query attribute must be specified and must be a string."}])
    try:
        document = read(text)
    except Malformed as wrong:
        return _refused(call, [{"message": str(wrong), "locations": [wrong.location]}])
    found = mistakes(document, given) if isinstance(given, dict) else [{"message": "Variables are invalid JSON."}]
    if found:
        return _refused(call, found)
    data: Json = {}
    errors: list[Json] = []
    for field in document.fields:
        try:
            data[field.alias] = _carried_out(call, document, field, given)
        except Failed as failed:
            data[field.alias] = None
            place = {"path": [field.alias], "locations": [field.location]}
            forbidden = {"extensions": {"saml_failure": False}} if failed.kind == "FORBIDDEN" else {}
            errors.append({"type": failed.kind, **place, **forbidden, "message": str(failed)})
    return {"data": data} | ({"errors": errors} if errors else {})


def _refused(call: Call, errors: list[Json]) -> Json:
    call.look.problems += [f"POST {call.path}: {error['message']}" for error in errors]
    return {"errors": errors}


def _carried_out(call: Call, document: Document, field: Field, given: Json) -> Json | str:
    if field.name == "__typename":
        return "Mutation"
    values = _filled(field.arguments["input"], document, given)
    payload = MUTATE[field.name](call, values)
    payload["clientMutationId"] = values.get("clientMutationId")
    return _selected(f"{MUTATIONS[field.name]}Payload", payload, field.fields)


def _filled(value: Any, document: Document, given: Json) -> Any:
    """The argument with its variables put in."""
    if isinstance(value, Variable):
        return given.get(value.name, document.variables[value.name][2])
    if isinstance(value, dict):
        return {name: _filled(one, document, given) for name, one in value.items()}
    return str(value) if isinstance(value, str) else value


def _selected(kind: str, payload: Json, fields: list[Field]) -> Json:
    found: Json = {}
    for field in fields:
        below = OBJECTS[kind].get(field.name)
        if field.name == "__typename":
            found[field.alias] = payload.get("__typename", kind)
        elif below is not None and payload[field.name] is not None:
            found[field.alias] = _selected(below, payload[field.name], field.fields)
        else:
            found[field.alias] = payload[field.name]
    return found


# ---- nodes ---------------------------------------------------------------------------------------
def _node(call: Call, text: str) -> Node:
    """What the id names, where the caller sees it. Raises Failed."""
    try:
        match = NODE.fullmatch(base64.b64decode(text, validate=True).decode("ascii"))
    except ValueError:
        match = None
    for repo in call.look.repositories.values() if match is not None else ():
        if not call.caller.sees(call.look, repo):
            continue
        for issue in repo.issues.values():
            for one, kind in _nodes(issue):
                if match is not None and (kind, str(one.id)) == match.groups():
                    return one
    raise Failed("NOT_FOUND", f"Could not resolve to a node with the global id of '{text}'")


def _nodes(issue: Issue) -> list[tuple[Node, str]]:
    return [
        (issue, "I" if issue.pull is None else "PR"),
        *((comment, "IC") for comment in issue.comments),
        *((review, "PRR") for review in issue.reviews),
        *((comment, "PRRC") for comment in issue.review_comments),
    ]


def _id(one: Node) -> str:
    if isinstance(one, Issue):
        return node("I" if one.pull is None else "PR", one.id)
    return node({Comment: "IC", Review: "PRR", ReviewComment: "PRRC"}[type(one)], one.id)


def _writable(call: Call, one: Node, **more: str) -> Issue:
    """The conversation that holds it. Raises Failed unless the caller may write there."""
    issue = one if isinstance(one, Issue) else one.issue
    name = "issues" if issue.pull is None else "pull_requests"
    if not call.caller.may({name: "write", **more}):
        raise Failed("FORBIDDEN", "Resource not accessible by integration")
    if issue.repository.archived:
        raise Failed("FORBIDDEN", "Repository was archived so is read-only.")
    return issue


# ---- mutations -----------------------------------------------------------------------------------
def _add_reaction(call: Call, values: Json) -> Json:
    one = _node(call, values["subjectId"])
    if _writable(call, one).locked:
        raise Failed("FORBIDDEN", f"{call.me.login} does not have the correct permissions to execute `AddReaction`")
    reaction, _ = call.look.react(one.reactions, call.me, REACTION_NAMES[values["content"]])
    shape = {
        "id": node("RE", reaction.id),
        "databaseId": reaction.id,
        "content": values["content"],
        "createdAt": stamp(reaction.created_at),
    }
    kind = {Issue: "Issue", Comment: "IssueComment", Review: "PullRequestReview"}
    subject = {"id": _id(one), "databaseId": one.id, "viewerCanReact": True}
    subject["__typename"] = kind.get(type(one), "PullRequestReviewComment")
    return {"reaction": shape, "subject": subject}


def _convert_to_draft(call: Call, values: Json) -> Json:
    issue = _node(call, values["pullRequestId"])
    if not isinstance(issue, Issue) or issue.pull is None:
        text = f"Could not resolve to PullRequest node with the global id of '{values['pullRequestId']}'"
        raise Failed("NOT_FOUND", text)
    _writable(call, issue, contents="write")
    if issue.state == "closed":
        raise Failed("UNPROCESSABLE", "A closed pull request cannot be converted to a draft")
    if not call.look.ignore_draft_conversion:
        call.look.set_draft(issue, True, call.me)
    merged = issue.pull.merged_at is not None
    shape = {
        "id": _id(issue),
        "databaseId": issue.id,
        "number": issue.number,
        "isDraft": issue.pull.draft,
        "state": "MERGED" if merged else issue.state.upper(),
        "url": call.look.shapes.page(issue),
    }
    return {"pullRequest": shape}


def _minimize(call: Call, values: Json) -> Json:
    one = _node(call, values["subjectId"])
    if isinstance(one, Issue):
        raise Failed(
            "NOT_FOUND", f"Could not resolve to Minimizable node with the global id of '{values['subjectId']}'"
        )
    _writable(call, one)
    one.minimized = values["classifier"].lower().replace("_", "-")
    return {
        "minimizedComment": {"isMinimized": True, "minimizedReason": one.minimized, "viewerCanMinimize": True},
    }


MUTATE: dict[str, Callable[[Call, Json], Json]] = {
    "addReaction": _add_reaction,
    "convertPullRequestToDraft": _convert_to_draft,
    "minimizeComment": _minimize,
}
