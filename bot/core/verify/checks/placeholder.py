"""Work that the plan leaves open: TBD, TODO, "similar to Task N", an unanswered clarification."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.plans.model import Prose, TaskStatus
from bot.core.verify import evidence
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.PLACEHOLDER

# the whole step is the gap: nothing is left to do it by
_MARKS = (
    r"(?:TBD|TODO|FIXME|to be (?:determined|decided|defined|written|filled in|done|added)"
    r"|fill (?:this |me )?in(?: later)?"
)
_WHOLE = re.compile(
    r"^[\W_\d]*(?:step\s+[\d.]+\w?\s*[:.)–—-]*\s*)?"
    r"(?:(?:implementation|details?|code|files?|tests?|steps?|content)\s*[:–—-]?\s*)?"
    + _MARKS
    + r"|implement later|(?:details? )?coming soon)[\W_]*$",
    re.IGNORECASE,
)
_SAME = re.compile(
    r"^[\W_]*(?:step\s+[\d.]+\w?\s*[:.)–—-]*\s*)?(?:(?:similar to|same as|as in|like"
    r"|repeat(?: the steps of)?)\s+(?:in\s+)?"
    r"(?:the\s+)?(?:steps?\s+(?:of|in)\s+)?task\s+\d+\w*)[\W_]*$",
    re.IGNORECASE,
)
_CLARIFY = re.compile(r"\[NEEDS CLARIFICATION:\s*\w[^\]\n]{2,}\]")
_KIND = re.compile(r"(?i)[\s`*]*(?:markers?|tags?|items?|tokens?|entries|lines?|notes?)\b")
_LEADS = re.compile(r"^[\W_]*(?:TBD|TODO)\s*[:(]")
_LATER = re.compile(
    r"\b(?:TBD|to be (?:determined|decided|filled in)|implement (?:this |it )?later|fill in (?:the )?details(?: later)?"
    r"|add appropriate error handling|(?:is|are|details) similar to task \d+)\b",
    re.IGNORECASE,
)
# prose that is about such marks rather than one of them
_ABOUT = re.compile(
    r"\b(?:no|not|never|without|zero|remove[sd]?|removing|replac\w+|delete[sd]?|resolv\w+|scan\w*|search\w*|grep|check\w*|find|any"
    r"|avoid|forbid\w*|ban\w*|contain\w*|leav\w+|left|markers?|placeholders?|comments?|stubs?|strings?|literal\w*|text|render\w*|"
    r"shows?|display\w*|label\w*|column|status|app|list|items?|tool|widget|panel|page|feature|api|example|entries)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“‘'«「][^\"”’'»」\n]{0,200}[\"”’'»」]")


def _mark(text: str) -> str:
    """The words that leave the work open, as they stand."""
    found = re.search(_MARKS + r"|implement later|coming soon)", text, re.IGNORECASE)
    return found.group(0) if found else text[:80]


def _judge(prose: Prose) -> tuple[Weight, str, str] | None:
    text = " ".join(_QUOTED.sub(" ", prose.text[:2000]).split())
    if not text:
        return None
    if _WHOLE.match(text):
        return Weight.WRONG, _mark(text), "the step says nothing but that it is still open"
    if _SAME.match(text):
        return Weight.WRONG, text.strip(" *_:-.")[:80], "the step only points at another task"
    clarify = _CLARIFY.search(text)
    if clarify and not _ABOUT.search(text[: clarify.start()]) and not _KIND.match(text[clarify.end() :]):
        return Weight.WRONG, clarify.group(0)[:80], "a question is still open"
    if _LEADS.match(text) and len(text) < 200:
        return Weight.DOUBT, _mark(text), "part of the work is still open"
    later = _LATER.search(text)
    if later and not _ABOUT.search(text[: later.start()] + text[later.end() :]):
        return Weight.DOUBT, later.group(0), "part of the work is still open"
    return None


def find(world: World) -> Iterator[Draft]:
    """One draft for each piece of a task's prose that leaves its work open."""
    for task in world.plan.tasks:
        if task.status in (TaskStatus.DONE, TaskStatus.CANCELLED):
            continue
        for prose in task.prose:
            judged = _judge(prose)
            if judged is None:
                continue
            weight, subject, message = judged
            word = re.search(r"\b(TBD|TODO|FIXME|NEEDS CLARIFICATION|[Ss]imilar to|[Ss]ame as)\b", prose.text)
            raw = word.group(0) if word else ""
            shown = evidence.planned(world.plan, prose.span, raw, subject)
            if shown:
                yield Draft(TYPE, weight, prose.span, subject, message, shown, task=task, raw=raw)
