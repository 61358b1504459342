"""What the tests of the machine share: settings, signed deliveries, an app without GitHub, waiting for a state."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import httpx
from starlette.applications import Starlette

from bot.app import create_app
from bot.dispatch import Context, Handler, Route, Services
from bot.limits import JobLimits
from bot.repo_config import Defaults
from bot.settings import Settings
from bot.steps import StepLimits
from bot.store import Store

SECRET = "a secret of the tests"
APP_ID = 4711
PEM = "-----BEGIN RSA PRIVATE KEY-----\nbm90IGEga2V5\n-----END RSA PRIVATE KEY-----\n"
FAST = JobLimits(poll=0.02, listen=0.05, outage=0.05, step=StepLimits(first_wait=0.01, longest_wait=0.05))


def settings(folder: Path, **values: Any) -> Settings:
    known: dict[str, Any] = {"app_id": APP_ID, "private_key": PEM, "webhook_secret": SECRET, "data_dir": folder}
    return Settings(_env_file=None, **(known | values))


class NoGitHub:
    """The App of a server that has nothing to tell."""

    async def hook_deliveries(self, *, since: str) -> list[Any]:
        return []

    async def installations(self) -> list[Any]:
        return []


@asynccontextmanager
async def no_github(given: Settings, store: Store) -> AsyncIterator[Services]:
    """Services for handlers that reach for nothing."""
    nothing = cast(Any, None)
    yield Services(
        settings=given, github=cast(Any, NoGitHub()), engines=nothing, mirrors=nothing, store=store, defaults=Defaults()
    )


@dataclass
class Recorder:
    """A handler module that notes the contexts it ran with; `work` is what it does in a run."""

    work: Callable[[Context], Awaitable[None]] | None = None
    runs: list[Context] = field(default_factory=list)
    failures: list[tuple[Context, str]] = field(default_factory=list)

    async def handle(self, ctx: Context) -> None:
        self.runs.append(ctx)
        if self.work is not None:
            await self.work(ctx)

    async def failed(self, ctx: Context, reason: str) -> None:
        self.failures.append((ctx, reason))


@asynccontextmanager
async def serving(
    given: Settings,
    routes: Sequence[Route],
    handlers: Mapping[str, Handler],
    *,
    limits: JobLimits = FAST,
    **options: Any,
) -> AsyncIterator[httpx.AsyncClient]:
    """The app with its lifespan, and a client that talks to it."""
    app = create_app(given, routes, handlers, services=options.pop("services", no_github), limits=limits, **options)
    async with started(app), httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app") as client:
        yield client


@asynccontextmanager
async def started(app: Starlette) -> AsyncIterator[None]:
    async with app.router.lifespan_context(app):
        yield


def pull_request(number: int = 7, action: str = "opened", **changes: Any) -> dict[str, Any]:
    """A delivery's payload, as small as handlers allow."""
    payload = {
        "action": action,
        "number": number,
        "pull_request": {"number": number, "draft": False, "head": {"sha": "c" * 40}},
        "repository": {"id": 11, "name": "engine", "owner": {"login": "acme"}, "default_branch": "trunk"},
        "sender": {"id": 5, "login": "ada", "type": "User"},
        "installation": {"id": 3},
    }
    return payload | changes


def signature(body: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


async def deliver(
    client: httpx.AsyncClient, payload: object, name: str = "pull_request", delivery: str | None = None
) -> httpx.Response:
    """Post one signed delivery, as GitHub does."""
    body = json.dumps(payload).encode()
    headers = {
        "x-github-event": name,
        "x-github-delivery": delivery or str(uuid.uuid4()),
        "x-hub-signature-256": signature(body),
        "content-type": "application/json",
    }
    return await client.post("/webhook", content=body, headers=headers)


async def until(holds: Callable[[], object], *, seconds: float = 20.0) -> None:
    """Wait for a state that is certain to come; the limit only ends a test that hangs."""
    async with asyncio.timeout(seconds):
        while True:
            found = holds()
            if isinstance(found, Awaitable):
                found = await found
            if found:
                return
            await asyncio.sleep(0.02)
