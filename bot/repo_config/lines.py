"""Where each key of a YAML file stands, and what a reader of values alone passes over without a word."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml import events

Path = tuple[str | int, ...]
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to say of a line (1-based) of the file."""

    line: int
    message: str


@dataclass(slots=True)
class Lines:
    """`at` has the line of each key and list entry, by its path from the root; `problems` are keys that stand twice or
    are no text, and a second document."""

    at: dict[Path, int] = field(default_factory=dict)
    problems: list[Remark] = field(default_factory=list)

    def of(self, path: Sequence[str | int]) -> int:
        """The line of `path`, else of the nearest part above it that has one; what came by an alias has none."""
        for end in range(len(path), 0, -1):
            line = self.at.get(tuple(path[:end]))
            if line is not None:
                return line
        return 1


@dataclass(slots=True)
class _Level:
    path: Path
    mapping: bool
    count: int = 0
    key: str | int | None = None


def find_lines(text: str) -> Lines:
    """The lines of the first document of `text`, which has been read as YAML and found to be of bounded size."""
    walk = _Walk(text)
    try:
        walk.document()
    except yaml.YAMLError as error:
        line = walk.line(getattr(error, "problem_mark", None))
        walk.lines.problems.append(Remark(line, "not valid YAML after the end of the first document"))
    return walk.lines


class _Walk:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = Lines()
        self.ends = [index for index, char in enumerate(text) if char == "\n"]
        self.stack: list[_Level] = []

    def document(self) -> None:
        documents = 0
        for event in yaml.parse(self.text, Loader=_LOADER):
            if isinstance(event, events.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.problem(event, "a second document begins here; only one is read")
                    return
            elif isinstance(event, events.CollectionEndEvent):
                self.stack.pop()
            elif isinstance(event, events.NodeEvent):
                path = self.place(event)
                if isinstance(event, events.CollectionStartEvent):
                    self.stack.append(_Level(path, isinstance(event, events.MappingStartEvent)))

    def place(self, event: events.NodeEvent) -> Path:
        """The path of the node that begins here."""
        if not self.stack:
            return ()
        level = self.stack[-1]
        if level.mapping and level.key is None:
            level.key = self.key(level, event)
            return (*level.path, level.key)
        if level.mapping and level.key is not None:
            path, level.key = (*level.path, level.key), None
            return path
        path = (*level.path, level.count)
        level.count += 1
        self.lines.at[path] = self.line(event.start_mark)
        return path

    def key(self, level: _Level, event: events.NodeEvent) -> str | int:
        if not isinstance(event, events.ScalarEvent) or (event.implicit[0] and event.value in _NULLS):
            self.problem(event, "a key has to be plain text")
            level.count -= 1
            return level.count
        path = (*level.path, event.value)
        first = self.lines.at.get(path)
        if first is not None:
            self.problem(event, f"{named(path)} stands twice; the first is on line {first}")
        # the last one is the one whose value is read
        self.lines.at[path] = self.line(event.start_mark)
        return str(event.value)

    def line(self, mark: Any) -> int:
        # YAML ends a line at some characters at which GitHub does not
        return bisect_left(self.ends, min(mark.index, len(self.text) - 1)) + 1 if mark is not None else 1

    def problem(self, event: events.Event, message: str) -> None:
        self.lines.problems.append(Remark(self.line(event.start_mark), message))


def named(path: Sequence[str | int]) -> str:
    """A path for people: `severity.missing_path`, or `plans` entry 2."""
    keys = ".".join(_clean(str(part)) for part in path if isinstance(part, str))
    entry = next((part for part in path if isinstance(part, int)), None)
    return f"`{keys}`" + (f" entry {entry + 1}" if entry is not None else "")


def _clean(key: str) -> str:
    return " ".join(key[:200].split()).replace("`", "'")[:80]
