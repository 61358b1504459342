"""Deltas against the specifications that hold today: what they change has to be there, what they add must not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from rapidfuzz import fuzz, process

from bot.core.plans.model import DeltaKind, Scenario, Span
from bot.core.plans.spec_text import Block, fold
from bot.core.verify import evidence
from bot.core.verify.checks.spec_delta_wrong.specs import Base, Delta, Specs
from bot.core.verify.finding import Draft, Weight
from schemas.verify_report import Evidence

NEAR = 84.0  # of 100: two titles that say the same with a word changed
STANDS = 90.0  # of 100: the words of one statement that are in the other
ALIKE = 0.3  # words in common with all words of both: below it one scenario was not written for the other
MAX_COMPARED = 100_000  # pairs of titles
MAX_RENAMED = 50  # scenarios of one requirement that are compared with each other

DROPPED = 0.05  # of the words of a statement that stands: more, and it was changed rather than extended

_SUFFIX = re.compile(
    r"(?i)\s*[\[(]\s*(?:modified|added|removed|renamed|updated?|changed?|replace[sd]?|exten(?:ds?|ded)|new|deprecated|existing)\b[^()\[\]]{0,80}[)\]]$"
)
# a delta that tells of its own part only, as if it were added to the text that it replaces
_EXTENDS = re.compile(r"(?i)\b(?:be extended|unchanged|additional(?:ly)?|in addition|also|still|remains?)\b")
_COMMON = frozenset({"when", "then", "and", "given", "the", "a", "is", "it", "of", "by", "in", "to", "that"})
_SPACE = re.compile(r"\s+")


def find(specs: Specs) -> Iterator[Draft]:
    """One draft for each requirement of a delta that does not meet its specification, at its header in the delta."""
    if not specs.base_paths:
        if specs.deltas:
            specs.note(f"{specs.place.specs} holds no specification, so there is none to compare with")
        return
    for delta in specs.deltas:
        if not delta.capability or not delta.spec.deltas:
            continue
        base = specs.base(delta.capability)
        if isinstance(base, str):
            specs.note(base)
            continue
        yield from _Comparison(specs, delta, base).find()


class _Comparison:
    def __init__(self, specs: Specs, delta: Delta, base: Base | None) -> None:
        self.specs = specs
        self.delta = delta
        self.base = base
        self.left = MAX_COMPARED
        self.renames = [each for section in delta.spec.deltas for each in section.renames]
        self.old_name = {each.new: each.old for each in self.renames}

    def find(self) -> Iterator[Draft]:
        for section in self.delta.spec.deltas:
            for block in section.blocks:
                if section.kind is DeltaKind.ADDED:
                    yield from self._added(block)
                elif section.kind is DeltaKind.MODIFIED:
                    yield from self._modified(block)
                elif section.kind is DeltaKind.REMOVED:
                    yield from self._absent("REMOVED", block.name, block.span)
        # renamed one after the other: a name that was given up is free for the next
        freed: set[str] = set()
        given: set[str] = set()
        for each in self.renames:
            free, renamed = each.new in freed, each.old in given
            freed = (freed - {each.new}) | {each.old}
            given = (given - {each.old}) | {each.new}
            if self.base is not None and each.new in self.base.blocks and not free:
                if each.old in self.base.blocks and each.old != each.new:
                    shown = self._line(self.base.blocks[each.new])
                    yield self.specs.draft(each.span, each.new, "RENAMED to the title of another requirement", *shown)
                continue
            if not renamed:
                yield from self._absent("RENAMED", each.old, each.span)

    def _line(self, block: Block) -> tuple[Evidence, ...]:
        return evidence.line(self.specs.world.tree, block.span.path, block.span.first)

    def _added(self, block: Block) -> Iterator[Draft]:
        if self.base is None:
            return
        if self.base.path in self.specs.world.known_added:
            # what this change adds may have been put into it already
            self.specs.note(f"{self.base.path} came with the change itself, so what is added was not looked up in it")
            return
        there = self.base.blocks.get(block.name)
        if there is not None:
            if any(each.old == block.name for each in self.renames) or _same(there.text, block.text):
                return
            yield self.specs.draft(
                block.span,
                block.name,
                "ADDED, and the specification has a requirement of this title already",
                *self._line(there),
            )
            return
        alike = self.base.folded.get(fold(block.name))
        if alike is not None and not _same(alike.text, block.text):
            yield self.specs.draft(
                block.span,
                block.name,
                "ADDED, and the specification has nearly this title already",
                *self._line(alike),
                weight=Weight.DOUBT,
                suggestion=alike.name,
            )

    def _modified(self, block: Block) -> Iterator[Draft]:
        blocks = self.base.blocks if self.base is not None else {}
        there = blocks.get(self.old_name.get(block.name, block.name)) or blocks.get(block.name)
        if there is None:
            if block.name in self.old_name:
                return  # it is the renaming that finds nothing, and says so
            yield from self._absent("MODIFIED", block.name, block.span)
            return
        if block.scenarios:
            yield from self._lost(block, there)

    def _lost(self, block: Block, there: Block) -> Iterator[Draft]:
        """Scenarios that go with the old text. It gates where the requirement stands and has fewer than before; as many
        new ones, or another requirement under the old title, may well be meant to take their place. One that the delta
        names at all was not forgotten."""
        lost, new = _difference(there.scenarios, block.scenarios)
        text, kept = fold(block.text), {fold(each.name) for each in block.scenarios}
        if len(lost) <= MAX_RENAMED:
            lost = [each for each in lost if (key := fold(each.name)) in kept or " " not in key or key not in text]
        if not lost:
            return
        stands = (
            len(lost) < len(there.scenarios)
            or fuzz.token_set_ratio(fold(there.body), fold(block.body)) >= STANDS
            or _EXTENDS.search(block.body) is not None
        )
        said, now = _words(there.body), _words(block.body)
        carried = _carried_over(there.scenarios, block.scenarios)
        forgotten = carried and len(said - now) <= len(said) * DROPPED and _forgotten(lost, new)
        names = ", ".join(f'"{scenario.name}"' for scenario in lost[:3])
        more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
        yield self.specs.draft(
            block.span,
            block.name,
            f"MODIFIED replaces the whole requirement and leaves out what it has: {names}{more}",
            *evidence.line(self.specs.world.tree, there.span.path, lost[0].span.first),
            weight=Weight.WRONG if stands and (len(lost) > len(new) or forgotten) else Weight.DOUBT,
        )

    def _absent(self, kind: str, name: str, span: Span) -> Iterator[Draft]:
        """A delta on a requirement that nothing holds."""
        specs, base, capability = self.specs, self.base, self.delta.capability
        if base is not None:
            if name in base.blocks:
                return
            key = fold(name)
            if key in base.folded:
                alike = base.folded[key]
                message = f"{kind}, and the specification spells the title in another way"
                yield specs.draft(span, name, message, *self._line(alike), weight=Weight.DOUBT, suggestion=alike.name)
                return
            if key in base.loose:
                specs.note(f'{base.path} has "{name[:80]}" in a header that OpenSpec does not read')
                return
        if specs.brought_by_other(capability, name) or (base is None and specs.brought_by_other(capability, None)):
            return
        yield self._nowhere(kind, name, span)

    def _nowhere(self, kind: str, name: str, span: Span) -> Draft:
        specs, base, capability = self.specs, self.base, self.delta.capability
        near = self._nearest(name) if base is not None else None
        if near is not None:
            return specs.draft(
                span,
                name,
                f"{kind}, and the specification has no requirement of this title",
                *self._line(near),
                suggestion=near.name,
            )
        other = specs.elsewhere(name, capability)
        if other is not None:
            return specs.draft(
                span,
                name,
                f"{kind}, and it is another specification that has this requirement",
                *self._line(other.blocks[name]),
                suggestion=other.path,
            )
        tree = specs.world.tree
        if base is None:
            path = specs.base_path(capability)
            message = f"{kind}, and there is no specification {capability} yet, nor does another open change bring it"
            return specs.draft(span, name, message, *evidence.absent(tree, path))
        message = f"{kind}, and the specification has no requirement of this title"
        return specs.draft(span, name, message, *evidence.present(tree, base.path))

    def _nearest(self, name: str) -> Block | None:
        """The requirement that a title may have meant."""
        if self.base is None:
            return None
        bare = _SUFFIX.sub("", name)
        if bare in self.base.blocks:
            return self.base.blocks[bare]
        self.left -= len(self.base.blocks)
        if self.left < 0:
            self.specs.note(f"{self.base.path} has too many titles for all to be compared")
            return None
        found = process.extractOne(fold(name), list(self.base.folded), scorer=fuzz.ratio, score_cutoff=NEAR)
        return self.base.folded[found[0]] if found is not None else None


def _same(one: str, other: str) -> bool:
    return _SPACE.sub(" ", one).strip() == _SPACE.sub(" ", other).strip()


def _carried_over(there: tuple[Scenario, ...], now: tuple[Scenario, ...]) -> bool:
    """Whether the scenarios that stay are word for word as they were: who rewrites none has not left some out on
    purpose."""
    before = {fold(scenario.name): _SPACE.sub(" ", scenario.text).strip() for scenario in there}
    kept = [scenario for scenario in now if fold(scenario.name) in before]
    return all(_SPACE.sub(" ", each.text).strip() == before[fold(each.name)] for each in kept) and bool(kept)


def _forgotten(lost: list[Scenario], new: list[Scenario]) -> bool:
    """Whether some scenario is lost and no new one has much in common with it."""
    if not new or len(lost) > MAX_RENAMED:
        return False
    written = [_words(f"{scenario.name} {scenario.text}") for scenario in new[:MAX_RENAMED]]
    given_up = [_words(f"{scenario.name} {scenario.text}") for scenario in lost]
    return any(all(len(words & other) < ALIKE * len(words | other) for other in written) for words in given_up)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", fold(text))) - _COMMON


def _difference(there: tuple[Scenario, ...], now: tuple[Scenario, ...]) -> tuple[list[Scenario], list[Scenario]]:
    """The scenarios that only the specification has and those that only the delta has, equal names counted. Two of
    nearly one name are one that was renamed."""
    left = Counter(fold(scenario.name) for scenario in now)
    lost = []
    for scenario in there:
        key = fold(scenario.name)
        if left[key]:
            left[key] -= 1
        else:
            lost.append(scenario)
    new = []
    for scenario in now:
        key = fold(scenario.name)
        if left[key]:
            left[key] -= 1
            new.append(scenario)
    for scenario in new[:MAX_RENAMED]:
        wanted = fold(_SUFFIX.sub("", scenario.name))
        names = {fold(each.name): each for each in lost[:MAX_RENAMED]}
        found = process.extractOne(wanted, list(names), scorer=fuzz.ratio, score_cutoff=NEAR)
        if found is not None:
            lost.remove(names[found[0]])
            new = [each for each in new if each is not scenario]
    return lost, new
