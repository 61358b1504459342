"""Judging a pull request or a pushed commit: resolve → fetch → find the plans → judge each → publish.

Each is a durable step. The event only says "look at number n": the head, the base and the configuration are read anew.
What goes wrong on the way becomes a check that says `action_required` and what to do, never silence and never green.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import cast

from bot import logs
from bot.dispatch import Context
from bot.events import Json
from bot.github.errors import PermissionMissing
from bot.mirror import FetchError
from bot.review import facts, grouped, judging, posting
from bot.review.facts import Facts, Outcome
from bot.review.grouped import number_of

__all__ = [
    "Outcome",
    "before_push",
    "gave_up",
    "merge_group",
    "merge_group_gave_up",
    "number_of",
    "pull_request",
    "push_gave_up",
    "pushed",
    "refuse_group",
]

log = logs.named("review")

POSTED = ("published", "unchecked")
"""What publishing gives back where people see the outcome."""


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
        done = await ctx.step("publish", lambda: _post(ctx, posting.failure(ctx, found, reason, rerun=rerun)))
        return Outcome.of(found, done)
    done = await ctx.step("publish", lambda: _post(ctx, posting.verdict(ctx, found, judged, rerun=rerun)))
    return Outcome.of(found, done)


async def _post(ctx: Context, posting: Awaitable[Json]) -> Json:
    """Keep that the outcome stands on GitHub: what fails later in this run is no word on the plans."""
    done = await posting
    if isinstance(done, dict) and done["status"] in POSTED:
        await ctx.store.run_published(ctx.run_id)
    return done


async def gave_up(ctx: Context, reason: str) -> Outcome | None:
    """The run failed for good: say so on the pull request, so that nobody waits for an answer. What came of that; None
    where it is no news."""
    run = await ctx.store.run(ctx.run_id)
    if (run is not None and run["published"] is not None) or await ctx.store.overtaken(ctx.run_id, judged=True):
        log.info("review.overtaken", run=ctx.run_id)
        return None
    found = cast(Facts, await ctx.step("look", lambda: facts.least(ctx)))
    if found["state"] != "open":
        return Outcome(found["state"], found.get("head"))
    done = await ctx.step("publish", lambda: posting.failure(ctx, found, reason, rerun=True))
    return Outcome.of(found, done)


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


async def push_gave_up(ctx: Context, reason: str, *, after: str, before: str) -> Outcome | None:
    """The judging of a pushed commit failed for good. Said only where plans of it were being judged; None elsewhere."""
    if not await ctx.store.has_pushed(ctx.repo.id, after):
        return None
    done = await ctx.step("publish", lambda: posting.commit_failure(ctx, after, before, reason))
    return Outcome.of({"head": after}, done)


async def before_push(ctx: Context, after: str | None) -> str | None:
    """The commit that the default branch was at before a push that we judged; None for one that we did not."""
    if after is None:
        return None
    return cast("str | None", await ctx.step("before", lambda: posting.before_push(ctx, after)))


async def merge_group(ctx: Context) -> None:
    """Answer a merge queue from what is stored of the pull request, judging it first where nothing is."""
    head = ctx.event.head_sha
    if head is None:
        return
    if ctx.event.number is None:
        await ctx.step("refuse", lambda: grouped.refuse(ctx, head, grouped.NO_PULL))
        return
    found = cast(Facts, await ctx.step("look", lambda: grouped.look(ctx)))
    if found["state"] == "open" and found["verdict"] is None:
        found = grouped.judged(found, await pull_request(ctx))
    await ctx.step("answer", lambda: grouped.answer(ctx, found, head))


async def merge_group_gave_up(ctx: Context, reason: str) -> None:
    """The queue waits for an answer, so it gets the reason why there is none."""
    await refuse_group(ctx, ctx.event.head_sha, reason)


async def refuse_group(ctx: Context, group_head: str | None, reason: str) -> None:
    """Tell the queue that waits for this commit why it gets no verdict."""
    if group_head is not None:
        await ctx.step("refuse", lambda: grouped.refuse(ctx, group_head, reason))
