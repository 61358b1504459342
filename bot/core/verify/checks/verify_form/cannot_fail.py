"""Commands whose outcome says nothing: they succeed whatever the thing under test does."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from bot.core.plans.model import Command, Expect, Task, TaskStatus
from bot.core.verify import evidence
from bot.core.verify.checks.verify_form.commands import commands
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.VERIFY_FORM
STEP = 20  # lines above and below a command that may belong to its step
NEAR = 2  # lines between two commands of one block

# what is run to learn whether something works
_CHECKER = re.compile(
    r"(?:^|[\s;&|(/])(?:pytest|py\.test|tox|nox|unittest|vitest|jest|mocha|ava|playwright|cypress|rspec|phpunit|ctest"
    r"|go (?:test|vet|build)|cargo (?:test|check|clippy|build|nextest)|(?:npm|pnpm|yarn|bun) (?:[^|;&\n]{0,120} )?\S*"
    r"(?:test|lint|check|build)\S*|dotnet (?:test|build)|\S*gradlew? \S*(?:test|check|build)\S*"
    r"|mvn\S* [^|;&]*(?:test|verify)"
    r"|mix test|swift test|deno test|node --test|make \S*(?:test|check|lint)\S*|ruff check|mypy|pyright|tsc|eslint"
    r"|golangci-lint|openspec validate|shellcheck|just \S*(?:test|check|lint)\S*|(?:bash|sh) \S*test\S*)(?=\s|$)"
)
_SWALLOWED = re.compile(
    r"(?:\|\|\s*(?:true|:|exit 0|(?:echo|printf)\s[\w'\". !-]{1,60})|;\s*(?:true|exit 0))\s*(?:#[^\n]*)?$"
)
# `exit` ends the inner shell only, and what follows makes up for it
_INNER_EXIT = re.compile(r"\bexit\s+[1-9]\d*\s*;?\s*\)\s*\|\|\s*(?:echo|printf|true|:)(?=\s|$)[^|&;\n]*$")
# a tolerated failure that the words around own up to
_ON_PURPOSE = re.compile(
    r"(?i)\b(?:optional|best[- ]effort|ignore|tolerat|may fail|might fail|allowed to fail|non-blocking|informational"
    r"|expected to fail|known (?:fail|flak|issue)|pre-?existing|baseline|if (?:it|they|that) fails?|even if"
    r"|not (?:yet )?(?:installed|available)|review the output|inspect|eyeball|look at|counts?\b|clean ?up)"
)
# the last command of a pipe, where its status says nothing of the one before
_FILTER = r"(?:tee|tail|head|cat|sort|uniq|sed|tr|cut|column|less|wc|fold|nl)"
_PIPED = re.compile(rf"\|\s*{_FILTER}\b[^|;&\n]*$")
_PIPED_STATUS = re.compile(rf"\|\s*{_FILTER}\b[^|;&\n]*(?:;|&&|\n)\s*(?P<use>[^\n]{{0,400}}?\$\?)")
_STATUS = re.compile(r"\$\?|\$\{\?\}")
_PIPE_FAILS = re.compile(r"pipefail|PIPESTATUS|pipestatus")
_STEP = re.compile(r"\s{0,12}(?:[-*+]|\d{1,4}[.)]) \[[ xX]\]|#{1,6} ")
_ECHO = re.compile(r"^(?:echo|printf)\s+(?P<said>'[^'$`]*'|\"[^\"$`]*\"|[^$`|;&><\"']*)$")


def find(world: World) -> Iterator[Draft]:
    """One draft for each such command."""
    before: tuple[Command, Task | None] | None = None
    careful: set[tuple[str, int]] = set()
    blocks: dict[int, _Block] = {}  # of the tasks that print something
    for position, task, command in commands(world):
        if _PIPE_FAILS.search(command.text):
            careful.add((command.span.path, position))
        if task is None or task.status is not TaskStatus.DONE:
            draft = None
            if (command.span.path, position) not in careful:
                draft = _status(world, before, command, task)
            draft = draft or _swallowed(world, command, task) or _inner(world, command, task)
            draft = draft or _echo(world, blocks, position, command, task)
            if draft is not None:
                yield draft
        before = command, task


def _status(
    world: World, before: tuple[Command, Task | None] | None, command: Command, task: Task | None
) -> Draft | None:
    """`$?` after a pipe: the status of `tee` or `tail`, which is always 0."""
    match = _PIPED_STATUS.search(command.text[:8000])
    piped = command
    if match is None:
        if before is None or before[1] is not task or not _STATUS.search(command.text.partition("\n")[0]):
            return None
        piped = before[0]
        gap = command.span.first - piped.span.last
        # only the very next command of the block sees that status
        first = command.text.lstrip()
        used = _STATUS.search(first)
        if not 0 < gap <= NEAR or piped.span.path != command.span.path or not _PIPED.search(piped.text[-400:]):
            return None
        if used is None or re.search(r"&&|\|\||;|\n", first[: used.start()]):
            return None
    return Draft(
        TYPE,
        Weight.WRONG,
        command.span,
        "$?",
        "`$?` after a pipe is the status of the pipe's last command, so this cannot fail; use `set -o pipefail`",
        evidence.planned(world.plan, piped.span, "|"),
        task=task,
        raw="$?",
    )


def _swallowed(world: World, command: Command, task: Task | None) -> Draft | None:
    """A check whose failure is thrown away."""
    found = _SWALLOWED.search(command.text[-200:])
    if found is None or command.expects is Expect.FAIL or not _CHECKER.search(command.text[:2000]):
        return None
    if _ON_PURPOSE.search(_around(world, command)) or "|" in command.text.partition("||")[0]:
        return None
    said = found.group(0).partition("#")[0].strip()
    if _plainly(world, command, command.text.strip()[: -len(found.group(0))].strip()):
        return None
    return Draft(
        TYPE,
        Weight.WRONG if command.expects is Expect.PASS else Weight.DOUBT,
        command.span,
        said,
        f"with `{said}` at its end this command succeeds even when the check fails",
        evidence.planned(world.plan, command.span, said),
        task=task,
        raw=said,
    )


def _plainly(world: World, command: Command, check: str) -> bool:
    """Whether the line or the step of `command` has the same check in a code span, with nothing behind it: then this
    one is run only to see what is left."""
    if not check or "\n" in command.text.strip():
        return False
    path, first = command.span.path, command.span.first
    above = next(
        (n for n in range(first, max(0, first - STEP), -1) if _STEP.match(world.plan.line(path, n)[:400])), first
    )
    below = next(
        (n for n in range(first + 1, first + STEP) if _STEP.match(world.plan.line(path, n)[:400])), first + STEP
    )
    return any(f"`{check}`" in world.plan.line(path, number) for number in range(above, below))


def _inner(world: World, command: Command, task: Task | None) -> Draft | None:
    """`check && (… exit 1) || echo fine`: the `exit` leaves the parentheses, and the echo succeeds."""
    found = _INNER_EXIT.search(command.text[-1000:])
    if found is None:
        return None
    said = found.group(0)
    return Draft(
        TYPE,
        Weight.WRONG,
        command.span,
        said[:80],
        "the `exit` ends only the parentheses, and what follows `||` then succeeds, so this cannot fail",
        evidence.planned(world.plan, command.span, said),
        task=task,
        raw=said,
    )


def _echo(world: World, blocks: dict[int, _Block], position: int, command: Command, task: Task | None) -> Draft | None:
    """A step that is verified by printing words of its own."""
    if command.expects is not Expect.PASS or not _ECHO.match(command.text.strip()):
        return None
    inline = f"`{command.text}`" in world.plan.line(command.span.path, command.span.first)
    if task is not None and not inline:
        if position not in blocks:
            blocks[position] = _Block(task.commands)
        if blocks[position].more(command):
            return None  # it ends a script that does something
    return Draft(
        TYPE,
        Weight.WRONG,
        command.span,
        command.text.strip()[:80],
        "the step is verified by printing words, which cannot fail",
        evidence.planned(world.plan, command.span, command.text.strip()[:80]),
        task=task,
        raw=command.text.strip().partition("\n")[0],
    )


class _Block:
    """The commands of one task by the lines that they begin in, so that the nearest are at hand."""

    def __init__(self, commands: Iterable[Command]) -> None:
        self.spans = sorted((each.span.path, each.span.first, each.span.last) for each in commands)
        self.starts = [(path, first) for path, first, _ in self.spans]

    def more(self, command: Command) -> bool:
        """Whether another command stands in one block with `command`."""
        span = command.span
        low = bisect_left(self.starts, (span.path, span.first))
        high = bisect_right(self.starts, (span.path, span.first))
        above = self.spans[low - 1] if low else None
        below = self.spans[high] if high < len(self.spans) else None
        return (
            high - low > 1
            or (above is not None and above[0] == span.path and span.first - above[2] <= NEAR)
            or (below is not None and below[0] == span.path and below[1] - span.last <= NEAR)
        )


def _around(world: World, command: Command) -> str:
    """The lines just above and below, where a plan says why a failure is let pass."""
    first, last = max(1, command.span.first - 3), command.span.last + 2
    return "\n".join(
        world.plan.line(command.span.path, number)[:400] for number in range(first, min(last, first + 30) + 1)
    )
