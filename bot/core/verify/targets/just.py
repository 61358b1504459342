"""Recipes that just is asked for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.core.tree import Kind
from bot.core.verify import evidence, shell
from bot.core.verify.targets import TYPE, Miss, alike, ground
from bot.core.verify.world import World

MAX_FILES = 20  # that import each other

_NAMES = ("justfile", ".justfile", "Justfile", "JUSTFILE")
_VALUED = frozenset({
    "-f", "--justfile", "-d", "--working-directory", "--shell", "--shell-arg", "--color", "--dotenv-path", "-E",
    "--dotenv-filename", "--chooser", "--list-heading", "--list-prefix", "--tempdir", "--timestamp-format",
})  # fmt: skip
_SAYS_SO = ("-l", "--list", "--summary", "-e", "--edit", "--init", "--evaluate", "--variables", "--dump", "--fmt",
            "-c", "--command", "--choose", "--completions", "--groups", "--man", "-h", "--help", "-V", "--version",
            "-g", "--global-justfile", "--set", "--changelog")  # fmt: skip
_HEAD = re.compile(r"^@?([A-Za-z_][\w-]*)")
_ALIAS = re.compile(r"^alias[ \t]+([A-Za-z_][\w-]*)[ \t]*:=")
_MODULE = re.compile(r"^mod\??[ \t]+([A-Za-z_][\w-]*)")
_IMPORT = re.compile(r"^import\??[ \t]+(?:'([^'\n]+)'|\"([^\"\n\\]+)\")[ \t]*(?:#.*)?$")
_FALLBACK = re.compile(r"(?m)^set[ \t]+fallback(?![ \t]*:=[ \t]*false)")
_QUOTES = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|\([^()\n]*\)")
_WORD = re.compile(r"^[A-Za-z_][\w-]*$")
_OPEN = "has imports that are not literal, so its recipes are not known"


@dataclass(frozen=True, slots=True)
class _Just:
    """`recipes` maps each recipe to the most words it takes (None: any number), aliases included."""

    recipes: Mapping[str, int | None]
    modules: frozenset[str]
    imports: tuple[str, ...]
    fallback: bool


def _recipe(line: str) -> tuple[str, int | None] | None:
    """The name of the recipe that a line begins, and how many words it takes."""
    head = _HEAD.match(line)
    if head is None:
        return None
    rest = _QUOTES.sub("'", line[head.end() :])
    parameters, colon, after = rest.partition(":")
    if not colon or after.startswith("=") or (parameters and not parameters[0].isspace()):
        return None
    words = parameters.split()
    if any(word.startswith(("*", "+")) for word in words):
        return head.group(1), None
    # `name = 'default'` may be written with blanks
    return head.group(1), len(re.sub(" ?= ?", "=", " ".join(words)).split())


def parsed(text: str) -> _Just | None:
    """What a justfile declares; None when an import is computed."""
    recipes: dict[str, int | None] = {}
    aliases: list[str] = []
    modules: set[str] = set()
    imports: list[str] = []
    for line in text.replace("\\\n", " ").split("\n"):
        if not line or line[0] in " \t#[":
            continue
        if line.startswith("import"):
            found = _IMPORT.match(line)
            if found is None:
                return None
            imports.append(found.group(1) or found.group(2))
        elif alias := _ALIAS.match(line):
            aliases.append(alias.group(1))
        elif module := _MODULE.match(line):
            modules.add(module.group(1))
        elif recipe := _recipe(line[:2_000]):
            recipes[recipe[0]] = recipe[1]
    recipes.update(dict.fromkeys(aliases))
    return _Just(recipes, frozenset(modules), tuple(imports), _FALLBACK.search(text) is not None)


def _with_imports(world: World, path: str, position: int) -> _Just | None:
    """A justfile with all that it imports; None when a part of it cannot be known."""
    recipes: dict[str, int | None] = {}
    modules: set[str] = set()
    fallback = False
    todo, seen = [path], {path}
    while todo:
        each = todo.pop()
        if ground.may_change(world, each, position) or world.tree.kind(each) is not Kind.FILE:
            return None
        found = ground.parsed(world, each, parsed, _OPEN)
        if found is None:
            return None
        recipes.update(found.recipes)
        modules.update(found.modules)
        fallback = fallback or found.fallback
        for name in found.imports:
            other = shell.join(posixpath.dirname(each), name)
            if len(seen) >= MAX_FILES:
                world.note(TYPE.value, f"{path} imports more than {MAX_FILES} files, so its recipes are not known")
            if other is None or len(seen) >= MAX_FILES:
                return None
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return _Just(recipes, frozenset(modules), (), fallback)


def judge(world: World, invocation: shell.Invocation, position: int) -> Iterator[Miss]:
    """A miss for each recipe that the justfile, with its imports, does not have and that no task adds."""
    if ground.program(invocation.argv[0]) != "just":
        return
    line, words = _split(invocation.argv[1:])
    if line.has(*_SAYS_SO) or invocation.cwd is None:
        return
    files = line.values("-f", "--justfile")
    if files:
        path = shell.join(invocation.cwd, files[-1])
        if path is None or world.tree.kind(path) is not Kind.FILE:
            return
    else:
        cwd, _ = ground.moved_to(invocation, line.values("-d", "--working-directory"))
        path = ground.nearest(world, _NAMES, cwd, position) if cwd is not None else None
        if path is None:
            return
    known = _with_imports(world, path, position)
    if known is None:
        return
    for name in _wanted(words, known):
        if known.fallback or ground.announced(world, name) or _elsewhere(world, path, name, invocation.moved):
            continue
        shown = evidence.present(world.tree, path)
        near = alike(name, (each for each in known.recipes if not each.startswith("_")), cutoff=65)
        yield Miss(name, f"{path} has no recipe `{name}`, and no task adds one", shown, suggestion=near)


def _split(argv: Sequence[str | None]) -> tuple[ground.Line, list[str | None]]:
    """just's own options, and the words from the first recipe on, whose flags belong to the recipe."""
    index = 0
    while index < len(argv):
        word = argv[index]
        if word is None:
            break
        if word.startswith("-"):
            index += 2 if word in _VALUED else 1
        elif "=" in word:
            index += 1
        else:
            break
    return ground.read(argv[:index], _VALUED), list(argv[index:])


def _wanted(words: Sequence[str | None], known: _Just) -> Iterator[str]:
    """The recipes among the words that just does not know; words that a recipe takes are passed over."""
    index = 0
    while index < len(words):
        name = words[index]
        if name is None or not _WORD.match(name) or name in known.modules:
            return
        if name not in known.recipes:
            yield name
            return
        takes = known.recipes[name]
        if takes != 0:
            return  # which of the following words it takes depends on its defaults
        index += 1


def _elsewhere(world: World, path: str, name: str, moved: bool) -> bool:
    """Whether another justfile has the recipe: the reader may be meant to stand there."""
    if moved:
        return False

    def has(other: str) -> bool | None:
        found = ground.parsed(world, other, parsed, _OPEN)
        return None if found is None else name in found.recipes

    return ground.elsewhere(world, [each for file in _NAMES for each in world.tree.by_name(file) if each != path], has)
