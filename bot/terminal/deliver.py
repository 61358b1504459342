"""A signed sample webhook to a local server, as GitHub would send it."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import uuid
from dataclasses import dataclass

import httpx


class DeliveryError(Exception):
    """The server could not be reached, or did not answer."""


@dataclass(frozen=True, slots=True)
class Delivered:
    status: int
    text: str
    delivery: str


def deliver(
    event: str,
    body: bytes,
    secret: str,
    *,
    host: str,
    port: int,
    timeout: float = 10.0,
    transport: httpx.BaseTransport | None = None,
) -> Delivered:
    """POST `body` to http://host:port/webhook with the headers and the signature of a GitHub delivery.

    `timeout` is in seconds. Raises DeliveryError.
    """
    delivery = str(uuid.uuid4())
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/planproof",
        "X-GitHub-Delivery": delivery,
        "X-GitHub-Event": event,
        "X-Hub-Signature-256": f"sha256={signature}",
    }
    url = httpx.URL(scheme="http", host=host, port=port, path="/webhook")
    try:
        # a proxy has no business between this machine and itself
        with httpx.Client(timeout=timeout, trust_env=not _local(host), transport=transport) as client:
            answer = client.post(url, content=body, headers=headers)
    except httpx.HTTPError as error:
        raise DeliveryError(f"no answer from {url}: {error or type(error).__name__}") from error
    return Delivered(answer.status_code, answer.text[:2000], delivery)


def _local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
