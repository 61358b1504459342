"""What is matched: an intent as it stands, or the telling parts of a workplan."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bot.core import plain_yaml
from bot.core.plans.markdown import Block, Kind, normalise, read
from bot.core.reuse.tokens import tokens

MAX_CHARS = 1024 * 1024
MAX_QUERY_CHARS = 20_000
_FRONT_MATTER_LINES = 500
_SECTIONS = frozenset({"problem statement", "core idea"})
_NUMBERING = re.compile(r"\d+(?:\.\d+)*[.)]?\s+")
_BASELINE = "baseline vector"


@dataclass(frozen=True, slots=True)
class MatchQuery:
    """The normal form of both inputs. `title_tokens` is a workplan's title alone, scored as a second query: a long
    blob cannot come near a short summary, however well it fits."""

    source: Literal["workplan", "intent"]
    text: str
    tokens: frozenset[str]
    title: str | None = None
    title_tokens: frozenset[str] | None = None
    workplan_id: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def empty_reason(self) -> str:
        if self.source == "intent":
            return "the intent has no words to match"
        return "the plan has no title, intro, `Problem statement` or `Core Idea` with words to match"


def intent_query(text: str, *, max_query_chars: int = MAX_QUERY_CHARS) -> MatchQuery:
    """`text` verbatim; of more than `max_query_chars` characters the rest is left out, with a warning."""
    text, warnings = _cut(text, max_query_chars)
    return MatchQuery("intent", text, tokens(text), warnings=warnings)


def workplan_query(text: str, *, max_chars: int = MAX_CHARS, max_query_chars: int = MAX_QUERY_CHARS) -> MatchQuery:
    """Title, one-liner, and the sections `Problem statement` and `Core Idea` of a plan document.

    The title is the front matter's, else the first level-1 heading. The one-liner is the first paragraph after that
    heading and before the next one; block quotes and `Baseline vector` lines are passed over. A section lasts until
    the next heading of its level or a higher one and counts with its lists, tables and code; a heading inside a code
    fence is none. Never raises; what was odd stands in `warnings`.
    """
    warnings: list[str] = []
    if len(text) > max_chars:
        text = text[:max_chars]
        warnings.append(f"only the first {max_chars:,} characters of the plan were read")
    lines = normalise(text).split("\n")
    front, start = _front_matter(lines, warnings)
    body = lines[start:]
    blocks = read("\n".join(body)).blocks
    headings = [b for b in blocks if b.kind is Kind.HEADING and not b.depth and not b.quote]
    first_heading = next((h for h in headings if h.level == 1), None)
    title = _scalar(front.get("title")) or (_line(first_heading.text) if first_heading else "")
    blob, cut = _cut(
        "\n".join(part for part in (title, _one_liner(body, blocks, first_heading), _sections(body, headings)) if part),
        max_query_chars,
    )
    return MatchQuery(
        source="workplan",
        text=blob,
        tokens=tokens(blob),
        title=title or None,
        title_tokens=tokens(title) or None,
        workplan_id=_scalar(front.get("id")) or None,
        warnings=(*warnings, *cut),
    )


def _front_matter(lines: Sequence[str], warnings: list[str]) -> tuple[dict[str, plain_yaml.Value], int]:
    """The front matter as text values, and the index of the first line after it."""
    if not lines or lines[0].rstrip() != "---":
        return {}, 0
    within = range(1, min(len(lines), _FRONT_MATTER_LINES))
    number = next((n for n in within if lines[n].rstrip() in ("---", "...")), None)
    if number is None:
        # a rule, not an opening delimiter
        return {}, 0
    try:
        value = plain_yaml.read("\n".join(lines[1:number]))
    except plain_yaml.YamlError as problem:
        warnings.append(f"the plan's front matter cannot be read: {problem}")
        return {}, number + 1
    if isinstance(value, dict):
        return value, number + 1
    if value is not None:
        warnings.append("the plan's front matter is not a list of `key: value`, so it was passed over")
    return {}, number + 1


def _one_liner(body: Sequence[str], blocks: Sequence[Block], heading: Block | None) -> str:
    after = heading.last if heading else 0
    for block in blocks:
        if block.first <= after:
            continue
        if block.kind is Kind.HEADING and not block.depth and not block.quote:
            break
        if block.kind is not Kind.TEXT or block.depth or block.quote:
            continue
        lines = [line for line in body[block.first - 1 : block.last] if not _is_baseline(line)]
        text = " ".join(" ".join(lines).split())
        if text:
            return text
    return ""


def _sections(body: Sequence[str], headings: Sequence[Block]) -> str:
    chosen: dict[int, None] = {}
    for position, heading in enumerate(headings):
        if _heading_name(heading.text) not in _SECTIONS:
            continue
        later = (headings[n] for n in range(position + 1, len(headings)))
        end = next((h.first - 1 for h in later if h.level <= heading.level), len(body))
        # by line number, so a section inside a section counts once
        chosen.update(dict.fromkeys(range(heading.last, end)))
    return "\n".join(body[number] for number in chosen).strip("\n")


def _heading_name(text: str) -> str:
    return _NUMBERING.sub("", _line(text), count=1).rstrip(":").strip().casefold()


def _is_baseline(line: str) -> bool:
    return line.strip().lstrip("*_").casefold().startswith(_BASELINE)


def _line(text: str) -> str:
    return " ".join(text.replace("`", "").split())


def _scalar(value: plain_yaml.Value) -> str:
    return _line(value) if isinstance(value, str) else ""


def _cut(text: str, limit: int) -> tuple[str, tuple[str, ...]]:
    if len(text) <= limit:
        return text, ()
    head = text[:limit]
    # not in the middle of a word, which would then be another word
    return (head.rsplit(None, 1) or [""])[0] if not text[limit].isspace() else head, (
        f"only the first {limit:,} characters of what it describes were matched",
    )
