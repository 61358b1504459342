"""The figures of an evaluation, and the small file in which they are kept to be compared with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.core.verify.evaluation.score import Outcome, is_hard
from schemas.verify_report import FindingType

RECALL_FLOOR = 0.90
PRECISION_FLOOR = 0.97
NOT_AVAILABLE = "n/a"

_Count = Field(ge=0)


class _Figures(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TypeScore(_Figures):
    """`defects` and `found` are blocker and major; `slight` and `slight_found` the minor ones and advice."""

    defects: int = _Count
    found: int = _Count
    slight: int = _Count
    slight_found: int = _Count
    false: int = Field(ge=0, description="false accusations: blocker and major findings that meet no defect")


class Scores(_Figures):
    """Ratios have three decimals, cut and not rounded, so that none reaches a floor which it does not; None where
    there is nothing to divide by. The lists name cases and places.
    """

    cases: int = _Count
    clean: int = Field(ge=0, description="cases without any defect")
    recall: float | None = Field(ge=0, le=1, description="of blocker and major")
    precision: float | None = Field(ge=0, le=1)
    tokens: int = _Count
    types: dict[FindingType, TypeScore]
    missed: tuple[str, ...]
    false: tuple[str, ...]
    unjudged: tuple[str, ...]

    @property
    def totals(self) -> TypeScore:
        rows = self.types.values()
        return TypeScore(
            defects=sum(row.defects for row in rows),
            found=sum(row.found for row in rows),
            slight=sum(row.slight for row in rows),
            slight_found=sum(row.slight_found for row in rows),
            false=sum(row.false for row in rows),
        )

    @property
    def holds(self) -> bool:
        """Whether every floor holds; what could not be measured breaks none, a plan that was not judged does."""
        recall, precision = _holds(self.recall, RECALL_FLOOR), _holds(self.precision, PRECISION_FLOOR)
        return recall and precision and not self.unjudged


def figures(outcomes: Sequence[Outcome]) -> Scores:
    """Adds up; the order of `outcomes` makes no difference."""
    types = {type_: _row(type_, outcomes) for type_ in FindingType}
    found, defects = sum(row.found for row in types.values()), sum(row.defects for row in types.values())
    false = sum(row.false for row in types.values())
    return Scores(
        cases=len(outcomes),
        clean=sum(not outcome.case.defects for outcome in outcomes),
        recall=ratio(found, defects),
        precision=ratio(found, found + false),
        tokens=sum(outcome.tokens for outcome in outcomes),
        types=types,
        missed=_sorted(
            f"{each.case.name} {each.defect.severity} {each.defect.type} at {each.defect.path}:{each.defect.first}"
            for outcome in outcomes
            for each in outcome.missed
        ),
        false=_sorted(
            f"{each.case.name}{' repaired' if each.repaired else ''} {each.finding.severity} {each.finding.type} "
            f"at {each.finding.plan_path}:{each.finding.plan_line}"
            for outcome in outcomes
            for each in outcome.false
        ),
        unjudged=_sorted(f"{each.case.name} {each.reason}" for outcome in outcomes for each in outcome.unjudged),
    )


def ratio(part: int, whole: int) -> float | None:
    return part * 1000 // whole / 1000 if whole else None


def shown(value: float | None) -> str:
    return NOT_AVAILABLE if value is None else f"{value:.3f}"


def to_text(scores: Scores) -> str:
    """The file's text: a line a fact, in an order that never changes, so that a difference reads well."""
    form = scores.model_dump(mode="json")
    lines = [f"  {json.dumps(key)}: {_value(value)}" for key, value in form.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def from_text(text: str) -> Scores:
    """The inverse. Raises ValueError with one line on what is wrong."""
    try:
        return Scores.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise ValueError(f"{where}: {first['msg']}" if where else first["msg"]) from None


def _row(type_: FindingType, outcomes: Sequence[Outcome]) -> TypeScore:
    every = [defect for outcome in outcomes for defect in outcome.case.defects if defect.type is type_]
    found = [defect for outcome in outcomes for defect in outcome.found if defect.type is type_]
    return TypeScore(
        defects=sum(is_hard(defect.severity) for defect in every),
        found=sum(is_hard(defect.severity) for defect in found),
        slight=sum(not is_hard(defect.severity) for defect in every),
        slight_found=sum(not is_hard(defect.severity) for defect in found),
        false=sum(each.finding.type is type_ for outcome in outcomes for each in outcome.false),
    )


def _holds(value: float | None, floor: float) -> bool:
    return value is None or value >= floor


def _value(value: object) -> str:
    if isinstance(value, Mapping) and value:
        inner = [f"    {json.dumps(key)}: {json.dumps(row)}" for key, row in sorted(value.items())]
        return "{\n" + ",\n".join(inner) + "\n  }"
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(f"    {json.dumps(item, ensure_ascii=False)}" for item in value) + "\n  ]"
    return json.dumps(value)


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
