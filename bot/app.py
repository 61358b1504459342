"""The factory: from settings, routes and handlers to the one process that receives, works and answers.

`planproof serve` runs it; `uvicorn bot.app:build --factory` does, too (one worker).
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route as Path

from bot import logs, sqlite
from bot import settings as bot_settings
from bot.dispatch import Handler, Route, Services
from bot.engine_process import EnginePool
from bot.events import Event
from bot.github.client import App
from bot.github.errors import GitHubError
from bot.jobs import EnqueueFailed, Jobs
from bot.limits import JobLimits
from bot.mirror import Mirrors
from bot.repo_config import Defaults
from bot.settings import Settings
from bot.store import Store
from bot.web.receiver import MAX_BODY, Receiver, Refusal
from bot.web.status import Status

log = logs.named("app")

MAX_CONNECTIONS = 256
"""Connections at once; a delivery may be 25 MB, and the next one is answered 503, to be redelivered."""
_PR_SET_DUMPABLE = 4

ServicesFactory = Callable[[Settings, Store], AbstractAsyncContextManager[Services]]


@asynccontextmanager
async def default_services(settings: Settings, store: Store) -> AsyncIterator[Services]:
    """GitHub, engines and mirrors as the settings say, for one event loop."""
    github = App(settings)
    try:
        async with EnginePool() as engines:
            mirrors = Mirrors(settings.data_dir, settings.git_url)
            yield Services(
                settings=settings,
                github=github,
                engines=engines,
                mirrors=mirrors,
                store=store,
                defaults=Defaults(),
            )
    finally:
        await github.aclose()


def create_app(
    settings: Settings,
    routes: Sequence[Route],
    handlers: Mapping[str, Handler],
    *,
    services: ServicesFactory = default_services,
    limits: JobLimits | None = None,
    max_body: int = MAX_BODY,
) -> Starlette:
    """The ASGI application. Its lifespan raises DatabaseError where the database cannot be used; without credentials
    it serves setup mode, in which nothing is stored and no job runs."""
    counts: Counter[tuple[str, str]] = Counter()
    machine = _Machine(settings, routes, handlers, services, limits) if settings.configured else None
    receiver = Receiver(
        secrets=settings.webhook_secrets,
        routes=routes,
        store=machine.deliver if machine is not None else None,
        app_id=settings.app_id,
        mode=settings.mode,
        max_body=max_body,
        counts=counts,
    )
    status = Status(counts, machine.ping if machine is not None else None)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        if machine is None:
            log.warning("app.setup", reason="no credentials are set: deliveries are refused")
            yield
            return
        async with machine.running():
            yield

    return Starlette(
        routes=[
            Path("/", status.home, methods=["GET"]),
            Path("/healthz", status.health, methods=["GET"]),
            Path("/webhook", receiver.receive, methods=["POST"]),
        ],
        lifespan=lifespan,
    )


class _Machine:
    """What runs behind the web side: store, services, jobs; up within `running` only."""

    def __init__(
        self,
        settings: Settings,
        routes: Sequence[Route],
        handlers: Mapping[str, Handler],
        services: ServicesFactory,
        limits: JobLimits | None,
    ) -> None:
        self._settings = settings
        self._routes = routes
        self._handlers = handlers
        self._services = services
        self._limits = limits
        self._store: Store | None = None
        self._jobs: Jobs | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        url = self._settings.database
        with sqlite.owning(sqlite.file_of(url)):
            store = Store(url)
            try:
                await store.open()
                async with self._services(self._settings, store) as services:
                    jobs = Jobs(services, self._routes, self._handlers, limits=self._limits)
                    await jobs.launch()
                    self._store, self._jobs = store, jobs
                    log.info("app.started", mode=self._settings.mode)
                    try:
                        yield
                    finally:
                        self._store = self._jobs = None
                        # before the services: a job must find them as they were until it is stopped
                        await jobs.close()
            finally:
                await store.close()
        log.info("app.stopped")

    async def deliver(self, event: Event) -> bool:
        if self._jobs is None:
            raise Refusal(503, "the server is starting or stopping; please redeliver")
        try:
            return await self._jobs.deliver(event)
        except EnqueueFailed as failed:
            raise Refusal(503, str(failed)) from failed

    async def ping(self) -> None:
        if self._store is None:
            raise ConnectionError("the server is starting or stopping")
        await self._store.ping()


def build() -> Starlette:
    """The real App from the process's settings. Raises SettingsError."""
    settings = bot_settings.load()
    logs.configure(settings.log, secrets=settings.secrets)
    return _ours(settings)


def _ours(settings: Settings) -> Starlette:
    # only here do the bot and its handlers meet
    import handlers

    return create_app(settings, handlers.ROUTES, handlers.HANDLERS)


def _try_services(settings: Settings) -> None:
    """Raises what would keep `default_services` from starting: a key or an address that cannot be used."""
    App(settings)
    try:
        Mirrors(settings.data_dir, settings.git_url)
    except ValueError as error:
        raise ValueError(f"PLANPROOF_GIT_URL: {error}") from None


def serve(settings: Settings, *, app: Starlette | None = None) -> int:
    """Serve until SIGINT or SIGTERM, in this one process: two with one database would do work twice. Returns the exit
    status, 0 after a stop that was asked for."""
    logs.configure(settings.log, secrets=settings.secrets)
    _keep_to_ourselves()
    if settings.without_effect:
        log.warning("settings.without_effect", names=", ".join(settings.without_effect))
    if settings.configured:
        try:
            # the server would wrap this into a traceback
            if app is None:
                _try_services(settings)
            with sqlite.owning(sqlite.file_of(settings.database)):
                pass
        except (sqlite.DatabaseError, GitHubError, OSError, ValueError) as error:
            log.error("app.refused", reason=str(error))
            return 3
    config = uvicorn.Config(
        app if app is not None else _ours(settings),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=20,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
    )
    server = uvicorn.Server(config)

    def leave(_signal: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    # the server raises the signal once more when it has shut down: a stop that was asked for is no failure
    before = {each: signal.signal(each, leave) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.run()
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    return 0 if server.started else 3


def _keep_to_ourselves() -> None:
    """Files of this process are for its user alone: they hold texts of private repositories. On Linux nor can another
    process of that user look into its environment and memory: the key is there."""
    os.umask(0o077)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
