"""Glob patterns as regular expressions that match in linear time, also on hostile patterns.

Every wildcard run is closed in an atomic group: what follows a `*` up to the next one is matched at its first
occurrence and never again, which is exact for globs and leaves nothing to backtrack into.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

MAX_PATTERN = 1024
MAX_ALTERNATIVES = 64


@lru_cache(maxsize=512)
def compile_glob(pattern: str) -> re.Pattern[str] | None:
    """A regex for `fullmatch` on paths (`a/b/c`), or None for a pattern too long or too branched to be worth it.

    `*` and `?` stay within one segment, `**` spans any number of them (also none), `{a,b}` are alternatives; brackets
    and parentheses mean themselves, as they do in the file names of several web frameworks.
    """
    alternatives = expand_braces(pattern)
    if not alternatives:
        return None
    return re.compile("|".join(f"(?:{path_regex(each.split('/'))})" for each in alternatives), re.DOTALL)


def expand_braces(pattern: str) -> tuple[str, ...]:
    """`a/{b,c}.py` → `a/b.py`, `a/c.py`; () when the pattern or the number of its alternatives is over the limit."""
    if len(pattern) > MAX_PATTERN:
        return ()
    done: list[str] = []
    todo = [pattern]
    while todo:
        each = todo.pop()
        if len(done) + len(todo) > MAX_ALTERNATIVES:
            return ()
        # the innermost braces first: those that close before another opens
        closing = each.find("}")
        opening = each.rfind("{", 0, closing) if closing >= 0 else -1
        while closing >= 0 and (opening < 0 or "," not in each[opening:closing]):
            closing = each.find("}", closing + 1)
            opening = each.rfind("{", 0, closing) if closing >= 0 else -1
        if closing < 0:
            done.append(each)
            continue
        options = each[opening + 1 : closing].split(",")
        todo.extend(each[:opening] + option + each[closing + 1 :] for option in reversed(options))
    return tuple(done)


def path_regex(segments: Sequence[str], *, classes: bool = False) -> str:
    """The regex source of one brace-free pattern given as its segments; `classes` gives `[a-z]` its meaning."""
    runs: list[list[str]] = [[]]
    for segment in segments:
        if segment == "**":
            if runs[-1] or len(runs) == 1:
                runs.append([])
        elif segment.startswith("**") and not classes:
            # `src/**.ts` is written for "at any depth below"
            runs.append(["*" + segment.lstrip("*")])
        else:
            runs[-1].append(segment)
    bodies = ["/".join(segment_regex(segment, classes=classes) for segment in run) for run in runs]
    first, rest = bodies[0], bodies[1:]
    if not rest:
        return first
    pieces = [f"{first}/" if first else ""]
    for body in rest[:-1]:
        if body:
            pieces.append(f"(?>(?:[^/]+/)*?{body}/)")
    last = bodies[-1]
    if last:
        pieces.append(f"(?:[^/]+/)*{last}")
    else:
        pieces.append(".+")
    return "".join(pieces)


def segment_regex(segment: str, *, classes: bool = False) -> str:
    """The regex source of one segment: `*` any run of characters but `/`, `?` one of them."""
    chunks: list[str] = [""]
    at = 0
    while at < len(segment):
        char = segment[at]
        at += 1
        if char == "*":
            chunks.append("")
        elif char == "?":
            chunks[-1] += "[^/]"
        elif char == "[" and classes:
            source, at = _character_class(segment, at)
            chunks[-1] += source
        elif char == "\\" and classes and at < len(segment):
            chunks[-1] += re.escape(segment[at])
            at += 1
        else:
            chunks[-1] += re.escape(char)
    if len(chunks) == 1:
        return chunks[0]
    middle = "".join(f"(?>[^/]*?{chunk})" for chunk in chunks[1:-1] if chunk)
    return f"{chunks[0]}{middle}[^/]*{chunks[-1]}" + ("(?![^/])" if chunks[-1] else "")


def _character_class(segment: str, at: int) -> tuple[str, int]:
    closing = segment.find("]", at + 2 if segment[at : at + 1] in ("!", "^") else at + 1)
    if closing < 0:
        return r"\[", at
    body = segment[at:closing]
    negated = body[:1] in ("!", "^")
    members = re.sub(r"([\\\[\]&~|^])", r"\\\1", body[1:] if negated else body)
    source = f"(?!/)[{'^' if negated else ''}{members}]"
    try:
        re.compile(source)
    except re.error:
        return re.escape(f"[{body}]"), closing + 1
    return source, closing + 1
