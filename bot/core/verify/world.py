"""What every check is given: the plan, the tree, what the walk saw, and a place to say what could not be looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from bot.core.plans.model import Command, Document, Plan, Task
from bot.core.tree import Kind, Text, Tree
from bot.core.verify import paths, shell
from bot.core.verify.replay import Use, Walk, alive


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

    def note(self, check: str, reason: str) -> None:
        reasons = self.notes.setdefault(check, [])
        if reason not in reasons:
            reasons.append(reason)

    @cached_property
    def text(self) -> str:
        """All of the plan's documents as one text."""
        return "\n".join(document.text for document in self.plan.documents)

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

    def changed(self, path: str) -> bool:
        """Whether anything in the plan writes to this file."""
        return path in self.walk.touched or path in self.walk.created or path in self.walk.deleted

    @cached_property
    def many_repositories(self) -> bool:
        """Whether the plan says that its work is spread over several repositories."""
        return bool(_REPOSITORIES.search(self.text))

    def elsewhere(self, use: Use) -> bool:
        """Whether the task of a citation may well be about another repository: it names one, or the plan has several
        and nothing that the task cites is in this one."""
        task = use.task
        if task is None:
            return False
        last = min(task.span.last, task.span.first + 40)
        head = "\n".join(self.plan.line(task.span.path, number) for number in range(task.span.first, last + 1))
        if _PLACE.search(head):
            return True
        if not self.many_repositories:
            return False
        return not any(
            other.task is task
            and "/" in other.path
            and other.path != use.path
            and self.tree.kind(other.path) is Kind.FILE
            for other in self.walk.uses
        )

    @cached_property
    def siblings(self) -> tuple[Document, ...]:
        """The other plans of the folder, newest name first: stacked plans build on each other's files."""
        folder = self.plan.path.rpartition("/")[0]
        own = {document.path for document in self.plan.documents}
        names = [
            path
            for path in (f"{folder}/{child}" if folder else child for child in self.tree.children(folder))
            if path.endswith(".md") and path not in own
        ]
        found: list[Document] = []
        left = self.sibling_bytes
        for path in sorted(names, reverse=True)[: self.sibling_limit]:
            content = self.tree.read(path)
            if isinstance(content, Text):
                left -= content.size
                if left < 0:
                    break
                found.append(Document(path, content.text))
        if len(found) < len(names):
            self.note("missing_path", f"{len(names) - len(found)} other plans of the folder were not looked into")
        return tuple(found)

    def made_by_sibling(self, path: str) -> Document | None:
        """Another plan that says that it creates `path`."""
        needle = re.compile(r"(?<![\w/.-])" + re.escape(path) + r"(?![\w/-])")
        for document in self.siblings:
            if path not in document.text:
                continue
            for line in document.text.split("\n"):
                if path in line and needle.search(line) and _CREATES.search(line) and not _CHANGES.search(line):
                    return document
        return None


_REPOSITORIES = re.compile(
    r"(?i)\bcross-repo|\|\s*\**repo(?:sitory)?\**\s*\||\brepo(?:sitory)?:\**\s*[`/~\w]|\b\d+[ -]repos?\b"
    r"|\b(?:each|per|both|other|sibling|consumer|plugin) repos?\b|\b\w+ repos\b"
)
_PLACE = re.compile(
    r"(?im)\brepo(?:sitory)?:\**\s*[`/~\w]|\bworking directory:\**\s*`?[/~]|\bfiles in [`\w./-]+(?: repo)?:"
    r"|^\s*cd\s+(?:/|~|\.\./)"
)
_CREATES = re.compile(r"(?i)\b(?:creat(?:e|es|ed|ing)|new|move[sd]?|renamed?|scaffold(?:s|ed)?)\b")
_CHANGES = re.compile(r"(?i)\b(?:modif(?:y|ies|ied)|update[sd]?|delete[sd]?|existing)\b")
