from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from dbos import DBOS

from bot import steps
from bot import work as work_module
from bot.dispatch import Context, Route, Stopped
from bot.events import Event, Json, Repo
from bot.github.errors import NotFound, PermissionMissing, RateLimited, Unavailable
from bot.sqlite import DatabaseError
from bot.steps import StepLimits
from bot.store import Store
from bot.work import Work, partition, run_id
from tests.machine import FAST, Recorder, deliver, pull_request, serving, settings, until

ROUTES = (
    Route("pull_request", None, "look"),
    Route("issue_comment", "created", "command", level=False),
)


async def test_a_delivery_becomes_one_run_of_its_handler_with_what_it_needs(tmp_path: Path) -> None:
    look = Recorder()
    async with serving(settings(tmp_path), ROUTES, {"look": look}) as client:
        answer = await deliver(client, pull_request(7), delivery="d-1")
        assert (answer.status_code, answer.text) == (202, "accepted\n")
        await until(lambda: look.runs)
        ctx = look.runs[0]
        assert ctx.event.number == 7
        assert ctx.event.repo == Repo(11, "acme", "engine", True, "trunk")
        run = await ctx.store.run(ctx.run_id)
        assert run is not None
        assert (run["repo"], run["number"], run["handler"], run["delivery"]) == ("acme/engine", 7, "look", "d-1")
        await until(lambda: _state(ctx, "done"))
    assert len(look.runs) == 1


def _ran(look: Recorder, times: int) -> bool:
    return len(look.runs) == times


async def _state(ctx: Context, state: str) -> bool:
    run = await ctx.store.run(ctx.run_id)
    return run is not None and run["state"] == state


async def test_the_same_delivery_twice_runs_once(tmp_path: Path) -> None:
    look = Recorder()
    async with serving(settings(tmp_path), ROUTES, {"look": look}) as client:
        await deliver(client, pull_request(), delivery="d-1")
        again = await deliver(client, pull_request(), delivery="d-1")
        assert (again.status_code, again.text) == (202, "known already\n")
        await until(lambda: look.runs)
        await deliver(client, pull_request(8), delivery="d-2")
        await until(lambda: len(look.runs) == 2)
    assert [run.event.number for run in look.runs] == [7, 8]


async def test_a_delivery_whose_intake_failed_runs_when_it_is_redelivered(tmp_path: Path) -> None:
    look = Recorder()

    class Broken:
        def installation(self, *_given: object, **_named: object) -> object:
            raise RuntimeError("not today")

    check = {
        "action": "rerequested",
        "check_run": {"id": 1, "head_sha": "a" * 40, "pull_requests": [], "app": {"id": 4711}},
        "repository": {"id": 11, "name": "engine", "owner": {"login": "acme"}},
        "installation": {"id": 3},
    }
    routes = (Route("check_run", "rerequested", "look"),)
    async with serving(settings(tmp_path), routes, {"look": look}) as client:
        await deliver(client, check, "check_run", "d-1")
        await until(lambda: _status("d-1", "ERROR"))
        again = await deliver(client, check, "check_run", "d-1")
        assert again.text == "accepted\n"
        await until(lambda: _status("d-1~1", "ERROR"))
        third = await deliver(client, check, "check_run", "d-1")
        assert third.text == "accepted\n"
        await until(lambda: _status("d-1~2", "ERROR"))
    assert look.runs == []


async def _status(workflow: str, status: str) -> bool:
    found = await DBOS.get_workflow_status_async(workflow)
    return found is not None and found.status == status


async def test_a_check_of_a_fork_finds_its_pull_request_by_the_head_that_was_judged(tmp_path: Path) -> None:
    from schemas.verify_report import PlanInfo, Verdict, VerifyReport

    look = Recorder()
    check = {
        "action": "rerequested",
        "check_run": {"id": 1, "head_sha": "a" * 40, "pull_requests": [], "app": {"id": 4711}},
        "repository": {"id": 11, "name": "engine", "owner": {"login": "acme"}},
        "installation": {"id": 3},
    }
    routes = (*ROUTES, Route("check_run", "rerequested", "look"))
    async with serving(settings(tmp_path), routes, {"look": look}) as client:
        await deliver(client, pull_request(1))
        await until(lambda: look.runs)
        report = VerifyReport(plan=PlanInfo(path="PLAN.md", format="generic"), verdict=Verdict.CLEAN)
        await look.runs[0].store.save_report(11, 42, "a" * 40, report)
        await deliver(client, check, "check_run")
        await until(lambda: len(look.runs) == 2)
    assert look.runs[1].event.number == 42


async def test_a_newer_job_of_a_number_cancels_the_older_one_and_its_step(tmp_path: Path) -> None:
    stopped = asyncio.Event()
    begun = asyncio.Event()

    async def slow() -> Json:
        begun.set()
        try:
            await asyncio.sleep(600)
        finally:
            stopped.set()
        return None

    async def work(ctx: Context) -> None:
        if ctx.event.delivery == "d-1":
            await ctx.step("slow", slow)

    look = Recorder(work)
    async with serving(settings(tmp_path), ROUTES, {"look": look}) as client:
        await deliver(client, pull_request(), delivery="d-1")
        await begun.wait()
        await deliver(client, pull_request(), delivery="d-2")
        await until(lambda: len(look.runs) == 2)
        await asyncio.wait_for(stopped.wait(), 20)
        await until(lambda: _state(look.runs[1], "done"))
        assert await _state(look.runs[0], "superseded")
    assert look.failures == []


async def test_a_command_is_never_cancelled_by_a_newer_event(tmp_path: Path) -> None:
    go = asyncio.Event()

    async def work(ctx: Context) -> None:
        await go.wait()

    command = Recorder(work)
    comment = pull_request() | {"action": "created", "comment": {"id": 1, "body": "/plan status"}}
    async with serving(settings(tmp_path), ROUTES, {"look": Recorder(), "command": command}) as client:
        await deliver(client, comment, "issue_comment")
        await until(lambda: command.runs)
        await deliver(client, comment, "issue_comment")
        await deliver(client, pull_request())
        go.set()
        await until(lambda: len(command.runs) == 2)
        await until(lambda: _state(command.runs[0], "done"))


async def test_jobs_of_one_number_run_one_after_the_other_and_of_two_numbers_together(tmp_path: Path) -> None:
    running: set[tuple[int | None, str]] = set()
    met: list[set[int | None]] = []
    both = asyncio.Event()

    async def work(ctx: Context) -> None:
        running.add((ctx.event.number, ctx.event.delivery))
        met.append({number for number, _delivery in running})
        assert len({d for n, d in running if n == ctx.event.number}) == 1
        if len({number for number, _delivery in running}) == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 20)
        running.discard((ctx.event.number, ctx.event.delivery))

    command = Recorder(work)
    async with serving(settings(tmp_path), ROUTES, {"command": command}) as client:
        for number in (1, 1, 2):
            payload = pull_request(number) | {"action": "created", "comment": {"id": 1}}
            await deliver(client, payload, "issue_comment")
        await until(lambda: len(command.runs) == 3)
        for ctx in command.runs:
            await until(partial(_state, ctx, "done"))
    assert {1, 2} in met


async def test_a_job_that_fails_for_good_says_so_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def work(ctx: Context) -> None:
        async def refused() -> Json:
            raise PermissionMissing("the check", "checks: write", "https://github.com/settings")

        await ctx.step("publish", refused)

    look = Recorder(work)
    async with serving(settings(tmp_path), ROUTES, {"look": look}) as client:
        await deliver(client, pull_request())
        await until(lambda: look.failures)
        ctx, reason = look.failures[0]
        assert ctx.run_id == look.runs[0].run_id
        assert "checks: write" in reason
        await until(lambda: _state(ctx, "failed"))
    assert len(look.failures) == 1
    assert [r for r in caplog.records if r.name == "dbos" and r.levelno >= logging.ERROR] == []


async def test_people_are_not_shown_the_text_of_an_unforeseen_error(tmp_path: Path) -> None:
    async def work(ctx: Context) -> None:
        raise KeyError("/srv/secrets/key.pem")

    look = Recorder(work)
    async with serving(settings(tmp_path), ROUTES, {"look": look}) as client:
        await deliver(client, pull_request())
        await until(lambda: look.failures)
    ctx, reason = look.failures[0]
    assert "key.pem" not in reason
    assert ctx.run_id in reason


async def test_a_run_that_takes_too_long_is_stopped_and_reported(tmp_path: Path) -> None:
    async def work(ctx: Context) -> None:
        await asyncio.sleep(600)

    look = Recorder(work)
    limits = replace(FAST, job=0.2)
    async with serving(settings(tmp_path), ROUTES, {"look": look}, limits=limits) as client:
        await deliver(client, pull_request())
        await until(lambda: look.failures)
    assert "took longer" in look.failures[0][1]


async def test_a_step_is_tried_again_while_github_is_away(tmp_path: Path) -> None:
    tries = 0

    async def work(ctx: Context) -> None:
        async def flaky() -> Json:
            nonlocal tries
            tries += 1
            if tries < 3:
                raise Unavailable("GitHub answered 502")
            return {"tries": tries}

        assert await ctx.step("read", flaky) == {"tries": 3}

    look = Recorder(work)
    async with serving(settings(tmp_path), ROUTES, {"look": look}) as client:
        await deliver(client, pull_request())
        await until(lambda: look.runs)
        await until(lambda: _state(look.runs[0], "done"))


async def test_a_restart_goes_on_after_the_last_finished_step_and_meets_the_same_error(tmp_path: Path) -> None:
    calls: list[str] = []
    begun = asyncio.Event()
    hold = True

    async def work(ctx: Context) -> None:
        async def absent() -> Json:
            calls.append("absent")
            raise NotFound("no such file")

        async def limited() -> Json:
            calls.append("limited")
            raise RateLimited("reading", datetime(2030, 1, 2, tzinfo=UTC))

        async def last() -> Json:
            calls.append("last")
            begun.set()
            if hold:
                await asyncio.sleep(600)
            return "end"

        with pytest.raises(NotFound, match="no such file"):
            await ctx.step("absent", absent)
        with pytest.raises(RateLimited) as caught:
            await ctx.step("limited", limited)
        assert caught.value.until == datetime(2030, 1, 2, tzinfo=UTC)
        assert await ctx.step("last", last) == "end"

    look = Recorder(work)
    async with serving(settings(tmp_path), ROUTES, {"look": look}) as client:
        await deliver(client, pull_request())
        await begun.wait()
    assert calls == ["absent", "limited", "last"]
    hold = False
    async with serving(settings(tmp_path), ROUTES, {"look": look}):
        await until(lambda: len(look.runs) == 2)
        await until(lambda: _state(look.runs[1], "done"))
    assert calls == ["absent", "limited", "last", "last"]
    assert look.runs[0].run_id == look.runs[1].run_id
    assert look.failures == []


@pytest.mark.parametrize("within", ["a step", "the handler"])
async def test_an_error_of_the_shutdown_itself_is_not_the_jobs_outcome(tmp_path: Path, within: str) -> None:
    begun = asyncio.Event()

    async def interrupted() -> Json:
        begun.set()
        if len(look.runs) > 1:
            return None
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            raise ConnectionError("the client was closed") from None
        return None

    async def work(ctx: Context) -> None:
        await (ctx.step("read", interrupted) if within == "a step" else interrupted())

    look = Recorder(work)
    async with serving(settings(tmp_path), ROUTES, {"look": look}) as client:
        await deliver(client, pull_request())
        await begun.wait()
    async with serving(settings(tmp_path), ROUTES, {"look": look}):
        await until(lambda: len(look.runs) == 2)
        await until(lambda: _state(look.runs[1], "done"))
        reports = await DBOS.list_workflows_async(name="report", load_input=False, load_output=False)
    assert reports == []


async def test_a_job_that_a_rate_limit_ended_is_begun_anew_when_the_limit_is_over(tmp_path: Path) -> None:
    async def limited(ctx: Context) -> None:
        if len(look.runs) == 1:
            raise RateLimited("reading", datetime.now(UTC) + timedelta(seconds=0.2))

    look = Recorder(limited)
    async with serving(settings(tmp_path), ROUTES, {"look": look}) as client:
        await deliver(client, pull_request())
        await until(lambda: len(look.runs) == 2)
        first, second = look.runs
        await until(lambda: _state(second, "done"))
        assert await _state(first, "postponed")
    assert first.event == second.event
    assert look.failures == []


async def test_a_rate_limit_that_does_not_end_is_reported_after_a_few_times(tmp_path: Path) -> None:
    async def limited(ctx: Context) -> None:
        raise RateLimited("reading", datetime.now(UTC))

    look = Recorder(limited)
    async with serving(settings(tmp_path), ROUTES, {"look": look}) as client:
        await deliver(client, pull_request())
        await until(lambda: look.failures)
    assert len(look.runs) == 4
    assert "rate limit reached" in look.failures[0][1]


async def test_a_job_that_an_outage_ended_is_begun_anew_later(tmp_path: Path) -> None:
    async def away(ctx: Context) -> None:
        if len(look.runs) < 3:
            raise Unavailable("GET /repos/acme/engine was answered 502")

    look = Recorder(away)
    async with serving(settings(tmp_path), ROUTES, {"look": look}) as client:
        await deliver(client, pull_request())
        await until(lambda: len(look.runs) == 3)
        await until(lambda: _state(look.runs[-1], "done"))
        assert await _state(look.runs[0], "postponed")
    assert look.failures == []


async def test_the_report_on_a_failure_waits_for_the_end_of_an_outage_too(tmp_path: Path) -> None:
    class Away(Recorder):
        async def failed(self, ctx: Context, reason: str) -> None:
            await super().failed(ctx, reason)
            if len(self.failures) < 3:
                raise Unavailable("GET /repos/acme/engine was answered 502")

    async def fail(ctx: Context) -> None:
        raise ValueError("no")

    look = Away(fail)
    async with serving(settings(tmp_path), ROUTES, {"look": look}) as client:
        await deliver(client, pull_request())
        await until(lambda: len(look.failures) == 3)
    assert len(look.runs) == 1
    assert {ctx.run_id for ctx, _ in look.failures} == {look.runs[0].run_id}


async def test_a_second_process_on_the_database_is_told_so(tmp_path: Path) -> None:
    async with serving(settings(tmp_path), ROUTES, {}):
        with pytest.raises(DatabaseError, match="another Planproof process"):
            async with serving(settings(tmp_path), ROUTES, {}):
                pass


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "planproof.db").write_text("not a database, but long enough to look like a file of some kind\n" * 40)
    with pytest.raises(DatabaseError, match=r"planproof\.db cannot be used"):
        async with serving(settings(tmp_path), ROUTES, {}):
            pass


async def test_a_lost_database_is_made_anew(tmp_path: Path) -> None:
    look = Recorder()
    for round_ in (1, 2):
        for file in tuple(tmp_path.glob("planproof.db*")):  # noqa: ASYNC240
            file.unlink()
        async with serving(settings(tmp_path), ROUTES, {"look": look}) as client:
            await deliver(client, pull_request(), delivery="d-1")
            await until(partial(_ran, look, round_))


async def test_rows_of_finished_jobs_are_deleted_after_their_time_and_not_before(tmp_path: Path) -> None:
    look = Recorder()
    async with serving(settings(tmp_path), ROUTES, {"look": look}) as client:
        await deliver(client, pull_request(), delivery="d-1")
        await until(lambda: look.runs)
        await until(lambda: _status("d-1", "SUCCESS"))
    keep_nothing = replace(FAST, keep=-10.0, sweep=0.05)
    async with serving(settings(tmp_path), ROUTES, {"look": look}, limits=FAST):
        assert await _status("d-1", "SUCCESS")
    async with serving(settings(tmp_path), ROUTES, {"look": look}, limits=keep_nothing):
        await until(_no_rows)


async def _no_rows() -> bool:
    return await DBOS.list_workflows_async(load_input=False, load_output=False) == []


async def test_a_step_waits_for_the_end_of_a_rate_limit_but_not_for_ever() -> None:
    tries = 0

    async def limited() -> Json:
        nonlocal tries
        tries += 1
        raise RateLimited("writing", datetime.now(UTC) + timedelta(hours=2))

    outcome = await steps.run("write", limited, limits=StepLimits(longest_wait=60))
    assert tries == 1
    with pytest.raises(RateLimited, match="rate limit reached"):
        steps.unwrap(outcome)


async def test_a_step_that_takes_too_long_fails_with_its_name() -> None:
    async def slow() -> Json:
        await asyncio.sleep(60)
        return None

    outcome = await steps.run("mirror", slow, limits=StepLimits(seconds=0.05))
    with pytest.raises(steps.StepTimeout, match="mirror took longer"):
        steps.unwrap(outcome)


async def test_a_value_that_is_no_json_fails_at_once_and_one_with_odd_text_is_made_storable() -> None:
    async def wrong() -> Json:
        return {1, 2}  # type: ignore[return-value]

    async def odd() -> Json:
        return {"text": "\ud800 \0", "pair": (1, 2)}  # type: ignore[dict-item]

    with pytest.raises(TypeError):
        steps.unwrap(await steps.run("wrong", wrong, limits=StepLimits()))
    assert steps.unwrap(await steps.run("odd", odd, limits=StepLimits())) == {"text": "? \0", "pair": [1, 2]}


def test_an_error_of_an_unknown_class_keeps_its_message() -> None:
    with pytest.raises(steps.StepFailed, match="gone"):
        steps.unwrap({"error": {"module": "bot.nowhere", "name": "Gone", "message": "gone", "state": {}}})


async def test_a_step_whose_name_comes_again_is_another_step(tmp_path: Path) -> None:
    given: list[Json] = []
    begun, hold = asyncio.Event(), True

    async def work(ctx: Context) -> None:
        async def second() -> Json:
            begun.set()
            if hold:
                await asyncio.sleep(600)
            return 2

        async def first() -> Json:
            return 1

        given[:] = [await ctx.step("publish", first), await ctx.step("publish", second)]

    look = Recorder(work)
    async with serving(settings(tmp_path), ROUTES, {"look": look}) as client:
        await deliver(client, pull_request())
        await begun.wait()
    hold = False
    async with serving(settings(tmp_path), ROUTES, {"look": look}):
        await until(lambda: given)
        await until(lambda: _state(look.runs[-1], "done"))
        steps_ = await DBOS.list_workflow_steps_async(cast(Any, look.runs[-1]).job_id)
    assert given == [1, 2]
    assert [each["function_name"] for each in steps_] == ["publish", "publish 2"]


ASIDE = (
    Route("pull_request", None, "look"),
    Route("issue_comment", "created", "stop", level=False, aside=lambda _event: True),
)
COMMENT = pull_request() | {"action": "created", "comment": {"id": 1, "body": "/plan cancel"}}


class Stopper(Recorder):
    """Stops the other jobs of its number, and notes which."""

    def __init__(self) -> None:
        super().__init__()
        self.stopped: list[Stopped] | None = None

    async def handle(self, ctx: Context) -> None:
        self.runs.append(ctx)
        self.stopped = await ctx.stop()


async def test_a_stop_that_was_cut_short_tells_after_a_restart_what_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(_ctx: Context | None = None) -> None:
        await asyncio.sleep(600)

    async def cut_short(*_given: object, **_named: object) -> None:
        cut.set()
        await hang()

    cut = asyncio.Event()
    look, stop = Recorder(hang), Stopper()
    handlers = {"look": look, "stop": stop}
    with monkeypatch.context() as patched:
        # after the engine has cancelled the job, and before the step is at its end
        patched.setattr(Store, "run_cut", cut_short)
        async with serving(settings(tmp_path), ASIDE, handlers) as client:
            await deliver(client, pull_request())
            await until(lambda: look.runs)
            await deliver(client, COMMENT, "issue_comment")
            await cut.wait()
    async with serving(settings(tmp_path), ASIDE, handlers):
        await until(lambda: stop.stopped is not None)
        await until(lambda: _state(look.runs[0], "cancelled"))
    assert [(each.run_id, each.handler, each.event.number) for each in stop.stopped or ()] == [
        (look.runs[0].run_id, "look", 7)
    ]
    assert len(look.runs) == 1


async def test_a_report_that_is_stopped_has_the_name_of_the_run_it_is_about(tmp_path: Path) -> None:
    class Failing(Recorder):
        async def failed(self, ctx: Context, reason: str) -> None:
            self.failures.append((ctx, reason))
            await asyncio.sleep(600)

    async def fail(_ctx: Context) -> None:
        raise NotFound("no such file")

    look, stop = Failing(fail), Stopper()
    async with serving(settings(tmp_path), ASIDE, {"look": look, "stop": stop}) as client:
        await deliver(client, pull_request())
        await until(lambda: look.failures)
        await until(lambda: _state(look.runs[0], "failed"))
        await deliver(client, COMMENT, "issue_comment")
        await until(lambda: stop.stopped is not None)
        assert await _state(look.runs[0], "failed")
    assert [each.run_id for each in stop.stopped or ()] == [look.runs[0].run_id]


async def test_an_event_that_names_its_number_in_its_own_way_runs_with_the_others_of_that_number(
    tmp_path: Path,
) -> None:
    group = Recorder()
    payload = {
        "action": "checks_requested",
        "merge_group": {"head_sha": "a" * 40, "head_ref": "refs/heads/seven"},
        "repository": {"id": 11, "name": "engine", "owner": {"login": "acme"}},
        "installation": {"id": 3},
    }
    numbers = {"refs/heads/seven": 7}
    routes = (Route("merge_group", None, "group", number=lambda event: numbers.get(event.head_ref or "")),)
    async with serving(settings(tmp_path), routes, {"group": group}) as client:
        await deliver(client, payload, "merge_group")
        await until(lambda: group.runs)
        await until(lambda: _state(group.runs[0], "done"))
        run = await group.runs[0].store.run(group.runs[0].run_id)
    assert run is not None
    assert (run["number"], run["job_id"].partition(":")[0]) == (7, "11/7")


async def test_jobs_of_many_repositories_are_forgotten_page_by_page_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_module, "PAGE", 3)

    async def forget(ctx: Context) -> None:
        async def step() -> Json:
            await ctx.forget_jobs(3, [11, 12])
            return None

        await ctx.step("forget", step)

    look, gone = Recorder(), Recorder(forget)
    routes = (Route("pull_request", None, "look"), Route("installation_repositories", None, "forget"))
    async with serving(settings(tmp_path), routes, {"look": look, "forget": gone}) as client:
        for number, (repo, installation) in enumerate([*[(11, 3), (12, 3)] * 4, (12, 4), (13, 3)], 1):
            payload = pull_request(number, installation={"id": installation})
            payload["repository"] = payload["repository"] | {"id": repo}
            await deliver(client, payload)
        await until(partial(_ran, look, 10))
        for ctx in look.runs:
            await until(partial(_state, ctx, "done"))
        with closing(sqlite3.connect(tmp_path / "planproof.db", timeout=10)) as connection, connection:
            # all in one moment, more than a page holds
            connection.execute("UPDATE workflow_status SET created_at = 1700000000123")
        removed = {"action": "removed", "installation": {"id": 3}, "repositories_removed": [{"id": 11}, {"id": 12}]}
        await deliver(client, removed, "installation_repositories", "d-removed")
        await until(lambda: gone.runs)
        await until(lambda: _state(gone.runs[0], "done"))
        left = await DBOS.list_workflows_async(load_output=False)
    jobs = [row for row in left if row.name == "job" and "d-removed" not in row.workflow_id]
    assert sorted(row.workflow_id.partition("/")[0] for row in jobs) == ["12", "13"]
    assert len([row for row in left if row.name == "ingest"]) == 3


async def test_a_job_waits_while_a_delivery_is_being_stored_but_not_for_ever() -> None:
    nothing = cast(Any, None)
    patient, hasty = (Work(nothing, replace(FAST, patience=each)) for each in (600.0, 0.01))
    with patient.yielding():
        with patient.yielding():
            waiting = asyncio.create_task(patient.give_way())
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not waiting.done()
    await waiting
    with hasty.yielding():
        await hasty.give_way()


def test_work_without_a_number_is_kept_apart_by_kind() -> None:
    repo = Repo(11, "acme", "engine", False, "main")
    plain = Route("push", None, "push")
    assert partition(Event("push", repo=repo), plain) == "11/push"
    assert partition(Event("installation", installation_id=3), plain) == "installation-3/installation"
    assert partition(Event("issues", repo=repo, number=4), plain) == "11/4"


def test_what_may_not_wait_for_the_work_on_its_number_runs_beside_it() -> None:
    repo = Repo(11, "acme", "engine", False, "main")
    beside = Route("issue_comment", None, "command", aside=lambda event: event.comment_body == "now")
    assert partition(Event("issue_comment", repo=repo, number=4, comment_body="now"), beside) == "11/4/aside"
    assert partition(Event("issue_comment", repo=repo, number=4, comment_body="later"), beside) == "11/4"


def test_a_run_has_the_same_short_name_each_time() -> None:
    assert run_id("11/4:1:d") == run_id("11/4:1:d") != run_id("11/4:2:d")
    assert len(run_id("x")) == 8
