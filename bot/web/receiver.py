"""`POST /webhook`: GitHub's deliveries, checked, stored, and only then answered.

Every refusal says its reason in plain text. The order is GitHub's advice: size, signature over the raw bytes, then
parsing. A 2xx means that the delivery is stored or that no handler wants it; anything else, that GitHub may redeliver.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from bot import events, logs
from bot.dispatch import Route, drop
from bot.events import Event

log = logs.named("receiver")

MAX_BODY: Final = 25 * 1024 * 1024
"""Bytes; GitHub drops larger payloads itself."""

_NAME: Final = re.compile(r"[a-z0-9_]{1,64}")
_DELIVERY: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")

SETUP = (
    "This Planproof has no credentials yet, so it cannot check who sends this. Set PLANPROOF_APP_ID,"
    " PLANPROOF_PRIVATE_KEY and PLANPROOF_WEBHOOK_SECRET and start it again."
)


class Refusal(Exception):  # noqa: N818
    """A delivery that is not accepted: HTTP status and the reason for the sender."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(frozen=True)
class Receiver:
    """The endpoint. `store` keeps one delivery durably and says whether it is new; it raises `Refusal` when it could
    not. Without `secrets` (setup mode) nothing is accepted. `counts` is by (event, outcome)."""

    secrets: Sequence[str]
    routes: Sequence[Route]
    store: Callable[[Event], Awaitable[bool]] | None
    app_id: int | None = None
    mode: str = "on"
    max_body: int = MAX_BODY
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    async def receive(self, request: Request) -> Response:
        name = request.headers.get("x-github-event", "")
        known = name if any(route.event == name for route in self.routes) else "other"
        try:
            outcome = await self._outcome(request)
        except Refusal as refusal:
            self.counts[known, f"refused {refusal.status}"] += 1
            log.warning("delivery.refused", status=refusal.status, reason=refusal.reason, event_name=_shown(name))
            return PlainTextResponse(refusal.reason + "\n", refusal.status)
        except ClientDisconnect:
            self.counts[known, "disconnected"] += 1
            return PlainTextResponse("the connection ended before the body did\n", 400)
        self.counts[known, outcome] += 1
        return PlainTextResponse(outcome + "\n", 202)

    async def _outcome(self, request: Request) -> str:
        if self.store is None or not self.secrets:
            raise Refusal(503, SETUP)
        name, delivery = _headers(request)
        signature = request.headers.get("x-hub-signature-256")
        if not signature:
            raise Refusal(401, "the header X-Hub-Signature-256 is missing: set a secret on the App's webhook")
        body = await self._body(request)
        if not signed(body, signature, self.secrets):
            raise Refusal(401, "X-Hub-Signature-256 does not match the body: the webhook secrets differ")
        event = events.parse(name, delivery, _payload(body, request.headers.get("content-type", "")))
        reason = drop(self.routes, event, app_id=self.app_id, mode=self.mode)
        if reason is not None:
            log.info("delivery.dropped", name=name, action=event.action, delivery=delivery, reason=reason.value)
            return f"ignored: {reason.value}"
        new = await self.store(event)
        log.info("delivery.stored", name=name, action=event.action, delivery=delivery, new=new)
        return "accepted" if new else "known already"

    async def _body(self, request: Request) -> bytes:
        too_large = Refusal(413, f"the body is larger than {self.max_body} bytes")
        length = request.headers.get("content-length", "")
        if length.isascii() and length.isdigit() and (len(length) > 12 or int(length) > self.max_body):
            raise too_large
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self.max_body:
                raise too_large
        return bytes(body)


def signed(body: bytes, signature: str, secrets: Sequence[str]) -> bool:
    """Whether `signature` (`sha256=` and hex digits) is that of the raw `body` under one of the secrets; compared in
    constant time, and with every secret."""
    given = signature.encode("utf-8", "replace")
    good = False
    for secret in secrets:
        expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        good |= hmac.compare_digest(expected.encode(), given)
    return good


def _headers(request: Request) -> tuple[str, str]:
    name = request.headers.get("x-github-event", "")
    if not _NAME.fullmatch(name):
        raise Refusal(400, f"the header X-GitHub-Event is {'not an event name' if name else 'missing'}")
    delivery = request.headers.get("x-github-delivery", "")
    if not _DELIVERY.fullmatch(delivery):
        raise Refusal(400, f"the header X-GitHub-Delivery is {'not an id' if delivery else 'missing'}")
    return name, delivery


def _payload(body: bytes, content_type: str) -> object:
    try:
        text = body.decode("utf-8")
        if content_type.partition(";")[0].strip().lower() == "application/x-www-form-urlencoded":
            fields = parse_qs(text, strict_parsing=True, errors="strict", max_num_fields=16)
            if "payload" not in fields:
                raise Refusal(400, "the form has no field named payload")
            text = fields["payload"][0]
        payload = json.loads(text)
    except RecursionError:
        raise Refusal(400, "the body is nested too deeply") from None
    except ValueError as error:
        what = str(error) if isinstance(error, json.JSONDecodeError) else type(error).__name__
        raise Refusal(400, f"the body is not JSON ({what})") from None
    if not isinstance(payload, dict):
        raise Refusal(400, "the body is JSON, but not an object")
    return payload


def _shown(name: str) -> str:
    return name[:64].encode("ascii", "replace").decode()
