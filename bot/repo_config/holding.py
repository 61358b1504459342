"""Which configuration holds for a repository now: its own file, over the defaults of its organisation.

Both are read on the default branch, never on a pull request's. While a file is broken its last valid version holds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot import logs
from bot.github.errors import GitHubError, NotFound, PermissionMissing, Refused, TokenRefused
from bot.repo_config.reading import Parsed, Remark, parse
from schemas.repo_config import CONFIG_PATH, RepoConfig

if TYPE_CHECKING:
    from bot.dispatch import Context

log = logs.named("config")

ORGANISATION = ".github"
"""The repository of an owner that holds the defaults for all of the owner's repositories."""
OF_ONE_TREE = frozenset({"ignore", "index"})
"""Keys that mean something in one repository only, so that they are never defaults."""
KEPT_SECONDS = 600.0
MAX_KEPT = 10_000


@dataclass(frozen=True)
class Current:
    """What holds in a repository.

    `problems` and `notes` are for people, and name the file. `inherited` are the keys that its organisation set: who
    may read this repository may not read that one. `shadow`: the server posts nothing anywhere. `last`: the file could
    not be read now, this is what was known of it.
    """

    config: RepoConfig
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    inherited: frozenset[str] = frozenset()
    shadow: bool = False
    last: bool = False

    @property
    def off(self) -> bool:
        """Nothing is judged; who asks is told so."""
        return self.config.mode == "off"

    @property
    def silent(self) -> bool:
        """Nothing may be written to GitHub, whatever is judged."""
        return self.shadow or self.config.mode == "shadow"


def merge(org: RepoConfig, own: RepoConfig) -> RepoConfig:
    """What a repository sets over what its organisation sets, key by key and whole values."""
    chosen = {name: getattr(org, name) for name in org.model_fields_set - OF_ONE_TREE}
    chosen |= {name: getattr(own, name) for name in own.model_fields_set}
    return RepoConfig.model_construct(**chosen)


class Defaults:
    """The organisations' defaults, each kept for `seconds` for an installation and owner, also where there are none."""

    def __init__(self, *, seconds: float = KEPT_SECONDS, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._kept: dict[tuple[str, int], tuple[float, Current]] = {}

    async def of(self, ctx: Context) -> Current:
        """The defaults for the event's repository. Raises what GitHub's client raises where an answer may come later,
        RateLimited or Unavailable."""
        if ctx.repo.name.lower() == ORGANISATION:
            return Current(RepoConfig())
        key = (ctx.repo.owner.lower(), ctx.installation_id)
        until, found = self._kept.get(key, (float("-inf"), None))
        if found is None or self._now() >= until:
            found = await self._read(ctx)
            while len(self._kept) >= MAX_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = (self._now() + self._seconds, found)
        return found

    def forget(self, owner: str) -> None:
        """The defaults of `owner` (an organisation's or a person's login) have changed: read them anew at the next
        event."""
        for key in [key for key in self._kept if key[0] == owner.lower()]:
            del self._kept[key]

    async def _read(self, ctx: Context) -> Current:
        owner, installation = ctx.repo.owner.lower(), ctx.installation_id
        home = f"{ctx.repo.owner}/{ORGANISATION}"
        before = await ctx.store.last_defaults(owner, installation)
        try:
            raw = await ctx.github.at(home, permissions={"contents": "read"}).get_file(CONFIG_PATH)
        except (NotFound, TokenRefused):
            # there is no such repository, or the App is not installed on it
            raw = None
        except Refused as refused:
            # it may be there, and may say that nothing is to be posted: the last that was read holds
            log.warning("config.defaults_unread", run=ctx.run_id, reason=str(refused))
            last = _last(before)
            problems = [f"`{home}`: `{CONFIG_PATH}` cannot be read"] if last.config is not None else []
            return Current(last.config or RepoConfig(), problems, _said(last.notes, f"`{home}`: "))
        if raw is None:
            if before is not None:
                await ctx.store.drop_defaults(installation, owner)
            return Current(RepoConfig())
        parsed = parse(raw)
        if parsed.config is not None:
            if (text := raw.decode("utf-8-sig")) != before:
                await ctx.store.save_defaults(installation, owner, text)
            return Current(parsed.config, notes=_said(parsed.notes, f"`{home}`: "))
        # without its words: who may read this repository may not read that one
        count = f"{len(parsed.errors)} errors, the first" if len(parsed.errors) > 1 else "an error"
        problem = f"`{home}`: `{CONFIG_PATH}` has {count} on line {parsed.errors[0].line}"
        last = _last(before)
        return Current(last.config or RepoConfig(), [problem], _said(last.notes, f"`{home}`: "))


async def current(ctx: Context) -> Current:
    """The configuration that holds for the event's repository, and what is wrong with the files, for people.

    While the repository's file is broken, or the App lacks the permission to read it, its last valid version holds,
    else the organisation's defaults. Raises what GitHub's client raises otherwise, but for the organisation's file only
    what may pass by itself.
    """
    try:
        raw = await ctx.github.get_file(CONFIG_PATH)
    except PermissionMissing as missing:
        # what is missing can be said then, and is not where the repository is switched off
        log.warning("config.unread", run=ctx.run_id, reason=str(missing))
        return await _known(ctx)
    before = await ctx.store.last_config(ctx.repo.id)
    found = parse(raw)
    problems = _said(found.errors)
    if found.config is None:
        found = _last(before)
    elif raw is None:
        if before is not None:
            await ctx.store.drop_config(ctx.repo.id)
    elif (text := raw.decode("utf-8-sig")) != before:
        await ctx.store.save_config(ctx.repo.id, text)
    org = await ctx.services.defaults.of(ctx)
    return _joined(ctx, org, found, problems)


async def known(ctx: Context) -> Current:
    """The same for where something has failed already, and has to be told: what was known last where GitHub does not
    answer or refuses. Raises no GitHubError."""
    try:
        return await current(ctx)
    except GitHubError as error:
        log.warning("config.unread", run=ctx.run_id, reason=str(error))
        return await _known(ctx)


async def _known(ctx: Context) -> Current:
    org = Parsed(None)
    if ctx.repo.name.lower() != ORGANISATION:
        org = _last(await ctx.store.last_defaults(ctx.repo.owner.lower(), ctx.installation_id))
    own = _last(await ctx.store.last_config(ctx.repo.id))
    return _joined(ctx, Current(org.config or RepoConfig()), own, [], last=True)


def _joined(ctx: Context, org: Current, own: Parsed, problems: list[str], *, last: bool = False) -> Current:
    config = own.config or RepoConfig()
    return Current(
        merge(org.config, config),
        problems + org.problems,
        _said(own.notes) + org.notes,
        inherited=frozenset(org.config.model_fields_set - OF_ONE_TREE - config.model_fields_set),
        shadow=ctx.settings.mode == "shadow",
        last=last,
    )


def _last(text: str | None) -> Parsed:
    """The last valid version of a file; no configuration where there is none, or none of this version's."""
    return parse(text.encode()) if text is not None else Parsed(None)


def _said(remarks: tuple[Remark, ...], where: str = "") -> list[str]:
    return [f"{where}`{CONFIG_PATH}` line {remark.line}: {remark.message}" for remark in remarks]
