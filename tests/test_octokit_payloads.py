"""Every example payload of GitHub's, signed and posted to the real app over HTTP, as it is and with an installation.

The examples are the file `api.github.com/index.json` of the npm package @octokit/webhooks-examples; its path is taken
from PLANPROOF_EXAMPLE_PAYLOADS.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
import uvicorn
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from dbos import DBOS

from bot.app import create_app
from bot.dispatch import Services, match
from bot.events import Event, parse
from bot.github.client import App
from bot.repo_config import Defaults
from bot.settings import Settings
from bot.store import Store
from handlers import HANDLERS, ROUTES
from tests.machine import FAST, Recorder, deliver, settings, until

SOURCE = os.environ.get("PLANPROOF_EXAMPLE_PAYLOADS")

pytestmark = pytest.mark.skipif(
    SOURCE is None, reason="PLANPROOF_EXAMPLE_PAYLOADS does not name the file of example payloads"
)


@asynccontextmanager
async def nowhere(given: Settings, store: Store) -> AsyncIterator[Services]:
    """GitHub as it is to an App that was removed everywhere: nothing is found."""
    gone = httpx.MockTransport(lambda _request: httpx.Response(404, json={"message": "Not Found"}))
    github = App(given, http=gone)
    nothing = cast(Any, None)
    yield Services(settings=given, github=github, engines=nothing, mirrors=nothing, store=store, defaults=Defaults())
    await github.aclose()


def key() -> str:
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return made.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


def examples() -> list[tuple[str, dict[str, Any]]]:
    groups = json.loads(Path(SOURCE or "").read_text(encoding="utf-8"))
    return [(group["name"], payload) for group in groups for payload in group["examples"]]


def test_every_example_is_read_and_loses_nothing_that_the_payload_says() -> None:
    assert len(examples()) == 329
    for name, payload in examples():
        event = parse(name, "d", payload)
        assert Event.from_json(json.loads(json.dumps(event.to_json()))) == event
        assert event.action == payload.get("action")
        assert (event.repo is None) == ("repository" not in payload)
        assert (event.sender is None) == ("sender" not in payload)
        assert event.installation_id == payload.get("installation", {}).get("id")
        for kind in ("pull_request", "issue"):
            if kind in payload:
                assert event.number == payload[kind]["number"]


async def test_the_examples_start_the_jobs_of_the_table_and_no_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    recorders = {name: Recorder() for name in HANDLERS}
    app = create_app(settings(tmp_path, private_key=key()), ROUTES, recorders, services=nowhere, limits=FAST)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, access_log=False, lifespan="on"))
    task = asyncio.create_task(server._serve())
    await until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    sent = 0
    homeless = 0
    expected: Counter[tuple[str, str | None]] = Counter()
    table = {(route.event, route.action) for route in ROUTES}
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=30) as client:
        for name, payload in examples():
            variants = [payload]
            if "installation" not in payload:
                homeless += 1
                variants.append(payload | {"installation": {"id": 3}})
            for variant in variants:
                sent += 1
                answer = await deliver(client, variant, name, f"d-{sent}")
                assert answer.status_code == 202, (name, variant.get("action"), answer.text)
                listed = {(name, variant.get("action")), (name, None)} & table
                route = match(ROUTES, parse(name, "d", variant))
                # a route passes over a comment without a command, say, and nothing else than what it lists
                assert route is None or listed
                starts = route is not None and "installation" in variant
                assert (answer.text == "accepted\n") is starts, (name, variant.get("action"), answer.text)
                if starts:
                    expected[name, variant.get("action")] += 1
        await until(_all_ended, seconds=60)
        started = await DBOS.list_workflows_async(name="ingest", load_output=False)
        jobs = await DBOS.list_workflows_async(name="job", load_output=False)
    server.should_exit = True
    await task
    assert homeless == 196
    assert Counter(_event(each.input) for each in started) == expected
    assert {each.status for each in started} == {"SUCCESS"}
    # the routes' handlers, and nothing else, were run for the events of the table
    handler_of = {(route.event, route.action): route.handler for route in ROUTES}
    for job in jobs:
        payload = cast(Any, job.input)["args"][0]
        event = Event.from_json(payload["event"])
        assert payload["handler"] == (handler_of.get((event.name, event.action)) or handler_of[event.name, None])
    ran = {(ctx.event.name, ctx.event.action) for each in recorders.values() for ctx in each.runs}
    assert ran <= set(expected)
    assert [each.failures for each in recorders.values()] == [[] for _ in recorders]
    raised = [record for record in caplog.records if record.exc_info or record.levelno >= logging.ERROR]
    assert raised == []


def _event(stored: Any) -> tuple[str, str | None]:
    data = stored["args"][1]
    return data["name"], data.get("action")


async def _all_ended() -> bool:
    live = ["ENQUEUED", "DELAYED", "PENDING"]
    return await DBOS.list_workflows_async(status=live, load_input=False, load_output=False) == []
