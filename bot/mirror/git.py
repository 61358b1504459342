"""The one way git is run: with nothing of the machine's own configuration, to fetch and to read commits.

No hooks, submodules, credential helpers, prompts, user or system configuration, and only the protocol of the configured
address. The token is passed in environment variables (GIT_CONFIG_COUNT, git 2.31 and later), never in an argument or an
address, both of which any user of the machine can read.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bot.mirror.errors import FetchFailed, FetchTooLarge, explain

_STDERR_BYTES = 16_384

# flaws that old tools left in many repositories; they say nothing about whether an object is what its id says, and
# nothing of a mirror is ever checked out or used as a submodule. git before 2.44 heeds this only without a filter
_TOLERATED = (
    "badDate", "badDateOverflow", "badEmail", "badName", "badTimezone", "missingEmail", "missingNameBeforeEmail",
    "missingSpaceBeforeDate", "missingSpaceBeforeEmail", "zeroPaddedDate", "zeroPaddedFilemode", "gitmodulesBlob",
    "gitmodulesLarge", "gitmodulesMissing", "gitmodulesName", "gitmodulesParse", "gitmodulesPath", "gitmodulesUpdate",
    "gitmodulesUrl",
)  # fmt: skip

# how a server of one's own and a company's proxy are reached; everything else of the environment stays here
_PASSED_ON = (
    "PATH", "LD_LIBRARY_PATH", "http_proxy", "https_proxy", "no_proxy", "all_proxy", "HTTPS_PROXY", "NO_PROXY",
    "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO",
)  # fmt: skip

_OPTIONS = (
    "--no-progress", "--no-tags", "--no-write-fetch-head", "--force", "--no-recurse-submodules",
    "--no-auto-maintenance", "--no-show-forced-updates", "--refmap=",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Remote:
    """Where to fetch from; `token` is an installation token or None. Its repr shows no token."""

    url: str
    token: str | None

    def __repr__(self) -> str:
        return f"Remote({self.url!r})"

    @property
    def scheme(self) -> str:
        return urlsplit(self.url).scheme

    @property
    def origin(self) -> str:
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}/"

    @property
    def authorization(self) -> str | None:
        """The value of the header, by GitHub's rule for installation tokens: basic, user x-access-token."""
        if self.token is None:
            return None
        return "Basic " + base64.b64encode(f"x-access-token:{self.token}".encode()).decode()

    def redact(self, text: str) -> str:
        for secret in (self.token, (self.authorization or "").removeprefix("Basic ")):
            if secret:
                text = text.replace(secret, "[redacted]")
        return text


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one run of git: bytes the repository may have, seconds between looks at it, seconds a connection may stall."""

    bytes: int
    watch_seconds: float
    stall_seconds: int


async def fetch(
    path: Path,
    remote: Remote,
    refspecs: Sequence[str],
    *,
    attempt: str,
    depth: int | None,
    blob_filter: str,
    bounds: Bounds,
    home: Path,
    lock: int,
) -> None:
    """Fetch `refspecs` into the bare repository at `path`; `depth` in commits, None for no `--depth`.

    `home` is an empty folder. git inherits the descriptor `lock`. Raises a FetchError whose reason begins with
    `attempt`; cancelling kills git and its helpers.
    """
    arguments = ["git", f"--git-dir={path}", "fetch", *_OPTIONS]
    if depth is not None:
        arguments.append(f"--depth={depth}")
    if blob_filter:
        arguments.append(f"--filter={blob_filter}")
    environment = _environment(_config(remote, blob_filter, bounds.stall_seconds), home)
    code, stderr = await _run([*arguments, "origin", *refspecs], environment, path, bounds, lock)
    if code:
        raise explain(attempt, remote.redact(stderr), code)


async def read(path: Path, arguments: Sequence[str], stdin: bytes, *, home: Path) -> tuple[int, bytes]:
    """The exit code and output of a git command that only reads. It cannot fetch what is absent: all protocols are off,
    and it does not know where from."""
    environment = _environment(iter((("protocol.allow", "never"), ("core.hooksPath", os.devnull))), home)
    try:
        process = await asyncio.create_subprocess_exec(
            "git",
            f"--git-dir={path}",
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment,
            cwd=path,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise FetchFailed("git is not installed on this server", repr(error)) from error
    try:
        answer, _ = await process.communicate(stdin)
        return await process.wait(), answer
    finally:
        _kill(process)
        await process.wait()


def _config(remote: Remote, blob_filter: str, stall_seconds: int) -> Iterator[tuple[str, str]]:
    yield "remote.origin.url", remote.url
    yield "core.hooksPath", os.devnull
    yield "core.askPass", ""
    yield "credential.helper", ""
    yield "protocol.allow", "never"
    yield f"protocol.{remote.scheme}.allow", "always"
    yield "submodule.recurse", "false"
    yield "fetch.fsckObjects", "true"
    for flaw in _TOLERATED:
        yield f"fetch.fsck.{flaw}", "ignore"
    yield "fetch.unpackLimit", "1"
    yield "gc.auto", "0"
    yield "maintenance.auto", "false"
    if blob_filter:
        # without these, git would take the blobs that the last fetch left out for damage
        yield "remote.origin.promisor", "true"
        yield "remote.origin.partialclonefilter", blob_filter
    if remote.scheme in ("http", "https"):
        # a redirect would carry the token to wherever it points
        yield "http.followRedirects", "false"
        yield "http.lowSpeedLimit", "1000"
        yield "http.lowSpeedTime", str(stall_seconds)
        if remote.authorization:
            yield f"http.{remote.origin}.extraHeader", f"Authorization: {remote.authorization}"


def _environment(config: Iterator[tuple[str, str]], home: Path) -> dict[str, str]:
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environment |= {
        "HOME": str(home),  # no .netrc, no .gitconfig; without HOME both would be looked for in the user's folder
        "LC_ALL": "C",  # errors are told apart by their words
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_NO_LAZY_FETCH": "1",
    }
    count = 0
    for key, value in config:
        environment[f"GIT_CONFIG_KEY_{count}"] = key
        environment[f"GIT_CONFIG_VALUE_{count}"] = value
        count += 1
    environment["GIT_CONFIG_COUNT"] = str(count)
    return environment


async def _run(
    arguments: Sequence[str], environment: dict[str, str], path: Path, bounds: Bounds, lock: int
) -> tuple[int, str]:
    """The exit code and the last words of git, in its own process group; whatever ends the wait kills the group."""
    try:
        process = await asyncio.create_subprocess_exec(
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env=environment,
            cwd=path,
            start_new_session=True,
            pass_fds=(lock,),
        )
    except FileNotFoundError as error:
        raise FetchFailed("git is not installed on this server", repr(error)) from error
    tail = asyncio.create_task(_tail(process))
    watch = asyncio.create_task(_watch(path, bounds))
    try:
        await asyncio.wait({tail, watch}, return_when=asyncio.FIRST_COMPLETED)
        if watch.done():
            watch.result()
        return await process.wait(), await tail
    finally:
        watch.cancel()
        _kill(process)
        await process.wait()
        await asyncio.wait({tail, watch})


def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


async def _tail(process: asyncio.subprocess.Process) -> str:
    """The last of what git says; read to the end, so that git is never blocked by it."""
    assert process.stderr is not None  # noqa: S101
    kept = bytearray()
    while chunk := await process.stderr.read(_STDERR_BYTES):
        kept += chunk
        del kept[:-_STDERR_BYTES]
    return kept.decode(errors="replace")


async def _watch(path: Path, bounds: Bounds) -> None:
    """Raise FetchTooLarge when the repository has grown beyond its limit; else go on until cancelled."""
    while True:
        await asyncio.sleep(bounds.watch_seconds)
        if await asyncio.to_thread(size, path) > bounds.bytes:
            megabytes = max(1, bounds.bytes >> 20)
            raise FetchTooLarge(f"the repository needs more than {megabytes} MB, the limit for one mirror")


def size(path: Path) -> int:
    """Bytes of all files below `path`; 0 when there is none."""
    total = 0
    for folder, _, files in os.walk(path):
        for name in files:
            with contextlib.suppress(FileNotFoundError):
                total += (Path(folder) / name).lstat().st_size
    return total
