"""What people decided on findings, and what the configuration passes over: one reading of both.

A decision is about one plan's text, so that it holds in every pull request that shows the same line of the same plan.
An id is short enough for an author to look for a line that has the id of a dismissed finding, so a decision is known by
the finding's type and subject as well.
What the configuration ignores is dismissed, whatever people decided before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bot.dispatch import Context
from bot.store import Decision
from schemas.verify_report import Finding, FindingType, Status


@dataclass(frozen=True)
class Settled:
    """What was decided on a finding; where a person did, who, why (plain text) and when, in milliseconds since 1970."""

    status: Status
    by: str | None = None
    reason: str | None = None
    at: int | None = None

    @property
    def why(self) -> str:
        """Who and why, plain text for people."""
        return f"by `{self.by}`: {self.reason}" if self.by is not None else "by `ignore` in the configuration"


IGNORED = Settled(Status.DISMISSED)
"""By the configuration, which says neither who nor when."""


class Decisions:
    """By the path of a plan and its finding: two plans may hold the same line."""

    def __init__(self, made: Iterable[Decision], ignore: Iterable[str]) -> None:
        self._made: dict[tuple[str, str], tuple[FindingType, str, Settled]] = {}
        self._ignored = frozenset(ignore)
        for each in made:
            self.add(each)

    def add(self, made: Decision) -> None:
        settled = Settled(made.status, made.by, made.reason, made.at)
        self._made[made.plan_path, made.finding_id] = made.kind, made.subject, settled

    def of(self, plan: str, finding: Finding) -> Settled | None:
        """What was decided on this finding of the plan at that path; None where nothing was."""
        if finding.id in self._ignored:
            return IGNORED
        kind, subject, settled = self._made.get((plan, finding.id), (None, None, None))
        return settled if (kind, subject) == (finding.type, finding.subject) else None

    def statuses(self, plan: str) -> dict[str, Status]:
        """Of what was decided on one plan, by a finding's id alone: see `mistaken`."""
        found = {finding: settled.status for (path, finding), (_, _, settled) in self._made.items() if path == plan}
        return found | dict.fromkeys(self._ignored, IGNORED.status)

    def mistaken(self, plan: str, findings: Iterable[Finding]) -> frozenset[str]:
        """The ids of those findings of the plan that share theirs with another one, on which something was decided."""
        return frozenset(each.id for each in findings if (plan, each.id) in self._made and self.of(plan, each) is None)


async def decisions(ctx: Context, plans: Iterable[str], ignore: Iterable[str]) -> Decisions:
    """What was decided on these plans, by path. `ignore` are the ids that the configuration passes over."""
    return Decisions(await ctx.store.decisions(ctx.repo.id, plans), ignore)
