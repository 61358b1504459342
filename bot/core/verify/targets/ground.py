"""What all tools have in common: the words of a command line, the file that a tool reads its names from, and whether
the plan may have put a name there by then."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bot.core.listing import parents
from bot.core.plans.model import Action
from bot.core.tree import Kind
from bot.core.verify import shell
from bot.core.verify.targets import TYPE
from bot.core.verify.world import ADDS, World

T = TypeVar("T")

MAX_MANIFESTS = 400  # of one name that are read to know a repository's packages
MAX_ELSEWHERE = 60  # other files of one kind that are looked into before something is said to be nowhere
MAX_LINE = 4_000  # characters of a line of a plan that are read for names

_TOKEN = re.compile(r"[\w@][\w.@:/-]*")
_CODE_SPAN = re.compile(r"`[^`\n]+`")
_BLANK = re.compile(r"\s")
_PYTHON = re.compile(r"python(?:\d(?:\.\d+)?)?")
# what stands before a colon, an equals sign or a bracket, and what stands in quotes
_DEFINED = re.compile(r"(?<![\w.@/-])(?=([\w@][\w.@/-]{0,119}))\1(?=[\"'`]?[^\S\n]*(?:[=({\]]|:(?![\w:])))")
_PARAMETERS = re.compile(r"(?m)^[ \t>+]*@?(?=([A-Za-z_][\w-]{0,119}))\1[ \t][^:\n`]{1,200}:(?:[ \t\n]|$)")
_QUOTED = re.compile(r"[\"']:?(?=([\w@][\w.@:/-]{0,119}))\1[\"']")


@dataclass(frozen=True, slots=True)
class Line:
    """A command line after the program's name: options with their values (None: not given, or not known), the other
    words (None: not known), and what follows `--`."""

    options: tuple[tuple[str, str | None], ...]
    words: tuple[str | None, ...]
    rest: tuple[str | None, ...] = ()

    def values(self, *flags: str) -> tuple[str | None, ...]:
        return tuple(value for flag, value in self.options if flag in flags)

    def has(self, *flags: str) -> bool:
        return any(flag in flags for flag, _ in self.options)


def read(argv: Sequence[str | None], valued: Container[str], switches: Container[str] | None = None) -> Line:
    """The words of a command line in which the options `valued` take a value.

    Where `switches` is given, a word after an option that is neither may be its value, and counts as not known.
    """
    options: list[tuple[str, str | None]] = []
    words: list[str | None] = []
    index = 0
    while index < len(argv):
        word = argv[index]
        index += 1
        if word is None or not word.startswith("-") or word == "-":
            words.append(word)
            continue
        if word == "--":
            return Line(tuple(options), tuple(words), tuple(argv[index:]))
        flag, sign, value = word.partition("=")
        if sign:
            options.append((flag, value))
        elif flag in valued:
            options.append((flag, argv[index] if index < len(argv) else None))
            index += 1
        elif len(flag) > 2 and flag[1] != "-" and flag[:2] in valued:
            options.append((flag[:2], flag[2:]))
        else:
            options.append((flag, None))
            following = argv[index] if index < len(argv) else "-"
            if switches is not None and flag not in switches and (following is None or following[:1] != "-"):
                words.append(None)
                index += 1
    return Line(tuple(options), tuple(words))


def program(word: str | None) -> str:
    """The bare name of a program: `node_modules/.bin/jest` is `jest`; "" for a word that is not known."""
    return posixpath.basename(word) if word else ""


def is_python(word: str | None) -> bool:
    """Whether a program is an interpreter of Python: `python`, `.venv/bin/python3.12`."""
    return _PYTHON.fullmatch(program(word)) is not None


def moved_to(invocation: shell.Invocation, folders: Sequence[str | None]) -> tuple[str | None, bool]:
    """The working directory after options such as `-C`, and whether the command line named one."""
    cwd, moved = invocation.cwd, invocation.moved
    for folder in folders:
        cwd, moved = shell.join(cwd, folder), True
    return cwd, moved


def may_change(world: World, path: str, position: int) -> bool:
    """Whether the plan may have written to a file when the task at `position` is done."""
    if path in world.known_added:
        return True
    for known in (world.walk.created, world.walk.deleted):
        if path in known and known[path][0] <= position:
            return True
    touched = world.walk.touched.get(path)
    if touched is not None and touched <= position:
        return True
    return any(use.ref.action is not Action.READ and use.position <= position for use in world.uses_of(path))


def upward(cwd: str) -> Iterator[str]:
    """A folder and those that it is in, up to the root ("")."""
    yield cwd
    yield from parents(cwd)
    if cwd:
        yield ""


def made_or_gone(world: World, path: str) -> bool:
    """Whether the plan, in whatever task, or what came before it may have made or taken away a file."""
    return path in world.walk.created or path in world.walk.deleted or path in world.known_added


def nearest(
    world: World,
    names: Sequence[str],
    cwd: str,
    position: int,
    *,
    in_doubt: Callable[[str], bool] | None = None,
) -> str | None:
    """The first file of one of `names` from `cwd` upwards; None when there is none, or when one on the way is in doubt:
    where nothing else is said, one that the plan may have made or changed by then."""
    if cwd and world.tree.kind(cwd) is not Kind.DIRECTORY:
        return None
    for folder in dict.fromkeys(upward(cwd)):
        for name in names:
            path = posixpath.join(folder, name) if folder else name
            if in_doubt(path) if in_doubt is not None else may_change(world, path, position):
                return None
            kind = world.tree.kind(path)
            if kind is Kind.FILE:
                return path
            if kind is not Kind.MISSING:
                return None
    return None


def parsed(world: World, path: str, parse: Callable[[str], T | None], problem: str) -> T | None:
    """What `parse` makes of a file of the tree. None, and a note, where the file cannot be read, or `parse` gives None:
    the note is then the path and `problem`."""
    found = world.parsed(path, parse, TYPE.value)
    if found is None and world.text_of(path, TYPE.value) is not None:
        world.note(TYPE.value, f"{path} {problem}")
    return found


def elsewhere(
    world: World, others: Sequence[str], has: Callable[[str], bool | None], *, limit: int = MAX_ELSEWHERE
) -> bool:
    """Whether one of the other files of a kind has what is asked for, or may have it (None): the reader may be meant to
    stand there. Where there are more than `limit` none is looked into, and a note says so."""
    if len(others) > limit:
        world.note(TYPE.value, f"{len(others)} other files like {others[0]} are too many to look into")
        return True
    return any(has(other) is not False for other in others)


def everywhere(
    world: World, names: Sequence[str], position: int, check: str = TYPE.value, *, changed_too: bool = False
) -> tuple[str, ...] | None:
    """The files of these names in the whole tree; None when there are too many, or when the plan or what came before
    it may have made or changed one. `check` is told when there are too many.

    `changed_too`: also where the plan changes one, for what is asked about is nothing that it writes."""
    found = [path for name in names for path in world.tree.by_name(name) if "node_modules/" not in path]
    if len(found) > MAX_MANIFESTS:
        world.note(check, f"{len(found)} files named {names[0]} are too many to know their names")
        return None
    made = [path for name in names for path in world.made_by_name.get(name, ())]
    if any(name in world.added_by_name for name in names):
        return None
    if not changed_too and any(may_change(world, path, position) for path in (*found, *made)):
        return None
    return tuple(found)


def announced(world: World, name: str) -> bool:
    """Whether this plan, or another of its folder, writes `name` as a definition or has it added, in code or words."""
    return name in world.once(_announced) or name in world.once(_announced_beside)


def _announced(world: World) -> frozenset[str]:
    return frozenset(name for document in world.plan.documents for name in announcements(document.text))


def _announced_beside(world: World) -> frozenset[str]:
    return frozenset(name for document in world.siblings for name in announcements(document.text))


def announcements(text: str) -> set[str]:
    """The names that a plan defines, quotes or has added."""
    found = set(_DEFINED.findall(text))
    found.update(_PARAMETERS.findall(text))
    for quoted in _QUOTED.findall(text):
        found.add(quoted)
        found.update(re.split(r"[:/]", quoted))
    for line in text.split("\n"):
        if ADDS.search(line):
            for token in _TOKEN.findall(_CODE_SPAN.sub(_without_command, line[:MAX_LINE])):
                bare = token.rstrip(".:/-")
                found.add(bare)
                found.update(re.split(r"[:/]", bare))
    return found


def _without_command(span: re.Match[str]) -> str:
    """A code span, unless it is a command: what that runs is not added."""
    return " " if _BLANK.search(span.group()) else span.group()


def _folders(world: World) -> frozenset[str]:
    return frozenset(folder for path in world.walk.named for folder in (path.rstrip("/"), *parents(path)))


def cited_below(world: World, folder: str) -> bool:
    """Whether the plan cites a folder or anything in it: what is wrong with that is then said of the citation."""
    return folder in world.once(_folders)
