"""Plan check on GitHub: does the organisation have this capability already? Advice, in one comment or one answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from bot import logs, repo_config
from bot.dispatch import Context
from bot.engine_process import EngineError
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
TOO_MANY = f"only the first {judging.MAX_PLANS} of a pull request are"
log = logs.named("advice")


@dataclass(frozen=True)
class Advice:
    """What came of a plan check.

    `state`: open (it was looked at), closed, gone, archived or off. `results` are for the person who asked; what
    stands in an issue's own comment is not among them. `reason` says, for people, why there are none, or not all: a
    pull request without results and without a reason holds no plan.
    """

    state: str
    results: tuple[PlanCheckResult, ...] = ()
    reason: str | None = None


async def issue(ctx: Context, *, asked: bool = False) -> Advice:
    """Answer on the event's issue where it holds a plan, and take the answer back where it holds none any more. Where
    a person asked and it holds none, the answer is given back: a comment of its own would be taken back at the next
    edit."""
    found = cast("dict[str, Any]", await ctx.step("resolve", lambda: _resolve(ctx)))
    if found["state"] != "open":
        log.info("issue.ended", run=ctx.run_id, number=ctx.event.number, state=found["state"])
        return Advice(str(found["state"]))
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
    await ctx.step("publish", lambda: _publish(ctx, found, answer if holds else None))
    results = () if holds or answer is None else (PlanCheckResult.model_validate(answer),)
    return Advice("open", results)


async def failed(ctx: Context, reason: str) -> None:
    """The run failed for good: say so in the answer's place, where the issue holds a plan."""
    if await ctx.store.overtaken(ctx.run_id):
        return
    found = cast("dict[str, Any]", await ctx.step("look", lambda: _resolve(ctx, late=True)))
    if found["state"] == "open" and await ctx.step("detect", lambda: _detect(ctx, found)):
        await ctx.step("publish", lambda: _publish_failure(ctx, found, reason))


async def pull_request(ctx: Context) -> Advice:
    """Plan check of the plans that the event's pull request holds, for an answer to the person who asked. Raises
    FetchError, and what making a token raises."""
    found = cast(facts.Facts, await ctx.step("check-resolve", lambda: facts.pull_request(ctx)))
    if found["state"] != "open":
        return Advice(str(found["state"]))
    if found["merge_base"] is None:
        return Advice("open", reason=found["refused"] or judging.UNRELATED)
    came = cast("dict[str, Any]", await ctx.step("check", lambda: _of_plans(ctx, found)))
    results = tuple(PlanCheckResult.model_validate(answer) for answer in came["results"])
    return Advice("open", results, came["reason"])


async def _of_plans(ctx: Context, found: facts.Facts) -> Json:
    mirror, plans = await judging.located(ctx, found)
    results: list[Json] = []
    reason = TOO_MANY if len(plans) > judging.MAX_PLANS else None
    for plan in plans[: judging.MAX_PLANS]:
        try:
            results.append((await judging.ask(ctx, mirror, plan, found)).model_dump(mode="json"))
        except EngineError as error:
            reason = error.reason
    return {"results": results, "reason": reason}


async def _resolve(ctx: Context, *, late: bool = False) -> Json:
    """The issue as it is now; a pull request is not answered here. `late`: the run failed, which is to be told."""
    try:
        found = await ctx.github.get_issue(ctx.number)
        if found.number != ctx.number:
            # transferred: where it is now, it was opened anew
            return {"state": "gone"}
        if found.state != "open" or found.pull_request is not None:
            return {"state": "closed"}
        current = await (repo_config.known(ctx) if late else repo_config.current(ctx))
    except NotFound:
        return {"state": "gone"}
    except TokenRefused as refused:
        # suspended, uninstalled, or moved to where the App is not
        log.warning("issue.unreachable", run=ctx.run_id, reason=str(refused))
        return {"state": "gone"}
    if current.off:
        return {"state": "off"}
    return {
        "state": "open",
        "title": found.title,
        "body": found.body or "",
        "labelled": any(label.name.lower() == LABEL for label in found.labels),
        "config": current.config.model_dump(mode="json", exclude_unset=True),
        "shadow": current.silent,
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
