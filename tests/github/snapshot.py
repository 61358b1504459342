"""Whole texts compared with files under `snapshots/`; with `UPDATE_SNAPSHOTS=1` they are written, to be read."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "snapshots"


def expect(name: str, text: str) -> None:
    path = FOLDER / f"{name}.md"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(text + "\n", encoding="utf-8")
    assert text + "\n" == path.read_text(encoding="utf-8")
