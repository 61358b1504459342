"""One plan, one tree, one report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from bot.core.plans.model import Format, Plan
from bot.core.tree import Tree
from bot.core.verify import retroactive
from bot.core.verify.checks import CHECKS
from bot.core.verify.finding import build
from bot.core.verify.replay import MAX_USES, replay
from bot.core.verify.world import World
from schemas.verify_report import (
    CheckRecord,
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

MAX_ADVICE = 20
MAX_FINDINGS = 200
MAX_REASONS = 5  # that a check gives in full for what it did not look at


def verify(
    plan: Plan,
    tree: Tree,
    *,
    known_added: frozenset[str] = frozenset(),
    settled: Mapping[str, Status] = {},
    severity: Mapping[FindingType, Severity] = {},
    max_advice: int = MAX_ADVICE,
    max_findings: int = MAX_FINDINGS,
    max_uses: int = MAX_USES,
) -> VerifyReport:
    """Judges `plan` on `tree` and reports; `seconds` is left at 0 for the caller, who has a clock.

    `known_added`: paths that the same change added before the plan's last edit; they are neither existing code nor
    missing. `settled`: finding id → dismissed, disputed or repaired. `severity`: of findings of a type that are more
    than advice. Nothing is raised for any plan; what could not be looked at stands in the report's `checks`.
    """
    info = PlanInfo(
        path=plan.path,
        format=plan.format.value,
        title=plan.title,
        tasks=len(plan.tasks),
        files=tuple(document.path for document in plan.documents),
    )
    base = VerifyReport(plan=info, tree=TreeInfo(rev=tree.rev), verdict=Verdict.CLEAN)
    if not any(document.text.strip() for document in plan.documents):
        return base.model_copy(update={"verdict": Verdict.NOT_A_PLAN, "reason": "the document is empty"})
    late = retroactive.reason(plan, tree)
    if late is not None:
        return base.model_copy(
            update={
                "verdict": Verdict.RETROACTIVE,
                "reason": late,
                "checks": tuple(
                    CheckRecord(name=type_.value, ran=False, reason="the plan was written after its code")
                    for type_ in FindingType
                ),
                "reads": _reads(tree),
            }
        )
    world = World(plan, tree, replay(plan, tree, known_added, max_uses=max_uses), known_added)
    if world.walk.left_out:
        world.note(FindingType.MISSING_PATH.value, f"{world.walk.left_out} citations were not looked at")
    drafts = [draft for _, check in CHECKS for draft in check(world) if draft.evidence]
    findings = build(drafts, plan, settled, severity)
    # of all of them: what the report has no room for holds the plan back as well
    open_ = any(f.gating and _counts(f) for f in findings)
    findings = _limit(world, findings, max_advice, max_findings)
    return base.model_copy(
        update={
            "verdict": Verdict.NEEDS_FIX if open_ else Verdict.CLEAN,
            "findings": findings,
            "checks": _checks(world),
            "reads": _reads(tree),
        }
    )


def _limit(world: World, findings: tuple[Finding, ...], max_advice: int, max_findings: int) -> tuple[Finding, ...]:
    """Advice that nobody would read to its end is cut, and so is a flood of findings; the report says how many. The
    open findings that hold the plan back are cut last and those that were settled first; the order stays."""
    kept: set[int] = set()
    advice = 0
    dropped: Counter[str] = Counter()
    for at in sorted(range(len(findings)), key=lambda at: _rank(findings[at])):
        finding = findings[at]
        advice += finding.severity is Severity.ADVICE
        if len(kept) >= max_findings or (finding.severity is Severity.ADVICE and advice > max_advice):
            dropped[finding.type.value] += 1
        else:
            kept.add(at)
    for name, count in sorted(dropped.items()):
        world.note(name, f"{count} more are left out of the report")
    return tuple(finding for at, finding in enumerate(findings) if at in kept)


def _counts(finding: Finding) -> bool:
    return finding.status in (Status.OPEN, Status.DISPUTED)


def _rank(finding: Finding) -> int:
    return 2 if not _counts(finding) else 0 if finding.gating else 1


def _checks(world: World) -> tuple[CheckRecord, ...]:
    skipped: dict[str, list[str]] = {}
    for each in world.plan.skipped:
        skipped.setdefault(each.check, []).append(each.reason)
    records: list[CheckRecord] = []
    for type_ in FindingType:
        name = type_.value
        reasons = [*skipped.pop(name, ()), *world.notes.get(name, ())]
        ran = name not in {each.check for each in world.plan.skipped} and not _cannot(world, type_)
        records.append(CheckRecord(name=name, ran=ran, reason=_together(reasons)))
    records += [CheckRecord(name=name, ran=False, reason=_together(why)) for name, why in sorted(skipped.items())]
    return tuple(records)


def _together(reasons: Sequence[str], most: int = MAX_REASONS) -> str | None:
    """The first `most` reasons and how many more there are; None where there are none."""
    more = (f"and {len(reasons) - most} more",) if len(reasons) > most else ()
    return "; ".join((*reasons[:most], *more)) or None


def _cannot(world: World, type_: FindingType) -> bool:
    if type_ is FindingType.TASK_ORDER:
        return not world.plan.tasks
    return type_ is FindingType.MISSING_PATH and world.plan.format is Format.KIRO


def _reads(tree: Tree) -> tuple[Read, ...]:
    seen: dict[tuple[str, str], Read] = {}
    for path, size, outcome in tree.reads:
        seen.setdefault((path, outcome), Read(path=path, bytes=size, outcome=outcome))
    return tuple(seen[key] for key in sorted(seen))
