"""The part of GitHub's GraphQL schema that is served, and the checks of a document against it.

https://docs.github.com/en/graphql/reference/mutations
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.lookalike.graphql.documents import Document, Field, Name, Variable
from tests.lookalike.state import Json

REACTION_NAMES = {
    "THUMBS_UP": "+1",
    "THUMBS_DOWN": "-1",
    "LAUGH": "laugh",
    "HOORAY": "hooray",
    "CONFUSED": "confused",
    "HEART": "heart",
    "ROCKET": "rocket",
    "EYES": "eyes",
}
ENUMS = {
    "ReactionContent": tuple(REACTION_NAMES),
    "ReportedContentClassifiers": ("ABUSE", "DUPLICATE", "OFF_TOPIC", "OUTDATED", "RESOLVED", "SPAM"),
}
MUTATIONS = {
    "addReaction": "AddReaction",
    "convertPullRequestToDraft": "ConvertPullRequestToDraft",
    "minimizeComment": "MinimizeComment",
}
INPUTS: dict[str, dict[str, str]] = {
    "AddReactionInput": {"clientMutationId": "String", "subjectId": "ID!", "content": "ReactionContent!"},
    "ConvertPullRequestToDraftInput": {"clientMutationId": "String", "pullRequestId": "ID!"},
    "MinimizeCommentInput": {
        "clientMutationId": "String",
        "subjectId": "ID!",
        "classifier": "ReportedContentClassifiers!",
    },
}
OBJECTS: dict[str, dict[str, str | None]] = {
    "Mutation": {name: f"{kind}Payload" for name, kind in MUTATIONS.items()},
    "Query": {},
    "AddReactionPayload": {"clientMutationId": None, "reaction": "Reaction", "subject": "Reactable"},
    "Reaction": {"id": None, "databaseId": None, "content": None, "createdAt": None},
    "Reactable": {"id": None, "databaseId": None, "viewerCanReact": None},
    "ConvertPullRequestToDraftPayload": {"clientMutationId": None, "pullRequest": "PullRequest"},
    "PullRequest": {"id": None, "databaseId": None, "number": None, "isDraft": None, "state": None, "url": None},
    "MinimizeCommentPayload": {"clientMutationId": None, "minimizedComment": "Minimizable"},
    "Minimizable": {"isMinimized": None, "minimizedReason": None, "viewerCanMinimize": None},
}
"""Type → field → its type, None for a scalar."""


def mistakes(document: Document, given: Mapping[str, Any]) -> list[Json]:
    """Everything for which GitHub refuses the document before carrying out any of it."""
    if document.kind not in ("query", "mutation"):
        return [{"message": f'Expected one of QUERY, MUTATION, actual: "{document.kind}"'}]
    found: list[Json] = []
    where = document.kind if document.name is None else f"{document.kind} {document.name}"
    root = "Mutation" if document.kind == "mutation" else "Query"
    _check_fields(root, document.fields, [where], document, found)
    unnamed = document.name or f"anonymous {document.kind}"
    for name in sorted(document.used - document.variables.keys()):
        found.append({"message": f"Variable ${name} is used by {unnamed} but not declared", "path": [where]})
    for name in sorted(document.variables.keys() - document.used):
        found.append({"message": f"Variable ${name} is declared by {unnamed} but not used", "path": [where]})
    for name, (kind, needed, default) in document.variables.items():
        value = given.get(name, default)
        if kind.rstrip("!") not in (*ENUMS, *INPUTS, "ID", "String"):
            found.append({"message": f"{kind.rstrip('!')} isn't a defined input type (on ${name})", "path": [where]})
        elif (needed and name not in given) or not _fits(kind, value, inline=False):
            found.append({"message": f"Variable ${name} of type {kind} was provided invalid value"})
    return found


def _check_fields(kind: str, fields: list[Field], path: list[str], document: Document, found: list[Json]) -> None:
    if not fields:
        message = f"Field must have selections (field '{path[-1]}' returns {kind} but has no selections.)"
        found.append({"message": message, "path": path, "extensions": {"code": "selectionMismatch"}})
    for field in fields:
        here = [*path, field.alias]
        known = OBJECTS[kind]
        if field.name == "__typename":
            continue
        if field.name not in known:
            codes = {"code": "undefinedField", "typeName": kind, "fieldName": field.name}
            message = f"Field '{field.name}' doesn't exist on type '{kind}'"
            found.append({"path": here, "extensions": codes, "locations": [field.location], "message": message})
            continue
        _check_arguments(kind, field, here, document, found)
        below = known[field.name]
        if below is not None:
            _check_fields(below, field.fields, here, document, found)
        elif field.fields:
            message = f"Selections can't be made on scalars (field '{field.name}')"
            found.append({"message": message, "path": here, "locations": [field.location]})


def _check_arguments(kind: str, field: Field, path: list[str], document: Document, found: list[Json]) -> None:
    wanted = {"input": f"{MUTATIONS[field.name]}Input!"} if kind == "Mutation" else {}
    for name in field.arguments.keys() - wanted.keys():
        message = f"Field '{field.name}' doesn't accept argument '{name}'"
        found.append({"message": message, "path": [*path, name], "locations": [field.location]})
    for name, needed in wanted.items():
        if name not in field.arguments:
            message = f"Field '{field.name}' is missing required arguments: {name}"
            found.append({"message": message, "path": path, "locations": [field.location]})
        elif not _accepts(needed, field.arguments[name], document):
            message = f"Argument '{name}' on Field '{field.name}' has an invalid value. Expected type '{needed}'."
            found.append({"message": message, "path": [*path, name], "locations": [field.location]})


def _accepts(kind: str, value: Any, document: Document) -> bool:
    """Whether an argument in the document fits: a variable by its declared type, anything else by its value."""
    if isinstance(value, Variable):
        declared = document.variables.get(value.name, (kind, False, None))[0]
        return declared.rstrip("!") == kind.rstrip("!") and (declared.endswith("!") or not kind.endswith("!"))
    members = INPUTS.get(kind.rstrip("!"))
    if members is not None and isinstance(value, dict):
        needed = {name for name, member in members.items() if member.endswith("!")}
        return needed <= value.keys() <= members.keys() and all(
            _accepts(members[name], one, document) for name, one in value.items()
        )
    return _fits(kind, value, inline=True)


def _fits(kind: str, value: Any, *, inline: bool) -> bool:
    """A value against a type. In the document enum values are bare names, among the variables they are texts."""
    if value is None:
        return not kind.endswith("!")
    name = kind.rstrip("!")
    if name in INPUTS:
        members = INPUTS[name]
        needed = {key for key, member in members.items() if member.endswith("!")}
        return (
            isinstance(value, dict)
            and needed <= value.keys() <= members.keys()
            and all(_fits(members[key], one, inline=inline) for key, one in value.items())
        )
    if name in ENUMS:
        return isinstance(value, Name if inline else str) and str(value) in ENUMS[name]
    return isinstance(value, str) and not isinstance(value, Name)
