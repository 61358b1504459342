"""Which permissions an installation has not granted: asked of GitHub, and kept for when it does not answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot import logs
from bot.dispatch import Context
from bot.github import permissions
from bot.github.errors import GitHubError, NotFound

log = logs.named("installation")


@dataclass(frozen=True)
class Lack:
    """`missing` is for people, as in `checks: write`; `url` is the page where an owner grants it."""

    missing: tuple[str, ...] = ()
    url: str | None = None


async def look(ctx: Context, needs: Mapping[str, str]) -> Lack | None:
    """Compare what is granted now with what is needed, and keep it; None for an installation that is gone. Raises what
    GitHub's client raises."""
    app, number = ctx.services.github, ctx.installation_id
    try:
        info = await app.installation_info(number)
    except NotFound:
        return None
    missing = permissions.missing(dict(needs), info.permissions)
    url = permissions.approval_url(app.web, number, info.html_url)
    account = ctx.event.account or (info.account.login if info.account is not None else "")
    await ctx.store.installation_seen(number, account=account, missing=missing, url=url)
    if missing:
        log.warning("installation.lacks", installation=number, account=account, missing=", ".join(missing), url=url)
    return Lack(tuple(missing), url)


async def lack(ctx: Context, needs: Mapping[str, str]) -> Lack:
    """The same for an answer: what was seen last where GitHub fails."""
    try:
        found = await look(ctx, needs)
    except GitHubError as error:
        log.warning("installation.unread", run=ctx.run_id, reason=str(error))
        row = await ctx.store.installation(ctx.installation_id)
        found = Lack(tuple(row["missing"]), row["url"]) if row is not None else None
    return found or Lack()
