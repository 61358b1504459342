"""Where in the tree names are defined, looked for once for all the names that a check misses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from posixpath import commonpath, dirname

from bot.core.plans.model import Span
from bot.core.symbols import Definition, family, language_of, named
from bot.core.tree import Kind, Text
from bot.core.verify.world import World

MAX_FILES = 4_000  # of the whole repository
MAX_BYTES = 24_000_000
MAX_NAMES = 60
_LINES = 300  # lines with a name that are looked at
_PER_NAME = 12  # places of one name that are kept

# what makes a line of some text more than a use of the name
_DEFINES = (
    r"\b(?:def|class|func|fn|fun|function|struct|enum|trait|interface|type|const|let|var|val|static|macro_rules!|module"
    r"|mod|object|record|protocol|typedef|using|namespace|define|alias|union|package|extension|actor|typealias)\s+"
    r"(?:\([^()\n]{0,80}\)\s*)?(?:[\w.*&:<>]{1,60}(?:\.|::|\s))?"
)
# what says of a name right behind it that it is there
_IS_THERE = (
    r"(?i:\b(?:already|currently)\s+\w+\s+(?:a\s+|an\s+|the\s+)?|\b(?:existing|current)\s+)(?i:[a-z]+\s+)?[`*_]{1,3}"
    r"(?:\w+[.:#]{1,2}){0,4}"
)
# what may stand between a verb and its object: "add a helper, `parse`", and not "add a test for `parse`"
_OBJECT = (
    r"(?:(?!\b(?:to|for|in|inside|of|from|before|after|on|against|around|at|above|below|beside|when|that|which|how)\b)[^\n.;]"
    r"|\.(?=\w)){0,60}"
)


def last_part(name: str) -> str:
    """The last part of a dotted name: what its definition is called."""
    return re.split(r"[.:#]+", name)[-1]


def _lines_with(text: str, name: str) -> str:
    """The lines of `text` that hold `name`, at most a few hundred; the patterns look at no others."""
    found: list[str] = []
    at = text.find(name)
    while at >= 0 and len(found) < _LINES:
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = len(text) if end < 0 else end
        found.append(text[max(start, at - 300) : min(end, at + 300)])
        at = text.find(name, end)
    return "\n".join(found)


def may_define(text: str, name: str, *, shorthand: bool = True) -> bool:
    """Whether `text` has a line that looks like a definition of `name`, in whatever language.

    `shorthand`: so does one that begins with the name and a parenthesis, as methods do where no word announces them.
    """
    word, text = re.escape(name), _lines_with(text, name)
    return bool(
        re.search(rf"{_DEFINES}{word}\b", text)
        or re.search(rf"(?<![\w.$]){word}[\"']?\s*(?::(?!:)|=(?!=)|:=)", text)
        or (shorthand and re.search(rf"(?m)^\s*(?:static |async |public |private |protected )*{word}\s*[({{]", text))
        or re.search(rf"\bexport\b[^\n]{{0,200}}\b{word}\b|\bas\s+{word}\b", text)
    )


def made_by_plan(world: World, name: str, *, known: bool, at: Span | None = None, shorthand: bool = True) -> bool:
    """Whether the plan itself brings `name` into being where it says it is, in code that it shows or in words.

    `known`: the tree defines it somewhere; then only new code or a move counts, else every word of making it.
    `at`: where the plan has it changed; the code that it shows from there on is what it is changed to.
    `shorthand`: as for `may_define`.
    """
    word, text = re.escape(name), _lines_with(world.text, name)
    shown = text if at is None else _lines_with(world.text_before(at), name)
    if known:
        if re.search(rf"{_DEFINES}{word}\b", shown):
            return True
        verbs = r"extract|renam|mov|split|port|cop|relocat|hoist|lift|pull|migrat"
    else:
        if may_define(shown, name, shorthand=shorthand):
            return True
        if at is None and re.search(rf"(?m)^#[^\n]*(?<![\w$]){word}(?![\w$])", text):
            return True
        verbs = r"add|creat|new|introduc|implement|extract|renam|defin|mov|expos|export|split|writ|build|generat|provid"
    text = re.sub(rf"{_IS_THERE}{word}(?![\w$])", " ", text)
    between = r"[^\n]{0,80}" if at is None else _OBJECT
    return bool(
        re.search(rf"(?i)\b(?:{verbs})\w*\b{between}(?<![\w$]){word}(?![\w$])", text)
        or re.search(rf"(?i)(?<![\w$]){word}(?![\w$])[^\n]{{0,30}}\bnew\b", text)
    )


class Places:
    """The definitions of the names asked for. `partial` says that a part of the repository was not looked into."""

    def __init__(self, world: World, *, max_files: int = MAX_FILES, max_bytes: int = MAX_BYTES) -> None:
        self.world = world
        self.partial = False
        self._max_files = max_files
        self._max_bytes = max_bytes
        self._found: dict[str, list[tuple[str, Definition]]] = {}

    def search(self, names: Iterable[tuple[str, str]]) -> None:
        """Looks for `names`, each with the path it was expected in: in cited files first, then in all others that are
        written in the languages of these paths. One pass, however many names."""
        wanted = list(dict.fromkeys(names))
        if len(wanted) > MAX_NAMES:
            wanted, self.partial = wanted[:MAX_NAMES], True
        words = sorted({last_part(name) for name, _ in wanted} - self._found.keys())
        languages = {each for _, path in wanted if (language := language_of(path)) for each in family(language)}
        if not words or not languages:
            return
        for word in words:
            self._found[word] = []
        needle = re.compile(rb"\b(?:" + b"|".join(re.escape(word.encode()) for word in words) + rb")\b")
        left = self._max_bytes
        for count, (path, language) in enumerate(self._files(languages)):
            if count >= self._max_files or left <= 0:
                self.partial = True
                break
            data = self.world.tree.read_bytes(path)
            if not isinstance(data, bytes):
                self.partial = True  # too large, or not in this clone
                continue
            left -= len(data)
            present = {match.decode() for match in needle.findall(data)}
            open_ = [word for word in present if len(self._found.get(word, ())) < _PER_NAME]
            if not open_:
                continue
            content = self.world.tree.read(path)
            if not isinstance(content, Text):
                continue
            for word in open_:
                for each in named(content.text, language).get(word, ()):
                    if not each.local:
                        self._found[word].append((path, each))

    def _files(self, languages: set[str]) -> Iterator[tuple[str, str]]:
        tree = self.world.tree
        cited = [path for path in sorted(self.world.walk.named) if tree.kind(path) is Kind.FILE]
        seen = set(cited)
        for source in (cited, (path for path in tree.paths() if path not in seen)):
            for path in source:
                language = language_of(path)
                if language in languages and language is not None:
                    yield path, language

    def searched(self, name: str) -> bool:
        return last_part(name) in self._found

    def of(self, name: str, path: str) -> list[tuple[str, Definition]]:
        """Where `name` is defined outside of `path`, nearest first. The name must have been searched."""
        found = [each for each in self._found.get(last_part(name), ()) if each[0] != path]
        container = re.split(r"[.:#]+", name)[-2:-1]
        return sorted(
            found, key=lambda each: ([each[1].container] != container, -_shared(each[0], path), each[0], each[1].first)
        )


def _shared(one: str, other: str) -> int:
    """How many folders two paths have in common."""
    first, second = dirname(one), dirname(other)
    if not first or not second:
        return 0
    common = commonpath((first, second))
    return common.count("/") + 1 if common else 0
