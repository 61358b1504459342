"""A path that the plan creates although it is there already."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from bot.core.plans.model import Action, Certainty, Hedge, TaskStatus
from bot.core.tree import Kind
from bot.core.verify import evidence, paths
from bot.core.verify.finding import Draft, Weight, narrow
from bot.core.verify.replay import Use
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.IGNORES_EXISTING_CODE

_FILES = (Kind.FILE, Kind.SYMLINK)

# often listed among created files because a folder needs them, whether or not they are there
_MARKERS = frozenset({"__init__.py", ".gitkeep", ".keep", "mod.rs", "index.ts", "index.js", "doc.go", "__init__.pyi"})


_ANEW = re.compile(
    r"(?i)[\s`*_|)(:—–\[,-]{0,12}(?:(?:auto-?)?(?:re)?generated\b|"
    r"(?:this |it |to |which |will |fully |completely ){0,3}"
    r"(?:overwrit(?:es?|ten|ing)|replac(?:es?|ed|ing)|supersedes?|"
    r"rewrit(?:es?|ten|ing)|re-?creat(?:es?|ed|ing))\b(?:[\s.;:)\]]{0,3}$|[.,;:)\]]|\s+(?:with |by )?"
    r"(?:the |its |an? |any |all |of |what(?:ever)? ){0,3}"
    r"(?:existing|current|old|previous|present|placeholder|stub|stale|default|is there|one|file|it|if)\b))"
)


def _aware(world: World, use: Use) -> bool:
    """The same part of the plan also changes, deletes or moves the file: it knows that it is there."""
    for other in world.uses_of(use.path):
        if other is use or other.ref.action is Action.CREATE:
            continue
        knows = other.ref.action in (Action.MODIFY, Action.DELETE, Action.MOVE) or other.ref.says_exists
        if knows and (use.task is None or other.task is None or other.position <= use.position):
            return True
    return False


def _written_anew(world: World, use: Use) -> bool:
    """What a tool writes is written anew each time, and what overwrites a file knows of it."""
    span = narrow(world.plan, use.ref.span, use.ref.path)
    _, found, after = world.plan.line(span.path, span.first).partition(use.ref.path)
    return bool(found) and _ANEW.match(after) is not None


def find(world: World) -> Iterator[Draft]:
    """One draft for each created path that exists, at the first task that creates it."""
    own = {document.path for document in world.plan.documents}
    seen: set[str] = set()
    uses = sorted(world.walk.uses, key=lambda use: use.task is None)
    for use in uses:
        # a name that looks like a placeholder is none when just that file is there
        stated = use.ref.certainty is Certainty.STATED and use.ref.hedge in (None, Hedge.PLACEHOLDER)
        if use.ref.action is not Action.CREATE or use.path in seen or not stated:
            continue
        if use.path in own or use.path in world.known_added or paths.is_glob(use.path):
            continue
        if use.task is not None and use.task.status in (TaskStatus.DONE, TaskStatus.IN_PROGRESS):
            continue
        draft = _judge(world, use)
        if draft is not None:
            seen.add(use.path)
            yield draft


def _judge(world: World, use: Use) -> Draft | None:
    real = use.path
    kind = world.tree.kind(real)
    weight = Weight.WRONG
    message = "the plan creates this file, and it is there already"
    if kind is Kind.MISSING:
        folded = world.tree.folded(real)
        if folded is None or world.tree.kind(folded) not in _FILES:
            return None
        real, message = folded, "the plan creates this file, and it is there already in other letters"
        if posixpath.dirname(folded) != posixpath.dirname(use.path):
            return None
        if world.walk.deleted.get(real) is not None:
            return None
    elif kind not in _FILES or use.was not in _FILES or use.changed:
        # a folder may well be there, and what an earlier task made, changed or removed is not overlooked code
        return None
    if _aware(world, use) or _written_anew(world, use):
        return None
    if posixpath.basename(use.path) in _MARKERS or paths.is_generated(world.tree, use.path):
        weight = Weight.DOUBT
    shown = evidence.present(world.tree, real)
    if not shown:
        return None
    return Draft(TYPE, weight, use.ref.span, use.path, message, shown, task=use.task, raw=use.ref.path, suggestion=real)
