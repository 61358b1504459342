"""Services and files that docker compose is given."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from bot.core import plain_yaml
from bot.core.plans.model import Expect
from bot.core.tree import Kind
from bot.core.verify import evidence, shell
from bot.core.verify.targets import Miss, alike, ground, presence
from bot.core.verify.world import World

_NAMES = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_OVERRIDES = tuple(name.replace(".y", ".override.y") for name in _NAMES)
_GLOBAL = frozenset({
    "-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory", "--ansi", "--parallel",
    "--progress",
})  # fmt: skip
# how each command takes services: all of its words, or the first alone
_ALL = frozenset({
    "up", "build", "start", "stop", "restart", "logs", "pull", "push", "rm", "kill", "create", "ps", "pause", "unpause",
    "top", "images", "down", "watch",
})  # fmt: skip
_FIRST = frozenset({"run", "exec", "port"})
_VALUED = frozenset({
    "--scale", "-t", "--timeout", "--wait-timeout", "--pull", "--attach", "--no-attach", "--exit-code-from", "-e",
    "--env", "-v", "--volume", "-p", "--publish", "-u", "--user", "-w", "--workdir", "--name", "--entrypoint",
    "--env-file", "--index", "--tail", "--since", "--until", "--build-arg", "-m", "--memory", "--ssh", "--progress",
    "--format", "--filter", "--status", "-s", "--signal", "--rmi", "--label", "-l", "--cap-add", "--cap-drop",
    "--builder", "--policy", "--protocol", "-n",
})  # fmt: skip
_SWITCHES = frozenset({
    "-d", "--detach", "--build", "--no-build", "--force-recreate", "--no-recreate", "--remove-orphans", "--wait", "-T",
    "--no-deps", "--rm", "-f", "--follow", "-a", "--all", "--quiet", "-q", "--no-cache", "--quiet-pull", "-it", "-i",
    "--no-log-prefix", "--no-color", "--abort-on-container-exit", "--always-recreate-deps", "-V", "--services",
    "--renew-anon-volumes", "--timestamps", "--menu", "--no-start", "--volumes", "--privileged", "--stop", "--force",
    "--interactive", "--tty", "--no-TTY", "--service-ports", "--use-aliases", "--include-deps", "--with-dependencies",
    "--ignore-pull-failures", "--ignore-buildable", "--check", "--no-trunc", "--orphans", "--dry-run", "-P",
})  # fmt: skip
_COMPOSE = re.compile(r"(?:^|/)(?:docker-)?compose[\w.-]*\.ya?ml$")
_OPEN = "leaves its services open, so they are not known"
_SERVICE = re.compile(r"^[A-Za-z0-9][\w.-]*$")


def services(text: str) -> frozenset[str] | None:
    """The services of a compose file; None when it is not valid, names none, or includes others."""
    try:
        data = plain_yaml.read(text)
    except plain_yaml.YamlError:
        return None
    if not isinstance(data, dict) or data.get("include") is not None:
        return None
    # without any it is a part of another file, or no compose file at all
    found = data.get("services")
    return frozenset(found) if isinstance(found, dict) else None


def _arguments(argv: Sequence[str | None]) -> Sequence[str | None] | None:
    if ground.program(argv[0]) == "docker-compose":
        return argv[1:]
    if ground.program(argv[0]) in ("docker", "podman") and len(argv) > 1 and argv[1] == "compose":
        return argv[2:]
    return None


def judge(world: World, invocation: shell.Invocation, position: int, expects: Expect) -> Iterator[Miss]:
    """A miss for each compose file that is nowhere, and each service that no compose file has and no task adds."""
    argv = _arguments(invocation.argv) if invocation.argv else None
    if argv is None or invocation.cwd is None:
        return
    at = 0
    while at < len(argv):
        word = argv[at]
        if word is None or not word.startswith("-"):
            break
        at += 2 if word in _GLOBAL else 1
    before = ground.read(argv[:at], _GLOBAL)
    if before.has("--project-directory") or at >= len(argv):
        return
    files: list[str] = []
    for cited in before.values("-f", "--file"):
        miss = presence.judge(world, invocation, cited, position, expects, "compose file")
        if miss is not None:
            yield miss
        path = shell.join(invocation.cwd, cited)
        if path is None or world.tree.kind(path) is not Kind.FILE:
            return
        files.append(path)
    files = files or _found(world, invocation.cwd, position)
    wanted = _wanted(argv[at:])
    if files and wanted:
        yield from _services(world, files, wanted, position)


def _found(world: World, cwd: str, position: int) -> list[str]:
    """The compose files that are used without `-f`, none where an environment file may name others."""
    path = ground.nearest(world, _NAMES, cwd, position)
    if path is None:
        return []
    folder = posixpath.dirname(path)
    beside = [posixpath.join(folder, name) for name in _OVERRIDES]
    if world.tree.kind(posixpath.join(folder, ".env")) is not Kind.MISSING or "COMPOSE_FILE" in world.text:
        return []
    if any(ground.may_change(world, each, position) for each in beside):
        return []
    return [path, *(each for each in beside if world.tree.kind(each) is Kind.FILE)]


def _wanted(argv: Sequence[str | None]) -> list[str]:
    command = argv[0]
    if command in _FIRST:
        # the words after the service are the container's own
        cut = ground.read(argv[1:], _VALUED, _SWITCHES).words[:1]
    elif command in _ALL:
        cut = ground.read(argv[1:], _VALUED, _SWITCHES).words
    else:
        return []
    if None in cut:
        cut = cut[: cut.index(None)]
    return [word for word in cut if word and _SERVICE.match(word)]


def _services(world: World, files: list[str], wanted: list[str], position: int) -> Iterator[Miss]:
    known: set[str] = set()
    for path in files:
        if ground.may_change(world, path, position):
            return
        found = ground.parsed(world, path, services, _OPEN)
        if found is None:
            return
        known.update(found)
    for name in wanted:
        if name in known or ground.announced(world, name) or _elsewhere(world, files, name):
            continue
        shown = evidence.matching(world.tree, files[0], "services:") or evidence.present(world.tree, files[0])
        message = f"{files[0]} has no service `{name}`, and no task adds one"
        if len(files) > 1:
            message = f"none of {', '.join(files[:4])} has a service `{name}`, and no task adds one"
        yield Miss(name, message, shown, suggestion=alike(name, known, cutoff=65))


def _elsewhere(world: World, files: list[str], name: str) -> bool:
    """Whether another compose file has the service: the reader may be meant to stand there, or to name that one."""

    def has(other: str) -> bool | None:
        found = ground.parsed(world, other, services, _OPEN)
        return None if found is None else name in found

    return ground.elsewhere(world, [path for path in world.once(_all) if path not in files], has)


def _all(world: World) -> tuple[str, ...]:
    return tuple(path for path in world.tree.paths() if _COMPOSE.search(path))
