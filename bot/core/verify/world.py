"""What every check is given: the plan, the tree, what the walk saw, and a place to say what could not be looked at."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

from bot.core.listing import parents, tails
from bot.core.plans.model import Command, Document, Plan, Span, Task
from bot.core.tree import Kind, Text, Tree
from bot.core.verify import paths, shell, siblings
from bot.core.verify.replay import Use, Walk, alive
from bot.core.verify.repositories import Repositories
from schemas.verify_report import FindingType

T = TypeVar("T")

# words of a line that has something made: a script, a target
ADDS = re.compile(r"(?i)\b(?:add|new|creat|defin|introduc)")


@dataclass
class World:
    """`notes` maps the name of a check to the reasons why a part of it could not run."""

    plan: Plan
    tree: Tree
    walk: Walk
    known_added: frozenset[str] = frozenset()
    notes: dict[str, list[str]] = field(default_factory=dict)
    sibling_limit: int = 60  # other plans in the same folder that are looked into
    sibling_bytes: int = 4_000_000
    suggestion_limit: int = 200  # paths for which a near one is looked for
    _once: dict[object, object] = field(default_factory=dict, init=False, repr=False)

    def note(self, check: str, reason: str) -> None:
        reasons = self.notes.setdefault(check, [])
        if reason not in reasons:
            reasons.append(reason)

    def once(self, make: Callable[[World], T]) -> T:
        """What `make`, a function of a module, finds out about this plan and tree: worked out at the first call."""
        if make not in self._once:
            self._once[make] = make(self)
        return cast(T, self._once[make])

    def text_of(self, path: str, check: str) -> str | None:
        """The text of a file of the tree; None, and a note to `check` that says why, where it cannot be read."""
        content = self.tree.read(path)
        if isinstance(content, Text):
            return content.text
        self.note(check, f"{path} could not be read: {content.reason}")
        return None

    def parsed(self, path: str, parse: Callable[[str], T], check: str) -> T | None:
        """What `parse`, a function of a module, makes of a file of the tree: worked out at the first call for each
        file. None, and a note to `check`, where the file cannot be read."""
        key = (parse, path)
        if key not in self._once:
            text = self.text_of(path, check)
            if text is None:
                return None
            self._once[key] = parse(text)
        return cast(T, self._once[key])

    @cached_property
    def text(self) -> str:
        """All of the plan's documents as one text."""
        return "\n".join(document.text for document in self.plan.documents)

    def text_before(self, span: Span) -> str:
        """The text of the plan above `span`, and that of all its other documents."""
        return "\n".join(
            "\n".join(document.text.split("\n")[: span.first - 1]) if document.path == span.path else document.text
            for document in self.plan.documents
        )

    @cached_property
    def defined(self) -> frozenset[str]:
        """The functions and classes that the plan's code defines."""
        return frozenset(_DEFINED.findall(self.text))

    def commands(self) -> Iterator[tuple[int, Task | None, Command]]:
        """Every command with the position of its task; those outside of all tasks come with the number of tasks, for
        they are run when all is done."""
        for position, task in enumerate(self.plan.tasks):
            if alive(task):
                for command in task.commands:
                    yield position, task, command
        for command in self.plan.commands:
            yield len(self.plan.tasks), None, command

    def invocations(self, command: Command) -> tuple[shell.Invocation, ...]:
        """What a command runs; a developer's absolute directory is taken for the one of the same tail in the tree."""
        return shell.invocations(command.text, command.cwd, resolve=self._directory)

    def _directory(self, path: str) -> str | None:
        found = paths.inside(self.tree, path)
        return found if not paths.is_outside(found) and self.tree.kind(found) is Kind.DIRECTORY else None

    def exists_after(self, path: str, position: int) -> bool | None:
        """Whether `path` is there when the task at `position` is done; None when that cannot be known."""
        kind = self.tree.kind(path)
        made = self.walk.created.get(path)
        gone = self.walk.deleted.get(path)
        if gone is not None and gone[0] <= position:
            return None if made is not None else False
        if kind in (Kind.FILE, Kind.DIRECTORY):
            return True
        if kind is not Kind.MISSING:
            return None
        if made is not None:
            return True if made[0] <= position else None
        return None if path in self.known_added else False

    def task_at(self, span: Span) -> tuple[int, Task | None]:
        """The task that a piece of the plan stands in, and its position; (-1, None) outside of all tasks."""
        starts, positions = self._starts.get(span.path, ([], []))
        at = bisect_right(starts, span.first) - 1
        if at < 0:
            return -1, None
        task = self.plan.tasks[positions[at]]
        return (positions[at], task) if span.first <= task.span.last else (-1, None)

    @cached_property
    def _starts(self) -> dict[str, tuple[list[int], list[int]]]:
        """Document → the first lines of its tasks, ascending, and the positions of these tasks, which never overlap."""
        found: dict[str, tuple[list[int], list[int]]] = {}
        order = sorted(range(len(self.plan.tasks)), key=lambda each: (self.plan.tasks[each].span.first, -each))
        for position in order:
            span = self.plan.tasks[position].span
            starts, positions = found.setdefault(span.path, ([], []))
            starts.append(span.first)
            positions.append(position)
        return found

    @cached_property
    def made_below(self) -> dict[str, int]:
        """Folder → the position of the first task that makes something in it."""
        found: dict[str, int] = {}
        for path, made in self.walk.created.items():
            for folder in parents(path):
                found[folder] = min(made[0], found.get(folder, made[0]))
        return found

    def made_alike(self, path: str) -> bool:
        """Whether the plan makes `path` under a longer or a shorter spelling of the same path."""
        return path in self._made_tails or any(tail in self.walk.created for tail in tails(path))

    @cached_property
    def _made_tails(self) -> frozenset[str]:
        return frozenset(tail for path in self.walk.created for tail in tails(path))

    @cached_property
    def made_by_name(self) -> dict[str, list[str]]:
        """Basename → what the plan makes of that name, sorted."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.walk.created):
            found.setdefault(path[path.rfind("/") + 1 :], []).append(path)
        return found

    @cached_property
    def added_by_name(self) -> dict[str, list[str]]:
        """Basename → what the same change added before, sorted."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.known_added):
            found.setdefault(path[path.rfind("/") + 1 :], []).append(path)
        return found

    @cached_property
    def added_below(self) -> frozenset[str]:
        """The folders in which the same change added something before."""
        return frozenset(folder for path in self.known_added for folder in parents(path))

    def changed(self, path: str) -> bool:
        """Whether anything in the plan writes to this file."""
        return path in self.walk.touched or path in self.walk.created or path in self.walk.deleted

    def uses_of(self, path: str) -> list[Use]:
        """All citations of one path, in the order of the plan."""
        return self._uses.get(path, [])

    @cached_property
    def _uses(self) -> dict[str, list[Use]]:
        found: dict[str, list[Use]] = {}
        for use in self.walk.uses:
            found.setdefault(use.path, []).append(use)
        return found

    @cached_property
    def repositories(self) -> Repositories:
        """Which of the plan's tasks are about this repository."""
        return Repositories(self.plan, self.tree, self.walk)

    @property
    def many_repositories(self) -> bool:
        """Whether the plan says that its work is spread over several repositories."""
        return self.repositories.many

    def elsewhere(self, use: Use) -> bool:
        """Whether the task of a citation may well be about another repository."""
        return self.repositories.elsewhere(use)

    def abroad(self, task: Task | None) -> bool:
        """Whether what a task says and runs may well be about another repository; None is the plan as a whole."""
        return self.repositories.abroad(task)

    def abroad_at(self, position: int) -> bool:
        """The same of the task at a position; a position outside of all tasks is the plan as a whole."""
        return self.abroad(self._task(position))

    def works_here(self, position: int) -> bool:
        """Whether the task at a position changes files of this repository, and none of another."""
        task = self._task(position)
        return task is not None and self.repositories.works_here(task)

    def _task(self, position: int) -> Task | None:
        return self.plan.tasks[position] if 0 <= position < len(self.plan.tasks) else None

    @cached_property
    def siblings(self) -> tuple[Document, ...]:
        """The other plans of the folder, newest name first: stacked plans build on each other's files."""
        found, left_out = siblings.read(self.plan, self.tree, most=self.sibling_limit, most_bytes=self.sibling_bytes)
        if left_out:
            self.note(FindingType.MISSING_PATH.value, f"{left_out} other plans of the folder were not looked into")
        return found

    def made_by_sibling(self, path: str) -> Document | None:
        """Another plan that says that it creates `path`."""
        return self._made_by_siblings.get(path)

    @cached_property
    def _made_by_siblings(self) -> dict[str, Document]:
        return siblings.creations(self.siblings)


# the name is looked ahead at: in `def class A` both words may name what follows them
_DEFINED = re.compile(r"\b(?:def|class)\s+(?=([A-Za-z_]\w*))")
