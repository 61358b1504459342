"""A commit step that stages another file than the one its task makes, so that the new one is never committed."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rapidfuzz import fuzz, process

from bot.core.listing import parents, tails
from bot.core.plans.model import Action, Command, FileRef, Task, TaskStatus
from bot.core.tree import Kind
from bot.core.verify import evidence, paths, shell
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.replay import alive, is_stated
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.VERIFY_FORM
ALIKE = 60  # per cent that two names have in common before one is taken for a slip for the other
MAX_STAGED = 5_000  # paths of all `git add` commands of a plan
MAX_COMPARED = 500_000  # pairs of names, over all tasks

# with these git stages more than the paths that it is given
_ALL = frozenset({"-A", "--all", "-u", "--update", "-p", "--patch", "-i", "--interactive", "-e", "--edit", "."})


@dataclass(slots=True)
class _Staged:
    """What the commit steps of one task stage: paths with their command; `open_` where that cannot be told in full."""

    paths: dict[str, Command] = field(default_factory=dict)
    open_: bool = False


@dataclass(slots=True)
class _Later:
    """All that a task and those after it stage."""

    paths: set[str] = field(default_factory=set)
    ends: set[str] = field(default_factory=set)

    def add(self, staged: _Staged) -> None:
        for path in staged.paths:
            self.paths.add(path)
            self.ends.update(tails(path))

    def covers(self, path: str) -> bool:
        """Staged itself, by one of its folders, or under a longer or a shorter spelling."""
        if path in self.paths or path in self.ends:
            return True
        return any(each in self.paths for ways in (parents(path), tails(path)) for each in ways)


class _Names:
    """Paths by what makes one of them a slip for another: the same kind of file in one folder, or of one name."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.order: dict[str, int] = {}
        self.by_name: dict[str, str] = {}  # the first of each name
        self.by_folder: dict[tuple[str, str], dict[str, str]] = {}  # folder and ending → name → path
        for path in paths:
            folder, name = posixpath.split(path)
            self.order.setdefault(path, len(self.order))
            self.by_name.setdefault(name, path)
            self.by_folder.setdefault((folder, posixpath.splitext(name)[1]), {}).setdefault(name, path)

    def beside(self, path: str) -> dict[str, str]:
        """Name → path of those of one folder and ending."""
        folder, name = posixpath.split(path)
        return self.by_folder.get((folder, posixpath.splitext(name)[1]), {})


class _Slips:
    """Looks for paths that may have been written for others, within a budget for the whole plan."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.left = MAX_COMPARED

    def _affords(self, names: dict[str, str]) -> bool:
        self.left -= len(names)
        if self.left < 0:
            self.world.note(TYPE.value, f"after {MAX_COMPARED} pairs of names no more staged paths were compared")
        return self.left >= 0

    def best(self, path: str, names: _Names) -> str | None:
        """The path most like `path`; one of the same name in another folder before all."""
        called = posixpath.basename(path)
        if called in names.by_name:
            return names.by_name[called]
        beside = names.beside(path)
        if not self._affords(beside):
            return None
        found = process.extractOne(called, beside.keys(), scorer=fuzz.ratio, score_cutoff=ALIKE)
        return beside[found[0]] if found is not None else None

    def first(self, path: str, names: _Names) -> str | None:
        """The first path that is like `path`, or of its name."""
        called, beside = posixpath.basename(path), names.beside(path)
        found = [names.by_name[called]] if called in names.by_name else []
        if self._affords(beside):
            near = next(process.extract_iter(called, beside.keys(), scorer=fuzz.ratio, score_cutoff=ALIKE), None)
            found += [beside[near[0]]] if near is not None else []
        return min(found, key=names.order.__getitem__, default=None)


def find(world: World) -> Iterator[Draft]:
    """One draft for each file that its task makes and that neither this task nor a later one stages, and for each
    staged name that nothing has; both at the command that stages."""
    staged = [_staged(world, task) if alive(task) else _Staged() for task in world.plan.tasks]
    if sum(len(each.paths) for each in staged) > MAX_STAGED:
        world.note(TYPE.value, f"the plan stages more than {MAX_STAGED} paths; they were not compared with its files")
        return
    later = _Later()
    slips = _Slips(world)
    any_later = _outside(world)
    found: list[Draft] = []
    for position in range(len(world.plan.tasks) - 1, -1, -1):
        task, own = world.plan.tasks[position], staged[position]
        any_later = any_later or own.open_
        later.add(own)
        if own.paths and not any_later and task.status is not TaskStatus.DONE:
            found += _phantoms(world, task, own, later, slips)
            found += _task(world, position, task, own, later, slips)
    yield from reversed(found)


def _outside(world: World) -> bool:
    """Whether something outside of all tasks commits as well: what it takes is not known."""
    return any("git add" in command.text or "commit -a" in command.text for command in world.plan.commands)


def _staged(world: World, task: Task) -> _Staged:
    found = _Staged()
    for command in task.commands:
        if "git " not in command.text and "jj " not in command.text and "commit" not in command.text:
            continue
        for invocation in world.invocations(command):
            _stage(invocation, command, found)
    return found


def _stage(invocation: shell.Invocation, command: Command, found: _Staged) -> None:
    argv = invocation.argv
    if argv[:1] != ("git",):
        # other tools that commit (`jj`, `gh`, a script) stage by rules of their own
        found.open_ = found.open_ or bool(argv and argv[0] and "commit" in argv[0]) or argv[:1] in (("jj",), ("hg",))
        return
    words = argv[1:]
    cwd = invocation.cwd
    if words[:1] == ("-C",) and len(words) > 2:
        cwd, words = shell.join(cwd, words[1]), words[2:]
    if words[:1] == ("commit",):
        flags = [word for word in words[1:] if word and word.startswith("-")]
        found.open_ = found.open_ or any(
            flag == "--all" or (flag[1:2] != "-" and "a" in flag.partition("=")[0][1:3]) for flag in flags
        )
        return
    if words[:1] not in (("add",), ("stage",), ("mv",)):
        return
    for word in words[1:]:
        path = shell.join(cwd, word)
        if word is None or word in _ALL or path is None or paths.is_glob(word) or word.startswith(":"):
            found.open_ = True
        elif not word.startswith("-"):
            found.paths.setdefault(path.rstrip("/"), command)
            found.open_ = found.open_ or not path


def _task(world: World, position: int, task: Task, own: _Staged, later: _Later, slips: _Slips) -> Iterator[Draft]:
    # what the task accounts for was meant as it stands
    names = _Names(path for path in own.paths if not _accounted(world, path))
    for ref in task.files:
        path = paths.inside(world.tree, ref.path).rstrip("/")
        if not _makes(world, ref, path, position) or later.covers(path):
            continue
        slip = slips.best(path, names)
        if slip is None or world.tree.kind(slip) is Kind.MISSING:
            continue
        command = own.paths[slip]
        absent = evidence.absent(world.tree, slip)
        yield Draft(
            TYPE,
            Weight.WRONG,
            command.span,
            path,
            f"the task makes this file, and its commit stages {slip} instead",
            (*evidence.planned(world.plan, ref.span, ref.path), *(absent or evidence.present(world.tree, slip))),
            task=task,
            raw=_as_written(command, slip),
            suggestion=path,
        )


def _phantoms(world: World, task: Task, own: _Staged, later: _Later, slips: _Slips) -> Iterator[Draft]:
    """Staged names that nothing has, beside a file of the task that is left out: git stops at the first of them."""
    files = (paths.inside(world.tree, ref.path).rstrip("/") for ref in task.files if is_stated(ref))
    names = _Names(path for path in files if not later.covers(path))
    for other, command in own.paths.items():
        if _accounted(world, other) or paths.look(world.tree, other) is not None or other in world.known_added:
            continue
        absent = evidence.absent(world.tree, other)
        meant = slips.first(other, names)
        if absent and meant is not None:
            yield Draft(
                TYPE,
                Weight.WRONG,
                command.span,
                other,
                "the commit stages this file, which is not there, and no task creates it",
                absent,
                task=task,
                raw=_as_written(command, other),
                suggestion=meant,
            )


def _makes(world: World, ref: FileRef, path: str, position: int) -> bool:
    if ref.action not in (Action.CREATE, Action.TEST) or not is_stated(ref) or ref.says_exists:
        return False
    made = world.walk.created.get(path)
    if made is None or made[0] != position or world.tree.kind(path) is not Kind.MISSING:
        return False
    return paths.look(world.tree, path) in (None, paths.Look.FOREIGN) and path not in world.walk.deleted


def _accounted(world: World, path: str) -> bool:
    """Whether the plan says of this path that it changes or makes it."""
    return path in world.walk.touched or path in world.walk.created or world.made_alike(path)


def _as_written(command: Command, path: str) -> str:
    """The longest end of `path` that stands in the command."""
    parts = path.split("/")
    tails = ("/".join(parts[start:]) for start in range(len(parts)))
    return next((tail for tail in tails if tail in command.text), path)
