"""GitHub as the rest of Planproof sees it: `App` (ourselves) and `Installation` (one installation, at one repository).

Every method of `Installation` is one REST operation of GitHub's documentation. Errors: `bot.github.errors`.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar
from urllib.parse import quote
from weakref import WeakValueDictionary

import httpx
from pydantic import BaseModel, ValidationError

from bot.github import permissions, sanitize
from bot.github.auth import AppKey, InstallationAuth, Scope, Tokens
from bot.github.errors import GitHubError, NotFound, PermissionMissing, Refused, Unavailable
from bot.github.models import (
    Annotation,
    AppInfo,
    CheckRun,
    CheckRuns,
    Collaborator,
    Comment,
    Comparison,
    HookDelivery,
    InstallationInfo,
    Issue,
    Label,
    Pull,
)
from bot.github.transport import RAW_MEDIA, Answer, Clock, Lane, Policy, Sleep, Transport

M = TypeVar("M", bound=BaseModel)

PAGE = 100
MAX_PAGES = 300
"""More pages than any list we read can have; a server whose links never end is given up on."""


class AppSettings(Protocol):
    """What the client needs of the process's settings."""

    @property
    def app_id(self) -> int | None: ...
    @property
    def private_key_pem(self) -> str: ...
    @property
    def github_api(self) -> str: ...
    @property
    def write_spacing(self) -> float: ...
    @property
    def secrets(self) -> tuple[str, ...]: ...


class App:
    """The App itself. One for a process; belongs to one event loop. Close it with `aclose`."""

    def __init__(
        self,
        settings: AppSettings,
        *,
        policy: Policy | None = None,
        clock: Clock = time.time,
        sleep: Sleep = asyncio.sleep,
        http: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        if settings.app_id is None:
            raise ValueError("no App is configured")
        self.id = settings.app_id
        self.web = permissions.web_url(settings.github_api)
        spaced = replace(policy or Policy(), write_spacing=settings.write_spacing)
        self.transport = Transport(settings.github_api, policy=spaced, clock=clock, sleep=sleep, http=http)
        self.tokens = Tokens(AppKey(settings.app_id, settings.private_key_pem, clock), self.transport, self.web)
        self._secrets = settings.secrets
        self._lanes: dict[int, Lane] = {}
        self._slug: str | None = None
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def __repr__(self) -> str:
        return f"App(id={self.id}, api={self.transport.api_url})"

    async def aclose(self) -> None:
        await self.transport.aclose()

    def installation(
        self,
        number: int,
        repository: str | None = None,
        *,
        permissions: Mapping[str, str] | None = None,
        trace: str = "",
    ) -> Installation:
        """GitHub as installation `number`; see `Installation`."""
        return Installation(self, number, repository, wanted=permissions, trace=trace)

    def lane(self, installation: int) -> Lane:
        return self._lanes.setdefault(installation, Lane(str(installation)))

    def lock(self, key: str) -> asyncio.Lock:
        """The lock of one key, for as long as someone holds on to it."""
        return self._locks.setdefault(key, asyncio.Lock())

    def redact(self, text: str) -> str:
        """`text` without our own secrets and tokens, and without anything of a token's shape."""
        return sanitize.redact(text, (*self._secrets, *self.tokens.values()))

    async def slug(self) -> str | None:
        """The App's name in URLs and in its bot's login."""
        if self._slug is None:
            self._slug = (await self.info()).slug
        return self._slug

    async def info(self) -> AppInfo:
        return _read(AppInfo, (await self.tokens.as_app("app")).data)

    async def installation_info(self, number: int) -> InstallationInfo:
        return await self.tokens.installation(number)

    async def installations(self) -> list[InstallationInfo]:
        return [_read(InstallationInfo, item) async for item in self._as_app("app/installations")]

    async def hook_deliveries(self, *, since: str) -> list[HookDelivery]:
        """Deliveries to our webhook, newest first, back to `since` (ISO 8601, UTC)."""
        found = []
        async for item in self._as_app("app/hook/deliveries"):
            delivery = _read(HookDelivery, item)
            if delivery.delivered_at[:19] < since[:19]:
                break
            found.append(delivery)
        return found

    async def redeliver(self, delivery_id: int) -> None:
        await self.tokens.post_as_app(f"app/hook/deliveries/{delivery_id}/attempts")

    async def _as_app(self, path: str) -> AsyncIterator[Any]:
        answer = await self.tokens.as_app(path, {"per_page": PAGE})
        for _ in range(MAX_PAGES):
            for item in _list(answer):
                yield item
            if answer.next is None:
                return
            answer = await self.tokens.as_app(answer.next)


class Installation:
    """One installation at one repository (`owner/name`), with a token narrowed to that repository and to `wanted`.

    `trace` (a delivery's GUID) goes into the User-Agent, so that GitHub's support can find our requests.
    """

    def __init__(
        self,
        app: App,
        number: int,
        repository: str | None,
        *,
        wanted: Mapping[str, str] | None = None,
        trace: str = "",
    ) -> None:
        self.app = app
        self.number = number
        self._repository = repository
        self._wanted = wanted
        self._trace = trace
        self._scope = Scope.of(number, repository, wanted)
        self._auth = InstallationAuth(app.tokens, self._scope)
        self._lane = app.lane(number)

    def __repr__(self) -> str:
        return f"Installation({self.number}, {self._repository})"

    @property
    def repository(self) -> str:
        """`owner/name`. Raises ValueError where none was given."""
        if self._repository is None:
            raise ValueError("this installation client is bound to no repository: use at()")
        return self._repository

    @property
    def web(self) -> str:
        """The repository's page."""
        return f"{self.app.web}/{self.repository}"

    def at(
        self, repository: str, *, permissions: Mapping[str, str] | None = None, trace: str | None = None
    ) -> Installation:
        """The same installation at another repository (or with other permissions)."""
        wanted = permissions if permissions is not None else self._wanted
        return Installation(
            self.app, self.number, repository, wanted=wanted, trace=self._trace if trace is None else trace
        )

    async def clone_token(self, *, instead_of: str | None = None) -> str:
        """A token that can read this repository's contents and nothing else; never to be logged or put in a URL.

        `instead_of` is one that the git server refused: a new one is made.
        """
        scope = Scope.of(self.number, self.repository, {"contents": "read"})
        if instead_of is not None:
            self.app.tokens.drop(scope, instead_of)
        return (await self.app.tokens.get(scope)).value

    async def info(self) -> InstallationInfo:
        return await self.app.installation_info(self.number)

    # ---- pull requests, commits, files ---------------------------------------------------------
    async def get_pull(self, number: int) -> Pull:
        return _read(Pull, (await self._get(f"pulls/{number}")).data)

    async def list_pulls(self, *, state: str = "open") -> list[Pull]:
        """Pull requests of this state, last updated first."""
        params = {"state": state, "sort": "updated", "direction": "desc"}
        return [_read(Pull, item) async for item in self._pages("pulls", params)]

    async def pulls_for_commit(self, sha: str) -> list[Pull]:
        """Pull requests that hold this commit; those from forks may be absent, compare `list_pulls` by head then."""
        return [_read(Pull, item) async for item in self._pages(f"commits/{_seg(sha)}/pulls")]

    async def compare(self, base: str, head: str) -> str:
        """The merge base's commit id of two commits or branches (`owner:branch` for a fork's)."""
        # one commit a page: only the merge base is wanted, and a full page holds 250 commits with their files
        answer = await self._get(f"compare/{_seg(base)}...{_seg(head)}", {"per_page": 1})
        return _read(Comparison, answer.data).merge_base_commit.sha

    async def get_file(self, path: str, ref: str | None = None) -> bytes | None:
        """A file's content at a branch or commit (default: the default branch); None where there is no such file."""
        params = {"ref": ref} if ref else None
        try:
            answer = await self._get(f"contents/{_seg(path)}", params, media=RAW_MEDIA)
        except NotFound:
            return None
        if answer.data is None:
            return answer.body
        return _decoded(answer.data)

    # ---- issues and comments -------------------------------------------------------------------
    async def get_issue(self, number: int) -> Issue:
        return _read(Issue, (await self._get(f"issues/{number}")).data)

    async def list_issue_comments(self, number: int) -> list[Comment]:
        """All comments of an issue or pull request, oldest first."""
        return [_read(Comment, item) async for item in self._pages(f"issues/{number}/comments")]

    async def create_comment(self, number: int, body: str) -> Comment:
        answer = await self._write("POST", f"issues/{number}/comments", {"body": self.app.redact(body)})
        return _read(Comment, answer.data)

    async def update_comment(self, comment_id: int, body: str) -> Comment:
        answer = await self._write("PATCH", f"issues/comments/{comment_id}", {"body": self.app.redact(body)})
        return _read(Comment, answer.data)

    async def delete_comment(self, comment_id: int) -> None:
        await self._gone("DELETE", f"issues/comments/{comment_id}")

    async def is_ours(self, comment: Comment) -> bool:
        """Whether our App wrote it, by App id; by the bot's login where a server does not name the App."""
        if comment.performed_via_github_app is not None:
            return comment.performed_via_github_app.id == self.app.id
        if comment.user is None or comment.user.type != "Bot":
            return False
        slug = await self.app.slug()
        return slug is not None and comment.user.login == f"{slug}[bot]"

    # ---- labels --------------------------------------------------------------------------------
    async def issue_labels(self, number: int) -> list[Label]:
        return [_read(Label, item) async for item in self._pages(f"issues/{number}/labels")]

    async def list_labels(self) -> list[Label]:
        return [_read(Label, item) async for item in self._pages("labels")]

    async def ensure_label(self, name: str, color: str, description: str) -> str:
        """The label's name as the repository spells it; created when it is not there, never changed when it is."""
        path = f"labels/{quote(name, safe='')}"
        try:
            return _read(Label, (await self._get(path)).data).name
        except NotFound:
            pass
        try:
            answer = await self._write("POST", "labels", {"name": name, "color": color, "description": description})
        except Refused as refused:
            # created by someone else since we looked
            if refused.status != 422 or "already_exists" not in refused.reason:
                raise
            return name
        return _read(Label, answer.data).name

    async def add_label(self, number: int, name: str) -> None:
        await self._write("POST", f"issues/{number}/labels", {"labels": [name]})

    async def remove_label(self, number: int, name: str) -> None:
        await self._gone("DELETE", f"issues/{number}/labels/{quote(name, safe='')}")

    # ---- checks --------------------------------------------------------------------------------
    async def list_check_runs(self, ref: str, *, name: str | None = None, app_id: int | None = None) -> list[CheckRun]:
        """Every check run of a commit, also those that a newer one of the same name hides."""
        params: dict[str, Any] = {"filter": "all"}
        if name is not None:
            params["check_name"] = name
        if app_id is not None:
            params["app_id"] = app_id
        found: list[CheckRun] = []
        async for answer in self._answers(f"commits/{_seg(ref)}/check-runs", params):
            found.extend(_read(CheckRuns, answer.data).check_runs)
        return found

    async def create_check_run(self, fields: Mapping[str, Any]) -> CheckRun:
        """`fields` as in GitHub's "Create a check run"."""
        return _read(CheckRun, (await self._write("POST", "check-runs", self._clean(fields))).data)

    async def update_check_run(self, check_id: int, fields: Mapping[str, Any]) -> CheckRun:
        """`fields` as in GitHub's "Update a check run"; annotations are added to those that are there."""
        return _read(CheckRun, (await self._write("PATCH", f"check-runs/{check_id}", self._clean(fields))).data)

    async def check_annotations(self, check_id: int) -> list[Annotation]:
        return [_read(Annotation, item) async for item in self._pages(f"check-runs/{check_id}/annotations")]

    # ---- people --------------------------------------------------------------------------------
    async def permission(self, login: str) -> Collaborator:
        """What a person may do here, asked live; nothing for someone who is no collaborator."""
        try:
            return _read(Collaborator, (await self._get(f"collaborators/{_seg(login)}/permission")).data)
        except NotFound:
            return Collaborator()

    # ---- underneath ----------------------------------------------------------------------------
    async def _get(self, path: str, params: Mapping[str, Any] | None = None, *, media: str | None = None) -> Answer:
        kind = {"media": media} if media else {}
        try:
            return await self.app.transport.get(
                self._path(path), self._auth, self._lane, params=params, trace=self._trace, **kind
            )
        except Refused as refused:
            raise await self._explained("GET", path, refused) from None

    async def _write(self, method: str, path: str, json: Any = None) -> Answer:
        try:
            return await self.app.transport.write(
                method, self._path(path), self._auth, self._lane, json=json, trace=self._trace
            )
        except Refused as refused:
            raise await self._explained(method, path, refused) from None

    async def _gone(self, method: str, path: str) -> None:
        """A delete whose aim is reached also when the thing was gone already."""
        try:
            await self._write(method, path)
        except NotFound:
            return

    async def _answers(self, path: str, params: Mapping[str, Any] | None = None) -> AsyncIterator[Answer]:
        answer = await self._get(path, {"per_page": PAGE, **(params or {})})
        for _ in range(MAX_PAGES):
            yield answer
            if answer.next is None:
                return
            answer = await self._get(answer.next)
        raise GitHubError(f"GET {path} has more than {MAX_PAGES} pages")

    async def _pages(self, path: str, params: Mapping[str, Any] | None = None) -> AsyncIterator[Any]:
        async for answer in self._answers(path, params):
            for item in _list(answer):
                yield item

    async def _explained(self, method: str, path: str, refused: Refused) -> Refused:
        """A 403 that says which permission is missing, as such; any other refusal as it is."""
        if refused.status != 403 or "not accessible by integration" not in refused.reason.lower():
            return refused
        page = None
        with contextlib.suppress(GitHubError):  # the plain address will do
            page = (await self.info()).html_url
        url = permissions.approval_url(self.app.web, self.number, page)
        return PermissionMissing(refused.what, permissions.needed(method, path, refused.accepted), url)

    def _path(self, path: str) -> str:
        return path if path.startswith(("http://", "https://")) else f"repos/{self.repository}/{path}"

    def _clean(self, fields: Any) -> Any:
        """Every text in `fields` redacted: the last gate before anything is posted."""
        if isinstance(fields, str):
            return self.app.redact(fields)
        if isinstance(fields, Mapping):
            return {key: self._clean(value) for key, value in fields.items()}
        if isinstance(fields, Sequence):
            return [self._clean(value) for value in fields]
        return fields


def _seg(text: str) -> str:
    """A path, branch or login inside a URL; slashes stay."""
    return quote(text, safe="/:")


def _read(model: type[M], data: Any) -> M:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        fields = ", ".join(sorted({".".join(str(part) for part in item["loc"]) or "all" for item in error.errors()}))
        raise Unavailable(f"GitHub's answer is no {model.__name__}: {fields[:200]}") from None


def _list(answer: Answer) -> list[Any]:
    """Raises Unavailable for an answer that is no list (a proxy's page, say): taken for an empty one, it would hide
    what was posted already."""
    if not isinstance(answer.data, list):
        raise Unavailable("GitHub's answer is no list")
    return answer.data


def _decoded(data: Any) -> bytes | None:
    """The JSON form of a file, which servers give that do not know the raw media type; None for a folder."""
    if not isinstance(data, dict) or data.get("encoding") != "base64":
        return None
    try:
        return base64.b64decode(str(data.get("content", "")))
    except (binascii.Error, ValueError):
        return None
