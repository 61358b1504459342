"""The repositories over smart HTTP and by path, with git itself as the client."""

from __future__ import annotations

import base64
import os
import subprocess
from pathlib import Path

import pytest

from tests.lookalike.asking import token
from tests.lookalike.fixtures import KeyPair
from tests.lookalike.people import Lookalike
from tests.lookalike.state import App, Installation, Repository


def git(*arguments: str, secret: str | None = None, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs git with the token in its environment, never in the address."""
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"}
    if secret is not None:
        basic = base64.b64encode(f"x-access-token:{secret}".encode()).decode()
        env |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.extraHeader"}
        env["GIT_CONFIG_VALUE_0"] = f"Authorization: Basic {basic}"
    return subprocess.run(["git", *arguments], env=env, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture
def secrets(github: Lookalike) -> Repository:
    return github.create_repository("acme/secrets", {"a.txt": "a\n", "big.txt": "b" * 100_000}, private=True)


def address(github: Lookalike, name: str = "secrets") -> str:
    return github.git_http_url.format(owner="acme", repo=name)


def test_a_private_repository_wants_a_token(
    github: Lookalike, secrets: Repository, acme_installation: Installation, app_keys: KeyPair, tmp_path: Path
) -> None:
    assert git("clone", address(github), str(tmp_path / "no")).returncode != 0
    wrong = git("clone", address(github), str(tmp_path / "no"), secret="ghs_wrong")
    assert wrong.returncode != 0
    right = git("clone", address(github), str(tmp_path / "yes"), secret=token(github, acme_installation, app_keys))
    assert right.returncode == 0, right.stderr
    assert (tmp_path / "yes" / "a.txt").read_text() == "a\n"
    assert [r.auth for r in github.git_requests][-1] == "basic"
    assert {r.status for r in github.git_requests} == {200, 401}


def test_git_follows_a_renamed_private_repository_with_its_token(
    github: Lookalike, secrets: Repository, acme_installation: Installation, app_keys: KeyPair, tmp_path: Path
) -> None:
    github.rename(secrets, "riddles")
    secret = token(github, acme_installation, app_keys)
    assert git("clone", address(github), str(tmp_path / "yes"), secret=secret).returncode == 0
    assert github.git_requests[0].status == 301
    assert git("clone", address(github), str(tmp_path / "no")).returncode != 0
    assert github.git_requests[-1].status == 401


def test_a_token_for_other_repositories_or_without_contents_finds_nothing(
    github: Lookalike, secrets: Repository, acme_installation: Installation, app_keys: KeyPair
) -> None:
    elsewhere = token(github, acme_installation, app_keys, repositories=["widgets"])
    blind = token(github, acme_installation, app_keys, permissions={"issues": "read"})
    for secret in (elsewhere, blind):
        assert git("ls-remote", address(github), secret=secret).returncode != 0
    assert {r.status for r in github.git_requests} == {404}


def test_a_public_repository_can_be_fetched_in_part(github: Lookalike, widgets: Repository, tmp_path: Path) -> None:
    sha = github.push(widgets, "main", {"big.txt": "b" * 100_000})
    target = tmp_path / "clone.git"
    got = git("clone", "--bare", "--depth=1", "--filter=blob:limit=1k", address(github, "widgets"), str(target))
    assert got.returncode == 0, got.stderr
    missing = git("rev-list", "--objects", "--missing=print", sha, cwd=target).stdout
    assert sum(line.startswith("?") for line in missing.splitlines()) == 1


def test_a_pull_requests_head_can_be_fetched_by_path(github: Lookalike, widgets: Repository) -> None:
    pull = github.open_pull(widgets, "idea", {"PLAN.md": "# Plan\n"}, user="stranger", fork=True)
    assert pull.pull is not None
    shown = git("ls-remote", github.git_path_url.format(owner="acme", repo="widgets"), "refs/pull/1/head")
    assert shown.stdout.split() == [pull.pull.head_sha, "refs/pull/1/head"]


def test_an_apps_push_takes_contents_write_and_is_heard_of(
    github: Lookalike, acme_installation: Installation, acme_app: App, app_keys: KeyPair, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    git("clone", address(github, "widgets"), str(work))
    (work / "new.txt").write_text("new\n")
    git("add", "new.txt", cwd=work)
    git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-m", "new", cwd=work)
    narrow = token(github, acme_installation, app_keys)
    assert git("push", "origin", "HEAD:fixes", secret=narrow, cwd=work).returncode != 0
    acme_installation.permissions["contents"] = "write"
    wide = token(github, acme_installation, app_keys)
    pushed = git("push", "origin", "HEAD:fixes", secret=wide, cwd=work)
    assert pushed.returncode == 0, pushed.stderr
    payload = github.outbox.of("push")[-1].payload
    assert (payload["ref"], payload["sender"]["login"]) == ("refs/heads/fixes", "planproof[bot]")
