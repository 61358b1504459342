"""One place through which every request to GitHub's REST API goes: timeouts, ETags, retries, spacing, rate limits.

githubkit sends; its own auth, cache and retry stay off, since it repeats POSTs after a 5xx and renews no token.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol

import httpx
from githubkit import GitHub, Response
from githubkit.auth import UnauthAuthStrategy
from githubkit.exception import GitHubException, RequestError, RequestFailed

from bot import logs
from bot.github import limits
from bot.github.errors import GitHubError, LostAnswer, NotFound, RateLimited, Refused, Unauthorized, Unavailable

log = logs.named("github")

API_VERSION = "2026-03-10"
"""The REST API version whose schemas our githubkit carries; a test holds the two together."""
JSON_MEDIA = "application/vnd.github+json"
RAW_MEDIA = "application/vnd.github.raw+json"

_TRANSIENT = frozenset({500, 502, 503, 504})
# the request had not left yet: repeating it is safe, also for a write
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)

Sleep = Callable[[float], Awaitable[None]]
Clock = Callable[[], float]


def _version() -> str:
    try:
        return version("planproof")
    except PackageNotFoundError:  # a checkout that is not installed
        return "0"


@dataclass(frozen=True)
class Policy:
    """How patient the client is; seconds throughout. `max_wait` bounds what one request may spend waiting in all."""

    timeout: httpx.Timeout = field(default_factory=lambda: httpx.Timeout(30.0, connect=10.0))
    attempts: int = 3
    backoff: float = 1.0
    limit_attempts: int = 4
    max_wait: float = 900.0
    write_spacing: float = 1.0
    cache_entries: int = 1_000
    cache_body: int = 512 * 1024


class Authorization(Protocol):
    """Gives the `Authorization` value, and a new one after GitHub refused the old."""

    async def header(self) -> str: ...

    async def renewed(self, answer: httpx.Response) -> str | None:
        """A header to try once more with after a 401, None when there is no better one."""


class _Sender(GitHub[UnauthAuthStrategy]):
    """githubkit reduced to sending: one client for the whole process, and errors that keep the answer."""

    _held: httpx.AsyncClient | None = None

    def _check_rate_limit(self, response: Response[Any]) -> None:
        """Left to `limits`: githubkit fails on a `retry-after` that is an HTTP date."""

    @asynccontextmanager
    async def get_async_client(self) -> AsyncGenerator[httpx.AsyncClient, None]:
        # githubkit's own client lives in a context variable, which tasks of a worker do not share: without this each
        # request would open a connection of its own
        if self._held is None:
            self._held = await self._create_async_client()
        yield self._held

    async def aclose(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            await held.aclose()


@dataclass(frozen=True)
class Answer:
    """A 2xx answer. `next` is the address of the next page, from the `Link` header."""

    status: int
    body: bytes = field(repr=False)
    media: str
    next: str | None
    data: Any = field(repr=False)


@dataclass
class Lane:
    """What the requests of one installation share: writes one after another, and a pause that a rate limit imposed."""

    key: str
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    last_write: float | None = None
    paused_until: float = 0.0


class Transport:
    """Sends requests for any number of lanes. Belongs to one event loop.

    Writes of one lane are serial and at least `policy.write_spacing` seconds apart, within this process.
    """

    def __init__(
        self,
        api_url: str,
        *,
        policy: Policy | None = None,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
        http: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.policy = policy or Policy()
        self.api_url = api_url.rstrip("/")
        self._clock = clock
        self._sleep = sleep
        self._agent = f"planproof/{_version()}"
        self._etags: OrderedDict[tuple[str, str, str], tuple[str, Answer]] = OrderedDict()
        self._sender = _Sender(
            UnauthAuthStrategy(),
            base_url=self.api_url,
            user_agent=self._agent,
            timeout=self.policy.timeout,
            http_cache=False,
            auto_retry=False,
            async_transport=http,
        )

    async def aclose(self) -> None:
        await self._sender.aclose()

    def now(self) -> float:
        return self._clock()

    async def get(
        self,
        path: str,
        auth: Authorization,
        lane: Lane,
        *,
        params: Mapping[str, Any] | None = None,
        media: str = JSON_MEDIA,
        trace: str = "",
    ) -> Answer:
        """A read, repeated when GitHub stumbles; an unchanged answer costs nothing of the rate limit (304)."""
        url = str(httpx.URL(self._url(path)).copy_merge_params(params)) if params else self._url(path)
        key = (lane.key, url, media)
        known = self._etags.get(key)
        headers = {"Accept": media}
        if known is not None:
            headers["If-None-Match"] = known[0]
            self._etags.move_to_end(key)
        raw = await self._send("GET", url, auth, lane, headers=headers, trace=trace, write=False)
        if raw.status_code == 304 and known is not None:
            return known[1]
        answer = self._answer(raw)
        etag = raw.headers.get("etag")
        if etag and raw.status_code == 200 and len(answer.body) <= self.policy.cache_body:
            self._etags[key] = (etag, answer)
            while len(self._etags) > self.policy.cache_entries:
                self._etags.popitem(last=False)
        return answer

    async def write(
        self,
        method: str,
        path: str,
        auth: Authorization,
        lane: Lane,
        *,
        json: Any = None,
        trace: str = "",
        spaced: bool = True,
        repeatable: bool = False,
    ) -> Answer:
        """A write, sent once. Raises LostAnswer where it cannot be known whether it happened.

        `repeatable` is for POSTs that leave nothing behind (minting a token); `spaced` false lets such a one pass the
        queue of writes.
        """
        url = self._url(path)
        headers = {"Accept": JSON_MEDIA}
        if not spaced:
            raw = await self._send(
                method, url, auth, lane, json=json, headers=headers, trace=trace, write=not repeatable
            )
            return self._answer(raw)
        async with lane.lock:
            if lane.last_write is not None:
                # a clock that was set back must not stop the writes
                gap = lane.last_write + self.policy.write_spacing - self._clock()
                if gap > 0:
                    await self._sleep(min(gap, self.policy.write_spacing))
            try:
                raw = await self._send(
                    method, url, auth, lane, json=json, headers=headers, trace=trace, write=not repeatable
                )
            finally:
                lane.last_write = self._clock()
        return self._answer(raw)

    # ---- one request, with everything that may have to be tried again --------------------------
    async def _send(
        self,
        method: str,
        url: str,
        auth: Authorization,
        lane: Lane,
        *,
        headers: Mapping[str, str],
        trace: str,
        write: bool,
        json: Any = None,
    ) -> httpx.Response:
        what = self._what(method, url)
        failures = limited = 0
        waited = 0.0
        renewed = False
        authorization = await auth.header()
        while True:
            pause = lane.paused_until - self._clock()
            if pause > self.policy.max_wait - waited:
                raise RateLimited(what, datetime.fromtimestamp(lane.paused_until, UTC))
            if pause > 0:
                await self._sleep(pause)
                waited += pause
            sent = {**headers, "Authorization": authorization, "X-GitHub-Api-Version": API_VERSION}
            if trace:
                sent["User-Agent"] = f"{self._agent} delivery/{_traceable(trace)}"
            try:
                raw = await self._once(method, url, headers=sent, json=json)
            except httpx.HTTPError as error:
                failures += 1
                # the URL and the headers of the failed request stay out of the message
                reason = f"{what}: {type(error).__name__}"
                if write and not isinstance(error, _NEVER_SENT):
                    raise LostAnswer(f"{reason}, it may or may not have happened") from None
                if failures >= self.policy.attempts:
                    raise Unavailable(reason) from None
                await self._sleep(self.policy.backoff * 2.0 ** (failures - 1))
                continue
            status = raw.status_code
            if raw.request.method != method:
                # a write to what has moved elsewhere is led there as a read, which must not pass for the write
                raise NotFound(f"{what}: it has moved")
            if status < 400:
                return raw
            message = _message(raw)
            if status == 401 and not renewed and (better := await auth.renewed(raw)) is not None:
                renewed, authorization = True, better
                continue
            if limits.is_limit(status, raw.headers, message):
                limited += 1
                seconds = limits.wait(raw.headers, attempt=limited - 1, now=self._clock())
                lane.paused_until = max(lane.paused_until, self._clock() + seconds)
                log.warning("github.rate_limited", what=what, seconds=round(seconds), lane=lane.key)
                if limited >= self.policy.limit_attempts:
                    raise RateLimited(what, datetime.fromtimestamp(lane.paused_until, UTC))
                continue
            if status in _TRANSIENT:
                failures += 1
                if write:
                    raise LostAnswer(f"{what} was answered {status}, it may or may not have happened")
                if failures >= self.policy.attempts:
                    raise Unavailable(f"{what} was answered {status}")
                await self._sleep(self.policy.backoff * 2.0 ** (failures - 1))
                continue
            raise self._error(what, status, message, raw)

    async def _once(self, method: str, url: str, *, headers: Mapping[str, str], json: Any) -> httpx.Response:
        """The raw answer, whatever its status. Raises httpx.HTTPError when there is none."""
        try:
            return (await self._sender.arequest(method, url, headers=dict(headers), json=json)).raw_response
        except RequestFailed as failed:
            return failed.response.raw_response
        except RequestError as error:
            if isinstance(error.exc, httpx.HTTPError):
                raise error.exc from None
            raise GitHubError(f"{self._what(method, url)}: {type(error.exc).__name__}") from None
        except GitHubException as error:
            raise GitHubError(f"{self._what(method, url)}: {type(error).__name__}") from None

    def _url(self, path: str) -> str:
        """The full address; a next page comes as one already. An address elsewhere never gets our token."""
        if not path.startswith(("http://", "https://")):
            return f"{self.api_url}/{path.lstrip('/')}"
        there, ours = httpx.URL(path), httpx.URL(self.api_url)
        if (there.scheme, there.netloc) != (ours.scheme, ours.netloc):
            raise GitHubError("GitHub linked to a page on another host")
        return path

    def _what(self, method: str, url: str) -> str:
        return f"{method} {httpx.URL(url).path.removeprefix(httpx.URL(self.api_url).path.rstrip('/'))}"

    def _error(self, what: str, status: int, message: str, raw: httpx.Response) -> GitHubError:
        if status in (404, 410):
            return NotFound(f"{what}: not found ({status})")
        if status == 401:
            return Unauthorized(f"{what}: GitHub refused our credentials ({message})")
        return Refused(what, status, message, raw.headers.get("x-accepted-github-permissions"))

    def _answer(self, raw: httpx.Response) -> Answer:
        media = raw.headers.get("content-type", "").partition(";")[0].strip().lower()
        data = None
        if raw.content and media.endswith("json") and "raw" not in media:
            try:
                data = raw.json()
            except (ValueError, RecursionError):
                raise Unavailable("GitHub's answer is not the JSON it says it is") from None
        return Answer(raw.status_code, raw.content, media, raw.links.get("next", {}).get("url"), data)


def _traceable(trace: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "", trace)[:64]


def _message(raw: httpx.Response) -> str:
    """GitHub's words for a refusal, short, with the detail of a 422."""
    try:
        data = raw.json()
    except (ValueError, RecursionError):
        return raw.reason_phrase or str(raw.status_code)
    if not isinstance(data, dict):
        return raw.reason_phrase
    parts = [str(data.get("message") or raw.reason_phrase)]
    errors = data.get("errors")
    for error in errors[:5] if isinstance(errors, list) else []:
        if isinstance(error, dict):
            parts.append(" ".join(str(error[k]) for k in ("resource", "field", "code", "message") if error.get(k)))
        else:
            parts.append(str(error))
    return "; ".join(part for part in parts if part)[:500]
