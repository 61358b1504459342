"""The App was installed, got other permissions, or was taken away, from an account or a repository.

An installation that lacks a permission is named in the log and in the store, from where `/plan status` says it. What
is kept of a repository goes when the App does: rows, mirrors, and jobs that wait.
"""

from __future__ import annotations

from bot import logs
from bot.dispatch import Context
from bot.events import Json
from bot.github import permissions
from bot.github.errors import NotFound
from handlers.needs import ALL

log = logs.named("installation")


async def handle(ctx: Context) -> None:
    event = ctx.event
    match event.name, event.action:
        case "installation", "deleted":
            await ctx.step("forget", lambda: _forget_installation(ctx))
        case "installation_repositories", "removed":
            await ctx.step("forget", lambda: _forget(ctx, list(event.removed)))
        case "repository", "deleted":
            await ctx.step("forget", lambda: _forget(ctx, [ctx.repo.id]))
        case "installation", _:
            await ctx.step("look", lambda: _look(ctx))
        case _:
            pass


async def _look(ctx: Context) -> Json:
    """Compare what is granted with what is needed."""
    app, number = ctx.services.github, ctx.installation_id
    # tokens made before carry what was granted then
    app.tokens.forget(number)
    try:
        info = await app.installation_info(number)
    except NotFound:
        return None
    missing = permissions.missing(dict(ALL), info.permissions)
    url = permissions.approval_url(app.web, number, info.html_url)
    account = ctx.event.account or (info.account.login if info.account is not None else "")
    await ctx.store.installation_seen(number, account=account, missing=missing, url=url)
    if missing:
        log.warning("installation.lacks", installation=number, account=account, missing=", ".join(missing), url=url)
    return list[Json](missing)


async def _forget_installation(ctx: Context) -> Json:
    ctx.services.github.tokens.forget(ctx.installation_id)
    repo_ids = await ctx.store.forget_installation(ctx.installation_id)
    await ctx.forget_jobs(installation_id=ctx.installation_id)
    for repo_id in repo_ids:
        await ctx.mirrors.remove(repo_id)
    log.info("installation.forgotten", installation=ctx.installation_id, repositories=len(repo_ids))
    return len(repo_ids)


async def _forget(ctx: Context, repo_ids: list[int]) -> Json:
    await ctx.store.forget_repositories(repo_ids)
    for repo_id in repo_ids:
        # a repository that was transferred may have jobs of its new owner's installation already
        await ctx.forget_jobs(installation_id=ctx.installation_id, repo_id=repo_id)
        await ctx.mirrors.remove(repo_id)
    log.info("repositories.forgotten", installation=ctx.installation_id, repositories=len(repo_ids))
    return len(repo_ids)
