"""What was found, said on GitHub: only from stored reports, and only of the head that they judged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bot import logs, repo_config
from bot.commands import Role, role
from bot.core.verify.outcomes import combine
from bot.dispatch import Context
from bot.events import Json
from bot.github import texts
from bot.github.errors import NotFound, PermissionMissing
from bot.github.findings import Place
from bot.github.publication import CHECK_NAME, Publication
from bot.github.publish import publish
from bot.review import open_checks, settled
from bot.review.facts import Facts, config
from bot.store import PUSHED
from schemas.plan_check_result import PlanCheckResult
from schemas.verify_report import Status, Verdict, VerifyReport

log = logs.named("review")

LOST = "its stored report cannot be read any more"
SHA = re.compile(r"[0-9a-f]{40,64}")


async def verdict(ctx: Context, facts: Facts, judged: Facts, *, rerun: bool) -> Json:
    """Publish the verdict on a pull request."""
    repo, number, head = ctx.repo, ctx.number, facts["head"]
    reports = await _stored(ctx, number, head, judged["plans"])
    beside = await _beside(ctx, head, judged["plans"])
    found = combine(report.verdict for report in reports)
    earlier_head, earlier = await ctx.store.earlier_reports(repo.id, number, head) or (None, ())
    if found is Verdict.NOT_A_PLAN and not earlier:
        # another base or configuration, and plans that were judged at this very head are none any more
        stored = await ctx.store.reports(repo.id, number, head)
        earlier_head, earlier = head, tuple(each for plan, each in stored.items() if plan not in judged["plans"])
    issues = await _evidence_issues(ctx, facts, found)
    holds = config(facts)
    publication = texts.pull_request(
        ctx.key,
        await place(ctx, facts, [*reports, *beside]),
        reports,
        plan_check=PlanCheckResult.model_validate(judged["reuse"]) if judged["reuse"] else None,
        issues=issues,
        introduce=await ctx.store.introduces(repo.id, number),
        earlier=earlier,
        earlier_head=earlier_head,
        sources=judged["sources"],
        config_problems=facts["config_problems"],
        config_errors=_pairs(judged["config_errors"]),
        config_notes=_pairs(judged["config_notes"]) or (),
        beside=beside,
        skips=holds.check == "always",
        draft=holds.draft,
    )
    if found is Verdict.NEEDS_FIX and not facts["shadow"]:
        # before it is posted: what may stand there has to be settled one day
        await ctx.store.note_evidence(repo.id, number, issues)
    return await _send(ctx, facts, publication, found, rerun=rerun)


async def failure(ctx: Context, facts: Facts, reason: str, *, rerun: bool) -> Json:
    """Say that a pull request could not be judged, and why."""
    introduce = await ctx.store.introduces(ctx.repo.id, ctx.number)
    publication = texts.could_not_judge(ctx.key, await place(ctx, facts, ()), reason, introduce=introduce)
    return await _send(ctx, facts, publication, Verdict.NOT_VERIFIED, rerun=rerun, reason=reason)


async def commit(ctx: Context, facts: Facts, judged: Facts, *, rerun: bool) -> Json:
    """Publish the verdict on a pushed commit."""
    reports = await _stored(ctx, PUSHED, facts["head"], judged["plans"])
    found = combine(report.verdict for report in reports)
    publication = texts.commit(
        push_key(ctx, facts["merge_base"]),
        await place(ctx, facts, reports),
        reports,
        config_problems=facts["config_problems"],
        config_errors=_pairs(judged["config_errors"]),
        config_notes=_pairs(judged["config_notes"]) or (),
    )
    return await _send(ctx, facts, publication, found, rerun=rerun)


async def commit_failure(ctx: Context, after: str, before: str, reason: str) -> Json:
    """Say that a pushed commit could not be judged, and why."""
    holds = await repo_config.known(ctx)
    facts: Facts = {"head": after, "shadow": holds.silent or holds.off, "config": {}}
    publication = texts.commit_unjudged(push_key(ctx, before), await place(ctx, facts, ()), reason)
    return await _send(ctx, facts, publication, Verdict.NOT_VERIFIED, rerun=True)


def push_key(ctx: Context, before: str) -> str:
    """Names a push where a pull request has its number; a Re-run reads from it what was there before."""
    return f"{ctx.repo.id}/push/{before}"


async def before_push(ctx: Context, after: str) -> Json:
    """What `push_key` holds, read from our check run on the commit; None where there is none of that kind."""
    prefix = push_key(ctx, "")
    for run in await ctx.github.list_check_runs(after, name=CHECK_NAME, app_id=ctx.github.app.id):
        before = (run.external_id or "").removeprefix(prefix)
        if (run.external_id or "").startswith(prefix) and SHA.fullmatch(before):
            return before
    return None


async def place(ctx: Context, facts: Facts, reports: Sequence[VerifyReport]) -> Place:
    """Where these reports are shown, and what holds there."""
    holds = config(facts)
    open_types = [finding.type for report in reports for finding in report.gating]
    return Place(
        web=ctx.github.web,
        head=facts["head"],
        run=ctx.run_id,
        number=ctx.event.number,
        label=holds.label,
        gates=not open_types or holds.gates(open_types),
        decided=await _decided(ctx, facts, reports),
    )


async def _decided(ctx: Context, facts: Facts, reports: Sequence[VerifyReport]) -> Mapping[tuple[str, str], str]:
    closed = [(report, f) for report in reports for f in report.findings if f.status is not Status.OPEN]
    if not closed:
        return {}
    made = await settled.decisions(ctx, [report.plan.path for report in reports], config(facts).ignore)
    return {
        (f.plan_path, f.id): decision.why
        for report, f in closed
        if (decision := made.of(report.plan.path, f)) is not None
    }


async def _stored(ctx: Context, number: int, head: str, plans: Sequence[str]) -> list[VerifyReport]:
    stored = await ctx.store.reports(ctx.repo.id, number, head)
    return [stored.get(plan) or VerifyReport.unjudged(plan, LOST) for plan in plans]


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


async def _send(
    ctx: Context,
    facts: Facts,
    publication: Publication,
    found: Verdict,
    *,
    rerun: bool,
    reason: str | None = None,
) -> Json:
    conclusion = publication.check.conclusion if publication.check is not None else None
    told: dict[str, Json] = {"verdict": found.value, "conclusion": conclusion}
    await ctx.store.run_judged(
        ctx.run_id, head=publication.head_sha, verdict=found.value, conclusion=conclusion, reason=reason
    )
    if facts["shadow"]:
        log.info("publish.shadowed", run=ctx.run_id, verdict=found.value)
        return told | {"status": "shadowed"}
    number, head = publication.number or PUSHED, facts["head"]
    long = publication.check is not None and publication.check.in_parts
    if long:
        await open_checks.opened(ctx, head)
    try:
        published = await publish(ctx.github, publication, rewrite_check=rerun)
    except PermissionMissing as missing:
        # the comment says so beside the verdict; the report on a failed run would take the verdict's place
        log.error("publish.unchecked", run=ctx.run_id, permission=missing.permission)
        if long:
            await open_checks.unwritten(ctx, head)
        return told | {"status": "unchecked"}
    if publication.check is not None:
        await open_checks.written(ctx, head, confirmed=published.confirmed)
    if published.comment_id is not None:
        await ctx.store.introduced(ctx.repo.id, ctx.installation_id, number)
    for problem in published.problems:
        log.warning("publish.problem", run=ctx.run_id, reason=problem)
    log.info("publish.done", run=ctx.run_id, verdict=found.value, status=published.status, writes=published.writes)
    return published.to_json() | told


async def _evidence_issues(ctx: Context, facts: Facts, found: Verdict) -> tuple[int, ...]:
    """The issues that hold evidence, and with a finding open those that the pull request closes, when its author may do
    more than read, as in commands; nobody is asked otherwise."""
    held = await ctx.store.evidence(ctx.repo.id, ctx.number)
    new = tuple(issue for issue in facts["closes"] if issue not in held)
    if found is not Verdict.NEEDS_FIX or not new or not facts["author"]:
        return held
    person = await ctx.github.permission(facts["author"])
    return held + (new if role(person.permission, person.role_name) >= Role.TRIAGE else ())


def _pairs(found: Sequence[tuple[int, str]] | None) -> list[tuple[int, str]] | None:
    return None if found is None else [(int(line), str(message)) for line, message in found]
