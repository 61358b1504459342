"""Markdown read into a flat list of blocks with exact line numbers (CommonMark, with GFM tables and task items).

This is the only module that imports pyromark. Its ranges are UTF-8 byte offsets; everything here is 1-based lines and
character offsets into a block's own text. A flat list with nesting depths, not a tree: every reader of a plan walks
the document once, top to bottom.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Any

import pyromark

_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_TASKLISTS | pyromark.Options.ENABLE_STRIKETHROUGH

# pulldown-cmark keeps every open container while it scans a line, so depth times lines is its one quadratic corner;
# no reader nests anywhere near this deep
NESTING = 100

_TAIL = frozenset(b"\n \t>")
_NEAR = frozenset((b"/", b".", b"_"))
_BREAK = frozenset(("SoftBreak", "HardBreak"))
_TEXTS = frozenset(("Paragraph", "Heading", "List", "TableCell"))  # whose end closes the running text
_BOX = re.compile(r"\[([ xX~\-/])\](\*?)[ \t]*")


class Kind(StrEnum):
    HEADING = "heading"
    TEXT = "text"  # a paragraph, or the text of a list item
    FENCE = "fence"  # fenced or indented code
    ROW = "row"  # one body row of a table
    HTML = "html"
    RULE = "rule"


class Inline:
    """Running text. Code spans stand in `text` between backticks, breaks as newlines.

    `codes` are the (start, end) offsets of the code spans' content; `links` the (start, end, destination) of link
    texts; `struck` the (start, end) of what is struck out with two tildes; `marks` the (offset, line) pairs, ascending,
    that say where in the text a document line begins.
    """

    __slots__ = ("codes", "links", "marks", "struck", "text")

    def __init__(self) -> None:
        self.text = ""
        self.codes: list[tuple[int, int]] = []
        self.links: list[tuple[int, int, str]] = []
        self.marks: list[tuple[int, int]] = []
        self.struck: list[tuple[int, int]] = []

    def line(self, offset: int) -> int:
        """The document line of the character at `offset`."""
        index = bisect_right(self.marks, (offset, 1 << 60)) - 1
        return self.marks[max(index, 0)][1] if self.marks else 0

    def is_struck(self, offset: int) -> bool:
        """Whether the character at `offset` is struck out."""
        index = bisect_right(self.struck, (offset, 1 << 60)) - 1
        return index >= 0 and offset < self.struck[index][1]


_NO_TEXT = Inline()


class Block:
    """One leaf of the document.

    `depth` counts the list items around it, `quote` the block quotes. `item` is true for the first text of a list
    item; `box` is that item's checkbox (" ", "x", "-", "~"; None without one) and `starred` a star right after it.
    Plain class with class-level defaults: thousands are made for every plan.
    """

    inline: Inline = _NO_TEXT
    level: int = 0  # of a heading
    item: bool = False
    ordered: bool = False
    box: str | None = None
    starred: bool = False
    info: str = ""  # of a fence
    body: str = ""  # of a fence, or an HTML block
    body_first: int = 0
    header: tuple[str, ...] = ()  # of a row: the names of its table's columns
    cells: tuple[Inline, ...] = ()

    def __init__(self, kind: Kind, first: int, last: int, depth: int = 0, quote: int = 0) -> None:
        self.kind = kind
        self.first = first
        self.last = last
        self.depth = depth
        self.quote = quote

    @property
    def text(self) -> str:
        return self.inline.text


@dataclass(slots=True)
class Comment:
    text: str
    first: int
    last: int


@dataclass(slots=True)
class Page:
    """A document's blocks in order, its HTML comments, and how many lines it has."""

    blocks: list[Block]
    comments: list[Comment]
    lines: int


def normalise(text: str) -> str:
    """LF line ends, no byte order mark, no lone surrogates and no NUL: what every line number here counts on."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode()
    return text


def _flatten(text: str, nesting: int) -> str:
    """`text` with the container markers of each line beyond the first `nesting` characters made plain letters."""

    def plain(match: re.Match[str]) -> str:
        run = match.group()
        if len(set(run.strip())) == 1 and run.strip()[0] in "-*":
            return run
        return run[:nesting] + re.sub(r"[>*+\-.)]", "x", run[nesting:])

    # after the leading run a digit may still be followed by more of it; one class, so the scan is linear
    return re.sub(rf"(?m)^[ \t>*+\-0-9.)]{{{nesting},}}", plain, text)


class _Reader:
    def __init__(self, text: str, source: bytes) -> None:
        self.source = source
        self.starts = list(accumulate(map(len, source.splitlines(keepends=True)), initial=0))
        if self.starts[-1] and not source.endswith(b"\n"):
            self.starts.pop()
        self.blocks: list[Block] = []
        self.comments: list[Comment] = []
        self.open: Block | None = None
        self.inline: Inline | None = None
        self.parts: list[str] = []
        self.length = 0
        self.line_end = 0  # offset of the line after the one that the last mark names
        self.quote = 0
        self.items: list[list[Any]] = []  # [used, ordered, box] of each open list item
        self.lists: list[bool] = []
        self.literal: list[str] = []
        self.link: list[tuple[int, str]] = []
        self.strikes: list[int] = []  # where the open struck-out parts begin; -1 for what one tilde opens
        self.header: tuple[str, ...] = ()
        self.cells: list[Inline] = []
        self.text = text

    def line(self, offset: int) -> int:
        return bisect_right(self.starts, offset)

    def last_line(self, span: dict[str, int]) -> int:
        start, end, source = span["start"], span["end"], self.source
        while end > start + 1 and source[end - 1] in _TAIL:
            end -= 1
        return bisect_right(self.starts, end - 1)

    def start(self, kind: Kind, span: dict[str, int]) -> Block:
        return self._itemise(Block(kind, self.line(span["start"]), self.last_line(span), len(self.items), self.quote))

    def _itemise(self, block: Block) -> Block:
        if self.items:
            item = self.items[-1]
            if not item[0]:
                item[0] = True
                block.item, block.ordered, block.box = True, item[1], item[2]
        return block

    def start_text(self, kind: Kind) -> Block:
        """A block whose lines follow from its text."""
        items = self.items
        self.open = block = Block(kind, 0, 0, len(items), self.quote)
        if items and not items[-1][0]:
            self._itemise(block)
        block.inline = self.begin(Inline())
        return block

    def put(self, text: str, offset: int) -> None:
        inline = self.inline
        if inline is None:  # the bare text of a tight list item
            inline = self.start_text(Kind.TEXT).inline
        if offset >= self.line_end:
            starts = self.starts
            line = bisect_right(starts, offset)
            self.line_end = starts[line] if line < len(starts) else 1 << 60
            inline.marks.append((self.length, line))
        self.parts.append(text)
        self.length += len(text)

    def begin(self, inline: Inline) -> Inline:
        self.inline, self.parts, self.length, self.line_end = inline, [], 0, 0
        if self.literal:
            self.literal = []
        if self.link:
            self.link = []
        if self.strikes:
            self.strikes = []
        return inline

    def end(self) -> None:
        """Close the running text, if any is open."""
        inline = self.inline
        if inline is None:
            return
        inline.text = "".join(self.parts)
        self.inline = None
        block, self.open = self.open, None
        if block is None:
            return
        if not inline.marks:  # nothing but a comment
            if block.item and self.items:
                self.items[-1][0] = False
            return
        block.first, block.last = inline.marks[0][1], inline.marks[-1][1]
        if block.item and block.box is None and inline.text.startswith("[") and (box := _BOX.match(inline.text)):
            block.box, block.starred = box.group(1).lower(), bool(box.group(2))
            _cut(inline, box.end())
        self.blocks.append(block)

    def emphasis(self, span: dict[str, int], opening: bool) -> None:
        """Delimiters that belong to a path (`pkg/__init__.py`, `src/**/*.ts`) stay in the text."""
        if not opening:
            if self.literal and (mark := self.literal.pop()):
                self.put(mark, span["end"] - 1)
            return
        start, end, source = span["start"], span["end"], self.source
        before = source[start - 1 : start]
        after = source[end : end + 1]
        if before not in _NEAR and after not in _NEAR:
            self.literal.append("")
            return
        mark = chr(source[start])
        near = b"/" if mark == "*" else b"/._"
        keep = (before != b"" and before in near) or (after != b"" and after in (b"/" if mark == "*" else b"/._"))
        if mark == "_" and after == b"." and not source[end + 1 : end + 2].isalnum():
            keep = before != b"" and before in near  # the full stop of a sentence
        width = 2 if source[start + 1 : start + 2] == source[start : start + 1] else 1
        text = mark * width if keep else ""
        if text:
            self.put(text, start)
        self.literal.append(text)

    def comment(self, text: str, offset: int) -> None:
        first = self.line(offset)
        self.comments.append(Comment(text, first, first + text.count("\n")))

    def html(self, block: Block) -> None:
        """The comments of an HTML block; what is left of it stays in `body`."""
        body, at, kept, line = block.body, 0, [], block.first
        while (start := body.find("<!--", at)) >= 0:
            end = body.find("-->", start + 4)
            end = len(body) if end < 0 else end + 3
            first = line + body.count("\n", at, start)
            line = first + body.count("\n", start, end)
            text = body[start:end].rstrip("\n")
            self.comments.append(Comment(text, first, first + text.count("\n")))
            kept.append(body[at:start] + "\n" * (line - first))
            at = end
        block.body = "".join(kept) + body[at:]
        self.blocks.append(block)

    def read(self, events: Iterator[tuple[Any, Any]]) -> None:
        code: Block | None = None
        pieces: list[str] = []
        for event, span in events:
            if event.__class__ is str:
                if event in _BREAK:
                    if self.inline is not None:
                        self.put("\n", span["start"])
                elif event == "Rule":
                    self.end()
                    self.blocks.append(self.start(Kind.RULE, span))
                continue
            name, value = event.popitem()  # of its one item
            if name == "Text":
                if code is None:
                    offset = span["start"]
                    if offset >= self.line_end or self.inline is None:
                        self.put(value, offset)
                    else:
                        self.parts.append(value)
                        self.length += len(value)
                else:
                    if not pieces:
                        code.body_first = self.line(span["start"])
                    pieces.append(value)
            elif name == "Start":
                tag = value if value.__class__ is str else next(iter(value))
                if tag == "Paragraph":
                    if self.inline is not None:
                        self.end()
                    self.start_text(Kind.TEXT)
                elif tag == "Item":
                    if self.inline is not None:
                        self.end()
                    self.items.append([False, bool(self.lists and self.lists[-1]), None])
                elif tag == "Emphasis" or tag == "Strong":
                    self.emphasis(span, True)
                elif tag == "Strikethrough":
                    offset = span["start"]
                    if self.inline is None:
                        self.put("", offset)
                    self.strikes.append(self.length if self.source[offset : offset + 2] == b"~~" else -1)
                    self.literal.append("")
                elif tag == "Link" or tag == "Image":
                    if self.inline is None:
                        self.put("", span["start"])
                    self.link.append((self.length, value[tag]["dest_url"]))
                elif tag == "List":
                    self.end()
                    self.lists.append(value["List"] is not None)
                elif tag == "Heading":
                    self.end()
                    self.start_text(Kind.HEADING).level = int(value["Heading"]["level"][1])
                elif tag == "CodeBlock":
                    self.end()
                    code, pieces = self.start(Kind.FENCE, span), []
                    kind = value["CodeBlock"]
                    code.info = kind["Fenced"] if kind.__class__ is dict else ""
                    code.body_first = code.first + (1 if kind.__class__ is dict else 0)
                elif tag == "BlockQuote":
                    self.end()
                    self.quote += 1
                elif tag == "HtmlBlock":
                    self.end()
                    code, pieces = self.start(Kind.HTML, span), []
                elif tag == "TableCell":
                    self.cells.append(self.begin(Inline()))
                elif tag == "TableRow":
                    self.open, self.cells = None, []
                elif tag in ("Table", "TableHead"):
                    self.end()
                    self.cells = []
            elif name == "End":
                tag = value if value.__class__ is str else next(iter(value))
                if tag == "Item":
                    if self.inline is not None:
                        self.end()
                    self.items.pop()
                elif tag == "Emphasis" or tag == "Strong":
                    self.emphasis(span, False)
                elif tag == "Strikethrough":
                    if self.literal:
                        self.literal.pop()
                    if self.strikes and self.inline is not None:
                        start = self.strikes.pop()
                        if start >= 0:
                            struck = self.inline.struck
                            while struck and struck[-1][0] >= start:
                                struck.pop()  # one within another
                            struck.append((start, self.length))
                elif tag == "Link" or tag == "Image":
                    if self.link and self.inline is not None:
                        start, target = self.link.pop()
                        self.inline.links.append((start, self.length, target))
                elif tag in _TEXTS:
                    if self.inline is not None:
                        self.end()
                    if tag == "List":
                        self.lists.pop()
                elif tag == "BlockQuote":
                    self.end()
                    self.quote -= 1
                elif tag in ("CodeBlock", "HtmlBlock") and code is not None:
                    code.body = "".join(pieces)
                    if tag == "CodeBlock":
                        self.blocks.append(code)
                    else:
                        self.html(code)
                    code = None
                elif tag == "TableHead":
                    self.header = tuple(cell.text.strip() for cell in self.cells)
                elif tag == "TableRow":
                    line = self.line(span["start"])
                    row = Block(Kind.ROW, line, line, len(self.items), self.quote)
                    row.header, row.cells = self.header, tuple(self.cells)
                    self.blocks.append(row)
            elif name == "Code":
                self.put("`" + value + "`", span["start"])
                inline = self.inline
                if inline is not None:
                    inline.codes.append((self.length - len(value) - 1, self.length - 1))
            elif name == "TaskListMarker":
                if self.items:
                    box = "x" if value else " "
                    self.items[-1][2] = box
                    if self.open is not None and self.open.item:
                        self.open.box = box  # in a loose list the paragraph opens before its box
            elif name == "Html":
                pieces.append(value)
            elif name == "InlineHtml":
                if value.startswith("<!--"):
                    self.comment(value, span["start"])
                else:  # `<name>` in a path is a placeholder, not markup
                    self.put(value, span["start"])
        self.end()


def _cut(inline: Inline, count: int) -> None:
    inline.text = inline.text[count:]
    inline.codes = [(a - count, b - count) for a, b in inline.codes if a >= count]
    inline.links = [(max(a - count, 0), b - count, to) for a, b, to in inline.links if b >= count]
    inline.struck = [(max(a - count, 0), b - count) for a, b in inline.struck if b > count]
    inline.marks = [(max(a - count, 0), line) for a, line in inline.marks]


def read(text: str, *, nesting: int = NESTING) -> Page:
    """The blocks of `text`, which must be normalised (`normalise`). Never raises; linear in the text's length.

    `nesting` bounds, in characters at the start of a line, how deep containers may nest; deeper markers are read as
    text.
    """
    text = _flatten(text, nesting)
    reader = _Reader(text, text.encode())
    reader.read(pyromark.events_with_range(text, options=_OPTIONS, merge_text=True))
    return Page(reader.blocks, reader.comments, len(reader.starts))


def plain(parts: Sequence[Inline]) -> str:
    """The text of table cells in one line."""
    return " | ".join(part.text.strip() for part in parts)
