"""Local mirrors: one bare repository per GitHub repository id, brought up to date by `git fetch`, read only by pygit2.

Layout under the data folder: `mirrors/<id>/<generation>.git` and `mirrors/<id>.lock`. Fetches are shallow and, where
the server can, leave large blobs out. A mirror is shared by the pull requests of its repository, so a fetch must not
take history away from a reader: see `bot.mirror.history`. How git is run: `bot.mirror.git`.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import re
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar, TypeVarTuple
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

import pygit2

from bot.mirror import git
from bot.mirror.errors import (
    FetchDamaged,
    FetchError,
    FetchFailed,
    FetchMalformed,
    FetchNotFound,
    FetchRefused,
    FetchTimeout,
    FetchTooLarge,
)
from bot.mirror.git import Bounds, Remote
from bot.mirror.history import History

__all__ = (
    "FetchError",
    "FetchFailed",
    "FetchNotFound",
    "FetchRefused",
    "FetchTimeout",
    "FetchTooLarge",
    "MirrorLimits",
    "Mirrors",
    "Repository",
)

_SHA = re.compile(r"[0-9a-f]{40}")
_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]{0,99}")
_ALL_HISTORY = 2**31 - 1
# a file in the mirror while a fetch is under way, with the packs that were there before
_UNDER_WAY = "planproof-fetching"

# a file in a mirror that is fetched without a filter
_WHOLE = "planproof-whole"

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")
_Arguments = TypeVarTuple("_Arguments")


class Repository(Protocol):
    """What a mirror needs to know of a repository; `bot.events.Repo` is one."""

    @property
    def id(self) -> int: ...
    @property
    def owner(self) -> str: ...
    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class MirrorLimits:
    """Times in seconds, sizes in bytes.

    `blob_filter` is git's filter for what a fetch leaves out. A mirror of `max_packs` fetches, or one that would
    outgrow `max_bytes`, is begun anew; a fetch that alone needs more is given up. Histories that do not meet are
    deepened up to `max_depth` commits. A connection slower than 1 kB/s for `stall_seconds` is dropped.
    """

    seconds: float = 240.0
    stall_seconds: int = 60
    max_bytes: int = 2 << 30
    max_packs: int = 200
    max_depth: int = 5_000
    blob_filter: str = "blob:limit=1m"
    watch_seconds: float = 1.0


class Mirrors:
    """The mirrors below `data_dir`. Belongs to one event loop; several processes may share the folder.

    `git_url_template` is any http, https or file URL, or an absolute path, with `{owner}` and `{repo}` in it; anything
    else, or credentials in it, is a ValueError.
    """

    def __init__(self, data_dir: Path, git_url_template: str, *, limits: MirrorLimits | None = None) -> None:
        self._template = _checked(git_url_template)
        self._limits = limits or MirrorLimits()
        self._root = data_dir.absolute() / "mirrors"
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def fetch(
        self,
        repo: Repository,
        *,
        shas: Sequence[str] = (),
        refs: Sequence[str] = (),
        depth: int | None = None,
        token: str | None = None,
    ) -> Path:
        """The bare repository that holds every commit of `shas` and, below each, `depth` generations (None: all).

        Of several `shas` the first one's history is made to meet the others', deepening when `depth` does not suffice;
        histories that never meet are no error. `refs` (full names, e.g. `refs/pull/7/head`) are the way to commits
        that a server hands out by name only; the mirror has them under the same names after a fetch. When all of
        `shas` is there already the network is not used, so `refs` without `shas` always fetches.
        Raises a FetchError.
        """
        remote = Remote(self._url(repo), token)
        job = _Job(repo, remote, tuple(dict.fromkeys(shas)), tuple(dict.fromkeys(refs)), depth)
        async with self._locked(repo.id) as lock:
            return await self._update(job, lock)

    async def remove(self, repo_id: int) -> None:
        """Delete the mirror, if there is one."""
        async with self._locked(repo_id):
            await _thread(_remove, self._home(repo_id))

    async def size(self, repo_id: int) -> int:
        """Bytes that the mirror takes; 0 when there is none."""
        return await asyncio.to_thread(git.size, self._home(repo_id))

    def _home(self, repo_id: int) -> Path:
        return self._root / str(int(repo_id))

    def _url(self, repo: Repository) -> str:
        for name in (repo.owner, repo.name):
            if not _NAME.fullmatch(name) or name in (".", ".."):
                raise FetchFailed(f"{name!r} is no name of an owner or a repository")
        return self._template.replace("{owner}", repo.owner).replace("{repo}", repo.name)

    @contextlib.asynccontextmanager
    async def _locked(self, repo_id: int) -> AsyncIterator[int]:
        """One fetch of a mirror at a time, in this process and among processes; gives the lock's descriptor.

        git inherits the descriptor, and with it the lock: a fetch that outlives a killed server still keeps the next
        one out, so whoever holds the lock knows that leftovers are nobody's.
        """
        async with self._locks.setdefault(repo_id, asyncio.Lock()):
            descriptor = self._open_lock(repo_id)
            try:
                await self._flock(descriptor)
                yield descriptor
            finally:
                os.close(descriptor)

    def _open_lock(self, repo_id: int) -> int:
        try:
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self._root / "home").mkdir(exist_ok=True)
            return os.open(self._root / f"{int(repo_id)}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise FetchFailed(f"the folder for mirrors cannot be written: {error.strerror}", repr(error)) from error

    async def _flock(self, descriptor: int) -> None:
        try:
            async with asyncio.timeout(self._limits.seconds):
                while True:
                    try:
                        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    except BlockingIOError:
                        await asyncio.sleep(0.1)
                    else:
                        return
        except TimeoutError as error:
            raise FetchTimeout("another fetch of this repository did not end in time") from error

    async def _update(self, job: _Job, lock: int) -> Path:
        try:
            async with asyncio.timeout(self._limits.seconds):
                return await self._up_to_date(job, lock)
        except TimeoutError as error:
            raise FetchTimeout(f"{job} took longer than {self._limits.seconds:g} s and was stopped") from error
        except OSError as error:
            raise FetchFailed(f"{job} failed: {error.strerror or 'the disk'}", repr(error)) from error

    async def _up_to_date(self, job: _Job, lock: int) -> Path:
        path = await _thread(self._current, job)
        if path is not None:
            try:
                await self._settle(path)
                if job.shas and await self._history(path).holds(job.shas, job.depth):
                    return path
                if len(_packs(path)) < self._limits.max_packs:
                    await self._bring(job, path, lock)
                    return path
            except (FetchDamaged, FetchTooLarge, pygit2.GitError):
                _log.warning("mirror of repository %d is begun anew", job.repo.id, exc_info=True)
            except FetchMalformed:
                if _whole(path):
                    raise
                return await self._bring_whole(job, lock)
        path = await _thread(self._begin, job)
        try:
            await self._bring(job, path, lock)
        except FetchTooLarge:
            # nobody reads from it yet, and its size is the trouble
            await _thread(shutil.rmtree, path)
            raise
        except FetchMalformed:
            return await self._bring_whole(job, lock)
        return path

    async def _bring_whole(self, job: _Job, lock: int) -> Path:
        """Begin anew without a filter. With one, most versions of git cannot tolerate even the harmless flaws that old
        tools left in objects; what is worse is refused this way too."""
        path = await _thread(self._begin, job)
        (path / _WHOLE).touch()
        await self._bring(job, path, lock)
        return path

    async def _bring(self, job: _Job, path: Path, lock: int) -> None:
        depth = job.depth
        await self._git_fetch(job, path, lock, depth)
        history = self._history(path)
        if absent := await history.missing(job.shas):
            raise FetchNotFound(f"commit {absent[0][:7]} is not in {job.repo.owner}/{job.repo.name}")
        while depth is not None and depth < self._limits.max_depth and not await history.related(job.shas):
            depth = min(self._limits.max_depth, max(depth * 4, depth + 50))
            await self._git_fetch(job, path, lock, depth)

    async def _git_fetch(self, job: _Job, path: Path, lock: int, depth: int | None) -> None:
        shallow = await _thread(_prepare, path, job.refs)
        if depth is None and shallow:
            depth = _ALL_HISTORY
        by_name = [f"+{ref}:{ref}" for ref in job.refs]
        # asked for by id too: the ref may have moved on. Under a name, so that the next fetch builds on it
        by_id = [f"+{sha}:refs/planproof/{sha}" for sha in job.shas]
        try:
            await self._git(job, path, lock, depth, by_name + by_id)
        except FetchNotFound as error:
            if not by_name or error.what != "commit":
                raise
            # a server that hands out commits by name only may still have them under these names
            await self._git(job, path, lock, depth, by_name)
        await self._settle(path)

    async def _settle(self, path: Path) -> None:
        """End a fetch that is under way: from here on its commits count."""
        if (path / _UNDER_WAY).exists():
            await self._history(path).widen()
            (path / _UNDER_WAY).unlink()

    def _history(self, path: Path) -> History:
        return History(path, self._root / "home")

    async def _git(self, job: _Job, path: Path, lock: int, depth: int | None, refspecs: Sequence[str]) -> None:
        limits = self._limits
        done = False
        try:
            await git.fetch(
                path,
                job.remote,
                refspecs,
                attempt=str(job),
                depth=depth,
                blob_filter="" if _whole(path) else limits.blob_filter,
                bounds=Bounds(limits.max_bytes, limits.watch_seconds, limits.stall_seconds),
                home=self._root / "home",
                lock=lock,
            )
            done = True
        finally:
            if not done:
                await _thread(_tidy, path)

    def _generations(self, job: _Job) -> list[int]:
        return sorted(int(p.stem) for p in self._home(job.repo.id).glob("*.git") if p.stem.isdecimal())

    def _current(self, job: _Job) -> Path | None:
        """The generation to fetch into, clean of what a killed fetch left; None when a new one is due."""
        generations = self._generations(job)
        if not generations:
            return None
        path = self._home(job.repo.id) / f"{generations[-1]}.git"
        _tidy(path)
        return path if (path / "HEAD").exists() and _sound(path) else None

    def _begin(self, job: _Job) -> Path:
        """A new generation. The one before stays until the next renewal, because readers may be in it."""
        home, generations = self._home(job.repo.id), self._generations(job)
        for old in generations[:-1]:
            shutil.rmtree(home / f"{old}.git", ignore_errors=True)
        path = home / f"{generations[-1] + 1 if generations else 1}.git"
        pygit2.init_repository(path, bare=True)
        return path


@dataclass(frozen=True, slots=True)
class _Job:
    repo: Repository
    remote: Remote
    shas: tuple[str, ...]
    refs: tuple[str, ...]
    depth: int | None

    def __post_init__(self) -> None:
        if not self.shas and not self.refs:
            raise ValueError("nothing to fetch")
        if self.depth is not None and self.depth < 1:
            raise ValueError("the depth is a number of commits, at least 1")
        for sha in self.shas:
            if not _SHA.fullmatch(sha):
                raise FetchNotFound(f"{sha[:60]!r} is no full commit id")
        for ref in self.refs:
            if not ref.startswith("refs/") or not pygit2.reference_is_valid_name(ref):
                raise FetchNotFound(f"{ref[:200]!r} is no full ref name")

    def __str__(self) -> str:
        return f"fetching {self.shas[0][:7] if self.shas else self.refs[0]} of {self.repo.owner}/{self.repo.name}"


async def _thread(function: Callable[[*_Arguments], _Result], *arguments: *_Arguments) -> _Result:
    """Run in a thread, to its end also when cancelled: nothing may go on after the lock is released."""
    task = asyncio.create_task(asyncio.to_thread(function, *arguments))
    try:
        return await asyncio.shield(task)
    finally:
        await asyncio.wait({task})


def _checked(template: str) -> str:
    if template.startswith("/"):
        template = f"file://{template}"
    parts = urlsplit(template)
    if parts.scheme not in ("http", "https", "file"):
        raise ValueError("the git address must be an http, https or file URL, or an absolute path")
    if "@" in parts.netloc:
        raise ValueError("the git address must not hold credentials: every user of the machine could read them")
    return template


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)


def _packs(path: Path) -> list[str]:
    return sorted(pack.name for pack in (path / "objects" / "pack").glob("*.pack"))


def _prepare(path: Path, refs: Sequence[str]) -> bool:
    """Make ready for a fetch of `refs`; true when the repository is shallow."""
    (path / _UNDER_WAY).write_text("\n".join(_packs(path)))
    # a branch `a` that has gone on the server cannot exist here beside the `a/b` that comes
    repo = pygit2.Repository(path)
    for old in tuple(repo.references):
        if any(old.startswith(f"{new}/") or new.startswith(f"{old}/") for new in refs):
            repo.references.delete(old)
    return (path / "shallow").exists()


def _whole(path: Path) -> bool:
    return (path / _WHOLE).exists()


def _sound(path: Path) -> bool:
    """False when a fetch broke off between storing a pack and noting where its history ends.

    Commits without parents, not on the shallow list, would make every reader believe what is not so.
    """
    note = path / _UNDER_WAY
    try:
        before = note.read_text().split("\n")
    except FileNotFoundError:
        return True
    return before == (_packs(path) or [""])


def _tidy(path: Path) -> None:
    """Remove what a killed fetch leaves behind; only under the lock, when all of it is nobody's."""
    packs = path / "objects" / "pack"
    leftovers = [*path.glob("*.lock"), *path.glob("shallow_*"), *(path / "refs").rglob("*.lock")]
    leftovers += [*packs.glob("tmp_*"), *packs.glob("*.keep"), *packs.glob(".tmp-*")]
    for leftover in leftovers:
        with contextlib.suppress(FileNotFoundError):
            leftover.unlink()
