"""The engine pool with real processes: what a child can see, what ends it, and what is left when the parent dies."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from base64 import b64decode
from datetime import date
from pathlib import Path

import pygit2
import pytest

import bot
from bot.engine_process import (
    EngineCrashed,
    EngineFailed,
    EngineLimits,
    EngineOutOfMemory,
    EnginePool,
    EngineRefused,
    EngineTimeout,
)
from schemas.engine import PlanCheckRequest, Request
from schemas.plan_check_result import PlanCheckResult
from schemas.verify_report import FindingType, Verdict, VerifyReport
from tests.git_repo import Link, build_repo

WORKER = "tests.engine_ops"
SECRET = "ghs_0123456789abcdefghijklmnopqrstuvwxyz"
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def pool(size: int = 1, **limits: float) -> EnginePool:
    return EnginePool(size, limits=EngineLimits(**limits), worker=WORKER)  # type: ignore[arg-type]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def until_gone(pid: int) -> None:
    async with asyncio.timeout(20):
        while alive(pid):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def content_of(path: Path) -> str:
    async with asyncio.timeout(20):
        while not (path.exists() and path.read_text()):  # noqa: ASYNC110, ASYNC240
            await asyncio.sleep(0.01)
    return path.read_text()  # noqa: ASYNC240


async def test_an_answer_comes_back_and_the_process_is_used_again() -> None:
    async with pool() as engines:
        assert await engines.run("echo", {"text": "häuser \ud800 🙂", "n": [1, None]}) == {
            "text": "häuser \ud800 🙂",
            "n": [1, None],
        }
        first = (await engines.run("look_around", {}))["pid"]
        assert (await engines.run("look_around", {}))["pid"] == first


async def test_a_request_of_several_megabytes_goes_through() -> None:
    async with pool() as engines:
        text = "x" * (5 << 20)
        assert await engines.run("echo", {"text": text}) == {"text": text}


async def test_a_process_is_replaced_after_its_last_run() -> None:
    async with pool(runs=2) as engines:
        pids = [(await engines.run("look_around", {}))["pid"] for _ in range(4)]
    assert pids[0] == pids[1] != pids[2] == pids[3]


async def test_runs_beyond_the_pool_size_wait_for_a_process(tmp_path: Path) -> None:
    async with pool(2) as engines:
        marks = [tmp_path / str(n) for n in range(5)]
        await asyncio.gather(*(engines.run("sleep", {"mark": str(m), "seconds": 0.01}) for m in marks))
        assert len({m.read_text() for m in marks}) <= 2
        assert len(engines.pids) <= 2


async def test_an_unused_process_goes_after_its_idle_time() -> None:
    async with pool(idle_seconds=0.01) as engines:
        pid = (await engines.run("look_around", {}))["pid"]
        await until_gone(pid)
        assert (await engines.run("look_around", {}))["pid"] != pid


async def test_an_idle_process_killed_from_outside_costs_no_run() -> None:
    async with pool() as engines:
        pid = (await engines.run("look_around", {}))["pid"]
        os.kill(pid, signal.SIGKILL)
        await until_gone(pid)
        await asyncio.sleep(0.05)
        assert await engines.run("echo", {}) == {}


async def test_a_closed_pool_leaves_no_process_and_no_folder() -> None:
    async with pool(2) as engines:
        seen = await asyncio.gather(engines.run("look_around", {}), engines.run("look_around", {}))
    assert not any(alive(s["pid"]) for s in seen)
    assert not Path(seen[0]["cwd"]).exists()  # noqa: ASYNC240
    with pytest.raises(RuntimeError):
        await engines.run("echo", {})


# the engines themselves, in the worker that is shipped

PLAN = b"""# Counter

### Task 1: Count

**Files:**
- Modify: `src/absent.py`

- [ ] **Step 1: Write the code**
"""


@pytest.fixture
def repository(tmp_path: Path) -> tuple[str, str]:
    """A bare repository of one plan and one file: its path and the commit."""
    repo = pygit2.init_repository(tmp_path / "repo", bare=True)
    author = pygit2.Signature("A", "a@example.org", 1_700_000_000, 0)
    tree: str | None = None
    for folder, name, content in (("src", "counter.py", b"n = 0\n"), ("plans", "count.md", PLAN)):
        inner = repo.TreeBuilder()
        inner.insert(name, repo.create_blob(content), pygit2.enums.FileMode.BLOB)
        outer = repo.TreeBuilder(tree) if tree is not None else repo.TreeBuilder()
        outer.insert(folder, inner.write(), pygit2.enums.FileMode.TREE)
        tree = str(outer.write())
    return str(tmp_path / "repo"), str(repo.create_commit("refs/heads/main", author, author, "plan", tree or "", []))


async def test_a_plan_is_judged_in_a_child(repository: tuple[str, str]) -> None:
    repo, sha = repository
    async with EnginePool(1) as engines:
        plans = await engines.run("find_plans", {"repo": repo, "rev": sha})
        request = Request(repo=repo, plan=plans[0], rev=sha)
        report = VerifyReport.model_validate(await engines.run("judge", request.model_dump(mode="json")))
    assert plans == ["plans/count.md"]
    assert report.verdict is Verdict.NEEDS_FIX
    assert [(f.type, f.subject) for f in report.findings if f.gating] == [(FindingType.MISSING_PATH, "src/absent.py")]


async def test_a_repository_or_commit_that_is_not_there_is_refused_in_words(
    repository: tuple[str, str], tmp_path: Path
) -> None:
    repo, sha = repository
    async with EnginePool(1) as engines:
        with pytest.raises(EngineRefused, match="repository"):
            await engines.run("judge", {"repo": str(tmp_path / "nowhere"), "plan": "p.md", "rev": sha})
        with pytest.raises(EngineRefused):
            await engines.run("judge", {"repo": repo, "plan": "plans/count.md", "rev": "1" * 40})
        with pytest.raises(EngineRefused):
            await engines.run("find_plans", {"repo": repo, "rev": "1" * 40})
        assert len(engines.pids) == 1


async def test_a_request_of_the_wrong_shape_fails_in_the_child_alone() -> None:
    async with EnginePool(1) as engines:
        with pytest.raises(EngineFailed, match="ValidationError"):
            await engines.run("judge", {"what": 1})


async def test_the_plan_check_runs_in_a_child(repository: tuple[str, str]) -> None:
    repo, sha = repository
    asked = PlanCheckRequest(repo=repo, rev=sha, text="# Counter\n\nCounts things.\n", today=date(2026, 7, 2))
    async with EnginePool(1) as engines:
        answer = PlanCheckResult.model_validate(await engines.run("plan_check", asked.model_dump(mode="json")))
    assert answer.verdict == "new"
    assert answer.reason == "this repository has no capability index"


async def test_files_are_read_at_a_commit_and_nowhere_else(repository: tuple[str, str]) -> None:
    repo, sha = repository
    async with EnginePool(1) as engines:
        paths = ["src/counter.py", "src/absent.py", "../repo/HEAD", "/proc/self/environ", "src"]
        assert await engines.run("read", {"repo": repo, "rev": sha, "paths": paths}) == {"src/counter.py": "n = 0\n"}


async def test_files_are_read_as_they_are_with_what_cannot_be_read(tmp_path: Path) -> None:
    made = build_repo(tmp_path, {"a": b"\xffx\0\r\n", "b": b"#" * 3_000_000, "c/d": "x", "e": Link("a")})
    asked = {"repo": str(made.path), "rev": made.head, "paths": ["a", "b", "c", "e", "f", "../a"], "raw": True}
    async with EnginePool(1) as engines:
        found = await engines.run("read", asked)
    assert b64decode(found["a"].pop("base64")) == b"\xffx\0\r\n"
    ids = {path: each.pop("blob") for path, each in found.items()}
    assert len(set(ids.values())) == 3
    assert found == {
        "a": {},
        "b": {"problem": "too large to read (3,000,000 bytes, the limit is 1,048,576 bytes)"},
        "c": {"problem": "a directory"},
    }


# what a child can see


@linux
async def test_the_environment_of_a_child_holds_no_key_and_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PLANPROOF_PRIVATE_KEY", "PLANPROOF_WEBHOOK_SECRET", "OPENAI_API_KEY", "GITHUB_TOKEN", "HOME"):
        monkeypatch.setenv(name, SECRET)
    async with pool() as engines:
        seen = await engines.run("look_around", {})
    assert SECRET not in seen["environ"]
    assert SECRET not in seen["cmdline"]
    names = {entry.partition("=")[0] for entry in seen["environ"].split("\0") if entry}
    assert names <= {"PYTHONPATH", "LD_LIBRARY_PATH"}
    # Python itself sets LC_CTYPE when it finds no locale
    assert set(seen["os_environ"]) <= {"PYTHONPATH", "LD_LIBRARY_PATH", "LC_CTYPE"}


@linux
async def test_a_child_has_an_empty_folder_its_own_group_and_no_inherited_descriptor(tmp_path: Path) -> None:
    with (tmp_path / "database").open("w") as database:
        os.set_inheritable(database.fileno(), True)
        async with pool() as engines:
            seen = await engines.run("look_around", {})
    assert seen["cwd_entries"] == []
    assert seen["group"] == seen["pid"]
    assert seen["core"] == [0, 0]
    assert not [name for name in seen["descriptors"] if "database" in name or "socket" in name]


async def test_packages_in_the_working_directory_of_the_server_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged_tree(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "intruder.py"))
    async with pool() as engines:
        seen = await engines.run("look_around", {})
        assert seen["bot"] == bot.__file__
        assert "intruder" not in seen["modules"]
        assert str(tmp_path) not in seen["sys_path"]
    assert not (tmp_path / "imported").exists()


async def test_a_judged_trees_own_bot_and_sitecustomize_are_not_imported_from_inside_it_either(tmp_path: Path) -> None:
    judged_tree(tmp_path)
    async with pool() as engines:
        seen = await engines.run("chdir", {"to": str(tmp_path)})
    assert seen == {"bot.core": str(Path(bot.__file__).parent / "core" / "__init__.py"), "intruder": False}
    assert not (tmp_path / "imported").exists()


def test_a_planted_package_does_run_where_nothing_protects_from_it(tmp_path: Path) -> None:
    """The trap itself: without -P the same tree is imported, so the two tests above would notice."""
    judged_tree(tmp_path)
    subprocess.run([sys.executable, "-m", "bot.engine_worker"], cwd=tmp_path, env={}, capture_output=True, check=False)
    assert (tmp_path / "imported").exists()


async def test_git_in_a_child_reads_no_configuration_but_the_repositorys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".gitconfig").write_text("[planproof]\n\tmine = yes\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    pygit2.init_repository(tmp_path / "repo", bare=True)
    async with pool() as engines:
        seen = await engines.run("git_config", {"repo": str(tmp_path / "repo")})
    assert seen["names"]
    assert all(name.startswith("core.") for name in seen["names"])


# what ends a run


async def test_a_run_that_hangs_is_killed_and_the_next_one_gets_a_new_process(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    async with pool(seconds=0.5) as engines:
        with pytest.raises(EngineTimeout) as caught:
            await engines.run("sleep", {"mark": str(mark)})
        assert caught.value.reason == "judging took longer than 0.5 s and was stopped"
        assert not alive(int(mark.read_text()))
        assert await engines.run("echo", {}) == {}


async def test_a_run_that_burns_processor_time_is_ended_by_the_kernel() -> None:
    async with pool(seconds=60, cpu_seconds=1) as engines:
        with pytest.raises(EngineTimeout, match="more than 1 s of processor time"):
            await engines.run("spin", {})
        assert await engines.run("echo", {}) == {}


async def test_a_busy_loop_is_killed_when_its_time_is_over() -> None:
    async with pool(seconds=0.5) as engines:
        with pytest.raises(EngineTimeout, match=r"longer than 0\.5 s"):
            await engines.run("spin", {})


@linux
async def test_a_memory_bomb_ends_alone() -> None:
    async with pool(memory_bytes=512 << 20) as engines:
        with pytest.raises(EngineOutOfMemory) as caught:
            await engines.run("hoard", {})
        assert caught.value.reason == "judging needed more than 512 MB of memory and was stopped"
        assert await engines.run("echo", {}) == {}


@pytest.mark.parametrize(("name", "words"), [("SIGSEGV", "SIGSEGV"), ("SIGKILL", "SIGKILL"), ("SIGABRT", "SIGABRT")])
async def test_a_crash_is_an_answer_with_the_signal_and_the_last_words(name: str, words: str) -> None:
    async with pool() as engines:
        with pytest.raises(EngineCrashed, match=words) as caught:
            await engines.run("die", {"signal": name})
        assert "last words" in caught.value.detail
        assert await engines.run("echo", {}) == {}


async def test_an_exit_is_a_crash() -> None:
    async with pool() as engines:
        with pytest.raises(EngineCrashed, match=r"ended unexpectedly \(exit 7\)"):
            await engines.run("leave", {})


async def test_an_exception_names_its_kind_and_keeps_its_text_for_the_log() -> None:
    async with pool() as engines:
        pid = (await engines.run("look_around", {}))["pid"]
        with pytest.raises(EngineFailed) as caught:
            await engines.run("fail", {})
        assert caught.value.reason == "the engine failed on this input (ValueError)"
        assert "the text of a private file" in caught.value.detail
        assert (await engines.run("look_around", {}))["pid"] == pid


async def test_after_a_panic_of_a_native_library_the_process_is_not_used_again() -> None:
    async with pool() as engines:
        pid = (await engines.run("look_around", {}))["pid"]
        with pytest.raises(EngineFailed, match="Panic"):
            await engines.run("panic", {})
        assert (await engines.run("look_around", {}))["pid"] != pid


async def test_printing_and_reading_do_not_reach_the_protocol() -> None:
    async with pool() as engines:
        assert await engines.run("chatter", {}) == {"stdin": ""}
        assert await engines.run("echo", {}) == {}


async def test_an_answer_over_the_limit_is_refused() -> None:
    async with pool(answer_bytes=1000) as engines:
        assert await engines.run("long_answer", {"size": 900}) == "x" * 900
        with pytest.raises(EngineRefused, match="larger than 1000 bytes"):
            await engines.run("long_answer", {"size": 1000})


async def test_a_request_over_the_limit_is_refused_before_it_is_sent() -> None:
    async with pool(request_bytes=1 << 20) as engines:
        with pytest.raises(EngineRefused, match="larger than 1 MB"):
            await engines.run("echo", {"text": "x" * (1 << 20)})
        assert not engines.pids


async def test_an_unknown_operation_is_refused() -> None:
    async with pool() as engines:
        with pytest.raises(EngineRefused, match="no operation is named 'look'"):
            await engines.run("look", {})


@linux
@pytest.mark.parametrize("raw", ["7fffffff", "00000002" + "5b5d", "00000002" + "7b7b", "00002710" + "5b" * 10_000])
async def test_a_child_that_breaks_the_protocol_is_killed(raw: str) -> None:
    async with pool() as engines:
        with pytest.raises(EngineCrashed):
            await engines.run("lie", {"hex": raw})
        assert await engines.run("echo", {}) == {}


@linux
async def test_a_child_cannot_fill_the_disk(tmp_path: Path) -> None:
    async with pool(file_bytes=1000) as engines:
        with pytest.raises(EngineFailed, match="OSError"):
            await engines.run("write_file", {"path": str(tmp_path / "big"), "size": 100_000})
    assert (tmp_path / "big").stat().st_size <= 1000


async def test_a_worker_that_cannot_start_is_a_crash_with_its_words() -> None:
    async with EnginePool(1, worker="tests.no_such_worker") as engines:
        with pytest.raises(EngineCrashed, match="could not be started") as caught:
            await engines.run("echo", {})
        assert "no_such_worker" in caught.value.detail
        assert not engines.pids


async def test_cancelling_the_caller_kills_the_process_and_what_it_started(tmp_path: Path) -> None:
    async with pool() as engines:
        task = asyncio.create_task(engines.run("spawn", {"mark": str(tmp_path / "mark")}))
        grandchild = int(await content_of(tmp_path / "mark"))
        (child,) = engines.pids
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not alive(child)
        await until_gone(grandchild)
        assert await engines.run("echo", {}) == {}


async def test_closing_the_pool_ends_a_run_under_way(tmp_path: Path) -> None:
    async with pool() as engines:
        task = asyncio.create_task(engines.run("sleep", {"mark": str(tmp_path / "mark")}))
        await content_of(tmp_path / "mark")
    with pytest.raises(EngineCrashed):
        await task


# what is left when the parent dies

_PARENT = """
import asyncio, sys
from bot.engine_process import EnginePool

async def main():
    async with EnginePool(2, worker="tests.engine_ops") as engines:
        pid = (await engines.run("look_around", {}))["pid"]
        idle = asyncio.create_task(engines.run("sleep", {"mark": sys.argv[1] + ".slept", "seconds": 0}))
        busy = asyncio.create_task(engines.run(sys.argv[2], {"mark": sys.argv[1]}))
        await idle
        while len(engines.pids) < 2:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        print(*engines.pids, flush=True)
        await busy

asyncio.run(main())
"""


@linux
@pytest.mark.parametrize("op", ["sleep", "spin"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_no_child_outlives_a_killed_parent(tmp_path: Path, op: str, number: int) -> None:
    root = Path(bot.__path__[0]).parent
    parent = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", _PARENT, str(tmp_path / "mark"), op],
        cwd=root,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    with parent.stdout:
        children = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(children) == 2
        assert all(alive(pid) for pid in children)
        os.kill(parent.pid, number)
        parent.wait()
    for pid in children:
        await until_gone(pid)


@linux
def test_a_child_whose_parent_was_gone_before_it_started_does_not_stay() -> None:
    limits = (
        '{"parent": 1, "seconds": 1, "cpu_seconds": 1, "memory_bytes": 1000000000,'
        ' "file_bytes": 0, "request_bytes": 1, "answer_bytes": 1}'
    )
    root = str(Path(bot.__path__[0]).parent)
    child = subprocess.run(
        [sys.executable, "-P", "-m", "bot.engine_worker", limits],
        env={"PYTHONPATH": root},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert child.returncode == 1
    assert b"parent was gone" in child.stderr


def judged_tree(root: Path) -> None:
    """A repository that would like to be imported: each of its modules leaves a mark when it is."""
    mark = f"import pathlib\npathlib.Path({str(root / 'imported')!r}).touch()\n"
    for name in (
        "bot/__init__.py",
        "bot/engine_worker.py",
        "bot/core/__init__.py",
        "sitecustomize.py",
        "usercustomize.py",
        "intruder.py",
        "json.py",
        "tests/__init__.py",
        "tests/engine_ops.py",
    ):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(mark)
