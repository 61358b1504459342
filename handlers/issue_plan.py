"""An issue that holds a plan was opened, edited or labelled: answer whether the capability exists already.

An issue holds a plan with the label `workplan`, with front matter `type: workplan`, with a ```task block, or with a
`### Task N` heading. The answer is advice, in one comment that is edited with the issue.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

from bot import logs, repo_config
from bot.dispatch import Context
from bot.events import Json
from bot.fetch import fetch
from bot.github import texts
from bot.github.errors import NotFound
from bot.github.findings import Place
from bot.github.publish import publish
from bot.mirror import FetchError
from schemas.engine import PlanCheckRequest
from schemas.plan_check_result import PlanCheckResult

LABEL = "workplan"
log = logs.named("issue_plan")


async def handle(ctx: Context) -> None:
    issue = cast("dict[str, Any]", await ctx.step("resolve", lambda: _resolve(ctx)))
    if issue["state"] != "open":
        return
    answer: Json = None
    if await ctx.step("detect", lambda: _detect(ctx, issue)):
        try:
            mirror, problem = await ctx.step("fetch", lambda: _fetch(ctx)), None
        except FetchError as error:
            # advice is given all the same, and says what it could not ask
            log.warning("issue.unfetched", run=ctx.run_id, reason=error.reason, detail=error.detail)
            mirror, problem = None, f"the capability index could not be read: {error.reason}"
        answer = await ctx.step("ask", lambda: _ask(ctx, issue, mirror, problem))
    # without a plan, too: an answer that stands there from before is taken back
    await ctx.step("publish", lambda: _publish(ctx, answer))


async def _resolve(ctx: Context) -> Json:
    """The issue as it is now; a pull request is not answered here."""
    try:
        issue = await ctx.github.get_issue(ctx.number)
    except NotFound:
        return {"state": "gone"}
    if issue.state != "open" or issue.pull_request is not None:
        return {"state": "closed"}
    return {
        "state": "open",
        "title": issue.title,
        "body": issue.body or "",
        "labelled": any(label.name.lower() == LABEL for label in issue.labels),
    }


async def _detect(ctx: Context, issue: dict[str, Any]) -> Json:
    """Whether the issue holds a plan, which is found out before anything is fetched."""
    return bool(issue["labelled"] or await ctx.engines.run("holds_tasks", {"text": issue["body"]}))


async def _fetch(ctx: Context) -> Json:
    return str(await fetch(ctx, refs=(_branch(ctx),), depth=1))


async def _ask(ctx: Context, issue: dict[str, Any], mirror: Json, problem: str | None) -> Json:
    config, _ = await repo_config.current(ctx)
    request = PlanCheckRequest(
        repo=cast("str | None", mirror),
        rev=_branch(ctx),
        problem=problem,
        index=config.index,
        text=issue["body"],
        title=issue["title"],
        consumer_repo=ctx.repo.name,
        today=datetime.now(UTC).date(),
    )
    return cast(Json, await ctx.engines.run("plan_check", request.model_dump(mode="json")))


def _branch(ctx: Context) -> str:
    return f"refs/heads/{ctx.repo.default_branch}"


async def _publish(ctx: Context, answer: Json) -> Json:
    place = Place(web=ctx.github.web, head="", run=ctx.run_id, number=ctx.number)
    if answer is None:
        publication = texts.issue_without_plan(ctx.key, place)
    else:
        result = PlanCheckResult.model_validate(answer)
        introduce = await ctx.store.introduces(ctx.repo.id, ctx.number)
        publication = texts.issue(ctx.key, place, result, introduce=introduce)
    if ctx.settings.mode == "shadow":
        return {"status": "shadowed"}
    published = await publish(ctx.github, publication)
    if published.created:
        await ctx.store.introduced(ctx.repo.id, ctx.installation_id, ctx.number)
    return published.to_json()
