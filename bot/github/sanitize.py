"""What must never leave: secrets in posted text, and characters that a reader cannot see.

Every function is linear in the text's length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

REDACTED = "[redacted]"

MARKDOWN_SPECIAL = re.compile(r"[\\`*_\[\]<>|~$&]")
"""Characters that Markdown reads as more than themselves."""
_HINTS = ("gh", "github_pat_", "npm_", "eyJ", "sk-", "AKIA", "xox", "glpat-", "pypi-")
_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# a run that is too short fails within its minimum, so none of these backtracks; where a pattern has several parts it
# may only start at a boundary
_SHAPES = re.compile(
    r"gh[pousr]_[A-Za-z0-9_.\-]{20,}"  # GitHub's tokens
    r"|github_pat_[A-Za-z0-9_]{20,}"
    r"|(?<![A-Za-z0-9_\-.])eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}"  # a JWT
    r"|(?<![A-Za-z0-9])sk-(?:(?:ant|proj|or|svcacct)-[A-Za-z0-9_\-]{20,}|[A-Za-z0-9]{32,})"  # model providers
    r"|(?<![A-Za-z0-9])AKIA[0-9A-Z]{16}(?![0-9A-Z])"
    r"|xox[abeoprs]-[A-Za-z0-9\-]{10,}"
    r"|glpat-[A-Za-z0-9_\-]{20,}"
    r"|npm_[A-Za-z0-9]{36}"
    r"|pypi-AgE[A-Za-z0-9_\-]{40,}"
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` without `secrets` (eight characters and more) and without anything that has the shape of a credential."""
    for secret in secrets:
        bare = secret.strip()
        # a key stands in one line as well, where a file was pasted into JSON; Markdown may have escaped a part
        for form in {secret, bare, bare.replace("\n", "\\n"), MARKDOWN_SPECIAL.sub(r"\\\g<0>", bare)}:
            if len(form) >= 8 and form in text:
                text = text.replace(form, REDACTED)
    text = _without_keys(text)
    # nearly no text holds one, and this is asked of every cell of every table
    return _SHAPES.sub(REDACTED, text) if any(hint in text for hint in _HINTS) else text


def _without_keys(text: str) -> str:
    begin = _KEY_BEGIN.search(text) if "-----BEGIN" in text else None
    if begin is None:
        return text
    parts = []
    at = 0
    while begin is not None:
        parts += [text[at : begin.start()], REDACTED]
        end = _KEY_END.search(text, begin.end())
        if end is None:  # cut off: what follows may be the key
            return "".join(parts)
        at = end.end()
        begin = _KEY_BEGIN.search(text, at)
    return "".join([*parts, text[at:]])


def visible(text: str, *, keep: str = "\n") -> str:
    """`text` without characters that show nothing or turn the reading direction, but for the controls in `keep`.

    That is Unicode's categories Cf (zero-width, bidi, tags), Cc (controls), Cs (lone surrogates), and the selectors
    that can carry hidden data.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char
        for char in text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " " if "\t" not in keep else "\t")
        if char in keep
        or not (unicodedata.category(char) in ("Cf", "Cc", "Cs") or "\U000e0100" <= char <= "\U000e01ef")
    )
