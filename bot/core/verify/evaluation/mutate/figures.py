"""The figures of a run over seeded defects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from bot.core.verify.evaluation.figures import RECALL_FLOOR, ratio
from bot.core.verify.evaluation.mutate.run import Attempt, Outcome
from bot.core.verify.evaluation.score import is_hard
from schemas.verify_report import FindingType, Severity


class _Figures(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Row(_Figures):
    """Of one type or one mutator; `recall` is None where nothing was seeded, cut to three decimals."""

    seeded: int = Field(ge=0)
    found: int = Field(ge=0)
    recall: float | None


class Miss(_Figures):
    plan: str
    line: int
    type: FindingType
    severity: Severity
    mutator: str
    what: str
    instead: str


class Skip(_Figures):
    plan: str
    reason: str


class Mutation(_Figures):
    """`total` is of blocker and major defects alone, and so are `types` and `mutators` but for hidden text, which is
    advice. `others`: gating findings of another type than the seeded defect's, which came with it."""

    seed: int
    plans: int = Field(ge=0, description="clean plans that defects were seeded in")
    floor: float = RECALL_FLOOR
    total: Row
    advice: Row
    types: dict[FindingType, Row]
    mutators: dict[str, Row]
    missed: tuple[Miss, ...]
    others: dict[FindingType, int]
    skipped: tuple[Skip, ...]

    @property
    def holds(self) -> bool:
        """Whether the floor holds; where nothing was seeded it was not shown to."""
        return self.total.recall is not None and self.total.recall >= self.floor


def figures(outcomes: Sequence[Outcome], *, seed: int) -> Mutation:
    attempts = [attempt for outcome in outcomes for attempt in outcome.attempts]
    names = dict.fromkeys(attempt.seed.mutator for attempt in attempts)
    others = Counter(type_ for attempt in attempts for type_ in attempt.others)
    return Mutation(
        seed=seed,
        plans=sum(bool(outcome.attempts) for outcome in outcomes),
        total=_row([each for each in attempts if is_hard(each.seed.severity)]),
        advice=_row([each for each in attempts if not is_hard(each.seed.severity)]),
        types={type_: _row([each for each in attempts if each.seed.type is type_]) for type_ in FindingType},
        mutators={name: _row([each for each in attempts if each.seed.mutator == name]) for name in sorted(names)},
        missed=tuple(
            Miss(
                plan=each.plan,
                line=each.seed.spots[0].first,
                type=each.seed.type,
                severity=each.seed.severity,
                mutator=each.seed.mutator,
                what=each.seed.what,
                instead=each.instead,
            )
            for each in attempts
            if not each.found
        ),
        others={type_: others[type_] for type_ in FindingType if others[type_]},
        skipped=tuple(Skip(plan=each.plan, reason=each.skipped) for each in outcomes if each.skipped is not None),
    )


def _row(attempts: Sequence[Attempt]) -> Row:
    found = sum(attempt.found for attempt in attempts)
    return Row(seeded=len(attempts), found=found, recall=ratio(found, len(attempts)))
