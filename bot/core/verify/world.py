"""What every check is given: the plan, the tree, what the walk saw, and a place to say what could not be looked at."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from bot.core.listing import parents, tails
from bot.core.plans.model import Action, Command, Document, Hedge, Plan, Span, Task
from bot.core.tree import Kind, Text, Tree
from bot.core.verify import paths, shell
from bot.core.verify.replay import Use, Walk, alive, is_stated

# words of a line that has something made: a script, a target
MAX_PACKAGES = 400  # files named package.json that are read for their names
MAX_TASK_LINES = 600  # of a task that are read for whose repository it is about
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
    _placed: dict[Span, str | None] = field(default_factory=dict, init=False, repr=False)

    def note(self, check: str, reason: str) -> None:
        reasons = self.notes.setdefault(check, [])
        if reason not in reasons:
            reasons.append(reason)

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

    def changed(self, path: str) -> bool:
        """Whether anything in the plan writes to this file."""
        return path in self.walk.touched or path in self.walk.created or path in self.walk.deleted

    @cached_property
    def packages(self) -> dict[str, tuple[str, ...]] | None:
        """The names in the tree's package.json files and the folders of each; None when there are too many files."""
        found: dict[str, tuple[str, ...]] = {}
        every = [path for path in self.tree.by_name("package.json") if "node_modules/" not in path]
        if len(every) > MAX_PACKAGES:
            self.note("verify_form", f"{len(every)} files named package.json are too many to know their names")
            return None
        for path in every:
            content = self.tree.read(path)
            name = package_name(content.text) if isinstance(content, Text) else None
            if name is None:
                continue
            found[name] = (*found.get(name, ()), path.rpartition("/")[0])
        return found

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
    def many_repositories(self) -> bool:
        """Whether the plan says that its work is spread over several repositories."""
        return bool(_REPOSITORIES.search(self._words))

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

    def elsewhere(self, use: Use) -> bool:
        """Whether the task of a citation may well be about another repository: it names one, or the plan has several
        and nothing that the task cites is in this one."""
        task = use.task
        if task is None:
            return False
        place = self._place(task)
        if place:
            return place not in self._here
        return self.many_repositories and task.span not in self._known

    def abroad(self, task: Task | None) -> bool:
        """Whether what a task says and runs may well be about another repository; None is the plan as a whole.

        In a plan of several, a task that changes files of this one and speaks of no repository is about this one.
        """
        if task is None:
            return self.many_repositories
        place = self._place(task)
        if place:
            return place not in self._here
        return self.many_repositories and (task.span not in self._at_work or self._speaks_of_repositories(task))

    def abroad_at(self, position: int) -> bool:
        """The same of the task at a position; a position outside of all tasks is the plan as a whole."""
        return self.abroad(self.plan.tasks[position] if 0 <= position < len(self.plan.tasks) else None)

    def works_here(self, position: int) -> bool:
        """Whether the task at a position changes files of this repository, and none of another."""
        task = self.plan.tasks[position] if 0 <= position < len(self.plan.tasks) else None
        return task is not None and task.span in self._at_work and not self.abroad(task)

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
            self._placed[task.span] = self._find_place(task)
        return self._placed[task.span]

    def _find_place(self, task: Task) -> str | None:
        found = _PLACE.search("\n".join(self._said(task, 40)))
        return found.group("place").strip("`/ ").casefold() if found else None

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

    @cached_property
    def siblings(self) -> tuple[Document, ...]:
        """The other plans of the folder, newest name first: stacked plans build on each other's files.

        Where each plan has a folder of its own, the other open ones are those of the same name beside it.
        """
        folder, _, name = self.plan.path.rpartition("/")
        own = {document.path for document in self.plan.documents}
        names = [
            path
            for path in (f"{folder}/{child}" if folder else child for child in self.tree.children(folder))
            if path.endswith(".md") and path not in own
        ]
        above = folder.rpartition("/")[0]
        if name == "tasks.md" and above:
            beside = (f"{above}/{child}/{name}" for child in self.tree.children(above))
            names += [path for path in beside if path not in own and self.tree.kind(path) is Kind.FILE]
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
        return self._made_by_siblings.get(path)

    @cached_property
    def _made_by_siblings(self) -> dict[str, Document]:
        """The paths on those lines of the other plans that speak of creating something."""
        found: dict[str, Document] = {}
        for document in self.siblings:
            for line in document.text.split("\n"):
                if "/" in line and _CREATES.search(line) and not _CHANGES.search(line):
                    for token in _TOKEN.findall(line[:2000]):
                        found.setdefault(token, document)
                        found.setdefault(token.strip(".()[]"), document)
        return found


def package_name(text: str) -> str | None:
    """The name in a package.json; None where it has none or cannot be read."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    name = data.get("name") if isinstance(data, dict) else None
    return name if isinstance(name, str) else None


# the name is looked ahead at: in `def class A` both words may name what follows them
_DEFINED = re.compile(r"\b(?:def|class)\s+(?=([A-Za-z_]\w*))")
_REPOSITORIES = re.compile(
    r"(?i)\bcross-repo|\|\s*\**repo(?:sitory)?\**\s*\||\brepo(?:sitory)?:\**\s*[`/~\w]|\b\d+[ -]repos?\b"
    r"|\b(?:each|per|both|other|sibling|consumer|plugin) repos?\b|\b\w+ repos\b"
)
_REPOSITORY = re.compile(r"(?i)\brepo(?:s|sitory|sitories)?\b|^\s*cd\s+(?:[/~]|\.\.)|\bgit -C\b|\bclone\b")
_PLACE = re.compile(
    r"(?im)(?:\brepo(?:sitory)?:\**\s*|\bworking directory:\**\s*(?=`?[/~])|\bfiles in (?=[`\w./-]+(?: repo)?:)"
    r"|^\s*cd\s+(?=/|~|\.\./))(?P<place>`[^`\n]+`|[\w./~-]+)"
)
_TOKEN = re.compile(r"[\w@+.()\[\]/-]+")
_CREATES = re.compile(r"(?i)\b(?:creat(?:e|es|ed|ing)|new|move[sd]?|renamed?|scaffold(?:s|ed)?)\b")
_CHANGES = re.compile(r"(?i)\b(?:modif(?:y|ies|ied)|update[sd]?|delete[sd]?|existing)\b")
