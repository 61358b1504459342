"""The look-alike as an ASGI app (REST at the root, pages and git beside it), and as a server on loopback."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from tests.lookalike.api import Rest
from tests.lookalike.git_http import GitOverHttp
from tests.lookalike.people import Lookalike
from tests.lookalike.views import page_routes

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
NAP, PATIENCE = 0.01, 20


def asgi(look: Lookalike, transports: dict[tuple[str, int], asyncio.Transport] | None = None) -> Starlette:
    """Git and pages where GitHub has them on its web host, everything else is the API."""
    api = Rest(look, {} if transports is None else transports)
    git = GitOverHttp(look)
    routes = [
        Route("/{owner}/{repo}.git/{service:path}", git, methods=["GET", "POST"]),
        # where GitHub's redirects and links lead; no page of an owner named so
        Route("/repositories/{number:int}/{rest:path}", api, methods=METHODS),
        *page_routes(look),
        Route("/{path:path}", api, methods=METHODS),
    ]
    return Starlette(routes=routes)


class _Server(uvicorn.Server):
    """As uvicorn's, with shorter naps: a suite of tests stops some hundred servers."""

    async def main_loop(self) -> None:
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += 1
            await asyncio.sleep(NAP)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        state = self.server_state
        for connection in list(state.connections):
            connection.shutdown()
        for _ in range(PATIENCE):
            if not state.connections and not state.tasks:
                return
            await asyncio.sleep(NAP)
        for task in state.tasks:  # an answer that a test delays for longer than it runs itself
            task.cancel()


@contextmanager
def running(look: Lookalike, *, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serves the look-alike from a thread; yields its address without a slash at the end, and closes it after."""
    transports: dict[tuple[str, int], asyncio.Transport] = {}

    class Protocol(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if self.client is not None:
                transports[self.client] = transport

        def connection_lost(self, exc: Exception | None) -> None:
            if self.client is not None:
                transports.pop(self.client, None)
            super().connection_lost(exc)

    config = uvicorn.Config(
        asgi(look, transports), host=host, port=port, http=Protocol, ws="none", log_level="error", lifespan="off"
    )
    server = _Server(config)
    thread = threading.Thread(target=server.run, name="lookalike", daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            raise RuntimeError("the look-alike did not start")
        time.sleep(0.005)
    bound = server.servers[0].sockets[0].getsockname()[1]
    look.url = f"http://{host}:{bound}"
    try:
        yield look.url
    finally:
        look.close()
        server.should_exit = True
        thread.join()
