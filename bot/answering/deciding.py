"""Dismissing and disputing a finding: a decision is stored with who and why, and counts from the next judging on."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import datetime

from bot import logs, repo_config
from bot.dispatch import Context
from bot.events import Json
from bot.github.findings import Place
from bot.github.texts import replies
from bot.review import settled
from bot.review.settled import IGNORED, Settled
from bot.store import Decision
from schemas.verify_report import Finding, Status, VerifyReport

log = logs.named("command")

COUNTS = (Status.OPEN, Status.DISPUTED)


async def decide(ctx: Context, finding_id: str, reason: str, status: Status) -> Json:
    """Keep that the event's sender gives a finding of the present head this status: dismissed or disputed.

    The answer's `text`, and whether it was `done`; None where no report on the head is stored. Raises NotFound for a
    pull request that is gone.
    """
    pull = await ctx.github.get_pull(ctx.number)
    reports = list((await ctx.store.reports(ctx.repo.id, ctx.number, pull.head.sha)).values())
    if not reports:
        return None
    place = Place(web=ctx.github.web, head=pull.head.sha, run=ctx.run_id, number=ctx.number)
    holds = await repo_config.current(ctx)
    made = await settled.decisions(ctx, [report.plan.path for report in reports], holds.config.ignore)
    all_of_them = list(_findings(reports))
    named = [(plan, each) for plan, each in all_of_them if each.id == finding_id]
    if not named:
        open_ones = [each for plan, each in all_of_them if _status(made, plan, each) in COUNTS]
        return _not(replies.no_such_finding(finding_id, open_ones, place))
    assert ctx.event.sender is not None  # noqa: S101 - who it is was looked at
    wanted = Settled(status, ctx.event.sender.login, reason, _moment(ctx))
    ours = [each for plan, each in named if made.of(plan, each) == wanted]
    free = [(plan, each) for plan, each in named if _may_become(status, _status(made, plan, each))]
    if not ours and not free:
        plan, finding = named[0]
        before = made.of(plan, finding) or Settled(finding.status)
        if before == IGNORED:
            return _not(replies.ignored(finding_id))
        return _not(replies.already(finding_id, before.status, before.by, before.at))
    by, at = ctx.event.sender.login, wanted.at or 0
    for plan, each in free:
        decision = Decision(each.id, each.type, each.subject, plan, status, by, reason, ctx.number, at)
        await ctx.store.decide(ctx.repo.id, decision)
        made.add(decision)
    log.info("command.decided", run=ctx.run_id, finding=finding_id, status=status.value, by=by)
    finding = (ours or [each for _, each in free])[0]
    if status is Status.DISPUTED:
        return {"done": True, "text": replies.disputed(place, finding, reason, by)}
    left = sum(1 for plan, each in all_of_them if each.gating and _status(made, plan, each) in COUNTS)
    return {"done": True, "text": replies.dismissed(place, finding, reason, by, left)}


def _not(text: str) -> Json:
    return {"done": False, "text": text}


def _may_become(wanted: Status, now: Status) -> bool:
    return now in COUNTS if wanted is Status.DISMISSED else now is Status.OPEN


def _findings(reports: Iterable[VerifyReport]) -> Iterable[tuple[str, Finding]]:
    """Each finding with the path of its plan, of which it may be in another document."""
    return ((report.plan.path, finding) for report in reports for finding in report.findings)


def _status(made: settled.Decisions, plan: str, finding: Finding) -> Status:
    known = made.of(plan, finding)
    return known.status if known is not None else finding.status


def _moment(ctx: Context) -> int:
    """When it was decided, in milliseconds since 1970: when it was written, so that a step which runs again knows its
    own decision."""
    try:
        written = datetime.fromisoformat(ctx.event.updated_at or "")
    except ValueError:
        return int(time.time() * 1000)
    return int(written.timestamp() * 1000)
