"""`/plan status`: what the store, the jobs and the configuration say about an issue or pull request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot import repo_config
from bot.answering.looking import Thread
from bot.core.verify.finding import RULES
from bot.core.verify.outcomes import combine
from bot.dispatch import Context
from bot.github import permissions
from bot.github.errors import NotFound
from bot.github.findings import Place, notes
from bot.github.texts import replies
from bot.github.texts.replies import Configuration, Decided, Run, Standing
from schemas.repo_config import RepoConfig
from schemas.verify_report import FindingType, Verdict, VerifyReport

WHAT = {
    "check_run": "re-run",
    "command": "command",
    "issue_plan": "plan check",
    "merge_group": "merge queue",
    "pull_request": "verify",
}
OF_AN_ISSUE = "the plan of an issue is compared with the capability index only"


async def standing(ctx: Context, thread: Thread, needs: Mapping[str, str]) -> str:
    """The answer, as things are now. `needs` is what the App asks for at its installation."""
    head = (await ctx.github.get_pull(ctx.number)).head.sha if thread.pull else ""
    reports = list((await ctx.store.reports(ctx.repo.id, ctx.number, head)).values()) if head else []
    verdict, why = await _verdict(ctx, head, reports) if thread.pull else (None, OF_AN_ISSUE)
    current = await repo_config.current(ctx)
    missing, url = await _missing(ctx, needs)
    judged = verdict in (Verdict.CLEAN, Verdict.NEEDS_FIX)
    told = Standing(
        verdict=verdict,
        reason=why,
        gating=sum(len(report.gating) for report in reports),
        notes=sum(len(notes(report)) for report in reports) if judged else 0,
        decided=await _decided(ctx, reports),
        last=_last(await ctx.store.last_run(ctx.repo.id, ctx.number, but=ctx.run_id)),
        running=[await _running(ctx, run) for run in await ctx.running()],
        configuration=_configuration(current),
        missing=missing,
        approval=url,
    )
    return replies.status(Place(web=ctx.github.web, head=head, run=ctx.run_id, number=ctx.number), told)


async def _verdict(ctx: Context, head: str, reports: list[VerifyReport]) -> tuple[Verdict | None, str | None]:
    """The verdict on the head and, where it could not be judged, why."""
    # this very run may have judged, and is not done yet
    own = await ctx.store.run(ctx.run_id)
    row = own if own and own["head"] == head and own["verdict"] else None
    row = row or await ctx.store.last_verdict(ctx.repo.id, ctx.number, head)
    found = combine(report.verdict for report in reports) if reports else None
    verdict = Verdict(row["verdict"]) if row is not None else found
    why = next((each.reason for each in reports if each.verdict is verdict and each.reason), None)
    return verdict, why or (row["detail"] if row is not None and verdict is Verdict.NOT_VERIFIED else None)


async def _decided(ctx: Context, reports: list[VerifyReport]) -> list[Decided]:
    findings = {(f.plan_path, f.id): f for report in reports for f in report.findings}
    made = await ctx.store.decisions(ctx.repo.id, [report.plan.path for report in reports])
    return [
        Decided(finding, each.status, each.by, each.reason, each.at)
        for each in made
        if (finding := findings.get((each.plan_path, each.finding_id))) is not None
    ]


async def _running(ctx: Context, run: str) -> Run:
    row = await ctx.store.run(run)
    if row is None:
        # it has not begun
        return Run(run, "a job", "waiting", None)
    return Run(run, WHAT.get(row["handler"], row["handler"]), "running", row["started"])


def _last(row: dict[str, Any] | None) -> Run | None:
    if row is None:
        return None
    return Run(row["run_id"], WHAT.get(row["handler"], row["handler"]), row["state"], row["finished"] or row["started"])


def _configuration(current: repo_config.Current) -> Configuration:
    config: RepoConfig = current.config
    gates = [each.value for each in FindingType if RULES[each].gates and config.gates([each])]
    return Configuration(config.mode, gates, config.label, current.problems)


async def _missing(ctx: Context, needs: Mapping[str, str]) -> tuple[list[str], str | None]:
    row = await ctx.store.installation(ctx.installation_id)
    if row is not None:
        return list(row["missing"]), row["url"]
    app, number = ctx.services.github, ctx.installation_id
    try:
        info = await app.installation_info(number)
    except NotFound:
        return [], None
    missing = permissions.missing(dict(needs), info.permissions)
    url = permissions.approval_url(app.web, number, info.html_url)
    account = info.account.login if info.account is not None else ""
    await ctx.store.installation_seen(number, account=account, missing=missing, url=url)
    return missing, url
