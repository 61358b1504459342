"""The `.gitignore` files of a tree, as git reads them (gitignore(5)), on paths that need not exist."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from bot.core.globs import MAX_PATTERN, path_regex

MAX_RULES = 2000
# of one tree: far more than the rules of an honest one take
MAX_MATCHES = 1_000_000


@dataclass(frozen=True, slots=True)
class Rule:
    regex: re.Pattern[str]
    negated: bool
    directories_only: bool


class Ignore:
    """`read(path)` gives the text of a file of the tree, or None; each `.gitignore` is asked for once.

    Once rules have been tried `max_matches` times, no further path counts as ignored.
    """

    def __init__(self, read: Callable[[str], str | None], *, max_matches: int = MAX_MATCHES) -> None:
        self._read = read
        self._left = max_matches
        self._rules: dict[str, tuple[Rule, ...]] = {}
        self._directories: dict[str, bool] = {}

    def ignored(self, path: str, *, directory: bool = False) -> bool:
        """Whether git would leave `path` out. What lies in an ignored directory is ignored, whatever comes later."""
        parts = path.split("/")
        if any(self._directory(parts[:depth]) for depth in range(1, len(parts))):
            return True
        return self._directory(parts) if directory else self._matches(parts, False)

    def _directory(self, parts: list[str]) -> bool:
        path = "/".join(parts)
        if path not in self._directories:
            self._directories[path] = self._matches(parts, True)
        return self._directories[path]

    def _matches(self, parts: list[str], directory: bool) -> bool:
        for depth in range(len(parts) - 1, -1, -1):
            rules = self._of("/".join(parts[:depth]))
            if not rules:
                continue
            self._left -= len(rules)
            if self._left < 0:
                return False
            rest = "/".join(parts[depth:])
            for rule in reversed(rules):
                if (directory or not rule.directories_only) and rule.regex.fullmatch(rest):
                    return not rule.negated
        return False

    def _of(self, folder: str) -> tuple[Rule, ...]:
        if folder not in self._rules:
            text = self._read(f"{folder}/.gitignore" if folder else ".gitignore")
            self._rules[folder] = parse(text) if text else ()
        return self._rules[folder]


@lru_cache(maxsize=64)
def parse(text: str) -> tuple[Rule, ...]:
    """The rules of one file, in order; lines beyond the limits are left out."""
    rules: list[Rule] = []
    for line in text.split("\n")[:MAX_RULES]:
        rule = _rule(line.rstrip("\r"))
        if rule is not None:
            rules.append(rule)
    return tuple(rules)


def _rule(line: str) -> Rule | None:
    if line.startswith("#") or len(line) > MAX_PATTERN:
        return None
    pattern = line.rstrip(" ")
    if pattern.endswith("\\") and len(pattern) < len(line):
        pattern += " "
    negated = pattern.startswith("!")
    pattern = pattern.removeprefix("!")
    directories_only = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    anchored = "/" in pattern
    segments = pattern.removeprefix("/").split("/")
    if not pattern or not all(segments):
        return None
    if not anchored:
        segments.insert(0, "**")
    return Rule(re.compile(path_regex(segments, classes=True), re.DOTALL), negated, directories_only)
