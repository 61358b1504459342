"""A golden case judged as a plan of a repository is: the tree is one commit, the plan's documents are the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pygit2
from pygit2.enums import FileMode

from bot.core.judge import judge
from bot.core.tree import InputError
from bot.core.verify.evaluation.cases import LINK, Case
from schemas.engine import Request
from schemas.verify_report import VerifyReport

# fixed, so that the commits have the same ids each time
_WHO = pygit2.Signature("Planproof", "planproof@example.org", 1_700_000_000, 0)


@dataclass(frozen=True, slots=True)
class Trial:
    """The reports on a case; `repaired` is None where the case has no repair."""

    report: VerifyReport
    repaired: VerifyReport | None = None


def attempt(case: Case, folder: Path, *, on_error: Callable[[BaseException], None] | None = None) -> Trial:
    """Judge `case` in repositories that are made in `folder`, which is empty. Raises InputError for a case of which no
    repository can be made."""
    report = _judge(case, case.documents, folder / "plan", on_error)
    if case.repaired is None:
        return Trial(report)
    return Trial(report, _judge(case, case.repaired, folder / "repaired", on_error))


def build(tree: Mapping[str, str], documents: Mapping[str, str], folder: Path) -> None:
    """A bare repository at `folder` whose branch main has `tree`, and `documents` on it. Raises InputError."""
    try:
        repo = pygit2.init_repository(str(folder), bare=True, initial_head="main")
        index = pygit2.Index()
        parents: list[pygit2.Oid] = []
        for message, files in (("tree", tree), ("plan", documents)):
            for path, text in files.items():
                link = files is tree and path.endswith(LINK)
                data = text.rstrip("\n") if link else text
                mode = FileMode.LINK if link else FileMode.BLOB
                name = path.removesuffix(LINK) if link else path
                index.add(pygit2.IndexEntry(name, repo.create_blob(data.encode()), mode))
            parents = [repo.create_commit("HEAD", _WHO, _WHO, message, index.write_tree(repo), parents)]
    except (pygit2.GitError, ValueError, KeyError, OSError) as error:
        raise InputError(f"no repository can be made of it: {error}") from None


def _judge(
    case: Case, documents: Mapping[str, str], folder: Path, on_error: Callable[[BaseException], None] | None
) -> VerifyReport:
    build(case.tree, documents, folder)
    return judge(Request(repo=str(folder), plan=case.plan), on_error=on_error)
