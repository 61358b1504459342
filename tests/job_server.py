"""A server process for tests that kill it: the real machine, with a handler that writes down what it does.

`python -m tests.job_server FOLDER`, settings from the environment. In FOLDER, `journal` gets a line for each step that
begins; a step waits for as long as a file `hold-NAME` is there; `end` and `failed` appear at the end.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from bot import app, settings
from bot.dispatch import Context, Route
from bot.events import Json
from bot.limits import JobLimits
from tests.machine import no_github

STEPS = ("one", "two", "three")


class Handler:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def handle(self, ctx: Context) -> None:
        values = []
        for name in STEPS:
            values.append(await ctx.step(name, lambda name=name: self._work(name)))  # type: ignore[misc]
        (self.folder / "end").write_text(f"{ctx.run_id} {values}")

    async def failed(self, ctx: Context, reason: str) -> None:
        (self.folder / "failed").write_text(f"{ctx.run_id} {reason}")

    async def _work(self, name: str) -> Json:
        with (self.folder / "journal").open("a") as journal:
            journal.write(f"{name}\n")
        while (self.folder / f"hold-{name}").exists():  # noqa: ASYNC110 - the test that waits is another process
            await asyncio.sleep(0.01)
        return name.upper()


def main(folder: Path) -> int:
    given = settings.load(env_file=None)
    routes = (Route("pull_request", "opened", "work"),)
    limits = JobLimits(poll=0.02, listen=0.05, sweep=0.1)
    made = app.create_app(given, routes, {"work": Handler(folder)}, services=no_github, limits=limits)
    return app.serve(given, app=made)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
