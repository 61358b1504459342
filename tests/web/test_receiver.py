from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest
import uvicorn

from bot.app import create_app
from bot.dispatch import Route
from bot.web.receiver import signed
from tests.machine import FAST, SECRET, Recorder, deliver, no_github, pull_request, serving, settings, signature, until

ROUTES = (Route("pull_request", "opened", "look"),)
BODY = json.dumps(pull_request()).encode()


def headers(body: bytes = BODY, **changes: str | None) -> dict[str, str]:
    """A good delivery's headers; a change to None leaves one out."""
    known: dict[str, str | None] = {
        "x-github-event": "pull_request",
        "x-github-delivery": "d-1",
        "x-hub-signature-256": signature(body),
        "content-type": "application/json",
    }
    known |= {name.replace("_", "-"): value for name, value in changes.items()}
    return {name: value for name, value in known.items() if value is not None}


@pytest.fixture
async def look() -> Recorder:
    return Recorder()


@pytest.fixture
async def client(tmp_path: Path, look: Recorder) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(settings(tmp_path), ROUTES, {"look": look}, max_body=20_000) as made:
        yield made


def test_the_signature_of_githubs_documentation_is_accepted() -> None:
    given = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert signed(b"Hello, World!", given, ["It's a Secret to Everybody"])
    assert signed(b"Hello, World!", given, ["a newer one", "It's a Secret to Everybody"])
    assert not signed(b"Hello, World?", given, ["It's a Secret to Everybody"])
    assert not signed(b"Hello, World!", given, [])
    for wrong in ("", "sha256=", given.upper(), given[7:], "sha1=" + given[7:], given + "0", "sha256=\u00fc"):
        assert not signed(b"Hello, World!", wrong, ["It's a Secret to Everybody"])


async def test_a_signed_delivery_is_stored_and_accepted(client: httpx.AsyncClient, look: Recorder) -> None:
    answer = await client.post("/webhook", content=BODY, headers=headers())
    assert (answer.status_code, answer.text) == (202, "accepted\n")
    await until(lambda: look.runs)


@pytest.mark.parametrize(
    ("changes", "status", "reason"),
    [
        ({"x_hub_signature_256": None}, 401, "X-Hub-Signature-256 is missing"),
        ({"x_hub_signature_256": "sha256=" + "0" * 64}, 401, "does not match the body"),
        ({"x_hub_signature_256": signature(BODY, "another secret")}, 401, "does not match the body"),
        ({"x_hub_signature_256": "nonsense"}, 401, "does not match the body"),
        ({"x_github_event": None}, 400, "X-GitHub-Event is missing"),
        ({"x_github_event": "../etc"}, 400, "X-GitHub-Event is not an event name"),
        ({"x_github_delivery": None}, 400, "X-GitHub-Delivery is missing"),
        ({"x_github_delivery": "a b"}, 400, "X-GitHub-Delivery is not an id"),
        ({"x_github_delivery": "a" * 65}, 400, "X-GitHub-Delivery is not an id"),
        ({"content_length": "999999999999999999"}, 413, "larger than 20000 bytes"),
    ],
)
async def test_a_delivery_that_is_not_githubs_is_refused_with_its_reason(
    client: httpx.AsyncClient, look: Recorder, changes: dict[str, str | None], status: int, reason: str
) -> None:
    answer = await client.post("/webhook", content=BODY, headers=headers(BODY, **changes))
    assert answer.status_code == status
    assert reason in answer.text
    assert look.runs == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{", "not JSON"),
        (b"", "not JSON"),
        (b'{"a": "\xff"}', "not JSON (UnicodeDecodeError)"),
        (b"[" * 15_000, "nested too deeply"),
        (b"[1, 2]", "not an object"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
    ],
)
async def test_a_signed_body_that_is_no_json_object_is_refused(
    client: httpx.AsyncClient, body: bytes, reason: str
) -> None:
    answer = await client.post("/webhook", content=body, headers=headers(body))
    assert answer.status_code == 400
    assert reason in answer.text


async def test_a_body_over_the_limit_is_refused_also_when_its_length_is_not_announced(
    client: httpx.AsyncClient,
) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 1000

    answer = await client.post("/webhook", content=endless(), headers=headers())
    assert answer.status_code == 413
    assert "larger than 20000 bytes" in answer.text


async def test_a_form_is_as_good_as_json(client: httpx.AsyncClient, look: Recorder) -> None:
    body = urlencode({"payload": BODY.decode()}).encode()
    kind = "application/x-www-form-urlencoded; charset=utf-8"
    answer = await client.post("/webhook", content=body, headers=headers(body, content_type=kind))
    assert answer.text == "accepted\n"
    await until(lambda: look.runs)
    for wrong in (b"load=1", b"payload", b"&".join([b"a=1"] * 40)):
        answer = await client.post("/webhook", content=wrong, headers=headers(wrong, content_type=kind))
        assert answer.status_code == 400


async def test_events_that_nobody_wants_are_accepted_counted_and_start_nothing(
    client: httpx.AsyncClient, look: Recorder
) -> None:
    unwanted = await deliver(client, {"action": "created"}, "star")
    closed = await deliver(client, pull_request(action="closed"))
    homeless = await deliver(client, pull_request(installation=None))
    assert [each.status_code for each in (unwanted, closed, homeless)] == [202] * 3
    assert unwanted.text == closed.text == "ignored: no handler wants this event\n"
    assert homeless.text == "ignored: the event carries no installation\n"
    health = (await client.get("/healthz")).json()
    assert health == {
        "status": "ok",
        "deliveries": {
            "ignored: no handler wants this event": 2,
            "ignored: the event carries no installation": 1,
        },
    }
    assert look.runs == []


async def test_any_of_several_secrets_is_good_while_rotating(tmp_path: Path, look: Recorder) -> None:
    given = settings(tmp_path, webhook_secret=f"the next secret, {SECRET}")
    async with serving(given, ROUTES, {"look": look}) as client:
        for number, secret in enumerate(("the next secret", SECRET)):
            changed = headers(x_hub_signature_256=signature(BODY, secret), x_github_delivery=f"d-{number}")
            assert (await client.post("/webhook", content=BODY, headers=changed)).status_code == 202


async def test_an_app_that_is_switched_off_stores_nothing(tmp_path: Path, look: Recorder) -> None:
    async with serving(settings(tmp_path, mode="off"), ROUTES, {"look": look}) as client:
        answer = await deliver(client, pull_request())
    assert answer.status_code == 202
    assert "switched off" in answer.text


async def test_without_credentials_the_server_says_how_to_set_it_up(tmp_path: Path) -> None:
    given = settings(tmp_path, app_id=None, private_key=None, webhook_secret=None)
    async with serving(given, ROUTES, {}) as client:
        refused = await deliver(client, pull_request())
        home = await client.get("/")
        health = await client.get("/healthz")
    assert refused.status_code == 503
    assert "no credentials yet" in refused.text
    assert "PLANPROOF_WEBHOOK_SECRET" in home.text
    assert (health.status_code, health.json()["status"]) == (200, "setup")
    assert list(tmp_path.iterdir()) == []  # noqa: ASYNC240


async def test_a_delivery_that_cannot_be_stored_in_time_is_refused_and_its_redelivery_runs_once(
    tmp_path: Path, look: Recorder
) -> None:
    async with serving(settings(tmp_path), ROUTES, {"look": look}, limits=replace(FAST, enqueue=0.2)) as client:
        with locked(tmp_path / "planproof.db"):
            answer = await deliver(client, pull_request(), delivery="d-1")
        assert answer.status_code == 503
        assert "could not be stored" in answer.text
        again = await deliver(client, pull_request(), delivery="d-1")
        assert again.status_code == 202
        await until(lambda: look.runs)
        await deliver(client, pull_request(8), delivery="d-2")
        await until(lambda: len(look.runs) == 2)
    assert [ctx.event.number for ctx in look.runs] == [7, 8]


@contextmanager
def locked(database: Path) -> Iterator[None]:
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


async def test_only_post_is_for_webhooks(client: httpx.AsyncClient) -> None:
    assert (await client.get("/webhook")).status_code == 405
    assert (await client.get("/elsewhere")).status_code == 404


@asynccontextmanager
async def listening(folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    """The app behind its real server on loopback."""
    app = create_app(settings(folder), ROUTES, {"look": Recorder()}, services=no_github, limits=FAST)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, access_log=False, lifespan="on"))
    serving_ = asyncio.create_task(server._serve())
    await until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            yield client
    finally:
        server.should_exit = True
        await serving_


async def test_26_mb_over_a_real_connection_are_refused_readably(tmp_path: Path) -> None:
    body = b" " * (26 * 1024 * 1024)

    async def unannounced() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 1 << 20):
            yield body[start : start + (1 << 20)]

    async with listening(tmp_path) as client:
        for content in (body, unannounced()):
            answer = await client.post("/webhook", content=content, headers=headers(body))
            assert answer.status_code == 413
            assert "larger than 26214400 bytes" in answer.text
        assert (await deliver(client, pull_request())).status_code == 202
