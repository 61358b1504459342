"""The context that handlers get in a job: their steps are stored, and they see the other jobs of their number."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping
from contextvars import Context as Blank
from typing import Any, cast

from dbos import DBOS

from bot import steps
from bot.dispatch import Context, Permission, Services, Step, Stopped
from bot.events import Event, Json
from bot.steps import StepLimits
from bot.work import Work, payload_of, run_of


class DurableContext(Context):
    """Under jobs, what a step gave is stored, and the step does not run again after a restart.

    A name that comes again in the run gets a number, `publish 2`: a run that judges twice has the same steps twice, and
    the log tells them apart. Their order is the same in a replay.
    """

    def __init__(
        self,
        event: Event,
        services: Services,
        *,
        run_id: str,
        job_id: str,
        work: Work,
        limits: StepLimits,
        permissions: Mapping[str, Permission] | None = None,
    ) -> None:
        super().__init__(event, services, run_id=run_id, permissions=permissions)
        self.job_id = job_id
        self._work = work
        self._limits = limits
        self._names: Counter[str] = Counter()

    async def step(self, name: str, fn: Step) -> Json:
        self._names[name] += 1
        count = self._names[name]
        return await step(name if count == 1 else f"{name} {count}", fn, self._work, self._limits, job=self.job_id)

    async def stop(self) -> list[Stopped]:
        async def look() -> Json:
            live = await asyncio.create_task(self._work.live(self.key), context=Blank())
            return [
                {"job": each.workflow_id, "payload": cast(Json, payload_of(each.input))}
                for each in live
                if each.workflow_id != self.job_id
            ]

        # first the list, which is stored: a stop that was cut short is taken up again and tells the same
        found = cast("list[dict[str, Any]]", await self.step("look-for-jobs", look))
        if not found:
            return []

        async def cancel() -> Json:
            ids = [str(each["job"]) for each in found]
            await asyncio.create_task(self._work.stop_jobs(ids, by=self.job_id), context=Blank())
            return None

        await self.step("stop-jobs", cancel)
        return [
            Stopped(run_of(each["job"]), str(payload["handler"]), Event.from_json(payload["event"]))
            for each in found
            if (payload := each["payload"]) is not None
        ]

    async def forget_jobs(self, installation_id: int, repo_ids: Collection[int] | None = None) -> None:
        work = self._work.forget_jobs(installation_id, repo_ids, but=self.job_id)
        await asyncio.create_task(work, context=Blank())

    async def running(self) -> list[str]:
        live = await asyncio.create_task(self._work.live(self.key, load=False), context=Blank())
        return [run_of(each.workflow_id) for each in live if each.workflow_id != self.job_id]


async def step(name: str, fn: Step, work: Work, limits: StepLimits, *, job: str) -> Json:
    """Run one effect as a stored step of the workflow that calls; its value, or the error that it raised."""
    await work.give_way()

    async def attempt() -> dict[str, Json]:
        return await steps.run(name, fn, limits=limits, job=job)

    return steps.unwrap(await DBOS.run_step_async({"name": name, "preemptible": True}, attempt))
