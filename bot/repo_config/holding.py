"""Which configuration holds for a repository now: its own file, over the defaults of its organisation.

Both are read on the default branch, never on a pull request's. While a file is broken its last valid version holds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from bot.github.errors import NotFound, Refused, TokenRefused
from bot.repo_config.reading import Parsed, Remark, parse
from schemas.repo_config import CONFIG_PATH, RepoConfig

if TYPE_CHECKING:
    from bot.dispatch import Context
    from bot.github.client import App

ORGANISATION = ".github"
"""The repository of an owner that holds the defaults for all of the owner's repositories."""
OF_ONE_TREE = frozenset({"ignore", "index"})
"""Keys that mean something in one repository only, so that they are never defaults."""
KEPT_SECONDS = 600.0
MAX_KEPT = 10_000


@dataclass(frozen=True)
class Current:
    """`problems` and `notes` are for people, and name the file. Unpacks as (config, problems)."""

    config: RepoConfig
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.config, self.problems))


def merge(org: RepoConfig, own: RepoConfig) -> RepoConfig:
    """What a repository sets over what its organisation sets, key by key and whole values."""
    chosen = {name: getattr(org, name) for name in org.model_fields_set - OF_ONE_TREE}
    chosen |= {name: getattr(own, name) for name in own.model_fields_set}
    return RepoConfig.model_construct(**chosen)


class Defaults:
    """The organisations' defaults, each kept for `seconds` for an installation and owner, also where there are none.

    They live as long as the client that read them.
    """

    def __init__(self, *, seconds: float = KEPT_SECONDS, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._kept: WeakKeyDictionary[App, dict[tuple[str, int], tuple[float, Current]]] = WeakKeyDictionary()

    async def of(self, ctx: Context) -> Current:
        """The defaults for the event's repository. Raises what GitHub's client raises where an answer may come later,
        RateLimited or Unavailable."""
        if ctx.repo.name.lower() == ORGANISATION:
            return Current(RepoConfig())
        kept = self._kept.setdefault(ctx.services.github, {})
        key = (ctx.repo.owner.lower(), ctx.installation_id)
        until, found = kept.get(key, (float("-inf"), None))
        if found is None or self._now() >= until:
            found = await self._read(ctx)
            while len(kept) >= MAX_KEPT:
                del kept[next(iter(kept))]
            kept[key] = (self._now() + self._seconds, found)
        return found

    def forget(self, owner: str) -> None:
        """The owner's defaults have changed: read them anew at the next event."""
        for kept in self._kept.values():
            for key in [key for key in kept if key[0] == owner.lower()]:
                del kept[key]

    async def _read(self, ctx: Context) -> Current:
        owner, installation = ctx.repo.owner.lower(), ctx.installation_id
        home = f"{ctx.repo.owner}/{ORGANISATION}"
        try:
            raw = await ctx.github.at(home, permissions={"contents": "read"}).get_file(CONFIG_PATH)
        except (NotFound, Refused, TokenRefused):
            # the App is not installed there, or may not read it
            raw = None
        if raw is None:
            await ctx.store.drop_defaults(installation, owner)
            return Current(RepoConfig())
        parsed = parse(raw)
        if parsed.config is not None:
            await ctx.store.save_defaults(installation, owner, raw.decode("utf-8-sig"))
            return Current(parsed.config, notes=_said(parsed.notes, f"`{home}`: "))
        # without its words: who may read this repository may not read that one
        count = f"{len(parsed.errors)} errors, the first" if len(parsed.errors) > 1 else "an error"
        problem = f"`{home}`: `{CONFIG_PATH}` has {count} on line {parsed.errors[0].line}"
        last = _last(await ctx.store.last_defaults(owner, installation))
        return Current(last.config or RepoConfig(), [problem], _said(last.notes, f"`{home}`: "))


DEFAULTS = Defaults()
"""Those of this process."""


def forget(owner: str) -> None:
    """Read the defaults of `owner` (an organisation's or a person's login) anew at the next event."""
    DEFAULTS.forget(owner)


async def current(ctx: Context, defaults: Defaults = DEFAULTS) -> Current:
    """The configuration that holds for the event's repository, and what is wrong with the files, for people.

    While the repository's file is broken its last valid version holds, else the organisation's defaults. Raises what
    GitHub's client raises, but for the organisation's file only what may pass by itself.
    """
    raw = await ctx.github.get_file(CONFIG_PATH)
    found = parse(raw)
    problems = _said(found.errors)
    if found.config is None:
        found = _last(await ctx.store.last_config(ctx.repo.id))
    elif raw is None:
        await ctx.store.drop_config(ctx.repo.id)
    else:
        await ctx.store.save_config(ctx.repo.id, raw.decode("utf-8-sig"))
    org = await defaults.of(ctx)
    config = merge(org.config, found.config or RepoConfig())
    return Current(config, problems + org.problems, _said(found.notes) + org.notes)


def _last(text: str | None) -> Parsed:
    """The last valid version of a file; no configuration where there is none, or none of this version's."""
    return parse(text.encode()) if text is not None else Parsed(None)


def _said(remarks: tuple[Remark, ...], where: str = "") -> list[str]:
    return [f"{where}`{CONFIG_PATH}` line {remark.line}: {remark.message}" for remark in remarks]
