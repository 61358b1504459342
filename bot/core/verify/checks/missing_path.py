"""A path that the plan changes, reads or deletes, and that neither the tree nor an earlier task has."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from rapidfuzz import fuzz

from bot.core.listing import MAX_PATH
from bot.core.plans.model import Action, Format
from bot.core.tree import Kind
from bot.core.verify import evidence, paths
from bot.core.verify.finding import Draft, Weight, narrow
from bot.core.verify.replay import Standing, Use, is_stated
from bot.core.verify.world import World
from schemas.verify_report import Edit, Evidence, FindingType

TYPE = FindingType.MISSING_PATH

_PLANNING = re.compile(r"(?i)(?:specs?|plans?|designs?|brainstorms?|reviews?|research|reports?|proposals?|ideas?)$")
_NEW = re.compile(
    r"(?i)[\s`*|)(:—–\[-]{0,12}(?:(?:new(?: file)?|created?|added)\s*[:)\]|—]"
    r"|(?:to be created|does not exist|doesn['’]t exist|\w+ (?:if|only if|when|where|as needed))\b)"
)
ALIKE = 75  # per cent that two names have in common before one is suggested for the other
# a path that is not there, and of which the tree cannot say whether it should be
_UNJUDGED = (paths.Look.FOREIGN, paths.Look.BARE)
_BULLET = re.compile(
    r"(?i)\s*(?:[-*+]|\d+[.)])\s+(?:\[ \]\s+)?(?:[\d.]+\s+)?[*_]{0,2}"
    r"(?:modify|update|edit|extend|delete|remove)[*_:]{0,3}\s+[*_`]{1,3}$"
)
_DEPENDS = re.compile(r"(?i)[`*_]{0,3}[\s,(—–-]{0,4}(?:if|when|where|unless|or)\b")
MAX_BESIDE = 2_000  # folders at the top that one is compared with
MAX_TOPS = 50  # of those, that may have been meant
MAX_LINES = 5  # lines named where something was not looked up
_NEEDS = (Action.MODIFY, Action.DELETE, Action.READ, Action.MOVE)
_BREAKS = (Action.MODIFY, Action.DELETE, Action.MOVE)


def _needs_it(use: Use) -> bool:
    return use.ref.action in _NEEDS or (use.ref.action is Action.TEST and use.ref.says_exists)


def _companion(world: World, path: str) -> bool:
    """A document of the planning itself: specifications and plans are often committed after each other."""
    folder, own = posixpath.dirname(path), posixpath.dirname(world.plan.path)
    if not path.endswith(".md"):
        return False
    beside = posixpath.dirname(folder) == posixpath.dirname(own) and bool(_PLANNING.match(posixpath.basename(folder)))
    return folder == own or beside


def _edit(world: World, use: Use, near: str) -> Edit | None:
    """Replaces the path in the plan, when it stands exactly once on its line."""
    span = narrow(world.plan, use.ref.span, use.ref.path)
    text = world.plan.line(span.path, span.first)
    if span.first != span.last or text.count(use.ref.path) != 1:
        return None
    return Edit(path=span.path, start=span.first, end=span.last, old=use.ref.path, new=near)


def _near(world: World, path: str) -> tuple[str | None, bool]:
    """The best path to suggest, and whether it is the only one of that name."""
    # three are enough to know that it is not the only one
    same = [other for other in world.tree.by_name(posixpath.basename(path))[:3] if other != path]
    if len(same) == 1:
        return same[0], True
    near = world.tree.nearest(path, limit=1)
    alike = bool(near) and fuzz.ratio(_stem(near[0]), _stem(path)) >= ALIKE
    return (near[0] if alike else None), False


def _stem(path: str) -> str:
    return posixpath.basename(path).partition(".")[0].casefold()


def _module(world: World, path: str) -> str | None:
    """The package that a cited module has become (`a/b.py` for `a/b/__init__.py`), or the other way round."""
    stem, dot, extension = path.rpartition(".")
    if dot:
        for index in (f"{stem}/__init__.{extension}", f"{stem}/index.{extension}", f"{stem}/mod.{extension}"):
            if world.tree.kind(index) is Kind.FILE:
                return index
    return None


def find(world: World) -> Iterator[Draft]:
    """One draft for each path, at the citation that weighs most."""
    if world.plan.format is Format.KIRO:
        world.note(TYPE.value, "tasks of this format name no paths by rule; those that are named are not judged")
        return
    _say_what_is_not_looked_up(world)
    best: dict[str, Draft] = {}
    unjudged: list[int] = []
    suggested: set[str] = set()
    tops = _Tops(world)
    for use in world.walk.uses:
        if use.standing not in (Standing.ABSENT, Standing.NAMESAKE) or not _needs_it(use):
            continue
        known = best.get(use.path)
        if known is not None and known.weight is not Weight.DOUBT:
            continue
        room = use.path in suggested or len(suggested) < world.suggestion_limit
        draft = _judge(world, use, tops, unjudged, suggest=room)
        if draft is None:
            continue
        if room:
            suggested.add(use.path)
        if known is None or draft.weight is not Weight.DOUBT:
            best[use.path] = draft
    if len(best) > len(suggested) or tops.left < 0:
        world.note(TYPE.value, f"near paths were looked for in the first {world.suggestion_limit} cases only")
    if unjudged:
        said = f"paths that are not there, and may be meant elsewhere: {_lines(unjudged)}"
        world.note(TYPE.value, said)
    yield from best.values()


def _say_what_is_not_looked_up(world: World) -> None:
    """Paths that no tree can hold are no accusation, but what was not read has to be said."""
    lines = [use.ref.span.first for use in world.walk.uses if _beyond(use.path)]
    if lines:
        world.note(TYPE.value, f"paths outside the repository were not looked up: {_lines(lines)}")


def _lines(numbers: Iterable[int]) -> str:
    lines = sorted(set(numbers))
    first = ", ".join(str(line) for line in lines[:MAX_LINES]) + (", …" if len(lines) > MAX_LINES else "")
    return f"line {first} of the plan" if len(lines) == 1 else f"lines {first} of the plan"


def _beyond(path: str) -> bool:
    return paths.is_outside(path) or len(path) > MAX_PATH


def _judge(world: World, use: Use, tops: _Tops, unjudged: list[int], *, suggest: bool) -> Draft | None:
    """`unjudged` gets the plan's line of what may be wrong and cannot be told. `suggest`: look for the path that was
    meant, which costs far more than all the rest."""
    stated = is_stated(use.ref)
    if use.standing is Standing.NAMESAKE:
        return _other_case(world, use) if stated else None
    if not stated or _done(use) or paths.is_outside(use.ref.path):
        # a mention of what is not there is more often history, intent or another place than a mistake
        return None
    if use.path in world.known_added or (use.ref.action is Action.READ and _companion(world, use.path)):
        return None
    look = paths.look(world.tree, use.path)
    meant = tops.other(use.path) if look is paths.Look.FOREIGN and _opens_bullet(world, use) else None
    if meant is not None or (look is paths.Look.BARE and _unknown_name(world, use)):
        if world.elsewhere(use) or _nested(world):
            unjudged.append(use.ref.span.first)
            return None
        look = None
    if look in _UNJUDGED and use.ref.action in _BREAKS:
        unjudged.append(use.ref.span.first)
    if look is not None or _says_new(world, use):
        return None
    shown = evidence.absent(world.tree, use.path)
    if not shown:
        return None
    near, unique = _near(world, use.path) if suggest else (None, False)
    module = _module(world, use.path)
    if module is not None or meant is not None:
        near, unique = module or meant, False
    weight = Weight.BREAKS if use.ref.action in _BREAKS else Weight.WRONG
    message = "no such file, no earlier task creates it"
    if use.ref.path.endswith("/"):
        message = "no such folder, no earlier task creates it"
    sibling = world.made_by_sibling(use.path)
    if sibling is not None:
        weight, message = Weight.DOUBT, f"no such file yet; the plan {sibling.path} creates it"
        shown += evidence.matching(world.tree, sibling.path, use.path)
    elif near is not None:
        shown += evidence.present(world.tree, near)
    if sibling is None and (world.elsewhere(use) or _nested(world)):
        weight, message = Weight.DOUBT, "no such file here; the task may speak of another repository"
        unique = False
    elif sibling is None and _companion(world, use.path):
        weight, message = Weight.DOUBT, "no such document here; it may be one that comes with this plan"
    return Draft(
        TYPE,
        weight,
        use.ref.span,
        use.path,
        message,
        shown,
        task=use.task,
        raw=use.ref.path,
        suggestion=near if sibling is None else None,
        edit=_edit(world, use, near) if near is not None and unique and sibling is None else None,
    )


def _unknown_name(world: World, use: Use) -> bool:
    """Whether a name without a folder, in a bullet that changes or deletes it, is the name of no file whatever."""
    if use.path.startswith(".") or not paths.has_extension(use.path):
        return False
    if world.tree.by_name(use.path) or use.path in world.made_by_name or world.made_by_sibling(use.path):
        return False
    return _opens_bullet(world, use)


def _opens_bullet(world: World, use: Use) -> bool:
    """Whether the path is the very first thing that a bullet changes or deletes, and not a word of its explanation."""
    if use.ref.action not in _BREAKS:
        return False
    span = narrow(world.plan, use.ref.span, use.ref.path)
    before, found, after = world.plan.line(span.path, span.first).partition(use.ref.path)
    return bool(found and _BULLET.match(before) and not _DEPENDS.match(after))


class _Tops:
    """Top folders that may have been meant by others; each one is compared with those of the tree once."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.left = world.suggestion_limit
        self._alike: dict[str, list[str]] = {}

    def other(self, path: str) -> str | None:
        """The file that has the same path below a top folder of nearly the same name."""
        top, _, rest = path.partition("/")
        if top not in self._alike:
            self.left -= 1
            if self.left < 0:
                return None
            self._alike[top] = list(islice(self._find(top), MAX_TOPS))
        tree = self.world.tree
        return next((f"{each}/{rest}" for each in self._alike[top] if tree.kind(f"{each}/{rest}") is Kind.FILE), None)

    def _find(self, top: str) -> Iterator[str]:
        for other in self.world.tree.children(".")[:MAX_BESIDE]:
            alike = other.startswith(top) or top.startswith(other) or fuzz.ratio(other, top) >= ALIKE
            if alike and len(other) > 1:
                yield other


def _other_case(world: World, use: Use) -> Draft | None:
    if use.real is None or use.real.casefold() != use.path.casefold():
        return None
    shown: tuple[Evidence, ...] = evidence.present(world.tree, use.real)
    if not shown:
        return None
    return Draft(
        TYPE,
        Weight.DOUBT,
        use.ref.span,
        use.path,
        "the tree spells this path in other letters",
        shown,
        task=use.task,
        raw=use.ref.path,
        suggestion=use.real,
        edit=_edit(world, use, use.real),
    )


def _nested(world: World) -> bool:
    """Whether the plan belongs to a project within the repository, from whose folder its paths may be meant."""
    base, found, _ = world.plan.path.partition("/docs/")
    return bool(found) and not base.startswith("docs")


def _says_new(world: World, use: Use) -> bool:
    """Whether the words right after the path say that it is new, or touched only if need be, in whatever form."""
    span = narrow(world.plan, use.ref.span, use.ref.path)
    _, found, after = world.plan.line(span.path, span.first).partition(use.ref.path)
    return bool(found and _NEW.match(after))


def _done(use: Use) -> bool:
    return use.task is not None and use.task.status.value == "done"
