"""Commands of the plan whose target cannot be there when they run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.plans.model import Command, Expect, Task, TaskStatus
from bot.core.verify import shell
from bot.core.verify.checks.verify_form.commands import commands
from bot.core.verify.finding import Draft, narrow
from bot.core.verify.targets import (
    Miss,
    cargo,
    collect,
    compose,
    dotnet,
    go,
    gradle,
    just,
    linters,
    makefile,
    maven,
    programs,
    pytest,
    scripts,
    taskfile,
    tox,
    workspaces,
)
from bot.core.verify.world import World
from schemas.verify_report import Edit, FindingType

TYPE = FindingType.VERIFY_FORM

_ALTERNATIVE = re.compile(r"(?i)(?:^|\s)#.*\b(?:or|whatever|whichever|if|equivalent|adjust|e\.g\.|optional)\b")
_PLACED = re.compile(
    r"(?i)\b(?:in|from|inside|under|within) (?:the )?`[^`\s]+`|\b(?:or|if (?:present|available|it exists))\b"
)

_STILL_TO_COME = re.compile(
    r"(?i)\bno such\b|\bnot (?:yet )?(?:found|exist\w*|there|resolve\w*)|\bcannot (?:find|resolve)"
    r"|\bno (?:go |test )?files|\bno package|\bmissing\b|\bmodule\b|\bdirectory\b|\bfolder\b"
    r"|n['’]t (?:exist|resolve|find)"
)

MAX_MISSES = 100


def find(world: World) -> Iterator[Draft]:
    """One draft for each target, at the first command that aims at it.

    A command whose failure the line tolerates is left out. So is a step that is meant to fail, for before the code
    exists its target need not be there, unless no task ever makes it and the step is to fail for another reason.
    """
    seen: set[tuple[str, str]] = set()
    for position, task, command in commands(world):
        if _loose(world, command) or (task is not None and task.status is TaskStatus.DONE):
            continue
        for invocation in world.invocations(command):
            if invocation.optional:
                continue
            for miss in _misses(world, invocation, position, command.expects):
                if command.expects is Expect.FAIL and not _fails_otherwise(miss, command):
                    continue
                if (miss.raw, miss.message) not in seen:
                    if len(seen) >= MAX_MISSES:
                        world.note(TYPE.value, f"after {MAX_MISSES} findings the other commands were not looked at")
                        return
                    seen.add((miss.raw, miss.message))
                    yield _draft(world, miss, command, task)


def _fails_otherwise(miss: Miss, command: Command) -> bool:
    """Whether a step that is to fail fails because of its target, and not for what it says."""
    return miss.nowhere and bool(command.expected) and not _STILL_TO_COME.search(command.expected)


def _loose(world: World, command: Command) -> bool:
    """A command with alternatives beside it, or one that its sentence places in some folder."""
    if _ALTERNATIVE.search(command.text):
        return True
    line = world.plan.line(command.span.path, command.span.first)
    return command.span.first == command.span.last and bool(_PLACED.search(line))


def _misses(world: World, invocation: shell.Invocation, position: int, expects: Expect) -> Iterator[Miss]:
    yield from compose.judge(world, invocation, position, expects)
    inner = shell.unwrap(invocation)
    if not inner.argv:
        return
    yield from workspaces.judge(world, inner, position)
    inner = workspaces.inside(world, inner)
    yield from pytest.judge(world, inner, position, expects)
    yield from scripts.judge(world, inner)
    yield from makefile.judge(world, inner)
    for names in (cargo, gradle, just, maven, taskfile, tox):
        yield from names.judge(world, inner, position)
    for files in (collect, dotnet, go, linters, programs):
        yield from files.judge(world, inner, position, expects)


def _draft(world: World, miss: Miss, command: Command, task: Task | None) -> Draft:
    span = narrow(world.plan, command.span, miss.raw)
    edit = None
    if miss.replace_by and span.first == span.last and world.plan.line(span.path, span.first).count(miss.raw) == 1:
        edit = Edit(path=span.path, start=span.first, end=span.last, old=miss.raw, new=miss.replace_by)
    return Draft(
        TYPE,
        miss.weight,
        command.span,
        miss.raw,
        miss.message,
        miss.evidence,
        task=task,
        raw=miss.raw,
        suggestion=miss.suggestion,
        edit=edit,
    )
