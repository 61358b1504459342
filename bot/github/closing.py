"""The issues that a pull request closes when it is merged, read from its description.

Ruled by GitHub's documentation "Linking a pull request to an issue using keywords": close, closes, closed, fix, fixes,
fixed, resolve, resolves, resolved, optionally a colon, then `#10`, `owner/repository#10` or the issue's address.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from bot.core.plans import markdown
from schemas.github import MAX_BODY

LIMIT = 3

_KEYWORD = re.compile(
    r"(?<![\w/-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?::[ \t]*|[ \t]+)"
    r"(?:(?P<repo>[A-Za-z0-9][\w.-]{0,38}/[\w.-]{1,100})?\#|(?P<url>https?://[^\s/]{1,255}/[^\s#?]{1,200}/issues/))"
    r"(?P<number>[1-9]\d{0,9})(?![\w-])",
    re.IGNORECASE | re.ASCII,
)


def closing_issues(body: str | None, repository: str, web: str, *, own: int | None = None) -> tuple[int, ...]:
    """Numbers of issues of `repository` (`owner/name`) that `body` closes, in its order, at most three.

    Code, quotations and HTML comments do not count. `web` is the host's address; `own` is the pull request's number.
    """
    found: list[int] = []
    for text in _running(body or ""):
        for match in _KEYWORD.finditer(text):
            number = int(match["number"])
            if number == own or number in found or not _here(match, repository, web):
                continue
            found.append(number)
            if len(found) == LIMIT:
                return tuple(found)
    return tuple(found)


def _here(match: re.Match[str], repository: str, web: str) -> bool:
    if match["url"]:
        return match["url"].lower() == f"{web.rstrip('/')}/{repository}/issues/".lower() or (
            # people paste the address of either scheme
            urlsplit(match["url"]).netloc.lower() == urlsplit(web).netloc.lower()
            and urlsplit(match["url"]).path.lower() == f"/{repository}/issues/".lower()
        )
    return match["repo"] is None or match["repo"].lower() == repository.lower()


def _running(body: str) -> list[str]:
    """The description's running text, block by block, with code spans blanked."""
    page = markdown.read(markdown.normalise(body[:MAX_BODY]))
    texts = []
    for block in page.blocks:
        if block.quote or block.kind in (markdown.Kind.FENCE, markdown.Kind.HTML):
            continue
        for inline in (block.inline, *block.cells):
            text = inline.text
            for start, end in inline.codes:
                text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
            texts.append(text)
    return texts
