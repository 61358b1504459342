"""A read-only tree at one commit, read from git objects, and the overlay that a plan's tasks lay over it."""
from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Kind(StrEnum):
    FILE = "file"
    DIRECTORY = "directory"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    MISSING = "missing"
    UNKNOWN = "unknown"
