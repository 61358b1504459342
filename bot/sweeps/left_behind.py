"""What the job engine itself would leave behind: jobs of another version, jobs whose end could not be written, and
deliveries whose intake failed."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime

from dbos import DBOS, SetWorkflowID, WorkflowStatus

from bot import logs
from bot.limits import SweepLimits
from bot.sweeps.tally import Tally
from bot.work import FAILED, INBOX, LIVE, POSTPONED, Work

log = logs.named("sweeps")

RESUMES = 3
"""How often one process resumes one job."""


class LeftBehind:
    """`schema` is the version of the jobs that this process runs."""

    def __init__(
        self, work: Work, limits: SweepLimits, schema: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._work = work
        self._limits = limits
        self._schema = schema
        self._clock = clock
        self._idle: dict[str, float] = {}
        self._resumed: Counter[str] = Counter()
        self._taking = asyncio.Lock()

    async def adopt(self) -> Tally:
        """Begin anew, under another id, what waits or runs under another version: the engine itself leaves it there for
        ever. The old id stays known, so that a redelivery is still a no-op."""
        tally = Tally()
        versions = {each["version_name"] for each in await DBOS.list_application_versions_async()} - {self._schema}
        if not versions:
            return tally
        # the oldest first, so that what waited in line still does
        for row in await DBOS.list_workflows_async(app_version=sorted(versions), status=list(LIVE), load_output=False):
            tally.looked += 1
            if row.name == "ingest":
                taken = await self.take_again(row.forked_from or row.workflow_id, but=row.workflow_id)
            else:
                taken = await self._work.renew(row)
            if not taken:
                log.error("job.unreadable", job=row.workflow_id, name=row.name, version=row.app_version)
            # last: until here the next start would try again
            await DBOS.cancel_workflows_async([row.workflow_id])
            tally.started += taken
            log.info("job.adopted", job=row.workflow_id, name=row.name, version=row.app_version)
        return tally

    async def resume(self) -> Tally:
        """Resume the jobs that the engine believes to run here and that no task runs: their end could not be written,
        for instance because the disk was full. They are looked at twice, some time apart: a task may be about to begin
        or to end."""
        rows = await DBOS.list_workflows_async(
            status="PENDING", app_version=self._schema, executor_id="local", load_input=False, load_output=False
        )
        now, active = self._clock(), self._work.active()
        idle = {row.workflow_id: row for row in rows if row.workflow_id not in active and row.queue_name}
        self._idle = {job: self._idle.get(job, now) for job in idle if self._resumed[job] < RESUMES}
        due = [job for job, since in self._idle.items() if now - since >= self._limits.idle]
        for job in due:
            self._resumed[job] += 1
            del self._idle[job]
            log.warning("job.resumed", job=job, name=idle[job].name)
            # without its name it would move to another queue
            await DBOS.resume_workflow_async(job, queue_name=idle[job].queue_name)
        return Tally(looked=len(idle), started=len(due), again=bool(self._idle))

    async def retake(self) -> Tally:
        """Take in again the deliveries whose intake failed: GitHub believes that they arrived."""
        since = datetime.fromtimestamp(time.time() - self._limits.window, UTC)
        rows = await DBOS.list_workflows_async(
            name="ingest",
            status="ERROR",
            start_time=since.isoformat(),
            is_fork=False,
            load_input=False,
            load_output=False,
        )
        tally = Tally(looked=len(rows))
        for row in rows:
            tally.started += await self.take_again(row.workflow_id, attempts=self._limits.attempts)
        return tally

    async def take_again(self, delivery: str, *, but: str | None = None, attempts: int | None = None) -> bool:
        """Run the intake of a delivery once more, unless an intake after the first has not failed; a used id never
        runs again, so the first is forked. `but` is one that does not count, `attempts` how many there may be."""
        async with self._taking:
            forks = await DBOS.list_workflows_async(forked_from=delivery, load_input=False, load_output=False)
            if any(_counts(fork, but) for fork in forks):
                return but is not None
            if attempts is not None and len(forks) + 1 >= attempts:
                return False
            with SetWorkflowID(f"{delivery}{POSTPONED}{len(forks) + 1}"):
                await DBOS.fork_workflow_async(delivery, 1, application_version=self._schema, queue_name=INBOX)
        log.info("delivery.again", delivery=delivery, attempt=len(forks) + 2)
        return True


def _counts(fork: WorkflowStatus, but: str | None) -> bool:
    return fork.status not in FAILED and fork.workflow_id != but
