"""An issue that holds a plan was opened, edited or labelled: answer whether the capability exists already.

An issue holds a plan with the label `workplan`, with front matter `type: workplan`, with a ```task block, or with a
`### Task N` heading. The answer is advice, in one comment that is edited with the issue.
"""

from __future__ import annotations

from bot import advice
from bot.dispatch import Context


async def handle(ctx: Context) -> None:
    if not await ctx.own():
        await advice.issue(ctx)


async def failed(ctx: Context, reason: str) -> None:
    await advice.failed(ctx, reason)
