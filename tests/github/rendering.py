"""Markdown rendered as GitHub does it, as far as safety goes: GFM, raw HTML kept, then a look for what came to life."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from markdown_it import MarkdownIt

OURS = ("https://github.com/acme/widgets/",)
_LIVE = re.compile(r"@[A-Za-z0-9]|(?<![\w&])#\d|https?://|www\.|\bGH-\d", re.IGNORECASE)
_PLAIN = {"p", "strong", "em", "table", "thead", "tbody", "tr", "th", "td", "code", "pre", "ul", "li", "h3", "br", "s"}
_FOLDS = {"details", "summary"}


def render(markdown: str) -> str:
    return str(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown))


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.code = 0
        self.found: list[str] = []
        self.text: list[str] = []
        self.cells: list[int] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.code += tag == "code"
        if tag == "tr":
            self.cells.append(0)
        if tag in ("td", "th") and self.cells:
            self.cells[-1] += 1
        if tag == "a":
            href = dict(attrs).get("href") or ""
            if not href.startswith(OURS):
                self.found.append(f"link to {href}")
        elif tag not in _PLAIN | _FOLDS:
            self.found.append(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        self.code -= tag == "code"

    def handle_data(self, data: str) -> None:
        if not self.code:
            self.text.append(data)
            self.found += [f"live {match.group()!r} in {data!r}" for match in _LIVE.finditer(data)]

    def handle_comment(self, data: str) -> None:
        if not re.fullmatch(r" planproof:[a-z-]+( \d+)? ", data):
            self.found.append(f"comment {data}")


def read(markdown: str) -> _Reader:
    reader = _Reader()
    reader.feed(render(markdown))
    reader.close()
    return reader


def alive(markdown: str, *, but: str = "#412") -> list[str]:
    """What a reader or a robot would find that must not be there: foreign links, tags, comments, mentions, references.

    `but` is the one reference that we make ourselves.
    """
    return [each for each in read(markdown.replace(but, "")).found if each]
