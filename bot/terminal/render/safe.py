"""Text of plans and repositories made harmless for where it is shown."""

from __future__ import annotations

import re

# what would start a tag, a link, emphasis or a table cell
# an underscore inside a word is none of these
_SPECIAL = re.compile(r"([\\`*\[\]<>|~]|(?<!\w)_|_(?!\w))")


def visible(text: str, limit: int = 500) -> str:
    """One line of at most `limit` characters; what a terminal would obey or not show stands as an escape."""
    line = " ".join(text[: limit * 2].split())
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    return shown if len(shown) <= limit else shown[: limit - 1].rstrip() + "…"


def prose(text: str, limit: int = 500) -> str:
    """`visible` text for Markdown: code spans stay, everything else that would be markup becomes literal."""
    parts = visible(text, limit).split("`")
    if len(parts) % 2 == 0:
        # an unclosed code span: no span at all
        return _SPECIAL.sub(r"\\\1", "`".join(parts))
    spans = (
        f"`{part}`".replace("|", "\\|") if odd % 2 else _SPECIAL.sub(r"\\\1", part) for odd, part in enumerate(parts)
    )
    return "".join(spans)


def code(text: str, limit: int = 300) -> str:
    """A Markdown code span that holds `text`, inside a table as well."""
    line = visible(text, limit).replace("|", "\\|")
    if "`" not in line:
        return f"`{line}`"
    fence = "`" * (max(len(run) for run in re.findall(r"`+", line)) + 1)
    return f"{fence} {line} {fence}"
