"""Test runners that do not collect the file they are given.

Configurations of JavaScript runners are programs: only patterns that stand in them literally are read, and whatever
else could choose files leaves the question open.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from bot.core.globs import compile_glob
from bot.core.plans.model import Expect
from bot.core.tree import Kind, Text
from bot.core.verify import evidence, paths, shell
from bot.core.verify.targets import Miss, ground, presence, pytest, tools
from bot.core.verify.world import World
from schemas.verify_report import Evidence

_CODE = frozenset({"py", "ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts", "go", "rs", "rb", "java", "kt", "php",
                   "cs", "swift", "scala", "ex", "exs", "sh", "bats", "dart"})  # fmt: skip
_SCRIPTS = frozenset({"ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts"})
_TAKES = {
    "pytest": frozenset({"py"}),
    "vitest": _SCRIPTS,
    "jest": _SCRIPTS,
    "mocha": _SCRIPTS,
    "ava": _SCRIPTS,
    "playwright": _SCRIPTS,
    "bun test": _SCRIPTS,
    "node --test": _SCRIPTS,
    "go test": frozenset({"go"}),
    "rspec": frozenset({"rb"}),
    "phpunit": frozenset({"php"}),
    "bats": frozenset({"bats", "sh"}),
}
_RUNS_ALL = ("--passWithNoTests", "--pass-with-no-tests", "--config", "-c", "--root", "-r", "--dir", "--project",
             "--projects", "--workspace", "--testMatch", "--testRegex", "--rootDir", "--runTestsByPath",
             "--testPathPatterns", "--selectProjects", "--include", "--typecheck")  # fmt: skip
_VALUED = frozenset({
    "-t", "--testNamePattern", "--reporter", "--reporters", "--environment", "--pool", "--config", "-c", "--root", "-r",
    "--dir", "--project", "--projects", "--coverageReporters", "--maxWorkers", "-w", "--testTimeout", "--timeout",
    "--outputFile", "--shard", "--mode", "--retry", "--bail", "--grep", "-g", "--rerun-each", "--preload",
    "--test-name-pattern", "--test-reporter", "--test-reporter-destination", "--import", "--require", "--loader",
    "--env-file", "--workers", "-j", "--selectProjects", "--testMatch", "--testRegex", "--rootDir", "--setupFiles",
    "--coverageDirectory", "--collectCoverageFrom", "--coverage.reporter", "--coverage.provider", "--exclude",
    "--testPathIgnorePatterns", "--testPathPattern", "--testPathPatterns", "--seed", "--spec", "--browser", "-b",
    "--exec", "--max-warnings", "--experimental-loader",
})  # fmt: skip
_SWITCHES = frozenset({
    "--run", "--watch", "--no-watch", "--coverage", "--no-coverage", "-u", "--update", "--silent", "--verbose",
    "--runInBand", "-i", "--ci", "--watchAll", "--no-cache", "--no-file-parallelism", "--no-threads", "--globals",
    "--ui", "--detectOpenHandles", "--forceExit", "--passWithNoTests", "--headed", "--debug", "--test", "--no-isolate",
    "--experimental-strip-types", "--no-warnings", "--experimental-vm-modules", "--expand", "--color", "--no-color",
    "--experimental-test-coverage", "--only", "--dom", "--hideSkippedTests", "--runTestsByPath", "--bail", "-x",
    "--allowOnly", "--typecheck", "--clearCache", "--all",
})  # fmt: skip
_CONFIGS = {
    "vitest": tuple(f"{name}.config.{end}" for name in ("vitest", "vite") for end in ("ts", "mts", "js", "mjs", "cjs")),
    "jest": tuple(f"jest.config.{end}" for end in ("js", "ts", "mjs", "cjs", "json")),
}
_USUAL = {
    "vitest": re.compile(r"\.(?:test|spec)\.[cm]?[jt]sx?$"),
    "jest": re.compile(r"(?:^|/)__tests__/|(?:^|[./])(?:test|spec)\.[cm]?[jt]sx?$"),
    "bun test": re.compile(r"[._](?:test|spec)\.[cm]?[jt]sx?$"),
}
_LISTS = {"vitest": "include", "jest": "testMatch"}
_OPEN = {
    "vitest": re.compile(
        r"\.\.\.|\bmergeConfig\b|\bextends\b|\bpreset\b|\bprojects\b|\bworkspace\b|\bincludeSource\b|\bdir\b[ \t]*:"
        r"|\btest[ \t]*:[ \t]*[^\s{]|\broot\b[ \t]*:"
    ),
    "jest": re.compile(r"\.\.\.|\bprojects\b|\bpreset\b|\btestRegex\b|\brootDir\b|\broots\b|Object\.assign"),
}
_LITERALS = re.compile(r"^(?:\s|,|//[^\n]*\n|'[^'\n]*'|\"[^\"\n]*\"|`[^`$\n]*`)*$")
_IN_TEST = re.compile(r"\btest[\"']?\s*:\s*\{[^{}]*$")
_STRING = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"|`([^`$\n]*)`")
_IMPORTS = {
    "vitest": re.compile(r"(?:from|require\()[ \t]*[\"']vitest[\"']"),
    "jest": re.compile(r"(?:from|require\()[ \t]*[\"']@jest/globals[\"']"),
    "bun test": re.compile(r"(?:from|require\()[ \t]*[\"']bun:test[\"']"),
    "node --test": re.compile(r"(?:from|require\()[ \t]*[\"']node:test[\"']"),
}
# bun brings stand-ins for the others
_ALIEN = {
    "vitest": ("jest", "bun test", "node --test"),
    "jest": ("vitest", "bun test", "node --test"),
    "node --test": ("vitest", "jest", "bun test"),
}


def _call(invocation: shell.Invocation) -> tuple[str, Sequence[str | None]] | None:
    """The runner that a command starts, by its name here, and the words that it is given."""
    argv = invocation.argv
    name = ground.program(argv[0])
    if name in ("vitest", "jest", "mocha", "ava", "rspec", "phpunit", "bats"):
        rest = argv[1:]
        if name == "vitest" and rest and rest[0] in ("related", "bench", "list", "init", "typecheck"):
            return None
        return name, rest[1:] if name == "vitest" and rest[:1] in (("run",), ("watch",), ("dev",)) else rest
    if argv[1:2] == ("test",) and name in ("bun", "go", "playwright"):
        return (name if name == "playwright" else f"{name} test"), argv[2:]
    if name == "node" and "--test" in argv:
        return "node --test", argv[1:]
    words = pytest.arguments(invocation)
    return ("pytest", words) if words is not None else None


def judge(world: World, invocation: shell.Invocation, position: int, expects: Expect) -> Iterator[Miss]:
    """A miss for each file that its runner cannot take, passes over, or that is written for another runner; and, for
    the runners whose paths are looked up nowhere else, for each file that is not there."""
    invocation = tools.started(invocation)
    if not invocation.argv:
        return
    call = _call(invocation)
    if call is None:
        yield from _handed_on(world, invocation, position, expects)
        return
    runner, argv = call
    if runner in ("pytest", "go test"):
        # what is no option's value is known by its looks: a file of another language
        words: list[str] = [word for word in argv if word and not word.startswith("-") and "/" in word]
        line = None
    else:
        line = ground.read(argv, _VALUED, _SWITCHES)
        words = [word for word in line.words if word]
    for word in words:
        miss = _foreign(world, invocation, runner, word)
        if miss is None and line is not None and "/" in word and _extension(word) in _SCRIPTS:
            miss = presence.judge(world, invocation, word, position, expects, "test")
            miss = miss or _passed_over(world, invocation, runner, line, word, position)
        if miss is not None:
            yield miss
            return
    if runner in ("vitest", "jest") and invocation.cwd is not None:
        yield from _not_installed(world, invocation, runner, position)


def _handed_on(world: World, invocation: shell.Invocation, position: int, expects: Expect) -> Iterator[Miss]:
    """A miss for each test file that a package manager's script hands on to its runner, and that is nearly there."""
    if ground.program(invocation.argv[0]) not in ("npm", "pnpm", "yarn"):
        return
    unknown = shell.Invocation(invocation.argv, None)
    for word in invocation.argv[2:]:
        if word and "/" in word and not word.startswith("-") and _USUAL["vitest"].search(word):
            miss = presence.judge(world, unknown, word, position, expects, "test")
            if miss is not None:
                yield miss


def _extension(word: str) -> str:
    return posixpath.basename(word).rpartition(".")[2] if "." in posixpath.basename(word) else ""


def _shown(world: World, path: str) -> tuple[Evidence, ...]:
    """The file of the tree, or the line of the plan that makes it."""
    if world.tree.kind(path) is Kind.FILE:
        return evidence.present(world.tree, path)
    made = world.walk.created.get(path)
    if made is not None and made[2] is not None:
        return evidence.planned(world.plan, made[2].span, made[2].path, posixpath.basename(path))
    return ()


def _foreign(world: World, invocation: shell.Invocation, runner: str, word: str) -> Miss | None:
    """A file of a language that the runner has nothing to do with."""
    end = _extension(word.partition("::")[0])
    if end not in _CODE or end in _TAKES[runner] or paths.is_placeholder(word) or paths.is_glob(word):
        return None
    path = shell.join(invocation.cwd, word.partition("::")[0])
    shown = _shown(world, path) if path else ()
    if not shown:
        # below a base folder that the reader is in already
        cited = posixpath.normpath(word.partition("::")[0])
        below = [
            *world.tree.by_suffix(cited),
            *(each for each in world.made_by_name.get(posixpath.basename(cited), ())),
        ]
        real = {each for each in below if each.endswith(f"/{cited}")}
        shown = _shown(world, real.pop()) if len(real) == 1 and "/" in cited else ()
    if not shown:
        return None
    return Miss(word, f"{runner} does not run .{end} files", shown)


def _passed_over(
    world: World, invocation: shell.Invocation, runner: str, line: ground.Line, word: str, position: int
) -> Miss | None:
    """A file that is or will be there, and that the runner does not collect."""
    path = shell.join(invocation.cwd, word)
    if not path or invocation.cwd is None or paths.is_glob(word) or presence.there(world, path, position) is not True:
        return None
    shown = _shown(world, path)
    if not shown or world.tree.kind(path) is Kind.DIRECTORY:
        return None
    other = _written_for(world, path, runner)
    if other is not None:
        return Miss(word, f"{path} is written for {other}, not for {runner}", other_line(world, path, other) or shown)
    if runner not in _USUAL or line.has(*_RUNS_ALL):
        return None
    if _USUAL[runner].search(path):
        return _left_out(world, invocation.cwd, runner, word, path, position)
    if runner == "bun test":
        if word.startswith("./"):
            return None  # then it is run whatever its name
        return Miss(word, "bun test only collects files named *.test.* or *.spec.*, and this is none", shown)
    patterns = _patterns(world, invocation.cwd or "", runner, position)
    if patterns is None or any(_matches(pattern, path) for pattern in patterns):
        return None
    return Miss(word, f"{runner} does not collect this file: its name fits none of the patterns for tests", shown)


def _left_out(world: World, cwd: str, runner: str, word: str, path: str, position: int) -> Miss | None:
    """A test file by its name, which the configuration beside it leaves out: its patterns replace the usual ones."""
    config = next((name for name in _CONFIGS.get(runner, ()) if _is(world, cwd, name)), None)
    if config is None or not _patterns(world, cwd, runner, position):
        return None
    place = posixpath.join(cwd, config)
    text = ground.content(world, place)
    patterns = only(text, runner) if text is not None else None
    if not patterns or any(_matches(pattern, path) for pattern in patterns):
        return None
    shown = evidence.matching(world.tree, place, _LISTS[runner])
    return Miss(word, f"{runner} does not collect this file: the patterns in {place} leave it out", shown)


@lru_cache(maxsize=32)
def only(text: str, runner: str) -> tuple[str, ...]:
    """The patterns of a configuration outside of which no file is collected; none where they cannot be told, as where
    a list of that name belongs to something else, such as the coverage."""
    found = list(re.finditer(rf"\b{_LISTS[runner]}\b", text))
    if len(found) != 1 or (runner == "vitest" and not _IN_TEST.search(text[: found[0].start()])):
        return ()
    return listed(text, runner) or ()


def _written_for(world: World, path: str, runner: str) -> str | None:
    if world.changed(path) or world.tree.kind(path) is not Kind.FILE or runner not in _ALIEN:
        return None
    found = world.tree.read(path)
    if not isinstance(found, Text) or _IMPORTS[runner].search(found.text):
        return None
    return next((other for other in _ALIEN[runner] if _IMPORTS[other].search(found.text)), None)


def other_line(world: World, path: str, runner: str) -> tuple[Evidence, ...]:
    """The line in which a test file imports its runner."""
    found = world.tree.read(path)
    match = _IMPORTS[runner].search(found.text) if isinstance(found, Text) else None
    return evidence.matching(world.tree, path, match.group()) if match else ()


def _matches(pattern: str, path: str) -> bool:
    """Whether a pattern may choose a file; it may be meant from any folder above."""
    if re.search(r"[\[\]()!+@]", pattern):
        return True  # richer than the globs that are read here
    clean = re.sub(r"^(?:<rootDir>)?[./]*", "", pattern)
    glob = compile_glob(f"**/{clean}")
    return glob is None or glob.fullmatch(path) is not None


def _patterns(world: World, cwd: str, runner: str, position: int) -> tuple[str, ...] | None:
    """The patterns that a configuration adds to the usual ones; None when they are not known."""
    package = ground.nearest(world, ("package.json",), cwd, position)
    if package is None or any(world.made_by_name.get(name) for name in _CONFIGS[runner]):
        return None
    if any(name.startswith("vitest.workspace") for name in world.tree.children(cwd)):
        return None
    manifest = ground.content(world, package)
    if manifest is None or (runner == "jest" and _configured(manifest)):
        return None
    configs = [
        posixpath.join(folder, name)
        for folder in ground.upward(cwd)
        for name in _CONFIGS[runner]
        if _is(world, folder, name)
    ]
    if not configs:
        return ()
    text = None if ground.may_change(world, configs[0], position) else ground.content(world, configs[0])
    patterns = listed(text, runner) if text is not None else None
    if patterns is None:
        world.note("verify_form", f"{configs[0]} is not literal, so the files that {runner} collects are not known")
    return patterns


@lru_cache(maxsize=64)
def _configured(manifest: str) -> bool:
    """Whether a package.json has settings for jest, or scripts that hand it some."""
    return re.search(r"\"jest\"\s*:\s*\{|--config|--projects", manifest) is not None


def _is(world: World, folder: str, name: str) -> bool:
    return world.tree.kind(posixpath.join(folder, name)) is Kind.FILE


@lru_cache(maxsize=4)
def _installed(text: str, runner: str) -> bool:
    """Whether a line of the plan installs the runner."""
    word = re.compile(rf"\b(?:add|install|i)\b.*\b{runner}\b")
    return any(runner in line and word.search(line[:2_000]) for line in text.split("\n"))


@lru_cache(maxsize=32)
def listed(text: str, runner: str) -> tuple[str, ...] | None:
    """The strings of every list of patterns in a configuration; None when one is not made of literals alone, or when
    something else may choose the files."""
    if _OPEN[runner].search(text):
        return None
    found: list[str] = []
    for match in re.finditer(rf"\b{_LISTS[runner]}\b", text):
        opened = re.compile(r"[\"']?\s*:\s*\[").match(text, match.end())
        if opened is None:
            return None
        end = text.find("]", opened.end())
        inner = text[opened.end() : end] if end >= 0 else ""
        # a bracket inside of a pattern ends the list too early, and then it is not made of whole strings
        if end < 0 or len(inner) > 10_000 or _LITERALS.match(inner) is None:
            return None
        found.extend(one or two or three for one, two, three in _STRING.findall(inner))
    return tuple(found)


def _not_installed(world: World, invocation: shell.Invocation, runner: str, position: int) -> Iterator[Miss]:
    """A runner that no package.json around has, where they have the other one."""
    other = "jest" if runner == "vitest" else "vitest"
    cwd = invocation.cwd or ""
    nearest = ground.nearest(world, ("package.json",), cwd, position)
    if nearest is None or world.abroad_at(position) or ground.announced(world, runner):
        return
    if _installed(world.text, runner):
        return
    has_other = False
    for folder in ground.upward(cwd):
        path = posixpath.join(folder, "package.json")
        if ground.may_change(world, path, position):
            return
        if world.tree.kind(path) is not Kind.FILE:
            continue
        text = ground.content(world, path)
        names = _dependencies(text) if text is not None else None
        if names is None or any(runner in name and name not in _BESIDE for name in names):
            return
        if any(_is(world, folder, name) for name in _CONFIGS[runner] if not name.startswith("vite.")):
            return
        has_other = has_other or other in names
    if not has_other:
        return
    if not invocation.moved and len(world.tree.by_name("package.json")) > 1:
        return  # the reader may be meant to stand in another package
    shown = evidence.matching(world.tree, nearest, f'"{other}"') or evidence.present(world.tree, nearest)
    word = next((each for each in invocation.argv if each and ground.program(each) == runner), runner)
    yield Miss(word, f"{nearest} has {other} and not {runner}, and no task adds it", shown, suggestion=other)


_BESIDE = frozenset({"@testing-library/jest-dom", "eslint-plugin-jest", "eslint-plugin-jest-dom", "@types/jest",
                     "eslint-plugin-vitest", "@vitest/eslint-plugin"})  # fmt: skip


@lru_cache(maxsize=128)
def _dependencies(text: str) -> frozenset[str] | None:
    """The dependencies of a package.json and the words of its scripts; None when it cannot be read."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    names: set[str] = set()
    for key, value in data.items():
        if key.casefold().endswith("dependencies") and isinstance(value, dict):
            names.update(value)
        elif key == "scripts" and isinstance(value, dict):
            names.update(word for script in value.values() for word in re.findall(r"[\w@/.-]+", str(script)))
    return frozenset(names)
