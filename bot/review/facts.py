"""What a pull request or a push is now, read from GitHub and the store: plain JSON, kept with the job."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, cast

from bot import logs, repo_config
from bot.dispatch import Context
from bot.events import Json
from bot.github.closing import closing_issues
from bot.github.errors import NotFound, PermissionMissing, TokenRefused
from bot.github.models import Pull
from bot.review import open_checks
from schemas.repo_config import RepoConfig
from schemas.verify_report import Verdict

log = logs.named("review")

MAX_DEPTH = 2_000
"""Commits of a pull request that are fetched."""
PUSH_DEPTH = 50
"""Commits of a push that are fetched at first; more where its ends do not meet in them."""
NOTHING = "0" * 40
"""What a push of a new branch says was there before."""
MAX_BASES = 2_000

Facts = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What came of looking at a pull request or commit.

    `state`: open (it was judged), closed, gone, archived (the repository takes no writes), off (switched off in the
    repository), and of a push: deleted, no plan, unfetched. `verdict` and `conclusion` are set where it was judged;
    `published` is the status of the publication.
    """

    state: str
    head: str | None = None
    verdict: Verdict | None = None
    conclusion: str | None = None
    published: str | None = None

    @classmethod
    def of(cls, facts: Facts, done: Json) -> Outcome:
        told = cast("dict[str, Any]", done)
        return cls("open", facts["head"], Verdict(told["verdict"]), told.get("conclusion"), told.get("status"))

    @property
    def answered(self) -> bool:
        """Whether the check run of `head` was written, or was not to be because nothing is posted here."""
        wanted = self.conclusion is not None and self.published in ("published", "unchecked")
        return self.state == "open" and (wanted or self.published == "shadowed")


async def pull_request(ctx: Context) -> Json:
    """The pull request, its configuration and what it is compared with; or the state in which nothing is judged."""
    pull = await _open_pull(ctx)
    if not isinstance(pull, Pull):
        return pull
    current = await repo_config.current(ctx)
    if current.off:
        return {"state": "off", "head": pull.head.sha}
    await open_checks.leave(ctx, pull.head.sha)
    gh, refused = ctx.github, None
    try:
        merge_base = await _merge_base(ctx, pull)
    except PermissionMissing as missing:
        merge_base, refused = None, str(missing)
    return {
        **_standing(current),
        "head": pull.head.sha,
        "repo": pull.base.repo.full_name if pull.base.repo is not None else ctx.repo.full_name,
        "merge_base": merge_base,
        "refused": refused,
        "depth": min(pull.commits or MAX_DEPTH, MAX_DEPTH) + 1,
        "refs": [f"refs/pull/{pull.number}/head"],
        "author": pull.user.login if pull.user is not None else None,
        "closes": list(closing_issues(pull.body, gh.repository, gh.app.web, own=pull.number)),
    }


async def push(ctx: Context, after: str, before: str) -> Json:
    """A push to the default branch; `before` is its parent, the tree that plans are compared with."""
    if after == NOTHING:
        return {"state": "deleted"}
    if before == NOTHING:
        return {"state": "no plan"}
    try:
        current = await repo_config.current(ctx)
    except TokenRefused as refused:
        log.warning("review.unreachable", run=ctx.run_id, reason=str(refused))
        return {"state": "gone"}
    if current.off:
        return {"state": "off"}
    return {
        **_standing(current),
        "head": after,
        "repo": ctx.repo.full_name,
        "merge_base": before,
        "depth": PUSH_DEPTH,
        "refs": [],
        "pushed": True,
    }


async def least(ctx: Context) -> Json:
    """The least that an answer needs."""
    pull = await _open_pull(ctx)
    if not isinstance(pull, Pull):
        return pull
    current = await holding(ctx)
    if current.off:
        return {"state": "off"}
    return {**_standing(current), "head": pull.head.sha}


async def holding(ctx: Context) -> repo_config.Current:
    """The configuration that holds, as far as it is known: what has failed has to be told. Raises no GitHubError."""
    return await repo_config.known(ctx)


def config(facts: Facts) -> RepoConfig:
    return RepoConfig.model_validate(facts["config"])


def _standing(current: repo_config.Current) -> Facts:
    """What holds in the repository. `shadow`: all is judged, and nothing is posted."""
    return {
        "state": "open",
        # only what is set: the defaults are this version's at any time
        "config": current.config.model_dump(mode="json", exclude_unset=True),
        "config_problems": current.problems,
        "shadow": current.silent,
    }


async def _open_pull(ctx: Context) -> Pull | Facts:
    """The pull request, or why there is nothing to judge. A closed one takes its running check with it."""
    try:
        pull = await ctx.github.get_pull(ctx.number)
    except NotFound:
        return {"state": "gone"}
    except TokenRefused as refused:
        # suspended, uninstalled or taken from the App since the event: there is no place to answer at
        log.warning("review.unreachable", run=ctx.run_id, reason=str(refused))
        return {"state": "gone"}
    if pull.base.repo is not None and pull.base.repo.archived:
        return {"state": "archived", "head": pull.head.sha}
    if pull.open:
        return pull
    await open_checks.close(ctx, pull.head.sha)
    return {"state": "closed", "head": pull.head.sha}


async def _merge_base(ctx: Context, pull: Pull) -> str | None:
    """None where the two ends have no commit in common."""
    ends = (ctx.repo.id, pull.base.sha, pull.head.sha)
    if (known := _bases.get(ends)) is not None:
        return known
    try:
        found = await ctx.github.compare(pull.base.sha, pull.head.sha)
    except NotFound:
        return None
    _bases[ends] = found
    while len(_bases) > MAX_BASES:
        _bases.popitem(last=False)
    return found


_bases: OrderedDict[tuple[int, str, str], str] = OrderedDict()
"""Two commits have the same merge base for ever, so GitHub is asked once."""
