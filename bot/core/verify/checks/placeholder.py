"""Work that the plan leaves open: TBD, TODO, "similar to Task N", an unanswered clarification.

Two things are told apart: a step whose whole text is that it is open, which cannot be carried out, and a detail that
waits while the step can be done. Only the first stops a plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.core.plans.model import Action, Format, Prose, Task, TaskStatus
from bot.core.verify import evidence
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.PLACEHOLDER

MAX_TEXT = 2000  # characters of a piece of prose that are read
MAX_BLANK = 3  # blank lines between a step and what belongs to it

_OPEN = r"(?:TBD|TODO|FIXME|to be (?:determined|decided|defined|written|filled in|done|added|clarified))"
# how a step begins: its box, its number, its marks
_HEAD = re.compile(
    r"^[\W_]*(?:(?:step|task|unit|phase)\s+[\w.-]{1,8}\s*[:.)–—-]+|T-?\d{3,}[\w.]{0,6}|\d+(?:\.\d+)*[.)]?(?=\s))?[\s*_:.)–—-]*"
    r"(?:\[(?:P|US\d+|Story \d+)\]\s*){0,3}[\W_]*",
    re.IGNORECASE,
)
_PART = (
    r"(?:implementation|approach|algorithm|method|details?|code|logic|design|files?|tests?|steps?|content|what to do"
    r"|verification|changes?)"
)
_FILL = r"(?:fill (?:this |it |me )?in(?: (?:the )?(?:details?|rest))?)(?: later)?"
_WHOLE = re.compile(
    rf"^(?:{_PART}\s*[:–—-]?\s*)?(?:{_OPEN}(?:\s*[:–—-]\s*(?:{_FILL}|(?:write|complete|implement) (?:this|it)))?"
    rf"|{_FILL}"
    r"|(?:to be )?(?:implement(?:ed)?|do|done|write|written|decide|decided) later|(?:details? )?coming soon)[\W_]*$",
    re.IGNORECASE,
)
_SIMILAR = re.compile(
    r"^(?:(?:do|proceed|implement)\s+)?(?:similar(?:ly)? to|same as|as in|like|analogous(?:ly)? to)\s+(?:in\s+)?"
    r"(?:the\s+)?(?:steps?\s+(?:of|in)\s+)?(?:task|step|unit)\s+\d[\w.]{0,6}(?P<tail>(?:,|\s+(?:but|for|with)\b)[^.:;]{0,60})?[\W_]*$",
    re.IGNORECASE,
)
_FITTING = re.compile(
    r"^(?:add|implement|include|write|provide|put in|ensure)\s+(?:an?\s+|some\s+|the\s+)?"
    r"(?:appropriate|proper|necessary|suitable|adequate|sufficient|needed|required)\s+(?:\w+\s+){0,2}?"
    r"(?:error[- ]handling|exception handling|validations?|checks|tests|edge[- ]case handling|logging)"
    r"(?:\s+(?:as (?:needed|appropriate)|where (?:needed|appropriate)))?[\W_]*$",
    re.IGNORECASE,
)
_TESTS_OF = re.compile(
    r"^(?:write|add|create)\s+(?:(?:unit|the|some|more|failing|corresponding|matching|new)\s+){0,3}tests?\s+for\s+"
    r"(?:(?:all\s+)?(?:of\s+)?the\s+above(?:\s+\w+)?|it|this|these|that|those|everything)[\W_]*$",
    re.IGNORECASE,
)
_LATER = re.compile(r"[:–—-]\s*(?:to be )?(?:implement(?:ed)?|done|written) later[\W_]*$", re.IGNORECASE)
# the last words of a step: "decide when it opens: TBD", "…, signature algorithm TBD"
_ENDS = re.compile(
    r"(?:(?P<colon>[^\s:][\s\w]{0,60}:|\s[–—-])\s+(?:TBD|TODO|to be (?:determined|decided|defined))"
    r"|,\s+(?:the\s+)?(?P<detail>(?:[\w-]+\s+){1,3})(?:is\s+)?(?:still\s+)?(?:TBD|to be (?:determined|decided)))"
    r"[\s.*_]*$"
)
# open, and yet nothing that a step waits for
_TRIFLE = re.compile(
    r"(?i)\b(?:owners?|assignees?|dates?|due|deadline|eta|estimates?|effort|pr|issue|ticket|links?|urls?|status|versions?|"
    r"names?|naming|wording|copy|texts?|labels?|icons?|colou?rs?|ports?|author|reviewers?|priority|commit|branch|sha|"
    r"milestone|release|risk|sprint|cost|budget)\b"
)
# a mark with a question behind it, which somebody has to answer before the step can be done
_ASKS = re.compile(
    r"(?:^|[.;!?]\s+|\s[–—-]\s+)(?P<mark>TODO|TBD|FIXME)\s*[:–—(-]\s*"
    r"(?:find out|figure out|decide|determine|clarify|choose|work out|ask\b|agree"
    r"|(?:how|what|which|where|who|whether|when)\b|[^.!?\n]{3,160}\?)"
)
_LEADS = re.compile(r"^[\W_]*(?:TBD|TODO)\s*[:(]")
_WEAK = re.compile(
    r"\b(?:TBD|to be (?:determined|decided|filled in)|implement (?:this |it )?later|fill in (?:the )?details(?: later)?"
    r"|add appropriate error handling|(?:is|are|details) similar to task \d+)\b",
    re.IGNORECASE,
)
_CLARIFY = re.compile(r"\[NEEDS CLARIFICATION:\s*\w[^\]\n]{2,}\]")
_KIND = re.compile(r"(?i)[\s`*]*(?:markers?|tags?|items?|tokens?|entries|lines?|notes?)\b")
_ANSWERED = re.compile(r"(?i)^[\W_]*(?:→|->|=>|resolved|answer|decided|decision|clarified|resolution|done)")
# prose that is about such marks rather than one of them
_ABOUT = re.compile(
    r"\b(?:no|not|never|without|zero|remove[sd]?|removing|replac\w+|delete[sd]?|resolv\w+|scan\w*|search\w*|grep|check\w*|find|any"
    r"|avoid|forbid\w*|ban\w*|contain\w*|leav\w+|left|markers?|placeholders?|comments?|stubs?|strings?|literal\w*|text|render\w*|"
    r"shows?|display\w*|label\w*|column|status|app|list|items?|tool|widget|panel|page|feature|api|example|entries)\b",
    re.IGNORECASE,
)
_MARKS_MEANT = re.compile(
    r"(?i)\b(?:no|not|never|without|zero|any|remov\w+|replac\w+|delet\w+|resolv\w+|scan\w*|search\w*|grep\w*|avoid\w*"
    r"|forbid\w*|contain\w*|mark\w*|tag\w*|comments?|stubs?|placeholders?|prints?|says?|shows?|display\w*|render\w*"
    r"|write|returns?)\s+(?:\w+\s+){0,3}[\s`*_(]*$"
)
_QUOTED = re.compile(r"[\"“‘'«「][^\"”’'»」\n]{0,200}[\"”’'»」]")
_STEP = re.compile(
    r"(?i)^\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\[[ xX~-]\]\*?\s*)?(?:[*_]{1,3}|#{1,6}\s)*\s*(?:step\s+[\d.]+|T-?\d{3,}\b)"
)
_BOX = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\[[ ~-]\]")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
# lines that say how a step is checked or stored rather than what it is
_ASIDE = re.compile(
    r"(?i)^\s*(?:[-*+]\s+)?(?:\[.\]\s*)?[*_#\s]*(?:run|verify|expected?|expect|commit|verification|step\s+[\d.]+|task\s+\d"
    r"|checkpoint|_?requirements|depends|files?)\b|^\s*(?:#{1,6}\s|-{3,}\s*$|\*{3,}\s*$|\|)"
)


@dataclass(frozen=True, slots=True)
class _Gap:
    weight: Weight
    subject: str
    message: str


_STILL_OPEN = "part of the work is still open"


def _mark(text: str) -> str:
    """The words that leave the work open, as they stand."""
    found = re.search(rf"{_OPEN}|(?:implement\w*|done|written) later|coming soon", text, re.IGNORECASE)
    return found.group(0) if found else text[:80]


class _Reader:
    """Judges one piece of prose by its words and by where it stands."""

    def __init__(self, world: World, task: Task | None, prose: Prose) -> None:
        self.world, self.task, self.prose = world, task, prose
        self.line = world.plan.line(prose.span.path, prose.span.first)
        self.text = " ".join(_QUOTED.sub(" ", prose.text[:MAX_TEXT]).split())
        self.body = self.text[end.end() :] if (end := _HEAD.match(self.text)) else self.text

    def judge(self) -> _Gap | None:
        if not self.body or self.line.lstrip().startswith("|"):
            return None
        return self._clarify() or (self._empty() or self._detail() if self.task is not None else None)

    def _clarify(self) -> _Gap | None:
        found = _CLARIFY.search(self.text)
        if found is None:
            return None
        before, after = self.text[: found.start()], self.text[found.end() :]
        if _MARKS_MEANT.search(before) or _KIND.match(after) or _ANSWERED.match(after) or before.endswith("~~"):
            return None
        return _Gap(Weight.WRONG, found.group(0)[:80], "a question is still open")

    def _empty(self) -> _Gap | None:
        """The whole step is the gap."""
        body = self.body
        if _WHOLE.match(body):
            return self._unless_shown(_mark(body), "the whole text of the step is that it is still open")
        if _SIMILAR.match(body) and "`" not in self.line:
            return self._unless_shown(body.strip(" *_:-.")[:80], "the step only points at another task")
        step = bool(_STEP.match(self.line) or _BOX.match(self.line))
        if step and "`" not in self.line and (_FITTING.match(body) or _TESTS_OF.match(body)):
            named = _TESTS_OF.match(body) and self._has_test()
            gap = self._unless_shown(body.strip(" *_:-.")[:80], "the step does not say what is to be written")
            return _Gap(Weight.DOUBT, gap.subject, gap.message) if named else gap
        return None

    def _detail(self) -> _Gap | None:
        """Something within the step is open: its method or an answer, or a mere detail."""
        text = self.text
        placed = bool(_STEP.match(self.line) or _ITEM.match(self.line))
        if placed and (asks := _ASKS.search(text)) and not _MARKS_MEANT.search(text[: asks.start("mark")]):
            return self._unless_shown(asks.group("mark"), "a question is still open")
        if placed and (ends := _ENDS.search(text)) and not _MARKS_MEANT.search(text[: ends.start()]):
            open_ = ends.group("detail") or ends.group("colon")
            step = bool(_STEP.match(self.line) or _BOX.match(self.line))
            if step and not _TRIFLE.search(open_) and not _ABOUT.search(ends.group("detail") or ""):
                return self._unless_shown(_mark(ends.group(0)), "what the step is about is still open")
            return _Gap(Weight.DOUBT, _mark(ends.group(0)), _STILL_OPEN)
        if (later := _LATER.search(text)) and not _MARKS_MEANT.search(text[: later.start()]):
            alone = bool(_STEP.match(self.line) or _BOX.match(self.line)) or self._only_words()
            return _Gap(Weight.WRONG if alone else Weight.DOUBT, _mark(later.group(0)), _STILL_OPEN)
        if _LEADS.match(text) and len(text) < 200:
            return _Gap(Weight.DOUBT, _mark(text), _STILL_OPEN)
        weak = _WEAK.search(text)
        if weak and not _ABOUT.search(text[: weak.start()] + text[weak.end() :]):
            return _Gap(Weight.DOUBT, weak.group(0), _STILL_OPEN)
        return None

    def _unless_shown(self, subject: str, message: str) -> _Gap:
        return _Gap(Weight.DOUBT if self._shown() else Weight.WRONG, subject, message)

    def _shown(self) -> bool:
        """Whether code or text that belongs to the step follows it, which may well say what the step does not."""
        plan, span = self.world.plan, self.prose.span
        last = min(self.task.span.last if self.task else span.last, span.last + MAX_BLANK + 1)
        deep = len(self.line) - len(self.line.lstrip())
        for number in range(span.last + 1, last + 1):
            text = plan.line(span.path, number)
            if not text.strip():
                continue
            if text.lstrip().startswith(("```", "~~~")):
                return True
            if _ASIDE.match(text):
                return False
            nested = len(text) - len(text.lstrip()) > deep
            return nested or not _ITEM.match(self.line) or not _ITEM.match(text)
        return False

    def _has_test(self) -> bool:
        return self.task is not None and any(ref.action is Action.TEST for ref in self.task.files)

    def _only_words(self) -> bool:
        """Whether the task says nothing besides its title and this."""
        task = self.task
        if task is None or task.files or task.commands:
            return False
        return all(other.span == self.prose.span or other.span.first == task.span.first for other in task.prose)


def _pieces(world: World) -> Iterator[tuple[Task | None, Prose]]:
    plan = world.plan
    open_ = [task for task in plan.tasks if task.status not in (TaskStatus.DONE, TaskStatus.CANCELLED)]
    for task in open_:
        for prose in task.prose:
            yield task, prose
    if plan.format is Format.SPECKIT and open_:
        # what the tasks are made from: a question in it is one of theirs
        for prose in plan.prose:
            if prose.span.path.endswith("spec.md"):
                yield None, prose


def find(world: World) -> Iterator[Draft]:
    """One draft for each piece of a task's prose that leaves its work open, and for the open questions of a
    specification that the tasks are to carry out."""
    for task, prose in _pieces(world):
        gap = _Reader(world, task, prose).judge()
        if gap is None:
            continue
        word = re.search(r"\b(TBD|TODO|FIXME|NEEDS CLARIFICATION|[Ss]imilar to|[Ss]ame as)\b", prose.text)
        raw = word.group(0) if word else ""
        shown = evidence.planned(world.plan, prose.span, raw, gap.subject)
        if shown:
            yield Draft(TYPE, gap.weight, prose.span, gap.subject, gap.message, shown, task=task, raw=raw)
