"""The definitions of one source text, in the order of their beginnings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ast_grep_py import Config, SgNode, SgRoot

from bot.core.symbols.kinds import LANGUAGES, Kind

MAX_TEXT = 256 * 1024  # characters; a longer text is generated, and takes too long to read
MAX_DEFINITIONS = 20_000
MAX_LINES = 2_000  # that are kept for one word
MAX_DEPTH = 200  # brackets within brackets
_CROSSED = 20  # brackets that close another one than the last
_SLACK = 3  # braces that may stand alone in strings and comments

_WORD = re.compile(r"(?<![\w])[A-Za-z_][\w$]*")
_BRACKETS = re.compile(r"[(){}\[\]]")
_PAIRS = {")": "(", "]": "[", "}": "{"}
_DECLARATOR = re.compile(r"(?:.*declarator|qualified_identifier|.*destructor_name)\Z")
_NAMES = frozenset({"identifier", "type_identifier", "simple_identifier", "field_identifier", "constant", "name"})
_SIMPLE = frozenset({*_NAMES, "property_identifier", "word", "variable_name", "namespace_identifier"})


@dataclass(frozen=True, slots=True)
class Definition:
    """Lines `first` to `last` (1-based) define `name`.

    `container` is the name of the type or the scope around it, the receiver of a Go method; `local` says that it is
    inside of a function.
    """

    name: str
    kind: Kind
    first: int
    last: int
    container: str | None = None
    local: bool = False


@lru_cache(maxsize=64)
def readable(text: str, language: str) -> bool:
    """Whether `text` is short enough, and enough like code, to be parsed.

    The parsers recover from errors at a cost that has no useful bound, so a text whose brackets do not pair, or are
    nested deeper than anyone writes, is not given to them. One pass over the text.
    """
    if language not in LANGUAGES or len(text) > MAX_TEXT:
        return False
    lines = text.count("\n")
    braces = crossed = 0
    open_: list[str] = []
    for match in _BRACKETS.finditer(text):
        char = match.group()
        braces += (char == "{") - (char == "}")
        if braces < -_SLACK:
            return False
        if char in "([{":
            open_.append(char)
            if len(open_) > MAX_DEPTH:
                return False
        elif open_ and open_[-1] == _PAIRS[char]:
            open_.pop()
        else:
            # in a string, a pattern or a comment, or no code at all
            crossed += 1
            if crossed > _CROSSED + lines // 10:
                return False
            while open_ and open_[-1] != _PAIRS[char] and _PAIRS[char] in open_:
                open_.pop()
            if open_ and open_[-1] == _PAIRS[char]:
                open_.pop()
    return braces <= _SLACK + lines // 200


@lru_cache(maxsize=64)
def definitions(text: str, language: str) -> tuple[Definition, ...]:
    """What `text` defines, at most `MAX_DEFINITIONS`; () for a text that is not `readable`. Never raises."""
    if not readable(text, language):
        return ()
    table = LANGUAGES[language]
    root = SgRoot(text, language).root()
    rule: Config = {"rule": {"any": [{"kind": kind} for kind in table]}}
    found: list[Definition] = []
    open_: list[tuple[int, str, Kind]] = []  # (end, name, kind) of the definitions around
    for node in root.find_all(rule)[:MAX_DEFINITIONS]:
        reach = node.range()
        start, end = reach.start.index, reach.end.index
        while open_ and open_[-1][0] <= start:
            open_.pop()
        kind = table[node.kind()]
        names = _names(node, kind)
        if not names:
            continue
        container = _receiver(node) if language == "go" else None
        local = False
        for _, name, around in reversed(open_):
            if around is Kind.FUNCTION:
                local = True
            elif around is not Kind.VALUE and container is None:
                container = name
        if kind is not Kind.SCOPE:
            first, last = _lines(node)
            found.extend(Definition(name, kind, first, last, container, local) for name in names)
        open_.append((end, names[0], kind))
    return tuple(found)


@lru_cache(maxsize=64)
def named(text: str, language: str) -> Mapping[str, tuple[Definition, ...]]:
    """The definitions of `text` by their names."""
    found: dict[str, list[Definition]] = {}
    for each in definitions(text, language):
        found.setdefault(each.name, []).append(each)
    return {name: tuple(each) for name, each in found.items()}


@lru_cache(maxsize=64)
def occurrences(text: str) -> Mapping[str, Sequence[int]]:
    """Every word of `text` that could be a name, with the lines (1-based) that it stands on, at most `MAX_LINES`."""
    found: dict[str, list[int]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        for word in _WORD.findall(line):
            lines = found.setdefault(word, [])
            if len(lines) < MAX_LINES and (not lines or lines[-1] != number):
                lines.append(number)
    return found


def _lines(node: SgNode) -> tuple[int, int]:
    """The lines of a definition, its decorators included."""
    parent = node.parent()
    if parent is not None and parent.kind() in ("decorated_definition", "export_statement"):
        node = parent
    reach = node.range()
    last = reach.end.line + 1
    if reach.end.column == 0 and reach.end.line > reach.start.line:
        last -= 1
    return reach.start.line + 1, last


def _names(node: SgNode, kind: Kind) -> list[str]:
    """What a node names; a pattern on the left of an assignment names several."""
    target = node.field("name") or node.field("declarator") or node.field("left") or node.field("pattern")
    if kind is Kind.SCOPE:
        target = node.field("type") or target
    if target is None:
        target = node.field("key")
    if target is None:
        target = next((child for child in node.children() if child.kind() in _SIMPLE), None)
    if target is None:
        return _WORD.findall(node.text()[:200])[:1] if node.kind() in ("property_declaration", "variable_list") else []
    while _DECLARATOR.match(target.kind()):
        inner = target.field("declarator") or target.field("name")
        if inner is None:
            inner = next((c for c in target.children() if _DECLARATOR.match(c.kind()) or c.kind() in _SIMPLE), None)
        if inner is None:
            break
        target = inner
    if target.kind() in _SIMPLE:
        return _WORD.findall(target.text())[:1]
    if node.kind() in ("const_spec", "var_spec"):
        return [child.text() for child in node.field_children("name")]
    words = _WORD.findall(target.text()[:500])
    # a table's member (`M.run`), an attribute (`self.rate`) and a specialised type (`Pair<A>`) have one name
    if kind is Kind.SCOPE or target.kind() in ("generic_type", "string"):
        return words[:1]
    return words[-1:] if "." in target.text()[:500] or ":" in target.text()[:500] else words


def _receiver(node: SgNode) -> str | None:
    if node.kind() != "method_declaration":
        return None
    receiver = node.field("receiver")
    if receiver is None:
        return None
    words = _WORD.findall(receiver.text().partition("[")[0])
    return words[-1] if words else None
