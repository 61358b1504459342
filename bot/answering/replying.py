"""What stands in the thread after a command: reactions on it, and one reply. Neither is worth failing for twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from bot import logs
from bot.answering.looking import KINDS, Thread
from bot.dispatch import Context
from bot.events import Event, Json
from bot.github import texts
from bot.github.errors import GitHubError
from bot.github.findings import Place
from bot.github.installation import Reaction
from bot.github.publish import publish

log = logs.named("command")


async def react(ctx: Context, thread: Thread, name: str, reaction: Reaction, *, to: Event | None = None) -> None:
    """Our reaction on the comment or review of the event `to`, else of the run's own; a refusal is logged and no more.
    `name` is the step's."""
    event = to or ctx.event
    if thread.silent:
        return
    try:
        await ctx.step(name, lambda: _react(ctx, event, reaction))
    except (GitHubError, TimeoutError) as error:
        log.warning("command.unreacted", run=ctx.run_id, reaction=reaction.value, reason=str(error))


async def reply(ctx: Context, thread: Thread, answers: Sequence[str]) -> bool:
    """The one reply to the run's comment or review; `answers` are ready Markdown. False where GitHub refused it."""
    event = ctx.event
    return await _say(ctx, thread, f"{KINDS[event.name].value} {event.comment_id}", answers)


async def refuse(ctx: Context, thread: Thread, answers: Sequence[str]) -> bool:
    """That the person may not do this: one reply for each person and thread, edited where it stands, so that nobody
    can make us talk."""
    assert ctx.event.sender is not None  # noqa: S101 - who it is was looked at
    return await _say(ctx, thread, f"refusal {ctx.event.sender.id}", answers)


async def _react(ctx: Context, event: Event, reaction: Reaction) -> Json:
    if event.comment_id is not None:
        await ctx.github.react(KINDS[event.name], event.comment_id, event.node_id, reaction)
    return None


async def _say(ctx: Context, thread: Thread, written: str, answers: Sequence[str]) -> bool:
    if not answers:
        return True
    if thread.silent:
        log.info("command.shadowed", run=ctx.run_id, answers=len(answers))
        return True
    told = cast("dict[str, Any]", await ctx.step("reply", lambda: _reply(ctx, written, answers)))
    return not told["problems"]


async def _reply(ctx: Context, written: str, answers: Sequence[str]) -> Json:
    place = Place(web=ctx.github.web, head="", run=ctx.run_id, number=ctx.number)
    # a lock of its own: an answer does not wait for a verdict that is being published
    published = await publish(ctx.github, texts.reply(f"{ctx.key}/{written}", place, written, answers))
    for problem in published.problems:
        log.warning("command.unanswered", run=ctx.run_id, reason=problem)
    return published.to_json()
