"""GitHub-flavoured Markdown to HTML that is safe to show: an allow-list of tags and attributes, as GitHub has one."""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pyromark

OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_GFM
)
TAGS = frozenset(("a", "b", "blockquote", "br", "code", "dd", "del", "details", "div", "dl", "dt", "em", "hr", "i")) | {
    *("h1", "h2", "h3", "h4", "h5", "h6", "img", "input", "ins", "kbd", "li", "ol", "p", "pre", "s", "samp", "span"),
    *("strong", "sub", "summary", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
SILENT = frozenset(("script", "style", "iframe", "object", "textarea", "title", "noscript"))
"""Tags whose content goes with them."""
VOID = frozenset(("br", "hr", "img", "input"))
ATTRIBUTES = {
    "a": ("href", "title"),
    "img": ("src", "alt", "title", "width", "height"),
    "input": ("type", "checked", "disabled"),
    "details": ("open",),
    "code": ("class",),
    "blockquote": ("class",),
    "ol": ("start",),
    "td": ("align", "style"),
    "th": ("align", "style"),
}
CLASS = re.compile(r"language-[\w+#.-]{1,30}|markdown-alert-(?:note|tip|important|warning|caution)")
STYLE = re.compile(r"text-align: ?(?:left|center|right);?")


def render(text: str | None) -> str:
    """HTML of a description, a comment or a check's text. Raw HTML outside the allow-list is shown as text."""
    cleaner = _Cleaner()
    cleaner.feed(pyromark.html(text or "", options=OPTIONS))
    cleaner.close()
    return cleaner.result()


def _safe_url(url: str) -> bool:
    try:
        return urlsplit(url.strip()).scheme.lower() in ("", "http", "https", "mailto")
    except ValueError:
        return False


class _Cleaner(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._out: list[str] = []
        self._open: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in SILENT:
            self._silent += 1
        if self._silent:
            return
        if tag not in TAGS or (tag == "input" and ("type", "checkbox") not in attrs):
            self._out.append(escape(self.get_starttag_text() or ""))
            return
        kept = "".join(self._attribute(tag, name, value or "") for name, value in attrs)
        follow = ' rel="nofollow"' if tag == "a" else ""
        self._out.append(f"<{tag}{kept}{follow}>")
        if tag not in VOID:
            self._open.append(tag)

    def _attribute(self, tag: str, name: str, value: str) -> str:
        allowed = name in ATTRIBUTES.get(tag, ())
        if name in ("href", "src"):
            allowed = allowed and _safe_url(value)
        if name == "class":
            allowed = allowed and CLASS.fullmatch(value) is not None
        if name == "style":
            allowed = allowed and STYLE.fullmatch(value) is not None
        return f' {name}="{escape(value)}"' if allowed else ""

    def handle_endtag(self, tag: str) -> None:
        if tag in SILENT and self._silent:
            self._silent -= 1
        elif not self._silent and tag in self._open:
            while self._open:
                last = self._open.pop()
                self._out.append(f"</{last}>")
                if last == tag:
                    break

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._out.append(escape(data, quote=False))

    def result(self) -> str:
        return "".join(self._out) + "".join(f"</{tag}>" for tag in reversed(self._open))
