"""What a chore came to, and the times and names that all of them use."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.dispatch import Route


@dataclass
class Tally:
    """How many things a chore looked at, and how many jobs or redeliveries it started. `again`: something is left that
    should not wait for the next regular sweep."""

    looked: int = 0
    started: int = 0
    again: bool = False


def handler_of(routes: Iterable[Route], event: str, action: str) -> str | None:
    """The handler of such events; None where nothing reacts to them."""
    return next((r.handler for r in routes if r.event == event and r.action in (None, action)), None)


def new_delivery() -> str:
    """Stands in a job's id, and in our requests, where a delivery's GUID would."""
    return f"sweep-{uuid.uuid4()}"


def seconds(stamp: str | None) -> float:
    """A time of GitHub's, in seconds since 1970; 0.0 for one that cannot be read."""
    try:
        moment = datetime.fromisoformat(stamp or "")
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def stamp(moment: float) -> str:
    """Seconds since 1970 in the form that GitHub takes: ISO 8601, UTC, whole seconds."""
    return datetime.fromtimestamp(max(moment, 0.0), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
