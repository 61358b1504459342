"""A pull request was opened, pushed to, edited, closed, or changed its draft state: judge the plans it holds."""

from __future__ import annotations

from bot import review
from bot.dispatch import Context


async def handle(ctx: Context) -> None:
    if not await ctx.own():
        await review.pull_request(ctx)


async def failed(ctx: Context, reason: str) -> None:
    await review.gave_up(ctx, reason)
