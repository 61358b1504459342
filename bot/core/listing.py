"""Every path of one git tree, read from tree objects alone, and the indexes over them.

Trees are read raw and taken apart by one regular expression: creating an object per entry, as git libraries do, costs
ten times as much on a repository of 100,000 files.
"""

from __future__ import annotations

import gc
import re
from bisect import bisect_left
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import cached_property
from threading import Lock
from unicodedata import normalize

import pygit2

MAX_ENTRIES = 2_000_000
CROWD = 64  # files of one name that are quicker to look through than to index, and spellings of one path
MAX_PATH = 4096
MAX_SEGMENTS = 256
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
    links, submodules and directories whose tree object is absent, none of which can be looked into. The order of all
    three follows from the tree alone.

    Blob ids are not kept: they are as many as the files, and the few that are wanted are a tree object away.
    """

    def __init__(
        self, files: dict[str, None], directories: dict[str, bytes], special: dict[str, Kind], bare: bytes = b""
    ) -> None:
        """`bare`: the basenames of `files`, in their order, with a NUL between two."""
        self.files = files
        self.directories = directories
        self.special = special
        self._bare = bare

    @classmethod
    def empty(cls) -> Listing:
        return cls({}, {}, {})

    @classmethod
    def read(cls, repo: pygit2.Repository, tree: pygit2.Oid, *, max_entries: int = MAX_ENTRIES) -> Listing:
        """All paths below the tree object `tree`. Raises TreeError."""
        special: dict[str, Kind] = {}
        entries = _entries(len(tree.raw))
        # most directories hold plain files only, and of those nothing but the names is wanted
        plain = re.compile(rb"10\d{4} ([^\0]+)\0.{%d}" % len(tree.raw), re.DOTALL)
        read, oid = repo.odb.read, pygit2.Oid
        left = max_entries
        # whole folders are joined, decoded and taken apart at once: a step per file would be most of the time
        paths: list[bytes] = []
        bare: list[bytes] = []
        below: list[bytes] = [b""]
        ids: list[bytes] = [tree.raw]
        gone: list[str] = []
        todo = [(b"", tree)]
        with _uncollected():
            while todo:
                prefix, tree = todo.pop()
                try:
                    data = read(tree)[1]
                except (KeyError, pygit2.GitError) as error:
                    if not prefix:
                        raise TreeError("the files of this commit are not in this clone; fetch it again") from error
                    gone.append(_decode(prefix[:-1]))
                    special[gone[-1]] = Kind.UNKNOWN
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
                        path = prefix + name
                        if mode == b"40000":
                            below.append(path)
                            ids.append(raw)
                            todo.append((path + b"/", oid(raw=raw)))
                        else:
                            special[_decode(path)] = _SPECIAL.get(mode, Kind.UNKNOWN)
                if left < 0 or len(prefix) > MAX_PATH:
                    raise TreeError(
                        f"the repository has more than {max_entries:,} paths, or longer ones than git allows"
                    )
                if names:
                    paths.append(prefix + (b"\0" + prefix).join(names))
                    bare.append(b"\0".join(names))
            # a dictionary keeps the order, in which names that are equally like a wrong one are offered
            files = dict.fromkeys(_decode(b"\0".join(paths)).split("\0")) if paths else {}
            directories = dict(zip(_decode(b"\0".join(below)).split("\0"), ids, strict=True))
            for each in gone:
                directories.pop(each, None)
        return cls(files, directories, special, b"\0".join(bare))

    def blob(self, repo: pygit2.Repository, path: str) -> pygit2.Oid | None:
        """The blob id of the file `path`; None when there is no such file, or its directory is not in this clone."""
        if path not in self.files:
            return None
        head, _, name = path.rpartition("/")
        found = self._rows(repo, head).get(name)
        return pygit2.Oid(raw=found) if found is not None else None

    def _rows(self, repo: pygit2.Repository, directory: str) -> dict[str, bytes]:
        """Name → raw id of all that is right in `directory`; empty when that is not in this clone."""
        if directory not in self._read:
            raw = self.directories[directory]
            try:
                rows = _entries(len(raw)).findall(repo.odb.read(pygit2.Oid(raw=raw))[1])
            except (KeyError, pygit2.GitError):
                return {}
            self._read[directory] = {_decode(name): each for _, name, each in rows}
        return self._read[directory]

    @cached_property
    def _read(self) -> dict[str, dict[str, bytes]]:
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

    def children(self, repo: pygit2.Repository, directory: str) -> tuple[str, ...]:
        """The names right below `directory` ("" is the root), sorted."""
        return tuple(sorted(self._rows(repo, directory))) if directory in self.directories else ()

    @cached_property
    def names(self) -> Mapping[str, Sequence[str]]:
        """Basename → the files and links of that name, sorted."""
        paths = list(self.files)
        names = _decode(self._bare).split("\0") if self._bare else []
        if len(names) != len(paths):
            # a broken tree that has a name twice
            names = [basename(path) for path in paths]
        return Groups([*names, *map(basename, self.special)], [*paths, *self.special])

    @cached_property
    def directory_names(self) -> Mapping[str, Sequence[str]]:
        paths = [path for path in self.directories if path]
        return Groups([basename(path) for path in paths], paths)

    def ending(self, path: str) -> list[str]:
        """The files, links and directories that end in the whole segments of `path`, in no order."""
        name, tail = basename(path), f"/{path}"
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

    def folded(self, repo: pygit2.Repository, path: str) -> list[str]:
        """The files and directories that are spelled as `path` but for letter case, at most CROWD."""
        found = [""]
        for segment in fold(path).split("/"):
            below = []
            for directory in found:
                if directory in self.directories:
                    prefix = f"{directory}/" if directory else ""
                    below += [prefix + name for name in self._spelled(repo, directory).get(segment, ())]
            found = below[:CROWD]
        return found

    def _spelled(self, repo: pygit2.Repository, directory: str) -> Mapping[str, Sequence[str]]:
        """Name without letter case → the names in `directory` that are spelled so in some case."""
        if directory not in self._folded:
            names = list(self._rows(repo, directory))
            self._folded[directory] = Groups([fold(name) for name in names], names)
        return self._folded[directory]

    @cached_property
    def _folded(self) -> dict[str, Mapping[str, Sequence[str]]]:
        return {}


class Groups(Mapping[str, Sequence[str]]):
    """Key → its values, sorted. Most keys of a tree have one value, and a list for each would cost more than all the
    rest."""

    def __init__(self, keys: Sequence[str], values: Sequence[str]) -> None:
        """`keys[n]` is the key of `values[n]`."""
        with _uncollected():
            self._one = dict(zip(keys, values, strict=True))
            self._many: dict[str, list[str]] = {}
            if len(self._one) == len(keys):
                return
            count = Counter(keys)
            for key, value in zip(keys, values, strict=True):
                if count[key] > 1:
                    self._many.setdefault(key, []).append(value)
            for each in self._many.values():
                each.sort()

    def __getitem__(self, key: str) -> Sequence[str]:
        return self._many[key] if key in self._many else (self._one[key],)

    def __iter__(self) -> Iterator[str]:
        return iter(self._one)

    def __len__(self) -> int:
        return len(self._one)


def _entries(id_size: int) -> re.Pattern[bytes]:
    """Mode, name and raw id of each entry of a raw tree object."""
    return re.compile(rb"(\d+) ([^\0]+)\0(.{%d})" % id_size, re.DOTALL)


def _decode(name: bytes) -> str:
    # a name that is not UTF-8 stays printable; no plan, being UTF-8, can cite it
    return name.decode("utf-8", "backslashreplace")


def basename(path: str) -> str:
    return path[path.rfind("/") + 1 :]


@contextmanager
def _uncollected() -> Iterator[None]:
    """A hundred thousand small objects, none of them garbage: looking for some would take half of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _backwards(path: str) -> str:
    """`a/b/c` → `c/b/a/`: paths with the same end begin alike."""
    return "/".join(reversed(path.split("/"))) + "/"


def parents(path: str, limit: int = MAX_SEGMENTS) -> Iterator[str]:
    """`a/b/c` → `a/b`, `a`; at most `limit`, as many as any path in a tree has: each is a copy of its own."""
    at = path.rfind("/")
    while at > 0 and limit > 0:
        yield path[:at]
        at = path.rfind("/", 0, at)
        limit -= 1


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
