"""Who gave a command and where, read from GitHub anew: plain JSON, kept with the job."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from bot import commands, events, logs, repo_config
from bot.commands import Command, Role, allowed, open_to, role
from bot.core.plans import PLAN_GLOBS
from bot.dispatch import Context
from bot.events import Json, Sender
from bot.github.errors import NotFound, TokenRefused
from bot.github.installation import Written
from bot.github.models import User

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
    has switched us off; `silent`: nothing may be posted. `plans` are the globs of plan files; None where the
    organisation's defaults name them, which are not for all who read this thread. `edited`: it holds other commands
    now than those that were given, and none of either is followed.
    """

    role: Role
    author: bool
    pull: bool
    open: bool
    off: bool
    silent: bool
    plans: tuple[str, ...] | None
    edited: bool = False

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
    """The fields of a `Thread`; None for what gives no command: a bot that may not, a comment that was deleted.

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
        if written.user is not None and written.user.id != sender.id:
            return _dropped(ctx, "the sender did not write it")
        thread = await ctx.github.get_issue(ctx.number)
        holds = await (repo_config.known(ctx) if late else repo_config.current(ctx))
        if sender.bot and event.app_id not in holds.config.apps:
            return _dropped(ctx, "a bot gives no commands")
        person = Role.WRITE if sender.bot else await _role(ctx, sender)
    except (NotFound, TokenRefused) as error:
        return _dropped(ctx, str(error))
    found = Thread(
        role=person,
        author=_is(thread.user, sender),
        pull=thread.pull_request is not None,
        open=thread.state == "open",
        off=holds.off,
        silent=holds.silent,
        plans=_plans(holds),
        edited=not late and _edited(event.comment_body, written.body),
    )
    return asdict(found) | {"plans": None if found.plans is None else list(found.plans)}


def _dropped(ctx: Context, reason: str) -> Json:
    log.info("command.dropped", run=ctx.run_id, reason=reason)
    return None


def _edited(told: str | None, now: str | None) -> bool:
    """Whether the commands changed; a word mended beside them is no other command."""
    return commands.parse(told or "") != commands.parse(events.kept(now))


def _plans(holds: repo_config.Current) -> tuple[str, ...] | None:
    if "plans" in holds.inherited:
        return None
    return PLAN_GLOBS if holds.config.plans is None else holds.config.plans


async def _role(ctx: Context, sender: Sender) -> Role:
    person = await ctx.github.permission(sender.login)
    return role(person.permission, person.role_name)


def _is(user: User | None, sender: Sender) -> bool:
    # a login can pass to another person, a number cannot
    return user is not None and user.id == sender.id and user.login.lower() == sender.login.lower()
