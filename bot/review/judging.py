"""The plans of a commit, judged by the engine processes; each report is stored before anything is said of it."""

from __future__ import annotations

import time
from base64 import b64decode
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import cast

from bot import logs, repo_config
from bot.dispatch import Context
from bot.engine_process import EngineError
from bot.events import Json
from bot.fetch import fetch
from bot.review import settled
from bot.review.facts import Facts, config
from bot.store import PUSHED
from schemas.engine import PlanCheckRequest, Request
from schemas.plan_check_result import PlanCheckResult, ReuseVerdict
from schemas.repo_config import CONFIG_PATH
from schemas.verify_report import VerifyReport

log = logs.named("review")

MAX_PLANS = 20
"""Plans judged in one pull request; each one beyond is named as not judged."""
TOO_MANY = f"more than {MAX_PLANS} plans in one pull request; split it, or judge this one with `planproof verify`"
UNRELATED = (
    "GitHub finds no commit that the head and the base branch have in common, so what the pull request changes cannot"
    " be told; rebase it onto its base branch"
)


class Unrelated(Exception):  # noqa: N818
    """A pull request whose head shares no history with its base, as far as the App may look."""


async def plans(ctx: Context, facts: Facts) -> Facts:
    """The plans with their reports stored, and what is said beside them. Raises FetchError, Unrelated, and what making
    a token raises."""
    if facts["merge_base"] is None:
        raise Unrelated(facts["refused"] or UNRELATED)
    mirror = cast(str, await ctx.step("fetch", lambda: _fetch(ctx, facts)))
    found = cast("list[str]", await ctx.step("find-plans", lambda: _find(ctx, mirror, facts)))
    edited: set[str] = set()
    for count, plan in enumerate(found, 1):
        edited |= set(
            cast("list[str]", await ctx.step(f"judge-{count}", partial(_report, ctx, mirror, plan, facts, count)))
        )
    pushed = bool(facts.get("pushed"))
    brought = cast("dict[str, Json] | None", await ctx.step("config", lambda: _config(ctx, mirror, facts)))
    return {
        "plans": found,
        "reuse": None
        if pushed
        else await ctx.step("plan-check", lambda: _reuse(ctx, mirror, found[:MAX_PLANS], facts)),
        "sources": await ctx.step("read", lambda: _sources(ctx, mirror, sorted(edited), facts)) if edited else {},
        "config_errors": None if brought is None else brought["errors"],
        "config_notes": [] if brought is None else brought["notes"],
    }


async def located(ctx: Context, facts: Facts) -> tuple[str, list[str]]:
    """The mirror, and the plans that the pull request holds, within the step of the caller."""
    mirror = cast(str, await _fetch(ctx, facts))
    return mirror, cast("list[str]", await _find(ctx, mirror, facts))


async def _fetch(ctx: Context, facts: Facts) -> Json:
    shas = (facts["head"], facts["merge_base"])
    return str(await fetch(ctx, shas=shas, refs=tuple(facts["refs"]), depth=facts["depth"]))


async def _find(ctx: Context, mirror: str, facts: Facts) -> Json:
    where = {"repo": mirror, "rev": facts["head"], "changed_since": facts["merge_base"]}
    # work on the default branch ticks the boxes of its plan with nearly every push
    more = {"patterns": config(facts).plans, "but_for_marks": bool(facts.get("pushed"))}
    return cast(Json, await ctx.engines.run("find_plans", where | more))


async def _sources(ctx: Context, mirror: str, paths: Sequence[str], facts: Facts) -> Json:
    return cast(Json, await ctx.engines.run("read", {"repo": mirror, "rev": facts["head"], "paths": list(paths)}))


async def _config(ctx: Context, mirror: str, facts: Facts) -> Json:
    """(line, message) of each error and note on a configuration file that the change brings, None where it brings
    none; one that was there before it is not its author's."""
    files = []
    for rev in (facts["merge_base"], facts["head"]):
        read = await ctx.engines.run("read", {"repo": mirror, "rev": rev, "paths": [CONFIG_PATH], "raw": True})
        files.append(cast("dict[str, dict[str, str]]", read).get(CONFIG_PATH))
    before, after = files
    if after is None or before == after:
        return None
    found = (
        repo_config.unread(after["problem"]) if "problem" in after else repo_config.parse(b64decode(after["base64"]))
    )
    return {
        "errors": [[each.line, each.message] for each in found.errors],
        "notes": [[each.line, each.message] for each in found.notes],
    }


async def _report(ctx: Context, mirror: str, plan: str, facts: Facts, count: int) -> Json:
    """Judge one plan and store its report, from which alone anything is published. The documents that it would edit."""
    report = await _verify(ctx, mirror, plan, facts) if count <= MAX_PLANS else VerifyReport.unjudged(plan, TOO_MANY)
    number = PUSHED if facts.get("pushed") else ctx.number
    await ctx.store.save_report(ctx.repo.id, number, facts["head"], report)
    return [*sorted({finding.edit.path for finding in report.gating if finding.edit is not None})]


async def _verify(ctx: Context, mirror: str, plan: str, facts: Facts) -> VerifyReport:
    holds = config(facts)
    made = await settled.decisions(ctx, [plan], holds.ignore)
    statuses = made.statuses(plan)
    request = Request(
        repo=mirror,
        plan=plan,
        plan_rev=facts["head"],
        base_rev=facts["merge_base"],
        settled=statuses,
        severity=holds.severity,
    )
    started = time.monotonic()
    try:
        report = await _judge(ctx, request)
        if mistaken := made.mistaken(plan, report.findings):
            log.warning("review.same_id", run=ctx.run_id, plan=plan, findings=sorted(mistaken))
            left = {finding: status for finding, status in statuses.items() if finding not in mistaken}
            report = await _judge(ctx, request.model_copy(update={"settled": left}))
    except EngineError as error:
        log.warning("engine.failed", run=ctx.run_id, plan=plan, reason=error.reason, detail=error.detail)
        return VerifyReport.unjudged(plan, error.reason)
    seconds = round(time.monotonic() - started, 3)
    return report.model_copy(update={"seconds": seconds})


async def _judge(ctx: Context, request: Request) -> VerifyReport:
    return VerifyReport.model_validate(await ctx.engines.run("judge", request.model_dump(mode="json")))


async def _reuse(ctx: Context, mirror: str, plans: Sequence[str], facts: Facts) -> Json:
    """The strongest answer to "do we have this already?"; only reuse and extend are worth a word here. It is advice,
    whose absence keeps nothing back."""
    results = []
    for plan in plans:
        with suppress(EngineError):
            results.append(await ask(ctx, mirror, plan, facts))
    found = [result for result in results if result.verdict is not ReuseVerdict.NEW]
    best = max(found, key=lambda result: result.top_score, default=None)
    return best.model_dump(mode="json") if best is not None else None


async def ask(ctx: Context, mirror: str, plan: str, facts: Facts) -> PlanCheckResult:
    """Plan check of one plan. Raises EngineError."""
    request = PlanCheckRequest(
        repo=mirror,
        rev=facts["merge_base"],
        index=config(facts).index,
        plan=plan,
        plan_rev=facts["head"],
        consumer_repo=ctx.repo.name,
        today=datetime.now(UTC).date(),
    )
    try:
        return PlanCheckResult.model_validate(await ctx.engines.run("plan_check", request.model_dump(mode="json")))
    except EngineError as error:
        log.warning("plan_check.failed", run=ctx.run_id, plan=plan, reason=error.reason, detail=error.detail)
        raise
