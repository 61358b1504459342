"""Which defects are seeded into a clean plan, and which of them the verifier finds.

Found is a defect by a finding that the clean plan did not have: of the defect's type, blocker or major where the defect
is one, on a line where the defect can be seen. Gating findings of other types that come with the change are counted
apart; most are the same defect seen from another side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice

from bot.core.judge import Case
from bot.core.plans import parse
from bot.core.tree import TreeError
from bot.core.verify.evaluation.mutate.model import Mutant, Mutator, Seed, Subject
from bot.core.verify.evaluation.mutate.registry import MUTATORS
from bot.core.verify.evaluation.score import is_hard, overlaps
from schemas.verify_report import Finding, FindingType, Verdict, VerifyReport

PER_PLAN = 10
_POOL = 40  # what one mutator could do to one plan, of which some are chosen
_OF_TYPE = 3  # and of one type: no type is to outweigh the others because it fits any plan
_APART = (FindingType.HIDDEN_TEXT,)  # advice: one a plan, beside the others


@dataclass(frozen=True, slots=True)
class Attempt:
    """A seeded defect and what came of it. `instead`: what the report says on these lines or of that type, in words;
    `others`: the types of the new gating findings that are not the defect's."""

    plan: str
    seed: Seed
    found: bool
    instead: str = ""
    others: tuple[FindingType, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """One plan. `skipped` says why nothing was seeded in it; then there are no attempts."""

    plan: str
    attempts: tuple[Attempt, ...] = ()
    skipped: str | None = None


def measure(
    case: Case,
    *,
    seed: int = 0,
    per_plan: int = PER_PLAN,
    mutators: Mapping[FindingType, Sequence[Mutator]] = MUTATORS,
    on_error: Callable[[BaseException], None] | None = None,
) -> Outcome:
    """Judges the plan as it is and, when it is clean, once with each of at most `per_plan` defects, hidden text apart.

    The same seed gives the same defects. An error of the engines is handed to `on_error`, and the defect counts as
    missed.
    """
    plan = case.documents[0].path
    try:
        clean = case.report()
        if clean.verdict is not Verdict.CLEAN or clean.gating:
            return Outcome(plan, skipped=f"it is not clean as it is: {_state(clean)}")
        subject = Subject(parse(case.documents), case.tree())
    except TreeError as error:
        return Outcome(plan, skipped=str(error))
    chosen = choose(subject, seed=seed, per_plan=per_plan, mutators=mutators)
    attempts = tuple(_attempt(case, plan, mutant, clean, on_error) for mutant in chosen)
    return Outcome(plan, attempts, None if attempts else "nothing in it can be made wrong for certain")


def choose(
    subject: Subject,
    *,
    seed: int,
    per_plan: int,
    mutators: Mapping[FindingType, Sequence[Mutator]] = MUTATORS,
) -> list[Mutant]:
    """At most `per_plan` defects, spread over the types and, within a type, over its mutators."""
    queues = {type_: list(islice(_queue(subject, seed, each), _OF_TYPE)) for type_, each in mutators.items()}
    turns = sorted((each for each in queues if each not in _APART), key=lambda each: _draw(seed, subject, each.value))
    chosen: list[Mutant] = []
    depth = 0
    while len(chosen) < per_plan and any(len(queues[each]) > depth for each in turns):
        chosen += [queues[each][depth] for each in turns if len(queues[each]) > depth][: per_plan - len(chosen)]
        depth += 1
    return chosen + [queues[each][0] for each in _APART if queues.get(each)]


def _queue(subject: Subject, seed: int, mutators: Sequence[Mutator]) -> Iterator[Mutant]:
    """The defects of one type in the order in which they are taken, one of each mutator."""
    pools = []
    for mutator in mutators:
        pool = [each for each in islice(mutator(subject), _POOL) if each.seed.spots]
        if pool:
            pool.sort(key=lambda each: _draw(seed, subject, each.seed.mutator, each.seed.what, str(each.seed.spots)))
            pools.append(pool)
    pools.sort(key=lambda pool: _draw(seed, subject, pool[0].seed.mutator))
    yield from (pool[0] for pool in pools)


def _draw(seed: int, subject: Subject, *words: str) -> bytes:
    """An order that nobody chose, the same on each run."""
    return sha256("\0".join((str(seed), subject.main.path, *words)).encode("utf-8", "surrogatepass")).digest()


def _attempt(
    case: Case, plan: str, mutant: Mutant, clean: VerifyReport, on_error: Callable[[BaseException], None] | None
) -> Attempt:
    seed = mutant.seed
    try:
        report = replace(case, documents=mutant.documents).report(changes=mutant.files)
    except Exception as error:  # noqa: BLE001  whatever the engine does on such a plan is part of the measure
        if on_error is not None:
            on_error(error)
        return Attempt(plan, seed, found=False, instead=f"the engine failed ({type(error).__name__})")
    before = {finding.id for finding in clean.findings if is_hard(finding.severity) or not is_hard(seed.severity)}
    new = [finding for finding in report.findings if finding.id not in before]
    found = any(finds(finding, seed) for finding in new)
    others = tuple(each.type for each in new if each.gating and each.type is not seed.type)
    return Attempt(plan, seed, found, "" if found else _instead(report, new, seed), others)


def finds(finding: Finding, seed: Seed) -> bool:
    """Whether a finding points at the seeded defect, and stops the plan where the defect should."""
    if finding.type is not seed.type or (is_hard(seed.severity) and not is_hard(finding.severity)):
        return False
    return _on(finding, seed)


def _on(finding: Finding, seed: Seed) -> bool:
    return any(overlaps(finding, spot.path, spot.first, spot.last) for spot in seed.spots)


def _instead(report: VerifyReport, new: Iterable[Finding], seed: Seed) -> str:
    if report.verdict not in (Verdict.CLEAN, Verdict.NEEDS_FIX):
        return f"it is {_state(report)}"
    near = [each for each in new if _on(each, seed) or each.type is seed.type]
    said = [f"{each.severity} {each.type} in line {each.plan_line}: {each.message}" for each in near[:2]]
    return "; ".join(said)


def _state(report: VerifyReport) -> str:
    if report.gating:
        return (
            f"{len(report.gating)} findings, the first in line {report.gating[0].plan_line}: {report.gating[0].message}"
        )
    return f"{report.verdict}" + (f" ({report.reason})" if report.reason else "")
