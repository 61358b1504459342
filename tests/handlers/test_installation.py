"""Threads of the App's coming and going: what is kept of a repository goes with the App."""

from __future__ import annotations

import pytest

from tests.handlers.scenes import change_rows, installed, pull_in, repository, rows
from tests.handlers.test_pull_request import FLAWED
from tests.lookalike.state import Repository
from tests.stage import Stage, staged, until

TABLES = ("reports", "evidence", "decisions", "open_checks", "configs", "repositories", "runs")


def kept(stage: Stage, repo: Repository) -> dict[str, int]:
    """Rows of a repository by table, its mirror among them."""
    found = {
        table: len(rows(stage, f"SELECT 1 FROM planproof_{table} WHERE repo_id = ?", repo.id))  # noqa: S608
        for table in TABLES
    }
    found["mirror"] = int(mirrored(stage, repo))
    found["jobs"] = len(rows(stage, "SELECT 1 FROM workflow_status WHERE inputs LIKE ?", f"%{repo.full_name}%"))
    return {name: count for name, count in found.items() if count}


def mirrored(stage: Stage, repo: Repository) -> bool:
    return (stage.server.folder / "data" / "mirrors" / str(repo.id)).exists()


def lively(stage: Stage, owner: str) -> Repository:
    """A repository with a configuration to remember."""
    return repository(stage, "label: own\n", owner=owner)


def work(stage: Stage, repo: Repository) -> None:
    issue = stage.look.open_issue(repo, "Calls fail", "They do.")
    pull_in(stage, repo, FLAWED, body=f"Closes #{issue.number}")
    assert {"reports", "evidence", "configs", "repositories", "runs", "mirror"} <= kept(stage, repo).keys()
    assert jobs_of(stage, repo)


def jobs_of(stage: Stage, repo: Repository) -> list[tuple[str, ...]]:
    return rows(
        stage,
        "SELECT workflow_uuid FROM workflow_status WHERE workflow_uuid LIKE ? OR queue_partition_key LIKE ?",
        f"{repo.id}/%",
        f"{repo.id}/%",
    )


def assert_forgotten(stage: Stage, repo: Repository) -> None:
    assert kept(stage, repo) == {}
    assert jobs_of(stage, repo) == []


def test_uninstalling_takes_all_of_that_installation_and_nothing_else(stage: Stage) -> None:
    first, second, other = lively(stage, "wonka"), lively(stage, "wonka"), lively(stage, "acme")
    installation = installed(stage, "wonka")
    for repo in (first, second, other):
        work(stage, repo)
    before = kept(stage, other)
    stage.look.uninstall(installation, by="owner")
    stage.settle()
    assert_forgotten(stage, first)
    assert_forgotten(stage, second)
    for table in ("installations", "defaults", "runs"):
        query = f"SELECT handler FROM planproof_{table}" if table == "runs" else f"SELECT 1 FROM planproof_{table}"  # noqa: S608
        left = rows(stage, f"{query} WHERE installation_id = ?", installation.id)
        assert [row for row in left if row != ("installation",)] == []
    assert kept(stage, other) == before
    assert jobs_of(stage, other)


@pytest.mark.parametrize("how", ["removed", "deleted"])
def test_a_repository_that_is_taken_away_goes_alone(stage: Stage, how: str) -> None:
    owner = f"stark-{how}"
    gone, stays = lively(stage, owner), lively(stage, owner)
    installation = installed(stage, owner)
    for repo in (gone, stays):
        work(stage, repo)
    before = kept(stage, stays)
    if how == "removed":
        stage.look.choose(installation, [stays.name], by="owner")
    else:
        stage.look.delete_repository(gone)
    stage.settle()
    assert {name: count for name, count in kept(stage, gone).items() if name not in ("runs", "repositories")} == {}
    assert kept(stage, stays) == before


def test_a_repository_that_was_transferred_stays_when_its_old_owner_uninstalls(stage: Stage) -> None:
    repo = lively(stage, "umbrella")
    old = installed(stage, "umbrella")
    stage.look.account("hooli", kind="Organization")
    new = installed(stage, "hooli")
    work(stage, repo)
    with stage.look.outbox.held() as held:
        stage.look.transfer_repository(repo, "hooli")
        late = [each for each in held if each.event == "installation_repositories" and each.action == "removed"]
        for delivery in late:
            held.remove(delivery)
            stage.look.outbox.attempts.remove(delivery)
    assert len(late) == 1
    pull_in(stage, repo, FLAWED)
    [(belongs,)] = rows(stage, "SELECT installation_id FROM planproof_repositories WHERE repo_id = ?", repo.id)
    assert belongs == new.id
    before = {name: count for name, count in kept(stage, repo).items() if name != "jobs"}
    stage.look.outbox.duplicate(late[0])
    stage.settle()
    assert {name: count for name, count in kept(stage, repo).items() if name != "jobs"} == before
    stage.look.uninstall(old, by="owner")
    stage.settle()
    assert {name: count for name, count in kept(stage, repo).items() if name != "jobs"} == before


STEPS = ("find-repositories", "forget-jobs", "forget-mirrors", "forget-rows")


@pytest.mark.parametrize("step", STEPS)
def test_a_server_killed_while_it_forgets_goes_on_after_its_restart(
    tmp_path_factory: pytest.TempPathFactory, step: str
) -> None:
    with staged(tmp_path_factory.mktemp("killed"), module="tests.quick_server") as stage:
        work(stage, stage.repo)
        stage.look.uninstall(stage.installation, by="owner")
        until(lambda: f"step.started name={step} " in stage.server.log(), f"{step} did not begin")
        stage.server.kill()
        stage.server.start()
        stage.settle()
        assert_forgotten(stage, stage.repo)
        assert [line for line in stage.server.log().splitlines() if " error " in line] == []


def test_switched_off_the_app_still_forgets_what_is_uninstalled(tmp_path_factory: pytest.TempPathFactory) -> None:
    with staged(tmp_path_factory.mktemp("off"), settings={"PLANPROOF_MODE": "off"}) as stage:
        stage.settle()
        stage.look.forget()
        repo, number = stage.repo, stage.installation.id
        # from the days when it was on
        change_rows(
            stage,
            "INSERT INTO planproof_repositories (repo_id, installation_id, seen) VALUES (?, ?, 1)",
            repo.id,
            number,
        )
        change_rows(stage, "INSERT INTO planproof_configs (repo_id, text, saved) VALUES (?, 'mode: on', 1)", repo.id)
        (stage.server.folder / "data" / "mirrors" / str(repo.id)).mkdir(parents=True)
        stage.look.open_pull(repo, "plan", {"docs/plans/a.md": FLAWED})
        stage.settle()
        assert [request.line for request in stage.look.requests if "/repos/" in request.path] == []
        stage.look.uninstall(stage.installation, by="owner")
        stage.settle()
        assert kept(stage, repo) == {}
        assert rows(stage, "SELECT 1 FROM planproof_installations WHERE installation_id = ?", number) == []
        assert stage.look.problems == []


def test_a_delivery_that_comes_after_the_uninstall_ends_quietly(stage: Stage) -> None:
    repo = lively(stage, "oscorp")
    installation = installed(stage, "oscorp")
    stage.settle()
    with stage.look.outbox.held() as held:
        pull = stage.look.open_pull(repo, "plan", {"docs/plans/a.md": FLAWED})
        late = [delivery for delivery in held if delivery.event == "pull_request"]
        for delivery in late:
            held.remove(delivery)
            stage.look.outbox.attempts.remove(delivery)
        stage.look.uninstall(installation, by="owner")
    stage.settle()
    for delivery in late:
        stage.look.outbox.duplicate(delivery)
    stage.settle()
    assert (repo.runs, stage.ours(pull)) == ([], [])
    assert jobs_of(stage, repo)
