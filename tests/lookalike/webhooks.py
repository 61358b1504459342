"""The look-alike's outbox: signs deliveries, sends them one after another from its own thread, and remembers them."""

from __future__ import annotations

import hashlib
import hmac
import json
import queue
import ssl
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

import httpx

from tests.lookalike.state import App, Json

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # receivers are on loopback; loading certificates takes 50 ms
TIMEOUT = 10.0
"""Seconds that GitHub waits for an answer."""


@dataclass
class Delivery:
    """One attempt. `guid` is shared by all attempts of one event; `status_code` 0 means that nobody answered."""

    id: int
    guid: str
    app: App
    event: str
    action: str | None
    installation_id: int | None
    repository_id: int | None
    payload: Json
    redelivery: bool = False
    delivered_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    status_code: int = 0
    status: str = "pending"
    duration: float = 0.0
    answer: str = ""
    request_headers: dict[str, str] = field(default_factory=dict)
    _done: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def ok(self) -> bool:
        return 200 <= self.status_code < 300

    def wait(self, timeout: float = 30.0) -> Delivery:
        """Blocks until the attempt is over; where the receiver runs in this loop, call it in a thread."""
        if not self._done.wait(timeout):
            raise TimeoutError(f"{self.event} {self.guid} was not delivered within {timeout} s")
        return self


def signed(secret: str, body: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class Outbox:
    """`next_id` numbers the attempts."""

    def __init__(self, next_id: Callable[[], int]) -> None:
        self._next_id = next_id
        self._queue: queue.SimpleQueue[Delivery | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._held: list[Delivery] | None = None
        self._lose = 0
        self.attempts: list[Delivery] = []

    # ---- what tests do -------------------------------------------------------------------------
    def lose_next(self, count: int = 1) -> None:
        """The next `count` first attempts fail without reaching the receiver, as when it is down."""
        self._lose += count

    @contextmanager
    def held(self) -> Iterator[list[Delivery]]:
        """Deliveries made inside are kept in the yielded list; reorder or thin it, they go out at the end."""
        with self._lock:
            held = self._held = []
        try:
            yield held
        finally:
            with self._lock:
                self._held = None
            for delivery in held:
                self._put(delivery)

    def redeliver(self, delivery: Delivery) -> Delivery:
        """A further attempt with the same GUID."""
        return self._record(replica(delivery, self._next_id(), delivery.guid, redelivery=True))

    def duplicate(self, delivery: Delivery) -> Delivery:
        """The same GUID once more without being marked as a redelivery: what a replay looks like."""
        return self._record(replica(delivery, self._next_id(), delivery.guid, redelivery=False))

    def settle(self, timeout: float = 30.0) -> None:
        """Blocks until every attempt so far is over."""
        for delivery in list(self.attempts):
            delivery.wait(timeout)

    def of(self, event: str, action: str | None = None) -> Sequence[Delivery]:
        return [d for d in self.attempts if d.event == event and (action is None or d.action == action)]

    # ---- sending -------------------------------------------------------------------------------
    def send(self, app: App, event: str, payload: Json) -> Delivery:
        repository = payload.get("repository")
        installation = payload.get("installation")
        return self._record(
            Delivery(
                id=self._next_id(),
                guid=str(uuid.uuid4()),
                app=app,
                event=event,
                action=payload.get("action"),
                installation_id=installation["id"] if installation else None,
                repository_id=repository["id"] if repository else None,
                payload=payload,
            )
        )

    def _record(self, delivery: Delivery) -> Delivery:
        self.attempts.append(delivery)
        with self._lock:
            if self._held is not None:
                self._held.append(delivery)
                return delivery
        self._put(delivery)
        return delivery

    def _put(self, delivery: Delivery) -> None:
        if delivery.app.webhook_url is None:
            delivery.status = "no webhook address"
            delivery._done.set()
            return
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="lookalike-outbox", daemon=True)
                self._thread.start()
        self._queue.put(delivery)

    def _work(self) -> None:
        with httpx.Client(timeout=TIMEOUT, trust_env=False, verify=NO_TLS) as client:
            while (delivery := self._queue.get()) is not None:
                self._attempt(client, delivery)

    def _attempt(self, client: httpx.Client, delivery: Delivery) -> None:
        app = delivery.app
        body = json.dumps(delivery.payload, ensure_ascii=False).encode()
        delivery.request_headers = {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/044aadd",
            "X-GitHub-Delivery": delivery.guid,
            "X-GitHub-Event": delivery.event,
            "X-GitHub-Hook-ID": str(app.id),
            "X-GitHub-Hook-Installation-Target-ID": str(app.id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-Hub-Signature-256": signed(app.webhook_secret, body),
        }
        started = time.monotonic()
        try:
            if self._lose > 0 and not delivery.redelivery:
                self._lose -= 1
                raise httpx.ConnectError("lost on purpose")
            assert app.webhook_url is not None
            answer = client.post(app.webhook_url, content=body, headers=delivery.request_headers)
        except httpx.HTTPError as error:
            late = isinstance(error, httpx.TimeoutException)
            delivery.status = "timed out" if late else "failed to connect to host"
        else:
            delivery.status_code, delivery.answer = answer.status_code, answer.text
            delivery.status = "OK" if delivery.ok else f"Invalid HTTP Response: {answer.status_code}"
        finally:
            delivery.duration = round(time.monotonic() - started, 3)
            delivery._done.set()

    def close(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join()


def replica(delivery: Delivery, number: int, guid: str, *, redelivery: bool) -> Delivery:
    return Delivery(
        id=number,
        guid=guid,
        app=delivery.app,
        event=delivery.event,
        action=delivery.action,
        installation_id=delivery.installation_id,
        repository_id=delivery.repository_id,
        payload=delivery.payload,
        redelivery=redelivery,
    )
