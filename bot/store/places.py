"""Where the App is installed: installations, repositories, their configurations, and forgetting all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from bot.store.base import Base, put
from bot.tables import (
    configs,
    decisions,
    defaults,
    evidence,
    installations,
    open_checks,
    reports,
    repositories,
    runs,
)


class Places(Base):
    # configurations

    async def save_config(self, repo_id: int, text: str) -> None:
        """Keep the text of a repository's configuration that was found valid."""
        await self._keep(configs, {"repo_id": repo_id, "text": text, "saved": self._ms()}, ("repo_id",))

    async def last_config(self, repo_id: int) -> str | None:
        """The last valid configuration's text, used while the current one is broken."""
        found: str | None = await self._scalar(sa.select(configs.c.text).where(configs.c.repo_id == repo_id))
        return found

    async def drop_config(self, repo_id: int) -> None:
        """Forget the configuration of a repository that has none any more."""
        await self._run(sa.delete(configs).where(configs.c.repo_id == repo_id))

    async def save_defaults(self, installation_id: int, owner: str, text: str) -> None:
        """Keep the text of an organisation's defaults that was found valid; `owner` in lower case."""
        row = {"installation_id": installation_id, "owner": owner, "text": text, "saved": self._ms()}
        await self._keep(defaults, row, ("installation_id", "owner"))

    async def last_defaults(self, owner: str, installation_id: int) -> str | None:
        """The last valid text of an organisation's defaults."""
        found: str | None = await self._scalar(
            sa.select(defaults.c.text).where(defaults.c.installation_id == installation_id, defaults.c.owner == owner)
        )
        return found

    async def drop_defaults(self, installation_id: int, owner: str) -> None:
        await self._run(
            sa.delete(defaults).where(defaults.c.installation_id == installation_id, defaults.c.owner == owner)
        )

    # repositories

    async def seen(self, repo_id: int, installation_id: int, full_name: str) -> None:
        """Note that something happened in a repository; its name may have changed since the last time."""
        row = {"repo_id": repo_id, "installation_id": installation_id, "full_name": full_name, "seen": self._ms()}
        await self._keep(repositories, row, ("repo_id",))

    async def known_repositories(self, installation_id: int | None = None) -> list[dict[str, Any]]:
        """Repositories that something happened in, the latest first: repo_id, installation_id, full_name, seen."""
        query = sa.select(repositories).order_by(repositories.c.seen.desc(), repositories.c.repo_id)
        if installation_id is not None:
            query = query.where(repositories.c.installation_id == installation_id)
        return await self._rows(query)

    async def introduces(self, repo_id: int, number: int) -> bool:
        """Whether a comment on this issue or pull request introduces the App: the first in its repository does."""
        query = sa.select(repositories.c.introduced_on).where(repositories.c.repo_id == repo_id)
        return await self._scalar(query) in (None, number)

    async def introduced(self, repo_id: int, installation_id: int, number: int) -> None:
        """Keep that the App has introduced itself in a repository; only the first one counts."""
        row = {"repo_id": repo_id, "installation_id": installation_id, "introduced_on": number, "seen": self._ms()}

        def note(connection: sa.Connection) -> None:
            put(connection, repositories, row, ("repo_id",), update=())
            connection.execute(
                sa.update(repositories)
                .where(repositories.c.repo_id == repo_id, repositories.c.introduced_on.is_(None))
                .values(introduced_on=number)
            )

        await self._do(note)

    async def repositories_of(self, installation_id: int, among: Sequence[int] | None = None) -> list[int]:
        """The ids of the repositories that something is kept of for this installation, or of those `among` given ones
        that are no other installation's: one may have gone from an owner to another."""
        if among is None:
            return await self._do(lambda c: _known(c, installation_id))
        return await self._do(lambda c: _own(c, installation_id, among))

    async def forget_repositories(self, repo_ids: Sequence[int], installation_id: int) -> None:
        """Delete what is kept of repositories that the App was taken from, but for those that belong to another
        installation by now."""
        await self._do(lambda c: _forget(c, _own(c, installation_id, repo_ids)))

    # installations

    async def installation_seen(self, installation_id: int, *, account: str, missing: Sequence[str], url: str) -> None:
        """Keep which permissions an installation lacks (for people, none when all are granted) and where they are
        granted."""
        row = {
            "installation_id": installation_id,
            "account": account,
            "missing": list(missing),
            "url": url,
            "seen": self._ms(),
        }
        await self._keep(installations, row, ("installation_id",))

    async def installation(self, installation_id: int) -> dict[str, Any] | None:
        """account, missing, url and seen of an installation; None for one that was never looked at."""
        rows = await self._rows(sa.select(installations).where(installations.c.installation_id == installation_id))
        return rows[0] if rows else None

    async def forget_installation(self, installation_id: int) -> None:
        """Delete what is kept of an uninstalled installation and of its repositories."""

        def forget(connection: sa.Connection) -> None:
            _forget(connection, _known(connection, installation_id))
            others = sa.select(repositories.c.repo_id)
            connection.execute(
                sa.delete(runs).where(
                    runs.c.installation_id == installation_id,
                    runs.c.repo_id.is_(None) | runs.c.repo_id.not_in(others),
                )
            )
            for table in (open_checks, defaults, installations):
                connection.execute(sa.delete(table).where(table.c.installation_id == installation_id))

        await self._do(forget)


def _known(connection: sa.Connection, installation_id: int) -> list[int]:
    here = sa.select(repositories.c.repo_id).where(repositories.c.installation_id == installation_id)
    ran = sa.select(runs.c.repo_id).where(runs.c.installation_id == installation_id, runs.c.repo_id.is_not(None))
    found = {*connection.execute(here).scalars(), *connection.execute(ran.distinct()).scalars()}
    return _own(connection, installation_id, sorted(found))


def _own(connection: sa.Connection, installation_id: int, repo_ids: Sequence[int]) -> list[int]:
    others = sa.select(repositories.c.repo_id).where(repositories.c.installation_id != installation_id)
    elsewhere = {*connection.execute(others.where(repositories.c.repo_id.in_(list(repo_ids)))).scalars()}
    return [repo_id for repo_id in repo_ids if repo_id not in elsewhere]


def _forget(connection: sa.Connection, repo_ids: Sequence[int]) -> None:
    for table in (reports, evidence, decisions, open_checks, configs, repositories, runs):
        connection.execute(sa.delete(table).where(table.c.repo_id.in_(list(repo_ids))))
