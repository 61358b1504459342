"""A step that is to fail for a reason that cannot hold when it runs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from bot.core.plans.model import Action, Command, Expect, Span, TaskStatus
from bot.core.tree import Kind, Text
from bot.core.verify import evidence, shell
from bot.core.verify.checks.verify_form.commands import commands
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.world import World
from schemas.verify_report import Evidence, FindingType

TYPE = FindingType.VERIFY_FORM
MAX_FILES = 60  # of one Go package that are looked into

_NO_MODULE = re.compile(r"No module named ['\"`]?(?P<module>[A-Za-z_][\w.]*)")
_NO_NAME = re.compile(r"cannot import name ['\"`](?P<name>\w+)['\"`] from ['\"`](?P<module>[A-Za-z_][\w.]*)")
_UNDEFINED = re.compile(r"undefined:\s*`?(?P<name>[A-Za-z_]\w*)(?![\w.])")
_NO_FILE = re.compile(r"Cannot find module ['\"`](?P<module>\.{1,2}/[\w./@-]+)['\"`]")
_SCRIPT = (".ts", ".tsx", ".js", ".jsx", ".mjs", "/index.ts", "/index.js", "")


def find(world: World) -> Iterator[Draft]:
    """One draft for each such step: the plan says what will be missing, and it is there."""
    for position, task, command in commands(world):
        if command.expects is not Expect.FAIL or not command.expected or task is None:
            continue
        if task.status is TaskStatus.DONE:
            continue
        known = _there(world, command, position)
        if known is None:
            continue
        subject, message, shown = known
        yield Draft(
            TYPE,
            Weight.WRONG,
            Span(command.span.path, command.span.first, command.span.last + 3),
            subject,
            f"the step is to fail because of a missing `{subject}`, {message}",
            shown,
            task=task,
            raw=subject,
        )


def _there(world: World, command: Command, position: int) -> tuple[str, str, tuple[Evidence, ...]] | None:
    """What the step expects to be missing although it is there, in what words, and what shows it."""
    said = command.expected
    if match := _NO_NAME.search(said):
        for path in _modules(match.group("module"), command.cwd):
            shown = _defined(world, path, match.group("name"), rf"(?:async\s+def|def|class)\s+{match.group('name')}\b")
            if shown:
                return match.group("name"), f"and {path} defines it", shown
        return None
    if match := _NO_MODULE.search(said):
        return _file(world, match.group("module"), _modules(match.group("module"), command.cwd), position)
    if match := _NO_FILE.search(said):
        for test in _tests(world, command):
            stem = shell.join(posixpath.dirname(test), match.group("module"))
            if stem and (found := _file(world, match.group("module"), [stem + end for end in _SCRIPT], position)):
                return found
        return None
    if match := _UNDEFINED.search(said):
        name = match.group("name")
        for folder in _packages(world, command):
            for path in _sources(world, folder):
                shown = _defined(world, path, name, rf"(?:func|type|var|const)\s+{re.escape(name)}\b")
                if shown:
                    return name, f"and {path} defines it", shown
    return None


def _modules(dotted: str, cwd: str | None) -> list[str]:
    """Where a Python module of that name may stand."""
    stem = dotted.replace(".", "/")
    bases = dict.fromkeys(("", "src/", *([f"{cwd}/"] if cwd else [])))
    return [base + stem + end for base in bases for end in (".py", "/__init__.py")]


def _file(
    world: World, subject: str, candidates: list[str], position: int
) -> tuple[str, str, tuple[Evidence, ...]] | None:
    for path in candidates:
        made = world.walk.created.get(path)
        if path in world.walk.deleted or path in world.known_added:
            continue
        if world.tree.kind(path) is Kind.FILE:
            if any(use.ref.action is Action.CREATE for use in world.uses_of(path)):
                return None  # that the plan makes a file which is there is said by itself
            return subject, f"and {path} is there", evidence.present(world.tree, path)
        if made is not None and made[1] is not None and made[2] is not None and 0 <= made[0] < position:
            return (
                subject,
                f"and {made[1].label} has made {path}",
                evidence.planned(world.plan, made[2].span, made[2].path),
            )
    return None


def _defined(world: World, path: str, name: str, pattern: str) -> tuple[Evidence, ...]:
    """The line of a file that the plan leaves alone in which `name` is defined at the top level."""
    if world.tree.kind(path) is not Kind.FILE or world.changed(path) or path in world.known_added:
        return ()
    content = world.tree.read(path)
    if not isinstance(content, Text) or name not in content.text:
        return ()
    match = re.compile(rf"(?m)^{pattern}").search(content.text)
    return evidence.line(world.tree, path, content.text.count("\n", 0, match.start()) + 1) if match else ()


def _tests(world: World, command: Command) -> Iterator[str]:
    for invocation in world.invocations(command):
        for word in invocation.argv[1:]:
            path = shell.join(invocation.cwd, word) if word and word.endswith(_SCRIPT[:5]) else None
            if path:
                yield path


def _packages(world: World, command: Command) -> Iterator[str]:
    """The folders that `go test` is given, one by one; none when it is given all of them."""
    for invocation in world.invocations(command):
        if invocation.argv[:2] != ("go", "test"):
            continue
        for word in invocation.argv[2:]:
            if word and word.startswith("./") and "..." not in word and (path := shell.join(invocation.cwd, word)):
                yield path


def _sources(world: World, folder: str) -> list[str]:
    names = [name for name in world.tree.children(folder) if name.endswith(".go")]
    if len(names) > MAX_FILES:
        world.note(
            TYPE.value, f"only the first {MAX_FILES} files of {folder} were searched for what a step calls missing"
        )
    return [f"{folder}/{name}" if folder else name for name in names[:MAX_FILES]]
