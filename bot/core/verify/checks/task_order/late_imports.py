"""Code that a task writes into a file and that imports a module which only a later task creates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from posixpath import dirname, join, normpath, splitext

from bot.core.listing import tails
from bot.core.plans.model import Action, Expect, Snippet, Span, Task, TaskStatus
from bot.core.tree import Kind
from bot.core.verify import evidence, paths
from bot.core.verify.dependencies import Graph
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.replay import is_stated
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.TASK_ORDER

_PYTHON = frozenset(("python", "py", "python3"))
_SCRIPT = frozenset(("ts", "tsx", "typescript", "js", "jsx", "javascript", "mjs"))
_ENDINGS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".vue", ".svelte", ".json")
# at the margin only: what is indented runs when it is called, or is allowed to fail
_FROM = re.compile(r"(?m)^from[ \t]+(?P<module>\.*[\w.]*)[ \t]+import[ \t]+(?P<names>\([^()]{0,2000}\)|[^\n#]{1,500})")
_IMPORT = re.compile(r"(?m)^import[ \t]+(?P<module>\w+(?:\.\w+)+)(?:[ \t]+as[ \t]+\w+)?[ \t]*(?:#[^\n]*)?$")
_RELATIVE = re.compile(
    r"(?m)^(?:import|export)[ \t]+(?!type\b)(?:[\w*{][^;'\"]{0,2000}?\bfrom[ \t]+)?"
    r"['\"](?P<path>\.{1,2}/[^'\"\n]{1,300})['\"]"
    r"|^(?:const|let|var)[ \t]+[^=\n]{1,300}=[ \t]*require\(['\"](?P<required>\.{1,2}/[^'\"\n]{1,300})['\"]\)"
)
_ELIDED = re.compile(r"(?i)\b(?:example|pattern|sketch|outline|roughly|pseudo|final|eventual|finished)")
MAX_IMPORTS = 200  # of one piece of code
MAX_CODE = 100_000  # characters of one piece of code


@dataclass(frozen=True, slots=True)
class _Import:
    """`paths`: the files, any of which would do; `at` is the offset in the code."""

    paths: tuple[str, ...]
    name: str
    at: int


def find(world: World, graph: Graph) -> Iterator[Draft]:
    said: set[tuple[int, str]] = set()
    own: dict[int, frozenset[str]] = {}
    written = _written(world)
    roots = _Roots(world)
    for snippet in world.plan.snippets:
        if snippet.path is None or snippet.language not in _PYTHON | _SCRIPT or _ELIDED.search(snippet.announced):
            continue
        position, task = world.task_at(snippet.span)
        if task is None or task.status is TaskStatus.DONE:
            continue
        path = paths.inside(world.tree, snippet.path)
        if position not in own:
            own[position] = _own(world, task)
        if path not in own[position]:
            continue
        for each in _imports(world, roots, snippet, path):
            maker = _late(world, each, position, written)
            if maker is None or graph.reaches(position, maker[0]) or (position, maker[1]) in said:
                continue
            said.add((position, maker[1]))
            yield _draft(world, snippet, task, each, maker)


def _draft(world: World, snippet: Snippet, task: Task, each: _Import, maker: tuple[int, str]) -> Draft:
    later = world.plan.tasks[maker[0]]
    made = world.walk.created[maker[1]][2]
    line = snippet.span.first + snippet.text.count("\n", 0, each.at)
    certain = any(command.expects is Expect.PASS for command in task.commands) and not _told(task, later)
    return Draft(
        TYPE,
        Weight.WRONG if certain else Weight.DOUBT,
        Span(snippet.span.path, line, line),
        each.name,
        f"imports {maker[1]}, which {later.label} creates only later",
        (
            *evidence.absent(world.tree, maker[1]),
            *(evidence.planned(world.plan, made.span, made.path) if made is not None else ()),
        ),
        task=task,
        raw=each.name,
    )


def _told(task: Task, later: Task) -> bool:
    """Whether the task speaks of the later one itself: its author knows."""
    named = re.compile(rf"(?i)(?<!\w){re.escape(later.label)}(?!\w)")
    return any(named.search(prose.text) for prose in task.prose)


def _own(world: World, task: Task) -> frozenset[str]:
    """The files that the task says it writes."""
    return frozenset(
        paths.inside(world.tree, ref.path)
        for ref in task.files
        if ref.action in (Action.CREATE, Action.MODIFY, Action.TEST) and is_stated(ref)
    )


def _written(world: World) -> dict[str, int]:
    """File → the first task that shows code for it, whether or not it lists the file."""
    found: dict[str, int] = {}
    for snippet in world.plan.snippets:
        position, _ = world.task_at(snippet.span)
        if snippet.path is not None and position >= 0:
            path = paths.inside(world.tree, snippet.path)
            found[path] = min(position, found.get(path, position))
    return found


def _late(world: World, each: _Import, position: int, written: dict[str, int]) -> tuple[int, str] | None:
    """The later task that creates what is imported, and the file; None where anything before may have it."""
    late: tuple[int, str] | None = None
    for path in each.paths:
        if world.tree.kind(path) is not Kind.MISSING or path in world.known_added or path in world.walk.deleted:
            return None
        made = world.walk.created.get(path)
        if made is None:
            continue
        at, task, ref = made
        if at <= position or written.get(path, at) <= position or task is None or ref is None:
            return None
        if not is_stated(ref) or ref.action is not Action.CREATE or task.status is TaskStatus.DONE:
            return None
        late = late or (at, path)
    return late


def _imports(world: World, roots: _Roots, snippet: Snippet, path: str) -> Iterator[_Import]:
    text = snippet.text[:MAX_CODE]
    if snippet.language in _PYTHON:
        found = _python(world, roots, text, path)
    else:
        found = _script(text, path)
    for count, each in enumerate(found):
        if count >= MAX_IMPORTS:
            world.note(TYPE.value, f"only the first {MAX_IMPORTS} imports of a piece of code were looked at")
            return
        yield each


def _script(text: str, path: str) -> Iterator[_Import]:
    for match in _RELATIVE.finditer(text):
        named = match.group("path") or match.group("required")
        target = normpath(join(dirname(path), named))
        if target.startswith(".."):
            continue
        stem, ending = splitext(target)
        bases = [target] if ending not in _ENDINGS else [target, stem]
        files = [target, *(base + each for base in bases for each in _ENDINGS)]
        files += [f"{target}/index{each}" for each in _ENDINGS[:5]]
        yield _Import(tuple(dict.fromkeys(files)), named, match.start())


def _python(world: World, roots: _Roots, text: str, path: str) -> Iterator[_Import]:
    for match in _FROM.finditer(text):
        module = match.group("module")
        names = re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"#[^\n]*", "", match.group("names")).strip("() \n\t"))
        yield from _module(world, roots, module, names, path, match.start())
    for match in _IMPORT.finditer(text):
        yield from _module(world, roots, match.group("module"), [], path, match.start())


def _module(world: World, roots: _Roots, module: str, names: list[str], path: str, at: int) -> Iterator[_Import]:
    dots = len(module) - len(module.lstrip("."))
    parts = [part for part in module.lstrip(".").split(".") if part]
    tail = "/".join(parts)
    if dots:
        folder = dirname(path)
        for _ in range(dots - 1):
            folder = dirname(folder)
        bases = packages = [join(folder, tail).rstrip("/")]
    else:
        # a single name is as likely a library
        bases = [join(root, tail) for root in roots.of(parts)] if len(parts) > 1 else []
        packages = [base for base in (tail, f"src/{tail}") if world.tree.kind(f"{base}/__init__.py") is Kind.FILE]
    for base in bases:
        files = (f"{base}.py", f"{base}/__init__.py", f"{base}.pyi", base)
        if parts and any(file in world.walk.created for file in files[:2]):
            yield _Import(files, module, at)
    # a package that is there, and a module of it that is not
    for base in packages:
        for name in names:
            below = (f"{base}/{name}.py", f"{base}/{name}/__init__.py", f"{base}/{name}")
            if below[0] in world.walk.created and not _exports(world, base, name):
                yield _Import(below, f"{module}.{name}" if parts else f"{module}{name}", at)


def _exports(world: World, package: str, name: str) -> bool:
    """Whether the package itself may have something of that name."""
    init = f"{package}/__init__.py"
    if world.changed(init) or world.tree.kind(init) is not Kind.FILE:
        return True
    return bool(evidence.matching(world.tree, init, name))


class _Roots:
    """The folders that absolute modules may start from."""

    def __init__(self, world: World) -> None:
        self.world = world

    @cached_property
    def _made(self) -> dict[str, list[str]]:
        """The ends of the Python files that the plan makes → what stands before them, two at most."""
        found: dict[str, list[str]] = {}
        for path in self.world.walk.created:
            if not path.endswith(".py"):
                continue
            for tail in (path, *tails(path)):
                before = found.setdefault(tail, [])
                if len(before) < 2:
                    before.append(path.removesuffix(tail).rstrip("/"))
        return found

    def of(self, parts: list[str]) -> list[str]:
        """The one above the file of that name which the plan makes; none where there are several, or where the tree
        has such a module."""
        tail = "/".join(parts)
        names = (f"{tail}.py", f"{tail}/__init__.py")
        if any(self.world.tree.by_suffix(name) for name in names):
            return []
        found = {root for name in names for root in self._made.get(name, ())}
        return list(found) if len(found) == 1 else []
