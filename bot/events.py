"""Webhook payloads → `Event`: only the fields that handlers need, read tolerantly.

GitHub's payloads differ between versions, hosts and even its own examples, and an event says little more than "look
at number n" anyway: whatever has an unexpected type becomes None, and nothing here raises on any JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from schemas.github import MAX_BODY

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MAX_SHORT = 1_024
"""Characters kept of every other text."""
MAX_PULLS = 20
"""Pull requests kept of those that a check names."""
MAX_REPOSITORIES = 10_000
"""Repositories kept of those that were taken from an installation."""
DOCUMENTS = (".md", ".mdx", ".markdown", ".txt", ".rst", ".yml", ".yaml")
"""Endings of what may be a plan or a configuration; a push that touches nothing of the kind is none of our business."""
LISTED_COMMITS = 2_048
"""Commits that GitHub lists of a push; of a larger one nothing can be told from the payload."""


@dataclass(frozen=True)
class Repo:
    id: int
    owner: str
    name: str
    private: bool
    default_branch: str

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True)
class Sender:
    id: int
    login: str
    bot: bool


@dataclass(frozen=True)
class Event:
    """One delivery, reduced. `name` and `delivery` come from the headers, the rest from the payload.

    `number` is the issue or pull request it is about, `pulls` those that a check run, check suite or their like
    names (empty for forks); `app_id` is the App that a check run, check suite or comment belongs to; `updated_at` is
    that of the comment or review, else of the pull request or issue.

    `comment_id` and `node_id` are the comment's or review's, `head_ref` is the branch of a merge group, `account` whom
    an installation belongs to, `removed` the ids of repositories that were taken from it. `documents` says of a push
    whether it may touch a plan or a configuration.
    """

    name: str
    action: str | None = None
    delivery: str = ""
    installation_id: int | None = None
    repo: Repo | None = None
    number: int | None = None
    pulls: tuple[int, ...] = ()
    head_sha: str | None = None
    sender: Sender | None = None
    app_id: int | None = None
    comment_id: int | None = None
    comment_body: str | None = None
    updated_at: str | None = None
    ref: str | None = None
    before: str | None = None
    after: str | None = None
    identifier: str | None = None
    node_id: str | None = None
    head_ref: str | None = None
    account: str | None = None
    removed: tuple[int, ...] = ()
    documents: bool | None = None

    def to_json(self) -> dict[str, Json]:
        """A plain JSON object without the fields that are None or empty; `from_json` reads it back."""
        plain: dict[str, Json] = {}
        for key, value in asdict(self).items():
            if value is None or value == ():
                continue
            plain[key] = list(value) if isinstance(value, tuple) else value
        return plain

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Event:
        """The event of `to_json`. Fields that this version does not know are left out, so that a job which an older
        or newer version stored can still be read."""
        known = {key: value for key, value in data.items() if key in cls.__dataclass_fields__}
        if isinstance(repo := known.get("repo"), Mapping):
            known["repo"] = Repo(**{key: repo[key] for key in Repo.__dataclass_fields__})
        if isinstance(sender := known.get("sender"), Mapping):
            known["sender"] = Sender(**{key: sender[key] for key in Sender.__dataclass_fields__})
        for key in ("pulls", "removed"):
            known[key] = tuple(known.get(key) or ())
        return cls(**known)


def kept(text: str | None) -> str:
    """What an event keeps of the text of a comment or review."""
    return _text(text, MAX_BODY) or ""


def parse(name: str, delivery: str, payload: object) -> Event:
    """The event of one delivery; `payload` is any JSON value. Never raises."""
    top = _map(payload)
    repo = _repo(top.get("repository"))
    pull, issue, check = _map(top.get("pull_request")), _map(top.get("issue")), _check(name, top)
    comment = _map(top.get("comment")) or _map(top.get("review"))
    group = _map(top.get("merge_group"))
    number = _number(pull.get("number")) or _number(issue.get("number")) or _number(top.get("number"))
    return Event(
        name=_text(name) or "",
        action=_text(top.get("action")),
        delivery=_text(delivery) or "",
        installation_id=_number(_map(top.get("installation")).get("id")),
        repo=repo,
        number=number,
        pulls=_pulls(check.get("pull_requests"), repo),
        head_sha=_head(name, top, pull, check, group),
        sender=_sender(top.get("sender")),
        app_id=_app(name, check, comment, issue),
        comment_id=_number(comment.get("id")),
        comment_body=_text(comment.get("body"), MAX_BODY),
        updated_at=_first(comment.get("updated_at"), comment.get("submitted_at"), pull.get("updated_at"))
        or _text(issue.get("updated_at")),
        ref=_text(top.get("ref")),
        before=_text(top.get("before")),
        after=_text(top.get("after")),
        identifier=_text(_map(top.get("requested_action")).get("identifier")),
        node_id=_text(comment.get("node_id")),
        head_ref=_text(group.get("head_ref")),
        account=_text(_map(_map(top.get("installation")).get("account")).get("login")),
        removed=_ids(top.get("repositories_removed")),
        documents=_documents(top) if name == "push" else None,
    )


def _ids(value: object) -> tuple[int, ...]:
    if not isinstance(value, list):
        return ()
    found = (_number(_map(item).get("id")) for item in value[:MAX_REPOSITORIES])
    return tuple(number for number in found if number is not None)


def _documents(top: Mapping[str, object]) -> bool:
    """Whether a push may touch a plan or a configuration; true also where its payload does not tell."""
    commits = top.get("commits")
    if not isinstance(commits, list) or not commits or len(commits) >= LISTED_COMMITS or top.get("forced") is True:
        return True
    for commit in commits:
        for key in ("added", "modified", "removed"):
            paths = _map(commit).get(key)
            if not isinstance(paths, list):
                return True
            if any(isinstance(path, str) and path.lower().endswith(DOCUMENTS) for path in paths):
                return True
    return False


def _check(name: str, top: Mapping[str, object]) -> Mapping[str, object]:
    return _map(top.get(name)) if name in ("check_run", "check_suite") else {}


def _head(
    name: str,
    top: Mapping[str, object],
    pull: Mapping[str, object],
    check: Mapping[str, object],
    group: Mapping[str, object],
) -> str | None:
    found = _first(_map(pull.get("head")).get("sha"), check.get("head_sha"), group.get("head_sha"))
    return found or (_text(top.get("after")) if name == "push" else None)


def _app(
    name: str, check: Mapping[str, object], comment: Mapping[str, object], issue: Mapping[str, object]
) -> int | None:
    if check:
        return _number(_map(check.get("app")).get("id"))
    written = comment if comment else issue if name == "issues" else {}
    return _number(_map(written.get("performed_via_github_app")).get("id"))


def _repo(value: object) -> Repo | None:
    found = _map(value)
    number, name = _number(found.get("id")), _text(found.get("name"))
    owner = _first(_map(found.get("owner")).get("login"), _map(found.get("owner")).get("name"))
    full = _text(found.get("full_name"))
    if (owner is None or name is None) and full is not None and full.count("/") == 1:
        owner, name = full.split("/")
    if number is None or not owner or not name:
        return None
    # private unless said otherwise: the careful reading of a repository that says nothing
    return Repo(number, owner, name, found.get("private") is not False, _first(found.get("default_branch")) or "main")


def _sender(value: object) -> Sender | None:
    found = _map(value)
    number, login = _number(found.get("id")), _text(found.get("login"))
    if number is None or login is None:
        return None
    return Sender(number, login, found.get("type") == "Bot" or login.endswith("[bot]"))


def _pulls(value: object, repo: Repo | None) -> tuple[int, ...]:
    if not isinstance(value, list):
        return ()
    numbers = []
    for item in value[:MAX_PULLS]:
        number = _number(_map(item).get("number"))
        base = _number(_map(_map(_map(item).get("base")).get("repo")).get("id"))
        # a check on a shared commit also names pull requests of other repositories in the fork network
        if number is not None and (base is None or repo is None or base == repo.id):
            numbers.append(number)
    return tuple(dict.fromkeys(numbers))


def _map(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _number(value: object) -> int | None:
    # a bool is an int to Python, and what does not fit 63 bits is no id and no number of GitHub's
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**63 else None


def _text(value: object, limit: int = MAX_SHORT) -> str | None:
    if not isinstance(value, str):
        return None
    # JSON may hold lone surrogates and NUL, which neither UTF-8 nor Postgres can store
    return value[:limit].replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _first(*values: object) -> str | None:
    return next((text for text in map(_text, values) if text), None)
