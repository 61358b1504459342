"""Threads of pushes: what comes to the default branch is judged on its commit's check run, and nowhere else."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from tests.handlers.scenes import (
    CONFIG,
    PLAN,
    change_rows,
    conclusion,
    pull_in,
    repository,
    runs,
    updates,
    writes,
)
from tests.handlers.test_pull_request import FLAWED, SOUND
from tests.lookalike.gitstore import Content
from tests.lookalike.state import CheckRun, Repository
from tests.stage import Stage


@pytest.fixture
def repo(stage: Stage) -> Repository:
    return repository(stage)


def push(stage: Stage, repo: Repository, files: dict[str, Content], branch: str = "main", **how: str) -> str:
    """A push after which the journal holds what came of it."""
    stage.settle()
    stage.look.forget()
    sha = stage.look.push(repo, branch, files, **how)
    stage.settle()
    return sha


def check_of(stage: Stage, repo: Repository, sha: str) -> CheckRun:
    [run] = runs(stage, repo, sha)
    return run


def test_a_flawed_plan_gets_a_failing_check_on_the_commit_and_nothing_else(stage: Stage, repo: Repository) -> None:
    sha = push(stage, repo, {PLAN: FLAWED})
    run = check_of(stage, repo, sha)
    assert (run.status, run.conclusion, run.title) == ("completed", "failure", "1 finding to settle before work starts")
    [annotation] = run.annotations
    assert (annotation["path"], annotation["start_line"]) == (PLAN, 6)
    assert writes(stage) == [f"POST /repos/{repo.full_name}/check-runs"]
    assert repo.labels == []


def test_a_sound_plan_gets_a_green_check_on_the_commit(stage: Stage, repo: Repository) -> None:
    assert check_of(stage, repo, push(stage, repo, {PLAN: SOUND})).conclusion == "success"


def test_a_push_that_only_ticks_boxes_gets_nothing(stage: Stage, repo: Repository) -> None:
    push(stage, repo, {PLAN: FLAWED})
    sha = push(stage, repo, {PLAN: FLAWED.replace("[ ]", "[x]")})
    assert runs(stage, repo, sha) == []
    assert writes(stage) == []


def test_a_push_of_code_alone_asks_github_for_nothing(stage: Stage, repo: Repository) -> None:
    push(stage, repo, {"src/widgets/retry.py": "PAUSE = 1\n"})
    assert (stage.look.requests, stage.look.git_requests) == ([], [])


def test_a_push_of_other_documents_gets_nothing(stage: Stage, repo: Repository) -> None:
    sha = push(stage, repo, {"README.md": "# Gears\n"})
    assert runs(stage, repo, sha) == []
    assert writes(stage) == []


def test_a_plan_on_another_branch_asks_github_for_nothing(stage: Stage, repo: Repository) -> None:
    push(stage, repo, {PLAN: FLAWED}, "elsewhere")
    assert (stage.look.requests, stage.look.git_requests) == ([], [])


def test_a_plan_that_comes_with_a_merge_is_judged_on_the_merge_commit(stage: Stage, repo: Repository) -> None:
    for plan, expected in ((FLAWED, "failure"), (SOUND.replace("Client", "Caller"), "success")):
        pull = pull_in(stage, repo, plan)
        sha = stage.look.merge_pull(pull)
        stage.settle()
        assert check_of(stage, repo, sha).conclusion == expected
        assert conclusion(stage, pull) == expected


def test_code_that_comes_with_the_plan_does_not_count_against_it(stage: Stage, repo: Repository) -> None:
    plan = "# Retry Plan\n\n### Task 1: Policy\n\n**Files:**\n- Create: `src/widgets/retry.py`\n"
    sha = push(stage, repo, {PLAN: plan, "src/widgets/retry.py": "PAUSE = 1\n"})
    assert check_of(stage, repo, sha).conclusion == "success"


def test_a_re_run_on_a_pushed_commit_judges_it_again(stage: Stage, repo: Repository) -> None:
    run = check_of(stage, repo, push(stage, repo, {PLAN: FLAWED}))
    asks: list[Callable[[], None]] = [
        lambda: stage.look.rerequest(run),
        lambda: stage.look.rerequest_suite(run.suite),
        lambda: stage.look.press(run, "verify"),
    ]
    for ask in asks:
        stage.look.forget()
        ask()
        stage.settle()
        assert [sent["conclusion"] for sent in updates(stage, run)] == ["failure"]
        assert stage.look.asked("GET", rf"/contents/{CONFIG}$")
        assert len(run.annotations) == 1


def test_a_re_run_on_a_pushed_commit_of_a_lost_database_judges_it_again(stage: Stage, repo: Repository) -> None:
    run = check_of(stage, repo, push(stage, repo, {PLAN: FLAWED}))
    change_rows(stage, "DELETE FROM planproof_reports WHERE repo_id = ?", repo.id)
    stage.look.forget()
    stage.look.rerequest(run)
    stage.settle()
    assert [sent["conclusion"] for sent in updates(stage, run)] == ["failure"]
    assert stage.look.asked("GET", rf"/contents/{CONFIG}$")


def ask_again(stage: Stage, run: CheckRun) -> None:
    stage.look.forget()
    stage.look.rerequest(run)
    stage.settle()


def test_a_re_run_on_a_pushed_commit_that_cannot_be_fetched_completes_its_check_as_it_was(
    stage: Stage, repo: Repository
) -> None:
    run = check_of(stage, repo, push(stage, repo, {PLAN: FLAWED}))
    shutil.rmtree(stage.server.folder / "data" / "mirrors" / str(repo.id))
    stage.look.fail_next("*", rf"/{repo.name}\.git/", 503, times=99)
    try:
        ask_again(stage, run)
    finally:
        stage.look._faults.clear()
    assert [sent["conclusion"] for sent in updates(stage, run)] == ["failure"]
    assert (run.status, run.conclusion) == ("completed", "failure")


def test_a_re_run_on_a_pushed_commit_where_we_were_switched_off_completes_its_check_as_it_was(
    stage: Stage, repo: Repository
) -> None:
    run = check_of(stage, repo, push(stage, repo, {PLAN: FLAWED}))
    push(stage, repo, {CONFIG: "mode: off\n"})
    ask_again(stage, run)
    assert [sent["conclusion"] for sent in updates(stage, run)] == ["failure"]
    # one that was left unfinished has nothing to be completed as
    run.status, run.conclusion = "in_progress", None
    ask_again(stage, run)
    assert [sent["conclusion"] for sent in updates(stage, run)] == ["cancelled"]
    assert run.title == "Not judged"


def test_a_re_run_on_a_pushed_commit_in_shadow_writes_nothing(stage: Stage, repo: Repository) -> None:
    run = check_of(stage, repo, push(stage, repo, {PLAN: FLAWED}))
    push(stage, repo, {CONFIG: "mode: shadow\n"})
    ask_again(stage, run)
    assert writes(stage) == []


def test_a_re_run_on_a_pushed_commit_that_breaks_off_does_not_leave_it_waiting(stage: Stage, repo: Repository) -> None:
    stage.expected_errors.add("job.failed")
    run = check_of(stage, repo, push(stage, repo, {PLAN: FLAWED}))
    change_rows(stage, "DELETE FROM planproof_reports WHERE repo_id = ?", repo.id)
    stage.look.fail_next("GET", rf"/repos/{repo.full_name}/contents/", 418)
    ask_again(stage, run)
    assert [sent["conclusion"] for sent in updates(stage, run)] == ["failure"]


def test_a_force_push_is_judged_against_what_was_there_before(stage: Stage, repo: Repository) -> None:
    first = repo.git.branch("main")
    push(stage, repo, {PLAN: FLAWED})
    sha = push(stage, repo, {PLAN: FLAWED.replace("Retry Plan", "Backoff Plan")}, onto=str(first))
    assert check_of(stage, repo, sha).conclusion == "failure"
    back = push(stage, repo, {"NEWS.md": "Nothing yet.\n"}, onto=str(first))
    assert runs(stage, repo, back) == []


def test_a_branch_that_is_deleted_is_left_alone(stage: Stage, repo: Repository) -> None:
    push(stage, repo, {PLAN: FLAWED}, "elsewhere")
    stage.look.delete_branch(repo, "elsewhere")
    stage.look.delete_branch(repo, "main")
    stage.settle()
    assert writes(stage) == []
    assert stage.look.git_requests == []


def test_a_new_default_branch_counts_from_then_on(stage: Stage, repo: Repository) -> None:
    push(stage, repo, {"NEWS.md": "Nothing yet.\n"}, "trunk")
    repo.default_branch = "trunk"
    assert runs(stage, repo, push(stage, repo, {PLAN: FLAWED}, "main")) == []
    sha = push(stage, repo, {PLAN: FLAWED}, "trunk")
    assert check_of(stage, repo, sha).conclusion == "failure"


def test_a_broken_configuration_fails_on_its_lines(stage: Stage, repo: Repository) -> None:
    sha = push(stage, repo, {CONFIG: "mode: on\ngates: true\nlabel: ''\n"})
    run = check_of(stage, repo, sha)
    assert (run.conclusion, run.title) == ("failure", f"2 errors in {CONFIG}")
    found = [(each["path"], each["start_line"], each["annotation_level"]) for each in run.annotations]
    assert found == [(CONFIG, 2, "failure"), (CONFIG, 3, "failure")]
    assert "the nearest is `gate`" in run.annotations[0]["message"]
    # the next push is not its author's fault
    assert runs(stage, repo, push(stage, repo, {"README.md": "# Gears\n"})) == []
    mended = push(stage, repo, {CONFIG: "mode: on\n"})
    assert runs(stage, repo, mended) == []


def test_a_broken_configuration_beside_a_sound_plan_fails_too(stage: Stage, repo: Repository) -> None:
    run = check_of(stage, repo, push(stage, repo, {CONFIG: "gates: true\n", PLAN: SOUND}))
    assert (run.conclusion, run.title) == ("failure", f"1 error in {CONFIG}; No open finding")


def test_a_repository_in_shadow_gets_no_check_on_a_push(stage: Stage) -> None:
    repo = repository(stage, "mode: shadow\n")
    sha = push(stage, repo, {PLAN: FLAWED})
    assert runs(stage, repo, sha) == []
    assert writes(stage) == []


@pytest.mark.parametrize(("config", "expected"), [(None, ["action_required"]), ("mode: shadow\n", [])])
def test_a_push_whose_judging_broke_off_says_so_unless_nothing_is_to_be_posted(
    stage: Stage, config: str | None, expected: list[str]
) -> None:
    stage.expected_errors.add("job.failed")
    repo = repository(stage, config)
    # the second look at the file is the one for what went wrong
    broken = "commits/[0-9a-f]+/check-runs" if config is None else "contents/"
    stage.look.fail_next("GET", rf"/repos/{repo.full_name}/{broken}", 418)
    sha = push(stage, repo, {PLAN: FLAWED})
    assert [run.conclusion for run in runs(stage, repo, sha)] == expected
