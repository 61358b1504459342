"""Paths and node ids that are handed to pytest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.core.plans.model import Expect
from bot.core.tree import Kind
from bot.core.verify import evidence, paths, shell
from bot.core.verify.finding import Weight
from bot.core.verify.targets import TYPE, Miss, alike, ground, presence
from bot.core.verify.world import World

# options whose value is a word of its own
_VALUED = frozenset({
    "-k", "-m", "-c", "-p", "-n", "-o", "-W", "-r", "--tb", "--maxfail", "--rootdir", "--cov", "--cov-report",
    "--cov-config", "--junitxml", "--junit-xml", "--deselect", "--ignore", "--ignore-glob", "--log-level",
    "--log-cli-level", "--durations", "--timeout", "--basetemp", "--confcutdir", "--color", "--capture",
    "--import-mode", "--override-ini", "--dist", "--numprocesses", "--html", "--env", "--browser", "--base-url",
    "--seed", "--reruns", "--config-file",
})  # fmt: skip
_NAME = re.compile(r"^[A-Za-z_]\w*$")
_WORD = re.compile(r"\w+")
_DEFINED = re.compile(r"\b(?:def|class)\s+([A-Za-z_]\w*)")
_CLASS = re.compile(r"class[ \t]+(\w+)")
_METHOD = re.compile(r"[ \t]+(?:async[ \t]+)?def[ \t]+(test\w*)[ \t]*\(")
_HEIR = re.compile(r"\bclass\s+(\w+)\s*\(")
_IMPORTS_ALL = re.compile(r"^[ \t]*from[ \t]+\S+[ \t]+import[ \t]+\*", re.MULTILINE)


def arguments(invocation: shell.Invocation) -> tuple[str | None, ...] | None:
    """The words that pytest is given; None when the command is something else."""
    argv = invocation.argv
    if not argv or argv[0] is None:
        return None
    name = ground.program(argv[0])
    if name in ("pytest", "py.test"):
        return argv[1:]
    if name == "coverage" and argv[1:4] == ("run", "-m", "pytest"):
        return argv[4:]
    if ground.is_python(name):
        for index in range(1, min(len(argv) - 1, 6)):
            if argv[index] == "-m" and argv[index + 1] == "pytest":
                return argv[index + 2 :]
    return None


def _targets(words: Sequence[str | None]) -> Iterator[str]:
    line = ground.read(words, _VALUED)
    for word in (*line.words, *line.rest):
        if word is None or word.startswith("-"):
            continue
        if "/" in word or "::" in word or word.endswith(".py"):
            yield word


def judge(world: World, invocation: shell.Invocation, position: int, expects: Expect) -> Iterator[Miss]:
    """A miss for each path or node id of a pytest command that cannot be there when the task at `position` is done."""
    words = arguments(invocation)
    if words is None:
        return
    for word in _targets(words):
        cited, *node = word.split("::")
        path = shell.join(invocation.cwd, cited)
        if not path or paths.is_glob(cited) or paths.is_placeholder(cited):
            continue
        there = presence.there(world, path, position)
        if there is None:
            miss = presence.too_early(world, cited, path, position, expects, "test")
        elif not there:
            miss = presence.missing(world, invocation, cited, path, position, "test", bare_too=True)
        else:
            miss = _node(world, path, node, word)
        if miss is not None:
            yield miss


def _node(world: World, path: str, node: Sequence[str], word: str) -> Miss | None:
    if not node or world.changed(path) or world.tree.kind(path) is not Kind.FILE:
        return None
    names = world.parsed(path, _names, TYPE.value)
    if names is None or names.open:
        return None
    for depth, part in enumerate(node):
        name = part.split("[", 1)[0]
        if not _NAME.match(name):
            return None
        if name in names.words:
            if len(node) == 1 and name in names.within and name not in world.defined:
                return _within(world, path, name, names.within[name], word)
            continue
        if name in world.defined:
            return None
        holder = node[depth - 1] if depth else ""
        if holder in names.heirs:
            return None  # may be inherited
        what = "class" if len(node) > 1 and depth == 0 else "test"
        shown = evidence.matching(world.tree, path, f"class {holder}" if holder else "def test") or evidence.present(
            world.tree, path
        )
        near = alike(name, names.defined, cutoff=80)
        better = word.replace(name, near) if near else None
        return Miss(word, f"{path} has no {what} of that name, and no task adds one", shown, Weight.WRONG, better)
    return None


def _within(world: World, path: str, name: str, holder: str, word: str) -> Miss:
    """A test that stands in a class, by an id without the class."""
    shown = evidence.matching(world.tree, path, f"def {name}")
    better = word.replace(f"::{name}", f"::{holder}::{name}") if holder else None
    return Miss(word, f"in {path} this test stands in a class, which its id leaves out", shown, Weight.WRONG, better)


@dataclass(frozen=True, slots=True)
class _Names:
    """The words of a test file, the functions and classes it defines, and its classes with bases; `open` says that it
    imports all of another module, so that these are not all of its names. `within` are the tests that stand in classes
    only, each with its class ("" where there are several)."""

    words: frozenset[str]
    defined: frozenset[str]
    heirs: frozenset[str]
    open: bool
    within: Mapping[str, str]


def _names(text: str) -> _Names:
    return _Names(
        words=frozenset(_WORD.findall(text)),
        defined=frozenset(_DEFINED.findall(text)),
        heirs=frozenset(_HEIR.findall(text)),
        open=_IMPORTS_ALL.search(text) is not None,
        within=_in_classes(text),
    )


def _in_classes(text: str) -> dict[str, str]:
    """The test functions that are methods, by name; none that a line at the margin names as well, in whatever way."""
    found: dict[str, str] = {}
    outside: set[str] = set()
    holder: str | None = None
    for line in text.split("\n"):
        if line[:1] in ("", " ", "\t", "#", ")"):
            method = _METHOD.match(line)
            if method is not None and holder is not None:
                found[method[1]] = holder if found.get(method[1], holder) == holder else ""
            elif method is not None:
                outside.add(method[1])
        else:
            opened = _CLASS.match(line)
            holder = opened[1] if opened else None
            outside.update(_WORD.findall(line))
    return {name: holder for name, holder in found.items() if name not in outside}
