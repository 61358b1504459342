"""What a mutator can see of a plan: its lines, and by plain patterns what they say about files and commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from bot.core.plans.model import Document, Task, TaskStatus

_FENCE = re.compile(r"^\s*(?:[-*>]\s+)?(`{3,}|~{3,})\s*(\w*)")
_TOKEN = re.compile(r"`(?P<path>(?:[\w@.+()\[\]-]+/)*[\w@.+()\[\]-]*\w\.[A-Za-z]\w{0,9})(?P<lines>:\d+(?:[-–]\d+)?)?`")
_LEAD = re.compile(
    r"(?P<head>^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX~-]\]\*?\s+)?(?:(?:T\d+\w*|\d+(?:\.\d+)*)\.?\s+)?(?:\[\w+\]\s+){0,3}"
    r"(?:\*\*)?)(?P<verb>Create|Add|New|Modify|Update|Edit|Extend|Refactor|Delete|Remove)(?P<tail>(?:\*\*)?:?(?:\*\*)?\s+)"
    r"(?:(?:the|new|existing|file)\s+){0,2}$"
)
_TRAIL = re.compile(
    r"^\s*[—–-]?\s*\(\s*(?P<verb>modify|modified|edit|update|create|created|new|delete|remove)\b(?P<rest>[^)]*)\)", re.I
)
_CELL = re.compile(r"^\s*\|\s*(?P<verb>Create|Modify|Edit|Update|New|Delete)\b", re.I)
_BARE_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+$|^\s*\|\s*$")
_VERBS = {"create": "create", "add": "create", "new": "create", "created": "create", "delete": "delete"}
_VERBS["remove"] = "delete"
_HEDGE = re.compile(
    r"(?i)\b(?:if|or|optional\w*|possibl[ey]|maybe|perhaps|likely|where(?:ver)?|depending|unless|otherwise|equivalent|not|"
    r"e\.g|example|TBD|verify|check|confirm|only when|as needed|generated|regenerated|auto)\b|[若如或]|可选|不"
)
_ASIDE = re.compile(
    r"(?i)\b(?:out of scope|non-?goals?|alternatives?|rejected|references?|related|risks?|follow-?ups?|deferred|future|"
    r"background|context|rollback|appendix|examples?|open questions?|history|changelog|investigated|sources?)\b"
)
_NEW = re.compile(r"(?i)\bnew (?:tests?|files?|modules?|code)\b|\bto (?:create|add)\b|新增")
_ELSEWHERE = re.compile(
    r"(?im)\bcross-repo|\brepos\b|\b(?:other|sibling|plugin|separate|consumer|downstream|upstream) repo"
    r"|\brepo(?:sitory)?\**:|\b\w+-[\w-]+`? repo(?:sitory)?\b|^#+ .{0,20}: `?\w+-[\w-]+`? [—–]"
    r"|^#+ .*\(\w+-\w[\w-]*[,)]|^\s*cd\s+(?:/|~|\.\.)|\bworktree\b"
)
_CREATES = re.compile(
    r"(?i)\bcreat(?:e|es|ed|ing)\b|\bnew files?\b|[(|*]\s*new\b|^\W*new\b|\bscaffold|\bmv\b|\bcp\b|\bmove[sd]?\b|"
    r"\bmoving\b|\brename[sd]?\b|\btouch\b|\btee\b|cat\s+<?>|>\s*$|\bgenerat|\bextract|\bport\b|→|->|新建|创建|生成|移"
)
_TICKED = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\[[xX]\]")


class Mention(NamedTuple):
    """A file in backticks. `verb` is create, modify or delete, or "" where the line does not say what becomes of it;
    `lead` is what stands before the verb in a bullet that begins with one, else None."""

    path: str
    lines: str
    line: int
    start: int
    end: int
    verb: str
    hedged: bool
    lead: tuple[str, str] | None


@dataclass(frozen=True)
class Fence:
    """A block of code: its first and last line without the fences, and its language."""

    first: int
    last: int
    language: str


class Page:
    """One document by lines, which count from 1."""

    def __init__(self, document: Document) -> None:
        self.path = document.path
        self.text = document.text
        self.lines = tuple(document.text.split("\n"))

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    @cached_property
    def fences(self) -> tuple[Fence, ...]:
        found: list[Fence] = []
        mark, first, language = "", 0, ""
        for number, line in enumerate(self.lines, 1):
            match = _FENCE.match(line)
            if match is None:
                continue
            if not mark:
                mark, first, language = match.group(1), number + 1, match.group(2).lower()
            elif match.group(1).startswith(mark) and not line.strip().strip(mark[0]):
                found.append(Fence(first, number - 1, language))
                mark = ""
        if mark:
            found.append(Fence(first, len(self.lines), language))
        return tuple(found)

    @cached_property
    def code(self) -> frozenset[int]:
        """The lines in fences, and the fences themselves."""
        return frozenset(n for fence in self.fences for n in range(fence.first - 1, fence.last + 2))

    def ticked(self, number: int) -> bool:
        return bool(_TICKED.match(self.line(number)))

    @cached_property
    def _aside(self) -> frozenset[int]:
        return self._below(_ASIDE)

    @cached_property
    def new(self) -> frozenset[int]:
        """The lines of sections that list what is to be made."""
        return self._below(_NEW)

    def _below(self, title: re.Pattern[str]) -> frozenset[int]:
        """The lines of the sections whose heading matches."""
        found: set[int] = set()
        level = 0
        for number, line in enumerate(self.lines, 1):
            match = re.match(r"(#{1,6})\s", line) if number not in self.code else None
            if match and (not level or len(match.group(1)) <= level):
                level = len(match.group(1)) if title.search(line) else 0
            if level:
                found.add(number)
        return frozenset(found)

    def aside(self, number: int) -> bool:
        """Whether the line is in a section about something other than the work."""
        return number in self._aside

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        return tuple(each for n in range(1, len(self.lines) + 1) if n not in self.code for each in self._mentions(n))

    def _mentions(self, number: int) -> Iterator[Mention]:
        line = self.line(number)[:2000]
        for count, match in enumerate(_TOKEN.finditer(line)):
            before, after = line[: match.start()], line[match.end() :]
            verb, lead, hedge = "", None, ""
            if count == 0:
                if leading := _LEAD.search(before):
                    verb, lead = leading.group("verb"), (leading.group("head"), leading.group("tail"))
                elif _BARE_ITEM.match(before) and (trail := _TRAIL.match(after) or _CELL.match(after)):
                    verb, hedge = trail.group("verb"), trail.groupdict().get("rest") or ""
            kind = _VERBS.get(verb.lower(), "modify") if verb else ""
            near = re.split(r"[.;:—–]\s", after, maxsplit=1)[0][:60]
            hedged = bool(_HEDGE.search(before) or _HEDGE.search(near) or _HEDGE.search(hedge) or "_or" in near)
            yield Mention(match["path"], match["lines"] or "", number, match.start(), match.end(), kind, hedged, lead)

    def replace(self, number: int, old: str, new: str) -> str:
        """The line with `new` for every whole `old`."""
        return whole(old).sub(lambda _: new, self.line(number))


@dataclass(frozen=True)
class Part:
    """A task and its lines of the main document."""

    task: Task
    page: Page

    @property
    def first(self) -> int:
        return self.task.span.first

    @property
    def last(self) -> int:
        return self.task.span.last

    @property
    def is_open(self) -> bool:
        return self.task.status in (TaskStatus.TODO, TaskStatus.IN_PROGRESS) and not self.task.optional

    @cached_property
    def text(self) -> str:
        return "\n".join(self.page.lines[self.first - 1 : self.last])

    @cached_property
    def elsewhere(self) -> bool:
        """Whether it may be about files of another repository or branch."""
        return bool(_ELSEWHERE.search(self.text[:4000]))

    @cached_property
    def bullets(self) -> tuple[Mention, ...]:
        """The bullets that say which files the task makes and changes."""
        return tuple(each for each in self.page.mentions if self.first <= each.line <= self.last and each.lead)

    @cached_property
    def heading(self) -> bool:
        return self.page.line(self.first).lstrip().startswith("#")


def whole(token: str) -> re.Pattern[str]:
    """Matches `token` where it is no part of a longer path or name."""
    return re.compile(rf"(?<![\w./-]){re.escape(token)}(?!\w|-\w|/\w|\.\w)")


def word_in(line: str, token: str) -> bool:
    return bool(whole(token).search(line))


def creates(line: str, path: str) -> bool:
    """Whether the words around a path on this line may mean that the file is made."""
    name = path.rpartition("/")[2]
    at = line.find(name)
    if at < 0:
        return False
    return bool(_CREATES.search(line[max(0, at - 120) : at]) or _CREATES.search(line[at : at + len(name) + 40]))


def bullet(like: Mention, verb: str, path: str, page: Page) -> str:
    """A bullet in the style of `like` that says `verb` of another path."""
    head, tail = like.lead or ("- ", ": ")
    if re.search(r"\[[ xX~-]\]", head):
        head = re.match(r"\s*", page.line(like.line))[0] + "- "  # type: ignore[index]
        tail = ": "
    return f"{head}{verb}{tail}`{path}`"
