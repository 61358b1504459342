"""Check runs of ours that were begun and never completed: GitHub would show them as running for ever."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from bot import logs
from bot.dispatch import Permission, Route, Services
from bot.events import Event, Repo
from bot.github.client import Installation
from bot.github.errors import GitHubError, NotFound, TokenRefused
from bot.github.models import Pull
from bot.github.publication import CHECK_NAME
from bot.github.publish import cancel
from bot.store import PUSHED
from bot.sweeps.tally import Tally, handler_of, new_delivery
from bot.workflows import SweepLimits, Work

log = logs.named("sweeps")

PERMISSIONS: dict[str, Permission] = {"checks": "write", "metadata": "read", "pull_requests": "read"}


class Watchdog:
    """Judges such a head again where it still is one, as if someone had asked for a re-run, and else cancels its check
    run. What it keeps of a check is closed when GitHub says that the check is completed, and not before."""

    def __init__(
        self,
        services: Services,
        work: Work,
        routes: Sequence[Route],
        limits: SweepLimits,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._services = services
        self._work = work
        self._limits = limits
        self._clock = clock
        self._handler = handler_of(routes, "check_run", "rerequested")

    async def sweep(self) -> Tally:
        """Look at every check that is open for too long; `looked` are those without a live job."""
        tally = Tally()
        if self._services.settings.mode != "on":
            return tally
        rows = await self._services.store.open_checks(before=self._clock() - self._limits.unfinished)
        if not rows:
            return tally
        live = await self._work.live_keys()
        waiting = [row for row in rows if not _keys(row) & live]
        tally.again = len(waiting) > self._limits.checks
        for row in waiting[: self._limits.checks]:
            tally.looked += 1
            try:
                tally.started += await self._look(row)
            except (NotFound, TokenRefused) as error:
                log.info("check.gone", repo=row["repo"], number=row["number"], reason=str(error))
                await self._close(row)
            except GitHubError as error:
                log.warning("check.unfinished", repo=row["repo"], number=row["number"], reason=str(error))
        return tally

    async def _look(self, row: dict[str, Any]) -> int:
        github = self._services.github.installation(
            row["installation_id"],
            row["repo"],
            permissions=PERMISSIONS,
            trace="sweep",
            repository_id=row["repo_id"],
        )
        head = row["head_sha"]
        runs = await github.list_check_runs(head, name=CHECK_NAME, app_id=self._services.github.id)
        if all(run.status == "completed" for run in runs):
            await self._close(row)
            return 0
        if self._clock() - row["since"] / 1000 > self._limits.abandoned:
            log.error("check.abandoned", repo=row["repo"], number=row["number"], head=head)
            await self._close(row)
            return 0
        if row["number"] != PUSHED and not await self._is_head(github, row):
            await cancel(github, f"{row['repo_id']}/{row['number']}", head)
            await self._close(row)
            log.info("check.cancelled", repo=row["repo"], number=row["number"], head=head)
            return 1
        if self._handler is None:
            return 0
        await self._work.start(_rerun(row), self._handler, level=False)
        log.info("check.again", repo=row["repo"], number=row["number"], head=head)
        return 1

    async def _is_head(self, github: Installation, row: dict[str, Any]) -> bool:
        try:
            pull: Pull = await github.get_pull(row["number"])
        except NotFound:
            return False
        return pull.open and pull.head.sha == row["head_sha"]

    async def _close(self, row: dict[str, Any]) -> None:
        await self._services.store.check_closed(row["repo_id"], row["number"], row["head_sha"])


def _keys(row: dict[str, Any]) -> set[str]:
    """The partitions of jobs that may be at work on this check."""
    where, number = row["repo_id"], row["number"]
    return {f"{where}/push", f"{where}/check_run"} if number == PUSHED else {f"{where}/{number}"}


def _rerun(row: dict[str, Any]) -> Event:
    owner, _, name = str(row["repo"]).partition("/")
    return Event(
        "check_run",
        "rerequested",
        delivery=new_delivery(),
        installation_id=row["installation_id"],
        repo=Repo(row["repo_id"], owner, name, private=True, default_branch="main"),
        number=None if row["number"] == PUSHED else row["number"],
        head_sha=row["head_sha"],
        app_id=None,
    )
