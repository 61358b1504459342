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
from bot.core.verify.targets import TYPE, Miss, alike, ground, package_json
from bot.core.verify.world import World

MAX_PACKAGES = 400  # files named package.json that are read for their names

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
    manager = ground.program(argv[0])
    if manager == "yarn":
        name = argv[2] if len(argv) > 3 and argv[1] == "workspace" else None
        return _Choice(name, (argv[0], *argv[3:])) if name else None
    flags = _FLAGS.get(manager)
    if flags is None:
        return None
    names: list[str | None] = []
    rest: list[str | None] = [argv[0]]
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


def packages(world: World) -> dict[str, tuple[str, ...]] | None:
    """The names in the tree's package.json files and the folders of each; None when there are too many files, or one
    cannot be read."""
    return world.once(_packages)


def _packages(world: World) -> dict[str, tuple[str, ...]] | None:
    every = [path for path in world.tree.by_name("package.json") if "node_modules/" not in path]
    if len(every) > MAX_PACKAGES:
        world.note(TYPE.value, f"{len(every)} files named package.json are too many to know their names")
        return None
    found: dict[str, tuple[str, ...]] = {}
    for path in every:
        if world.text_of(path, TYPE.value) is None:
            return None
        package = package_json.of(world, path)
        if package is not None and package.name is not None:
            found[package.name] = (*found.get(package.name, ()), path.rpartition("/")[0])
    return found


def _folders(world: World, invocation: shell.Invocation, choice: _Choice) -> tuple[str, ...] | None:
    """The folders of the packages that may be meant; None where they cannot be known."""
    name = choice.name
    if name.startswith("./") or (
        ground.program(invocation.argv[0]) == "npm" and "/" in name and not name.startswith("@")
    ):
        path = shell.join(invocation.cwd, name)
        return (path,) if path and world.tree.kind(path) is Kind.DIRECTORY else None
    known = packages(world)
    if known is None or not _NAME.match(name):
        return None
    if name in known or name.startswith("@"):
        return known.get(name, ())
    # pnpm takes a name without its scope as well
    return tuple(folder for full in known if full.endswith(f"/{name}") for folder in known[full])


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
    known = packages(world)
    if not known or _folders(world, invocation, choice) != ():
        return
    bare = choice.name.rpartition("/")[2]
    if world.made_by_name.get("package.json") or ground.announced(world, choice.name) or ground.announced(world, bare):
        return
    if "package.json" in world.added_by_name:
        return
    near = alike(choice.name, known, cutoff=70)
    folders = known[near] if near else (each for every in known.values() for each in every)
    folder = min(folders, key=lambda each: (each.count("/") + bool(each), each))
    path = f"{folder}/package.json" if folder else "package.json"
    shown = evidence.matching(world.tree, path, '"name"') or evidence.present(world.tree, path)
    message = f"no package.json has the name `{choice.name}`, and no task adds one"
    yield Miss(choice.name, message, shown, suggestion=near)
