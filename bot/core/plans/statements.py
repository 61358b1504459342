"""Statements about symbols, read off the words between a path and a name: which file holds what, and at which lines.

Only forms that say where a name *is* are read. A name that is to be added, that some text is to call, or that the
sentence denies or doubts, is no statement about the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.core.plans.citations import Citation, hedge_of, sentence_after, sentence_before
from bot.core.plans.markdown import Inline
from bot.core.plans.model import Action, Certainty, FileRef, Hedge, LineRange, SymbolClaim, SymbolRef
from bot.core.plans.vocabulary import words

MAX_NAME = 100  # characters
_REACH = 160  # characters on either side of a path in which its name is looked for

_SORT = (
    r"(?:functions?|methods?|class(?:es)?|structs?|types?|interfaces?|enums?|traits?|hooks?|components?|handlers?|func|"
    r"fn|def|consts?|constants?|helpers?|modules?|protocols?|routines?|procedures?|variables?|macros?|wrappers?)"
)
# a sort that is not the beginning of another thing: "`parse` type", and not "`parse` type check"
_AFTER = rf"\s+{_SORT}\b(?!\s+(?!(?:in|at|of|that|which|so|to|and|body|block|from|with|is|has)\b)\w)"
_IDENT = r"[A-Za-z_$][\w$]*"
_DOTTED = rf"(?:{_IDENT}(?:\.|::|#))*{_IDENT}"
_WORD = r"(?:(?:async\s+)?(?:func|fn|def|class|struct|function|interface|trait|enum|type)\s+)?"
_CODE = rf"`{_WORD}{_DOTTED}(?:\([^`\n]{{0,60}}\))?[!?]?`"
_NAMES = rf"(?P<names>{_CODE}(?:\s*(?:,|\+|&|/|、|,?\s+and)\s*{_CODE}){{0,7}})"
_EACH = re.compile(rf"`{_WORD}(?P<name>{_DOTTED})(?:\([^`\n]*\))?[!?]?`")
_CHANGING = (
    r"(?:(?:updat|modif|chang|edit|refactor|extend|expand|remov|delet|renam|replac|simplif|adjust|fix|widen|tighten|"
    r"inlin|split|drop|rewrit|rework|flip|switch|generali[sz])(?:e|es|ed|ing|y|ies|ied|s)?)"
)
_LEAD = rf"(?:(?:the|in|inside|see|existing|current|around|at|{_CHANGING})\s+){{0,3}}(?P<sort>{_SORT}\s+)?"

# "(function `parse`)", "(`parse`, declared at :12)", "(update `parse` so that …"
_PAREN = re.compile(
    rf"(?i)^\s*[(（]\s*{_LEAD}{_NAMES}(?P<after>{_AFTER}|\s+[\u4e00-\u9fff]+)?(?P<rest>[^()（）\n]{{0,80}})"
)
# "— `parse`", "— function `parse`", "— extend `parse` with …"
_DASH = re.compile(
    rf"(?i)^\s*(?:—|–|-{{1,2}}|:|\|)\s+{_LEAD}{_NAMES}(?P<after>{_AFTER})?(?P<rest>\s*(?:$|\n|[,.;(—–]))?"
)
_OWN = re.compile(rf"^['’]s\s+(?:existing\s+|own\s+)?{_NAMES}(?P<after>{_AFTER})?(?P<sort>)")
_VERB = re.compile(
    r"^\s+(?:(?:already|currently|also|itself|still|today)\s+){0,2}(?P<verb>defines?|contains?|has|have|declares?|"
    rf"holds?)\s+(?:(?:a|an|the|its|existing)\s+)*(?P<sort>{_SORT}\s+)?{_NAMES}(?P<after>{_AFTER})?"
)
# "`parse` in ", "`parse` is defined at ", "`parse` ("
_BEFORE = re.compile(
    rf"{_NAMES}[*_]*(?P<after>\s+{_SORT})?(?:\s+(?:signature|body|test|table)\b)?\s*(?P<link>"
    r"(?:,?\s+(?:(?:which|that)\s+)?(?:is|are|lives?|sits?|resides?)?\s*(?:currently\s+|already\s+)?"
    r"(?P<defined>defined|declared|implemented|located|found|exported)?\s*(?:in|at|inside|within|of)\s+"
    r"(?:the\s+)?(?:file\s+|existing\s+|current\s+)?(?:lines?\s+[\d–-]+\s+(?:of|in)\s+)?)"
    r"|[(（]\s*(?:(?:defined |declared )?(?:in|at|see)\s+)?|,\s*|\s*(?:—|–|@)\s*)[`*(_]*$"
)
# "`parse` from ": there is no other place that it could mean
_FROM = re.compile(
    rf"{_NAMES}[*_]*(?P<after>\s+{_SORT})?\s+from\s+(?:the\s+)?(?:file\s+|existing\s+|current\s+)?[`*(_]*$"
)
_TAKES = re.compile(
    r"(?i)\b(?:consum|reus|import|us|call|remov|delet|drop|follow|mirror|inherit|subclass|keep)(?:e|es|ed|ing|s)?\b"
    r"[^.;`]{0,40}(?:`[^`\n]*`[\s,&+and]*)*$"
)
# "Update `parse` in ", at the beginning of a sentence
_HAS_CHANGED = re.compile(
    rf"(?i)^\W*(?:step\s+\d+\W+|\d+(?:\.\d+)*\W+|t\d+\W+|then\W+|now\W+){{0,3}}(?:find|locate|review|{_CHANGING})\s+"
    rf"(?:(?:the|existing|current)\s+){{0,2}}(?:{_SORT}\s+)?`"
)
# "In ", and then ", find `parse`"
_OPENS = re.compile(r"(?i)^\W*(?:step\s+\d+\W+)?(?:then\W+)?(?:in|inside|within)\s+(?:the\s+)?(?:file\s+)?[`*_(]*$")
_THEN = re.compile(
    rf"(?i)^\s*,\s*(?:then\s+)?(?:find|locate|{_CHANGING})\s+(?:the\s+)?(?:existing\s+|current\s+)?(?P<sort>{_SORT}\s+)?"
    rf"{_NAMES}(?P<after>{_AFTER})?(?P<rest>[^\n]{{0,80}})"
)
# "right after the existing `parse`", before the path and after it
_BESIDE = r"(?:after|before|below|above|beneath|next\s+to|beside|alongside)\s+(?:the\s+)?"
_ANCHOR = re.compile(rf"(?i)\b{_BESIDE}(?:existing|current)\s+(?:{_SORT}\s+)?[*_]*$")
_PLACED = re.compile(
    rf"(?i)^(?P<lead>[^`.;\n]{{0,60}}?)\b{_BESIDE}(?P<existing>existing\s+|current\s+)?(?P<sort>{_SORT}\s+)?{_NAMES}"
    rf"(?P<after>{_AFTER})?(?P<rest>\s*(?:$|\n|[,.;:()—–]|(?:block|tests?|case|definition|declaration|section)\b))"
)
_ADDED = re.compile(r"(?i)\b(?:add|insert|append|implement|creat|defin|writ|plac|put|goes)(?:e|s|ing)?\b")
# "tests/a.py::test_parse"
_NODE = re.compile(rf"^[^:\s]+\.\w+::(?P<name>{_DOTTED})$")
# "replace `x = 1;`", "find the line `x = 1;`": the code of today
_OLD = re.compile(
    r"(?i)(?P<lead>(?:^|[^`\w])(?P<verb>replace|change|find|locate)\s+(?:the\s+|this\s+|its\s+|only\s+)*(?:[^`.;:\n]{0,60}\s)?)"
    r"`(?P<code>[^`\n]{14,300})`"
)
_READS = re.compile(
    r"^`?\)?\s*,?\s*(?:(?:currently|already|still|now|today)\s+)?(?:reads?|says|(?:is|has|contains)(?=\s+currently))"
    r"(?:\s+currently)?\s*:?\s*`(?=[^`\n]*[\s=(\"'])(?P<code>[^`\n]{8,200})`"
)
_CHANGED = re.compile(rf"(?i)\b{_CHANGING}\s")
# after a name: it is not there yet
_TO_COME = re.compile(
    r"(?i)^\W*(?:new|add(?:ed|s)?|to add|to be|creat\w*|will|should|does not|doesn't|is not|isn't|if |or )\b|"
    r"\bnew (?:function|method|helper|class|type|file|field)"
)

# what is said of something that is there
_TOUCHES = re.compile(
    r"(?i)\b(?:updat|modif|chang|edit|refactor|extend|remov|delet|renam|replac|simplif|adjust|fix|mov|extract|"
    r"existing|current|follow|mirror|reus|like|match|see|read|review|find|locat|look|patch|widen|tighten|inline|split|drop)"
    r"\w*\b"
)
# what is said of something that is not
_MAKES = re.compile(
    r"(?i)\b(?:add(?:s|ed|ing)?|creat\w*|new|introduc\w*|implement(?:s|ing)?|defin(?:e|ing)|writ(?:e|es|ing)|insert\w*|"
    r"append\w*|regist\w*|wir(?:e|es|ing)|will|should|must|would|plac(?:e|es|ing)|put(?:s|ting)?|"
    r"expos(?:e|es|ing)|declar(?:e|es|ing)|export(?:s|ing)?|inject\w*|import(?:s|ed|ing)?|cop(?:y|ies)|move[sd]?\b.*\bto|"
    r"extract\w*|port(?:s|ed)?|generat\w*|build|mock\w*|stub\w*|into|produces?|"
    r"call(?:s|ing)?|us(?:e|es|ed|ing)|pass(?:es|ing)?|invok\w*|mount\w*|render\w*|once|after|when|ensure|make)\b"
)
_NO_NAMES = words(
    """
    true false null none nil undefined self this super string str int bool float number object any void array list dict
    map set byte bytes char double long error main test tests default index init new class def func function async await
    return import export const let var type id name key value data todo tbd yes no
    """
)
_FILE_ENDS = words(
    """
    py ts tsx js jsx mjs cjs go rs java kt rb php swift md json yaml yml toml html css scss sql sh txt xml cfg ini lock
    proto vue svelte cs cpp cc hpp scala ex exs lua dart tf env svg png mod sum plist h c
    """
)


def quoted(after: str) -> str | None:
    """The code that the words after a path with lines say is there: "reads `x = 1`", "is currently `x = 1`"."""
    match = _READS.match(after)
    if match is None or _TO_COME.search(after[match.end() : match.end() + 60]):
        return None
    return match.group("code").strip()


def old_code(text: str) -> str | None:
    """The piece of code that a sentence says is to be found or replaced; None where it has none, or takes it back."""
    match = _OLD.search(text)
    if match is None or not re.search(r"[^\w`]", match.group("code")):
        return None
    lead, code = match.group("lead"), match.group("code").strip()
    sentence = sentence_before(text, match.start("code") - 1)
    sentence = re.sub(r"(?i)\breplace\b", "", sentence)  # to replace something denies nothing
    if hedge_of(sentence, text[match.end() : match.end() + 60].split("\n")[0]) is not None:
        return None
    if re.search(r"(?i)\b(?:with|by|to|into|all|any|every|each|uses?|calls?|new|like|where)\b", lead[1:]):
        return None
    if re.search(r"…|\.\.\.|<[a-z]+(?: [a-z]+)*>|[*?]$", code):
        return None  # cut short, or a pattern
    return code


def _checked(name: str) -> str | None:
    last = re.split(r"[.:#]+", name)[-1]
    if len(name) > MAX_NAME or len(last) < 3 or last.lower() in _NO_NAMES:
        return None
    if "." in name and last.lower() in _FILE_ENDS:
        return None
    return name


def symbols(inline: Inline, cited: Sequence[tuple[Citation, FileRef]], beyond: str = "") -> list[SymbolRef]:
    """What `inline` says of the names beside the paths it cites; `cited` are its citations in order.

    `beyond` is the text of the next cell, where `inline` is one of a table.
    """
    found: list[SymbolRef] = []
    text = inline.text
    if "`" not in text and "`" not in beyond:
        return found
    for index, (citation, ref) in enumerate(cited):
        begin = citation.start - citation.code
        stop = citation.end + citation.code
        sentence = sentence_before(text, begin)
        verb = _HAS_CHANGED.match(sentence)
        hedge = ref.hedge
        if hedge is Hedge.NEGATED and verb is not None:  # to replace something denies nothing
            hedge = hedge_of(sentence[verb.end() - 1 :], sentence_after(text, stop))
        if hedge is not None or ref.action is Action.MOVE or ref.path.endswith("/"):
            continue
        if ref.action is Action.CREATE and ref.certainty is Certainty.STATED:
            continue
        left = cited[index - 1][0].end + cited[index - 1][0].code if index else 0
        right = cited[index + 1][0].start - cited[index + 1][0].code if index + 1 < len(cited) else len(text)
        before = text[max(left, begin - _REACH) : begin]
        after = text[stop : min(right, stop + _REACH)]
        if beyond and right == len(text) and not after.strip():
            after = f" | {beyond[:_REACH]}"
        changed = bool(verb or (_OPENS.match(sentence) and _THEN.match(after)))
        stated = _beside(before, after, citation, text)
        if not stated and ref.action is not Action.CREATE:
            stated = list(_stated(text, before, after, citation, ref))
        for name, defines, lines in stated:
            if "~" in ref.raw:
                lines = tuple(replace(each, approximate=True) for each in lines)
            found.append(SymbolRef(name, SymbolClaim.EXISTS, ref.span, ref.path, lines, defines, changed))
    return found


def _beside(before: str, after: str, citation: Citation, text: str) -> list[tuple[str, bool, tuple[LineRange, ...]]]:
    """The names that something new is to be put next to; they are there, whatever the sentence makes."""
    if (match := _BEFORE.search(before)) and _ANCHOR.search(before[: match.start()]):
        lead = sentence_before(before, match.start())
        if hedge_of(lead, "") is None:
            return [(name, False, ()) for name in _each(match)]
    if match := _PLACED.match(after):
        lead = sentence_before(text, citation.start - citation.code) + match.group("lead")
        if hedge_of(lead, "") is None and (match.group("existing") or _ADDED.search(lead)):
            return [(name, False, ()) for name in _each(match)]
    return []


def _stated(
    text: str, before: str, after: str, citation: Citation, ref: FileRef
) -> Iterator[tuple[str, bool, tuple[LineRange, ...]]]:
    sentence = sentence_before(text, citation.start - citation.code)
    after = _past_lines(after, ref)
    sure = bool(ref.lines) or ref.certainty is Certainty.STATED
    if (match := _NODE.match(ref.raw)) and (name := _checked(match.group("name"))):
        if _TOUCHES.search(sentence[-60:]) and not _MAKES.search(sentence):
            yield name, False, ()
        return
    if (match := _THEN.match(after)) and _OPENS.match(sentence):
        rest = match.group("rest")
        if not _TO_COME.search(rest) and hedge_of("", rest) is None:
            yield from ((name, False, ()) for name in _each(match))
        return
    if match := _FROM.search(before):
        lead = sentence_before(before, match.start())
        if _TAKES.search(lead) and hedge_of(lead, "") is None:
            yield from ((name, False, ()) for name in _each(match))
        return
    if match := _PAREN.match(after):
        tail = match.group("rest")
        sort = bool(match.group("sort") or match.group("after"))
        if (sort or sure) and not _MAKES.search(sentence) and not _TO_COME.search(tail) and not hedge_of("", tail):
            declared = tail.strip(" ,;:—–").startswith(("declared", "defined"))
            yield from ((name, sort or declared, ref.lines) for name in _each(match))
        return
    if match := _DASH.match(after):
        sort = bool(match.group("sort") or match.group("after"))
        changed = bool(_CHANGED.search(match.group()[: match.start("names")]))
        told = changed or (match.group("rest") is not None and (bool(ref.lines) or sort))
        rest = after[match.end() :].split("\n")[0]
        if told and sure and not _MAKES.search(sentence) and not _TO_COME.search(rest[:60]):
            yield from ((name, sort and not changed, ref.lines) for name in _each(match))
        return
    if match := _OWN.match(after) or _VERB.match(after):
        verb = match.groupdict().get("verb")
        rest = sentence_after(text, citation.end + citation.code)
        if not _MAKES.search(sentence) and hedge_of(sentence, rest) is None:
            defines = bool(verb and verb.startswith(("define", "declare")))
            yield from ((name, defines, ()) for name in _each(match))
        return
    if match := _BEFORE.search(before):
        lead = sentence_before(before, match.start())
        if hedge_of(re.sub(r"(?i)\breplace\b", "", lead), "") is not None or _MAKES.search(lead):
            return
        defined = match.group("defined") in ("defined", "declared", "implemented")
        if ref.lines or defined or _TOUCHES.search(lead[-60:]):
            yield from ((name, defined, ref.lines) for name in _each(match))


def _each(match: re.Match[str]) -> Iterator[str]:
    for found in _EACH.finditer(match.group("names")):
        name = _checked(found.group("name"))
        if name is not None:
            yield name


def _past_lines(after: str, ref: FileRef) -> str:
    """What follows a path whose lines stand in the words after it: "(line 12, `parse`)", " lines 12-30 (`parse`)"."""
    if not ref.lines:
        return after
    match = re.match(r"^\s*,?\s*(?:at\s+|around\s+)?(?:lines?|L)\s*~?\s*[\d,\s–-]+", after)
    if match:
        return after[match.end() :]
    match = re.match(r"^\s*\(\s*(?:at\s+|around\s+)?(?:lines?|L)\s*~?\s*[\d–-]+[,;:]?\s*", after)
    return "(" + after[match.end() :] if match else after
