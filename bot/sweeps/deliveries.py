"""Deliveries that we never took: GitHub keeps them for three days, and sends none again unless it is asked.

Ruled by "Handling failed webhook deliveries" and "List deliveries for an app webhook" in GitHub's documentation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from bot import logs
from bot.dispatch import HOUSEKEEPING, Route, Services
from bot.github.errors import NotFound, Refused
from bot.github.models import HookDelivery
from bot.limits import SweepLimits
from bot.sweeps.tally import Tally, seconds, stamp

log = logs.named("sweeps")

NAME = "deliveries"
GIVEN_UP_KEPT = 10_000


class Deliveries:
    """Asks GitHub to redeliver what no attempt brought here. A redelivery of what is known after all is a no-op.

    The sweep goes on from the oldest delivery that is still unsettled, so that it always sees every attempt of it and
    can count them.
    """

    def __init__(
        self,
        services: Services,
        routes: Sequence[Route],
        limits: SweepLimits,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._services = services
        self._routes = routes
        self._limits = limits
        self._clock = clock
        self._given_up: dict[str, None] = {}
        self._unlisted = False

    async def sweep(self) -> Tally:
        """Redeliver what is lost; `looked` are deliveries, by GUID. Raises GitHubError."""
        limits, now = self._limits, self._clock()
        last = await self._services.store.swept(NAME)
        since = max(now - limits.window, (last or 0.0) - limits.delivery_overlap)
        try:
            listed = await self._services.github.hook_deliveries(since=stamp(since))
        except NotFound:
            if not self._unlisted:
                self._unlisted = True
                log.info("sweep.no_deliveries", reason="this server does not list deliveries")
            return Tally()
        groups = _by_guid(listed)
        lost = await self._of_ours([attempts for attempts in groups if self._lost(attempts)])
        due = [attempts for attempts in lost if seconds(attempts[-1].delivered_at) < now - self._pause(attempts)]
        young = any(len(attempts) == 1 for attempts in lost if attempts not in due)
        tally = Tally(looked=len(groups), again=young or len(due) > limits.redeliveries)
        for attempts in due[: limits.redeliveries]:
            tally.started += await self._redeliver(attempts[-1])
        await self._services.store.sweep_done(NAME, min([now, *(seconds(each[0].delivered_at) for each in lost)]))
        return tally

    def _pause(self, attempts: Sequence[HookDelivery]) -> float:
        """Seconds after the last attempt: what keeps us from taking a delivery may last for a while."""
        return self._limits.in_flight if len(attempts) == 1 else self._limits.redelivered

    def _lost(self, attempts: Sequence[HookDelivery]) -> bool:
        first, latest = attempts[0], attempts[-1]
        if any(200 <= each.status_code < 300 for each in attempts) or not self._wanted(latest):
            return False
        # its first attempt lies before anything that an earlier sweep left unsettled
        if first.redelivery or first.guid in self._given_up:
            return False
        if len(attempts) < self._limits.attempts:
            return True
        self._given_up[first.guid] = None
        while len(self._given_up) > GIVEN_UP_KEPT:
            del self._given_up[next(iter(self._given_up))]
        log.error(
            "delivery.given_up",
            delivery=first.guid,
            name=first.event,
            action=first.action,
            attempts=len(attempts),
            status=latest.status_code,
            reason=latest.status,
        )
        return False

    def _wanted(self, delivery: HookDelivery) -> bool:
        """By name and action; what else decides stands in the payload, which the receiver reads."""
        if self._services.settings.mode == "off" and delivery.event not in HOUSEKEEPING:
            return False
        return any(r.event == delivery.event and r.action in (None, delivery.action) for r in self._routes)

    async def _of_ours(self, lost: list[list[HookDelivery]]) -> list[list[HookDelivery]]:
        """Those of installations that are there; what says that one is gone has to arrive all the same."""
        if all(attempts[0].event in HOUSEKEEPING for attempts in lost):
            return lost
        there = {each.id for each in await self._services.github.installations()}
        return [each for each in lost if each[0].event in HOUSEKEEPING or each[0].installation_id in there]

    async def _redeliver(self, delivery: HookDelivery) -> int:
        try:
            await self._services.github.redeliver(delivery.id)
        except (NotFound, Refused) as error:
            log.warning("delivery.not_redelivered", delivery=delivery.guid, reason=str(error))
            self._given_up[delivery.guid] = None
            return 0
        log.info("delivery.redelivered", delivery=delivery.guid, name=delivery.event, status=delivery.status_code)
        return 1


def _by_guid(listed: Sequence[HookDelivery]) -> list[list[HookDelivery]]:
    """The attempts of each delivery, all oldest first."""
    groups: dict[str, list[HookDelivery]] = {}
    for each in sorted(listed, key=lambda each: (seconds(each.delivered_at), each.id)):
        groups.setdefault(each.guid, []).append(each)
    return list(groups.values())
