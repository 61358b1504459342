"""The one answer that a comment with commands gets, by outcome.

Each function returns ready Markdown without marker and footer. Commands stand in code spans, so that no answer of ours
reads as a command; people are named in code spans, so that nobody is notified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.commands import (
    CHECK,
    DISMISS,
    HELP,
    MAX_COMMANDS,
    STATUS,
    VERIFY,
    Access,
    Asked,
    Command,
    Problem,
    Role,
)
from bot.github.findings import Place, where
from bot.github.markdown import code, commit_link, joined, link, listed, prose, table
from bot.github.texts.plan_check import new_line, reuse_block
from bot.github.texts.words import MAX_ROWS, amount, sentence_part, stop
from schemas.plan_check_result import PlanCheckResult
from schemas.verify_report import Finding, Status, Verdict

MAX_SHOWN = 500
"""Characters shown of a reason, as many as are kept of one."""

_LISTS_ALL = f"`{HELP.spoken}` lists all."


# ---- what was asked cannot be done -------------------------------------------------------------
def unknown(asked: Asked) -> str:
    """No such command, or none at all after `/plan`."""
    if not asked.word:
        return f"`/plan` needs a command after it, such as `{VERIFY.spoken}`. {_LISTS_ALL}"
    near = f"; the nearest is `{asked.nearest.spoken}`" if asked.nearest else ""
    return f"{code(f'/plan {asked.word}')} is not a command here{near}. {_LISTS_ALL}"


def malformed(asked: Asked) -> str:
    """A known command with something missing or too much after it. Raises ValueError for an `asked` that is neither."""
    command = asked.command
    if command is None:
        raise ValueError(f"no known command was asked: {asked}")
    name, example = f"`{command.spoken}`", f"For example `{command.example}`."
    match asked.problem:
        case Problem.MISSING_ID:
            return f"{name} needs the id of a finding and a reason. {example}"
        case Problem.BAD_ID:
            given = code(asked.arguments[0])
            return f"{given} is not the id of a finding: one is `f-` and six to twelve hexadecimal digits. {example}"
        case Problem.MISSING_REASON:
            return f"{name} needs a reason after {code(asked.arguments[0])}, in the same line. {example}"
        case Problem.SURPLUS:
            return f"{name} takes nothing after it, so nothing was done. Write it alone in its line."
    raise ValueError(f"nothing is wrong with what was asked: {asked}")


def too_many(limit: int = MAX_COMMANDS) -> str:
    return f"Only the first {amount(limit, 'command')} of a comment are read. Put the others into a new comment."


def not_allowed(command: Command, role: Role, author: bool, open_to_you: Sequence[Command]) -> str:
    """`author`: the person wrote the issue or pull request; `open_to_you` are the commands they may use."""
    level = "no access" if role is Role.NONE else role.name.lower()
    if command.access is Access.WRITER:
        you = "you are the author of the thread and have" if author else "you have"
        said = f"`{command.spoken}` needs write access to this repository; {you} {level}."
    else:
        said = f"`{command.spoken}` is for the author of the thread and people with triage access; you have {level}."
    if not open_to_you:
        return said
    names = [f"`{each.spoken}`" for each in open_to_you]
    return f"{said} {_and(names)} {'is' if len(names) == 1 else 'are'} open to you."


def needs_permission(command: Command, permission: str, url: str) -> str:
    """The App itself may not; `permission` as in `checks: write`, `url` is the page where an owner grants it."""
    return (
        f"`{command.spoken}` needs the App's permission *{prose(permission)}*, which this installation has not "
        f"granted: [review permissions]({url}). Everything else works without it."
    )


def only_on_pull_requests(command: Command) -> str:
    return f"`{command.spoken}` works on pull requests only. On an issue, `{CHECK.spoken}` looks at its plan."


def switched_off() -> str:
    return "Planproof is switched off here: `mode: off` in the configuration. Nothing was done."


def edited() -> str:
    return "The comment was edited before it was read, and nothing was done. Write the command in a new comment."


def closed() -> str:
    return "This thread is closed, and plans are judged in open ones only. Ask again in one that is open."


def no_plan(patterns: Sequence[str] | None) -> str:
    """`patterns` are the globs of plan files that count for this pull request's repository; None where they are set in
    the defaults of its organisation, which not all who read this may read."""
    if patterns is None:
        places = "in the places that the organisation's defaults name"
    else:
        places = f"in {joined([code(pattern) for pattern in patterns], MAX_ROWS) or 'no place'}"
    return (
        f"This pull request changes no plan, so there is nothing to do. Plans are looked for {places}; "
        "`plans:` in `.github/planproof.yml` names other places."
    )


def see_comment() -> str:
    """The pull request was looked at, and its sticky comment says what kept it from being judged in full."""
    return "This could not be done in full. Planproof's comment above on this pull request says why and what to do."


def moved() -> str:
    return "The pull request was pushed to in the meantime. Nothing was changed; ask again."


def failed(run: str, reason: str) -> str:
    """`reason` is for people, without a period."""
    return (
        f"**This could not be done**: {prose(sentence_part(reason))}. Ask again; if it fails again, the server's log "
        f"says more under run {code(run, 40)}."
    )


# ---- help --------------------------------------------------------------------------------------
def help_text(allowed: Sequence[Command], all: Sequence[Command]) -> str:  # noqa: A002
    """`all` commands; those that are not `allowed` to the person who asks are marked."""
    rows = [
        (f"`{each.usage}`", each.what, each.access.value + ("" if each in allowed else " (**not open to you**)"))
        for each in all
    ]
    rules = (
        f"A command stands at the start of a line. The first {MAX_COMMANDS} of a new comment, review or review comment "
        "are read; quotations, code, lists and edits do nothing."
    )
    return f"{table(('command', 'what it does', 'who'), rows)}\n\n{rules}"


# ---- plan check --------------------------------------------------------------------------------
def plan_check(results: Sequence[PlanCheckResult]) -> str:
    """Of one plan or several: what there is already, or that nothing comes close."""
    blocks = []
    for result in results:
        if len(results) > 1 and result.query.title:
            blocks.append(f"{prose(result.query.title, 200)}:")
        blocks += reuse_block(result) or [new_line(result)]
    return "\n\n".join([*blocks, "This is advice; nothing is held back."])


def partly_checked(reason: str) -> str:
    """After the results of some plans: why there are none of the others. `reason` is for people, without a period."""
    return f"Not every plan was compared: {prose(sentence_part(reason))}."


# ---- decisions on findings ---------------------------------------------------------------------
def dismissed(place: Place, finding: Finding, reason: str, by: str, left: int) -> str:
    """`left` findings still gate, over all plans of the pull request."""
    be = "is" if left == 1 else "are"
    rest = f"{amount(left, 'finding')} {be} left to settle." if left else "No finding is left to settle."
    return (
        f"**Dismissed by {code(by)}**: {code(finding.id)}, {_place(place, finding)}. {_reason(reason)} "
        f"This holds in every pull request, until its line of the plan changes. {rest}"
    )


def disputed(place: Place, finding: Finding, reason: str, by: str) -> str:
    counts = (
        f"It is marked in every pull request and still counts, until somebody with write access uses "
        f"`{DISMISS.spoken} {finding.id}` with a reason, or its line of the plan changes."
        if finding.gating
        else "It is marked in every pull request; it held nothing back before."
    )
    return f"**Disputed by {code(by)}**: {code(finding.id)}, {_place(place, finding)}. {_reason(reason)} {counts}"


def no_such_finding(finding_id: str, open_findings: Sequence[Finding], place: Place) -> str:
    said = f"No open finding here has the id {code(finding_id)}."
    if not open_findings:
        return f"{said} None is open. `{STATUS.spoken}` says how the plans stand."
    lines = [f"{code(each.id)}: {where(place, each)}" for each in open_findings]
    return f"{said} These are open:\n\n{listed(lines, MAX_ROWS)}"


def already(finding_id: str, status: Status, who: str | None, when: int | None) -> str:
    """The finding has this status; `who` and `when` (milliseconds since 1970) where a person decided it."""
    by = f" by {code(who)}" if who else ""
    on = f" on {moment(when)}" if when is not None else ""
    return f"{code(finding_id)} was {status.value} already{by}{on}. Nothing was changed."


def ignored(finding_id: str) -> str:
    """The configuration names the finding."""
    return f"{code(finding_id)} is passed over by `ignore` in the configuration already. Nothing was changed."


# ---- runs --------------------------------------------------------------------------------------
def cancelled(runs: Sequence[str], *, commands: bool = False) -> str:
    """`runs` are the names of the runs that were stopped; with `commands`, some of them were to carry out commands."""
    names = [code(run, 40) for run in runs]
    shown = _and(names) if len(names) <= MAX_ROWS else joined(names, MAX_ROWS)
    noun = "run" if len(runs) == 1 else "runs"
    rest = " A command among them was not finished; a finding that it had dismissed or disputed by then stays so."
    said = f"Stopped: {noun} {shown}. What was posted before stays; `{VERIFY.spoken}` judges anew."
    return said + rest if commands else said


def nothing_runs() -> str:
    return f"Nothing is running here, so there is nothing to stop. `{STATUS.spoken}` tells what ran last."


# ---- status ------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Decided:
    """A finding that a person dismissed or disputed; `when` in milliseconds since 1970."""

    finding: Finding
    status: Status
    by: str
    reason: str
    when: int


@dataclass(frozen=True)
class Run:
    """A run as the store names it: `what` it does, its `state`, and since when that holds, in milliseconds since 1970;
    None for one that has not begun."""

    id: str
    what: str
    state: str
    when: int | None


@dataclass(frozen=True)
class Configuration:
    """What counts here. `gates` are the finding types that hold a plan back; `label` is None where none is set;
    `problems` say what is wrong with the file, one line each, while the last valid one counts; `notes` what has no
    effect in it. `last`: it cannot be read now, this is what was known of it."""

    mode: str
    gates: Sequence[str]
    label: str | None
    problems: Sequence[str] = ()
    notes: Sequence[str] = ()
    last: bool = False


@dataclass(frozen=True)
class Standing:
    """How an issue or pull request stands.

    `verdict` is None where nothing was judged (yet), `reason` why it could not be. `gating` and `notes` count the open
    findings that gate and that do not. `missing` are permissions that the installation has not granted, as in
    `checks: write`, and `approval` is the page where an owner grants them.
    """

    verdict: Verdict | None
    reason: str | None
    gating: int
    notes: int
    decided: Sequence[Decided]
    last: Run | None
    running: Sequence[Run]
    configuration: Configuration
    missing: Sequence[str] = ()
    approval: str | None = None


def status(place: Place, standing: Standing) -> str:
    """`place.head` is the head that the verdict is about."""
    lines = [listed([_decided(place, each) for each in standing.decided], MAX_ROWS)] if standing.decided else []
    for run in standing.running[:MAX_ROWS]:
        lines.append(f"- Under way: {_run(run)}" + (f" since {moment(run.when)}" if run.when is not None else ""))
    if not standing.running:
        lines.append("- Under way: nothing")
    if standing.last:
        on = f" on {moment(standing.last.when)}" if standing.last.when is not None else ""
        lines.append(f"- Last run: {_run(standing.last)}{on}")
    lines.append(_configuration(standing.configuration))
    for problem in standing.configuration.problems[:MAX_ROWS]:
        lines.append(f"- Wrong in the configuration, so the last valid one counts: {prose(problem)}")
    for note in standing.configuration.notes[:MAX_ROWS]:
        lines.append(f"- In the configuration: {prose(note)}")
    if standing.missing:
        lacking = _and([f"*{prose(each)}*" for each in standing.missing[:MAX_ROWS]])
        lines.append(f"- Not granted to the App: {lacking} ({link('review permissions', standing.approval)})")
    return f"{_verdict(place, standing)}\n\n" + "\n".join(lines)


def _verdict(place: Place, standing: Standing) -> str:
    at = f" at {commit_link(place.web, place.head)}" if place.head else ""
    because = f": {prose(sentence_part(standing.reason))}" if standing.reason else ""
    others = f", and {amount(standing.notes, 'note')} that hold{'s' if standing.notes == 1 else ''} nothing back"
    others = others if standing.notes else ""
    match standing.verdict:
        case None:
            return f"**Planproof: nothing judged yet**{at}{because}."
        case Verdict.NEEDS_FIX:
            return f"**Planproof: {amount(standing.gating, 'finding')} to settle**{at}{others}."
        case Verdict.CLEAN:
            return f"**Planproof: no finding to settle**{at}{others}."
        case Verdict.NOT_VERIFIED:
            return f"**Planproof could not judge this plan**{at}{because}."
        case Verdict.RETROACTIVE:
            return f"**Planproof: nothing to judge**{at}. The tree holds the plan's work already{because}."
        case Verdict.NOT_A_PLAN:
            return f"**Planproof: no plan here**{at}."


def _decided(place: Place, each: Decided) -> str:
    return (
        f"{each.status.value.capitalize()} by {code(each.by)} on {moment(each.when)}: {code(each.finding.id)}, "
        f"{_place(place, each.finding)}. {_reason(each.reason)}"
    )


def _run(run: Run) -> str:
    return f"{code(run.id, 40)}, {prose(run.what, 80)}, {prose(run.state, 40)}"


def _configuration(configuration: Configuration) -> str:
    gates = ", ".join(code(gate, 60) for gate in configuration.gates[:MAX_ROWS]) or "nothing"
    label = code(configuration.label, 60) if configuration.label else "none"
    known = ", as last known (it cannot be read now)" if configuration.last else ""
    return f"- Configuration{known}: mode {code(configuration.mode, 20)}; held back by {gates}; label {label}"


# ---- words -------------------------------------------------------------------------------------
def moment(when: int) -> str:
    """`2026-07-06 14:03 UTC`; `when` in milliseconds since 1970."""
    return datetime.fromtimestamp(when / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _reason(reason: str) -> str:
    return f"Reason: {stop(prose(reason, MAX_SHOWN))}"


def _place(place: Place, finding: Finding) -> str:
    # what is said of the finding here is its status
    return where(place, finding.model_copy(update={"status": Status.OPEN}))
