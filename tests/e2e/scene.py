"""The emulator, the server that gets its webhooks, and the few verbs that a thread needs.

What people do goes through the emulator's REST API, and what was posted is read back through it.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from tests import sample
from tests.e2e.emulator import APP_ID, NAME, OWNER, Emulator, seed
from tests.e2e.git_data import GitCopy
from tests.e2e.relay import Delivery, Relay, relaying
from tests.lookalike.fixtures import new_key_pair
from tests.stage import Server, free_port, until

SECRET = "a secret of the emulator's App"


class Scene:
    """acme/widgets at the emulator, with the sample's files on its branch main."""

    def __init__(self, emulator: Emulator, relay: Relay, server: Server, copy: GitCopy) -> None:
        self.emulator = emulator
        self.relay = relay
        self.server = server
        self._copy = copy
        self._last = 0
        self._errors = 0
        first = self._commit("main", sample.files(date.today().isoformat()))  # noqa: DTZ011
        self.emulator.api.patch("git/refs/heads/main", json={"sha": first}).raise_for_status()
        copy.fetch("main")

    # ---- what people do ------------------------------------------------------------------------
    def open_pull(self, branch: str, files: Mapping[str, str], *, title: str = "A change", body: str = "") -> int:
        """A branch from main with one commit, and its pull request; the number. Its webhook was answered."""
        self._post("git/refs", {"ref": f"refs/heads/{branch}", "sha": self._commit(branch, files)})
        # the emulator tells of the pull request at once, and by then git must have its ref
        number = self._last + 1
        self._copy.fetch(branch, f"refs/pull/{number}/head")
        opened = self._post("pulls", {"title": title, "body": body, "head": branch, "base": "main"})
        return self._told("pull_request", opened, number)

    def open_issue(self, title: str, body: str) -> int:
        return self._told("issues", self._post("issues", {"title": title, "body": body}), self._last + 1)

    def rerun(self, check: Mapping[str, Any]) -> Delivery:
        """What Re-run does; the delivery that told of it."""
        before = len(self.relay.deliveries)
        self._post(f"check-runs/{check['id']}/rerequest")
        asked = ("check_run", "rerequested")

        def told() -> list[Delivery]:
            return [
                each for each in self.relay.deliveries[before:] if (each.event, each.payload.get("action")) == asked
            ]

        until(told, "no delivery told of the re-run")
        self.settle()
        return told()[0]

    def delivery(self, event: str, number: int) -> Delivery:
        """The one delivery that told of the opening."""
        [found] = self._openings(event, number)
        return found

    def settle(self) -> None:
        """Until every job is at its end."""
        until(lambda: self.server.busy() == 0, f"the jobs did not end; the server's log: {self.server.folder}")

    # ---- what stands there ---------------------------------------------------------------------
    def comments(self, number: int) -> list[dict[str, Any]]:
        return list(self._get(f"issues/{number}/comments"))

    def labels(self, number: int) -> list[str]:
        return [label["name"] for label in self._get(f"issues/{number}/labels")]

    def checks(self, number: int) -> list[dict[str, Any]]:
        """Every check run on the head, also those that a newer one hides."""
        head = self._get(f"pulls/{number}")["head"]["sha"]
        return list(self._get(f"commits/{head}/check-runs?filter=all")["check_runs"])

    def annotations(self, check: Mapping[str, Any]) -> list[dict[str, Any]]:
        return list(self._get(f"check-runs/{check['id']}/annotations")["check_annotations"])

    def label(self, name: str) -> dict[str, Any]:
        """The repository's label."""
        [found] = [label for label in self._get("labels?per_page=100") if label["name"] == name]
        return dict(found)

    def standing(self, number: int) -> dict[str, Any]:
        """All that the App could have written to, as the API tells it."""
        pull = self._get(f"pulls/{number}")
        return {
            "comments": self.comments(number),
            "labels": self.labels(number),
            "checks": self.checks(number),
            "state": (pull["state"], pull["title"], pull["body"], pull["head"]["sha"]),
        }

    def new_errors(self) -> list[str]:
        """The errors in the server's log since the last call."""
        errors = [line for line in self.server.log().splitlines() if " error " in line]
        fresh, self._errors = errors[self._errors :], len(errors)
        return fresh

    # ---- underneath ----------------------------------------------------------------------------
    def _commit(self, branch: str, files: Mapping[str, str]) -> str:
        """A commit of `files` over main, meant for `branch`; its id."""
        tip = self._get("git/ref/heads/main")["object"]["sha"]
        base = self._get(f"git/commits/{tip}")["tree"]["sha"]
        entries = [
            {"path": path, "mode": "100644", "type": "blob", "sha": self._blob(text)} for path, text in files.items()
        ]
        tree = self._post("git/trees", {"base_tree": base, "tree": entries})["sha"]
        # named after its branch: equal commits of one second would be one head of two pull requests
        commit = {"message": f"Change {branch}", "tree": tree, "parents": [tip]}
        return str(self._post("git/commits", commit)["sha"])

    def _blob(self, text: str) -> str:
        content = base64.b64encode(text.encode()).decode()
        return str(self._post("git/blobs", {"content": content, "encoding": "base64"})["sha"])

    def _told(self, event: str, opened: Mapping[str, Any], number: int) -> int:
        assert opened["number"] == number
        self._last = number
        until(lambda: self._openings(event, number), f"no delivery told of #{number}")
        self.settle()
        return number

    def _openings(self, event: str, number: int) -> list[Delivery]:
        return [
            each
            for each in list(self.relay.deliveries)
            if (each.event, each.number, each.payload.get("action")) == (event, number, "opened")
        ]

    def _get(self, path: str) -> Any:
        return self.emulator.api.get(path).raise_for_status().json()

    def _post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        answer = self.emulator.api.post(path, json=body).raise_for_status()
        return answer.json() if answer.content else None


@contextmanager
def staged(executable: str, folder: Path) -> Iterator[Scene]:
    """Emulator, relay and server below `folder`; all three end with the block."""
    keys = new_key_pair()
    data = folder / "server"
    data.mkdir(parents=True)
    (data / "key.pem").write_text(keys.private, encoding="utf-8")
    port = free_port()
    emulator = Emulator(executable, folder / "emulator")
    copy = GitCopy(emulator.api, folder / "git" / OWNER / f"{NAME}.git")
    environment = {
        "PLANPROOF_APP_ID": str(APP_ID),
        "PLANPROOF_PRIVATE_KEY": str(data / "key.pem"),
        "PLANPROOF_WEBHOOK_SECRET": SECRET,
        "PLANPROOF_HOST": "127.0.0.1",
        "PLANPROOF_PORT": str(port),
        "PLANPROOF_GITHUB_API": emulator.url,
        "PLANPROOF_GIT_URL": str(folder / "git" / "{owner}" / "{repo}.git"),
        "PLANPROOF_DATA_DIR": str(data / "data"),
        "PLANPROOF_WRITE_SPACING": "0",
        "PLANPROOF_LOG": "text",
    }
    server = Server(data, environment, port)
    with relaying(f"{server.url}/webhook") as relay:
        try:
            emulator.start(seed(keys.private, relay.url, SECRET))
            # before the server, so that it hears of nothing that git does not have yet
            scene = Scene(emulator, relay, server, copy)
            server.start()
            yield scene
        finally:
            server.stop()
            emulator.stop()
