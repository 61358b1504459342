"""YAML read as plain text values: every scalar a string, a null None; nothing resolved, nothing constructed.

Indexes and front matter are other people's files. Building from parser events keeps three things out that a general
loader brings in: dates and numbers that were meant as text, merge keys and aliases that blow up, and deep recursion.
It is also about twice as fast as building nodes first.
"""

from __future__ import annotations

import gc
from typing import TypeAlias

import yaml
from yaml import events

Value: TypeAlias = "str | list[Value] | dict[str, Value] | None"

MAX_DEPTH = 64
MAX_NODES = 2_000_000

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


class YamlError(ValueError):
    """The text cannot be read; the message says where and why, in one line."""


def read(text: str, *, max_depth: int = MAX_DEPTH, max_nodes: int = MAX_NODES) -> Value:
    """The first document of `text`. An alias is the same object as its anchor, never a copy.

    Raises YamlError for broken YAML, nesting deeper than `max_depth` levels, or more than `max_nodes` values.
    """
    # a large index makes hundreds of thousands of small objects, none of them garbage: collections only cost time
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _build(text, max_depth, max_nodes)
    except yaml.YAMLError as error:
        raise YamlError(_one_line(error)) from None
    except (ValueError, RecursionError, UnicodeError) as error:
        if isinstance(error, YamlError):
            raise
        raise YamlError(str(error) or type(error).__name__) from None
    finally:
        if collecting:
            gc.enable()


def _one_line(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None) or str(error).split("\n", 1)[0] or "not YAML"
    mark = getattr(error, "problem_mark", None)
    return f"line {mark.line + 1}: {problem}" if mark is not None else str(problem)


class _Open:
    """A collection being filled. `key` waits for its value."""

    __slots__ = ("anchor", "has_key", "key", "value")

    def __init__(self, value: list[Value] | dict[str, Value], anchor: str | None) -> None:
        self.value = value
        self.anchor = anchor
        self.key: Value = None
        self.has_key = False

    def add(self, item: Value) -> int:
        """Put `item` in; the number of values that a merge key copied."""
        if isinstance(self.value, list):
            self.value.append(item)
            return 0
        if not self.has_key:
            self.key, self.has_key = item, True
            return 0
        self.has_key = False
        if self.key == "<<":
            return self._merge(self.value, item)
        if isinstance(self.key, str):
            self.value[self.key] = item
        return 0

    @staticmethod
    def _merge(into: dict[str, Value], item: Value) -> int:
        copied = 0
        for source in item if isinstance(item, list) else [item]:
            if isinstance(source, dict):
                copied += len(source)
                for key, value in source.items():
                    into.setdefault(key, value)
        return copied


def _build(text: str, max_depth: int, max_nodes: int) -> Value:
    anchors: dict[str, Value] = {}
    stack: list[_Open] = []
    root: Value = None
    nodes = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, events.ScalarEvent):
            item: Value = None if event.implicit[0] and event.value in _NULLS else event.value
            if event.anchor:
                anchors[event.anchor] = item
        elif isinstance(event, events.CollectionStartEvent):
            if len(stack) >= max_depth:
                raise YamlError(f"nested deeper than {max_depth} levels")
            stack.append(_Open({} if isinstance(event, events.MappingStartEvent) else [], event.anchor))
            continue
        elif isinstance(event, events.CollectionEndEvent):
            done = stack.pop()
            item = done.value
            # known only once it is complete, so nothing can contain itself
            if done.anchor:
                anchors[done.anchor] = item
        elif isinstance(event, events.AliasEvent):
            item = anchors.get(event.anchor or "")
        elif isinstance(event, events.DocumentEndEvent):
            return root
        else:
            continue
        nodes += 1
        if stack:
            nodes += stack[-1].add(item)
        else:
            root = item
        if nodes > max_nodes:
            raise YamlError(f"more than {max_nodes:,} values")
    return root
