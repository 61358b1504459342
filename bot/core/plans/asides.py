"""What a plan names and does not do: sections about later work or the way back, withdrawn items, struck-out text."""

from __future__ import annotations

import re

from bot.core.plans.markdown import Block, Inline
from bot.core.plans.model import Hedge

_LEAD = r"(?i)^\W{0,6}(?:\d+(?:\.\d+)*[.)]?\s+)?"
_NOTE = r"(?:\s*[(\[][^\n]{0,200})?\W*$"  # nothing more than a remark in brackets
_MORE = r"(?:\s*[(\[:：—–-][^\n]{0,200})?\W*$"  # or a subtitle
_EXCLUDED = re.compile(
    _LEAD + r"(?:alternatives?(?: (?:approaches|options|designs?))?(?: (?:considered|rejected))*|"
    r"(?:rejected|discarded)(?: (?:alternatives|options|approaches|ideas))?|(?:explicitly )?out[- ]of[- ]scope|"
    r"non[- ]?goals?(?: \(out of scope\))?)\W*$"
)
_LATER = re.compile(
    _LEAD + r"(?:(?:(?:possible|potential)\s+)?future(?: (?:work|improvements?|enhancements?|extensions?|ideas?|"
    r"considerations?|plans?|steps?|changes|scope|tasks?|directions?|follow[- ]?ups?))?|"
    r"follow[- ]?ups?(?: (?:work|tasks?|items?|prs?|issues?|changes|plans?))?|"
    r"(?:deferred|postponed)(?: (?:work|items?|tasks?|changes|features?))?|next steps|"
    r"nice[- ]to[- ]haves?|stretch(?: goals?)?|not (?:now|in this (?:pr|plan|change)|included|planned)|parking lot)"
    + _MORE
)
# words that as well name a part of the program, where more than a remark follows them
_LATER_OR_PAST = re.compile(
    _LEAD + r"(?:later(?: (?:work|prs?|tasks?))?|backlog|ideas(?: for later)?|(?:revision )?history|prior attempts?)"
    rf"{_NOTE}"
)
_REFUSED = re.compile(
    _LEAD + r"(?:option|alternative|variant|approach)\s+[^\n(]{1,80}\((?:rejected|not (?:chosen|taken|selected)|"
    r"discarded|dropped)\b"
)
_PERHAPS = re.compile(
    _LEAD
    + r"(?:(?:roll[- ]?back|back[- ]?out|contingency|fall[- ]?back)(?: (?:plan|strategy|steps?|procedure|notes?))?"
    rf"{_NOTE}|plan b\b|optional(?: (?:enhancements?|improvements?|extras?|steps?|tasks?|work|polish|changes|items?))?"
    rf"{_MORE}|(?:pre-?requisites?|preconditions?|assumptions?){_NOTE}|"
    r"(?:option|alternative|variant|approach)\s+(?:[A-Z]|\d{1,2})\b(?![^\n]{0,120}\b(?:chosen|selected|accepted|adopted)))"
)
_SHOWN = re.compile(
    _LEAD + rf"(?:(?:usage |worked |code )?examples?{_MORE}|appendix(?: (?:[A-Z]|\d{{1,2}}))?\b(?:\s*\.)?{_MORE})"
)
_TASK = re.compile(r"(?i)^\W{0,6}(?:task|unit|implementation unit|phase)\s+#?[A-Z]{0,3}-?\d")

_WITHDRAWN = (
    r"(?:cancell?ed|dropped|withdrawn|abandoned|descoped|de-scoped|obsolete|superseded|wontfix|won['’]t (?:do|fix)|"
    r"will not (?:do|be done)|not doing|no longer needed|not needed|not applicable|n/a)"
)
_OPENS_WITHDRAWN = re.compile(rf"(?i)^[\s*_(\[]{{0,6}}(?:{_WITHDRAWN}|skip(?:ped)?)\b[\s*_]{{0,4}}[:)\]—–-]")
_ENDS_WITHDRAWN = re.compile(
    rf"(?i)(?:[(\[]\s*[*_]{{0,3}}|[—–]\s+|\s--?\s+)(?:{_WITHDRAWN}|skipped|deferred|postponed|"
    r"moved to (?:a |another |the )?(?:later|follow|next|separate|own|pr\b|plan))"
    r"(?:[\s:;,*_][^()\n]{0,80})?[)\]*_\s.]{0,6}$"
)
_CROSSED = re.compile(r"^[\s*_]{0,4}(?:❌|✗|✘|🚫|⛔)")
_REVERTS = re.compile(
    r"(?i)^\W{0,6}(?:(?:to\s+)?(?:revert|undo|back out)\s+(?:the|this|that|all|these|those|commits?|prs?|merge|by)\b|"
    r"(?:to\s+)?roll(?:ing)?[- ]?back(?:\s+(?:plan|steps?|procedure))?\s*[*_]{0,3}(?:[:：—,]|by\b|the\b|this\b))"
)
# boxes that one convention uses for work that has begun and another for work that was dropped
_UNCLEAR_BOXES = frozenset("-~/")


def section(title: str, *, whole: bool = False) -> Hedge | None:
    """What a section's title takes back of all that stands in it. `whole`: it is the title of the document, whose
    work may well be called a follow-up."""
    if _EXCLUDED.match(title):
        return Hedge.NEGATED
    if whole:
        return None
    if _LATER.match(title) or _LATER_OR_PAST.match(title) or _REFUSED.match(title):
        return Hedge.NEGATED
    if _PERHAPS.match(title):
        return Hedge.CONDITIONAL
    return Hedge.EXAMPLE if _SHOWN.match(title) else None


def opens_task(title: str) -> bool:
    """Whether a title numbers a task, which is one in an appendix too."""
    return bool(_TASK.match(title))


def item(block: Block) -> Hedge | None:
    """What the marks of an item, a step or a heading take back of it."""
    if withdrawn(block):
        return Hedge.NEGATED
    if block.starred or (block.box is not None and block.box in _UNCLEAR_BOXES):
        return Hedge.CONDITIONAL
    text = block.text
    return Hedge.CONDITIONAL if _CROSSED.match(text) or _REVERTS.match(text) else None


def withdrawn(block: Block) -> bool:
    """Whether an item or a heading is struck out, or said to be dropped."""
    text = block.text
    if struck_out(block.inline):
        return True
    return bool(_OPENS_WITHDRAWN.match(text) or _ENDS_WITHDRAWN.search(text[-160:]))


def struck_out(inline: Inline) -> bool:
    """Whether nothing of a text but its marks is left once the struck-out parts are taken away."""
    return bool(inline.struck) and not any(letter.isalnum() for letter in left(inline))


def left(inline: Inline) -> str:
    """The text without its struck-out parts."""
    out, at = [], 0
    for start, end in inline.struck:
        out.append(inline.text[at:start])
        at = max(at, end)
    out.append(inline.text[at:])
    return "".join(out)
