"""Plans whose unit is a heading `Task N` with a **Files:** block: Superpowers writing-plans, and lets plans."""

from __future__ import annotations

import re

from bot.core.plans import traced
from bot.core.plans.assembly import Parts, Unit, assemble
from bot.core.plans.markdown import Kind, Page
from bot.core.plans.model import Document, TaskStatus

TASK = re.compile(
    r"^\W{0,6}(?:\[[ xX]\]\s*)?Task\s+#?(?P<id>[A-Z]{0,3}-?\d+(?:[.-]\d+)*[a-zA-Z]?|[A-Z]\d*)(?![\w.]*\w)\s*"
    r"(?P<mark>(?:\([^()]{0,40}\)\s*)?)(?:[:：.—–-]+\s*|$|(?=\())(?P<title>.*)",
    re.S,
)
_DONE = re.compile(r"(?i)\s*\[\s*(?:done|completed?|x)\s*\]\s*|\s*✅\s*(?:done|completed?)?")


def units(page: Page) -> list[Unit]:
    """The tasks of `page`: headings of any level, up to the next heading that is no deeper."""
    found: list[Unit] = []
    levels: list[int] = []
    open_level = 0
    for index, block in enumerate(page.blocks):
        if block.kind is not Kind.HEADING or block.quote:
            continue
        match = TASK.match(block.text.strip())
        if found and found[-1].end < 0 and (match is not None or block.level <= open_level):
            found[-1].end = index
        if match is None:
            continue
        title = match.group("title").strip()
        done = bool(_DONE.search(block.text))
        title = _DONE.sub(" ", title).strip()
        identifier = match.group("id")
        found.append(Unit(index, -1, identifier, f"Task {identifier}", title, TaskStatus.DONE if done else None))
        open_level = block.level
        levels.append(block.level)
    if found and found[-1].end < 0:
        found[-1].end = len(page.blocks)
    return found


def read(document: Document, page: Page) -> Parts:
    parts = assemble(document, page, units(page))
    parts.requirements = traced.requirements(document, page)
    return parts
