"""Packages and files that the go command is given."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from bot.core.plans.model import Expect
from bot.core.tree import Kind
from bot.core.verify import evidence, paths, shell
from bot.core.verify.targets import TYPE, Miss, alike, ground, presence
from bot.core.verify.world import World

_COMMANDS = frozenset({"test", "build", "vet", "run", "install", "list", "fmt", "fix"})
_VALUED = frozenset({
    "-o", "-run", "-bench", "-benchtime", "-count", "-timeout", "-tags", "-ldflags", "-gcflags", "-asmflags", "-mod",
    "-modfile", "-C", "-p", "-parallel", "-cpu", "-coverprofile", "-covermode", "-coverpkg", "-cpuprofile", "-exec",
    "-memprofile", "-mutexprofile", "-blockprofile", "-trace", "-overlay", "-shuffle", "-skip", "-list", "-fuzz",
    "-fuzztime", "-outputdir", "-pkgdir", "-toolexec", "-buildmode", "-compiler", "-installsuffix", "-vet", "-f",
    "-vettool", "-pgo",
})  # fmt: skip
_MODULE = re.compile(r"(?m)^module[ \t]+\"?([^\s\"]{1,300})")
_SHAPE = re.compile(r"^[\w.@/-]+$")


def _single_dashed(argv: Sequence[str | None]) -> list[str | None]:
    """go takes `--run` for `-run`."""
    return [f"-{word.lstrip('-')}" if word and word.startswith("--") and len(word) > 2 else word for word in argv]


def judge(world: World, invocation: shell.Invocation, position: int, expects: Expect) -> Iterator[Miss]:
    """A miss for each package that has no folder, or whose folder has no Go file, and for each file that is nowhere."""
    argv = invocation.argv
    if ground.program(argv[0]) != "go" or len(argv) < 2:
        return
    start = 1
    if argv[1] == "-C" and len(argv) > 3:
        invocation = shell.Invocation(argv, *ground.moved_to(invocation, [argv[2]]))
        start = 3
    if argv[start] not in _COMMANDS:
        return
    line = ground.read(_single_dashed(argv[start + 1 :]), _VALUED)
    cwd, moved = ground.moved_to(invocation, line.values("-C"))
    if cwd is None:
        return
    words = line.words[:1] if argv[start] == "run" else line.words
    if None in line.words or line.has("-args"):
        words = words[: next((at for at, word in enumerate(words) if word is None), len(words))]
        if line.has("-args"):
            words = words[:1]
    here = shell.Invocation(argv, cwd, moved)
    for word in words:
        if not word or not _SHAPE.match(word) or paths.is_placeholder(word.removesuffix("...")):
            continue
        if word.endswith(".go"):
            miss = presence.judge(world, here, word, position, expects, "file")
        else:
            miss = _package(world, here, word, position)
        if miss is not None:
            yield miss


def _package(world: World, invocation: shell.Invocation, word: str, position: int) -> Miss | None:
    cwd = invocation.cwd
    module = _module(world, cwd or "")
    if module is None:
        return None
    folder, name = module
    pattern = word
    if not word.startswith(("./", "../")):
        if not name or not word.startswith(f"{name}/"):
            return None
        pattern, cwd = word[len(name) + 1 :], folder
    wild = pattern.endswith("/...")
    path = shell.join(cwd, pattern.removesuffix("/...").rstrip("/") or ".")
    if not path or "..." in path or path in world.known_added:
        return None
    kind = world.tree.kind(path)
    if kind not in (Kind.MISSING, Kind.DIRECTORY):
        return None
    if _may_be_filled(world, path):
        return None
    near = _near(world, path)
    abroad = world.abroad_at(position)
    if near is None and abroad:
        return None
    if kind is Kind.DIRECTORY:
        if wild or abroad or any(child.endswith((".go", ".s")) for child in world.tree.children(path)):
            return None
        shown = evidence.present(world.tree, path)
        return Miss(word, f"{path} has no Go file, and no task adds one", shown, suggestion=near) if shown else None
    parent = posixpath.dirname(path)
    if near is None and not world.works_here(position) and not _around(world, parent):
        # a whole area that is not there is more likely another module's than misspelt
        return None
    if near is None and paths.is_generated(world.tree, f"{path}/"):
        return None
    if world.tree.by_suffix(pattern.removeprefix("./").removesuffix("/...").rstrip("/")):
        return None
    shown = evidence.absent(world.tree, path)
    return Miss(word, f"there is no package {path}, and no task creates it", shown, suggestion=near, nowhere=True)


def _around(world: World, parent: str) -> bool:
    return bool(parent) and world.tree.kind(parent) is Kind.DIRECTORY


def _may_be_filled(world: World, path: str) -> bool:
    """Whether the plan, or another of its folder, puts something there or speaks of the folder itself."""
    if path in world.made_below or ground.cited_below(world, path) or path in world.walk.filled:
        return True
    if any(folder in world.walk.filled for folder in ground.upward(posixpath.dirname(path)) if folder):
        return True
    if path in world.added_below:
        return True
    if f"{path}/" in presence.quiet_lines(world):
        return True
    return any(f"{path}/" in document.text for document in world.siblings)


def _module(world: World, cwd: str) -> tuple[str, str] | None:
    """The folder and the name of the module that `cwd` is in; None where there is none, or it may be a new one."""
    path = ground.nearest(world, ("go.mod",), cwd, -1)
    if path is None or any(posixpath.dirname(made) for made in world.made_by_name.get("go.mod", ())):
        return None
    name = world.parsed(path, _module_name, TYPE.value)
    return (posixpath.dirname(path), name) if name is not None else None


def _module_name(text: str) -> str:
    found = _MODULE.search(text)
    return found.group(1) if found else ""


def _near(world: World, path: str) -> str | None:
    """The folder of the tree that `path` must mean: one of its segments is a little different."""
    parts = path.split("/")
    depth = next((at for at in range(len(parts)) if world.tree.kind("/".join(parts[: at + 1])) is Kind.MISSING), None)
    if depth is None:
        return None
    above, rest = "/".join(parts[:depth]), parts[depth + 1 :]
    beside = {
        child
        for child in world.tree.children(above or ".")[: presence.MAX_BESIDE]
        if world.tree.kind(posixpath.join(above, child, *rest)) is Kind.DIRECTORY
    }
    for made in world.made_below:
        if made.startswith(f"{above}/" if above else "") and made.split("/")[depth + 1 :] == rest:
            beside.add(made.split("/")[depth])
    best = alike(parts[depth], beside, cutoff=presence.LIKE)
    return posixpath.join(above, best, *rest) if best else None
