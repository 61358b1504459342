"""A clean plan with its tree, and what a mutator makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from bot.core.plans.model import Document, Plan, Span
from bot.core.tree import Kind, Text, Tree
from bot.core.verify.evaluation.mutate.reading import Mention, Page, Part, creates, word_in
from schemas.verify_report import FindingType, Severity

# a line of a document by its number → what takes its place: nothing, one line, or several
Edits = Mapping[int, Sequence[str]]
NO_FILES: Mapping[str, bytes | None] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Seed:
    """A defect that was put in. `spots` are the lines, after the change, at any of which a reader can see it."""

    mutator: str
    type: FindingType
    severity: Severity
    spots: tuple[Span, ...]
    what: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A plan with one defect: its documents, and the files of the tree that differ (None: taken out)."""

    seed: Seed
    documents: tuple[Document, ...]
    files: Mapping[str, bytes | None]


@dataclass(frozen=True, slots=True)
class Spot:
    """Line `line` of document `path` before the change, `offset` lines further down in what took its place."""

    path: str
    line: int
    offset: int = 0


class Subject:
    """A clean plan and its tree, as mutators see them."""

    def __init__(self, plan: Plan, tree: Tree) -> None:
        self.plan = plan
        self.tree = tree
        self.pages = tuple(Page(document) for document in plan.documents)
        self.main = self.pages[0]

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The tasks of the main document, in the order of the plan."""
        return tuple(Part(task, self.main) for task in self.plan.tasks if task.span.path == self.main.path)

    @cached_property
    def text(self) -> str:
        return "\n".join(page.text for page in self.pages)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """The files that the main document says are to be made, changed or deleted, for certain: in work still to be
        done, without a hedge, and not in another repository."""
        return tuple(
            each
            for each in self.main.mentions
            if each.verb and not each.hedged and not self.main.aside(each.line) and self.is_open(each.line)
        )

    def part_at(self, line: int) -> Part | None:
        return next((part for part in self.parts if part.first <= line <= part.last), None)

    def is_open(self, line: int) -> bool:
        """Whether the line belongs to work that is not done and is this repository's."""
        part = self.part_at(line)
        return not self.main.ticked(line) and (part is None or (part.is_open and not part.elsewhere))

    def in_tree(self, path: str) -> bool:
        """Whether the tree has this file under this path and under no longer one."""
        return self.tree.kind(path) is Kind.FILE and set(self.tree.by_suffix(path)) == {path}

    def nowhere(self, path: str) -> bool:
        """Whether neither the tree nor the plan knows anything of that path, in whatever letters."""
        return (
            self.tree.kind(path) is Kind.MISSING
            and not self.tree.by_suffix(path)
            and self.tree.folded(path) is None
            and path not in self.text
        )

    def makes(self, path: str) -> bool:
        """Whether some line of the plan may be read as making this file."""
        said = any(creates(line, path) for page in self.pages for line in page.lines)
        return said or any(number in page.new for page, number in self.lines_with(path))

    def only_changed(self, verbs: Sequence[str] = ("modify",)) -> Iterator[Mention]:
        """The first certain mention of each file that the tree has, that the plan changes and nowhere makes."""
        seen: set[str] = set()
        for each in self.mentions:
            if each.path not in seen and each.verb in verbs and self.in_tree(each.path) and not self.makes(each.path):
                seen.add(each.path)
                yield each

    def only_created(self) -> Iterator[Mention]:
        """The certain mentions of files that the plan makes, once, and that nothing like is there of."""
        made: dict[str, list[Mention]] = {}
        for each in self.mentions:
            made.setdefault(each.path, []).append(each)
        for path, every in made.items():
            wanted = [each for each in every if each.verb == "create"]
            free = self.tree.kind(path) is Kind.MISSING and not self.tree.by_suffix(path) and not self.tree.folded(path)
            if wanted and free and not any(each.verb == "delete" for each in every):
                yield wanted[0]

    def content(self, path: str) -> str | None:
        """A file's text; None where it cannot be read."""
        found = self.tree.read(path)
        return found.text if isinstance(found, Text) else None

    def lines_with(self, token: str, *, at: Callable[[int], bool] | None = None) -> Iterator[tuple[Page, int]]:
        """The lines that hold `token` as a whole."""
        for page in self.pages:
            for number, line in enumerate(page.lines, 1):
                if token in line and word_in(line, token) and (at is None or at(number)):
                    yield page, number

    def renamed(self, old: str, new: str) -> dict[str, dict[int, list[str]]]:
        """The edits that write `new` for `old` wherever it stands as a whole."""
        edits: dict[str, dict[int, list[str]]] = {}
        for page, number in self.lines_with(old):
            edits.setdefault(page.path, {})[number] = [page.replace(number, old, new)]
        return edits

    def mutant(
        self,
        mutator: str,
        type_: FindingType,
        severity: Severity,
        what: str,
        spots: Iterable[Spot],
        *,
        edits: Mapping[str, Edits] | None = None,
        files: Mapping[str, bytes | None] = NO_FILES,
    ) -> Mutant:
        """The plan and tree with these changes; every spot must be of a line that is still there."""
        documents: list[Document] = []
        starts: dict[str, list[int]] = {}
        for page in self.pages:
            changed, starts[page.path] = apply(page.lines, (edits or {}).get(page.path, {}))
            documents.append(Document(page.path, "\n".join(changed)))
        where = dict.fromkeys(
            Span(
                spot.path,
                starts[spot.path][spot.line - 1] + spot.offset,
                starts[spot.path][spot.line - 1] + spot.offset,
            )
            for spot in spots
        )
        return Mutant(Seed(mutator, type_, severity, tuple(where), what), tuple(documents), dict(files))


def apply(lines: Sequence[str], edits: Edits) -> tuple[list[str], list[int]]:
    """The lines after the edits, and for each old line the number of the first line that took its place."""
    out: list[str] = []
    starts: list[int] = []
    for number, line in enumerate(lines, 1):
        starts.append(len(out) + 1)
        out.extend(edits.get(number, (line,)))
    return out, starts


Mutator = Callable[[Subject], Iterator[Mutant]]
