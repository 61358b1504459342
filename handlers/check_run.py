"""Someone asked GitHub for our check again (Re-run, Re-run all): judge anew and answer, also when nothing changed."""

from __future__ import annotations

from bot import review
from bot.dispatch import Context


async def handle(ctx: Context) -> None:
    await review.pull_request(ctx, rerun=True)


async def failed(ctx: Context, reason: str) -> None:
    await review.gave_up(ctx, reason)
