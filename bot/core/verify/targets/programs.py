"""Scripts and modules that an interpreter is handed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from bot.core.plans.model import Expect
from bot.core.tree import Kind
from bot.core.verify import evidence, paths, shell
from bot.core.verify.targets import TYPE, Miss, ground, presence, tools
from bot.core.verify.world import World

_MODULE = re.compile(r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$")
# a program without one of these ends may be what a build leaves behind
_SCRIPT = re.compile(rf"\.(?:sh|bash|zsh|py|{tools.JS_END}|rb|pl|ps1|bats)$")
_VALUED = {
    "python": frozenset({"-W", "-X", "-m", "-c"}),
    "node": frozenset({"-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file", "-e", "-p",
                       "--eval", "--print", "-C", "--conditions", "--test-name-pattern", "--test-reporter",
                       "--test-reporter-destination", "--max-old-space-size", "--inspect-port"}),
    "bash": frozenset({"-o", "-O", "-c", "--rcfile", "--init-file"}),
    "deno": frozenset({"--config", "-c", "--import-map", "--lock", "--cert", "--location", "--seed", "-r"}),
    "bun": frozenset({"--env-file", "-r", "--preload", "--config", "-c", "--tsconfig-override", "-e", "--port"}),
    "tsx": frozenset({"--tsconfig", "--env-file", "-r", "--import", "-e", "--eval"}),
    "ts-node": frozenset({"-P", "--project", "-r", "--require", "-e", "-O"}),
    "ruby": frozenset({"-r", "-I", "-e", "-C"}),
    "perl": frozenset({"-I", "-M", "-e"}),
}  # fmt: skip
_INLINE = ("-c", "-e", "-p", "--eval", "--print", "-M")


def _script(name: str, argv: Sequence[str | None]) -> str | None:
    """The script among the words after an interpreter's name; None where it runs something else."""
    words = list(argv)
    if name == "deno":
        if not words or words[0] not in ("run", "test", "bench", "check", "compile"):
            return None
        words = words[1:]
    if name == "bun":
        if words[:1] == ["run"]:
            words = words[1:]
        elif not words or words[0] is None or not words[0].endswith(tools.JS_ENDS):
            return None
    line = ground.read(words, _VALUED[name])
    if line.has(*_INLINE, "-m", "-") or (name == "node" and line.has("--test")):
        return None
    first = line.words[0] if line.words else None
    return first if first and _SCRIPT.search(first) else None


def judge(world: World, invocation: shell.Invocation, position: int, expects: Expect) -> Iterator[Miss]:
    """A miss for a script that is nowhere, gone or made too late, and for a module that a package of the tree lacks."""
    invocation = tools.started(invocation)
    argv = invocation.argv
    if not argv or argv[0] is None:
        return
    name = ground.program(argv[0])
    name = "python" if ground.is_python(name) else "bash" if name in ("sh", "zsh", "dash") else name
    if name in _VALUED:
        cited = _script(name, argv[1:])
        if name == "python" and invocation.cwd is not None:
            yield from _modules(world, invocation, position)
    else:
        cited = argv[0] if argv[0].startswith(("./", "../")) or "/" in argv[0] else None
        if cited is not None and not _SCRIPT.search(cited):
            return
    miss = presence.judge(world, invocation, cited, position, expects, "script")
    if miss is not None:
        yield miss


def _modules(world: World, invocation: shell.Invocation, position: int) -> Iterator[Miss]:
    line = ground.read(invocation.argv[1:], _VALUED["python"])
    named = next((at for at, word in enumerate(invocation.argv) if word == "-m"), None)
    if named is None or line.has("-c") or named + 1 >= len(invocation.argv):
        return
    wanted = [invocation.argv[named + 1]]
    if wanted[0] == "unittest":
        rest = ground.read(invocation.argv[named + 2 :], frozenset({"-k", "-s", "-p", "-t"}))
        wanted = [word for word in rest.words if word != "discover"] if "discover" not in rest.words else []
    elif wanted[0] in ("py_compile", "doctest"):
        return
    for dotted in wanted:
        if dotted and _MODULE.match(dotted) and not world.abroad_at(position):
            miss = _module(world, invocation, dotted, position)
            if miss is not None:
                yield miss


def _module(world: World, invocation: shell.Invocation, dotted: str, position: int) -> Miss | None:
    """A miss when the top package is in the tree and the module under it is not."""
    top, second = dotted.split(".")[:2]
    cwd = invocation.cwd or ""
    bases = [base for base in (cwd, posixpath.join(cwd, "src")) if _is_package(world, posixpath.join(base, top))]
    if not bases or paths.is_placeholder(dotted.replace(".", "/")):
        return None
    # further parts may be classes and functions of the module
    tails = [f"{top}/{second}"] if ".test" in dotted or top.startswith("test") else [dotted.replace(".", "/")]
    if tails[0].count("/") > 1:
        tails.insert(0, posixpath.dirname(tails[0]))
    for tail in tails:
        if any(_may_be(world, posixpath.join(base, tail), position) for base in bases):
            continue
        if world.tree.by_suffix(f"{tail}.py") or world.tree.by_suffix(tail) or world.made_alike(f"{tail}.py"):
            return None
        if dotted in presence.quiet_lines(world) or f"{tail}.py" in world.text:
            return None
        path = f"{posixpath.join(bases[0], tail)}.py"
        if paths.is_generated(world.tree, path):
            return None
        shown = evidence.absent(world.tree, path)
        near = world.tree.nearest(path, limit=1)
        message = f"there is no module `{tail.replace('/', '.')}`, and no task adds one"
        return Miss(dotted, message, shown, suggestion=near[0] if near else None) if shown else None
    return None


def _is_package(world: World, folder: str) -> bool:
    return world.tree.kind(folder) is Kind.DIRECTORY and any(
        child.endswith(".py") for child in world.tree.children(folder)
    )


def _may_be(world: World, path: str, position: int) -> bool:
    """Whether a module is there in some form, or may be by then."""
    if any(presence.there(world, each, position) is not False for each in (f"{path}.py", path)):
        return True
    if ground.cited_below(world, path) or ground.cited_below(world, f"{path}.py"):
        return True
    folder, name = posixpath.split(path)
    if folder in world.walk.filled or any(child.partition(".")[0] == name for child in world.tree.children(folder)):
        return True
    # a name that the package itself defines or imports
    head = posixpath.join(folder, "__init__.py")
    if world.changed(head):
        return True
    if world.tree.kind(head) is not Kind.FILE:
        return False
    text = world.text_of(head, TYPE.value)
    return text is None or re.search(rf"\b{re.escape(name)}\b", text) is not None
