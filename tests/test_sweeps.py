"""Sweeps in detail: the real client and the real job engine, in front of the look-alike GitHub."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from dbos import DBOS

from bot import sqlite
from bot.dispatch import Context, Route, Services
from bot.github.client import App
from bot.github.errors import RateLimited
from bot.jobs import Jobs
from bot.limits import JobLimits, SweepLimits
from bot.repo_config import Defaults
from bot.store import Store
from bot.sweeps import Deliveries
from bot.workflows import JobFailed
from tests import test_kill
from tests.github.conftest import Credentials
from tests.lookalike import Lookalike
from tests.lookalike.fixtures import KeyPair, acme_app, acme_installation, app_keys, github, widgets  # noqa: F401
from tests.lookalike.state import CheckRun, Installation, Issue, Repository
from tests.lookalike.webhooks import Delivery
from tests.machine import FAST, Recorder, deliver, pull_request, serving, settings, until

ROUTES = (
    Route("pull_request", None, "look"),
    Route("issues", "edited", "read"),
    Route("installation", None, "look"),
    Route("check_run", "rerequested", "again", level=False),
)
MINUTES = timedelta(minutes=1)


@pytest.fixture
def lookalike(tmp_path: Path) -> Lookalike:
    look = Lookalike(tmp_path / "github", clock=lambda: datetime.now(UTC))
    for login in ("author", "owner"):
        look.account(login)
    return look


@pytest.fixture
def installation(acme_installation: Installation) -> Installation:  # noqa: F811
    acme_installation.created_at -= 60 * MINUTES
    return acme_installation


@dataclass
class Machine:
    """The jobs of one process, by hand: `sweep` is a whole one."""

    jobs: Jobs
    look: Recorder
    read: Recorder
    again: Recorder
    store: Store

    async def sweep(self) -> None:
        await self.jobs.sweep()

    def numbers(self, recorder: Recorder) -> list[int]:
        return sorted(run.event.number or 0 for run in recorder.runs)


@asynccontextmanager
async def machine(
    folder: Path, github_url: str, keys: KeyPair, limits: SweepLimits | None = None, **options: Any
) -> AsyncIterator[Machine]:
    given = settings(folder / "server", **options)
    given.data_dir.mkdir(exist_ok=True)
    app = App(Credentials(keys.private, github_url))
    with sqlite.owning(sqlite.file_of(given.database)):
        store = Store(given.database)
        await store.open()
        nothing = cast(Any, None)
        services = Services(
            settings=given, github=app, engines=nothing, mirrors=nothing, store=store, defaults=Defaults()
        )
        look, read, again = Recorder(), Recorder(), Recorder()
        job_limits: JobLimits = replace(FAST, sweeps=limits or SweepLimits())
        jobs = Jobs(services, ROUTES, {"look": look, "read": read, "again": again}, limits=job_limits)
        try:
            await jobs.launch()
            yield Machine(jobs, look, read, again, store)
        finally:
            await jobs.close()
            await store.close()
            await app.aclose()


# ---- deliveries ----------------------------------------------------------------------------------
@dataclass
class Office:
    """The sweep of deliveries alone, with a clock of its own."""

    look: Lookalike
    deliveries: Deliveries
    now: datetime

    async def sweep(self, after: timedelta = 60 * MINUTES) -> tuple[int, int, bool]:
        self.now += after
        done = await self.deliveries.sweep()
        for attempt in self.look.outbox.attempts:
            if attempt.redelivery and attempt.status == "pending":
                attempt.delivered_at, attempt.status = self.now, "failed to connect to host"
        return done.looked, done.started, done.again

    def send(self, event: str, action: str | None, installation: int | None, status: int = 0) -> Delivery:
        """A first attempt, made now."""
        [app] = self.look.apps.values()
        made = Delivery(self.look.next_id(), str(self.look.next_id()), app, event, action, installation, None, {})
        made.delivered_at, made.status_code = self.now, status
        self.look.outbox.attempts.append(made)
        return made

    def attempts(self, of: Delivery) -> int:
        return sum(each.guid == of.guid for each in self.look.outbox.attempts)


OfficeMaker = Callable[..., Office]


@pytest.fixture
async def office(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    installation: Installation,
    app_keys: KeyPair,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[OfficeMaker]:
    # what is redelivered is only noted: nobody listens
    monkeypatch.setattr(github.outbox, "_put", lambda _delivery: None)
    github.outbox.attempts.clear()
    app = App(Credentials(app_keys.private, github.url))
    store = Store(f"sqlite:///{tmp_path / 'office.db'}")
    await store.open()

    def make(limits: SweepLimits | None = None, mode: str = "on") -> Office:
        given = settings(tmp_path, mode=mode)
        nothing = cast(Any, None)
        services = Services(
            settings=given, github=app, engines=nothing, mirrors=nothing, store=store, defaults=Defaults()
        )
        made = Office(github, cast(Any, None), datetime.now(UTC))
        made.deliveries = Deliveries(services, ROUTES, limits or SweepLimits(), clock=lambda: made.now.timestamp())
        return made

    yield make
    await store.close()
    await app.aclose()


async def test_only_what_failed_and_is_wanted_and_is_not_on_its_way_is_redelivered(
    office: OfficeMaker, installation: Installation
) -> None:
    post = office()
    lost = post.send("pull_request", "opened", installation.id)
    taken = post.send("pull_request", "opened", installation.id, status=202)
    refused = post.send("issues", "edited", installation.id, status=503)
    unwanted = post.send("issues", "pinned", installation.id)
    stranger = post.send("pull_request", "opened", 999_999)
    gone = post.send("installation", "deleted", 999_999)
    assert await post.sweep(1 * MINUTES) == (6, 0, True)
    young = post.send("pull_request", "closed", installation.id)
    assert await post.sweep(1.5 * MINUTES) == (7, 3, True)
    assert [post.attempts(each) for each in (lost, refused, gone)] == [2, 2, 2]
    assert [post.attempts(each) for each in (taken, unwanted, stranger, young)] == [1, 1, 1, 1]


async def test_a_delivery_that_arrived_at_last_is_not_sent_again(
    office: OfficeMaker, installation: Installation
) -> None:
    post = office()
    lost = post.send("pull_request", "opened", installation.id)
    await post.sweep()
    [again] = [each for each in post.look.outbox.attempts if each.redelivery]
    again.status_code = 202
    assert (await post.sweep())[1] == 0
    assert post.attempts(lost) == 2


async def test_a_delivery_that_always_fails_is_given_up_and_said_so_once(
    office: OfficeMaker, installation: Installation, caplog: pytest.LogCaptureFixture
) -> None:
    post = office()
    lost = post.send("pull_request", "opened", installation.id)
    for _ in range(12):
        await post.sweep()
    assert post.attempts(lost) == 5
    errors = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert len(errors) == 1
    # another process does not know of it, and counts from the attempts that it still sees
    for _ in range(3):
        await office().sweep(timedelta(hours=12))
    assert post.attempts(lost) == 5


async def test_a_delivery_that_failed_again_is_not_sent_at_once(
    office: OfficeMaker, installation: Installation
) -> None:
    post = office()
    lost = post.send("pull_request", "opened", installation.id)
    assert await post.sweep() == (1, 1, False)
    assert await post.sweep(3 * MINUTES) == (1, 0, False)
    assert (await post.sweep())[1] == 1
    assert post.attempts(lost) == 3


async def test_a_sweep_redelivers_a_limited_number_and_the_next_one_the_rest(
    office: OfficeMaker, installation: Installation
) -> None:
    post = office(SweepLimits(redeliveries=3))
    sent = [post.send("pull_request", "opened", installation.id) for _ in range(5)]
    assert await post.sweep() == (5, 3, True)
    assert [post.attempts(each) for each in sent] == [2, 2, 2, 1, 1]
    for each in post.look.outbox.attempts:
        each.status_code = 202 if each.redelivery else 0
    assert await post.sweep(3 * MINUTES) == (5, 2, False)
    assert [post.attempts(each) for each in sent] == [2] * 5


async def test_a_delivery_of_more_than_three_days_ago_is_history(
    office: OfficeMaker, installation: Installation
) -> None:
    post = office()
    post.send("pull_request", "opened", installation.id)
    assert (await post.sweep(timedelta(days=3, minutes=5)))[1] == 0


async def test_a_server_without_a_list_of_deliveries_is_named_once(
    office: OfficeMaker, caplog: pytest.LogCaptureFixture
) -> None:
    post = office()
    caplog.set_level("INFO")
    post.look.fail_next("GET", "/app/hook/deliveries", 404, times=2)
    assert await post.sweep() == (0, 0, False)
    assert await post.sweep() == (0, 0, False)
    assert [record.getMessage() for record in caplog.records].count("sweep.no_deliveries") == 1


async def test_an_app_that_is_switched_off_still_hears_that_an_installation_is_gone(
    office: OfficeMaker, installation: Installation
) -> None:
    post = office(mode="off")
    post.send("pull_request", "opened", installation.id)
    gone = post.send("installation", "deleted", None)
    assert (await post.sweep())[1] == 1
    assert post.attempts(gone) == 2


# ---- reconciling ---------------------------------------------------------------------------------
def pulls(look: Lookalike, repo: Repository, count: int) -> list[Issue]:
    return [look.open_pull(repo, f"branch-{repo.id}-{n}", {f"{n}.md": "a\n"}, user="owner") for n in range(count)]


async def test_a_sweep_starts_a_limited_number_of_jobs_and_the_next_one_the_rest(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    widgets: Repository,  # noqa: F811
    installation: Installation,
    app_keys: KeyPair,  # noqa: F811
) -> None:
    pulls(github, widgets, 5)
    async with machine(tmp_path, github.url, app_keys, SweepLimits(starts=2)) as made:
        await made.sweep()
        await until(lambda: len(made.look.runs) >= 4)
        await made.sweep()
        await until(lambda: set(made.numbers(made.look)) == {1, 2, 3, 4, 5})
        assert made.jobs.swept["reconcile", "started"] >= 5


async def test_an_archived_repository_and_a_suspended_installation_are_left_alone(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    widgets: Repository,  # noqa: F811
    installation: Installation,
    app_keys: KeyPair,  # noqa: F811
) -> None:
    pulls(github, widgets, 1)
    widgets.archived = True
    async with machine(tmp_path, github.url, app_keys) as made:
        await made.sweep()
        assert made.jobs.swept["reconcile", "looked"] == 0
    widgets.archived = False
    github.suspend(installation)
    async with machine(tmp_path, github.url, app_keys) as made:
        await made.sweep()
        assert made.jobs.swept["reconcile", "looked"] == 0
    assert github.asked("GET", "/issues$") == []


async def test_a_repository_that_was_changed_but_not_pushed_to_is_looked_at(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    widgets: Repository,  # noqa: F811
    installation: Installation,
    app_keys: KeyPair,  # noqa: F811
) -> None:
    github.open_issue(widgets, "Calls fail", "They do.")
    widgets.pushed_at = installation.created_at - 60 * MINUTES
    async with machine(tmp_path, github.url, app_keys) as made:
        await made.sweep()
        assert made.jobs.swept["reconcile", "looked"] == 0
    widgets.changed_at = datetime.now(UTC)
    async with machine(tmp_path, github.url, app_keys) as made:
        await until(lambda: made.numbers(made.read) == [1])


async def test_a_repository_that_refuses_does_not_keep_the_others_back(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    widgets: Repository,  # noqa: F811
    installation: Installation,
    app_keys: KeyPair,  # noqa: F811
) -> None:
    gadgets = github.create_repository("acme/gadgets", {"README.md": "a\n"}, roles={"owner": "admin"})
    pulls(github, widgets, 1)
    pulls(github, gadgets, 1)
    github.fail_next("GET", "/repos/acme/widgets/issues", 403, message="Repository access blocked")
    async with machine(tmp_path, github.url, app_keys) as made:
        await until(lambda: made.look.runs)
        await made.sweep()
        assert {run.repo.full_name for run in made.look.runs} >= {"acme/gadgets"}


async def test_a_number_with_a_live_job_is_not_started_again(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    widgets: Repository,  # noqa: F811
    installation: Installation,
    app_keys: KeyPair,  # noqa: F811
) -> None:
    go = asyncio.Event()

    async def work(ctx: Context) -> None:
        await go.wait()
        await ctx.store.run_judged(ctx.run_id, head=head, verdict="clean", conclusion="success")

    [pull] = pulls(github, widgets, 1)
    assert pull.pull is not None
    head = pull.pull.head_sha
    async with machine(tmp_path, github.url, app_keys) as made:
        made.look.work = work
        await until(lambda: made.look.runs)
        await made.sweep()
        assert made.jobs.swept["reconcile", "started"] == 1
        go.set()
        await until(partial(_idle, made))
        await made.sweep()
        assert made.jobs.swept["reconcile", "started"] == 1


async def _idle(made: Machine) -> bool:
    return await made.jobs.work.live_keys() == set()


async def test_a_sweep_that_meets_no_github_is_tried_again_and_keeps_nothing_else_back(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    widgets: Repository,  # noqa: F811
    installation: Installation,
    app_keys: KeyPair,  # noqa: F811
) -> None:
    pulls(github, widgets, 1)
    github.fail_next("*", "/app/", 418, times=2)
    async with machine(tmp_path, github.url, app_keys, SweepLimits(soon=0.05)) as made:
        await until(lambda: made.look.runs)


async def test_an_app_that_is_switched_off_starts_nothing(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    widgets: Repository,  # noqa: F811
    installation: Installation,
    app_keys: KeyPair,  # noqa: F811
) -> None:
    pulls(github, widgets, 1)
    async with machine(tmp_path, github.url, app_keys, mode="off") as made:
        await made.sweep()
        assert made.jobs.swept["reconcile", "looked"] == 0


# ---- what the engine leaves behind ---------------------------------------------------------------
OLDER = (
    "UPDATE workflow_status SET application_version = 'schema-1'",
    "UPDATE application_versions SET version_name = 'schema-1'",
)
"""Make a database one that an older version has written."""


async def test_jobs_of_an_older_version_are_begun_anew_by_the_next_one(tmp_path: Path) -> None:
    hold = tmp_path / "hold-two"
    hold.touch()
    async with test_kill.running(tmp_path) as (server, client):
        await deliver(client, pull_request(), delivery="d-1")
        await until(lambda: "two" in test_kill.journal(tmp_path))
        server.kill()
    change(tmp_path / "data" / "planproof.db", *OLDER)
    hold.unlink()
    async with test_kill.running(tmp_path) as (server, client):
        await until((tmp_path / "end").exists)
        assert (await deliver(client, pull_request(), delivery="d-1")).text == "known already\n"
        assert server.stop() == 0
    assert test_kill.journal(tmp_path) == ["one", "two", "one", "two", "three"]
    versions = rows(tmp_path / "data" / "planproof.db", "SELECT name, status, application_version FROM workflow_status")
    assert ("job", "CANCELLED", "schema-1") in versions
    assert ("job", "SUCCESS", "schema-2") in versions
    assert '"level": "error"' not in (tmp_path / "log").read_text()


async def test_a_delivery_that_an_older_version_had_only_stored_is_taken_in_once(tmp_path: Path) -> None:
    look = Recorder()
    async with serving(settings(tmp_path), (Route("pull_request", None, "look"),), {"look": look}) as client:
        await deliver(client, pull_request(), delivery="d-0")
        await until(lambda: look.runs)
    change(
        tmp_path / "planproof.db",
        "UPDATE workflow_status SET status = 'ENQUEUED', completed_at = NULL WHERE workflow_uuid = 'd-0'",
        "DELETE FROM workflow_status WHERE name = 'job'",
        *OLDER,
    )
    for _ in range(2):
        async with serving(settings(tmp_path), (Route("pull_request", None, "look"),), {"look": look}) as client:
            await until(lambda: len(look.runs) == 2)
            assert (await deliver(client, pull_request(), delivery="d-0")).text == "known already\n"
    assert len(look.runs) == 2


async def test_a_report_and_a_job_that_waits_are_begun_anew_as_well(tmp_path: Path) -> None:
    begun = asyncio.Event()
    told: list[str] = []

    class Failing(Recorder):
        async def handle(self, ctx: Context) -> None:
            raise JobFailed("no luck")

        async def failed(self, ctx: Context, reason: str) -> None:
            begun.set()
            await (asyncio.sleep(600) if last else asyncio.sleep(0))
            told.append(reason)

    async def limited(ctx: Context) -> None:
        if last:
            raise RateLimited("reading", datetime.now(UTC) + timedelta(seconds=2))

    last, failing, patient = True, Failing(), Recorder(limited)
    routes = (Route("pull_request", None, "fail"), Route("issues", None, "wait"))
    handlers = {"fail": failing, "wait": patient}
    async with serving(settings(tmp_path), routes, handlers) as client:
        await deliver(client, pull_request(7))
        await deliver(client, pull_request(8), "issues")
        await begun.wait()
        await until(_one_waits)
    change(tmp_path / "planproof.db", *OLDER)
    last = False
    async with serving(settings(tmp_path), routes, handlers):
        await until(lambda: told and len(patient.runs) == 2)
    assert told == ["no luck"]


async def _one_waits() -> bool:
    return len(await DBOS.list_workflows_async(status="DELAYED", load_input=False, load_output=False)) == 1


def rows(database: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(database)) as connection:
        return list(connection.execute(query))


def change(database: Path, *statements: str) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture
def full(tmp_path: Path) -> Callable[[bool], None]:
    """Call it with True, and the end of no job can be written any more, as on a full disk."""

    def set_full(on: bool) -> None:
        statement = (
            "CREATE TRIGGER full BEFORE UPDATE ON workflow_status WHEN NEW.name = 'job' AND NEW.status != OLD.status"
            " AND OLD.status = 'PENDING' AND NEW.status != 'ENQUEUED'"
            " BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END"
        )
        change(tmp_path / "planproof.db", statement if on else "DROP TRIGGER full")

    return set_full


async def test_a_job_whose_end_could_not_be_written_is_resumed(
    tmp_path: Path, full: Callable[[bool], None], caplog: pytest.LogCaptureFixture
) -> None:
    look = Recorder()
    limits = replace(FAST, sweep=0.1, sweeps=SweepLimits(idle=0.3))
    routes = (Route("pull_request", None, "look"),)
    async with serving(settings(tmp_path), routes, {"look": look}, limits=limits) as client:
        full(True)
        await deliver(client, pull_request(), delivery="d-1")
        await until(lambda: "disk is full" in caplog.text)
        full(False)
        await until(lambda: len(look.runs) == 2)
        await until(_all_done)
        # another job of the same number has its turn
        await deliver(client, pull_request(), delivery="d-2")
        await until(lambda: len(look.runs) == 3)


async def _all_done() -> bool:
    found = await DBOS.list_workflows_async(name="job", load_input=False, load_output=False)
    return [each.status for each in found] == ["SUCCESS"]


async def test_a_delivery_whose_intake_failed_is_taken_in_again_by_the_sweep(tmp_path: Path) -> None:
    look = Recorder()
    check = {
        "action": "rerequested",
        "check_run": {"id": 1, "head_sha": "a" * 40, "pull_requests": [], "app": {"id": 4711}},
        "repository": {"id": 11, "name": "engine", "owner": {"login": "acme"}},
        "installation": {"id": 3},
    }
    limits = replace(FAST, sweep=0.1)
    routes = (Route("check_run", "rerequested", "look"),)
    async with serving(settings(tmp_path), routes, {"look": look}, limits=limits) as client:
        await deliver(client, check, "check_run", "d-1")
        # the intake finds no GitHub to ask, each time
        await until(partial(_intakes, ["ERROR"] * 5))
    assert look.runs == []


async def _intakes(states: list[str]) -> bool:
    found = await DBOS.list_workflows_async(name="ingest", load_input=False, load_output=False)
    return [each.status for each in found] == states


# ---- checks that nobody completed ----------------------------------------------------------------
@pytest.fixture
def begun(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    widgets: Repository,  # noqa: F811
    installation: Installation,
) -> Callable[..., CheckRun]:
    """Begin a check of ours on a head, that many minutes ago, and leave it unfinished."""
    [app] = github.apps.values()

    def begin(number: int, head: str, minutes: int = 60, repo: Repository = widgets) -> CheckRun:
        run = github.add_run(repo, app, head, "planproof")
        run.status = "in_progress"
        since = int((datetime.now(UTC) - minutes * MINUTES).timestamp() * 1000)
        values = f"{repo.id}, {number}, '{head}', {installation.id}, '{repo.full_name}', {since}"
        names = "repo_id, number, head_sha, installation_id, repo, since"
        statement = f"INSERT INTO planproof_open_checks ({names}) VALUES ({values})"  # noqa: S608
        change(tmp_path / "server" / "planproof.db", statement)
        return run

    return begin


def waiting(folder: Path) -> list[str]:
    """The heads whose checks are kept as open, oldest first."""
    found = rows(folder / "server" / "planproof.db", "SELECT head_sha FROM planproof_open_checks ORDER BY since")
    return [str(head) for (head,) in found]


def ended(run: CheckRun) -> tuple[str, str | None, str | None]:
    return run.status, run.conclusion, run.title


ALONE = SweepLimits(starts=0)
"""No job of another chore is at work on what is looked at."""
DAY = 24 * 60
REFUSED = "Repository access blocked"


async def test_a_check_that_cannot_be_looked_at_does_not_keep_the_others_back(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    widgets: Repository,  # noqa: F811
    app_keys: KeyPair,  # noqa: F811
    begun: Callable[..., CheckRun],
) -> None:
    first, second = pulls(github, widgets, 2)
    assert first.pull is not None
    assert second.pull is not None
    async with machine(tmp_path, github.url, app_keys, replace(ALONE, checks=1)) as made:
        begun(first.number, first.pull.head_sha, 90)
        run = begun(second.number, old := github.push(widgets, "aside", {"a.md": "a\n"}))
        github.fail_next("GET", f"/commits/{first.pull.head_sha}/check-runs", 403, message=REFUSED, times=99)
        for _ in range(2):
            await made.sweep()
        assert ended(run) == ("completed", "cancelled", "A newer commit is judged instead")
        assert waiting(tmp_path) == [first.pull.head_sha]
        assert old not in waiting(tmp_path)


async def test_a_check_that_is_given_up_is_cancelled_not_forgotten(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    widgets: Repository,  # noqa: F811
    app_keys: KeyPair,  # noqa: F811
    begun: Callable[..., CheckRun],
) -> None:
    [pull] = pulls(github, widgets, 1)
    assert pull.pull is not None
    async with machine(tmp_path, github.url, app_keys, ALONE) as made:
        run = begun(pull.number, pull.pull.head_sha, DAY + 5)
        await made.sweep()
        assert ended(run) == ("completed", "cancelled", "Not judged")
        assert waiting(tmp_path) == []
        assert made.jobs.swept["checks", "started"] == 1


async def test_what_github_refuses_for_good_is_forgotten_after_a_day(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    widgets: Repository,  # noqa: F811
    app_keys: KeyPair,  # noqa: F811
    begun: Callable[..., CheckRun],
) -> None:
    first, second = pulls(github, widgets, 2)
    assert first.pull is not None
    assert second.pull is not None
    async with machine(tmp_path, github.url, app_keys, ALONE) as made:
        begun(first.number, first.pull.head_sha, DAY + 5)
        begun(second.number, second.pull.head_sha)
        github.fail_next("GET", "/commits/[0-9a-f]+/check-runs", 403, message=REFUSED, times=2)
        await made.sweep()
        assert waiting(tmp_path) == [second.pull.head_sha]


async def test_a_cancel_that_github_does_not_confirm_is_sent_again_by_the_next_sweep_but_not_for_ever(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    widgets: Repository,  # noqa: F811
    app_keys: KeyPair,  # noqa: F811
    begun: Callable[..., CheckRun],
) -> None:
    [pull] = pulls(github, widgets, 1)
    assert pull.pull is not None
    async with machine(tmp_path, github.url, app_keys, ALONE) as made:
        run = begun(pull.number, old := github.push(widgets, "aside", {"a.md": "a\n"}))
        older = begun(pull.number, oldest := github.push(widgets, "beside", {"b.md": "b\n"}), 2 * DAY + 5)
        github.fail_next("PATCH", "/check-runs/", 502, times=999)
        await made.sweep()
        assert waiting(tmp_path) == [old]
        assert oldest not in waiting(tmp_path)
        github._faults.clear()
        await made.sweep()
        assert ended(run) == ("completed", "cancelled", "A newer commit is judged instead")
        assert (waiting(tmp_path), older.status) == ([], "in_progress")


async def test_the_check_of_a_closed_pull_request_says_that_it_was_closed(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    widgets: Repository,  # noqa: F811
    app_keys: KeyPair,  # noqa: F811
    begun: Callable[..., CheckRun],
) -> None:
    [pull] = pulls(github, widgets, 1)
    assert pull.pull is not None
    github.close_pull(pull)
    async with machine(tmp_path, github.url, app_keys, ALONE) as made:
        run = begun(pull.number, pull.pull.head_sha)
        await made.sweep()
        assert ended(run) == ("completed", "cancelled", "The pull request was closed")


async def test_a_repository_in_shadow_keeps_its_unfinished_check_unwritten(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    widgets: Repository,  # noqa: F811
    app_keys: KeyPair,  # noqa: F811
    begun: Callable[..., CheckRun],
) -> None:
    [pull] = pulls(github, widgets, 1)
    github.push(widgets, "main", {".github/planproof.yml": "mode: shadow\n"})
    async with machine(tmp_path, github.url, app_keys, ALONE) as made:
        run = begun(pull.number, github.push(widgets, "aside", {"a.md": "a\n"}))
        await made.sweep()
        assert run.status == "in_progress"
        assert len(waiting(tmp_path)) == 1


async def test_a_check_is_judged_again_with_what_the_repository_is_now(
    tmp_path: Path,
    github: Lookalike,  # noqa: F811
    widgets: Repository,  # noqa: F811
    app_keys: KeyPair,  # noqa: F811
    begun: Callable[..., CheckRun],
) -> None:
    [pull] = pulls(github, widgets, 1)
    assert pull.pull is not None
    github.push(widgets, "trunk", {"a.md": "a\n"})
    widgets.default_branch, widgets.private = "trunk", False
    async with machine(tmp_path, github.url, app_keys, ALONE) as made:
        begun(pull.number, pull.pull.head_sha)
        begun(0, github.push(widgets, "main", {"b.md": "b\n"}))
        await made.sweep()
        await until(lambda: len(made.again.runs) == 2)
        for run in made.again.runs:
            assert (run.repo.full_name, run.repo.private, run.repo.default_branch) == ("acme/widgets", False, "trunk")
