"""Tasks that go-task takes from the Taskfile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.core import plain_yaml
from bot.core.tree import Kind
from bot.core.verify import evidence, shell
from bot.core.verify.targets import TYPE, Miss, alike, ground
from bot.core.verify.world import World

_NAMES = (
    "Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml",
    "Taskfile.dist.yml", "taskfile.dist.yml", "Taskfile.dist.yaml", "taskfile.dist.yaml",
)  # fmt: skip
_VALUED = frozenset({
    "-t", "--taskfile", "-d", "--dir", "-C", "--concurrency", "-o", "--output", "-I", "--interval", "--sort",
    "--output-group-begin", "--output-group-end", "--timeout", "--expiry",
})  # fmt: skip
_SAYS_SO = ("-l", "--list", "-a", "--list-all", "-i", "--init", "-g", "--global", "-h", "--help", "--version",
            "--completion", "-j", "--json")  # fmt: skip
_WORD = re.compile(r"^[A-Za-z_][\w:.-]*$")
_OPEN = "leaves its tasks open, so they are not known"


@dataclass(frozen=True, slots=True)
class _Tasks:
    names: frozenset[str]
    namespaces: frozenset[str]  # what other files are included as: theirs are not known
    open: bool


def _aliases(entry: plain_yaml.Value) -> Iterator[str]:
    listed = entry.get("aliases") if isinstance(entry, dict) else None
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, str):
            yield each


def parsed(text: str) -> _Tasks | None:
    """What a Taskfile declares, None when it is no valid one; `open` where its names are not all literal."""
    try:
        data = plain_yaml.read(text)
    except plain_yaml.YamlError:
        return None
    if not isinstance(data, dict) or not isinstance(tasks := data.get("tasks"), dict):
        return None
    names = set(tasks)
    for each in tasks.values():
        names.update(_aliases(each))
    includes = data.get("includes")
    namespaces: set[str] = set()
    flat = False
    if isinstance(includes, dict):
        for name, include in includes.items():
            namespaces.add(name)
            if isinstance(include, dict):
                flat = flat or include.get("flatten") == "true"
            namespaces.update(_aliases(include))
    elif includes is not None:
        flat = True
    return _Tasks(frozenset(names), frozenset(namespaces), flat or any("*" in name for name in names))


def judge(world: World, invocation: shell.Invocation, position: int) -> Iterator[Miss]:
    """A miss for each task that the Taskfile does not have and that the plan does not add."""
    if ground.program(invocation.argv[0]) not in ("task", "go-task"):
        return
    line = ground.read(invocation.argv[1:], _VALUED)
    if line.has(*_SAYS_SO):
        return
    cwd, _ = ground.moved_to(invocation, line.values("-d", "--dir"))
    if cwd is None:
        return
    files = line.values("-t", "--taskfile")
    if files:
        path = shell.join(invocation.cwd, files[-1])
        if path is None or world.tree.kind(path) is not Kind.FILE or ground.may_change(world, path, position):
            return
    else:
        path = ground.nearest(world, _NAMES, cwd, position)
    known = ground.parsed(world, path, parsed, _OPEN) if path else None
    if path is None or known is None:
        return
    if known.open:
        world.note(TYPE.value, f"{path} {_OPEN}")
        return
    for name in line.words:
        if name is None or not _WORD.match(name) or name in known.names:
            if name is None:
                return
            continue
        if name.partition(":")[0] in known.namespaces or ground.announced(world, name):
            continue
        if _elsewhere(world, path, name):
            continue
        shown = evidence.matching(world.tree, path, "tasks:") or evidence.present(world.tree, path)
        near = alike(name, known.names, cutoff=65)
        yield Miss(name, f"{path} has nothing called `{name}`, and no task adds one", shown, suggestion=near)


def _elsewhere(world: World, path: str, name: str) -> bool:
    """Whether another Taskfile has it: the reader may be meant to stand there."""

    def has(other: str) -> bool | None:
        found = ground.parsed(world, other, parsed, _OPEN)
        return None if found is None or found.open else name in found.names

    return ground.elsewhere(world, [each for file in _NAMES for each in world.tree.by_name(file) if each != path], has)
