"""Mirrors with real git: over file:// and over a smart HTTP server on loopback that asks for the token."""

from __future__ import annotations

import asyncio
import base64
import fcntl
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pygit2
import pytest

import bot
from bot.mirror import (
    FetchError,
    FetchFailed,
    FetchNotFound,
    FetchRefused,
    FetchTimeout,
    FetchTooLarge,
    MirrorLimits,
    Mirrors,
)
from bot.mirror.errors import explain
from tests.git_server import GitServer, git_server

TOKEN = "ghs_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4"
ENCODED = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
AUTHOR = pygit2.Signature("A", "a@example.org", 1_700_000_000, 0)
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@dataclass(frozen=True)
class Repo:
    id: int = 7
    owner: str = "acme"
    name: str = "shop"


REPO = Repo()


class Origin:
    """A bare repository on the server's side, written with plumbing: no work tree, no branch unless named."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.git = pygit2.init_repository(path, bare=True)
        self.path = path
        self.config("uploadpack.allowFilter", "true")

    def config(self, key: str, value: str) -> None:
        self.git.config[key] = value

    def commit(self, files: dict[str, bytes], *parents: str, ref: str | None = None) -> str:
        builder = self.git.TreeBuilder(self.git[parents[0]].peel(pygit2.Tree)) if parents else self.git.TreeBuilder()
        for name, content in files.items():
            builder.insert(name, self.git.create_blob(content), pygit2.enums.FileMode.BLOB)
        sha = str(self.git.create_commit(None, AUTHOR, AUTHOR, "change", builder.write(), list(parents)))
        if ref:
            self.git.references.create(ref, sha, force=True)
        return sha

    def line(self, count: int, *, start: str | None = None, name: str = "f", ref: str | None = None) -> list[str]:
        shas: list[str] = []
        for number in range(count):
            parents = [shas[-1]] if shas else [start] if start else []
            shas.append(self.commit({f"{name}{number}": b"%d" % number}, *parents))
        if ref:
            self.git.references.create(ref, shas[-1], force=True)
        return shas


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    return Origin(tmp_path / "origin" / "acme" / "shop.git")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    with git_server(tmp_path / "origin", TOKEN) as running:
        yield running


def by_file(tmp_path: Path, **limits: float | str) -> Mirrors:
    template = f"file://{tmp_path}/origin/{{owner}}/{{repo}}.git"
    return Mirrors(tmp_path / "data", template, limits=MirrorLimits(**limits))  # type: ignore[arg-type]


def by_http(tmp_path: Path, server: GitServer, **limits: float | str) -> Mirrors:
    return Mirrors(tmp_path / "data", server.template, limits=MirrorLimits(**limits))  # type: ignore[arg-type]


def history(path: Path, sha: str) -> list[str]:
    return [str(commit.id) for commit in pygit2.Repository(path).walk(sha, pygit2.enums.SortMode.TOPOLOGICAL)]


def content(repo: pygit2.Repository, sha: str, name: str) -> bytes:
    """The bytes of a file; KeyError when its blob is not there."""
    return repo[repo[sha].peel(pygit2.Tree)[name].id].read_raw()


def packs(path: Path) -> int:
    return len(list((path / "objects" / "pack").glob("*.pack")))


# what is fetched


async def test_a_pull_request_comes_with_its_commits_and_one_more(tmp_path: Path, origin: Origin) -> None:
    main = origin.line(20, ref="refs/heads/main")
    pull = origin.line(3, start=main[9], name="p", ref="refs/pull/1/head")
    path = await by_file(tmp_path).fetch(REPO, shas=[pull[-1], main[9]], refs=["refs/pull/1/head"], depth=4)
    assert history(path, pull[-1])[:4] == [*reversed(pull), main[9]]
    assert len(history(path, pull[-1])) < 10
    repo = pygit2.Repository(path)
    assert repo.is_bare
    assert repo.merge_base(pull[-1], main[9]) == main[9]
    assert repo.references["refs/pull/1/head"].target == pull[-1]
    assert content(repo, pull[-1], "f0") == b"0"
    assert path == tmp_path / "data" / "mirrors" / "7" / "1.git"


async def test_a_merge_base_deeper_than_the_depth_is_dug_out(tmp_path: Path, origin: Origin) -> None:
    main = origin.line(300, ref="refs/heads/main")
    pull = origin.line(3, start=main[255], name="p", ref="refs/pull/1/head")
    path = await by_file(tmp_path).fetch(REPO, shas=[pull[-1], main[-1]], depth=2)
    assert pygit2.Repository(path).merge_base(pull[-1], main[-1]) == main[255]
    assert (path / "shallow").exists()


async def test_histories_that_never_meet_are_no_error(tmp_path: Path, origin: Origin) -> None:
    one, two = origin.line(8, ref="refs/heads/one"), origin.line(8, name="g", ref="refs/heads/two")
    path = await by_file(tmp_path).fetch(REPO, shas=[one[-1], two[-1]], depth=2)
    assert pygit2.Repository(path).merge_base(one[-1], two[-1]) is None


async def test_digging_ends_at_its_limit(tmp_path: Path, origin: Origin) -> None:
    one, two = origin.line(40, ref="refs/heads/one"), origin.line(40, name="g", ref="refs/heads/two")
    path = await by_file(tmp_path, max_depth=10).fetch(REPO, shas=[one[-1], two[-1]], depth=2)
    assert len(history(path, one[-1])) == 10


async def test_without_a_depth_all_history_comes_also_after_a_shallow_fetch(tmp_path: Path, origin: Origin) -> None:
    main = origin.line(12, ref="refs/heads/main")
    mirrors = by_file(tmp_path)
    path = await mirrors.fetch(REPO, shas=[main[-1]], depth=2)
    assert len(history(path, main[-1])) == 2
    assert await mirrors.fetch(REPO, shas=[main[-1]]) == path
    assert len(history(path, main[-1])) == 12
    assert not (path / "shallow").exists()


async def test_a_shallow_fetch_hides_nothing_that_a_deeper_one_has_brought(tmp_path: Path, origin: Origin) -> None:
    main = origin.line(20, ref="refs/heads/main")
    side = origin.line(2, start=main[14], name="s", ref="refs/pull/2/head")
    mirrors = by_file(tmp_path)
    path = await mirrors.fetch(REPO, shas=[main[-1]], depth=10)
    assert len(history(path, main[-1])) == 10
    await mirrors.fetch(REPO, shas=[side[-1]], refs=["refs/pull/2/head"], depth=3)
    await mirrors.fetch(REPO, shas=[main[-4]], depth=2)
    assert len(history(path, main[-1])) == 10
    assert history(path, side[-1])[:3] == [side[1], side[0], main[14]]


async def test_what_is_there_already_costs_no_request(tmp_path: Path, origin: Origin, server: GitServer) -> None:
    main = origin.line(5, ref="refs/heads/main")
    mirrors = by_http(tmp_path, server)
    await mirrors.fetch(REPO, shas=[main[-1], main[-2]], depth=2, token=TOKEN)
    before = len(server.requests)
    await mirrors.fetch(REPO, shas=[main[-1], main[-2]], depth=2, token=TOKEN)
    assert len(server.requests) == before
    await mirrors.fetch(REPO, shas=[main[-1]], depth=4, token=TOKEN)
    assert len(server.requests) > before


async def test_a_ref_alone_is_brought_up_to_date_each_time(tmp_path: Path, origin: Origin) -> None:
    main = origin.line(3, ref="refs/heads/main")
    mirrors = by_file(tmp_path)
    path = await mirrors.fetch(REPO, refs=["refs/heads/main"], depth=1)
    assert pygit2.Repository(path).references["refs/heads/main"].target == main[-1]
    rewritten = origin.commit({"new": b"1"}, main[0], ref="refs/heads/main")
    await mirrors.fetch(REPO, refs=["refs/heads/main"], depth=1)
    assert pygit2.Repository(path).references["refs/heads/main"].target == rewritten


async def test_a_commit_that_the_branch_has_left_is_fetched_by_its_id(
    tmp_path: Path, origin: Origin, server: GitServer
) -> None:
    main = origin.line(3, ref="refs/heads/main")
    old = origin.commit({"old": b"1"}, main[-1])
    origin.commit({"new": b"1"}, main[-1], ref="refs/pull/1/head")
    path = await by_http(tmp_path, server).fetch(REPO, shas=[old], refs=["refs/pull/1/head"], depth=2, token=TOKEN)
    assert history(path, old) == [old, main[-1]]


async def test_a_branch_whose_name_became_a_folder_of_branches_is_no_obstacle(tmp_path: Path, origin: Origin) -> None:
    main = origin.line(2, ref="refs/heads/fix")
    mirrors = by_file(tmp_path)
    path = await mirrors.fetch(REPO, refs=["refs/heads/fix"], depth=1)
    origin.git.references.delete("refs/heads/fix")
    origin.commit({"x": b"1"}, main[-1], ref="refs/heads/fix/one")
    await mirrors.fetch(REPO, refs=["refs/heads/fix/one"], depth=1)
    assert "refs/heads/fix" not in pygit2.Repository(path).references
    origin.git.references.delete("refs/heads/fix/one")
    origin.commit({"y": b"1"}, main[-1], ref="refs/heads/fix")
    await mirrors.fetch(REPO, refs=["refs/heads/fix"], depth=1)


@pytest.mark.parametrize("over", ["file", "http"])
async def test_large_blobs_stay_away_and_are_unknown_not_damage(
    tmp_path: Path, origin: Origin, server: GitServer, over: str
) -> None:
    first = origin.commit({"large.bin": os.urandom(1_200_000), "small": b"s"}, ref="refs/heads/main")
    mirrors = by_file(tmp_path) if over == "file" else by_http(tmp_path, server)
    token = TOKEN if over == "http" else None
    path = await mirrors.fetch(REPO, shas=[first], depth=1, token=token)
    repo = pygit2.Repository(path)
    assert content(repo, first, "small") == b"s"
    with pytest.raises(KeyError):
        content(repo, first, "large.bin")
    # the next fetch builds on it
    second = origin.commit({"small": b"t"}, first, ref="refs/heads/main")
    assert await mirrors.fetch(REPO, shas=[second], depth=2, token=token) == path
    assert history(path, second) == [second, first]


async def test_a_server_without_filters_gives_everything(tmp_path: Path, origin: Origin) -> None:
    origin.config("uploadpack.allowFilter", "false")
    large = os.urandom(1_200_000)
    sha = origin.commit({"large.bin": large}, ref="refs/heads/main")
    path = await by_file(tmp_path).fetch(REPO, shas=[sha], depth=1)
    assert content(pygit2.Repository(path), sha, "large.bin") == large


async def test_a_submodule_and_a_hook_do_nothing(tmp_path: Path, origin: Origin) -> None:
    modules = b'[submodule "x"]\n\tpath = x\n\turl = file:///nowhere\n'
    sha = origin.commit({".gitmodules": modules}, ref="refs/heads/main")
    mirrors = by_file(tmp_path)
    path = await mirrors.fetch(REPO, shas=[sha], depth=1)
    hook = path / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n")
    hook.chmod(0o755)
    await mirrors.fetch(REPO, shas=[origin.commit({"b": b"1"}, sha, ref="refs/heads/main")], depth=2)
    assert not (tmp_path / "hooked").exists()
    assert not (path / "modules").exists()


async def test_malformed_objects_are_refused(tmp_path: Path, origin: Origin) -> None:
    blob = origin.git.create_blob(b"x")
    tree = origin.git.write(pygit2.enums.ObjectType.TREE, b"100644 ..\0" + blob.raw)
    raw = f"tree {tree}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx".encode()
    sha = str(origin.git.write(pygit2.enums.ObjectType.COMMIT, raw))
    origin.git.references.create("refs/heads/main", sha)
    with pytest.raises(FetchFailed, match="malformed objects"):
        await by_file(tmp_path).fetch(REPO, shas=[sha], depth=1)


@pytest.mark.parametrize(
    "people",
    [
        "author A <a@b>1 +0000\ncommitter A <a@b> 1 +0000",
        "author A <a@b> 1 +0000\ncommitter <a@b> 1 +0000",
        "author A <a@b> 1 +051800\ncommitter A <a@b> 1 +0000",
        "author A <a@b> 01 +0000\ncommitter A <a@b> 1 +0000",
    ],
)
async def test_flaws_of_old_tools_are_tolerated(tmp_path: Path, origin: Origin, people: str) -> None:
    first = origin.commit({"large.bin": os.urandom(1_200_000)}, ref="refs/heads/main")
    mirrors = by_file(tmp_path)
    await mirrors.fetch(REPO, shas=[first], depth=1)
    tree = origin.git.write(pygit2.enums.ObjectType.TREE, b"0100644 a\0" + origin.git.create_blob(b"x").raw)
    raw = f"tree {tree}\nparent {first}\n{people}\n\nx".encode()
    flawed = str(origin.git.write(pygit2.enums.ObjectType.COMMIT, raw))
    origin.git.references.create("refs/heads/main", flawed, force=True)
    path = await mirrors.fetch(REPO, shas=[flawed], depth=2)
    assert history(path, flawed) == [flawed, first]
    last = origin.commit({"b": b"1"}, flawed, ref="refs/heads/main")
    assert await mirrors.fetch(REPO, shas=[last], depth=2) == path


# the token


async def test_the_token_is_sent_and_stands_nowhere_else(
    tmp_path: Path, origin: Origin, server: GitServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    asyncio.get_running_loop().set_debug(True)
    sha = origin.line(3, ref="refs/heads/main")[-1]
    path = await by_http(tmp_path, server).fetch(REPO, shas=[sha], depth=1, token=TOKEN)
    assert server.authorizations == {f"Basic {ENCODED}"}
    for file in path.rglob("*"):
        if file.is_file():
            assert TOKEN.encode() not in file.read_bytes()
            assert ENCODED.encode() not in file.read_bytes()
    assert "git" in caplog.text
    assert TOKEN not in caplog.text
    assert ENCODED not in caplog.text


def _command_lines() -> dict[int, str]:
    lines = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                lines[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
    return lines


def _in_mirror(tmp_path: Path) -> dict[int, str]:
    """The git processes at work in the mirrors below `tmp_path`."""
    found = {}
    for pid, line in _command_lines().items():
        try:
            folder = os.readlink(f"/proc/{pid}/cwd")  # noqa: PTH115
        except OSError:
            continue
        if folder.startswith(f"{tmp_path}/data/mirrors"):
            found[pid] = line
    return found


async def _until_held(server: GitServer) -> None:
    async with asyncio.timeout(20):
        while not server.held:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def _until_none(tmp_path: Path) -> None:
    async with asyncio.timeout(20):
        while _in_mirror(tmp_path):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@linux
async def test_during_a_slow_fetch_no_command_line_holds_the_token(
    tmp_path: Path, origin: Origin, server: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANPROOF_PRIVATE_KEY", "the key of the app")
    sha = origin.line(3, ref="refs/heads/main")[-1]
    server.hold = True
    task = asyncio.create_task(by_http(tmp_path, server).fetch(REPO, shas=[sha], depth=1, token=TOKEN))
    await _until_held(server)
    at_work = _in_mirror(tmp_path)
    assert any("remote-http" in line for line in at_work.values())
    everything = "\n".join(_command_lines().values())
    environments = b"".join(Path(f"/proc/{pid}/environ").read_bytes() for pid in at_work)  # noqa: ASYNC240
    server.hold = False
    await task
    assert TOKEN not in everything
    assert ENCODED not in everything
    assert ENCODED.encode() in environments
    assert b"the key of the app" not in environments


async def test_a_token_goes_to_no_other_address_than_the_configured_one(
    tmp_path: Path, origin: Origin, server: GitServer
) -> None:
    server.status = 301
    with pytest.raises(FetchNotFound, match="has moved"):
        await by_http(tmp_path, server).fetch(REPO, shas=["0" * 40], token=TOKEN)
    assert len(server.requests) == 1


async def test_the_users_own_git_configuration_is_not_read(
    tmp_path: Path, origin: Origin, server: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "someone"
    home.mkdir()
    (home / ".netrc").write_text(f"machine 127.0.0.1 login x-access-token password {TOKEN}\n")
    (home / ".gitconfig").write_text(f'[http]\n\textraHeader = "Authorization: Basic {ENCODED}"\n')
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'http.extraheader=Authorization: Basic {ENCODED}'")
    monkeypatch.setenv("GIT_ASKPASS", "/bin/echo")
    sha = origin.line(3, ref="refs/heads/main")[-1]
    with pytest.raises(FetchRefused):
        await by_http(tmp_path, server).fetch(REPO, shas=[sha], depth=1)


# what can go wrong


async def test_a_refused_token_is_told_apart_and_not_shown(tmp_path: Path, origin: Origin, server: GitServer) -> None:
    sha = origin.line(1, ref="refs/heads/main")[-1]
    wrong = "ghs_wrongwrongwrongwrongwrong"
    with pytest.raises(FetchRefused) as caught:
        await by_http(tmp_path, server).fetch(REPO, shas=[sha], token=wrong)
    assert caught.value.reason == f"fetching {sha[:7]} of acme/shop was refused (401)"
    assert caught.value.detail
    told = caught.value.reason + caught.value.detail + repr(caught.value)
    assert wrong not in told
    assert base64.b64encode(f"x-access-token:{wrong}".encode()).decode() not in told


@pytest.mark.parametrize(
    ("status", "kind", "words", "transient"),
    [
        (403, FetchRefused, "was refused (403)", False),
        (404, FetchNotFound, "found nothing (404)", False),
        (429, FetchFailed, "too many requests", True),
        (500, FetchFailed, "the server had an error", True),
        (503, FetchFailed, "the server had an error", True),
    ],
)
async def test_what_the_server_answers_is_told_apart(
    tmp_path: Path, server: GitServer, status: int, kind: type[FetchError], words: str, transient: bool
) -> None:
    server.status = status
    with pytest.raises(kind) as caught:
        await by_http(tmp_path, server).fetch(REPO, shas=["1" * 40], token=TOKEN)
    assert words in caught.value.reason
    assert caught.value.transient is transient


async def test_a_server_that_is_not_there_is_worth_another_try(tmp_path: Path, server: GitServer) -> None:
    mirrors = Mirrors(tmp_path / "data", "http://127.0.0.1:9/{owner}/{repo}.git")
    with pytest.raises(FetchFailed, match="no connection") as caught:
        await mirrors.fetch(REPO, shas=["1" * 40])
    assert caught.value.transient


@pytest.mark.parametrize("over", ["file", "http"])
async def test_what_is_not_there_is_not_found(tmp_path: Path, origin: Origin, server: GitServer, over: str) -> None:
    sha = origin.line(1, ref="refs/heads/main")[-1]
    mirrors = by_file(tmp_path) if over == "file" else by_http(tmp_path, server)
    with pytest.raises(FetchNotFound) as caught:
        await mirrors.fetch(Repo(id=8, name="gone"), shas=[sha], token=TOKEN)
    assert caught.value.what == "repository"
    with pytest.raises(FetchNotFound, match="no such ref"):
        await mirrors.fetch(REPO, shas=[sha], refs=["refs/pull/9/head"], token=TOKEN)
    with pytest.raises(FetchNotFound, match="no such commit"):
        await mirrors.fetch(REPO, shas=["1" * 40], token=TOKEN)
    with pytest.raises(FetchNotFound, match=r"commit 1111111 is not in acme/shop"):
        await mirrors.fetch(REPO, shas=["1" * 40], refs=["refs/heads/main"], token=TOKEN)


@pytest.mark.parametrize(
    ("repo", "shas", "refs"),
    [
        (Repo(owner="../.."), ["1" * 40], []),
        (Repo(name=".."), ["1" * 40], []),
        (Repo(name="-u"), ["1" * 40], []),
        (Repo(owner="acme/x@evil.example"), ["1" * 40], []),
        (REPO, ["--upload-pack=touch x"], []),
        (REPO, ["HEAD"], []),
        (REPO, [], ["--all"]),
        (REPO, [], ["refs/heads/a:refs/heads/b"]),
        (REPO, [], ["refs/heads/*"]),
        (REPO, [], ["refs/../../x"]),
    ],
)
async def test_hostile_names_never_reach_git(tmp_path: Path, repo: Repo, shas: list[str], refs: list[str]) -> None:
    with pytest.raises(FetchError):
        await by_file(tmp_path).fetch(repo, shas=shas, refs=refs)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "template",
    ["ssh://git@example.org/{owner}/{repo}", "git@example.org:{owner}/{repo}", "ext::sh -c x", "x/{owner}",
     "https://me:secret@example.org/{owner}/{repo}"],
)  # fmt: skip
def test_an_address_that_is_not_plain_http_or_file_is_refused(tmp_path: Path, template: str) -> None:
    with pytest.raises(ValueError, match="git address") as caught:
        Mirrors(tmp_path, template)
    assert "secret" not in str(caught.value)


async def test_a_plain_path_is_an_address(tmp_path: Path, origin: Origin) -> None:
    main = origin.line(3, ref="refs/heads/main")
    path = await Mirrors(tmp_path / "data", f"{tmp_path}/origin/{{owner}}/{{repo}}.git").fetch(
        REPO, shas=[main[-1]], depth=2
    )
    assert len(history(path, main[-1])) == 2


@linux
async def test_a_fetch_that_takes_too_long_is_killed_with_its_helpers(
    tmp_path: Path, origin: Origin, server: GitServer
) -> None:
    sha = origin.line(1, ref="refs/heads/main")[-1]
    mirrors = by_http(tmp_path, server, seconds=1.5)
    server.hold = True
    with pytest.raises(FetchTimeout, match=r"took longer than 1\.5 s and was stopped"):
        await mirrors.fetch(REPO, shas=[sha], token=TOKEN)
    assert server.held
    await _until_none(tmp_path)
    server.hold = False
    await by_http(tmp_path, server).fetch(REPO, shas=[sha], token=TOKEN)


@linux
async def test_a_cancelled_fetch_is_killed_with_its_helpers_and_the_next_one_works(
    tmp_path: Path, origin: Origin, server: GitServer
) -> None:
    sha = origin.line(1, ref="refs/heads/main")[-1]
    mirrors = by_http(tmp_path, server)
    server.hold = True
    task = asyncio.create_task(mirrors.fetch(REPO, shas=[sha], token=TOKEN))
    await _until_held(server)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await _until_none(tmp_path)
    server.hold = False
    await mirrors.fetch(REPO, shas=[sha], token=TOKEN)


async def test_git_that_is_not_installed_is_said_plainly(
    tmp_path: Path, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FetchFailed, match="git is not installed"):
        await by_file(tmp_path).fetch(REPO, shas=["1" * 40])


async def test_a_data_folder_that_cannot_be_written_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(FetchFailed, match="cannot be written"):
        await by_file(tmp_path).fetch(REPO, shas=["1" * 40])


def test_names_from_outside_do_not_decide_what_an_error_is() -> None:
    text = "fatal: unable to access 'http://h/error-404/corrupt-db.git/': Failed to connect to h port 80"
    assert explain("fetching x", text, 128).reason == "fetching x failed: no connection"
    text = "fatal: couldn't find remote ref refs/heads/401-Authentication-redirect"
    assert isinstance(explain("fetching x", text, 128), FetchNotFound)
    assert explain("fetching x", "something new", 128).reason == "fetching x failed (git ended with 128)"


# one mirror, many users


async def test_fetches_of_one_mirror_wait_for_each_other(tmp_path: Path, origin: Origin, server: GitServer) -> None:
    main = origin.line(1, ref="refs/heads/main")
    pulls = [origin.line(2, start=main[0], name=f"p{n}-", ref=f"refs/pull/{n}/head") for n in range(6)]
    mirrors = by_http(tmp_path, server)
    paths = await asyncio.gather(
        *(
            mirrors.fetch(REPO, shas=[pull[-1], main[0]], refs=[f"refs/pull/{n}/head"], depth=3, token=TOKEN)
            for n, pull in enumerate(pulls)
        )
    )
    assert len(set(paths)) == 1
    for pull in pulls:
        assert history(paths[0], pull[-1]) == [pull[1], pull[0], main[0]]


async def test_the_second_of_two_equal_fetches_uses_what_the_first_brought(
    tmp_path: Path, origin: Origin, server: GitServer
) -> None:
    sha = origin.line(1, ref="refs/heads/main")[-1]
    mirrors = by_http(tmp_path, server)
    await mirrors.fetch(REPO, shas=[sha], depth=1, token=TOKEN)
    alone = len(server.requests)
    sha = origin.commit({"g": b"1"}, sha, ref="refs/heads/main")
    await asyncio.gather(*(mirrors.fetch(REPO, shas=[sha], depth=1, token=TOKEN) for _ in range(3)))
    assert len(server.requests) == 2 * alone


async def test_two_repositories_do_not_wait_for_each_other(tmp_path: Path, origin: Origin, server: GitServer) -> None:
    sha = origin.line(1, ref="refs/heads/main")[-1]
    other = Origin(tmp_path / "origin" / "acme" / "other.git").line(1, ref="refs/heads/main")[-1]
    mirrors = by_http(tmp_path, server)
    server.hold = True
    waiting = asyncio.create_task(mirrors.fetch(REPO, shas=[sha], token=TOKEN))
    await _until_held(server)
    server.hold = False
    await mirrors.fetch(Repo(id=8, name="other"), shas=[other], token=TOKEN)
    await waiting


async def test_another_process_in_the_mirror_is_waited_for(tmp_path: Path, origin: Origin) -> None:
    sha = origin.line(1, ref="refs/heads/main")[-1]
    await by_file(tmp_path).fetch(REPO, shas=[sha], depth=1)
    with (tmp_path / "data" / "mirrors" / "7.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(FetchTimeout, match="another fetch"):
            await by_file(tmp_path, seconds=0.3).fetch(REPO, shas=[sha], depth=1)
    await by_file(tmp_path).fetch(REPO, shas=[sha], depth=1)


_SERVER = """
import asyncio, json, sys
from pathlib import Path
from bot.mirror import Mirrors
from tests.test_mirror import REPO, TOKEN

data, template, sha = json.loads(sys.argv[1])
asyncio.run(Mirrors(Path(data), template).fetch(REPO, shas=[sha], depth=1, token=TOKEN))
"""


@linux
async def test_a_fetch_that_outlives_its_killed_server_keeps_the_next_one_out_until_it_ends(
    tmp_path: Path, origin: Origin, server: GitServer
) -> None:
    sha = origin.line(2, ref="refs/heads/main")[-1]
    server.hold = True
    passed = json.dumps([str(tmp_path / "data"), server.template, sha])
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _SERVER, passed, cwd=Path(bot.__path__[0]).parent
    )
    await _until_held(server)
    process.kill()
    await process.wait()
    assert _in_mirror(tmp_path)
    with pytest.raises(FetchTimeout, match="another fetch"):
        await by_http(tmp_path, server, seconds=0.3).fetch(REPO, shas=[sha], depth=1, token=TOKEN)
    server.hold = False
    path = await by_http(tmp_path, server).fetch(REPO, shas=[sha], depth=1, token=TOKEN)
    assert history(path, sha) == [sha]


async def test_what_a_killed_fetch_left_behind_is_cleared_away(tmp_path: Path, origin: Origin) -> None:
    sha = origin.line(1, ref="refs/heads/main")[-1]
    mirrors = by_file(tmp_path)
    path = await mirrors.fetch(REPO, shas=[sha], depth=1)
    leftovers = [path / "shallow.lock", path / "refs" / "heads" / "main.lock", path / "objects" / "pack" / "tmp_pack_x"]
    for leftover in leftovers:
        leftover.write_bytes(b"")
    sha = origin.commit({"g": b"1"}, sha, ref="refs/heads/main")
    assert await mirrors.fetch(REPO, shas=[sha], refs=["refs/heads/main"], depth=1) == path
    assert not any(leftover.exists() for leftover in leftovers)


async def test_a_fetch_that_broke_off_after_its_pack_was_stored_is_not_built_on(tmp_path: Path, origin: Origin) -> None:
    main = origin.line(3, ref="refs/heads/main")
    mirrors = by_file(tmp_path)
    path = await mirrors.fetch(REPO, shas=[main[0]], depth=1)
    # as the machine would be found: the pack is there, the shallow list and the refs are not written
    (path / "planproof-fetching").write_text("\n".join(p.name for p in (path / "objects" / "pack").glob("*.pack")))
    pack = subprocess.run(  # noqa: ASYNC221
        ["git", f"--git-dir={origin.path}", "pack-objects", "--stdout"],
        input=main[2].encode(), capture_output=True, check=True,
    ).stdout  # fmt: skip
    subprocess.run(["git", f"--git-dir={path}", "index-pack", "--stdin"], input=pack, check=True, capture_output=True)  # noqa: ASYNC221
    assert main[2] in pygit2.Repository(path)
    renewed = await mirrors.fetch(REPO, shas=[main[2]], depth=2)
    assert renewed != path
    assert history(renewed, main[2]) == [main[2], main[1]]


@pytest.mark.parametrize("harm", ["pack", "HEAD", "objects", "shallow"])
async def test_a_damaged_mirror_is_begun_anew(tmp_path: Path, origin: Origin, harm: str) -> None:
    main = origin.line(4, ref="refs/heads/main")
    mirrors = by_file(tmp_path)
    path = await mirrors.fetch(REPO, shas=[main[2]], depth=2)
    if harm == "pack":
        for pack in (path / "objects" / "pack").iterdir():
            pack.chmod(0o644)
            pack.write_bytes(b"not a pack any more" * 50)
    elif harm == "objects":
        for pack in (path / "objects" / "pack").iterdir():
            pack.unlink()
    else:
        (path / harm).write_bytes(b"\0garbage\n")
    renewed = await mirrors.fetch(REPO, shas=[main[3]], depth=2)
    assert history(renewed, main[3]) == [main[3], main[2]]


# disk


async def test_a_mirror_of_many_fetches_is_begun_anew_and_its_readers_keep_theirs(
    tmp_path: Path, origin: Origin
) -> None:
    mirrors = by_file(tmp_path, max_packs=2)
    main = origin.line(6, ref="refs/heads/main")
    paths = [await mirrors.fetch(REPO, shas=[sha], depth=1) for sha in main]
    assert [path.name for path in paths] == ["1.git", "1.git", "2.git", "2.git", "3.git", "3.git"]
    assert not paths[0].exists()
    assert history(paths[2], main[2]) == [main[2]]
    assert packs(paths[-1]) == 2


async def test_a_repository_over_the_size_limit_is_given_up_and_leaves_nothing(
    tmp_path: Path, origin: Origin, server: GitServer
) -> None:
    sha = origin.commit({f"{n}": os.urandom(900_000) for n in range(5)}, ref="refs/heads/main")
    mirrors = by_http(tmp_path, server, max_bytes=1 << 20, watch_seconds=0.001)
    with pytest.raises(FetchTooLarge, match="more than 1 MB"):
        await mirrors.fetch(REPO, shas=[sha], depth=1, token=TOKEN)
    assert await mirrors.size(REPO.id) < 1 << 20


async def test_removing_a_mirror_frees_its_space_and_is_no_error_twice(tmp_path: Path, origin: Origin) -> None:
    sha = origin.commit({"a": os.urandom(100_000)}, ref="refs/heads/main")
    mirrors = by_file(tmp_path)
    path = await mirrors.fetch(REPO, shas=[sha], depth=1)
    assert await mirrors.size(REPO.id) > 100_000
    await mirrors.remove(REPO.id)
    assert not path.exists()
    assert await mirrors.size(REPO.id) == 0
    await mirrors.remove(REPO.id)
    await mirrors.fetch(REPO, shas=[sha], depth=1)
