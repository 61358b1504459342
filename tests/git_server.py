"""A smart HTTP server for tests: git's own http-backend behind basic authentication, on loopback."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


@dataclass
class GitServer:
    """Serves every bare repository below `root`. `token` None asks for none.

    While `hold` is set, answers with objects wait (`held` counts them); `status` overrides every answer.
    """

    root: Path
    token: str | None = None
    port: int = 0
    status: int | None = None
    hold: bool = False
    held: int = 0
    requests: list[tuple[str, str, str | None]] = field(default_factory=list)

    @property
    def template(self) -> str:
        return f"http://127.0.0.1:{self.port}/{{owner}}/{{repo}}.git"

    @property
    def authorizations(self) -> set[str | None]:
        return {authorization for _, _, authorization in self.requests}

    async def answer(self, request: Request) -> Response:
        path = "/" + request.path_params["path"]
        authorization = request.headers.get("authorization")
        self.requests.append((request.method, path, authorization))
        if self.status is not None:
            return Response("no", self.status, headers={"location": "http://127.0.0.1:9/elsewhere"})
        if self.token is not None:
            wanted = "Basic " + base64.b64encode(f"x-access-token:{self.token}".encode()).decode()
            if authorization != wanted:
                return Response("who are you", 401, headers={"www-authenticate": 'Basic realm="git"'})
        body = await request.body()
        if request.method == "POST" and self.hold:
            self.held += 1
            while self.hold and not await request.is_disconnected():  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        return await asyncio.to_thread(self._backend, request, path, body)

    def _backend(self, request: Request, path: str, body: bytes) -> Response:
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": request.method,
            "PATH_INFO": path,
            "QUERY_STRING": request.url.query,
            "CONTENT_TYPE": request.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
            "REMOTE_USER": "someone",
        }
        done = subprocess.run(["git", "http-backend"], env=environment, input=body, capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        status = int(headers.pop("Status", "200").split()[0])
        return Response(content, status, headers=headers)


@contextlib.contextmanager
def git_server(root: Path, token: str | None = None) -> Iterator[GitServer]:
    server = GitServer(root, token)
    app = Starlette(routes=[Route("/{path:path}", server.answer, methods=["GET", "POST"])])
    uv = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", ws="none", lifespan="off"))
    thread = threading.Thread(target=uv.run, daemon=True)
    thread.start()
    while not uv.started:
        time.sleep(0.005)
    server.port = uv.servers[0].sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        server.hold = False
        uv.should_exit = True
        thread.join()
