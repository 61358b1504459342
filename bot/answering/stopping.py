"""`/plan cancel`: stop what runs or waits for an issue or pull request, and leave nothing behind that waits."""

from __future__ import annotations

from bot.answering.looking import KINDS, Thread
from bot.answering.replying import react
from bot.commands import CANCEL
from bot.dispatch import Context
from bot.events import Json
from bot.github import publish
from bot.github.errors import PermissionMissing
from bot.github.installation import Reaction
from bot.github.texts import replies


async def stop(ctx: Context, thread: Thread) -> tuple[list[str], bool]:
    """The answers, and whether all was done."""
    stopped = await ctx.stop()
    for each in stopped:
        person = each.event.sender
        if each.event.name in KINDS and person is not None and not person.bot:
            # it may have been seen already, and nobody else will answer it
            await react(ctx, thread, f"react-{each.run_id}", Reaction.CONFUSED, to=each.event)
    if not stopped:
        return [replies.nothing_runs()], True
    answers = [replies.cancelled([each.run_id for each in stopped])]
    if thread.pull and thread.open and not thread.silent:
        try:
            await ctx.step("stop-check", lambda: _check(ctx))
        except PermissionMissing as missing:
            return [*answers, replies.needs_permission(CANCEL, missing.permission, missing.url)], False
    return answers, True


async def _check(ctx: Context) -> Json:
    """A required check does not wait for what was stopped."""
    pull = await ctx.github.get_pull(ctx.number)
    if pull.open:
        await publish.stop(ctx.github, ctx.key, pull.head.sha)
        await ctx.store.check_closed(ctx.repo.id, ctx.number, pull.head.sha)
    return None
