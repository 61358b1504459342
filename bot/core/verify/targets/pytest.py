"""Paths and node ids that are handed to pytest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bot.core.plans.model import Expect
from bot.core.tree import Kind, Text
from bot.core.verify import evidence, paths, shell
from bot.core.verify.finding import Weight
from bot.core.verify.targets import Miss, alike, presence
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
_HEIR = re.compile(r"\bclass\s+(\w+)\s*\(")
_IMPORTS_ALL = re.compile(r"^[ \t]*from[ \t]+\S+[ \t]+import[ \t]+\*", re.MULTILINE)


def arguments(invocation: shell.Invocation) -> tuple[str | None, ...] | None:
    """The words that pytest is given; None when the command is something else."""
    argv = invocation.argv
    if not argv or argv[0] is None:
        return None
    name = argv[0].rsplit("/", 1)[-1]
    if name in ("pytest", "py.test"):
        return argv[1:]
    if name == "coverage" and argv[1:4] == ("run", "-m", "pytest"):
        return argv[4:]
    if re.fullmatch(r"python(\d(\.\d+)?)?", name):
        for index in range(1, min(len(argv) - 1, 6)):
            if argv[index] == "-m" and argv[index + 1] == "pytest":
                return argv[index + 2 :]
    return None


def _targets(words: Sequence[str | None]) -> Iterator[str]:
    skip = False
    for word in words:
        if skip:
            skip = False
            continue
        if word is None:
            continue
        if word.startswith("-"):
            skip = word in _VALUED
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
    content = world.tree.read(path)
    if not isinstance(content, Text):
        world.note("verify_form", f"{path} could not be read: {content.reason}")
        return None
    names = _names(content.text)
    if names.open:
        return None
    for depth, part in enumerate(node):
        name = part.split("[", 1)[0]
        if not _NAME.match(name):
            return None
        if name in names.words:
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


@dataclass(frozen=True, slots=True)
class _Names:
    """The words of a test file, the functions and classes it defines, and its classes with bases; `open` says that it
    imports all of another module, so that these are not all of its names."""

    words: frozenset[str]
    defined: frozenset[str]
    heirs: frozenset[str]
    open: bool


# asked for at each command
@lru_cache(maxsize=16)
def _names(text: str) -> _Names:
    return _Names(
        words=frozenset(_WORD.findall(text)),
        defined=frozenset(_DEFINED.findall(text)),
        heirs=frozenset(_HEIR.findall(text)),
        open=_IMPORTS_ALL.search(text) is not None,
    )
