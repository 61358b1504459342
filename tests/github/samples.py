"""Reports as the verifier makes them, for texts and publications."""

from __future__ import annotations

from bot.github.findings import Place
from schemas.plan_check_result import CheckQuery, Match, MatchKind, PlanCheckResult, ReuseVerdict
from schemas.verify_report import (
    CheckRecord,
    Edit,
    Evidence,
    Finding,
    FindingType,
    PlanInfo,
    Read,
    Severity,
    Status,
    TreeInfo,
    Verdict,
    VerifyReport,
)

HEAD = "9c1d2e0" + "a" * 33
TREE = "80315cd" + "b" * 33
PLAN = "docs/plans/retry-detection.md"
PLACE = Place(web="https://github.com/acme/widgets", head=HEAD, run="7f3c", number=412)
KEY = "1005/412"

MISSING = Finding(
    id="f-3a91c2",
    type=FindingType.MISSING_PATH,
    severity=Severity.BLOCKER,
    gating=True,
    task="Task 3",
    plan_path=PLAN,
    plan_line=47,
    plan_end_line=47,
    subject="src/agents/claude.ts",
    message="no such file, no earlier task creates it",
    evidence=(
        Evidence(path="src/agents/claude.ts", absent=True),
        Evidence(path="src/agents/index.ts", line=46, quote="export class ClaudeAgent extends Agent {"),
    ),
    suggestion="src/agents/index.ts",
    edit=Edit(path=PLAN, start=47, end=47, old="src/agents/claude.ts", new="src/agents/index.ts"),
)
RUNNER = Finding(
    id="f-77d0aa",
    type=FindingType.VERIFY_FORM,
    severity=Severity.MAJOR,
    gating=True,
    task="Task 5",
    plan_path=PLAN,
    plan_line=112,
    plan_end_line=112,
    subject="bun test tests/live/chat.rntl.tsx",
    message="that suite is collected by jest",
    evidence=(Evidence(path="jest.config.js", line=4, quote="testMatch: ['**/*.rntl.tsx'],"),),
)
EXISTS = Finding(
    id="f-90ab12",
    type=FindingType.IGNORES_EXISTING_CODE,
    severity=Severity.MAJOR,
    gating=True,
    task="Task 6",
    plan_path=PLAN,
    plan_line=140,
    plan_end_line=142,
    subject="src/queue/index.ts",
    message="the plan creates this file, and it is there already",
    evidence=(Evidence(path="src/queue/index.ts"),),
)
NOTE = Finding(
    id="f-0c0c0c",
    type=FindingType.FALSE_PREMISE,
    severity=Severity.MINOR,
    gating=False,
    task="Task 2",
    plan_path=PLAN,
    plan_line=31,
    plan_end_line=31,
    subject="src/queue/index.ts:80-95",
    message="the plan cites lines 80-95, and the file has 60 lines",
    evidence=(Evidence(path="src/queue/index.ts", line=60, quote="}"),),
)
ADVICE = NOTE.model_copy(
    update={
        "id": "f-0d0d0d",
        "severity": Severity.ADVICE,
        "type": FindingType.PLACEHOLDER,
        "subject": "TBD",
        "message": "part of the work is still open",
        "evidence": (Evidence(path=PLAN, line=31, quote="- the rest is TBD"),),
    }
)
CHECKS = (
    CheckRecord(name="tree", reason="the parent of the commit that last changed the plan"),
    CheckRecord(name="missing_path"),
    CheckRecord(name="task_order"),
    CheckRecord(name="scope_gap", ran=False, reason="no numbered requirement could be read in requirements.md"),
)
READS = (
    Read(path="jest.config.js", bytes=2100),
    Read(path="src/queue/index.ts", bytes=900),
    Read(path="assets/big.bin", outcome="larger than 1 MiB"),
)


def report(
    verdict: Verdict = Verdict.NEEDS_FIX,
    *found: Finding,
    path: str = PLAN,
    tasks: int = 7,
    reason: str | None = None,
    rev: str | None = TREE,
) -> VerifyReport:
    judged = verdict in (Verdict.NEEDS_FIX, Verdict.CLEAN)
    return VerifyReport(
        plan=PlanInfo(path=path, format="superpowers", title="Retry detection", tasks=tasks, files=(path,)),
        tree=TreeInfo(rev=rev),
        verdict=verdict,
        reason=reason,
        findings=found,
        checks=CHECKS if judged else (),
        reads=READS if judged else (),
    )


def flawed() -> VerifyReport:
    return report(Verdict.NEEDS_FIX, MISSING, RUNNER, EXISTS, NOTE, ADVICE)


def clean() -> VerifyReport:
    return report(Verdict.CLEAN, ADVICE)


def dismissed(finding: Finding) -> Finding:
    return finding.model_copy(update={"status": Status.DISMISSED})


def reuse(verdict: ReuseVerdict = ReuseVerdict.REUSE, score: float = 0.52) -> PlanCheckResult:
    top = Match(
        id="capability.infotech.issue-tracking",
        score=score,
        vector="D4/A2/C2/R1",
        owner="issue-core",
        summary="One interface for issues across Gitea, GitHub, GitLab",
        shared=("cli", "github", "issue", "tracking"),
        availability_gap="available as source only",
        consumption="copy the adapter, see docs/consume.md",
    )
    other = Match(id="capability.infotech.notify", score=0.2, vector="D2/A1", summary="Sends mail @ops about #12")
    related = Match(
        id="capability.infotech.forge", score=0.1, kind=MatchKind.RELATED, via="capability.infotech.issue-tracking"
    )
    return PlanCheckResult(
        query=CheckQuery(source="workplan", text="issue tracking", title="Issue tracking"),
        verdict=verdict,
        top_score=score,
        matches=(top, other, related),
        federated_index_updated="2026-07-06",
    )
