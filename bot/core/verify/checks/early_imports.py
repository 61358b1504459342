"""Go files whose task cannot compile yet: an import that only the code of a later task uses.

Go refuses a file with an unused import. Only packages of the standard library are judged, because the last part of
their path is certain to be their name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.plans.model import Snippet, Span, TaskStatus
from bot.core.verify import evidence
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.TASK_ORDER

_FILE = re.compile(r"\s*(?://[^\n]*\n\s*)*package\s+\w+\s*\n")
_BLOCK = re.compile(r"(?ms)^import\s*\(\s*\n(?P<body>.*?)^\)|^import\s+(?P<one>\"[^\"\n]+\")")
_IMPORT = re.compile(r"(?m)^[ \t]*\"(?P<path>[a-z][a-z0-9/]*)\"[ \t]*(?://[^\n]*)?$")
_SKETCH = re.compile(r"(?i)\b(?:example|pattern|sketch|outline|roughly|pseudo)")
_ELIDED = re.compile(r"(?m)^\s*(?:\.\.\.|//\s*(?:\.\.\.|…|rest of|existing|unchanged|as before))")


def find(world: World) -> Iterator[Draft]:
    """One draft for each file of a task, at its first import that comes too early."""
    for snippet in world.plan.snippets:
        if snippet.language not in ("go", "golang") or not _FILE.match(snippet.text):
            continue
        if _ELIDED.search(snippet.text) or _SKETCH.search(snippet.announced):
            continue
        position, task = world.task_at(snippet.span)
        if task is None or task.status is TaskStatus.DONE:
            continue
        early = [(name, at) for name, at in _unused(snippet) if not _used_within(world, snippet, position, name)]
        later = [
            (name, at, other) for name, at in early if (other := _user(world, snippet, position, name)) is not None
        ]
        if not later:
            continue
        name, at, user = later[0]
        line = snippet.span.first + snippet.text.count("\n", 0, at)
        names = ", ".join(f"`{each}`" for each, _, _ in later)
        label = world.plan.tasks[world.task_at(user.span)[0]].label
        yield Draft(
            TYPE,
            Weight.BREAKS,
            Span(snippet.span.path, line, line),
            name,
            f"{names} imported here and used only by {label}: until then the file does not compile",
            evidence.planned(world.plan, user.span, f"{name}."),
            task=task,
            raw=f'"{name}"' if f'"{name}"' in snippet.text else name,
        )


def _unused(snippet: Snippet) -> Iterator[tuple[str, int]]:
    """The imported packages that the code does not use, and where they stand in it."""
    for block in _BLOCK.finditer(snippet.text):
        body, start = (
            (block.group("body"), block.start("body"))
            if block.group("body") is not None
            else (
                block.group("one"),
                block.start("one"),
            )
        )
        rest = snippet.text[block.end() :]
        for each in _IMPORT.finditer(body):
            name = _name(each.group("path"))
            if not re.search(rf"(?<![\w.]){re.escape(name)}\.", rest):
                yield name, start + each.start("path")


def _name(path: str) -> str:
    parts = path.split("/")
    return parts[-2] if re.fullmatch(r"v\d+", parts[-1]) and len(parts) > 1 else parts[-1]


def _used_within(world: World, snippet: Snippet, position: int, name: str) -> bool:
    """Whether another piece of code of the same task uses it: it may go into the same file."""
    return any(
        other is not snippet and world.task_at(other.span)[0] == position and f"{name}." in other.text
        for other in world.plan.snippets
    )


def _user(world: World, snippet: Snippet, position: int, name: str) -> Snippet | None:
    """The code of a later task for the same file that uses the package."""
    for other in world.plan.snippets:
        at, _ = world.task_at(other.span)
        same = other.path is not None and other.path == (snippet.path or snippet.near)
        if at > position and same and re.search(rf"(?<![\w.]){re.escape(name)}\.", other.text):
            return other
    return None
