"""Paths and node ids that are handed to pytest."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bot.core.listing import parents
from bot.core.plans.model import Expect
from bot.core.tree import Kind, Text
from bot.core.verify import evidence, paths, shell
from bot.core.verify.finding import Weight
from bot.core.verify.replay import is_stated
from bot.core.verify.targets import Miss, alike
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
_RUNS = re.compile(
    r"\bpytest\b|\bgit\s+(add|commit|diff|rm|checkout)\b|\b(ruff|mypy|black|flake8|pyright|isort|pylint)\b"
)


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
        there = _there(world, path, position)
        if there is None:
            miss = _too_early(world, cited, path, position, expects)
        elif not there:
            miss = _missing(world, invocation, cited, path, position)
        else:
            miss = _node(world, path, node, word)
        if miss is not None:
            yield miss


def _there(world: World, path: str, position: int) -> bool | None:
    there = world.exists_after(path, position)
    if there is not False:
        return there
    first = world.made_below.get(path.rstrip("/"))
    if first is None:
        return False
    return True if first <= position else None


def _too_early(world: World, cited: str, path: str, position: int, expects: Expect) -> Miss | None:
    made = world.walk.created.get(path)
    if expects is not Expect.PASS or made is None or made[0] <= position or position < 0:
        return None
    if made[1] is None or made[2] is None or not is_stated(made[2]) or world.tree.kind(path) is not Kind.MISSING:
        return None
    shown = (*evidence.absent(world.tree, path), *evidence.planned(world.plan, made[2].span, made[2].path))
    return Miss(cited, f"no such test yet, {made[1].label} creates it later", shown)


def _spoken_of(world: World, cited: str) -> bool:
    """Whether the plan speaks of the path other than to run it: then some step may well write it."""
    return cited in _other_lines(world.text)


@lru_cache(maxsize=2)
def _other_lines(text: str) -> str:
    """The lines that run nothing."""
    return "\n".join(line for line in text.split("\n") if not _RUNS.search(line))


def _missing(world: World, invocation: shell.Invocation, cited: str, path: str, position: int) -> Miss | None:
    gone = world.walk.deleted.get(path)
    if gone is not None and gone[0] <= position and world.tree.kind(path) is not Kind.MISSING:
        shown = evidence.planned(world.plan, gone[2].span, gone[2].path)
        return Miss(cited, f"{gone[1].label} deletes or moves this test before", shown)
    if gone is not None or path in world.walk.named or world.tree.kind(path) is not Kind.MISSING:
        return None
    shape = paths.look(world.tree, path)
    if shape not in (None, paths.Look.BARE, paths.Look.ODD):
        return None
    if any(folder in world.walk.filled for folder in parents(path)):
        return None
    bare = cited.rstrip("/")
    if (
        world.made_alike(bare)
        or world.tree.by_suffix(bare)
        or (invocation.moved and world.tree.kind(bare) is not Kind.MISSING)
    ):
        # the same path under a base folder that the reader is in already
        return None
    name = posixpath.basename(bare)
    planned = world.made_by_name.get(name, [])
    known = [other for other in world.tree.by_name(name) if other not in planned]
    shown = evidence.absent(world.tree, path)
    if not shown:
        return None
    if len(planned) == 1 and paths.has_extension(name):
        when, _, ref = world.walk.created[planned[0]]
        if ref is not None and when <= position:
            shown += evidence.planned(world.plan, ref.span, ref.path)
        better = planned[0] if not invocation.cwd else None
        return Miss(cited, "no such test; the plan creates it elsewhere", shown, Weight.WRONG, planned[0], better)
    if _spoken_of(world, cited):
        return None
    if len(known) == 1 and paths.has_extension(name):
        better = known[0] if not invocation.cwd else None
        shown += evidence.present(world.tree, known[0])
        return Miss(cited, "no such test, and no task creates it", shown, Weight.WRONG, known[0], better)
    near = world.tree.nearest(path, limit=1)
    return Miss(cited, "no such test, and no task creates it", shown, Weight.WRONG, near[0] if near else None)


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
