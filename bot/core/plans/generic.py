"""Any Markdown plan: headings that count tasks, units, steps or phases, else a checklist; conservatively read."""

from __future__ import annotations

import re

from bot.core.plans import superpowers, traced
from bot.core.plans.assembly import Parts, Unit, assemble, status_of
from bot.core.plans.markdown import Kind, Page
from bot.core.plans.model import Document

_ID = r"(?P<id>[A-Z]{0,3}-?\d+(?:[.-]\d+)*[a-zA-Z]?)"
# from the most to the least task-like: a plan of phases with tasks in them has the tasks as its units
_HEADINGS = tuple(
    re.compile(rf"^\W{{0,6}}(?:{word})\s+#?{_ID}(?![\w])\s*(?:[:：.)—–-]+\s*|\(|$|\s)(?P<title>.*)", re.S | re.I)
    for word in (
        "task",
        "implementation unit|unit",
        "slice|story|work ?item|workstream|ticket",
        "step|change|commit|pr|part",
        "phase|milestone|stage|chunk|wave|sprint|increment|iteration|batch",
    )
)
_CODED = re.compile(r"^\W{0,4}(?P<id>(?:T|U|WP|TASK-|S|P|M|F)\d{1,4}[a-z]?)\b\s*[:：.)—–-]*\s*(?P<title>.*)", re.S)
_BOX_ID = re.compile(
    r"^\W{0,2}(?P<id>(?:T|TASK-|U|WP)-?[A-Z]*\d{1,4}(?:\.\d+)?[a-z]?|\d+(?:\.\d+)*[a-zA-Z]?)(?:[.):：]|"
    r"\s|$)\s*(?P<rest>.*)",
    re.S,
)
_NUMBERED = re.compile(r"^\W{0,2}(?P<id>\d+(?:\.\d+)*[a-z]?)[.):]?\s+(?P<title>.+)", re.S)
_BOXED = re.compile(
    r"^\W{0,2}(?P<word>implementation unit|unit|task|slice)\s+(?P<id>[A-Z]{0,3}-?\d+(?:\.\d+)*[a-z]?)(?!\w)"
    r"\s*[:：.)—–-]*\s*(?P<title>.*)",
    re.S | re.I,
)
_PLAN_SECTION = re.compile(r"(?i)\b(?:implementation|plan|steps?|tasks?|changes|work|phases?|approach)\b")
_STEPS_SECTION = re.compile(
    r"(?i)^\W{0,6}(?:\d+[.)]\s*)?(?:(?:the|detailed|step-by-step|proposed|high-level|implementation|execution|work)\s+)*"
    r"(?:steps?|plan|implementation|tasks|approach|changes|order of work|execution order)\W*$"
)
_PARALLEL = re.compile(r"^\s*(?:\[[^\]]{1,30}\]\s*)*?(?:\[P\]|\(P\))")


def heading_units(page: Page) -> list[Unit]:
    headings = [
        (index, block) for index, block in enumerate(page.blocks) if block.kind is Kind.HEADING and not block.quote
    ]
    for pattern in (*_HEADINGS[:2], _CODED, *_HEADINGS[2:]):
        matched = {index: match for index, block in headings if (match := pattern.match(block.text.strip()))}
        if not matched or (
            len(matched) < 2
            and pattern is not _HEADINGS[0]
            and not all(m.group("id")[0] in "TU" for m in matched.values())
        ):
            continue
        found: list[Unit] = []
        level = 0
        for index, block in headings:
            match = matched.get(index)
            if found and found[-1].end < 0 and (match or block.level <= level):
                found[-1].end = index
            if match is None:
                continue
            level = block.level
            word = re.match(r"\W*([A-Za-z]+)", block.text)
            label = (
                match.group("id")
                if pattern is _CODED
                else f"{word.group(1).capitalize() if word else 'Task'} {match.group('id')}"
            )
            found.append(Unit(index, -1, match.group("id"), label, match.group("title").strip(" *:—–-")))
        if found and found[-1].end < 0:
            found[-1].end = len(page.blocks)
        return found
    return []


def boxed_units(page: Page) -> list[Unit]:
    """Boxes such as `- [ ] **Unit 2: Parser**` that stand for headings: what follows each at the margin is its own."""
    found: list[Unit] = []
    parted = 0
    for index, block in enumerate(page.blocks):
        boxed = block.kind is Kind.TEXT and block.box is not None and block.depth == 1 and not block.quote
        match = _BOXED.match(block.text) if boxed else None
        if found and found[-1].end < 0 and (match or block.kind in (Kind.HEADING, Kind.RULE)):
            found[-1].end = index
        if match is None:
            continue
        below = page.blocks[index + 1] if index + 1 < len(page.blocks) else None
        parted += below is not None and below.kind is Kind.TEXT and below.depth == 0
        word = match.group("word").split()[-1].capitalize()
        status = status_of(block.box)
        title = match.group("title").strip(" *:—–-").split("\n", 1)[0][:300]
        found.append(Unit(index, -1, match.group("id"), f"{word} {match.group('id')}", title, status))
    if found and found[-1].end < 0:
        found[-1].end = len(page.blocks)
    return found if len(found) > 1 and parted * 2 > len(found) else []


def checklist_units(page: Page) -> list[Unit]:
    """One task a checkbox; an unnumbered box nested in another is a detail of that one."""
    found: list[Unit] = []
    depths: list[int] = []
    open_depth = 0
    count = 0
    for index, block in enumerate(page.blocks):
        inside = bool(found) and found[-1].end < 0
        if inside and (
            block.kind is Kind.HEADING or (block.depth < open_depth) or (block.depth == open_depth and block.item)
        ):
            found[-1].end = index
            inside = False
        if block.kind is not Kind.TEXT or block.box is None or block.quote:
            continue
        match = _BOX_ID.match(block.text)
        if inside and match is None:
            continue
        if inside:
            found[-1].end = index
        count += 1
        identifier = match.group("id").rstrip(".") if match else str(count)
        rest = (match.group("rest") if match else block.text).strip()
        title = rest.split("\n", 1)[0][:300]
        status = status_of(block.box)
        found.append(
            Unit(
                index,
                -1,
                identifier if match else f"#{count}",
                (identifier if identifier[:1].isalpha() else f"Task {identifier}") if match else f"item {count}",
                title,
                status,
                optional=block.starred,
                parallel=bool(_PARALLEL.match(rest)),
            )
        )
        open_depth = block.depth
        depths.append(block.depth)
    if found and found[-1].end < 0:
        found[-1].end = len(page.blocks)
    return found


def numbered_units(page: Page) -> list[Unit]:
    """Numbered headings below a section that is named like a plan (`## Implementation`, `### 1. Parser`)."""
    found: list[Unit] = []
    section = 0
    level = 0
    for index, block in enumerate(page.blocks):
        if block.kind is not Kind.HEADING or block.quote:
            continue
        if found and found[-1].end < 0 and block.level <= level:
            found[-1].end = index
        match = _NUMBERED.match(block.text.strip())
        if match and section and block.level > section and (not level or block.level == level):
            level = block.level
            found.append(Unit(index, -1, match.group("id"), f"Step {match.group('id')}", match.group("title").strip()))
            continue
        if match is None and _PLAN_SECTION.search(block.text) and block.level > 1:
            section = block.level
        elif section and block.level <= section:
            section = 0
    if found and found[-1].end < 0:
        found[-1].end = len(page.blocks)
    return found if len(found) > 1 else []


def listed_units(page: Page) -> list[Unit]:
    """The items of the one numbered list that stands below a heading such as `Steps` or `Implementation plan`."""
    lists: list[list[int]] = []
    inside = False
    for index, block in enumerate(page.blocks):
        if block.kind is Kind.HEADING and not block.quote:
            inside = bool(_STEPS_SECTION.match(block.text.strip()))
            if inside:
                lists.append([])
        elif inside and block.kind is Kind.TEXT and block.item and block.ordered and block.depth == 1:
            lists[-1].append(index)
    lists = [each for each in lists if each]
    if len(lists) != 1 or len(lists[0]) < 2:
        return []
    starts = lists[0]
    found: list[Unit] = []
    for number, start in enumerate(starts, 1):
        end = start + 1
        while (
            end < len(page.blocks)
            and page.blocks[end].depth
            and end != (starts[number] if number < len(starts) else -1)
        ):
            end += 1
        title = page.blocks[start].text.strip().split("\n", 1)[0].strip(" *:—–-")[:300]
        found.append(Unit(start, end, str(number), f"Step {number}", title))
    return found


def read(document: Document, page: Page, *, checklist: bool = False, tasks: bool = True) -> Parts:
    """`checklist`: the format's unit is the checkbox (spec-kit, OpenSpec, Kiro); `tasks`: false for a companion."""
    if not tasks:
        return assemble(document, page, [])
    found: list[Unit] = []
    if checklist:
        found = checklist_units(page)
    if not found:
        found = (
            superpowers.units(page)
            or boxed_units(page)
            or heading_units(page)
            or checklist_units(page)
            or numbered_units(page)
        )
    parts = assemble(document, page, found or listed_units(page))
    parts.requirements = traced.requirements(document, page)
    return parts
