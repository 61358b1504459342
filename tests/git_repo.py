"""Real git repositories for tests: `build_repo(tmp_path / "r", {"a.py": "x"}, {"a.py": None, "b.py": "y"})`.

Each mapping is one commit over the one before. Values: text or bytes (a file), `Executable`, `Link` (a symbolic
link), `Submodule` (a commit entry), None (the path, or the folder, is deleted). Ids are the same on each run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pygit2
from pygit2.enums import CheckoutStrategy, FileMode


@dataclass(frozen=True)
class Link:
    target: str


@dataclass(frozen=True)
class Submodule:
    commit: str = "1" * 40


@dataclass(frozen=True)
class Executable:
    text: str


Content = str | bytes | Link | Submodule | Executable | None


class GitRepo:
    """A repository on disk and the few verbs tests need. `path` is the work tree, or the git directory when bare."""

    def __init__(self, path: Path, *, bare: bool = False) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.repo = pygit2.init_repository(str(path), bare=bare, initial_head="main")
        self._clock = 1_700_000_000

    @property
    def head(self) -> str:
        return str(self.repo.head.target)

    def commit(
        self,
        files: Mapping[str, Content],
        message: str = "change",
        *,
        branch: str = "main",
        parents: Sequence[str] | None = None,
    ) -> str:
        """Commit `files` over the branch's tip (or over `parents[0]`) and move the branch there; its id."""
        ref = f"refs/heads/{branch}"
        if parents is None:
            parents = [str(self.repo.references[ref].target)] if ref in self.repo.references else []
        index = pygit2.Index()
        if parents:
            index.read_tree(self.repo[parents[0]].peel(pygit2.Tree))
        for path, content in files.items():
            if content is None:
                self._remove(index, path)
            else:
                oid, mode = self._store(content)
                index.add(pygit2.IndexEntry(path, oid, mode))
        self._clock += 60
        who = pygit2.Signature("Ada", "ada@example.org", self._clock, 0)
        new = self.repo.create_commit(None, who, who, message, index.write_tree(self.repo), list(parents))
        self.repo.references.create(ref, new, force=True)
        return str(new)

    def branch(self, name: str, at: str) -> None:
        """Create the branch `name` at commit `at`, or move it there."""
        self.repo.references.create(f"refs/heads/{name}", at, force=True)

    def merge(self, ours: str, theirs: str, files: Mapping[str, Content] | None = None, *, branch: str = "main") -> str:
        """A merge commit of `theirs` into `ours` on `branch`; `files` are laid over the merged tree."""
        merged = self.repo.merge_commits(ours, theirs, favor=pygit2.enums.MergeFavor.OURS)
        tree = str(merged.write_tree(self.repo))
        self._clock += 60
        who = pygit2.Signature("Ada", "ada@example.org", self._clock, 0)
        made = str(self.repo.create_commit(None, who, who, "merge", tree, [ours, theirs]))
        if files:
            index = pygit2.Index()
            index.read_tree(self.repo[made].peel(pygit2.Tree))
            for path, content in files.items():
                if content is None:
                    self._remove(index, path)
                else:
                    oid, mode = self._store(content)
                    index.add(pygit2.IndexEntry(path, oid, mode))
            made = str(self.repo.create_commit(None, who, who, "merge", index.write_tree(self.repo), [ours, theirs]))
        self.branch(branch, made)
        return made

    def checkout(self, branch: str = "main") -> None:
        """Write the branch's files to the work tree and make it HEAD."""
        self.repo.checkout(f"refs/heads/{branch}", strategy=CheckoutStrategy.FORCE)

    def forget_object(self, rev_path: str) -> str:
        """Delete the loose object that `rev_path` (as in `main:a.py`) names, as a partial clone lacks it; its id."""
        oid = str(self.repo.revparse_single(rev_path).id)
        (Path(self.repo.path) / "objects" / oid[:2] / oid[2:]).unlink()
        return oid

    def _store(self, content: str | bytes | Link | Submodule | Executable) -> tuple[pygit2.Oid, FileMode]:
        match content:
            case Link(target):
                return self.repo.create_blob(target.encode()), FileMode.LINK
            case Submodule(commit):
                return pygit2.Oid(hex=commit), FileMode.COMMIT
            case Executable(text):
                return self.repo.create_blob(text.encode()), FileMode.BLOB_EXECUTABLE
            case str():
                return self.repo.create_blob(content.encode()), FileMode.BLOB
            case bytes():
                return self.repo.create_blob(content), FileMode.BLOB

    @staticmethod
    def _remove(index: pygit2.Index, path: str) -> None:
        gone = [entry.path for entry in index if entry.path == path or entry.path.startswith(f"{path.rstrip('/')}/")]
        if not gone:
            raise KeyError(path)
        for each in gone:
            index.remove(each)


def build_repo(path: Path, *commits: Mapping[str, Content], bare: bool = False) -> GitRepo:
    """A repository at `path` whose branch `main` has these commits, one on the other, and no work tree files yet."""
    made = GitRepo(path, bare=bare)
    for number, files in enumerate(commits, 1):
        made.commit(files, f"commit {number}")
    return made
