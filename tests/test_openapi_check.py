"""The checker of requests, on the description that all tests use."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lookalike.journal import description
from tests.openapi_check import Description, main

REPO = "/repos/o/r"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", f"{REPO}/compare/main...docs/plan?per_page=1", None),
        ("GET", f"{REPO}/commits/docs/plan/check-runs?filter=all", None),
        ("POST", f"{REPO}/issues/1/labels", {"labels": ["bug"]}),
        ("PATCH", f"{REPO}/check-runs/1", {"conclusion": "failure", "completed_at": "2026-01-05T09:00:00Z"}),
    ],
)
def test_what_conforms(method: str, path: str, body: Any) -> None:
    assert description().check_request(method, path, body=body) == []


@pytest.mark.parametrize(
    ("method", "path", "body", "reason"),
    [
        ("GET", "/nowhere", None, "no path /nowhere"),
        ("PUT", f"{REPO}/pulls/1", None, "no PUT on"),
        ("GET", f"{REPO}/pulls/one", None, "path pull_number"),
        ("GET", f"{REPO}/pulls?state=ajar", None, "query state"),
        ("GET", f"{REPO}/pulls?colour=red", None, "query colour: no such parameter"),
        ("GET", f"{REPO}/pulls/1", {"a": 1}, "takes none"),
        ("POST", f"{REPO}/issues/1/comments", None, "body: required"),
        ("POST", f"{REPO}/issues/1/comments", {"body": 1}, "body.body"),
        ("POST", f"{REPO}/issues/1/comments", {"body": "x", "draft": True}, "body.draft: no such property"),
        ("POST", f"{REPO}/issues/1/comments", b"{", "not JSON"),
        ("PATCH", f"{REPO}/check-runs/1", {"output": {"summary": "s", "annotations": [{"line": 1}]}}, "annotations[0]"),
    ],
)
def test_what_does_not_conform_and_why(method: str, path: str, body: Any, reason: str) -> None:
    problems = description().check_request(method, path, body=body)
    assert any(reason in problem for problem in problems), problems


def test_an_answer_without_a_body_conforms_where_the_description_says_so() -> None:
    path = f"{REPO}/issues/comments/1"
    assert description().check_response("DELETE", path, 204, None) == []
    assert description().check_response("DELETE", path, 204, {"a": 1}) == ["status 204: a body where none is described"]


def test_a_cut_holds_the_wanted_operations_and_no_wording() -> None:
    cut = Description(description().slim(["GET:/app"]))
    assert cut.check_request("GET", "/app") == []
    assert cut.check_request("GET", "/rate_limit") == ["no path /rate_limit in the description"]
    assert "description" not in cut.spec["paths"]["/app"]["get"]


def test_the_command_says_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    slim = "tests/openapi/api.github.com.slim.json"
    assert main([slim, "POST", f"{REPO}/issues/1/labels", '{"labels": ["bug"]}']) == 0
    assert main([slim, "POST", f"{REPO}/issues/1/labels", '{"labelz": []}']) == 1
    assert "body.labelz" in capsys.readouterr().out
