"""A commit step that stages another file than the one its task makes, so that the new one is never committed."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field

from rapidfuzz import fuzz

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

# with these git stages more than the paths that it is given
_ALL = frozenset({"-A", "--all", "-u", "--update", "-p", "--patch", "-i", "--interactive", "-e", "--edit", "."})


@dataclass(slots=True)
class _Staged:
    """What the commit steps of one task stage: paths with their command; `open_` where that cannot be told in full."""

    paths: dict[str, Command] = field(default_factory=dict)
    open_: bool = False


def find(world: World) -> Iterator[Draft]:
    """One draft for each file that its task makes and that neither this task nor a later one stages."""
    staged = [_staged(world, task) if alive(task) else _Staged() for task in world.plan.tasks]
    if sum(len(each.paths) for each in staged) > MAX_STAGED:
        world.note(TYPE.value, f"the plan stages more than {MAX_STAGED} paths; they were not compared with its files")
        return
    later: set[str] = set()
    any_later = _outside(world)
    found: list[Draft] = []
    for position in range(len(world.plan.tasks) - 1, -1, -1):
        task, own = world.plan.tasks[position], staged[position]
        any_later = any_later or own.open_
        later.update(own.paths)
        if own.paths and not any_later and task.status is not TaskStatus.DONE:
            found += _phantoms(world, task, own, later)
            found += _task(world, position, task, own, later)
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


def _task(world: World, position: int, task: Task, own: _Staged, later: set[str]) -> Iterator[Draft]:
    for ref in task.files:
        path = paths.inside(world.tree, ref.path).rstrip("/")
        if not _makes(world, ref, path, position) or _covered(path, later):
            continue
        slip = _slip(world, path, own)
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


def _phantoms(world: World, task: Task, own: _Staged, later: set[str]) -> Iterator[Draft]:
    """Staged names that nothing has, beside a file of the task that is left out: git stops at the first of them."""
    files = [paths.inside(world.tree, ref.path).rstrip("/") for ref in task.files if is_stated(ref)]
    for other, command in own.paths.items():
        if _accounted(world, other) or paths.look(world.tree, other) is not None or other in world.known_added:
            continue
        absent = evidence.absent(world.tree, other)
        meant = [path for path in files if _alike(path, other) and not _covered(path, later)]
        if absent and meant:
            yield Draft(
                TYPE,
                Weight.WRONG,
                command.span,
                other,
                "the commit stages this file, which is not there and which no task makes",
                absent,
                task=task,
                raw=_as_written(command, other),
                suggestion=meant[0],
            )


def _alike(path: str, other: str) -> bool:
    """Whether one of two paths may be a slip for the other: the same kind of file in the same folder, or of one
    name."""
    (folder, name), (beside, called) = posixpath.split(path), posixpath.split(other)
    if posixpath.splitext(name)[1] != posixpath.splitext(called)[1]:
        return False
    return (folder == beside or name == called) and fuzz.ratio(name, called) >= ALIKE


def _makes(world: World, ref: FileRef, path: str, position: int) -> bool:
    if ref.action not in (Action.CREATE, Action.TEST) or not is_stated(ref) or ref.says_exists:
        return False
    made = world.walk.created.get(path)
    if made is None or made[0] != position or world.tree.kind(path) is not Kind.MISSING:
        return False
    return paths.look(world.tree, path) in (None, paths.Look.FOREIGN) and path not in world.walk.deleted


def _covered(path: str, staged: set[str]) -> bool:
    """Staged itself, by one of its folders, or under a longer or a shorter spelling."""
    parts = path.split("/")
    if any("/".join(parts[:end]) in staged for end in range(1, len(parts) + 1)):
        return True
    return any(each.endswith(f"/{path}") or path.endswith(f"/{each}") for each in staged)


def _slip(world: World, path: str, own: _Staged) -> str | None:
    """A staged path that the task does not account for and that may have been meant for `path`."""
    slips = [other for other in own.paths if _alike(path, other) and not _accounted(world, other)]
    return max(slips, key=lambda other: fuzz.ratio(posixpath.basename(other), posixpath.basename(path)), default=None)


def _accounted(world: World, path: str) -> bool:
    """Whether the plan says of this path that it changes or makes it."""
    return path in world.walk.touched or path in world.walk.created or world.made_alike(path)


def _as_written(command: Command, path: str) -> str:
    """The longest end of `path` that stands in the command."""
    parts = path.split("/")
    tails = ("/".join(parts[start:]) for start in range(len(parts)))
    return next((tail for tail in tails if tail in command.text), path)
