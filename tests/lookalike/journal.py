"""What the look-alike was asked: every request is kept, checked by GitHub's description, and can be made to fail."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.lookalike.faults import Fault, Outcome, secondary_limit
from tests.lookalike.shaking import KINDS, Shaker
from tests.openapi_check import Description

DESCRIPTION = Path(__file__).parent.parent / "openapi" / "api.github.com.slim.json"
GRAPHQL = "/graphql"


@cache
def description() -> Description:
    """Types of the operations that this project uses, cut from `@octokit/openapi`; loaded once a process."""
    return Description(DESCRIPTION)


@dataclass
class Recorded:
    """One request. `path` is percent-encoded as sent, `auth` is jwt, token, basic, invalid or none; `body` is decoded
    JSON, else bytes, None when there was none. `status` is what was answered, 0 when the answer was withheld.
    """

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: Any
    auth: str = "none"
    status: int = 0

    @property
    def line(self) -> str:
        return f"{self.method} {self.path}{'?' + self.query if self.query else ''}"

    @property
    def writes(self) -> bool:
        return self.method not in ("GET", "HEAD")


class Journal:
    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.git_requests: list[Recorded] = []
        self.problems: list[str] = []
        self.answer_problems: list[str] = []
        self.deprecated: list[str] = []
        self.check_answers = False
        self.shaken: Counter[str] = Counter()
        """How many requests `shake` let go wrong, by kind."""
        self._faults: list[Fault] = []
        self._shaker: Shaker | None = None

    # ---- faults --------------------------------------------------------------------------------
    def fail_next(
        self,
        method: str,
        path: str,
        outcome: Outcome | None = None,
        *,
        delay: float = 0.0,
        headers: dict[str, str] | None = None,
        message: str | None = None,
        times: int = 1,
        after: bool = False,
    ) -> Fault:
        """The next `times` requests of `method` ("*": any) whose decoded path the regex `path` is found in go wrong.

        A status: answered with it, and only with `after` carried out. "drop": carried out, then the connection closes
        without an answer. "cut": closed without being carried out. None: carried out and answered, after `delay`
        seconds. A delay given with another outcome is waited for before it. Faults are used up in the order in which
        they were set.
        """
        fault = Fault(method.upper(), path, outcome, delay, headers or {}, message, None, times, after)
        self._faults.append(fault)
        return fault

    def before_next(self, method: str, path: str, then: Callable[[], object]) -> None:
        """Calls `then` just before the next such request is carried out: how a race is staged."""
        self._faults.append(Fault(method.upper(), path, None, then=then))

    def limit_next(
        self, method: str, path: str, status: int = 403, *, retry_after: str | None = None, times: int = 1
    ) -> Fault:
        """A secondary rate limit, 403 or 429; without `retry_after` only its message tells."""
        fault = secondary_limit(method.upper(), path, status, retry_after=retry_after, times=times)
        self._faults.append(fault)
        return fault

    def shake(self, seed: int, share: float = 0.1, kinds: Sequence[str] = tuple(KINDS)) -> None:
        """Until `steady`, that share of the API's requests goes wrong in one of these ways (shaking.py), chosen by a
        generator with this seed; `shaken` counts them. Faults that were set for a request come first.
        """
        self._shaker = Shaker(seed, share, kinds)
        self.shaken = self._shaker.counts

    def steady(self) -> None:
        self._shaker = None

    @property
    def pending_faults(self) -> list[Fault]:
        return list(self._faults)

    def take_fault(self, method: str, path: str) -> Fault | None:
        for fault in self._faults:
            if fault.concerns(method, path):
                fault.times -= 1
                if fault.times <= 0:
                    self._faults.remove(fault)
                return fault
        return None

    def take_api_fault(self, method: str, path: str) -> Fault | None:
        """As `take_fault`, and what `shake` chooses."""
        fault = self.take_fault(method, path)
        if fault is None and self._shaker is not None:
            return self._shaker.fault(path)
        return fault

    # ---- requests ------------------------------------------------------------------------------
    def record(self, request: Recorded) -> list[str]:
        """Keeps the request; returns the reasons, if any, why it does not conform to the description."""
        self.requests.append(request)
        if request.path == GRAPHQL:  # no part of the REST description; its own reader says what is wrong
            return []
        content_type = request.headers.get("content-type")
        warnings: list[str] = []
        reasons = description().check_request(
            request.method, request.path, request.query, request.body, content_type or "application/json", warnings
        )
        self.problems += [f"{request.line}: {reason}" for reason in reasons]
        self.deprecated += warnings
        return reasons

    def record_answer(self, request: Recorded, status: int, body: Any) -> None:
        """Whether our own answer conforms; only looked at where `check_answers` is set."""
        if request.path == GRAPHQL:
            return
        if self.check_answers and status < 300 and not isinstance(body, bytes):
            reasons = description().check_response(request.method, request.path, status, body)
            self.answer_problems += [f"{request.line}: {reason}" for reason in reasons]

    def asked(self, method: str = "*", path: str = "") -> list[Recorded]:
        """Requests so far, by method and a regex found in the path."""
        seen: Iterable[Recorded] = list(self.requests)
        return [r for r in seen if method in ("*", r.method) and re.search(path, r.path)]

    @property
    def writes(self) -> list[Recorded]:
        """Requests that may change something, without the minting of tokens."""
        return [r for r in self.requests if r.writes and not r.path.endswith("/access_tokens")]

    def forget(self) -> None:
        """Empties the list of requests, not the problems found."""
        self.requests.clear()
        self.git_requests.clear()
