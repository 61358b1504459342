"""What was judged and what people decided about it: reports, evidence on issues, decisions on findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from pydantic import ValidationError

from bot import logs
from bot.store.base import Base, put
from bot.tables import decisions, evidence, reports
from schemas.verify_report import FindingType, Status, VerifyReport

log = logs.named("store")

PUSHED = 0
"""Stands for the number of the pull request where a report is on a commit of the default branch."""


@dataclass(frozen=True)
class Decision:
    """What a person decided on a finding of this id, type (`kind`) and subject; `status` is dismissed or disputed, `at`
    in milliseconds since 1970."""

    finding_id: str
    kind: FindingType
    subject: str
    plan_path: str
    status: Status
    by: str
    reason: str
    number: int
    at: int


class Verdicts(Base):
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
        await self._keep(reports, row, ("repo_id", "number", "head_sha", "plan_path"))

    async def reports(self, repo_id: int, number: int, head_sha: str) -> dict[str, VerifyReport]:
        """The reports for this head of a pull request by plan path. One that does not fit the schema (any more) is
        left out, so that nothing is ever concluded from it."""
        query = sa.select(reports.c.plan_path, reports.c.report).where(
            reports.c.repo_id == repo_id, reports.c.number == number, reports.c.head_sha == head_sha
        )
        found = {}
        for row in await self._rows(query.order_by(reports.c.plan_path)):
            try:
                found[row["plan_path"]] = VerifyReport.model_validate(row["report"])
            except ValidationError:
                log.warning("report.unreadable", repo=repo_id, head=head_sha, plan=row["plan_path"])
        return found

    async def numbers_for_head(self, repo_id: int, head_sha: str) -> list[int]:
        """The pull requests that were judged at this head."""
        query = sa.select(reports.c.number).where(
            reports.c.repo_id == repo_id, reports.c.head_sha == head_sha, reports.c.number != PUSHED
        )
        return await self._scalars(query.distinct().order_by(reports.c.number))

    async def has_pushed(self, repo_id: int, head_sha: str) -> bool:
        """Whether plans were judged at this commit of the default branch."""
        return bool(await self.reports(repo_id, PUSHED, head_sha))

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
        head = await self._scalar(query)
        return None if head is None else (head, tuple((await self.reports(repo_id, number, head)).values()))

    # evidence

    async def note_evidence(self, repo_id: int, number: int, issues: Sequence[int]) -> None:
        """Keep that the issues hold evidence about the plan of this pull request."""

        def note(connection: sa.Connection) -> None:
            for issue in issues:
                row = {"repo_id": repo_id, "number": number, "issue": issue}
                put(connection, evidence, row, ("repo_id", "number", "issue"))

        await self._do(note)

    async def evidence(self, repo_id: int, number: int) -> tuple[int, ...]:
        """The issues that hold evidence about the plan of this pull request, open or settled."""
        query = sa.select(evidence.c.issue).where(evidence.c.repo_id == repo_id, evidence.c.number == number)
        return tuple(await self._scalars(query.order_by(evidence.c.issue)))

    # decisions

    async def decide(self, repo_id: int, decision: Decision) -> None:
        """Keep what a person decided; the last word on a finding counts. A finding's id changes with its line of the
        plan, so that a decision ends when the line does."""
        row = {
            "repo_id": repo_id,
            "plan_path": decision.plan_path,
            "finding_id": decision.finding_id,
            "kind": decision.kind.value,
            "subject": decision.subject,
            "status": decision.status.value,
            "login": decision.by,
            "reason": decision.reason,
            "number": decision.number,
            "at": decision.at,
        }
        await self._keep(decisions, row, ("repo_id", "plan_path", "finding_id"))

    async def decisions(self, repo_id: int, plan_paths: Iterable[str]) -> list[Decision]:
        """The decisions on findings of these plans, oldest first."""
        query = sa.select(decisions).where(decisions.c.repo_id == repo_id, decisions.c.plan_path.in_(list(plan_paths)))
        return [
            Decision(
                finding_id=row["finding_id"],
                kind=FindingType(row["kind"]),
                subject=row["subject"],
                plan_path=row["plan_path"],
                status=Status(row["status"]),
                by=row["login"],
                reason=row["reason"],
                number=row["number"],
                at=row["at"],
            )
            for row in await self._rows(query.order_by(decisions.c.at, decisions.c.finding_id))
        ]
