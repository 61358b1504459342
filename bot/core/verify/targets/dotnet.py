"""Projects, solutions and folders that dotnet is given."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from bot.core.plans.model import Expect
from bot.core.tree import Kind
from bot.core.verify import evidence, paths, shell
from bot.core.verify.targets import Miss, ground, presence
from bot.core.verify.world import World

_COMMANDS = frozenset({"build", "test", "run", "restore", "publish", "pack", "clean", "format", "watch"})
_VALUED = frozenset({
    "-c", "--configuration", "-f", "--framework", "-r", "--runtime", "-o", "--output", "-v", "--verbosity", "-p",
    "--project", "--filter", "-l", "--logger", "--collect", "--settings", "-s", "--results-directory", "-a", "--arch",
    "--os", "--launch-profile", "--diag", "-d", "--test-adapter-path", "--blame-hang-timeout", "-e", "--environment",
    "--source", "--version-suffix", "--property", "--include", "--exclude", "--diagnostics", "--severity",
})  # fmt: skip
_PROJECTS = (".csproj", ".fsproj", ".vbproj", ".sln", ".slnx", ".slnf", ".proj", ".esproj")
_PASSED_ON = frozenset({"run", "watch"})  # their words are the program's own


def judge(world: World, invocation: shell.Invocation, position: int, expects: Expect) -> Iterator[Miss]:
    """A miss for each project or solution that is nowhere, and each folder without one."""
    argv = invocation.argv
    if ground.program(argv[0]) != "dotnet" or len(argv) < 2 or argv[1] not in _COMMANDS:
        return
    line = ground.read(argv[2:], _VALUED)
    named = list(line.values("--project"))
    if argv[1] in _PASSED_ON:
        named += line.values("-p")
    else:
        named += [word for word in line.words[:1] if word]
    for word in named:
        if not word or "=" in word or paths.is_placeholder(word):
            continue
        word = word.replace("\\", "/")
        if word.endswith(_PROJECTS):
            miss = presence.judge(world, invocation, word, position, expects, "project")
        else:
            miss = _folder(world, invocation, word, position)
        if miss is not None:
            yield miss


def _folder(world: World, invocation: shell.Invocation, word: str, position: int) -> Miss | None:
    """A miss for a folder of the tree that holds no project."""
    path = shell.join(invocation.cwd, word)
    if not path or paths.has_extension(path) or ground.cited_below(world, path) or world.abroad_at(position):
        return None
    if path in world.walk.filled or path in world.made_below or path in world.added_below:
        return None
    kind = world.tree.kind(path)
    if kind is Kind.DIRECTORY:
        if any(child.endswith(_PROJECTS) for child in world.tree.children(path)):
            return None
        return Miss(
            word, f"{path} holds no project or solution, and no task adds one", evidence.present(world.tree, path)
        )
    parent = posixpath.dirname(path)
    if kind is not Kind.MISSING or not parent or world.tree.kind(parent) is not Kind.DIRECTORY:
        return None
    if world.tree.by_suffix(word.strip("./")) or f"{path}/" in presence.quiet_lines(world):
        return None
    near = world.tree.nearest(f"{path}/{posixpath.basename(path)}.csproj", limit=1)
    shown = evidence.absent(world.tree, path)
    return Miss(word, f"there is no {path}, and no task creates it", shown, suggestion=near[0] if near else None)
