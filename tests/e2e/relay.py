"""What stands between the emulator and the server: every delivery is passed on as it is, and noted with its answer.

The emulator keeps no record of the deliveries to an App and cannot repeat one; this does both.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

_OF_ONE_HOP = frozenset({"host", "connection", "content-length", "transfer-encoding", "keep-alive", "accept-encoding"})


@dataclass(frozen=True)
class Delivery:
    """One request as the emulator sent it, and what the server answered. Header names are in small letters."""

    headers: Mapping[str, str]
    body: bytes
    status: int
    answer: str

    @property
    def event(self) -> str:
        return self.headers["x-github-event"]

    @property
    def payload(self) -> dict[str, Any]:
        payload: dict[str, Any] = json.loads(self.body)
        return payload

    @property
    def number(self) -> int | None:
        """Of the issue or pull request it is about."""
        about: dict[str, Any] = self.payload.get("pull_request") or self.payload.get("issue") or {}
        return about.get("number")


@dataclass
class Relay:
    """`target` is the server's webhook. While `spoil` is set, the body no longer fits its signature."""

    target: str
    url: str = ""
    spoil: bool = False
    deliveries: list[Delivery] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._client = httpx.Client(trust_env=False, timeout=30)

    def post(self, headers: Mapping[str, str], body: bytes) -> httpx.Response:
        """A delivery of our own making, or one of the emulator's again; it is not noted."""
        kept = {name: value for name, value in headers.items() if name not in _OF_ONE_HOP}
        return self._client.post(self.target, headers=kept, content=body)

    def pass_on(self, headers: Mapping[str, str], body: bytes) -> int:
        """The status for the sender; 502, and nothing noted, while no server is there."""
        try:
            answer = self.post(headers, body + b" " if self.spoil else body)
        except httpx.ConnectError:
            return 502
        self.deliveries.append(Delivery(headers, body, answer.status_code, answer.text.strip()))
        return answer.status_code

    def close(self) -> None:
        self._client.close()


@contextmanager
def relaying(target: str) -> Iterator[Relay]:
    relay = Relay(target)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            status = relay.pass_on(headers, self.rfile.read(int(headers.get("content-length", "0"))))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Silence: what matters is in `deliveries`."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    relay.url = f"http://127.0.0.1:{server.server_address[1]}/webhook"
    thread = threading.Thread(target=server.serve_forever, name="relay", kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield relay
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        relay.close()
