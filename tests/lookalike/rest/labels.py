"""Labels of a repository, and those that an issue or a pull request wears."""

from __future__ import annotations

import re

from tests.lookalike import refusals
from tests.lookalike.rest.operations import THREAD_READ, THREAD_WRITE, Answer, Call, operation
from tests.lookalike.state import Label

LABELS = "/repos/{owner}/{repo}/labels"
WORN = "/repos/{owner}/{repo}/issues/{issue_number}/labels"
LONGEST_NAME, LONGEST_DESCRIPTION = 50, 100


def _checked(name: str | None, color: str | None, description: str | None) -> None:
    if name is not None and not 0 < len(name) <= LONGEST_NAME:
        message = f"name is too long (maximum is {LONGEST_NAME} characters)"
        raise refusals.validation("Label", "name", "custom", message)
    if color is not None and not re.fullmatch("[0-9a-fA-F]{6}", color):
        raise refusals.validation("Label", "color", "invalid")
    if description is not None and len(description) > LONGEST_DESCRIPTION:
        message = f"description is too long (maximum is {LONGEST_DESCRIPTION} characters)"
        raise refusals.validation("Label", "description", "custom", message)


def _label(call: Call) -> Label:
    found = call.repo.label(call.params["name"])
    if found is None:
        raise refusals.not_found()
    return found


@operation("GET", LABELS, *THREAD_READ)
def list_labels(call: Call) -> Answer:
    repo = call.repo
    return call.page(repo.labels, lambda label: call.look.shapes.label(repo, label))


@operation("GET", LABELS + "/{name}", *THREAD_READ)
def get_label(call: Call) -> Answer:
    return Answer(200, call.look.shapes.label(call.repo, _label(call)))


@operation("POST", LABELS, *THREAD_WRITE)
def create_label(call: Call) -> Answer:
    repo, name = call.repo, call.body.get("name")
    if not name:
        raise refusals.validation("Label", "name", "missing_field")
    color, description = call.body.get("color") or "ededed", call.body.get("description")
    _checked(name, color, description)
    if repo.label(name) is not None:
        raise refusals.validation("Label", "name", "already_exists")
    label = call.look.add_label(repo, name, color, description)
    shape = call.look.shapes.label(repo, label)
    return Answer(201, shape, {"location": shape["url"]})


@operation("PATCH", LABELS + "/{name}", *THREAD_WRITE)
def update_label(call: Call) -> Answer:
    label, fresh = _label(call), call.body.get("new_name")
    _checked(fresh, call.body.get("color"), call.body.get("description"))
    taken = call.repo.label(fresh) if fresh else None
    if taken is not None and taken is not label:
        raise refusals.validation("Label", "name", "already_exists")
    label.name = fresh or label.name
    label.color = (call.body.get("color") or label.color).lower()
    label.description = call.body.get("description", label.description)
    return Answer(200, call.look.shapes.label(call.repo, label))


# ---- worn ----------------------------------------------------------------------------------------
@operation("GET", WORN, *THREAD_READ)
def issue_labels(call: Call) -> Answer:
    issue = call.issue()
    call.need(issue, "read")
    return call.page(issue.labels, lambda label: call.look.shapes.label(issue.repository, label))


@operation("POST", WORN, *THREAD_WRITE)
def add_labels(call: Call) -> Answer:
    """A label that the repository does not have is created, grey; that takes issues:write also on a pull request."""
    issue = call.issue()
    call.need(issue, "write")
    wanted = call.body.get("labels")
    if not wanted:
        raise refusals.validation("Issue", "labels", "missing_field")
    names = [item["name"] if isinstance(item, dict) else item for item in wanted]
    for name in names:
        _checked(name, None, None)
        if issue.repository.label(name) is None and not call.caller.may({"issues": "write"}):
            raise refusals.permission_missing("issues=write")
    call.look.put_labels(issue, names, call.me)
    return Answer(200, [call.look.shapes.label(issue.repository, label) for label in issue.labels])


@operation("DELETE", WORN + "/{name}", *THREAD_WRITE)
def remove_label(call: Call) -> Answer:
    issue = call.issue()
    call.need(issue, "write")
    label = issue.repository.label(call.params["name"])
    if label is None or label not in issue.labels:
        raise refusals.Refusal(404, "Label does not exist")
    call.look.take_label(issue, label, call.me)
    return Answer(200, [call.look.shapes.label(issue.repository, label) for label in issue.labels])
