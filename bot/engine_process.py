"""The engine pool, parent side: untrusted plans and trees are judged in processes that hold nothing worth stealing.

A child starts with an environment of its own making (`_environment`), in an empty directory, with no descriptor but
its three streams, in its own process group, and with `-P`: neither the working directory nor a judged repository can
put a module in its way. A run that takes too long is killed with everything it started; so is a run whose caller is
cancelled. Children are kept for the next run, because their caches are warm.

Errors:
    EngineError               reason: one plain sentence for people; detail: for the log
    ├── EngineTimeout         the run took longer, or used more CPU time, than it may
    ├── EngineCrashed         the process ended, could not start, or broke the protocol
    │   └── EngineOutOfMemory
    ├── EngineFailed          the engine raised on this input
    └── EngineRefused         what was asked for is not there, or over a size limit; never a fault of the engine
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

import bot
from bot.engine_worker import HEADER, Limits

_STDERR_BYTES = 4096


class EngineError(Exception):
    """A run that gave no answer; for the caller that is `not_verified` with `reason`."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


class EngineTimeout(EngineError):  # noqa: N818
    pass


class EngineCrashed(EngineError):  # noqa: N818
    pass


class EngineOutOfMemory(EngineCrashed):
    pass


class EngineFailed(EngineError):  # noqa: N818
    pass


class EngineRefused(EngineError):  # noqa: N818
    pass


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """Times in seconds, sizes in bytes. `idle_seconds`: how long an unused child is kept."""

    seconds: float = 30.0
    cpu_seconds: int = 30
    memory_bytes: int = 2 << 30
    file_bytes: int = 1 << 20
    request_bytes: int = 64 << 20
    answer_bytes: int = 16 << 20
    start_seconds: float = 30.0
    idle_seconds: float = 120.0
    runs: int = 200


class EnginePool:
    """At most `size` engine processes. Belongs to one event loop; leaving the context kills every child.

    `worker` is the module that serves (tests bring one with more operations).
    """

    def __init__(self, size: int = 2, *, limits: EngineLimits | None = None, worker: str = "bot.engine_worker") -> None:
        if size < 1:
            raise ValueError("an engine pool needs at least one process")
        self._limits = limits or EngineLimits()
        self._worker = worker
        self._slots = asyncio.Semaphore(size)
        self._children: set[_Child] = set()
        self._idle: list[_Child] = []
        self._ending: set[asyncio.Task[None]] = set()
        self._directory: tempfile.TemporaryDirectory[str] | None = None

    async def __aenter__(self) -> Self:
        self._directory = tempfile.TemporaryDirectory(prefix="planproof-engine-")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        directory, self._directory = self._directory, None
        self._idle.clear()
        children = tuple(self._children)
        for child in children:
            child.kill()
        for child in children:
            await child.ended()
        if directory is not None:
            directory.cleanup()

    @property
    def pids(self) -> frozenset[int]:
        """The processes that are alive now, busy or idle."""
        return frozenset(child.pid for child in self._children)

    async def run(self, op: str, arguments: Mapping[str, Any]) -> Any:
        """The JSON value that operation `op` of the worker gives for `arguments` (JSON too).

        Raises an EngineError; RuntimeError outside the pool's context.
        """
        request = json.dumps({"op": op, "arguments": dict(arguments)}).encode()
        if len(request) > self._limits.request_bytes:
            raise EngineRefused(f"the request is larger than {_megabytes(self._limits.request_bytes)}")
        async with self._slots:
            child = self._take() or await self._start()
            kept = False
            try:
                answer = await self._ask(child, request)
                kept = not answer.get("spent") and child.runs < self._limits.runs and self._directory is not None
            finally:
                if kept:
                    self._keep(child)
                else:
                    await self._end(child)
        return _value(answer, self._limits)

    def _take(self) -> _Child | None:
        """An idle child that is still alive, the most recently used first."""
        while self._idle:
            child = self._idle.pop()
            child.busy()
            if child.alive:
                return child
            self._children.discard(child)
        return None

    def _keep(self, child: _Child) -> None:
        self._idle.append(child)
        child.idle(self._limits.idle_seconds, self._retire)

    def _retire(self, child: _Child) -> None:
        """An idle child goes: its memory matters more than the second that starting the next one takes."""
        if child in self._idle:
            self._idle.remove(child)
            task = asyncio.create_task(self._end(child))
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    async def _end(self, child: _Child) -> None:
        child.kill()
        try:
            await child.ended()
        finally:
            self._children.discard(child)

    async def _start(self) -> _Child:
        if self._directory is None:
            raise RuntimeError("the engine pool is not open")
        limits = self._limits
        passed = Limits(
            parent=os.getpid(),
            seconds=limits.seconds,
            cpu_seconds=limits.cpu_seconds,
            memory_bytes=limits.memory_bytes,
            file_bytes=limits.file_bytes,
            request_bytes=limits.request_bytes,
            answer_bytes=limits.answer_bytes,
        )
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # nothing is imported from the working directory
                "-s",  # nor from a user's site-packages, which without HOME could be a relative path
                "-m",
                self._worker,
                json.dumps(asdict(passed)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=_environment(),
                cwd=self._directory.name,
                close_fds=True,
                start_new_session=True,
            )
        except OSError as error:
            raise EngineCrashed("an engine process could not be started", repr(error)) from error
        child = _Child(process)
        self._children.add(child)
        ready = False
        try:
            async with asyncio.timeout(limits.start_seconds):
                await child.receive(1024)
            ready = True
        except TimeoutError as error:
            raise EngineCrashed("an engine process did not start in time", child.stderr) from error
        except _Ended as error:
            await child.ended()
            raise EngineCrashed("an engine process could not be started", child.stderr or str(error)) from error
        finally:
            if not ready:
                await self._end(child)
        return child

    async def _ask(self, child: _Child, request: bytes) -> dict[str, Any]:
        child.runs += 1
        try:
            async with asyncio.timeout(self._limits.seconds):
                await child.send(request)
                return await child.receive(self._limits.answer_bytes)
        except TimeoutError as error:
            raise EngineTimeout(f"judging took longer than {self._limits.seconds:g} s and was stopped") from error
        except _Ended as error:
            child.kill()
            await child.ended()
            _raise_for_exit(child, self._limits, str(error))


class _Ended(Exception):  # noqa: N818
    """The child closed its streams or sent what is no answer."""


class _Child:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.runs = 0
        self.pid = process.pid
        self._process = process
        self._tail = bytearray()
        self._drain = asyncio.create_task(self._collect_stderr())
        self._reap = asyncio.create_task(self._wait())
        self._timer: asyncio.TimerHandle | None = None

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    @property
    def returncode(self) -> int | None:
        return self._process.returncode

    @property
    def stderr(self) -> str:
        return self._tail.decode(errors="replace")

    def idle(self, seconds: float, retire: Callable[[_Child], None]) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, retire, self)

    def busy(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def send(self, body: bytes) -> None:
        assert self._process.stdin is not None  # noqa: S101
        try:
            self._process.stdin.write(HEADER.pack(len(body)) + body)
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError) as error:
            raise _Ended("the process closed its input") from error

    async def receive(self, limit: int) -> dict[str, Any]:
        assert self._process.stdout is not None  # noqa: S101
        try:
            (size,) = HEADER.unpack(await self._process.stdout.readexactly(HEADER.size))
            if size > limit + 1024:
                raise _Ended(f"an answer of {size} bytes was announced")
            answer = json.loads(await self._process.stdout.readexactly(size))
        except asyncio.IncompleteReadError as error:
            raise _Ended("the process closed its output") from error
        except (ValueError, RecursionError) as error:
            raise _Ended("the answer is not JSON") from error
        if not isinstance(answer, dict):
            raise _Ended("the answer is not an object")
        return answer

    def kill(self) -> None:
        """Kill the whole process group. Harmless when the process has ended."""
        self.busy()
        if self._process.returncode is None:
            self._kill_group()

    async def ended(self) -> None:
        """Wait until the process is reaped and its streams are closed."""
        await asyncio.wait({self._reap})
        # what escaped from the group could hold stderr open
        await asyncio.wait({self._drain}, timeout=1)
        self._drain.cancel()
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def _wait(self) -> None:
        await self._process.wait()
        # whatever it started goes with it, also when it ended by itself
        self._kill_group()

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    async def _collect_stderr(self) -> None:
        assert self._process.stderr is not None  # noqa: S101
        while chunk := await self._process.stderr.read(_STDERR_BYTES):
            self._tail += chunk
            del self._tail[:-_STDERR_BYTES]


def _environment() -> dict[str, str]:
    """What a child cannot start without, and nothing else.

    PYTHONPATH: where this package lies, unless the interpreter finds it anyway (a checkout that is not installed).
    LD_LIBRARY_PATH: where some hosts keep the interpreter's own shared library; copied when set.
    """
    environment: dict[str, str] = {}
    root = Path(bot.__path__[0]).resolve().parent
    if root not in {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}:
        environment["PYTHONPATH"] = str(root)
    if libraries := os.environ.get("LD_LIBRARY_PATH"):
        environment["LD_LIBRARY_PATH"] = libraries
    return environment


def _raise_for_exit(child: _Child, limits: EngineLimits, detail: str) -> NoReturn:
    code = child.returncode
    detail = child.stderr or detail
    if code == -signal.SIGXCPU:
        raise EngineTimeout(f"judging used more than {limits.cpu_seconds} s of processor time and was stopped", detail)
    if code == -signal.SIGALRM:
        raise EngineTimeout(f"judging took longer than {limits.seconds:g} s and was stopped", detail)
    if code is not None and code < 0:
        raise EngineCrashed(f"the engine process was ended by {_signal_name(-code)}", detail)
    raise EngineCrashed(f"the engine process ended unexpectedly (exit {code})", detail)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _value(answer: dict[str, Any], limits: EngineLimits) -> Any:
    if "ok" in answer:
        return answer["ok"]
    kind, message, detail = (str(answer.get(key, "")) for key in ("error", "message", "detail"))
    if kind == "memory":
        raise EngineOutOfMemory(f"judging needed more than {_megabytes(limits.memory_bytes)} of memory and was stopped")
    if kind == "refused":
        raise EngineRefused(message, detail)
    # the message may quote the judged repository, so it stays in the log
    raise EngineFailed(f"the engine failed on this input ({message.partition(':')[0]})", detail or message)


def _megabytes(size: int) -> str:
    return f"{max(1, size >> 20)} MB"
