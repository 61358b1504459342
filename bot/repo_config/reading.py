"""Reading `.github/planproof.yml`: a valid configuration, or every error with its line and what would be right."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic import ValidationError

from bot.core import plain_yaml
from bot.core.globs import expand_braces
from bot.core.verify.finding import RULES
from bot.repo_config.lines import Lines, Remark, find_lines, named
from bot.repo_config.wording import explain
from schemas.repo_config import CONFIG_PATH, MAX_PATTERN, MAX_PATTERNS, RepoConfig

__all__ = ["CONFIG_PATH", "MAX_BYTES", "MAX_ERRORS", "Parsed", "Remark", "parse", "unread"]

MAX_BYTES = 64 * 1024
MAX_DEPTH = 8
MAX_NODES = 2_000
MAX_ERRORS = 20
MAX_WRITTEN_OUT = 25_000
"""Characters of all patterns with their alternatives written out."""
WITHOUT_EFFECT = ("repair", "model", "budgets")
"""Keys that are read, and change nothing in this version."""
# a mirror of a repository is fetched without contents of a megabyte and more
_TOO_LARGE_THERE = ("too large", "its content is not in this clone")
_TOO_LARGE = f"the file is too large; at most {MAX_BYTES:,} bytes are read"


@dataclass(frozen=True, slots=True)
class Parsed:
    """`config` is None exactly when `errors`, by line, is not empty. `notes` are no errors: keys without effect."""

    config: RepoConfig | None
    errors: tuple[Remark, ...] = ()
    notes: tuple[Remark, ...] = ()


def parse(raw: bytes | None) -> Parsed:
    """Read the file's bytes; None (no such file) and an empty file are the defaults. Never raises on any input.

    At most MAX_ERRORS errors are given, the first ones of the file.
    """
    if raw is None:
        return Parsed(RepoConfig())
    if len(raw) > MAX_BYTES:
        return _failed(1, _TOO_LARGE)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _failed(raw.count(b"\n", 0, error.start) + 1, "the file is not UTF-8")
    try:
        value = plain_yaml.read(text, max_depth=MAX_DEPTH, max_nodes=MAX_NODES)
    except plain_yaml.YamlError as error:
        return _not_yaml(str(error), text.count("\n") + 1)
    lines = find_lines(text)
    if isinstance(value, dict):
        return _validate(value, lines)
    if value is None and not lines.problems:
        return Parsed(RepoConfig())
    if value is None:
        return Parsed(None, tuple(lines.problems[:MAX_ERRORS]))
    return _failed(1, "expected keys and values, such as `plans:` with a list below it")


def unread(reason: str) -> Parsed:
    """What is wrong with a file that is there and whose bytes cannot be had: `reason` is `bot.core.tree`'s."""
    return _failed(1, _TOO_LARGE if reason.startswith(_TOO_LARGE_THERE) else f"the file cannot be read: {reason}")


def _validate(values: dict[str, plain_yaml.Value], lines: Lines) -> Parsed:
    errors = list(lines.problems)
    config: RepoConfig | None = None
    # to be asked for what is wrong with the others, too
    given = {key: value for key, value in values.items() if value is not None or key not in RepoConfig.model_fields}
    for key in values:
        if key not in given:
            errors.append(Remark(lines.of((key,)), f"`{key}` has no value; give it one or delete it"))
    try:
        config = RepoConfig.model_validate(given)
    except ValidationError as error:
        errors += explain(error.errors(include_url=False), lines)
    errors += _unusable(given.get("plans"), lines)
    if errors or config is None:
        return Parsed(None, tuple(sorted(errors, key=lambda error: error.line)[:MAX_ERRORS]))
    notes = [
        Remark(lines.of((key,)), f"`{key}` has no effect in this version")
        for key in WITHOUT_EFFECT
        if key in config.model_fields_set
    ]
    for key, types in (("severity", config.severity), ("gate", config.gate)):
        for type_ in types if isinstance(types, dict) else ():
            if not RULES[type_].gates:
                path = (key, type_.value)
                without = f"{named(path)} has no effect: {type_.value} never holds a plan back"
                notes.append(Remark(lines.of(path), without))
    return Parsed(config, notes=tuple(sorted(notes, key=lambda note: note.line)))


def _unusable(patterns: plain_yaml.Value, lines: Lines) -> list[Remark]:
    """Patterns that would never match, or take long to compile, because they have too many alternatives."""
    if not isinstance(patterns, list):
        return []
    errors = []
    characters = 0
    for at, pattern in enumerate(patterns[:MAX_PATTERNS]):
        if not isinstance(pattern, str) or len(pattern) > MAX_PATTERN:
            continue
        alternatives = expand_braces(pattern)
        characters += sum(map(len, alternatives))
        if not alternatives or characters > MAX_WRITTEN_OUT:
            path = ("plans", at)
            errors.append(Remark(lines.of(path), f"{named(path)}: expected fewer alternatives in braces"))
            break
    return errors


def _not_yaml(message: str, last: int) -> Parsed:
    if "expected alphabetic or numeric character" in message:
        message += "; a pattern that begins with `*` needs quotes around it"
    found = re.fullmatch(r"line (\d{1,9}): (.*)", message, re.DOTALL)
    if found is None:
        return _failed(1, f"not valid YAML: {message}")
    return _failed(min(int(found[1]), last), f"not valid YAML: {found[2]}")


def _failed(line: int, message: str) -> Parsed:
    return Parsed(None, (Remark(line, message),))
