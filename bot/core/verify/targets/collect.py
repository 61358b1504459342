"""Test runners that do not collect the file they are given.

Configurations of JavaScript runners are programs: only patterns that stand in them literally are read, and whatever
else could choose files leaves the question open.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import partial

from bot.core.globs import compile_glob
from bot.core.plans.model import Expect
from bot.core.tree import Kind
from bot.core.verify import evidence, paths, shell
from bot.core.verify.targets import TYPE, Miss, ground, package_json, presence, pytest, tools
from bot.core.verify.world import World
from schemas.verify_report import Evidence

_CODE = tools.JS_ENDINGS | {"py", "go", "rs", "rb", "java", "kt", "php", "cs", "swift", "scala", "ex", "exs", "sh",
                            "bats", "dart"}  # fmt: skip
_TAKES = {
    "pytest": frozenset({"py"}),
    "vitest": tools.JS_ENDINGS,
    "jest": tools.JS_ENDINGS,
    "mocha": tools.JS_ENDINGS,
    "ava": tools.JS_ENDINGS,
    "playwright": tools.JS_ENDINGS,
    "bun test": tools.JS_ENDINGS,
    "node --test": tools.JS_ENDINGS,
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
    "vitest": re.compile(rf"\.(?:test|spec)\.{tools.JS_END}$"),
    "jest": re.compile(rf"(?:^|/)__tests__/|(?:^|[./])(?:test|spec)\.{tools.JS_END}$"),
    "bun test": re.compile(rf"[._](?:test|spec)\.{tools.JS_END}$"),
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
        if miss is None and line is not None and "/" in word and _extension(word) in tools.JS_ENDINGS:
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
    return Miss(word, f"`{runner}` does not run .{end} files", shown)


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
        message = f"{path} is written for `{other}`, not for `{runner}`"
        return Miss(word, message, other_line(world, path, other) or shown)
    if runner not in _USUAL or line.has(*_RUNS_ALL):
        return None
    if _USUAL[runner].search(path):
        return _left_out(world, invocation.cwd, runner, word, path, position)
    if runner == "bun test":
        if word.startswith("./"):
            return None  # then it is run whatever its name
        return Miss(word, "`bun test` only collects files named `*.test.*` or `*.spec.*`, and this is none", shown)
    patterns = _patterns(world, invocation.cwd or "", runner, position)
    if patterns is None or any(_matches(pattern, path) for pattern in patterns):
        return None
    return Miss(word, f"`{runner}` does not collect this file: its name fits none of the patterns for tests", shown)


def _left_out(world: World, cwd: str, runner: str, word: str, path: str, position: int) -> Miss | None:
    """A test file by its name, which the configuration beside it leaves out: its patterns replace the usual ones."""
    config = next((name for name in _CONFIGS.get(runner, ()) if _is(world, cwd, name)), None)
    if config is None or not _patterns(world, cwd, runner, position):
        return None
    place = posixpath.join(cwd, config)
    patterns = world.parsed(place, _ONLY[runner], TYPE.value)
    if not patterns or any(_matches(pattern, path) for pattern in patterns):
        return None
    shown = evidence.matching(world.tree, place, _LISTS[runner])
    return Miss(word, f"`{runner}` does not collect this file: the patterns in {place} leave it out", shown)


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
    text = world.text_of(path, TYPE.value)
    if text is None or _IMPORTS[runner].search(text):
        return None
    return next((other for other in _ALIEN[runner] if _IMPORTS[other].search(text)), None)


def other_line(world: World, path: str, runner: str) -> tuple[Evidence, ...]:
    """The line in which a test file imports its runner."""
    text = world.text_of(path, TYPE.value)
    match = _IMPORTS[runner].search(text) if text is not None else None
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
    configured = world.parsed(package, _configured, TYPE.value)
    if configured is None or (runner == "jest" and configured):
        return None
    configs = [
        posixpath.join(folder, name)
        for folder in ground.upward(cwd)
        for name in _CONFIGS[runner]
        if _is(world, folder, name)
    ]
    if not configs:
        return ()
    unknown = f"so the files that `{runner}` collects are not known"
    if ground.may_change(world, configs[0], position):
        world.note(TYPE.value, f"the plan may change {configs[0]}, {unknown}")
        return None
    return ground.parsed(world, configs[0], _LISTED[runner], f"is not literal, {unknown}")


def _configured(manifest: str) -> bool:
    """Whether a package.json has settings for jest, or scripts that hand it some."""
    return re.search(r"\"jest\"\s*:\s*\{|--config|--projects", manifest) is not None


def _is(world: World, folder: str, name: str) -> bool:
    return world.tree.kind(posixpath.join(folder, name)) is Kind.FILE


def _installed(world: World) -> frozenset[str]:
    """The runners that a line of the plan installs."""
    words = {runner: re.compile(rf"\b(?:add|install|i)\b.*\b{runner}\b") for runner in _CONFIGS}
    return frozenset(
        runner
        for line in world.text.split("\n")
        for runner, word in words.items()
        if runner in line and word.search(line[:2_000])
    )


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


# by runner, for what a file is read with is a function of its text alone
_ONLY = {runner: partial(only, runner=runner) for runner in _LISTS}
_LISTED = {runner: partial(listed, runner=runner) for runner in _LISTS}


def _not_installed(world: World, invocation: shell.Invocation, runner: str, position: int) -> Iterator[Miss]:
    """A runner that no package.json around has, where they have the other one."""
    other = "jest" if runner == "vitest" else "vitest"
    cwd = invocation.cwd or ""
    nearest = ground.nearest(world, ("package.json",), cwd, position)
    if nearest is None or world.abroad_at(position) or ground.announced(world, runner):
        return
    if runner in world.once(_installed):
        return
    has_other = False
    for folder in ground.upward(cwd):
        path = posixpath.join(folder, "package.json")
        if ground.may_change(world, path, position):
            return
        if world.tree.kind(path) is not Kind.FILE:
            continue
        names = _names(world, path)
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
    yield Miss(word, f"{nearest} has `{other}` and not `{runner}`, and no task adds one", shown, suggestion=other)


_BESIDE = frozenset({"@testing-library/jest-dom", "eslint-plugin-jest", "eslint-plugin-jest-dom", "@types/jest",
                     "eslint-plugin-vitest", "@vitest/eslint-plugin"})  # fmt: skip


def _names(world: World, path: str) -> frozenset[str] | None:
    """The dependencies of a package.json and the words of its scripts; None when it cannot be read."""
    package = package_json.of(world, path)
    if package is None:
        return None
    scripts = (package.scripts or {}).values()
    return package.dependencies | {word for script in scripts for word in re.findall(r"[\w@/.-]+", script)}
