"""What finds again what got lost: deliveries nobody took, work no event told of, checks nobody finished, and jobs that
an upgrade or a failing database left behind.

Each chore is one look at everything it is about, and safe to repeat at any moment: it starts jobs like those of events,
which decide from fresh state and post nothing twice.
"""

from __future__ import annotations

from bot.sweeps.deliveries import Deliveries
from bot.sweeps.left_behind import LeftBehind
from bot.sweeps.reconcile import Reconcile
from bot.sweeps.tally import Tally
from bot.sweeps.watchdog import Watchdog

__all__ = ["Deliveries", "LeftBehind", "Reconcile", "Tally", "Watchdog"]
