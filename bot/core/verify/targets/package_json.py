"""What a package.json says of its package: name, scripts and dependencies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from bot.core.verify.targets import TYPE
from bot.core.verify.world import World

_RANGES = ("optionalDependencies", "peerDependencies", "devDependencies", "dependencies")  # the last one counts


@dataclass(frozen=True, slots=True)
class PackageJson:
    """`scripts` is None where they are no object; `ranges` maps dependencies to their versions; `dependencies` are
    those of the kinds that only some package managers know as well. `listed` is false where
    dependencies are no object."""

    name: str | None
    scripts: Mapping[str, str] | None
    ranges: Mapping[str, str]
    dependencies: frozenset[str]
    listed: bool = True


def read(text: str) -> PackageJson | None:
    """What a package.json declares; None when it is not a JSON object."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    name, scripts = data.get("name"), data.get("scripts", {})
    ranges: dict[str, str] = {}
    for key in _RANGES:
        table = data.get(key)
        if isinstance(table, dict):
            ranges.update({each: str(value) for each, value in table.items()})
    return PackageJson(
        name if isinstance(name, str) else None,
        {each: str(value) for each, value in scripts.items()} if isinstance(scripts, dict) else None,
        ranges,
        frozenset(
            each
            for key, table in data.items()
            if key.casefold().endswith("dependencies") and isinstance(table, dict)
            for each in table
        ),
        all(isinstance(data.get(key) or {}, dict) for key in _RANGES),
    )


def of(world: World, path: str, check: str = TYPE.value) -> PackageJson | None:
    """The package.json at `path`; None, and a note to `check`, when it cannot be read or is not a JSON object."""
    found = world.parsed(path, read, check)
    if found is None and world.text_of(path, check) is not None:
        world.note(check, f"{path} is not valid JSON")
    return found
