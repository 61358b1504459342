"""Targets that make is asked for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from bot.core.tree import Kind
from bot.core.verify import evidence, shell
from bot.core.verify.finding import Weight
from bot.core.verify.targets import Miss, alike, ground
from bot.core.verify.world import ADDS, World

_NAMES = ("GNUmakefile", "makefile", "Makefile")
_OPEN = re.compile(r"^[ \t]*(?:-include|sinclude|include|define)\b|\$\(eval\b|\$\{eval\b", re.MULTILINE)
_OPEN_SAID = "has includes, pattern rules or lines of another kind, so its targets are not known"
_DIRECTIVE = re.compile(
    r"(?:ifn?eq|ifn?def|else|endif|export|unexport|override|private|undefine|vpath|load)\b|\$[({](?:info|warning|error)\b"
)
_MAKE = re.compile(r"(?i)target|makefile")
_TARGET = re.compile(r"^[A-Za-z][\w:-]*$")
_VALUED = frozenset({"-I", "-o", "-W", "-l", "--load-average", "-E", "--eval"})


def _rule(line: str) -> list[str]:
    """The targets that a line of a makefile begins a rule for."""
    head, colon, rest = line.partition(":")
    if not colon or not head or head[0] in " \t#" or "=" in head or "#" in head or rest.startswith(("=", ":=")):
        return []
    return head.split()


def _odd(line: str) -> bool:
    """Whether a line is nothing that a makefile can have, as where recipes begin with another character than a tab."""
    bare = line.strip()
    if not bare or line[0] == "\t" or bare[0] == "#" or ":" in bare or "=" in bare:
        return False
    return _DIRECTIVE.match(bare) is None


def targets(text: str) -> frozenset[str] | None:
    """The explicit targets of a makefile; None when includes, pattern rules or computed names leave them open, or when
    make could not read it."""
    if _OPEN.search(text):
        return None
    found: set[str] = set()
    for line in text.replace("\\\n", " ").split("\n"):
        names = _rule(line)
        if _odd(line):
            return None
        if any("%" in name or "$" in name for name in names):
            return None
        found.update(names)
    return frozenset(found)


def judge(world: World, invocation: shell.Invocation) -> Iterator[Miss]:
    """A miss for each target that the makefile of the working directory does not have and no task adds."""
    argv = invocation.argv
    if not argv or ground.program(argv[0]) not in ("make", "gmake"):
        return
    cwd, moved, named = invocation.cwd, invocation.moved, None
    wanted: list[str] = []
    index = 1
    while index < len(argv):
        word = argv[index]
        index += 1
        if word is None:
            return
        if word in ("-C", "--directory", "-f", "--file", "--makefile") or word in _VALUED:
            value = argv[index] if index < len(argv) else None
            index += 1
            if word in ("-C", "--directory"):
                cwd, moved = shell.join(cwd, value), True
            elif word in ("-f", "--file", "--makefile"):
                named = value
                if value is None:
                    return
        elif word.startswith("--directory="):
            cwd, moved = shell.join(cwd, word.partition("=")[2]), True
        elif word.startswith(("-f", "--file", "--makefile")):
            return
        elif not word.startswith("-") and "=" not in word and _TARGET.match(word):
            wanted.append(word)
    if cwd is None or not wanted:
        return
    yield from _look(world, cwd, moved, named, wanted)


def _look(world: World, cwd: str, moved: bool, named: str | None, wanted: list[str]) -> Iterator[Miss]:
    candidates = [named] if named else list(_NAMES)
    places = [path for path in (shell.join(cwd, name) for name in candidates) if path]
    if any(world.changed(path) for path in places):
        return
    path = next((place for place in places if world.tree.kind(place) is Kind.FILE), None)
    if path is None:
        return
    known = ground.parsed(world, path, targets, _OPEN_SAID)
    if known is None:
        return
    for target in wanted:
        beside = posixpath.join(cwd, target) if cwd else target
        if target in known or world.tree.kind(beside) is Kind.FILE or _added(world, target):
            continue
        if not moved and _elsewhere(world, path, target):
            continue
        best = alike(target, (name for name in known if not name.startswith(".")), cutoff=70)
        shown = evidence.present(world.tree, path)
        message = f"{path} has no target `{target}`, and no task adds one"
        yield Miss(target, message, shown, Weight.WRONG, best)


def _added(world: World, target: str) -> bool:
    """Whether the plan writes a rule for the target somewhere, in code or in words."""
    rules, words = world.once(_written)
    if target in rules:
        return True
    # in most plans a plain search settles it
    return target in words and re.search(rf"(?<![\w-]){re.escape(target)}(?![\w-])", words) is not None


def _written(world: World) -> tuple[frozenset[str], str]:
    """The targets of the rules in a plan, and its lines that speak of adding to a makefile."""
    rules: set[str] = set()
    words: list[str] = []
    for line in world.text.split("\n"):
        rules.update(_rule(line.strip(" \t>+-`")))
        if _MAKE.search(line) and ADDS.search(line):
            words.append(line)
    return frozenset(rules), "\n".join(words)


def _elsewhere(world: World, path: str, target: str) -> bool:
    """Whether another makefile has the target: the reader may be meant to stand there."""

    def has(other: str) -> bool | None:
        known = None if world.changed(other) else ground.parsed(world, other, targets, _OPEN_SAID)
        return None if known is None else target in known

    return ground.elsewhere(world, [each for name in _NAMES for each in world.tree.by_name(name) if each != path], has)
