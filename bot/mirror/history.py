"""How much history a shallow mirror holds, and how to keep one fetch from hiding what another has brought.

Shallow repositories: gitformat-shallow in git's documentation. The file `shallow` lists commits whose parents are to be
taken for absent. Only commits are read, which every fetch brings whole; and git reads them, in processes of its own,
because a damaged pack can take down the process that reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from bot.mirror import git
from bot.mirror.errors import FetchDamaged

_COMMIT = b"commit"
_MISSING = b"missing"


class History:
    """The commits of the bare repository at `path`; `home` is an empty folder. A damaged one raises FetchDamaged."""

    def __init__(self, path: Path, home: Path) -> None:
        self._path = path
        self._home = home

    async def missing(self, shas: Collection[str]) -> list[str]:
        """Those of `shas` (full object ids) that are not there."""
        answer = await self._git("cat-file", "--batch-check=%(objectname)", stdin=_lines(shas))
        return [line.split()[0].decode() for line in answer.splitlines() if line.endswith(b" " + _MISSING)]

    async def holds(self, shas: Sequence[str], depth: int | None) -> bool:
        """True when all of `shas` are there, each with the `depth` generations that begin with it (None: all of them),
        and related."""
        if await self.missing(shas):
            return False
        hidden = self._shallow()
        if not hidden:
            return True
        parents = await self._parents(shas)
        return all(_deep(parents, hidden, sha, depth) for sha in shas) and _related(parents, shas)

    async def related(self, shas: Sequence[str]) -> bool:
        """True when the first of `shas` shares a commit with each of the others, as far as the history is there.

        True as well when all history is there: then they never will.
        """
        return len(shas) < 2 or not self._shallow() or _related(await self._parents(shas), shas)

    async def widen(self) -> None:
        """Take those commits off the shallow list whose parents are all there.

        A fetch with a depth lists its own boundary even where an earlier, deeper fetch has brought what lies below,
        and so hides it. Every commit in the repository either has its parents there or is listed itself, so nothing
        that is really absent comes to light.
        """
        hidden = self._shallow()
        if not hidden:
            return
        named = _named_parents(await self._git("cat-file", "--batch", stdin=_lines(sorted(hidden))))
        absent = set(await self.missing({parent for parents in named.values() for parent in parents}))
        kept = [sha for sha in sorted(hidden) if sha not in named or not absent.isdisjoint(named[sha])]
        shallow = self._path / "shallow"
        if not kept:
            shallow.unlink()
        elif len(kept) < len(hidden):
            # replaced in one step: a reader sees the old list or the new one
            draft = self._path / "shallow_widened"
            draft.write_text("".join(f"{sha}\n" for sha in kept))
            draft.replace(shallow)

    def _shallow(self) -> frozenset[str]:
        try:
            return frozenset((self._path / "shallow").read_bytes().decode("ascii", "replace").split())
        except FileNotFoundError:
            return frozenset()

    async def _parents(self, shas: Sequence[str]) -> dict[str, list[str]]:
        """Every commit reachable from `shas` and its parents, none for those on the shallow list."""
        answer = await self._git("rev-list", "--parents", "--stdin", stdin=_lines(shas))
        rows = (line.split() for line in answer.decode().splitlines())
        return {row[0]: row[1:] for row in rows}

    async def _git(self, *arguments: str, stdin: bytes) -> bytes:
        code, answer = await git.read(self._path, arguments, stdin, home=self._home)
        if code:
            raise FetchDamaged("the local copy of the repository is damaged", f"git {arguments[0]} ended with {code}")
        return answer


def _lines(shas: Collection[str]) -> bytes:
    return "".join(f"{sha}\n" for sha in shas).encode()


def _deep(parents: Mapping[str, Sequence[str]], hidden: frozenset[str], sha: str, depth: int | None) -> bool:
    seen = {sha}
    generation = seen
    level = 1
    while generation and (depth is None or level < depth):
        if not hidden.isdisjoint(generation):
            return False
        generation = {parent for commit in generation for parent in parents.get(commit, ())} - seen
        seen |= generation
        level += 1
    return True


def _related(parents: Mapping[str, Sequence[str]], shas: Sequence[str]) -> bool:
    first = _ancestry(parents, shas[0])
    return all(not first.isdisjoint(_ancestry(parents, other)) for other in shas[1:])


def _ancestry(parents: Mapping[str, Sequence[str]], sha: str) -> set[str]:
    seen = {sha}
    ahead = [sha]
    while ahead:
        for parent in parents.get(ahead.pop(), ()):
            if parent not in seen:
                seen.add(parent)
                ahead.append(parent)
    return seen


def _named_parents(batch: bytes) -> dict[str, list[str]]:
    """From the output of `cat-file --batch`: the parents that each commit itself names, whatever the shallow list says.

    Each object is a line `id type size` and that many bytes and a line end; an absent one is a line `id missing`.
    """
    named: dict[str, list[str]] = {}
    position = 0
    while position < len(batch):
        end = batch.index(b"\n", position)
        header = batch[position:end].split()
        position = end + 1
        if header[-1] == _MISSING:
            continue
        size = int(header[2])
        if header[1] == _COMMIT:
            lines = batch[position : position + size].partition(b"\n\n")[0].split(b"\n")
            named[header[0].decode()] = [
                line[7:].decode("ascii", "replace") for line in lines if line[:7] == b"parent "
            ]
        position += size + 1
    return named
