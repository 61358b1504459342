"""The commit that a merge queue would merge: its check says what the pull request came to at its own head."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

from bot import logs
from bot.core.verify.outcomes import combine
from bot.dispatch import Context
from bot.events import Json
from bot.github import texts
from bot.github.findings import Place
from bot.github.publication import Publication
from bot.github.publish import publish
from bot.review import facts, posting
from bot.review.facts import Facts, Outcome
from schemas.verify_report import Verdict

log = logs.named("review")

# how GitHub names the branch of a group: gh-readonly-queue/<base>/pr-<number>-<commit of the base>
_HEAD_REF = re.compile(r"refs/heads/gh-readonly-queue/.{1,255}/pr-([1-9]\d{0,9})-[0-9a-f]{7,64}")
NO_PULL = "the merge group names no pull request that is there"
PASSING = ("success", "neutral", "skipped")
"""Conclusions with which GitHub lets a required check pass."""
NOT_GREEN = "the check on the pull request itself came to `{}`, and says why"
MOVED = "the pull request was pushed to after this merge group was made"
UNKNOWN = "the pull request of this merge group was not judged at its head"


def number_of(head_ref: str | None) -> int | None:
    """The pull request that a merge group was made for; None for a branch of another form."""
    found = _HEAD_REF.fullmatch(head_ref or "")
    return int(found[1]) if found else None


async def look(ctx: Context) -> Json:
    """What is known of the group's pull request at its head: the verdict of the last run that came to its end, and the
    conclusion of its check. Reports alone tell nothing, as a run stores those of several plans one after another."""
    found = cast(Facts, await facts.least(ctx))
    if found["state"] != "open":
        return found
    row = await ctx.store.last_verdict(ctx.repo.id, ctx.number, found["head"])
    return found | {"verdict": row["verdict"] if row else None, "conclusion": row["conclusion"] if row else None}


def judged(found: Facts, came: Outcome) -> Facts:
    """The same after this very run has judged the pull request, of which no other knows yet."""
    if came.state != "open":
        return {"state": came.state}
    return found | {
        "head": came.head,
        "verdict": came.verdict.value if came.verdict is not None else None,
        "conclusion": came.conclusion,
    }


async def answer(ctx: Context, found: Facts, group_head: str) -> Json:
    """Complete the group's check run from the stored reports, or say that there are none."""
    if found["state"] == "off" or found.get("shadow"):
        return {"status": "shadowed"}
    if found["state"] != "open":
        return await refuse(ctx, group_head, NO_PULL)
    parents = await ctx.github.parents(group_head)
    # a group that squashes or rebases holds no commit of the pull request, and nothing can be told from it
    if len(parents) > 1 and found["head"] not in parents[1:]:
        return await refuse(ctx, group_head, MOVED)
    if found["verdict"] is None:
        return await refuse(ctx, group_head, UNKNOWN)
    reports = list((await ctx.store.reports(ctx.repo.id, ctx.number, found["head"])).values())
    came = combine(report.verdict for report in reports)
    if came is not Verdict(found["verdict"]):
        # a report that cannot be read any more, or a pull request that could not be judged at all
        return await refuse(ctx, group_head, UNKNOWN)
    made = texts.grouped(ctx.key, await posting.place(ctx, found, reports), reports, group_head)
    if _greener(made, found["conclusion"]):
        return await refuse(ctx, group_head, NOT_GREEN.format(found["conclusion"]))
    return await _send(ctx, made, came)


def _greener(made: Publication, conclusion: str | None) -> bool:
    """Whether the group would pass where the pull request's own check does not: that one also tells of a broken
    configuration, and of what could not be posted."""
    passes = made.check is None or made.check.conclusion in PASSING
    return passes and conclusion is not None and conclusion not in PASSING


async def refuse(ctx: Context, group_head: str, reason: str) -> Json:
    """The queue gets an answer in any case, one that is not green; but for where nothing is to be posted."""
    holds = await facts.holding(ctx)
    if holds.silent or holds.off:
        return {"status": "shadowed"}
    where = Place(web=ctx.github.web, head=group_head, run=ctx.run_id)
    return await _send(ctx, texts.group_unjudged(_key(ctx, group_head), where, reason), Verdict.NOT_VERIFIED)


def _key(ctx: Context, group_head: str) -> str:
    return f"{ctx.repo.id}/group/{group_head}"


async def _send(ctx: Context, made: Publication, verdict: Verdict) -> Json:
    head = made.head_sha or ""
    published = await publish(ctx.github, replace(made, key=_key(ctx, head)))
    log.info("publish.done", run=ctx.run_id, verdict=verdict.value, status=published.status, writes=published.writes)
    return published.to_json()
