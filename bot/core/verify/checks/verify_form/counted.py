"""A number of matches that a plan expects of `grep`, in a file whose text is known at that step."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

from bot.core.plans.model import Action, Command, Snippet, Span, Task, TaskStatus
from bot.core.tree import Kind, Text
from bot.core.verify import evidence, paths, shell
from bot.core.verify.checks.verify_form.commands import commands
from bot.core.verify.finding import Draft, Weight, narrow
from bot.core.verify.world import World
from schemas.verify_report import Evidence, FindingType

TYPE = FindingType.VERIFY_FORM
MAX_LINES = 20_000  # of a file that is searched
MAX_SHOWN = 3  # matching lines that are given as evidence
MAX_SEARCHED = 20_000_000  # characters, over all commands
MAX_CITATIONS = 1_000  # of one file in the plan

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER = rf"(?P<number>zero|{'|'.join(_NUMBERS)}|\d{{1,4}})"
_MATCHES = re.compile(rf"(?i)^[`*\s\"'(]*(?:exactly |only )?{_NUMBER}\s+(?:match(?:es)?|hits?|lines?|occurrences?)\b")
_PLAIN = re.compile(r"^[`*\s\"'(]*(?:exactly )?(?P<number>\d{1,4})[`*\"')]*\s*(?:$|[.(,])")
_NOTHING = re.compile(r"(?i)^[`*\s\"'(]*(?:no output|nothing|empty(?: output)?)\b")
_UNSURE = re.compile(r"(?i)\b(?:per|each|or|at least|more|around|about|several|if|unless|any)\b|[+≥≤~<>]")
_WHOLE = re.compile(
    r"(?i)\b(?:(?:whole|entire|full|complete)\s+(?:\w+\s+)?(?:contents?|file|text|document)|overwrite|(?:contents?|file)\s+"
    r"with(?: the following)?(?: contents?)?\W*$)"
)
_ELIDED = re.compile(r"(?m)^[ \t]*(?:#|//|<!--)?[ \t]*(?:\.\.\.|…)")
_LITERAL = re.compile(r"[\w\s:\"'/,=<>@#!&;%~`-]")


def find(world: World) -> Iterator[Draft]:
    """One draft for each command whose stated number of matches the text denies."""
    known = _Known(world)
    for position, task, command in commands(world):
        if not command.expected or "grep" not in command.text or (task and task.status is TaskStatus.DONE):
            continue
        call = _call(world, command)
        wanted = _wanted(command, counts=call is not None and call.counts)
        if call is None or wanted is None:
            continue
        there = known.text(call.path, position, command)
        if there is None:
            continue
        lines, snippet = there
        hits = [number for number, line in enumerate(lines, 1) if call.pattern.search(line)]
        found = len(hits) if call.most is None else min(len(hits), call.most)
        if found != wanted:
            yield _draft(world, command, task, call, wanted, found, hits, snippet)


class _Call:
    """A `grep` for `pattern` in `path`; `most` lines of it are shown, and with `counts` it prints a number."""

    def __init__(self, pattern: re.Pattern[str], path: str, most: int | None, *, counts: bool) -> None:
        self.pattern = pattern
        self.path = path
        self.most = most
        self.counts = counts


def _call(world: World, command: Command) -> _Call | None:
    invocations = world.invocations(command)
    if not invocations or any(each.optional or None in each.argv for each in invocations):
        return None
    most, counts = None, False
    for each in invocations[1:]:
        words = [word or "" for word in each.argv]
        lines = re.fullmatch(r"head(?: -n? ?(\d{1,4}))?", " ".join(words))
        if lines:
            most = int(lines.group(1) or 10)
        elif words == ["wc", "-l"]:
            counts = True
        else:
            return None
    first = invocations[0]
    if first.argv[:1] not in (("grep",), ("egrep",), ("fgrep",)):
        return None
    flags = ""
    operands: list[str] = []
    for word in (word or "" for word in first.argv[1:]):
        if re.fullmatch(r"-[nciEFH]+", word) and not operands:
            flags += word[1:]
        elif word.startswith("-"):
            return None
        else:
            operands.append(word)
    if len(operands) != 2:
        return None
    kind = "F" if first.argv[0] == "fgrep" or "F" in flags else "E" if first.argv[0] == "egrep" or "E" in flags else ""
    pattern = _pattern(operands[0], kind, re.IGNORECASE if "i" in flags else re.NOFLAG)
    path = shell.join(first.cwd, operands[1])
    if pattern is None or path is None or paths.is_glob(path):
        return None
    return _Call(pattern, path, most, counts=counts or "c" in flags)


def _pattern(text: str, kind: str, flags: re.RegexFlag) -> re.Pattern[str] | None:
    """`text` as grep reads it: `kind` is F (fixed), E (extended) or "" (basic). None for what needs more than letters,
    anchors, any-character dots and alternatives."""
    if len(text) > 200:
        return None
    if kind == "F":
        return re.compile(re.escape(text), flags)
    out = []
    at = 0
    while at < len(text):
        char, pair = text[at], text[at : at + 2]
        if pair in ("\\.", "\\/", "\\-", "\\$", "\\^", "\\*", "\\["):
            out.append(re.escape(pair[1]))
            at += 2
            continue
        if pair == "\\|" and not kind:
            out.append("|")
            at += 2
            continue
        if char == "|" and kind:
            out.append("|")
        elif char == "." or (char == "^" and at == 0) or (char == "$" and at == len(text) - 1):
            out.append(char)
        elif _LITERAL.match(char) or (not kind and char in "|(){}+?"):
            out.append(re.escape(char))
        else:
            return None
        at += 1
    return re.compile("".join(out), flags)


def _wanted(command: Command, *, counts: bool) -> int | None:
    """The number of matches that the plan expects."""
    said = command.expected.lstrip(" :*").partition("\n")[0]
    if _UNSURE.search(said.partition("(")[0][:80]):
        return None
    if _NOTHING.match(said) and not counts:
        return 0
    match = (_PLAIN.match(said) if counts else None) or _MATCHES.match(said)
    if match is None:
        return None
    word = match.group("number").casefold()
    return 0 if word == "zero" else _NUMBERS.index(word) if word in _NUMBERS else int(word)


class _Known:
    """The texts of files when commands run, as far as they are known; all searches are paid from one budget."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.left = MAX_SEARCHED
        self._cited: dict[str, bool] = {}

    def _affords(self, cost: int) -> bool:
        self.left -= cost
        if self.left < 0:
            said = f"counts were compared until {MAX_SEARCHED} characters were searched"
            self.world.note(TYPE.value, said)
        return self.left >= 0

    @cached_property
    def _written(self) -> dict[tuple[str, str], list[Snippet]]:
        """Document and file → the code that the plan shows for the file, in order."""
        found: dict[tuple[str, str], list[Snippet]] = {}
        for each in self.world.plan.snippets:
            named = each.path or (each.near if _WHOLE.search(each.announced) else None)
            if named is not None:
                found.setdefault((each.span.path, paths.inside(self.world.tree, named)), []).append(each)
        return found

    @cached_property
    def _code(self) -> str:
        return "\0".join(each.text for each in self.world.plan.snippets)

    def _in_code(self, path: str) -> bool:
        """Whether any code of the plan speaks of the file; a search that is not affordable finds it."""
        if path not in self._cited:
            self._cited[path] = not self._affords(len(self._code)) or path in self._code
        return self._cited[path]

    def text(self, path: str, position: int, command: Command) -> tuple[list[str], Snippet | None] | None:
        """The lines of `path` when the command runs, and the plan's code that gave them; None where they are not
        known."""
        world = self.world
        path = paths.inside(world.tree, path)
        shown = self._written.get((command.span.path, path), [])
        written = bisect_left(shown, command.span.first, key=lambda each: each.span.last)
        if written:
            last = shown[written - 1]
            whole = bool(_WHOLE.search(last.announced)) or (written == 1 and _made_once(world, path, position))
            if not whole or not self._affords(len(last.text)) or _ELIDED.search(last.text):
                return None
            uses = world.uses_of(path)
            if len(uses) > MAX_CITATIONS:
                world.note(TYPE.value, f"{path} is cited too often to know what it holds when a command runs")
                return None
            later = [use for use in uses if last.span.last < use.ref.span.first < command.span.first]
            if any(use.ref.action is not Action.READ and not _in_shell(world, use.ref.span) for use in later):
                return None
            return last.text.split("\n")[:MAX_LINES], last
        if world.changed(path) or world.tree.kind(path) is not Kind.FILE or self._in_code(path):
            return None
        content = world.tree.read(path)
        if not isinstance(content, Text) or len(content.lines) > MAX_LINES or position > len(world.plan.tasks):
            return None
        return (list(content.lines), None) if self._affords(len(content.text)) else None


def _made_once(world: World, path: str, position: int) -> bool:
    made = world.walk.created.get(path)
    return made is not None and made[0] == position and world.tree.kind(path) is Kind.MISSING


def _in_shell(world: World, span: Span) -> bool:
    """Whether a citation is a word of a command, as in `git add a.md`."""
    return bool(re.match(r"\s*(?:Run:|\$|git |grep |cat )", world.plan.line(span.path, span.first)))


def _draft(
    world: World,
    command: Command,
    task: Task | None,
    call: _Call,
    wanted: int,
    found: int,
    hits: list[int],
    snippet: Snippet | None,
) -> Draft:
    said = command.expected.lstrip(" :*").partition("\n")[0]
    below = Span(command.span.path, command.span.first, command.span.last + 6)
    span = narrow(world.plan, below, said)
    shown: tuple[Evidence, ...] = ()
    for number in hits[:MAX_SHOWN]:
        if snippet is None:
            shown += evidence.line(world.tree, paths.inside(world.tree, call.path), number)
        else:
            at = snippet.span.first + number - 1
            shown += evidence.planned(world.plan, Span(snippet.span.path, at, at))
    if not shown and snippet is not None:
        shown = evidence.planned(world.plan, snippet.span)
    return Draft(
        TYPE,
        Weight.WRONG,
        span if span != below else command.span,
        said[:80],
        f"the plan expects {wanted} matching lines, and the file then has {found}",
        shown or evidence.present(world.tree, paths.inside(world.tree, call.path)),
        task=task,
        raw=said,
    )
