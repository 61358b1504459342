"""The child side of the engine pool: `python -P -s -m bot.engine_worker LIMITS`.

One request in, one answer out, until stdin ends. A frame is four bytes of big-endian length and that many bytes of
JSON. A request is `{"op": …, "arguments": {…}}`; an answer is `{"ok": value}` or `{"error": kind, "message": …,
"detail": …}`, with `"spent": true` when the process should not be used again. LIMITS is a JSON object of the fields
of `Limits`. Nothing but the request tells this process what to do: it has no environment, no network client and no
key, and it puts itself under its limits before it reads anything.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import math
import os
import resource
import signal
import struct
import sys
import traceback
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.core.tree import Tree

Op = Callable[[dict[str, Any]], object]

HEADER = struct.Struct(">I")
MESSAGE_CHARACTERS = 500
DETAIL_CHARACTERS = 8_000
# answered when memory is short, so it must exist before
OUT_OF_MEMORY = json.dumps({"error": "memory", "message": "out of memory", "spent": True}).encode()

_WINDOW_BYTES = 16 << 20

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38


@dataclass(frozen=True, slots=True)
class Limits:
    """What one child may use. `seconds` and `cpu_seconds` hold for one run, the sizes (bytes) for the whole process.

    `parent` is the process id of the pool: a child that finds itself with another parent has been orphaned.
    """

    parent: int
    seconds: float
    cpu_seconds: int
    memory_bytes: int
    file_bytes: int
    request_bytes: int
    answer_bytes: int


class Refusal(Exception):  # noqa: N818
    """What was asked for is not there; the message is for the person who asked."""


def _judge(arguments: dict[str, Any]) -> object:
    """`arguments`: a `schemas.engine.Request`. The value: a `schemas.verify_report.VerifyReport`."""
    from bot.core.judge import InputError, judge
    from schemas.engine import Request

    try:
        return judge(Request.model_validate(arguments), on_error=_raise).model_dump(mode="json")
    except InputError as error:
        raise Refusal(str(error)) from error


def _find_plans(arguments: dict[str, Any]) -> object:
    """`arguments`: those of `bot.core.judge.find_plans`. The value: a list of paths."""
    from bot.core.judge import InputError, find_plans
    from bot.core.tree import TreeError

    try:
        return find_plans(**arguments)
    except (InputError, TreeError) as error:
        raise Refusal(str(error)) from error


def _plan_check(arguments: dict[str, Any]) -> object:
    """`arguments`: a `schemas.engine.PlanCheckRequest`. The value: a `schemas.plan_check_result.PlanCheckResult`."""
    from bot.core.judge import InputError
    from bot.core.reuse.ask import ask
    from bot.core.tree import TreeError
    from schemas.engine import PlanCheckRequest

    try:
        return ask(PlanCheckRequest.model_validate(arguments)).model_dump(mode="json")
    except (InputError, TreeError) as error:
        raise Refusal(str(error)) from error


def _holds_tasks(arguments: dict[str, Any]) -> object:
    """`arguments`: `text`. The value: whether it reads as a plan with tasks."""
    from bot.core.reuse.ask import holds_tasks

    return holds_tasks(arguments["text"])


def _read_files(arguments: dict[str, Any]) -> object:
    """`arguments`: `repo`, `rev`, `paths`. The value: {path: text} of those that can be read at that commit.

    With `raw`: {path: {"blob": id, "base64": content}} of those that are there, where nothing is decoded or left out;
    with "problem", why it cannot be read, in the place of the content where there is none. A symbolic link counts as
    not there: what GitHub gives in its place is another file.
    """
    from bot.core.tree import InputError, Kind, Text, Tree, TreeError

    try:
        tree = Tree.open(arguments["repo"], arguments["rev"])
        if arguments.get("raw"):
            there = [path for path in arguments["paths"] if tree.kind(path) not in (Kind.MISSING, Kind.SYMLINK)]
            return {path: _raw(path, tree) for path in there}
        found = {path: tree.read(path) for path in arguments["paths"]}
    except (InputError, TreeError) as error:
        raise Refusal(str(error)) from error
    return {path: read.text for path, read in found.items() if isinstance(read, Text)}


def _raw(path: str, tree: Tree) -> dict[str, str]:
    from bot.core.tree import Unreadable

    data = tree.read_bytes(path)
    content = {"problem": data.reason} if isinstance(data, Unreadable) else {"base64": b64encode(data).decode()}
    return {"blob": tree.blob_id(path) or "", **content}


def _raise(error: BaseException) -> None:
    """Let the pool tell an engine's own errors from its reports, and a spent process from a sound one."""
    raise error


# each op imports what it needs at its first use: a child that only lists plans never pays for the grammars
OPS: Mapping[str, Op] = MappingProxyType(
    {
        "find_plans": _find_plans,
        "holds_tasks": _holds_tasks,
        "judge": _judge,
        "plan_check": _plan_check,
        "read": _read_files,
    }
)


def serve(ops: Mapping[str, Op] = OPS) -> None:
    """Answer requests until stdin ends. `ops` names all that can be asked for."""
    limits = Limits(**json.loads(sys.argv[1]))
    _die_with_parent(limits.parent)
    _apply(limits)
    requests, answers = _claim_streams()
    _bound_git(limits)
    _send(answers, b'{"ok":"ready"}')
    while (raw := _receive(requests, limits.request_bytes)) is not None:
        _arm(limits)
        answer, spent = _answer(ops, raw, limits)
        _disarm()
        _send(answers, answer)
        if spent:
            return


def _answer(ops: Mapping[str, Op], raw: bytes, limits: Limits) -> tuple[bytes, bool]:
    """The encoded answer, and whether the process is spent."""
    try:
        request = json.loads(raw)
        op = ops.get(request["op"])
        if op is None:
            return _error("refused", f"no operation is named {request['op']!r}"), False
        answer = json.dumps({"ok": op(request["arguments"])}, allow_nan=False, separators=(",", ":")).encode()
    except MemoryError:
        return OUT_OF_MEMORY, True
    except Refusal as refusal:
        return _error("refused", str(refusal)), False
    except Exception as error:  # noqa: BLE001  whatever an engine raises becomes an answer
        return _error("failed", _describe(error), detail=traceback.format_exc()), False
    except BaseException as error:  # noqa: BLE001  a panic in a native library is a BaseException; its state is suspect
        return _error("failed", _describe(error), detail=traceback.format_exc(), spent=True), True
    if len(answer) > limits.answer_bytes:
        return _error("refused", f"the answer is larger than {limits.answer_bytes} bytes"), False
    return answer, False


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _error(kind: str, message: str, *, detail: str = "", spent: bool = False) -> bytes:
    fields = {
        "error": kind,
        "message": message[:MESSAGE_CHARACTERS],
        "detail": detail[-DETAIL_CHARACTERS:],
        "spent": spent,
    }
    return json.dumps(fields).encode()


def _claim_streams() -> tuple[int, int]:
    """Private descriptors for the protocol; a library that prints or reads then reaches neither end of it."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def _receive(descriptor: int, limit: int) -> bytes | None:
    """The next frame; None at the end of the stream or when the frame is not one of ours."""
    header = _read(descriptor, HEADER.size)
    if header is None:
        return None
    (size,) = HEADER.unpack(header)
    return _read(descriptor, size) if size <= limit else None


def _read(descriptor: int, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = os.read(descriptor, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _send(descriptor: int, body: bytes) -> None:
    view = memoryview(HEADER.pack(len(body)) + body)
    while view:
        view = view[os.write(descriptor, view) :]


def _die_with_parent(parent: int) -> None:
    """Let the kernel kill this process when the pool's process dies, however it dies.

    Where there is no prctl (macOS), the end of stdin ends the process between runs and the alarm within one.
    """
    if sys.platform == "linux":
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit("the parent was gone before this process had started")


def _apply(limits: Limits) -> None:
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, limits.file_bytes)
    _limit(resource.RLIMIT_AS, limits.memory_bytes)
    # both end the process at once and by themselves: no handler of Python runs while native code does not return
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)


def _limit(what: int, value: int) -> None:
    _, hard = resource.getrlimit(what)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    # macOS knows RLIMIT_AS and refuses to set it
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(what, (value, value))


def _arm(limits: Limits) -> None:
    """Bound the run that starts now: CPU time by the kernel, wall time by an alarm a little after the pool's own."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = math.ceil(used.ru_utime + used.ru_stime) + limits.cpu_seconds
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
    signal.alarm(math.ceil(limits.seconds) + 5)


def _disarm() -> None:
    signal.alarm(0)


def _bound_git(limits: Limits) -> None:
    """Keep libgit2's mapped pack windows well inside the address space, and let it read no configuration but a
    repository's own. By default it maps up to 8 GB, so that a large pack alone would hit the memory limit.
    """
    import pygit2
    from pygit2.enums import ConfigLevel

    pygit2.settings.mwindow_size = _WINDOW_BYTES
    pygit2.settings.mwindow_mapped_limit = max(_WINDOW_BYTES, limits.memory_bytes // 8)
    for level in (ConfigLevel.PROGRAMDATA, ConfigLevel.SYSTEM, ConfigLevel.XDG, ConfigLevel.GLOBAL):
        pygit2.settings.search_path[level] = ""


if __name__ == "__main__":
    serve()
