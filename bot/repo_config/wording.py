"""What is wrong with a configuration, in plain words: what stands there, what would be right, what it is nearest to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from pydantic_core import ErrorDetails

from bot.core.nearest import nearest_word
from bot.repo_config.lines import Lines, Path, Remark, named
from schemas.repo_config import RepoConfig

# a key that may be one thing or another has the one it was taken for in the place of its error
_TAGS = frozenset({"one", "map"})
_TYPES = frozenset({"bool_parsing", "bool_type", "dict_type", "string_type", "tuple_type"})
_SHAPES = MappingProxyType(
    {
        "plans": 'a list of patterns, such as ["docs/plans/**"]',
        "gate": "true or false, or such a value for each of some finding types",
        "severity": "a severity for each of some finding types, such as {scope_gap: minor}",
        "label": "a name",
        "index": "a path",
        "budgets": "a number of tokens for any of run, pull, repository and day, such as {run: 50000}",
        "apps": "a list of the numeric ids of Apps, such as [12345]",
        "ignore": "a list of ids of findings, such as [f-3a91c2]",
    }
)


def explain(problems: Sequence[ErrorDetails], lines: Lines) -> list[Remark]:
    """A remark for each problem that the model has with a file's values, in the model's order."""
    unknown = {problem["loc"][:-1] for problem in problems if problem["loc"][-1:] == ("[key]",)}
    remarks = []
    for problem in problems:
        if problem["loc"] in unknown:
            continue  # the value of a key that is not one
        path = _path(problem)
        if problem["loc"][-1:] == ("[key]",):
            remarks.append(unknown_key(path, _allowed(problem), lines))
        elif problem["type"] == "extra_forbidden":
            remarks.append(unknown_key(path, sorted(RepoConfig.model_fields), lines))
        else:
            remarks.append(Remark(lines.of(path), f"{named(path)}: {_expected(problem, path)}"))
    return remarks


def unknown_key(path: Path, allowed: Sequence[str], lines: Lines) -> Remark:
    hint = _nearest(str(path[-1]), allowed)
    return Remark(lines.of(path), f"{named(path)} is not a key here{hint}. Allowed: {', '.join(allowed)}")


def _path(problem: ErrorDetails) -> Path:
    loc = problem["loc"]
    if loc[-1:] == ("[key]",):
        loc = loc[:-1]
    return loc[:1] + loc[2:] if loc[:1] == ("gate",) and loc[1:2] and loc[1] in _TAGS else loc


def _expected(problem: ErrorDetails, path: Path) -> str:
    kind = problem["type"]
    limits: dict[str, Any] = problem.get("ctx", {})
    if kind in _TYPES and len(path) == 1 and path[0] in _SHAPES:
        return f"expected {_SHAPES[str(path[0])]}"
    if kind in ("enum", "literal_error"):
        allowed = _allowed(problem)
        given = problem["input"]
        return f"expected one of {', '.join(allowed)}" + (_nearest(given, allowed) if isinstance(given, str) else "")
    if kind.startswith("bool"):
        return "expected true or false"
    if kind.startswith("int") or kind == "greater_than":
        return "expected a whole number above 0"
    if kind == "less_than_equal":
        return f"expected at most {limits['le']:,}"
    if kind == "string_type":
        return "expected text"
    if kind == "string_too_short":
        return "expected at least 1 character"
    if kind == "string_too_long":
        return f"expected at most {limits['max_length']} characters"
    if kind == "too_long":
        return f"expected at most {limits['max_length']:,} entries"
    if kind == "string_pattern_mismatch":
        return "expected the id of a finding: `f-` and 6 to 12 of the characters 0-9 and a-f"
    return problem["msg"]


def _allowed(problem: ErrorDetails) -> list[str]:
    return re.findall(r"'([^']*)'", str(problem.get("ctx", {}).get("expected", "")))


def _nearest(given: str, allowed: Sequence[str]) -> str:
    best = nearest_word(given, allowed)
    return f"; the nearest is `{best}`" if best else ""
