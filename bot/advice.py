"""Plan check on GitHub: does the organisation have this capability already? Advice, in one comment or one answer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

from bot import logs
from bot.dispatch import Context
from bot.events import Json
from bot.fetch import fetch
from bot.github import texts
from bot.github.errors import NotFound, PermissionMissing, TokenRefused
from bot.github.findings import Place
from bot.github.publish import publish
from bot.mirror import FetchError
from bot.review import facts, judging
from schemas.engine import PlanCheckRequest
from schemas.plan_check_result import PlanCheckResult
from schemas.repo_config import RepoConfig

LABEL = "workplan"
log = logs.named("advice")


async def issue(ctx: Context, *, asked: bool = False) -> str:
    """Answer on the event's issue where it holds a plan, or where a person asked; take the answer back where it holds
    none any more. What came of it: answered, no plan, closed, gone or off."""
    found = cast("dict[str, Any]", await ctx.step("resolve", lambda: _resolve(ctx)))
    if found["state"] != "open":
        log.info("issue.ended", run=ctx.run_id, number=ctx.event.number, state=found["state"])
        return str(found["state"])
    holds = bool(await ctx.step("detect", lambda: _detect(ctx, found)))
    answer: Json = None
    if holds or asked:
        try:
            mirror, problem = await ctx.step("fetch", lambda: _fetch(ctx)), None
        except (FetchError, PermissionMissing) as error:
            # advice is given all the same, and says what it could not ask
            reason = error.reason if isinstance(error, FetchError) else str(error)
            log.warning("issue.unfetched", run=ctx.run_id, reason=reason, detail=getattr(error, "detail", ""))
            mirror, problem = None, f"the capability index could not be read: {reason}"
        answer = await ctx.step("ask", lambda: _ask(ctx, found, mirror, problem))
    # without a plan, too: an answer that stands there from before is taken back
    await ctx.step("publish", lambda: _publish(ctx, found, answer))
    return "answered" if answer is not None else "no plan"


async def failed(ctx: Context, reason: str) -> None:
    """The run failed for good: say so in the answer's place, where the issue holds a plan."""
    if await ctx.store.overtaken(ctx.run_id):
        return
    found = cast("dict[str, Any]", await ctx.step("look", lambda: _resolve(ctx)))
    if found["state"] == "open" and await ctx.step("detect", lambda: _detect(ctx, found)):
        await ctx.step("publish", lambda: _publish_failure(ctx, found, reason))


async def pull_request(ctx: Context) -> list[PlanCheckResult]:
    """Plan check of the plans that the event's pull request holds, for an answer to the person who asked. Raises
    FetchError, and what making a token raises."""
    found = cast(facts.Facts, await ctx.step("check-resolve", lambda: facts.pull_request(ctx)))
    if found["state"] != "open" or found["merge_base"] is None:
        return []
    answers = cast("list[Json]", await ctx.step("check", lambda: _of_plans(ctx, found)))
    return [PlanCheckResult.model_validate(answer) for answer in answers]


async def _of_plans(ctx: Context, found: facts.Facts) -> Json:
    mirror, plans = await judging.located(ctx, found)
    results = [await judging.ask(ctx, mirror, plan, found) for plan in plans[: judging.MAX_PLANS]]
    return [result.model_dump(mode="json") for result in results if result is not None]


async def _resolve(ctx: Context) -> Json:
    """The issue as it is now; a pull request is not answered here."""
    try:
        found = await ctx.github.get_issue(ctx.number)
        if found.number != ctx.number:
            # transferred: where it is now, it was opened anew
            return {"state": "gone"}
        if found.state != "open" or found.pull_request is not None:
            return {"state": "closed"}
        current = await facts.holding(ctx)
    except NotFound:
        return {"state": "gone"}
    except TokenRefused as refused:
        # suspended, uninstalled, or moved to where the App is not
        log.warning("issue.unreachable", run=ctx.run_id, reason=str(refused))
        return {"state": "gone"}
    config, mode = current.config.model_dump(mode="json", exclude_unset=True), current.config.mode
    if mode == "off":
        return {"state": "off"}
    return {
        "state": "open",
        "title": found.title,
        "body": found.body or "",
        "labelled": any(label.name.lower() == LABEL for label in found.labels),
        "config": config,
        "shadow": "shadow" in (ctx.settings.mode, mode),
    }


async def _detect(ctx: Context, found: dict[str, Any]) -> Json:
    """Whether the issue holds a plan, which is found out before anything is fetched."""
    return bool(found["labelled"] or await ctx.engines.run("holds_tasks", {"text": found["body"]}))


async def _fetch(ctx: Context) -> Json:
    return str(await fetch(ctx, refs=(_branch(ctx),), depth=1))


async def _ask(ctx: Context, found: dict[str, Any], mirror: Json, problem: str | None) -> Json:
    request = PlanCheckRequest(
        repo=cast("str | None", mirror),
        rev=_branch(ctx),
        problem=problem,
        index=RepoConfig.model_validate(found["config"]).index,
        text=found["body"],
        title=found["title"],
        consumer_repo=ctx.repo.name,
        today=datetime.now(UTC).date(),
    )
    return cast(Json, await ctx.engines.run("plan_check", request.model_dump(mode="json")))


def _branch(ctx: Context) -> str:
    return f"refs/heads/{ctx.repo.default_branch}"


async def _publish(ctx: Context, found: dict[str, Any], answer: Json) -> Json:
    if answer is None:
        publication = texts.issue_without_plan(ctx.key, _place(ctx))
    else:
        result = PlanCheckResult.model_validate(answer)
        introduce = await ctx.store.introduces(ctx.repo.id, ctx.number)
        publication = texts.issue(ctx.key, _place(ctx), result, introduce=introduce)
    if found["shadow"]:
        return {"status": "shadowed"}
    published = await publish(ctx.github, publication)
    if published.comment_id is not None:
        await ctx.store.introduced(ctx.repo.id, ctx.installation_id, ctx.number)
    return published.to_json()


async def _publish_failure(ctx: Context, found: dict[str, Any], reason: str) -> Json:
    if found["shadow"]:
        return {"status": "shadowed"}
    return (await publish(ctx.github, texts.issue_unanswered(ctx.key, _place(ctx), reason))).to_json()


def _place(ctx: Context) -> Place:
    return Place(web=ctx.github.web, head="", run=ctx.run_id, number=ctx.number)
