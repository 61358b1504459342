"""The third-party GitHub emulator of the npm package `emulate`, as a process of its own on loopback.

PLANPROOF_EMULATOR names its executable. Its seed gives one person, one organisation with one repository, and an App
that is installed on the organisation.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.stage import MANIFEST, free_port, until

VARIABLE = "PLANPROOF_EMULATOR"
EXECUTABLE = os.environ.get(VARIABLE)
ABSENT = f"{VARIABLE} does not name the executable of the npm package emulate"

OWNER, NAME, PERSON = "acme", "widgets", "ada"
TOKEN = "a-token-of-ada"
APP_ID = 4242
INSTALLATION_ID = 77
SLUG = "planproof"


def seed(private_key: str, webhook_url: str, secret: str) -> dict[str, Any]:
    """The emulator's seed file; the App asks for what its manifest asks GitHub for. `private_key` is PEM text."""
    return {
        "tokens": {TOKEN: {"login": PERSON, "scopes": ["repo", "user"]}},
        "github": {
            "users": [{"login": PERSON, "name": "Ada", "email": "ada@example.org"}],
            "orgs": [{"login": OWNER, "members": [{"login": PERSON, "role": "admin"}]}],
            "repos": [{"owner": OWNER, "name": NAME, "auto_init": True}],
            "apps": [
                {
                    "app_id": APP_ID,
                    "slug": SLUG,
                    "name": "Planproof",
                    "private_key": private_key,
                    "webhook_url": webhook_url,
                    "webhook_secret": secret,
                    "permissions": MANIFEST["default_permissions"],
                    "events": MANIFEST["default_events"],
                    "installations": [{"installation_id": INSTALLATION_ID, "account": OWNER}],
                }
            ],
        },
    }


@dataclass
class Emulator:
    """`start` waits until it answers; `api` is a plain client with the person's token, at acme/widgets."""

    executable: str
    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)
        port = free_port()
        self._port = str(port)
        # its links to next pages begin with this address, and a client follows links to the same host only
        self.url = f"http://127.0.0.1:{port}"
        self.api = httpx.Client(
            base_url=f"{self.url}/repos/{OWNER}/{NAME}",
            headers={"Authorization": f"Bearer {TOKEN}"},
            trust_env=False,
            timeout=30,
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, given: dict[str, Any]) -> None:
        file = self.folder / "seed.json"
        file.write_text(json.dumps(given), encoding="utf-8")
        command = [self.executable, "start", "--service", "github", "--port", self._port]
        command += ["--base-url", self.url, "--seed", str(file)]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command,
                cwd=self.folder,
                env={"PATH": os.environ["PATH"]},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        until(self._answers, f"the emulator did not start; its log: {self.folder / 'log'}")

    def _answers(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            text = (self.folder / "log").read_text(encoding="utf-8", errors="replace")
            raise RuntimeError(f"the emulator ended with {self._process.returncode}:\n{text[-4000:]}")
        try:
            return self.api.get("branches").status_code == 200
        except httpx.ConnectError:
            return False

    def stop(self) -> None:
        self.api.close()
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
