"""Threads of pull requests: what people do, and what stands on GitHub afterwards."""

from __future__ import annotations

import itertools

from tests import sample
from tests.lookalike.state import Issue
from tests.stage import Stage

_BRANCHES = itertools.count(1)
FLAW = "### Task 1: Client\n\n**Files:**\n- Modify: `src/widgets/clients.py`\n\n- [ ] **Step 1: Use the policy**\n"
FLAWED = f"# Retry Plan\n\n{FLAW}"
SOUND = FLAWED.replace("clients.py", "client.py")


def open_pull(stage: Stage, plan: str | bytes | None, **how: object) -> Issue:
    branch = f"plan-{next(_BRANCHES)}"
    files = {"docs/plans/retry.md": plan} if plan is not None else {"NEWS.md": "Nothing yet.\n"}
    pull = stage.look.open_pull(stage.repo, branch, files, **how)  # type: ignore[arg-type]
    stage.settle()
    return pull


def push(stage: Stage, pull: Issue, plan: str | None, message: str = "Change the plan") -> None:
    assert pull.pull is not None
    stage.look.push(stage.repo, pull.pull.head_ref, {"docs/plans/retry.md": plan}, message)
    stage.settle()


def test_a_flawed_plan_gets_its_comment_its_label_and_a_failing_check(stage: Stage) -> None:
    pull = open_pull(stage, FLAWED)
    [comment] = stage.ours(pull)
    assert "**Planproof: 1 finding to settle before work starts**" in comment
    assert "`src/widgets/clients.py`" in comment
    assert stage.labels(pull) == ["plan/needs-fix"]
    [run] = stage.checks(pull)
    assert (run.name, run.conclusion) == ("planproof", "failure")
    [annotation] = run.annotations
    assert (annotation["path"], annotation["start_line"]) == ("docs/plans/retry.md", 6)
    [label] = [each for each in stage.repo.labels if each.name == "plan/needs-fix"]
    assert label.color == "d93f0b"
    assert label.description


def test_a_push_that_repairs_the_plan_settles_the_same_comment(stage: Stage) -> None:
    pull = open_pull(stage, FLAWED)
    push(stage, pull, SOUND)
    [comment] = stage.ours(pull)
    assert "**Planproof: settled.** 1 finding" in comment
    assert stage.labels(pull) == []
    assert stage.conclusions(pull) == ["success"]


def test_a_push_that_takes_the_plan_away_cleans_up(stage: Stage) -> None:
    pull = open_pull(stage, FLAWED)
    push(stage, pull, None)
    [comment] = stage.ours(pull)
    assert "holds no plan any more" in comment
    assert len(comment.splitlines()) == 2
    assert stage.labels(pull) == []
    assert stage.conclusions(pull) == ["skipped"]


def test_a_sound_plan_gets_a_green_check_and_not_a_word(stage: Stage) -> None:
    pull = open_pull(stage, SOUND)
    assert stage.ours(pull) == []
    assert stage.labels(pull) == []
    assert stage.conclusions(pull) == ["success"]


def test_a_pull_request_without_a_plan_gets_a_skipped_check_and_not_a_word(stage: Stage) -> None:
    pull = open_pull(stage, None)
    assert stage.ours(pull) == []
    assert stage.conclusions(pull) == ["skipped"]


def test_an_event_that_changes_nothing_writes_nothing_and_asks_little(stage: Stage) -> None:
    pull = open_pull(stage, SOUND, draft=True)
    stage.look.forget()
    stage.look.mark_ready(pull)
    stage.settle()
    calls = [r for r in stage.look.requests if "access_tokens" not in r.line]
    assert stage.look.writes == [] or all("access_tokens" in r.line for r in stage.look.writes)
    assert len(calls) <= 6, [r.line for r in calls]


def test_the_same_delivery_twice_posts_once(stage: Stage) -> None:
    pull = open_pull(stage, FLAWED)
    for delivery in list(stage.look.outbox.of("pull_request", "opened"))[-1:]:
        stage.look.outbox.duplicate(delivery)
    stage.settle()
    assert len(stage.ours(pull)) == 1
    assert len(stage.checks(pull)) == 1


def test_code_that_follows_in_the_same_pull_request_does_not_count_against_the_plan(stage: Stage) -> None:
    plan = "# Retry Plan\n\n### Task 1: Policy\n\n**Files:**\n- Create: `src/widgets/retry.py`\n"
    pull = open_pull(stage, plan)
    assert pull.pull is not None
    stage.look.push(stage.repo, pull.pull.head_ref, {"src/widgets/retry.py": "PAUSE = 1\n"}, "Write the policy")
    stage.settle()
    assert stage.conclusions(pull) == ["success"]


def test_a_forks_plan_is_judged_like_any_other(stage: Stage) -> None:
    pull = open_pull(stage, FLAWED, user="stranger", fork=True)
    assert len(stage.ours(pull)) == 1
    assert stage.conclusions(pull) == ["failure"]


def test_evidence_goes_to_the_issue_that_the_pull_request_closes_and_is_settled_with_it(stage: Stage) -> None:
    issue = stage.look.open_issue(stage.repo, "Calls fail", "They do.")
    pull = open_pull(stage, FLAWED, body=f"Closes #{issue.number}")
    [evidence] = stage.ours(issue)
    assert "disagrees with the code" in evidence
    assert "`src/widgets/clients.py`" in evidence
    push(stage, pull, SOUND)
    [evidence] = stage.ours(issue)
    assert "**Settled" in evidence


def test_a_strangers_pull_request_puts_nothing_on_issues(stage: Stage) -> None:
    issue = stage.look.open_issue(stage.repo, "Calls fail", "They do.")
    open_pull(stage, FLAWED, user="stranger", fork=True, body=f"Closes #{issue.number}")
    assert stage.ours(issue) == []


def test_re_run_answers_also_when_nothing_changed(stage: Stage) -> None:
    pull = open_pull(stage, SOUND)
    [run] = stage.checks(pull)
    stage.look.rerequest(run)
    stage.settle()
    assert stage.conclusions(pull) == ["success"]
    assert len(stage.look.asked("PATCH", rf"/check-runs/{run.id}$")) == 1


def test_re_run_all_answers_too(stage: Stage) -> None:
    pull = open_pull(stage, FLAWED)
    [run] = stage.checks(pull)
    stage.look.rerequest_suite(run.suite)
    stage.settle()
    assert stage.conclusions(pull) == ["failure"]
    assert len(stage.look.asked("PATCH", rf"/check-runs/{run.id}$")) == 1
    assert len(stage.ours(pull)) == 1


def test_a_re_run_on_a_fork_finds_its_pull_request(stage: Stage) -> None:
    pull = open_pull(stage, SOUND, user="stranger", fork=True)
    [run] = stage.checks(pull)
    stage.look.rerequest(run)
    stage.settle()
    assert len(stage.look.asked("PATCH", rf"/check-runs/{run.id}$")) == 1


def test_a_closed_pull_request_is_left_alone_and_a_reopened_one_is_judged(stage: Stage) -> None:
    pull = open_pull(stage, SOUND)
    stage.look.forget()
    stage.look.close_pull(pull)
    push(stage, pull, FLAWED)
    assert [r.line for r in stage.look.writes if "access_tokens" not in r.line] == []
    stage.look.reopen_pull(pull)
    stage.settle()
    assert stage.conclusions(pull) == ["failure"]


def test_a_draft_is_judged_and_so_is_one_that_becomes_a_draft_again(stage: Stage) -> None:
    pull = open_pull(stage, FLAWED, draft=True)
    assert stage.conclusions(pull) == ["failure"]
    stage.look.mark_ready(pull)
    stage.look.convert_to_draft(pull)
    stage.settle()
    assert stage.conclusions(pull) == ["failure"]
    assert len(stage.ours(pull)) == 1


def test_a_plan_that_is_not_utf8_asks_for_action_and_says_why(stage: Stage) -> None:
    pull = open_pull(stage, b"# Plan\n\n### Task 1: \xff\xfe\n")
    [comment] = stage.ours(pull)
    assert "could not judge this plan" in comment
    assert "UTF-8" in comment
    assert stage.conclusions(pull) == ["action_required"]
    assert stage.labels(pull) == []


def test_a_plan_whose_work_is_done_gets_one_line(stage: Stage) -> None:
    done = "".join(f"- [x] step {n}\n" for n in range(8))
    creates = "".join(
        f"- Create: `{path}`\n"
        for path in ("src/widgets/store.py", "src/widgets/client.py", "src/widgets/__init__.py", "tests/test_store.py")
    )
    pull = open_pull(stage, f"# Store Plan\n\n### Task 1: Store\n\n**Files:**\n{creates}\n{done}")
    [comment] = stage.ours(pull)
    assert "nothing to judge" in comment
    assert stage.conclusions(pull) == ["neutral"]


def test_a_capability_that_exists_already_joins_the_comment(stage: Stage) -> None:
    plan = FLAWED.replace("# Retry Plan\n", "# Retry failed calls with exponential backoff\n")
    [comment] = stage.ours(open_pull(stage, plan))
    assert "capability.transport.retry" in comment


def test_a_label_of_other_letter_case_is_ours_too(stage: Stage) -> None:
    pull = open_pull(stage, FLAWED)
    stage.look.unlabel(pull, "plan/needs-fix")
    [label] = [each for each in stage.repo.labels if each.name == "plan/needs-fix"]
    label.name = "Plan/Needs-Fix"
    try:
        push(stage, pull, FLAWED + "\nMore.\n")
        assert stage.labels(pull) == ["Plan/Needs-Fix"]
        push(stage, pull, SOUND)
        assert stage.labels(pull) == []
    finally:
        label.name = "plan/needs-fix"


def test_a_comment_that_a_person_deleted_comes_back_with_the_next_finding(stage: Stage) -> None:
    pull = open_pull(stage, FLAWED)
    [comment] = stage.look.comments_by(pull, "planproof[bot]")
    stage.look.delete_comment(comment, stage.look.account("owner"))
    push(stage, pull, FLAWED + "\nMore.\n")
    assert len(stage.ours(pull)) == 1


def test_a_lost_answer_does_not_post_twice(stage: Stage) -> None:
    stage.look.fail_next("POST", r"/issues/\d+/comments$", "drop")
    stage.look.fail_next("POST", r"/check-runs$", "drop")
    pull = open_pull(stage, FLAWED)
    assert len(stage.ours(pull)) == 1
    assert len(stage.checks(pull)) == 1
    assert stage.conclusions(pull) == ["failure"]


def test_a_missing_permission_is_named_once_in_the_check(stage: Stage) -> None:
    granted = dict(stage.installation.permissions)
    stage.look.grant(stage.installation, granted | {"issues": "read", "pull_requests": "read"}, by="owner")
    stage.look.revoke_tokens()
    try:
        pull = open_pull(stage, FLAWED)
        [run] = stage.checks(pull)
        assert run.conclusion == "action_required"
        assert "issues: write" in (run.summary or "")
        assert stage.ours(pull) == []
    finally:
        stage.look.grant(stage.installation, granted, by="owner")
        stage.look.revoke_tokens()


def test_without_the_permission_for_checks_the_comment_holds_the_verdict_and_says_so(stage: Stage) -> None:
    stage.expected_errors.add("publish.unchecked")
    granted = dict(stage.installation.permissions)
    stage.look.grant(stage.installation, granted | {"checks": "read"}, by="owner")
    stage.look.revoke_tokens()
    try:
        pull = open_pull(stage, FLAWED)
        [comment] = stage.ours(pull)
        assert "1 finding to settle" in comment
        assert "The check run needs the App's permission *checks: write*" in comment
        assert stage.labels(pull) == ["plan/needs-fix"]
        assert stage.ours(open_pull(stage, None)) == []
    finally:
        stage.look.grant(stage.installation, granted, by="owner")
        stage.look.revoke_tokens()


def test_a_plan_whose_name_cannot_be_cited_is_never_green(stage: Stage) -> None:
    pull = stage.look.open_pull(stage.repo, f"plan-{next(_BRANCHES)}", {"docs/plans/re\\try.md": FLAWED})
    stage.settle()
    [comment] = stage.ours(pull)
    assert "rename it" in comment
    assert stage.conclusions(pull) == ["action_required"]


def test_a_second_pull_request_that_shows_less_of_the_commit_does_not_turn_its_check_green(stage: Stage) -> None:
    older, newer = (f"plan-{next(_BRANCHES)}" for _ in range(2))
    base = stage.look.push(stage.repo, older, {"docs/plans/retry.md": FLAWED}, "Plan")
    stage.look.push(stage.repo, newer, {"NEWS.md": "Nothing yet.\n"}, "News", onto=base)
    whole = stage.look.open_pull(stage.repo, newer)
    stage.settle()
    part = stage.look.open_pull(stage.repo, newer, base=older)
    stage.settle()
    assert stage.conclusions(part) == ["failure"]
    assert (stage.ours(part), stage.labels(part)) == ([], [])
    stage.look.close_pull(whole)
    stage.look.rerequest(stage.checks(part)[0])
    stage.settle()
    assert stage.conclusions(part) == ["skipped"]


def test_a_pull_request_without_a_common_commit_with_its_base_is_told_so(stage: Stage) -> None:
    stage.look.fail_next("GET", r"/compare/", 404, message="No common ancestor between main and plan.")
    pull = open_pull(stage, FLAWED)
    [comment] = stage.ours(pull)
    assert "rebase it onto its base branch" in comment
    assert stage.conclusions(pull) == ["action_required"]


def test_a_token_that_stopped_working_is_renewed(stage: Stage) -> None:
    stage.look.revoke_tokens()
    pull = open_pull(stage, SOUND)
    assert stage.conclusions(pull) == ["success"]


def test_a_push_while_the_plan_is_judged_gets_the_verdict_of_its_own_head(stage: Stage) -> None:
    def overtake() -> None:
        stage.look.push(stage.repo, "overtaken", {"docs/plans/retry.md": SOUND}, "Mend the plan")

    stage.look.before_next("GET", r"/compare/", overtake)
    pull = stage.look.open_pull(stage.repo, "overtaken", {"docs/plans/retry.md": FLAWED})
    stage.settle()
    assert stage.conclusions(pull) == ["success"]
    assert stage.labels(pull) == []


def test_the_sample_of_the_demonstration_names_every_kind_of_defect(stage: Stage) -> None:
    pull = stage.look.open_pull(stage.repo, "sample", {sample.PLAN_PATH: sample.FLAWED_PLAN})
    stage.settle()
    [comment] = stage.ours(pull)
    assert [word for word in sample.DEFECTS if word not in comment] == []


def test_the_failure_of_an_older_run_does_not_replace_what_a_newer_one_found(stage: Stage) -> None:
    pull = open_pull(stage, FLAWED)
    [run] = stage.checks(pull)
    stage.expected_errors.add("job.failed")
    # the re-run fails for good, while a push is judged and found sound
    assert pull.pull is not None
    branch = pull.pull.head_ref

    def overtake() -> None:
        stage.look.push(stage.repo, branch, {"docs/plans/retry.md": SOUND}, "Mend the plan")

    stage.look.before_next("GET", rf"/pulls/{pull.number}$", overtake)
    stage.look.fail_next("GET", rf"/pulls/{pull.number}$", 418)
    stage.look.rerequest(run)
    stage.settle()
    assert stage.conclusions(pull) == ["success"]
    assert stage.labels(pull) == []
    [comment] = stage.ours(pull)
    assert "settled" in comment


def test_an_issue_that_is_named_later_gets_its_evidence_then(stage: Stage) -> None:
    issue = stage.look.open_issue(stage.repo, "Calls fail", "They do.")
    pull = open_pull(stage, FLAWED)
    assert stage.ours(issue) == []
    stage.look.edit(pull, body=f"Closes #{issue.number}")
    stage.settle()
    assert len(stage.ours(issue)) == 1
    assert len(stage.ours(pull)) == 1


def test_evidence_is_settled_also_when_the_description_names_the_issue_no_more(stage: Stage) -> None:
    issue = stage.look.open_issue(stage.repo, "Calls fail", "They do.")
    pull = open_pull(stage, FLAWED, body=f"Closes #{issue.number}")
    stage.look.edit(pull, body="Something else.")
    push(stage, pull, SOUND)
    [evidence] = stage.ours(issue)
    assert "**Settled" in evidence


def test_only_the_first_comment_in_a_repository_says_what_this_is(stage: Stage) -> None:
    first, second = (stage.ours(open_pull(stage, FLAWED)) for _ in range(2))
    assert "What is this?" not in second[0]
    assert len(first) == 1
