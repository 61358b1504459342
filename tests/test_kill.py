"""The server is really killed, and really started again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest

from tests.job_server import STEPS
from tests.machine import APP_ID, PEM, SECRET, deliver, pull_request, until

ROOT = Path(__file__).parent.parent


class Server:
    """One server process on a folder; `kill` is SIGKILL, `stop` is what a host does first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        environment = {
            "PATH": os.environ["PATH"],
            "PLANPROOF_APP_ID": str(APP_ID),
            "PLANPROOF_PRIVATE_KEY": PEM,
            "PLANPROOF_WEBHOOK_SECRET": SECRET,
            "PLANPROOF_DATA_DIR": str(folder / "data"),
            "PLANPROOF_PORT": str(self.port),
            "PLANPROOF_LOG": "json",
        }
        command = [sys.executable, "-m", "tests.job_server", str(folder)]
        self.log = (folder / "log").open("ab")
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log
        )

    async def up(self, client: httpx.AsyncClient) -> None:
        while True:
            assert self.process.poll() is None, (self.folder / "log").read_text()
            try:
                if (await client.get("/healthz")).json()["status"] == "ok":
                    return
            except httpx.TransportError:
                time.sleep(0.05)  # noqa: ASYNC251 - nothing else runs in this loop

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(30)
        self.log.close()
        return status


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[tuple[Server, httpx.AsyncClient]]:
    server = Server(folder)
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", trust_env=False) as client:
            await server.up(client)
            yield server, client
    finally:
        if server.process.poll() is None:
            server.kill()


def journal(folder: Path) -> list[str]:
    file = folder / "journal"
    return file.read_text().split() if file.exists() else []


def died(folder: Path, times: int) -> bool:
    return journal(folder).count("two") == times


@pytest.mark.parametrize("step", STEPS)
async def test_after_a_kill_in_a_step_only_that_step_runs_again(tmp_path: Path, step: str) -> None:
    hold = tmp_path / f"hold-{step}"
    hold.touch()
    async with running(tmp_path) as (server, client):
        assert (await deliver(client, pull_request())).status_code == 202
        await until(lambda: step in journal(tmp_path))
        server.kill()
    hold.unlink()
    async with running(tmp_path) as (server, client):
        await until((tmp_path / "end").exists)
        assert server.stop() == 0
    at = STEPS.index(step)
    assert journal(tmp_path) == [*STEPS[: at + 1], *STEPS[at:]]
    assert (tmp_path / "end").read_text().endswith("['ONE', 'TWO', 'THREE']")
    assert not (tmp_path / "failed").exists()


async def test_a_delivery_that_was_accepted_is_not_lost_when_the_process_dies_at_once(tmp_path: Path) -> None:
    async with running(tmp_path) as (server, client):
        assert (await deliver(client, pull_request())).status_code == 202
        server.kill()
    async with running(tmp_path):
        await until((tmp_path / "end").exists)


async def test_a_stop_in_the_middle_of_a_step_goes_on_at_the_next_start(tmp_path: Path) -> None:
    hold = tmp_path / "hold-two"
    hold.touch()
    async with running(tmp_path) as (server, client):
        await deliver(client, pull_request())
        await until(lambda: "two" in journal(tmp_path))
        assert server.stop() == 0
    hold.unlink()
    async with running(tmp_path):
        await until((tmp_path / "end").exists)
    assert journal(tmp_path) == ["one", "two", "two", "three"]
    log = (tmp_path / "log").read_text()
    assert '"level": "error"' not in log
    assert "Traceback" not in log


async def test_a_job_whose_process_dies_each_time_is_given_up_and_reported(tmp_path: Path) -> None:
    (tmp_path / "hold-two").touch()
    for death in range(1, 5):
        async with running(tmp_path) as (server, client):
            if death == 1:
                await deliver(client, pull_request())
            await until(partial(died, tmp_path, death))
            server.kill()
    async with running(tmp_path):
        await until((tmp_path / "failed").exists)
    assert "never finished" in (tmp_path / "failed").read_text()
    assert journal(tmp_path) == ["one", *["two"] * 4]
    assert not (tmp_path / "end").exists()


async def test_a_second_server_on_the_same_folder_ends_with_a_plain_message(tmp_path: Path) -> None:
    async with running(tmp_path):
        second = Server(tmp_path)
        assert second.process.wait(30) == 3
        second.log.close()
    log = (tmp_path / "log").read_text()
    assert "another Planproof process" in log
    assert "Traceback" not in log
