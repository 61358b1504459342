"""How a finding is made: its severity, whether it gates, its id and the lines of the plan it points at.

Checks hand in `Draft`s, which say what they saw and how sure they are; everything that has to be the same for all of
them (severities, ids, spans, order) is decided here, from one table.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from bot.core.plans.model import Plan, Span, Task
from schemas.verify_report import Edit, Evidence, Finding, FindingType, Severity, Status

_GATING_SEVERITIES = frozenset({Severity.BLOCKER, Severity.MAJOR})


class Weight(StrEnum):
    """What a disagreement does to the plan, as far as the check can tell."""

    BREAKS = "breaks"  # the task cannot be carried out as written
    WRONG = "wrong"  # the plan states something that the tree denies
    SLIGHT = "slight"  # nearly right: lines that merely moved
    DOUBT = "doubt"  # only mentioned, hedged, or not certain


@dataclass(frozen=True, slots=True)
class Rule:
    """The severity of each weight, and whether blocker and major findings of the type keep the plan from going on."""

    breaks: Severity
    wrong: Severity
    slight: Severity
    gates: bool = True

    def severity(self, weight: Weight) -> Severity:
        match weight:
            case Weight.BREAKS:
                return self.breaks
            case Weight.WRONG:
                return self.wrong
            case Weight.SLIGHT:
                return self.slight
            case Weight.DOUBT:
                return Severity.ADVICE


# task_order and verify_form are never minor: a doubt about them is advice, anything else stops the plan
RULES: Mapping[FindingType, Rule] = MappingProxyType(
    {
        FindingType.MISSING_PATH: Rule(Severity.BLOCKER, Severity.MAJOR, Severity.MINOR),
        FindingType.TASK_ORDER: Rule(Severity.BLOCKER, Severity.MAJOR, Severity.ADVICE),
        FindingType.IGNORES_EXISTING_CODE: Rule(Severity.MAJOR, Severity.MAJOR, Severity.MINOR),
        FindingType.FALSE_PREMISE: Rule(Severity.MAJOR, Severity.MAJOR, Severity.MINOR),
        FindingType.VERIFY_FORM: Rule(Severity.MAJOR, Severity.MAJOR, Severity.ADVICE),
        FindingType.SCOPE_GAP: Rule(Severity.MAJOR, Severity.MAJOR, Severity.MINOR),
        FindingType.SPEC_DELTA_WRONG: Rule(Severity.MAJOR, Severity.MAJOR, Severity.MINOR),
        FindingType.PLACEHOLDER: Rule(Severity.MAJOR, Severity.MAJOR, Severity.ADVICE),
        FindingType.HIDDEN_TEXT: Rule(Severity.ADVICE, Severity.ADVICE, Severity.ADVICE, gates=False),
    }
)

ORDER = (Severity.BLOCKER, Severity.MAJOR, Severity.MINOR, Severity.ADVICE)


@dataclass(frozen=True, slots=True)
class Draft:
    """What a check saw, before it is known whether the report has room for it.

    `span` may be wider than needed: it is narrowed to the line that holds `subject` (or `raw`, what stands in the plan
    where that differs). `evidence` has been read by `bot.core.verify.evidence`.
    """

    type: FindingType
    weight: Weight
    span: Span
    subject: str
    message: str
    evidence: tuple[Evidence, ...]
    task: Task | None = None
    raw: str = ""
    suggestion: str | None = None
    edit: Edit | None = None


def narrow(plan: Plan, span: Span, *needles: str) -> Span:
    """The first single line of `span` that holds one of `needles` (tried in order); `span` itself when none does."""
    lines = range(span.first, min(span.last, span.first + 400) + 1)
    for needle in needles:
        if not needle:
            continue
        for number in lines:
            if needle in plan.line(span.path, number):
                return Span(span.path, number, number)
    return span


def gates(type_: FindingType, severity: Severity) -> bool:
    return RULES[type_].gates and severity in _GATING_SEVERITIES


def _id(key: str, ordinal: int, taken: set[str]) -> str:
    digest = hashlib.sha256(f"{key}\0{ordinal}".encode("utf-8", "surrogatepass")).hexdigest()
    length = 6
    while f"f-{digest[:length]}" in taken and length < 12:
        length += 2
    return f"f-{digest[:length]}"


def _severity(draft: Draft, wanted: Mapping[FindingType, Severity]) -> Severity:
    """The usual severity, or the one wanted for the type. A doubt stays one: nothing makes an accusation of it."""
    usual = RULES[draft.type].severity(draft.weight)
    return usual if usual is Severity.ADVICE else wanted.get(draft.type, usual)


def build(
    drafts: Iterable[Draft],
    plan: Plan,
    settled: Mapping[str, Status],
    wanted: Mapping[FindingType, Severity] = MappingProxyType({}),
) -> tuple[Finding, ...]:
    """The findings of a report, worst first, then in the order of the plan.

    An id is a hash of the type, the text of the plan line, the subject and a count of equal ones, so it survives lines
    that are inserted above. `settled` gives findings of those ids another status than open, `wanted` those of a type
    another severity than the usual one, and with it what gates.
    """
    placed = [(narrow(plan, draft.span, draft.raw, draft.subject), draft) for draft in drafts]
    documents = {document.path: index for index, document in enumerate(plan.documents)}
    placed.sort(
        key=lambda pair: (
            documents.get(pair[0].path, len(documents)),
            pair[0].first,
            pair[0].last,
            pair[1].type.value,
            pair[1].subject,
            pair[1].message,
        )
    )
    seen: Counter[str] = Counter()
    taken: set[str] = set()
    found: list[Finding] = []
    for span, draft in placed:
        key = "\0".join((draft.type.value, plan.line(span.path, span.first).strip(), draft.subject))
        identity = _id(key, seen[key], taken)
        seen[key] += 1
        taken.add(identity)
        severity = _severity(draft, wanted)
        found.append(
            Finding(
                id=identity,
                type=draft.type,
                severity=severity,
                gating=gates(draft.type, severity),
                status=settled.get(identity, Status.OPEN),
                task=draft.task.label if draft.task else None,
                plan_path=span.path,
                plan_line=span.first,
                plan_end_line=max(span.first, span.last),
                subject=draft.subject,
                message=draft.message,
                evidence=draft.evidence,
                suggestion=draft.suggestion,
                edit=draft.edit,
            )
        )
    found.sort(key=lambda finding: ORDER.index(finding.severity))
    return tuple(found)
