"""Files that a command is handed, and whether they can be there when it runs."""

from __future__ import annotations

import posixpath
import re

from bot.core.listing import parents, tails
from bot.core.plans.model import Expect
from bot.core.tree import Kind
from bot.core.verify import evidence, paths, shell
from bot.core.verify.finding import Weight
from bot.core.verify.replay import is_stated
from bot.core.verify.targets import Miss, alike
from bot.core.verify.world import World

MAX_BESIDE = 2_000  # names of a folder that one is compared with
LIKE = 80  # per cent: so like that nothing else can be meant

_RUNS = re.compile(
    r"\bpytest\b|\bgit\s+(add|commit|diff|rm|checkout)\b|\b(ruff|mypy|black|flake8|pyright|isort|pylint)\b"
)
# a program at the start of a line, of a code span or of a part of a command
_STARTS = re.compile(
    r"(?:^|[`$(|;&>]|\brun|\bexec)[ \t]*(?:[A-Z_]\w{0,40}=[^\s`]{0,80}[ \t]+){0,3}(?:[\w.-]{1,40}/){0,4}"
    r"(?:uv|poetry|hatch|pdm|python[\d.]*|node|deno|bash|sh|zsh|npx|bunx?|pnpm|yarn|npm|tsx|ts-node|ruby|perl|chmod|vitest|jest|mocha"
    r"|ava|playwright|cypress|go|cargo|bats|dotnet|eslint|prettier|tsc|shellcheck|docker|docker-compose|mvn|gradle"
    r"|\./[\w./-]+)[ \t`]",
    re.IGNORECASE,
)


def there(world: World, path: str, position: int) -> bool | None:
    """Whether a file or folder is there when the task at `position` is done; None when that cannot be known, or only
    a later task makes it."""
    known = world.exists_after(path, position)
    if known is not False:
        return known
    first = world.made_below.get(path.rstrip("/"))
    if first is None:
        return False
    return True if first <= position else None


def too_early(world: World, cited: str, path: str, position: int, expects: Expect, noun: str) -> Miss | None:
    """A miss when a command that is to pass needs what only a later task creates."""
    made = world.walk.created.get(path)
    if expects is not Expect.PASS or made is None or made[0] <= position or position < 0:
        return None
    if made[1] is None or made[2] is None or not is_stated(made[2]) or world.tree.kind(path) is not Kind.MISSING:
        return None
    shown = (*evidence.absent(world.tree, path), *evidence.planned(world.plan, made[2].span, made[2].path))
    return Miss(cited, f"no such {noun} yet, {made[1].label} creates it later", shown)


def missing(
    world: World,
    invocation: shell.Invocation,
    cited: str,
    path: str,
    position: int,
    noun: str,
    *,
    bare_too: bool = False,
    near: str | None = None,
) -> Miss | None:
    """A miss when nothing explains that `path` is not there; `bare_too` judges names without a folder as well, and
    folders. `near` is a file that is certainly meant."""
    gone = world.walk.deleted.get(path)
    if gone is not None and gone[0] <= position and world.tree.kind(path) is not Kind.MISSING:
        shown = evidence.planned(world.plan, gone[2].span, gone[2].path)
        return Miss(cited, f"{gone[1].label} deletes or moves this {noun} before", shown)
    if gone is not None or path in world.walk.named or world.tree.kind(path) is not Kind.MISSING:
        return None
    shape = paths.look(world.tree, path)
    accepted: set[paths.Look | None] = {None}
    if bare_too:
        accepted.update((paths.Look.BARE, paths.Look.ODD))
    if near is not None or _of_this_tree(world, invocation, path, position):
        accepted.add(paths.Look.FOREIGN)
    if shape not in accepted:
        return None
    if any(folder in world.walk.filled for folder in parents(path)):
        return None
    bare = cited.rstrip("/").removeprefix("./")
    if (
        world.made_alike(bare)
        or world.tree.by_suffix(bare)
        or (invocation.moved and world.tree.kind(bare) is not Kind.MISSING)
    ):
        # the same path under a base folder that the reader is in already
        return None
    name = posixpath.basename(bare)
    planned = world.made_by_name.get(name, [])
    known = [other for other in world.tree.by_name(name) if other not in planned]
    shown = evidence.absent(world.tree, path)
    if not shown:
        return None
    if len(planned) == 1 and paths.has_extension(name):
        when, _, ref = world.walk.created[planned[0]]
        if ref is not None and when <= position:
            shown += evidence.planned(world.plan, ref.span, ref.path)
        better = planned[0] if not invocation.cwd else None
        return Miss(cited, f"no such {noun}; the plan creates it elsewhere", shown, Weight.WRONG, planned[0], better)
    if cited in quiet_lines(world):
        # some step that speaks of it other than to run it may well write it
        return None
    message = f"no such {noun}, and no task creates it"
    if near is not None:
        ref = world.walk.created[near][2] if near in world.walk.created else None
        other = evidence.planned(world.plan, ref.span, ref.path) if ref else evidence.present(world.tree, near)
        return Miss(cited, message, shown + other, Weight.WRONG, near, nowhere=True)
    if len(known) == 1 and paths.has_extension(name):
        better = known[0] if not invocation.cwd else None
        shown += evidence.present(world.tree, known[0])
        return Miss(cited, message, shown, Weight.WRONG, known[0], better, nowhere=True)
    likely = world.tree.nearest(path, limit=1)
    return Miss(cited, message, shown, Weight.WRONG, likely[0] if likely else None)


def _of_this_tree(world: World, invocation: shell.Invocation, path: str, position: int) -> bool:
    """Whether a file in a folder that the tree does not have can only be meant at the root of it: the plan is about
    this one repository, nothing has changed the folder, and no line speaks of the top folder other than to run it."""
    top, _, rest = path.partition("/")
    if not rest or not paths.has_extension(path) or invocation.moved or invocation.cwd != "":
        return False
    if world.many_repositories or world.abroad_at(position) or not world.works_here(position):
        return False
    base, below, _ = world.plan.path.partition("/docs/")
    if below and not base.startswith("docs"):
        return False  # a project within the repository, from whose folder its paths may be meant
    if top in world.made_below or top in world.added_below or top in world.walk.filled or world.tree.by_name(rest):
        return False
    return not world.tree.by_suffix(top) and f"{top}/" not in quiet_lines(world)


def quiet_lines(world: World) -> str:
    """The lines of a plan that run nothing."""
    return world.once(_quiet)


def _quiet(world: World) -> str:
    spans = {command.span for _, _, command in world.commands() if command.span.first < command.span.last}
    running = {(span.path, number) for span in spans for number in range(span.first, span.last + 1)}
    return "\n".join(
        line
        for document in world.plan.documents
        for number, line in enumerate(document.text.split("\n"), 1)
        if (document.path, number) not in running and not _RUNS.search(line) and not _STARTS.search(line[:4_000])
    )


def misspelt(world: World, path: str) -> str | None:
    """The one file of the tree or of the plan that `path` must mean: of a name much like it, in the folder of that
    name. The folder itself may be below a base folder that is not known."""
    folder, name = posixpath.split(path)
    if not folder:
        return None
    planned = world.once(_planned).get(folder, ())
    places = {each for each in (folder, *world.tree.by_suffix(folder)) if world.tree.kind(each) is Kind.DIRECTORY}
    places.update(posixpath.dirname(each) for each in planned)
    if len(places) != 1:
        return None
    (place,) = places
    stem, end = posixpath.splitext(name)
    beside = {posixpath.basename(each) for each in planned}
    beside.update(world.tree.children(place)[:MAX_BESIDE])
    stems = (posixpath.splitext(each)[0] for each in beside if posixpath.splitext(each)[1] == end)
    best = alike(stem, stems, cutoff=LIKE)
    return posixpath.join(place, best + end) if best else None


def _planned(world: World) -> dict[str, tuple[str, ...]]:
    """Folder, whole and without what it may be below → the paths that the plan makes right in it."""
    found: dict[str, list[str]] = {}
    for path in world.walk.created:
        folder = posixpath.dirname(path)
        for tail in (folder, *tails(folder)):
            if tail:
                found.setdefault(tail, []).append(path)
    return {folder: tuple(paths_) for folder, paths_ in found.items()}


def judge(
    world: World,
    invocation: shell.Invocation,
    cited: str | None,
    position: int,
    expects: Expect,
    noun: str,
    *,
    folders: bool = False,
) -> Miss | None:
    """What is wrong with a file that a program is handed: it is nowhere, gone, or made too late.

    `folders` judges a path without an extension as well, where the folder around it is there. Where the plan may speak
    of another repository, or the working directory is not known, only a name that is nearly right counts.
    """
    if cited is None or ("/" not in cited and not (invocation.moved and invocation.cwd)):
        return None
    bare = cited.removeprefix("./").rstrip("/")
    path = shell.join(invocation.cwd, cited) if invocation.cwd is not None else shell.join("", bare)
    if not path or paths.is_glob(cited) or paths.is_placeholder(cited):
        return None
    known = there(world, path, position)
    if known:
        return None
    sure = invocation.cwd is not None and not world.abroad_at(position)
    if known is None:
        return too_early(world, cited, path, position, expects, noun) if sure else None
    name = posixpath.basename(path)
    explained = path in world.walk.deleted or name in world.made_by_name
    if world.made_by_sibling(path) or (not explained and name in quiet_lines(world)):
        return None
    near = None if explained else misspelt(world, path)
    if near is None and not sure:
        return None
    around = folders and world.tree.kind(posixpath.dirname(path)) is Kind.DIRECTORY and "/" in path
    return missing(world, invocation, cited, path, position, noun, bare_too=around, near=near)
