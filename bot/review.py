"""Judging one pull request: resolve → judge → publish, each a durable step.

The event only says "look at number n": the head, the base and the configuration are read anew here. What goes wrong on
the way becomes a check that says `action_required` and what to do, never silence and never green.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, cast

from bot import logs, repo_config
from bot.core.verify.outcomes import combine
from bot.dispatch import Context
from bot.engine_process import EngineError
from bot.events import Json
from bot.fetch import fetch
from bot.github import texts
from bot.github.closing import closing_issues
from bot.github.errors import NotFound, PermissionMissing
from bot.github.findings import Place
from bot.github.models import Pull
from bot.github.publication import Publication
from bot.github.publish import cancel, publish
from bot.mirror import FetchError
from schemas.engine import PlanCheckRequest, Request
from schemas.plan_check_result import PlanCheckResult, ReuseVerdict
from schemas.repo_config import RepoConfig
from schemas.verify_report import PlanInfo, Verdict, VerifyReport

log = logs.named("review")

MAX_PLANS = 20
"""Plans judged in one pull request; each one beyond is named as not judged."""
MAX_DEPTH = 2_000
"""Commits of a pull request that are fetched."""
TRIAGE = frozenset({"triage", "write", "maintain", "admin"})
"""Roles of people whose pull request may put evidence on the issues it names."""

UNRELATED = (
    "GitHub finds no commit that the head and the base branch have in common, so what the pull request changes cannot"
    " be told; rebase it onto its base branch"
)

Facts = dict[str, Any]


class Unrelated(Exception):  # noqa: N818
    """A pull request whose head shares no history with its base."""


async def pull_request(ctx: Context, *, rerun: bool = False) -> None:
    """Judge the event's pull request and publish the outcome. With `rerun` the check is written also when nothing
    changed, because GitHub waits for it."""
    facts = await _step(ctx, "resolve", _resolve)
    if facts["state"] != "open":
        log.info("review.ended", run=ctx.run_id, number=ctx.event.number, state=facts["state"])
        return
    try:
        if facts["merge_base"] is None:
            raise Unrelated(UNRELATED)
        judged = await _step(ctx, "judge", lambda c: _judge(c, facts))
    except (FetchError, PermissionMissing, Unrelated) as error:
        # what people can mend is said to them; the log has the details under the same run
        reason = str(error)
        log.warning("review.unjudged", run=ctx.run_id, reason=reason, detail=getattr(error, "detail", ""))
        await ctx.step("publish", lambda: _publish_failure(ctx, facts, reason, rerun=rerun))
        return
    await ctx.step("publish", lambda: _publish(ctx, facts, judged, rerun=rerun))


async def gave_up(ctx: Context, reason: str) -> None:
    """The run failed for good: say so on the pull request, so that nobody waits for an answer."""
    facts = await _step(ctx, "look", _look)
    if facts["state"] == "open":
        await ctx.step("publish", lambda: _publish_failure(ctx, facts, reason, rerun=True))


# ---- resolve: what the pull request is now ------------------------------------------------------
async def _open_pull(ctx: Context) -> Pull | Facts:
    """The pull request, or why there is nothing to judge. A closed one takes its running check with it."""
    try:
        pull = await ctx.github.get_pull(ctx.number)
    except NotFound:
        return {"state": "gone"}
    if pull.open:
        return pull
    await cancel(ctx.github, ctx.key, pull.head.sha, closed=True)
    return {"state": "closed"}


async def _look(ctx: Context) -> Facts:
    """The least that an answer needs."""
    pull = await _open_pull(ctx)
    return {"state": "open", "head": pull.head.sha} if isinstance(pull, Pull) else pull


async def _resolve(ctx: Context) -> Facts:
    pull = await _open_pull(ctx)
    if not isinstance(pull, Pull):
        return pull
    gh = ctx.github
    config, problems = await repo_config.current(ctx)
    try:
        merge_base = await gh.compare(pull.base.sha, pull.head.sha)
    except NotFound:
        merge_base = None
    return {
        "state": "open",
        "head": pull.head.sha,
        "merge_base": merge_base,
        "commits": min(pull.commits or MAX_DEPTH, MAX_DEPTH),
        "author": pull.user.login if pull.user is not None else None,
        "closes": list(closing_issues(pull.body, gh.repository, gh.app.web, own=pull.number)),
        "config": config.model_dump(mode="json"),
        "config_problems": problems,
    }


# ---- judge: mirror and engines ------------------------------------------------------------------
async def _judge(ctx: Context, facts: Facts) -> Facts:
    """Fetch, find the plans, judge each; the reports are stored here, and published only from the store."""
    repo, number, head = ctx.repo, ctx.number, facts["head"]
    config = RepoConfig.model_validate(facts["config"], strict=False)
    mirror = await fetch(
        ctx,
        shas=(head, facts["merge_base"]),
        refs=(f"refs/pull/{number}/head",),
        depth=facts["commits"] + 1,
    )
    where = {"repo": str(mirror), "rev": head, "changed_since": facts["merge_base"]}
    plans = await ctx.engines.run("find_plans", where | {"patterns": config.plans})
    reports = [await _report(ctx, str(mirror), plan, facts) for plan in plans[:MAX_PLANS]]
    too_many = f"more than {MAX_PLANS} plans in one pull request; split it, or judge this one with `planproof verify`"
    reports += [_unjudged(plan, too_many) for plan in plans[MAX_PLANS:]]
    for report in reports:
        await ctx.store.save_report(repo.id, head, number, report)
    edited = sorted({f.edit.path for report in reports for f in report.gating if f.edit is not None})
    return {
        "plans": [report.plan.path for report in reports],
        "reuse": await _reuse(ctx, str(mirror), plans[:MAX_PLANS], facts, config),
        "sources": await ctx.engines.run("read", {"repo": str(mirror), "rev": head, "paths": edited}) if edited else {},
    }


async def _report(ctx: Context, mirror: str, plan: str, facts: Facts) -> VerifyReport:
    request = Request(repo=mirror, plan=plan, plan_rev=facts["head"], base_rev=facts["merge_base"])
    started = time.monotonic()
    try:
        answer = await ctx.engines.run("judge", request.model_dump(mode="json"))
    except EngineError as error:
        log.warning("engine.failed", run=ctx.run_id, plan=plan, reason=error.reason, detail=error.detail)
        return _unjudged(plan, error.reason)
    seconds = round(time.monotonic() - started, 3)
    return VerifyReport.model_validate(answer).model_copy(update={"seconds": seconds})


async def _reuse(ctx: Context, mirror: str, plans: Sequence[str], facts: Facts, config: RepoConfig) -> Json:
    """The strongest answer to "do we have this already?"; only reuse and extend are worth a word here."""
    best: PlanCheckResult | None = None
    for plan in plans:
        request = PlanCheckRequest(
            repo=mirror,
            rev=facts["merge_base"],
            index=config.index,
            plan=plan,
            plan_rev=facts["head"],
            consumer_repo=ctx.repo.name,
            today=datetime.now(UTC).date(),
        )
        try:
            answer = await ctx.engines.run("plan_check", request.model_dump(mode="json"))
        except EngineError as error:
            # advice only: its absence must not keep the verdict back
            log.warning("plan_check.failed", run=ctx.run_id, plan=plan, reason=error.reason, detail=error.detail)
            continue
        found = PlanCheckResult.model_validate(answer)
        if found.verdict is not ReuseVerdict.NEW and (best is None or found.top_score > best.top_score):
            best = found
    return best.model_dump(mode="json") if best is not None else None


# ---- publish ------------------------------------------------------------------------------------
async def _publish(ctx: Context, facts: Facts, judged: Facts, *, rerun: bool) -> Json:
    repo, number, head = ctx.repo, ctx.number, facts["head"]
    stored = await ctx.store.reports(repo.id, head)
    lost = "its stored report cannot be read any more"
    reports = [stored.get(plan) or _unjudged(plan, lost) for plan in judged["plans"]]
    earlier_head, earlier = await ctx.store.earlier_reports(repo.id, number, head) or (None, ())
    verdict = combine(report.verdict for report in reports)
    publication = texts.pull_request(
        ctx.key,
        _place(ctx, head),
        reports,
        plan_check=PlanCheckResult.model_validate(judged["reuse"]) if judged["reuse"] else None,
        issues=await _evidence_issues(ctx, facts, verdict, earlier),
        introduce=await _introduce(ctx, verdict),
        earlier=earlier,
        earlier_head=earlier_head,
        sources=judged["sources"],
        config_problems=facts["config_problems"],
        beside=await _beside(ctx, head, judged["plans"]),
    )
    return await _send(ctx, publication, verdict, rerun=rerun)


async def _beside(ctx: Context, head: str, plans: Sequence[str]) -> list[VerifyReport]:
    """The reports on plans of this head that only other pull requests show, as long as these are open with it."""
    found: dict[str, VerifyReport] = {}
    for number in await ctx.store.numbers_for_head(ctx.repo.id, head):
        if number == ctx.number:
            continue
        try:
            other = await ctx.github.get_pull(number)
        except NotFound:
            continue
        if other.open and other.head.sha == head:
            found |= await ctx.store.reports(ctx.repo.id, head, number=number)
    return [report for plan, report in sorted(found.items()) if plan not in plans]


async def _publish_failure(ctx: Context, facts: Facts, reason: str, *, rerun: bool) -> Json:
    introduce = await _introduce(ctx, Verdict.NOT_VERIFIED)
    publication = texts.could_not_judge(ctx.key, _place(ctx, facts["head"]), reason, introduce=introduce)
    return await _send(ctx, publication, Verdict.NOT_VERIFIED, rerun=rerun)


async def _send(ctx: Context, publication: Publication, verdict: Verdict, *, rerun: bool) -> Json:
    conclusion = publication.check.conclusion if publication.check is not None else None
    await ctx.store.run_judged(ctx.run_id, head=publication.head_sha, verdict=verdict.value, conclusion=conclusion)
    if ctx.settings.mode == "shadow":
        log.info("publish.shadowed", run=ctx.run_id, verdict=verdict.value)
        return {"status": "shadowed"}
    try:
        published = await publish(ctx.github, publication, rewrite_check=rerun)
    except PermissionMissing as missing:
        # the comment says so beside the verdict; the report on a failed run would take the verdict's place
        log.error("publish.unchecked", run=ctx.run_id, permission=missing.permission)
        return {"status": "unchecked"}
    for problem in published.problems:
        log.warning("publish.problem", run=ctx.run_id, reason=problem)
    log.info("publish.done", run=ctx.run_id, verdict=verdict.value, status=published.status, writes=published.writes)
    return published.to_json()


async def _evidence_issues(
    ctx: Context, facts: Facts, verdict: Verdict, earlier: Sequence[VerifyReport]
) -> tuple[int, ...]:
    """The issues that may hold evidence: those the pull request closes, when its author may do more than read.

    Without an open finding, now or before, there is nothing on them to write or to settle, and nobody is asked.
    """
    closes = tuple(facts["closes"])
    if not closes or (verdict is not Verdict.NEEDS_FIX and not any(report.gating for report in earlier)):
        return ()
    person = await ctx.github.permission(facts["author"]) if facts["author"] else None
    return closes if person is not None and {person.permission, person.role_name} & TRIAGE else ()


async def _introduce(ctx: Context, verdict: Verdict) -> bool:
    """Whether this run writes the first comment in the repository."""
    if verdict not in (Verdict.NEEDS_FIX, Verdict.NOT_VERIFIED, Verdict.RETROACTIVE):
        return False
    return await ctx.store.claim_first_comment(ctx.repo.id, ctx.installation_id, ctx.run_id)


# ---- small things -------------------------------------------------------------------------------
async def _step(ctx: Context, name: str, work: Any) -> Facts:
    return cast(Facts, await ctx.step(name, lambda: work(ctx)))


def _place(ctx: Context, head: str) -> Place:
    return Place(web=ctx.github.web, head=head, run=ctx.run_id, number=ctx.number)


def _unjudged(plan: str, reason: str) -> VerifyReport:
    return VerifyReport(
        plan=PlanInfo(path=plan, format="unknown", files=(plan,)), verdict=Verdict.NOT_VERIFIED, reason=reason
    )
