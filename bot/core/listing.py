"""Every path of one git tree, read from tree objects alone, and the indexes over them.

Trees are read raw and taken apart by one regular expression: creating an object per entry, as git libraries do, costs
ten times as much on a repository of 100,000 files.
"""

from __future__ import annotations

import gc
import re
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cached_property
from threading import Lock
from unicodedata import normalize

import pygit2

MAX_ENTRIES = 2_000_000
CROWD = 64  # files of one name that are quicker to look through than to index
MAX_PATH = 4096
CACHED_TREES = 4


class Kind(StrEnum):
    """What stands at a path. `UNKNOWN`: inside a submodule, behind a link, or in an object that is not there."""

    FILE = "file"
    DIRECTORY = "directory"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    MISSING = "missing"
    UNKNOWN = "unknown"


_SPECIAL = {b"120000": Kind.SYMLINK, b"160000": Kind.SUBMODULE}


class TreeError(Exception):
    """A tree that cannot be listed; the message says why in plain words. Either its root is not in this clone, or it
    has more entries or longer paths than the limit: a few objects can describe billions of paths."""


class Listing:
    """The paths of a tree. `directories` maps each directory to its raw tree id ("" is the root); `special` holds
    links, submodules and directories whose tree object is absent, none of which can be looked into.

    Blob ids are not kept: they are as many as the files, and the few that are wanted are a tree object away.
    """

    def __init__(self, files: set[str], directories: dict[str, bytes], special: dict[str, Kind]) -> None:
        self.files = files
        self.directories = directories
        self.special = special

    @classmethod
    def empty(cls) -> Listing:
        return cls(set(), {}, {})

    @classmethod
    def read(cls, repo: pygit2.Repository, tree: pygit2.Oid, *, max_entries: int = MAX_ENTRIES) -> Listing:
        """All paths below the tree object `tree`. Raises TreeError."""
        files: list[str] = []
        directories: dict[str, bytes] = {"": tree.raw}
        special: dict[str, Kind] = {}
        entries = _entries(len(tree.raw))
        # most directories hold plain files only, and of those nothing but the names is wanted
        plain = re.compile(rb"10\d{4} ([^\0]+)\0.{%d}" % len(tree.raw), re.DOTALL)
        read, oid = repo.odb.read, pygit2.Oid
        left = max_entries
        todo = [("", tree)]
        while todo:
            prefix, tree = todo.pop()
            try:
                data = read(tree)[1]
            except (KeyError, pygit2.GitError) as error:
                if not prefix:
                    raise TreeError("the files of this commit are not in this clone; fetch it again") from error
                del directories[prefix[:-1]]
                special[prefix[:-1]] = Kind.UNKNOWN
                continue
            # the modes of directories, links and submodules end so
            if b"0000 " not in data:
                names = plain.findall(data)
                left -= len(names)
            else:
                names = []
                rows = entries.findall(data)
                left -= len(rows)
                for mode, name, raw in rows:
                    if mode[:2] == b"10":
                        names.append(name)
                        continue
                    path = prefix + _decode(name)
                    if mode == b"40000":
                        directories[path] = raw
                        todo.append((path + "/", oid(raw=raw)))
                    else:
                        special[path] = _SPECIAL.get(mode, Kind.UNKNOWN)
            if left < 0 or len(prefix) > MAX_PATH:
                raise TreeError(f"the repository has more than {max_entries:,} paths, or longer ones than git allows")
            if names:
                files += [prefix + name for name in _decode(b"\0".join(names)).split("\0")]
        return cls(set(files), directories, special)

    def blob(self, repo: pygit2.Repository, path: str) -> pygit2.Oid | None:
        """The blob id of the file `path`; None when there is no such file, or its directory is not in this clone."""
        if path not in self.files:
            return None
        head, _, name = path.rpartition("/")
        if head not in self._blobs:
            raw = self.directories[head]
            try:
                rows = _entries(len(raw)).findall(repo.odb.read(pygit2.Oid(raw=raw))[1])
            except (KeyError, pygit2.GitError):
                return None
            self._blobs[head] = {_decode(each): blob for mode, each, blob in rows if mode[:2] == b"10"}
        found = self._blobs[head].get(name)
        return pygit2.Oid(raw=found) if found is not None else None

    @cached_property
    def _blobs(self) -> dict[str, dict[str, bytes]]:
        return {}

    def kind(self, path: str) -> Kind:
        """`path` has no leading, trailing or doubled slash."""
        if path in self.files:
            return Kind.FILE
        if path in self.directories:
            return Kind.DIRECTORY
        if path in self.special:
            return self.special[path]
        if self.special and any(parent in self.special for parent in parents(path)):
            return Kind.UNKNOWN
        return Kind.MISSING

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every file, link and submodule, sorted by code point."""
        return tuple(sorted([*self.files, *self.special] if self.special else self.files))

    def below(self, prefix: str) -> Iterator[str]:
        """The paths that begin with `prefix`, sorted."""
        for at in range(bisect_left(self.paths, prefix), len(self.paths)):
            if not self.paths[at].startswith(prefix):
                return
            yield self.paths[at]

    def children(self, directory: str) -> tuple[str, ...]:
        """The names right below `directory` ("" is the root), sorted."""
        return tuple(sorted(self._children.get(directory, ())))

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for paths in (self.files, self.directories, self.special):
            for path in paths:
                if not path:
                    continue
                head, _, name = path.rpartition("/")
                if head in found:
                    found[head].append(name)
                else:
                    found[head] = [name]
        return found

    @cached_property
    def names(self) -> dict[str, list[str]]:
        """Basename → the files of that name, sorted."""
        return _by_name(self.paths)

    @cached_property
    def directory_names(self) -> dict[str, list[str]]:
        return _by_name(sorted(path for path in self.directories if path))

    def ending(self, path: str) -> list[str]:
        """The files, links and directories that end in the whole segments of `path`, in no order."""
        name, tail = path[path.rfind("/") + 1 :], f"/{path}"
        every = self.names.get(name, ()), self.directory_names.get(name, ())
        if len(every[0]) + len(every[1]) <= CROWD:
            return [each for paths in every for each in paths if each == path or each.endswith(tail)]
        if name not in self._backwards:
            self._backwards[name] = sorted((_backwards(each), each) for paths in every for each in paths)
        crowd, wanted = self._backwards[name], _backwards(path)
        found = []
        for at in range(bisect_left(crowd, (wanted,)), len(crowd)):
            if not crowd[at][0].startswith(wanted):
                break
            found.append(crowd[at][1])
        return found

    @cached_property
    def _backwards(self) -> dict[str, list[tuple[str, str]]]:
        return {}

    @cached_property
    def folded(self) -> dict[str, list[str]]:
        """Path without letter case → the files and directories that are spelled so in some case."""
        spelled = [*self.paths, *sorted(path for path in self.directories if path)]
        # folding them all at once is several times faster; no path holds a NUL
        keys = fold("\0".join(spelled)).split("\0") if spelled else []
        return _grouped(zip(keys, spelled, strict=True))


def _entries(id_size: int) -> re.Pattern[bytes]:
    """Mode, name and raw id of each entry of a raw tree object."""
    return re.compile(rb"(\d+) ([^\0]+)\0(.{%d})" % id_size, re.DOTALL)


def _decode(name: bytes) -> str:
    # a name that is not UTF-8 stays printable; no plan, being UTF-8, can cite it
    return name.decode("utf-8", "backslashreplace")


def _by_name(paths: tuple[str, ...] | list[str]) -> dict[str, list[str]]:
    return _grouped((path[path.rfind("/") + 1 :], path) for path in paths)


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Key → its values in order."""
    found: dict[str, list[str]] = {}
    # a hundred thousand small lists, none of them garbage: collections only cost time, half of all
    collecting = gc.isenabled()
    gc.disable()
    try:
        for key, value in pairs:
            if key in found:
                found[key].append(value)
            else:
                found[key] = [value]
    finally:
        if collecting:
            gc.enable()
    return found


def _backwards(path: str) -> str:
    """`a/b/c` → `c/b/a/`: paths with the same end begin alike."""
    return "/".join(reversed(path.split("/"))) + "/"


def parents(path: str) -> Iterator[str]:
    """`a/b/c` → `a/b`, `a`."""
    at = path.rfind("/")
    while at > 0:
        yield path[:at]
        at = path.rfind("/", 0, at)


def tails(path: str, limit: int = 64) -> Iterator[str]:
    """`a/b/c` → `b/c`, `c`; at most `limit`."""
    at = path.find("/")
    while at >= 0 and limit > 0:
        yield path[at + 1 :]
        at = path.find("/", at + 1)
        limit -= 1


def fold(path: str) -> str:
    """`path` without letter case, and composed: some systems store `é` as two characters."""
    return path.casefold() if path.isascii() else normalize("NFC", path.casefold())


class ListingCache:
    """The last few listings by tree id. A tree id names its content, so an entry is never stale."""

    def __init__(self, size: int = CACHED_TREES) -> None:
        self.size = size
        self._kept: OrderedDict[str, Listing] = OrderedDict()
        self._lock = Lock()

    def get(self, repo: pygit2.Repository, tree: pygit2.Oid, *, max_entries: int = MAX_ENTRIES) -> Listing:
        """The listing of `tree`, read now or kept from before. Raises TreeError."""
        key = str(tree)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        listing = Listing.read(repo, tree, max_entries=max_entries)
        # a listing with absent objects is true of this repository alone, and only until more is fetched
        if Kind.UNKNOWN not in listing.special.values():
            with self._lock:
                self._kept[key] = listing
                while len(self._kept) > self.size:
                    self._kept.popitem(last=False)
        return listing
