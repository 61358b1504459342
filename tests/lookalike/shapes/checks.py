"""Check runs, their annotations, and check suites."""

from __future__ import annotations

from typing import Any

from tests.lookalike.shapes.accounts import maybe, node, stamp
from tests.lookalike.shapes.reviews import ReviewShapes
from tests.lookalike.state import CheckRun, CheckSuite, Json


class CheckShapes(ReviewShapes):
    def suite(self, suite: CheckSuite) -> Json:
        repo = suite.repository
        api = f"{self.url}/repos/{repo.full_name}/check-suites/{suite.id}"
        runs = [run for run in repo.runs if run.suite is suite]
        commit = repo.git.commit_object(suite.head_sha)
        head = self.webhook_commit(repo, suite.head_sha)
        status, conclusion = suite_state(runs)
        return {
            "id": suite.id,
            "node_id": node("CS", suite.id),
            "head_branch": suite.head_branch,
            "head_sha": suite.head_sha,
            "status": status,
            "conclusion": conclusion,
            "url": api,
            "before": str(commit.parent_ids[0]) if commit.parent_ids else "0" * 40,
            "after": suite.head_sha,
            "pull_requests": self.pull_references(repo, suite.head_sha),
            "app": self.app(suite.app),
            "repository": self.repository(repo),
            "created_at": stamp(suite.created_at),
            "updated_at": stamp(suite.updated_at),
            "latest_check_runs_count": len(runs),
            "check_runs_url": f"{api}/check-runs",
            "head_commit": {key: head[key] for key in ("id", "tree_id", "message", "timestamp")}
            | {key: {"name": head[key]["name"], "email": head[key]["email"]} for key in ("author", "committer")},
        }

    def run(self, run: CheckRun) -> Json:
        repo = run.suite.repository
        api = f"{self.url}/repos/{repo.full_name}/check-runs/{run.id}"
        page = f"{self.url}/{repo.full_name}/runs/{run.id}"
        return {
            "id": run.id,
            "name": run.name,
            "node_id": node("CR", run.id),
            "head_sha": run.head_sha,
            "external_id": run.external_id,
            "url": api,
            "html_url": page,
            "details_url": run.details_url or page,
            "status": run.status,
            "conclusion": run.conclusion,
            "started_at": stamp(run.started_at),
            "completed_at": maybe(run.completed_at),
            "output": {
                "title": run.title,
                "summary": run.summary,
                "text": run.text,
                "annotations_count": len(run.annotations),
                "annotations_url": f"{api}/annotations",
            },
            "check_suite": {"id": run.suite.id},
            "app": self.app(run.suite.app),
            "pull_requests": self.pull_references(repo, run.head_sha),
        }

    def annotation(self, run: CheckRun, annotation: Json) -> Json:
        page = f"{self.url}/{run.suite.repository.full_name}/blob/{run.head_sha}/{annotation['path']}"
        optional: dict[str, Any] = dict.fromkeys(("start_column", "end_column", "title", "raw_details"))
        return {**optional, **annotation, "blob_href": page}


def suite_state(runs: list[CheckRun]) -> tuple[str, str | None]:
    """A suite's status and conclusion follow its runs': the worst conclusion once all are completed."""
    if not runs:
        return "queued", None
    if any(run.status != "completed" for run in runs):
        return "in_progress", None
    worst = ("action_required", "timed_out", "cancelled", "failure", "success", "neutral", "skipped")
    conclusions = {run.conclusion for run in runs}
    return "completed", next((name for name in worst if name in conclusions), "success")
