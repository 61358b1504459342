"""What the bot reacts to: one module for each thing, and the table that says which event starts which.

`ROUTES` is data. Dispatch reads it to find the handler, the App manifest must ask for exactly what it names, and the
installation token of a run is narrowed to the permissions of its route.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bot.dispatch import Handler, Permission, Route
from handlers import check_run, issue_plan, pull_request

# judging a pull request reads its tree and writes its comment, its check and the evidence on the issues it closes
JUDGE: Mapping[str, Permission] = MappingProxyType(
    {"checks": "write", "contents": "read", "issues": "write", "metadata": "read", "pull_requests": "write"}
)
# answering an issue reads the index and writes one comment
ANSWER: Mapping[str, Permission] = MappingProxyType({"contents": "read", "issues": "write", "metadata": "read"})

ROUTES: tuple[Route, ...] = (
    *(Route("issues", action, "issue_plan", ANSWER) for action in ("opened", "edited", "labeled", "unlabeled")),
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
    # a re-run must run even when the head was judged before
    Route("check_run", "rerequested", "check_run", JUDGE, level=False),
    Route("check_suite", "rerequested", "check_run", JUDGE, level=False),
)

HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {"check_run": check_run, "issue_plan": issue_plan, "pull_request": pull_request}
)
