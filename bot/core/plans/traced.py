"""The numbered requirements that a plan lists itself, for its tasks to name: `- R1. …` below a `Requirements` heading.

Only ids of the form `R1`, `R4a` are taken: a bare number in such a section may be anything.
"""

from __future__ import annotations

import re

from bot.core.plans.markdown import Block, Kind, Page
from bot.core.plans.model import Document, Requirement, Span

MAX_REQUIREMENTS = 1000
MAX_TEXT = 600  # characters that are kept of one

_SECTION = re.compile(
    r"(?i)^\W{0,6}(?:\d+(?:\.\d+)*[.)]?\s+)?(?:(?:product|functional|key|core|origin)\s+)?requirements?"
    r"(?:\s+(?:trace(?:ability)?|summary|list|matrix))?\W*$"
)
_ITEM = re.compile(
    r"^\W{0,4}(?P<id>R\d{1,3}[a-z]?)(?:[*_`]{0,3}[.:)]|[*_`]{1,3}\s|\s+[—–-]\s)[\s*_`:]*(?P<text>\S.*)", re.S
)


def requirements(document: Document, page: Page) -> list[Requirement]:
    """In the order of the document; of an id that is given twice the first."""
    found: dict[str, Requirement] = {}
    level = 0
    for block in page.blocks:
        if block.quote:
            continue
        if block.kind is Kind.HEADING:
            if level and block.level <= level:
                level = 0
            if not level and _SECTION.match(block.text):
                level = block.level
            continue
        if level and len(found) < MAX_REQUIREMENTS:
            for name, text, span in _items(document, block):
                found.setdefault(name, Requirement(name, text, span))
    return list(found.values())


def _items(document: Document, block: Block) -> list[tuple[str, str, Span]]:
    span = Span(document.path, block.first, block.last)
    if block.kind is Kind.ROW and len(block.cells) > 1:
        name = re.fullmatch(r"\W{0,4}(R\d{1,3}[a-z]?)\W{0,4}", block.cells[0].text)
        text = " ".join(block.cells[1].text.split())
        return [(name.group(1), text[:MAX_TEXT], span)] if name and text else []
    if block.kind is not Kind.TEXT:
        return []
    if block.item or "\nR" not in block.text:
        match = _ITEM.match(block.text[:4000])
        return [(match.group("id"), " ".join(match.group("text").split())[:MAX_TEXT], span)] if match else []
    out = []
    offset = 0
    for line in block.text.split("\n"):
        match = _ITEM.match(line[:4000])
        if match:
            number = block.inline.line(offset)
            out.append((match.group("id"), match.group("text").strip()[:MAX_TEXT], Span(document.path, number, number)))
        offset += len(line) + 1
    return out
