"""A push to the default branch that may bring plans: judge those, on the commit's check run and nowhere else."""

from __future__ import annotations

from bot import repo_config, review
from bot.dispatch import Context
from bot.review.facts import NOTHING


async def handle(ctx: Context) -> None:
    if ctx.repo.name.lower() == repo_config.ORGANISATION:
        # it may have changed the defaults of all repositories of its owner
        ctx.services.defaults.forget(ctx.repo.owner)
    await review.pushed(ctx, after=ctx.event.after or NOTHING, before=ctx.event.before or NOTHING)


async def failed(ctx: Context, reason: str) -> None:
    event = ctx.event
    await review.push_gave_up(ctx, reason, after=event.after or NOTHING, before=event.before or NOTHING)
