"""A script, dependency or version that the plan says is there already, and that the manifest denies.

A statement is held against a plan only where no manifest of the tree has the thing, under whatever longer name, and
nothing in the plan may put it there before.
"""

from __future__ import annotations

import posixpath
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.core.plans.model import Prose, Task, TaskStatus
from bot.core.verify import evidence
from bot.core.verify.checks.false_premise.manifest_claims import Statement, read
from bot.core.verify.finding import Draft, Weight, narrow
from bot.core.verify.targets import alike, ground, package_json
from bot.core.verify.targets.package_json import PackageJson
from bot.core.verify.world import World
from schemas.verify_report import Evidence, FindingType

TYPE = FindingType.FALSE_PREMISE
MAX_STATEMENTS = 100
MAX_CHARACTERS = 8_000_000  # of manifests and lock files that are looked through for a name
MAX_LINE = 2_000
MAX_SHOWN = 4  # manifests given as evidence

_NAMES = (
    "package.json", "pyproject.toml", "setup.cfg", "setup.py", "Pipfile", "Cargo.toml", "go.mod", "Gemfile",
    "composer.json", "pubspec.yaml", "pom.xml", "build.gradle", "build.gradle.kts", "libs.versions.toml", "deno.json",
    "environment.yml", "environment.yaml", "mix.exs", "Package.swift", "Directory.Packages.props", "import_map.json",
    "pnpm-workspace.yaml", "requirements.in", "build.sbt", "flake.nix", "pixi.toml", "conanfile.txt", "vcpkg.json",
)  # fmt: skip
_LOCKS = (
    "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "uv.lock", "poetry.lock", "pdm.lock",
    "Pipfile.lock", "Cargo.lock", "go.sum", "Gemfile.lock", "composer.lock", "pubspec.lock",
)  # fmt: skip
_PATTERNED = re.compile(r"(?:^|/)(?:requirements[\w.-]*\.(?:txt|in)|requirements/[\w.-]+\.txt|[\w.-]+\.(?:cs|fs)proj)$")

_REQUIRES = re.compile(r"(?m)^requires-python[ \t]*=[ \t]*[\"']([^\"'\n]{1,60})[\"']")
_GO_LINE = re.compile(r"(?m)^(?:go|toolchain)[ \t]+(?:go)?(1\.\d{1,3})")
_PACKAGE = re.compile(r"^(@[a-z0-9][\w.-]*/)?[a-z0-9][a-z0-9._/-]*$")
_SCRIPT_NAME = re.compile(r"^[a-z][\w:-]*$")
_GIVES = re.compile(r"(?i)\b(?:add|install|get|require|introduc|creat|new)")
# what is imported under another name than it is installed by
_ALIASES = {"bs4": "beautifulsoup", "pil": "pillow", "sklearn": "scikit", "cv2": "opencv", "skimage": "scikit"}


@dataclass(frozen=True, slots=True)
class _Denial:
    """The manifests that deny a statement, what they say instead, and what may be meant."""

    paths: tuple[str, ...]
    message: str
    suggestion: str | None = None


def find(world: World) -> Iterator[Draft]:
    """One draft for each thing that the plan says is in a manifest, and that no manifest of the tree has."""
    seen: set[tuple[str, str]] = set()
    for count, (prose, number, statement) in enumerate(_statements(world)):
        if count >= MAX_STATEMENTS:
            world.note(TYPE.value, f"only the first {MAX_STATEMENTS} statements about manifests were looked at")
            return
        if (statement.kind, statement.name) in seen:
            continue
        seen.add((statement.kind, statement.name))
        position, task = world.task_at(prose.span)
        if (task is not None and task.status is TaskStatus.DONE) or world.abroad(task):
            continue
        line = world.plan.line(prose.span.path, number)
        denial = _denied(world, statement, position, line)
        if denial is not None:
            yield _draft(world, statement, prose, task, line, denial)


def _statements(world: World) -> Iterator[tuple[Prose, int, Statement]]:
    """The statements of the plan's running text, each with the number of its line."""
    seen: set[tuple[str, int]] = set()
    for prose in (*world.plan.prose, *(each for task in world.plan.tasks for each in task.prose)):
        for number in range(prose.span.first, prose.span.last + 1):
            if (prose.span.path, number) in seen:
                continue
            seen.add((prose.span.path, number))
            line = world.plan.line(prose.span.path, number)
            if len(line) <= MAX_LINE:
                for statement in read(line):
                    yield prose, number, statement


def _denied(world: World, said: Statement, position: int, line: str) -> _Denial | None:
    """What the manifests say against a statement; None when nothing."""
    match said.kind:
        case "dependency":
            return _dependency(world, said, position, line)
        case "script":
            return _script(world, said, position, line)
        case "python":
            return _python(world, said, position)
        case "go":
            return _go(world, said, position)
        case _:
            return _version(world, said, position)


def _manifests(
    world: World, names: tuple[str, ...], position: int, name: str = "", line: str = ""
) -> tuple[str, ...] | None:
    """The files of these names; None when the plan or its pull request may have changed one by then, unless nothing but
    this line speaks of `name`."""
    only_here = bool(name) and not _spoken_of(world, name, line)
    return ground.everywhere(world, names, position, TYPE.value, changed_too=only_here)


def _spoken_of(world: World, name: str, line: str) -> bool:
    """Whether any other line of the plan, or another plan of its folder, has that name."""
    said = line.strip()
    spoken = (
        other
        for document in world.plan.documents
        if name in document.text
        for other in document.text.split("\n")
        if name in other
    )
    return any(other.strip() != said for other in spoken) or any(name in each.text for each in world.siblings)


def _given(world: World, name: str, line: str) -> bool:
    """Whether another line of the plan brings `name` in: a command that installs it, a sentence that adds it."""
    return any(
        name in other and _GIVES.search(other) and other.strip() != line.strip()
        for document in world.plan.documents
        for other in document.text.split("\n")
        if len(other) <= MAX_LINE
    )


def _bare(name: str) -> str:
    """A dependency without version, extras and options, as package indexes compare names."""
    bare = re.split(r"[\[=<>~^!; ]", name.strip(), maxsplit=1)[0]
    at = bare.find("@", 1)
    bare = bare[:at] if at > 0 else bare
    return bare.strip()


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.casefold())


def _flat(text: str) -> str:
    """A manifest with its names as package indexes compare them."""
    return _plain(text)


def _dependency(world: World, said: Statement, position: int, line: str) -> _Denial | None:
    given = _bare(said.name)
    name = given.casefold()
    if said.manifest is None and name != given:
        return None  # rather a class that another one depends on
    if not _PACKAGE.match(name) or len(name) < 3 or name in sys.stdlib_module_names or name.startswith("node:"):
        return None
    if said.manifest is None and ("/" in name and not name.startswith("@") and "." not in name.partition("/")[0]):
        return None
    hosted = "." in name.partition("/")[0] and "/" in name
    if world.tree.by_suffix(name) or world.tree.by_suffix(name.replace("-", "_")):
        return None  # a part of the repository itself
    if not hosted and _is_module(world, name):
        return None
    paths = _manifests(world, _NAMES, position, given, line)
    if not paths:
        return None
    patterned = world.once(_patterned)
    if len(patterned) > ground.MAX_MANIFESTS:
        world.note(TYPE.value, f"{len(patterned)} files like {patterned[0]} are too many to know the dependencies")
        return None
    if any(ground.may_change(world, path, position) for path in patterned) and _spoken_of(world, given, line):
        return None
    if said.manifest is not None:
        named = posixpath.basename(said.manifest)
        if not any(posixpath.basename(path) == named for path in (*paths, *patterned)):
            return None
    left = MAX_CHARACTERS
    # a longer name may be the same thing: `yaml` is installed as `pyyaml`
    wanted = _hosts(name) if hosted else (_plain(_ALIASES.get(name, name).rpartition("/")[2]),)
    for path in (*paths, *patterned, *(lock for each in _LOCKS for lock in world.tree.by_name(each))):
        flat = world.parsed(path, _flat, TYPE.value)
        if flat is None or _broken(world, path):
            return None
        left -= len(flat)
        if left < 0:
            world.note(TYPE.value, "the manifests are too much to read, so the dependencies are not known")
            return None
        if any(each in flat for each in wanted):
            return None
    if _given(world, name, line):
        return None
    message = f"the plan says that `{name}` is a dependency already, and no manifest has it"
    return _Denial(_nearest(said, (*paths, *patterned))[:MAX_SHOWN], message)


def _broken(world: World, path: str) -> bool:
    """Whether a manifest is not what its name says, so that it neither has nor lacks anything; a note says so."""
    if path.endswith("package.json"):
        package = package_json.of(world, path, TYPE.value)
        if package is not None and not package.listed:
            world.note(TYPE.value, f"the dependencies of {path} are no object")
        return package is None or not package.listed
    if path.endswith(".toml") and world.parsed(path, _is_toml, TYPE.value) is False:
        world.note(TYPE.value, f"{path} is not valid TOML")
        return True
    return False


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _hosts(name: str) -> tuple[str, ...]:
    """The modules that a Go package of this path may be in, as manifests name them."""
    parts = name.split("/")
    least = 3 if parts[0] in ("github.com", "gitlab.com", "bitbucket.org") else 2
    return tuple(_plain("/".join(parts[:count])) for count in range(min(least, len(parts)), len(parts) + 1))


def _is_module(world: World, name: str) -> bool:
    stem = re.sub(r"[-.]", "_", name.rpartition("/")[2])
    return any(world.tree.by_name(f"{stem}.{end}") for end in ("py", "ts", "tsx", "js", "go", "rs"))


def _patterned(world: World) -> tuple[str, ...]:
    """The manifests that are known by a part of their names."""
    return tuple(path for path in world.tree.paths() if _PATTERNED.search(path))


def _nearest(said: Statement, paths: tuple[str, ...]) -> tuple[str, ...]:
    """The manifest that a statement names, or those nearest to the root."""
    if said.manifest is not None:
        named = tuple(path for path in paths if posixpath.basename(path) == posixpath.basename(said.manifest))
        exact = tuple(path for path in named if path == said.manifest.removeprefix("./"))
        paths = (exact or named or paths)[:1]
    return tuple(sorted(paths, key=lambda path: path.count("/")))


def _scripts(package: PackageJson) -> Mapping[str, str]:
    return package.scripts or {}


def _packages(world: World, position: int, name: str = "", line: str = "") -> dict[str, PackageJson] | None:
    """The package.json files of the tree; None where one may have changed or its scripts cannot be known."""
    found: dict[str, PackageJson] = {}
    for path in _manifests(world, ("package.json",), position, name, line) or ():
        package = package_json.of(world, path, TYPE.value)
        if package is None:
            return None
        if package.scripts is None:
            world.note(TYPE.value, f"the scripts of {path} are no object")
            return None
        found[path] = package
    return found or None


def _script(world: World, said: Statement, position: int, line: str) -> _Denial | None:
    name = re.sub(r"^(?:npm|pnpm|yarn|bun)(?: run)? ", "", said.name)
    if not _SCRIPT_NAME.match(name) or (said.manifest or "package.json").rpartition("/")[2] != "package.json":
        return None
    packages = _packages(world, position, name, line)
    if packages is None or any(name in _scripts(package) for package in packages.values()):
        return None
    if any(world.tree.by_name(each) for each in (name, *(f"{name}.{end}" for end in ("sh", "js", "mjs", "ts", "py")))):
        return None
    if _given(world, name, line):
        return None
    path = _nearest(said, tuple(packages))[0]
    message = f"the plan says that there is a script `{name}` already, and {path} has none of that name"
    return _Denial((path,), message, alike(name, _scripts(packages[path]), cutoff=70))


def _python(world: World, said: Statement, position: int) -> _Denial | None:
    paths = _manifests(world, ("pyproject.toml",), position)
    denial: _Denial | None = None
    for path in sorted(paths or (), key=lambda each: (-each.count("/"), each)):
        text = world.text_of(path, TYPE.value)
        if text is None:
            return None
        found = _REQUIRES.search(text)
        if found is None:
            if "requires-python" in text or "python" in text.casefold().partition("[tool.poetry.dep")[2]:
                return None
            continue
        real = found.group(1).replace(" ", "")
        if real == said.name or real.startswith(f"{said.name},") or not real.startswith(">="):
            return None
        denial = _Denial(
            (path,), f"the plan says that `requires-python` is `{said.name}`, and {path} has `{real}`", real
        )
    return denial


def _go(world: World, said: Statement, position: int) -> _Denial | None:
    paths = _manifests(world, ("go.mod",), position)
    if not paths or said.manifest is None or said.version is None:
        return None
    path = _nearest(said, paths)[0]
    known: list[str] = []
    for each in paths:
        versions = world.parsed(each, _GO_LINE.findall, TYPE.value)
        if versions is None or said.version in versions:
            return None
        if each == path:
            known = versions
    if not known:
        return None
    return _Denial((path,), f"the plan says that {path} is for Go {said.version}, and it says {known[0]}", known[0])


def _version(world: World, said: Statement, position: int) -> _Denial | None:
    packages = _packages(world, position)
    if packages is None or said.version is None:
        return None
    wanted = said.name.casefold().removesuffix(".js")
    denial: _Denial | None = None
    for path in sorted(packages, key=lambda each: (-each.count("/"), each)):
        for name, given in packages[path].ranges.items():
            if name.casefold() != wanted and name.casefold() != f"@types/{wanted}":
                continue
            major = re.fullmatch(r"[\^~=v]?(\d{1,3})(?:\.[\dx]+){0,2}(?:-[\w.]+)?", given)
            if major is None or major.group(1) == said.version:
                return None
            if name.casefold() == wanted:
                message = f"the plan says that `{name}` is at {said.version}, and {path} has `{given}`"
                denial = _Denial((path,), message, given)
    return denial


def _draft(world: World, said: Statement, prose: Prose, task: Task | None, line: str, denial: _Denial) -> Draft:
    needles = {
        "script": '"scripts"',
        "python": "requires-python",
        "go": "go 1.",
        "version": f'"{said.name.casefold().removesuffix(".js")}"',
    }
    shown: tuple[Evidence, ...] = ()
    for path in denial.paths:
        needle = needles.get(said.kind)
        at = evidence.matching(world.tree, path, needle) if needle else ()
        shown += at or evidence.present(world.tree, path)
    return Draft(
        TYPE,
        Weight.WRONG,
        narrow(world.plan, prose.span, line),
        said.name,
        denial.message,
        shown,
        task=task,
        raw=said.name,
        suggestion=denial.suggestion,
    )
