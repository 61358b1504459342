"""From an event to the handler that wants it, and what a handler is given to work with.

Routes are data that come from the handlers' package, so that nothing here imports it. A handler module has
`async def handle(ctx)` and may have `async def failed(ctx, reason)`, called once when `handle` failed for good.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, Protocol

from bot.events import Event, Json, Repo

if TYPE_CHECKING:
    from bot.engine_process import EnginePool
    from bot.github.client import App, Installation
    from bot.mirror import Mirrors
    from bot.repo_config import Defaults
    from bot.settings import Settings
    from bot.store import Store

Permission = Literal["read", "write"]
Step = Callable[[], Awaitable[Json]]
Test = Callable[[Event], bool]


def always(_event: Event) -> bool:
    return True


def never(_event: Event) -> bool:
    return False


@dataclass(frozen=True)
class Route:
    """One thing the bot reacts to. `action` None means every action; `handler` is a key of the handlers' mapping;
    `permissions` are what the handler needs of the installation, by GitHub's permission names.

    `level`: the event only says "look at number n", so that a newer job of the same handler and number makes an older
    one needless. False for what must run each time, a command for instance.

    `wanted` is asked of each such event before it is stored: False is an event that starts nothing. `aside` says of an
    event that its job runs beside the others of its number, not after them. `number` finds the number that an event is
    about and does not name as such.
    """

    event: str
    action: str | None
    handler: str
    permissions: Mapping[str, Permission] = field(default_factory=dict)
    level: bool = True
    wanted: Test = always
    aside: Test = never
    number: Callable[[Event], int | None] | None = None


class Handler(Protocol):
    """A handler module; `async def failed(self, ctx, reason)` is optional."""

    async def handle(self, ctx: Context) -> None: ...


@dataclass(frozen=True)
class Services:
    """What the factory builds once and every job shares."""

    settings: Settings
    github: App
    engines: EnginePool
    mirrors: Mirrors
    store: Store
    defaults: Defaults


@dataclass(frozen=True)
class Stopped:
    """A job that was stopped: the run's name, the handler it ran, and the event it was started by."""

    run_id: str
    handler: str
    event: Event


class Context:
    """What one run of a handler works with.

    `event.number` is the issue or pull request that the run is bound to, also where the delivery itself (a check of a
    fork) names none. `run_id` is short, stands on everything posted, and is the same after a restart. `permissions`
    are those that the token of `github` is narrowed to; with None it may do what the installation granted.
    """

    def __init__(
        self,
        event: Event,
        services: Services,
        *,
        run_id: str,
        permissions: Mapping[str, Permission] | None = None,
    ) -> None:
        self.event = event
        self.services = services
        self.run_id = run_id
        self.permissions = permissions

    @property
    def repo(self) -> Repo:
        """Raises LookupError for an event that is about no repository."""
        if self.event.repo is None:
            raise LookupError(f"{self.event.name} {self.event.delivery} names no repository")
        return self.event.repo

    @property
    def number(self) -> int:
        """Raises LookupError for an event that is about no issue or pull request."""
        if self.event.number is None:
            raise LookupError(f"{self.event.name} {self.event.delivery} names no issue or pull request")
        return self.event.number

    @property
    def installation_id(self) -> int:
        """Raises LookupError for an event without installation, which starts no job."""
        if self.event.installation_id is None:
            raise LookupError(f"{self.event.name} {self.event.delivery} carries no installation")
        return self.event.installation_id

    @property
    def key(self) -> str:
        """What this run is about, for locks and ids: `repository id/number`."""
        return f"{self.repo.id}/{self.number}"

    @property
    def settings(self) -> Settings:
        return self.services.settings

    @property
    def engines(self) -> EnginePool:
        return self.services.engines

    @property
    def mirrors(self) -> Mirrors:
        return self.services.mirrors

    @property
    def store(self) -> Store:
        return self.services.store

    @property
    def github(self) -> Installation:
        """GitHub as this event's installation, at this event's repository and nowhere else."""
        return self.services.github.installation(
            self.installation_id,
            self.event.repo.full_name if self.event.repo is not None else None,
            permissions=self.permissions,
            trace=self.event.delivery,
            repository_id=self.event.repo.id if self.event.repo is not None else None,
        )

    async def step(self, name: str, fn: Step) -> Json:
        """Run one effect, named for the log, and give back its JSON value.

        Under jobs a step that finished is not run again after a restart, its value comes from the database; one that
        was interrupted runs again, so an effect must be safe to repeat. Here it simply runs.
        """
        del name
        return await fn()

    async def own(self) -> bool:
        """Whether the App's own bot caused the event. What it does to a pull request comes back without the App's id,
        and must not start work again."""
        sender = self.event.sender
        if sender is None or not sender.bot:
            return False
        return sender.login == f"{await self.services.github.slug()}[bot]"

    def renamed(self, full_name: str) -> None:
        """Go on with the repository's present name, `owner/name`, where the event has an earlier one."""
        repo = self.repo
        owner, _, name = full_name.partition("/")
        if full_name != repo.full_name and owner and name:
            self.event = replace(self.event, repo=replace(repo, owner=owner, name=name))

    async def forget_jobs(self, installation_id: int, repo_ids: Collection[int] | None = None) -> None:
        """Stop and delete every job of an installation, or of some of its repositories, but for this one. Within a
        step, which may be repeated."""

    async def stop(self) -> list[Stopped]:
        """Stop every job about this issue or pull request but this one, whether it runs or waits; those stopped."""
        return []

    async def running(self) -> list[str]:
        """The names of the runs about this issue or pull request that run or wait, without this one, oldest first."""
        return []


def match(routes: Iterable[Route], event: Event) -> Route | None:
    """The first route that wants this event; None for what no handler wants."""
    return next(
        (r for r in routes if r.event == event.name and r.action in (None, event.action) and r.wanted(event)), None
    )


HOUSEKEEPING = frozenset({"installation", "installation_repositories", "repository"})
"""Events that are heeded also when the App is switched off: what is kept has to go with an installation."""


class Drop(StrEnum):
    """Why a delivery starts no job."""

    UNWANTED = "no handler wants this event"
    NO_INSTALLATION = "the event carries no installation"
    OWN = "the App itself caused the event"
    OFF = "the App is switched off (PLANPROOF_MODE=off)"


def drop(routes: Iterable[Route], event: Event, *, app_id: int | None, mode: str = "on") -> Drop | None:
    """Why this event starts no job, or None for one that does. `app_id` is our own."""
    if match(routes, event) is None:
        return Drop.UNWANTED
    if event.installation_id is None:
        return Drop.NO_INSTALLATION
    ours = app_id is not None and event.app_id == app_id
    # what a person does to our check (re-run, a button) names our App too, but is not our doing
    if ours and event.sender is not None and event.sender.bot:
        return Drop.OWN
    return Drop.OFF if mode == "off" and event.name not in HOUSEKEEPING else None
