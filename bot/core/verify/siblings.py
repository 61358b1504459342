"""The other plans of a plan's folder: stacked plans build on each other's files."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.core.plans.model import Document, Plan
from bot.core.tree import Kind, Text, Tree

MAX_LINE = 2_000

_TOKEN = re.compile(r"[\w@+.()\[\]/-]+")
_CREATES = re.compile(r"(?i)\b(?:creat(?:e|es|ed|ing)|new|move[sd]?|renamed?|scaffold(?:s|ed)?)\b")
_CHANGES = re.compile(r"(?i)\b(?:modif(?:y|ies|ied)|update[sd]?|delete[sd]?|existing)\b")


def read(plan: Plan, tree: Tree, *, most: int, most_bytes: int) -> tuple[tuple[Document, ...], int]:
    """The other plans of the folder, newest name first, at most `most` of them and `most_bytes` in all; and how many
    are left out.

    Where each plan has a folder of its own, the other open ones are those of the same name beside it.
    """
    folder, _, name = plan.path.rpartition("/")
    own = {document.path for document in plan.documents}
    names = [
        path
        for path in (f"{folder}/{child}" if folder else child for child in tree.children(folder))
        if path.endswith(".md") and path not in own
    ]
    above = folder.rpartition("/")[0]
    if name == "tasks.md" and above:
        beside = (f"{above}/{child}/{name}" for child in tree.children(above))
        names += [path for path in beside if path not in own and tree.kind(path) is Kind.FILE]
    found: list[Document] = []
    left = most_bytes
    for path in sorted(names, reverse=True)[:most]:
        content = tree.read(path)
        if isinstance(content, Text):
            left -= content.size
            if left < 0:
                break
            found.append(Document(path, content.text))
    return tuple(found), len(names) - len(found)


def creations(documents: Iterable[Document]) -> dict[str, Document]:
    """The paths on those lines of other plans that speak of creating something, each with the first such plan."""
    found: dict[str, Document] = {}
    for document in documents:
        for line in document.text.split("\n"):
            if "/" in line and _CREATES.search(line) and not _CHANGES.search(line):
                for token in _TOKEN.findall(line[:MAX_LINE]):
                    found.setdefault(token, document)
                    found.setdefault(token.strip(".()[]"), document)
    return found
