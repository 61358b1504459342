"""Requirements that have an id: the ones that no task names, and the ids that are named and are not there.

Ids are judged only where the plan itself keeps them: where its tasks name most of what its specification numbers.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from bot.core.plans import coverage
from bot.core.plans.model import Format, Plan, Requirement, Span, Task, TaskStatus
from bot.core.tree import Text
from bot.core.verify import evidence
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.SCOPE_GAP

MAX_REQUIREMENTS = 2000
MAX_UNKNOWN = 100  # ids, each of which is looked for in all documents
MAX_TASKS = 300  # that are searched for what a criterion quotes
MAX_BODY = 20_000  # characters of each
MAX_LINES = 400  # of a task, where the line that names an id is looked for
SHOWN = 5  # ids that a message spells out

_KEPT = 0.9  # of a family of ids that is named before the rest counts as forgotten
_TRACKED = 0.8  # of the criteria, where whole requirements are tracked by number
_FEW = 4  # ids of which so large a share says little
_STEM = re.compile(r"^[A-Z-]*(?=\d)")
_NUMBERS = re.compile(r"\d+")
# words by which an author sets a requirement aside
_WAIVED = re.compile(
    r"(?i)\b(?:defer(?:red|s)?|postponed?|out[- ]of[- ]scope"
    r"|not (?:in scope|covered|planned|needed|applicable|implemented)|future|later|optional(?:ly)?|nice[- ]to[- ]have"
    r"|stretch|removed|deprecated|superseded|obsolete|dropped|cancell?ed|already|no (?:task|code|change|work)s?"
    r"|n/a|invariants?|rather than (?:\w+ ){1,2}by any|(?:every|each|all) (?:unit|task)s?)\b"
    r"|暂不|后续|不在|可选|已有|已完成|将来|今後|対象外|延期|スコープ外|任意|既存|実装済み|不要|~~"
)
# what has to stay as it is needs no work of its own
_STAYS = re.compile(
    r"(?i)\b(?:continue[sd]? to|remains? (?:un|the same|as)|unchanged|unaffected|as before|backwards?[- ]compatib\w+"
    r"|preserv\w+ (?:the |all )?(?:existing|current)|without (?:changing|breaking|affecting|modif\w+))\b"
    r"|保持(?:现有|不变|向后)|維持(?:する|し|され)|既存の.{0,30}(?:壊さ|変更し)ない"
)


@dataclass
class _Family:
    """The requirements whose ids begin with the same letters, by key; a requirement `N` may have parts `N.M`."""

    stem: str
    known: dict[str, Requirement] = field(default_factory=dict)
    parts: dict[str, list[str]] = field(default_factory=dict)  # the requirement itself → its criteria, in order

    def add(self, key: str, requirement: Requirement) -> None:
        if key in self.known:
            return
        self.known[key] = requirement
        top, dot, _ = key.partition(".")
        if dot:
            self.parts.setdefault(top, []).append(key)
        else:
            self.parts.setdefault(key, [])

    @property
    def leaves(self) -> list[str]:
        return [leaf for top, parts in self.parts.items() for leaf in (parts or [top])]

    @cached_property
    def tops(self) -> list[str]:
        """The ids of the requirements themselves, in the order of the document."""
        return [self.known[each].id for each in self.parts if each in self.known]

    @cached_property
    def numbers(self) -> list[int]:
        return sorted({order[0] for each in self.parts if (order := _order(each))})

    @cached_property
    def _ordered(self) -> list[tuple[tuple[int, ...], str]]:
        return sorted((_order(key), key) for key in self.known)

    def between(self, first: str, last: str) -> list[str]:
        low = bisect_left(self._ordered, (_order(first), ""))
        high = bisect_right(self._ordered, (_order(last), "\uffff"))
        return [key for _, key in self._ordered[low:high]]


def _order(key: str) -> tuple[int, ...]:
    return tuple(int(number[:9]) for number in _NUMBERS.findall(key)[:4])


def _stem(key: str) -> str | None:
    match = _STEM.match(key)
    return match.group() if match else None


def find(world: World) -> Iterator[Draft]:
    """One draft for each requirement of which a part is forgotten, and one for each line that names unknown ids."""
    plan = world.plan
    families: dict[str, _Family] = {}
    for requirement in plan.requirements[:MAX_REQUIREMENTS]:
        key = coverage.key(requirement.id)
        stem = _stem(key)
        if stem is not None:
            families.setdefault(stem, _Family(stem)).add(key, requirement)
    if len(plan.requirements) > MAX_REQUIREMENTS:
        world.note(TYPE.value, f"only the first {MAX_REQUIREMENTS} requirements were looked at")
    if not families:
        named = any(task.covers for task in plan.tasks)
        # a plan that neither lists nor names requirements has none to miss
        if not plan.requirements and not plan.spec_delta and (named or plan.format in _WITH_REQUIREMENTS):
            world.note(TYPE.value, _nothing_read(plan))
        return
    served = _Served(plan, families)
    for family in families.values():
        yield from _forgotten(world, family, served)
    yield from _unknown(world, families)


def _nothing_read(plan: Plan) -> str:
    if plan.format is Format.KIRO and any(task.covers for task in plan.tasks):
        if any(document.path.endswith("/requirements.md") for document in plan.documents):
            return "no numbered requirement could be read in requirements.md"
        return "the tasks name requirements, and there is no requirements.md beside them"
    return "the plan lists no requirements by number"


_WITH_REQUIREMENTS = (Format.KIRO, Format.SPECKIT)


class _Served:
    """The ids that tasks, or the words around them, name as served: by key, with what a whole requirement includes."""

    def __init__(self, plan: Plan, families: dict[str, _Family]) -> None:
        self.families = families
        self.keys: set[str] = set()
        self.tasks = 0  # that name a requirement
        path = plan.tasks[0].span.path
        for task in plan.tasks:
            if task.status is TaskStatus.CANCELLED:
                continue
            named = list(task.covers)
            for prose in task.prose:
                named += [each for labelled in coverage.labelled(prose.text) for each in labelled.ids]
                named += coverage.coded(prose.text)
                named += coverage.mentioned(prose.text)
            self.tasks += bool(task.covers)
            self._add(named)
        # a table of coverage, a list of what is left out for now: outside of all tasks, and said all the same
        for prose in plan.prose:
            if prose.span.path == path and plan.format in (Format.KIRO, Format.SPECKIT):
                self._add([each for named in coverage.labelled(prose.text) for each in named.ids])
                self._add(coverage.mentioned(prose.text))
                self._add(coverage.coded(prose.text))

    def _add(self, named: Iterable[str]) -> None:
        for name in named:
            if name == coverage.ALL:
                self.keys.update(key for family in self.families.values() for key in family.known)
                continue
            self.keys.add(coverage.key(name))
            ends = coverage.bounds(name)
            if ends:
                first, last = map(coverage.key, ends)
                family = self.families.get(_stem(first) or "")
                self.keys.update(family.between(first, last) if family else ())

    def has(self, leaf: str) -> bool:
        """Whether a criterion is named, alone or with the whole requirement; or, where those have no numbers, a
        criterion of that requirement."""
        top = leaf.partition(".")[0]
        return leaf in self.keys or top in self.keys

    def touches(self, family: _Family, top: str) -> bool:
        if top in self.keys or any(part in self.keys for part in family.parts[top]):
            return True
        return not family.parts[top] and any(key.startswith(f"{top}.") for key in self.keys)


def _forgotten(world: World, family: _Family, served: _Served) -> Iterator[Draft]:
    leaves = family.leaves
    tops = list(family.parts)
    tracked = [top for top in tops if served.touches(family, top)]
    left = [leaf for leaf in leaves if not served.has(leaf) and leaf.partition(".")[0] in family.parts]
    left = [leaf for leaf in left if family.parts[leaf.partition(".")[0]] or leaf not in tracked]
    if not left or not tracked:
        if not tracked and world.plan.format is Format.KIRO:
            world.note(TYPE.value, "no task names a requirement, so none can be missed")
        return
    share = 1 - len(left) / len(leaves)
    if any(each.span.path.endswith("/bugfix.md") for each in family.known.values()):
        world.note(TYPE.value, "some clauses of a bug fix only tell the defect, so none is missed")
        return
    if world.plan.format is Format.KIRO and not family.stem:
        if len(tracked) * 2 < len(tops) or served.tasks < 2:
            world.note(TYPE.value, f"tasks name {len(tracked)} of {len(tops)} requirements, too few to miss the rest")
            return
    elif share < _KEPT or len(leaves) < _FEW:
        said = f"{family.stem} ids" if family.stem else "requirements"
        world.note(
            TYPE.value, f"tasks name {len(leaves) - len(left)} of {len(leaves)} {said}, too few to miss the rest"
        )
        return
    waived, written = _waived(world.plan), _Written(world.plan)
    by_top: dict[str, list[str]] = {}
    for leaf in left:
        by_top.setdefault(leaf.partition(".")[0], []).append(leaf)
    for top, missed in by_top.items():
        whole = top not in tracked
        wanted = [leaf for leaf in missed if not _set_aside(family.known[leaf], waived)]
        if top in family.known and _set_aside(family.known[top], waived, title=True):
            wanted = []
        if not wanted:
            world.note(TYPE.value, f"{family.known[missed[0]].id} is set aside by the plan's own words")
            continue
        yield _gap(world, family, top, wanted, written, whole=whole, share=share, few=len(left) <= 2)


def _gap(
    world: World,
    family: _Family,
    top: str,
    missed: list[str],
    written: _Written,
    *,
    whole: bool,
    share: float,
    few: bool,
) -> Draft:
    plan = world.plan
    first = plan.tasks[0]
    ids = [family.known[leaf].id for leaf in missed]
    head = family.known.get(top, family.known[missed[0]])
    stays = all(_STAYS.search(family.known[leaf].text) for leaf in missed)
    done = not whole and all(written.has(family.known[leaf].text) for leaf in missed)
    weight = Weight.DOUBT if stays or done or not (whole or share >= _TRACKED or few) else Weight.WRONG
    if whole and family.parts[top]:
        named = f"requirement {head.id}" if not family.stem else head.id
        message = f"no task names {named} ({_span(ids)})"
        subject = head.id
        shown = evidence.planned(plan, Span(head.span.path, head.span.first, head.span.first))
    else:
        message = f"no task names {_listed(ids)}"
        subject = _span(ids)
        shown = tuple(
            piece for leaf in missed[:SHOWN] for piece in evidence.planned(plan, _line(family.known[leaf].span))
        )
    where = Span(first.span.path, first.span.first, first.span.first)
    return Draft(TYPE, weight, where, subject, message, shown, task=first)


class _Written:
    """What tasks hold word for word."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @cached_property
    def _bodies(self) -> list[str]:
        found = []
        for task in self.plan.tasks[:MAX_TASKS]:
            last = min(task.span.last, task.span.first + MAX_LINES)
            lines = (self.plan.line(task.span.path, number) for number in range(task.span.first, last + 1))
            found.append("\n".join(lines)[:MAX_BODY])
        return found

    def has(self, text: str) -> bool:
        """Whether one task holds every piece of code that a criterion quotes: its work is planned under another
        number."""
        codes = dict.fromkeys(re.findall(r"`([^`\n]{3,80})`", text))
        return len(codes) > 1 and any(all(code in body for code in codes) for body in self._bodies)


def _line(span: Span) -> Span:
    return Span(span.path, span.first, span.first)


def _span(ids: list[str]) -> str:
    """`5.1–5.5` for ids that follow each other, else a list."""
    numbers = [_order(each) for each in ids]
    follow = all(b[:-1] == a[:-1] and b[-1] == a[-1] + 1 for a, b in pairwise(numbers) if a and b)
    return f"{ids[0]}–{ids[-1]}" if len(ids) > 2 and follow else _listed(ids)


def _listed(ids: list[str]) -> str:
    return ", ".join(ids[:SHOWN]) + (f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else "")


def _waived(plan: Plan) -> frozenset[str]:
    """The ids on those lines of the task list and the design that set something aside."""
    found: set[str] = set()
    own = {each.span.path for each in plan.requirements}
    for document in plan.documents:
        if document.path in own and len(plan.documents) > 1:
            continue
        for line in document.text.split("\n"):
            if _WAIVED.search(line[:1000]):
                # a bare number is an id only where the word for it stands before
                ids = re.findall(r"[A-Z]+-?\d+(?:\.\d+)*|\d+\.\d+(?:\.\d+)*", line[:1000])
                found.update(coverage.key(each) for each in (*ids, *coverage.mentioned(line[:1000])))
    return frozenset(found)


def _set_aside(requirement: Requirement, waived: frozenset[str], *, title: bool = False) -> bool:
    if coverage.key(requirement.id) in waived:
        return True
    return bool(_WAIVED.search(requirement.text[:80])) and (title or len(requirement.text) < 200)


def _unknown(world: World, families: dict[str, _Family]) -> Iterator[Draft]:
    """Ids that a task names as its requirements and that the specification, which numbers its own, does not have."""
    plan = world.plan
    asked: set[str] = set()
    places: dict[str, int] = {}
    groups: dict[int, tuple[Task, list[tuple[str, str]]]] = {}
    for task in plan.tasks:
        if task.status in (TaskStatus.DONE, TaskStatus.CANCELLED):
            continue
        for name in _singles(task):
            key = coverage.key(name)
            stem = _stem(key)
            family = families.get(stem) if stem is not None else None
            if family is None or key in family.known or key in asked:
                continue
            asked.add(key)
            if len(asked) > MAX_UNKNOWN:
                world.note(TYPE.value, f"only the first {MAX_UNKNOWN} unknown ids were looked at")
                break
            why = _why_unknown(world, family, key, name)
            number = _cited_at(plan, task, name) if why else None
            if why and number:
                top = key.partition(".")[0]
                if top not in family.parts:  # every criterion of a requirement that is not there: said once
                    number = places.setdefault(top, number)
                groups.setdefault(number, (task, []))[1].append((name, why))
    for number, (task, named) in groups.items():
        yield _dangling(world, families, task, number, named)


def _singles(task: Task) -> Iterator[str]:
    """The ids that a task claims to serve, the ends of ranges one by one."""
    for name in task.covers:
        if name == coverage.ALL:
            continue
        yield from coverage.bounds(name) or (name,)


def _why_unknown(world: World, family: _Family, key: str, name: str) -> str | None:
    """What the specification has instead; None where it cannot be sure that it lacks the id."""
    plan = world.plan
    top, dot, _ = key.partition(".")
    if not family.stem and plan.format is not Format.KIRO and (dot or not _is_coded(name)):
        return None
    if _elsewhere(world, family, name):
        world.note(TYPE.value, f"{name} is named outside of the requirements that were read, so it is not judged")
        return None
    if dot and top in family.parts:
        parts = family.parts[top]
        if not parts:
            return None  # its criteria have no numbers that could be read
        ids = [family.known[part].id for part in parts]
        return f"requirement {family.known[top].id if top in family.known else top} has {_span(ids)}"
    if top in family.parts or len(family.parts) < 2:
        return None
    tops = family.tops
    if len(tops) < 2:
        return None
    numbers = family.numbers
    if numbers and len(numbers) <= numbers[-1] - numbers[0] and _order(key)[0] < numbers[-1]:
        return f"the requirements are {_span(tops)}" if len(tops) <= SHOWN else "the requirements skip that number"
    return f"the requirements go from {tops[0]} to {tops[-1]}"


def _is_coded(name: str) -> bool:
    return name[:1].isalpha()


def _elsewhere(world: World, family: _Family, name: str) -> bool:
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


def _cited_at(plan: Plan, task: Task, name: str) -> int | None:
    """The line of the task that names the id as a requirement."""
    # an underscore is the mark of emphasis around the list
    pattern = re.compile(rf"(?<![^\W_])(?<!\d\.){re.escape(name)}(?![^\W_]|\.\d)")
    plainly: int | None = None
    for number in range(task.span.first, min(task.span.last, task.span.first + MAX_LINES) + 1):
        text = plan.line(task.span.path, number)[:2000]
        if not pattern.search(text):
            continue
        if any(coverage.labelled(text)):
            return number
        if plainly is None and _is_coded(name):
            plainly = number
    return plainly


def _dangling(
    world: World, families: dict[str, _Family], task: Task, number: int, named: list[tuple[str, str]]
) -> Draft:
    plan = world.plan
    names = [name for name, _ in named]
    family = families[_stem(coverage.key(names[0])) or ""]
    top = coverage.key(names[0]).partition(".")[0]
    parts = family.parts.get(top) or []
    last = family.known[parts[-1]] if parts else list(family.known.values())[-1]
    where = Span(task.span.path, number, number)
    line = plan.line(where.path, number)
    # the number of another specification, named in the same line
    other = not family.stem and re.search(r"(?i)\b(?:specs?|specifications?|feature)\b|仕様|规格", line)
    return Draft(
        TYPE,
        Weight.DOUBT if other else Weight.WRONG,
        where,
        ", ".join(names[:SHOWN]),
        f"there is no requirement {_listed(names)}; {named[0][1]}",
        evidence.planned(plan, _line(last.span)),
        task=task,
        raw=names[0],
    )
