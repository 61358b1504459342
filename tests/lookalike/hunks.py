"""Where a line stands in a file's patch: what review comments are anchored by."""

from __future__ import annotations

import re

HEADER = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")


def hunk_at(patch: str | None, line: int) -> tuple[str, int] | None:
    """(the hunk up to this line of the new side, the line's position in the patch), None when it is not shown there.

    Positions count from 1 at the line below the first hunk header, later headers included.
    """
    hunk: list[str] = []
    number = 0
    for position, text in enumerate((patch or "").split("\n")):
        header = HEADER.match(text)
        if header is not None:
            hunk, number = [text], int(header[1]) - 1
            continue
        if not hunk:
            continue
        hunk.append(text)
        if not text.startswith(("-", "\\")):
            number += 1
            if number == line:
                return "\n".join(hunk), position
    return None
