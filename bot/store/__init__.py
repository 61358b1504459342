"""What the App remembers besides its jobs: reports, decisions, runs, configurations, places.

The same database as the job engine's, in tables of its own, brought up to date at start by Alembic. Losing it loses no
plan's verdict for good: the pull requests are verified anew; what people dismissed has to be dismissed again. Times
are whole milliseconds since 1970.
"""

from __future__ import annotations

from bot.store.places import Places
from bot.store.progress import Progress
from bot.store.verdicts import PUSHED, Decision, Verdicts

__all__ = ["PUSHED", "Decision", "Store"]


class Store(Verdicts, Progress, Places):
    """Safe to call from any task; each call is one transaction, run in a thread. Every write may be repeated."""
