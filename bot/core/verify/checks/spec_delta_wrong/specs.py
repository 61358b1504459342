"""The deltas of a change, the specifications that they change, and those that other open changes bring."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from bot.core.plans.assembly import load
from bot.core.plans.model import DeltaKind, Document, Span
from bot.core.plans.openspec import Place, capability, is_delta, place
from bot.core.plans.spec_text import Block, SpecText, fold, read_spec
from bot.core.tree import Kind, Text
from bot.core.verify import evidence
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.world import World
from schemas.verify_report import Evidence, FindingType

TYPE = FindingType.SPEC_DELTA_WRONG

MAX_CHANGES = 500  # other open changes that are looked into
MAX_SPECS = 500  # specifications that are searched for a title
MAX_SEARCHED = 8_000_000  # bytes of them

# what people put before the title of a requirement
_LEAD = re.compile(r"(?i)^(?:\[?(?:added|modified|removed|renamed|new|updated)\]?[:\s]+)?requirement\s*:?\s*")


@dataclass(frozen=True)
class Base:
    """A specification that holds today."""

    path: str
    spec: SpecText
    text: str

    @cached_property
    def blocks(self) -> dict[str, Block]:
        return {block.name: block for block in self.spec.blocks}

    @cached_property
    def folded(self) -> dict[str, Block]:
        return {fold(block.name): block for block in self.spec.blocks}

    @cached_property
    def loose(self) -> frozenset[str]:
        """The folded titles of whatever looks like a header: of another level, or behind a fence that nobody closed."""
        return frozenset(fold(_LEAD.sub("", title)) for title in _HEADING.findall(self.text))


@dataclass(frozen=True)
class Delta:
    """One delta file of the change; `capability` is "" for a file that is in no folder of its own."""

    capability: str
    spec: SpecText
    document: Document


class Specs:
    """What the rules look at. Base specifications are read once each, when first asked for."""

    def __init__(self, world: World, own: Place) -> None:
        self.world = world
        self.place = own
        self._bases: dict[str, Base | str | None] = {}
        self._others: dict[str, tuple[tuple[str, SpecText], ...]] = {}
        self._brought: dict[str, frozenset[str] | None] = {}

    @classmethod
    def of(cls, world: World) -> Specs | None:
        """None for a plan that stands outside of every change."""
        own = place(world.plan.path)
        return cls(world, own) if own is not None else None

    def note(self, reason: str) -> None:
        self.world.note(TYPE.value, reason)

    @cached_property
    def deltas(self) -> tuple[Delta, ...]:
        return tuple(
            Delta(capability(document.path), _read(document), document)
            for document in self.world.plan.documents
            if is_delta(document.path) and document.path.startswith(self.place.folder)
        )

    @cached_property
    def finished(self) -> bool:
        ticked = sum(task.boxes[0] for task in self.world.plan.tasks)
        return ticked > 0 and ticked == sum(task.boxes[1] for task in self.world.plan.tasks)

    @cached_property
    def base_paths(self) -> tuple[str, ...]:
        return self.world.tree.glob(f"{self.place.specs}**/spec.md")

    def base_path(self, name: str) -> str:
        return f"{self.place.specs}{name}/spec.md"

    def base(self, name: str) -> Base | str | None:
        """The specification of a capability; None where there is none, a reason where it cannot be judged by."""
        if name not in self._bases:
            self._bases[name] = self._base(self.base_path(name))
        return self._bases[name]

    def _base(self, path: str) -> Base | str | None:
        tree = self.world.tree
        kind = tree.kind(path)
        if path in self.world.known_added and kind is not Kind.FILE:
            return f"{path} came with the change itself"
        if kind is Kind.MISSING:
            return None
        content = tree.read(path)
        if not isinstance(content, Text):
            return f"{path} could not be read: {content.reason}"
        found = Base(path, _read(Document(path, content.text)), content.text)
        if not found.spec.blocks:
            return f"{path} has no `### Requirement:` header, so nothing can be looked up in it"
        return found

    def elsewhere(self, title: str, but: str) -> Base | None:
        """Another capability's specification that has a requirement of this title."""
        for path in self._titles.get(title, ()):
            found = self.base(path.removeprefix(self.place.specs).removesuffix("/spec.md"))
            if path != self.base_path(but) and isinstance(found, Base) and title in found.blocks:
                return found
        return None

    @cached_property
    def _titles(self) -> dict[str, list[str]]:
        """Title → the specifications that have a line which reads as its header."""
        found: dict[str, list[str]] = {}
        left = MAX_SEARCHED
        for number, path in enumerate(self.base_paths):
            content = self.world.tree.read(path)
            left -= content.size if isinstance(content, Text) else 0
            if left < 0 or number >= MAX_SPECS:
                self.note(f"{len(self.base_paths) - number} specifications were not searched for titles")
                break
            if isinstance(content, Text):
                for title in dict.fromkeys(_TITLE.findall(content.text)):
                    found.setdefault(title.strip(), []).append(path)
        return found

    def others(self, name: str) -> tuple[tuple[str, SpecText], ...]:
        """The deltas of the other open changes for a capability, by path."""
        if name not in self._others:
            self._others[name] = tuple(
                (path, _read(Document(path, content.text)))
                for path in (f"{self.place.root}changes/{other}/specs/{name}/spec.md" for other in self._changes)
                if self.world.tree.kind(path) is Kind.FILE and isinstance(content := self.world.tree.read(path), Text)
            )
        return self._others[name]

    @cached_property
    def _changes(self) -> tuple[str, ...]:
        names = [
            each
            for each in self.world.tree.children(f"{self.place.root}changes")
            if each not in ("archive", self.place.name)
        ]
        if len(names) > MAX_CHANGES:
            self.note(f"only {MAX_CHANGES} of the {len(names)} other open changes were looked into")
        return tuple(names[:MAX_CHANGES])

    def brought_by_other(self, name: str, title: str | None) -> bool:
        """Whether another open change brings the requirement `title`, or for None the capability."""
        if name not in self._brought:
            self._brought[name] = self._bring(name)
        brought = self._brought[name]
        return brought is None or (bool(brought) if title is None else fold(title) in brought)

    def _bring(self, name: str) -> frozenset[str] | None:
        """The folded titles that other open changes add; None where one is known of and cannot be read."""
        came = re.compile(rf"{re.escape(self.place.root)}changes/[^/]+/specs/{re.escape(name)}/spec\.md")
        own = self.place.folder
        unread = (path for path in self.world.known_added if self.world.tree.kind(path) is not Kind.FILE)
        if any(came.fullmatch(path) and not path.startswith(own) for path in unread):
            return None
        sections = [section for _, spec in self.others(name) for section in spec.deltas]
        added = [block.name for each in sections if each.kind is DeltaKind.ADDED for block in each.blocks]
        return frozenset(fold(title) for title in (*added, *(new.new for each in sections for new in each.renames)))

    @cached_property
    def knows_deltas(self) -> bool:
        """Whether deltas are written in this repository at all: OpenSpec's first versions had whole specifications."""
        if any(delta.spec.deltas for delta in self.deltas):
            return True
        paths = self.world.tree.glob(f"{self.place.root}changes/**/spec.md")
        for path in paths[:MAX_CHANGES]:
            content = self.world.tree.read(path)
            if isinstance(content, Text) and DELTA_SECTION.search(content.text):
                return True
        return False

    def draft(
        self,
        span: Span,
        subject: str,
        message: str,
        *shown: Evidence,
        weight: Weight = Weight.WRONG,
        suggestion: str | None = None,
    ) -> Draft:
        """A draft on the first line of `span`, which is its evidence together with `shown`."""
        lines = evidence.planned(self.world.plan, span.head)
        return Draft(TYPE, weight, span.head, subject, message, (*shown, *lines), suggestion=suggestion)


_HEADING = re.compile(r"(?m)^#{2,6}[ \t]*([^#\n][^\n]{0,600})$")
_TITLE = re.compile(r"(?mi)^###[ \t]*Requirement:[ \t]*(\S[^\n]*)$")
DELTA_SECTION = re.compile(r"(?mi)^##[ \t]+(?:ADDED|MODIFIED|REMOVED|RENAMED)[ \t]+Requirements\b")


def _read(document: Document) -> SpecText:
    loaded, _, page = load(document)
    return read_spec(loaded, page)
