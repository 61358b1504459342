"""A bare repository rebuilt from GitHub's git database API, for a server that speaks no git protocol.

Every object is written anew and must get the id that the API gives it, so what is judged is what the API holds.
"""

from __future__ import annotations

import base64
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pygit2


class GitCopy:
    """`api` is a client at one repository (`/repos/{owner}/{repo}`); the copy is the bare repository `path`."""

    def __init__(self, api: httpx.Client, path: Path) -> None:
        self._api = api
        self.repo = pygit2.init_repository(str(path), bare=True, initial_head="main")

    def fetch(self, branch: str, *refs: str) -> str:
        """Bring in a branch with its whole history, and set further `refs` (full names) to its tip; the tip's id."""
        tip = self._get(f"git/ref/heads/{branch}")["object"]["sha"]
        self._commit(tip)
        for name in (f"refs/heads/{branch}", *refs):
            self.repo.references.create(name, tip, force=True)
        return str(tip)

    def _get(self, path: str) -> Any:
        return self._api.get(path).raise_for_status().json()

    def _commit(self, tip: str) -> None:
        # parents before children, without a call for each generation
        waiting = [tip]
        while waiting:
            sha = waiting[-1]
            if sha in self.repo:
                waiting.pop()
                continue
            commit = self._get(f"git/commits/{sha}")
            parents = [parent["sha"] for parent in commit["parents"]]
            missing = [parent for parent in parents if parent not in self.repo]
            if missing:
                waiting += missing
                continue
            self._tree(commit["tree"]["sha"])
            who = (_signature(commit["author"]), _signature(commit["committer"]))
            # the emulator's objects end with a line break that its API does not show
            message = commit["message"].removesuffix("\n") + "\n"
            made = self.repo.create_commit(None, *who, message, commit["tree"]["sha"], parents)
            _same(made, sha)

    def _tree(self, sha: str) -> None:
        if sha in self.repo:
            return
        builder = self.repo.TreeBuilder()
        for entry in self._get(f"git/trees/{sha}")["tree"]:
            if entry["type"] == "tree":
                self._tree(entry["sha"])
            elif entry["type"] == "blob":
                self._blob(entry["sha"])
            builder.insert(entry["path"], entry["sha"], int(entry["mode"], 8))
        _same(builder.write(), sha)

    def _blob(self, sha: str) -> None:
        if sha not in self.repo:
            _same(self.repo.create_blob(base64.b64decode(self._get(f"git/blobs/{sha}")["content"])), sha)


def _signature(person: dict[str, str]) -> pygit2.Signature:
    return pygit2.Signature(person["name"], person["email"], int(datetime.fromisoformat(person["date"]).timestamp()), 0)


def _same(made: pygit2.Oid, sha: str) -> None:
    if str(made) != sha:
        raise ValueError(f"the API says {sha}, git says {made}")
