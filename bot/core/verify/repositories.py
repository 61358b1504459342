"""Whose repository a task is about, where a plan spreads its work over several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from bot.core.plans.model import Action, Hedge, Plan, Span, Task
from bot.core.tree import Kind, Tree
from bot.core.verify.replay import Use, Walk, is_stated

MAX_TASK_LINES = 600  # of a task that are read for whose repository it is about
MAX_PLACE_LINES = 40  # of a task that are read for the place that it names

_REPOSITORIES = re.compile(
    r"(?i)\bcross-repo|\|\s*\**repo(?:sitory)?\**\s*\||\brepo(?:sitory)?:\**\s*[`/~\w]|\b\d+[ -]repos?\b"
    r"|\b(?:each|per|both|other|sibling|consumer|plugin) repos?\b|\b\w+ repos\b"
)
_REPOSITORY = re.compile(r"(?i)\brepo(?:s|sitory|sitories)?\b|^\s*cd\s+(?:[/~]|\.\.)|\bgit -C\b|\bclone\b")
_PLACE = re.compile(
    r"(?im)(?:\brepo(?:sitory)?:\**\s*|\bworking directory:\**\s*(?=`?[/~])|\bfiles in (?=[`\w./-]+(?: repo)?:)"
    r"|^\s*cd\s+(?=/|~|\.\./))(?P<place>`[^`\n]+`|[\w./~-]+)"
)


@dataclass
class Repositories:
    """What a plan says of the repositories that its tasks are about."""

    plan: Plan
    tree: Tree
    walk: Walk
    _placed: dict[Span, str | None] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def many(self) -> bool:
        """Whether the plan says that its work is spread over several repositories."""
        return bool(_REPOSITORIES.search(self._words))

    def elsewhere(self, use: Use) -> bool:
        """Whether the task of a citation may well be about another repository: it names one, or the plan has several
        and nothing that the task cites is in this one."""
        task = use.task
        if task is None:
            return False
        place = self._place(task)
        if place:
            return place not in self._here
        return self.many and task.span not in self._known

    def abroad(self, task: Task | None) -> bool:
        """Whether what a task says and runs may well be about another repository; None is the plan as a whole.

        In a plan of several, a task that changes files of this one and speaks of no repository is about this one.
        """
        if task is None:
            return self.many
        place = self._place(task)
        if place:
            return place not in self._here
        return self.many and (task.span not in self._at_work or self._speaks_of_repositories(task))

    def works_here(self, task: Task) -> bool:
        """Whether a task changes files of this repository, and none of another."""
        return task.span in self._at_work and not self.abroad(task)

    @cached_property
    def _words(self) -> str:
        """The plan without its blocks of code."""
        return "\n".join(
            line
            for document in self.plan.documents
            for number, line in enumerate(document.text.split("\n"), 1)
            if (document.path, number) not in self._code
        )

    @cached_property
    def _code(self) -> frozenset[tuple[str, int]]:
        """The lines of the plan's blocks of code, each with its document."""
        return frozenset(
            (snippet.span.path, number)
            for snippet in self.plan.snippets
            for number in range(snippet.span.first, snippet.span.last + 1)
        )

    def _said(self, task: Task, most: int) -> Iterator[str]:
        """The first lines of a task, its blocks of code left out."""
        path = task.span.path
        for number in range(task.span.first, min(task.span.last, task.span.first + most) + 1):
            if (path, number) not in self._code:
                yield self.plan.line(path, number)[:500]

    def _speaks_of_repositories(self, task: Task) -> bool:
        return any(_REPOSITORY.search(line) for line in self._said(task, MAX_TASK_LINES))

    @cached_property
    def _at_work(self) -> frozenset[Span]:
        """The tasks that say they change or delete a file of this repository, by span."""
        return frozenset(
            use.task.span
            for use in self.walk.uses
            if use.task is not None
            and use.ref.action in (Action.MODIFY, Action.DELETE)
            and is_stated(use.ref)
            and "/" in use.path
            and self.tree.kind(use.path) is Kind.FILE
        )

    def _place(self, task: Task) -> str | None:
        """The repository or directory that a task names as its place."""
        if task.span not in self._placed:
            found = _PLACE.search("\n".join(self._said(task, MAX_PLACE_LINES)))
            self._placed[task.span] = found.group("place").strip("`/ ").casefold() if found else None
        return self._placed[task.span]

    @cached_property
    def _known(self) -> frozenset[Span]:
        """The tasks that cite a file of this repository, by span."""
        return frozenset(
            use.task.span
            for use in self.walk.uses
            if use.task is not None
            and use.ref.hedge is not Hedge.ELSEWHERE
            and "/" in use.path
            and self.tree.kind(use.path) is Kind.FILE
        )

    @cached_property
    def _here(self) -> frozenset[str]:
        """The places named by tasks whose files are in this repository."""
        named = ((self._place(task), task) for task in self.plan.tasks)
        return frozenset(place for place, task in named if place and task.span in self._known)
