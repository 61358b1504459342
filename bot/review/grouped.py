"""The commit that a merge queue would merge: its check says what the pull request came to at its own head."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

from bot import logs, repo_config
from bot.core.verify.outcomes import combine
from bot.dispatch import Context
from bot.events import Json
from bot.github import texts
from bot.github.findings import Place
from bot.github.publication import Publication
from bot.github.publish import publish
from bot.review import facts, posting
from bot.review.facts import Facts
from schemas.verify_report import Verdict

log = logs.named("review")

# how GitHub names the branch of a group: gh-readonly-queue/<base>/pr-<number>-<commit of the base>
_HEAD_REF = re.compile(r"refs/heads/gh-readonly-queue/.{1,255}/pr-([1-9]\d{0,9})-[0-9a-f]{7,64}")
NO_PULL = "the merge group names no pull request that is there"
UNKNOWN = "the pull request of this merge group was not judged at its head"


def number_of(head_ref: str | None) -> int | None:
    """The pull request that a merge group was made for; None for a branch of another form."""
    found = _HEAD_REF.fullmatch(head_ref or "")
    return int(found[1]) if found else None


async def look(ctx: Context) -> Json:
    """What is known of the group's pull request at its head: the verdict of the last run that came to its end. Reports
    alone tell nothing, as a run stores those of several plans one after another."""
    found = cast(Facts, await facts.least(ctx))
    if found["state"] != "open":
        return found
    row = await ctx.store.last_verdict(ctx.repo.id, ctx.number, found["head"])
    return found | {"verdict": row["verdict"] if row else None}


async def answer(ctx: Context, found: Facts, group_head: str) -> Json:
    """Complete the group's check run from the stored reports, or say that there are none."""
    if found["state"] == "off" or found.get("shadow"):
        return {"status": "shadowed"}
    if found["state"] != "open":
        return await refuse(ctx, group_head, NO_PULL)
    if found["verdict"] is None:
        return await refuse(ctx, group_head, UNKNOWN)
    reports = list((await ctx.store.reports(ctx.repo.id, ctx.number, found["head"])).values())
    came = combine(report.verdict for report in reports)
    if came is not Verdict(found["verdict"]):
        # a report that cannot be read any more, or a pull request that could not be judged at all
        return await refuse(ctx, group_head, UNKNOWN)
    where = await posting.place(ctx, found, reports)
    return await _send(ctx, texts.grouped(ctx.key, where, reports, group_head), came)


async def refuse(ctx: Context, group_head: str, reason: str) -> Json:
    """The queue gets an answer in any case, one that is not green; but for where nothing is to be posted."""
    if ctx.settings.mode == "shadow" or (await repo_config.current(ctx)).config.mode != "on":
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
