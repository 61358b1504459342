"""Reading `.github/planproof.yml`: a valid configuration, or every error with its line and what would be right."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails
from rapidfuzz import fuzz, process

from schemas.repo_config import RepoConfig

if TYPE_CHECKING:
    from bot.dispatch import Context

CONFIG_PATH = ".github/planproof.yml"
MAX_BYTES = 64 * 1024
MAX_DEPTH = 32
NEAREST_FLOOR = 60.0


@dataclass(frozen=True, slots=True)
class ConfigError:
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """`config` is None exactly when `errors` is not empty."""

    config: RepoConfig | None
    errors: tuple[ConfigError, ...] = ()


def parse(raw: bytes | None) -> Parsed:
    """Read the file's bytes; None (no such file) and an empty file are the defaults. Never raises on any input."""
    if raw is None:
        return Parsed(RepoConfig())
    if len(raw) > MAX_BYTES:
        return _failed(1, f"the file has {len(raw):,} bytes; at most {MAX_BYTES:,} are read")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _failed(1, "the file is not UTF-8")
    # the YAML reader takes quadratic time on brackets that are never closed
    if _depth(text) > MAX_DEPTH:
        return _failed(1, "nested too deeply")
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text, Loader=yaml.SafeLoader)):
            return _failed(1, "YAML aliases are not used here; write the value out")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        return _failed(
            mark.line + 1 if mark else 1, f"not valid YAML: {getattr(error, 'problem', None) or 'unreadable'}"
        )
    except (RecursionError, ValueError):
        return _failed(1, "nested too deeply, or holding a value that YAML cannot read")
    if value is None:
        return Parsed(RepoConfig())
    if not isinstance(value, dict):
        return _failed(1, "expected keys and values, such as `plans:` with a list below it")
    lines = _key_lines(node)
    try:
        return Parsed(RepoConfig.model_validate_json(_json(value)))
    except ValidationError as error:
        return Parsed(None, tuple(_explain(problem, lines) for problem in error.errors(include_url=False)))


def _depth(text: str) -> int:
    """The most brackets that stand open at once, wherever they stand."""
    depth = most = 0
    for character in text:
        if character in "[{":
            depth += 1
            most = max(most, depth)
        elif character in "]}":
            depth -= 1
    return most


def _json(value: object) -> str:
    # strict mode reads lists as tuples only from JSON; YAML's own types (dates) become text on the way
    return json.dumps(value, default=str)


def _key_lines(node: yaml.Node | None) -> dict[str, int]:
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {str(key.value): key.start_mark.line + 1 for key, _ in node.value if isinstance(key, yaml.ScalarNode)}


def _explain(problem: ErrorDetails, lines: dict[str, int]) -> ConfigError:
    key = str(problem["loc"][0]) if problem["loc"] else ""
    line = lines.get(key, 1)
    if problem["type"] == "extra_forbidden":
        allowed = sorted(RepoConfig.model_fields)
        best = process.extractOne(key, allowed, scorer=fuzz.ratio, score_cutoff=NEAREST_FLOOR)
        hint = f"; the nearest is `{best[0]}`" if best else ""
        return ConfigError(line, f"`{key}` is not a key here{hint}. Allowed: {', '.join(allowed)}")
    return ConfigError(line, f"`{key}`: {problem['msg'].lower()}")


def _failed(line: int, message: str) -> Parsed:
    return Parsed(None, (ConfigError(line, message),))


async def current(ctx: Context) -> tuple[RepoConfig, list[str]]:
    """The configuration on the default branch, never a pull request's, and what is wrong with it, for people.

    While the file is broken the last valid one holds, else the defaults.
    """
    raw = await ctx.github.get_file(CONFIG_PATH)
    parsed = parse(raw)
    if parsed.config is not None:
        if raw is None:
            await ctx.store.drop_config(ctx.repo.id)
        else:
            await ctx.store.save_config(ctx.repo.id, raw.decode("utf-8-sig"))
        return parsed.config, []
    problems = [f"`{CONFIG_PATH}` line {error.line}: {error.message}" for error in parsed.errors]
    kept = await ctx.store.last_config(ctx.repo.id)
    last = parse(kept.encode()) if kept is not None else Parsed(None)
    return last.config or RepoConfig(), problems
