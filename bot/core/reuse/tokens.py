"""Words as sets, and how alike two sets are."""

from __future__ import annotations

import re

TOKEN_RE = re.compile(r"[a-z0-9]+")


def tokens(text: str) -> frozenset[str]:
    """The distinct runs of ASCII letters and digits of the case-folded text; "issue-tracking" is two words."""
    return frozenset(TOKEN_RE.findall(text.casefold()))


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Shared words over all words; 0.0 when either side has none."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) if shared else 0.0
