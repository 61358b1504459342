"""`/plan cancel`: stop what runs or waits for an issue or pull request, and leave nothing behind that waits."""

from __future__ import annotations

from bot.answering.looking import KINDS, Thread
from bot.answering.replying import react
from bot.commands import CANCEL
from bot.dispatch import Context
from bot.events import Json
from bot.github.errors import PermissionMissing
from bot.github.installation import Reaction
from bot.github.texts import replies
from bot.review import open_checks, refuse_group

STOPPED = "`/plan cancel` on the pull request stopped the run"


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
    answered = any(each.event.name in KINDS for each in stopped)
    answers = [replies.cancelled([each.run_id for each in stopped], commands=answered)]
    try:
        await ctx.step("stop-check", lambda: _settle(ctx, thread))
        for each in stopped:
            if each.event.name == "merge_group":
                await refuse_group(ctx, each.event.head_sha, STOPPED)
    except PermissionMissing as missing:
        return [*answers, replies.needs_permission(CANCEL, missing.permission, missing.url)], False
    return answers, True


async def _settle(ctx: Context, thread: Thread) -> Json:
    """A required check does not wait for what was stopped, and no sweep starts it anew."""
    head = None
    if thread.pull:
        pull = await ctx.github.get_pull(ctx.number)
        head = pull.head.sha if pull.open else None
    await ctx.store.run_stopped_others(ctx.run_id, head=head)
    if head is not None and not thread.silent:
        await open_checks.stop(ctx, head)
    return None
