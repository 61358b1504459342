"""The REST API as one ASGI app: who asks, what goes wrong on purpose, the limits, and the table of operations."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
import uuid
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tests.lookalike import auth, refusals, rest
from tests.lookalike.faults import Fault
from tests.lookalike.journal import GRAPHQL, Recorded
from tests.lookalike.people import Lookalike
from tests.lookalike.rest.operations import Answer, Call, find, query_of

API_VERSIONS = ("2022-11-28", "2026-03-10")
UNKNOWN_PROPERTY = "no such property"

assert rest.__all__  # importing it filled the table of operations


class Rest:
    """The API. One instance serves one look-alike; `transports` knows the open connections by client address."""

    def __init__(self, look: Lookalike, transports: dict[tuple[str, int], asyncio.Transport]) -> None:
        self.look = look
        self.transports = transports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        recorded = await self._recorded(request)
        path = unquote(recorded.path)
        reasons = self.look.record(recorded)
        fault = self.look.take_api_fault(recorded.method, path)
        if fault is not None:
            if fault.then is not None:
                await asyncio.to_thread(fault.then)
            try:
                await asyncio.sleep(fault.delay)
            except asyncio.CancelledError:  # the server stops before a long delay is over
                fault.outcome = "cut"
            if fault.outcome == "cut":
                await self._hang_up(request)
                return
        headers: dict[str, str] = {}
        status = fault.status if fault is not None else None
        if fault is not None and status is not None and not fault.after:
            answer = _injected(fault, status)
        else:
            answer, headers = self._guarded(recorded, request, reasons)
            self.look.record_answer(recorded, answer.status, answer.body)
            if fault is not None and status is not None:
                answer, headers = _injected(fault, status), {}
        if fault is not None and fault.outcome == "drop":
            await self._hang_up(request)
            return
        response = self._response(recorded, request, answer, headers)
        recorded.status = response.status_code
        await response(scope, receive, send)

    async def _recorded(self, request: Request) -> Recorded:
        raw = await request.body()
        body: Any = None
        if raw:
            try:
                body = json.loads(raw)
            except ValueError:
                body = raw
        path = request.scope["raw_path"].decode("ascii")
        # GitHub's own Link headers name repositories by number
        numbered = re.match(r"/repositories/(\d+)(?=/|$)", path)
        for repo in self.look.repositories.values():
            if numbered and repo.id == int(numbered[1]):
                path = f"/repos/{repo.full_name}{path[numbered.end() :]}"
        kind = auth.kind_of(request.headers.get("authorization"))
        return Recorded(request.method, path, request.url.query, dict(request.headers), body, kind)

    def _guarded(self, recorded: Recorded, request: Request, reasons: list[str]) -> tuple[Answer, dict[str, str]]:
        """A mistake of the look-alike's own is a 500, and a problem, so that no test passes by it."""
        try:
            return self._answer(recorded, request, reasons)
        except Exception as error:  # noqa: BLE001
            self.look.problems.append(f"{recorded.line}: the look-alike failed: {error!r}")
            return Answer(500, {"message": "Server Error"}), {}

    def _answer(self, recorded: Recorded, request: Request, reasons: list[str]) -> tuple[Answer, dict[str, str]]:
        look = self.look
        headers: dict[str, str] = {}
        with look.lock:
            try:
                version = request.headers.get("x-github-api-version", API_VERSIONS[0])
                if version not in API_VERSIONS:
                    raise refusals.Refusal(400, f"'{version}' is not a supported API version.")
                headers["x-github-api-version-selected"] = version
                if not request.headers.get("user-agent"):
                    raise refusals.Refusal(403, "Request forbidden by administrative rules. A User-Agent is required.")
                caller = auth.identify(look, request.headers.get("authorization"))
                rate = look.rate(caller)
                if rate.remaining == 0 and rate.reset <= time.time():
                    rate.used, rate.reset = 0, int(time.time()) + 3600
                try:
                    if rate.remaining == 0:
                        raise refusals.rate_limited(f"installation ID {caller.token and caller.installation.id}")
                    rate.used += 1
                    answer = self._carry_out(recorded, request, caller, reasons, headers)
                    if recorded.method == "GET" and answer.status == 200:
                        tag = etag(answer.body)
                        headers["etag"] = tag
                        if tag in request.headers.get("if-none-match", ""):
                            rate.used -= 1
                            answer = Answer(304, None, answer.headers)
                finally:
                    headers |= {
                        "x-ratelimit-limit": str(rate.limit),
                        "x-ratelimit-remaining": str(rate.remaining),
                        "x-ratelimit-used": str(rate.used),
                        "x-ratelimit-reset": str(rate.reset),
                        "x-ratelimit-resource": "graphql" if recorded.path == GRAPHQL else "core",
                    }
            except refusals.Refusal as refusal:
                answer = Answer(refusal.status, refusal.body, refusal.headers)
        return answer, headers

    def _carry_out(
        self,
        recorded: Recorded,
        request: Request,
        caller: auth.Caller,
        reasons: list[str],
        headers: dict[str, str],
    ) -> Answer:
        method = "GET" if recorded.method == "HEAD" else recorded.method
        found = find(method, recorded.path)
        if found is None:
            raise refusals.not_found()
        op, params = found
        if op.needs:
            headers["x-accepted-github-permissions"] = auth.accepted(op.needs)
        body = {} if recorded.body is None else recorded.body
        if not isinstance(body, dict):
            raise refusals.Refusal(
                400, "Problems parsing JSON" if isinstance(body, bytes) else "Body should be a JSON object"
            )
        call = Call(
            look=self.look,
            caller=caller,
            path=recorded.path,
            params=params,
            query=query_of(recorded.query),
            body=body,
            headers=request.headers,
            link_path=self._link_path(recorded.path),
        )
        if "repo" in params:
            self._follow_rename(recorded, caller, f"{params['owner']}/{params['repo']}")
        if op.auth != "app" and caller.token is not None and "repo" in params:
            _ = call.repo  # a repository that may not be seen is 404 before any permission is looked at
        op.authorise(caller)
        if method != "GET" and "repo" in params and op.auth != "app" and call.repo.archived:
            raise refusals.archived()
        broken = [reason for reason in reasons if reason.startswith("body") and UNKNOWN_PROPERTY not in reason]
        try:
            return op.handler(call)
        except (KeyError, TypeError, ValueError, AttributeError):
            if broken:  # GitHub refuses what its description does not allow; a handler does not know every such case
                raise refusals.invalid_request("\n".join(broken)) from None
            raise

    def _follow_rename(self, recorded: Recorded, caller: auth.Caller, name: str) -> None:
        """Raises the redirect to where a repository is now, for those who may know it."""
        moved = self.look.former_names.get(name.lower())
        if moved is None:
            return
        if caller.kind == "app":
            seen = any(installation.app is caller.app for installation in self.look.installations_on(moved))
        else:
            seen = caller.sees(self.look, moved)
        if not seen:
            raise refusals.not_found()
        rest = "/".join(recorded.path.split("/")[4:])
        query = f"?{recorded.query}" if recorded.query else ""
        url = f"{self.look.url}/repositories/{moved.id}{'/' + rest if rest else ''}{query}"
        raise refusals.moved(url, method=recorded.method)

    def _link_path(self, path: str) -> str:
        parts = path.split("/")
        if len(parts) > 3 and parts[1] == "repos":
            repo = self.look.repositories.get(f"{parts[2]}/{parts[3]}".lower())
            if repo is not None:
                return "/".join(["", "repositories", str(repo.id), *parts[4:]])
        return path

    def _response(self, recorded: Recorded, request: Request, answer: Answer, headers: dict[str, str]) -> Response:
        headers = {
            "x-github-request-id": uuid.uuid4().hex[:20].upper(),
            "x-github-media-type": "github.v3; format=json",
            "content-type": "application/json; charset=utf-8",
            "cache-control": "private, max-age=60, s-maxage=60",
            **headers,
            **answer.headers,
        }
        if answer.body is None:
            del headers["content-type"]
            return Response(None, answer.status, headers)
        content = answer.body if isinstance(answer.body, bytes) else _json(answer.body)
        return Response(content, answer.status, headers)

    async def _hang_up(self, request: Request) -> None:
        """Closes the connection without an answer: all that the client sees is that it is gone."""
        client = request.scope["client"]
        transport = self.transports.get(tuple(client))
        if transport is not None:  # else the client was first
            transport.abort()
        while (await request.receive())["type"] != "http.disconnect":
            pass


def _json(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def etag(body: Any) -> str:
    content = body if isinstance(body, bytes) else _json(body)
    return f'"{hashlib.sha256(content).hexdigest()}"'


def _injected(fault: Fault, status: int) -> Answer:
    phrases = {401: "Bad credentials", 404: "Not Found", 500: "Server Error", 502: "Server Error"}
    message = fault.message or phrases.get(status) or HTTPStatus(status).phrase
    return Answer(status, {"message": message, "documentation_url": refusals.DOCS}, fault.headers)
