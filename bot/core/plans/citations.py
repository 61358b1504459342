"""The paths that a piece of running text cites, each with its lines and with what the sentence around it takes back.

A sentence may deny a path ("there is no a.py"), make it conditional, name it as one of two, or place it in another
repository. Such a citation is kept, with its hedge: a hedged citation is never an accusation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from posixpath import dirname

from bot.core.plans.markdown import Inline
from bot.core.plans.model import Hedge, LineRange
from bot.core.plans.paths import Token, line_ranges, tokens
from bot.core.plans.vocabulary import words

MAX_CITATIONS = 500  # of one paragraph, item or cell; people write a handful
_BEFORE, _AFTER = 120, 120  # characters of the sentence that are looked at on either side

_WORD = re.compile(r"[^\s`、。，：；（）「」『』]+")
_MARKS = re.compile(r"[/.:\\]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ASCII = re.compile(r"[!-~]+")
_RELATIVE = re.compile(
    r"^(?::~?|L|~L|~)(\d{1,7}(?:\s?[-–—]\s?L?\d{1,7})?(?:,\s?:?L?\d{1,7}(?:\s?[-–—]\s?L?\d{1,7})?)*)$"
)
_STOP = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!\bvs)(?<!\betc)(?<!approx)[.!?;](?=\s)|\n\s*\n")
_SPACES = re.compile(r"\s+")  # long runs would be tried in every split
_LINES_AFTER = re.compile(
    r"^[`*_]*\s*[,;]?\s*(?:—|–|-)?\s*(?:at|on|in)?\s*\(?\s*(?P<near>(?:at\s+|see\s+)?(?:~|≈|"
    r"around|near|approx(?:imately|\.)?|about|roughly|circa)?\s*)"
    r"(?:lines?|ll?\.|L(?=\d)|:(?=\d))\s*(?P<near2>~|≈|around\s+|about\s+|approximately\s+)?L?"
    r"(?P<lines>\d{1,7}(?:\s?(?:-|–|—|to)\s?~?L?\d{1,7})?(?:(?:,| and| &)\s?~?L?\d{1,7}(?:\s?[-–—]\s?L?\d{1,7})?)*)"
    r"(?P<tail>[^()\n]{0,30}\bapprox)?",
    re.I,
)
_LINES_BEFORE = re.compile(
    r"\b(?P<near>~|around|near|about|approximately)?\s*lines?\s+(?P<near2>~|around\s+|about\s+)?"
    r"(?P<lines>\d{1,7}(?:\s?[-–—]\s?\d{1,7})?)\s+(?:of|in)\s+[`(*]*$",
    re.I,
)

_NEGATED_BEFORE = re.compile(
    r"(?i)\b(?:no|not|never|don['’]t|doesn['’]t|didn['’]t|isn['’]t|aren['’]t|won['’]t|cannot|"
    r"can['’]t|without|avoid(?:s|ing)?|"
    r"instead of|rather than|no longer|neither|nor|lacks?|missing|nonexistent|absent|unlike|replaces?|formerly|"
    r"previously|used to be|was|were|old|obsolete|deprecated|legacy|former|hypothetical|imaginary)\b"
    r"[^.;:!?()]{0,45}$"
)
_NEGATED_AFTER = re.compile(
    r"(?i)^[`*_]{0,4}[^.;`]{0,25}\b(?:(?:does|do|did)(?:n['’]t| not)\s+(?:\w+\s+)?exist|(?:is|"
    r"are|was|were)(?:n['’]t| not)\s+(?:\w+\s+)?"
    r"(?:there|present|found|available|committed|tracked|in )|(?:is|are) (?:missing|absent|"
    r"gone|deleted|removed)|no longer exists?|"
    r"never existed|not exist(?:ing)?|nonexistent|(?:was|were|has been|have been) "
    r"(?:removed|deleted|moved|renamed|replaced|retired|dropped)|is gitignored|is ignored|is generated|are generated|"
    r"gitignored|git-ignored|auto-?generated|not in (?:this|the) repo|not committed|untracked)"
)
_CONDITIONAL = re.compile(
    r"(?i)\b(?:only if|if (?:it |they |one |that |you |there |this )?(?:\w+ )?(?:needed|necessary|"
    r"present|exists?|any|applicable|"
    r"required|relevant|desired|available|possible|wanted|used|missing|not|so|absent|appropriate)|"
    r"as (?:needed|required|"
    r"necessary|appropriate)|when (?:present|needed|applicable|available|necessary)|where (?:applicable|needed|present|"
    r"relevant)|optional(?:ly)?|possibly|maybe|perhaps|might|may|could|potentially|probably|likely|presumably|unless|"
    r"assuming|whichever|whatever|wherever|tbd|to be determined|conditional(?:ly)?|consider|"
    r"e\.?g\.? if|should (?:it|they) exist|"
    r"path may (?:vary|differ)|verify (?:the )?(?:path|location)|exact (?:path|name|location)|in case|"
    r"(?:find|locate|check) where|stretch|future|later|eventually|nice[- ]to[- ]have)\b|\?\s*(?:\)|$)"
)
# "`a.py` if we keep it", "`a.py` (once the runner is chosen)": a condition for the path, not what is written in it
_DEPENDING = re.compile(
    r"(?i)^[`*_]{0,4}\s*(?:[,(\[]\s*)?[*_]{0,2}(?:(?:but )?only )?(?:if|unless)\b|"
    r"^[`*_]{0,4}\s*[(\[]\s*[*_]{0,2}(?:only )?(?:when|once|where|should|depending|pending)\b|"
    r"^[`*_]{0,4}\s*(?:[—–]|--?|:)\s*(?:only )?(?:if|once|when) "
    r"(?:we|you|(?:the |this |that )?(?:option|approach|variant)|[^().;\n]{1,60} (?:is|are|gets?|has been) "
    r"(?:adopted|chosen|kept|accepted|approved|selected|enabled|merged|needed))\b"
)
_ALTERNATIVE_BEFORE = re.compile(
    r"(?i)(?:\b(?:or|either|alternatively|vs\.?|versus)\b(?:\s+(?:in|at|to|a|the|new|under|from))*|[`)]\s*/)[\s(`*]*$"
)
_ALTERNATIVE_AFTER = re.compile(
    r"(?i)^[`*_]{0,4}\s*[,;]?\s*(?:\([^()]{0,40}\)\s*)?[(\[]?\s*(?:or\b|/\s*`|alternatively\b|and/or\b)|"
    r"^[`*_]{0,4}[^.;]{0,40}\b(?:or (?:wherever|whichever|equivalent|similar|another|its|the|create)|or equivalent|"
    r"or similar|equivalent\b|similar\)|wherever)"
)
_EXAMPLE_BEFORE = re.compile(
    r"(?i)(?:\be\.\s?g\.|\beg\b|\bfor (?:example|instance)\b|\bexamples?\b|\bsuch as\b|\blike\b|"
    r"\bsay,|\bi\.e\.)[^.;!?]{0,60}$"
)
_ELSEWHERE = re.compile(
    r"(?i)\b(?:(?:other|another|separate|sibling|external|upstream|different|consumer|downstream|companion|source) "
    r"(?:repo(?:s|sitory|sitories)?|project|codebase|checkout|package|worktree)|upstream|(?:in|"
    r"from|of|at|on|inside|within) the "
    r"[`\w./-]+ (?:repo|repository|branch|worktree|fork|checkout|crate source|package source)|"
    r"on (?:the )?(?:branch|server|host|"
    r"machine)|on [`\w./-]+ branch|(?:remote|user['’]s|home|vault|cluster|host) (?:machine|"
    r"directory|repo|repository)|at runtime|"
    r"in production|on disk|node_modules|site-packages|vendored?)\b"
)
# words without which the pattern of that name cannot match: they are looked up first, which is far cheaper
_LETTERS = re.compile(r"[a-z]+")
_NEGATING = words(
    """
    no not never don doesn didn isn aren won cannot can without avoid avoids avoiding instead rather neither nor
    lack lacks missing nonexistent absent unlike replace replaces formerly previously used was were old obsolete
    deprecated legacy former hypothetical imaginary exist existing existed exists gone gitignored ignored
    generated autogenerated auto is are has have did does do untracked committed git
    """
)
_OFFERING = words("or either alternatively vs versus and equivalent similar wherever")
_ILLUSTRATING = words("e eg example examples instance such like say i")
_PLACING = words(
    """
    repo repos repository repositories project codebase checkout package worktree upstream branch fork crate
    server host machine directory runtime production disk modules packages vendored vendor remote user home
    vault cluster
    """
)
_DOUBTING = words(
    """
    if as when where optional optionally possibly maybe perhaps might may could potentially probably likely
    presumably unless assuming whichever whatever wherever tbd to conditional conditionally consider e should
    path verify exact in find locate check stretch future later eventually nice only once depending pending
    """
)
_OPEN_QUOTE = re.compile(r"[\"“][^\"”]*$")


@dataclass(frozen=True, slots=True)
class Citation:
    """One path in running text: `start` and `end` are offsets in it, `line` is the document's line."""

    token: Token
    start: int
    end: int
    line: int
    lines: tuple[LineRange, ...]
    hedge: Hedge | None
    code: bool
    relative: bool = False  # `:446-451`, lines of the file named before
    beside: str | None = None  # for a bare name, the directory of the full path named before
    struck: bool = False  # struck out: the plan has withdrawn it


@dataclass(slots=True)
class Trail:
    """What earlier text named last: the anchor of `:446-451` and of bare names."""

    path: str | None = None
    directory: str | None = None

    def pass_by(self, path: str) -> None:
        if "/" in path.rstrip("/"):
            self.directory = path if path.endswith("/") else dirname(path)
        if not path.endswith("/"):
            self.path = path


def _found(inline: Inline, stated: bool, links: bool) -> list[tuple[Token, int, int, bool]]:
    """Tokens with offsets, in order: code spans as a whole, words between them, link destinations."""
    text = inline.text
    out: list[tuple[Token, int, int, bool]] = []

    def bare(start: int, end: int) -> None:
        between = text[start:end]
        if "/" not in between and "." not in between and ":" not in between and "\\" not in between:
            return
        for match in _WORD.finditer(text, start, end):
            word = match.group()
            if len(word) < 3 or not ("/" in word or "." in word or "\\" in word or word[0] == ":"):
                continue
            relative = _RELATIVE.match(word.strip("(),.;*")) if word.lstrip("(")[:1] == ":" else None
            if relative:
                out.append(
                    (Token("", word.strip("(),.;*"), line_ranges(relative.group(1))), match.start(), match.end(), False)
                )
                continue
            # odd shapes are taken only where the label's own path stands, not in the words after it
            early = stated and match.start() - text.rfind("\n", max(0, match.start() - 41), match.start()) <= 40
            pieces = _ASCII.finditer(text, match.start(), match.end()) if _CJK.search(word) else (match,)
            for piece in pieces:
                for token in tokens(piece.group(), code=False, stated=early):
                    out.append((token, piece.start(), piece.end(), False))

    at = 0
    for start, end in inline.codes:
        bare(at, start - 1)
        content = text[start:end].strip()
        relative = _RELATIVE.match(content) if len(content) < 80 and content[:1] in ":L~" else None
        if relative:
            out.append((Token("", content, line_ranges(relative.group(1), "~" in content[:2])), start, end, True))
        else:
            for token in tokens(content, code=True, stated=stated):
                out.append((token, start, end, True))
        at = end + 1
    bare(at, len(text))
    if links:
        taken = {(token.path) for token, *_ in out}
        for start, end, target in inline.links:
            if target.startswith(("http", "#", "mailto:")) or len(target) > 400:
                continue
            target = target.removeprefix("file://").split("?")[0]
            # the text of a link names its target once more
            out = (
                [item for item in out if not (start <= item[1] and item[2] <= end)] if len(inline.links) < 100 else out
            )
            for token in tokens(target, code=True, stated=stated):
                if token.path not in taken:
                    out.append((replace(token, raw=target), start, end, False))
        out.sort(key=lambda found: found[1])
    return out


def hedge_of(before: str, after: str) -> Hedge | None:
    """What the sentence around a citation takes back; `before` and `after` are the text on its either side."""
    words = set(_LETTERS.findall((before + " | " + after).lower()))
    if words & _NEGATING and (_NEGATED_BEFORE.search(before) or _NEGATED_AFTER.search(after)):
        return Hedge.NEGATED
    if (words & _OFFERING or "/" in before[-6:] or "/" in after[:12]) and (
        _ALTERNATIVE_BEFORE.search(before) or _ALTERNATIVE_AFTER.search(after)
    ):
        return Hedge.ALTERNATIVE
    if words & _ILLUSTRATING and _EXAMPLE_BEFORE.search(before):
        return Hedge.EXAMPLE
    if ('"' in before or "“" in before) and _OPEN_QUOTE.search(before) and not before.endswith(('"', "“")):
        return Hedge.EXAMPLE
    if words & _PLACING and (_ELSEWHERE.search(before) or _ELSEWHERE.search(after)):
        return Hedge.ELSEWHERE
    if (words & _DOUBTING or "?" in after or "?" in before) and (
        _CONDITIONAL.search(before) or _CONDITIONAL.search(after) or _DEPENDING.match(after)
    ):
        return Hedge.CONDITIONAL
    return None


def sentence_before(text: str, start: int, width: int = _BEFORE) -> str:
    window = text[max(0, start - width) : start]
    stops = list(_STOP.finditer(window))
    return window[stops[-1].end() :] if stops else window


def sentence_after(text: str, end: int) -> str:
    window = text[end : end + _AFTER]
    stop = _STOP.search(window)
    return window[: stop.start() + 1] if stop else window


def cite(
    inline: Inline, trail: Trail, *, stated: bool = False, links: bool = True, limit: int = MAX_CITATIONS
) -> list[Citation]:
    """The first `limit` citations in `inline`, in order; `trail` is read and moved on.

    `stated` says that the text stands where paths are expected (a Files bullet), so odd shapes are read as paths too.
    """
    text = inline.text
    if not inline.codes and not inline.links and not _MARKS.search(text):
        return []
    found = _found(inline, stated, links)[:limit]
    out: list[Citation] = []
    for index, (token, start, end, code) in enumerate(found):
        line = inline.line(start)
        relative = not token.path
        if relative:
            if trail.path is None:
                continue
            token = replace(token, path=trail.path)
        before, after = sentence_before(text, start - code), sentence_after(text, end + code)
        lines = token.lines
        nearest = found[index + 1][1] - found[index + 1][3] - end - code if index + 1 < len(found) else len(text)
        if not lines and not token.path.endswith("/"):
            if match := _LINES_AFTER.match(_SPACES.sub(" ", after[: max(nearest, 0)])):
                near = any(
                    (match.group(name) or "").strip(" (").removeprefix("at").removeprefix("see").strip()
                    for name in ("near", "near2", "tail")
                )
                lines = line_ranges(match.group("lines").replace(" and ", ",").replace("to", "-"), near)
            elif match := _LINES_BEFORE.search(before):
                lines = line_ranges(match.group("lines"), bool(match.group("near") or match.group("near2")))
        elif lines and re.search(r"(?:~|around|about|approx|near|roughly)\s*[`(]*$", before[-20:], re.I):
            lines = tuple(replace(item, approximate=True) for item in lines)
        hedge = token.hedge or hedge_of(before, after)
        beside = trail.directory if token.bare and not relative else None
        struck = inline.is_struck(start)
        out.append(Citation(token, start, end, line, lines, hedge, code, relative, beside, struck))
        if not relative and not struck and hedge is not Hedge.PLACEHOLDER and token.sure:
            trail.pass_by(token.path)
    return out
