"""Which requirements a piece of a plan says that it serves: `_Requirements: 1.1, 2.3-2.5_`, `(FR-004)`, `[US2]`.

An id is told by what stands before it, for `2.3` alone is as well a task, a version or a section.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_TEXT = 20_000  # characters of one piece that are read
ALL = "all"

# the word for a requirement, in the languages that specifications were seen in
NOUN = (
    r"(?:(?:non[- ]?functional |functional )?requirements?|reqs?\b\.?|acceptance criteria|criteri(?:a|on)"
    r"|需求|要件番号|要件|要求|요구\s?사항|anforderung(?:en)?|exigences?|requisitos?|requisiti|требовани[еяй]|wymagani[ae]"
    r"|kraven|gereksinim(?:ler)?)"
)
_LABEL = re.compile(
    rf"(?i)(?<![^\W_])(?<!-)(?:(?:validates|covers|satisfies|implements|verifies|fulfil+s|addresses|traces?(?: to)?"
    rf"|验证|検証)[\s*_]*[:：]?[\s*_]*{NOUN}?|(?:\w+ )?{NOUN}(?: (?:coverage|covered|refs?|references|ids?"
    rf"|map(?:ping)?))?)[\s*_]*[:：][\s*_]*(?P<what>[^\n]{{1,600}})"
)
# what one label's list runs up to: another label on the same line
_NEXT = re.compile(r"[\s_*|;(（]+[^\W\d_][\w -]{2,30}[\s*_]*[:：](?!\d)")
_SPLIT = re.compile(r"(?i)\s*(?:[,;、，；/&+|]|\b(?:and|und|et|y|e)\b|と|和|及び?|以及)\s*")
_PREFIX = re.compile(rf"(?i)^(?:{NOUN}|validates)\s*[:：]?\s*")
_STEM = re.compile(r"(?i)^(?:R-?|REQ[-_ ]?|AC[-_ ]?(?=\d+\.))(?=\d)")
_NUMBER = r"\d{1,3}(?:\.\d{1,3}){0,3}"
_CODED = r"(?:N?FR|SC|US|AC|R|REQ|UR|BR|TR|SR|IR|PR|QR|C|F|G|O|S|U)-?[A-Z]{0,4}-?\d{1,4}(?:\.\d{1,3})*[a-z]?"
_ID = re.compile(rf"^(?P<id>{_NUMBER}|{_CODED})(?P<all>\.(?:\*|x|all))?[.)]?$", re.IGNORECASE)
_RANGE = re.compile(
    rf"^(?P<first>{_NUMBER}|{_CODED})\s*(?:-|–|—|~|～|〜|\.\.\.?|to|through|thru|bis|至|到|から)\s*"
    rf"(?P<last>{_NUMBER}|{_CODED})[.)]?$",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"(?i)^(?:all|every|each|全|所有|すべて|全て|모든|alle|toutes|tous|todos|todas|tutti|все|wszystkie)"
    r"(?!\s+(?:other|non|of (?!the)|\w+ ?specific))"
)
_NOTE = re.compile(r"\s*[(（\[][^()（）\[\]\n]{0,200}[)）\]]|\s+[-–—:]\s+[^\W\d].{0,200}$")
_MENTION = re.compile(
    rf"(?i)(?:{NOUN}|\bR|\bREQ|\bAC)[\s#:：_*-]{{0,4}}(?P<ids>{_NUMBER}(?:\s*(?:[,、，/&~–—-]|and|to|と|和|至)\s*{_NUMBER}){{0,40}})"
)
_CODE = re.compile(r"\b(?P<id>(?:N?FR|SC|US|NFR)-?[A-Z]{0,4}-?\d{1,4}(?:\.\d{1,3})*[a-z]?)\b(?![-/.]\w)")
_CODE_RANGE = re.compile(
    r"\b(?P<stem>(?:N?FR|SC|US)-?)(?P<first>\d{1,4})\s*(?:-|–|—|to|through|\.\.)\s*(?:(?:N?FR|SC|US)-?)?(?P<last>\d{1,4})\b"
)
_SHAPE = re.compile(r"^([A-Za-z]*)[-_ ]?([A-Za-z]*)[-_ ]?(\d[\d.]*)([a-z]?)$")


@dataclass(frozen=True, slots=True)
class Named:
    """What one label lists: `ids` as written (a range as `1.1-1.4`, everything as `all`), and how many of its parts
    are words that name no id."""

    ids: tuple[str, ...]
    words: int


def key(identity: str) -> str:
    """One spelling for `FR-001`, `FR1` and `fr-1`; `R1`, `REQ-1` and `Requirement 1` are all `1`."""
    bare = _STEM.sub("", _PREFIX.sub("", identity.strip()).strip())
    match = _SHAPE.match(bare)
    if match is None:
        return " ".join(bare.casefold().split())
    first, second, digits, letter = match.groups()
    numbers = ".".join(part.lstrip("0") or "0" for part in digits.strip(".").split("."))
    stem = f"{first}-{second}" if second else first
    return f"{stem.upper()}{numbers}{letter}"


def is_number(identity: str) -> bool:
    """Whether an id is one that is counted (`2.1`, `FR-003`) rather than a name."""
    return _SHAPE.match(_STEM.sub("", _PREFIX.sub("", identity.strip()).strip())) is not None


def bounds(text: str) -> tuple[str, str] | None:
    """The two ends of a range as `listed` writes it; None for a single id."""
    match = _RANGE.match(text)
    return (match.group("first"), match.group("last")) if match else None


def listed(text: str) -> Named:
    """The ids of a comma-separated list."""
    ids: list[str] = []
    words = 0
    text = _NOTE.sub("", text)
    for part in _SPLIT.split(text.strip(" \t*_[]()（）。.")):
        part = _PREFIX.sub("", part.strip(" \t*_[]()（）。.`")).strip()
        if not part:
            continue
        span, single = _RANGE.match(part), _ID.match(part)
        if span:
            ids.append(f"{span.group('first')}-{span.group('last')}")
        elif single:
            ids.append(single.group("id"))
        elif _ALL.match(part):
            ids.append(ALL)
        else:
            words += 1
    return Named(tuple(dict.fromkeys(ids)), words)


def labelled(text: str) -> Iterator[Named]:
    """What each label in `text` that stands for requirements lists."""
    if ":" not in text and "：" not in text:
        return
    for match in _LABEL.finditer(text[:MAX_TEXT]):
        what = match.group("what")
        end = _NEXT.search(what)
        yield listed(what[: end.start()] if end else what)


def mentioned(text: str) -> Iterator[str]:
    """Ids that running text names with the word for a requirement (`as Requirement 3.2 asks`), ranges spelled as
    `listed` does."""
    for match in _MENTION.finditer(text[:MAX_TEXT]):
        ids = match.group("ids")
        yield from listed(ids).ids
        yield from re.findall(_NUMBER, ids)


def coded(text: str) -> Iterator[str]:
    """Ids that tell by themselves what they are: `FR-004`, `SC-002`, `US1`, and their ranges."""
    text = text[:MAX_TEXT]
    if "-" in text or "–" in text or " to " in text or "..." in text:
        for match in _CODE_RANGE.finditer(text):
            yield f"{match.group('stem')}{match.group('first')}-{match.group('stem')}{match.group('last')}"
    for match in _CODE.finditer(text):
        yield match.group("id")
