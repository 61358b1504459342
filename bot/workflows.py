"""The three durable workflows.

- `ingest`, one for each delivery: finds the pull requests or issues that the event is about, cancels older jobs that a
  new one makes needless, and enqueues one job for each.
- `job`, one for each handler and number: runs the handler. Its queue is partitioned by repository and number, one at a
  time in each, so that two jobs never write to one pull request at once.
- `report`, after a job that failed for good, in the same partition: the handler's module says so to people.

Steps run at least once, never after they finished. The bodies are replayed after a restart: change them only with a
new `SCHEMA`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from dbos import DBOS

from bot import durable, logs, steps
from bot.dispatch import Context, Handler, Permission, Route, match
from bot.durable import DurableContext
from bot.events import Event, Json
from bot.github.errors import NotFound, TokenRefused
from bot.limits import JobLimits
from bot.work import POSTPONED, Payload, Work, run_id

log = logs.named("jobs")

SCHEMA = "schema-2"
ATTEMPTS = 3
"""How often a job may be started anew after its process died, before it is given up."""
POSTPONEMENTS = 3


class JobFailed(Exception):  # noqa: N818
    """A job that failed for good, already logged; the message is for people."""


@dataclass(frozen=True)
class Running:
    """What the workflows of this process work with. `handlers` maps a route's handler name to its module."""

    work: Work
    routes: Sequence[Route]
    handlers: Mapping[str, Handler]


_current: Running | None = None
"""The engine is one a process, and so are the workflows registered with it."""


def begin(running: Running) -> None:
    """Let the workflows of this process do this work from now on."""
    global _current
    running.work.bodies = {"job": _job, "report": _report}
    _current = running


def end(running: Running) -> None:
    """Undo `begin`."""
    global _current
    if _current is running:
        _current = None


def _now() -> Running:
    if _current is None:
        raise asyncio.CancelledError
    return _current


@DBOS.workflow(name="ingest", max_recovery_attempts=ATTEMPTS)
async def ingest(now_ms: int, event: Payload) -> None:
    now = _now()
    with now.work.running():
        await now.work.give_way()
        try:
            await _ingest(now, now_ms, event)
        except Exception as error:
            log.error("ingest.failed", exception=error, delivery=event.get("delivery"))
            raise JobFailed(type(error).__name__) from error


@DBOS.workflow(name="job", max_recovery_attempts=ATTEMPTS)
async def _job(payload: Payload) -> None:
    now = _now()
    with now.work.running():
        await now.work.give_way()
        await _run(now, str(DBOS.workflow_id), payload)


@DBOS.workflow(name="report", max_recovery_attempts=ATTEMPTS)
async def _report(payload: Payload, job_id: str, reason: str) -> None:
    now = _now()
    with now.work.running():
        await now.work.give_way()
        await _tell(now, str(DBOS.workflow_id), payload, job_id, reason)


# ---- a delivery ----------------------------------------------------------------------------------
async def _ingest(now: Running, now_ms: int, data: Payload) -> None:
    event = Event.from_json(data)
    route = match(now.routes, event)
    if route is None:
        # stored by a version that had a handler for it
        log.warning("ingest.unwanted", name=event.name, action=event.action, delivery=event.delivery)
        return
    for number in await _numbers(now, event, route):
        await now.work.take_up(now_ms, replace(event, number=number), route)


async def _numbers(now: Running, event: Event, route: Route) -> tuple[int | None, ...]:
    if event.number is None and route.number is not None:
        return (route.number(event),)
    if event.number is not None or event.name not in ("check_run", "check_suite"):
        return (event.number,)
    if event.pulls:
        return event.pulls
    found = await durable.step(
        "find-pulls", lambda: _of_commit(now, event, route), now.work, now.work.limits.step, job=event.delivery
    )
    return tuple(n for n in found if n is None or isinstance(n, int)) if isinstance(found, list) else ()


async def _of_commit(now: Running, event: Event, route: Route) -> Json:
    """The pull requests at the head that a check is on, None among them for a commit of the default branch."""
    services = now.work.services
    repo, sha, installation = event.repo, event.head_sha, event.installation_id
    if repo is None or sha is None or installation is None:
        return []
    known: list[Json] = [*await services.store.numbers_for_head(repo.id, sha)]
    if await services.store.has_pushed(repo.id, sha):
        known.append(None)
    if known:
        return known
    # payloads of checks name no pull request of a fork
    github = services.github.installation(
        installation, repo.full_name, permissions=route.permissions or None, trace=event.delivery
    )
    try:
        pulls = await github.pulls_for_commit(sha)
        if not pulls:
            # GitHub does not list a fork's pull requests by commit
            pulls = [pull for pull in await github.list_pulls() if pull.head.sha == sha]
    except (NotFound, TokenRefused) as error:
        # gone since, or taken from the App: there is no place to answer at
        log.warning("ingest.nothing", reason=str(error), delivery=event.delivery)
        return []
    # one that belongs to none any more is answered, too: the person who asked sees it wait
    return [pull.number for pull in pulls if pull.open] or [None]


# ---- a job ---------------------------------------------------------------------------------------
async def _run(now: Running, job_id: str, payload: Payload) -> None:
    ctx = _context(now, job_id, payload, narrow=True)
    name, limits = str(payload["handler"]), now.work.limits
    log.info("job.started", job=job_id, run=ctx.run_id, handler=name)
    deadline = asyncio.timeout(limits.job)
    try:
        await _record(ctx, job_id, name)
        handler = now.handlers.get(name)
        if handler is None:
            raise JobFailed(f"this version has no handler named {name}")
        async with deadline:
            await handler.handle(ctx)
    except Exception as error:
        if steps.cancelling():
            # whatever a stop broke goes on at the next start; it is not the job's outcome
            raise asyncio.CancelledError from error
        if (delay := _wait(error, job_id, limits)) is not None:
            # GitHub would not take the report on a failure either
            log.warning("job.postponed", job=job_id, run=ctx.run_id, reason=str(error), seconds=round(delay))
            await now.work.postpone(job_id, payload, delay=delay)
            await _finish(ctx, "postponed", str(error))
            return
        late = f"the run took longer than {limits.job:.0f} s" if deadline.expired() else None
        reason = late or reason_of(error, ctx.run_id)
        log.error("job.failed", exception=error, job=job_id, run=ctx.run_id, handler=name)
        await now.work.start_report(job_id, payload, reason)
        await _finish(ctx, "failed", reason)
        raise JobFailed(reason) from error
    await _finish(ctx, "done", None)
    log.info("job.finished", job=job_id, run=ctx.run_id, handler=name)


def reason_of(error: BaseException, run: str) -> str:
    """What people are told: our own errors speak for themselves, of others the text may hold anything."""
    if type(error).__module__.partition(".")[0] in ("bot", "handlers"):
        return str(error) or type(error).__name__
    return f"an internal error stopped the run; the log has the details under run {run}"


def _wait(error: Exception, workflow_id: str, limits: JobLimits) -> float | None:
    """Seconds until what ended a job or a report is over, a rate limit or an outage; None for other errors, and for
    one that has lasted."""
    times = len(workflow_id) - len(workflow_id.rstrip(POSTPONED))
    if times >= POSTPONEMENTS:
        return None
    until = getattr(error, "until", None)
    if isinstance(until, datetime):
        left = max((until - datetime.now(UTC)).total_seconds(), 0.0)
        return left if left <= limits.postpone else None
    return limits.outage * 4.0**times if steps.transient(error) else None


# ---- a report ------------------------------------------------------------------------------------
async def _tell(now: Running, report: str, payload: Payload, job_id: str, reason: str) -> None:
    ctx = _context(now, job_id, payload, narrow=False)
    failed = getattr(now.handlers.get(str(payload["handler"])), "failed", None)
    if failed is None:
        log.warning("report.none", job=job_id, run=ctx.run_id)
        return
    try:
        async with asyncio.timeout(now.work.limits.job):
            await failed(ctx, reason)
    except Exception as error:
        if steps.cancelling():
            raise asyncio.CancelledError from error
        if (delay := _wait(error, report, now.work.limits)) is not None:
            log.warning("report.postponed", job=job_id, run=ctx.run_id, reason=str(error), seconds=round(delay))
            await now.work.postpone_report(report, payload, job_id, reason, delay=delay)
            return
        log.error("report.failed", exception=error, job=job_id, run=ctx.run_id)
        raise JobFailed(f"the failure could not be reported: {reason_of(error, ctx.run_id)}") from error
    log.info("report.finished", job=job_id, run=ctx.run_id)


# ---- both ----------------------------------------------------------------------------------------
def _context(now: Running, job_id: str, payload: Payload, *, narrow: bool) -> DurableContext:
    # a failure is reported with whatever the installation granted: a permission it lacks may be the very reason
    permissions = _permissions(now.routes, str(payload["handler"])) if narrow else None
    return DurableContext(
        Event.from_json(payload["event"]),
        now.work.services,
        run_id=run_id(job_id),
        job_id=job_id,
        work=now.work,
        limits=now.work.limits.step,
        permissions=permissions,
    )


def _permissions(routes: Sequence[Route], handler: str) -> dict[str, Permission] | None:
    needed: dict[str, Permission] = {}
    for route in routes:
        if route.handler == handler:
            needed |= {name: level for name, level in route.permissions.items() if needed.get(name) != "write"}
    return needed or None


async def _record(ctx: Context, job_id: str, handler: str) -> None:
    event, store = ctx.event, ctx.store
    await store.run_started(
        ctx.run_id,
        job_id=job_id,
        repo=event.repo.full_name if event.repo is not None else None,
        number=event.number,
        handler=handler,
        delivery=event.delivery,
        repo_id=event.repo.id if event.repo is not None else None,
        installation_id=event.installation_id,
    )
    if event.repo is not None and event.installation_id is not None:
        await store.seen(event.repo.id, event.installation_id, event.repo.full_name)


async def _finish(ctx: Context, state: str, detail: str | None) -> None:
    try:
        await ctx.store.run_finished(ctx.run_id, state=state, detail=detail)
    except Exception as error:  # noqa: BLE001 - a note about the work must not undo it
        log.warning("run.unrecorded", run=ctx.run_id, state=state, reason=type(error).__name__)
