"""The comment on each issue that the pull request closes, and what it becomes once nothing is open."""

from __future__ import annotations

from collections.abc import Sequence

from bot.github import findings
from bot.github.findings import Place
from bot.github.markdown import (
    COMMENT_LIMIT,
    code,
    commit_link,
    fit,
    one_line,
)
from bot.github.publication import (
    evidence_marker,
)
from bot.github.texts.words import amount, number_of
from schemas.verify_report import Verdict, VerifyReport


def evidence(place: Place, reports: Sequence[VerifyReport]) -> str:
    """The comment on an issue whose plan disagrees with the code."""
    number = number_of(place)
    lines = [f"- {findings.line(place, report, f)}" for report in reports for f in report.gating]
    attempts = max((report.attempts for report in reports), default=1)
    read = sum(len(report.reads) for report in reports)
    tokens = sum(report.tokens.request + report.tokens.reads + report.tokens.output for report in reports)
    spent = f"{tokens:,} tokens" if tokens else "no model"
    rounds = f" still disagrees with the code after {amount(attempts - 1, 'repair round')}"
    title = f"**The plan for this issue (#{number}){rounds if attempts > 1 else ' disagrees with the code'}**"
    ending = (
        f"{amount(attempts, 'attempt')}, {amount(read, 'read')}, {spent}, "
        f"judged at {commit_link(place.web, place.head)}. "
        f"The pull request keeps {code(place.label)} until plan and code agree; a person has to decide which of them"
        " changes."
    )
    blocks = [title, "\n".join(lines), ending]
    footer = f"run {one_line(place.run, 40)}"
    return fit(
        f"{evidence_marker(number)}\n" + "\n\n".join(blocks), footer, COMMENT_LIMIT, f"All of it stands on #{number}."
    )


def evidence_settled(place: Place, verdict: Verdict) -> str:
    """What the evidence becomes once nothing is open."""
    number = number_of(place)
    if verdict is Verdict.CLEAN:
        said = f"**Settled: the plan for this issue (#{number}) agrees with the code** at"
    else:
        said = f"**Settled: the pull request (#{number}) holds no plan that is open** at"
    return f"{evidence_marker(number)}\n{said} {commit_link(place.web, place.head)}. · run {one_line(place.run, 40)}"
