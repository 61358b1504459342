"""Packages, targets and features that cargo is asked for.

The names of packages are those of every Cargo.toml in the tree, of their dependencies and of the lock file, for `-p`
takes any package of the graph.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.core.verify import evidence, shell
from bot.core.verify.targets import TYPE, Miss, alike, ground, presence
from bot.core.verify.world import World

_COMMANDS = frozenset({
    "build", "b", "check", "c", "clippy", "test", "t", "bench", "run", "r", "doc", "d", "rustdoc", "rustc", "fix",
    "tree", "nextest", "package", "publish", "llvm-cov",
})  # fmt: skip
_VALUED = frozenset({
    "-p", "--package", "--test", "--bin", "--example", "--bench", "-F", "--features", "--manifest-path", "--target",
    "--target-dir", "--profile", "-j", "--jobs", "--exclude", "--color", "--config", "-Z", "--message-format", "-C",
    "-E", "--filter-expr", "--filterset", "--partition", "--retries", "--test-threads", "--depth", "-i", "--invert",
    "-e", "--edges", "--no-output-indent", "--cargo-profile", "--format", "--output-path", "--archive-file",
    "--run-ignored", "--status-level", "--no-capture-output", "--ignore-filename-regex", "--registry", "--token",
})  # fmt: skip
_NAME = re.compile(r"^[A-Za-z_][\w-]*$")
# folders and the option that names a target in them
_KINDS = {"--test": ("tests", "test"), "--example": ("examples", "example"), "--bench": ("benches", "bench")}
_NAMES = ("Cargo.toml",)
MAX_LOCKS = 20


@dataclass(frozen=True, slots=True)
class _Manifest:
    """What a Cargo.toml declares. `package` is None for a workspace without a package at its root."""

    package: str | None
    targets: Mapping[str, frozenset[str]]  # "bin", "test", "example", "bench" → names
    features: frozenset[str]
    dependencies: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Crates:
    manifests: Mapping[str, _Manifest]  # by path
    names: frozenset[str]  # every package that `-p` may mean

    def of(self, package: str) -> list[str]:
        """The folders of the packages of that name."""
        return [posixpath.dirname(path) for path, each in self.manifests.items() if each.package == package]


def _table(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _parsed(text: str) -> _Manifest | None:
    try:
        data: dict[str, object] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return None
    package = _table(data.get("package")).get("name")
    targets = {}
    for kind in ("bin", "test", "example", "bench"):
        listed = data.get(kind)
        entries = listed if isinstance(listed, list) else []
        targets[kind] = frozenset(str(name) for each in entries if (name := _table(each).get("name")))
    tables = [data, _table(data.get("workspace")), *map(_table, _table(data.get("target")).values())]
    dependencies: set[str] = set()
    optional: set[str] = set()
    for table in tables:
        for key in ("dependencies", "dev-dependencies", "build-dependencies"):
            for name, each in _table(table.get(key)).items():
                dependencies.update((name, str(_table(each).get("package", name))))
                if _table(each).get("optional"):
                    optional.add(name)
    features = frozenset(_table(data.get("features"))) | optional | {"default"}
    return _Manifest(package if isinstance(package, str) else None, targets, features, frozenset(dependencies))


def _locked(text: str) -> frozenset[str]:
    return frozenset(re.findall(r'(?m)^name = "([^"\n]{1,200})"$', text))


def _crates(world: World, position: int, *, changed_too: bool = False) -> _Crates | None:
    """The packages of the tree; None when one cannot be read, or (unless `changed_too`) the plan may have added or
    changed one."""
    return world.once(_graph) if ground.everywhere(world, _NAMES, position, changed_too=changed_too) else None


def _graph(world: World) -> _Crates | None:
    manifests: dict[str, _Manifest] = {}
    names: set[str] = set()
    for path in world.tree.by_name("Cargo.toml"):
        if "node_modules/" in path:
            continue
        parsed = ground.parsed(world, path, _parsed, "is not valid TOML, so the packages are not known")
        if parsed is None:
            return None
        manifests[path] = parsed
        names.update(parsed.dependencies)
        if parsed.package:
            names.add(parsed.package)
    locks = world.tree.by_name("Cargo.lock")
    if len(locks) > MAX_LOCKS:
        world.note(TYPE.value, f"{len(locks)} files named Cargo.lock are too many to know the packages")
        return None
    for path in locks:
        locked = world.parsed(path, _locked, TYPE.value)
        if locked is None:
            return None
        names.update(locked)
    return _Crates(manifests, frozenset(names))


def judge(world: World, invocation: shell.Invocation, position: int) -> Iterator[Miss]:
    """A miss for each package, target or feature of a cargo command that no Cargo.toml has and no task adds."""
    argv = list(invocation.argv)
    if ground.program(argv[0]) != "cargo":
        return
    argv = [word for word in argv[1:] if word is None or not word.startswith("+")]
    line = ground.read(argv, _VALUED)
    if not line.words or line.words[0] not in _COMMANDS or line.has("-Z", "-C"):
        return
    cwd = invocation.cwd
    yield from _files_as_filters(world, line, cwd)
    manifest = line.values("--manifest-path")
    if manifest:
        named = shell.join(cwd, manifest[-1])
        cwd = posixpath.dirname(named) if named and named.endswith("Cargo.toml") else None
    if cwd is None:
        return
    packages = line.values("-p", "--package")
    wanted = [each for each in packages if each and _NAME.match(each)]
    crates = _crates(world, position)
    if crates is None:
        yield from _never_named(world, wanted, cwd, position)
        return
    if not (manifest or _root(world, crates, cwd)):
        return
    missing = [each for each in wanted if each not in crates.names]
    for each in missing:
        if not ground.announced(world, each) and not _laid_out(world, each):
            yield _package(world, crates, each, cwd)
    if len(wanted) < len(packages) or missing:
        return
    yield from _targets(world, line, crates, wanted)
    yield from _features(world, line, crates, wanted, cwd)


def _never_named(world: World, wanted: list[str], cwd: str, position: int) -> Iterator[Miss]:
    """A miss for each package that no Cargo.toml has although the plan changes some, when nothing in it but commands
    speaks of such a package, and no folder that it fills is called like it."""
    crates = _crates(world, position, changed_too=True)
    if crates is None or world.abroad_at(position) or not _root(world, crates, cwd):
        return
    folders = {posixpath.basename(folder) for folder in (*world.made_below, *world.walk.filled)}
    for each in wanted:
        plain = each.replace("_", "-")
        if each in crates.names or plain in crates.names or ground.announced(world, each):
            continue
        ends = {plain[at + 1 :] for at, char in enumerate(plain) if char == "-"} | {plain}
        if any(folder.replace("_", "-") in ends for folder in folders):
            continue
        if not any(name in presence.quiet_lines(world) for name in (each, plain, each.replace("-", "_"))):
            yield _package(world, crates, each, cwd)


def _laid_out(world: World, package: str) -> bool:
    """Whether the plan lays out a folder that may well be the package's."""
    return any(posixpath.basename(folder) in package for folder in world.walk.filled)


def _files_as_filters(world: World, line: ground.Line, cwd: str | None) -> Iterator[Miss]:
    """`cargo test tests/a.rs` takes the path for part of a test's name: no test is run, and none fails."""
    if line.words[0] not in ("test", "t", "bench"):
        return
    for word in line.words[1:]:
        if word and word.endswith(".rs") and "/" in word:
            path = shell.join(cwd, word)
            shown = evidence.present(world.tree, path) or evidence.absent(world.tree, path) if path else ()
            name = posixpath.basename(word)[:-3]
            better = f"--test {name}" if posixpath.basename(posixpath.dirname(word)) == "tests" else None
            message = "`cargo` takes this for part of a test's name, and runs no test"
            yield Miss(word, message, shown, suggestion=better)


def _root(world: World, crates: _Crates, cwd: str) -> str | None:
    """The Cargo.toml that cargo finds from `cwd` upwards."""
    path = ground.nearest(world, _NAMES, cwd, -1, in_doubt=lambda _: False)
    return path if path in crates.manifests else None


def _package(world: World, crates: _Crates, name: str, cwd: str) -> Miss:
    own = {each.package for each in crates.manifests.values() if each.package}
    path = _root(world, crates, cwd) or next(iter(crates.manifests))
    best = alike(name, own, cutoff=70)
    return Miss(
        name,
        f"no Cargo.toml has a package `{name}` or a dependency of that name, and no task adds one",
        evidence.present(world.tree, path),
        suggestion=best,
    )


def _targets(world: World, line: ground.Line, crates: _Crates, packages: list[str]) -> Iterator[Miss]:
    folders = [folder for each in packages for folder in crates.of(each)]
    if packages and not folders:
        return
    for flag, (folder, kind) in _KINDS.items():
        for name in line.values(flag):
            if not name or not _NAME.match(name):
                continue
            if any(name in each.targets[kind] for each in crates.manifests.values()) or ground.announced(world, name):
                continue
            files = _files(folder, name)
            if any(_anywhere(world, file) for file in files):
                continue
            base = folders[0] if len(folders) == 1 else None
            where = posixpath.join(base, files[0]) if base is not None else files[0]
            shown = evidence.absent(world.tree, where)
            if not shown:
                continue
            others = _stems(world, folder)
            message = f"no package has a {kind} target `{name}`, and no task adds one"
            yield Miss(name, message, shown, suggestion=alike(name, others, cutoff=70))
    for name in line.values("--bin"):
        if not name or not _NAME.match(name) or ground.announced(world, name):
            continue
        if any(name in each.targets["bin"] or name == each.package for each in crates.manifests.values()):
            continue
        if any(_anywhere(world, file) for file in _files("bin", name)):
            continue
        known = {bin_ for each in crates.manifests.values() for bin_ in (*each.targets["bin"], each.package) if bin_}
        known.update(_stems(world, "bin"))
        shown = evidence.present(world.tree, next(iter(crates.manifests)))
        message = f"no package has a binary `{name}`, and no task adds one"
        yield Miss(name, message, shown, suggestion=alike(name, known, cutoff=70))


def _files(folder: str, name: str) -> tuple[str, str]:
    return f"{folder}/{name}.rs", f"{folder}/{name}/main.rs"


def _anywhere(world: World, tail: str) -> bool:
    """Whether a file of that end is in the tree, is made by the plan, or is cited by it."""
    if world.tree.by_suffix(tail) or world.made_alike(tail):
        return True
    return any(path.endswith(f"/{tail}") for path in world.made_by_name.get(posixpath.basename(tail), ()))


def _rust_stems(world: World) -> dict[str, set[str]]:
    """Folder's name → the names of the Rust files right in the folders of that name."""
    found: dict[str, set[str]] = {}
    for path in world.tree.paths():
        if path.endswith(".rs"):
            folder, _, name = path.rpartition("/")
            found.setdefault(posixpath.basename(folder), set()).add(name[:-3])
    return found


def _stems(world: World, folder: str) -> set[str]:
    return world.once(_rust_stems).get(folder, set())


def _features(world: World, line: ground.Line, crates: _Crates, packages: list[str], cwd: str) -> Iterator[Miss]:
    if line.has("--workspace", "--all", "--exclude"):
        return
    folders = [folder for each in packages for folder in crates.of(each)]
    if packages:
        if len(folders) != 1 or len(packages) != 1:
            return
        path = posixpath.join(folders[0], "Cargo.toml")
    else:
        path = _root(world, crates, cwd) or ""
    manifest = crates.manifests.get(path)
    if manifest is None or manifest.package is None:
        return
    if not packages and not _alone(crates, path):
        return
    for value in line.values("-F", "--features"):
        for name in re.split(r"[,\s]+", value or ""):
            if not _NAME.match(name) or name in manifest.features or ground.announced(world, name):
                continue
            shown = evidence.matching(world.tree, path, "[features]") or evidence.present(world.tree, path)
            message = f"{path} has no feature `{name}`, and no task adds one"
            yield Miss(name, message, shown, suggestion=alike(name, manifest.features, cutoff=70))


def _alone(crates: _Crates, path: str) -> bool:
    """Whether a command without `-p` can only mean the package of `path`: no other package is near."""
    return sum(each.package is not None for each in crates.manifests.values()) == 1 and path in crates.manifests
