from __future__ import annotations

import pytest

from bot.github import permissions


@pytest.mark.parametrize(
    ("accepted", "said"),
    [
        ("checks=write", "checks: write"),
        ("issues=write; pull_requests=write", "issues: write or pull requests: write"),
        ("contents=read,pull_requests=read", "contents: read and pull requests: read"),
    ],
)
def test_the_header_names_the_permission(accepted: str, said: str) -> None:
    assert permissions.needed("POST", "anything", accepted) == said


@pytest.mark.parametrize(
    ("method", "path", "said"),
    [
        ("POST", "repos/o/r/check-runs", "checks: write"),
        ("GET", "repos/o/r/commits/abc/check-runs", "checks: read"),
        ("GET", "repos/o/r/commits/abc/pulls", "pull requests: read"),
        ("POST", "repos/o/r/issues/3/comments", "issues: write"),
        ("POST", "repos/o/r/labels", "issues: write"),
        ("GET", "repos/o/r/pulls/3", "pull requests: read"),
        ("GET", "repos/o/r/contents/a.md", "contents: read"),
        ("GET", "repos/issues/labels/compare/a...b", "contents: read"),
        ("GET", "repos/o/r/hooks", "read access to this resource"),
    ],
)
@pytest.mark.parametrize("accepted", [None, "", "<script>"])
def test_without_a_readable_header_the_path_names_it(method: str, path: str, said: str, accepted: str | None) -> None:
    assert permissions.needed(method, path, accepted) == said


def test_granted_permissions_cover_lower_levels() -> None:
    wanted = {"checks": "write", "issues": "read", "contents": "read", "pull_requests": "write"}
    granted = {"checks": "read", "issues": "write", "contents": "read"}
    assert permissions.missing(wanted, granted) == ["checks: write", "pull requests: write"]


@pytest.mark.parametrize(
    ("api", "web"),
    [
        ("https://api.github.com", "https://github.com"),
        ("https://api.acme.ghe.com", "https://acme.ghe.com"),
        ("https://git.acme.example/api/v3", "https://git.acme.example"),
        ("https://git.acme.example/api/v3/", "https://git.acme.example"),
        ("http://127.0.0.1:4010", "http://127.0.0.1:4010"),
    ],
)
def test_the_address_people_browse(api: str, web: str) -> None:
    assert permissions.web_url(api) == web


def test_where_permissions_are_reviewed() -> None:
    page = "https://github.com/organizations/acme/settings/installations/7"
    assert permissions.approval_url("https://github.com", 7, page) == f"{page}/permissions/update"
    assert permissions.approval_url("https://github.com", 7) == (
        "https://github.com/settings/installations/7/permissions/update"
    )
