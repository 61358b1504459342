"""Threads about `.github/planproof.yml`: what each key does, and what becomes of a file that is broken."""

from __future__ import annotations

import re

import pytest

from tests.handlers.scenes import (
    CONFIG,
    PLAN,
    conclusion,
    installed,
    pull_in,
    push_to,
    repository,
    rows,
    run_of,
    runs,
    writes,
)
from tests.handlers.test_pull_request import FLAWED, SOUND
from tests.lookalike.state import Issue, Repository
from tests.stage import Stage


def configure(stage: Stage, repo: Repository, config: str | None) -> None:
    stage.look.push(repo, "main", {CONFIG: config}, "Configure")
    stage.settle()


def shown(stage: Stage, pull: Issue) -> tuple[int, list[str], str | None]:
    """Comments of ours, labels, conclusion."""
    return len(stage.ours(pull)), stage.labels(pull), conclusion(stage, pull)


ALL = (1, ["plan/needs-fix"], "failure")


# ---- mode ----------------------------------------------------------------------------------------
def test_switched_off_nothing_is_judged(stage: Stage) -> None:
    repo = repository(stage, "mode: off\n")
    pull = pull_in(stage, repo, FLAWED)
    assert writes(stage) == []
    assert stage.look.git_requests == []
    configure(stage, repo, "mode: on\n")
    push_to(stage, pull, FLAWED + "\nMore.\n")
    assert shown(stage, pull) == ALL


def test_in_shadow_all_is_judged_and_stored_and_nothing_is_posted(stage: Stage) -> None:
    repo = repository(stage, "mode: shadow\ndraft: true\n")
    issue = stage.look.open_issue(repo, "Calls fail", "### Task 1: Retry\n\n### Task 2: Wait\n")
    pull = pull_in(stage, repo, FLAWED, body=f"Closes #{issue.number}")
    assert writes(stage) == []
    assert (stage.ours(pull), stage.ours(issue), repo.runs) == ([], [], [])
    [(verdict, decided)] = rows(
        stage, "SELECT verdict, conclusion FROM planproof_runs WHERE repo_id = ? AND verdict IS NOT NULL", repo.id
    )
    assert (verdict, decided) == ("needs_fix", "failure")
    assert len(rows(stage, "SELECT 1 FROM planproof_reports WHERE repo_id = ?", repo.id)) == 1
    configure(stage, repo, "mode: on\n")
    push_to(stage, pull, FLAWED + "\nMore.\n")
    assert shown(stage, pull) == ALL


# ---- gate, severity, ignore ----------------------------------------------------------------------
@pytest.mark.parametrize("gate", ["gate: false", "gate: {missing_path: false}"])
def test_a_gate_that_is_off_makes_the_check_neutral_and_says_so(stage: Stage, gate: str) -> None:
    pull = pull_in(stage, repository(stage, f"{gate}\n"), FLAWED)
    assert shown(stage, pull) == (1, ["plan/needs-fix"], "neutral")
    assert "by `gate` in the configuration these findings do not fail the check" in (run_of(stage, pull).summary or "")


def test_a_gate_that_is_off_for_another_type_changes_nothing(stage: Stage) -> None:
    assert shown(stage, pull_in(stage, repository(stage, "gate: {scope_gap: false}\n"), FLAWED)) == ALL


def test_a_severity_of_its_own_takes_the_finding_from_the_gate(stage: Stage) -> None:
    pull = pull_in(stage, repository(stage, "severity: {missing_path: minor}\n"), FLAWED)
    assert shown(stage, pull) == (0, [], "success")
    assert "1 note that does not gate" in (run_of(stage, pull).text or "")


def test_an_ignored_finding_is_passed_over(stage: Stage) -> None:
    repo = repository(stage)
    pull = pull_in(stage, repo, FLAWED)
    [comment] = stage.ours(pull)
    [finding] = set(re.findall(r"f-[0-9a-f]{6,12}", comment))
    configure(stage, repo, f"ignore: [{finding}]\n")
    stage.look.rerequest(run_of(stage, pull))
    stage.settle()
    assert shown(stage, pull) == (1, [], "success")
    assert "by `ignore` in the configuration" in (run_of(stage, pull).text or "").replace("\\", "")


# ---- label ---------------------------------------------------------------------------------------
def test_a_label_of_its_own_is_made_worn_and_taken_off(stage: Stage) -> None:
    repo = repository(stage, "label: plan says no\n")
    pull = pull_in(stage, repo, FLAWED)
    assert stage.labels(pull) == ["plan says no"]
    assert [label.color for label in repo.labels] == ["d93f0b"]
    push_to(stage, pull, SOUND)
    assert stage.labels(pull) == []


def test_a_label_that_is_there_in_other_letter_case_is_used_as_it_is(stage: Stage) -> None:
    repo = repository(stage, "label: PLAN SAYS NO\n")
    stage.look.add_label(repo, "Plan says no", "00ff00")
    pull = pull_in(stage, repo, FLAWED)
    assert stage.labels(pull) == ["Plan says no"]
    assert [label.color for label in repo.labels] == ["00ff00"]
    push_to(stage, pull, SOUND)
    assert stage.labels(pull) == []


def test_a_label_that_others_use_stays_where_no_plan_ever_was(stage: Stage) -> None:
    repo = repository(stage, "label: bug\n")
    stage.look.add_label(repo, "bug", "00ff00")
    pull = stage.look.open_pull(repo, "fix", {"NEWS.md": "Nothing yet.\n"})
    stage.look.label(pull, "bug")
    stage.settle()
    assert (stage.labels(pull), conclusion(stage, pull)) == (["bug"], "skipped")
    push_to(stage, pull, {"NEWS.md": "Something.\n"})
    assert stage.labels(pull) == ["bug"]


def test_a_label_is_taken_off_once_the_plan_at_the_same_head_counts_no_more(stage: Stage) -> None:
    repo = repository(stage)
    pull = pull_in(stage, repo, FLAWED)
    assert stage.labels(pull) == ["plan/needs-fix"]
    configure(stage, repo, 'plans: ["notes/*.txt"]\n')
    stage.look.rerequest(run_of(stage, pull))
    stage.settle()
    assert (stage.labels(pull), conclusion(stage, pull)) == ([], "skipped")


# ---- the organisation's defaults -----------------------------------------------------------------
def test_an_organisations_defaults_hold_where_a_repository_says_nothing(stage: Stage) -> None:
    home = repository(stage, "gate: false\nlabel: globex says no\n", owner="globex", name=".github")
    repo = repository(stage, "label: own\n", owner="globex")
    installed(stage, "globex")
    assert shown(stage, pull_in(stage, repo, FLAWED)) == (1, ["own"], "neutral")
    # changed there, it holds at the next event here
    configure(stage, home, "gate: true\n")
    assert shown(stage, pull_in(stage, repo, FLAWED)) == (1, ["own"], "failure")
    # broken there, the last valid one holds, and nobody here reads what it says
    configure(stage, home, "gate: true\nsecret_project: yes\n")
    pull = pull_in(stage, repo, FLAWED)
    assert shown(stage, pull) == (1, ["own"], "failure")
    [comment] = stage.ours(pull)
    said = comment.replace("\\", "")
    assert "1 problem in the configuration, so the last valid one counts" in said
    assert f"`globex/.github`: `{CONFIG}` has an error on line 2" in said
    assert "secret" not in said


# ---- a broken file -------------------------------------------------------------------------------
def test_a_pull_request_that_breaks_the_file_fails_on_its_lines_and_changes_nothing(stage: Stage) -> None:
    repo = repository(stage, "gate: false\n")
    breaking = pull_in(stage, repo, {CONFIG: "gate: false\nmodes: off\n"})
    run = run_of(stage, breaking)
    assert (run.conclusion, run.title) == ("failure", f"1 error in {CONFIG}")
    assert (run.summary or "").splitlines()[-1].startswith("run ")
    [annotation] = run.annotations
    assert (annotation["path"], annotation["start_line"]) == (CONFIG, 2)
    assert "the nearest is `mode`" in annotation["message"]
    assert (stage.ours(breaking), stage.labels(breaking)) == ([], [])
    assert conclusion(stage, pull_in(stage, repo, FLAWED)) == "neutral"
    push_to(stage, breaking, {CONFIG: "gate: false\nmode: off\n"})
    mended = run_of(stage, breaking)
    assert mended.conclusion == "skipped"
    assert "is valid; it counts once it is on the default branch" in (mended.summary or "")


@pytest.mark.parametrize(
    ("raw", "line", "message"),
    [
        (b"gate: false\nlabel: caf\xe9\n", 2, "the file is not UTF-8"),
        ("gate: false\n".encode("utf-16"), 1, "the file is not UTF-8"),
        (b"#" * 3_000_000, 1, "the file is too large; at most 65,536 bytes are read"),
    ],
    ids=["latin-1", "utf-16", "3 MB"],
)
def test_a_pull_request_that_makes_the_file_unreadable_fails(stage: Stage, raw: bytes, line: int, message: str) -> None:
    repo = repository(stage, "gate: false\n")
    run = run_of(stage, pull_in(stage, repo, {CONFIG: raw}))
    assert (run.conclusion, run.title) == ("failure", f"1 error in {CONFIG}")
    [annotation] = run.annotations
    assert (annotation["path"], annotation["start_line"], annotation["message"]) == (CONFIG, line, message)
    # one that was there before is not the author's, and another one is
    configure(stage, repo, "x" * 3_000_000)
    assert conclusion(stage, pull_in(stage, repo, {"NEWS.md": "Nothing yet.\n"})) == "skipped"
    assert conclusion(stage, pull_in(stage, repo, {CONFIG: raw})) == "failure"


def test_a_key_without_effect_is_named_where_it_is_brought(stage: Stage) -> None:
    repo = repository(stage)
    pull = pull_in(stage, repo, {CONFIG: "gate: false\nmodel: off\n"})
    assert "line 2: `model` has no effect in this version" in (run_of(stage, pull).summary or "")
    assert conclusion(stage, pull) == "skipped"


def test_a_pull_request_cannot_change_its_own_judge(stage: Stage) -> None:
    pull = pull_in(stage, repository(stage), {CONFIG: "mode: off\ngate: false\n", PLAN: FLAWED})
    assert shown(stage, pull) == ALL


def test_after_a_broken_file_was_merged_the_last_valid_one_counts_and_the_comment_says_so(stage: Stage) -> None:
    repo = repository(stage, "gate: false\n")
    pull_in(stage, repo, SOUND)
    configure(stage, repo, "gates: false\n")
    pull = pull_in(stage, repo, FLAWED)
    assert shown(stage, pull) == (1, ["plan/needs-fix"], "neutral")
    [comment] = stage.ours(pull)
    said = comment.replace("\\", "")
    assert "1 problem in the configuration, so the last valid one counts" in said
    assert f"`{CONFIG}` line 1: `gates` is not a key here; the nearest is `gate`" in said
    mending = pull_in(stage, repo, {CONFIG: "gate: true\n"})
    assert conclusion(stage, mending) == "skipped"
    stage.look.merge_pull(mending)
    stage.settle()
    assert shown(stage, pull_in(stage, repo, FLAWED)) == ALL


def test_a_typo_in_a_first_configuration_is_named_and_the_defaults_hold(stage: Stage) -> None:
    pull = pull_in(stage, repository(stage, "gaet: false\n"), FLAWED)
    assert shown(stage, pull) == ALL
    [comment] = stage.ours(pull)
    assert "`gaet` is not a key here; the nearest is `gate`" in comment
    # also where there is no comment to say it in
    quiet = pull_in(stage, pull.repository, SOUND)
    assert (stage.ours(quiet), conclusion(stage, quiet)) == ([], "success")
    assert "`gaet` is not a key here" in (run_of(stage, quiet).text or "")
    planless = pull_in(stage, pull.repository, {"NEWS.md": "Nothing yet.\n"})
    assert "`gaet` is not a key here" in (run_of(stage, planless).text or "")


def test_what_counts_as_a_plan_is_the_repositorys_choice(stage: Stage) -> None:
    repo = repository(stage, 'plans: ["notes/*.txt"]\n')
    assert conclusion(stage, pull_in(stage, repo, FLAWED)) == "skipped"
    pull = pull_in(stage, repo, {"notes/retry.txt": FLAWED})
    assert shown(stage, pull) == ALL


# ---- drafts --------------------------------------------------------------------------------------
def test_a_pull_request_with_findings_becomes_a_draft_and_never_ready_by_us(stage: Stage) -> None:
    repo = repository(stage, "draft: true\n", owner="initech")
    installed(stage, "initech", {"contents": "write"})
    pull = pull_in(stage, repo, FLAWED)
    assert pull.pull is not None
    assert pull.pull.draft
    assert shown(stage, pull) == ALL
    assert "draft" not in (run_of(stage, pull).summary or "").lower()
    # our own conversion comes back as an event, and is not judged again
    assert stage.look.outbox.of("pull_request", "converted_to_draft")
    judged = "SELECT count(*) FROM planproof_runs WHERE repo_id = ? AND number = ? AND verdict IS NOT NULL"
    assert rows(stage, judged, repo.id, pull.number) == [(1,)]
    push_to(stage, pull, SOUND)
    assert pull.pull.draft
    assert conclusion(stage, pull) == "success"
    sound = pull_in(stage, repo, SOUND)
    assert sound.pull is not None
    assert not sound.pull.draft


def test_github_that_does_not_make_it_a_draft_is_found_out(stage: Stage) -> None:
    repo = repository(stage, "draft: true\n", owner="hooli")
    installed(stage, "hooli", {"contents": "write"})
    stage.look.ignore_draft_conversion = True
    try:
        pull = pull_in(stage, repo, FLAWED)
    finally:
        stage.look.ignore_draft_conversion = False
    assert shown(stage, pull) == ALL
    assert "asked for by `draft: true`, and GitHub did not do it" in (run_of(stage, pull).summary or "")


def test_without_the_permission_the_check_says_once_what_a_draft_needs(stage: Stage) -> None:
    repo = repository(stage, "draft: true\n")
    pull = pull_in(stage, repo, FLAWED)
    assert pull.pull is not None
    assert not pull.pull.draft
    assert shown(stage, pull) == ALL
    summary = run_of(stage, pull).summary or ""
    assert summary.count("Converting to a draft needs the App's permission *contents: write*") == 1
    assert "/permissions/update" in summary
    # an event that changes nothing writes nothing
    stage.look.forget()
    stage.look.edit(pull, title="Retry")
    stage.settle()
    assert writes(stage) == []
    assert len(runs(stage, repo, pull.pull.head_sha)) == 1
