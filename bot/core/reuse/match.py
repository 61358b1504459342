"""Which capabilities a query is most like, and in which order they are offered."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Literal, TypeAlias

from bot.core.reuse.index import Capability, Index

# two scores further apart than this differ in exact arithmetic as well
_SLACK = 1e-9

By: TypeAlias = Literal["blob", "title"]


@dataclass(frozen=True, slots=True)
class Score:
    """The similarity of a query and a row as the exact ratio `shared` / `union` of counts of distinct words."""

    shared: int
    union: int
    by: By = "blob"

    @property
    def value(self) -> float:
        return self.shared / self.union if self.shared else 0.0

    @property
    def exact(self) -> Fraction:
        return Fraction(self.shared, self.union) if self.shared else Fraction(0)


@dataclass(frozen=True, slots=True)
class Candidate:
    capability: Capability
    score: Score


class Scorer:
    """The scores of one query over one index.

    A row's score is the larger of the Jaccard similarities of the query with its name, and with its name, summary and
    tags. A workplan's `title` is scored as a second query and counts where it is strictly better.
    """

    def __init__(self, index: Index, blob: frozenset[str], title: frozenset[str] | None = None) -> None:
        self.index = index
        self._queries: list[tuple[frozenset[str], By]] = [(blob, "blob")]
        if title and title != blob:
            self._queries.append((title, "title"))
        self.top = 0.0

    def score(self, row: int) -> Score:
        """The score of the row at position `row` of the index."""
        best = Score(0, 1)
        for query, by in self._queries:
            for words in (self.index.names.sets[row], self.index.blobs.sets[row]):
                shared = len(query & words)
                union = len(query) + len(words) - shared
                if shared * best.union > best.shared * union:
                    best = Score(shared, union, by)
        return best

    def best(self, limit: int, tie_window: float) -> list[Candidate]:
        """The best `limit` rows with a score above 0, best first; sets `top` to the numeric maximum.

        Rows within `tie_window` of the top are ordered by maturity (discovery, then availability, higher first), then
        id; the rest by score, then id.
        """
        values = self._values()
        if limit < 1 or not values:
            return []
        leader = max(values, key=values.__getitem__)
        self.top = top = values[leader]
        # all that can be among the answer: exact arithmetic and objects are for these few only
        floor = min(heapq.nlargest(limit, values.values())[-1], top - tie_window - _SLACK)
        tied: list[int] = []
        rest: list[int] = []
        for row, value in values.items():
            if value >= floor:
                (tied if self._within(leader, row, top - value, tie_window) else rest).append(row)
        places, capabilities = self.index.precedence, self.index.capabilities
        order = heapq.nsmallest(limit, tied, key=places.__getitem__)
        order += heapq.nsmallest(limit - len(order), rest, key=lambda row: (-values[row], capabilities[row].id))
        return [Candidate(capabilities[row], self.score(row)) for row in order]

    def _values(self) -> dict[int, float]:
        """The score of every row that shares a word with a query."""
        best: dict[int, float] = {}
        for query, _ in self._queries:
            for words in (self.index.blobs, self.index.names):
                asked, sizes = len(query), words.sizes
                counts = Counter(chain.from_iterable(words.rows[w] for w in query if w in words.rows))
                values = {row: shared / (asked + sizes[row] - shared) for row, shared in counts.items()}
                if not best:
                    best = values
                else:
                    best.update({row: value for row, value in values.items() if value > best.get(row, 0.0)})
        return best

    def _within(self, leader: int, row: int, behind: float, window: float) -> bool:
        if abs(behind - window) > _SLACK:
            return behind < window
        # in binary fractions 0.55 - 0.5 is more than 0.05
        return self.score(leader).exact - self.score(row).exact <= Fraction(str(window))


def related(scorer: Scorer, candidates: Sequence[Candidate]) -> list[tuple[Candidate, str]]:
    """What the relations of `candidates` name and the index has: each row once, with the id of the naming candidate.

    One step only, so a cycle ends; ids that the index lacks are left out. The score is the row's own, maybe 0.
    """
    index = scorer.index
    seen = {candidate.capability.id for candidate in candidates}
    rows: list[tuple[Candidate, str]] = []
    for candidate in candidates:
        for identity in candidate.capability.related:
            if identity in seen or identity not in index.position:
                continue
            seen.add(identity)
            row = index.position[identity]
            rows.append((Candidate(index.capabilities[row], scorer.score(row)), candidate.capability.id))
    return rows
