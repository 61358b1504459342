"""Work that no event told of: open issues and pull requests that changed, and were not looked at since.

An event can be lost without a trace (a webhook that pointed elsewhere, an answer given too soon), and a lost database
takes what was taken with it. What was last changed before the App was installed is left alone, and so is a repository
that was neither pushed to nor changed since the last look, and of which no event ever came: an issue there does not
count as a change of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bot import logs
from bot.dispatch import Permission, Route, Services
from bot.events import Event, Repo
from bot.github.client import Installation
from bot.github.errors import GitHubError, NotFound, Refused, TokenRefused
from bot.github.models import InstallationInfo, Issue, Repository
from bot.limits import SweepLimits
from bot.sweeps.tally import Tally, handler_of, new_delivery, seconds, stamp
from bot.work import Work

log = logs.named("sweeps")

LIST: dict[str, Permission] = {"metadata": "read"}
READ: dict[str, Permission] = {"issues": "read", "metadata": "read", "pull_requests": "read"}
GONE = (NotFound, Refused, TokenRefused)
"""Errors that the next sweep would meet again."""


@dataclass
class _Round:
    """One look at all repositories of an installation; it may take several sweeps. `started`: what it started."""

    began: float
    since: float
    rest: list[Repository]
    started: set[str] = field(default_factory=set)


class Reconcile:
    """Starts the jobs that events should have started. Every installation is looked at from where its last whole round
    began, a little earlier, since GitHub's clock is another one."""

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
        self._pull_handler = handler_of(routes, "pull_request", "synchronize")
        self._issue_handler = handler_of(routes, "issues", "edited")
        self._rounds: dict[int, _Round] = {}
        self._left = 0
        self._unlisted = False

    async def sweep(self) -> Tally:
        """Look at what changed; `looked` are issues and pull requests. Raises GitHubError where the installations
        cannot be listed; one that fails does not keep the others back."""
        tally = Tally()
        if self._services.settings.mode == "off" or not (self._pull_handler or self._issue_handler):
            return tally
        live = await self._work.live_keys()
        self._left = self._limits.repositories
        try:
            found = await self._services.github.installations()
        except NotFound:
            if not self._unlisted:
                self._unlisted = True
                log.info("sweep.no_installations", reason="this server does not list installations")
            return tally
        installations = [each for each in found if each.suspended_at is None]
        for installation in installations:
            try:
                await self._installation(installation, live, tally)
            except GitHubError as error:
                tally.again = True
                log.warning("reconcile.unfinished", installation=installation.id, reason=str(error))
        for gone in self._rounds.keys() - {each.id for each in installations}:
            del self._rounds[gone]
        return tally

    async def _installation(self, installation: InstallationInfo, live: set[str], tally: Tally) -> None:
        name = f"reconcile/{installation.id}"
        current = self._rounds.get(installation.id) or await self._round(installation, name)
        self._rounds[installation.id] = current
        while current.rest:
            if self._left <= 0 or tally.started >= self._limits.starts:
                tally.again = True
                log.info("reconcile.rest", installation=installation.id, repositories=len(current.rest))
                return
            self._left -= 1
            repository = current.rest[0]
            try:
                whole = await self._repository(installation, repository, current, live, tally)
            except GONE as error:
                log.warning("reconcile.skipped", repo=repository.full_name, reason=str(error))
                whole = True
            if whole:
                del current.rest[0]
        await self._services.store.sweep_done(name, current.began)
        del self._rounds[installation.id]

    async def _round(self, installation: InstallationInfo, name: str) -> _Round:
        now = self._clock()
        # without its age nothing before this moment can be told from what was there before
        created = seconds(installation.created_at) if installation.created_at else now
        last = await self._services.store.swept(name)
        since = created if last is None else max(created, last - self._limits.reconcile_overlap)
        known = {row["repo_id"] for row in await self._services.store.known_repositories(installation.id)}
        try:
            found = await self._services.github.installation(installation.id, permissions=LIST).repositories()
        except GONE as error:
            log.warning("reconcile.unlisted", installation=installation.id, reason=str(error))
            found = []
        rest = [
            each
            for each in found
            if not each.archived
            and (each.id in known or max(seconds(each.pushed_at), seconds(each.updated_at)) > since)
        ]
        return _Round(now, since, rest)

    async def _repository(
        self, installation: InstallationInfo, repository: Repository, current: _Round, live: set[str], tally: Tally
    ) -> bool:
        """False where more jobs were wanted than one sweep may start."""
        github = self._services.github.installation(
            installation.id,
            repository.full_name,
            permissions=READ,
            trace="sweep",
            repository_id=repository.id,
        )
        created = seconds(installation.created_at)
        for issue in await github.list_issues(since=stamp(current.since)):
            if seconds(issue.updated_at) <= created:
                continue
            tally.looked += 1
            key = f"{repository.id}/{issue.number}"
            if key in live or key in current.started or not await self._unseen(github, repository.id, issue):
                continue
            if tally.started >= self._limits.starts:
                return False
            await self._start(installation.id, repository, issue)
            current.started.add(key)
            tally.started += 1
        return True

    async def _unseen(self, github: Installation, repo_id: int, issue: Issue) -> bool:
        """Whether nobody looked at an issue since it changed, or at a pull request at its present head, and nobody
        stopped that."""
        store, updated = self._services.store, seconds(issue.updated_at)
        if issue.pull_request is None:
            if self._issue_handler is None:
                return False
            looked = await store.last_look(repo_id, issue.number, self._issue_handler)
            stopped = await store.last_stop(repo_id, issue.number)
            # what a person stopped waits for an event; our very answer to that is a change
            if stopped is not None and stopped >= (looked or 0):
                return False
            return looked is None or looked / 1000 < updated
        if self._pull_handler is None:
            return False
        verdict = await store.last_verdict(repo_id, issue.number)
        # what we write ourselves changes the time, too, but not of a run that began after it
        if verdict is not None and verdict["started"] / 1000 - self._limits.clock_skew > updated:
            return False
        try:
            pull = await github.get_pull(issue.number)
        except NotFound:
            return False
        head = pull.head.sha
        return (
            pull.open
            and await store.last_verdict(repo_id, issue.number, head) is None
            and await store.last_stop(repo_id, issue.number, head) is None
        )

    async def _start(self, installation_id: int, repository: Repository, issue: Issue) -> None:
        owner, _, name = repository.full_name.partition("/")
        is_pull = issue.pull_request is not None
        handler = self._pull_handler if is_pull else self._issue_handler
        assert handler is not None  # noqa: S101 - nothing is unseen without one
        event = Event(
            "pull_request" if is_pull else "issues",
            "sweep",
            delivery=new_delivery(),
            installation_id=installation_id,
            repo=Repo(repository.id, owner, name, repository.private, repository.default_branch),
            number=issue.number,
        )
        await self._work.start(event, handler)
