"""A read-only tree at one commit, read from git objects only: never the work tree, never a link's target.

Paths are relative to the repository and separated by `/`. A path that leaves the tree or cannot be one (`..`,
absolute, a backslash, a drive, NUL, over 4,096 characters) is `MISSING`, and nothing is read for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pygit2
from pygit2.enums import ObjectType

from bot.core.gitignore import Ignore
from bot.core.globs import compile_glob
from bot.core.listing import (
    MAX_ENTRIES,
    MAX_PATH,
    MAX_SEGMENTS,
    Kind,
    Listing,
    ListingCache,
    TreeError,
    fold,
    parents,
)
from bot.core.nearest import nearest
from bot.core.overlay import Overlay, State
from bot.core.pruning import without

__all__ = [
    "InputError",
    "Kind",
    "Overlay",
    "Read",
    "State",
    "Text",
    "Tree",
    "TreeError",
    "Unreadable",
    "commit_of",
    "open_repository",
]

MAX_BLOB = 1024 * 1024
# similar names, and common ones, take a look at much of the tree: enough for any honest plan, too few to hang on a
# hostile one
MAX_FUZZY = 100

_LISTINGS = ListingCache()
_GLOB_LITERAL = re.compile(r"[^*?{]*")


class InputError(Exception):
    """What was asked for is not there: no such repository, commit or plan. The message is for the person who asked."""


@dataclass(frozen=True)
class Text:
    """The decoded content of a file. `size` is in bytes; a byte order mark is dropped and line ends are `\\n`."""

    text: str
    size: int

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines as an editor numbers them; a final line end opens no further line."""
        lines = self.text.split("\n")
        if not lines[-1]:
            lines.pop()
        return tuple(lines)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a path gave no text. None of the reasons says that the path is wrong, except `no such file`."""

    reason: str


class Read(NamedTuple):
    """One look into a file. `outcome` is `ok` or the reason there was no text."""

    path: str
    bytes: int
    outcome: str


class Tree:
    """One commit's files with the plan's own documents laid over them. `rev` is the full commit id; None is the tree
    before a repository's first commit, which is empty. Make one by `Tree.open`."""

    def __init__(
        self,
        repo: pygit2.Repository,
        rev: str | None,
        listing: Listing,
        overlay: Mapping[str, bytes],
        *,
        max_blob: int = MAX_BLOB,
        max_fuzzy: int = MAX_FUZZY,
    ) -> None:
        self.rev = rev
        self.reads: list[Read] = []
        self._repo = repo
        self._listing = listing
        self._overlay = {path: data for path, data in overlay.items() if normalise(path) == path and path}
        self._overlay_directories = {parent for path in self._overlay for parent in parents(path)}
        self._max_blob = max_blob
        self._fuzzy_left = max_fuzzy
        self._texts: dict[str, Text | Unreadable] = {}
        self._nearest: dict[str, tuple[str, ...]] = {}
        self._suffixes: dict[str, tuple[str, ...]] = {}

    @classmethod
    def open(
        cls,
        repo: pygit2.Repository | Path | str,
        rev: str | None,
        *,
        overlay: Mapping[str, bytes | None] | None = None,
        max_blob: int = MAX_BLOB,
        max_entries: int = MAX_ENTRIES,
        max_fuzzy: int = MAX_FUZZY,
        listings: ListingCache = _LISTINGS,
    ) -> Tree:
        """The tree of commit `rev` (any revision git understands; None: the empty tree).

        `overlay` lays files over the commit's; None in the place of a file's content takes that file out. `max_blob`
        is the most bytes a file may have to be read. Raises InputError where there is no such repository or commit,
        TreeError for a tree of more than `max_entries`.
        """
        repository = repo if isinstance(repo, pygit2.Repository) else open_repository(repo)
        listing, commit = Listing.empty(), None
        if rev is not None:
            found = commit_of(repository, rev)
            commit = str(found.id)
            # the tree object itself is not loaded: in a partial clone it need not be there
            listing = listings.get(repository, found.tree_id, max_entries=max_entries)
        laid = {path: data for path, data in (overlay or {}).items() if data is not None}
        if overlay is not None and len(laid) < len(overlay):
            listing = without(listing, (path for path, data in overlay.items() if data is None))
        return cls(repository, commit, listing, laid, max_blob=max_blob, max_fuzzy=max_fuzzy)

    def kind(self, path: str) -> Kind:
        """What is at `path` (`a/b` or `a/b/`). `.` is the root directory."""
        clean = normalise(path)
        if clean is None:
            return Kind.MISSING
        if not clean:
            return Kind.DIRECTORY
        if clean in self._overlay:
            return Kind.FILE
        if clean in self._overlay_directories:
            return Kind.DIRECTORY
        return self._listing.kind(clean)

    def read(self, path: str) -> Text | Unreadable:
        """The text of a regular file, decoded as UTF-8, else as Latin-1. Each file is in `reads` once."""
        clean = normalise(path)
        key = path[:MAX_PATH] if clean is None else clean
        if key not in self._texts:
            data = self.read_bytes(path)
            found = data if isinstance(data, Unreadable) else _decode(data)
            self._texts[key] = found
            outcome = found.reason if isinstance(found, Unreadable) else "ok"
            self.reads.append(Read(key, 0 if isinstance(data, Unreadable) else len(data), outcome))
        return self._texts[key]

    def read_bytes(self, path: str, *, max_size: int | None = None) -> bytes | Unreadable:
        """The content of a regular file as it is; not recorded in `reads`. `max_size` replaces the tree's limit."""
        limit = self._max_blob if max_size is None else max_size
        clean = normalise(path)
        kind = self.kind(path)
        if clean is None or kind is not Kind.FILE:
            return Unreadable(_NOT_A_FILE[kind])
        if clean in self._overlay:
            data = self._overlay[clean]
            return Unreadable(_too_large(len(data), limit)) if len(data) > limit else data
        blob = self._listing.blob(self._repo, clean)
        if blob is None:
            return Unreadable(_NOT_A_FILE[Kind.UNKNOWN])
        try:
            kind_id, size = self._repo.odb.read_header(blob)
            if kind_id != ObjectType.BLOB:
                return Unreadable("not a file")
            if size > limit:
                return Unreadable(_too_large(size, limit))
            return bytes(self._repo.odb.read(blob)[1])
        except (KeyError, pygit2.GitError):
            return Unreadable("its content is not in this clone")

    def blob_id(self, path: str) -> str | None:
        """The id of the blob at `path`, which names its content; None for the plan's own files and for no file."""
        clean = normalise(path)
        if clean is None or clean in self._overlay:
            return None
        blob = self._listing.blob(self._repo, clean)
        return str(blob) if blob is not None else None

    def paths(self) -> Sequence[str]:
        """Every file, link and submodule, sorted."""
        return self._paths

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        new = [path for path in self._overlay if path not in self._listing.files]
        return tuple(sorted([*self._listing.paths, *new])) if new else self._listing.paths

    def children(self, path: str) -> tuple[str, ...]:
        """The names right below a directory, sorted; () for anything else."""
        clean = normalise(path)
        if clean is None or self.kind(path) is not Kind.DIRECTORY:
            return ()
        prefix = f"{clean}/" if clean else ""
        own = {each[len(prefix) :].partition("/")[0] for each in self._overlay if each.startswith(prefix)}
        below = self._listing.children(self._repo, clean)
        return tuple(sorted(own.union(below))) if own else below

    def folded(self, path: str) -> str | None:
        """The real path that differs from `path` in letter case only; None where there is none, or several."""
        clean = normalise(path)
        if not clean:
            return None
        key = fold(clean)
        real = {*self._listing.folded(self._repo, clean)}
        real.update(each for each in (*self._overlay, *self._overlay_directories) if fold(each) == key)
        real.discard(clean)
        return real.pop() if len(real) == 1 else None

    def by_suffix(self, path: str) -> tuple[str, ...]:
        """The files and directories whose path ends in the whole segments of `path`, sorted; `path` itself too."""
        clean = normalise(path)
        if not clean:
            return ()
        if clean not in self._suffixes:
            tail = f"/{clean}"
            own = (*self._overlay, *self._overlay_directories)
            found = {each for each in own if each == clean or each.endswith(tail)}
            self._suffixes[clean] = tuple(sorted(found.union(self._listing.ending(clean))))
        return self._suffixes[clean]

    def by_name(self, name: str) -> tuple[str, ...]:
        """The files whose basename is `name`, sorted."""
        own = [path for path in self._overlay if path.rpartition("/")[2] == name]
        below = self._listing.names.get(name, ())
        return tuple(sorted({*own, *below}) if own else below)

    def nearest(self, path: str, limit: int = 3) -> tuple[str, ...]:
        """At most `limit` files that `path` may have meant, best first; () for a path that cannot be in a tree."""
        clean = normalise(path)
        if not clean:
            return ()
        if clean not in self._nearest:
            self._fuzzy_left -= 1
            self._nearest[clean] = nearest(clean, self._listing.names, limit=10, fuzzy=self._fuzzy_left >= 0)
        return self._nearest[clean][:limit]

    def glob(self, pattern: str) -> tuple[str, ...]:
        """The files that match, sorted; where no file does, or the pattern ends in `/`, the directories.

        `*` and `?` stay in one segment, `**` spans segments, `{a,b}` are alternatives, brackets mean themselves.
        """
        directories = pattern.endswith("/")
        clean = normalise(pattern)
        regex = compile_glob(clean) if clean else None
        if regex is None or clean is None:
            return ()
        literal = _GLOB_LITERAL.match(clean)
        prefix = literal.group() if literal else ""
        if not directories:
            below = self._listing.below(prefix) if prefix else iter(self._listing.paths)
            own = (each for each in self._overlay if each not in self._listing.files)
            files = [each for source in (below, own) for each in source if regex.fullmatch(each)]
            if files:
                return tuple(sorted(files))
        every = self._overlay_directories.union(self._listing.directories)
        return tuple(sorted(each for each in every if each and each.startswith(prefix) and regex.fullmatch(each)))

    def ignored(self, path: str) -> bool:
        """Whether the tree's own `.gitignore` files leave `path` out (a directory when it ends in `/`)."""
        clean = normalise(path)
        return bool(clean) and clean is not None and self._ignore.ignored(clean, directory=path.endswith("/"))

    @cached_property
    def _ignore(self) -> Ignore:
        def text(path: str) -> str | None:
            data = self.read_bytes(path) if self.kind(path) is Kind.FILE else None
            return data.decode("utf-8", "replace") if isinstance(data, bytes) else None

        return Ignore(text)


def normalise(path: str) -> str | None:
    """`path` without `.` and empty segments; "" is the root; None for what cannot be a path in a tree."""
    if not path or len(path) > MAX_PATH or path.startswith(("/", "~/")) or "\\" in path or "\0" in path:
        return None
    if "//" not in path and "./" not in path and path[-1] not in "/.":
        # no segment to drop and, as every `..` is followed by a slash or ends the path, none to refuse
        return path if path.count("/") < MAX_SEGMENTS else None
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts or len(parts) > MAX_SEGMENTS:
        return None
    return "/".join(parts)


def open_repository(path: Path | str) -> pygit2.Repository:
    """The repository at `path`: a git directory, or a work tree's root or a folder in it. Raises InputError."""
    # git refuses another user's repository because its configuration can run programs; nothing is run here
    pygit2.option(pygit2.enums.Option.SET_OWNER_VALIDATION, False)
    # as git itself reads: an object is hashed when it is fetched, not each time that it is looked at
    pygit2.option(pygit2.enums.Option.ENABLE_STRICT_HASH_VERIFICATION, False)
    where = str(path)
    try:
        found = pygit2.discover_repository(where)
        if found is None:
            raise InputError(f"{where} is not in a git repository")
        return pygit2.Repository(found)
    except (pygit2.GitError, KeyError, ValueError) as error:
        raise InputError(f"{where} is not a git repository that can be read: {error}") from error


def commit_of(repo: pygit2.Repository, rev: str) -> pygit2.Commit:
    """The commit that `rev` names. Raises InputError."""
    try:
        return repo.revparse_single(rev).peel(pygit2.Commit)
    except (KeyError, ValueError, pygit2.GitError) as error:
        raise InputError(f"there is no commit {rev[:100]!r} in this repository") from error


def _decode(data: bytes) -> Text | Unreadable:
    if b"\0" in data[:8000]:
        return Unreadable("binary")
    if data.startswith(b"version https://git-lfs.github.com/spec/"):
        return Unreadable("its content is stored outside git (LFS)")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return Text(text.replace("\r\n", "\n"), len(data))


def _too_large(size: int, limit: int) -> str:
    return f"too large to read ({size:,} bytes, the limit is {limit:,} bytes)"


_NOT_A_FILE = {
    Kind.MISSING: "no such file",
    Kind.DIRECTORY: "a directory",
    Kind.SYMLINK: "a symbolic link, which is not followed",
    Kind.SUBMODULE: "a submodule",
    Kind.UNKNOWN: "not in this clone",
    Kind.FILE: "not a file",
}
