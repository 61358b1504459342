"""Environments and sessions that tox and nox are asked for."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Iterator

from bot.core.globs import expand_braces
from bot.core.tree import Kind
from bot.core.verify import evidence, shell
from bot.core.verify.targets import TYPE, Miss, alike, ground
from bot.core.verify.world import World

_VALUED = frozenset({
    "-e", "-c", "--conf", "--workdir", "--root", "--result-json", "-x", "--override", "-f", "-m", "--runner", "-p",
    "--parallel", "--skip-env", "--installpkg", "--colored",
})  # fmt: skip
MAX_ENTRIES = 2_000  # of a list of environments, each of which may stand for many

_FILES = ("tox.ini", "setup.cfg", "pyproject.toml", "tox.toml")
_ENV = re.compile(r"^[A-Za-z0-9][\w.-]*$")
_PYTHON = re.compile(r"^(?:py|pypy|cpython|jython|graalpy)?\d*(?:\.\d+)*t?$")
_BLANKS = re.compile(r"(?<=\S)[^\S\n]{2,}")
_CONDITION = re.compile(r"(?m)^[ \t]*([\w.,!{}-]{1,200}):(?:[ \t]|$)")


def _ini(text: str) -> frozenset[str] | None:
    """The factors of the environments of an ini file: any of their combinations is an environment. None when they are
    not literal; empty when the file has nothing of tox."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        # the parser tries each blank of a line as the end of the option's name
        parser.read_string(_BLANKS.sub(" ", text))
    except configparser.Error:
        return None
    sections = parser.sections()
    named = [name.partition(":")[2] for name in sections if name.startswith("testenv:")]
    heads = [name for name in sections if name in ("tox", "tox:tox")]
    if not heads and not named and "testenv" not in sections:
        return frozenset()
    lists = [
        value for name in heads for key in ("envlist", "env_list") if (value := parser.get(name, key, fallback=""))
    ]
    found: set[str] = set()
    for value in (*lists, *named):
        plain = re.sub(r"#[^\n]*", "", value)
        if re.search(r"\{[^{}]*[:\[]", plain) or "\\" in plain:
            return None
        for count, each in enumerate(_entries(plain)):
            if count >= MAX_ENTRIES:
                return None
            expanded = expand_braces(each)
            if not expanded or any(re.search(r"[{}]", one) for one in expanded):
                return None
            for one in expanded:
                found.update((one, *one.split("-")))
    for conditions in _CONDITION.findall(text):
        for each in re.split(r"[,{}]", conditions):
            found.update((each.lstrip("!"), *each.lstrip("!").split("-")))
    return frozenset(found - {""})


def _entries(value: str) -> Iterator[str]:
    """The entries of a list: parted by commas, blanks and line ends, but for those in braces, where a line end is a
    comma and blanks are nothing."""
    entry: list[str] = []
    depth = 0
    for char in ",".join(line.strip() for line in value.strip().split("\n")):
        if depth == 0 and (char == "," or char.isspace()):
            if entry:
                yield "".join(entry)
            entry = []
            continue
        depth += (char == "{") - (char == "}" and depth > 0)
        if not char.isspace():
            entry.append(char)
    if entry:
        yield "".join(entry)


def _in_pyproject(text: str) -> frozenset[str] | None:
    return _toml(text, whole=False)


def _in_tox_toml(text: str) -> frozenset[str] | None:
    return _toml(text, whole=True)


def _toml(text: str, *, whole: bool) -> frozenset[str] | None:
    try:
        data: object = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return None
    if not whole:
        tool = data.get("tool") if isinstance(data, dict) else None
        data = tool.get("tox") if isinstance(tool, dict) else None
    if not isinstance(data, dict):
        return frozenset()
    legacy = data.get("legacy_tox_ini")
    if isinstance(legacy, str):
        return _ini(legacy)
    listed = data.get("env_list", [])
    envs = data.get("env", {})
    if not isinstance(listed, list) or not isinstance(envs, dict) or not all(isinstance(each, str) for each in listed):
        return None
    if any(key not in ("env", "env_run_base", "env_pkg_base", "env_list") and "env_base" in key for key in data):
        return None
    return frozenset(part for each in (*listed, *envs) for part in (each, *each.split("-")))


def judge(world: World, invocation: shell.Invocation, position: int) -> Iterator[Miss]:
    """A miss for each environment that no configuration of tox makes, and each session that a noxfile does not name."""
    match ground.program(invocation.argv[0]):
        case "tox":
            yield from _tox(world, invocation, position)
        case "nox":
            yield from _nox(world, invocation, position)
        case _:
            pass


def _tox(world: World, invocation: shell.Invocation, position: int) -> Iterator[Miss]:
    line = ground.read(invocation.argv[1:], _VALUED)
    if line.has("-c", "--conf", "--root", "-x", "--override") or invocation.cwd is None:
        return
    if line.words and line.words[0] not in ("run", "r", "run-parallel", "p", "exec", "e", "config", "c"):
        return
    wanted = [each for value in line.values("-e") for each in (value or "").split(",")]
    folder = f"{invocation.cwd}/" if invocation.cwd else ""
    for name in _FILES:
        path = f"{folder}{name}"
        if ground.may_change(world, path, position):
            return
        if world.tree.kind(path) in (Kind.MISSING, Kind.DIRECTORY):
            continue
        known = ground.parsed(
            world, path, _READERS.get(name, _ini), "leaves its environments open, so they are not known"
        )
        if known is None:
            return
        if not known:
            continue
        for each in wanted:
            if not _ENV.match(each) or each in known or each == "ALL" or ground.announced(world, each):
                continue
            if all(part in known or _PYTHON.match(part) for part in each.split("-")):
                continue
            shown = evidence.matching(world.tree, path, "list") or evidence.present(world.tree, path)
            message = f"{path} has no environment `{each}`, and no task adds one"
            yield Miss(each, message, shown, suggestion=alike(each, known, cutoff=70))
        return


_READERS = {"pyproject.toml": _in_pyproject, "tox.toml": _in_tox_toml}
_NOX_VALUED = frozenset({
    "-s", "-e", "--session", "--sessions", "-f", "--noxfile", "-k", "--keywords", "-t", "--tags", "-p", "--python",
    "--pythons", "-db", "--default-venv-backend", "-fb", "--force-venv-backend", "--extra-pythons", "--force-python",
    "--report", "--envdir",
})  # fmt: skip
# a noxfile is a program: where it makes names, those that it spells out are not all
_COMPUTED = re.compile(
    r"import[ \t]+\*|[({,=][ \t]*name[ \t]*=[ \t]*[^\"' \t]|\bsession\([ \t]*[A-Za-z_]\w*[ \t]*[,)]"
    r"|^[ \t]*for\b|\bexec\(|\bload_\w+\("
    r"|^[ \t]*from[ \t]+(?!nox\b|__future__\b|pathlib\b|typing\b)\S+[ \t]+import",
    re.MULTILINE,
)


def _words(text: str) -> frozenset[str] | None:
    """All words of a noxfile, its sessions among them; None when it computes sessions."""
    return None if _COMPUTED.search(text) else frozenset(re.findall(r"[\w.-]+", text))


def _nox(world: World, invocation: shell.Invocation, position: int) -> Iterator[Miss]:
    argv = invocation.argv[1:]
    line = ground.read(argv, _NOX_VALUED)
    if line.has("-f", "--noxfile") or invocation.cwd is None:
        return
    path = ground.nearest(world, ("noxfile.py",), invocation.cwd, position)
    words = ground.parsed(world, path, _words, "computes its sessions, so they are not known") if path else None
    text = world.text_of(path, TYPE.value) if path else None
    if path is None or words is None or text is None:
        return
    # further names follow the option, up to the next one
    flag = next((at for at, word in enumerate(argv) if word in ("-s", "-e", "--session", "--sessions")), None)
    rest = argv[flag + 1 :] if flag is not None else ()
    for each in rest:
        if each is None or each.startswith("-"):
            return
        name = re.sub(r"-(?:pypy)?\d+(?:\.\d+)*$", "", each.partition("(")[0])
        if re.fullmatch(r"[A-Za-z_][\w.-]*", name) and name not in words and not ground.announced(world, name):
            shown = evidence.matching(world.tree, path, "session") or evidence.present(world.tree, path)
            message = f"{path} has no session `{name}`, and no task adds one"
            defined = re.findall(r"(?m)^def[ \t]+(\w+)\(", text)
            yield Miss(each, message, shown, suggestion=alike(name, defined, cutoff=70))
