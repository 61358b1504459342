"""spec-kit features: spec.md with user stories and FR/SC ids, plan.md, and tasks.md whose lines read
`- [ ] T001 [P] [US1] Create the model in src/models/user.py`.

A path in such a line is taken as it stands, quoted or not: the format asks each task for the exact path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from posixpath import basename, splitext

from bot.core.plans import coverage, generic
from bot.core.plans.assembly import Parts, Unit, assemble, status_of
from bot.core.plans.markdown import Block, Kind, Page
from bot.core.plans.model import (
    Action,
    Certainty,
    Document,
    FileRef,
    Requirement,
    Scenario,
    Span,
    Task,
)
from bot.core.plans.vocabulary import words

MAX_TEXT = 600  # characters that are kept of a requirement
MAX_RANGE = 200  # tasks that one line may stand for

_ID = r"T-?[A-Z]{0,4}-?\d{1,5}(?:\.\d{1,3})?[a-z]?"
_TASK = re.compile(
    rf"^\W{{0,3}}(?:\[[ xX]\]\s*)?[*_~]{{0,2}}(?P<id>{_ID})(?:\s*(?:-|–|—|\.\.|to)\s*(?P<last>{_ID}))?"
    r"[*_~]{0,2}(?![\w-])[.):：]?\s*(?P<rest>.*)",
    re.S,
)
_TAGS = re.compile(r"^(?:\s*[\[(][^\[\]()\n]{1,40}[\])])*\s*[:：—–-]?\s*")
_TAG = re.compile(r"[\[(]([^\[\]()\n]{1,40})[\])]")
_STORY_TAG = re.compile(r"(?i)^(?:US|Story|User Story)\s*-?(\d{1,3})$")
_NUMBER = re.compile(r"^(T-?[A-Z]{0,4}-?)(\d{1,5})$")

_WAITS = re.compile(
    rf"(?P<who>\b{_ID}(?:\s*(?:,|and|&|/|-|–)\s*{_ID})*)\s*(?:\([^()\n]{{0,60}}\)\s*)?(?:\*\*)?\s*"
    r"(?:depends? on|requires|needs|(?:is |are )?blocked by)\s+"
    rf"(?P<what>{_ID}(?:\s*(?:,|and|&|/|-|–|,\s*and)\s*{_ID})*)"
)
_CHAIN = re.compile(r"(?:→|->|➜|⟶|=>)")
_LINK = re.compile(
    rf"^[\s`*_(\[]*{_ID}(?:[\s`*_()\[\]]*(?:,|and|&|\+|/|-|–|\|\|)[\s`*_()\[\]]*{_ID})*[\s`*_()\[\].;,]*$"
)
_NOTE = re.compile(r"\([^()\n]{0,120}\)")
_IDS = re.compile(rf"\b({_ID})(?:\s*[-–]\s*({_ID}))?")
_ORDERED = re.compile(r"(?i)depend|order|critical path|sequen")

_BASE = re.compile(
    r"(?i)(?:\b(?P<kind>swift|kotlin|java|python|typescript|javascript|go|rust|dart|c#|php|ruby)\s+)?"
    r"\b(?:(?:source|file|task|code|all)\s+)*(?:paths?|files?|locations?)\b[^.\n`]{0,60}?\brelative to\b(?: the)?"
    r"[^.\n`]{0,30}`(?P<base>[\w@.-]+(?:/[\w@.-]+)*/?)`"
)
_KINDS = {
    "swift": words(".swift"),
    "kotlin": words(".kt .kts"),
    "java": words(".java"),
    "python": words(".py .pyi"),
    "typescript": words(".ts .tsx .mts"),
    "javascript": words(".js .jsx .mjs .cjs"),
    "go": words(".go"),
    "rust": words(".rs"),
    "dart": words(".dart"),
    "c#": words(".cs"),
    "php": words(".php"),
    "ruby": words(".rb"),
}
_EXTENSIONS = words(
    """
    .py .pyi .ts .tsx .mts .cts .js .jsx .mjs .cjs .go .rs .java .kt .kts .swift .dart .cs .fs .vb .php .rb .ex .exs
    .erl .scala .clj .hs .ml .c .h .cc .cpp .hpp .m .mm .lua .r .jl .sh .bash .zsh .ps1 .psm1 .bat .sql .graphql
    .proto .vue .svelte .astro .html .css .scss .sass .less .md .mdx .json .jsonc .yaml .yml .toml .ini .cfg .xml
    .csproj .fsproj .sln .gradle .tf .tfvars .hcl .bicep .ipynb .prisma .txt .env.example .plist .storyboard .xib
    """
)
_CHANGES = re.compile(
    r"(?i)^(?:update|modify|extend|refactor|edit|fix|rewrite|rework|adjust|migrate|replace|remove|rename)\b"
)
_INSIDE = re.compile(r"(?i)\b(?:in|inside|within|of)\s+(?:the\s+)?[`*(]*$")
_DIRECT = re.compile(
    r"(?i)^(?P<verb>create|update|modify|extend|refactor|edit|delete)\s+(?:the\s+|new\s+|file\s+)*[`*(]*$"
)

_FUNCTIONAL = re.compile(
    r"^\W{0,6}(?P<id>(?:N?FR|SC|NFR)-?[A-Z]{0,4}-?\d{1,4}(?:\.\d{1,3})?[a-z]?)(?![\w-])(?P<text>.*)", re.S
)
_STORY = re.compile(
    r"(?i)^\W{0,6}(?:user story|story|US|用户故事|使用者故事|ユーザーストーリー)[ -]?"
    r"(?P<id>\d{1,3})\b\s*[-–—:：.]*\s*(?P<title>.*)",
    re.S,
)
_SCENARIOS = re.compile(r"(?i)acceptance|scenario|验收|场景|受け?入れ?|シナリオ")


def units(page: Page) -> list[Unit]:
    """One task a checkbox that opens with a task id; other boxes outside of tasks are tasks without one."""
    found: list[Unit] = []
    open_depth = 0
    numbered = [
        index
        for index, block in enumerate(page.blocks)
        if block.kind is Kind.TEXT and block.box is not None and not block.quote and _TASK.match(block.text)
    ]
    if not numbered:
        return []
    ids = set(numbered)
    for index, block in enumerate(page.blocks):
        inside = bool(found) and found[-1].end < 0
        if inside and (
            block.kind is Kind.HEADING or block.depth < open_depth or (block.depth == open_depth and block.item)
        ):
            found[-1].end = index
            inside = False
        if block.kind is not Kind.TEXT or block.box is None or block.quote or (inside and index not in ids):
            continue
        if inside:
            found[-1].end = index
        open_depth = block.depth
        match = _TASK.match(block.text)
        found.append(_unit(index, block, match, len(found) + 1))
    if found and found[-1].end < 0:
        found[-1].end = len(page.blocks)
    return found


def _unit(index: int, block: Block, match: re.Match[str] | None, count: int) -> Unit:
    status = status_of(block.box)
    if match is None:
        title = block.text.strip().split("\n", 1)[0][:300]
        return Unit(index, -1, f"#{count}", f"item {count}", title, status, optional=block.starred)
    rest = match.group("rest")
    tags = _TAGS.match(rest)
    named = _TAG.findall(tags.group()) if tags else []
    stories = [
        f"US{int(story.group(1))}"
        for tag in named
        for part in re.split(r"[,/&+]", tag)
        if (story := _STORY_TAG.match(part.strip()))
    ]
    return Unit(
        index,
        -1,
        match.group("id"),
        match.group("id"),
        (rest[tags.end() :] if tags else rest).strip().split("\n", 1)[0][:300],
        status,
        optional=block.starred,
        parallel=any(re.match(r"(?i)p(?:[:\d]|$)|parallel\b", tag.strip()) for tag in named),
        covers=tuple(stories),
    )


def read(document: Document, page: Page, *, tasks: bool = True) -> Parts:
    """`tasks`: false for a document beside the task list."""
    if not tasks:
        parts = assemble(document, page, [])
        # a specification tells how things are to be; only the task list tells what is done
        parts.files = [replace(ref, certainty=Certainty.MENTIONED) for ref in parts.files]
        if basename(document.path) == "spec.md":
            parts.requirements = requirements(document, page)
        return parts
    found = units(page)
    if not found:
        return generic.read(document, page, checklist=True)
    parts = assemble(document, page, found)
    base = _declared(page, found[0].first)
    parts.tasks = [_stated(task) for task in parts.tasks]
    if base is not None:
        parts.tasks = [replace(task, files=tuple(_based(ref, *base) for ref in task.files)) for task in parts.tasks]
    parts.tasks = list(_spelled_out(parts.tasks, page, found))
    _wait(parts, page, found)
    return parts


def _stated(task: Task) -> Task:
    """Its references, those of the task's own line stated where its verb says what is done to the file."""
    codes = [each for prose in task.prose for each in coverage.coded(prose.text)]
    covers = tuple(dict.fromkeys((*task.covers, *codes)))
    opening = _CHANGES.match(task.title)
    files = []
    for ref in task.files:
        if ref.certainty is Certainty.MENTIONED and ref.hedge is None and ref.span.first == task.span.first:
            ref = _by_verb(ref, task.title, changing=bool(opening))
        files.append(ref)
    return replace(task, covers=covers, files=tuple(files))


def _by_verb(ref: FileRef, title: str, *, changing: bool) -> FileRef:
    if "/" not in ref.path or splitext(ref.path)[1].lower() not in _EXTENSIONS:
        return ref
    before, found, _ = title.partition(ref.raw or ref.path)
    if not found:
        return ref
    direct = _DIRECT.match(before)
    if direct:
        verb = direct.group("verb").lower()
        action = {"create": Action.CREATE, "delete": Action.DELETE}.get(verb, Action.MODIFY)
        return replace(ref, action=action, certainty=Certainty.STATED) if ref.action is action else ref
    if changing and ref.action is Action.MODIFY and _INSIDE.search(before):
        return replace(ref, certainty=Certainty.STATED)
    return ref


def _declared(page: Page, first: int) -> tuple[str, frozenset[str]] | None:
    """The directory that the head of the list says its paths are relative to, and the extensions it says it of."""
    for block in page.blocks[:first]:
        match = _BASE.search(block.text[:2000]) if "relative" in block.text else None
        if match:
            kind = (match.group("kind") or "").lower()
            base = match.group("base").strip("/")
            if base not in (".", "..") and not base.startswith("../"):
                return f"{base}/", _KINDS.get(kind, frozenset())
    return None


def _based(ref: FileRef, base: str, kinds: frozenset[str]) -> FileRef:
    if kinds and splitext(ref.path)[1].lower() not in kinds:
        return ref

    def under(path: str) -> str:
        top = base.split("/", 1)[0]
        away = path.startswith((base, "/", "~", "..", "$", f"{top}/")) or "/" not in path or ":" in path
        return path if away else base + path

    return replace(ref, path=under(ref.path), target=under(ref.target) if ref.target else None)


def _spelled_out(tasks: list[Task], page: Page, found: list[Unit]) -> Iterator[Task]:
    """A line that stands for several tasks (`T021-T023`) gives the others too, so that they can be waited for."""
    for task, unit in zip(tasks, found, strict=True):
        match = _TASK.match(page.blocks[unit.first].text)
        rest = list(_between(match.group("id"), match.group("last")))[1:] if match and match.group("last") else []
        if rest:
            task = replace(task, label=f"{task.id}–{rest[-1]}")
        yield task
        for name in rest:
            yield replace(
                task, id=name, files=(), commands=(), symbols=(), prose=(), covers=(), depends_on=(), boxes=(0, 0)
            )


def _between(first: str, last: str | None) -> Iterator[str]:
    """The ids from `first` to `last`, zeros kept; just the two where they do not count up."""
    yield first
    if last is None:
        return
    one, two = _NUMBER.match(first), _NUMBER.match(last)
    if one and two and one.group(1) == two.group(1) and 0 < int(two.group(2)) - int(one.group(2)) < MAX_RANGE:
        for number in range(int(one.group(2)) + 1, int(two.group(2)) + 1):
            yield f"{one.group(1)}{number:0{len(one.group(2))}d}"
    elif last != first:
        yield last


def _named(text: str) -> list[str]:
    return [name for match in _IDS.finditer(text) for name in _between(match.group(1), match.group(2))]


def _wait(parts: Parts, page: Page, found: list[Unit]) -> None:
    """What the sections on order say: `T005 depends on T003, T004`, and chains `T003 -> T005 -> T007`."""
    owned = {index for unit in found for index in range(unit.first, unit.end)}
    ids = {task.id for task in parts.tasks}
    waits: dict[str, list[str]] = {}
    ordered = False
    for index, block in enumerate(page.blocks):
        if block.kind is Kind.HEADING:
            ordered = bool(_ORDERED.search(block.text))
        if block.kind is not Kind.TEXT or (index in owned and "depend" not in block.text):
            continue
        text = block.text[:4000]
        for match in _WAITS.finditer(text):
            for who in _named(match.group("who")):
                waits.setdefault(who, []).extend(_named(match.group("what")))
        if ordered or re.match(r"(?i)\W*critical path", text):
            for line in text.split("\n"):
                _chained(line.partition(":")[2] if ":" in line[:60] else line, waits)
    if not waits:
        return
    parts.tasks = [
        replace(
            task,
            depends_on=tuple(
                dict.fromkeys(
                    (*task.depends_on, *(name for name in waits.get(task.id, ()) if name != task.id and name in ids))
                )
            ),
        )
        if task.id in waits
        else task
        for task in parts.tasks
    ]


def _chained(line: str, waits: dict[str, list[str]]) -> None:
    links = _CHAIN.split(_NOTE.sub(" ", line))
    for before, after in pairwise(links):
        if _LINK.match(before) and _LINK.match(after):
            earlier = _named(before)
            for name in _named(after):
                waits.setdefault(name, []).extend(earlier)


def requirements(document: Document, page: Page) -> list[Requirement]:
    """User stories (`US1`, with their scenarios), functional requirements and success criteria of spec.md."""
    found: list[Requirement] = []
    seen: set[str] = set()
    story: Requirement | None = None
    level = 0
    telling = False
    for block in page.blocks:
        if block.quote or block.kind not in (Kind.HEADING, Kind.TEXT, Kind.ROW):
            continue
        if block.kind is Kind.HEADING:
            if story is not None and block.level <= level:
                found.append(story)
                story = None
            match = _STORY.match(block.text.strip())
            telling = bool(_SCENARIOS.search(block.text))
            if match and story is None and f"US{int(match.group('id'))}" not in seen:
                name = f"US{int(match.group('id'))}"
                seen.add(name)
                story = Requirement(name, match.group("title").strip()[:MAX_TEXT], _span(document, block))
                level = block.level
                continue
        if story is not None and block.kind is Kind.TEXT:
            if not block.item and _SCENARIOS.search(block.text[:80]):
                telling = True
            elif telling and block.item and block.ordered and len(story.scenarios) < 100:
                text = " ".join(block.text.split())[:MAX_TEXT]
                scenario = Scenario(f"{story.id}.{len(story.scenarios) + 1}", text, _span(document, block))
                story = replace(story, scenarios=(*story.scenarios, scenario))
        text = " | ".join(cell.text for cell in block.cells) if block.kind is Kind.ROW else block.text
        if not (block.item or block.kind is not Kind.TEXT or text.startswith(("FR", "SC", "NFR"))):
            continue
        for name, words_, span in _coded(document, block, text):
            if name not in seen:
                seen.add(name)
                found.append(Requirement(name, words_, span))
    if story is not None:
        found.append(story)
    found.sort(key=lambda each: each.span.first)
    return found


def _coded(document: Document, block: Block, text: str) -> Iterator[tuple[str, str, Span]]:
    match = _FUNCTIONAL.match(text[:4000])
    if match:
        yield (
            match.group("id"),
            " ".join(match.group("text").split()).lstrip(" *:：|-–—")[:MAX_TEXT],
            _span(document, block),
        )


def _span(document: Document, block: Block) -> Span:
    return Span(document.path, block.first, block.last)
