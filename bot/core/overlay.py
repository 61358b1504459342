"""What the tasks of a plan, carried out in order, make of a tree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.core.listing import Kind, parents

if TYPE_CHECKING:
    from bot.core.tree import Tree

# a chain of moves longer than this is not followed to its start
MAX_HOPS = 64


@dataclass(frozen=True, slots=True)
class State:
    """A path as it stands after the tasks so far; the names are those of tasks.

    `changed_by` is the last task that altered its content, `created_by` the one that made what is there now,
    `deleted_by` the one that took away what was there (`moved_to`: where to). All None: as in the tree.
    """

    kind: Kind
    changed_by: str | None = None
    created_by: str | None = None
    deleted_by: str | None = None
    moved_to: str | None = None


@dataclass(frozen=True, slots=True)
class _Event:
    """`below` events hold for everything under their path as well."""

    at: int
    by: str
    verb: str  # create | directory | delete | arrive
    below: bool = False
    target: str | None = None  # delete: where it went; arrive: where it came from
    kind: Kind = Kind.FILE  # arrive: what the source was


class Overlay:
    """A tree and the changes laid over it, one after the other; the tree itself stays as it is.

    Nothing here judges: creating what exists, or deleting what does not, is recorded as said. Each question costs in
    the depth of the path, not in the size of the tree.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._events: dict[str, list[_Event]] = {}
        self._modified: dict[str, list[tuple[int, str]]] = {}
        self._created: dict[str, None] = {}
        self._clock = 0

    def create(self, path: str, by: str) -> None:
        """Task `by` writes a new file at `path`, or makes a directory where that ends in `/`."""
        clean = path.rstrip("/")
        at = self._tick()
        if path.endswith("/"):
            self._record(clean, _Event(at, by, "directory", kind=Kind.DIRECTORY))
        else:
            self._record(clean, _Event(at, by, "create"))
            self._created[clean] = None
        self._imply_parents(clean, at, by)

    def modify(self, path: str, by: str) -> None:
        """Task `by` alters the content of `path`; whether it exists is not changed."""
        self._modified.setdefault(path.rstrip("/"), []).append((self._tick(), by))

    def delete(self, path: str, by: str) -> None:
        """Task `by` removes `path` and what is below it."""
        self._record(path.rstrip("/"), _Event(self._tick(), by, "delete", below=True))

    def move(self, src: str, dst: str, by: str) -> None:
        """Task `by` moves `src`, with what is below it, to `dst`; into `dst` where that ends in `/` and `src` is a
        file, or where `dst` is a directory already."""
        source, target = src.rstrip("/"), dst.rstrip("/")
        origin = self.state(source)
        kind = origin.kind
        if kind is Kind.MISSING:
            # the plan is taken at its word; that the source is missing is judged where it is cited
            kind = Kind.DIRECTORY if src.endswith("/") else Kind.FILE
        name = source.rpartition("/")[2]
        if kind is Kind.FILE and (dst.endswith("/") or self.state(target).kind is Kind.DIRECTORY):
            target = f"{target}/{name}" if target else name
        self._record(source, _Event(self._tick(), by, "delete", below=True, target=target))
        # later than the removal: a move into a directory below the source itself must still arrive
        at = self._tick()
        if kind is Kind.DIRECTORY:
            self._record(target, _Event(at, by, "arrive", below=True, target=source, kind=origin.kind))
        else:
            self._record(target, _Event(at, by, "create", kind=kind))
            if origin.changed_by is not None:
                self._modified.setdefault(target, []).append((at, origin.changed_by))
        self._created[target] = None
        self._imply_parents(target, at, by)

    def state(self, path: str) -> State:
        """What `path` is by now."""
        return self._state(path.rstrip("/"), self._clock + 1, [MAX_HOPS])

    def created(self) -> tuple[str, ...]:
        """The paths that tasks made or moved something to, in that order, and that are still there."""
        return tuple(path for path in self._created if self.state(path).kind not in (Kind.MISSING, Kind.UNKNOWN))

    def by_suffix(self, path: str) -> tuple[str, ...]:
        """As `Tree.by_suffix`, in the tree as it is by now."""
        tail = f"/{path.strip('/')}"
        found = {each for each in self._created if f"/{each}".endswith(tail)}
        found.update(self.tree.by_suffix(path))
        return tuple(sorted(each for each in found if self.state(each).kind is not Kind.MISSING))

    def _tick(self) -> int:
        self._clock += 1
        return self._clock

    def _record(self, path: str, event: _Event) -> None:
        self._events.setdefault(path, []).append(event)

    def _imply_parents(self, path: str, at: int, by: str) -> None:
        for parent in parents(path):
            if self.state(parent).kind is Kind.DIRECTORY:
                return
            self._record(parent, _Event(at, by, "directory", kind=Kind.DIRECTORY))

    def _last(self, path: str, before: int) -> tuple[str, _Event] | None:
        """The latest event before `before` that decides what is at `path`, and the path it was recorded for."""
        best: tuple[str, _Event] | None = None
        if not self._events:
            return best
        for each in (path, *parents(path)):
            for event in reversed(self._events.get(each, ())):
                if event.at < before and (event.below or each == path):
                    if best is None or event.at > best[1].at:
                        best = (each, event)
                    break
        return best

    def _state(self, path: str, before: int, hops: list[int]) -> State:
        found = self._last(path, before)
        if found is None:
            return self._with_changes(State(self.tree.kind(path)), path, 0, before)
        where, event = found
        if event.verb == "delete":
            rest = path[len(where) :]
            moved = f"{event.target}{rest}" if event.target is not None else None
            return State(Kind.MISSING, deleted_by=event.by, moved_to=moved)
        if event.verb in ("create", "directory"):
            return self._with_changes(State(event.kind, created_by=event.by), path, event.at, before)
        hops[0] -= 1
        if hops[0] < 0 or (event.kind is Kind.MISSING and where != path):
            return State(Kind.UNKNOWN)
        if where == path:
            return State(Kind.DIRECTORY, created_by=event.by)
        # the removal at the source is one tick earlier than the arrival
        origin = self._state(f"{event.target}{path[len(where) :]}", event.at - 1, hops)
        if origin.kind is Kind.MISSING:
            # what was at the target before the move stays there
            return self._state(path, event.at, hops)
        arrived = replace(origin, created_by=event.by, deleted_by=None, moved_to=None)
        return self._with_changes(arrived, path, event.at, before)

    def _with_changes(self, state: State, path: str, after: int, before: int) -> State:
        for at, by in reversed(self._modified.get(path, ())):
            if after <= at < before:
                return replace(state, changed_by=by)
        return state
