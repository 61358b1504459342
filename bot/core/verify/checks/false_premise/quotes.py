"""Code that the plan shows as the current code of a file, and that the file does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from bot.core.plans.model import Action, Claim, Document, Snippet, Task, TaskStatus
from bot.core.tree import Kind, Text
from bot.core.verify import evidence, paths
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.replay import is_stated
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
_SHOWN = 200  # characters of a suggested line
_PLACES = 20  # where the half of a line stands, that are looked at
_ABOVE = 400_000  # characters of each document of the plan
_TOKEN = re.compile(r"\w+|[^\w\s]")
_RUN = re.compile(r"\w{1,80}")
_ANCHOR = 4  # letters and digits of a half of a line that can be looked for
_SIGNIFICANT = 6  # letters and digits that make a line worth looking for


@dataclass
class _Shelf:
    """Texts without their white space, each made once; `left` is how many more characters may be searched."""

    world: World
    left: int = MAX_SEARCHED
    texts: dict[str, str | None] = field(default_factory=dict)
    _documents: dict[str, tuple[str, list[int]]] = field(default_factory=dict)

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

    def before(self, claim: Claim, bare: str) -> bool:
        """Whether the plan has `bare` above the claim, or in another of its documents, however it is broken."""
        for document in self.world.plan.documents:
            text, starts = self._flat(document)
            end = len(text)
            if document.path == claim.span.path:
                end = starts[min(claim.span.first - 1, len(starts) - 1)]
            start = max(0, end - _ABOVE)
            self.left -= end - start
            if self.left < 0 or text.find(bare, start, end) >= 0:
                return True
        return False

    def _flat(self, document: Document) -> tuple[str, list[int]]:
        """A document of the plan without its white space, and where in that each of its lines begins."""
        if document.path not in self._documents:
            rows = [_SPACE.sub("", line) for line in document.text.split("\n")]
            self._documents[document.path] = "".join(rows), list(accumulate(map(len, rows), initial=0))
        return self._documents[document.path]

    @cached_property
    def cited(self) -> dict[int, list[str]]:
        """Position of a task → the files that it cites; at -1 those of the whole plan, at most MAX_OTHERS + 1 each."""
        found: dict[int, dict[str, None]] = {-1: {}}
        for use in self.world.walk.uses:
            for position in {-1, use.position}:
                files = found.setdefault(position, {})
                if len(files) <= MAX_OTHERS:
                    files[use.path] = None
        return {position: list(each) for position, each in found.items()}

    @cached_property
    def changed(self) -> dict[int, set[str]]:
        """Position of a task → the files that it says it changes."""
        found: dict[int, set[str]] = {}
        for use in self.world.walk.uses:
            if use.ref.action is Action.MODIFY and is_stated(use.ref):
                found.setdefault(use.position, set()).add(use.path)
        return found

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
        if claim.quote is None or (claim.path is None and not claim.inline):
            continue
        count += 1
        if count > MAX_QUOTES or shelf.left < 0:
            world.note(TYPE.value, f"only the first {count - 1} quotes of code were looked for")
            return
        if claim.inline:
            draft = _replaced(world, shelf, claim)
            if draft is not None:
                yield draft
            continue
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
    if _elsewhere(shelf, path, position, missing):
        return None
    held = len(lines) - len(missing)
    alike = None
    if held == 0:
        weight = Weight.WRONG if sure else Weight.DOUBT
        message = f"the plan quotes code of {path}, and no line of it is in the file"
    else:
        # what the file has the greater part of is quoted from it
        sure = sure or held > len(missing)
        if sure and len(missing) == 1:
            alike = _counterpart(shelf, path, content, _first(claim, missing[0]))
        weight = Weight.SLIGHT if sure else Weight.DOUBT
        if alike or (named is not None and held <= len(missing)):
            weight = Weight.WRONG
        message = f"the plan quotes code of {path}; {len(missing)} of {len(lines)} lines of it are not in the file"
    there = next((line for line in lines if line not in missing), None)
    ground = _line_of(world, path, content, there) if there else ()
    if alike is not None:
        ground = evidence.line(world.tree, path, alike)
    ground = ground or evidence.line(world.tree, path, 1) or evidence.present(world.tree, path)
    suggestion = content.lines[alike - 1].strip()[:_SHOWN] if alike is not None else None
    return Draft(
        TYPE,
        weight,
        claim.span,
        path,
        message,
        ground,
        task=task,
        raw=_first(claim, missing[0]),
        suggestion=suggestion,
    )


def _counterpart(shelf: _Shelf, path: str, content: Text, row: str) -> int | None:
    """The line of the file that a quoted one differs from in one word."""
    text = shelf.text(path)
    if text is None or shelf.left < 0:
        return None
    shelf.left -= 4 * len(text)
    real = but_for_a_word(row, text)
    if real is None:
        return None
    rows = (_SPACE.sub("", line) for line in content.lines)
    return next((number for number, line in enumerate(rows, 1) if real in line), None)


def but_for_a_word(row: str, text: str) -> str | None:
    """What `text`, which has no white space, has in the place of `row`, all the same but for one word.

    Linear in the text: the word is in one half of the row, so that the other half is looked for as it is.
    """
    words = _TOKEN.findall(row[:1_000])
    found = _half(words, text)
    if found is None:
        found = _half([word[::-1] for word in reversed(words)], text[::-1])
        found = found[::-1] if found is not None else None
    return found


def _half(words: list[str], text: str) -> str | None:
    """The same, where the first half of the words stands in the text as it is."""
    bare = "".join(words)
    starts = list(accumulate((len(word) for word in words), initial=0))
    cut = next((start for start in starts if 2 * start >= len(bare)), 0)
    # the word may be the very one in the middle
    for first in (cut, next((start for start in reversed(starts) if start < cut), 0)):
        head = bare[:first]
        if _weight_of(head) < _ANCHOR:
            continue
        at = text.find(head)
        for _ in range(_PLACES):
            if at < 0:
                break
            for number, word in enumerate(words):
                start, rest = starts[number], bare[starts[number] + len(word) :]
                if start < first or not word[0].isalpha() or _weight_of(bare[:start] + rest) < _SIGNIFICANT:
                    continue
                if text[at : at + start] != bare[:start]:
                    break
                if real := _other(text, at + start, word, rest):
                    return bare[:start] + real + rest
            at = text.find(head, at + 1)
    return None


def _other(text: str, at: int, word: str, rest: str) -> str | None:
    """Another word in the place of `word`, before `rest`."""
    run = _RUN.match(text, at)
    if run is None:
        return None
    if not rest:
        return run.group() if run.group() != word else None
    end = text.find(rest, at + 1, at + len(run.group()) + 1 + len(rest))
    found = text[at:end] if end >= 0 else ""
    return found if found and found != word and (end <= run.end()) else None


def _weight_of(text: str) -> int:
    return sum(char.isalnum() for char in text)


def _replaced(world: World, shelf: _Shelf, claim: Claim) -> Draft | None:
    """A piece of code that a sentence has replaced, and of which the file has all but a word."""
    position, task = world.task_at(claim.span)
    path = claim.path
    changed = shelf.changed.get(position, set())
    if path is None and len(changed) == 1:
        path = next(iter(changed))
    if path is None or task is None:
        return None
    path = paths.inside(world.tree, path)
    if world.tree.kind(path) is not Kind.FILE or not _untouched(world, path, position, task):
        return None
    content = world.tree.read(path)
    code = claim.quote or ""
    bare = _SPACE.sub("", code)
    if not isinstance(content, Text) or shelf.has(path, bare) or _elsewhere(shelf, path, position, [bare]):
        return None
    if shelf.before(claim, bare):
        return None  # what the plan itself writes further up is there by now
    number = _counterpart(shelf, path, content, code)
    if number is None:
        return None
    return Draft(
        TYPE,
        Weight.WRONG,
        claim.span,
        path,
        f"the plan has code of {path} replaced that the file has in other words",
        evidence.line(world.tree, path, number),
        task=task,
        raw=code,
        suggestion=content.lines[number - 1].strip()[:_SHOWN],
    )


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


def _elsewhere(shelf: _Shelf, path: str, position: int, missing: list[str]) -> bool:
    """Whether another file that the plan cites has a part of it: then that one is quoted."""
    others = list(dict.fromkeys([*shelf.cited.get(position, ()), *shelf.cited[-1]]))[:MAX_OTHERS]
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
