"""The three durable workflows, and the context that handlers get in them.

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
import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import Context as Blank
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias, cast

from dbos import DBOS, SetEnqueueOptions, SetWorkflowID, SetWorkflowTimeout, WorkflowStatus

from bot import logs, steps
from bot.dispatch import HOUSEKEEPING, Context, Handler, Permission, Route, Services, Step, Stopped, match
from bot.events import Event, Json
from bot.github.errors import NotFound, TokenRefused
from bot.steps import StepLimits

log = logs.named("jobs")

SCHEMA = "schema-2"
INBOX = "inbox"
WORK = "pr"
LIVE = ("ENQUEUED", "DELAYED", "PENDING")
DONE = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
FAILED = ("ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
ATTEMPTS = 3
"""How often a job may be started anew after its process died, before it is given up."""

POSTPONED = "~"
"""Ends a job's id once for each time that it was begun anew after a rate limit; no delivery's id holds it."""
POSTPONEMENTS = 3

PAGE = 500
"""Rows that are read from the engine at once."""

Payload: TypeAlias = "dict[str, Any]"


@dataclass(frozen=True)
class SweepLimits:
    """Times in seconds. Some is left of one sweep for the next, which then comes after `soon`.

    Deliveries: those of the last `window` are asked for, GitHub redelivers no older ones; a sweep begins
    `delivery_overlap` before the end of the last; one is `in_flight` for so long, and waits for so long after it was
    `redelivered` in vain; at most `redeliveries` a sweep, and `attempts` for one delivery, GitHub's own included.

    Reconciling: it begins `reconcile_overlap` before the last; at most `repositories` and `starts` of jobs a sweep;
    `clock_skew` is how far GitHub's clock may be from ours.

    Checks: one that is `unfinished` for so long is looked at, at most `checks` a sweep, and one that is `abandoned`
    given up. `idle`: for how long a job that should run has to be seen not to.
    """

    soon: float = 150.0
    window: float = 3 * 86_400.0
    delivery_overlap: float = 7200.0
    in_flight: float = 120.0
    redelivered: float = 1800.0
    redeliveries: int = 200
    attempts: int = 5
    reconcile_overlap: float = 600.0
    repositories: int = 500
    starts: int = 300
    clock_skew: float = 60.0
    unfinished: float = 1800.0
    checks: int = 100
    abandoned: float = 86_400.0
    idle: float = 30.0


@dataclass(frozen=True)
class JobLimits:
    """Times in seconds. `job` is for a whole handler run; the engine itself ends a run a little later.

    `keep`: how long the rows of finished jobs stay; well above the three days in which GitHub redelivers, since a row
    is what makes a redelivery a no-op. `sweep`: how often what got lost is looked for and old rows are deleted. `poll`
    and `listen`: how often the engine looks for work, and for messages, of which there are none; a stop waits for both.
    `recent`: how old a waiting job may be that a newer one cancels. `keep_runs`: how long the runs stay that people may
    ask for by the name on a comment. `patience`: how long a job at most gives way to deliveries before each step.
    `ending`: how long a job that was stopped is waited for.
    `postpone`: how far away the end of a rate limit may be, for a job to be begun anew then; an hour and a reserve.
    """

    enqueue: float = 8.0
    job: float = 1500.0
    grace: float = 120.0
    poll: float = 0.2
    listen: float = 1.0
    concurrency: int = 50
    keep: float = 7 * 86_400.0
    keep_runs: float = 180 * 86_400.0
    sweep: float = 3600.0
    recent: float = 86_400.0
    patience: float = 2.0
    ending: float = 10.0
    postpone: float = 7200.0
    step: StepLimits = field(default_factory=StepLimits)
    sweeps: SweepLimits = field(default_factory=SweepLimits)


class JobFailed(Exception):  # noqa: N818
    """A job that failed for good, already logged; the message is for people."""


class DurableContext(Context):
    """The context of a handler that runs as a job: steps are stored."""

    def __init__(
        self,
        event: Event,
        services: Services,
        *,
        run_id: str,
        job_id: str,
        limits: StepLimits,
        permissions: Mapping[str, Permission] | None = None,
    ) -> None:
        super().__init__(event, services, run_id=run_id, permissions=permissions)
        self.job_id = job_id
        self._limits = limits

    async def step(self, name: str, fn: Step) -> Json:
        return await _step(name, fn, self._limits, job=self.job_id)

    async def stop(self) -> list[Stopped]:
        async def cancel() -> Json:
            return [
                {"run": each.run_id, "handler": each.handler, "event": each.event.to_json()}
                for each in await _work().stop_jobs(self.key, but=self.job_id)
            ]

        stopped = cast("list[dict[str, Any]]", await self.step("stop", cancel))
        return [Stopped(each["run"], each["handler"], Event.from_json(each["event"])) for each in stopped]

    async def forget_jobs(self, *, installation_id: int | None = None, repo_id: int | None = None) -> None:
        work = _work().forget_jobs(installation_id, repo_id, but=self.job_id)
        await asyncio.create_task(work, context=Blank())

    async def running(self) -> list[str]:
        live = await asyncio.create_task(_work().live(self.key, load=False), context=Blank())
        return [run_id(each.workflow_id) for each in live if each.workflow_id != self.job_id]


async def _step(name: str, fn: Step, limits: StepLimits, *, job: str) -> Json:
    await _work().give_way()

    async def attempt() -> dict[str, Json]:
        return await steps.run(name, fn, limits=limits, job=job)

    return steps.unwrap(await DBOS.run_step_async({"name": name, "preemptible": True}, attempt))


def run_id(job_id: str) -> str:
    """The short name of a job that people see: eight hex digits, the same after a restart."""
    return hashlib.sha256(job_id.encode()).hexdigest()[:8]


def report_id(job_id: str) -> str:
    """The id of the report on a job."""
    return f"{job_id}:failed"


ASIDE = "/aside"
"""Ends the partition of jobs that do not wait for the others of their number."""


def partition(event: Event, route: Route) -> str:
    """What must not run twice at once: the number, or else the kind of event in its repository or installation."""
    where = event.repo.id if event.repo is not None else f"installation-{event.installation_id}"
    key = f"{where}/{event.number if event.number is not None else event.name}"
    return key + ASIDE if route.aside(event) else key


def reason_of(error: BaseException, run: str) -> str:
    """What people are told: our own errors speak for themselves, of others the text may hold anything."""
    if type(error).__module__.partition(".")[0] in ("bot", "handlers"):
        return str(error) or type(error).__name__
    return f"an internal error stopped the run; the log has the details under run {run}"


class Work:
    """What the workflows of one process do. `handlers` maps a route's handler name to its module."""

    def __init__(
        self, services: Services, routes: Sequence[Route], handlers: Mapping[str, Handler], limits: JobLimits
    ) -> None:
        self.services = services
        self.routes = tuple(routes)
        self.handlers = dict(handlers)
        self.limits = limits
        self._running: dict[asyncio.Task[Any], str] = {}
        self._stopping = False
        self._urgent = 0
        self._way = asyncio.Event()
        self._way.set()

    def begin(self) -> None:
        """Become the work that the workflows of this process do."""
        global _current
        _current = self

    async def stop(self) -> None:
        """Stop in the middle of whatever runs, without an outcome, and start nothing any more."""
        self._stopping = True
        while running := {task for task in self._running if not task.done()}:
            for task in running:
                task.cancel()
            await asyncio.wait(running)

    @contextmanager
    def yielding(self) -> Iterator[None]:
        """While the block runs, jobs begin no step (for a while): a delivery has to be stored within seconds, they
        have minutes."""
        self._urgent += 1
        self._way.clear()
        try:
            yield
        finally:
            self._urgent -= 1
            if self._urgent == 0:
                self._way.set()

    async def give_way(self) -> None:
        """Wait while deliveries are being stored, but never so long that these would stop all work."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.limits.patience):
                await self._way.wait()

    def end(self) -> None:
        """Undo `begin`."""
        global _current
        if _current is self:
            _current = None

    async def ingest(self, now_ms: int, data: Payload) -> None:
        event = Event.from_json(data)
        route = match(self.routes, event)
        if route is None:
            # stored by a version that had a handler for it
            log.warning("ingest.unwanted", name=event.name, action=event.action, delivery=event.delivery)
            return
        for number in await self._numbers(event, route):
            await self._take_up(now_ms, replace(event, number=number), route)

    async def start(self, event: Event, handler: str, *, level: bool = True) -> None:
        """Start a job that no delivery asked for, as if one had. `event.delivery` names it, and has to be new."""
        await self.give_way()
        route = Route(event.name, event.action, handler, level=level)
        await self._take_up(int(time.time() * 1000), event, route)

    async def _take_up(self, now_ms: int, event: Event, route: Route) -> None:
        key = partition(event, route)
        job_id = f"{key}:{now_ms:013d}:{event.delivery}"
        payload = {"event": event.to_json(), "handler": route.handler, "key": key}
        # first the new job, which waits for the older ones: a stop in between must not leave the number without any
        await self._start(job_id, key, _job, payload)
        if route.level:
            # safe to repeat and nothing depends on its outcome, so it need not be stored as a step
            await asyncio.create_task(self._supersede(key, job_id, route.handler), context=Blank())
        log.info("job.enqueued", job=job_id, handler=route.handler, delivery=event.delivery)

    async def _numbers(self, event: Event, route: Route) -> tuple[int | None, ...]:
        if event.number is not None or event.name not in ("check_run", "check_suite"):
            return (event.number,)
        if event.pulls:
            return event.pulls

        async def find() -> Json:
            repo, sha, installation = event.repo, event.head_sha, event.installation_id
            if repo is None or sha is None or installation is None:
                return []
            known: list[Json] = [*await self.services.store.numbers_for_head(repo.id, sha)]
            if await self.services.store.has_pushed(repo.id, sha):
                known.append(None)
            if known:
                return known
            # payloads of checks name no pull request of a fork
            github = self.services.github.installation(
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

        found = await _step("find-pulls", find, self.limits.step, job=event.delivery)
        return tuple(n for n in found if n is None or isinstance(n, int)) if isinstance(found, list) else ()

    async def live(self, key: str, *, load: bool = True) -> list[WorkflowStatus]:
        """The jobs of a partition that run or wait, oldest first."""
        # the engine finds rows by prefix only in a scan: the time bounds it, and a job that is older harms nobody
        since = datetime.now(UTC) - timedelta(seconds=self.limits.recent)
        found = await DBOS.list_workflows_async(
            workflow_id_prefix=f"{key}:",
            status=list(LIVE),
            start_time=since.isoformat(),
            load_input=load,
            load_output=False,
        )
        return sorted(found, key=lambda each: each.workflow_id)

    async def live_keys(self) -> set[str]:
        """The partitions in which a job or a report runs or waits."""
        found = await DBOS.list_workflows_async(queue_name=WORK, status=list(LIVE), load_input=False, load_output=False)
        return {each.workflow_id.partition(":")[0] for each in found}

    async def stop_jobs(self, key: str, *, but: str) -> list[Stopped]:
        """Cancel what runs and waits in a partition, apart from the job `but`."""
        live = await asyncio.create_task(self.live(key), context=Blank())
        jobs = [(each.workflow_id, payload_of(each.input)) for each in live if each.workflow_id != but]
        stopped = [
            Stopped(run_id(job_id), str(payload["handler"]), Event.from_json(payload["event"]))
            for job_id, payload in jobs
            if payload is not None
        ]
        if jobs:
            await asyncio.create_task(self._cancel([job_id for job_id, _ in jobs], "cancelled"), context=Blank())
            log.info("job.stopped", jobs=len(jobs), by=but)
        return stopped

    async def forget_jobs(self, installation_id: int | None, repo_id: int | None, *, but: str) -> None:
        """Delete what the engine keeps of deliveries and jobs of an installation or repository, which is their text
        and names, and stop those that run."""
        offset = 0
        found: dict[str, bool] = {}
        while True:
            rows = await DBOS.list_workflows_async(limit=PAGE, offset=offset, load_output=False)
            for row in rows:
                event = event_of(row.input)
                live = row.status in LIVE
                # another job that forgets has still to come to its end
                if event is None or (live and event["name"] in HOUSEKEEPING):
                    continue
                if _is_of(event, installation_id, repo_id):
                    found[row.workflow_id] = live
            if len(rows) < PAGE:
                break
            offset += PAGE
        # so has the delivery that told this one to
        ids = [each for each in found if each != but and not but.endswith(f":{each}")]
        if running := [each for each in ids if found[each]]:
            await DBOS.cancel_workflows_async(running, cancel_children=True)
            await self._ended(running)
        if ids:
            await DBOS.delete_workflows_async(ids)
        log.info("jobs.forgotten", installation=installation_id, repo=repo_id, jobs=len(ids))

    async def _ended(self, job_ids: list[str]) -> None:
        """Wait until these bodies are at their end, which the engine still writes into their rows; not for ever."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.limits.ending):
                while self.active() & set(job_ids):  # noqa: ASYNC110 - the engine tells nobody of an end
                    await asyncio.sleep(self.limits.poll)

    async def _cancel(self, job_ids: list[str], state: str) -> None:
        await DBOS.cancel_workflows_async(job_ids, cancel_children=True)
        for each in job_ids:
            await self.services.store.run_finished(run_id(each), state=state)

    async def _supersede(self, key: str, job_id: str, handler: str) -> None:
        # the stamp in the ids orders them, also where two deliveries are taken in at once
        older = [
            each.workflow_id
            for each in await self.live(key)
            if each.workflow_id < job_id and _handler_of(each.input) == handler
        ]
        if older:
            await self._cancel(older, "superseded")
            log.info("job.superseded", jobs=len(older), by=job_id)

    async def _start(self, job_id: str, key: str, workflow: Any, *arguments: Any, delay: float | None = None) -> None:
        timeout = SetWorkflowTimeout(self.limits.job + self.limits.grace)
        with SetWorkflowID(job_id), timeout, SetEnqueueOptions(queue_partition_key=key, delay_seconds=delay):
            await DBOS.enqueue_workflow_async(WORK, workflow, *arguments)

    async def start_report(self, job_id: str, payload: Payload, reason: str) -> None:
        """Enqueue the report on a job that failed; once, however often this is called."""
        await self._start(report_id(job_id), str(payload["key"]), _report, payload, job_id, reason)

    async def renew(self, row: WorkflowStatus) -> bool:
        """Enqueue a stored job or report once more under a further id; False for one that cannot be read."""
        payload = payload_of(row.input)
        arguments = row.input.get("args") if isinstance(row.input, dict) else None
        workflow = {"job": _job, "report": _report}.get(row.name)
        if payload is None or workflow is None or not isinstance(arguments, (list, tuple)):
            return False
        delay = max((row.delay_until_epoch_ms or 0) / 1000 - time.time(), 0.0) or None
        again = row.workflow_id + POSTPONED
        await self._start(again, str(payload["key"]), workflow, *arguments, delay=delay)
        if workflow is _job:
            await self.services.store.run_finished(run_id(row.workflow_id), state="postponed", detail="begun anew")
        return True

    async def job(self, job_id: str, payload: Payload) -> None:
        ctx = self._context(job_id, payload, narrow=True)
        name = str(payload["handler"])
        log.info("job.started", job=job_id, run=ctx.run_id, handler=name)
        deadline = asyncio.timeout(self.limits.job)
        try:
            await self._record(ctx, job_id, name)
            handler = self.handlers.get(name)
            if handler is None:
                raise JobFailed(f"this version has no handler named {name}")
            async with deadline:
                await handler.handle(ctx)
        except Exception as error:
            if steps.cancelling():
                # whatever a stop broke goes on at the next start; it is not the job's outcome
                raise asyncio.CancelledError from error
            if (delay := self._until_limit_ends(error, job_id)) is not None:
                # GitHub would not take the report on a failure either
                log.warning("job.postponed", job=job_id, run=ctx.run_id, reason=str(error), seconds=round(delay))
                await self._start(job_id + POSTPONED, str(payload["key"]), _job, payload, delay=delay)
                await self._finish(ctx, "postponed", str(error))
                return
            late = f"the run took longer than {self.limits.job:.0f} s" if deadline.expired() else None
            reason = late or reason_of(error, ctx.run_id)
            log.error("job.failed", exception=error, job=job_id, run=ctx.run_id, handler=name)
            await self.start_report(job_id, payload, reason)
            await self._finish(ctx, "failed", reason)
            raise JobFailed(reason) from error
        await self._finish(ctx, "done", None)
        log.info("job.finished", job=job_id, run=ctx.run_id, handler=name)

    def _until_limit_ends(self, error: Exception, job_id: str) -> float | None:
        """Seconds until the rate limit that ended a job is over; None for other errors, and for one that has lasted."""
        until = getattr(error, "until", None)
        if not isinstance(until, datetime) or job_id.endswith(POSTPONED * POSTPONEMENTS):
            return None
        left = max((until - datetime.now(UTC)).total_seconds(), 0.0)
        return left if left <= self.limits.postpone else None

    async def report(self, payload: Payload, job_id: str, reason: str) -> None:
        ctx = self._context(job_id, payload, narrow=False)
        failed = getattr(self.handlers.get(str(payload["handler"])), "failed", None)
        if failed is None:
            log.warning("report.none", job=job_id, run=ctx.run_id)
            return
        try:
            async with asyncio.timeout(self.limits.job):
                await failed(ctx, reason)
        except Exception as error:
            log.error("report.failed", exception=error, job=job_id, run=ctx.run_id)
            raise JobFailed(f"the failure could not be reported: {reason_of(error, ctx.run_id)}") from error
        log.info("report.finished", job=job_id, run=ctx.run_id)

    def _context(self, job_id: str, payload: Payload, *, narrow: bool) -> DurableContext:
        # a failure is reported with whatever the installation granted: a permission it lacks may be the very reason
        permissions = self._permissions(str(payload["handler"])) if narrow else None
        return DurableContext(
            Event.from_json(payload["event"]),
            self.services,
            run_id=run_id(job_id),
            job_id=job_id,
            limits=self.limits.step,
            permissions=permissions,
        )

    def _permissions(self, handler: str) -> dict[str, Permission] | None:
        needed: dict[str, Permission] = {}
        for route in self.routes:
            if route.handler == handler:
                needed |= {name: level for name, level in route.permissions.items() if needed.get(name) != "write"}
        return needed or None

    async def _record(self, ctx: DurableContext, job_id: str, handler: str) -> None:
        event = ctx.event
        repo = event.repo.full_name if event.repo is not None else None
        store = self.services.store
        await store.run_started(
            ctx.run_id,
            job_id=job_id,
            repo=repo,
            number=event.number,
            handler=handler,
            delivery=event.delivery,
            repo_id=event.repo.id if event.repo is not None else None,
            installation_id=event.installation_id,
        )
        if event.repo is not None and event.installation_id is not None:
            await store.seen(event.repo.id, event.installation_id, event.repo.full_name)

    async def _finish(self, ctx: DurableContext, state: str, detail: str | None) -> None:
        try:
            await self.services.store.run_finished(ctx.run_id, state=state, detail=detail)
        except Exception as error:  # noqa: BLE001 - a note about the work must not undo it
            log.warning("run.unrecorded", run=ctx.run_id, state=state, reason=type(error).__name__)

    def active(self) -> set[str]:
        """The ids of the workflows whose bodies run in this process."""
        return set(self._running.values())

    @contextmanager
    def running(self) -> Iterator[None]:
        """Around the body of a workflow: makes `stop` end it without an outcome."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - workflows are tasks of the loop
        if self._stopping:
            raise asyncio.CancelledError
        self._running[task] = str(DBOS.workflow_id)
        try:
            yield
        except Exception as error:
            if self._stopping:
                raise asyncio.CancelledError from error
            raise
        finally:
            # not removed while stopping: the engine still has to end this task
            if not self._stopping:
                self._running.pop(task, None)


_current: Work | None = None
"""The engine is one a process, and so are the workflows registered with it."""


def _work() -> Work:
    if _current is None:
        raise asyncio.CancelledError
    return _current


@DBOS.workflow(name="ingest", max_recovery_attempts=ATTEMPTS)
async def ingest(now_ms: int, event: Payload) -> None:
    work = _work()
    with work.running():
        await work.give_way()
        try:
            await work.ingest(now_ms, event)
        except Exception as error:
            log.error("ingest.failed", exception=error, delivery=event.get("delivery"))
            raise JobFailed(type(error).__name__) from error


@DBOS.workflow(name="job", max_recovery_attempts=ATTEMPTS)
async def _job(payload: Payload) -> None:
    work = _work()
    with work.running():
        await work.give_way()
        await work.job(str(DBOS.workflow_id), payload)


@DBOS.workflow(name="report", max_recovery_attempts=ATTEMPTS)
async def _report(payload: Payload, job_id: str, reason: str) -> None:
    work = _work()
    with work.running():
        await work.give_way()
        await work.report(payload, job_id, reason)


def payload_of(stored: object) -> Payload | None:
    """The payload among the stored arguments of a `job` or `report`; None for what is none."""
    arguments = stored.get("args") if isinstance(stored, dict) else None
    payload = arguments[0] if isinstance(arguments, (list, tuple)) and arguments else None
    return payload if isinstance(payload, dict) and {"event", "handler", "key"} <= payload.keys() else None


def event_of(stored: object) -> Payload | None:
    """The event among the stored arguments of any workflow; None for what has none."""
    arguments = stored.get("args") if isinstance(stored, dict) else None
    for argument in arguments if isinstance(arguments, (list, tuple)) else ():
        if isinstance(argument, dict):
            event = argument.get("event", argument)
            if isinstance(event, dict) and "name" in event:
                return event
    return None


def _is_of(event: Payload, installation_id: int | None, repo_id: int | None) -> bool:
    """What is given has to match: a repository may have gone from one installation to another."""
    repo = event.get("repo")
    if repo_id is not None and not (isinstance(repo, dict) and repo.get("id") == repo_id):
        return False
    return installation_id is None or event.get("installation_id") == installation_id


def _handler_of(stored: object) -> str | None:
    payload = payload_of(stored)
    return None if payload is None else str(payload["handler"])
