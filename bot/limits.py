"""How long, how often and how much: what the jobs and the sweeps are bounded by."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.steps import StepLimits


@dataclass(frozen=True)
class SweepLimits:
    """Times in seconds. Some is left of one sweep for the next, which then comes after `soon`.

    Deliveries: those of the last `window` are asked for, GitHub redelivers no older ones; a sweep begins
    `delivery_overlap` before the end of the last; one is `in_flight` for so long, and waits for so long after it was
    `redelivered` in vain; at most `redeliveries` a sweep, and `attempts` for one delivery, GitHub's own included.

    Reconciling: it begins `reconcile_overlap` before the last; at most `repositories` and `starts` of jobs a sweep;
    `clock_skew` is how far GitHub's clock may be from ours.

    Checks: one that is `unfinished` for so long is looked at, at most `checks` a sweep, and one that is `abandoned`
    given up. `idle`: for how long a job that should run has to be seen not to.
    """

    soon: float = 150.0
    window: float = 3 * 86_400.0
    delivery_overlap: float = 7200.0
    in_flight: float = 120.0
    redelivered: float = 1800.0
    redeliveries: int = 200
    attempts: int = 5
    reconcile_overlap: float = 600.0
    repositories: int = 500
    starts: int = 300
    clock_skew: float = 60.0
    unfinished: float = 1800.0
    checks: int = 100
    abandoned: float = 86_400.0
    idle: float = 30.0


@dataclass(frozen=True)
class JobLimits:
    """Times in seconds. `job` is for a whole handler run; the engine itself ends a run a little later.

    `keep`: how long the rows of finished jobs stay; well above the three days in which GitHub redelivers, since a row
    is what makes a redelivery a no-op. `sweep`: how often what got lost is looked for and old rows are deleted. `poll`
    and `listen`: how often the engine looks for work, and for messages, of which there are none; a stop waits for both.
    `recent`: how old a waiting job may be that a newer one cancels. `keep_runs`: how long the runs stay that people may
    ask for by the name on a comment. `patience`: how long a job at most gives way to deliveries before each step.
    `ending`: how long a job that was stopped is waited for.
    `postpone`: how far away the end of a rate limit may be, for a job to be begun anew then; an hour and a reserve.
    `outage`: after how long a job, or the report on one, is begun anew that an outage of GitHub ended, four times as
    long each further time.
    """

    enqueue: float = 8.0
    job: float = 1500.0
    grace: float = 120.0
    poll: float = 0.2
    listen: float = 1.0
    concurrency: int = 50
    keep: float = 7 * 86_400.0
    keep_runs: float = 180 * 86_400.0
    sweep: float = 3600.0
    recent: float = 86_400.0
    patience: float = 2.0
    ending: float = 10.0
    postpone: float = 7200.0
    outage: float = 60.0
    step: StepLimits = field(default_factory=StepLimits)
    sweeps: SweepLimits = field(default_factory=SweepLimits)
