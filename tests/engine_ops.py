"""An engine worker for tests: the real serving loop with operations that look around in it and that misbehave."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pygit2

from bot.engine_worker import OPS, serve


class Panic(BaseException):
    """What a native library's panic looks like from Python."""


def echo(arguments: dict[str, Any]) -> object:
    return arguments


def look_around(arguments: dict[str, Any]) -> object:
    descriptors = []
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        try:
            descriptors.append(os.readlink(f"/proc/self/fd/{name}"))  # noqa: PTH115
        except OSError:
            continue
    return {
        "environ": Path("/proc/self/environ").read_bytes().decode(),
        "cmdline": Path("/proc/self/cmdline").read_bytes().decode(),
        "os_environ": dict(os.environ),
        "cwd": str(Path.cwd()),
        "cwd_entries": sorted(os.listdir()),  # noqa: PTH208
        "sys_path": sys.path,
        "bot": sys.modules["bot"].__file__,
        "modules": sorted(name for name in sys.modules if name in ("sitecustomize", "usercustomize", "intruder")),
        "descriptors": descriptors,
        "pid": os.getpid(),
        "group": os.getpgrp(),
        "core": resource.getrlimit(resource.RLIMIT_CORE),
    }


def chdir(arguments: dict[str, Any]) -> object:
    """Go to a judged tree, as no engine does, then import what an engine might import late."""
    os.chdir(arguments["to"])
    import bot.core

    try:
        import intruder  # type: ignore[import-not-found]  # noqa: F401
    except ImportError:
        found = False
    else:
        found = True
    return {"bot.core": bot.core.__file__, "intruder": found}


def spin(arguments: dict[str, Any]) -> object:
    while True:
        pass


def sleep(arguments: dict[str, Any]) -> object:
    Path(arguments["mark"]).write_text(str(os.getpid()))
    time.sleep(arguments.get("seconds", 3600))
    return "woke"


def hoard(arguments: dict[str, Any]) -> object:
    kept = []
    while True:
        kept.append(bytearray(8 << 20))


def die(arguments: dict[str, Any]) -> object:
    sys.stderr.write("last words\n")
    sys.stderr.flush()
    os.kill(os.getpid(), getattr(signal, arguments["signal"]))
    time.sleep(3600)
    return None


def leave(arguments: dict[str, Any]) -> object:
    os._exit(7)


def fail(arguments: dict[str, Any]) -> object:
    raise ValueError("the text of a private file")


def panic(arguments: dict[str, Any]) -> object:
    raise Panic("assertion failed")


def chatter(arguments: dict[str, Any]) -> object:
    print("not an answer")  # noqa: T201
    sys.stdout.flush()
    os.write(1, b"\x00\x00\x00\x02{}")
    return {"stdin": os.read(0, 10).decode()}


def long_answer(arguments: dict[str, Any]) -> object:
    return "x" * arguments["size"]


def lie(arguments: dict[str, Any]) -> object:
    """Write raw bytes into the protocol, as a child that was taken over could."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        descriptor = int(name)
        if descriptor > 2:
            try:
                os.write(descriptor, bytes.fromhex(arguments["hex"]))
            except OSError:
                continue
    time.sleep(3600)
    return None


def spawn(arguments: dict[str, Any]) -> object:
    """Start a grandchild, then hang."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
    Path(arguments["mark"]).write_text(str(child.pid))
    time.sleep(3600)
    return None


def write_file(arguments: dict[str, Any]) -> object:
    Path(arguments["path"]).write_bytes(bytes(arguments["size"]))
    return None


def git_config(arguments: dict[str, Any]) -> object:
    repo = pygit2.Repository(arguments["repo"])
    return {"names": sorted(entry.name for entry in repo.config)}


_MORE = (
    echo, look_around, chdir, spin, sleep, hoard, die, leave, fail, panic, chatter, long_answer, lie, spawn, write_file,
    git_config,
)  # fmt: skip

if __name__ == "__main__":
    serve({**OPS, **{op.__name__: op for op in _MORE}})
