"""`/plan verify`, `/plan dismiss`, `/plan dispute`: check, label and sticky comment follow at once."""

from __future__ import annotations

from tests.handlers.scenes import CONFIG, PLAN, change_rows, writes
from tests.handlers.threads import (
    FLAWED,
    SOUND,
    TWICE_FLAWED,
    checks,
    conclusions,
    findings,
    open_issue,
    open_pull,
    push,
    reactions,
    replies,
    repository,
    say,
    seen,
    sticky,
)
from tests.stage import Stage

LABEL = ["plan/needs-fix"]


# ---- verify ------------------------------------------------------------------------------------
def test_verify_completes_the_check_anew_and_needs_no_words(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [run] = checks(stage, pull)
    comment = say(stage, pull, "/plan verify")
    assert reactions(comment) == ["eyes", "rocket"]
    assert replies(stage, pull) == []
    assert len(stage.look.asked("PATCH", rf"/check-runs/{run.id}$")) == 1
    assert conclusions(stage, pull) == ["failure"]


def test_verify_in_a_review_and_on_a_line(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    review = stage.look.review(pull, "/plan verify", comments=[(PLAN, 6, "/plan verify")], user="triager")
    stage.settle()
    assert reactions(review) == reactions(review.comments[0]) == ["eyes", "rocket"]
    assert len(stage.look.asked("PATCH", r"/check-runs/\d+$")) == 2


def test_verify_brings_back_what_a_person_deleted(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [comment] = stage.look.comments_by(pull, "planproof[bot]")
    stage.look.delete_comment_as(comment, "owner")
    say(stage, pull, "/plan verify")
    assert len(findings(stage, pull)) == 1


def test_verify_without_a_plan_says_where_plans_are_looked_for(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage), None)
    comment = say(stage, pull, "/plan verify")
    assert reactions(comment) == ["eyes", "confused"]
    seen(stage, "no-plan", pull, comment)


def test_verify_names_the_places_of_the_configuration(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage, "plans: [rfcs/*.md]\n"))
    comment = say(stage, pull, "/plan verify")
    assert reactions(comment) == ["eyes", "confused"]
    [reply] = replies(stage, pull)
    assert "looked for in `rfcs/*.md`;" in reply


def test_verify_of_what_cannot_be_judged_points_at_the_reason(stage: Stage) -> None:
    repo = repository(stage)
    pull = stage.look.open_pull(repo, "latin", {PLAN: b"# Plan\n\n### Task 1: \xff\xfe\n"})
    stage.settle()
    comment = say(stage, pull, "/plan verify")
    assert reactions(comment) == ["eyes", "confused"]
    assert conclusions(stage, pull) == ["action_required"]
    seen(stage, "not-verified", pull, comment)


def test_verify_on_an_issue(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    comment = say(stage, issue, "/plan verify")
    assert reactions(comment) == ["eyes", "confused"]
    seen(stage, "only-on-pull-requests", issue, comment)


def test_verify_on_a_closed_pull_request(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    stage.look.close_pull(pull)
    comment = say(stage, pull, "/plan verify")
    assert reactions(comment) == ["eyes", "confused"]
    seen(stage, "closed", pull, comment)


def test_verify_with_something_after_it_does_nothing(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    comment = say(stage, pull, "/plan verify docs/plans/retry.md")
    assert reactions(comment) == ["confused"]
    assert stage.look.asked("PATCH", r"/check-runs/") == []
    seen(stage, "surplus", pull, comment)


# ---- dismiss -----------------------------------------------------------------------------------
def test_a_writer_dismisses_the_only_finding(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    assert (stage.labels(pull), conclusions(stage, pull)) == (LABEL, ["failure"])
    comment = say(stage, pull, f"/plan dismiss {finding} the build writes this file", user="writer")
    assert reactions(comment) == ["eyes", "rocket"]
    assert (stage.labels(pull), conclusions(stage, pull)) == ([], ["success"])
    assert findings(stage, pull) == []
    assert "by `writer`: the build writes this file" in (sticky(stage, pull) or "")
    assert "The annotations of dismissed findings stay on this commit" in (checks(stage, pull)[0].summary or "")
    seen(stage, "dismissed-last", pull, comment)


def test_dismissing_one_of_two_leaves_the_other(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage), TWICE_FLAWED)
    first, second = findings(stage, pull)
    comment = say(stage, pull, f"/plan dismiss {first} generated", user="writer")
    assert reactions(comment) == ["eyes", "rocket"]
    assert (stage.labels(pull), conclusions(stage, pull)) == (LABEL, ["failure"])
    assert findings(stage, pull) == [second]
    seen(stage, "dismissed-one", pull, comment)


def test_two_dismissals_in_one_review_are_judged_once(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage), TWICE_FLAWED)
    first, second = findings(stage, pull)
    review = stage.look.review(pull, f"/plan dismiss {first} generated\n/plan dismiss {second} generated too")
    stage.settle()
    assert reactions(review) == ["eyes", "rocket"]
    assert conclusions(stage, pull) == ["success"]
    assert len(stage.look.asked("PATCH", r"/check-runs/")) == 1
    seen(stage, "dismissed-two", pull, review)


def test_a_dismissal_outlives_a_push_that_edits_another_line(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    say(stage, pull, f"/plan dismiss {finding} generated", user="writer")
    push(stage, pull, FLAWED.replace("# Retry Plan\n", "# Retry Plan\n\nA word more.\n"))
    assert findings(stage, pull) == []
    assert (stage.labels(pull), conclusions(stage, pull)) == ([], ["success"])


def test_a_dismissal_ends_when_its_line_changes(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    say(stage, pull, f"/plan dismiss {finding} generated", user="writer")
    push(stage, pull, FLAWED.replace("clients.py`", "clients.py`, the retry loop"))
    [again] = findings(stage, pull)
    assert again != finding
    assert (stage.labels(pull), conclusions(stage, pull)) == (LABEL, ["failure"])


def test_a_finding_that_holds_nothing_back_can_be_dismissed_too(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage, "severity: {missing_path: minor}\n"))
    assert conclusions(stage, pull) == ["success"]
    comment = say(stage, pull, "/plan dismiss f-000000 which", user="writer")
    assert reactions(comment) == ["eyes", "confused"]
    finding = replies(stage, pull)[0].partition("- `")[2].partition("`")[0]
    comment = say(stage, pull, f"/plan dismiss {finding} generated", user="writer")
    assert reactions(comment) == ["eyes", "rocket"]
    assert "Dismissed by `writer`" in replies(stage, pull)[1]


def test_an_id_that_is_not_there_is_answered_with_those_that_are(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    comment = say(stage, pull, "/plan dismiss f-abcdef generated", user="writer")
    assert reactions(comment) == ["eyes", "confused"]
    assert conclusions(stage, pull) == ["failure"]
    seen(stage, "no-such-finding", pull, comment)


def test_what_was_dismissed_is_not_dismissed_again(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    say(stage, pull, f"/plan dismiss {finding} generated", user="writer")
    for words in (f"/plan dismiss {finding} generated", f"/plan dispute {finding} no, it is not"):
        comment = say(stage, pull, words, user="owner")
        assert reactions(comment) == ["eyes", "confused"]
        assert "was dismissed already by `writer`" in replies(stage, pull)[-1]
    assert "by `writer`: generated" in (sticky(stage, pull) or "")


def test_what_the_configuration_passes_over_is_dismissed_already(stage: Stage) -> None:
    repo = repository(stage)
    pull = open_pull(stage, repo)
    [finding] = findings(stage, pull)
    stage.look.push(repo, "main", {CONFIG: f"ignore: [{finding}]\n"}, "Pass over", user="owner")
    comment = say(stage, pull, f"/plan dismiss {finding} generated", user="writer")
    assert reactions(comment) == ["eyes", "confused"]
    seen(stage, "already-ignored", pull, comment)


def test_what_the_configuration_passes_over_is_settled_whatever_was_said_before(stage: Stage) -> None:
    repo = repository(stage)
    pull = open_pull(stage, repo)
    [finding] = findings(stage, pull)
    say(stage, pull, f"/plan dispute {finding} task 0 writes it")
    stage.look.push(repo, "main", {CONFIG: f"ignore: [{finding}]\n"}, "Pass over", user="owner")
    say(stage, pull, "/plan verify")
    assert (stage.labels(pull), conclusions(stage, pull)) == ([], ["success"])
    assert "dismissed by `ignore` in the configuration" in (sticky(stage, pull) or "").replace("\\", "")
    assert "task 0 writes it" not in (sticky(stage, pull) or "")
    say(stage, pull, "/plan status")
    assert "Disputed by" not in replies(stage, pull)[-1]
    comment = say(stage, pull, f"/plan dismiss {finding} generated", user="writer")
    assert reactions(comment) == ["eyes", "confused"]
    assert "is passed over by `ignore`" in replies(stage, pull)[-1]


def test_a_dismissal_holds_in_every_pull_request_that_shows_the_line(stage: Stage) -> None:
    repo = repository(stage)
    pull = open_pull(stage, repo)
    [finding] = findings(stage, pull)
    say(stage, pull, f"/plan dismiss {finding} generated", user="writer")
    assert "This holds in every pull request" in replies(stage, pull)[0]
    assert conclusions(stage, open_pull(stage, repo)) == ["success"]


def test_a_decision_on_one_plan_is_none_on_the_same_line_of_another(stage: Stage) -> None:
    repo = repository(stage)
    first = open_pull(stage, repo)
    [finding] = findings(stage, first)
    say(stage, first, f"/plan dismiss {finding} generated", user="writer")
    second = stage.look.open_pull(repo, "other", {"plans/other.md": FLAWED})
    stage.settle()
    assert (findings(stage, second), conclusions(stage, second)) == ([finding], ["failure"])
    say(stage, second, f"/plan dispute {finding} no", user="writer")
    both = stage.look.open_pull(repo, "both", {PLAN: FLAWED, "plans/other.md": FLAWED})
    stage.settle()
    told = (sticky(stage, both) or "").replace("\\", "")
    assert "disputed by `writer`: no" in told
    assert "dismissed by `writer`: generated" in told


def test_a_finding_in_another_document_of_its_plan_stays_dismissed(stage: Stage) -> None:
    change = "openspec/changes/add-retry"
    files = {
        f"{change}/proposal.md": "# Change: Add retry\n\n## Why\nCalls fail.\n\n## What Changes\n- Retry\n",
        f"{change}/tasks.md": "## 1. Client\n- [ ] 1.1 Retry failed calls in `src/widgets/client.py`\n",
        f"{change}/specs/client/spec.md": "## MODIFIED Requirements\n### Requirement: Retry\nIt SHALL retry.\n",
    }
    pull = stage.look.open_pull(repository(stage), "change", files)
    stage.settle()
    ids = findings(stage, pull)
    assert "specs/client/spec.md" in (sticky(stage, pull) or "")
    for finding in ids:
        comment = say(stage, pull, f"/plan dismiss {finding} on purpose", user="writer")
        assert reactions(comment) == ["eyes", "rocket"]
    assert (findings(stage, pull), conclusions(stage, pull)) == ([], ["success"])


def test_dismiss_says_what_it_needs(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    comment = say(stage, pull, "/plan dismiss\n/plan dismiss it\n/plan dismiss f-abcdef", user="writer")
    assert reactions(comment) == ["confused"]
    seen(stage, "malformed", pull, comment)


def test_a_head_that_was_never_judged_is_judged_first(stage: Stage) -> None:
    repo = repository(stage)
    [finding] = findings(stage, open_pull(stage, repo))
    stage.look.push(repo, "main", {CONFIG: "mode: off\n"}, "Off", user="owner")
    pull = open_pull(stage, repo)
    assert checks(stage, pull) == []
    stage.look.push(repo, "main", {CONFIG: "mode: on\n"}, "On", user="owner")
    comment = say(stage, pull, f"/plan dismiss {finding} generated", user="writer")
    assert reactions(comment) == ["eyes", "rocket"]
    assert conclusions(stage, pull) == ["success"]
    assert "Dismissed by `writer`" in replies(stage, pull)[0]


def test_a_push_while_that_judging_goes_on_is_told(stage: Stage) -> None:
    repo = repository(stage, "mode: off\n")
    pull = open_pull(stage, repo)
    stage.look.push(repo, "main", {CONFIG: "mode: on\n"}, "On", user="owner")
    assert pull.pull is not None
    branch = pull.pull.head_ref
    stage.look.before_next("POST", r"/check-runs$", lambda: stage.look.push(repo, branch, {PLAN: SOUND}, "Mend"))
    comment = say(stage, pull, "/plan dismiss f-abcdef generated", user="writer")
    assert reactions(comment) == ["eyes", "confused"]
    assert conclusions(stage, pull) == ["success"]
    seen(stage, "moved", pull, comment)


def test_dismissing_without_a_plan(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage), None)
    comment = say(stage, pull, "/plan dismiss f-abcdef generated", user="writer")
    assert reactions(comment) == ["eyes", "confused"]
    assert "changes no plan" in replies(stage, pull)[0]


def test_dismissing_on_an_issue(stage: Stage) -> None:
    issue = open_issue(stage, repository(stage))
    comment = say(stage, issue, "/plan dismiss f-abcdef generated", user="writer")
    assert reactions(comment) == ["eyes", "confused"]
    assert "works on pull requests only" in replies(stage, issue)[0]


def test_a_reason_names_nobody_and_links_nowhere(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    reason = "@owner said so <img src=x> [here](https://evil.example) /plan verify"
    comment = say(stage, pull, f"/plan dismiss {finding} {reason}", user="writer")
    assert reactions(comment) == ["eyes", "rocket"]
    seen(stage, "dismissed-hostile", pull, comment)


def test_a_decision_holds_for_no_finding_that_only_has_its_id(stage: Stage) -> None:
    repo = repository(stage)
    pull = open_pull(stage, repo)
    [dismissed] = findings(stage, pull)
    say(stage, pull, f"/plan dismiss {dismissed} generated", user="writer")
    push(stage, pull, FLAWED.replace("clients.py", "customers.py"))
    [other] = findings(stage, pull)
    # as if its author had looked for a line whose id is that of the first one
    change_rows(
        stage,
        "UPDATE planproof_decisions SET finding_id = ? WHERE repo_id = ? AND finding_id = ?",
        other,
        repo.id,
        dismissed,
    )
    say(stage, pull, "/plan verify")
    assert (stage.labels(pull), conclusions(stage, pull)) == (LABEL, ["failure"])
    assert findings(stage, pull) == [other]
    assert "generated" not in (sticky(stage, pull) or "")
    say(stage, pull, "/plan status")
    assert "generated" not in replies(stage, pull)[-1]
    comment = say(stage, pull, f"/plan dismiss {other} written by the build", user="writer")
    assert reactions(comment) == ["eyes", "rocket"]
    assert (stage.labels(pull), conclusions(stage, pull)) == ([], ["success"])


# ---- dispute -----------------------------------------------------------------------------------
def test_the_author_disputes_and_the_finding_still_counts(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    comment = say(stage, pull, f"/plan dispute {finding.upper()} task 0 writes it")
    assert reactions(comment) == ["eyes", "rocket"]
    assert (stage.labels(pull), conclusions(stage, pull)) == (LABEL, ["failure"])
    assert "disputed by `author`: task 0 writes it" in (sticky(stage, pull) or "")
    seen(stage, "disputed", pull, comment)


def test_a_disputed_finding_is_dismissed_by_a_writer(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    say(stage, pull, f"/plan dispute {finding} task 0 writes it")
    say(stage, pull, f"/plan dismiss {finding} right", user="writer")
    assert (stage.labels(pull), conclusions(stage, pull)) == ([], ["success"])


def test_a_finding_is_disputed_once(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    say(stage, pull, f"/plan dispute {finding} task 0 writes it")
    comment = say(stage, pull, f"/plan dispute {finding} I agree", user="triager")
    assert reactions(comment) == ["eyes", "confused"]
    assert "was disputed already by `author`" in replies(stage, pull)[-1]


def test_a_stranger_disputes_nothing(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    comment = say(stage, pull, f"/plan dispute {finding} no", user="stranger")
    assert reactions(comment) == ["confused"]
    assert "disputed" not in (sticky(stage, pull) or "disputed")


def test_the_author_of_a_forks_pull_request_may_dispute_in_it(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage), user="stranger", fork=True)
    [finding] = findings(stage, pull)
    comment = say(stage, pull, f"/plan dispute {finding} task 0 writes it", user="stranger")
    assert reactions(comment) == ["eyes", "rocket"]
    assert "Disputed by `stranger`" in replies(stage, pull)[0]


def test_a_repaired_plan_leaves_nothing_to_dismiss(stage: Stage) -> None:
    pull = open_pull(stage, repository(stage))
    [finding] = findings(stage, pull)
    push(stage, pull, SOUND)
    stage.look.forget()
    comment = say(stage, pull, f"/plan dismiss {finding} generated", user="writer")
    assert reactions(comment) == ["eyes", "confused"]
    assert "None is open." in replies(stage, pull)[0]
    assert [line for line in writes(stage) if "check-runs" in line] == []
