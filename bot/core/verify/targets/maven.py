"""Modules that maven is told to build."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from bot.core.tree import Kind
from bot.core.verify import evidence, shell
from bot.core.verify.targets import TYPE, Miss, alike, ground
from bot.core.verify.world import World

_NAMES = ("pom.xml",)
_VALUED = frozenset({
    "-pl", "--projects", "-f", "--file", "-P", "--activate-profiles", "-D", "--define", "-s", "--settings", "-T",
    "--threads", "-rf", "--resume-from", "-t", "--toolchains", "-gs", "-l", "--log-file", "-b", "--builder",
})  # fmt: skip
_ENTRY = re.compile(r"^[\w./-]*:?[\w.-]+$")


def judge(world: World, invocation: shell.Invocation, position: int) -> Iterator[Miss]:
    """A miss for each module of `-pl` that has no pom.xml in the tree and that no task adds."""
    if ground.program(invocation.argv[0]) not in ("mvn", "mvnw", "mvnd", "mvnw.cmd"):
        return
    line = ground.read(invocation.argv[1:], _VALUED)
    wanted = line.values("-pl", "--projects")
    if not wanted:
        return
    cwd = invocation.cwd
    for name in line.values("-f", "--file"):
        place = shell.join(cwd, name)
        cwd = posixpath.dirname(place) if place and place.endswith(".xml") else place
    if cwd is None:
        return
    root = posixpath.join(cwd, "pom.xml") if cwd else "pom.xml"
    poms = ground.everywhere(world, _NAMES, position)
    if not poms or root not in poms:
        return
    for value in wanted:
        for entry in (value or "").split(","):
            name = entry.strip().lstrip("!+-?")
            if not _ENTRY.match(name) or ground.announced(world, name.strip(":")):
                continue
            miss = _artifact(world, root, poms, name) if ":" in name else _folder(world, cwd, root, poms, name)
            if miss is not None:
                yield miss


def _folder(world: World, cwd: str, root: str, poms: tuple[str, ...], name: str) -> Miss | None:
    path = shell.join(cwd, name)
    if path is None or posixpath.join(path, "pom.xml") in poms or world.tree.kind(path) is Kind.FILE:
        return None
    if path == "" or ground.cited_below(world, path) or path in world.walk.filled:
        return None
    folders = [posixpath.dirname(pom) for pom in poms]
    if any(folder.endswith(f"/{name}") for folder in folders):
        return None  # the reader may be meant to stand beside it
    shown = evidence.absent(world.tree, posixpath.join(path, "pom.xml")) or evidence.present(world.tree, root)
    best = alike(name, (folder for folder in folders if folder), cutoff=60)
    return Miss(name, f"there is no module {name}: it has no pom.xml, and no task creates it", shown, suggestion=best)


def _artifact(world: World, root: str, poms: tuple[str, ...], name: str) -> Miss | None:
    artifact = name.rpartition(":")[2]
    needle = f"<artifactId>{artifact}</artifactId>"
    for pom in poms:
        text = world.text_of(pom, TYPE.value)
        if text is None or needle in re.sub(r"\s", "", text) or "<artifactId>${" in text:
            return None
    shown = evidence.matching(world.tree, root, "<modules>") or evidence.present(world.tree, root)
    return Miss(name, f"no pom.xml has the artifact `{artifact}`, and no task adds one", shown)
