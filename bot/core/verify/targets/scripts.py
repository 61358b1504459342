"""Scripts that npm, pnpm, yarn and bun take from the nearest package.json."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.core.plans.model import Action
from bot.core.verify import evidence, shell
from bot.core.verify.finding import Weight
from bot.core.verify.targets import TYPE, Miss, alike, ground, package_json, presence, tools
from bot.core.verify.world import ADDS, World

# which packages these choose is not for one package.json to say
_SELECTORS = (
    "-w", "--workspace", "--workspaces", "-ws", "--filter", "-F", "-r", "--recursive", "--if-present",
    "--workspace-root", "--elide-lines",
    "-g", "--global", "--top-level", "-T", "--workspace-concurrency", "--parallel", "--stream",
)  # fmt: skip
_VALUED = frozenset({"--loglevel", "--reporter", "--config", "--env-file", "--shell", "--userconfig"})
_NPM_SCRIPTS = {"test": "test", "t": "test", "tst": "test", "start": "start", "stop": "stop", "restart": "restart"}
# names that no tool in node_modules/.bin has, so a package manager that falls back to those does not find them either
_SCRIPT_NAMES = frozenset({
    "typecheck", "type-check", "types", "check", "build", "test", "dev", "start", "lint", "format", "fmt", "e2e",
    "ci", "verify", "validate", "preview", "serve", "clean",
})  # fmt: skip
_KEY = re.compile(r"[\"'`]([^\"'`\n]{1,200})[\"'`][^\S\n]*:")
# `npm pkg set scripts.lint="…"`, the same with jq, and `npm set-script lint …`
_SET = re.compile(r"\bscripts(?:\.|\[[\"'])([\w:.-]{1,80})[\"'\]]{0,3}[^\S\n]*=|\bset-script[ \t]+([\w:.-]{1,80})")
_COLON = re.compile(r"^[a-z][\w-]*(?::[\w-]+)+$")
_OTHER_CHANGE = re.compile(
    r"(?i)^(?!.*\bscripts?\b).*\b(?:dep|deps|dependency|dependencies|devDependencies|version|bump)\b"
)
_SCRIPT = re.compile(r"^[A-Za-z][\w:.@/-]{0,80}$")


MAX_LINE = 4_000  # characters of a line of the plan that are read for what a change is about


@dataclass(frozen=True, slots=True)
class _Call:
    script: str
    cwd: str | None
    moved: bool
    exact: bool  # nothing else than a script can be meant


def _call(invocation: shell.Invocation) -> _Call | None:
    """The script that a command asks for; None when it asks for none, or for one of a chosen workspace."""
    argv = invocation.argv
    manager = ground.program(argv[0])
    if manager not in tools.FOLDER_FLAGS:
        return None
    cwd, moved = invocation.cwd, invocation.moved
    words: list[str] = []
    index = 1
    while index < len(argv):
        word = argv[index]
        index += 1
        if word is None:
            return None
        if word == "--":
            break
        if word.startswith("-"):
            flag, _, value = word.partition("=")
            if flag in _SELECTORS and not (manager == "bun" and flag in ("-w", "-r")):
                return None
            if flag in tools.FOLDER_FLAGS[manager]:
                if not value:
                    given = argv[index] if index < len(argv) else None
                    index += 1
                else:
                    given = value
                cwd, moved = shell.join(cwd, given), True
            elif flag in _VALUED and not value:
                index += 1
            continue
        words.append(word)
        if manager != "npm" and len(words) == 2 and words[0] in ("run", "run-script"):
            break  # flags after the name are the script's own; npm alone takes its own anywhere
        if manager == "bun" and words[0] != "run":
            # a name with a colon is no command of its own
            return _Call(words[0], cwd, moved, True) if _COLON.match(words[0]) else None
    return _named(manager, words, cwd, moved)


def _named(manager: str, words: Sequence[str], cwd: str | None, moved: bool) -> _Call | None:
    if not words:
        return None
    if words[0] in ("run", "run-script"):
        if len(words) < 2 or not _SCRIPT.match(words[1]):
            return None
        script = words[1]
        if "/" in script or script.endswith(tools.JS_ENDS):
            return None  # a file
        exact = manager in ("npm", "pnpm")
        return _Call(script, cwd, moved, exact) if exact or _only_script(script) else None
    if manager == "npm":
        named = _NPM_SCRIPTS.get(words[0])
        return _Call(named, cwd, moved, True) if named == "test" else None
    if manager in ("pnpm", "yarn") and _only_script(words[0]) and words[0] not in ("start", "ci"):
        return _Call(words[0], cwd, moved, words[0] in ("test",))
    return None


def _only_script(name: str) -> bool:
    return name in _SCRIPT_NAMES or (":" in name and "/" not in name and "@" not in name)


def _scripts(world: World, path: str) -> frozenset[str] | None:
    """The names of the scripts of a package.json; None when they cannot be known."""
    package = package_json.of(world, path)
    if package is not None and package.scripts is None:
        world.note(TYPE.value, f"the scripts of {path} are no object")
    return frozenset(package.scripts) if package is not None and package.scripts is not None else None


def _added(world: World, script: str) -> bool:
    """Whether the plan writes a script of that name somewhere, in code or in words."""
    keys, words = world.once(_written)
    if script in keys:
        return True
    # in most plans a plain search settles it
    return script in words and re.search(rf"\b{re.escape(script)}\b", words) is not None


def _may_add(world: World, path: str, script: str) -> bool:
    """Whether the plan may well put a script of that name into a package.json that it changes, for it does not say that
    the change is about something else, or it speaks of such a name."""
    if script in presence.quiet_lines(world) or f"scripts.{script}" in world.text:
        return True
    for use in world.uses_of(path):
        line = world.plan.line(use.ref.span.path, use.ref.span.first)[:MAX_LINE]
        if use.ref.action is not Action.READ and not _OTHER_CHANGE.search(line):
            return True
    return not world.uses_of(path)


def _written(world: World) -> tuple[frozenset[str], str]:
    """The quoted keys in a plan, and its lines that speak of adding a script."""
    words = "\n".join(line for line in world.text.split("\n") if "script" in line.casefold() and ADDS.search(line))
    keys = {*_KEY.findall(world.text), *(one or two for one, two in _SET.findall(world.text))}
    return frozenset(keys), words


def judge(world: World, invocation: shell.Invocation) -> Iterator[Miss]:
    """A miss when the package.json that a script call finds has no such script, and the plan adds none."""
    call = _call(invocation)
    if call is None or call.cwd is None:
        return
    path = ground.nearest(
        world, ("package.json",), call.cwd, -1, in_doubt=lambda each: ground.made_or_gone(world, each)
    )
    if path is None:
        return
    scripts = _scripts(world, path)
    if scripts is None or call.script in scripts or _added(world, call.script):
        return
    if world.changed(path) and _may_add(world, path, call.script):
        return
    elsewhere = [
        other for other in world.tree.by_name("package.json") if other != path and "node_modules/" not in other
    ]
    if not call.moved or posixpath.dirname(path) != call.cwd:
        # the reader may be meant to stand in another package
        if ground.elsewhere(world, elsewhere, lambda other: _has(world, other, call.script)):
            return
        if any(world.changed(other) for other in elsewhere):
            return
    if world.made_by_name.get("package.json") and not call.moved:
        return
    shown = evidence.matching(world.tree, path, '"scripts"') or evidence.present(world.tree, path)
    yield Miss(
        call.script,
        f"{path} has no script `{call.script}`, and no task adds one",
        shown,
        Weight.WRONG,
        alike(call.script, scripts, cutoff=70),
    )


def _has(world: World, path: str, script: str) -> bool | None:
    """Whether a package.json has a script; None when it cannot be read. One that is not valid JSON has none."""
    if world.text_of(path, TYPE.value) is None:
        return None
    return script in (_scripts(world, path) or ())
