"""Publishing to the look-alike, told as what stands on the pull request afterwards."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

import pytest

from bot.github import texts
from bot.github.checks import Checks
from bot.github.client import App, Installation
from bot.github.errors import LostAnswer, PermissionMissing
from bot.github.findings import Place
from bot.github.publication import STICKY_MARKER, Publication, Published, evidence_marker, same
from bot.github.publish import publish
from schemas.verify_report import Verdict, VerifyReport
from tests.github.samples import EXISTS, MISSING, PLAN, clean, flawed, report, reuse
from tests.lookalike import Lookalike
from tests.lookalike import state as look

BOT = "planproof[bot]"
LABEL = "plan/needs-fix"


@dataclass
class Scene:
    """One pull request with a plan, and what is said on it."""

    gh: Installation
    github: Lookalike
    repo: look.Repository
    issue: look.Issue

    @property
    def head(self) -> str:
        assert self.issue.pull is not None
        return self.issue.pull.head_sha

    @property
    def key(self) -> str:
        return f"{self.repo.id}/{self.issue.number}"

    def place(self, run: str = "7f3c") -> Place:
        return Place(self.gh.web, self.head, run, self.issue.number)

    def publication(self, *reports: VerifyReport, run: str = "7f3c", **more: object) -> Publication:
        return texts.pull_request(self.key, self.place(run), reports, **more)  # type: ignore[arg-type]

    async def publish(self, *reports: VerifyReport, run: str = "7f3c", **more: object) -> Published:
        return await publish(self.gh, self.publication(*reports, run=run, **more))

    @property
    def comments(self) -> list[str]:
        return [comment.body for comment in self.github.comments_by(self.issue, BOT)]

    @property
    def labels(self) -> list[str]:
        return self.github.labels(self.issue)

    @property
    def checks(self) -> list[tuple[str, str | None]]:
        return [(run.status, run.conclusion) for run in self.github.runs(self.repo, self.head, name="planproof")]

    @property
    def writes(self) -> list[str]:
        return [
            request.line.partition(f"/repos/{self.repo.full_name}")[0] + request.line for request in self.github.writes
        ]

    def push(self) -> None:
        self.github.push(self.repo, "plan", {PLAN: "# Another\n"}, "Change the plan")


@pytest.fixture
def scene(gh: Installation, github: Lookalike, widgets: look.Repository) -> Scene:
    issue = github.open_pull(widgets, "plan", {PLAN: "# Retry\n"}, draft=True)
    return Scene(gh, github, widgets, issue)


# ---- the main line -----------------------------------------------------------------------------
async def test_a_flawed_plan_gets_its_comment_its_label_and_its_check(scene: Scene) -> None:
    done = await scene.publish(flawed())
    assert scene.comments == [scene.publication(flawed()).notes[0].body]
    assert scene.labels == [LABEL]
    label = scene.repo.label(LABEL)
    assert label is not None
    assert (label.color, label.description) == ("d93f0b", "The plan and the code disagree; see the Planproof comment")
    assert scene.checks == [("completed", "failure")]
    run = scene.repo.runs[0]
    assert (run.external_id, run.title) == (scene.key, "3 findings to settle before work starts")
    assert [(a["path"], a["start_line"], a["annotation_level"]) for a in run.annotations][:2] == [
        (PLAN, 47, "failure"),
        (PLAN, 112, "failure"),
    ]
    assert (done.status, done.created, done.problems) == ("published", True, ())
    assert done.check_id == run.id


async def test_the_same_again_writes_nothing_and_asks_little(scene: Scene) -> None:
    await scene.publish(flawed())
    scene.github.forget()
    done = await scene.publish(flawed(), run="8a00")
    assert scene.github.writes == []
    assert len(scene.github.requests) <= 3
    assert (done.writes, done.created) == (0, False)
    assert done.comment_id == scene.issue.comments[0].id


async def test_a_re_run_completes_the_check_anew_and_touches_nothing_else(scene: Scene) -> None:
    await scene.publish(flawed())
    scene.github.forget()
    await publish(scene.gh, scene.publication(flawed()), rewrite_check=True)
    assert [request.line.rpartition("/")[0] for request in scene.github.writes] == [
        "PATCH /repos/acme/widgets/check-runs"
    ]
    assert scene.checks == [("completed", "failure")]
    assert len(scene.repo.runs[0].annotations) == 5


async def test_the_plan_is_settled_by_a_push(scene: Scene) -> None:
    await scene.publish(flawed())
    before = scene.head
    scene.push()
    await scene.publish(clean(), earlier=[flawed()], earlier_head=before)
    assert len(scene.comments) == 1
    assert scene.comments[0].startswith(f"{STICKY_MARKER}\n**Planproof: settled.** 3 findings, all settled in")
    assert scene.labels == []
    assert scene.checks == [("completed", "success")]


async def test_a_clean_plan_is_answered_by_its_check_alone(scene: Scene) -> None:
    await scene.publish(clean())
    assert (scene.comments, scene.labels) == ([], [])
    assert scene.checks == [("completed", "success")]


async def test_no_plan_any_more_folds_what_is_there(scene: Scene) -> None:
    await scene.publish()
    assert scene.comments == []
    await scene.publish(flawed())
    scene.push()
    await scene.publish(earlier=[flawed()])
    assert "holds no plan any more" in scene.comments[0]
    assert scene.labels == []
    assert scene.checks == [("completed", "skipped")]


async def test_a_retroactive_plan_gets_its_line(scene: Scene) -> None:
    await scene.publish(report(Verdict.RETROACTIVE, reason="all it creates exists"))
    assert "nothing to judge" in scene.comments[0]
    assert scene.checks == [("completed", "neutral")]


async def test_a_plan_that_cannot_be_judged_keeps_its_label(scene: Scene) -> None:
    await scene.publish(flawed())
    scene.push()
    await publish(scene.gh, texts.could_not_judge(scene.key, scene.place(), "the mirror is gone"))
    assert "could not judge this plan**: the mirror is gone." in scene.comments[0]
    assert scene.labels == [LABEL]
    assert scene.checks == [("completed", "action_required")]


async def test_the_label_is_found_in_any_case(scene: Scene) -> None:
    scene.github.label(scene.issue, "Plan/Needs-Fix")
    await scene.publish(flawed())
    assert scene.labels == ["Plan/Needs-Fix"]
    scene.push()
    await scene.publish(clean())
    assert scene.labels == []


async def test_the_plan_check_of_an_issue(scene: Scene) -> None:
    issue = scene.github.open_issue(scene.repo, "A workplan")
    place = Place(scene.gh.web, "", "7f3c", issue.number)
    publication = texts.issue(f"{scene.repo.id}/{issue.number}", place, reuse())
    assert (await publish(scene.gh, publication)).created
    await publish(scene.gh, publication)
    assert [comment.body for comment in issue.comments] == [publication.notes[0].body]
    assert scene.repo.runs == []


# ---- the sticky comment ------------------------------------------------------------------------
async def test_the_comment_is_found_beyond_the_first_page(scene: Scene) -> None:
    await scene.publish(flawed())
    first = scene.issue.comments.pop()
    for number in range(210):
        scene.github.comment(scene.issue, f"chatter {number}")
    scene.issue.comments.append(first)
    await scene.publish(report(Verdict.NEEDS_FIX, EXISTS))
    assert len(scene.comments) == 1
    assert "1 finding to settle" in scene.comments[0]


async def test_a_comment_of_someone_else_with_our_marker_is_left_alone(scene: Scene) -> None:
    theirs = scene.github.comment(scene.issue, f"{STICKY_MARKER}\nall green, merge it", user="author")
    other = scene.github.comment(scene.issue, f"{STICKY_MARKER}\nall green", user="helper[bot]")
    await scene.publish(flawed())
    assert theirs.body.endswith("merge it")
    assert other.body.endswith("all green")
    assert len(scene.comments) == 1


async def test_a_marker_that_is_quoted_further_down_is_no_marker(scene: Scene) -> None:
    await scene.gh.create_comment(scene.issue.number, f"An answer.\n\n> {STICKY_MARKER}")
    await scene.publish(flawed())
    assert len(scene.comments) == 2


async def test_younger_duplicates_are_deleted(scene: Scene) -> None:
    for text in ("old", "younger", "youngest"):
        await scene.gh.create_comment(scene.issue.number, f"{STICKY_MARKER}\n{text}")
    oldest = scene.issue.comments[0].id
    done = await scene.publish(flawed())
    assert done.comment_id == oldest
    assert [comment.id for comment in scene.issue.comments] == [oldest]
    assert "3 findings" in scene.comments[0]


async def test_two_processes_that_post_at_once_leave_one_comment(scene: Scene, app: App) -> None:
    def elsewhere() -> None:
        scene.github.add_comment(
            scene.issue, scene.github.account(BOT), f"{STICKY_MARKER}\nfrom elsewhere", app=scene.github.apps[app.id]
        )

    scene.github.before_next("POST", "/comments$", elsewhere)
    await scene.publish(flawed())
    assert len(scene.comments) == 1
    assert "3 findings" in scene.comments[0]


async def test_publications_of_one_pull_request_wait_for_each_other(scene: Scene) -> None:
    await asyncio.gather(*(scene.publish(flawed(), run=f"run{n}") for n in range(4)))
    assert len(scene.comments) == 1
    assert scene.checks == [("completed", "failure")]
    assert len([r for r in scene.github.writes if r.method == "POST"]) == 4  # comment, label, its use, check


async def test_a_comment_edited_by_hand_is_put_right(scene: Scene) -> None:
    await scene.publish(flawed())
    scene.issue.comments[0].body = f"{STICKY_MARKER}\n**Planproof: all fine**\n\nrun 7f3c"
    await scene.publish(flawed())
    assert "3 findings" in scene.comments[0]


async def test_a_comment_deleted_meanwhile_comes_back_where_there_is_something_to_say(scene: Scene) -> None:
    await scene.publish(flawed())
    scene.github.before_next(
        "PATCH", "/issues/comments/", lambda: scene.github.delete_comment(scene.issue.comments[0], scene.issue.user)
    )
    await scene.publish(report(Verdict.NEEDS_FIX, EXISTS))
    assert "1 finding to settle" in scene.comments[0]


async def test_a_comment_deleted_meanwhile_stays_away_where_there_is_nothing_to_say(scene: Scene) -> None:
    await scene.publish(flawed())
    scene.github.before_next(
        "PATCH", "/issues/comments/", lambda: scene.github.delete_comment(scene.issue.comments[0], scene.issue.user)
    )
    await scene.publish(clean())
    assert scene.comments == []
    assert scene.checks == [("completed", "success")]


# ---- lost answers ------------------------------------------------------------------------------
@pytest.mark.parametrize("outcome", ["drop", 502])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", r"/issues/\d+/comments$"),
        ("POST", r"widgets/labels$"),
        ("POST", r"/issues/\d+/labels$"),
        ("POST", r"/check-runs$"),
    ],
)
async def test_whatever_answer_is_lost_nothing_is_posted_twice(
    scene: Scene, method: str, path: str, outcome: object
) -> None:
    scene.github.fail_next(method, path, outcome)  # type: ignore[arg-type]
    done = await scene.publish(flawed())
    assert scene.github.pending_faults == []
    assert len(scene.comments) == 1
    assert scene.labels == [LABEL]
    assert scene.checks == [("completed", "failure")]
    assert len(scene.repo.runs[0].annotations) == 5
    assert done.problems == ()


@pytest.mark.parametrize("outcome", ["drop", 502])
@pytest.mark.parametrize(
    ("method", "path"), [("PATCH", "/comments/"), ("DELETE", "/labels/"), ("PATCH", "/check-runs/")]
)
async def test_lost_answers_of_edits(scene: Scene, method: str, path: str, outcome: object) -> None:
    await scene.publish(flawed())
    scene.github.fail_next(method, path, outcome)  # type: ignore[arg-type]
    await publish(scene.gh, scene.publication(clean()), rewrite_check=True)
    assert scene.github.pending_faults == []
    assert "settled" in scene.comments[0]
    assert scene.labels == []
    assert scene.checks == [("completed", "success")]


async def test_a_github_that_loses_every_answer_is_given_up(scene: Scene) -> None:
    scene.github.fail_next("POST", "/comments$", 502, times=9)
    with pytest.raises(LostAnswer):
        await scene.publish(flawed())
    assert scene.comments == []


@pytest.mark.parametrize("stop", range(1, 5))
async def test_a_crash_after_any_write_is_made_good_by_the_next_run(scene: Scene, stop: int) -> None:
    class Crash(BaseException):
        pass

    count = 0
    send = scene.gh.app.transport.write

    async def crashing(*arguments: object, **more: object) -> object:
        nonlocal count
        answer = await send(*arguments, **more)  # type: ignore[arg-type]
        if not str(arguments[1]).endswith("access_tokens"):
            count += 1
            if count == stop:
                raise Crash
        return answer

    scene.gh.app.transport.write = crashing  # type: ignore[method-assign,assignment]
    with pytest.raises(Crash):
        await scene.publish(flawed())
    scene.gh.app.transport.write = send  # type: ignore[method-assign]
    await scene.publish(flawed())
    assert len(scene.comments) == 1
    assert scene.labels == [LABEL]
    assert scene.checks == [("completed", "failure")]


# ---- a head that moves -------------------------------------------------------------------------
async def test_nothing_is_written_for_a_head_that_moved(scene: Scene) -> None:
    publication = scene.publication(flawed())
    scene.push()
    done = await publish(scene.gh, publication)
    assert (done.status, done.head_sha, done.confirmed) == ("superseded", scene.head, True)
    assert scene.github.writes == []


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/comments$"), ("POST", r"/issues/\d+/labels$"), ("POST", "/check-runs$")]
)
async def test_a_push_in_the_middle_stops_the_next_write(scene: Scene, method: str, path: str) -> None:
    old = scene.head
    scene.github.before_next(method, path, scene.push)
    done = await scene.publish(flawed())
    after = [run for run in scene.repo.runs if run.head_sha == old]
    if path == "/check-runs$":
        assert [run.conclusion for run in after] == ["failure"]  # it was under way
    else:
        assert done.status == "superseded"
        assert after == []


async def unfinished(scene: Scene, head: str) -> None:
    """A check run of ours between two requests' worth of annotations."""
    fields = {"name": "planproof", "head_sha": head, "external_id": scene.key, "status": "in_progress"}
    await scene.gh.create_check_run(fields)


async def test_an_old_heads_unfinished_check_is_cancelled(scene: Scene) -> None:
    old = scene.head
    publication = scene.publication(flawed())
    await unfinished(scene, old)
    scene.push()
    done = await publish(scene.gh, publication)
    assert done.writes == 1
    assert [(run.head_sha, run.conclusion, run.title) for run in scene.repo.runs] == [
        (old, "cancelled", "A newer commit is judged instead")
    ]
    assert scene.comments == []


async def test_a_closed_pull_request_gets_a_cancelled_check_and_nothing_else(scene: Scene) -> None:
    publication = scene.publication(flawed())
    await unfinished(scene, scene.head)
    scene.github.close_pull(scene.issue)
    assert (await publish(scene.gh, publication)).status == "closed"
    assert scene.checks == [("completed", "cancelled")]
    assert (scene.comments, scene.labels) == ([], [])


async def test_a_check_that_was_left_unfinished_is_the_one_that_is_completed(scene: Scene) -> None:
    await unfinished(scene, scene.head)
    await scene.publish(flawed())
    assert scene.checks == [("completed", "failure")]


async def test_a_pull_request_that_is_gone_is_no_error(scene: Scene) -> None:
    publication = replace(scene.publication(flawed()), number=99)
    assert (await publish(scene.gh, publication)).status == "gone"


# ---- check runs --------------------------------------------------------------------------------
async def test_more_annotations_than_one_request_takes(scene: Scene) -> None:
    found = [MISSING.model_copy(update={"id": f"f-{n:06x}", "plan_line": n, "plan_end_line": n}) for n in range(1, 121)]
    await scene.publish(report(Verdict.NEEDS_FIX, *found))
    run = scene.repo.runs[0]
    assert [a["start_line"] for a in run.annotations] == list(range(1, 121))
    sent = [request.body for request in scene.github.writes if "check-runs" in request.path]
    assert [len(body["output"]["annotations"]) for body in sent] == [50, 50, 20]
    assert [body["status"] for body in sent] == ["in_progress", "in_progress", "completed"]
    assert ["conclusion" in body for body in sent] == [False, False, True]


async def test_annotations_lost_half_way_are_completed_without_doubles(scene: Scene) -> None:
    found = [MISSING.model_copy(update={"id": f"f-{n:06x}", "plan_line": n, "plan_end_line": n}) for n in range(1, 121)]
    scene.github.fail_next("PATCH", "/check-runs/", "drop")
    await scene.publish(report(Verdict.NEEDS_FIX, *found))
    assert sorted(a["start_line"] for a in scene.repo.runs[0].annotations) == list(range(1, 121))
    assert scene.checks == [("completed", "failure")]


async def test_two_processes_that_create_the_check_leave_one_that_counts(scene: Scene, app: App) -> None:
    scene.github.before_next(
        "POST",
        "/check-runs$",
        lambda: scene.github.add_run(scene.repo, scene.github.apps[app.id], scene.head, "planproof"),
    )
    await scene.publish(flawed())
    assert scene.checks == [("completed", "cancelled"), ("completed", "failure")]


async def test_another_apps_check_of_the_same_name_is_not_ours(scene: Scene, app_keys: object) -> None:
    other = scene.github.create_app("other", "-", app_id=77)
    scene.github.add_run(scene.repo, other, scene.head, "planproof")
    await scene.publish(flawed())
    assert [(run.suite.app.id, run.status) for run in scene.repo.runs] == [(77, "queued"), (4242, "completed")]


async def test_cancel_leaves_completed_checks_alone(scene: Scene) -> None:
    await scene.publish(clean())
    checks = Checks(scene.gh, scene.head)
    assert (await checks.cancel("Over"), checks.writes) == (True, 0)
    assert scene.checks == [("completed", "success")]


@pytest.mark.parametrize("outcome", ["drop", 502])
async def test_a_cancel_whose_answer_is_lost_is_looked_for_and_sent_again(scene: Scene, outcome: object) -> None:
    await unfinished(scene, scene.head)
    scene.github.fail_next("PATCH", "/check-runs/", outcome)  # type: ignore[arg-type]
    assert await Checks(scene.gh, scene.head).cancel("Over")
    assert scene.github.pending_faults == []
    assert scene.checks == [("completed", "cancelled")]


async def test_a_cancel_whose_answers_are_all_lost_is_not_called_done(scene: Scene) -> None:
    publication = scene.publication(flawed())
    await unfinished(scene, scene.head)
    scene.github.close_pull(scene.issue)
    scene.github.fail_next("PATCH", "/check-runs/", 502, times=99)
    assert not await Checks(scene.gh, scene.head).cancel("Over")
    assert not await Checks(scene.gh, scene.head).repeat("Over")
    assert not await Checks(scene.gh, scene.head).stop(scene.key)
    done = await publish(scene.gh, publication)
    assert (done.status, done.confirmed) == ("closed", False)
    assert scene.checks == [("in_progress", None)]


@pytest.mark.parametrize("outcome", ["drop", 502])
async def test_a_stop_whose_answer_is_lost_makes_one_check(scene: Scene, outcome: object) -> None:
    scene.github.fail_next("POST", "/check-runs$", outcome)  # type: ignore[arg-type]
    assert await Checks(scene.gh, scene.head).stop(scene.key)
    assert scene.checks == [("completed", "cancelled")]


async def test_a_stop_that_cannot_make_a_check_says_so(scene: Scene) -> None:
    scene.github.fail_next("POST", "/check-runs$", 502, times=9)
    with pytest.raises(LostAnswer):
        await Checks(scene.gh, scene.head).stop(scene.key)


async def test_nobody_waits_for_a_check_of_an_archived_repository(scene: Scene) -> None:
    await unfinished(scene, scene.head)
    scene.repo.archived = True
    checks = Checks(scene.gh, scene.head)
    assert (await checks.cancel("Over"), await checks.repeat("Over")) == (True, True)


async def test_a_check_that_is_written_in_parts_is_not_cancelled_in_between(scene: Scene) -> None:
    """The commit may be the head of another pull request, too, that is closed at this moment."""
    loop, between = asyncio.get_running_loop(), asyncio.Event()

    async def closed_elsewhere() -> None:
        await between.wait()
        await Checks(scene.gh, scene.head).cancel("Over")

    found = [MISSING.model_copy(update={"id": f"f-{n:06x}", "plan_line": n, "plan_end_line": n}) for n in range(1, 121)]
    scene.github.before_next("PATCH", "/check-runs/", lambda: loop.call_soon_threadsafe(between.set))
    await asyncio.gather(scene.publish(report(Verdict.NEEDS_FIX, *found)), closed_elsewhere())
    sent = [request.body for request in scene.github.writes if "check-runs" in request.path]
    assert [body.get("conclusion") for body in sent] == [None, None, "failure"]
    assert scene.checks == [("completed", "failure")]


# ---- what GitHub refuses -----------------------------------------------------------------------
async def test_a_missing_permission_for_comments_is_said_by_the_check(
    scene: Scene, acme_installation: look.Installation
) -> None:
    acme_installation.permissions |= {"issues": "read", "pull_requests": "read"}
    done = await scene.publish(flawed())
    assert scene.comments == []
    assert scene.checks == [("completed", "action_required")]
    run = scene.repo.runs[0]
    assert run.title == "3 findings to settle before work starts; not everything could be posted"
    assert run.summary is not None
    assert "- The comment needs the App's permission *issues: write" in run.summary
    assert "[review permissions](" in run.summary
    assert len(done.problems) == 2
    scene.github.forget()
    await scene.publish(flawed())
    assert [request.path for request in scene.github.writes if "check-runs" in request.path] == []


async def test_a_locked_conversation_does_not_keep_the_check_back(scene: Scene) -> None:
    scene.github.fail_next("POST", "/comments$", 403, message="Unable to create comment because issue is locked.")
    await scene.publish(flawed())
    assert scene.checks == [("completed", "failure")]
    assert "- The comment was refused: Unable to create comment because issue is locked." in (
        scene.repo.runs[0].summary or ""
    )
    assert scene.labels == [LABEL]


async def test_without_the_permission_for_checks_the_comment_still_stands(
    scene: Scene, acme_installation: look.Installation
) -> None:
    acme_installation.permissions |= {"checks": "read"}
    with pytest.raises(PermissionMissing) as error:
        await scene.publish(flawed())
    assert error.value.permission == "checks: write"
    assert len(scene.comments) == 1
    assert "The check run needs the App's permission *checks: write*" in scene.comments[0]
    assert scene.labels == [LABEL]


async def test_a_clean_plan_without_the_permission_for_checks_says_so_and_no_plan_says_nothing(
    scene: Scene, acme_installation: look.Installation
) -> None:
    acme_installation.permissions |= {"checks": "read"}
    with pytest.raises(PermissionMissing):
        await scene.publish()
    assert scene.comments == []
    with pytest.raises(PermissionMissing):
        await scene.publish(clean())
    [comment] = scene.comments
    assert "The check run needs the App's permission *checks: write*" in comment


# ---- evidence ----------------------------------------------------------------------------------
async def test_evidence_goes_to_the_issue_and_is_settled_there(scene: Scene) -> None:
    issue = scene.github.open_issue(scene.repo, "Detect retries")
    await scene.publish(flawed(), issues=[issue.number])
    assert len(issue.comments) == 1
    assert issue.comments[0].body.startswith(f"{evidence_marker(scene.issue.number)}\n**The plan for this issue")
    scene.push()
    await scene.publish(clean(), issues=[issue.number])
    assert len(issue.comments) == 1
    assert "**Settled: the plan for this issue" in issue.comments[0].body


async def test_an_issue_never_told_is_not_told_that_it_is_settled(scene: Scene) -> None:
    issue = scene.github.open_issue(scene.repo, "Detect retries")
    await scene.publish(clean(), issues=[issue.number])
    assert issue.comments == []


async def test_evidence_of_two_pull_requests_stands_side_by_side(scene: Scene) -> None:
    issue = scene.github.open_issue(scene.repo, "Detect retries")
    other = scene.github.open_pull(scene.repo, "other", {"docs/plans/other.md": "# Other\n"})
    await scene.publish(flawed(), issues=[issue.number])
    await replace(scene, issue=other).publish(flawed(), issues=[issue.number])
    assert len(issue.comments) == 2


async def test_a_number_that_is_a_pull_request_or_nothing_gets_no_evidence(scene: Scene) -> None:
    other = scene.github.open_pull(scene.repo, "other", {"docs/plans/other.md": "# Other\n"})
    done = await scene.publish(flawed(), issues=[other.number, 999])
    assert other.comments == []
    assert done.problems == ()
    assert scene.checks == [("completed", "failure")]


# ---- small things ------------------------------------------------------------------------------
def test_what_counts_as_the_same() -> None:
    assert same("a  \r\nb · run 1f\n", "a\nb · run 2e")
    assert same("a\n\nrun 1f", "a\n\nrun 2e")
    assert same(None, "")
    assert not same("a run 1f x", "a run 2e x")
    assert not same("a", "b")
