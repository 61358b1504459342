"""The tasks of a plan, carried out in order on an overlay of the tree.

One walk answers for each cited path whether it is there at that task, and if not, whether another task makes it too
late or took it away before. The checks only read what the walk saw.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from bot.core.listing import MAX_SEGMENTS, parents, tails
from bot.core.plans.model import Action, Certainty, FileRef, Hedge, Plan, Task, TaskStatus
from bot.core.tree import Kind, Overlay, Tree
from bot.core.verify import makers, paths, shell

MAX_USES = 20_000

_THERE = (Kind.FILE, Kind.DIRECTORY, Kind.SYMLINK)
_UNREAL = (Hedge.NEGATED, Hedge.EXAMPLE, Hedge.ELSEWHERE)


class Standing(StrEnum):
    """What a cited path is at the moment its task begins (its own creates included)."""

    PRESENT = "present"
    ABSENT = "absent"  # neither in the tree nor made by anything in the plan
    LATER = "later"  # a later task creates it
    GONE = "gone"  # an earlier task deletes or moves it
    PLANNED = "planned"  # something in the plan makes it, in an order that is not stated
    NAMESAKE = "namesake"  # there, but under a base folder or in another letter case
    UNKNOWN = "unknown"  # in a submodule, behind a link, in a folder that a tool or a task fills


@dataclass(frozen=True, slots=True)
class Use:
    """One citation, as the walk met it.

    `path` is the path in the tree's terms. `was` is what the tree with the earlier tasks' changes had there before the
    task; `by` the task that makes it later or took it away; `changed` whether an earlier task touched the file.
    """

    ref: FileRef
    path: str
    standing: Standing
    was: Kind
    task: Task | None = None
    position: int = -1
    by: Task | None = None
    by_ref: FileRef | None = None
    changed: bool = False
    real: str | None = None


@dataclass(slots=True)
class Walk:
    """All that the walk saw: the uses in the order of the plan, and the state of the tree after each task."""

    uses: list[Use] = field(default_factory=list)
    created: dict[str, tuple[int, Task | None, FileRef | None]] = field(default_factory=dict)
    touched: dict[str, int] = field(default_factory=dict)  # path -> position of the first task that changes it
    deleted: dict[str, tuple[int, Task, FileRef]] = field(default_factory=dict)
    filled: set[str] = field(default_factory=set)  # folders whose contents cannot be known
    named: frozenset[str] = frozenset()  # every path that the plan cites by whatever action
    left_out: int = 0  # citations that were not looked at, because there are too many


def is_stated(ref: FileRef) -> bool:
    return ref.certainty is Certainty.STATED and ref.hedge is None


def is_real(ref: FileRef) -> bool:
    """Whether a citation speaks of this repository's own future at all."""
    return ref.hedge not in _UNREAL


def _makes(ref: FileRef) -> bool:
    """A test that is cited for its task is written by it, unless the plan says that it is there."""
    return ref.action is Action.CREATE or (ref.action is Action.TEST and not ref.says_exists)


def alive(task: Task) -> bool:
    return task.status is not TaskStatus.CANCELLED


def _places(plan: Plan) -> Iterator[tuple[int, Task | None, FileRef]]:
    for ref in plan.files:
        yield -1, None, ref
    for position, task in enumerate(plan.tasks):
        if alive(task):
            for ref in task.files:
                yield position, task, ref


# tools that lay out whole folders which no plan lists
_SCAFFOLDS = {
    "cargo": {"new", "init", "generate", "component"},
    "django-admin": {"startproject", "startapp"},
    "rails": {"new", "generate", "g"},
    "nest": {"new", "generate", "g"},
    "ng": {"new", "generate", "g"},
    "uv": {"init"},
    "poetry": {"new", "init"},
    "dotnet": {"new"},
    "flutter": {"create"},
    "mix": {"new", "phx.new"},
    "git": {"clone", "submodule", "worktree"},
    "go": {"generate"},
    "buf": {"generate"},
    "expo": {"prebuild"},
    "cookiecutter": set(),
    "create-react-app": set(),
    "unzip": set(),
    "tar": set(),
    "rsync": set(),
    "degit": set(),
}


def _scaffolded(invocation: shell.Invocation) -> Iterator[str]:
    argv = [word or "" for word in invocation.argv]
    if not argv:
        return
    start = 1 if argv[0] not in ("npx", "bunx", "pnpm", "yarn", "npm", "bun", "python", "python3") else 2
    program = argv[0]
    known = program in _SCAFFOLDS and (not _SCAFFOLDS[program] or (len(argv) > 1 and argv[1] in _SCAFFOLDS[program]))
    creates = any(word.startswith("create") or word in ("init", "dlx", "shadcn", "shadcn@latest") for word in argv[1:3])
    if not known and not (start == 2 and creates):
        return
    for word in argv[start:]:
        if word and not word.startswith("-"):
            path = shell.join(invocation.cwd, word)
            if path:
                yield path


class _Replay:
    def __init__(self, plan: Plan, tree: Tree, known_added: frozenset[str], max_uses: int) -> None:
        self.plan = plan
        self.tree = tree
        self.known_added = known_added
        self.max_uses = max_uses
        self.overlay = Overlay(tree)
        self.walk = Walk()
        self._tails: dict[str, str] = {}
        self._folded: set[str] = set()
        self._own = {document.path for document in plan.documents}
        self._prepare()

    # what the plan makes anywhere, whatever the order

    def _prepare(self) -> None:
        named: set[str] = set()
        for position, task, ref in _places(self.plan):
            path = paths.inside(self.tree, ref.path)
            named.add(path)
            if not is_real(ref):
                continue
            made: list[str] = []
            if ref.action is Action.CREATE:
                made.append(path)
            elif ref.action is Action.MOVE and ref.target:
                made.append(paths.inside(self.tree, ref.target))
                named.add(made[-1])
            elif ref.action is Action.TEST and not ref.says_exists and self.tree.kind(path) is Kind.MISSING:
                made.append(path)
            for each in made:
                self._made(each, position, task, ref)
            if ref.action in (Action.DELETE, Action.MOVE) and task is not None and is_stated(ref):
                self.walk.deleted.setdefault(path.rstrip("/"), (position, task, ref))
        self.walk.named = frozenset(named)
        groups = [(-1, None, self.plan.commands)]
        groups += [(i, t, t.commands) for i, t in enumerate(self.plan.tasks) if alive(t)]  # type: ignore[misc]
        for position, task, commands in groups:
            for command in commands:
                for invocation in shell.invocations(command.text, command.cwd):
                    for path in (*shell.writes(invocation), *makers.files(invocation)):
                        self._made(path, position, task, None)
                    self.walk.filled.update(makers.folders(invocation))
                    # into a folder that is there a tool may write as well, but what a plan changes in it is known
                    self.walk.filled.update(
                        path for path in _scaffolded(invocation) if self.tree.kind(path) is Kind.MISSING
                    )

    def _made(self, path: str, position: int, task: Task | None, ref: FileRef | None) -> None:
        path = path.rstrip("/")
        if not path:
            return
        if ref is None and self.tree.kind(path) is Kind.DIRECTORY:
            return
        known = self.walk.created.get(path)
        stated = ref is not None and is_stated(ref) and task is not None
        # the first task that states the create is the one that makes it; before that any other trace will do
        firmer = known is None or (stated and (known[2] is None or known[1] is None or not is_stated(known[2])))
        if firmer or (known is not None and known[0] > position >= 0 and not stated):
            self.walk.created[path] = (position, task, ref)
        self._folded.add(path.casefold())
        parts = path.split("/")
        for start in range(min(len(parts), 32)):
            self._tails.setdefault("/".join(parts[start:]), path)
        folder = ref is not None and (ref.path.endswith("/") or not paths.has_extension(ref.path))
        if folder and self.tree.kind(path) is Kind.MISSING:
            self.walk.filled.add(path)

    # the walk

    def run(self) -> Walk:
        total = len(self.plan.files) + sum(len(task.files) for task in self.plan.tasks)
        only_stated = total > self.max_uses
        for ref in self.plan.files:
            self._use(ref, None, -1, frozenset(), only_stated)
        for position, task in enumerate(self.plan.tasks):
            if not alive(task):
                continue
            own = frozenset(
                paths.inside(self.tree, made).rstrip("/")
                for ref in task.files
                if is_real(ref)
                for made in ([ref.path] if _makes(ref) else [ref.target or ""])
                if made
            )
            for ref in task.files:
                self._use(ref, task, position, own, only_stated)
            self._apply(task, position)
        return self.walk

    def _use(self, ref: FileRef, task: Task | None, position: int, own: frozenset[str], only_stated: bool) -> None:
        """Judges a citation, unless the plan has too many and this one weighs little."""
        if (only_stated and ref.certainty is not Certainty.STATED) or len(self.walk.uses) >= self.max_uses:
            self.walk.left_out += 1
        else:
            self.walk.uses.append(self._judge(ref, task, position, own))

    def _judge(self, ref: FileRef, task: Task | None, position: int, own: frozenset[str]) -> Use:
        path = paths.inside(self.tree, ref.path).rstrip("/")
        state = self.overlay.state(path)
        changed = state.changed_by is not None or state.created_by is not None

        def use(standing: Standing, **more: object) -> Use:
            return Use(ref, path, standing, state.kind, task, position, changed=changed, **more)  # type: ignore[arg-type]

        if state.kind in (Kind.SUBMODULE, Kind.UNKNOWN):
            return use(Standing.UNKNOWN)
        if state.kind in _THERE or path in self.known_added or path in self._own:
            return use(Standing.PRESENT)
        if path in own:
            return use(Standing.PRESENT)
        gone = self.walk.deleted.get(path)
        if gone is not None and gone[0] < position and (state.deleted_by or state.moved_to):
            return use(Standing.GONE, by=gone[1], by_ref=gone[2])
        if state.deleted_by or state.moved_to:
            return use(Standing.PLANNED)
        made = self.walk.created.get(path)
        if made is not None:
            when, by, by_ref = made
            if when > position >= 0 and by is not None and by_ref is not None and is_stated(by_ref):
                return use(Standing.LATER, by=by, by_ref=by_ref)
            return use(Standing.PLANNED)
        if self._planned_elsewhere(path):
            return use(Standing.PLANNED)
        if self.walk.filled and any(parent in self.walk.filled for parent in parents(path)):
            return use(Standing.UNKNOWN)
        folded = self.tree.folded(path)
        if folded is not None:
            return use(Standing.NAMESAKE, real=folded)
        tails = self.tree.by_suffix(path)
        if tails:
            return use(Standing.NAMESAKE, real=tails[0] if len(tails) == 1 else None)
        return use(Standing.ABSENT)

    def _planned_elsewhere(self, path: str) -> bool:
        """Whether the plan makes it under a longer or a shorter spelling of the same path."""
        if path in self._tails:
            return True
        if any("/" in tail and tail in self.walk.created for tail in tails(path, MAX_SEGMENTS)):
            return True
        return path.casefold() in self._folded

    def _apply(self, task: Task, position: int) -> None:
        by = task.label
        for ref in task.files:
            if not is_real(ref):
                continue
            path = paths.inside(self.tree, ref.path).rstrip("/")
            if ref.action is Action.MODIFY or (ref.action is Action.TEST and self.overlay.state(path).kind in _THERE):
                self.walk.touched.setdefault(path, position)
                if self.overlay.state(path).kind is Kind.FILE:
                    self.overlay.modify(path, by)
            elif ref.action is Action.MOVE and ref.target and ref.hedge is None:
                if self.overlay.state(path).kind in _THERE:
                    self.overlay.move(path, paths.inside(self.tree, ref.target).rstrip("/"), by)
                else:
                    self.overlay.create(paths.inside(self.tree, ref.target).rstrip("/"), by)
            elif ref.action is Action.DELETE and is_stated(ref) and self.overlay.state(path).kind in _THERE:
                self.overlay.delete(path, by)
        for ref in task.files:
            if is_real(ref) and _makes(ref) and not paths.is_glob(ref.path):
                path = paths.inside(self.tree, ref.path).rstrip("/")
                if self.overlay.state(path).kind is Kind.MISSING:
                    self.overlay.create(path, by)
                else:
                    self.overlay.modify(path, by)
                self.walk.touched.setdefault(path, position)


def replay(plan: Plan, tree: Tree, known_added: frozenset[str] = frozenset(), *, max_uses: int = MAX_USES) -> Walk:
    """Carries out the plan's tasks, in order, on an overlay of `tree`, and tells what each citation found there.

    `known_added` are paths which the same change added before the plan: they are neither missing nor existing code.
    A plan with more than `max_uses` citations is judged by those that it states, at most as many.
    """
    return _Replay(plan, tree, known_added, max_uses).run()
