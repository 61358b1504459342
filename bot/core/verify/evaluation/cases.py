"""Golden cases: a plan, the tree it is written against, and the defects that are known to be in it.

A case is one YAML file. It is read strictly: a key that is not known, or a place that is not exactly one place, would
otherwise change the figures without anybody noticing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails
from rapidfuzz import fuzz, process

from bot.core.tree import normalise
from bot.core.verify.finding import ORDER, RULES
from schemas.verify_report import FindingType, Severity, Verdict

MAX_BYTES = 1024 * 1024
MAX_PROBLEMS = 20
MAX_LINES = 5
# a defect of these is one of a task as a whole
BLOCKS = frozenset({FindingType.SCOPE_GAP, FindingType.TASK_ORDER})
MAX_BLOCK_LINES = 60
LINK = "@"

_NEAREST_FLOOR = 60.0
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_Location = tuple[str | int, ...]
_Text = Annotated[str, StringConstraints(min_length=1)]
# block scalars end in a line feed that nobody means
_Place = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, pattern=r"^[^\n]*$")]


class Origin(StrEnum):
    """Where a case comes from."""

    REPAIR = "repair"  # restates a repair that a plan's history shows
    TRAP = "trap"  # clean, and easily accused
    DEFECT = "defect"  # thought up


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WrittenDefect(_Strict):
    type: FindingType
    severity: Severity
    at: _Place
    until: _Place | None = None
    document: _Text | None = None
    mechanical: bool = False


class Replacement(_Strict):
    find: _Text
    put: str
    document: _Text | None = None


class WrittenCase(_Strict):
    """The file as it is written; `Case` is what it means."""

    about: _Text
    origin: Origin
    plan: _Text
    tree: dict[str, str]
    documents: dict[str, str] = Field(min_length=1)
    defects: tuple[WrittenDefect, ...]
    repair: tuple[Replacement, ...] = ()
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Defect:
    """A known defect in the lines `first` to `last`, 1-based, of the document `path`."""

    type: FindingType
    severity: Severity
    path: str
    first: int
    last: int
    mechanical: bool


@dataclass(frozen=True, slots=True)
class Case:
    """`name` is the file's path below the golden folder. Values of `tree` and `documents` are whole texts; a path of
    the tree that ends in @ is a symbolic link, its text the target. `repaired` are the documents after the repair, None
    where the case gives none. `verdict` is the one that is right where the plan is not to be judged.
    """

    name: str
    about: str
    origin: Origin
    plan: str
    tree: Mapping[str, str]
    documents: Mapping[str, str]
    defects: tuple[Defect, ...]
    repaired: Mapping[str, str] | None = None
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """What keeps a file from being a case, and what would be right."""

    name: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.name}:{self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class Parsed:
    """`case` is None exactly when there are problems."""

    case: Case | None
    problems: tuple[Problem, ...] = ()


def parse(name: str, raw: bytes) -> Parsed:
    """The case in the bytes of one file. Never raises on any input."""
    if len(raw) > MAX_BYTES:
        return _failed(name, 1, f"the file is larger than {MAX_BYTES:,} bytes; a case holds only what matters")
    try:
        root, value = _load(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return _failed(name, raw.count(b"\n", 0, error.start) + 1, "the file is not UTF-8; save it as UTF-8")
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error).split("\n", 1)[0]
        return _failed(name, mark.line + 1 if mark else 1, f"not valid YAML: {reason}")
    except (ValueError, RecursionError, OverflowError) as error:
        return _failed(name, 1, f"not valid YAML: {str(error).split(chr(10), 1)[0] or type(error).__name__}")
    lines = _Lines(root)
    if (twice := next(lines.repeated(), None)) is not None:
        line, key = twice
        return _failed(name, line, f"the key `{key}` is there twice; only one of them would count")
    if not isinstance(value, dict):
        return _failed(name, 1, f"expected the keys of a case: {', '.join(WrittenCase.model_fields)}")
    try:
        written = WrittenCase.model_validate(value)
    except ValidationError as error:
        found = [(each["loc"], _explain(each)) for each in error.errors(include_url=False)[:MAX_PROBLEMS]]
        return Parsed(None, tuple(Problem(name, lines.of(where), message) for where, message in found))
    problems = list(islice(_problems(written), MAX_PROBLEMS))
    if problems:
        return Parsed(None, tuple(Problem(name, lines.of(where), message) for where, message in problems))
    return Parsed(_case(name, written))


def _failed(name: str, line: int, message: str) -> Parsed:
    return Parsed(None, (Problem(name, line, message),))


def _load(text: str) -> tuple[yaml.Node | None, object]:
    loader = _LOADER(text)
    try:
        root = loader.get_single_node()
        return root, None if root is None else loader.construct_document(root)
    finally:
        loader.dispose()


class _Lines:
    """Where in the file each key and item stands."""

    def __init__(self, root: yaml.Node | None) -> None:
        self._root = root

    def of(self, where: _Location) -> int:
        """The line of the key or item at `where`, or of the innermost one around it that is there; 1-based."""
        node, line = self._root, 1
        for step in where:
            if isinstance(node, yaml.MappingNode):
                pair = next((pair for pair in node.value if pair[0].value == step), None)
                if pair is None:
                    break
                line, node = pair[0].start_mark.line + 1, pair[1]
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
                node = node.value[step]
                line = node.start_mark.line + 1
            else:
                break
        return line

    def repeated(self) -> Iterator[tuple[int, str]]:
        """Line and name of each key that its mapping has already."""
        waiting = [self._root]
        done: set[int] = set()
        while waiting:
            node = waiting.pop()
            # an alias is its anchor's node again
            if node is None or id(node) in done:
                continue
            done.add(id(node))
            if isinstance(node, yaml.MappingNode):
                keys: set[str] = set()
                for key, value in node.value:
                    if isinstance(key, yaml.ScalarNode):
                        if key.value in keys:
                            yield key.start_mark.line + 1, key.value
                        keys.add(key.value)
                    waiting.append(value)
            elif isinstance(node, yaml.SequenceNode):
                waiting.extend(node.value)


def _explain(error: ErrorDetails) -> str:
    where = [step for step in error["loc"] if step != "[key]"]
    key = f"`{'.'.join(str(step) for step in where)}`"[:200]
    match error["type"]:
        case "extra_forbidden":
            known = _keys(where)
            best = process.extractOne(str(where[-1]), known, scorer=fuzz.ratio, score_cutoff=_NEAREST_FLOOR)
            nearest = f"; the nearest is `{best[0]}`" if best else ""
            return f"{key} is not a key here{nearest}. Allowed: {', '.join(known)}"
        case "missing":
            return f"{key} is missing; " + (
                "write `defects: []` for a clean plan" if where == ["defects"] else "every case needs it"
            )
        case "string_type":
            return f"{key} must be text; put it in quotes, or below it after `|`"
        case "string_pattern_mismatch":
            return f"{key} must be text of one line of the document"
        case _:
            return f"{key}: {error['msg'][:1].lower()}{error['msg'][1:]}"


def _keys(where: list[str | int]) -> list[str]:
    inside: Mapping[str | int, type[BaseModel]] = {"defects": WrittenDefect, "repair": Replacement}
    model = inside.get(where[0], WrittenCase) if len(where) > 1 else WrittenCase
    return list(model.model_fields)


def _problems(case: WrittenCase) -> Iterator[tuple[_Location, str]]:
    """What no single value shows: paths that cannot be, places that are none or several, parts that do not agree."""
    yield from _path_problems(case)
    if case.plan not in case.documents:
        yield ("plan",), f"`documents` has no {case.plan!r}; the plan is the main one of them"
        return
    if case.origin is Origin.TRAP and case.defects:
        yield ("defects",), "a trap is clean: write `defects: []`, or another origin"
    if case.origin is not Origin.TRAP and not case.defects:
        yield ("defects",), f"origin `{case.origin}` needs a defect; a clean case is a `trap`"
    if case.verdict in (Verdict.CLEAN, Verdict.NEEDS_FIX, Verdict.NOT_VERIFIED):
        yield ("verdict",), "only `retroactive` or `not_a_plan` need saying; the defects say the rest"
    elif case.verdict is not None and case.defects:
        yield ("verdict",), f"a plan that is rightly `{case.verdict}` is not judged, so it has no defects to find"
    for number, defect in enumerate(case.defects):
        yield from (((("defects", number, key)), message) for key, message in _defect_problems(case, defect))
    yield from _repair_problems(case)


def _path_problems(case: WrittenCase) -> Iterator[tuple[_Location, str]]:
    real = {
        **{path.removesuffix(LINK): ("tree", path) for path in case.tree},
        **{path: ("documents", path) for path in case.documents},
    }
    for path, where in real.items():
        segments = path.split("/")
        if normalise(path) != path or ".git" in (segment.lower() for segment in segments):
            yield where, f"{path!r} is no path of a file in a repository; write it like `src/app.py`"
            continue
        for end in range(1, len(segments)):
            if (folder := "/".join(segments[:end])) in real:
                yield where, f"{folder!r} cannot be a file and the folder of {path!r} at once"
    if case.plan in case.tree:
        yield ("tree", case.plan), "the plan itself is in `tree`; its text belongs in `documents` only"


def _defect_problems(case: WrittenCase, defect: WrittenDefect) -> Iterator[tuple[str, str]]:
    rule = RULES[defect.type]
    possible = {rule.breaks, rule.wrong, rule.slight, Severity.ADVICE}
    if defect.severity not in possible:
        allowed = ", ".join(severity for severity in ORDER if severity in possible)
        yield "severity", f"a {defect.type} is never {defect.severity}; it is one of {allowed}"
    path = defect.document or case.plan
    text = case.documents.get(path)
    if text is None:
        yield "document", f"`documents` has no {path!r}"
        return
    places = {}
    for key, needle in (("at", defect.at), ("until", defect.until)):
        if needle is None:
            continue
        found = _lines_with(text, needle)
        if len(found) == 1:
            places[key] = found[0]
        elif found:
            some = ", ".join(str(line) for line in found[:5])
            yield key, f"{needle!r} stands on {len(found)} lines of {path} ({some}); take text of one line only"
        else:
            yield key, f"{needle!r} stands on no line of {path}; copy it from the document"
    first, last = places.get("at", 0), places.get("until", 0)
    if not (first and last):
        return
    if last < first:
        yield "until", f"`until` is line {last} of {path}, before `at` in line {first}"
    limit = MAX_BLOCK_LINES if defect.type in BLOCKS else MAX_LINES
    if last - first + 1 > limit:
        yield "until", f"{last - first + 1} lines are too wide a place; a {defect.type} may have {limit}"


def _repair_problems(case: WrittenCase) -> Iterator[tuple[_Location, str]]:
    texts = dict(case.documents)
    for number, each in enumerate(case.repair):
        path = each.document or case.plan
        if path not in texts:
            yield ("repair", number, "document"), f"`documents` has no {path!r}"
            continue
        count = texts[path].count(each.find)
        if count != 1:
            what = f"stands {count} times" if count else "does not stand"
            yield (
                ("repair", number, "find"),
                f"{each.find[:80]!r} {what} in {path} at this point; take text that stands there exactly once",
            )
        texts[path] = texts[path].replace(each.find, each.put)
    if case.repair and texts == case.documents:
        yield ("repair",), "the repair changes nothing"


def _lines_with(text: str, needle: str) -> list[int]:
    return [number for number, line in enumerate(_lines(text), 1) if needle in line]


def _lines(text: str) -> list[str]:
    """Lines as a plan's document has them; other separators of Unicode end none."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _case(name: str, written: WrittenCase) -> Case:
    defects = []
    for each in written.defects:
        path = each.document or written.plan
        first = _lines_with(written.documents[path], each.at)[0]
        last = _lines_with(written.documents[path], each.until)[0] if each.until else first
        defects.append(Defect(each.type, each.severity, path, first, last, each.mechanical))
    repaired = None
    if written.repair:
        repaired = dict(written.documents)
        for change in written.repair:
            path = change.document or written.plan
            repaired[path] = repaired[path].replace(change.find, change.put)
    return Case(
        name=name,
        about=" ".join(written.about.split()),
        origin=written.origin,
        plan=written.plan,
        tree=written.tree,
        documents=written.documents,
        defects=tuple(defects),
        repaired=repaired,
        verdict=written.verdict,
    )
