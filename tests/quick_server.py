"""The real server, which looks for work more often than people would notice.

`python -m tests.quick_server`, settings from the environment. A thread of a few events waits for the job queue most of
its time; a suite of hundreds would wait for minutes.
"""

from __future__ import annotations

import sys

import handlers
from bot import app, settings
from bot.limits import JobLimits


def main() -> int:
    given = settings.load(env_file=None)
    limits = JobLimits(poll=0.05, listen=0.1, outage=0.5)
    return app.serve(given, app=app.create_app(given, handlers.ROUTES, handlers.HANDLERS, limits=limits))


if __name__ == "__main__":
    sys.exit(main())
