"""GitHub's rate limits: whether an answer is one, and how long to wait.

Ruled by GitHub's documentation, "Rate limits for the REST API" and "Best practices for using the REST API": first
`retry-after`, then `x-ratelimit-reset` where nothing remains, else at least a minute and exponentially more.
"""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

MINUTE = 60.0
# the reset is given in whole seconds
ROUNDING = 1.0

_PHRASES = ("secondary rate limit", "rate limit exceeded", "abuse detection mechanism", "submitted too quickly")


def is_limit(status: int, headers: Mapping[str, str], message: str) -> bool:
    """Whether this answer says "later"; a secondary limit may come as a plain 403, known only by its message.

    `headers` have lower-case names.
    """
    if status == 429:
        return True
    if status != 403:
        return False
    if "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0":
        return True
    lowered = message.lower()
    return any(phrase in lowered for phrase in _PHRASES)


def wait(headers: Mapping[str, str], *, attempt: int, now: float) -> float:
    """Seconds to wait before trying again. `attempt` counts from 0, `now` is Unix time."""
    after = headers.get("retry-after")
    if after is not None and (seconds := _retry_after(after, now)) is not None:
        return seconds
    if headers.get("x-ratelimit-remaining") == "0" and (reset := _number(headers.get("x-ratelimit-reset"))) is not None:
        return max(reset - now, 0.0) + ROUNDING
    return MINUTE * 2.0 ** min(attempt, 10)


def _retry_after(value: str, now: float) -> float | None:
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        return max(parsedate_to_datetime(value).timestamp() - now, 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


def _number(value: str | None) -> float | None:
    # fifteen digits are beyond any time; longer ones are nonsense
    return float(value) if value is not None and value.isascii() and value.isdigit() and len(value) <= 15 else None
