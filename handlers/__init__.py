"""What the bot reacts to: one module for each thing, and the table that says which event starts which.

`ROUTES` is data. Dispatch reads it to find the handler, the App manifest must ask for exactly what it names, and the
installation token of a run is narrowed to the permissions of its route.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bot import commands, review
from bot.dispatch import Handler, Route
from bot.events import Event
from handlers import check_run, command, installation, issue_plan, merge_group, pull_request, push
from handlers.needs import ANSWER, COMMIT, JUDGE, QUEUE


def _holds_command(event: Event) -> bool:
    return commands.mentions(event.comment_body or "")


def _at_once(event: Event) -> bool:
    return commands.urgent(event.comment_body or "")


def _may_hold_plans(event: Event) -> bool:
    """A push to the default branch that touches documents."""
    return (
        event.repo is not None
        and event.ref == f"refs/heads/{event.repo.default_branch}"
        and event.documents is True
        and event.after is not None
    )


def _number_of_group(event: Event) -> int | None:
    """The branch of a merge group names the pull request: its job waits for the others of that number."""
    return review.number_of(event.head_ref)


ROUTES: tuple[Route, ...] = (
    *(
        Route("issues", action, "issue_plan", ANSWER)
        for action in ("opened", "edited", "labeled", "unlabeled", "reopened")
    ),
    *(
        Route("pull_request", action, "pull_request", JUDGE)
        # an edit may change the base branch, and the issues that the description closes
        for action in (
            "opened",
            "synchronize",
            "reopened",
            "ready_for_review",
            "converted_to_draft",
            "closed",
            "edited",
        )
    ),
    # what is written counts when it is written; an edit gives no command
    *(
        Route(event, action, "command", JUDGE, level=False, wanted=_holds_command, aside=_at_once)
        for event, action in (
            ("issue_comment", "created"),
            ("pull_request_review", "submitted"),
            ("pull_request_review_comment", "created"),
        )
    ),
    Route("push", None, "push", COMMIT, level=False, wanted=_may_hold_plans),
    # a re-run must run even when the head was judged before
    Route("check_run", "rerequested", "check_run", JUDGE, level=False),
    Route("check_run", "requested_action", "check_run", JUDGE, level=False),
    Route("check_suite", "rerequested", "check_run", JUDGE, level=False),
    Route("merge_group", "checks_requested", "merge_group", QUEUE, level=False, number=_number_of_group),
    # these two arrive unasked
    Route("installation", None, "installation", level=False),
    Route("installation_repositories", None, "installation", level=False),
    Route("repository", "deleted", "installation", level=False),
)

HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "check_run": check_run,
        "command": command,
        "installation": installation,
        "issue_plan": issue_plan,
        "merge_group": merge_group,
        "pull_request": pull_request,
        "push": push,
    }
)
