"""lets plans: a head of labels (`**Task:** id`, `**Date:**`, `**Goal:**`, `**Approach:**`, one a line) above headings
`Task N` as Superpowers has them, each with a `**Verify:**` part; a finished task's heading ends in `[DONE]`.
"""

from __future__ import annotations

import re

from bot.core.plans import generic, superpowers
from bot.core.plans.assembly import Parts, assemble
from bot.core.plans.markdown import Kind, Page
from bot.core.plans.model import Document

_LABEL = re.compile(r"^\W{0,4}(?P<name>Task|Date|Goal|Approach)[\s*_]*:[\s*_]*(?P<value>\S[^\n]{0,2000})", re.I)


def header(page: Page) -> dict[str, object]:
    """The labels above the first section, by lower-case name: `task` is the id of what the plan is for."""
    found: dict[str, object] = {}
    for block in page.blocks:
        if block.kind is Kind.HEADING and block.level > 1:
            break
        if block.kind is not Kind.TEXT or block.quote:
            continue
        for line in block.text.split("\n"):
            match = _LABEL.match(line)
            if match:
                found.setdefault(match.group("name").lower(), match.group("value").strip(" *_`"))
    return found


def read(document: Document, page: Page) -> Parts:
    units = superpowers.units(page)
    parts = assemble(document, page, units) if units else generic.read(document, page)
    goal = header(page).get("goal")
    if isinstance(goal, str):
        parts.goal = goal  # a line of its own, where the paragraph holds the other labels too
    return parts
