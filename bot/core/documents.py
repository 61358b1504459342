"""Which files of a repository are plans, which file names a plan of several, and their text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pygit2

from bot.core.globs import compile_glob
from bot.core.history import MAX_TEXT, changes, planned
from bot.core.plans import PLAN_GLOBS, companions
from bot.core.plans.model import Document
from bot.core.tree import InputError, Kind, Tree, Unreadable, commit_of, normalise, open_repository

# of a plan in several files, the first of these that is there names it
MAIN_DOCUMENTS = ("tasks.md", "plan.md", "PLAN.md", "proposal.md")
_TEXT = (".md", ".mdx", ".markdown", ".mdc", ".txt")
_ARCHIVE = re.compile(r"(?:^|/)(?:archive|archived)/", re.IGNORECASE)
_GLOB = re.compile(r"[*?{]")


def main_document(tree: Tree, plan: str) -> str:
    """The file that names the plan at `plan`, a file or a folder of `tree`. Raises InputError."""
    clean = normalise(plan)
    shown = plan[:200]
    if not clean and "\\" in plan:
        raise InputError("a file whose name holds a backslash or is not UTF-8 cannot be judged; rename it")
    if not clean:
        raise InputError(f"{shown!r} is not a path in the repository")
    kind = tree.kind(clean)
    if kind is Kind.MISSING:
        raise InputError(f"there is no file {shown!r} at {_at(tree)}")
    if kind is not Kind.DIRECTORY:
        return clean
    names = tree.children(clean)
    found = [name for name in MAIN_DOCUMENTS if name in names] or [name for name in names if name.endswith(_TEXT)]
    if not found or (len(found) > 1 and found[0] not in MAIN_DOCUMENTS):
        raise InputError(f"the folder {shown!r} has no {', '.join(MAIN_DOCUMENTS)}; name the plan's file")
    return f"{clean}/{found[0]}"


def companion_documents(
    tree: Tree, patterns: Iterable[str], *, but: str, max_size: int, max_documents: int
) -> tuple[list[Document], list[tuple[str, str]]]:
    """The documents at `patterns` (paths or globs of `tree`) other than `but`, in that order, each once; and those
    that could not be read, with the reason."""
    found: list[Document] = []
    skipped: list[tuple[str, str]] = []
    seen = {but}
    for pattern in patterns:
        paths = tree.glob(pattern) if _GLOB.search(pattern) else (pattern,)
        for path in paths:
            if path in seen or tree.kind(path) is not Kind.FILE:
                continue
            seen.add(path)
            if len(found) >= max_documents:
                skipped.append((path, f"the plan has more than {max_documents} documents"))
                continue
            text = document_text(tree, path, max_size=max_size)
            if isinstance(text, Unreadable):
                skipped.append((path, text.reason))
            else:
                found.append(Document(path, text))
    return found, skipped


def document_text(tree: Tree, path: str, *, max_size: int) -> str | Unreadable:
    """A plan document's text with LF line ends and no byte order mark; else what is wrong and what to do about it."""
    data = tree.read_bytes(path, max_size=max_size)
    if isinstance(data, Unreadable):
        what_to_do = "; split it into smaller plans" if data.reason.startswith("too large") else ""
        return Unreadable(f"it could not be read: {data.reason}{what_to_do}")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Unreadable("it is UTF-16 text; save it as UTF-8")
    if b"\0" in data:
        return Unreadable("it holds NUL bytes, so it is no text; save it as UTF-8 text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Unreadable(f"it is not UTF-8 text (line {line}); save it as UTF-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def find_plans(
    repo: pygit2.Repository | Path | str,
    rev: str,
    *,
    changed_since: str | None = None,
    patterns: Sequence[str] | None = None,
    but_for_marks: bool = False,
) -> list[str]:
    """The plans at commit `rev`, sorted, one path each; a plan of several files is given by its main document.

    `patterns` (globs) take the place of PLAN_GLOBS. With `changed_since`, only plans of which a document differs
    from where that commit and `rev` parted; a plan that was merely moved to an archive does not, and with
    `but_for_marks` neither does one in which only boxes were ticked. Without it, archives are left out.
    Raises InputError where the repository or a commit is not there, TreeError for a tree too large.
    """
    repository = repo if isinstance(repo, pygit2.Repository) else open_repository(repo)
    tree = Tree.open(repository, rev)
    regexes = [regex for each in (PLAN_GLOBS if patterns is None else patterns) if (regex := compile_glob(each))]
    if changed_since is None:
        paths = [path for path in tree.paths() if not _ARCHIVE.search(path)]
    else:
        paths = _changed(repository, changed_since, rev, but_for_marks)
    named = {_named_by(tree, path) for path in paths if path.endswith(_TEXT)}
    return sorted(path for path in named if path is not None and any(regex.fullmatch(path) for regex in regexes))


def _named_by(tree: Tree, path: str) -> str | None:
    """The main document of the plan that `path` belongs to; None where that has none, and for a file gone or a link."""
    if normalise(path) is None:
        # no tree can be asked for it; a plan all the same, of which it has to be said that it was not judged
        return path if path in tree.paths() else None
    others = companions(path)
    if not others:
        return path if tree.kind(path) is Kind.FILE else None
    there = [each for each in (path, *others) if tree.kind(each) is Kind.FILE]
    by_name = {each.rpartition("/")[2]: each for each in reversed(there)}
    return next((by_name[name] for name in MAIN_DOCUMENTS if name in by_name), None)


def _changed(repo: pygit2.Repository, base_rev: str, rev: str, but_for_marks: bool) -> list[str]:
    base, head = commit_of(repo, base_rev), commit_of(repo, rev)
    try:
        parted = repo.merge_base(base.id, head.id)
    except (KeyError, pygit2.GitError):
        parted = None
    old = commit_of(repo, str(parted)) if parted is not None else base
    every = list(changes(old, head))
    gone = {path: blob for status, path, blob in every if status == pygit2.enums.DeltaStatus.DELETED}
    moved = _Moved(repo, gone)
    found = []
    for status, path, blob in every:
        if path not in gone and _ARCHIVE.search(path) and moved.has(path, blob):
            continue
        if but_for_marks and status == pygit2.enums.DeltaStatus.MODIFIED and _same_plan(repo, old, path, blob):
            continue
        found.append(path)
    return found


def _same_plan(repo: pygit2.Repository, old: pygit2.Commit, path: str, blob: str) -> bool:
    """Whether a file plans the same as it did in the commit before."""
    try:
        before = str(old.tree[path].id)
    except KeyError:
        return False
    text = _planned_at(repo, blob)
    return text is not None and text == _planned_at(repo, before)


def _planned_at(repo: pygit2.Repository, blob: str) -> bytes | None:
    """What the text of a blob plans; None where it is absent or too large."""
    try:
        oid = pygit2.Oid(hex=blob)
        if repo.odb.read_header(oid)[1] > MAX_TEXT:
            return None
        return planned(repo.odb.read(oid)[1])
    except (KeyError, pygit2.GitError):
        return None


class _Moved:
    """Whether a file is one of `gone` (path → blob id) in another place, but for its marks of progress."""

    def __init__(self, repo: pygit2.Repository, gone: dict[str, str]) -> None:
        self._repo = repo
        self._blobs = set(gone.values())
        self._by_name: dict[str, list[str]] = {}
        for path, blob in gone.items():
            self._by_name.setdefault(path.rpartition("/")[2], []).append(blob)

    def has(self, path: str, blob: str) -> bool:
        if blob in self._blobs:
            return True
        text = _planned_at(self._repo, blob)
        names = self._by_name.get(path.rpartition("/")[2], ())
        return text is not None and any(_planned_at(self._repo, other) == text for other in names)


def _at(tree: Tree) -> str:
    return f"commit {tree.rev[:12]}" if tree.rev else "an empty tree"
