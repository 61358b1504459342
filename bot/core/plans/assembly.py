"""From a document's blocks and the tasks found in it to the parts of a Plan. Every format's reader ends here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import yaml

from bot.core.plans import asides, trees
from bot.core.plans.commands import Commands
from bot.core.plans.markdown import Block, Kind, Page, normalise, read
from bot.core.plans.model import (
    Claim,
    Command,
    Document,
    FileRef,
    Format,
    Plan,
    Prose,
    Requirement,
    Skipped,
    Snippet,
    Span,
    SpecDelta,
    SymbolRef,
    Task,
    TaskStatus,
)
from bot.core.plans.references import MAX_REFERENCES, References

MAX_FRONT_MATTER = 64 * 1024  # characters; more than that is no front matter that people write

_DEPENDS = re.compile(
    r"(?i)(?:^|\n|[;(]\s*|\b)\W{0,4}(?:depends?\s+(?:up)?on|depend(?:s|encies|ency)|blocked\s+by|"
    r"requires|prerequisites?|prereqs?|"
    r"must\s+(?:come|run|follow)\s+after|(?:runs?|after)\s+completing)\W{0,4}\s*:?\W{0,4}\s*(?P<what>[^\n;)]{0,160})"
)
_TASK_IDS = re.compile(
    r"(?i)\b(?P<kind>task|unit|step|phase|slice)s?\s+(?P<ids>(?:#?[A-Z]?\d+(?:\.\d+)*[a-z]?)(?:\s*(?:,|"
    r"and|&|\+|/|-|–|to|through)\s*(?:tasks?\s+)?#?[A-Z]?\d+(?:\.\d+)*[a-z]?\b)*)|\b(?P<code>T\d{2,4}[a-z]?|"
    r"U\d+)\b(?:\s*[-–]\s*(?P<last>U\d+)\b)?"
)
_KIND = re.compile(r"(?i)(task|unit|step|phase|slice)\b")
# a task of another plan: "Task 3 of the auth plan", "Task 3 in docs/plans/auth.md", "the auth plan's Task 3"
_DOCUMENT = r"(?:[\w@./-]{1,200}\.mdc?\b|(?:plans?|specs?|specification|roadmap|epic|repo(?:sitory)?|project|branch)\b)"
_OF_ANOTHER = re.compile(
    rf"(?i)^\W{{0,3}}(?:of|in|from)\s+(?!(?:this|the|the same|our)\s+{_DOCUMENT})(?!\S{{1,80}}\s+task\b)"
    rf"(?:[\w'’@/-]{{1,80}}\s+){{0,5}}{_DOCUMENT}"
    rf"|^\s*\((?:the\s+)?(?!this\b|the\b)[\w'’@-]{{1,80}}\s+(?:[\w'’@-]{{1,80}}\s+)?plan\s*$"
    r"|^\W{0,3}(?:of|in|from)\s*(?:[,.]|$)"  # a document whose name is code, which prose is bare of
)
_ANOTHERS = re.compile(
    r"(?i)(?:\S\.mdc?|\b(?!this\b|the\b|our\b)[\w-]{1,80}\s+plan)(?:['’]s)?(?:\s*[:,#→>(—–-]{1,2})?\s*$"
)
_DONE = re.compile(
    r"(?i)\[\s*(?:done|completed?|finished|x)\s*\]|✅|☑|\((?:done|completed?)\)|\b(?:status\W{0,4}(?:done|"
    r"completed?|finished|implemented))\b"
)
# a text that announces existing code, right above the fence that shows it
_CURRENT = re.compile(
    r"(?i)(?:^|[\s(*])(?:find|before|current(?: code| text| version| state| content| block| implementation)?|"
    r"existing(?: code| text| block)?|from|replace|old(?: code| text)?|currently (?:has|reads|"
    r"says|contains|is|looks like)"
    r"(?: this)?)\s*(?:\([^()]*\))?\s*:\W*$"
)
# "The current code in `x` is:", "Remove this from `x`:"
_TODAY = re.compile(
    r"(?i)\b(?:current|existing|present)\s+(?:code|text|version|content|block|implementation|body|definition)\b"
    r"[^\n]{0,120}\b(?:is|reads|says|looks like(?: this)?)\s*:\W*$"
    r"|(?:^|[.\n]\s*)\W*(?:step \d+\W+)?(?:then,?\s+)?(?:remove|delete)"
    r"\s+(?:the\s+following|this|these)\b[^\n]{0,120}:\W*$"
)
# one that may also announce the new code: taken when the fence is followed by "with:"
_REPLACED = re.compile(r"(?i)\b(?:replace|change|find|locate|look for|swap)\b[^\n]{0,160}:\W*$")
_WITH = re.compile(
    r"(?i)^\W*(?:with|to|after(?=\W*(?:\(|$))|becomes?|by|into|(?:and )?replace (?:\w+ ){0,3}(?:with|by))\b"
    r"[^\n]{0,80}:?\W*$"
)
# "change the body to:" announces what is to come
_TO_BE = re.compile(r"(?i)\b(?:to|with|into|by|as|becomes?|so that|reads?)\s*:\W*$")
_COVERS = re.compile(
    r"(?im)^\W{0,4}(?:requirements?|covers|satisfies|acceptance criteria|"
    r"validates\W{0,4}\s*requirements?)\W{0,4}:\W{0,4}\s*(?P<ids>[^\n]{1,300})"
)
_REQUIREMENT = re.compile(
    r"\b(?:(?:R|FR-?|NFR-?|SC-?|US-?|AC-?|REQ-?)\d+(?:\.\d+)*[a-z]?"
    r"(?:\s*(?:[-–—]|to|through)\s*(?:R|FR-?|NFR-?|SC-?|US-?|AC-?|REQ-?)?\d+(?:\.\d+)*[a-z]?)?|\d+(?:\.\d+)?(?:\s*[-–]\s*\d+(?:\.\d+)?)?)\b"
)
_STORY = re.compile(r"\[(US\d+)\]|\b((?:FR|SC)-\d{2,4})\b")
_GOAL_HEADING = re.compile(r"(?i)^\W*(?:goal|objective|overview|summary|purpose|problem statement|problem|why)\W*$")
_GOAL_LABEL = re.compile(r"(?i)^\W{0,4}(?:goal|objective)\s*:\W{0,4}\s*")
_OPTIONAL = re.compile(r"(?i)\boptional\b")
MAX_QUOTE = 2000  # characters of quoted code that a claim keeps
MAX_SNIPPETS = 2_000  # of one document
_NAMED_ABOVE = re.compile(
    r"^\s*(?:#|//|--|/\*|<!--|;|%)\s*(?:file(?:name)?:\s*)?`?(?P<path>[\w@.()\[\]/-]{1,300}\.\w{1,8})`?\b"
)


@dataclass(slots=True)
class Unit:
    """A task as a reader found it: blocks `first` to `end` (exclusive) of the page."""

    first: int
    end: int
    id: str
    label: str
    title: str
    status: TaskStatus | None = None
    optional: bool = False
    parallel: bool = False
    depends_on: tuple[str, ...] = ()
    depends_at: tuple[int, int] | None = None  # lines outside of the blocks that list `depends_on` as data
    covers: tuple[str, ...] = ()
    files: list[FileRef] = field(default_factory=list)


@dataclass(slots=True)
class Parts:
    """What one document contributes to the plan."""

    title: str | None = None
    goal: str | None = None
    tasks: list[Task] = field(default_factory=list)
    files: list[FileRef] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    prose: list[Prose] = field(default_factory=list)
    comments: list[Prose] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    symbols: list[SymbolRef] = field(default_factory=list)
    snippets: list[Snippet] = field(default_factory=list)
    requirements: list[Requirement] = field(default_factory=list)
    spec_delta: list[SpecDelta] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def front_matter(text: str, limit: int = MAX_FRONT_MATTER) -> tuple[dict[str, object] | None, str]:
    """The YAML mapping that opens `text` and the text with those lines emptied; (None, text) when there is none."""
    if not text.startswith("---\n"):
        return None, text
    match = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.M).search(text, 4, limit)
    if match is None:
        return None, text
    head = text[4 : match.start()]
    blank = "\n" * text.count("\n", 0, match.end()) + text[match.end() :]
    # deep flow nesting is the one thing that makes a YAML reader recurse
    if head.count("[") + head.count("{") > 500:
        return None, blank
    try:
        found = yaml.safe_load(head)
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, AttributeError, KeyError, OverflowError):
        return None, blank if re.search(r"(?m)^\w[\w-]*:", head) else text
    if not isinstance(found, dict):
        return None, text
    return {str(key): value for key, value in found.items()}, blank


def load(document: Document) -> tuple[Document, dict[str, object] | None, Page]:
    """The normalised document, its front matter, and the blocks of the rest."""
    text = normalise(document.text)
    meta, body = front_matter(text)
    return Document(document.path, text), meta, read(body)


_MARKS = {"x": TaskStatus.DONE, "-": TaskStatus.IN_PROGRESS, "~": TaskStatus.IN_PROGRESS}


def status_of(box: str | None) -> TaskStatus:
    """What a checkbox says of its task; without a box, that it is still to be done."""
    return _MARKS.get(box or " ", TaskStatus.TODO)


def prose_text(block: Block) -> str:
    """The block's text without its code spans, which are no statement of the plan's own words, and its struck parts."""
    inline = block.inline
    if not inline.codes and not inline.struck:
        return inline.text
    out, at = [], 0
    codes = ((start - 1, end + 1) for start, end in inline.codes)
    for start, end in sorted((*codes, *inline.struck)):
        if start >= at:
            out.append(inline.text[at:start])
        at = max(at, end)
    out.append(inline.text[at:])
    return "".join(out)


def dependencies(text: str, label: str = "") -> tuple[str, ...]:
    """The task ids that a `Depends on:` phrase names, ranges spelled out.

    `label` is what the task is called: where tasks are counted as `Task 3`, a phase or a step of that number is none.
    Tasks of another plan are left out.
    """
    counted = _KIND.match(label)
    out: list[str] = []
    for match in _DEPENDS.finditer(text[:20000]):
        what = match.group("what")
        if re.search(r"(?i)\bcan\b|\bnot\b|\bno\b|\bnone\b", what[:30]):
            continue
        for ids in _TASK_IDS.finditer(what):
            if _OF_ANOTHER.match(what[ids.end() :]) or _ANOTHERS.search(what[: ids.start()]):
                continue
            if ids.group("code"):
                out.append(ids.group("code"))
                first, last = ids.group("code")[1:], (ids.group("last") or "")[1:]
                if last and ids.group("code")[0] in "Uu" and 0 < int(last[:9]) - int(first[:9]) < 100:
                    out.extend(f"U{number}" for number in range(int(first) + 1, int(last) + 1))
                continue
            kind = ids.group("kind").lower()
            if counted and kind != counted.group(1).lower():
                continue
            text_ids = ids.group("ids")
            for part in re.split(r"\s*(?:,|\band\b|&|\+|/)\s*", text_ids):
                span = re.fullmatch(
                    r"(?:tasks?\s+)?#?(\d+)\s*(?:-|–|to|through)\s*(?:tasks?\s+)?#?(\d+)", part.strip(), re.I
                )
                if span and 0 <= int(span.group(2)) - int(span.group(1)) < 100:
                    out.extend(str(n) for n in range(int(span.group(1)), int(span.group(2)) + 1))
                elif part.strip() and not (counted and kind != "task" and part.lower().startswith("task")):
                    out.append(re.sub(r"(?i)^(?:tasks?\s+)?#?", "", part.strip()))
    return tuple(dict.fromkeys(out))


def _interface(block: Block, names: list[str]) -> None:
    inline = block.inline
    if inline.codes:
        names.extend(inline.text[a:b].strip() for a, b in inline.codes if inline.text[a:b].strip())
    else:
        text = inline.text.partition(":")[2].strip()
        if text and not re.match(r"(?i)^(?:none|nothing|n/a|—|-)\b", text):
            names.append(text)


_REPO = re.compile(
    r"(?im)^\W{0,6}(?:(?:target\s+)?repo(?:sitory)?(?:\(s\)|s)?\W{0,4}:\W{0,4}\s*(?P<name>[\w./@-]{2,80})|"
    r"(?P<label>[\w./-]{2,60})\s+repo(?:sitory)?\b[^\n:]{0,40}:\W{0,4}$|"
    r"files?\s+(?:in|\(in|\(worktree at|at)\s+(?:the\s+)?[`*]{0,3}(?P<files>[\w./@]*[/-][\w./@-]{2,120}|"
    r"target repo|other repo)|"
    r"working directory\W{0,4}:\W{0,4}\s*(?P<folder>(?:/|~/)[\w./@-]{2,160}))"
)
_CUE = re.compile(r"(?i)repo|files?\s+\(?(?:in|at|worktree)|working directory")


def elsewhere(page: Page) -> list[bool]:
    """For each block, whether its section says that it works in another repository (`**Repo:** name`).

    A name given before every section is the plan's own; one name given everywhere is taken for it too.
    """
    names: list[str | None] = [None] * len(page.blocks)
    own: str | None = None
    stack: list[tuple[int, str | None]] = []
    here: str | None = None  # of a label, in force up to the next heading
    for index, block in enumerate(page.blocks):
        if block.kind is Kind.HEADING:
            while stack and stack[-1][0] >= block.level:
                stack.pop()
            stack.append((block.level, stack[-1][1] if stack else None))
            here = None
        elif block.kind is Kind.TEXT and _CUE.search(block.text, 0, 400):
            match = _REPO.search(block.text[:400])
            if match:
                name = next(group for group in match.groups() if group).lower().rstrip("/")
                if match.group("name") and (not stack or stack[-1][0] == 1):
                    own = own or name
                elif match.group("label") or match.group("files"):
                    here = name
                elif stack:
                    stack[-1] = (stack[-1][0], name)
        names[index] = here or (stack[-1][1] if stack else None)
    found = {name for name in names if name}
    if len(found) == 1 and own is None and sum(1 for name in names if name) > len(names) * 0.6:
        return [False] * len(names)
    return [name is not None and name != own for name in names]


def assemble(document: Document, page: Page, units: list[Unit]) -> Parts:
    """Read every block once, in order, and give what it holds to its task or to the plan."""
    parts = Parts()
    away = elsewhere(page)
    path = document.path
    references, commands = References(path), Commands(path)
    owners = [-1] * len(page.blocks)
    for number, unit in enumerate(units):
        for index in range(unit.first, min(unit.end, len(owners))):
            owners[index] = number
    files: list[list[FileRef]] = [[] for _ in units]
    prose: list[list[Prose]] = [[] for _ in units]
    symbols: list[list[SymbolRef]] = [[] for _ in units]
    boxes = [[0, 0] for _ in units]
    consumes: list[list[str]] = [[] for _ in units]
    produces: list[list[str]] = [[] for _ in units]
    goal_next = False
    mode: list[str] | None = None
    quoting = ""
    quoted: list[Claim] = []
    pending: Claim | None = None
    above: tuple[str, list[FileRef]] = ("", [])
    for index, block in enumerate(page.blocks):
        owner = owners[index]
        found = references.read(block, away[index])
        typed = len(commands.entries)
        commands.read(block, owner)
        if block.kind is Kind.FENCE:
            drawing = trees.is_tree(block.body)
            if not drawing and len(commands.entries) == typed and len(parts.snippets) < MAX_SNIPPETS:
                parts.snippets.append(_snippet(block, path, *above, references.trail.path))
            if drawing:
                parts.files.extend(trees.references(block, path))
            elif quoting and block.body.strip() and references.trail.path and len(commands.entries) == typed:
                span = Span(path, block.first, block.last)
                pending = Claim(quoting, references.trail.path, span, (), block.body[:MAX_QUOTE])
                if _CURRENT.search(quoting) or _TODAY.search(quoting):
                    quoted.append(pending)
                    pending = None
            quoting = ""
            above = ("", [])
            continue
        if block.kind is Kind.TEXT or block.kind is Kind.HEADING:
            above = (block.text[-300:].strip(), found)
        if pending is not None and block.kind is Kind.TEXT and _WITH.match(block.text[:200]):
            quoted.append(pending)
        pending = None
        tail = above[0] if block.kind is Kind.TEXT else ""
        shows = ":" in tail and (
            _CURRENT.search(tail) or _TODAY.search(tail) or (_REPLACED.search(tail) and not _TO_BE.search(tail))
        )
        quoting = tail if shows else ""
        (files[owner] if owner >= 0 else parts.files).extend(found)
        (symbols[owner] if owner >= 0 else parts.symbols).extend(references.symbols)
        if block.kind is Kind.HEADING:
            mode = None
            if parts.title is None and block.level == 1:
                parts.title = block.text.strip() or None
            goal_next = parts.goal is None and bool(_GOAL_HEADING.match(block.text))
        if block.kind in (Kind.TEXT, Kind.HEADING) and not block.quote:
            text = prose_text(block).strip()
            if text:
                (prose[owner] if owner >= 0 else parts.prose).append(Prose(text, Span(path, block.first, block.last)))
        elif block.kind is Kind.ROW:
            text = " | ".join(_without_codes(cell.text) for cell in block.cells).strip(" |")
            if text:
                (prose[owner] if owner >= 0 else parts.prose).append(Prose(text, Span(path, block.first, block.last)))
        if block.kind is not Kind.TEXT:
            continue
        if parts.goal is None:
            label = _GOAL_LABEL.match(block.text)
            if label or goal_next:
                parts.goal = (block.text[label.end() :] if label else block.text).split("\n\n")[0].strip()[
                    :2000
                ] or None
        goal_next = False
        if owner < 0:
            continue
        if block.box is not None and block.box in " x":
            boxes[owner][1] += 1
            boxes[owner][0] += block.box == "x"
        head = block.text[:60].lower().lstrip(" *_")
        if head.startswith(("consumes", "produces")):
            mode = consumes[owner] if head.startswith("consumes") else produces[owner]
            _interface(block, mode)
        elif mode is not None and block.depth > 1:
            _interface(block, mode)
        elif not block.item or block.depth <= 1:
            mode = None
    by_owner: list[list[Command]] = [[] for _ in units]
    for entry in commands.entries:
        (by_owner[entry.owner] if entry.owner >= 0 else parts.commands).append(entry.command)
    for number, unit in enumerate(units):
        inside = page.blocks[unit.first : unit.end]
        first = inside[0].first if inside else 1
        last = max((block.last for block in inside), default=first)
        ticked, total = boxes[number]
        status = unit.status
        if status is None:
            opening = " ".join(block.text[:200] for block in inside[:1])
            if _DONE.search(opening) or (total and ticked == total):
                status = TaskStatus.DONE
            else:
                status = TaskStatus.IN_PROGRESS if ticked else TaskStatus.TODO
        if status is not TaskStatus.DONE and inside and asides.withdrawn(inside[0]):
            status = TaskStatus.CANCELLED
        said = dependencies(
            "\n".join(
                item.text[:600]
                for item in prose[number]
                if "end" in item.text or "lock" in item.text or "equi" in item.text or "fter" in item.text
            ),
            unit.label,
        )
        parts.tasks.append(
            Task(
                id=unit.id,
                label=unit.label,
                title=unit.title,
                span=Span(path, first, last),
                status=status,
                optional=unit.optional or bool(_OPTIONAL.search(unit.title)),
                parallel=unit.parallel,
                depends_on=tuple(name for name in dict.fromkeys((*unit.depends_on, *said)) if name != unit.id),
                depends_at=Span(path, *unit.depends_at) if unit.depends_at else None,
                covers=tuple(dict.fromkeys((*unit.covers, *_covered(prose[number])))),
                files=tuple(files[number]),
                commands=tuple(by_owner[number]),
                symbols=tuple(symbols[number]),
                consumes=tuple(dict.fromkeys(consumes[number])),
                produces=tuple(dict.fromkeys(produces[number])),
                prose=tuple(prose[number]),
                boxes=(ticked, total),
            )
        )
    parts.claims = [*references.claims, *quoted]
    if references.left <= 0:
        parts.skipped.append(Skipped("missing_path", f"only the first {MAX_REFERENCES} paths of {path} were read"))
    parts.comments = [Prose(c.text, Span(path, c.first, c.last)) for c in page.comments]
    return parts


def _snippet(block: Block, document: str, announced: str, named: list[FileRef], near: str | None) -> Snippet:
    """The fenced `block`; `named` are the files of the text above it."""
    paths = list(dict.fromkeys(ref.path for ref in named if ref.hedge is None and not ref.path.endswith("/")))
    head = _NAMED_ABOVE.match(block.body[:400])
    file = head.group("path") if head and "/" in head.group("path") else paths[0] if len(paths) == 1 else None
    if file is None and not paths and near and near in announced:
        file = near
    language = block.info.split()[0].lower().strip("{}.") if block.info.split() else ""
    last = block.body_first + max(block.body.rstrip("\n").count("\n"), 0)
    return Snippet(language, block.body, Span(document, block.body_first, last), announced, file, near)


def _covered(prose: list[Prose]) -> list[str]:
    """The requirement ids that a task's own text names as its own; ranges stay as written."""
    out: list[str] = []
    for item in prose:
        if "equirement" in item.text or "overs" in item.text or "atisfies" in item.text or "cceptance" in item.text:
            for match in _COVERS.finditer(item.text):
                out.extend(re.sub(r"\s+", "", name) for name in _REQUIREMENT.findall(match.group("ids")))
                if re.match(r"(?i)\s*all\b", match.group("ids")):
                    out.append("all")
    if prose:
        out.extend(story or requirement for story, requirement in _STORY.findall(prose[0].text))
    return out


def _without_codes(text: str) -> str:
    return re.sub(r"`[^`]*`", "", text) if "`" in text else text


def plan(
    format: Format,  # noqa: A002
    documents: tuple[Document, ...],
    meta: dict[str, object] | None,
    parts: list[Parts],
    skipped: tuple[Skipped, ...] = (),
) -> Plan:
    """One Plan of the parts of its documents, in their order."""
    skipped = (*skipped, *(item for part in parts for item in part.skipped))
    if not any(part.tasks for part in parts):
        skipped = (*skipped, Skipped("task_order", "no part of this plan reads as a task"))
    title = next((part.title for part in parts if part.title), None)
    if title is None and meta is not None:
        named = meta.get("title") or meta.get("name")
        title = str(named) if isinstance(named, str | int | float) and str(named).strip() else None
    return Plan(
        format=format,
        documents=documents,
        title=title,
        goal=next((part.goal for part in parts if part.goal), None),
        requirements=tuple(each for part in parts for each in part.requirements),
        tasks=tuple(task for part in parts for task in part.tasks),
        claims=tuple(claim for part in parts for claim in part.claims),
        snippets=tuple(snippet for part in parts for snippet in part.snippets),
        spec_delta=tuple(delta for part in parts for delta in part.spec_delta),
        files=tuple(ref for part in parts for ref in part.files),
        commands=tuple(command for part in parts for command in part.commands),
        symbols=tuple(symbol for part in parts for symbol in part.symbols),
        prose=tuple(item for part in parts for item in part.prose),
        comments=tuple(item for part in parts for item in part.comments),
        front_matter=meta,
        skipped=skipped,
    )
