"""A comment or review gives commands: do what they say, react, and answer once."""

from __future__ import annotations

from bot.dispatch import Context


async def handle(ctx: Context) -> None:
    del ctx
