"""`/plan status`: what the store, the jobs and the configuration say about an issue or pull request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bot import granted, repo_config
from bot.answering.looking import Thread
from bot.core.verify.finding import RULES
from bot.core.verify.outcomes import combine
from bot.dispatch import Context
from bot.github.findings import Place, notes
from bot.github.texts import replies
from bot.github.texts.replies import Configuration, Decided, Run, Standing
from bot.review import settled
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
    lack = await granted.lack(ctx, needs)
    judged = verdict in (Verdict.CLEAN, Verdict.NEEDS_FIX)
    told = Standing(
        verdict=verdict,
        reason=why,
        gating=sum(len(report.gating) for report in reports),
        notes=sum(len(notes(report)) for report in reports) if judged else 0,
        decided=await _decided(ctx, reports, current.config.ignore),
        last=_last(await ctx.store.last_run(ctx.repo.id, ctx.number, but=ctx.run_id)),
        running=[await _running(ctx, run) for run in await ctx.running()],
        configuration=_configuration(current),
        missing=lack.missing,
        approval=lack.url,
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


async def _decided(ctx: Context, reports: list[VerifyReport], ignore: Iterable[str]) -> list[Decided]:
    """What people decided, oldest first, but for what the configuration passes over by now."""
    made = await settled.decisions(ctx, [report.plan.path for report in reports], ignore)
    found = [
        Decided(finding, each.status, each.by, each.reason or "", each.at or 0)
        for report in reports
        for finding in report.findings
        if (each := made.of(report.plan.path, finding)) is not None and each.by is not None
    ]
    return sorted(found, key=lambda each: each.when)


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
    return Configuration(config.mode, gates, config.label, current.problems, current.notes, last=current.last)
