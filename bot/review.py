"""Judging one pull request: resolve → fetch → find the plans → judge each → publish, each a durable step.

The event only says "look at number n": the head, the base and the configuration are read anew here. What goes wrong on
the way becomes a check that says `action_required` and what to do, never silence and never green.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
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
from schemas.verify_report import Verdict, VerifyReport

log = logs.named("review")

MAX_PLANS = 20
"""Plans judged in one pull request; each one beyond is named as not judged."""
TOO_MANY = f"more than {MAX_PLANS} plans in one pull request; split it, or judge this one with `planproof verify`"
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
        judged = await _judge(ctx, facts)
    except (FetchError, PermissionMissing, Unrelated) as error:
        # what people can mend is said to them; the log has the details under the same run
        reason = str(error)
        log.warning("review.unjudged", run=ctx.run_id, reason=reason, detail=getattr(error, "detail", ""))
        await ctx.step("publish", lambda: _publish_failure(ctx, facts, reason, rerun=rerun))
        return
    await ctx.step("publish", lambda: _publish(ctx, facts, judged, rerun=rerun))


async def gave_up(ctx: Context, reason: str) -> None:
    """The run failed for good: say so on the pull request, so that nobody waits for an answer."""
    if await ctx.store.overtaken(ctx.run_id):
        log.info("review.overtaken", run=ctx.run_id)
        return
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
    if not _in_shadow(ctx):
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
    """The plans with their reports stored, and what goes into the comment beside them. Raises FetchError, Unrelated,
    and what making a token raises."""
    if facts["merge_base"] is None:
        raise Unrelated(UNRELATED)
    mirror = cast(str, await ctx.step("fetch", lambda: _fetch(ctx, facts)))
    plans = cast("list[str]", await ctx.step("find-plans", lambda: _find(ctx, mirror, facts)))
    edited: set[str] = set()
    for count, plan in enumerate(plans, 1):
        edited |= set(
            cast("list[str]", await ctx.step(f"judge-{count}", partial(_report, ctx, mirror, plan, facts, count)))
        )
    return {
        "plans": plans,
        "reuse": await ctx.step("plan-check", lambda: _reuse(ctx, mirror, plans[:MAX_PLANS], facts)),
        "sources": await ctx.step("read", lambda: _sources(ctx, mirror, sorted(edited), facts)) if edited else {},
    }


async def _fetch(ctx: Context, facts: Facts) -> Json:
    ref = f"refs/pull/{ctx.number}/head"
    depth = facts["commits"] + 1
    return str(await fetch(ctx, shas=(facts["head"], facts["merge_base"]), refs=(ref,), depth=depth))


async def _find(ctx: Context, mirror: str, facts: Facts) -> Json:
    where = {"repo": mirror, "rev": facts["head"], "changed_since": facts["merge_base"]}
    return cast(Json, await ctx.engines.run("find_plans", where | {"patterns": facts["config"]["plans"]}))


async def _sources(ctx: Context, mirror: str, paths: Sequence[str], facts: Facts) -> Json:
    return cast(Json, await ctx.engines.run("read", {"repo": mirror, "rev": facts["head"], "paths": paths}))


async def _report(ctx: Context, mirror: str, plan: str, facts: Facts, count: int) -> Json:
    """Judge one plan and store its report, from which alone anything is published. The documents that it would edit."""
    report = await _verify(ctx, mirror, plan, facts) if count <= MAX_PLANS else VerifyReport.unjudged(plan, TOO_MANY)
    await ctx.store.save_report(ctx.repo.id, ctx.number, facts["head"], report)
    return [*sorted({finding.edit.path for finding in report.gating if finding.edit is not None})]


async def _verify(ctx: Context, mirror: str, plan: str, facts: Facts) -> VerifyReport:
    request = Request(repo=mirror, plan=plan, plan_rev=facts["head"], base_rev=facts["merge_base"])
    started = time.monotonic()
    try:
        answer = await ctx.engines.run("judge", request.model_dump(mode="json"))
    except EngineError as error:
        log.warning("engine.failed", run=ctx.run_id, plan=plan, reason=error.reason, detail=error.detail)
        return VerifyReport.unjudged(plan, error.reason)
    seconds = round(time.monotonic() - started, 3)
    return VerifyReport.model_validate(answer).model_copy(update={"seconds": seconds})


async def _reuse(ctx: Context, mirror: str, plans: Sequence[str], facts: Facts) -> Json:
    """The strongest answer to "do we have this already?"; only reuse and extend are worth a word here."""
    best: PlanCheckResult | None = None
    for plan in plans:
        request = PlanCheckRequest(
            repo=mirror,
            rev=facts["merge_base"],
            index=facts["config"]["index"],
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
    stored = await ctx.store.reports(repo.id, number, head)
    lost = "its stored report cannot be read any more"
    reports = [stored.get(plan) or VerifyReport.unjudged(plan, lost) for plan in judged["plans"]]
    earlier_head, earlier = await ctx.store.earlier_reports(repo.id, number, head) or (None, ())
    verdict = combine(report.verdict for report in reports)
    issues = await _evidence_issues(ctx, facts, verdict)
    publication = texts.pull_request(
        ctx.key,
        _place(ctx, head),
        reports,
        plan_check=PlanCheckResult.model_validate(judged["reuse"]) if judged["reuse"] else None,
        issues=issues,
        introduce=await ctx.store.introduces(repo.id, number),
        earlier=earlier,
        earlier_head=earlier_head,
        sources=judged["sources"],
        config_problems=facts["config_problems"],
        beside=await _beside(ctx, head, judged["plans"]),
    )
    if verdict is Verdict.NEEDS_FIX and not _in_shadow(ctx):
        # before it is posted: what may stand there has to be settled one day
        await ctx.store.note_evidence(repo.id, number, issues)
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
            found |= await ctx.store.reports(ctx.repo.id, number, head)
    return [report for plan, report in sorted(found.items()) if plan not in plans]


async def _publish_failure(ctx: Context, facts: Facts, reason: str, *, rerun: bool) -> Json:
    introduce = await ctx.store.introduces(ctx.repo.id, ctx.number)
    publication = texts.could_not_judge(ctx.key, _place(ctx, facts["head"]), reason, introduce=introduce)
    return await _send(ctx, publication, Verdict.NOT_VERIFIED, rerun=rerun)


async def _send(ctx: Context, publication: Publication, verdict: Verdict, *, rerun: bool) -> Json:
    conclusion = publication.check.conclusion if publication.check is not None else None
    await ctx.store.run_judged(ctx.run_id, head=publication.head_sha, verdict=verdict.value, conclusion=conclusion)
    if _in_shadow(ctx):
        log.info("publish.shadowed", run=ctx.run_id, verdict=verdict.value)
        return {"status": "shadowed"}
    try:
        published = await publish(ctx.github, publication, rewrite_check=rerun)
    except PermissionMissing as missing:
        # the comment says so beside the verdict; the report on a failed run would take the verdict's place
        log.error("publish.unchecked", run=ctx.run_id, permission=missing.permission)
        return {"status": "unchecked"}
    if published.created:
        await ctx.store.introduced(ctx.repo.id, ctx.installation_id, ctx.number)
    for problem in published.problems:
        log.warning("publish.problem", run=ctx.run_id, reason=problem)
    log.info("publish.done", run=ctx.run_id, verdict=verdict.value, status=published.status, writes=published.writes)
    return published.to_json()


async def _evidence_issues(ctx: Context, facts: Facts, verdict: Verdict) -> tuple[int, ...]:
    """The issues that hold evidence, and with a finding open those that the pull request closes, when its author may do
    more than read; nobody is asked otherwise."""
    held = await ctx.store.evidence(ctx.repo.id, ctx.number)
    new = tuple(issue for issue in facts["closes"] if issue not in held)
    if verdict is not Verdict.NEEDS_FIX or not new or not facts["author"]:
        return held
    person = await ctx.github.permission(facts["author"])
    return held + (new if {person.permission, person.role_name} & TRIAGE else ())


# ---- small things -------------------------------------------------------------------------------
async def _step(ctx: Context, name: str, work: Any) -> Facts:
    return cast(Facts, await ctx.step(name, lambda: work(ctx)))


def _in_shadow(ctx: Context) -> bool:
    """Whether everything is judged and nothing is posted."""
    return ctx.settings.mode == "shadow"


def _place(ctx: Context, head: str) -> Place:
    return Place(web=ctx.github.web, head=head, run=ctx.run_id, number=ctx.number)
