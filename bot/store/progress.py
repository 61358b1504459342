"""Runs, check runs that are under way, and how far the sweeps have looked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from bot.store.base import Base
from bot.tables import open_checks, runs, sweeps

ENDED = ("done", "failed", "dead", "superseded", "cancelled")
STOPPED = "cancelled"
"""The conclusion of a run with which a person stopped others."""


class Progress(Base):
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
        repo_id: int | None = None,
        installation_id: int | None = None,
    ) -> None:
        """Note that a run began; one that begins again after a restart keeps its first start."""
        row = {
            "run_id": run_id,
            "job_id": job_id,
            "handler": handler,
            "repo": repo,
            "number": number,
            "delivery": delivery,
            "repo_id": repo_id,
            "installation_id": installation_id,
            "state": "running",
            "started": self._ms(),
        }
        await self._keep(runs, row, ("run_id",), update=("state",))

    async def run_judged(
        self, run_id: str, *, head: str | None, verdict: str | None, conclusion: str | None, reason: str | None = None
    ) -> None:
        """Note what a run came to, and the reason where it could not judge."""
        judged = {"head": head, "verdict": verdict, "conclusion": conclusion}
        await self._change_run(run_id, judged | ({"detail": reason} if reason else {}))

    async def run_finished(self, run_id: str, *, state: str, detail: str | None = None) -> None:
        """Note that a run ended: state done, failed, dead, superseded, cancelled or postponed."""
        ended = {"state": state, "finished": self._ms()}
        await self._change_run(run_id, ended | ({"detail": detail} if detail else {}))

    async def run_published(self, run_id: str) -> None:
        """Note that what the run came to stands on GitHub: a failure later in the run does not take its place."""
        await self._change_run(run_id, {"published": self._ms()})

    async def run_cut(self, run_id: str, *, state: str) -> None:
        """Note that a run was superseded or cancelled, unless it came to its end before that."""
        values = {"state": state, "finished": self._ms()}
        await self._run(sa.update(runs).where(runs.c.run_id == run_id, runs.c.state == "running").values(**values))

    async def run_stopped_others(self, run_id: str, *, head: str | None) -> None:
        """Note that a person stopped, with this run, what was under way for its issue or pull request, and the head
        that is not to be judged unasked."""
        await self._change_run(run_id, {"head": head, "conclusion": STOPPED})

    async def _change_run(self, run_id: str, values: Mapping[str, Any]) -> None:
        await self._run(sa.update(runs).where(runs.c.run_id == run_id).values(**values))

    async def last_stop(self, repo_id: int, number: int, head: str | None = None) -> int | None:
        """When a person last stopped what was under way for an issue, or for a pull request at this head, in
        milliseconds since 1970; None where nobody did, or where it was judged since then in the same run."""
        query = sa.select(sa.func.max(sa.func.coalesce(runs.c.finished, runs.c.started))).where(
            runs.c.repo_id == repo_id, runs.c.number == number, runs.c.conclusion == STOPPED
        )
        found: int | None = await self._scalar(query if head is None else query.where(runs.c.head == head))
        return found

    async def overtaken(self, run_id: str, *, judged: bool = False) -> bool:
        """Whether a later run has done what this one was for, so that what this one has to say is no news: one of the
        same handler about the same number, or, with `judged`, any that came to a verdict on it."""

        def look(connection: sa.Connection) -> bool:
            own = connection.execute(sa.select(runs).where(runs.c.run_id == run_id)).mappings().first()
            if own is None:
                return False
            later = sa.select(runs.c.job_id).where(
                runs.c.repo_id == own["repo_id"],
                runs.c.number == own["number"],
                runs.c.state == "done",
                runs.c.verdict.is_not(None) if judged else runs.c.handler == own["handler"],
            )
            began = _moment(own["job_id"])
            return any(_moment(job_id) > began for job_id in connection.execute(later).scalars())

        return await self._do(look)

    async def run(self, run_id: str) -> dict[str, Any] | None:
        """One run's row by its short name."""
        rows = await self._rows(sa.select(runs).where(runs.c.run_id == run_id))
        return rows[0] if rows else None

    async def last_verdict(self, repo_id: int, number: int, head_sha: str | None = None) -> dict[str, Any] | None:
        """The row of the last run that judged this pull request (at this head, where one is given)."""
        query = sa.select(runs).where(
            runs.c.repo_id == repo_id, runs.c.number == number, runs.c.verdict.is_not(None), runs.c.state == "done"
        )
        if head_sha is not None:
            query = query.where(runs.c.head == head_sha)
        rows = await self._rows(query.order_by(runs.c.started.desc()).limit(1))
        return rows[0] if rows else None

    async def last_run(self, repo_id: int, number: int, *, but: str) -> dict[str, Any] | None:
        """The row of the run about this issue or pull request that ended last; not that of the run `but`."""
        query = sa.select(runs).where(
            runs.c.repo_id == repo_id, runs.c.number == number, runs.c.state.in_(ENDED), runs.c.run_id != but
        )
        rows = await self._rows(query.order_by(runs.c.finished.desc(), runs.c.started.desc()).limit(1))
        return rows[0] if rows else None

    async def last_look(self, repo_id: int, number: int, handler: str) -> int | None:
        """When the last run of this handler about an issue or pull request ended that did not fail, in milliseconds
        since 1970."""
        query = sa.select(sa.func.max(runs.c.finished)).where(
            runs.c.repo_id == repo_id,
            runs.c.number == number,
            runs.c.handler == handler,
            runs.c.state.in_([state for state in ENDED if state != "failed"]),
        )
        found: int | None = await self._scalar(query)
        return found

    async def forget_runs(self, *, before: float) -> None:
        """Delete the runs that started before this time, in seconds since 1970."""
        await self._run(sa.delete(runs).where(runs.c.started < int(before * 1000)))

    # check runs under way

    async def check_opened(self, repo_id: int, number: int, head_sha: str, *, installation_id: int, repo: str) -> None:
        """Note, before it is written, that a check run of ours may be left unfinished on this head."""
        row = {
            "repo_id": repo_id,
            "number": number,
            "head_sha": head_sha,
            "installation_id": installation_id,
            "repo": repo,
            "since": self._ms(),
        }
        await self._keep(open_checks, row, ("repo_id", "number", "head_sha"), update=())

    async def check_closed(self, repo_id: int, number: int, head_sha: str) -> None:
        await self._run(
            sa.delete(open_checks).where(
                open_checks.c.repo_id == repo_id, open_checks.c.number == number, open_checks.c.head_sha == head_sha
            )
        )

    async def open_heads(self, repo_id: int, number: int) -> list[str]:
        """The heads of this pull request on which a check run of ours may be unfinished."""
        query = sa.select(open_checks.c.head_sha).where(
            open_checks.c.repo_id == repo_id, open_checks.c.number == number
        )
        return await self._scalars(query.order_by(open_checks.c.since))

    async def open_checks(self, *, before: float) -> list[dict[str, Any]]:
        """Every check run that may be unfinished since before this time, in seconds since 1970; oldest first."""
        query = sa.select(open_checks).where(open_checks.c.since < int(before * 1000))
        return await self._rows(query.order_by(open_checks.c.since))

    # sweeps

    async def swept(self, name: str) -> float | None:
        """Up to when, in seconds since 1970, the sweep of this name has looked; None where it never did."""
        at = await self._scalar(sa.select(sweeps.c.at).where(sweeps.c.name == name))
        return None if at is None else at / 1000

    async def sweep_done(self, name: str, at: float) -> None:
        await self._keep(sweeps, {"name": name, "at": int(at * 1000)}, ("name",))


def _moment(job_id: str) -> str:
    """When a job was made and by which delivery: what its id says after the partition, so that jobs can be ordered."""
    return job_id.partition(":")[2]
