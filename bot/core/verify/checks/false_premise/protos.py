"""A full name of a service or message in another package than the one whose `.proto` file defines it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.plans.model import Span
from bot.core.tree import Text
from bot.core.verify import evidence
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.FALSE_PREMISE

MAX_FILES = 200  # `.proto` files of the repository
MAX_NAMES = 2_000  # full names in the plan

_FULL = re.compile(r"(?<![\w./-])((?:[a-z]\w{0,60}\.){2,8})([A-Z]\w{2,80})\b(?![/(])")
_PACKAGE = re.compile(r"(?m)^[ \t]*package\s+([\w.]+)\s*;")
_DEFINED = re.compile(r"(?m)^(?:service|message|enum)\s+(\w+)")


def find(world: World) -> Iterator[Draft]:
    """One draft for each name, where it stands first. A plan that writes to a `.proto` file, or shows a package clause,
    may make new names."""
    if not any(_FULL.search(document.text) for document in world.plan.documents):
        return
    files = [path for path in world.tree.paths() if path.endswith(".proto")]
    if not files or any(path.endswith(".proto") for path in (*world.walk.touched, *world.walk.created)):
        return
    if len(files) > MAX_FILES:
        world.note(TYPE.value, f"only the first {MAX_FILES} .proto files were looked into")
    packages: set[str] = set()
    homes: dict[str, set[tuple[str, str]]] = {}  # name → (package, file)
    for path in files[:MAX_FILES]:
        content = world.tree.read(path)
        clause = _PACKAGE.search(content.text) if isinstance(content, Text) else None
        if clause is None or not isinstance(content, Text):
            continue
        packages.add(clause.group(1))
        for name in _DEFINED.findall(content.text):
            homes.setdefault(name, set()).add((clause.group(1), path))
    seen: set[str] = set()
    for document in world.plan.documents:
        for count, match in enumerate(_FULL.finditer(document.text)):
            if count >= MAX_NAMES:
                break
            package, name = match.group(1).rstrip("."), match.group(2)
            home = homes.get(name, set())
            if len({each for each, _ in home}) != 1 or package in packages or match.group() in seen:
                continue
            real, path = min(home)
            # a name of some library may be the same; one of this repository begins as its packages do
            if package.split(".")[0] != real.split(".")[0] or f"package {package}" in world.text:
                continue
            seen.add(match.group())
            line = document.text.count("\n", 0, match.start()) + 1
            span = Span(document.path, line, line)
            _, task = world.task_at(span)
            yield Draft(
                TYPE,
                Weight.WRONG,
                span,
                match.group(),
                f"no .proto file has the package `{package}`; `{name}` is in `{real}`",
                evidence.matching(world.tree, path, f"package {real}"),
                task=task,
                suggestion=f"{real}.{name}",
            )
