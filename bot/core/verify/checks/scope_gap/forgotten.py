"""Requirements that have an id and that no task names.

Ids are judged only where the plan itself keeps them: where its tasks name most of what its specification numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from bot.core.plans import coverage
from bot.core.plans.model import Format, Plan, Requirement, TaskStatus
from bot.core.verify import evidence
from bot.core.verify.checks.scope_gap.families import SHOWN, Family, listed, span, stem
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.SCOPE_GAP

MAX_TASKS = 300  # that are searched for what a criterion quotes
MAX_LINES = 400  # of each
MAX_BODY = 20_000  # characters of each

_KEPT = 0.88  # of a family of ids that is named before the rest counts as forgotten
_TRACKED = 0.8  # of the criteria, where whole requirements are tracked by number
_FEW = 4  # ids of which so large a share says little
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


def find(world: World, families: dict[str, Family]) -> Iterator[Draft]:
    """One draft for each requirement of which a part is forgotten, at the first task, which stands for all of them."""
    served = Served(world.plan, families)
    for family in families.values():
        yield from _forgotten(world, family, served)


def _forgotten(world: World, family: Family, served: Served) -> Iterator[Draft]:
    leaves = family.leaves
    tops = list(family.parts)
    tracked = {top for top in tops if served.touches(family, top)}
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
            if len(tracked) * 2 < len(tops):
                said = f"tasks name {len(tracked)} of {len(tops)} requirements"
            else:
                criteria = "criteria" if leaves != tops else "requirements"
                said = f"one task alone names {len(leaves) - len(left)} of {len(leaves)} {criteria}"
            world.note(TYPE.value, f"{said}, too few to miss the rest")
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
    aside: list[str] = []
    for top, missed in by_top.items():
        whole = top not in tracked
        wanted = [leaf for leaf in missed if not _set_aside(family.known[leaf], waived)]
        if top in family.known and _set_aside(family.known[top], waived, title=True):
            wanted = []
        if not wanted:
            aside.append(family.known[missed[0]].id)
            continue
        yield _gap(world, family, top, wanted, written, whole=whole, share=share, few=len(left) <= 2)
    if aside:
        verb = "is" if len(aside) == 1 else "are"
        world.note(TYPE.value, f"{listed(aside)} {verb} set aside by the plan's own words")


def _gap(
    world: World,
    family: Family,
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
        message = f"no task names {named} ({span(ids)})"
        subject = head.id
        shown = evidence.planned(plan, head.span.head)
    else:
        message = f"no task names {listed(ids)}"
        subject = span(ids)
        shown = tuple(
            piece for leaf in missed[:SHOWN] for piece in evidence.planned(plan, family.known[leaf].span.head)
        )
    return Draft(TYPE, weight, first.span.head, subject, message, shown, task=first)


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


class Served:
    """The ids that tasks, or the words around them, name as served: by key, with what a whole requirement includes."""

    def __init__(self, plan: Plan, families: dict[str, Family]) -> None:
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
                family = self.families.get(stem(first) or "")
                self.keys.update(family.between(first, last) if family else ())

    def has(self, leaf: str) -> bool:
        """Whether a criterion is named, alone or with the whole requirement; or, where those have no numbers, a
        criterion of that requirement."""
        top = leaf.partition(".")[0]
        return leaf in self.keys or top in self.keys

    def touches(self, family: Family, top: str) -> bool:
        """Whether a requirement, or any part of it, is named."""
        if top in self.keys or any(part in self.keys for part in family.parts[top]):
            return True
        return not family.parts[top] and top in self._whole

    @cached_property
    def _whole(self) -> frozenset[str]:
        """The requirements of which a criterion is named."""
        return frozenset(key.partition(".")[0] for key in self.keys if "." in key)


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
