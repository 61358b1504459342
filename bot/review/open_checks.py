"""Check runs of ours that may be unfinished. The store keeps a row of each from before it is written until GitHub has
confirmed that it is completed; what is left unfinished is found by these rows.

In shadow nothing is written, and the rows stay as they are. Where a repository is switched off a check run of ours is
still completed: it was begun before, and would be shown as running for ever.
"""

from __future__ import annotations

from bot import logs, repo_config
from bot.dispatch import Context
from bot.github.checks import Checks
from bot.github.errors import GitHubError, NotFound, TokenRefused
from bot.github.texts.check_run import CANCELLED_TITLE, CLOSED_TITLE
from bot.store import PUSHED

log = logs.named("review")


async def opened(ctx: Context, head: str) -> None:
    """Note, before it is written, that the check run on this head may be left unfinished."""
    await ctx.store.check_opened(
        ctx.repo.id, _number(ctx), head, installation_id=ctx.installation_id, repo=ctx.repo.full_name
    )


async def written(ctx: Context, head: str, *, confirmed: bool) -> None:
    """A check run on this head was completed, or may not be: then somebody has to look again."""
    if confirmed:
        await forget(ctx, head)
    else:
        log.warning("check.unconfirmed", run=ctx.run_id, head=head)
        await opened(ctx, head)


async def unwritten(ctx: Context, head: str) -> None:
    """The App may not write the check run on this head: nothing waits for it where none is unfinished."""
    try:
        if await Checks(ctx.github, head).unfinished():
            return
    except GitHubError as error:
        log.info("check.unread", run=ctx.run_id, head=head, reason=str(error))
        return
    await forget(ctx, head)


async def forget(ctx: Context, head: str) -> None:
    await ctx.store.check_closed(ctx.repo.id, _number(ctx), head)


async def cancel(ctx: Context, head: str, title: str) -> bool:
    """Cancel what is unfinished on this head, under `title`; whether nothing is any more. Raises what GitHub's client
    raises."""
    if await _silent(ctx):
        return False
    confirmed = await Checks(ctx.github, head).cancel(title)
    await written(ctx, head, confirmed=confirmed)
    return confirmed


async def leave(ctx: Context, head: str) -> None:
    """Cancel what earlier heads of the pull request, now at `head`, left unfinished: nobody else completes it."""
    for old in await ctx.store.open_heads(ctx.repo.id, ctx.number):
        if old != head:
            await cancel(ctx, old, CANCELLED_TITLE)


async def close(ctx: Context, head: str) -> None:
    """Cancel what is unfinished on a pull request that is closed, at `head` and before."""
    for each in dict.fromkeys((head, *await ctx.store.open_heads(ctx.repo.id, ctx.number))):
        await cancel(ctx, each, CLOSED_TITLE)


async def stop(ctx: Context, head: str) -> None:
    """Someone stopped the judging of this head: its check run is cancelled, and made for that where there is none.
    Raises what GitHub's client raises."""
    if not await _silent(ctx):
        await written(ctx, head, confirmed=await Checks(ctx.github, head).stop(ctx.key))


async def repeat(ctx: Context, head: str, title: str) -> None:
    """Answer a Re-run on a head that is not judged: its check run is completed as it was, or cancelled, under `title`,
    where it never was."""
    if await _silent(ctx):
        return
    try:
        confirmed = await Checks(ctx.github, head).repeat(title)
    except (NotFound, TokenRefused) as error:
        # suspended, uninstalled or deleted since: there is no place to answer at
        log.info("check.gone", run=ctx.run_id, head=head, reason=str(error))
        return
    log.info("check.repeated", run=ctx.run_id, head=head)
    await written(ctx, head, confirmed=confirmed)


def _number(ctx: Context) -> int:
    return PUSHED if ctx.event.number is None else ctx.event.number


async def _silent(ctx: Context) -> bool:
    return ctx.settings.mode == "shadow" or (await repo_config.known(ctx)).silent
