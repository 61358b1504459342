"""Durable jobs: a delivery is stored before it is answered, and what it starts is finished also across a crash.

The job engine's (dbos) row is the inbox, its id the delivery's GUID: one that is known already is a no-op, one whose
intake failed runs again when it is redelivered. What the jobs do is in `bot.workflows`, how they are kept in
`bot.work`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetWorkflowID, SetWorkflowTimeout
from dbos import error as engine_errors

from bot import logs, workflows
from bot.dispatch import Handler, Route, Services
from bot.events import Event
from bot.limits import JobLimits
from bot.steps import transient
from bot.sweeps import Deliveries, LeftBehind, Reconcile, Tally, Watchdog
from bot.work import DONE, FAILED, INBOX, WORK, Work, payload_of, report_id, run_id
from bot.workflows import ATTEMPTS, SCHEMA, ingest

log = logs.named("jobs")

Chore = Callable[[], Awaitable[Tally]]
UPGRADE = "upgrade"


class EnqueueFailed(Exception):  # noqa: N818
    """A delivery that could not be stored; GitHub has to be told so."""


class Jobs:
    """The engine of one process, of which there is one at a time. `launch` within the event loop that the services
    belong to, `close` before the services are closed. `handlers` maps a route's handler name to its module."""

    def __init__(
        self,
        services: Services,
        routes: Sequence[Route],
        handlers: Mapping[str, Handler],
        *,
        limits: JobLimits | None = None,
    ) -> None:
        self.services = services
        self.limits = limits or JobLimits()
        self.work = Work(services, self.limits)
        self._running = workflows.Running(self.work, tuple(routes), dict(handlers))
        self.swept: Counter[tuple[str, str]] = Counter()
        """What the sweeps looked at and started since the start, by the chore's name and `looked` or `started`."""
        sweeps = self.limits.sweeps
        self._left_behind = LeftBehind(self.work, sweeps, SCHEMA)
        deliveries = Deliveries(services, routes, sweeps)
        reconcile = Reconcile(services, self.work, routes, sweeps)
        watchdog = Watchdog(services, self.work, routes, sweeps)
        self._chores: dict[str, Chore] = {
            UPGRADE: self._left_behind.adopt,
            "dead": self._report_dead,
            "idle": self._left_behind.resume,
            "intake": self._left_behind.retake,
            "deliveries": deliveries.sweep,
            "reconcile": reconcile.sweep,
            "checks": watchdog.sweep,
            "forget": self._forget,
        }
        self._sweeping = asyncio.Lock()
        # SQLite has one writer: enqueues that queue up before one thread are faster than those that wait for its lock,
        # and a thread of their own does not make them wait for the jobs' writes as well
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="deliveries")
        self._sweeper: asyncio.Task[None] | None = None

    async def launch(self) -> None:
        """Start the engine; pending jobs go on. An SQLite file has to be owned (`bot.sqlite.owning`) by then."""
        url = self.services.settings.database
        try:
            workflows.begin(self._running)
            DBOS(config=_config(url, self.limits.listen))
            logs.quiet(logging.getLogger("dbos"))
            # on this thread, so that the engine takes this loop for its jobs
            DBOS.launch()
            limits = self.limits
            await DBOS.register_queue_async(
                WORK, partition_concurrency=1, worker_concurrency=limits.concurrency, polling_interval_sec=limits.poll
            )
            await DBOS.register_queue_async(
                INBOX, worker_concurrency=limits.concurrency, polling_interval_sec=limits.poll
            )
        except BaseException:
            await self.close()
            raise
        await self._chore(UPGRADE, self._left_behind.adopt)
        self._sweeper = asyncio.create_task(self._sweep())
        log.info("jobs.launched", schema=SCHEMA)

    async def close(self) -> None:
        """Stop in the middle of whatever runs; it goes on at the next launch. Never marks a job as failed."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.wait({self._sweeper})
        await self.work.stop()
        self._writer.shutdown(wait=False, cancel_futures=True)
        # destroying joins threads that may wait for this loop, and ends the executor that the engine gave to the loop
        loop, aside = asyncio.get_running_loop(), ThreadPoolExecutor(thread_name_prefix="closing")
        await loop.run_in_executor(aside, DBOS.destroy)
        loop.set_default_executor(aside)
        workflows.end(self._running)
        log.info("jobs.closed")

    async def deliver(self, event: Event) -> bool:
        """Store one delivery; False for one that is known already. Raises EnqueueFailed when that did not succeed
        within the time that GitHub waits; then a redelivery is safe, stored or not."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self.limits.enqueue):
                with self.work.yielding():
                    status = await loop.run_in_executor(self._writer, self._enqueue, event)
                return status is None or (status in FAILED and await self._left_behind.take_again(event.delivery))
        except Exception as error:
            reason = "it took too long" if isinstance(error, TimeoutError) else type(error).__name__
            log.error("delivery.lost", exception=error, delivery=event.delivery)
            raise EnqueueFailed(f"the delivery could not be stored ({reason}); please redeliver") from error

    def _enqueue(self, event: Event) -> str | None:
        """None for a new delivery, else the status of the one that has its id."""
        try:
            with SetWorkflowID(event.delivery, workflow_id_reuse_policy="reject"), SetWorkflowTimeout(self.limits.job):
                DBOS.enqueue_workflow(INBOX, ingest, int(time.time() * 1000), event.to_json())
        except engine_errors.DBOSWorkflowIDInUseError as used:
            return used.workflow_status
        return None

    async def sweep(self) -> bool:
        """Do every chore once; whether something is left that should not wait for the next regular sweep."""
        async with self._sweeping:
            began, before = time.monotonic(), self.swept.copy()
            again = any([await self._chore(name, chore) for name, chore in self._chores.items()])
            new = self.swept - before
            counts = {word: sum(n for (_, kind), n in new.items() if kind == word) for word in ("looked", "started")}
            log.info("sweep.finished", **counts, again=again, seconds=round(time.monotonic() - began, 3))
            return again

    async def _chore(self, name: str, chore: Chore) -> bool:
        try:
            done = await chore()
        except Exception as error:  # noqa: BLE001 - it is tried again, and the other chores go on
            if transient(error):
                log.warning("sweep.postponed", name=name, reason=str(error))
            else:
                log.error("sweep.failed", exception=error, name=name)
            return True
        self.swept[name, "looked"] += done.looked
        self.swept[name, "started"] += done.started
        if done.looked or done.started:
            log.info("sweep.done", name=name, looked=done.looked, started=done.started, again=done.again)
        return done.again

    async def _sweep(self) -> None:
        while True:
            again = await self.sweep()
            await asyncio.sleep(min(self.limits.sweep, self.limits.sweeps.soon) if again else self.limits.sweep)

    async def _report_dead(self) -> Tally:
        return Tally(started=await self.report_dead())

    async def _forget(self) -> Tally:
        return Tally(started=await self.forget())

    async def report_dead(self) -> int:
        """Start a report for each job that was given up because its process died too often; its own code runs no
        more. Returns how many."""
        dead = await DBOS.list_workflows_async(
            name="job", status="MAX_RECOVERY_ATTEMPTS_EXCEEDED", load_output=False, limit=1000, sort_desc=True
        )
        known = await DBOS.list_workflows_async(
            workflow_ids=[report_id(each.workflow_id) for each in dead] or ["none"],
            load_input=False,
            load_output=False,
        )
        reported = {each.workflow_id for each in known}
        count = 0
        for each in dead:
            payload = payload_of(each.input)
            if payload is None or report_id(each.workflow_id) in reported:
                continue
            reason = f"the run was started {ATTEMPTS + 1} times and never finished: each time the process ended"
            log.error("job.dead", job=each.workflow_id, run=run_id(each.workflow_id))
            await self.work.start_report(each.workflow_id, payload, reason)
            await self.services.store.run_finished(run_id(each.workflow_id), state="dead", detail=reason)
            count += 1
        return count

    async def forget(self, batch: int = 500) -> int:
        """Delete the rows of jobs that ended longer ago than they are kept, and of old runs. Returns how many jobs."""
        await self.services.store.forget_runs(before=time.time() - self.limits.keep_runs)
        before = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - self.limits.keep))
        count = 0
        while True:
            old = await DBOS.list_workflows_async(
                completed_before=before, status=list(DONE), limit=batch, load_input=False, load_output=False
            )
            if not old:
                return count
            await DBOS.delete_workflows_async([each.workflow_id for each in old])
            count += len(old)


def _config(url: str, listen: float) -> DBOSConfig:
    return {
        "name": "planproof",
        "serializer": DBOSPortableJSONSerializer(),
        "system_database_url": url,
        # one process owns an SQLite file, so that its jobs are found again under the same name
        "executor_id": "local",
        # without it every upgrade would strand what is pending
        "application_version": SCHEMA,
        "max_executor_threads": 64,
        "log_level": "WARNING",
        "notification_listener_polling_interval_sec": listen,
    }
