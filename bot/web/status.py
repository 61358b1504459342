"""The pages for people and for monitors: `/` and `/healthz`. Nothing on them is secret."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from bot import logs

log = logs.named("status")

READY = "Planproof is running. GitHub delivers to POST /webhook; /healthz says how it is.\n"
SETUP = """Planproof is running in setup mode: it has no credentials, and accepts no deliveries.

1. Create a GitHub App with the permissions and events of app.yml and a webhook secret,
   its webhook URL being this server's address followed by /webhook.
2. Generate a private key on the App's page.
3. Put into the environment, or into a file named .env here:
     PLANPROOF_APP_ID=the number on the App's page
     PLANPROOF_PRIVATE_KEY=the key's text, or the path of its file
     PLANPROOF_WEBHOOK_SECRET=the webhook secret
4. Start again.
"""


@dataclass(frozen=True)
class Status:
    """`ping` raises while the database cannot be read; None in setup mode. `counts` is the receiver's."""

    counts: Counter[tuple[str, str]]
    ping: Callable[[], Awaitable[None]] | None

    async def home(self, _request: Request) -> Response:
        return PlainTextResponse(SETUP if self.ping is None else READY)

    async def health(self, _request: Request) -> Response:
        """200 when deliveries can be taken in, and in setup mode; 503 when the database cannot be read."""
        state = "setup"
        if self.ping is not None:
            try:
                await self.ping()
                state = "ok"
            except Exception as error:  # noqa: BLE001 - whatever it is, the monitor has to hear of it
                log.error("health.failed", exception=error)
                state = "the database cannot be read"
        outcomes: Counter[str] = Counter()
        for (_event, outcome), count in self.counts.items():
            outcomes[outcome] += count
        body = {"status": state, "deliveries": dict(sorted(outcomes.items()))}
        return JSONResponse(body, 200 if state in ("ok", "setup") else 503)
