"""Did-you-mean: which files of a tree a path that is not there may stand for, and which word a mistyped one."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

# below these the two names share little but their alphabet
NAME_FLOOR = 80.0
PATH_FLOOR = 90.0
WORD_FLOOR = 60.0
MAX_WORD = 200
# a name that so many files bear says nothing by itself (`index.ts`, `__init__.py`)
COMMON_NAME = 12
# a file and its test have similar names and are never meant for each other
_TEST = re.compile(r"(?:^|[._-])(?:tests?|spec)(?:[._-]|$)", re.IGNORECASE)


def nearest_word(given: str, known: Sequence[str], *, floor: float = WORD_FLOOR) -> str | None:
    """The one of `known` that `given` is most like; None where it is like none, `floor` being 0 to 100."""
    # most words are known
    from rapidfuzz import fuzz, process

    best = process.extractOne(given[:MAX_WORD], known, scorer=fuzz.ratio, score_cutoff=floor)
    return str(best[0]) if best else None


def nearest(path: str, names: Mapping[str, Sequence[str]], *, limit: int = 3, fuzzy: bool = True) -> tuple[str, ...]:
    """At most `limit` paths, the most likely first, equal on every run.

    `names` maps each basename to its paths. Files of the same basename come first, those in the closest directory
    before others; then, when nothing of that basename fits, files of a similar name. Without `fuzzy` neither similar
    names nor those that many files bear are looked at.
    """
    name = path.rpartition("/")[2]
    same = names.get(name, ())
    if len(same) > COMMON_NAME and not fuzzy:
        return ()
    found = sorted((each for each in same if each != path), key=lambda each: _distance(path, each))
    if len(same) > COMMON_NAME:
        found = [each for each in found if _shared(path, each)]
    if found or not fuzzy:
        return tuple(found[:limit])
    return _similar(path, name, names, limit)


def _similar(path: str, name: str, names: Mapping[str, Sequence[str]], limit: int) -> tuple[str, ...]:
    # most plans ask for no similar name
    from rapidfuzz import fuzz, process

    close: Collection[tuple[str, float, int]] = process.extract(
        name, names.keys(), scorer=fuzz.ratio, score_cutoff=NAME_FLOOR, limit=50
    )
    extension = _extension(name)
    scored: list[tuple[float, str]] = []
    for similar, name_score, _ in close:
        if similar == name or bool(_TEST.search(similar)) != bool(_TEST.search(name)):
            continue
        paths = names[similar]
        for each in paths[:COMMON_NAME]:
            score = 0.6 * name_score + 0.4 * fuzz.ratio(path, each)
            if _extension(similar) != extension:
                score -= 10
            if "/" in path and not _shared(path, each) and name_score < PATH_FLOOR:
                continue
            scored.append((score, each))
    scored.sort(key=lambda pair: (-pair[0], pair[1]))
    return tuple(each for _, each in scored[:limit])


def _distance(path: str, other: str) -> tuple[int, int, str]:
    """Sorts the closest first: most shared segments, then fewest others, then the alphabet."""
    shared = _shared(path, other)
    return -shared, other.count("/") + path.count("/") - 2 * shared, other


def _shared(path: str, other: str) -> int:
    """How many directory names two paths have in common, counted from either end."""
    mine, theirs = path.split("/")[:-1], other.split("/")[:-1]
    head = 0
    while head < min(len(mine), len(theirs)) and mine[head] == theirs[head]:
        head += 1
    mine, theirs = mine[head:], theirs[head:]
    tail = 0
    while tail < min(len(mine), len(theirs)) and mine[-1 - tail] == theirs[-1 - tail]:
        tail += 1
    middle = len(set(mine[: len(mine) - tail]) & set(theirs[: len(theirs) - tail]))
    return head + tail + middle


def _extension(name: str) -> str:
    return name.rpartition(".")[2] if "." in name else ""
