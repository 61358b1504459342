"""Requirements that have a name and no id, as those of a change to a specification."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.plans import coverage
from bot.core.plans.model import DeltaKind, Span
from bot.core.plans.vocabulary import words
from bot.core.verify import evidence
from bot.core.verify.checks.scope_gap.families import SHOWN
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.SCOPE_GAP

MAX_TITLES = 200
_KEPT = 0.9  # of the names that tasks call, before the rest counts as forgotten
_FEW = 4  # names of which so large a share says little
_CALLED = 3  # requirements that tasks call by `Requirement: name`
_SILENT = 0.4  # of a requirement's words that a plan which is silent on it may hold by chance
_SPOKEN = 0.6  # of the words of any other requirement that the plan then holds
_TELLING = 5  # words
_TOLD = 100  # words that a plan has to have before its silence says something
_WORD = re.compile(r"[a-z][a-z0-9]{3,}")
_COMMON = words("requirement requirements shall must should system with from that this into when then each")


def find(world: World) -> Iterator[Draft]:
    """A draft for each requirement that is missing where tasks call the others by name, and for one of which the plan
    does not say a word where it speaks of all the others."""
    plan = world.plan
    deltas = [(each.id, each.span, each.text) for each in plan.requirements if not coverage.is_number(each.id)]
    deltas += [
        (delta.requirement, delta.span, delta.body)
        for delta in plan.spec_delta
        if delta.kind in (DeltaKind.ADDED, DeltaKind.MODIFIED)
    ]
    added = {delta.requirement for delta in plan.spec_delta if delta.kind is DeltaKind.ADDED}
    if len(deltas) < 2:
        _note_silence(world, deltas, added)
        return
    if len(deltas) > MAX_TITLES:
        world.note(TYPE.value, f"only the first {MAX_TITLES} requirements by name were looked at")
    deltas = list({_flat(each[0]): each for each in reversed(deltas[:MAX_TITLES])}.values())[::-1]
    path = plan.tasks[0].span.path
    prose = [each for task in plan.tasks for each in task.prose]
    prose += [each for each in plan.prose if each.span.path == path]
    text = _flat("\n".join(each.text for each in prose))
    left = _not_called(deltas, text)
    if not left and len(plan.documents) > 1:
        own = {span.path for _, span, _ in deltas}
        spoken = _words("\n".join(each.text for each in plan.documents if each.path not in own))
        shares = [_share(_words(f"{name} {body}"), spoken) for name, _, body in deltas]
        silent = [n for n, share in enumerate(shares) if share <= _SILENT and deltas[n][0] in added]
        spoken_of = [share for n, share in enumerate(shares) if n not in silent]
        if len(spoken) >= _TOLD and len(silent) == 1 and min(spoken_of, default=0.0) >= _SPOKEN:
            left = [deltas[silent[0]]]
    if not left:
        _note_silence(world, deltas, added)
    first = plan.tasks[0]
    for name, span, _ in left:
        shown = evidence.planned(plan, span.head)
        yield Draft(
            TYPE, Weight.WRONG, first.span.head, name[:120], "no task speaks of this requirement", shown, task=first
        )


def _note_silence(world: World, deltas: list[tuple[str, Span, str]], added: set[str]) -> None:
    """Says which requirements that a change adds have a title of which the task list holds no word: it may have other
    words for them, so it is no finding."""
    plan = world.plan
    path = plan.tasks[0].span.path
    spoken = _words("\n".join(each.text for each in plan.documents if each.path == path))
    silent = [name for name, _, _ in deltas if name in added and _words(name) and not _words(name) & spoken]
    if silent:
        quoted = ", ".join(f'"{name[:80]}"' for name in silent[:SHOWN])
        more = f" and {len(silent) - SHOWN} more" if len(silent) > SHOWN else ""
        world.note(TYPE.value, f"no task has a word of {quoted}{more}; others may stand for it, so it is not judged")


def _not_called(deltas: list[tuple[str, Span, str]], text: str) -> list[tuple[str, Span, str]]:
    labelled = [each for each in deltas if f"requirement: {_flat(each[0])}" in text]
    called = [each for each in deltas if _flat(each[0]) in text]
    if len(labelled) >= _CALLED and len(labelled) * 2 > len(deltas):
        return [each for each in deltas if each not in called]
    named = [each for each in deltas if len(each[0].split()) > 1]
    left = [each for each in named if each not in called]
    return left if len(named) > _FEW and len(left) <= (1 - _KEPT) * len(named) else []


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())


def _words(text: str) -> frozenset[str]:
    """The beginnings of the words that say what a text is about."""
    return frozenset(word[:5] for word in _WORD.findall(text.lower()) if word not in _COMMON)


def _share(of: frozenset[str], spoken: frozenset[str]) -> float:
    """How many of the words are spoken; all of them where they are too few to tell."""
    return len(of & spoken) / len(of) if len(of) >= _TELLING else 1.0
