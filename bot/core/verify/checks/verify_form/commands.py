"""The commands of a plan that are looked at, for all ways to tell what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from bot.core.plans.model import Command, Task
from bot.core.verify.world import World
from schemas.verify_report import FindingType

MAX_COMMANDS = 2_000  # of one plan


def commands(world: World) -> Iterator[tuple[int, Task | None, Command]]:
    """The first commands with the positions of their tasks, as `World.commands` gives them; that there are more is
    said in the report."""
    every = world.commands()
    yield from islice(every, MAX_COMMANDS)
    if next(every, None) is not None:
        world.note(FindingType.VERIFY_FORM.value, f"only the first {MAX_COMMANDS} commands were looked at")
