"""A merge queue asks for our check on the commit it would merge: it gets what its pull request came to."""

from __future__ import annotations

from bot import review
from bot.dispatch import Context


async def handle(ctx: Context) -> None:
    await review.merge_group(ctx)


async def failed(ctx: Context, reason: str) -> None:
    await review.merge_group_gave_up(ctx, reason)
