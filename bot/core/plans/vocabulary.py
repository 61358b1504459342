"""Word lists are kept as running text, which diffs and reads better than one string a line."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of `text`, as a set."""
    return frozenset(text.split())
