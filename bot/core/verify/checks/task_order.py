"""Tasks that cannot run in the order in which the plan lists them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.plans.model import Action, Format, Plan, Span, Task, TaskStatus
from bot.core.verify import evidence
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.replay import Standing, Use, alive, is_stated
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.TASK_ORDER

_WRITES = (Action.CREATE, Action.MODIFY)
_CHANGES = (Action.MODIFY, Action.DELETE, Action.MOVE)
_OWN_ORDER = re.compile(
    r"(?im)^[#>*\s]{0,8}.{0,20}\b(execution order|suggested order|task order|implementation order|sequencing)\b"
)


def _key(identity: str) -> str:
    bare = re.sub(r"^(?:task|step|unit|slice|phase)\s+", "", identity.strip().casefold())
    return bare.lstrip("0") or bare


def _shape(identity: str) -> str:
    return re.sub(r"\d+", "9", identity)


class _Graph:
    """The tasks' declared dependencies, by position."""

    def __init__(self, plan: Plan) -> None:
        self.tasks = plan.tasks
        self.positions: dict[str, list[int]] = {}
        for position, task in enumerate(plan.tasks):
            self.positions.setdefault(_key(task.id), []).append(position)
        self.edges: list[set[int]] = [set() for _ in plan.tasks]
        self.unknown: list[tuple[int, str]] = []
        shapes = {_shape(_key(task.id)) for task in plan.tasks}
        for position, task in enumerate(plan.tasks):
            for wanted in task.depends_on:
                key = _key(wanted)
                if key in self.positions:
                    targets = self.positions[key]
                    # an id that is used twice is ambiguous, and reported as such
                    if len(targets) == 1 and _says_so(plan, task, wanted):
                        self.edges[position].add(targets[0])
                elif _shape(key) in shapes and not self._family(key):
                    self.unknown.append((position, wanted))

    def _family(self, key: str) -> bool:
        """A group such as 3 of 3.1 and 3.2, or a part such as 8a of 8."""
        return any(
            other.startswith((f"{key}.", f"{key}-")) or key.startswith((f"{other}.", f"{other}-"))
            or re.fullmatch(re.escape(key) + r"[a-z]", other) is not None
            or re.fullmatch(re.escape(other) + r"[a-z]", key) is not None
            for other in self.positions
        )  # fmt: skip

    def reaches(self, start: int, goal: int) -> bool:
        stack, seen = [start], {start}
        while stack:
            for after in self.edges[stack.pop()]:
                if after == goal:
                    return True
                if after not in seen:
                    seen.add(after)
                    stack.append(after)
        return False

    def cycles(self) -> list[list[int]]:
        """Each group of tasks that wait for each other, in plan order: strongly connected, or one naming itself."""
        index: dict[int, int] = {}
        low: dict[int, int] = {}
        on_stack: set[int] = set()
        stack: list[int] = []
        found: list[list[int]] = []
        for root in range(len(self.tasks)):
            if root in index:
                continue
            work = [(root, iter(sorted(self.edges[root])))]
            index[root] = low[root] = len(index)
            stack.append(root)
            on_stack.add(root)
            while work:
                node, after = work[-1]
                step = next(after, None)
                if step is None:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[node])
                    if low[node] == index[node]:
                        group: list[int] = []
                        while True:
                            member = stack.pop()
                            on_stack.discard(member)
                            group.append(member)
                            if member == node:
                                break
                        if len(group) > 1 or node in self.edges[node]:
                            found.append(sorted(group))
                elif step not in index:
                    index[step] = low[step] = len(index)
                    stack.append(step)
                    on_stack.add(step)
                    work.append((step, iter(sorted(self.edges[step]))))
                elif step in on_stack:
                    low[node] = min(low[node], index[step])
        return sorted(found)


def find(world: World) -> Iterator[Draft]:
    """Drafts for uses out of order, for declared dependencies that cannot hold, and for ids used twice."""
    if not world.plan.tasks:
        world.note(TYPE.value, "no tasks could be told apart")
        return
    graph = _Graph(world.plan)
    yield from _uses(world, graph)
    yield from _dependencies(world, graph)
    yield from _twice(world)
    yield from _interfaces(world)
    yield from _parallel(world, graph)


def _uses(world: World, graph: _Graph) -> Iterator[Draft]:
    seen: set[tuple[str, Standing]] = set()
    for use in world.walk.uses:
        if use.task is None or use.by is None or use.by_ref is None or not is_stated(use.ref):
            continue
        if use.task.status is TaskStatus.DONE or (use.path, use.standing) in seen:
            continue
        draft = _later(world, use, graph) if use.standing is Standing.LATER else _gone(world, use)
        if draft is not None:
            seen.add((use.path, use.standing))
            yield draft


def _later(world: World, use: Use, graph: _Graph) -> Draft | None:
    if use.by is None or use.by_ref is None:
        return None
    needs = use.ref.action in (*_CHANGES, Action.READ) or (use.ref.action is Action.TEST and use.ref.says_exists)
    maker = next((i for i, task in enumerate(world.plan.tasks) if task is use.by), -1)
    if not needs or graph.reaches(use.position, maker) or use.by.status is TaskStatus.DONE:
        return None
    return Draft(
        TYPE,
        Weight.BREAKS if use.ref.action in _CHANGES else Weight.WRONG,
        use.ref.span,
        use.path,
        f"no such file yet, {use.by.label} creates it later",
        (*evidence.absent(world.tree, use.path), *evidence.planned(world.plan, use.by_ref.span, use.by_ref.path)),
        task=use.task,
        raw=use.ref.path,
    )


def _gone(world: World, use: Use) -> Draft | None:
    if use.standing is not Standing.GONE or use.by is None or use.by_ref is None:
        return None
    if use.ref.action not in (Action.MODIFY, Action.MOVE):
        return None
    moved = use.by_ref.action is Action.MOVE
    return Draft(
        TYPE,
        Weight.BREAKS,
        use.ref.span,
        use.path,
        f"{use.by.label} {'moves' if moved else 'deletes'} this file before",
        evidence.planned(world.plan, use.by_ref.span, use.by_ref.path),
        task=use.task,
        raw=use.ref.path,
        suggestion=use.by_ref.target if moved else None,
    )


def _dependencies(world: World, graph: _Graph) -> Iterator[Draft]:
    plan = world.plan
    cyclic: set[int] = set()
    for group in graph.cycles():
        cyclic.update(group)
        first = plan.tasks[group[0]]
        labels = [plan.tasks[member].label for member in group]
        message = f"{first.label} depends on itself"
        if len(group) > 1:
            message = f"{', '.join(labels[:-1])} and {labels[-1]} wait for each other"
        shown = tuple(
            piece
            for member in group[:5]
            for piece in evidence.planned(plan, plan.tasks[member].span, *_depends_words(plan.tasks[member]))
        )
        yield Draft(TYPE, Weight.BREAKS, _depends_span(world, first), ", ".join(labels), message, shown, task=first)
    own_order = plan.format is Format.WORKPLAN or bool(_OWN_ORDER.search(world.text))
    for position, task in enumerate(plan.tasks):
        if not alive(task) or task.status is TaskStatus.DONE:
            continue
        for target in sorted(graph.edges[position]):
            later = plan.tasks[target]
            if target <= position or (position in cyclic and target in cyclic) or task.span == later.span:
                continue
            yield Draft(
                TYPE,
                Weight.DOUBT if own_order else Weight.WRONG,
                _depends_span(world, task),
                f"{task.label} → {later.label}",
                f"{task.label} depends on {later.label}, which comes after it",
                evidence.planned(plan, later.span, later.label, later.id),
                task=task,
            )
    for position, wanted in graph.unknown:
        task = plan.tasks[position]
        if task.status is TaskStatus.DONE or not alive(task) or not _says_so(plan, task, wanted):
            continue
        yield Draft(
            TYPE,
            Weight.WRONG,
            _depends_span(world, task, wanted),
            f"{task.label} → {wanted}",
            f"{task.label} depends on {wanted}, and the plan has no such task",
            evidence.planned(plan, _depends_span(world, task, wanted), wanted),
            task=task,
        )


# a name that is a program's and no ordinary word
_EXACT = re.compile(r"^[^\s]{6,}$(?<=\))|^\w*(?:[a-z][A-Z]|\w_\w|\w\(|::|\w\.\w)[^\n]*$")
_QUOTED = re.compile(r"[\"“][^\"”\n]{0,200}[\"”]|\((?!\s*(?:depends|after|requires|blocked|needs)\b)[^()\n]{25,400}\)")
_DENIED = re.compile(r"(?i)\b(?:no|not|never|nothing|none|without|nobody)\b[^.;\n]{0,60}\b(?:depend|block|requir)")


def _says_so(plan: Plan, task: Task, wanted: str) -> bool:
    """Whether some line of the task names `wanted` as what it waits for, in words that can be held against it."""
    kind = re.match(r"[A-Za-z]+", task.label)
    word = kind.group(0) if kind else "task"
    name = re.escape(wanted)
    named = rf"(?<![\w.])(?:{re.escape(word)}s?\b[^.;\n]{{0,60}}?\b)?{name}(?![\w])"
    if wanted[:1].isdigit():
        # a bare number is a task only where the same word says so, or on a line of its own for it
        waits = r"\b(?:depends[ _]on|dependencies|blocked by)\b[:*_ \t]*"
        named = rf"(?i)(?:\b{re.escape(word)}s?\b[^.;\n]{{0,60}}?(?<![\w.])|{waits}){name}(?![\w])"
    for number in range(task.span.first, min(task.span.last, task.span.first + 400) + 1):
        text = plan.line(task.span.path, number)[:1000]
        if wanted in text and not _DENIED.search(text) and re.search(named, _QUOTED.sub(" ", text)):
            return True
    return False


def _depends_words(task: Task) -> tuple[str, ...]:
    return ("epends on", "epends_on", "Depends", "Dependencies", "Blocked", *task.depends_on)


def _depends_span(world: World, task: Task, wanted: str = "") -> Span:
    """The line of the task that names its dependencies; its first line when there is none."""
    for number in range(task.span.first, min(task.span.last, task.span.first + 400) + 1):
        text = world.plan.line(task.span.path, number)
        if re.search(r"(?i)\b(depend\w*|after|requires|blocked|_depends)\b", text) and (not wanted or wanted in text):
            return Span(task.span.path, number, number)
    return Span(task.span.path, task.span.first, task.span.first)


def _twice(world: World) -> Iterator[Draft]:
    """An id that two tasks of one document share. Numbering that starts again in each part of a plan is normal."""
    by_document: dict[str, list[Task]] = {}
    for task in world.plan.tasks:
        by_document.setdefault(task.span.path, []).append(task)
    for tasks in by_document.values():
        first: dict[str, Task] = {}
        repeated: list[Task] = []
        for task in tasks:
            if _key(task.id) in first:
                repeated.append(task)
            else:
                first[_key(task.id)] = task
        keys = {_key(task.id) for task in repeated}
        if _key(tasks[0].id) in keys or len(keys) * 2 > len(first):
            world.note(TYPE.value, "task numbers start again within the plan, so equal ids are not judged")
            continue
        for task in repeated:
            other = first[_key(task.id)]
            if task.title.strip().casefold() == other.title.strip().casefold() or not task.id.strip():
                continue
            if _heading(world, task) != _heading(world, other) or _counted(world, task):
                continue
            yield Draft(
                TYPE,
                Weight.WRONG,
                Span(task.span.path, task.span.first, task.span.first),
                task.label,
                f"two tasks are called {task.label}",
                (
                    *evidence.planned(world.plan, Span(other.span.path, other.span.first, other.span.first)),
                    *evidence.planned(world.plan, Span(task.span.path, task.span.first, task.span.first)),
                ),
                task=task,
            )


def _heading(world: World, task: Task) -> tuple[str, str]:
    """How the first line of a task is marked (`###`), and its id with whatever is attached to it (`M7.b`)."""
    text = world.plan.line(task.span.path, task.span.first)
    marks = re.match(r"\s*(#*)", text)
    full = re.search(rf"(?<!\w){re.escape(task.id)}[\w.-]*", text)
    return (marks.group(1) if marks else "", full.group(0).rstrip(".-") if full else task.id)


def _counted(world: World, task: Task) -> bool:
    """Parts that a document may well list once for each of its sections, and numbers that are no ids at all."""
    if world.plan.format is Format.GENERIC and re.match(r"(?i)(?:phase|step|stage|chunk|part|milestone)\b", task.label):
        return True
    return task.id.isdecimal() and int(task.id[:9]) > 3 * len(world.plan.tasks) + 10


def _interfaces(world: World) -> Iterator[Draft]:
    """What a task consumes in exactly the words in which only a later task produces it."""
    produced: dict[str, int] = {}
    for position, task in enumerate(world.plan.tasks):
        for name in task.produces:
            produced.setdefault(name.strip(), position)
    for position, task in enumerate(world.plan.tasks):
        if task.status is TaskStatus.DONE or not alive(task):
            continue
        for name in task.consumes:
            name = name.strip()
            maker = produced.get(name)
            if maker is None or maker <= position or not _EXACT.search(name):
                continue
            later = world.plan.tasks[maker]
            yield Draft(
                TYPE,
                Weight.WRONG,
                task.span,
                name[:120],
                f"{later.label} produces this only later",
                evidence.planned(world.plan, later.span, name, "Produces"),
                task=task,
                raw=name,
            )


def _parallel(world: World, graph: _Graph) -> Iterator[Draft]:
    """Neighbouring tasks that are marked as parallel and write one file."""
    writers: dict[str, tuple[int, Task]] = {}
    for position, task in enumerate(world.plan.tasks):
        if not task.parallel:
            writers = {}
            continue
        if not alive(task) or task.status is TaskStatus.DONE:
            continue
        for ref in task.files:
            if ref.action not in _WRITES or not is_stated(ref):
                continue
            before = writers.setdefault(ref.path, (position, task))
            if before[0] == position or graph.reaches(position, before[0]):
                continue
            writers[ref.path] = (position, task)
            yield Draft(
                TYPE,
                Weight.WRONG,
                ref.span,
                ref.path,
                f"{before[1].label} and {task.label} are marked as parallel, and both write this file",
                evidence.planned(world.plan, before[1].span, ref.path),
                task=task,
                raw=ref.path,
            )
