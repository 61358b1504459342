"""Judging a pull request or a pushed commit: resolve → fetch → find the plans → judge each → publish.

Each is a durable step. The event only says "look at number n": the head, the base and the configuration are read anew.
What goes wrong on the way becomes a check that says `action_required` and what to do, never silence and never green.
"""

from __future__ import annotations

from typing import cast

from bot import logs
from bot.dispatch import Context
from bot.github.errors import PermissionMissing
from bot.mirror import FetchError
from bot.review import facts, grouped, judging, posting
from bot.review.facts import Facts, Outcome

__all__ = [
    "Outcome",
    "before_push",
    "gave_up",
    "merge_group",
    "merge_group_gave_up",
    "pull_request",
    "push_gave_up",
    "pushed",
]

log = logs.named("review")


async def pull_request(ctx: Context, *, rerun: bool = False) -> Outcome:
    """Judge the event's pull request, publish the outcome and give it back. With `rerun` the check is written also
    when nothing changed, because GitHub, or a person, waits for it."""
    found = cast(Facts, await ctx.step("resolve", lambda: facts.pull_request(ctx)))
    if found["state"] != "open":
        log.info("review.ended", run=ctx.run_id, number=ctx.event.number, state=found["state"])
        return Outcome(found["state"], found.get("head"))
    ctx.renamed(found["repo"])
    try:
        judged = await judging.plans(ctx, found)
    except (FetchError, PermissionMissing, judging.Unrelated) as error:
        # what people can mend is said to them; the log has the details under the same run
        reason = str(error)
        log.warning("review.unjudged", run=ctx.run_id, reason=reason, detail=getattr(error, "detail", ""))
        done = await ctx.step("publish", lambda: posting.failure(ctx, found, reason, rerun=rerun))
        return Outcome.of(found, done)
    done = await ctx.step("publish", lambda: posting.verdict(ctx, found, judged, rerun=rerun))
    return Outcome.of(found, done)


async def gave_up(ctx: Context, reason: str) -> None:
    """The run failed for good: say so on the pull request, so that nobody waits for an answer."""
    if await ctx.store.overtaken(ctx.run_id):
        log.info("review.overtaken", run=ctx.run_id)
        return
    found = cast(Facts, await ctx.step("look", lambda: facts.least(ctx)))
    if found["state"] == "open":
        await ctx.step("publish", lambda: posting.failure(ctx, found, reason, rerun=True))


async def pushed(ctx: Context, *, after: str, before: str, rerun: bool = False) -> Outcome:
    """Judge the plans that a push brought to the default branch, on its commit's check run alone."""
    found = cast(Facts, await ctx.step("resolve", lambda: facts.push(ctx, after, before)))
    if found["state"] != "open":
        return Outcome(found["state"], after)
    try:
        judged = await judging.plans(ctx, found)
    except FetchError as error:
        # whether there is a plan in it is not known, and most pushes hold none: no check is better than a wrong one
        log.warning("review.unjudged", run=ctx.run_id, reason=str(error), detail=getattr(error, "detail", ""))
        return Outcome("unfetched", after)
    if not judged["plans"] and not judged["config_errors"] and not rerun:
        return Outcome("no plan", after)
    done = await ctx.step("publish", lambda: posting.commit(ctx, found, judged, rerun=rerun))
    return Outcome.of(found, done)


async def push_gave_up(ctx: Context, reason: str, *, after: str, before: str) -> None:
    """The judging of a pushed commit failed for good. Said only where plans of it were being judged."""
    if await ctx.store.has_pushed(ctx.repo.id, after):
        await ctx.step("publish", lambda: posting.commit_failure(ctx, after, before, reason))


async def before_push(ctx: Context, after: str | None) -> str | None:
    """The commit that the default branch was at before a push that we judged; None for one that we did not."""
    if after is None:
        return None
    return cast("str | None", await ctx.step("before", lambda: posting.before_push(ctx, after)))


async def merge_group(ctx: Context) -> None:
    """Answer a merge queue from what is stored of the pull request, judging it first where nothing is."""
    head, number = ctx.event.head_sha, grouped.number_of(ctx.event.head_ref)
    if head is None:
        return
    if number is None:
        await ctx.step("refuse", lambda: grouped.refuse(ctx, head, grouped.NO_PULL))
        return
    ctx.about(number)
    found = cast(Facts, await ctx.step("look", lambda: grouped.look(ctx)))
    if found["state"] == "open" and found["verdict"] is None:
        came = await pull_request(ctx)
        found = cast(Facts, await ctx.step("look again", lambda: grouped.look(ctx)))
        if came.head == found.get("head") and came.verdict is not None:
            # this run has not come to its end, so that it is not stored as one that has
            found |= {"verdict": came.verdict.value}
    await ctx.step("answer", lambda: grouped.answer(ctx, found, head))


async def merge_group_gave_up(ctx: Context, reason: str) -> None:
    """The queue waits for an answer, so it gets the reason why there is none."""
    if (head := ctx.event.head_sha) is not None:
        await ctx.step("refuse", lambda: grouped.refuse(ctx, head, reason))
