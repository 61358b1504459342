"""The jobs of one process: how they are enqueued, found, stopped, begun anew and forgotten.

A job's id is `partition:moment:delivery`, so that the jobs of one number are found together and in order. Its row in
the job engine (dbos) holds a payload: the event, the handler's name and the partition.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import Context as Blank
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from dbos import DBOS, SetEnqueueOptions, SetWorkflowID, SetWorkflowTimeout, WorkflowStatus

from bot import logs
from bot.dispatch import HOUSEKEEPING, Route, Services
from bot.events import Event
from bot.limits import JobLimits

log = logs.named("jobs")

INBOX = "inbox"
WORK = "pr"
LIVE = ("ENQUEUED", "DELAYED", "PENDING")
DONE = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
FAILED = ("ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")

POSTPONED = "~"
"""Ends the id of a job or a report once for each time that it was begun anew after a rate limit or an outage; no
delivery's id holds it."""
REPORT = ":failed"
"""Ends the id of the report on a job."""
ASIDE = "/aside"
"""Ends the partition of jobs that do not wait for the others of their number."""

PAGE = 500
"""Rows that are read from the engine at once."""

Payload: TypeAlias = "dict[str, Any]"
Body: TypeAlias = "Callable[..., Coroutine[Any, Any, None]]"


def run_id(job_id: str) -> str:
    """The short name of a job that people see: eight hex digits, the same after a restart."""
    return hashlib.sha256(job_id.encode()).hexdigest()[:8]


def report_id(job_id: str) -> str:
    """The id of the report on a job."""
    return job_id + REPORT


def run_of(workflow_id: str) -> str:
    """The short name under which people know a job or a report: a report has that of the job that it is about."""
    job_id, reports, _ = workflow_id.rpartition(REPORT)
    return run_id(job_id if reports else workflow_id)


def partition(event: Event, route: Route) -> str:
    """What must not run twice at once: the number, or else the kind of event in its repository or installation."""
    where = event.repo.id if event.repo is not None else f"installation-{event.installation_id}"
    key = f"{where}/{event.number if event.number is not None else event.name}"
    return key + ASIDE if route.aside(event) else key


class Work:
    """The jobs of this process. `bodies` are the engine's functions `job` and `report`, by these names; they are
    registered once a process, and given by `bot.workflows.begin`."""

    def __init__(self, services: Services, limits: JobLimits) -> None:
        self.services = services
        self.limits = limits
        self.bodies: Mapping[str, Body] = {}
        self._running: dict[asyncio.Task[Any], str] = {}
        self._stopping = False
        self._urgent = 0
        self._way = asyncio.Event()
        self._way.set()

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

    # enqueueing

    async def start(self, event: Event, handler: str, *, level: bool = True) -> None:
        """Start a job that no delivery asked for, as if one had. `event.delivery` names it, and has to be new."""
        await self.give_way()
        route = Route(event.name, event.action, handler, level=level)
        await self.take_up(int(time.time() * 1000), event, route)

    async def take_up(self, now_ms: int, event: Event, route: Route) -> None:
        """Enqueue the job of an event, and cancel the older ones that it makes needless. Safe to repeat."""
        key = partition(event, route)
        job_id = f"{key}:{now_ms:013d}:{event.delivery}"
        payload = {"event": event.to_json(), "handler": route.handler, "key": key}
        # first the new job, which waits for the older ones: a stop in between must not leave the number without any
        await self._start(job_id, key, "job", payload)
        if route.level:
            # safe to repeat and nothing depends on its outcome, so it need not be stored as a step
            await asyncio.create_task(self._supersede(key, job_id, route.handler), context=Blank())
        log.info("job.enqueued", job=job_id, handler=route.handler, delivery=event.delivery)

    async def postpone(self, job_id: str, payload: Payload, *, delay: float) -> None:
        """Enqueue a job once more under a further id, to begin after `delay` seconds."""
        await self._start(job_id + POSTPONED, str(payload["key"]), "job", payload, delay=delay)

    async def postpone_report(self, report: str, payload: Payload, job_id: str, reason: str, *, delay: float) -> None:
        """The same for the report with the id `report`."""
        key = str(payload["key"])
        await self._start(report + POSTPONED, key, "report", payload, job_id, reason, delay=delay)

    async def start_report(self, job_id: str, payload: Payload, reason: str) -> None:
        """Enqueue the report on a job that failed; once, however often this is called."""
        await self._start(report_id(job_id), str(payload["key"]), "report", payload, job_id, reason)

    async def renew(self, row: WorkflowStatus) -> bool:
        """Enqueue a stored job or report once more under a further id; False for one that cannot be read."""
        payload = payload_of(row.input)
        arguments = row.input.get("args") if isinstance(row.input, dict) else None
        if payload is None or row.name not in self.bodies or not isinstance(arguments, (list, tuple)):
            return False
        delay = max((row.delay_until_epoch_ms or 0) / 1000 - time.time(), 0.0) or None
        again = row.workflow_id + POSTPONED
        await self._start(again, str(payload["key"]), row.name, *arguments, delay=delay)
        if row.name == "job":
            await self.services.store.run_finished(run_id(row.workflow_id), state="postponed", detail="begun anew")
        return True

    async def _start(self, job_id: str, key: str, body: str, *arguments: Any, delay: float | None = None) -> None:
        timeout = SetWorkflowTimeout(self.limits.job + self.limits.grace)
        with SetWorkflowID(job_id), timeout, SetEnqueueOptions(queue_partition_key=key, delay_seconds=delay):
            await DBOS.enqueue_workflow_async(WORK, self.bodies[body], *arguments)

    # finding

    async def live(self, key: str, *, load: bool = True) -> list[WorkflowStatus]:
        """The jobs and reports of a partition that run or wait, oldest first."""
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

    # stopping

    async def stop_jobs(self, job_ids: Collection[str], *, by: str) -> None:
        """Cancel these jobs and reports, as far as they are not at their end. Safe to repeat."""
        await self._cancel(job_ids, "cancelled")
        log.info("job.stopped", jobs=len(job_ids), by=by)

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

    async def _cancel(self, job_ids: Collection[str], state: str) -> None:
        await DBOS.cancel_workflows_async(list(job_ids), cancel_children=True)
        for each in job_ids:
            # the run that a report is about has its end already
            await self.services.store.run_cut(run_id(each), state=state)

    # forgetting

    async def forget_jobs(self, installation_id: int, repo_ids: Collection[int] | None, *, but: str) -> None:
        """Delete what the engine keeps of deliveries and jobs of an installation, which is their text and names, and
        stop those that run; of some of its repositories only, where these are given. Safe to repeat."""
        wanted = None if repo_ids is None else frozenset(repo_ids)
        seen: set[str] = set()
        since, limit, count = 0, PAGE, 0
        while True:
            # from where the last page ended, as rows are deleted meanwhile, here and elsewhere
            rows = await DBOS.list_workflows_async(start_time=_moment(since), limit=limit, load_output=False)
            fresh = [row for row in rows if row.workflow_id not in seen]
            count += await self._forget([row for row in fresh if _is_of(row, installation_id, wanted, but)])
            if len(rows) < limit:
                break
            if not fresh:
                # one moment with more rows than a page holds
                limit *= 2
            since = rows[-1].created_at or 0
            seen = {row.workflow_id for row in rows if row.created_at == since}
        log.info("jobs.forgotten", installation=installation_id, repos=len(wanted or ()), jobs=count)

    async def _forget(self, rows: list[WorkflowStatus]) -> int:
        if running := [row.workflow_id for row in rows if row.status in LIVE]:
            await DBOS.cancel_workflows_async(running, cancel_children=True)
            await self._ended(running)
        if rows:
            await DBOS.delete_workflows_async([row.workflow_id for row in rows])
        return len(rows)

    async def _ended(self, job_ids: list[str]) -> None:
        """Wait until these bodies are at their end, which the engine still writes into their rows; not for ever."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.limits.ending):
                while self.active() & set(job_ids):  # noqa: ASYNC110 - the engine tells nobody of an end
                    await asyncio.sleep(self.limits.poll)


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


def _is_of(row: WorkflowStatus, installation_id: int, repo_ids: Collection[int] | None, but: str) -> bool:
    """Both have to match: a repository may have gone from one installation to another."""
    event = event_of(row.input)
    if event is None or event.get("installation_id") != installation_id:
        return False
    # another job that forgets has still to come to its end, and so has the delivery that told this one to
    if (
        (row.status in LIVE and event["name"] in HOUSEKEEPING)
        or but == row.workflow_id
        or but.endswith(f":{row.workflow_id}")
    ):
        return False
    repo = event.get("repo")
    return repo_ids is None or (isinstance(repo, dict) and repo.get("id") in repo_ids)


def _moment(ms: int) -> str:
    return (datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=ms)).isoformat()


def _handler_of(stored: object) -> str | None:
    payload = payload_of(stored)
    return None if payload is None else str(payload["handler"])
