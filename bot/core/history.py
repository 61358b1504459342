"""Which tree a plan is judged on: the one its author saw.

That is the tree just before the last change of the plan's text, so code that follows in the same pull request, or comes
in the same commit, is not held against the plan. History is read through git objects, never by a git command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import pygit2
from pygit2.enums import DeltaStatus, ObjectType, SortMode

from bot.core.tree import InputError, commit_of, normalise

MAX_COMMITS = 10_000
MAX_TEXT = 1024 * 1024
MAX_MOVES = 200

# what changes while a plan is carried out: boxes, status fields, and the mark on a finished task's heading
_BOX = re.compile(r"^([ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[[xX~/-]\]", re.MULTILINE)
_STATUS = re.compile(r"^([ \t>*_-]*status[*_]*[ \t]*:)[^\n]*$", re.MULTILINE | re.IGNORECASE)
_DONE = re.compile(r"^(#{1,6} [^\n]*)\[DONE\]", re.MULTILINE)


FIRST_COMMIT = "the plan came with the first commit; judged on that commit, in which its author worked"


@dataclass(frozen=True, slots=True)
class Judgement:
    """`tree_rev` is the commit whose tree the plan is judged on (None: the empty tree before the first commit),
    `plan_rev` the commit that holds the plan's text, `reason` says in plain words how it was chosen. `added_since` are
    the paths that the same range of commits had added up to the plan's last edit: neither existing code nor missing.
    """

    tree_rev: str | None
    plan_rev: str
    reason: str
    added_since: frozenset[str] = frozenset()


def auto(
    repo: pygit2.Repository,
    plan_path: str,
    head_rev: str,
    *,
    base_rev: str | None = None,
    contents: bytes | None = None,
    max_commits: int = MAX_COMMITS,
) -> Judgement:
    """The tree for the plan at `plan_path` as of `head_rev`.

    With `base_rev`, only the commits of `base_rev..head_rev` are looked at (a pull request); without it the range
    begins where the plan first came in. `contents` is the plan's text in a work tree: one that is not committed is
    judged on the head itself. At most `max_commits` commits are visited. Raises InputError where a revision, or a plan
    without `contents`, is not there.
    """
    head = commit_of(repo, head_rev)
    blob = _blob(head, plan_path)
    if contents is not None and (blob is None or planned(contents) != _planned_text(repo, blob)):
        return Judgement(
            str(head.id),
            str(head.id),
            "the plan is not committed as it is; judged on the head, without files that are not committed",
        )
    if blob is None:
        raise InputError(f"there is no file {plan_path} at commit {str(head.id)[:12]}")
    walk = _Walk(repo, _range(repo, head, base_rev, max_commits), max_commits)
    edit = walk.last_edit(head, plan_path, blob)
    judged, since = edit.before, _merge_base(repo, base_rev, head)
    if edit.changed and judged is None:
        # nothing came before: what came together is neither older than the plan nor missing from it
        together = frozenset(path for path, _ in _added(None, edit.at))
        return Judgement(str(edit.at.id), str(head.id), FIRST_COMMIT, together - {plan_path, edit.path})
    if edit.changed and judged is not None and base_rev is None:
        first = walk.introduction(edit)
        since = first.before if first.changed else None
        if first.changed and first.before is None:
            added = frozenset(path for path, _ in _added(None, edit.at))
            return Judgement(str(judged.id), str(head.id), edit.reason, added - {plan_path})
    if not edit.changed or judged is None or since is None:
        return Judgement(str(judged.id) if judged else None, str(head.id), edit.reason)
    added = frozenset(path for path, _ in _added(since, edit.at))
    return Judgement(str(judged.id), str(head.id), edit.reason, added - {plan_path, edit.path})


def added_with(
    repo: pygit2.Repository, plan_path: str, plan_rev: str, tree_rev: str, *, max_commits: int = MAX_COMMITS
) -> frozenset[str]:
    """For the plan at `plan_path` as of `plan_rev`, judged on `tree_rev`: the paths that were added from where the two
    parted up to the plan's last edit, at least those that came with this edit itself. What came later than that, and
    what `tree_rev` has deleted since, is not among them. Empty where the plan is not there; raises InputError where a
    revision is not."""
    head, ground = commit_of(repo, plan_rev), commit_of(repo, tree_rev)
    blob = _blob(head, plan_path)
    if blob is None:
        return frozenset()
    edit = _Walk(repo, None, max_commits).last_edit(head, plan_path, blob)
    try:
        parted = repo.merge_base(ground.id, edit.at.id)
    except (KeyError, pygit2.GitError):
        return frozenset()
    if parted is None or not edit.changed:
        return frozenset()
    since = edit.before if parted == edit.at.id else repo[parted].peel(pygit2.Commit)
    if since is None:
        return frozenset()  # a tree that began with the plan, and that somebody asked for by name
    here = {path for path, _ in _added(since, edit.at)}
    if parted == edit.at.id:
        here = {path for path in here if _blob(ground, path) is not None}
    return frozenset(here - {plan_path, edit.path})


def planned(data: bytes) -> bytes:
    """What a plan's bytes plan: line ends and marks of progress (ticked boxes, status fields) made equal."""
    text = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    text = _BOX.sub(r"\1[ ]", text)
    text = _STATUS.sub(r"\1", text)
    text = _DONE.sub(lambda match: match.group(1).rstrip(), text)
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n")).encode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class _Edit:
    """The commit `at` that changed the plan, then at `path`, and its parent `before` (None: a root commit).

    Where `changed` is false, no change was found in the range, and `before` is the last commit reached.
    """

    at: pygit2.Commit
    path: str
    before: pygit2.Commit | None
    changed: bool
    reason: str


class _Walk:
    """Follows one plan from commit to parent, through renames, along the parents that have the same text."""

    def __init__(self, repo: pygit2.Repository, inside: frozenset[str] | None, max_commits: int) -> None:
        self.repo = repo
        self.inside = inside
        self.left = max_commits
        self._planned: dict[str, bytes] = {}

    def last_edit(self, head: pygit2.Commit, path: str, blob: str) -> _Edit:
        commit = head
        while True:
            if self.inside is not None and str(commit.id) not in self.inside:
                reason = "no commit of the range changes the plan's text; judged on what it starts from"
                return _Edit(commit, path, commit, False, reason)
            parents, cut = _parents(self.repo, commit)
            same = self._same(commit, parents, path, blob)
            if same is None and cut:
                reason = "the history in this clone ends before the plan's last change; judged on its oldest commit"
                return _Edit(commit, path, commit, False, reason)
            if not parents:
                return _Edit(commit, path, None, True, "the plan came with the first commit; judged on an empty tree")
            if same is None:
                reason = f"judged on the parent of {str(commit.id)[:12]}, the last commit that changes the plan's text"
                return _Edit(commit, path, parents[0], True, reason)
            self.left -= 1
            if self.left <= 0:
                reason = "the plan's last change lies too far back; judged on the oldest commit looked at"
                return _Edit(commit, path, commit, False, reason)
            commit, path, blob = same

    def introduction(self, edit: _Edit) -> _Edit:
        """Where the plan of `edit` first came in; `changed` is false when that was not reached."""
        commit, path = edit.at, edit.path
        while self.left > 0:
            parents, cut = _parents(self.repo, commit)
            if cut:
                break
            if not parents:
                return _Edit(commit, path, None, True, edit.reason)
            known = next((parent for parent in parents if _blob(parent, path) is not None), None)
            if known is None:
                blob = _blob(commit, path)
                moved = self._moved_from(commit, parents[0], blob) if blob else None
                if moved is None:
                    return _Edit(commit, path, parents[0], True, edit.reason)
                known, path = parents[0], moved[0]
            commit = known
            self.left -= 1
        return _Edit(commit, path, commit, False, edit.reason)

    def _same(
        self, commit: pygit2.Commit, parents: list[pygit2.Commit], path: str, blob: str
    ) -> tuple[pygit2.Commit, str, str] | None:
        """The first parent in which the plan says the same, and where and as which blob it is there."""
        there = [(parent, _blob(parent, path)) for parent in parents]
        for parent, other in there:
            if other == blob:
                return parent, path, blob
        for parent, other in there:
            if other is not None and self._text(other) == self._text(blob):
                return parent, path, other
        for parent, other in there:
            moved = self._moved_from(commit, parent, blob) if other is None else None
            if moved is not None:
                return parent, *moved
        return None

    def _moved_from(self, commit: pygit2.Commit, parent: pygit2.Commit, blob: str) -> tuple[str, str] | None:
        """A file that `commit` deletes and that has the plan's text: its path and blob."""
        gone = sorted(_deleted(parent, commit))
        for path, other in gone:
            if other == blob:
                return path, other
        candidates = [(path, other) for path, other in gone if path.endswith((".md", ".mdx", ".markdown"))]
        for path, other in candidates[:MAX_MOVES]:
            if self._text(other) == self._text(blob):
                return path, other
        return None

    def _text(self, blob: str) -> bytes:
        if blob not in self._planned:
            self._planned[blob] = _planned_text(self.repo, blob)
        return self._planned[blob]


def _range(
    repo: pygit2.Repository, head: pygit2.Commit, base_rev: str | None, max_commits: int
) -> frozenset[str] | None:
    """The commits of `base_rev..head`; None: all."""
    if base_rev is None:
        return None
    walker = repo.walk(head.id, SortMode.TOPOLOGICAL)
    walker.hide(commit_of(repo, base_rev).id)
    return frozenset(str(commit.id) for commit in islice(walker, max_commits))


def _merge_base(repo: pygit2.Repository, base_rev: str | None, head: pygit2.Commit) -> pygit2.Commit | None:
    if base_rev is None:
        return None
    base = commit_of(repo, base_rev)
    try:
        found = repo.merge_base(base.id, head.id)
    except (KeyError, pygit2.GitError):
        found = None
    return repo[found].peel(pygit2.Commit) if found is not None else base


def _parents(repo: pygit2.Repository, commit: pygit2.Commit) -> tuple[list[pygit2.Commit], bool]:
    """The parents that are in this clone, and whether one that the commit names is not.

    The commit's own bytes are asked: where a shallow clone ends, the library says that there are no parents.
    """
    header = repo.odb.read(commit.id)[1].partition(b"\n\n")[0]
    named = [line[7:].decode("ascii", "replace") for line in header.split(b"\n") if line.startswith(b"parent ")]
    found: list[pygit2.Commit] = []
    for each in named:
        try:
            found.append(repo[each].peel(pygit2.Commit))
        except (KeyError, ValueError, pygit2.GitError):
            continue
    return found, len(found) < len(named)


def _blob(commit: pygit2.Commit, path: str) -> str | None:
    """The blob id of the regular file `path` in `commit`."""
    clean = normalise(path)
    if not clean:
        return None
    try:
        entry = commit.tree[clean]
    except (KeyError, pygit2.GitError):
        return None
    return str(entry.id) if entry.type == ObjectType.BLOB and entry.filemode & 0o170000 == 0o100000 else None


def _planned_text(repo: pygit2.Repository, blob: str) -> bytes:
    """The normal form of a blob; of one that is absent or too large, its id, equal to nothing else."""
    try:
        oid = pygit2.Oid(hex=blob)
        if repo.odb.read_header(oid)[1] > MAX_TEXT:
            return b"\0" + blob.encode()
        return planned(repo.odb.read(oid)[1])
    except (KeyError, pygit2.GitError):
        return b"\0" + blob.encode()


def changes(old: pygit2.Commit | None, new: pygit2.Commit) -> Iterator[tuple[DeltaStatus, str, str]]:
    """(what happened, path, blob id) for each file that differs; `old` None is the empty tree. A deleted file has its
    old blob id. Nothing where a tree object is absent."""
    try:
        diff = new.tree.diff_to_tree(swap=True) if old is None else old.tree.diff_to_tree(new.tree)
    except (KeyError, pygit2.GitError):
        return
    for delta in diff.deltas:
        gone = delta.status == DeltaStatus.DELETED
        side = delta.old_file if gone else delta.new_file
        # a name that is not UTF-8 as a tree's listing spells it
        path = side.raw_path.decode("utf-8", "backslashreplace")
        yield delta.status, path, str(side.id)


def _deleted(old: pygit2.Commit, new: pygit2.Commit) -> Iterator[tuple[str, str]]:
    """(path, blob id) of what `new` lacks and `old` has."""
    return ((path, blob) for status, path, blob in changes(old, new) if status == DeltaStatus.DELETED)


def _added(old: pygit2.Commit | None, new: pygit2.Commit) -> Iterator[tuple[str, str]]:
    """(path, blob id) of what `new` has and `old`, by default the empty tree, lacks."""
    return ((path, blob) for status, path, blob in changes(old, new) if status == DeltaStatus.ADDED)
