"""Text of others inside our Markdown, and Markdown within GitHub's limits.

What comes from plans, trees, indexes and models must stay text: no mention, reference, link, image, HTML, table cell or
hidden marker may come to life. GitHub Flavored Markdown rules what is special; mentions and references are found by
GitHub in the rendered text, so a backslash does not stop them and only a code span does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from bot.github.sanitize import MARKDOWN_SPECIAL, redact, visible
from schemas.github import MAX_BODY

COMMENT_LIMIT = MAX_BODY
CHECK_LIMIT = 65_535

# what GitHub turns into a link or a notification although no Markdown says so
_LIVE = re.compile(r"@[a-z0-9]|#\d|\bgh-\d|://|\bwww\.|\bmailto:|\b[0-9a-f]{40}\b", re.IGNORECASE | re.ASCII)
_CODE = re.compile(r"`([^`]+)`")
_TICKS = re.compile(r"`+")
# what would begin a block where the text happens to stand first
_OPENING = re.compile(r"[#+\-=~:]|\d{1,9}[.)]")
_FENCE = re.compile(r"(`{3,}|~{3,})")


def length(text: str) -> int:
    """As the stricter of GitHub's countings sees it: UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def one_line(text: str, limit: int = 200) -> str:
    """The visible characters of `text` in one line, at most `limit` of them, and no credential.

    Credentials go here already, since an escaped one has no longer the shape that the last gate knows.
    """
    # twice the limit is enough to fill it after white space is folded, and keeps hostile sizes out
    line = " ".join(redact(visible(text[: limit * 4])).split())
    if len(line) > limit or len(text) > limit * 4:
        line = line[: limit - 1].rstrip() + "…"
    return line


def code(text: str, limit: int = 200) -> str:
    """A code span that holds, whatever backticks and pipes are in `text`; safe in table cells too."""
    line = one_line(text, limit)
    if not line:
        return "(empty)"
    ticks = "`" * (max((len(run) for run in _TICKS.findall(line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def cell(markdown: str) -> str:
    """Ready Markdown as a table cell: a pipe would end it, even within a code span."""
    return " ".join(re.sub(r"(?<!\\)\|", r"\\|", markdown).split("\n")).strip()


def prose(text: str, limit: int = 600) -> str:
    """Running text of others as literal text; code spans in it stay code, and words that GitHub would bring to life
    become code."""
    line = one_line(text, limit)
    parts: list[str] = []
    at = 0
    for span in _CODE.finditer(line):
        parts += [_literal(line[at : span.start()]), code(span.group(1), limit)]
        at = span.end()
    parts.append(_literal(line[at:]))
    joined = "".join(parts)
    opening = _OPENING.match(joined)
    return f"{joined[: opening.end() - 1]}\\{joined[opening.end() - 1 :]}" if opening else joined


def _literal(text: str) -> str:
    if not _LIVE.search(text):
        return MARKDOWN_SPECIAL.sub(r"\\\g<0>", text)
    return " ".join(
        code(word) if _LIVE.search(word) else MARKDOWN_SPECIAL.sub(r"\\\g<0>", word) if word else ""
        for word in text.split(" ")
    )


def plain(text: str, limit: int) -> str:
    """For places that render no Markdown (annotation titles and messages): visible characters, lines kept, cut."""
    shown = redact(visible(text)).strip()
    return shown if length(shown) <= limit else shown[: max(limit // 2 - 1, 0)].rstrip() + "…"


def link(label: str, url: str | None) -> str:
    """`label` is ready Markdown; without a URL it stands alone."""
    return f"[{label}]({url})" if url else label


def blob_url(web: str, sha: str, path: str, line: int | None = None, end: int | None = None) -> str | None:
    """A path at a commit, on the page that shows line numbers; None where a browser would go elsewhere."""
    segments = path.rstrip("/").split("/")
    if not sha or any(segment in ("", ".", "..") for segment in segments):
        return None
    # rendered Markdown has no line anchors
    query = "?plain=1" if line is not None and path.lower().endswith((".md", ".mdx", ".markdown")) else ""
    anchor = "" if line is None else f"#L{line}" + (f"-L{end}" if end is not None and end > line else "")
    encoded = quote("/".join(segments).encode("utf-8", "replace"), safe="/")
    return f"{web}/blob/{sha}/{encoded}{query}{anchor}"


def commit_link(web: str, sha: str) -> str:
    return f"[`{sha[:7]}`]({web}/commit/{sha})"


def and_more(total: int, shown: int) -> str:
    """What ends a list of which only the first `shown` stand there; nothing where those are all."""
    return f"and {total - shown:,} more" if total > shown else ""


def listed(lines: Sequence[str], limit: int) -> str:
    """A bullet list, that says of how many more there are than `limit`."""
    rest = and_more(len(lines), limit)
    return "\n".join(f"- {line}" for line in [*lines[:limit], *([rest] if rest else [])])


def joined(parts: Sequence[str], limit: int) -> str:
    """The first `limit` parts in a sentence, and of how many more there are."""
    rest = and_more(len(parts), limit)
    return ", ".join(parts[:limit]) + (f" {rest}" if rest else "")


def fold(summary: str, body: str) -> str:
    """A folded block; `summary` is our own plain words."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def fenced(body: str, info: str = "") -> str:
    """A fenced block that no line of `body` can close."""
    shown = redact(visible(body, keep="\n\t")).strip("\n")
    ticks = "`" * max(3, max((len(run) for run in _TICKS.findall(shown)), default=0) + 1)
    return f"{ticks}{info}\n{shown}\n{ticks}"


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Cells are ready Markdown in one line each."""
    names = list(header)
    lines = [_row(names), "|" + "---|" * len(names)]
    lines += [_row(row) for row in rows]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell(each) for each in cells) + " |"


def fit(body: str, footer: str, limit: int, rest: str) -> str:
    """`body`, a blank line, `footer`, in at most `limit` characters.

    A body that is too long is cut at the end of a line, open fences and `<details>` are closed, and a sentence says so;
    `rest` tells where the rest is. The footer always stays. Fences and details in `body` must be ours: at the start of
    a line, the fence closed by the same marker.
    """
    whole = f"{body}\n\n{footer}" if footer else body
    if length(whole) <= limit:
        return whole
    notice = f"**Cut here**, since GitHub takes no more than {limit:,} characters. {rest}"
    room = limit - length(f"\n\n{notice}\n\n{footer}")
    kept: list[str] = []
    used = depth = 0
    fence = ""
    best = (0, "")
    for line in body.split("\n"):
        if fence:
            if line == fence:
                fence = ""
        elif opened := _FENCE.match(line):
            fence = opened.group(1)
        elif line.startswith("<details>"):
            depth += 1
        elif line == "</details>":
            depth -= 1
        used += length(line) + 1
        closing = (f"\n{fence}" if fence else "") + "\n\n</details>" * depth
        if used + length(closing) > room:
            break
        kept.append(line)
        best = (len(kept), closing)
    shown = "\n".join(kept[: best[0]]).rstrip() + best[1]
    return "\n\n".join(part for part in (shown, notice, footer) if part)
