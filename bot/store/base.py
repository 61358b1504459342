"""The database under the store: one engine, one transaction a call, migrations at `open`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from alembic import command
from alembic.config import Config as AlembicConfig
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite as sqlite_dialect

from bot import sqlite
from bot.tables import runs

T = TypeVar("T")

MIGRATIONS = Path(__file__).parent.parent / "migrations"


class Base:
    """Safe to call from any task; each call is one transaction, run in a thread. Every write may be repeated."""

    def __init__(self, url: str, *, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._sqlite = sqlite.file_of(url)
        self._engine = _engine(url, self._sqlite)

    async def open(self) -> None:
        """Create or migrate the tables. Raises DatabaseError for a file that is no database."""
        await asyncio.to_thread(self._migrate)

    async def close(self) -> None:
        await asyncio.to_thread(self._engine.dispose)

    async def ping(self) -> None:
        """Raises what the database raises when it cannot be read."""
        # a row of a table: SQLite answers a constant without a look at its file
        await self._do(lambda c: c.execute(sa.select(runs.c.run_id).limit(1)).all())

    def _migrate(self) -> None:
        if self._sqlite is not None:
            sqlite.write_ahead(self._sqlite)
        config = AlembicConfig()
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        with self._engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    async def _do(self, work: Callable[[sa.Connection], T]) -> T:
        def transaction() -> T:
            with self._engine.begin() as connection:
                return work(connection)

        return await asyncio.to_thread(transaction)

    async def _run(self, statement: sa.Executable) -> None:
        await self._do(lambda c: c.execute(statement))

    async def _scalar(self, query: sa.Select[Any]) -> Any:
        """The one value that the query finds, or None."""
        return await self._do(lambda c: c.execute(query).scalar_one_or_none())

    async def _scalars(self, query: sa.Select[Any]) -> list[Any]:
        return await self._do(lambda c: list(c.execute(query).scalars()))

    async def _rows(self, query: sa.Select[Any]) -> list[dict[str, Any]]:
        return [dict(row) for row in await self._do(lambda c: c.execute(query).mappings().all())]

    def _ms(self) -> int:
        return int(self._now() * 1000)

    async def _keep(
        self, table: sa.Table, row: Mapping[str, Any], key: Sequence[str], *, update: Sequence[str] | None = None
    ) -> None:
        await self._do(lambda c: put(c, table, row, key, update=update))


def put(
    connection: sa.Connection,
    table: sa.Table,
    row: Mapping[str, Any],
    key: Sequence[str],
    *,
    update: Sequence[str] | None = None,
) -> None:
    """Insert, or on an equal key set the columns of `update` (all but the key where None)."""
    insert: Any = postgresql.insert if connection.dialect.name == "postgresql" else sqlite_dialect.insert
    statement = insert(table).values(**row)
    columns = [name for name in row if name not in key] if update is None else list(update)
    if columns:
        changes = {name: statement.excluded[name] for name in columns}
        statement = statement.on_conflict_do_update(index_elements=list(key), set_=changes)
    else:
        statement = statement.on_conflict_do_nothing(index_elements=list(key))
    connection.execute(statement)


def _engine(url: str, file: Path | None) -> sa.Engine:
    parsed = sa.make_url(url)
    if file is None:
        if parsed.drivername in ("postgres", "postgresql"):
            parsed = parsed.set(drivername="postgresql+psycopg")
        return sa.create_engine(parsed, pool_pre_ping=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(parsed)

    @sa.event.listens_for(engine, "connect")
    def settle(connection: Any, _record: object) -> None:
        # the transactions are short, so that waiting for the other writer beats failing
        connection.execute("PRAGMA busy_timeout=30000")
        connection.execute("PRAGMA synchronous=NORMAL")

    return engine
