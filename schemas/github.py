"""GitHub's own limits, where what enters and what leaves share one."""

from __future__ import annotations

MAX_BODY = 65_536
"""Characters of the body of a comment, a review, an issue or a pull request."""
