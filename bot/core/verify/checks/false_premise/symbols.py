"""A name that the plan places in a file, or at lines of it, where it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.core.plans.model import LineRange, SymbolClaim, SymbolRef, Task, TaskStatus
from bot.core.symbols import MAX_LINES, Definition, language_of, named, occurrences, readable
from bot.core.tree import Kind, Text
from bot.core.verify import evidence, paths
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.places import Places, last_part, made_by_plan, may_define
from bot.core.verify.replay import alive, is_stated
from bot.core.verify.world import World
from schemas.verify_report import Edit, Evidence, FindingType

TYPE = FindingType.FALSE_PREMISE

# languages in which a word announces every function
_ANNOUNCED = frozenset({"python", "go", "rust", "ruby", "kotlin", "swift", "scala", "lua"})

# a module that hands on all that another one has
_HANDS_ON = re.compile(
    r"(?m)^[ \t]*(?:export\s+\*|module\.exports\s*=\s*require|from\s+\S+\s+import\s+\*"
    r"|pub(?:\([^)\n]*\))?\s+use\s[^\n;]*\*)"
)

MAX_SYMBOLS = 1_000  # of one plan
_NEAR = 3  # lines that a citation may be off
_ROUGHLY = 30  # the same, for one that says "around"


@dataclass(frozen=True, slots=True)
class _Case:
    ref: SymbolRef
    path: str
    position: int
    task: Task | None
    content: Text
    touched: bool  # an earlier task works on the file: it still has the names that it had, at other lines


def find(world: World) -> Iterator[Draft]:
    """One draft for each name and file."""
    astray: list[_Case] = []
    seen: set[tuple[str, str, tuple[LineRange, ...]]] = set()
    for case in _cases(world):
        key = (case.ref.name, case.path, case.ref.lines)
        if key in seen:
            continue
        seen.add(key)
        name = last_part(case.ref.name)
        if language_of(case.path) is None and not case.ref.lines:
            continue  # what a name is in there is not known
        where = occurrences(case.content.text).get(name, ())
        if case.touched:
            # lines that are cited are those of today
            if not where and case.ref.lines and case.ref.changed:
                astray.append(case)
        elif not where or _is_elsewhere(case, name):
            astray.append(case)
        elif case.ref.lines and len(where) < MAX_LINES:
            yield from _moved(world, case, name, where)
    yield from _astray(world, astray)


def _cases(world: World) -> Iterator[_Case]:
    # what a task says of a name is the better place to point at than what a design says of it
    groups: list[tuple[int, Task | None, tuple[SymbolRef, ...]]] = [
        (n, task, task.symbols) for n, task in enumerate(world.plan.tasks) if alive(task)
    ]
    groups.append((-1, None, world.plan.symbols))
    count = 0
    for position, task, refs in groups:
        if task is not None and task.status is TaskStatus.DONE:
            continue
        for ref in refs:
            if ref.claim is not SymbolClaim.EXISTS or ref.path is None:
                continue
            count += 1
            if count > MAX_SYMBOLS:
                world.note(TYPE.value, f"only the first {MAX_SYMBOLS} names were looked for")
                return
            path = _file(world, ref.path)
            if path is None or path in world.known_added:
                continue
            touched = world.walk.touched.get(path)
            made = world.walk.created.get(path)
            if made is not None and (made[2] is None or is_stated(made[2])):
                continue
            early = (touched is not None and touched < position) or (made is not None and made[0] < position)
            content = world.tree.read(path)
            if isinstance(content, Text):
                yield _Case(ref, path, position, task, content, early)
            else:
                world.note(TYPE.value, f"{path} could not be read: {content.reason}")


def _file(world: World, cited: str) -> str | None:
    """The one file of the tree that a path means, as it stands or as the end of a longer one."""
    path = paths.inside(world.tree, cited)
    if world.tree.kind(path) is Kind.FILE:
        return path
    if world.tree.kind(path) is not Kind.MISSING or paths.is_outside(path):
        return None
    found = world.tree.by_suffix(path)
    return found[0] if len(found) == 1 and world.tree.kind(found[0]) is Kind.FILE else None


def _is_elsewhere(case: _Case, name: str) -> bool:
    """Whether the plan says that the file defines the name, which it only uses."""
    language = language_of(case.path)
    if not case.ref.defines or language is None or not readable(case.content.text, language):
        return False
    shorthand = language not in _ANNOUNCED
    return not _defined(case, name) and not may_define(case.content.text, name, shorthand=shorthand)


def _defined(case: _Case, name: str) -> Sequence[Definition]:
    language = language_of(case.path)
    return named(case.content.text, language).get(name, ()) if language is not None else ()


def _off(wanted: LineRange, first: int, last: int) -> int:
    """How many lines lie between a cited range and another one; 0 where they overlap."""
    return max(first - wanted.last, wanted.first - last, 0)


def _moved(world: World, case: _Case, name: str, where: Sequence[int]) -> Iterator[Draft]:
    """The name is in the file, at none of the lines cited."""
    language = language_of(case.path)
    if language is not None and not readable(case.content.text, language):
        world.note(TYPE.value, f"{case.path} was not parsed: it is too large, or its brackets do not pair")
        return  # where a body ends is not known
    known = _defined(case, name)
    lines = [*where, *(each.first for each in known)]
    length = len(case.content.lines)
    for wanted in case.ref.lines:
        allowed = _ROUGHLY if wanted.approximate else _NEAR
        if wanted.first > length:  # another check's matter
            return
        if any(_off(wanted, number, number) <= allowed for number in lines):
            return
        if any(_off(wanted, each.first, each.last) == 0 for each in known):
            return
    wanted = case.ref.lines[0]
    known = [each for each in known if not each.local] or known
    if len(known) == 1:
        first, last = known[0].first, known[0].last
        real = _lines(LineRange(first, last))
        message = f"the plan has `{case.ref.name}` at {_lines(wanted)}; it is defined at {real}"
    else:
        first = last = min(where, key=lambda number: _off(wanted, number, number))
        message = f"the plan has `{case.ref.name}` at {_lines(wanted)}; the nearest line with it is {first}"
    shown = evidence.line(world.tree, case.path, first)
    subject = f"{case.path}:{_bare(wanted)} {case.ref.name}"
    edit = _edit(world, case, wanted, LineRange(first, last)) if len(known) == 1 or len(where) == 1 else None
    yield Draft(
        TYPE,
        Weight.DOUBT if wanted.approximate else Weight.SLIGHT,
        case.ref.span,
        subject,
        message,
        shown,
        task=case.task,
        raw=f"{case.ref.name}",
        suggestion=f"{case.path}:{_bare(LineRange(first, last))}",
        edit=edit,
    )


def _bare(lines: LineRange) -> str:
    return str(lines.first) if lines.first == lines.last else f"{lines.first}-{lines.last}"


def _lines(lines: LineRange) -> str:
    return f"{'line' if lines.first == lines.last else 'lines'} {_bare(lines)}"


def _edit(world: World, case: _Case, wanted: LineRange, real: LineRange) -> Edit | None:
    """The lines of the citation put right, where they stand once on its line of the plan."""
    span = case.ref.span
    old = f":{_bare(wanted)}"
    text = world.plan.line(span.path, span.first)
    if span.first != span.last or len(re.findall(rf"{re.escape(old)}(?![\d-])", text)) != 1 or text.count(old) != 1:
        return None
    new = real if wanted.first != wanted.last else LineRange(real.first, real.first)
    return Edit(path=span.path, start=span.first, end=span.last, old=old, new=f":{_bare(new)}")


def _is_a_name(text: str) -> bool:
    """Whether a word is written as names of code are, and is no ordinary word."""
    return not (text.islower() or text.istitle()) or "_" in text or "." in text or ":" in text


def _astray(world: World, cases: list[_Case]) -> Iterator[Draft]:
    """The name is not in the file at all, or not what the plan says it is there."""
    if not cases:
        return
    places = Places(world)
    places.search((case.ref.name, case.path) for case in cases)
    if places.partial:
        world.note(TYPE.value, "a part of the repository was not searched for the names that cited files lack")
    for case in cases:
        name = last_part(case.ref.name)
        real = places.of(case.ref.name, case.path)
        at = case.ref.span if case.ref.changed else None
        shorthand = language_of(case.path) not in _ANNOUNCED
        known = bool(real)
        if not places.searched(name) or made_by_plan(world, name, known=known, at=at, shorthand=shorthand):
            continue
        held = name in occurrences(case.content.text)
        if not held and not case.ref.lines and not case.ref.defines and _HANDS_ON.search(case.content.text):
            continue  # what other modules define can be had from it
        shown: tuple[Evidence, ...]
        suggestion = None
        if real:
            path, definition = real[0]
            shown = evidence.line(world.tree, path, definition.first)
            suggestion = f"{path}:{definition.first}"
            verb = "only uses it" if held else "does not have it"
            message = f"the plan says that `{case.ref.name}` is in {case.path}, which {verb}; it is in {path}"
        elif held:
            continue
        else:
            first = case.ref.lines[0].first if case.ref.lines else 1
            shown = evidence.line(world.tree, case.path, first) or evidence.present(world.tree, case.path)
            message = f"the plan says that `{case.ref.name}` is in {case.path}, and nothing there has that name"
        called = case.ref.defines and not held  # "function `turn`" is no ordinary word
        certain = language_of(case.path) is not None and (called or _is_a_name(case.ref.name))
        yield Draft(
            TYPE,
            Weight.WRONG if certain else Weight.DOUBT,
            case.ref.span,
            case.ref.name,
            message,
            shown,
            task=case.task,
            raw=case.ref.name,
            suggestion=suggestion,
        )
