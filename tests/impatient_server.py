"""The real server, which waits for nothing: its pauses after failures and rate limits are cut to a moment.

`python -m tests.impatient_server`, settings from the environment. For tests in which GitHub fails so often that the
pauses it is owed would take hours.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import handlers
from bot import app, settings
from bot.dispatch import Services
from bot.engine_process import EnginePool
from bot.github.client import App
from bot.github.transport import Policy
from bot.limits import JobLimits
from bot.mirror import Mirrors
from bot.repo_config import Defaults
from bot.settings import Settings
from bot.steps import StepLimits
from bot.store import Store

MOMENT = 0.01


async def moment(_seconds: float) -> None:
    await asyncio.sleep(MOMENT)


@asynccontextmanager
async def services(given: Settings, store: Store) -> AsyncIterator[Services]:
    github = App(given, policy=Policy(max_wait=float("inf")), sleep=moment)
    try:
        async with EnginePool() as engines:
            mirrors = Mirrors(given.data_dir, given.git_url)
            yield Services(
                settings=given, github=github, engines=engines, mirrors=mirrors, store=store, defaults=Defaults()
            )
    finally:
        await github.aclose()


def main() -> int:
    given = settings.load(env_file=None)
    limits = JobLimits(
        poll=0.05, listen=0.1, outage=0.5, step=StepLimits(attempts=8, first_wait=MOMENT, longest_wait=0.1)
    )
    made = app.create_app(given, handlers.ROUTES, handlers.HANDLERS, services=services, limits=limits)
    return app.serve(given, app=made)


if __name__ == "__main__":
    sys.exit(main())
