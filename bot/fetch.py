"""Fetching a repository as an installation: the mirror with a token that works."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bot.dispatch import Context
from bot.mirror import FetchNotFound, FetchRefused


async def fetch(ctx: Context, *, shas: Sequence[str] = (), refs: Sequence[str] = (), depth: int | None = None) -> Path:
    """The mirror of the event's repository with these commits and refs; see `Mirrors.fetch`.

    A token may stop working before it expires; git says only "refused" then, so one refusal gets a new token. Git
    follows no redirect with it, so where the repository is not found its present name is asked for. Raises FetchError,
    and what making a token raises.
    """
    token = await ctx.github.clone_token()
    try:
        return await ctx.mirrors.fetch(ctx.repo, shas=shas, refs=refs, depth=depth, token=token)
    except FetchRefused:
        token = await ctx.github.clone_token(instead_of=token)
    except FetchNotFound:
        before = ctx.repo.full_name
        for known in await ctx.github.repositories():
            if known.id == ctx.repo.id:
                ctx.renamed(known.full_name)
        if ctx.repo.full_name == before:
            raise
    return await ctx.mirrors.fetch(ctx.repo, shas=shas, refs=refs, depth=depth, token=token)
