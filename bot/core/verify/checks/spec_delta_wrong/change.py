"""What does not fit between the documents of a change. None of it keeps the change from being carried out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.plans.model import Document, Span
from bot.core.plans.openspec import MARKER, is_delta
from bot.core.tree import Text
from bot.core.verify.checks.spec_delta_wrong.specs import DELTA_SECTION, Specs
from bot.core.verify.finding import Draft, Weight

_SKIPS = re.compile(r"(?m)^skip_specs:[ \t]*(?:true|yes|on)[ \t]*(?:#.*)?$", re.IGNORECASE)
_MODIFIES = re.compile(r"(?i)^#{2,4}\s+modified\s+capabilit(?:y|ies)\s*$")
_HEADER = re.compile(r"^#{1,6}\s")
_CAPABILITY = re.compile(r"^\s*[-*+]\s+(?:\*\*)?`(?P<name>[a-z0-9][a-z0-9._/-]{0,120})`")
_GROUP = re.compile(r"^##\s+(?P<number>\d{1,6})[.):\s]")
_TASK = re.compile(r"^\s*[-*]\s*\[[\sxX]\]\s*(?P<id>(?P<group>\d{1,6})(?:\.\d+)+[A-Za-z]*)\b")


def find(specs: Specs) -> Iterator[Draft]:
    """One draft for a change without a delta, at the first line of its main document, and one for each file, capability
    or task number that does not fit, where it stands."""
    yield from _no_deltas(specs)
    yield from _misnamed(specs)
    yield from _capabilities(specs)
    yield from _numbers(specs)


def _no_deltas(specs: Specs) -> Iterator[Draft]:
    documents = specs.world.plan.documents
    if specs.deltas or specs.place.archived or _skips(specs):
        return
    main = documents[0]
    number = next((number for number, line in enumerate(main.text.split("\n"), 1) if line.strip()), 1)
    yield specs.draft(
        Span(main.path, number, number),
        specs.place.name,
        "the change has no specification delta, and does not say `skip_specs`",
        weight=Weight.DOUBT,
    )


def _misnamed(specs: Specs) -> Iterator[Draft]:
    """A file below specs/ that reads as a delta and is not called spec.md, so that it is never applied."""
    for document in specs.world.plan.documents:
        if not document.path.startswith(f"{specs.place.folder}specs/") or is_delta(document.path):
            continue
        for number, line in enumerate(document.text.split("\n"), 1):
            if DELTA_SECTION.match(line):
                span = Span(document.path, number, number)
                message = "only files called spec.md are applied, in a folder of their own"
                yield specs.draft(span, document.path, message, weight=Weight.DOUBT)
                break


def _skips(specs: Specs) -> bool:
    path = specs.place.folder + MARKER
    for document in specs.world.plan.documents:
        if document.path == path:
            return _SKIPS.search(document.text) is not None
    content = specs.world.tree.read(path) if specs.world.tree.kind(path) == "file" else None
    return isinstance(content, Text) and _SKIPS.search(content.text) is not None


def _capabilities(specs: Specs) -> Iterator[Draft]:
    """A capability that the proposal says it modifies, and that is neither there nor in a delta."""
    known = {delta.capability for delta in specs.deltas}
    for document in specs.world.plan.documents:
        if document.path != f"{specs.place.folder}proposal.md" or not specs.base_paths:
            continue
        inside = False
        for number, line in enumerate(document.text.split("\n"), 1):
            if _HEADER.match(line):
                inside = _MODIFIES.match(line) is not None
                continue
            found = _CAPABILITY.match(line) if inside else None
            if found is None:
                continue
            name = found.group("name").strip("/")
            if name in known or specs.base(name) is not None or specs.others(name):
                continue
            yield specs.draft(
                Span(document.path, number, number),
                name,
                "the proposal modifies this capability, and neither a specification nor a delta has it",
                weight=Weight.DOUBT,
            )


def _numbers(specs: Specs) -> Iterator[Draft]:
    """Task numbers of another group than they stand in, and those that two files share."""
    first: dict[str, Document] = {}
    for document in specs.world.plan.documents:
        if document.path.rpartition("/")[2] != "tasks.md":
            continue
        group = ""
        for number, line in enumerate(document.text.split("\n"), 1):
            if head := _GROUP.match(line):
                group = head.group("number")
            elif line.startswith("## "):
                group = ""
            task = _TASK.match(line[:2000])
            if task is None:
                continue
            identifier, span = task.group("id"), Span(document.path, number, number)
            if group and int(task.group("group")) != int(group):
                message = f"the task is numbered for group {task.group('group')} and stands in group {group}"
                yield specs.draft(span, identifier, message, weight=Weight.DOUBT)
            if first.setdefault(identifier, document) is not document:
                message = f"{first[identifier].path} has a task of this number too"
                yield specs.draft(span, identifier, message, weight=Weight.DOUBT)
