"""A client of ours against the look-alike, and time that only tests move."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import httpx
import pytest

from bot.github.client import App, Installation
from bot.github.transport import Policy
from tests.lookalike import Lookalike
from tests.lookalike import state as look_state
from tests.lookalike.fixtures import (  # noqa: F401
    APP_ID,
    KeyPair,
    acme_app,
    acme_installation,
    app_keys,
    github,
    github_url,
    lookalike,
    widgets,
)

START = 1_780_000_000.0


class Time:
    """A clock that moves only when someone sleeps; `slept` is what was slept, in order."""

    def __init__(self, now: float = START) -> None:
        self.now = now
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@dataclass(frozen=True)
class Credentials:
    private_key_pem: str
    github_api: str
    app_id: int | None = APP_ID
    write_spacing: float = 0.0
    secrets: tuple[str, ...] = ("a secret of tests",)


@dataclass
class Scripted:
    """A GitHub that answers by a list of answers, each a response or an error to raise, and keeps what it was asked."""

    answers: list[httpx.Response | Exception]
    requests: list[httpx.Request] = field(default_factory=list)
    tokens: int = 0
    expires_in: str = "2036-01-01T00:00:00.000Z"

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/access_tokens"):
            self.tokens += 1
            body = {"token": f"ghs_{'t' * 30}{self.tokens}", "expires_at": self.expires_in, "permissions": {}}
            return httpx.Response(201, json=body)
        self.requests.append(request)
        answer = self.answers.pop(0) if self.answers else httpx.Response(200, json={"permission": "read"})
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def time() -> Time:
    return Time()


def scripted_app(
    script: Scripted, keys: KeyPair, time: Time, *, spacing: float = 0.0, policy: Policy | None = None
) -> App:
    return App(
        Credentials(keys.private, "https://api.github.example", write_spacing=spacing),
        policy=policy,
        clock=time.clock,
        sleep=time.sleep,
        http=httpx.MockTransport(script),
    )


@pytest.fixture
async def app(github: Lookalike, app_keys: KeyPair) -> AsyncIterator[App]:  # noqa: F811
    made = App(Credentials(app_keys.private, github.url), policy=Policy(backoff=0.0))
    yield made
    await made.aclose()


@pytest.fixture
def gh(app: App, acme_installation: look_state.Installation, widgets: look_state.Repository) -> Installation:  # noqa: F811
    return app.installation(acme_installation.id, widgets.full_name)
