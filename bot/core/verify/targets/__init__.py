"""What the commands of a plan aim at (tests, scripts, make targets), and whether it can be there. Nothing is run."""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.verify.finding import Weight
from schemas.verify_report import Evidence


@dataclass(frozen=True, slots=True)
class Miss:
    """A target that cannot be there when the command runs. `raw` is what stands in the command."""

    raw: str
    message: str
    evidence: tuple[Evidence, ...]
    weight: Weight = Weight.WRONG
    suggestion: str | None = None
    replace_by: str | None = None
