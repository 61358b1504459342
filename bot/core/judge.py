"""From a repository and the path of a plan to its report: the one entry that the terminal, CI and the App share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pygit2

from bot.core import history
from bot.core.documents import companion_documents, document_text, find_plans, main_document
from bot.core.plans import companions, detect, parse
from bot.core.plans.model import Document
from bot.core.tree import InputError, Kind, Tree, TreeError, Unreadable, commit_of, normalise, open_repository
from bot.core.verify.report import verify
from schemas.engine import Limits, Request
from schemas.verify_report import CheckRecord, FindingType, Severity, Status, Verdict, VerifyReport

__all__ = ["AUTO", "Case", "InputError", "Request", "find_plans", "judge", "read_case"]

AUTO = "auto"

_HEAD = 40  # lines of a plan that say what it is made from
_ORIGINS = 5  # documents
_ORIGIN = re.compile(
    r"(?im)^\W{0,6}(?:related |parent )?(?:design|spec(?:ification)?|origin|prd|requirements|source|based on|rfc|adr)"
    r"(?: doc(?:ument)?| spec)?\W{0,8}:[\W_]{0,8}(?P<path>\.{0,2}[\w./@-]{1,300}\.md)\b"
)


def judge(
    request: Request,
    *,
    on_error: Callable[[BaseException], None] | None = None,
    settle: Callable[[Request, str | None], Request] | None = None,
) -> VerifyReport:
    """The report on one plan; `seconds` is 0, for the caller to set.

    `settle` is asked once it is known on which commit's tree (None: the empty one) the plan is judged, and gives back
    the request with the `settled` and `severity` that hold there.

    Raises InputError where the repository, a revision or the plan itself is not there. Everything else that goes wrong
    is a `not_verified` report; an error of the engines is handed to `on_error`, and only its name is in the report.
    """
    try:
        return _judge(request, settle)
    except InputError:
        raise
    except TreeError as error:
        return VerifyReport.unjudged(request.plan, str(error))
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of a native library is no Exception
        if on_error is not None:
            on_error(error)
        reason = f"the engine failed on this plan ({type(error).__name__}); the log has the details, please report it"
        return VerifyReport.unjudged(request.plan, reason)


@dataclass(frozen=True, slots=True)
class _Ground:
    """The commit whose tree the plan is judged on (None: the empty tree), and how it was chosen."""

    rev: str | None
    added: frozenset[str] = frozenset()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A plan as it was read, and the tree it is judged on; `documents[0]` names the plan.

    `came_along`: documents that the plan's head names and that were committed with it, by their paths.
    """

    repo: pygit2.Repository
    documents: tuple[Document, ...]
    limits: Limits
    tree_rev: str | None
    known_added: frozenset[str] = frozenset()
    records: tuple[CheckRecord, ...] = ()
    came_along: Mapping[str, bytes] = field(default_factory=dict)

    def tree(self, changes: Mapping[str, bytes | None] | None = None) -> Tree:
        """The tree with the plan's own documents; `changes` are files to lay over it (None: taken out). Raises
        TreeError."""
        return Tree.open(
            self.repo,
            self.tree_rev,
            overlay={
                **self.came_along,
                **(changes or {}),
                **{each.path: each.text.encode() for each in self.documents},
            },
            max_blob=self.limits.max_blob,
            max_entries=self.limits.max_entries,
        )

    def report(
        self,
        *,
        changes: Mapping[str, bytes | None] | None = None,
        settled: Mapping[str, Status] | None = None,
        severity: Mapping[FindingType, Severity] | None = None,
    ) -> VerifyReport:
        """The report on the plan. Raises TreeError."""
        path, text = self.documents[0].path, self.documents[0].text
        format_ = detect(path, text)
        if format_ is None:
            return VerifyReport.unjudged(path, "nothing in it reads as a plan", Verdict.NOT_A_PLAN)
        plan = parse(self.documents, format_)
        report = verify(
            plan, self.tree(changes), known_added=self.known_added, settled=settled or {}, severity=severity or {}
        )
        return report.model_copy(update={"checks": (*report.checks, *self.records)})


def _judge(request: Request, settle: Callable[[Request, str | None], Request] | None) -> VerifyReport:
    case = read_case(request)
    if isinstance(case, VerifyReport):
        return case
    if settle is not None:
        request = settle(request, case.tree_rev)
    return case.report(settled=request.settled, severity=request.severity)


def read_case(request: Request) -> Case | VerifyReport:
    """The plan that is asked about, ready to be judged; the report where it cannot be. Raises InputError, TreeError."""
    repo = open_repository(request.repo)
    limits = request.limits
    contents = {path: data for each, data in request.contents.items() if (path := normalise(each))}
    plan_rev = _plan_rev(repo, request, bool(contents))
    source = Tree.open(repo, plan_rev, overlay=contents, max_entries=limits.max_entries)
    path = main_document(source, request.plan)
    text = document_text(source, path, max_size=limits.max_plan)
    if isinstance(text, Unreadable):
        return VerifyReport.unjudged(path, f"the plan was not verified: {text.reason}")
    if not text.strip():
        return VerifyReport.unjudged(path, "the document is empty", Verdict.NOT_A_PLAN)
    if detect(path, text) is None:
        return VerifyReport.unjudged(path, "nothing in it reads as a plan", Verdict.NOT_A_PLAN)

    others, skipped = companion_documents(
        source, companions(path), but=path, max_size=limits.max_plan, max_documents=limits.max_documents
    )
    ground = _ground(repo, request, plan_rev, path, contents.get(path))
    documents = (Document(path, text), *others)
    case = Case(repo, documents, limits, ground.rev, ground.added, tuple(_records(ground, skipped)))
    return replace(case, came_along=_came_along(case, source))


def _came_along(case: Case, source: Tree) -> dict[str, bytes]:
    """What the plan is made from, as its head says, and is not yet in the tree that it is judged on."""
    path, text = case.documents[0].path, case.documents[0].text
    folder = path.rpartition("/")[0]
    head = "\n".join(line[:1_000] for line in text.split("\n", _HEAD)[:_HEAD])
    found: dict[str, bytes] = {}
    tree: Tree | None = None
    for match in _ORIGIN.finditer(head):
        named = match.group("path")
        for each in (normalise(named), normalise(f"{folder}/{named}") if folder else None):
            if each is None or each in found or source.kind(each) is not Kind.FILE:
                continue
            tree = tree if tree is not None else case.tree()
            data = source.read_bytes(each, max_size=case.limits.max_plan)
            if isinstance(data, bytes) and tree.kind(each) is Kind.MISSING:
                found[each] = data
            break
        if len(found) >= _ORIGINS:
            break
    return found


def _plan_rev(repo: pygit2.Repository, request: Request, uncommitted: bool) -> str | None:
    """The commit at which the plan is read; None where nothing is committed yet."""
    rev = request.plan_rev if request.plan_rev is not None else request.rev if request.rev != AUTO else "HEAD"
    if uncommitted and rev == "HEAD" and repo.head_is_unborn:
        return None
    return str(commit_of(repo, rev).id)


def _ground(
    repo: pygit2.Repository, request: Request, plan_rev: str | None, path: str, contents: bytes | None
) -> _Ground:
    if request.rev != AUTO:
        rev = str(commit_of(repo, request.rev).id)
        added: frozenset[str] = frozenset()
        if plan_rev is not None and contents is None:
            added = history.added_with(repo, path, plan_rev, rev, max_commits=request.limits.max_commits)
        return _Ground(rev, added)
    if plan_rev is None:
        return _Ground(None, reason="nothing is committed yet; judged on an empty tree")
    found = history.auto(
        repo, path, plan_rev, base_rev=request.base_rev, contents=contents, max_commits=request.limits.max_commits
    )
    return _Ground(found.tree_rev, found.added_since, found.reason)


def _records(ground: _Ground, skipped: Sequence[tuple[str, str]]) -> list[CheckRecord]:
    records = [CheckRecord(name="documents", ran=False, reason=f"{path}: {reason}") for path, reason in skipped]
    if ground.reason is not None:
        records.insert(0, CheckRecord(name="tree", reason=ground.reason))
    return records
