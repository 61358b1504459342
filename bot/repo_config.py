"""Reading `.github/planproof.yml`: a valid configuration, or every error with its line and what would be right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from rapidfuzz import fuzz, process

from bot.core import plain_yaml
from schemas.repo_config import RepoConfig

if TYPE_CHECKING:
    from bot.dispatch import Context

CONFIG_PATH = ".github/planproof.yml"
MAX_BYTES = 64 * 1024
MAX_DEPTH = 8
MAX_NODES = 2_000
MAX_ERRORS = 20
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
    try:
        value = plain_yaml.read(text, max_depth=MAX_DEPTH, max_nodes=MAX_NODES)
    except plain_yaml.YamlError as error:
        return _failed(1, f"not valid YAML: {error}")
    if value is None:
        return Parsed(RepoConfig())
    if not isinstance(value, dict):
        return _failed(1, "expected keys and values, such as `plans:` with a list below it")
    try:
        return Parsed(RepoConfig.model_validate(value, strict=False))
    except ValidationError as error:
        problems = error.errors(include_url=False)[:MAX_ERRORS]
        return Parsed(None, tuple(_explain(problem, text) for problem in problems))


def _explain(problem: ErrorDetails, text: str) -> ConfigError:
    key = str(problem["loc"][0]) if problem["loc"] else ""
    line = _line_of(key, text)
    if problem["type"] == "extra_forbidden":
        allowed = sorted(RepoConfig.model_fields)
        best = process.extractOne(key, allowed, scorer=fuzz.ratio, score_cutoff=NEAREST_FLOOR)
        hint = f"; the nearest is `{best[0]}`" if best else ""
        return ConfigError(line, f"`{key[:80]}` is not a key here{hint}. Allowed: {', '.join(allowed)}")
    return ConfigError(line, f"`{key}`: {problem['msg'].lower()}")


def _line_of(key: str, text: str) -> int:
    """The line that begins with the key; 1 where it is written in a way that does not begin a line."""
    for number, line in enumerate(text.splitlines(), 1):
        head, found, _ = line.partition(":")
        if found and head.strip().strip("\"'") == key:
            return number
    return 1


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
