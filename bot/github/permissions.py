"""Which permission a refused request would have needed, and where an owner grants it.

GitHub names it in `x-accepted-github-permissions` ("issues=write; pull_requests=write": a semicolon means or, a comma
and). GHES and some endpoints leave the header out, hence the table.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_TABLE = (
    (r"/check-(runs|suites)", "checks"),
    (r"/issues/comments/|/issues/\d+/comments|/issues/\d+/labels|/labels", "issues"),
    (r"/issues", "issues"),
    (r"/pulls|/commits/[^/]+/pulls", "pull_requests"),
    (r"/collaborators", "metadata"),
    (r"/(contents|compare|commits|git)(/|$)", "contents"),
)
_TABLE_COMPILED = tuple((re.compile(pattern), name) for pattern, name in _TABLE)
_READING = ("GET", "HEAD")
# GraphQL names no permission in its refusals
_MUTATIONS = {
    "addReaction": "issues: write or pull requests: write",
    "convertPullRequestToDraft": "contents: write",
}


def needed(method: str, path: str, accepted: str | None) -> str:
    """The permission for people, e.g. `checks: write` or `issues: write or pull requests: write`. `path` is that of a
    REST operation, or the name of a GraphQL mutation."""
    if accepted and (named := _from_header(accepted)):
        return named
    if path in _MUTATIONS:
        return _MUTATIONS[path]
    level = "read" if method in _READING else "write"
    # the repository's own name must not decide
    tail = re.sub(r"^/?repos/[^/]+/[^/]+", "", path)
    if re.search(r"/commits/[^/]+/check-(runs|suites)", tail):
        return f"checks: {level}"
    if re.search(r"/commits/[^/]+/pulls", tail):
        return f"pull requests: {level}"
    for pattern, name in _TABLE_COMPILED:
        if pattern.search(tail):
            return f"{spoken(name)}: {level}"
    return f"{level} access to this resource"


def spoken(name: str) -> str:
    """`pull_requests` as GitHub's settings page writes it, in lower case."""
    return name.replace("_", " ")


def missing(wanted: dict[str, str], granted: dict[str, str]) -> list[str]:
    """Those of `wanted` that `granted` does not cover, for people; admin covers write covers read."""
    return [
        f"{spoken(name)}: {level}" for name, level in sorted(wanted.items()) if _rank(granted.get(name)) < _rank(level)
    ]


def covered(wanted: dict[str, str], granted: dict[str, str]) -> dict[str, str]:
    """As much of `wanted` as `granted` allows, lowered to what is granted."""
    return {
        name: level if _rank(granted[name]) >= _rank(level) else granted[name]
        for name, level in wanted.items()
        if _rank(granted.get(name))
    }


def _rank(level: str | None) -> int:
    return {"read": 1, "write": 2, "admin": 3}.get(level or "", 0)


def _from_header(accepted: str) -> str:
    choices = []
    for choice in accepted.split(";")[:4]:
        parts = []
        for item in choice.split(",")[:6]:
            name, _, level = item.strip().partition("=")
            if re.fullmatch(r"[a-z_]{1,60}", name) and level in ("read", "write", "admin"):
                parts.append(f"{spoken(name)}: {level}")
        if parts:
            choices.append(" and ".join(parts))
    return " or ".join(choices)


def web_url(api_url: str) -> str:
    """The address people browse, from the API's: github.com, GHE.com (`api.` in front) or GHES (`/api/v3` behind)."""
    parts = urlsplit(api_url)
    host = parts.netloc
    if parts.path.rstrip("/").endswith("/api/v3"):
        return f"{parts.scheme}://{host}"
    return f"{parts.scheme}://{host.removeprefix('api.')}"


def approval_url(web: str, installation_id: int, html_url: str | None = None) -> str:
    """Where an owner reviews and grants permissions; `html_url` is the installation's page as GitHub gives it."""
    page = html_url or f"{web.rstrip('/')}/settings/installations/{installation_id}"
    return f"{page.rstrip('/')}/permissions/update"
