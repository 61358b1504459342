"""The forms of a conversation's page: what a person does there."""

from __future__ import annotations

from collections.abc import Callable

from tests.lookalike.people import Lookalike
from tests.lookalike.state import CheckRun, Issue

Form = dict[str, str]
Deed = Callable[[Lookalike, Issue, str, Form], str | None]
"""Returns the anchor of what was said, if anything was."""


def carry_out(look: Lookalike, issue: Issue, form: Form) -> str:
    """`user` says who, `do` what: comment and review (with `body`), ready, draft, close, reopen, rerun (`run`),
    rerun-all (`run`), press (`run`, `identifier`; or both in one, `press:identifier`).

    Returns where on the page the person is led, "" for its top. Raises ValueError, KeyError.
    """
    if form.get("user", "").lower() not in look.accounts:
        raise ValueError("no such person")
    name, _, identifier = form.get("do", "comment").partition(":")
    deed = DEEDS.get(name)
    if deed is None:
        raise ValueError("no such action")
    anchor = deed(look, issue, form["user"], form | ({"identifier": identifier} if identifier else {}))
    return f"#{anchor}" if anchor is not None else ""


def _text(form: Form) -> str:
    text = form.get("body", "").replace("\r\n", "\n").strip()
    if not text:
        raise ValueError("an empty comment")
    return text


def _run(issue: Issue, form: Form) -> CheckRun:
    for run in issue.repository.runs:
        if str(run.id) == form["run"]:
            return run
    raise ValueError("no such check run")


def _comment(look: Lookalike, issue: Issue, user: str, form: Form) -> str:
    return f"issuecomment-{look.comment(issue, _text(form), user=user).id}"


def _review(look: Lookalike, issue: Issue, user: str, form: Form) -> str:
    return f"pullrequestreview-{look.review(issue, _text(form), user=user).id}"


def _rerun(look: Lookalike, issue: Issue, user: str, form: Form) -> str:
    run = _run(issue, form)
    look.rerequest(run, user=user)
    return f"check-{run.id}"


def _rerun_all(look: Lookalike, issue: Issue, user: str, form: Form) -> str:
    look.rerequest_suite(_run(issue, form).suite, user=user)
    return "checks"


def _press(look: Lookalike, issue: Issue, user: str, form: Form) -> str:
    run = _run(issue, form)
    look.press(run, form["identifier"], user=user)
    return f"check-{run.id}"


DEEDS: dict[str, Deed] = {
    "comment": _comment,
    "review": _review,
    "ready": lambda look, issue, user, _: look.mark_ready(issue, user=user),
    "draft": lambda look, issue, user, _: look.convert_to_draft(issue, user=user),
    "close": lambda look, issue, user, _: look.close_issue(issue, user=user),
    "reopen": lambda look, issue, user, _: look.reopen_pull(issue, user=user),
    "rerun": _rerun,
    "rerun-all": _rerun_all,
    "press": _press,
}
