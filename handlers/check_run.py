"""Someone asked for our check again (Re-run, Re-run all, the button Re-verify): judge anew, and answer in any case.

What is asked about may not be judged any more, a commit that was pushed over or a pull request that was closed: its
check run is then completed again as it was, since GitHub shows it as waiting until then.
"""

from __future__ import annotations

from bot import logs, review
from bot.dispatch import Context
from bot.events import Json
from bot.github.publish import repeat

log = logs.named("check_run")


async def handle(ctx: Context) -> None:
    asked = ctx.event.head_sha
    if ctx.event.number is None:
        before = await review.before_push(ctx, asked)
        if asked is not None and before is not None:
            await review.pushed(ctx, after=asked, before=before, rerun=True)
        elif asked is not None:
            await ctx.step("repeat", lambda: _repeat(ctx, asked))
        return
    outcome = await review.pull_request(ctx, rerun=True)
    if asked is not None and (outcome.head != asked or not outcome.answered):
        await ctx.step("repeat", lambda: _repeat(ctx, asked))


async def failed(ctx: Context, reason: str) -> None:
    asked = ctx.event.head_sha
    if ctx.event.number is not None:
        await review.gave_up(ctx, reason)
    elif asked is not None:
        before = await review.before_push(ctx, asked)
        await review.push_gave_up(ctx, reason, after=asked, before=before or "")


async def _repeat(ctx: Context, head: str) -> Json:
    if ctx.settings.mode == "shadow":
        return None
    log.info("check_run.repeated", run=ctx.run_id, head=head)
    key = ctx.key if ctx.event.number is not None else f"{ctx.repo.id}/{head}"
    await repeat(ctx.github, key, head)
    return None
