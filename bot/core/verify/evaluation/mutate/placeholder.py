"""Steps whose content was taken away, so that nothing is left to do them by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.verify.evaluation.mutate.model import Mutant, Spot, Subject
from bot.core.verify.evaluation.mutate.reading import Part
from schemas.verify_report import FindingType, Severity

_TYPE = FindingType.PLACEHOLDER
_STEP = re.compile(r"^(?:#{3,6}\s+|\s*[-*]\s+\[ \]\s+)?\**Step [\d.]+\w?\b")
_ITEM = re.compile(r"^(?P<head>\s*[-*]\s+\[ \]\s+(?:\**(?:T\d+\w*|\d+(?:\.\d+)+)\.?\**\s+)?(?:\[\w+\]\s+)*)\S")
_BULLET = re.compile(r"^(?P<head>\s*[-*]\s+)(?!\[)(?P<text>[A-Z]\w+ .{30,})$")
_WORDS = ("TBD", "TODO", "Implement later.", "To be decided.", "Fill in details later.", "TODO: fill in")


def step_is_emptied(subject: Subject) -> Iterator[Mutant]:
    """Below the heading of a step is a placeholder in the place of its text and code."""
    for part in subject.parts:
        starts = [n for n in _open_lines(subject, part) if _STEP.match(subject.main.line(n))]
        for count, start in enumerate(starts):
            end = (starts[count + 1] if count + 1 < len(starts) else part.last + 1) - 1
            while end > start and not subject.main.line(end).strip("- \t"):
                end -= 1
            if end - start < 3 or re.search(r"(?i)commit|verify|run", subject.main.line(start)):
                continue
            other = next((each for each in subject.parts if each is not part), None)
            words = [*_WORDS, *([f"Similar to {other.task.label}."] * 2 if other and other.heading else [])]
            word = words[(start + count) % len(words)]
            edits: dict[int, list[str]] = {n: [] for n in range(start, end + 1)}
            indent = "  " if subject.main.line(start).lstrip().startswith(("-", "*")) else ""
            edits[start] = [subject.main.line(start), "", f"{indent}{word}", ""]
            yield subject.mutant(
                "step_is_emptied",
                _TYPE,
                Severity.MAJOR,
                f"a step of {part.task.label} says {word!r} and no more",
                [Spot(subject.main.path, start, offset) for offset in (0, 1, 2)],
                edits={subject.main.path: edits},
            )


def item_is_emptied(subject: Subject) -> Iterator[Mutant]:
    """An item of a checklist is a placeholder."""
    for part in subject.parts:
        for number in _open_lines(subject, part):
            line = subject.main.line(number)
            match = _ITEM.match(line)
            if match is None or _STEP.match(line) or re.match(r"\s+\S", subject.main.line(number + 1)):
                continue
            yield _replaced(subject, "item_is_emptied", part, number, match["head"])


def bullet_is_emptied(subject: Subject) -> Iterator[Mutant]:
    """The only bullets of a task that say what to do are a placeholder."""
    for part in subject.parts:
        if not part.heading:
            continue
        numbers = [n for n in _open_lines(subject, part) if (_BULLET.match(subject.main.line(n)))]
        if len(numbers) == 1 and not re.match(r"\s+\S", subject.main.line(numbers[0] + 1)):
            match = _BULLET.match(subject.main.line(numbers[0]))
            if match:
                yield _replaced(subject, "bullet_is_emptied", part, numbers[0], match["head"])


def question_is_open(subject: Subject) -> Iterator[Mutant]:
    """A task has a question in it that was never answered."""
    for part in subject.parts:
        if not part.is_open or "NEEDS CLARIFICATION" in subject.main.text:
            continue
        line = subject.main.line(part.first)
        mark = "[NEEDS CLARIFICATION: how long are the old gears kept?]"
        at = part.bullets[-1].line if part.heading and part.bullets else part.first
        edits = {at: [subject.main.line(at), "", mark, ""]} if part.heading else {at: [f"{line} {mark}"]}
        yield subject.mutant(
            "question_is_open",
            _TYPE,
            Severity.MAJOR,
            f"{part.task.label} holds an open question",
            [Spot(subject.main.path, at, 2 if part.heading else 0)],
            edits={subject.main.path: edits},
        )


def _open_lines(subject: Subject, part: Part) -> list[int]:
    if not part.is_open:
        return []
    return [n for n in range(part.first, part.last + 1) if n not in subject.main.code and not subject.main.ticked(n)]


def _replaced(subject: Subject, mutator: str, part: Part, number: int, head: str) -> Mutant:
    word = _WORDS[number % len(_WORDS)]
    return subject.mutant(
        mutator,
        _TYPE,
        Severity.MAJOR,
        f"an item of {part.task.label} says {word!r} and no more",
        [Spot(subject.main.path, number)],
        edits={subject.main.path: {number: [f"{head}{word}"]}},
    )


MUTATORS = (step_is_emptied, item_is_emptied, bullet_is_emptied, question_is_open)
