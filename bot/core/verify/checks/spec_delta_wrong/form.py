"""What is wrong in a delta file by itself, whatever specification it is for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.plans.model import DeltaKind, Span
from bot.core.plans.spec_text import Block, Section, fold, has_keyword
from bot.core.verify import evidence
from bot.core.verify.checks.spec_delta_wrong.specs import Delta, Specs
from bot.core.verify.finding import Draft, Weight

_REASON = re.compile(r"(?i)\breason\b|\bwhy\b|\bbecause\b|\breplaced by\b")
_MIGRATION = re.compile(r"(?i)\bmigrat")
_SCENARIO = re.compile(r"(?im)^[^\w\n]{0,8}scenario\b")
_NOTHING = re.compile(r"(?i)\W*(?:none|nothing|no\b|n/?a\b|not applicable|\()")
_LATIN = re.compile(r"[A-Za-z]")


def find(specs: Specs) -> Iterator[Draft]:
    """One draft for each file, section, header or requirement that is not applied as it is written, at its first
    line."""
    for delta in specs.deltas:
        if not delta.document.text.strip():
            if delta.capability:
                tree, path = specs.world.tree, delta.spec.path
                yield specs.draft(
                    Span(path, 1, 1),
                    delta.capability,
                    "the delta is empty, so nothing of it is ever applied",
                    *evidence.present(tree, path),
                    suggestion="## ADDED Requirements",
                )
            continue
        if not delta.capability:
            yield specs.draft(
                Span(delta.spec.path, _first_line(delta), _first_line(delta)),
                "specs/spec.md",
                "a delta right below specs/ belongs to no capability and is never applied",
                suggestion="specs/<capability>/spec.md",
            )
            continue
        if not delta.spec.deltas:
            yield from _headless(specs, delta)
            continue
        if all(section.empty for section in delta.spec.deltas):
            section = delta.spec.deltas[0]
            yield specs.draft(
                section.span, section.title, "no requirement can be read in it", suggestion="### Requirement: <name>"
            )
            continue
        yield from _names(specs, delta)
        for section in delta.spec.deltas:
            if section.empty and _says_something(delta, section):
                yield specs.draft(section.span, section.title, "this section has words and no requirement to apply")
            yield from _blocks(specs, section)
        yield from _unseen(specs, delta)


def _says_something(delta: Delta, section: Section) -> bool:
    """Whether an empty section is more than a placeholder such as `None`: words that are meant to have effect."""
    lines = delta.document.text.split("\n")[section.span.first : section.span.last]
    text = " ".join(line.strip(" \t*_-<!>.") for line in lines).strip()
    return len(text.split()) > 2 and not _NOTHING.match(text) and not any(line.startswith("#") for line in lines)


def _first_line(delta: Delta) -> int:
    lines = delta.document.text.split("\n")
    return next((number for number, line in enumerate(lines, 1) if line.strip()), 1)


def _headless(specs: Specs, delta: Delta) -> Iterator[Draft]:
    if not specs.knows_deltas:
        specs.note(f"{delta.spec.path} has no delta section and was not judged: no change here has any")
        return
    first = delta.spec.blocks[0].span.first if delta.spec.blocks else _first_line(delta)
    yield specs.draft(
        Span(delta.spec.path, first, first),
        delta.capability,
        "the file has no delta section, so nothing of it is ever applied",
        suggestion="## ADDED Requirements",
    )


def _names(specs: Specs, delta: Delta) -> Iterator[Draft]:
    """Requirements that a delta names twice."""
    seen: dict[tuple[DeltaKind, str], Block] = {}
    doubled: set[tuple[DeltaKind, str]] = set()
    for section in delta.spec.deltas:
        kind = section.kind
        if kind is None:
            continue
        for block in section.blocks:
            if (kind, block.name) in seen:
                if (kind, block.name) not in doubled:
                    doubled.add((kind, block.name))
                    yield _twice(specs, block, seen[kind, block.name], f"{kind.upper()} has this requirement twice")
                continue
            seen[kind, block.name] = block
    pairs = (
        (DeltaKind.MODIFIED, DeltaKind.REMOVED),
        (DeltaKind.MODIFIED, DeltaKind.ADDED),
        (DeltaKind.ADDED, DeltaKind.REMOVED),
    )
    for one, other in pairs:
        for (kind, name), block in seen.items():
            if kind is one and (other, name) in seen:
                second = seen[other, name]
                late, early = (second, block) if second.span.first > block.span.first else (block, second)
                yield _twice(specs, late, early, f"the requirement is both {one.upper()} and {other.upper()}")
    yield from _renames(specs, delta, seen)


def _renames(specs: Specs, delta: Delta, seen: dict[tuple[DeltaKind, str], Block]) -> Iterator[Draft]:
    removed = {fold(name): block for (kind, name), block in seen.items() if kind is DeltaKind.REMOVED}
    old: set[str] = set()
    new: set[str] = set()
    for each in (each for section in delta.spec.deltas for each in section.renames):
        if each.old in old or each.new in new:
            name = each.old if each.old in old else each.new
            yield specs.draft(each.span, name, "RENAMED has this requirement twice")
        old.add(each.old)
        new.add(each.new)
        if each.old == each.new:
            continue
        modified = seen.get((DeltaKind.MODIFIED, each.old))
        if modified is not None:
            yield specs.draft(
                modified.span,
                each.old,
                "MODIFIED uses the name that RENAMED gives up",
                suggestion=f"### Requirement: {each.new}",
            )
        added = seen.get((DeltaKind.ADDED, each.new))
        if added is not None:
            yield specs.draft(added.span, each.new, "ADDED and the new name of RENAMED collide")
        if fold(each.old) in removed:
            yield specs.draft(removed[fold(each.old)].span, each.old, "the requirement is both RENAMED and REMOVED")


def _twice(specs: Specs, block: Block, before: Block, message: str) -> Draft:
    return specs.draft(block.span, block.name, f"{message}, first in line {before.span.first}")


def _blocks(specs: Specs, section: Section) -> Iterator[Draft]:
    if section.kind is DeltaKind.REMOVED:
        for block in section.blocks:
            missing = [
                word
                for word, pattern in (("reason", _REASON), ("migration", _MIGRATION))
                if not pattern.search(block.text)
            ]
            if missing:
                said = " and no ".join(missing)
                yield specs.draft(block.span, block.name, f"the removal gives no {said}", weight=Weight.DOUBT)
        return
    for block in section.blocks:
        if not block.body:
            yield specs.draft(block.span, block.name, "the requirement has no text below its header")
        if not block.scenarios:
            near = _SCENARIO.search(block.text)
            message = "the requirement has no `####` header, so none of its scenarios is read"
            yield specs.draft(
                block.span,
                block.name,
                message if near else "the requirement has no scenario",
                suggestion="#### Scenario: <name>",
            )
        elif block.body and not has_keyword(block.body) and _english(block.body):
            if has_keyword(block.name):
                where = "only its header says SHALL or MUST"
                yield specs.draft(block.span, block.name, where, weight=Weight.DOUBT)
            else:
                yield specs.draft(block.span, block.name, "its text has no SHALL or MUST")


def _english(text: str) -> bool:
    """Whether a statement is in Latin letters: a translated specification has its own words for SHALL."""
    return len(_LATIN.findall(text)) * 2 > sum(map(str.isalpha, text))


def _unseen(specs: Specs, delta: Delta) -> Iterator[Draft]:
    """Headers and sections that the tool passes over."""
    first: dict[DeltaKind, Section] = {}
    for section in delta.spec.deltas:
        if section.kind is None:
            continue
        if section.kind in first and not section.empty and not first[section.kind].empty:
            message = f"a second {section.kind.upper()} section: only one of them is applied"
            yield specs.draft(section.span, section.title, message, weight=Weight.DOUBT)
        first.setdefault(section.kind, section)
        if section.kind not in (DeltaKind.ADDED, DeltaKind.MODIFIED):
            continue
        for stray in section.strays:
            if not stray.after:
                span = Span(delta.spec.path, stray.line, stray.line)
                message = "this header is no requirement, and what is below it is not applied"
                yield specs.draft(
                    span, stray.name, message, weight=Weight.DOUBT, suggestion=f"### Requirement: {stray.name}"
                )
