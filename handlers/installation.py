"""The App was installed, got other permissions, or was taken away, from an account or a repository.

An installation that lacks a permission is named in the log and in the store, from where `/plan status` says it. What
is kept of a repository goes when the App does: jobs, mirrors, and the rows last, since they tell what else there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from bot import granted, logs
from bot.dispatch import Context
from bot.events import Json
from handlers.needs import ALL

log = logs.named("installation")


async def handle(ctx: Context) -> None:
    event = ctx.event
    match event.name, event.action:
        case "installation", "deleted":
            await _forget(ctx, None)
        case "installation_repositories", "removed":
            await _forget(ctx, event.removed)
        case "repository", "deleted":
            await _forget(ctx, [ctx.repo.id])
        case "installation", _:
            await ctx.step("look", lambda: _look(ctx))
        case _:
            pass


async def failed(ctx: Context, reason: str) -> None:
    """Nobody is told on GitHub: the App is gone from there. Whoever runs it may want to delete what was left."""
    log.error("installation.left", run=ctx.run_id, installation=ctx.event.installation_id, reason=reason)


async def _look(ctx: Context) -> Json:
    # tokens made before carry what was granted then
    ctx.services.github.tokens.forget(ctx.installation_id)
    found = await granted.look(ctx, ALL)
    return None if found is None else list[Json](found.missing)


async def _forget(ctx: Context, removed: Sequence[int] | None) -> None:
    """Forget an installation, or the repositories that were removed from it. Each step may be repeated, and finds what
    it is about in the first, which is stored."""
    repo_ids = cast("list[int]", await ctx.step("find-repositories", lambda: _find(ctx, removed)))
    await ctx.step("forget-jobs", lambda: _jobs(ctx, removed))
    await ctx.step("forget-mirrors", lambda: _mirrors(ctx, repo_ids))
    await ctx.step("forget-rows", lambda: _rows(ctx, removed, repo_ids))
    log.info("installation.forgotten", installation=ctx.installation_id, whole=removed is None, repos=len(repo_ids))


async def _find(ctx: Context, removed: Sequence[int] | None) -> Json:
    return list[Json](await ctx.store.repositories_of(ctx.installation_id, removed))


async def _jobs(ctx: Context, removed: Sequence[int] | None) -> Json:
    if removed is None:
        ctx.services.github.tokens.forget(ctx.installation_id)
    await ctx.forget_jobs(ctx.installation_id, removed)
    return None


async def _mirrors(ctx: Context, repo_ids: Sequence[int]) -> Json:
    for repo_id in repo_ids:
        await ctx.mirrors.remove(repo_id)
    return None


async def _rows(ctx: Context, removed: Sequence[int] | None, repo_ids: Sequence[int]) -> Json:
    if removed is None:
        await ctx.store.forget_installation(ctx.installation_id)
    else:
        await ctx.store.forget_repositories(repo_ids, ctx.installation_id)
    return None
