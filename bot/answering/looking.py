"""Who gave a command and where, read from GitHub anew: plain JSON, kept with the job."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from bot import events, logs, repo_config
from bot.commands import Command, Role, allowed, open_to, role
from bot.dispatch import Context
from bot.events import Event, Json, Sender
from bot.github.errors import NotFound, Refused, TokenRefused
from bot.github.installation import Written
from bot.github.models import User
from schemas.repo_config import RepoConfig

log = logs.named("command")

KINDS = {
    "issue_comment": Written.COMMENT,
    "pull_request_review": Written.REVIEW,
    "pull_request_review_comment": Written.LINE,
}
"""By the event that tells of it."""


@dataclass(frozen=True)
class Thread:
    """Where a command was given, and what the person who gave it may do there.

    `author`: the person opened the issue or pull request. `pull` and `open` are what it is now. `off`: the repository
    has switched us off; `silent`: nothing may be posted. `plans` are the globs of plan files where the configuration
    names any.
    """

    role: Role
    author: bool
    pull: bool
    open: bool
    off: bool
    silent: bool
    plans: tuple[str, ...] | None

    @classmethod
    def of(cls, found: dict[str, Any]) -> Thread:
        plans = found["plans"]
        return cls(**{**found, "role": Role(found["role"]), "plans": None if plans is None else tuple(plans)})

    @property
    def heard(self) -> bool:
        """Whether the person is answered at all: the author, or somebody with triage access and above."""
        return self.author or self.role >= Role.TRIAGE

    def may(self, command: Command) -> bool:
        return allowed(command, self.role, self.author)

    @property
    def open_to_them(self) -> tuple[Command, ...]:
        return open_to(self.role, self.author)


async def look(ctx: Context, *, late: bool = False) -> Json:
    """The fields of a `Thread`; None for what gives no command: a bot that may not, an edited or deleted comment.

    `late`: the run failed, and its failure is to be told. An edit since then changes nothing about that, and a
    configuration that cannot be read must not keep the reason back.
    """
    event = ctx.event
    sender, kind = event.sender, KINDS.get(event.name)
    if sender is None or kind is None or event.comment_id is None:
        return None
    if event.app_id == ctx.services.github.id or (sender.bot and event.app_id is None):
        return _dropped(ctx, "a bot gives no commands")
    try:
        written = await ctx.github.get_written(kind, ctx.number, event.comment_id)
        if not late and _kept(event, written.body) != event.comment_body:
            return _dropped(ctx, "it was edited since")
        if written.user is not None and written.user.id != sender.id:
            return _dropped(ctx, "the sender did not write it")
        thread = await ctx.github.get_issue(ctx.number)
        config = await _config(ctx, late=late)
        if sender.bot and event.app_id not in config.apps:
            return _dropped(ctx, "a bot gives no commands")
        person = Role.WRITE if sender.bot else await _role(ctx, sender)
    except (NotFound, TokenRefused) as error:
        return _dropped(ctx, str(error))
    found = Thread(
        role=person,
        author=_is(thread.user, sender),
        pull=thread.pull_request is not None,
        open=thread.state == "open",
        off=config.mode == "off",
        silent="shadow" in (ctx.settings.mode, config.mode),
        plans=config.plans,
    )
    return asdict(found) | {"plans": None if found.plans is None else list(found.plans)}


def _dropped(ctx: Context, reason: str) -> Json:
    log.info("command.dropped", run=ctx.run_id, reason=reason)
    return None


def _kept(event: Event, body: str | None) -> str | None:
    """What an event would keep of `body`."""
    return events.parse(event.name, event.delivery, {"comment": {"body": body}}).comment_body


async def _config(ctx: Context, *, late: bool) -> RepoConfig:
    try:
        return (await repo_config.current(ctx)).config
    except Refused:
        if not late:
            raise
        last = await ctx.store.last_config(ctx.repo.id)
        return (repo_config.parse(last.encode()).config if last is not None else None) or RepoConfig()


async def _role(ctx: Context, sender: Sender) -> Role:
    person = await ctx.github.permission(sender.login)
    return role(person.permission, person.role_name)


def _is(user: User | None, sender: Sender) -> bool:
    # a login can pass to another person, a number cannot
    return user is not None and user.id == sender.id and user.login.lower() == sender.login.lower()
