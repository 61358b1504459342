"""GitHub as the rest of Planproof sees it: `App` (ourselves), and through it an `Installation` at one repository.

Errors: `bot.github.errors`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any, Protocol
from weakref import WeakValueDictionary

import httpx

from bot.github import permissions, sanitize
from bot.github.answers import listed, pages, read
from bot.github.auth import AppKey, Tokens
from bot.github.installation import Installation
from bot.github.models import AppInfo, HookDelivery, InstallationInfo
from bot.github.transport import Clock, Lane, Policy, Sleep, Transport

__all__ = ["App", "AppSettings", "Installation"]


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
        repository_id: int | None = None,
    ) -> Installation:
        """GitHub as installation `number`; see `Installation`."""
        return Installation(self, number, repository, wanted=permissions, trace=trace, repository_id=repository_id)

    @property
    def graphql_url(self) -> str:
        """On GitHub Enterprise Server it stands beside the REST API, elsewhere below it."""
        return f"{self.transport.api_url.removesuffix('/v3')}/graphql"

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
        return read(AppInfo, (await self.tokens.as_app("app")).data)

    async def installation_info(self, number: int) -> InstallationInfo:
        return await self.tokens.installation(number)

    async def installations(self) -> list[InstallationInfo]:
        return [read(InstallationInfo, item) async for item in self._as_app("app/installations")]

    async def hook_deliveries(self, *, since: str) -> list[HookDelivery]:
        """Deliveries to our webhook, newest first, back to `since` (ISO 8601, UTC)."""
        found = []
        async for item in self._as_app("app/hook/deliveries"):
            delivery = read(HookDelivery, item)
            if delivery.delivered_at[:19] < since[:19]:
                break
            found.append(delivery)
        return found

    async def redeliver(self, delivery_id: int) -> None:
        await self.tokens.post_as_app(f"app/hook/deliveries/{delivery_id}/attempts")

    async def _as_app(self, path: str) -> AsyncIterator[Any]:
        async for answer in pages(self.tokens.as_app, path):
            for item in listed(answer):
                yield item
