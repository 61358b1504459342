"""Check runs of ours that were begun and never completed: GitHub would show them as running for ever."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from bot import logs
from bot.dispatch import Context, Permission, Route, Services
from bot.events import Event, Repo
from bot.github.checks import Checks
from bot.github.errors import GitHubError, NotFound, TokenRefused
from bot.github.texts.check_run import CANCELLED_TITLE, CLOSED_TITLE, UNJUDGED_TITLE
from bot.limits import SweepLimits
from bot.review import open_checks
from bot.store import PUSHED
from bot.sweeps.tally import Tally, handler_of, new_delivery
from bot.work import Work

log = logs.named("sweeps")

PERMISSIONS: dict[str, Permission] = {
    "checks": "write",
    "contents": "read",
    "metadata": "read",
    "pull_requests": "read",
}
_Key = tuple[int, int, str]


class Watchdog:
    """Judges such a head again where it still is one, as if someone had asked for a re-run, and else cancels its check
    run. What is kept of a check goes when GitHub says that the check is completed.

    One that is open for a day is cancelled and not judged any more, since judging it came to nothing each time. It is
    forgotten when GitHub refuses that for good, and after another day in any case.
    """

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
        self._troubled: dict[_Key, float] = {}
        """When the last look at a check failed."""

    async def sweep(self) -> Tally:
        """Look at every check that is open for too long; `looked` are those without a live job."""
        tally = Tally()
        if self._services.settings.mode != "on":
            return tally
        rows = await self._services.store.open_checks(before=self._clock() - self._limits.unfinished)
        self._troubled = {key: at for row in rows if (at := self._troubled.get(key := _key(row))) is not None}
        if not rows:
            return tally
        live = await self._work.live_keys()
        # what could not be looked at last time must not keep the others back
        waiting = sorted(
            (row for row in rows if not _partitions(row) & live), key=lambda row: self._troubled.get(_key(row), 0.0)
        )
        tally.again = len(waiting) > self._limits.checks
        for row in waiting[: self._limits.checks]:
            tally.looked += 1
            try:
                tally.started += await self._look(row)
                self._troubled.pop(_key(row), None)
            except GitHubError as error:
                self._troubled[_key(row)] = self._clock()
                log.warning("check.unfinished", repo=row["repo"], number=row["number"], reason=str(error))
        return tally

    async def _look(self, row: dict[str, Any]) -> int:
        ctx, head = self._context(row), row["head_sha"]
        age = self._clock() - row["since"] / 1000
        try:
            if age > self._limits.abandoned:
                return await self._abandon(ctx, head, last=age > 2 * self._limits.abandoned)
            if not await Checks(ctx.github, head).unfinished():
                await open_checks.forget(ctx, head)
                return 0
            if (title := await self._over(ctx, head)) is not None:
                done = await open_checks.cancel(ctx, head, title)
                log.info("check.cancelled", repo=row["repo"], number=row["number"], head=head, confirmed=done)
                return int(done)
            if self._handler is None:
                return 0
            await self._again(ctx, self._handler)
        except (NotFound, TokenRefused) as error:
            log.info("check.gone", repo=row["repo"], number=row["number"], reason=str(error))
            await open_checks.forget(ctx, head)
            return 0
        log.info("check.again", repo=row["repo"], number=row["number"], head=head)
        return 1

    async def _abandon(self, ctx: Context, head: str, *, last: bool) -> int:
        done = False
        try:
            done = await open_checks.cancel(ctx, head, UNJUDGED_TITLE)
        except GitHubError as error:
            if error.transient and not last:
                raise
            last = True
            log.warning("check.unfinished", repo=ctx.repo.full_name, number=ctx.event.number, reason=str(error))
        if last:
            await open_checks.forget(ctx, head)
        if last or done:
            log.error("check.abandoned", repo=ctx.repo.full_name, number=ctx.event.number, head=head, cancelled=done)
        return int(done)

    async def _over(self, ctx: Context, head: str) -> str | None:
        """Why this head is not judged any more, as a title; None for one that is."""
        if ctx.event.number is None:
            return None
        try:
            pull = await ctx.github.get_pull(ctx.event.number)
        except NotFound:
            return UNJUDGED_TITLE
        if pull.head.sha != head:
            return CANCELLED_TITLE
        return None if pull.open else CLOSED_TITLE

    async def _again(self, ctx: Context, handler: str) -> None:
        found = await ctx.github.get_repository()
        owner, _, name = found.full_name.partition("/")
        repo = Repo(ctx.repo.id, owner, name, found.private, found.default_branch)
        await self._work.start(replace(ctx.event, repo=repo), handler, level=False)

    def _context(self, row: dict[str, Any]) -> Context:
        owner, _, name = str(row["repo"]).partition("/")
        event = Event(
            "check_run",
            "rerequested",
            delivery=new_delivery(),
            installation_id=row["installation_id"],
            # what else there is to know of the repository is asked for where it is needed
            repo=Repo(row["repo_id"], owner, name, private=True, default_branch=""),
            number=None if row["number"] == PUSHED else row["number"],
            head_sha=row["head_sha"],
        )
        return Context(event, self._services, run_id="sweep", permissions=PERMISSIONS)


def _key(row: dict[str, Any]) -> _Key:
    return row["repo_id"], row["number"], row["head_sha"]


def _partitions(row: dict[str, Any]) -> set[str]:
    """The partitions of jobs that may be at work on this check."""
    where, number = row["repo_id"], row["number"]
    return {f"{where}/push", f"{where}/check_run"} if number == PUSHED else {f"{where}/{number}"}
