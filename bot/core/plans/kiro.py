"""Kiro specifications, and those of cc-sdd: requirements.md with numbered criteria, design.md, and tasks.md whose
numbered checkboxes name the criteria they serve (`_Requirements: 1.1, 2.3_`) and what they wait for (`_Depends: 1.2_`).

A criterion's id is `N.M`: item M below requirement N, by the numbers that stand there, in whatever language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from posixpath import basename

from bot.core.plans import coverage, generic
from bot.core.plans.assembly import Parts, Unit, assemble, status_of
from bot.core.plans.markdown import Block, Kind, Page
from bot.core.plans.model import Certainty, Document, Requirement, Span, Task, TaskStatus

MAX_TEXT = 600  # characters that are kept of a criterion

_NUMBER = r"\d{1,3}(?:\.\d{1,3}){0,2}"
_TASK = re.compile(rf"^\W{{0,3}}(?:task\s+)?(?P<id>{_NUMBER}[a-z]?)(?:[.):：]|\s|$)[ \t]*(?P<rest>.*)", re.S | re.I)
_PARALLEL = re.compile(r"^\s*(?:\[P\]|[(（]P[)）])|[(（]P[)）]\s*(?:\n|$)")
_DEPENDS = re.compile(
    r"(?i)(?:^|[\s_*|;(（])_?(?:depends(?: on)?|dependencies|依存(?:関係)?|依赖|blocked by)[\s*_]*[:：][\s*_]*"
    r"(?P<what>[^\n]{1,300})"
)
_ID_LIST = re.compile(
    rf"^\s*(?:tasks?\s+)?(?P<ids>{_NUMBER}(?:\s*[,、，/&]\s*(?:tasks?\s+)?{_NUMBER})*)\s*(?=[_*|;()（）.。]|$)", re.I
)

_REQUIREMENT = re.compile(
    rf"^\W{{0,6}}(?:{coverage.NOUN}|R|REQ|FR|NFR|US|user stor(?:y|ies)|story|故事|用户故事|ユーザーストーリー)"
    r"\s*[#\-_ ]?\s*(?P<id>\d{1,3})(?![\d.]*\d)\s*(?:[:：.、)）—–-]+\s*|$|\s+|(?=[（(]))(?P<title>.*)",
    re.S | re.I,
)
_CODE = re.compile(r"^\W{0,6}(?P<code>(?:N?FR|US|R|REQ)[-_ ]?)(?=\d)", re.I)
_STORY = re.compile(r"(?i)^\W{0,6}(?:user stor|story|故事|用户故事|ユーザーストーリー)")
_SECTION = re.compile(rf"(?i)\b{coverage.NOUN}|{coverage.NOUN}")
_PLAIN = re.compile(r"^\W{0,4}(?P<id>\d{1,3})(?:[.)、：:]|\s)\s*(?P<title>\D.*)", re.S)
_CRITERIA = re.compile(
    r"(?i)accept|criteri|criter|kriteri|critè|критери|验收|驗收|标准|標準|受け?入れ?|基準|수락|인수|기준"
)
_ITEM = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+)?(?:\[[ xX~-]\][ \t]+)?[*_]{0,2}(?:(?:AC|CA|Criteri(?:a|on))[-_ ]?)?"
    r"(?P<major>\d{1,3})(?:\.(?P<minor>\d{1,3}))?(?P<stop>[.):：、])?[*_]{0,2}(?:[ \t]|$)"
)
_ORDERED = re.compile(r"^[ \t>]*(?P<number>\d{1,3})[.)][ \t]")


def units(page: Page) -> list[Unit]:
    """One task a numbered checkbox, at whatever depth; an unnumbered box below one is a detail of it.

    What follows a sub-task at its parent's depth still belongs to the task before it: nothing but the next task or a
    heading ends one.
    """
    boxes = [
        (index, block)
        for index, block in enumerate(page.blocks)
        if block.kind is Kind.TEXT and block.box is not None and not block.quote
    ]
    numbered = {index: match for index, block in boxes if (match := _TASK.match(block.text))}
    if not numbered:
        return []
    top = min(page.blocks[index].depth for index in numbered)
    found: list[Unit] = []
    for index, block in enumerate(page.blocks):
        if found and found[-1].end < 0 and block.kind is Kind.HEADING:
            found[-1].end = index
        match = numbered.get(index)
        if match is None:
            if not (found and found[-1].end >= 0) or block.kind is not Kind.TEXT or block.box is None:
                continue
            if block.depth > top or block.quote:
                continue
        if found and found[-1].end < 0:
            found[-1].end = index
        rest = (match.group("rest") if match else block.text).strip()
        identifier = match.group("id").rstrip(".") if match else f"#{len(found) + 1}"
        found.append(
            Unit(
                index,
                -1,
                identifier,
                f"Task {identifier}" if match else f"item {len(found) + 1}",
                rest.split("\n", 1)[0][:300],
                status_of(block.box),
                optional=block.starred,
                parallel=bool(_PARALLEL.search(rest[:600])),
            )
        )
    if found and found[-1].end < 0:
        found[-1].end = len(page.blocks)
    return found


def read(document: Document, page: Page, *, tasks: bool = True) -> Parts:
    """`tasks`: false for a document beside the task list."""
    name = basename(document.path)
    if tasks:
        found = units(page)
        parts = assemble(document, page, found) if found else generic.read(document, page, checklist=True)
        _serve(parts)
        return parts
    parts = assemble(document, page, [])
    # a specification or design tells how things are to be; only the task list tells what is done
    parts.files = [replace(ref, certainty=Certainty.MENTIONED) for ref in parts.files]
    if name == "requirements.md":
        parts.requirements = requirements(document, page)
    elif name == "bugfix.md":
        parts.requirements = clauses(document)
    return parts


def _serve(parts: Parts) -> None:
    """What each task says of itself: its requirements, its dependencies; and parents by what their sub-tasks say."""
    ids = {task.id for task in parts.tasks}
    children: dict[str, list[Task]] = {}
    for task in parts.tasks:
        if "." in task.id:
            children.setdefault(task.id.rsplit(".", 1)[0], []).append(task)
    done: list[Task] = []
    for task in parts.tasks:
        covers = [each for prose in task.prose for named in coverage.labelled(prose.text) for each in named.ids]
        waits = [name for prose in task.prose for name in _waits(prose.text) if name in ids and name != task.id]
        status = task.status
        below = [child for child in children.get(task.id, ()) if not child.optional]
        if below and status is TaskStatus.TODO:
            if all(child.status is TaskStatus.DONE for child in below):
                status = TaskStatus.DONE
            elif any(child.status is not TaskStatus.TODO for child in below):
                status = TaskStatus.IN_PROGRESS
        done.append(
            replace(
                task,
                status=status,
                covers=tuple(dict.fromkeys(covers)),
                depends_on=tuple(dict.fromkeys((*task.depends_on, *waits))),
            )
        )
    parts.tasks = done


def _waits(text: str) -> Iterator[str]:
    if ":" not in text and "：" not in text:
        return
    for match in _DEPENDS.finditer(text[:20_000]):
        ids = _ID_LIST.match(match.group("what"))
        if ids:
            yield from re.findall(_NUMBER, ids.group("ids"))


@dataclass(slots=True)
class _Item:
    major: int | None
    minor: int
    text: str
    span: Span
    section: int  # which part of the requirement's text it stands in
    named: bool  # that part is headed as the criteria


@dataclass(slots=True)
class _Open:
    """A requirement whose text is being read."""

    id: str
    number: int
    title: str
    span: Span
    level: int
    items: list[_Item] = field(default_factory=list)


def requirements(document: Document, page: Page) -> list[Requirement]:
    """Each requirement of requirements.md (`N`) followed by its criteria (`N.M`).

    A requirement whose criteria are not numbered, or not plainly, stands there without any.
    """
    headings = [block for block in page.blocks if block.kind is Kind.HEADING and not block.quote]
    explicit = [block for block in headings if _REQUIREMENT.match(block.text.strip())]
    plain = not explicit
    found: list[_Open] = []
    lines = document.text.split("\n")
    current: _Open | None = None
    area = 0  # the level of an enclosing section of requirements, where those are headed by bare numbers
    section, named, depth = 0, False, 0
    for block in page.blocks:
        if block.quote:
            continue
        if block.kind is Kind.HEADING:
            text = block.text.strip()
            match = (_PLAIN.match(text) if area and block.level > area else None) if plain else _REQUIREMENT.match(text)
            if current is not None and block.level <= current.level:
                current = None
            if match and current is None:
                current = _opened(match, text, Span(document.path, block.first, block.last), block.level)
                found.append(current)
                section, named, depth = 0, False, 0
                continue
            if current is not None:
                section, named, depth = section + 1, bool(_CRITERIA.search(text)), 0
                continue
            if plain:
                area = block.level if _SECTION.search(text) else (area if area and block.level > area else 0)
            continue
        if current is None or block.kind is not Kind.TEXT:
            continue
        if not block.item and len(block.text) < 80 and _CRITERIA.search(block.text) and not _ITEM.match(block.text):
            section, named, depth = section + 1, True, 0
            continue
        if block.item and depth and block.depth > depth:
            continue
        items = list(_items(block, lines, document.path, section, named))
        if items and block.item:
            depth = block.depth
        current.items.extend(items)
    return list(_requirements(found))


def _opened(match: re.Match[str], text: str, span: Span, level: int) -> _Open:
    number = match.group("id")
    code = _CODE.match(text)
    stem = code.group("code").strip("-_ ").upper() if code else "US" if _STORY.match(text) else ""
    identity = number if stem in ("", "R", "REQ") else f"{stem}-{number}"
    return _Open(identity, int(number), match.group("title").strip(" *_:：-–—"), span, level)


def _items(block: Block, lines: list[str], path: str, section: int, named: bool) -> Iterator[_Item]:
    """The numbered items that one piece of text is: a list item, or lines that each begin with `N.M`."""
    for number in range(block.first, min(block.last, block.first + 400) + 1):
        line = lines[number - 1] if number <= len(lines) else ""
        match = _ITEM.match(line)
        if match is None:
            if number == block.first and block.item:
                return
            continue
        major, minor = int(match.group("major")), match.group("minor")
        first = number == block.first and block.item
        if minor is None and not (first and block.ordered and _ORDERED.match(line)):
            continue
        if minor is not None and not match.group("stop") and not line[match.end() :].strip():
            continue
        text = line[match.end() :].strip() if not first else block.text.strip()
        yield _Item(
            major if minor is not None else None,
            int(minor) if minor is not None else major,
            text[:MAX_TEXT],
            Span(path, number, block.last if first else number),
            section,
            named,
        )


def _requirements(found: list[_Open]) -> Iterator[Requirement]:
    seen: set[str] = set()
    repeated = {each.id for each in found if each.id in seen or seen.add(each.id)}  # type: ignore[func-returns-value]
    given: set[str] = set()
    for each in found:
        if each.id not in given:
            given.add(each.id)
            yield Requirement(each.id, each.title, each.span)
        if each.id in repeated:
            continue  # two requirements of one number: which criterion is meant nobody can tell
        for item in _criteria(each):
            yield Requirement(f"{each.id}.{item.minor}", item.text, item.span)


def _criteria(open_: _Open) -> list[_Item]:
    """The items that are the criteria; none where that is not plain."""
    full = [item for item in open_.items if item.major == open_.number]
    items = full
    if not full:
        single = [item for item in open_.items if item.major is None]
        headed = [item for item in single if item.named]
        items = headed or single
        if not headed and len({item.section for item in items}) > 1:
            return []
    numbers = [item.minor for item in items]
    if len(numbers) > 1 and set(numbers) == {1} and not full:
        items = [replace(item, minor=index) for index, item in enumerate(items, 1)]  # `1.` for each, as Markdown allows
        numbers = [item.minor for item in items]
    return items if len(set(numbers)) == len(numbers) else []


_CLAUSE = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?[*_]{0,2}(?P<id>[1-9]\d?\.\d{1,3})[.):]?[*_]{0,2}[ \t]+(?P<text>\S.*)")


def clauses(document: Document) -> list[Requirement]:
    """The numbered clauses of bugfix.md: `1.M` tell the defect, `2.M` what is to be, `3.M` what has to stay."""
    found: dict[str, Requirement] = {}
    for number, line in enumerate(document.text.split("\n"), 1):
        match = _CLAUSE.match(line[:2000])
        if match:
            span = Span(document.path, number, number)
            found.setdefault(match.group("id"), Requirement(match.group("id"), match.group("text")[:MAX_TEXT], span))
    return list(found.values())
