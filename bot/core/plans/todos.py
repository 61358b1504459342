"""Cursor plan files: a front matter of `name`, `overview` and `todos`, above free Markdown.

The to-do list is the plan's list of tasks: `id`, `content`, `status` (pending, in_progress, completed, cancelled) and,
in older files, `dependencies`. What the text below says belongs to the plan as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from bot.core.plans.assembly import MAX_FRONT_MATTER, Parts, Unit, assemble
from bot.core.plans.markdown import Kind, read
from bot.core.plans.model import Document, TaskStatus

MAX_TODOS = 1000

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same marks, ten times as fast, where libyaml is there

_STATUS = {
    "pending": TaskStatus.TODO,
    "todo": TaskStatus.TODO,
    "in_progress": TaskStatus.IN_PROGRESS,
    "in-progress": TaskStatus.IN_PROGRESS,
    "completed": TaskStatus.DONE,
    "complete": TaskStatus.DONE,
    "done": TaskStatus.DONE,
    "cancelled": TaskStatus.CANCELLED,
    "canceled": TaskStatus.CANCELLED,
}


@dataclass(frozen=True, slots=True)
class Todo:
    """One entry; `line` is the document line (1-based) on which its content begins, `listed_at` the first
    and the last line of its dependencies."""

    id: str
    content: str
    status: TaskStatus
    line: int
    dependencies: tuple[str, ...] = ()
    listed_at: tuple[int, int] | None = None


def has_todos(meta: dict[str, object] | None) -> bool:
    """Whether a front matter holds a to-do list with something in it."""
    listed = meta.get("todos") if meta else None
    return isinstance(listed, list) and any(
        isinstance(each, dict) and isinstance(each.get("content"), str) and each["content"].strip() for each in listed
    )


def todos(text: str) -> tuple[Todo, ...]:
    """The entries of the front matter that opens the normalised `text`."""
    return tuple(_todos(text))


def _todos(text: str) -> Iterator[Todo]:
    end = text.find("\n---", 3, MAX_FRONT_MATTER)
    if not text.startswith("---\n") or end < 0:
        return
    try:
        root = yaml.compose(text[4 : end + 1], Loader=_LOADER)
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, AttributeError):
        return
    listed = _mapping(root).get("todos")
    if not isinstance(listed, yaml.SequenceNode):
        return
    for number, node in enumerate(listed.value[:MAX_TODOS], 1):
        fields = _mapping(node)
        content = fields.get("content")
        if not isinstance(content, yaml.ScalarNode) or not content.value.strip():
            continue
        status = _scalar(fields.get("status")).lower()
        waits = fields.get("dependencies")
        yield Todo(
            _scalar(fields.get("id")) or f"#{number}",
            content.value,
            _STATUS.get(status, TaskStatus.TODO),
            # a mark counts from 0, and the document has the `---` above it; a block scalar begins below its mark
            content.start_mark.line + (3 if content.style in ("|", ">") else 2),
            tuple(_scalar(each) for each in waits.value if _scalar(each))
            if isinstance(waits, yaml.SequenceNode)
            else (),
            (waits.value[0].start_mark.line + 2, waits.value[-1].start_mark.line + 2)
            if isinstance(waits, yaml.SequenceNode) and waits.value
            else None,
        )


def _mapping(node: yaml.Node | None) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}


def _scalar(node: yaml.Node | None) -> str:
    return node.value.strip()[:200] if isinstance(node, yaml.ScalarNode) else ""


def parts(document: Document, entries: tuple[Todo, ...], overview: str | None) -> Parts:
    """The tasks of the to-do list and what the text below it holds.

    The entries are read as the checklist they are: in their lines stands, for the reader, a list item of each.
    """
    lines = document.text.split("\n")
    closing = next((n for n, line in enumerate(lines) if n and line.startswith("---")), 0)
    lines[: closing + 1] = [""] * (closing + 1)
    by_line: dict[int, Todo] = {}
    for entry in entries:
        line = min(entry.line, closing)
        if line > 0 and line not in by_line:
            by_line[line] = entry
            box = "x" if entry.status is TaskStatus.DONE else " "
            lines[line - 1] = f"- [{box}] " + " ".join(entry.content.split())
    page = read("\n".join(lines))
    units = []
    for index, block in enumerate(page.blocks):
        listed = by_line.get(block.first) if block.kind is Kind.TEXT and block.item else None
        if listed is not None:
            title = " ".join(listed.content.split())[:300]
            units.append(
                Unit(
                    index,
                    index + 1,
                    listed.id,
                    f"todo {listed.id}",
                    title,
                    listed.status,
                    depends_on=listed.dependencies,
                    depends_at=listed.listed_at,
                )
            )
    found = assemble(document, page, units)
    found.goal = found.goal or (overview.strip()[:2000] or None if overview else None)
    return found
