"""Check runs and check suites, with every limit that GitHub sets to them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.lookalike import refusals
from tests.lookalike.rest.operations import Answer, Call, operation
from tests.lookalike.state import CheckRun, CheckSuite, Json

REPO = "/repos/{owner}/{repo}"
READS, WRITES = {"checks": "read"}, {"checks": "write"}
STATUSES = ("queued", "in_progress", "completed", "waiting", "requested", "pending")
CONCLUSIONS = ("success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required")
LEVELS = ("notice", "warning", "failure")
MOST_TEXT, MOST_ANNOTATIONS, MOST_MESSAGE, MOST_TITLE, MOST_ACTIONS = 65_535, 50, 65_536, 255, 3
ACTION_LIMITS = {"label": 20, "description": 40, "identifier": 20}


def _longer(value: object, most: int) -> bool:
    return isinstance(value, str) and len(value) > most


def _too_long(value: str, most: int) -> refusals.Refusal:
    return refusals.invalid_request(f"Only {most} characters are allowed; {len(value)} were supplied.")


def _too_many(items: list[Any], most: int) -> refusals.Refusal:
    return refusals.invalid_request(f"No more than {most} items are allowed; {len(items)} were supplied.")


def _output(output: Json, *, title_needed: bool) -> None:
    for name in ("summary", *(("title",) if title_needed else ())):
        if not isinstance(output.get(name), str):
            raise refusals.invalid_request(f'"{name}" wasn\'t supplied.')
    for name in ("summary", "text"):
        if _longer(output.get(name), MOST_TEXT):
            raise _too_long(output[name], MOST_TEXT)
    annotations = output.get("annotations") or []
    if len(annotations) > MOST_ANNOTATIONS:
        raise _too_many(annotations, MOST_ANNOTATIONS)
    for annotation in annotations:
        _annotation(annotation)


def _annotation(annotation: Json) -> None:
    for name in ("path", "start_line", "end_line", "annotation_level", "message"):
        if annotation.get(name) in (None, ""):
            raise refusals.invalid_request(f'"{name}" wasn\'t supplied.')
    if annotation["annotation_level"] not in LEVELS:
        raise refusals.invalid_request(f"{annotation['annotation_level']} is not a member of {list(LEVELS)}.")
    start, end = annotation["start_line"], annotation["end_line"]
    if start < 1 or end < start:
        raise refusals.validation("CheckAnnotation", "end_line", "invalid")
    if start != end and ("start_column" in annotation or "end_column" in annotation):
        raise refusals.validation("CheckAnnotation", "start_column", "invalid")
    for name, most in (("message", MOST_MESSAGE), ("raw_details", MOST_MESSAGE)):
        if len((annotation.get(name) or "").encode()) > most:
            raise refusals.invalid_request(f"{name} exceeds the maximum of 64 KB.")
    if _longer(annotation.get("title"), MOST_TITLE):
        raise _too_long(annotation["title"], MOST_TITLE)


def _actions(actions: list[Json]) -> None:
    if len(actions) > MOST_ACTIONS:
        raise _too_many(actions, MOST_ACTIONS)
    for action in actions:
        for name, most in ACTION_LIMITS.items():
            if not isinstance(action.get(name), str):
                raise refusals.invalid_request(f'"{name}" wasn\'t supplied.')
            if _longer(action[name], most):
                raise _too_long(action[name], most)


def _moment(text: object) -> datetime | None:
    if not isinstance(text, str):
        return None
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)
    except ValueError:
        raise refusals.invalid_request(f"{text} is not a date-time.") from None


def _checked(call: Call, *, old: CheckRun | None) -> tuple[str, str | None]:
    """(status, conclusion) that the body asks for, after every check that needs no change."""
    body = call.body
    status, conclusion = body.get("status"), body.get("conclusion")
    if status is not None and status not in STATUSES:
        raise refusals.invalid_request(f"{status} is not a member of {list(STATUSES)}.")
    if conclusion is not None:
        if conclusion not in CONCLUSIONS:
            raise refusals.invalid_request(f"{conclusion} is not a member of {list(CONCLUSIONS)}.")
        status = "completed"
    if status == "completed" and conclusion is None and (old is None or old.conclusion is None):
        raise refusals.invalid_request('"conclusion" wasn\'t supplied.')
    if body.get("output") is not None:
        _output(body["output"], title_needed=old is None)
    _actions(body.get("actions") or [])
    if status is None:
        return (old.status, old.conclusion) if old is not None else ("queued", None)
    return status, (conclusion or (old.conclusion if old else None)) if status == "completed" else None


def _apply(call: Call, run: CheckRun, status: str, conclusion: str | None) -> None:
    body, output = call.body, call.body.get("output") or {}
    run.status, run.conclusion = status, conclusion
    run.name = body.get("name", run.name)
    run.external_id = body.get("external_id", run.external_id)
    run.details_url = body.get("details_url", run.details_url)
    run.started_at = _moment(body.get("started_at")) or run.started_at
    done = status == "completed"
    run.completed_at = (_moment(body.get("completed_at")) or run.completed_at or call.look.clock()) if done else None
    run.title, run.summary = output.get("title", run.title), output.get("summary", run.summary)
    run.text = output.get("text", run.text)
    run.annotations += output.get("annotations") or []
    run.actions = body.get("actions", run.actions)
    run.suite.updated_at = call.look.clock()


@operation("POST", REPO + "/check-runs", WRITES, auth="installation")
def create_run(call: Call) -> Answer:
    repo, body = call.repo, call.body
    for name in ("name", "head_sha"):
        if not body.get(name):
            raise refusals.invalid_request(f'"{name}" wasn\'t supplied.')
    sha = str(body["head_sha"])
    if len(sha) != 40 or repo.git.commit_id(sha) is None:
        raise refusals.unprocessable(f"No commit found for SHA: {sha}")
    status, conclusion = _checked(call, old=None)
    run = call.look.add_run(repo, call.caller.installation.app, sha, body["name"])
    _apply(call, run, status, conclusion)
    call.look.emit_run(run, "created", call.me)
    if status == "completed":
        call.look.emit_run(run, "completed", call.me)
    shape = call.look.shapes.run(run)
    return Answer(201, shape, {"location": shape["url"]})


def _run(call: Call) -> CheckRun:
    wanted = call.number("check_run_id")
    found = next((run for run in call.repo.runs if run.id == wanted), None)
    if found is None:
        raise refusals.not_found()
    return found


@operation("PATCH", REPO + "/check-runs/{check_run_id}", WRITES, auth="installation")
def update_run(call: Call) -> Answer:
    run, app = _run(call), call.caller.installation.app
    if run.suite.app is not app:
        message = f"Invalid app_id `{app.id}` - check run can only be modified by the GitHub App that created it."
        raise refusals.Refusal(403, message)
    status, conclusion = _checked(call, old=run)
    fresh = status == "completed" and run.status != "completed"
    _apply(call, run, status, conclusion)
    if fresh:
        call.look.emit_run(run, "completed", call.me)
    return Answer(200, call.look.shapes.run(run))


@operation("GET", REPO + "/check-runs/{check_run_id}", READS)
def get_run(call: Call) -> Answer:
    return Answer(200, call.look.shapes.run(_run(call)))


@operation("GET", REPO + "/check-runs/{check_run_id}/annotations", READS)
def list_annotations(call: Call) -> Answer:
    run = _run(call)
    return call.page(run.annotations, lambda one: call.look.shapes.annotation(run, one))


def _listed(call: Call, runs: list[CheckRun]) -> Answer:
    """`filter` latest, the default, leaves the newest run of each name in each suite."""
    query = call.query
    if query.get("filter", "latest") == "latest":
        newest = {(run.suite.id, run.name): run for run in runs}
        runs = list(newest.values())
    name, status = query.get("check_name"), query.get("status")
    runs = [run for run in runs if name in (None, run.name) and status in (None, run.status)]
    runs.sort(key=lambda run: -run.id)
    return call.page(runs, call.look.shapes.run, wrap="check_runs")


@operation("GET", REPO + "/commits/{ref:path}/check-runs", READS)
def runs_of_ref(call: Call) -> Answer:
    sha, app = call.commit(call.params["ref"]), call.query.get("app_id")
    runs = [run for run in call.repo.runs if run.head_sha == sha and app in (None, str(run.suite.app.id))]
    return _listed(call, runs)


@operation("GET", REPO + "/commits/{ref:path}/check-suites", READS)
def suites_of_ref(call: Call) -> Answer:
    sha, app, name = call.commit(call.params["ref"]), call.query.get("app_id"), call.query.get("check_name")

    def wanted(suite: CheckSuite) -> bool:
        names = {run.name for run in call.repo.runs if run.suite is suite}
        return suite.head_sha == sha and app in (None, str(suite.app.id)) and (name is None or name in names)

    return call.page([s for s in call.repo.suites if wanted(s)], call.look.shapes.suite, wrap="check_suites")


def _suite(call: Call) -> CheckSuite:
    wanted = call.number("check_suite_id")
    found = next((suite for suite in call.repo.suites if suite.id == wanted), None)
    if found is None:
        raise refusals.not_found()
    return found


@operation("GET", REPO + "/check-suites/{check_suite_id}", READS)
def get_suite(call: Call) -> Answer:
    return Answer(200, call.look.shapes.suite(_suite(call)))


@operation("GET", REPO + "/check-suites/{check_suite_id}/check-runs", READS)
def runs_of_suite(call: Call) -> Answer:
    suite = _suite(call)
    return _listed(call, [run for run in call.repo.runs if run.suite is suite])
