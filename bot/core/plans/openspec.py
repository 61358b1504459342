"""An OpenSpec change: tasks.md, proposal.md, design.md and the deltas below specs/, read into one Plan."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.core.plans import generic
from bot.core.plans.assembly import Parts, Unit, assemble, status_of
from bot.core.plans.markdown import Block, Kind, Page
from bot.core.plans.model import (
    Certainty,
    DeltaKind,
    Document,
    Requirement,
    Span,
    SpecDelta,
    Task,
    TaskStatus,
)
from bot.core.plans.spec_text import SpecText, read_spec

MARKER = ".openspec.yaml"
_NO_DELTA = frozenset(("tasks.md", "proposal.md", "design.md"))

_CHANGE = re.compile(r"(?P<root>(?:[^/]+/)*?openspec/)changes/(?P<archive>archive/)?(?P<name>[^/]+)/(?P<rest>.+)")
_SPEC = re.compile(r"(?:.*/)?specs/(?:(?P<capability>.+)/)?spec\.md")
_ID = re.compile(r"\W{0,2}(?P<id>\d+(?:\.\d+)+[A-Za-z]*|\d+(?=[.):]\s))(?:[.):]\s*|\s+|$)(?P<rest>.*)", re.S)
_BOX_LINE = re.compile(r"\s*[-*]\s*\[([\sxX])\]\s*(\S.*)?")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document of a change stands: `root` is the openspec folder and `folder` the change's own, each with the
    slash at its end; `rest` is the path below that."""

    root: str
    folder: str
    name: str
    rest: str
    archived: bool

    @property
    def specs(self) -> str:
        """The folder of the specifications that hold today."""
        return f"{self.root}specs/"


def place(path: str) -> Place | None:
    """The change that the file at `path` belongs to; None for a file outside of every change."""
    match = _CHANGE.fullmatch(path)
    if match is None:
        return None
    return Place(
        match.group("root"),
        path[: match.start("rest")],
        match.group("name"),
        match.group("rest"),
        match.group("archive") is not None,
    )


def is_delta(path: str) -> bool:
    """Whether the document at `path` is a specification delta of a change."""
    return _SPEC.fullmatch(path) is not None


def capability(path: str) -> str:
    """The specification that the delta at `path` changes; "" for one that is in no folder of its own."""
    found = place(path)
    match = _SPEC.fullmatch(found.rest if found is not None else path)
    return (match.group("capability") or "") if match else ""


def read(document: Document, page: Page, *, paths: Sequence[str]) -> Parts:
    """What one document of the change contributes; `paths` are those of all of its documents, the first names it.

    Without a tasks.md, the document that names the change may hold the tasks, as boxes.
    """
    path = document.path
    name = path.rpartition("/")[2]
    if name == MARKER:
        return Parts()
    listed = next((each for each in paths if each.rpartition("/")[2] == "tasks.md"), paths[0])
    spec = read_spec(document, page) if name not in _NO_DELTA else None
    if is_delta(path) or (spec is not None and spec.deltas):
        parts = assemble(document, page, [])
        if spec is not None:
            _deltas(parts, spec)
    elif path == listed or name == "tasks.md":
        parts = _tasks(document, page)
    else:
        parts = assemble(document, page, [])
    if name != "tasks.md":
        # a proposal, a design or a specification tells how things are to be; only the list of tasks tells what is done
        parts.files = [replace(ref, certainty=Certainty.MENTIONED) for ref in parts.files]
    return parts


def _tasks(document: Document, page: Page) -> Parts:
    units = _units(page)
    if units:
        return assemble(document, page, units)
    fenced = _fenced(document.path, page)
    if not fenced:
        return generic.read(document, page)
    parts = assemble(document, page, [])
    parts.tasks = fenced
    return parts


def _units(page: Page) -> list[Unit]:
    """One task a box, however deep it is indented and whether or not it has a number."""
    found: list[Unit] = []
    depth = 0
    for index, block in enumerate(page.blocks):
        box = block.kind is Kind.TEXT and block.box is not None and not block.quote
        if found and found[-1].end < 0:
            beside = block.depth == depth == 1 and block.item
            if block.kind is Kind.HEADING or block.depth < depth or beside or box:
                found[-1].end = index
        if not box:
            continue
        found.append(_unit(index, block, len(found) + 1))
        depth = block.depth
    if found and found[-1].end < 0:
        found[-1].end = len(page.blocks)
    return found


def _unit(index: int, block: Block, count: int) -> Unit:
    identifier, label, title = _names(block.text, count)
    status = status_of(block.box)
    return Unit(index, -1, identifier, label, title, status, optional=block.starred)


def _names(text: str, count: int) -> tuple[str, str, str]:
    match = _ID.match(text[:2000])
    rest = match.group("rest") if match else text[:2000]
    title = rest.strip().split("\n", 1)[0][:300]
    return (match.group("id"), f"Task {match.group('id')}", title) if match else (f"#{count}", f"item {count}", title)


def _fenced(path: str, page: Page) -> list[Task]:
    """The boxes inside code fences, which count where a document has no others: the list was pasted with its fence."""
    found: list[Task] = []
    for block in page.blocks:
        if block.kind is not Kind.FENCE:
            continue
        for offset, line in enumerate(block.body.split("\n")):
            match = _BOX_LINE.fullmatch(line[:2000])
            if match is None:
                continue
            identifier, label, title = _names(match.group(2) or "", len(found) + 1)
            done = match.group(1) in "xX"
            number = min(block.body_first + offset, block.last)
            found.append(
                Task(
                    identifier,
                    label,
                    title,
                    Span(path, number, number),
                    TaskStatus.DONE if done else TaskStatus.TODO,
                    boxes=(int(done), 1),
                )
            )
    return found


def _deltas(parts: Parts, spec: SpecText) -> None:
    name = capability(spec.path)
    for section in spec.deltas:
        if section.kind is None or section.kind is DeltaKind.RENAMED:
            parts.spec_delta += [
                SpecDelta(DeltaKind.RENAMED, name, each.old, each.span, new_name=each.new) for each in section.renames
            ]
            continue
        for block in section.blocks:
            parts.spec_delta.append(
                SpecDelta(
                    section.kind,
                    name,
                    block.name,
                    block.span,
                    scenarios=block.scenarios,
                    body=block.body,
                    text=block.text,
                )
            )
            if section.kind in (DeltaKind.ADDED, DeltaKind.MODIFIED):
                parts.requirements.append(Requirement(block.name, block.body, block.span, block.scenarios))
