"""Dismissing and disputing a finding: a decision is stored with who and why, and counts from the next judging on."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from bot import logs
from bot.dispatch import Context
from bot.events import Json
from bot.github.findings import Place
from bot.github.texts import replies
from bot.repo_config import current
from bot.store import Decision
from schemas.verify_report import Finding, Status, VerifyReport

log = logs.named("command")

COUNTS = (Status.OPEN, Status.DISPUTED)


@dataclass(frozen=True)
class _Settled:
    """What was decided on a finding, and where known by whom and when."""

    status: Status
    by: str | None = None
    at: int | None = None


_IGNORED = _Settled(Status.DISMISSED)
"""By the configuration, which says neither who nor when."""


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
    settled = await _settled(ctx, reports)
    named = [each for each in _findings(reports) if each.id == finding_id]
    if not named:
        open_ones = [each for each in _findings(reports) if _status(settled, each) in COUNTS]
        return _not(replies.no_such_finding(finding_id, open_ones, place))
    assert ctx.event.sender is not None  # noqa: S101 - who it is was looked at
    by, at = ctx.event.sender.login, _moment(ctx)
    ours = [each for each in named if settled.get(_key(each)) == _Settled(status, by, at)]
    free = [each for each in named if _may_become(status, _status(settled, each))]
    if not ours and not free:
        before = settled.get(_key(named[0]), _Settled(named[0].status))
        if before == _IGNORED:
            return _not(replies.ignored(finding_id))
        return _not(replies.already(finding_id, before.status, before.by, before.at))
    for each in free:
        await ctx.store.decide(ctx.repo.id, Decision(each.id, each.plan_path, status, by, reason, ctx.number, at))
        settled[_key(each)] = _Settled(status, by, at)
    log.info("command.decided", run=ctx.run_id, finding=finding_id, status=status.value, by=by)
    finding = (ours or free)[0]
    if status is Status.DISPUTED:
        return {"done": True, "text": replies.disputed(place, finding, reason, by)}
    left = sum(1 for each in _findings(reports) if each.gating and _status(settled, each) in COUNTS)
    return {"done": True, "text": replies.dismissed(place, finding, reason, by, left)}


def _not(text: str) -> Json:
    return {"done": False, "text": text}


def _may_become(wanted: Status, now: Status) -> bool:
    return now in COUNTS if wanted is Status.DISMISSED else now is Status.OPEN


def _findings(reports: Iterable[VerifyReport]) -> list[Finding]:
    return [finding for report in reports for finding in report.findings]


def _key(finding: Finding) -> tuple[str, str]:
    # two plans of a pull request may hold the same line
    return finding.plan_path, finding.id


def _status(settled: Mapping[tuple[str, str], _Settled], finding: Finding) -> Status:
    known = settled.get(_key(finding))
    return known.status if known is not None else finding.status


async def _settled(ctx: Context, reports: list[VerifyReport]) -> dict[tuple[str, str], _Settled]:
    found = {
        (each.plan_path, each.finding_id): _Settled(each.status, each.by, each.at)
        for each in await ctx.store.decisions(ctx.repo.id, [report.plan.path for report in reports])
    }
    ignored = set((await current(ctx)).config.ignore)
    return found | {_key(each): _IGNORED for each in _findings(reports) if each.id in ignored}


def _moment(ctx: Context) -> int:
    """When it was decided, in milliseconds since 1970: when it was written, so that a step which runs again knows its
    own decision."""
    try:
        written = datetime.fromisoformat(ctx.event.updated_at or "")
    except ValueError:
        return int(time.time() * 1000)
    return int(written.timestamp() * 1000)
