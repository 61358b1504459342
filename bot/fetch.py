"""Fetching a repository as an installation: the mirror with a token that works."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bot.dispatch import Context
from bot.mirror import FetchRefused


async def fetch(ctx: Context, *, shas: Sequence[str] = (), refs: Sequence[str] = (), depth: int | None = None) -> Path:
    """The mirror of the event's repository with these commits and refs; see `Mirrors.fetch`.

    A token may stop working before it expires; git says only "refused" then, so one refusal gets a new token. Raises
    FetchError, and what making a token raises.
    """
    token = await ctx.github.clone_token()
    try:
        return await ctx.mirrors.fetch(ctx.repo, shas=shas, refs=refs, depth=depth, token=token)
    except FetchRefused:
        token = await ctx.github.clone_token(instead_of=token)
        return await ctx.mirrors.fetch(ctx.repo, shas=shas, refs=refs, depth=depth, token=token)
