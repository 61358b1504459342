"""The answer of a plan check as Markdown, in the shape of the plan-check specification."""

from __future__ import annotations

import re
from collections.abc import Iterable

from schemas.plan_check_result import Match, MatchKind, PlanCheckResult, ReuseVerdict

_QUERY_CHARS = 200
_SUMMARY_CHARS = 300
_OTHERS = 3
# what would start a tag, a link, emphasis or a table cell in text that is not ours
# an underscore inside a word is none of these
_SPECIAL = re.compile(r"([\\`*\[\]<>|#~]|(?<!\w)_|_(?!\w))")

VERDICT_LINES = {
    ReuseVerdict.REUSE: "Verdict: REUSE — link this capability instead of building new.",
    ReuseVerdict.EXTEND: "Verdict: EXTEND — consider extending this capability instead of building a second one.",
    ReuseVerdict.NEW: "Verdict: NEW — no capability comes close; proceed.",
}


def markdown(result: PlanCheckResult) -> str:
    """The whole answer, ending with the verdict line and a line feed. Text of plan and index is escaped."""
    deterministic = [m for m in result.matches if m.kind is MatchKind.DETERMINISTIC]
    top = result.top
    parts = [f"# Plan check: {result.verdict.value}", f"**Query:** {_plain(label(result), _QUERY_CHARS) or '(empty)'}"]
    if result.reason:
        parts.append(f"{_plain(_sentence(result.reason), _SUMMARY_CHARS)}")
    if top is not None:
        parts.append("## Top match\n" + _entry(top, result))
    others = [m for m in deterministic if m is not top]
    if top is None:
        others = others[:_OTHERS]
    if others:
        parts.append("## Other candidates\n" + _entries(others, result))
    related = [m for m in result.matches if m.kind is MatchKind.RELATED]
    if related:
        parts.append("## Related (via relations.*)\n" + _entries(related, result))
    notes = [n for n in (result.federated_index_stale_warning, *result.warnings) if n]
    if notes:
        parts.append("\n".join(f"Warning: {_plain(note, _SUMMARY_CHARS)}" for note in notes))
    parts.append(verdict_line(result))
    return "\n\n".join(parts) + "\n"


def label(result: PlanCheckResult) -> str:
    """What was asked, in one line: the workplan's title, or the intent."""
    return " ".join((result.query.title or result.query.text).split())


def verdict_line(result: PlanCheckResult) -> str:
    """The last line of an answer; it names what makes the top match less than it seems."""
    line = VERDICT_LINES[result.verdict]
    top = result.top
    if top is None:
        return line
    if top.deprecated:
        return (
            f"Verdict: {result.verdict.value.upper()} — but this capability is deprecated; look for what replaces it."
        )
    if top.own_repository:
        return f"Verdict: {result.verdict.value.upper()} — this is the repository's own capability; build on it."
    return line


def score_text(score: float, result: PlanCheckResult) -> str:
    """Two decimals; more where two would round a score up to a threshold that it misses."""
    for digits in (2, 4):
        text = f"{score:.{digits}f}"
        if not any(score < cut <= float(text) for cut in (result.extend_threshold, result.reuse_threshold)):
            return text
    return repr(score)


def marks(match: Match) -> list[str]:
    """What a reader has to know beside the score, in short words."""
    found = []
    if match.deprecated:
        found.append("deprecated")
    if match.own_repository:
        found.append("own repository")
    if match.scored_by == "title":
        found.append("matched by title")
    return found


def _entries(matches: Iterable[Match], result: PlanCheckResult) -> str:
    return "\n".join(_entry(m, result) for m in matches)


def _entry(match: Match, result: PlanCheckResult) -> str:
    facts = [f"score {score_text(match.score, result)}"]
    if match.vector:
        facts.append(match.vector)
    facts += marks(match)
    owner = match.owner or match.source_repo
    lines = [f"- `{_code(match.id)}` ({', '.join(facts)})" + (f" — {_plain(owner, 100)}" if owner else "")]
    if match.summary or match.name:
        lines.append(f"  > {_plain(match.summary or match.name or '', _SUMMARY_CHARS)}")
    if match.via:
        lines.append(f"  - named by `{_code(match.via)}`")
    if match is result.top:
        if match.score < result.top_score:
            lines.append(f"  - preferred for its maturity; the highest score is {score_text(result.top_score, result)}")
        if match.availability_gap:
            lines.append(f"  - availability gap: {_plain(match.availability_gap, 200)}")
        if match.consumption:
            lines.append(f"  - to use it: {_plain(match.consumption, 600)}")
        if match.alternates:
            copies = ", ".join(_plain(a.source_repo or a.path or "?", 100) for a in match.alternates[:_OTHERS])
            lines.append(f"  - also listed from: {copies}")
    return "\n".join(lines)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "…")) else ".")


def _plain(text: str, limit: int) -> str:
    """Text of others on one line: cut, without control characters, Markdown and HTML made literal."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: limit * 2]).split())
    if len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    return _SPECIAL.sub(r"\\\1", line)


def _code(text: str) -> str:
    return "".join(c for c in text[:200] if c.isprintable() and c != "`")
