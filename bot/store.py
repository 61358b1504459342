"""What the App remembers besides its jobs: reports, runs, configurations, repositories it has spoken in.

The same database as the job engine's, in tables of its own, brought up to date at start by Alembic. Losing it loses no
plan's verdict for good: the pull requests are verified anew. Times are whole milliseconds since 1970.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from alembic import command
from alembic.config import Config as AlembicConfig
from pydantic import ValidationError
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite as sqlite_dialect

from bot import logs, sqlite
from bot.tables import configs, evidence, reports, repositories, runs
from schemas.verify_report import VerifyReport

log = logs.named("store")
T = TypeVar("T")

MIGRATIONS = Path(__file__).parent / "migrations"


class Store:
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

    def _ms(self) -> int:
        return int(self._now() * 1000)

    # reports

    async def save_report(self, repo_id: int, number: int, head_sha: str, report: VerifyReport) -> None:
        """Keep the report of one plan at one head of a pull request; a later one takes its place."""
        row = {
            "repo_id": repo_id,
            "number": number,
            "head_sha": head_sha,
            "plan_path": report.plan.path,
            "report": report.model_dump(mode="json"),
            "created": self._ms(),
        }
        await self._do(lambda c: self._put(c, reports, row, ("repo_id", "number", "head_sha", "plan_path")))

    async def reports(self, repo_id: int, number: int, head_sha: str) -> dict[str, VerifyReport]:
        """The reports for this head of a pull request by plan path. One that does not fit the schema (any more) is
        left out, so that nothing is ever concluded from it."""
        query = sa.select(reports.c.plan_path, reports.c.report).where(
            reports.c.repo_id == repo_id, reports.c.number == number, reports.c.head_sha == head_sha
        )
        rows = await self._do(lambda c: c.execute(query.order_by(reports.c.plan_path)).all())
        found = {}
        for path, data in rows:
            try:
                found[path] = VerifyReport.model_validate(data)
            except ValidationError:
                log.warning("report.unreadable", repo=repo_id, head=head_sha, plan=path)
        return found

    async def numbers_for_head(self, repo_id: int, head_sha: str) -> list[int]:
        """The pull requests that were judged at this head."""
        query = sa.select(reports.c.number).where(reports.c.repo_id == repo_id, reports.c.head_sha == head_sha)
        return await self._do(
            lambda c: list(c.execute(query.distinct().order_by(reports.c.number)).scalars()),
        )

    async def earlier_reports(
        self, repo_id: int, number: int, head_sha: str
    ) -> tuple[str, tuple[VerifyReport, ...]] | None:
        """The last judged head of this pull request before `head_sha`, and its reports; None for the first head."""
        query = (
            sa.select(reports.c.head_sha)
            .where(reports.c.repo_id == repo_id, reports.c.number == number, reports.c.head_sha != head_sha)
            .order_by(reports.c.created.desc())
            .limit(1)
        )
        head = await self._do(lambda c: c.execute(query).scalar_one_or_none())
        return None if head is None else (head, tuple((await self.reports(repo_id, number, head)).values()))

    # evidence

    async def note_evidence(self, repo_id: int, number: int, issues: Sequence[int]) -> None:
        """Keep that the issues hold evidence about the plan of this pull request."""

        def note(connection: sa.Connection) -> None:
            for issue in issues:
                row = {"repo_id": repo_id, "number": number, "issue": issue}
                self._put(connection, evidence, row, ("repo_id", "number", "issue"))

        await self._do(note)

    async def evidence(self, repo_id: int, number: int) -> tuple[int, ...]:
        """The issues that hold evidence about the plan of this pull request, open or settled."""
        query = sa.select(evidence.c.issue).where(evidence.c.repo_id == repo_id, evidence.c.number == number)
        return tuple(await self._do(lambda c: list(c.execute(query.order_by(evidence.c.issue)).scalars())))

    # runs

    async def run_started(
        self,
        run_id: str,
        *,
        job_id: str,
        handler: str,
        repo: str | None = None,
        number: int | None = None,
        delivery: str | None = None,
    ) -> None:
        """Note that a run began; one that begins again after a restart keeps its first start."""
        row = {
            "run_id": run_id,
            "job_id": job_id,
            "handler": handler,
            "repo": repo,
            "number": number,
            "delivery": delivery,
            "state": "running",
            "started": self._ms(),
        }
        await self._do(lambda c: self._put(c, runs, row, ("run_id",), update=("state",)))

    async def run_judged(self, run_id: str, *, head: str | None, verdict: str | None, conclusion: str | None) -> None:
        """Note what a run came to."""
        await self._change_run(run_id, {"head": head, "verdict": verdict, "conclusion": conclusion})

    async def run_finished(self, run_id: str, *, state: str, detail: str | None = None) -> None:
        """Note that a run ended: state done, failed, dead, superseded or postponed."""
        await self._change_run(run_id, {"state": state, "detail": detail, "finished": self._ms()})

    async def _change_run(self, run_id: str, values: Mapping[str, Any]) -> None:
        await self._do(lambda c: c.execute(sa.update(runs).where(runs.c.run_id == run_id).values(**values)))

    async def overtaken(self, run_id: str) -> bool:
        """Whether a later run about the same number has come to its end: what this one has to say is no news then."""

        def look(connection: sa.Connection) -> bool:
            own = connection.execute(sa.select(runs.c.job_id).where(runs.c.run_id == run_id)).scalar_one_or_none()
            if own is None:
                return False
            # ids of jobs about one number begin alike and go on with the moment they were made
            same = runs.c.job_id.startswith(own.partition(":")[0] + ":", autoescape=True)
            query = sa.select(runs.c.run_id).where(same, runs.c.job_id > own, runs.c.state == "done").limit(1)
            return connection.execute(query).first() is not None

        return await self._do(look)

    async def run(self, run_id: str) -> dict[str, Any] | None:
        """One run's row by its short name."""
        row = await self._do(lambda c: c.execute(sa.select(runs).where(runs.c.run_id == run_id)).mappings().first())
        return None if row is None else dict(row)

    async def last_runs(self, limit: int = 20) -> list[dict[str, Any]]:
        """The latest runs, newest first."""
        query = sa.select(runs).order_by(runs.c.started.desc(), runs.c.run_id).limit(limit)
        return [dict(row) for row in await self._do(lambda c: c.execute(query).mappings().all())]

    async def forget_runs(self, *, before: float) -> None:
        """Delete the runs that started before this time, in seconds since 1970."""
        await self._do(lambda c: c.execute(sa.delete(runs).where(runs.c.started < int(before * 1000))))

    # configurations and repositories

    async def save_config(self, repo_id: int, text: str) -> None:
        """Keep the text of a repository's configuration that was found valid."""
        row = {"repo_id": repo_id, "text": text, "saved": self._ms()}
        await self._do(lambda c: self._put(c, configs, row, ("repo_id",)))

    async def last_config(self, repo_id: int) -> str | None:
        """The last valid configuration's text, used while the current one is broken."""
        query = sa.select(configs.c.text).where(configs.c.repo_id == repo_id)
        return await self._do(lambda c: c.execute(query).scalar_one_or_none())

    async def drop_config(self, repo_id: int) -> None:
        """Forget the configuration of a repository that has none any more."""
        await self._do(lambda c: c.execute(sa.delete(configs).where(configs.c.repo_id == repo_id)))

    async def introduces(self, repo_id: int, number: int) -> bool:
        """Whether a comment on this issue or pull request introduces the App: the first in its repository does."""
        query = sa.select(repositories.c.introduced_on).where(repositories.c.repo_id == repo_id)
        return await self._do(lambda c: c.execute(query).scalar_one_or_none()) in (None, number)

    async def introduced(self, repo_id: int, installation_id: int, number: int) -> None:
        """Keep that the App has introduced itself in a repository; only the first one counts."""
        row = {"repo_id": repo_id, "installation_id": installation_id, "introduced_on": number, "seen": self._ms()}
        await self._do(lambda c: self._put(c, repositories, row, ("repo_id",), update=()))

    async def forget_repositories(self, repo_ids: Sequence[int]) -> None:
        """Delete what is kept of repositories that the App was taken from."""
        ids = list(repo_ids)

        def forget(connection: sa.Connection) -> None:
            for table in (reports, evidence, configs, repositories):
                connection.execute(sa.delete(table).where(table.c.repo_id.in_(ids)))

        await self._do(forget)

    async def forget_installation(self, installation_id: int) -> None:
        """Delete what is kept of all repositories of an uninstalled installation."""
        query = sa.select(repositories.c.repo_id).where(repositories.c.installation_id == installation_id)
        ids = await self._do(lambda c: list(c.execute(query).scalars()))
        await self.forget_repositories(ids)

    async def ping(self) -> None:
        """Raises what the database raises when it cannot be read."""
        # a row of a table: SQLite answers a constant without a look at its file
        await self._do(lambda c: c.execute(sa.select(runs.c.run_id).limit(1)).all())

    def _put(
        self,
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
