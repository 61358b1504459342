"""What the command line finds on this machine: the repository, the plans named or changed, the capability index.

Files are read as they stand in the work tree, never through a symbolic link, and only regular files of bounded size.
"""

from __future__ import annotations

import difflib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pygit2

from bot.core.documents import MAIN_DOCUMENTS, find_plans
from bot.core.globs import compile_glob
from bot.core.history import planned
from bot.core.plans import PLAN_GLOBS, companions, detect
from bot.core.tree import InputError, commit_of, normalise, open_repository

MAX_FILE = 64 * 1024 * 1024
MAX_WALK = 200_000
MARKDOWN = (".md", ".mdx", ".markdown")
_ARCHIVES = frozenset({"archive", "archived"})
_NOT_PLANS = frozenset({".git", "node_modules", ".venv", "__pycache__"})


@dataclass(frozen=True, slots=True)
class Place:
    """A repository on this machine; `root` is None for a bare one. `repo` is what git calls go to."""

    repo: pygit2.Repository
    root: Path | None

    @classmethod
    def at(cls, path: Path) -> Place:
        """The repository that `path` is in. Raises InputError."""
        repo = open_repository(path)
        return cls(repo, Path(repo.workdir).resolve() if repo.workdir else None)

    @classmethod
    def around(cls, path: Path) -> Place:
        """The repository of the file or folder at `path`, which need not be there. Raises InputError."""
        return cls.at(next((each for each in (path, *path.parents) if is_folder(each)), path.parent))

    @property
    def git(self) -> str:
        return str(self.repo.path)

    @property
    def name(self) -> str:
        """The repository's name: the last part of origin's address, else of the folder."""
        try:
            url = self.repo.remotes["origin"].url or ""
        except (KeyError, pygit2.GitError):
            url = ""
        name = url.rstrip("/").replace(":", "/").rsplit("/", 1)[-1]
        return (name or (self.root or Path(self.git)).name).removesuffix(".git")

    def inside(self, path: Path) -> str:
        """`path` as the repository names it ("" is its root). Raises InputError for a path outside of it."""
        if self.root is None:
            raise InputError("a bare repository has no files on disk; give the plan's path in it")
        try:
            absolute = Path.cwd() / path
            # the folder is resolved, the name is not: a link is refused later rather than followed
            real = absolute.resolve() if is_folder(absolute) else absolute.parent.resolve() / absolute.name
            name = real.relative_to(self.root).as_posix()
            name.encode()
        except UnicodeEncodeError:
            raise InputError(f"{path} cannot be judged: its name is not UTF-8; rename it") from None
        except ValueError:
            raise InputError(f"{path} is not in the git work tree {self.root}") from None
        except (OSError, RuntimeError) as error:
            raise InputError(f"{path} cannot be read: {_why(error)}") from None
        return "" if name == "." else name


@dataclass(frozen=True, slots=True)
class Target:
    """One plan to judge: its path in the repository, and its documents as they stand on disk.

    `empty` says that the path is a folder without any plan: there is nothing to judge.
    """

    plan: str
    contents: dict[str, bytes] = field(default_factory=dict)
    empty: bool = False


def is_folder(path: Path) -> bool:
    """Whether `path` is a folder; a name that no file can have is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_there(path: Path) -> bool:
    """Whether there is anything at `path`."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def read_file(path: Path, limit: int = MAX_FILE) -> bytes:
    """At most `limit` bytes of a regular file. Raises InputError with a reason for people."""
    try:
        # a pipe or a device must neither block nor be followed to
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.ELOOP:
            raise InputError(f"{path} is a symbolic link; name the file it points to") from None
        raise InputError(f"{path} cannot be read: {_why(error)}{_nearest(path)}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(f"{path} is not a regular file")
    with os.fdopen(descriptor, "rb") as file:
        try:
            return file.read(limit)
        except OSError as error:
            raise InputError(f"{path} cannot be read: {_why(error)}") from None


def on_disk(place: Place, path: Path, patterns: Sequence[str] | None = None) -> list[Target]:
    """The plans at `path`, a file or folder of the work tree. Raises InputError.

    A folder gives each plan below it; a plan of several files counts once, by its main document.
    """
    name = place.inside(path)
    if not is_folder(path):
        # read first: a file that cannot be read is the caller's mistake, whatever stands in it
        try:
            return [target(place, name, read_file(path))]
        except InputError as problem:
            if os.path.lexists(path) or committed_file(place, "HEAD", name, MAX_FILE) is None:
                raise
            raise InputError(f"{problem}; it is committed, and --plan-rev HEAD reads it there") from None
    below = [each for each in _walk(place, name) if each.endswith(MARKDOWN)]
    plans = _readable(place, _usual(below, patterns) or below)
    return [target(place, each) for each in _grouped(place, plans)] or [Target(name or ".", empty=True)]


def committed(place: Place, rev: str, name: str, patterns: Sequence[str] | None = None) -> list[Target]:
    """The plans at the path `name` of commit `rev`: a file, or a folder of plans.

    In a work tree a path from the current folder will do as well. A path that is not there is left to the judge.
    """
    tree = commit_of(place.repo, rev).tree
    entry = _entry(tree, name)
    if entry is None and place.root is not None:
        try:
            here = place.inside(Path(name))
        except InputError:
            here = name
        entry, name = _entry(tree, here), here
    if isinstance(entry, pygit2.Tree):
        clean = name.strip("/")
        below = [each for each in find_plans(place.repo, rev, patterns=patterns) if each.startswith(f"{clean}/")]
        return [Target(each) for each in below] or [Target(name)]
    return [Target(name)]


def changed(place: Place, patterns: Sequence[str] | None = None) -> tuple[list[Target], str]:
    """The plans of the work tree that differ from the default branch, committed or not; without any, all plans. And
    which of the two it is."""
    here = _usual(_walk(place, ""), patterns)
    edited = [name for name in here if _edited(place, name)]
    base = default_branch(place.repo)
    if not place.repo.head_is_unborn and base is not None and base != commit_of(place.repo, "HEAD").id:
        edited += find_plans(place.repo, "HEAD", changed_since=str(base), patterns=patterns)
    plans = _grouped(place, _readable(place, sorted(set(edited))))
    if plans:
        return [_target_or_path(place, name) for name in plans], "changed against the default branch"
    return [_target_or_path(place, name) for name in _grouped(place, _readable(place, here))], "in this repository"


def target(place: Place, name: str, data: bytes | None = None) -> Target:
    """The plan `name` with what its documents hold on disk. Raises InputError when its file cannot be read."""
    root = place.root
    if root is None:
        return Target(name)
    contents = {name: read_file(root / name) if data is None else data}
    for pattern in companions(name):
        for other in _matching(place, pattern):
            if other not in contents:
                try:
                    contents[other] = read_file(root / other)
                except InputError:
                    # judged as committed; the report says when it is missing there as well
                    continue
    return Target(name, contents)


def default_branch(repo: pygit2.Repository) -> pygit2.Oid | None:
    """The tip of the default branch as this clone knows it; None when it cannot be told."""
    for name in (
        "refs/remotes/origin/HEAD",
        *(f"refs/{kind}/{branch}" for branch in ("main", "master") for kind in ("remotes/origin", "heads")),
    ):
        try:
            return repo.revparse_single(name).peel(pygit2.Commit).id
        except (KeyError, ValueError, pygit2.GitError):
            continue
    return None


def committed_file(place: Place, rev: str, path: str, limit: int) -> bytes | None:
    """A file as committed at `rev`; None when it is not there, not a file, or larger than `limit` bytes."""
    try:
        entry = commit_of(place.repo, rev).tree / path
    except (KeyError, InputError, pygit2.GitError):
        return None
    return entry.data if isinstance(entry, pygit2.Blob) and entry.size <= limit else None


def append_line(root: Path, relative: str, line: str) -> None:
    """Add one line to a file below `root`, whose folders are made. Raises OSError, also for links out of `root`."""
    path = root / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.parent.resolve().is_relative_to(root.resolve()):
        raise OSError(f"{path.parent} lies outside the repository")
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o644)
    # one write of one line: parallel runs append whole lines
    try:
        os.write(descriptor, line.encode() + b"\n")
    finally:
        os.close(descriptor)


def _entry(tree: pygit2.Tree, name: str) -> pygit2.Object | None:
    clean = normalise(name)
    try:
        return tree / clean if clean else tree
    except (KeyError, pygit2.GitError):
        return None


def _target_or_path(place: Place, name: str) -> Target:
    try:
        return target(place, name)
    except InputError:
        return Target(name)


def _usual(names: Sequence[str], patterns: Sequence[str] | None) -> list[str]:
    regexes = [regex for each in (PLAN_GLOBS if patterns is None else patterns) if (regex := compile_glob(each))]
    return [n for n in names if n.endswith(MARKDOWN) and any(regex.fullmatch(n) for regex in regexes)]


def _readable(place: Place, names: Sequence[str]) -> list[str]:
    """Those that read as a plan, and those of which a judge has to say why they do not."""
    found = []
    for name in names:
        try:
            text = read_file((place.root or Path()) / name, 1024 * 1024).decode("utf-8-sig", "replace")
        except InputError:
            continue
        if detect(name, text) is not None:
            found.append(name)
    return found


def _grouped(place: Place, names: Sequence[str]) -> list[str]:
    """One name a plan: a plan of several files is given by its main document, and is none without one."""
    rank = {name: place for place, name in enumerate(MAIN_DOCUMENTS)}
    plans: set[str] = set()
    for name in names:
        others = companions(name)
        mains = sorted((n for n in (name, *others) if _last(n) in rank), key=lambda n: rank[_last(n)])
        main = next((n for n in mains if place.root is not None and (place.root / n).is_file()), None)
        if not others or main is not None:
            plans.add(main if others and main is not None else name)
    return sorted(plans)


def _last(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _edited(place: Place, name: str) -> bool:
    """Whether the plan on disk differs from HEAD in more than ticked boxes."""
    if place.root is None:
        return False
    try:
        data = read_file(place.root / name)
    except InputError:
        return False
    committed = committed_file(place, "HEAD", name, MAX_FILE)
    return committed is None or (committed != data and planned(committed) != planned(data))


def _matching(place: Place, pattern: str) -> list[str]:
    """The files on disk at a path or glob of the repository."""
    clean = normalise(pattern)
    if not clean or place.root is None:
        return []
    fixed = clean.split("/")
    wild = next((n for n, part in enumerate(fixed) if any(c in part for c in "*?{")), None)
    if wild is None:
        path = place.root / clean
        return [clean] if path.is_file() and path.parent.resolve() == path.parent else []
    regex = compile_glob(clean)
    if regex is None:
        return []
    return [name for name in _walk(place, "/".join(fixed[:wild])) if regex.fullmatch(name)]


def _walk(place: Place, folder: str) -> list[str]:
    """Regular files below a folder of the work tree, sorted; other repositories, links and archives left out."""
    if place.root is None:
        return []
    start = place.root / folder
    # the root is resolved: any difference is a link on the way
    return sorted(_files(start, folder)) if start.resolve() == start else []


def _files(path: Path, name: str) -> Iterator[str]:
    seen = 0
    todo = [(path, name)]
    while todo and seen < MAX_WALK:
        folder, prefix = todo.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            seen += 1
            inner = f"{prefix}/{entry.name}" if prefix else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _NOT_PLANS and entry.name.casefold() not in _ARCHIVES:
                    todo.append((Path(entry.path), inner))
            elif entry.is_file(follow_symlinks=False) and inner.isprintable():
                yield inner


def _nearest(path: Path) -> str:
    try:
        names = [entry.name for entry in os.scandir(path.parent)]
    except (OSError, ValueError):
        return ""
    close = difflib.get_close_matches(path.name, names[:5000], n=1)
    return f"; the nearest is {path.parent / close[0]}" if close and close[0] != path.name else ""


def _why(error: BaseException) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
