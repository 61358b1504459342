"""The package of a workspace that a package manager is told to work in.

A command such as `pnpm --filter x`, `yarn workspace x` or `npm -w x` runs in the folder of the package, whatever folder
it is started in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bot.core.tree import Kind
from bot.core.verify import evidence, paths, shell
from bot.core.verify.targets import Miss, alike, ground
from bot.core.verify.world import World

_FLAGS = {"pnpm": ("--filter", "-F"), "npm": ("--workspace", "-w"), "bun": ("--filter", "-F")}
# patterns of names, dependents, changes since a commit: for the package manager to resolve
_NAME = re.compile(r"^@?[A-Za-z0-9][\w-]*(?:[./][\w-]+)*$")


@dataclass(frozen=True, slots=True)
class _Choice:
    """What is chosen, and the command without the choice."""

    name: str
    rest: tuple[str | None, ...]


def _choice(argv: Sequence[str | None]) -> _Choice | None:
    """The one package that a command chooses; None where it chooses none, several, or a pattern."""
    manager = argv[0]
    if manager == "yarn":
        name = argv[2] if len(argv) > 3 and argv[1] == "workspace" else None
        return _Choice(name, (manager, *argv[3:])) if name else None
    flags = _FLAGS.get(manager or "")
    if flags is None:
        return None
    names: list[str | None] = []
    rest: list[str | None] = [manager]
    index = 1
    while index < len(argv):
        word = argv[index]
        flag, sign, value = (word or "").partition("=")
        if word == "--" or (manager != "npm" and word is not None and word[:1] != "-" and word != "run"):
            break  # the rest belongs to what is run
        if flag in flags:
            names.append(value if sign else argv[index + 1] if index + 1 < len(argv) else None)
            index += 1 if sign else 2
            continue
        rest.append(word)
        index += 1
    rest += argv[index:]
    return _Choice(names[0], tuple(rest)) if len(names) == 1 and names[0] else None


def _folders(world: World, invocation: shell.Invocation, choice: _Choice) -> tuple[str, ...] | None:
    """The folders of the packages that may be meant; None where they cannot be known."""
    name = choice.name
    if name.startswith("./") or (invocation.argv[0] == "npm" and "/" in name and not name.startswith("@")):
        path = shell.join(invocation.cwd, name)
        return (path,) if path and world.tree.kind(path) is Kind.DIRECTORY else None
    packages = world.packages
    if packages is None or not _NAME.match(name):
        return None
    if name in packages or name.startswith("@"):
        return packages.get(name, ())
    # pnpm takes a name without its scope as well
    return tuple(folder for full in packages if full.endswith(f"/{name}") for folder in packages[full])


def inside(world: World, invocation: shell.Invocation) -> shell.Invocation:
    """The command as it runs in the folder of the package that it chooses; as it is where that cannot be told."""
    choice = _choice(invocation.argv) if invocation.argv else None
    found = _folders(world, invocation, choice) if choice else None
    if choice is None or found is None or len(found) != 1:
        return invocation
    return replace(invocation, argv=choice.rest, cwd=found[0], moved=True)


def judge(world: World, invocation: shell.Invocation, position: int) -> Iterator[Miss]:
    """A miss for a chosen package that no package.json is called, and that no task adds."""
    choice = _choice(invocation.argv) if invocation.argv else None
    if choice is None or invocation.cwd is None or world.abroad_at(position) or paths.is_placeholder(choice.name):
        return
    if _folders(world, invocation, choice) != () or not world.packages:
        return
    bare = choice.name.rpartition("/")[2]
    if world.made_by_name.get("package.json") or ground.announced(world, choice.name) or ground.announced(world, bare):
        return
    if any(path.endswith("package.json") for path in world.known_added):
        return
    near = alike(choice.name, world.packages, cutoff=70)
    folders = world.packages[near] if near else (each for every in world.packages.values() for each in every)
    folder = min(folders, key=lambda each: (each.count("/") + bool(each), each))
    path = f"{folder}/package.json" if folder else "package.json"
    shown = evidence.matching(world.tree, path, '"name"') or evidence.present(world.tree, path)
    yield Miss(choice.name, f"no package.json has the name {choice.name}, and no task adds one", shown, suggestion=near)
