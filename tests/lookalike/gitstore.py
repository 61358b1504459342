"""One bare git repository of the look-alike: people's commits are made in it, and the REST answers are read from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pygit2
from pygit2.enums import DeltaStatus, FileMode, ObjectType, SortMode

STATUS = {DeltaStatus.ADDED: "added", DeltaStatus.DELETED: "removed", DeltaStatus.RENAMED: "renamed"}


@dataclass(frozen=True)
class Symlink:
    target: str


@dataclass(frozen=True)
class Submodule:
    sha: str


Content = str | bytes | Symlink | Submodule | None
"""What a path becomes in a commit; None deletes it."""


@dataclass(frozen=True)
class FileChange:
    path: str
    previous: str | None
    status: str
    additions: int
    deletions: int
    blob: str
    patch: str | None


class GitStore:
    """`path` is the bare repository; it serves partial clones and fetches by object id, as GitHub does."""

    def __init__(self, path: Path, *, default_branch: str = "main") -> None:
        self.path = path
        self.repo = pygit2.init_repository(str(path), bare=True, initial_head=default_branch)
        self.repo.config["uploadpack.allowFilter"] = True
        self.repo.config["uploadpack.allowAnySHA1InWant"] = True
        self.repo.config["http.receivepack"] = True

    # ---- writing -------------------------------------------------------------------------------
    def commit(
        self,
        branch: str,
        files: Mapping[str, Content],
        message: str,
        *,
        author: str,
        when: datetime,
        parent: str | None = None,
    ) -> str:
        """One commit on top of `parent` (default: the branch's tip); the branch is moved there. Returns the full id."""
        tip = parent or self.branch(branch)
        index = pygit2.Index()
        if tip is not None:
            index.read_tree(self.repo[tip].peel(pygit2.Tree))
        for path, content in files.items():
            match content:
                case None:
                    index.remove(path)
                case Symlink(target):
                    self._add(index, path, target.encode(), FileMode.LINK)
                case Submodule(sha):
                    index.add(pygit2.IndexEntry(path, pygit2.Oid(hex=sha), FileMode.COMMIT))
                case _:
                    self._add(index, path, content.encode() if isinstance(content, str) else content, FileMode.BLOB)
        who = pygit2.Signature(author, f"{author}@users.noreply.github.example", int(when.timestamp()), 0)
        tree = index.write_tree(self.repo)
        parents = [tip] if tip is not None else []
        sha = str(self.repo.create_commit(None, who, who, message, tree, parents))
        self.move(branch, sha)
        return sha

    def _add(self, index: pygit2.Index, path: str, data: bytes, mode: FileMode) -> None:
        index.add(pygit2.IndexEntry(path, self.repo.create_blob(data), mode))

    def merge(self, base: str, head: str, message: str, *, author: str, when: datetime) -> str:
        """A merge commit of `head` into branch `base`. Raises ValueError on a conflict."""
        tip = self.branch(base)
        assert tip is not None
        index = self.repo.merge_commits(pygit2.Oid(hex=tip), pygit2.Oid(hex=head))
        if index.conflicts is not None:
            raise ValueError(f"{head} does not merge into {base}")
        who = pygit2.Signature(author, f"{author}@users.noreply.github.example", int(when.timestamp()), 0)
        sha = str(self.repo.create_commit(None, who, who, message, index.write_tree(self.repo), [tip, head]))
        self.move(base, sha)
        return sha

    def move(self, branch: str, sha: str) -> None:
        self.set_ref(f"refs/heads/{branch}", sha)

    def set_ref(self, ref: str, sha: str) -> None:
        self.repo.references.create(ref, pygit2.Oid(hex=sha), force=True)

    def delete_branch(self, branch: str) -> None:
        self.repo.references.delete(f"refs/heads/{branch}")

    def fetch(self, source: Path, refspec: str) -> None:
        """Copies what `refspec` names, with its objects, from another repository on this disk."""
        self.repo.remotes.create_anonymous(str(source)).fetch([refspec])

    # ---- reading -------------------------------------------------------------------------------
    def branches(self) -> dict[str, str]:
        prefix = "refs/heads/"
        names = [name for name in self.repo.references if name.startswith(prefix)]
        return {name.removeprefix(prefix): str(self.repo.references[name].target) for name in names}

    def branch(self, name: str) -> str | None:
        ref = self.repo.references.get(f"refs/heads/{name}")
        return str(ref.target) if ref is not None else None

    def resolve(self, rev: str) -> str | None:
        """A branch, tag, ref or commit id (four hex digits or more) → the full commit id, or None."""
        for name in (f"refs/heads/{rev}", f"refs/tags/{rev}", f"refs/{rev}", rev):
            try:
                ref = self.repo.references.get(name)
            except ValueError:  # no legal ref name
                continue
            if ref is not None:
                return str(ref.peel(pygit2.Commit).id)
        return self.commit_id(rev)

    def commit_id(self, sha: str) -> str | None:
        """The full id when `sha` names a commit, else None."""
        if not 4 <= len(sha) <= 40 or not all(c in "0123456789abcdef" for c in sha):
            return None
        found = self.repo.get(sha)
        return str(found.id) if isinstance(found, pygit2.Commit) else None

    def commit_object(self, sha: str) -> pygit2.Commit:
        return self.repo[sha].peel(pygit2.Commit)

    def merge_base(self, base: str, head: str) -> str | None:
        found = self.repo.merge_base(pygit2.Oid(hex=base), pygit2.Oid(hex=head))
        return str(found) if found is not None else None

    def log(self, head: str, *, hide: str | None = None, limit: int = 10_000) -> list[str]:
        """Commit ids from `head` back, newest first, without those that `hide` reaches."""
        walker = self.repo.walk(pygit2.Oid(hex=head), SortMode.TOPOLOGICAL)
        if hide is not None:
            walker.hide(pygit2.Oid(hex=hide))
        return [str(commit.id) for commit, _ in zip(walker, range(limit), strict=False)]

    def changes(self, old: str | None, new: str) -> list[FileChange]:
        """What changed from tree to tree, renames found, by path; `old` None is the empty tree."""
        return list(self._changes(old, new))

    def _changes(self, old: str | None, new: str) -> Iterator[FileChange]:
        tree = self.commit_object(new).tree
        if old is None:
            diff = tree.diff_to_tree(swap=True)
        else:
            diff = self.commit_object(old).tree.diff_to_tree(tree)
        diff.find_similar()
        for patch in diff:
            if patch is None:
                continue
            delta = patch.delta
            _, additions, deletions = patch.line_stats
            renamed = delta.status == DeltaStatus.RENAMED
            text = patch.data.partition(b"\n@@")[2]
            yield FileChange(
                path=delta.new_file.path,
                previous=delta.old_file.path if renamed else None,
                status=STATUS.get(delta.status, "modified"),
                additions=additions,
                deletions=deletions,
                blob=str(delta.old_file.id if delta.status == DeltaStatus.DELETED else delta.new_file.id),
                patch=("@@" + text.decode("utf-8", "replace").removesuffix("\n")) if text else None,
            )

    def entry(self, sha: str, path: str) -> pygit2.Object | None:
        """The object at `path` ('' is the root) of a commit's tree, None where there is none."""
        tree = self.commit_object(sha).tree
        path = path.strip("/")
        if not path:
            return tree
        try:
            return tree[path]
        except (KeyError, ValueError):
            return None

    def kind(self, entry: pygit2.Object) -> str:
        """As the contents API names it: file, dir, symlink or submodule."""
        if entry.type == ObjectType.TREE:
            return "dir"
        if entry.type == ObjectType.COMMIT:
            return "submodule"
        return "symlink" if entry.filemode == FileMode.LINK else "file"
