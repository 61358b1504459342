"""The table of REST operations, and what one call of them gets and gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlencode

from tests.lookalike import refusals
from tests.lookalike.auth import Caller, Needs, accepted
from tests.lookalike.state import Account, Comment, Issue, Json, Repository

if TYPE_CHECKING:
    from tests.lookalike.people import Lookalike

PER_PAGE, MOST_PER_PAGE = 30, 100
LONGEST_BODY = 65_536


@dataclass
class Answer:
    """`body` is JSON, or bytes sent as they are; None sends no body."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Call:
    """One authorised request. `params` are the decoded path parameters, `body` the JSON object that was sent."""

    look: Lookalike
    caller: Caller
    path: str
    params: Mapping[str, str]
    query: Mapping[str, str]
    body: Json
    headers: Mapping[str, str]
    link_path: str

    @property
    def repo(self) -> Repository:
        """The repository of the path. Raises 404 when there is none or the caller may not know it."""
        found = self.look.repositories.get(f"{self.params['owner']}/{self.params['repo']}".lower())
        if found is None or not self.caller.sees(self.look, found):
            raise refusals.not_found()
        return found

    @property
    def me(self) -> Account:
        """The bot account that writes are made as."""
        return self.caller.installation.app.bot

    def number(self, name: str) -> int:
        try:
            return int(self.params[name])
        except ValueError:
            raise refusals.not_found() from None

    def issue(self, name: str = "issue_number") -> Issue:
        repo, number = self.repo, self.number(name)
        found = repo.issues.get(number)
        if found is None:
            moved = self._moved(repo, number)
            if moved is None:
                raise refusals.not_found()
            rest = re.sub(r"^/repos/[^/]+/[^/]+/\w+/\d+", "", self.path)
            home = f"{self.look.url}/repositories/{moved.repository.id}"
            raise refusals.transferred(f"{home}/issues/{moved.number}{rest}")
        return found

    def _moved(self, repo: Repository, number: int) -> Issue | None:
        """Where a transferred issue is now, however often it was transferred, if the caller may know."""
        found = repo.moved_issues.get(number)
        while found is not None and found.number in found.repository.moved_issues:
            found = found.repository.moved_issues[found.number]
        return found if found is not None and self.caller.sees(self.look, found.repository) else None

    def pull(self) -> Issue:
        found = self.issue("pull_number")
        if found.pull is None:
            raise refusals.not_found()
        return found

    def comment(self) -> Comment:
        wanted = self.number("comment_id")
        for issue in self.repo.issues.values():
            for comment in issue.comments:
                if comment.id == wanted:
                    return comment
        raise refusals.not_found()

    def need(self, issue: Issue, level: str) -> None:
        """A conversation takes the permission of what it is: pull_requests for a pull request, issues for an issue."""
        name = "issues" if issue.pull is None else "pull_requests"
        if self.caller.token is not None and not self.caller.may({name: level}):
            raise refusals.permission_missing(f"{name}={level}")

    def unlocked(self, issue: Issue) -> None:
        """Raises 403 where the conversation is locked, which also stops reactions."""
        if issue.locked:
            raise refusals.locked()

    def text(self, name: str, resource: str, *, required: bool = True) -> str | None:
        """A text field of the body, at most as long as GitHub takes. Raises 422."""
        value = self.body.get(name)
        if value is None or value == "":
            if required:
                raise refusals.validation(resource, name, "missing_field")
            return None if value is None else ""
        if len(value) > LONGEST_BODY:
            message = f"{name} is too long (maximum is {LONGEST_BODY} characters)"
            raise refusals.validation(resource, name, "custom", message)
        return str(value)

    def commit(self, rev: str) -> str:
        """The commit that a branch, tag, ref or id names. Raises 422."""
        found = self.repo.git.resolve(rev)
        if found is None:
            raise refusals.unprocessable(f"No commit found for SHA: {rev}")
        return found

    def page(self, items: Sequence[Any], shape: Callable[[Any], Any], *, wrap: str | None = None) -> Answer:
        """One page of `items`; `wrap` puts them under that name beside total_count."""
        per_page = min(max(int(self.query.get("per_page", PER_PAGE)), 1), MOST_PER_PAGE)
        number = max(int(self.query.get("page", 1)), 1)
        last = max(-(-len(items) // per_page), 1)
        shown = [shape(item) for item in items[(number - 1) * per_page : number * per_page]]
        body = shown if wrap is None else {"total_count": len(items), wrap: shown}
        pages = {"prev": number - 1, "next": number + 1, "last": last, "first": 1}
        wanted = [
            name for name, n in pages.items() if (n < number if name in ("prev", "first") else number < n <= last)
        ]
        wanted = [name for name in wanted if pages[name] >= 1]
        headers = {"link": self.links({name: {"page": str(pages[name])} for name in wanted})} if wanted else {}
        return Answer(200, body, headers)

    def links(self, relations: Mapping[str, Mapping[str, str]]) -> str:
        """A Link header to this path with other query parameters, relation by relation."""
        return ", ".join(
            f'<{self.look.url}{self.link_path}?{urlencode({**self.query, **query})}>; rel="{name}"'
            for name, query in relations.items()
        )


Handler = Callable[[Call], Answer]


@dataclass(frozen=True)
class Operation:
    """`auth` says who may call: app, installation, or any (public reading needs no token)."""

    method: str
    template: str
    auth: str
    needs: Needs
    handler: Handler
    pattern: re.Pattern[str]

    def authorise(self, caller: Caller) -> None:
        if self.auth == "app":
            if caller.kind != "app":
                raise refusals.requires_authentication() if caller.kind == "none" else refusals.undecodable_jwt()
            return
        if caller.kind == "app":
            raise refusals.bad_credentials()
        if caller.kind == "none":
            if self.method != "GET" or self.auth == "installation":
                raise refusals.requires_authentication()
            return
        if self.needs and not any(caller.may(one) for one in self.needs):
            raise refusals.permission_missing(accepted(self.needs))


OPERATIONS: list[Operation] = []


def operation(method: str, template: str, *needs: Mapping[str, str], auth: str = "any") -> Callable[[Handler], Handler]:
    """Registers a handler. `{name}` in the template is one segment, `{name:path}` one or more."""

    def register(handler: Handler) -> Handler:
        parts = re.split(r"\{(\w+)(:path)?\}", template)
        pattern = ""
        for literal, name, many in zip(parts[0::3], [*parts[1::3], ""], [*parts[2::3], None], strict=True):
            pattern += re.escape(literal)
            if name:
                pattern += f"(?P<{name}>{'.+' if many else '[^/]+'})"
        OPERATIONS.append(Operation(method, template, auth, needs, handler, re.compile(pattern)))
        # the more literal segments, the more specific: commits/{ref}/check-runs before commits/{ref}
        OPERATIONS.sort(key=lambda op: -sum("{" not in part for part in op.template.split("/")))
        return handler

    return register


def find(method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
    """The operation of a percent-encoded path, with its decoded parameters."""
    for op in OPERATIONS:
        if op.method == method and (match := op.pattern.fullmatch(path)):
            return op, {name: unquote(value) for name, value in match.groupdict().items()}
    return None


def query_of(text: str) -> dict[str, str]:
    return dict(parse_qsl(text, keep_blank_values=True))


READ, WRITE = "read", "write"
CONTENTS = {"contents": READ}
THREAD_READ: Needs = ({"issues": READ}, {"pull_requests": READ})
THREAD_WRITE: Needs = ({"issues": WRITE}, {"pull_requests": WRITE})
