"""A repository's `.github/planproof.yml`: reading it, joining it with the organisation's, and which one holds now."""

from __future__ import annotations

from bot.repo_config.holding import ORGANISATION, Current, Defaults, current, known, merge
from bot.repo_config.reading import MAX_BYTES, MAX_ERRORS, Parsed, Remark, parse, unread
from schemas.repo_config import CONFIG_PATH

__all__ = [
    "CONFIG_PATH",
    "MAX_BYTES",
    "MAX_ERRORS",
    "ORGANISATION",
    "Current",
    "Defaults",
    "Parsed",
    "Remark",
    "current",
    "known",
    "merge",
    "parse",
    "unread",
]
