"""Someone asked for our check again (Re-run, Re-run all, the button Re-verify): judge anew, and answer in any case.

What is asked about may not be judged any more, a commit that was pushed over or a pull request that was closed, or
cannot be: its check run is then completed again as it was, since GitHub shows it as waiting until then.
"""

from __future__ import annotations

from bot import review
from bot.dispatch import Context
from bot.events import Json
from bot.github.publication import VERIFY_AGAIN
from bot.github.texts.check_run import CANCELLED_TITLE, CLOSED_TITLE, UNJUDGED_TITLE
from bot.review import Outcome, open_checks


async def handle(ctx: Context) -> None:
    await _answer(ctx, await _judge(ctx) if _known(ctx) else None)


async def failed(ctx: Context, reason: str) -> None:
    await _answer(ctx, await _give_up(ctx, reason) if _known(ctx) else None)


def _known(ctx: Context) -> bool:
    """False for a button that we do not offer, or not any more."""
    return ctx.event.action != "requested_action" or ctx.event.identifier == VERIFY_AGAIN.identifier


async def _judge(ctx: Context) -> Outcome | None:
    if ctx.event.number is not None:
        return await review.pull_request(ctx, rerun=True)
    asked = ctx.event.head_sha
    before = await review.before_push(ctx, asked)
    if asked is None or before is None:
        return None
    return await review.pushed(ctx, after=asked, before=before, rerun=True)


async def _give_up(ctx: Context, reason: str) -> Outcome | None:
    asked = ctx.event.head_sha
    if ctx.event.number is not None:
        return await review.gave_up(ctx, reason)
    before = await review.before_push(ctx, asked)
    if asked is None:
        return None
    return await review.push_gave_up(ctx, reason, after=asked, before=before or "")


async def _answer(ctx: Context, outcome: Outcome | None) -> None:
    """See to it that the commit which is asked about does not wait, whatever was said of another one."""
    asked = ctx.event.head_sha
    # `shadowed` stands also for a repository that is switched off, where what waits is completed all the same
    told = outcome is not None and outcome.answered and outcome.published != "shadowed" and outcome.head == asked
    if asked is not None and not told:
        await ctx.step("repeat", lambda: _repeat(ctx, asked, _title(outcome, asked)))


def _title(outcome: Outcome | None, asked: str) -> str:
    if outcome is None or outcome.state == "off":
        return UNJUDGED_TITLE
    if "closed" in (outcome.state, outcome.published):
        return CLOSED_TITLE
    return UNJUDGED_TITLE if outcome.head == asked else CANCELLED_TITLE


async def _repeat(ctx: Context, head: str, title: str) -> Json:
    await open_checks.repeat(ctx, head, title)
    return None
