"""The real server as a process of its own, in front of the look-alike GitHub: for tests that read like the thread.

with staged(folder) as stage:
    pull = stage.look.open_pull(stage.repo, "plan", {...})
    stage.settle()
    assert stage.sticky(pull) == "…"
"""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import date, datetime
from pathlib import Path

import yaml

from tests import sample
from tests.lookalike import Lookalike, running
from tests.lookalike.fixtures import KeyPair, new_key_pair
from tests.lookalike.state import CheckRun, Installation, Issue, Repository

SECRET = "a secret of the stage"
ROLES = {"author": "write", "triager": "triage", "writer": "write", "owner": "admin"}
MANIFEST = yaml.safe_load((Path(__file__).parent.parent / "app.yml").read_text(encoding="utf-8"))
QUICK = "tests.quick_server"
LIVE = ("ENQUEUED", "DELAYED", "PENDING")


class Server:
    """`planproof serve` (or another `module`) with a data folder of its own. `start` waits until it answers, `kill` is
    kill -9."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str], port: int, arguments: Sequence[str] = ("bot.cli", "serve")
    ) -> None:
        self._arguments = arguments
        self.folder = folder
        self.url = f"http://127.0.0.1:{port}"
        self._environment = {"PATH": os.environ["PATH"], **environment}
        self._process: subprocess.Popen[bytes] | None = None
        self._port = port

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", *self._arguments],
                cwd=self.folder,
                env=self._environment,
                stdout=log,
                stderr=log,
            )
        until(self._answers, "the server did not start; its log: " + str(self.folder / "log"))

    def _answers(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            raise RuntimeError(f"the server ended with {self._process.returncode}:\n{self.log()[-4000:]}")
        with closing(socket.socket()) as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(30)
            self._process = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def log(self) -> str:
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    def busy(self) -> int:
        """Jobs that are not at their end."""
        database = self.folder / "data" / "planproof.db"
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)) as connection:
            marks = ", ".join("?" for _ in LIVE)
            query = f"SELECT count(*) FROM workflow_status WHERE status IN ({marks})"  # noqa: S608
            return int(connection.execute(query, LIVE).fetchone()[0])


class Stage:
    """Look-alike, repository acme/widgets, the App installed on it, and the server that gets its webhooks."""

    def __init__(self, look: Lookalike, server: Server, repo: Repository, installation: Installation) -> None:
        self.look = look
        self.server = server
        self.repo = repo
        self.installation = installation
        self.expected_errors: set[str] = set()

    def settle(self, *, seconds: float = 60.0) -> None:
        """Until every webhook is answered and every job at its end."""
        late = "the jobs did not end; the server's log: " + str(self.server.folder)
        sent = -1
        # a job may make something happen that is told in its turn
        while sent != len(self.look.outbox.attempts):
            sent = len(self.look.outbox.attempts)
            self.look.outbox.settle()
            until(lambda: self.server.busy() == 0, late, seconds=seconds)

    def ours(self, issue: Issue) -> list[str]:
        """The bodies of the App's comments."""
        return [comment.body for comment in self.look.comments_by(issue, "planproof[bot]")]

    def checks(self, pull: Issue) -> list[CheckRun]:
        """The App's check runs on the head."""
        assert pull.pull is not None
        return self.look.runs(self.repo, pull.pull.head_sha, name="planproof")

    def conclusions(self, pull: Issue) -> list[str | None]:
        return [run.conclusion for run in self.checks(pull)]

    def labels(self, issue: Issue) -> list[str]:
        return self.look.labels(issue)


@contextmanager
def staged(
    folder: Path,
    *,
    files: Mapping[str, str] | None = None,
    keys: KeyPair | None = None,
    settings: Mapping[str, str] | None = None,
    clock: Callable[[], datetime] | None = None,
    module: str | None = QUICK,
) -> Iterator[Stage]:
    """A stage below `folder`; `settings` are more of the server's, by their names in the environment. Without `clock`
    the look-alike's time is the same in every run. `module` is run as the server; None: `planproof
    serve`."""
    keys = keys or new_key_pair()
    look = Lookalike(folder / "github", clock=clock)
    for login in (*ROLES, "stranger"):
        look.account(login)
    data = folder / "server"
    data.mkdir(parents=True)
    (data / "key.pem").write_text(keys.private, encoding="utf-8")
    port = free_port()
    with running(look) as url:
        app = look.create_app(
            "planproof",
            keys.public,
            webhook_url=f"http://127.0.0.1:{port}/webhook",
            webhook_secret=SECRET,
            permissions=MANIFEST["default_permissions"],
            events=MANIFEST["default_events"],
        )
        repo = look.create_repository("acme/widgets", files or sample.files(date.today().isoformat()), roles=ROLES)  # noqa: DTZ011
        environment = {
            "PLANPROOF_APP_ID": str(app.id),
            "PLANPROOF_PRIVATE_KEY": str(data / "key.pem"),
            "PLANPROOF_WEBHOOK_SECRET": SECRET,
            "PLANPROOF_HOST": "127.0.0.1",
            "PLANPROOF_PORT": str(port),
            "PLANPROOF_GITHUB_API": url,
            "PLANPROOF_GIT_URL": look.git_http_url,
            "PLANPROOF_DATA_DIR": str(data / "data"),
            "PLANPROOF_WRITE_SPACING": "0",
            "PLANPROOF_LOG": "text",
        }
        arguments = (module,) if module is not None else ("bot.cli", "serve")
        server = Server(data, environment | dict(settings or {}), port, arguments)
        server.start()
        try:
            yield Stage(look, server, repo, look.install(app, "acme", by="owner"))
        finally:
            server.stop()


def until(holds: Callable[[], object], otherwise: str, *, seconds: float = 60.0) -> None:
    """Wait for a state that is certain to come; the limit only ends a test that hangs."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(otherwise)
        time.sleep(0.05)


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
