"""One thing that goes wrong with a request."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Outcome = int | Literal["drop", "cut"]
LIMITED = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


@dataclass
class Fault:
    """For `times` requests of `method` ("*": any) in whose path the regex `path` is found.

    `outcome` is a status, "drop", "cut" or None; `after` carries the request out before it is answered with the status.
    """

    method: str
    path: str
    outcome: Outcome | None
    delay: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    message: str | None = None
    then: Callable[[], object] | None = None
    times: int = 1
    after: bool = False

    @property
    def status(self) -> int | None:
        return self.outcome if isinstance(self.outcome, int) else None

    def concerns(self, method: str, path: str) -> bool:
        return self.method in ("*", method) and re.search(self.path, path) is not None


def secondary_limit(method: str, path: str, status: int, *, retry_after: str | None = None, times: int = 1) -> Fault:
    """403 or 429; without `retry_after` only the message tells."""
    headers = {"retry-after": retry_after} if retry_after is not None else {}
    return Fault(method, path, status, headers=headers, message=LIMITED, times=times)
