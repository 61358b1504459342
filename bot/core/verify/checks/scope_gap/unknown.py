"""Ids that a task names as its requirements and that the specification, which numbers its own, does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from bot.core.plans import coverage
from bot.core.plans.model import Format, Plan, Span, Task, TaskStatus
from bot.core.tree import Text
from bot.core.verify import evidence
from bot.core.verify.checks.scope_gap.families import SHOWN, Family, listed, order, span, stem
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.SCOPE_GAP

MAX_UNKNOWN = 100  # ids, each of which is looked for in all documents
_OF_ANOTHER = re.compile(
    r"(?i)^\W{0,3}(?:of|in|from)\s+(?!(?:this|our|the|the same)\s+(?:spec|feature)\b(?![ -]*\d))"
    r"(?:[\w'’`@-]{1,60}\s+){0,4}`?(?:spec(?:ification)?s?|feature)\b"
    r"|^\W{0,3}(?:of|in|from|@)\s+(?:spec\W{0,3})?`?(?:specs/)?\d{3}\b"
)
_ANOTHERS = re.compile(
    r"(?i)(?:\b(?:specs?|feature)[ /#-]{0,3}`?\d{1,4}(?:-[\w-]{1,80})?|(?<![\w-])\d{3}-[\w-]{1,80})`?(?:['’]s)?"
    r"[\s/:#(>-]{0,4}$"
)
MAX_LINES = 400  # of a task, where the line that names an id is looked for


def find(world: World, families: dict[str, Family]) -> Iterator[Draft]:
    """One draft for each line of a task that names such ids."""
    plan = world.plan
    places: dict[str, int] = {}
    groups: dict[int, tuple[Task, list[tuple[str, str]]]] = {}
    elsewhere: list[str] = []
    asked = _asked(plan, families)
    for task, name, family in islice(asked, MAX_UNKNOWN):
        if not _is_judged(plan, family, name):
            continue
        if _elsewhere(world, family, name):
            elsewhere.append(name)
            continue
        why = _why_unknown(family, name)
        number = _cited_at(plan, task, name) if why else None
        if why and number:
            top = coverage.key(name).partition(".")[0]
            if top not in family.parts:  # every criterion of a requirement that is not there: said once
                number = places.setdefault(top, number)
            groups.setdefault(number, (task, []))[1].append((name, why))
    if next(asked, None) is not None:
        world.note(TYPE.value, f"only the first {MAX_UNKNOWN} unknown ids were looked at")
    if elsewhere:
        said, verb = ("it is", "is") if len(elsewhere) == 1 else ("they are", "are")
        world.note(
            TYPE.value,
            f"{listed(elsewhere)} {verb} named outside of the requirements that were read, so {said} not judged",
        )
    for number, (task, named) in groups.items():
        yield _dangling(world, families, task, number, named)


def _asked(plan: Plan, families: dict[str, Family]) -> Iterator[tuple[Task, str, Family]]:
    """The ids of known families that open tasks name and the specification lacks, each at the first task."""
    asked: set[str] = set()
    for task in plan.tasks:
        if task.status in (TaskStatus.DONE, TaskStatus.CANCELLED):
            continue
        for name in _singles(task):
            key = coverage.key(name)
            letters = stem(key)
            family = families.get(letters) if letters is not None else None
            if family is None or key in family.known or key in asked:
                continue
            asked.add(key)
            yield task, name, family


def _singles(task: Task) -> Iterator[str]:
    """The ids that a task claims to serve, the ends of ranges one by one."""
    for name in task.covers:
        if name == coverage.ALL:
            continue
        yield from coverage.bounds(name) or (name,)


def _is_judged(plan: Plan, family: Family, name: str) -> bool:
    """Whether a name is certain to be an id: bare numbers are so in one format only."""
    return bool(family.stem) or plan.format is Format.KIRO or ("." not in coverage.key(name) and _is_coded(name))


def _why_unknown(family: Family, name: str) -> str | None:
    """What the specification has instead; None where it cannot be sure that it lacks the id."""
    key = coverage.key(name)
    top, dot, _ = key.partition(".")
    if dot and top in family.parts:
        parts = family.parts[top]
        if not parts:
            return None  # its criteria have no numbers that could be read
        ids = [family.known[part].id for part in parts]
        return f"requirement {family.known[top].id if top in family.known else top} has {span(ids)}"
    if top in family.parts or len(family.parts) < 2:
        return None
    tops = family.tops
    if len(tops) < 2:
        return None
    numbers = family.numbers
    if numbers and len(numbers) <= numbers[-1] - numbers[0] and order(key)[0] < numbers[-1]:
        return f"the requirements are {span(tops)}" if len(tops) <= SHOWN else "the requirements skip that number"
    return f"the requirements go from {tops[0]} to {tops[-1]}"


def _is_coded(name: str) -> bool:
    return name[:1].isalpha()


def _elsewhere(world: World, family: Family, name: str) -> bool:
    """Whether another document of the plan, the one it stems from, or the plan's text outside of tasks, speaks of that
    id; true as well where the document that it stems from cannot be read."""
    plan = world.plan
    if plan.format is Format.KIRO and not family.stem:
        return False
    origin = (plan.front_matter or {}).get("origin")
    if origin:
        content = world.tree.read(str(origin))
        if not isinstance(content, Text) or name in content.text:
            return True
    pattern = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    path = plan.tasks[0].span.path
    if any(document.path != path and pattern.search(document.text) for document in plan.documents):
        return True
    return any(pattern.search(prose.text) for prose in plan.prose)


def _of_another(text: str, at: int, end: int) -> bool:
    """Whether an id in a line is said to be another specification's: `FR-010 of spec 000`, `spec 000's FR-010`."""
    return bool(_OF_ANOTHER.match(text[end : end + 200]) or _ANOTHERS.search(text[max(at - 100, 0) : at]))


def _cited_at(plan: Plan, task: Task, name: str) -> int | None:
    """The line of the task that names the id as a requirement."""
    # an underscore is the mark of emphasis around the list
    pattern = re.compile(rf"(?<![^\W_])(?<!\d\.){re.escape(name)}(?![^\W_]|\.\d)")
    plainly: int | None = None
    for number in range(task.span.first, min(task.span.last, task.span.first + MAX_LINES) + 1):
        text = plan.line(task.span.path, number)[:2000]
        named = pattern.search(text)
        if named is None or (_is_coded(name) and _of_another(text, named.start(), named.end())):
            continue
        if any(coverage.labelled(text)):
            return number
        if plainly is None and _is_coded(name):
            plainly = number
    return plainly


def _is_part(families: dict[str, Family], name: str) -> bool:
    """Whether `FR-001a` may be meant as a part of an FR-001 that is there."""
    whole = coverage.key(name.rstrip("abcdefghijklmnopqrstuvwxyz"))
    family = families.get(stem(whole) or "")
    return whole != coverage.key(name) and family is not None and whole in family.known


def _dangling(
    world: World, families: dict[str, Family], task: Task, number: int, named: list[tuple[str, str]]
) -> Draft:
    plan = world.plan
    names = [name for name, _ in named]
    family = families[stem(coverage.key(names[0])) or ""]
    top = coverage.key(names[0]).partition(".")[0]
    parts = family.parts.get(top) or []
    last = family.known[parts[-1]] if parts else list(family.known.values())[-1]
    where = Span(task.span.path, number, number)
    line = plan.line(where.path, number)
    # the number of another specification, named in the same line
    other = not family.stem and re.search(r"(?i)\b(?:specs?|specifications?|feature)\b|仕様|规格", line)
    return Draft(
        TYPE,
        Weight.DOUBT if other or all(_is_part(families, each) for each in names) else Weight.WRONG,
        where,
        ", ".join(names[:SHOWN]),
        f"there is no requirement {listed(names)}; {named[0][1]}",
        evidence.planned(plan, last.span.head),
        task=task,
        raw=names[0],
    )
