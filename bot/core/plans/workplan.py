"""reuse-surface workplans: front matter `type: workplan`, headings each followed by a fenced `task` block of YAML."""

from __future__ import annotations

import re

import yaml

from bot.core.plans import generic
from bot.core.plans.assembly import Parts, Unit, assemble
from bot.core.plans.markdown import Block, Kind, Page
from bot.core.plans.model import Document, TaskStatus

_STATUS = {
    "wait": TaskStatus.TODO,
    "todo": TaskStatus.TODO,
    "blocked": TaskStatus.TODO,
    "progress": TaskStatus.IN_PROGRESS,
    "in_progress": TaskStatus.IN_PROGRESS,
    "in-progress": TaskStatus.IN_PROGRESS,
    "active": TaskStatus.IN_PROGRESS,
    "done": TaskStatus.DONE,
    "completed": TaskStatus.DONE,
    "finished": TaskStatus.DONE,
    "cancel": TaskStatus.CANCELLED,
    "cancelled": TaskStatus.CANCELLED,
    "canceled": TaskStatus.CANCELLED,
}
MAX_BLOCK = 8192  # characters of one task block


def is_task(block: Block) -> bool:
    return block.kind is Kind.FENCE and block.info.strip().split(" ")[0] == "task"


def _fields(body: str) -> dict[str, object]:
    """The block's mapping; where it is not YAML, its `key: value` lines."""
    body = body[:MAX_BLOCK]
    try:
        found = yaml.safe_load(body) if body.count("[") + body.count("{") < 100 else None
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, AttributeError, KeyError, OverflowError):
        found = None
    if isinstance(found, dict):
        return {str(key): value for key, value in found.items()}
    return {m.group(1): m.group(2).strip() for m in re.finditer(r"(?m)^[ \t]*([A-Za-z_]\w*):[ \t]*(.*)$", body)}


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part for part in re.split(r"[,\s]+", value.strip("[]")) if part)
    if isinstance(value, list):
        return tuple(str(part) for part in value if isinstance(part, str | int))
    return ()


def units(page: Page) -> list[Unit]:
    """One task a `task` fence: from its heading (or from the fence, for a second one below the same heading)."""
    found: list[Unit] = []
    heading: int | None = None
    level = 0
    for index, block in enumerate(page.blocks):
        if block.kind is Kind.HEADING:
            if found and found[-1].end < 0 and block.level <= level:
                found[-1].end = index
            heading = index
            continue
        if not is_task(block):
            continue
        values = _fields(block.body)
        identifier = str(values.get("id") or "").strip()
        first = index
        title = str(values.get("title") or "").strip()
        if heading is not None:
            head = page.blocks[heading]
            first, level = heading, head.level
            title = title or head.text.strip()
            heading = None
        if found and found[-1].end < 0:
            found[-1].end = first
        coded = re.match(r"^\W{0,4}(T\d{1,3}[a-z]?)\b\s*[:.—–-]*\s*(.*)", title, re.S)
        short = coded.group(1) if coded else (identifier.rsplit("-", 1)[-1] if identifier else f"#{len(found) + 1}")
        found.append(
            Unit(
                first,
                -1,
                identifier or short,
                short,
                coded.group(2).strip() if coded else title,
                _STATUS.get(str(values.get("status") or "").strip().lower()),
                optional=str(values.get("priority") or "").lower() == "optional",
                depends_on=_names(values.get("depends_on") or values.get("dependencies") or values.get("blocked_by")),
            )
        )
    if found and found[-1].end < 0:
        found[-1].end = len(page.blocks)
    return found


def read(document: Document, page: Page) -> Parts:
    found = units(page)
    return assemble(document, page, found) if found else generic.read(document, page)
