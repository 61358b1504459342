"""Code that the plan shows as the current code of a file, and that the file does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from bot.core.plans.model import Claim, Snippet, Task, TaskStatus
from bot.core.tree import Kind, Text
from bot.core.verify import evidence, paths
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.world import World
from schemas.verify_report import Evidence, FindingType

TYPE = FindingType.FALSE_PREMISE

MAX_QUOTES = 400  # of one plan
MAX_OTHERS = 40  # files of the plan that a quote is looked for in besides the one that it is said to be from
MAX_MISSING = 20  # lines of a quote that are looked for there
MAX_SEARCHED = 60_000_000  # characters, over all quotes

_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"^\s*\d{1,6}(?:\s*[|:→│]\s?|\t)")
_NOTE = re.compile(r"(?:\s|^)(?://|#(?!\w*\[)|--|/\*|<!--|\{/\*).*$")
_ELIDED = re.compile(r"\.\.\.|…|<[a-z]+ [a-z ]+>|\[\s*snip")
_HUNK = re.compile(r"^(?:@@|\+\+\+ |--- |diff |index )")
_NEAR = 3  # lines that a quote in a sentence may be off
_SIGNIFICANT = 6  # letters and digits that make a line worth looking for


@dataclass
class _Shelf:
    """Texts without their white space, each made once; `left` is how many more characters may be searched."""

    world: World
    left: int = MAX_SEARCHED
    texts: dict[str, str | None] = field(default_factory=dict)

    def text(self, path: str) -> str | None:
        if path not in self.texts:
            content = self.world.tree.read(path) if self.world.tree.kind(path) is Kind.FILE else None
            self.texts[path] = _SPACE.sub("", content.text) if isinstance(content, Text) else None
        return self.texts[path]

    def has(self, path: str, line: str) -> bool:
        """Whether the file has that line, however it is broken; a search that is not affordable finds it."""
        text = self.text(path)
        if text is None:
            return False
        self.left -= len(text)
        return self.left < 0 or line in text

    @cached_property
    def shown(self) -> dict[tuple[str, str], int]:
        """Document and line of code → where in the document the plan shows it first."""
        found: dict[tuple[str, str], int] = {}
        for snippet in self.world.plan.snippets:
            for line in significant(snippet.text):
                found.setdefault((snippet.span.path, line), snippet.span.first)
        return found


def find(world: World) -> Iterator[Draft]:
    """One draft for each quote of which the file has nothing, or only a part."""
    snippets = {(snippet.span.path, snippet.span.first): snippet for snippet in world.plan.snippets}
    shelf = _Shelf(world)
    count = 0
    for claim in world.plan.claims:
        if claim.quote is None or claim.path is None:
            continue
        count += 1
        if count > MAX_QUOTES or shelf.left < 0:
            world.note(TYPE.value, f"only the first {count - 1} quotes of code were looked for")
            return
        at = claim.span.first
        snippet = snippets.get((claim.span.path, at + 1)) or snippets.get((claim.span.path, at))
        draft = _judge(world, shelf, claim, snippet)
        if draft is not None:
            yield draft


def _judge(world: World, shelf: _Shelf, claim: Claim, snippet: Snippet | None) -> Draft | None:
    named = snippet.path if snippet is not None else None
    sure = named is not None
    path = paths.inside(world.tree, named or claim.path or "")
    position, task = world.task_at(claim.span)
    if world.tree.kind(path) is not Kind.FILE or not _untouched(world, path, position, task):
        return None
    content = world.tree.read(path)
    if not isinstance(content, Text):
        world.note(TYPE.value, f"{path} could not be read: {content.reason}")
        return None
    if claim.lines:
        return _inline(world, claim, path, content, task)
    lines = significant(claim.quote or "", snippet.language if snippet is not None else "")
    if len(lines) < 2:
        return None
    missing = [line for line in lines if not shelf.has(path, line)]
    at = claim.span.first
    if not missing or any(shelf.shown.get((claim.span.path, line), at) < at for line in missing):
        return None  # what the plan itself writes further up is quoted as it is by now
    if _elsewhere(world, shelf, path, task, missing):
        return None
    if len(missing) == len(lines):
        weight = Weight.WRONG if sure else Weight.DOUBT
        message = f"the plan quotes code of {path}, and no line of it is in the file"
    else:
        weight = Weight.SLIGHT if sure else Weight.DOUBT
        message = f"the plan quotes code of {path}; {len(missing)} of {len(lines)} lines of it are not in the file"
    there = next((line for line in lines if line not in missing), None)
    ground = _line_of(world, path, content, there) if there else ()
    ground = ground or evidence.line(world.tree, path, 1) or evidence.present(world.tree, path)
    return Draft(TYPE, weight, claim.span, path, message, ground, task=task, raw=_first(claim, missing[0]))


def _inline(world: World, claim: Claim, path: str, content: Text, task: Task | None) -> Draft | None:
    """A piece of code that the sentence says stands at cited lines."""
    bare = _SPACE.sub("", claim.quote or "").strip(",;")
    if _ELIDED.search(claim.quote or "") or sum(char.isalnum() for char in bare) < _SIGNIFICANT:
        return None
    rows = [_SPACE.sub("", line) for line in content.lines]
    places = [number for number, row in enumerate(rows, 1) if bare in row]
    if any(each.first - _NEAR <= number <= each.last + _NEAR for each in claim.lines for number in places):
        return None
    at = claim.lines[0]
    if bare in "".join(rows[max(at.first - 1 - _NEAR, 0) : at.last + _NEAR]):
        return None
    if places:
        weight, message = Weight.SLIGHT, f"the plan quotes line {at.first} of {path}; the code is at line {places[0]}"
        ground = evidence.line(world.tree, path, places[0])
    elif bare in "".join(rows) or at.approximate or at.first > len(rows):
        return None
    else:
        weight, message = Weight.WRONG, f"the plan quotes line {at.first} of {path}, which reads otherwise"
        ground = evidence.line(world.tree, path, at.first)
    return Draft(TYPE, weight, claim.span, f"{path}:{at.first}", message, ground, task=task, raw=claim.quote or "")


def significant(code: str, language: str = "") -> list[str]:
    """The lines of a quote that can be looked for, without any white space: no comment, no ellipsis, no lone brace.

    Line numbers before them are dropped; of a diff, the lines that it adds are.
    """
    found: list[str] = []
    rows = code.split("\n")
    if len(code) >= 2_000:
        rows.pop()  # cut off
    diff = language in ("diff", "patch")
    for row in rows:
        if diff:
            if row.startswith("+") or _HUNK.match(row):
                continue
            row = row[1:] if row[:1] in "- " else row
        row = _NUMBER.sub("", row[:1_000])
        if _ELIDED.search(row):
            continue
        bare = _SPACE.sub("", _NOTE.sub("", row)).strip(",;")
        if sum(char.isalnum() for char in bare) >= _SIGNIFICANT:
            found.append(bare)
    return found


def _untouched(world: World, path: str, position: int, task: Task | None) -> bool:
    """Whether the file is, at this place of the plan, as the tree has it."""
    if task is not None and task.status in (TaskStatus.DONE, TaskStatus.IN_PROGRESS):
        return False
    touched = world.walk.touched.get(path)
    if path in world.known_added or path in world.walk.created or (touched is not None and touched < position):
        return False
    return touched is None or position >= 0


def _elsewhere(world: World, shelf: _Shelf, path: str, task: Task | None, missing: list[str]) -> bool:
    """Whether another file that the plan cites has a part of it: then that one is quoted."""
    near = [use.path for use in world.walk.uses if task is not None and use.task is task]
    others = list(dict.fromkeys([*near, *(use.path for use in world.walk.uses)]))[:MAX_OTHERS]
    return any(shelf.has(other, line) for other in others if other != path for line in missing[:MAX_MISSING])


def _first(claim: Claim, bare: str) -> str:
    """The quoted line that `bare` is without its white space, as the plan has it."""
    for row in (claim.quote or "").split("\n"):
        if bare in _SPACE.sub("", row):
            return row.strip()
    return ""


def _line_of(world: World, path: str, content: Text, bare: str) -> tuple[Evidence, ...]:
    for number, line in enumerate(content.lines, 1):
        if bare in _SPACE.sub("", line):
            return evidence.line(world.tree, path, number)
    return ()
