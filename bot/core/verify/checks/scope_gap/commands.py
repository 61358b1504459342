"""Commands that a plan's design lists and of which the plan builds only some."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import islice

from bot.core.plans.model import Action, Plan, Span, Task
from bot.core.tree import Kind, Text
from bot.core.verify import evidence
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.SCOPE_GAP

MAX_DESIGNS = 3
SHOWN = 20  # commands that a finding spells out
MAX_SUBJECT = 300  # characters
MAX_FAMILIES = 40  # groups of commands of one design
_NAMED = 3  # commands of a family that the plan has to name before the rest is missed

# the line in a plan's head that says what it is made from
_DESIGN = re.compile(
    r"(?im)^\W{0,6}(?:design(?: doc(?:ument)?)?|spec(?:ification)?)\W{0,6}:\W{0,6}(?P<path>[\w./-]{1,300}\.md)\b"
)
# `program group verb …` in a code span, or a line of a block of commands
_COMMAND = re.compile(
    r"(?m)(?:`|^[ \t]*(?:\$ )?)(?P<family>[a-z][\w-]{1,40} [a-z][\w-]{1,40}) (?P<verb>[a-z][\w-]{1,40})(?=[\s`])"
)
_WORD = re.compile(r"[\w-]+")
_LATER = re.compile(
    r"(?i)\b(?:later|future|deferred?|out of scope|not (?:in|part)|(?:phase|tier) [2-9]|optional|existing"
    r"|already|today)\b"
)


def find(world: World) -> Iterator[Draft]:
    """One draft for each group of commands that the plan makes anew: its design asks for more of them than the plan
    names anywhere, and the plan names most."""
    plan = world.plan
    text = plan.documents[0].text
    made: dict[tuple[str, str], Task] = {}  # a folder on the way to a new file, and the file's stem
    for task in plan.tasks:
        for ref in task.files:
            if ref.action is Action.CREATE and world.tree.kind(ref.path) is Kind.MISSING:
                *folders, name = ref.path.split("/")[-8:]
                for folder in folders:
                    made.setdefault((folder, name.partition(".")[0]), task)
    if not made:
        return
    for path in _designs(plan)[:MAX_DESIGNS]:
        content = world.tree.read(path)
        if not isinstance(content, Text):
            continue
        # a group that is there already may well have the rest of its commands
        families = {
            family: (verbs, maker)
            for family, verbs in _families(content.text).items()
            if (maker := made.get(_pair(family))) is not None
        }
        if len(families) > MAX_FAMILIES:
            world.note(TYPE.value, f"only the first {MAX_FAMILIES} groups of commands of {path} were looked at")
        lines = _Lines(text, frozenset(_pair(family)[1] for family in families))
        for family, (verbs, maker) in islice(families.items(), MAX_FAMILIES):
            named, line = lines.naming(family, verbs, maker.span)
            left = [verb for verb in verbs if verb not in named]
            if not left or len(named) < _NAMED or len(named) * 2 < len(verbs):
                continue
            shown = tuple(
                piece for verb in left[:SHOWN] for piece in evidence.matching(world.tree, path, f"{family} {verb}")
            )
            span = Span(plan.path, line, line)
            listed = ", ".join(f"`{family} {verb}`" for verb in left[:SHOWN])
            listed += f" and {len(left) - SHOWN} more" if len(left) > SHOWN else ""
            message = f"the design also asks for {listed}, and no task names {'it' if len(left) == 1 else 'them'}"
            yield Draft(
                TYPE,
                Weight.WRONG,
                span,
                f"{family} {', '.join(left)}"[:MAX_SUBJECT],
                message,
                shown,
                task=maker,
                raw=family,
            )


def _pair(family: str) -> tuple[str, str]:
    program, group = family.split()
    return program, group


def _designs(plan: Plan) -> list[str]:
    """The documents that the plan's head names as its design, as paths of the repository."""
    head = plan.documents[0].text[:8000]
    named = [match.group("path").removeprefix("./") for match in _DESIGN.finditer(head)]
    folder = posixpath.dirname(plan.path)
    return list(dict.fromkeys(path if "/" in path else posixpath.join(folder, path) for path in named))


def _families(text: str) -> dict[str, list[str]]:
    """`program group` → its verbs, in order; what a line sets aside is left out."""
    found: dict[str, dict[str, None]] = {}
    for line in text.split("\n"):
        if _LATER.search(line[:1000]):
            continue
        for match in _COMMAND.finditer(line[:1000]):
            found.setdefault(match.group("family"), {})[match.group("verb")] = None
    return {family: list(verbs) for family, verbs in found.items() if len(verbs) > _NAMED}


class _Lines:
    """The lines of the plan by the words on them."""

    def __init__(self, text: str, groups: frozenset[str]) -> None:
        self.about: dict[str, list[tuple[int, frozenset[str], str]]] = {}
        for number, line in enumerate(text.split("\n"), 1):
            words = frozenset(_WORD.findall(line[:1000]))
            for group in groups & words:
                self.about.setdefault(group, []).append((number, words, line))

    def naming(self, family: str, verbs: list[str], span: Span) -> tuple[frozenset[str], int]:
        """The verbs on lines about that group, and the first line of `span` that names most of them."""
        program, group = family.split()
        wanted = frozenset(verbs)
        named: set[str] = set()
        best, most = span.first, 0
        for number, words, line in self.about.get(group, ()):
            here = wanted & words
            named |= here
            if len(here) > most and program in line and span.first <= number <= span.last:
                best, most = number, len(here)
        return frozenset(named), best
