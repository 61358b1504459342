"""Modules in the task paths that gradle is given."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.verify import evidence, shell
from bot.core.verify.targets import MAX_NAMES, TYPE, Miss, alike, ground
from bot.core.verify.world import World

_NAMES = ("settings.gradle.kts", "settings.gradle")
_VALUED = frozenset({
    "-p", "--project-dir", "-b", "--build-file", "-c", "--settings-file", "-x", "--exclude-task", "--tests", "-g",
    "-I", "--init-script", "--console", "--max-workers", "-a", "--include-build", "--configuration", "--dependency",
    "--args", "--priority", "--warning-mode", "--task", "-M", "-t",
})  # fmt: skip
_TASK = re.compile(r"^:?[A-Za-z][\w.-]*(?::[A-Za-z][\w.-]*)+$")
_INCLUDE = re.compile(r"\binclude\b[^\S\n]*\(?")
_STRINGS = re.compile(r"\s*[\"']([^\"'\n]{0,200})[\"']\s*(,?)")
_CLOSED = re.compile(r"\s*\)")
_COMMENTED = re.compile(r"[^\S\n]*(?://|\*)")
# whatever computes the modules
_OPEN = re.compile(
    r"\bincludeBuild\b|\bincludeFlat\b|\bapply\b[^\n]{0,200}\bfrom\b|\beach\w*\b|\bfor\b|\bfile[A-Z]\w*\b|\blistFiles\b|\bwalk\w*\b"
    r"|\bincludeProjects?\b|\bforEach\b|\bsplit\b"
)


def modules(text: str) -> frozenset[str] | None:
    """The project paths (`a:b`) that settings include, those above them too; None when they are computed."""
    if _OPEN.search(text):
        return None
    found: set[str] = set()
    line, commented, seen = 0, _COMMENTED.match(text) is not None, 0
    for match in _INCLUDE.finditer(text):
        # a line that holds many is looked at once, and nothing before the last one again
        start = text.rfind("\n", seen, match.start()) + 1
        seen = match.end()
        if start > line:
            line, commented = start, _COMMENTED.match(text, start) is not None
        if commented:
            continue
        at, more = match.end(), True
        while more:
            string = _STRINGS.match(text, at)
            if string is None and at > match.end() and _CLOSED.match(text, at):
                break
            if string is None or "$" in string.group(1):
                return None
            parts = re.split(r"[:/]", string.group(1).strip(":/"))
            found.update(":".join(parts[:end]) for end in range(1, len(parts) + 1))
            at, more = string.end(), bool(string.group(2))
    return frozenset(found)


def _abbreviates(wanted: str, known: str) -> bool:
    """Whether gradle takes `wanted` for `known`: `mA:api` for `myApp:api`."""
    short, full = wanted.split(":"), known.split(":")
    if len(short) != len(full):
        return False
    for part, name in zip(short, full, strict=True):
        humps = re.findall(r"[A-Z0-9]?[^A-Z0-9._-]+|[A-Z0-9]", part)
        parts = re.findall(r"[A-Z0-9]?[^A-Z0-9._-]+|[A-Z0-9]", name)
        if len(humps) > len(parts):
            return False
        if not all(each.casefold().startswith(hump.casefold()) for hump, each in zip(humps, parts, strict=False)):
            return False
    return True


def judge(world: World, invocation: shell.Invocation, position: int) -> Iterator[Miss]:
    """A miss for each `:module:task` whose module the settings do not include and no task adds."""
    if ground.program(invocation.argv[0]) not in ("gradle", "gradlew", "gradlew.bat"):
        return
    line = ground.read(invocation.argv[1:], _VALUED)
    if line.has("-c", "--settings-file", "-I", "--init-script", "--include-build"):
        return
    cwd, _ = ground.moved_to(invocation, line.values("-p", "--project-dir"))
    wanted = [word for word in line.words if word and _TASK.match(word)]
    if cwd is None or not wanted:
        return
    path = ground.nearest(world, _NAMES, cwd, position)
    known = ground.parsed(world, path, modules, "computes its modules, so they are not known") if path else None
    if path is None or known is None:
        return
    if len(known) > MAX_NAMES:
        world.note(TYPE.value, f"{path} includes more than {MAX_NAMES} modules, which are too many to compare with")
        return
    inside = path.rpartition("/")[0] != cwd
    for word in wanted:
        if inside and not word.startswith(":"):
            continue  # seen from the module that the reader stands in
        module = word.strip(":").rpartition(":")[0]
        if module in known or module in ("buildSrc", "build-logic") or ground.announced(world, module):
            continue
        if any(_abbreviates(module, each) for each in known) or _made(world, module):
            continue
        shown = evidence.matching(world.tree, path, "include") or evidence.present(world.tree, path)
        yield Miss(
            word,
            f"{path} includes no module `{module}`, and no task adds one",
            shown,
            suggestion=alike(module, known, cutoff=70),
        )


def _made(world: World, module: str) -> bool:
    folder = module.replace(":", "/")
    return folder in world.made_below or folder in world.walk.filled or ground.announced(world, module.split(":")[-1])
