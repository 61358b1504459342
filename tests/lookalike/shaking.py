"""Failures at random, the same ones for the same seed and the same requests."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence

from tests.lookalike.faults import Fault, secondary_limit

ANY = ".*"
KINDS: dict[str, Callable[[], Fault]] = {
    "502": lambda: Fault("*", ANY, 502),
    "502 after": lambda: Fault("*", ANY, 502, after=True),
    "drop": lambda: Fault("*", ANY, "drop"),
    "limit": lambda: secondary_limit("*", ANY, 403, retry_after="1"),
    "limit unsaid": lambda: secondary_limit("*", ANY, 403),
    "401": lambda: Fault("*", ANY, 401),
}
"""502: not carried out. 502 after, drop: carried out, the answer lost. limit, limit unsaid: a secondary limit, with
`retry-after: 1` and without. 401: the credentials are refused once."""


class Shaker:
    """`share` of the requests goes wrong, each with one of `kinds`; `counts` how many, by kind."""

    def __init__(self, seed: int, share: float, kinds: Sequence[str]) -> None:
        self._draw = random.Random(seed)  # noqa: S311
        self._share = share
        self._kinds = [kind for kind in KINDS if kind in kinds]
        if len(self._kinds) != len(set(kinds)):
            raise ValueError(f"the kinds are {', '.join(KINDS)}")
        self.counts: Counter[str] = Counter()

    def fault(self, path: str) -> Fault | None:
        """What goes wrong with the next request. Of an App's tokens GitHub only refuses to make one, seldom."""
        # two numbers for each request, so that what becomes of one does not change the lot of the next
        hit, kind = self._draw.random() < self._share, self._draw.choice(self._kinds)
        if not hit or (path.endswith("/access_tokens") and kind != "401"):
            return None
        self.counts[kind] += 1
        return KINDS[kind]()
