from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.review.settled import IGNORED, Decisions, Settled
from bot.sqlite import DatabaseError, file_of, write_ahead
from bot.store import Decision, Store
from bot.tables import metadata
from schemas.verify_report import Evidence, Finding, FindingType, PlanInfo, Severity, Status, Verdict, VerifyReport

HEAD = "c" * 40


def report(path: str = "docs/plans/a.md", verdict: Verdict = Verdict.CLEAN) -> VerifyReport:
    finding = Finding(
        id="f-3a91c2",
        type=FindingType.MISSING_PATH,
        severity=Severity.BLOCKER,
        gating=True,
        plan_path=path,
        plan_line=3,
        plan_end_line=3,
        subject="src/a.py",
        message="no such file \0",
        evidence=(Evidence(path="src", absent=True),),
    )
    return VerifyReport(plan=PlanInfo(path=path, format="superpowers"), verdict=verdict, findings=(finding,))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    made = Store(f"sqlite:///{tmp_path}/data/planproof.db", now=lambda: 1000.5)
    await made.open()
    yield made
    await made.close()


async def test_reports_come_back_as_they_were(store: Store) -> None:
    first, second = report(), report("PLAN.md", Verdict.NEEDS_FIX)
    await store.save_report(11, 7, HEAD, first)
    await store.save_report(11, 7, HEAD, second)
    assert await store.reports(11, 7, HEAD) == {"docs/plans/a.md": first, "PLAN.md": second}
    assert await store.reports(11, 7, "d" * 40) == {}
    assert await store.reports(12, 7, HEAD) == {}


async def test_a_later_report_of_the_same_plan_and_head_takes_the_place_of_the_first(store: Store) -> None:
    await store.save_report(11, 7, HEAD, report())
    await store.save_report(11, 7, HEAD, report(verdict=Verdict.NEEDS_FIX))
    (found,) = (await store.reports(11, 7, HEAD)).values()
    assert found.verdict is Verdict.NEEDS_FIX


async def test_a_report_that_does_not_fit_the_schema_is_as_good_as_none(store: Store, tmp_path: Path) -> None:
    await store.save_report(11, 7, HEAD, report())
    with sqlite3.connect(tmp_path / "data" / "planproof.db") as connection:
        connection.execute("""UPDATE planproof_reports SET report = '{"schema": 1, "verdict": "clean"}'""")
    connection.close()
    assert await store.reports(11, 7, HEAD) == {}


async def test_a_head_leads_to_the_pull_requests_judged_at_it(store: Store) -> None:
    for number, path in ((9, "a.md"), (7, "b.md"), (7, "c.md")):
        await store.save_report(11, number, HEAD, report(path))
    assert await store.numbers_for_head(11, HEAD) == [7, 9]
    assert await store.numbers_for_head(12, HEAD) == []


async def test_the_reports_of_one_pull_request_among_those_of_its_head(store: Store) -> None:
    await store.save_report(1, 7, "a" * 40, report("docs/plans/a.md"))
    await store.save_report(1, 8, "a" * 40, report("docs/plans/b.md"))
    assert list(await store.reports(1, 8, "a" * 40)) == ["docs/plans/b.md"]


async def test_a_database_without_its_tables_is_no_healthy_one(store: Store) -> None:
    await store.ping()
    await store._do(metadata.drop_all)
    with pytest.raises(sa.exc.SQLAlchemyError):
        await store.ping()


async def test_a_run_keeps_its_start_when_it_begins_again(store: Store) -> None:
    clock = [1.0]
    store._now = lambda: clock[0]
    await store.run_started("7f3c", job_id="11/7:1:d", handler="pull_request", repo="acme/engine", number=7)
    clock[0] = 2.0
    await store.run_started("7f3c", job_id="11/7:1:d", handler="pull_request", repo="acme/engine", number=7)
    await store.run_judged("7f3c", head=HEAD, verdict="clean", conclusion="success")
    clock[0] = 3.0
    await store.run_finished("7f3c", state="done")
    run = await store.run("7f3c")
    assert run is not None
    assert (run["started"], run["finished"], run["state"]) == (1000, 3000, "done")
    assert (run["head"], run["verdict"], run["conclusion"]) == (HEAD, "clean", "success")
    assert await store.run("none") is None
    await store.forget_runs(before=1.0)
    assert await store.run("7f3c") is not None
    await store.forget_runs(before=1.1)
    assert await store.run("7f3c") is None


async def test_the_last_valid_configuration_is_kept_until_dropped(store: Store) -> None:
    assert await store.last_config(11) is None
    await store.save_config(11, "gate: true\n")
    await store.save_config(11, "gate: false\n")
    assert await store.last_config(11) == "gate: false\n"
    await store.drop_config(11)
    assert await store.last_config(11) is None


async def test_the_first_comment_introduces_the_app_and_goes_on_doing_so(store: Store) -> None:
    assert await store.introduces(11, 7)
    await store.introduced(11, 3, 7)
    await store.introduced(11, 3, 8)
    assert await store.introduces(11, 7)
    assert not await store.introduces(11, 8)
    assert await store.introduces(12, 8)


async def test_two_pull_requests_with_one_head_keep_their_own_reports(store: Store) -> None:
    await store.save_report(11, 7, HEAD, report())
    await store.save_report(11, 8, HEAD, report(verdict=Verdict.NEEDS_FIX))
    (first,) = (await store.reports(11, 7, HEAD)).values()
    (second,) = (await store.reports(11, 8, HEAD)).values()
    assert (first.verdict, second.verdict) == (Verdict.CLEAN, Verdict.NEEDS_FIX)
    assert await store.numbers_for_head(11, HEAD) == [7, 8]


async def test_the_reports_of_the_head_before_are_found(store: Store) -> None:
    assert await store.earlier_reports(11, 7, HEAD) is None
    await store.save_report(11, 7, "d" * 40, report())
    await store.save_report(11, 7, HEAD, report())
    assert await store.earlier_reports(11, 7, HEAD) == ("d" * 40, (report(),))
    assert await store.earlier_reports(11, 8, HEAD) is None


async def test_issues_with_evidence_are_remembered_once(store: Store) -> None:
    await store.note_evidence(11, 7, (3, 2))
    await store.note_evidence(11, 7, (3,))
    assert await store.evidence(11, 7) == (2, 3)
    assert await store.evidence(11, 8) == ()


async def begun(store: Store, run: str, job: str, handler: str, number: int = 7) -> None:
    await store.run_started(run, job_id=job, handler=handler, repo="acme/widgets", number=number, repo_id=11)


async def test_a_run_is_overtaken_by_a_later_one_of_its_handler_that_is_done(store: Store) -> None:
    await begun(store, "old", "11/7:0001:a", "issue_plan")
    await begun(store, "other", "11/71:0002:b", "issue_plan", 71)
    await begun(store, "command", "11/7/aside:0002:c", "command")
    await begun(store, "new", "11/7:0003:d", "issue_plan")
    for run in ("other", "command"):
        await store.run_finished(run, state="done")
    assert not await store.overtaken("old")
    await store.run_finished("new", state="done")
    assert await store.overtaken("old")
    assert not await store.overtaken("new")
    assert not await store.overtaken("unknown")


async def test_only_a_verdict_overtakes_a_judging_whatever_came_to_it(store: Store) -> None:
    await begun(store, "failed", "11/7:0002:a", "command")
    await begun(store, "before", "11/7:0001:b", "pull_request")
    await begun(store, "status", "11/7/aside:0003:c", "command")
    await begun(store, "verify", "11/7/aside:0004:d", "command")
    await store.run_judged("before", head=HEAD, verdict="clean", conclusion="success")
    for run in ("before", "status"):
        await store.run_finished(run, state="done")
    assert not await store.overtaken("failed", judged=True)
    await store.run_judged("verify", head=HEAD, verdict="clean", conclusion="success")
    assert not await store.overtaken("failed", judged=True)
    await store.run_finished("verify", state="done")
    assert await store.overtaken("failed", judged=True)


async def test_a_run_that_came_to_its_end_is_not_cut(store: Store) -> None:
    for run in ("ended", "runs"):
        await begun(store, run, f"11/7:0001:{run}", "pull_request")
    await store.run_finished("ended", state="failed", detail="no luck")
    for run in ("ended", "runs", "never begun"):
        await store.run_cut(run, state="cancelled")
    assert [(await store.run(run) or {})["state"] for run in ("ended", "runs")] == ["failed", "cancelled"]


async def test_what_a_person_stopped_is_known_until_the_same_run_judges(store: Store) -> None:
    await begun(store, "stop", "11/7:0001:a", "command")
    assert await store.last_stop(11, 7, HEAD) is None
    await store.run_stopped_others("stop", head=HEAD)
    assert await store.last_stop(11, 7, HEAD) == 1_000_500
    assert await store.last_stop(11, 7) == 1_000_500
    assert await store.last_stop(11, 7, "d" * 40) is None
    assert await store.last_stop(11, 8) is None
    assert await store.last_verdict(11, 7) is None
    await store.run_judged("stop", head=HEAD, verdict="clean", conclusion="success")
    assert await store.last_stop(11, 7, HEAD) is None


async def kept(store: Store, repo: int, installation: int) -> None:
    await store.save_report(repo, 7, HEAD, report())
    await store.save_config(repo, "gate: true\n")
    await store.run_started(
        f"run-{repo}", job_id=f"{repo}/7:1:d", handler="look", repo_id=repo, number=7, installation_id=installation
    )
    await store.seen(repo, installation, "acme/engine")


async def test_a_repository_that_went_to_another_installation_is_not_forgotten_with_the_old_one(store: Store) -> None:
    await kept(store, 11, 100)
    await kept(store, 12, 100)
    await store.seen(11, 200, "wonka/engine")
    await store.save_report(13, 7, HEAD, report())
    assert await store.repositories_of(100) == [12]
    # of one that no row tells whose it is, the event is believed
    assert await store.repositories_of(100, [11, 12, 13]) == [12, 13]
    await store.forget_repositories([11, 13], 100)
    await store.forget_installation(100)
    assert [bool(await store.reports(repo, 7, HEAD)) for repo in (11, 12, 13)] == [True, False, False]
    assert await store.last_config(11) == "gate: true\n"
    assert [await store.run(f"run-{repo}") is not None for repo in (11, 12)] == [True, False]
    assert [row["installation_id"] for row in await store.known_repositories()] == [200]


async def test_what_takes_several_statements_is_one_transaction(store: Store) -> None:
    commits: list[object] = []
    sa.event.listen(store._engine, "commit", commits.append)
    await store.introduced(11, 3, 7)
    await store.forget_repositories([11], 3)
    await store.forget_installation(3)
    assert len(commits) == 3


async def test_an_uninstalled_app_forgets_the_repositories(store: Store) -> None:
    for repo, installation in ((11, 3), (12, 3), (13, 4)):
        await store.save_report(repo, 7, HEAD, report())
        await store.save_config(repo, "gate: true\n")
        await store.introduced(repo, installation, 7)
    await store.forget_installation(3)
    assert [bool(await store.reports(repo, 7, HEAD)) for repo in (11, 12, 13)] == [False, False, True]
    assert await store.last_config(11) is None
    assert await store.last_config(13) == "gate: true\n"
    assert await store.introduces(11, 8)


async def test_opening_twice_changes_nothing_and_a_lost_file_is_made_anew(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/planproof.db"
    for _ in range(2):
        store = Store(url)
        await store.open()
        await store.save_config(11, "gate: true\n")
        await store.close()
    _delete(tmp_path)
    store = Store(url)
    await store.open()
    assert await store.last_config(11) is None
    await store.close()


def _delete(folder: Path) -> None:
    for file in folder.glob("planproof.db*"):
        file.unlink()


async def test_the_migrations_lead_to_the_tables_that_the_code_uses(store: Store) -> None:
    def compare(connection: sa.Connection) -> None:
        found = sa.inspect(connection)
        for table in metadata.sorted_tables:
            columns = {each["name"]: bool(each["nullable"]) for each in found.get_columns(table.name)}
            assert columns == {each.name: bool(each.nullable) for each in table.columns}
            assert found.get_pk_constraint(table.name)["constrained_columns"] == [c.name for c in table.primary_key]
            assert {i["name"] for i in found.get_indexes(table.name)} == {i.name for i in table.indexes}

    await store._do(compare)


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "planproof.db").write_bytes(b"no database " * 400)
    store = Store(f"sqlite:///{tmp_path}/planproof.db")
    with pytest.raises(DatabaseError, match="move it away"):
        await store.open()
    await store.close()


async def test_a_database_that_another_program_holds_is_not_to_be_moved_away(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "planproof.db", isolation_level=None)) as other:
        other.execute("CREATE TABLE held (x)")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(DatabaseError, match="another program holds it") as caught:
            write_ahead(tmp_path / "planproof.db")
    assert "move it away" not in str(caught.value)


def test_a_folder_in_the_place_of_the_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "planproof.db").mkdir()
    with pytest.raises(DatabaseError, match=r"planproof\.db cannot be used .* has to be a file"):
        write_ahead(tmp_path / "planproof.db")


@pytest.mark.parametrize("url", ["somewhere", "mysql://u:hunter2@h/x", "postgresql://u:hunter2@h:port/x"])
def test_an_address_of_no_usable_database_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(DatabaseError, match="PLANPROOF_DATABASE_URL is no address") as caught:
        file_of(url)
    assert "hunter2" not in str(caught.value)


def test_a_database_in_memory_is_refused() -> None:
    for url in ("sqlite://", "sqlite:///:memory:"):
        with pytest.raises(DatabaseError, match="must be a file"):
            file_of(url)


def test_the_tables_can_be_made_on_postgres() -> None:
    from sqlalchemy.dialects import postgresql

    made = [str(sa.schema.CreateTable(t).compile(dialect=postgresql.dialect())) for t in metadata.sorted_tables]  # type: ignore[no-untyped-call]
    assert len(made) == len(metadata.tables)


async def test_a_decision_keeps_what_the_finding_was_about(store: Store) -> None:
    made = Decision(
        finding_id="f-3a91c2",
        kind=FindingType.MISSING_PATH,
        subject="src/a.py",
        plan_path="docs/plans/a.md",
        status=Status.DISMISSED,
        by="owner",
        reason="generated",
        number=7,
        at=1,
    )
    await store.decide(11, made)
    assert await store.decisions(11, ["docs/plans/a.md"]) == [made]
    # the last word on an id counts, also where it is about another finding
    other = replace(made, kind=FindingType.VERIFY_FORM, subject="mypy", at=2)
    await store.decide(11, other)
    assert await store.decisions(11, ["docs/plans/a.md"]) == [other]


def test_a_decision_holds_for_a_finding_of_its_type_and_subject_alone() -> None:
    [finding] = report().findings
    path = "docs/plans/a.md"
    made = Decision(finding.id, finding.type, finding.subject, path, Status.DISMISSED, "owner", "generated", 7, 1)
    decided = Decisions([made], [])
    assert decided.of(path, finding) == Settled(Status.DISMISSED, "owner", "generated", 1)
    for change in ({"type": FindingType.VERIFY_FORM}, {"subject": "src/b.py"}, {"id": "f-000000"}):
        assert decided.of(path, finding.model_copy(update=change)) is None
    assert decided.of("docs/plans/b.md", finding) is None
    other = finding.model_copy(update={"subject": "src/b.py"})
    assert decided.mistaken(path, [finding]) == frozenset()
    assert decided.mistaken(path, [finding, other]) == {finding.id}
    assert Decisions([made], [finding.id]).mistaken(path, [other]) == frozenset()
    assert Decisions([made], [finding.id]).of(path, other) == IGNORED
