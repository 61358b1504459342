"""Words and links that every posted text shares."""

from __future__ import annotations

from collections.abc import Sequence

from bot.github.findings import Place
from bot.github.markdown import (
    blob_url,
    code,
    link,
    prose,
)
from bot.github.publication import (
    CHECK_NAME,
)
from schemas.verify_report import VerifyReport

MAX_ROWS = 25
TITLE_LIMIT = 200

REST_IN_CHECK = f"All of it stands in the check `{CHECK_NAME}`."
REST_IN_COMMENT = "The rest stands as annotations on the plan's lines, and `planproof verify` prints all of it."
RE_RUN = f"Re-run on the check `{CHECK_NAME}`"
AGAIN = f"{RE_RUN}, or `/plan verify`"
QUEUE_AGAIN = "add the pull request to the merge queue again"


def plan_link(place: Place, report: VerifyReport) -> str:
    return link(code(report.plan.path), blob_url(place.web, place.head, report.plan.path))


def named(place: Place, report: VerifyReport) -> str:
    """The plan and a colon; nothing where what failed concerns no plan in particular."""
    return f"{plan_link(place, report)}: " if report.plan.path else ""


def why(report: VerifyReport) -> str:
    return prose(sentence_part(report.reason or "no reason was given"))


def sentence_part(text: str | None) -> str:
    return (text or "").strip().rstrip(".")


def stop(markdown: str) -> str:
    return markdown if markdown.endswith((".", "…", "!", "?")) else f"{markdown}."


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def bold(text: str) -> str:
    return f"**{text}**"


def amount(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def number_of(place: Place) -> int:
    if place.number is None:
        raise ValueError("this publication needs the number of an issue or pull request")
    return place.number


def to_settle(reports: Sequence[VerifyReport]) -> str:
    count = sum(len(report.gating) for report in reports)
    concerned = sum(1 for report in reports if report.gating)
    where = f" in {concerned} plans" if concerned > 1 else ""
    return f"{amount(count, 'finding')}{where} to settle"
