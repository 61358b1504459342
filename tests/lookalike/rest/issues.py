"""Issues, which pull requests are too."""

from __future__ import annotations

from tests.lookalike import refusals
from tests.lookalike.rest.operations import THREAD_READ, THREAD_WRITE, Answer, Call, operation
from tests.lookalike.shapes import stamp
from tests.lookalike.state import Issue

ISSUES = "/repos/{owner}/{repo}/issues"


@operation("GET", ISSUES, *THREAD_READ)
def list_issues(call: Call) -> Answer:
    state, since = call.query.get("state", "open"), call.query.get("since")
    labels = {name.lower() for name in call.query.get("labels", "").split(",") if name}

    def wanted(issue: Issue) -> bool:
        worn = {label.name.lower() for label in issue.labels}
        fresh = since is None or stamp(issue.updated_at) >= since
        return state in ("all", issue.state) and labels <= worn and fresh

    found = [issue for issue in call.repo.issues.values() if wanted(issue)]
    updated = call.query.get("sort") == "updated"
    found.sort(key=lambda i: i.updated_at if updated else i.created_at, reverse=call.query.get("direction") != "asc")
    return call.page(found, call.look.shapes.issue)


@operation("GET", ISSUES + "/{issue_number}", *THREAD_READ)
def get_issue(call: Call) -> Answer:
    issue = call.issue()
    call.need(issue, "read")
    return Answer(200, call.look.shapes.issue(issue))


@operation("POST", ISSUES, {"issues": "write"})
def create_issue(call: Call) -> Answer:
    title, body = call.text("title", "Issue"), call.text("body", "Issue", required=False)
    assert title is not None
    issue = call.look.add_issue(call.repo, call.me, title, body, app=call.caller.installation.app)
    names = [item["name"] if isinstance(item, dict) else item for item in call.body.get("labels") or ()]
    call.look.put_labels(issue, names, call.me)
    shape = call.look.shapes.issue(issue)
    return Answer(201, shape, {"location": shape["url"]})


@operation("PATCH", ISSUES + "/{issue_number}", *THREAD_WRITE)
def update_issue(call: Call) -> Answer:
    issue = call.issue()
    call.need(issue, "write")
    state = call.body.get("state", issue.state)
    if state not in ("open", "closed"):
        raise refusals.validation("Issue", "state", "invalid")
    title, body = call.text("title", "Issue", required=False), call.text("body", "Issue", required=False)
    call.look.edit_issue(issue, call.me, title=title, body=body)
    call.look.set_state(issue, state, call.me)
    return Answer(200, call.look.shapes.issue(issue))
