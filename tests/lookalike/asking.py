"""Plain HTTP for the look-alike's own tests: an App's JWT, a token, a client."""

from __future__ import annotations

import ssl
import time
from typing import Any

import httpx
import jwt

from tests.lookalike.fixtures import KeyPair
from tests.lookalike.people import Lookalike
from tests.lookalike.state import App, Installation

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # loading certificates for each client takes longer than a test
WIDGETS = "/repos/acme/widgets"


def app_jwt(keys: KeyPair, issuer: object, *, age: int = 60, life: int = 540) -> str:
    """`age`: seconds since it was issued, `life`: seconds until it ends."""
    now = int(time.time())
    return jwt.encode({"iat": now - age, "exp": now + life, "iss": str(issuer)}, keys.private, algorithm="RS256")


def client(look: Lookalike, secret: str | None) -> httpx.Client:
    headers = {"authorization": f"Bearer {secret}"} if secret else {}
    return httpx.Client(base_url=look.url, headers=headers, trust_env=False, verify=NO_TLS)


def as_app(look: Lookalike, app: App, keys: KeyPair) -> httpx.Client:
    return client(look, app_jwt(keys, app.id))


def token(look: Lookalike, installation: Installation, keys: KeyPair, **narrowing: Any) -> str:
    with as_app(look, installation.app, keys) as http:
        answer = http.post(f"/app/installations/{installation.id}/access_tokens", json=narrowing or None)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["token"])
