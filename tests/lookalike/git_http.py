"""Smart HTTP for the bare repositories: git's own CGI program, behind GitHub's rules about tokens."""

from __future__ import annotations

import asyncio
import os
import tempfile

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from tests.lookalike import auth, refusals
from tests.lookalike.journal import Recorded
from tests.lookalike.people import Lookalike
from tests.lookalike.state import Repository

CHALLENGE = {"www-authenticate": 'Basic realm="GitHub"'}


class GitOverHttp:
    """Reading takes contents:read (nothing, for public repositories and no credentials), pushing contents:write."""

    def __init__(self, look: Lookalike) -> None:
        self.look = look

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        params, body = request.path_params, await request.body()
        header = request.headers.get("authorization")
        recorded = Recorded(request.method, request.url.path, request.url.query, dict(request.headers), None)
        recorded.auth = auth.kind_of(header)
        self.look.git_requests.append(recorded)
        pushes = "git-receive-pack" in (params["service"], request.query_params.get("service"))
        with self.look.lock:
            name = f"{params['owner']}/{params['repo']}"
            refused, repo, caller = self._admit(name, header, pushes)
            before = repo.git.branches() if repo is not None else {}
        fault = self.look.take_fault(request.method, request.url.path)
        if refused is not None or repo is None:
            response = refused or PlainTextResponse("Repository not found.", 404)
        elif repo.full_name.lower() != name.lower():
            # git asks at the new address from here on
            query = f"?{request.url.query}" if request.url.query else ""
            response = RedirectResponse(f"{self.look.url}/{repo.full_name}.git/{params['service']}{query}", 301)
        elif fault is not None and isinstance(fault.outcome, int):
            response = PlainTextResponse("Try again.", fault.outcome)
        else:
            response = await self._run(request, repo, params["service"], body)
            if pushes and request.method == "POST":
                self._announce(repo, before, caller)
        recorded.status = response.status_code
        await response(scope, receive, send)

    def _admit(
        self, name: str, header: str | None, pushes: bool
    ) -> tuple[Response | None, Repository | None, auth.Caller]:
        repo = self.look.repositories.get(name.lower()) or self.look.former_names.get(name.lower())
        if header is None:
            if repo is None or repo.private or pushes:
                return PlainTextResponse("Authentication required", 401, CHALLENGE), None, auth.NOBODY
            return None, repo, auth.NOBODY
        password = auth.basic_password(header)
        try:
            if password is None:
                raise refusals.bad_credentials()
            caller = auth.Caller("installation", token=auth.token_of(self.look, password))
        except refusals.Refusal:
            return PlainTextResponse("Invalid username or token.", 401, CHALLENGE), None, auth.NOBODY
        if repo is None or not caller.sees(self.look, repo) or not caller.may({"contents": "read"}):
            return PlainTextResponse("Repository not found.", 404), None, caller
        if pushes and not caller.may({"contents": "write"}):
            return PlainTextResponse("Permission denied.", 403), None, caller
        if pushes and repo.archived:
            return PlainTextResponse("This repository was archived so it is read-only.", 403), None, caller
        return None, repo, caller

    async def _run(self, request: Request, repo: Repository, service: str, body: bytes) -> Response:
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.look.root),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_PROJECT_ROOT": str(repo.git.path),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
            "PATH_INFO": f"/{service}",
            "QUERY_STRING": request.url.query,
            "REQUEST_METHOD": request.method,
            "CONTENT_TYPE": request.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
            "REMOTE_USER": "x-access-token",
            "REMOTE_ADDR": "127.0.0.1",
        }
        # a file and not a pipe: the program may end before it has read what it does not need
        with tempfile.TemporaryFile() as given:
            given.write(body)
            given.seek(0)
            program = await asyncio.create_subprocess_exec(
                "git",
                "http-backend",
                stdin=given,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=environment,
            )
            output, _ = await program.communicate()
        head, _, content = output.partition(b"\r\n\r\n")
        status, headers = 200, {}
        for line in head.decode("latin-1").split("\r\n"):
            name, _, value = line.partition(":")
            if name.lower() == "status":
                status = int(value.split()[0])
            elif name:
                headers[name.lower()] = value.strip()
        return Response(content, status, headers)

    def _announce(self, repo: Repository, before: dict[str, str], caller: auth.Caller) -> None:
        """What an App pushed makes the same events as a person's push."""
        with self.look.lock:
            after = repo.git.branches()
            for branch in sorted(before.keys() | after.keys()):
                old, new = before.get(branch), after.get(branch)
                if old != new:
                    self.look.branch_moved(repo, branch, old, new, caller.installation.app.bot)
