"""What the commands of a plan aim at (tests, scripts, make targets), and whether it can be there. Nothing is run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from rapidfuzz import fuzz, process

from bot.core.verify.finding import Weight
from schemas.verify_report import Evidence, FindingType

TYPE = FindingType.VERIFY_FORM
MAX_NAMES = 2_000
MAX_NAME = 200  # characters


@dataclass(frozen=True, slots=True)
class Miss:
    """A target that cannot be there when the command runs. `raw` is what stands in the command."""

    raw: str
    message: str
    evidence: tuple[Evidence, ...]
    weight: Weight = Weight.WRONG
    suggestion: str | None = None
    replace_by: str | None = None
    nowhere: bool = False  # no task ever makes it, so that even a step that is to fail fails for another reason


def alike(name: str, names: Iterable[str], *, cutoff: int) -> str | None:
    """The one of `names` that is most like `name`, at least by `cutoff` per cent; None also where they are too many or
    too long for a likeness to mean anything."""
    known = list(islice((each for each in names if len(each) <= MAX_NAME), MAX_NAMES + 1))
    if len(known) > MAX_NAMES or len(name) > MAX_NAME:
        return None
    best = process.extractOne(name, sorted(known), scorer=fuzz.ratio, score_cutoff=cutoff)
    return str(best[0]) if best else None
