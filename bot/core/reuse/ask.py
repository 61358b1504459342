"""Plan check inside a repository: find its index at one commit, read the plan, match the two."""

from __future__ import annotations

from functools import lru_cache

from bot.core.plans import detect
from bot.core.plans.model import Format
from bot.core.reuse.check import Options, plan_check
from bot.core.reuse.index import MAX_BYTES, Index, load_index
from bot.core.reuse.query import MatchQuery, workplan_query
from bot.core.tree import Tree, Unreadable, open_repository
from schemas.engine import PlanCheckRequest
from schemas.plan_check_result import PlanCheckResult

INDEX_PATHS = ("registry/indexes/federated.yaml", "registry/indexes/capabilities.yaml")
"""Where an index is looked for when nobody says where it is, the first that is there."""


_WITH_TASKS = frozenset({Format.WORKPLAN, Format.SUPERPOWERS})


def holds_tasks(text: str) -> bool:
    """Whether a text that stands in no file, an issue's body for instance, reads as a plan with tasks."""
    return detect("", text) in _WITH_TASKS


def ask(request: PlanCheckRequest) -> PlanCheckResult:
    """The answer for one plan.

    A missing or broken index, or a plan that cannot be read, is verdict `new` with the reason. Raises InputError where
    the repository or a commit is not there.
    """
    text = request.text or ""
    if request.repo is None or request.rev is None:
        index = Index(problem=request.problem or "there is no repository to ask")
    else:
        repo = open_repository(request.repo)
        index = _index(Tree.open(repo, request.rev, max_blob=MAX_BYTES), request.index)
        if request.plan is not None:
            read = Tree.open(repo, request.plan_rev or request.rev).read(request.plan)
            text = "" if isinstance(read, Unreadable) else read.text
    options = Options(consumer_repo=request.consumer_repo)
    return plan_check(_titled(text, request.title), index, options, request.today)


def _index(tree: Tree, path: str | None) -> Index:
    for each in (path,) if path else INDEX_PATHS:
        found = tree.read(each)
        if not isinstance(found, Unreadable):
            return _load(found.text)
        if path:
            return Index(problem=f"the capability index `{path}` cannot be read: {found.reason}")
    return Index(problem="this repository has no capability index")


@lru_cache(maxsize=4)
def _load(text: str) -> Index:
    return load_index(text)


def _titled(text: str, title: str | None) -> MatchQuery:
    query = workplan_query(text)
    if query.title is not None or not title:
        return query
    # an issue carries its title beside the body
    return workplan_query(f"# {' '.join(title.split())}\n\n{text}")
