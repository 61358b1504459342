"""The one Plan model that every format is read into.

All parts are plain frozen values. Each part knows the lines of the document it was read from, so a finding can always
point at the plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Span:
    """Lines `first` to `last` (1-based, inclusive) of the plan document `path`."""

    path: str
    first: int
    last: int

    @property
    def head(self) -> Span:
        """The first of its lines."""
        return Span(self.path, self.first, self.first)


@dataclass(frozen=True, slots=True)
class Document:
    """One file of a plan: its path in the repository and its text (LF line ends, no byte order mark)."""

    path: str
    text: str


class Format(StrEnum):
    SUPERPOWERS = "superpowers"
    SPECKIT = "speckit"
    OPENSPEC = "openspec"
    KIRO = "kiro"
    WORKPLAN = "workplan"
    LETS = "lets"
    HARNESS = "harness"
    ROADMAP = "roadmap"
    GENERIC = "generic"


class Action(StrEnum):
    CREATE = "create"
    MODIFY = "modify"
    DELETE = "delete"
    MOVE = "move"
    TEST = "test"
    READ = "read"


class Certainty(StrEnum):
    """How the plan says it: `stated` by a Files bullet, a mark or a verb; `mentioned` in running prose."""

    STATED = "stated"
    MENTIONED = "mentioned"


class Hedge(StrEnum):
    """What takes weight off a citation; a hedged citation is never an accusation, at most advice."""

    CONDITIONAL = "conditional"  # "if needed", "if present", "possibly", "optional"
    ALTERNATIVE = "alternative"  # "a.ts (or b.ts)", "a.ts or wherever it lives"
    NEGATED = "negated"  # "there is no a.ts", "do not create a.ts"
    EXAMPLE = "example"  # "e.g. a.ts", inside quotes or an example
    ELSEWHERE = "elsewhere"  # another repository, branch or machine
    PLACEHOLDER = "placeholder"  # "<name>.py", "path/to/file", "XXX"


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines of a cited file. `approximate` marks "around line 40", "~L40"."""

    first: int
    last: int
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class FileRef:
    """A path that the plan cites, as the plan uses it.

    `path` is normalised (no `./`, no `:line`, forward slashes) and relative to the repository unless the plan gave an
    absolute one; `raw` is what stands in the plan. A directory ends in `/`. A glob keeps its stars.
    For a move, `path` is the source and `target` the destination.
    """

    path: str
    action: Action
    certainty: Certainty
    span: Span
    raw: str = ""
    lines: tuple[LineRange, ...] = ()
    target: str | None = None
    hedge: Hedge | None = None
    says_exists: bool = False  # an Existing-tests table, "append to", a line range: the plan claims it is there
    beside: str | None = None  # for a bare name: the directory of the full path named before, where it may be meant
    sure: bool = True  # false: without extension or trailing slash, so perhaps no path at all (a package, a word pair)


class Expect(StrEnum):
    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Command:
    """One shell command line of a verify or set-up step, as written (continuation lines joined).

    `cwd` is the directory, relative to the repository root, that earlier lines of the same block changed into
    ("" is the root, None is not known). `expected` is what the plan says of the outcome, in its own words.
    """

    text: str
    span: Span
    cwd: str | None = ""
    expects: Expect = Expect.UNKNOWN
    expected: str = ""


class SymbolClaim(StrEnum):
    EXISTS = "exists"
    INTRODUCED = "introduced"


@dataclass(frozen=True, slots=True)
class SymbolRef:
    name: str
    claim: SymbolClaim
    span: Span
    path: str | None = None
    lines: tuple[LineRange, ...] = ()
    defines: bool = False  # the plan says that it is defined in `path`, not only that it is there
    changed: bool = False  # the plan has it changed, so code of that name further down is what it is to become


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about existing code: what a file holds, at which lines, with the quoted code where it is quoted.

    `inline`: the quote is a piece of code within a sentence that has it found or replaced, without lines; `path` is
    None where the sentence does not say in which file.
    """

    text: str
    path: str | None
    span: Span
    lines: tuple[LineRange, ...] = ()
    quote: str | None = None
    inline: bool = False


@dataclass(frozen=True, slots=True)
class Snippet:
    """A fenced block of the plan that is neither a drawing nor shell commands: code that is there or is to be written.

    `span` holds its lines without the fences; `announced` is the end of the text right above it. `path` is the file
    that this text, or a comment in the first line, names as the only one; `near` the last file named before it.
    """

    language: str
    text: str
    span: Span
    announced: str = ""
    path: str | None = None
    near: str | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Requirement:
    id: str
    text: str
    span: Span
    scenarios: tuple[Scenario, ...] = ()


class DeltaKind(StrEnum):
    ADDED = "added"
    MODIFIED = "modified"
    REMOVED = "removed"
    RENAMED = "renamed"


@dataclass(frozen=True, slots=True)
class SpecDelta:
    """One change to a requirement of the specification of `capability` ("" where the file's place names none).

    `span` begins at its header. `body` is the requirement's statement, `text` all that stands below its header; both
    are empty for a renamed requirement, whose new name is `new_name`.
    """

    kind: DeltaKind
    capability: str
    requirement: str
    span: Span
    new_name: str | None = None
    scenarios: tuple[Scenario, ...] = ()
    body: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Prose:
    """Running text of the plan (a paragraph, a list item, a heading): code spans and fences are left out of `text`."""

    text: str
    span: Span


class TaskStatus(StrEnum):
    TODO = "todo"
    IN_PROGRESS = "in_progress"
    DONE = "done"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Task:
    """One unit of planned work, in the order of the plan.

    `label` is what a reader calls it ("Task 3", "T007"); `id` is the bare id ("3", "T007") that dependencies name.
    `boxes` counts its checkboxes as (ticked, all).
    """

    id: str
    label: str
    title: str
    span: Span
    status: TaskStatus = TaskStatus.TODO
    optional: bool = False
    parallel: bool = False
    depends_on: tuple[str, ...] = ()
    depends_at: Span | None = None
    covers: tuple[str, ...] = ()
    files: tuple[FileRef, ...] = ()
    commands: tuple[Command, ...] = ()
    symbols: tuple[SymbolRef, ...] = ()
    consumes: tuple[str, ...] = ()
    produces: tuple[str, ...] = ()
    prose: tuple[Prose, ...] = ()
    boxes: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A check that cannot run on this plan, and why: what the parser could not read."""

    check: str
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole plan. `documents[0]` is the document that names it; `files`, `commands`, `symbols` and `prose` hold
    what stands outside every task."""

    format: Format
    documents: tuple[Document, ...]
    title: str | None = None
    goal: str | None = None
    requirements: tuple[Requirement, ...] = ()
    tasks: tuple[Task, ...] = ()
    claims: tuple[Claim, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    spec_delta: tuple[SpecDelta, ...] = ()
    files: tuple[FileRef, ...] = ()
    commands: tuple[Command, ...] = ()
    symbols: tuple[SymbolRef, ...] = ()
    prose: tuple[Prose, ...] = ()
    comments: tuple[Prose, ...] = ()  # HTML comments, which no reader sees
    front_matter: dict[str, object] | None = None
    skipped: tuple[Skipped, ...] = ()

    @property
    def path(self) -> str:
        return self.documents[0].path

    def line(self, path: str, number: int) -> str:
        """The text of line `number` (1-based) of one of the plan's documents; "" beyond its end."""
        for document in self.documents:
            if document.path == path:
                lines = _lines(document.text)
                return lines[number - 1] if 0 < number <= len(lines) else ""
        return ""


# asked for line by line: taking a large document apart each time would be quadratic
@lru_cache(maxsize=16)
def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n"))
