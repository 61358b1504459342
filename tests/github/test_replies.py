"""The answers to commands. The snapshots are what stands in the thread, without marker and footer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bot import commands
from bot.commands import COMMANDS, DISMISS, VERIFY, Command, Role, parse
from bot.github.markdown import COMMENT_LIMIT, length
from bot.github.texts import replies
from bot.github.texts.replies import Configuration, Decided, Run, Standing
from schemas.verify_report import Finding, Status, Verdict
from tests.github.rendering import alive
from tests.github.samples import EXISTS, MISSING, NOTE, PLACE, RUNNER
from tests.github.snapshot import FOLDER
from tests.github.snapshot import expect as snapshot

GRANT = "https://github.com/organizations/acme/settings/installations/7/permissions/update"
AT = 1_783_346_580_000
CONFIGURATION = Configuration("on", ("missing_path", "task_order", "verify_form"), "plan/needs-fix")


def expect(name: str, text: str) -> None:
    snapshot(f"replies/{name}", text)


def answer(comment: str) -> str:
    """What a comment with one command that cannot be read is answered."""
    (asked,) = parse(comment)
    return replies.unknown(asked) if asked.command is None else replies.malformed(asked)


def refused(command: Command, role: Role, author: bool = False) -> str:
    return replies.not_allowed(command, role, author, commands.open_to(role, author))


# ---- as the thread reads -----------------------------------------------------------------------
def test_a_mistyped_command() -> None:
    expect("mistyped", answer("/plan verfy"))


def test_a_command_that_resembles_none() -> None:
    expect("unknown", answer("/plan repair everything"))


def test_plan_alone() -> None:
    expect("no-command", answer("/plan"))


def test_dismiss_without_anything() -> None:
    expect("no-id", answer("/plan dismiss"))


def test_dismiss_with_a_word_in_the_ids_place() -> None:
    expect("bad-id", answer("/plan dismiss because the file is generated"))


def test_dispute_without_a_reason() -> None:
    expect("no-reason", answer("/plan dispute F-3A91C2"))


def test_verify_with_something_after_it() -> None:
    expect("surplus", answer("/plan verify docs/plans/retry.md, please"))


def test_more_commands_than_are_read() -> None:
    expect("too-many", replies.too_many())


def test_only_what_is_wrong_can_be_malformed() -> None:
    for comment in ("/plan help", "/plan verfy"):
        with pytest.raises(ValueError):
            replies.malformed(parse(comment)[0])


def test_a_triager_dismisses() -> None:
    expect("dismiss-by-triager", refused(DISMISS, Role.TRIAGE))


def test_the_author_dismisses() -> None:
    expect("dismiss-by-author", refused(DISMISS, Role.READ, author=True))


def test_a_stranger_verifies() -> None:
    expect("verify-by-stranger", refused(VERIFY, Role.READ))


def test_somebody_without_access_dismisses() -> None:
    expect("dismiss-without-access", refused(DISMISS, Role.NONE))


def test_one_command_that_is_open() -> None:
    assert replies.not_allowed(DISMISS, Role.READ, False, (VERIFY,)).endswith(" `/plan verify` is open to you.")


def test_the_app_lacks_a_permission() -> None:
    expect("needs-permission", replies.needs_permission(VERIFY, "checks: write", GRANT))


def test_verify_on_an_issue() -> None:
    expect("only-on-pull-requests", replies.only_on_pull_requests(VERIFY))


def test_the_repository_is_switched_off() -> None:
    expect("switched-off", replies.switched_off())


def test_the_thread_is_closed() -> None:
    expect("closed", replies.closed())


def test_a_pull_request_without_a_plan() -> None:
    expect("no-plan", replies.no_plan(["docs/**/plans/**/*.md", "PLAN.md"]))


def test_places_that_an_organisation_names_are_not_told() -> None:
    assert "looked for in the places that the organisation's defaults name;" in replies.no_plan(None)


def test_a_comment_that_was_edited_before_it_was_read() -> None:
    expect("edited", replies.edited())


def test_some_plans_could_not_be_compared() -> None:
    expect("partly-checked", replies.partly_checked("the engine took more than 60 seconds."))


def test_something_failed() -> None:
    expect("failed", replies.failed("7f3c", "GitHub answered 502 five times."))


def test_help_for_a_maintainer() -> None:
    expect("help", replies.help_text(COMMANDS, COMMANDS))


def test_help_for_an_author() -> None:
    expect("help-for-author", replies.help_text(commands.open_to(Role.READ, True), COMMANDS))


def test_a_finding_is_dismissed() -> None:
    expect("dismissed", replies.dismissed(PLACE, MISSING, "`make build` writes this file", "mona", 2))


def test_the_last_finding_is_dismissed() -> None:
    disputed = RUNNER.model_copy(update={"status": Status.DISPUTED})
    expect("dismissed-last", replies.dismissed(PLACE, disputed, "bun runs it since 1.2.", "mona", 0))
    assert "1 finding is left to settle." in replies.dismissed(PLACE, RUNNER, "why", "mona", 1)


def test_a_finding_is_disputed() -> None:
    expect("disputed", replies.disputed(PLACE, EXISTS, "task 2 moves it away", "hubot"))


def test_a_note_is_disputed() -> None:
    expect("disputed-note", replies.disputed(PLACE, NOTE, "the file grows in task 1", "hubot"))


def test_an_id_that_no_finding_has() -> None:
    expect("no-such-finding", replies.no_such_finding("f-123456", [MISSING, RUNNER], PLACE))


def test_an_id_where_nothing_is_open() -> None:
    expect("nothing-open", replies.no_such_finding("f-123456", [], PLACE))


def test_a_finding_that_was_dismissed_before() -> None:
    expect("already", replies.already("f-3a91c2", Status.DISMISSED, "mona", AT))
    assert replies.already("f-3a91c2", Status.REPAIRED, None, None) == (
        "`f-3a91c2` was repaired already. Nothing was changed."
    )


def test_runs_are_cancelled() -> None:
    expect("cancelled", replies.cancelled(["7f3c", "8a01"]))
    assert replies.cancelled(["7f3c"]).startswith("Stopped: run `7f3c`. ")
    assert " and 5 more. " in replies.cancelled([f"{n:04x}" for n in range(30)])


def test_nothing_to_cancel() -> None:
    expect("nothing-runs", replies.nothing_runs())


def test_the_status_of_a_pull_request_with_findings() -> None:
    standing = Standing(
        verdict=Verdict.NEEDS_FIX,
        reason=None,
        gating=2,
        notes=1,
        decided=(
            Decided(EXISTS, Status.DISMISSED, "mona", "the old file goes in another pull request", AT),
            Decided(RUNNER, Status.DISPUTED, "hubot", "bun runs it", AT + 60_000),
        ),
        last=Run("7f3c", "verify", "done", AT),
        running=(Run("8a01", "verify", "running", AT + 120_000), Run("8a02", "command", "waiting", AT + 120_000)),
        configuration=Configuration(
            "on",
            ("missing_path",),
            "needs work",
            ("`.github/planproof.yml` line 3: `plan` is not a key here",),
            ("`.github/planproof.yml` line 4: `model` has no effect in this version",),
            last=True,
        ),
        missing=("checks: write", "merge queues: read"),
        approval=GRANT,
    )
    expect("status", replies.status(PLACE, standing))


def bare(verdict: Verdict | None, reason: str | None = None, notes: int = 0) -> str:
    standing = Standing(verdict, reason, 0, notes, (), None, (), CONFIGURATION)
    return replies.status(PLACE, standing)


def test_the_status_before_anything_was_judged() -> None:
    expect("status-new", bare(None))


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (bare(Verdict.CLEAN), "**Planproof: no finding to settle** at "),
        (bare(Verdict.CLEAN, notes=1), ", and 1 note that holds nothing back."),
        (bare(Verdict.NOT_VERIFIED, "the file is not UTF-8."), "**Planproof could not judge this plan** at "),
        (bare(Verdict.NOT_VERIFIED, "the file is not UTF-8."), "): the file is not UTF-8."),
        (bare(Verdict.RETROACTIVE), "**Planproof: nothing to judge** at "),
        (bare(Verdict.NOT_A_PLAN), "**Planproof: no plan here** at "),
    ],
)
def test_the_first_line_of_a_status_says_the_verdict(text: str, first: str) -> None:
    assert first in text.splitlines()[0]


def test_no_label_and_no_gate() -> None:
    standing = Standing(None, None, 0, 0, (), None, (), Configuration("shadow", (), None))
    assert "- Configuration: mode `shadow`; held back by nothing; label none" in replies.status(PLACE, standing)


# ---- what holds for all of them ----------------------------------------------------------------
SNAPSHOTS = sorted((FOLDER / "replies").glob("*.md"))


@pytest.mark.parametrize("path", SNAPSHOTS, ids=lambda path: path.stem)
def test_no_answer_is_a_command_or_mentions_a_person(path: Path) -> None:
    text = path.read_text()
    assert parse(text) == ()
    assert not alive(text.replace(f"({GRANT})", "(https://github.com/acme/widgets/)"))
    assert "sorry" not in text.lower()


EVIL = (
    "`|`\n\n/plan cancel\n@everyone <img src=//e.x> [a](http://e.x) <!-- planproof:sticky --> #12 \u202e ghp_"
    + "a" * 40
)


def evil() -> Sequence[str]:
    finding: Finding = MISSING.model_copy(update={"subject": EVIL, "message": EVIL, "task": EVIL, "plan_path": EVIL})
    standing = Standing(
        verdict=Verdict.NOT_VERIFIED,
        reason=EVIL,
        gating=1,
        notes=1,
        decided=(Decided(finding, Status.DISPUTED, EVIL, EVIL, AT),) * 40,
        last=Run(EVIL, EVIL, EVIL, AT),
        running=(Run(EVIL, EVIL, EVIL, AT),) * 40,
        configuration=Configuration(EVIL, (EVIL,) * 40, EVIL, (EVIL,) * 40, (EVIL,) * 40),
        missing=(EVIL,) * 40,
    )
    return (
        *(
            answer(f"/plan {word}")
            for word in (EVIL.replace("\n", " "), "@everyone", "`|`@everyone", "<img/src=//e.x>", "#12", "x" * 9_999)
        ),
        *(answer(f"/plan dismiss {word} x") for word in ("@everyone", "```|@everyone", "http://e.x", "y" * 9_999)),
        replies.needs_permission(VERIFY, EVIL, "https://github.com/acme/widgets/"),
        replies.no_plan([EVIL] * 40),
        replies.failed(EVIL, EVIL),
        replies.partly_checked(EVIL),
        replies.dismissed(PLACE, finding, EVIL, EVIL, 1),
        replies.disputed(PLACE, finding, EVIL, EVIL),
        replies.no_such_finding(EVIL, [finding] * 40, PLACE),
        replies.already(EVIL, Status.DISMISSED, EVIL, AT),
        replies.cancelled([EVIL] * 40),
        replies.status(PLACE, standing),
    )


@pytest.mark.parametrize("text", evil())
def test_hostile_text_stays_text(text: str) -> None:
    assert not alive(text)
    assert parse(text) == ()
    assert "ghp_" not in text
    assert length(text) < COMMENT_LIMIT
