"""pytest fixtures: the organisation acme, its repository widgets, its people, and an App installed on it.

Use them from a conftest.py: `from tests.lookalike.fixtures import *`, or name the module in `pytest_plugins`.
The `github` fixture fails the test at its end when a request did not conform to GitHub's description.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.lookalike.people import Lookalike
from tests.lookalike.server import running
from tests.lookalike.state import App, Installation, Repository

__all__ = ["KeyPair", "acme_app", "acme_installation", "app_keys", "github", "github_url", "lookalike", "widgets"]

WEBHOOK_SECRET = "a secret of tests"
APP_ID = 4242
ROLES = {"author": "write", "triager": "triage", "writer": "write", "owner": "admin"}
"""Who may do what in acme/widgets; `stranger` has no role there and `helper[bot]` is another App's bot."""
FILES = {
    "README.md": "# Widgets\n\nMakes widgets.\n",
    "src/widgets/__init__.py": '"""Widgets."""\n',
    "src/widgets/core.py": "def make(count: int) -> list[str]:\n    return ['widget'] * count\n",
    "tests/test_core.py": "from widgets.core import make\n\n\ndef test_make() -> None:\n    assert make(1)\n",
}


@dataclass(frozen=True)
class KeyPair:
    """PEM texts."""

    private: str
    public: str


def new_key_pair() -> KeyPair:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return KeyPair(private.decode(), public.decode())


@pytest.fixture(scope="session")
def app_keys() -> KeyPair:
    return new_key_pair()


@pytest.fixture
def lookalike(tmp_path: Path) -> Lookalike:
    """Empty, not running."""
    look = Lookalike(tmp_path / "github")
    for login in ("author", "triager", "writer", "owner", "stranger"):
        look.account(login)
    look.account("helper[bot]", kind="Bot")
    return look


@pytest.fixture
def acme_app(lookalike: Lookalike, app_keys: KeyPair) -> App:
    return lookalike.create_app("planproof", app_keys.public, app_id=APP_ID, webhook_secret=WEBHOOK_SECRET)


@pytest.fixture
def widgets(lookalike: Lookalike) -> Repository:
    return lookalike.create_repository("acme/widgets", FILES, roles=ROLES)


@pytest.fixture
def acme_installation(lookalike: Lookalike, acme_app: App, widgets: Repository) -> Installation:
    """On all repositories of acme, with the permissions the App asks for."""
    return lookalike.install(acme_app, "acme", by="owner")


@pytest.fixture
def github(lookalike: Lookalike, acme_installation: Installation) -> Iterator[Lookalike]:
    """The look-alike, running, with the App installed. Set `github.apps[APP_ID].webhook_url` to get its webhooks."""
    with running(lookalike):
        yield lookalike
    assert lookalike.problems == [], "requests that GitHub's description does not know"


@pytest.fixture
def github_url(github: Lookalike) -> str:
    return github.url
