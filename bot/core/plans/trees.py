"""Directory trees drawn with box characters inside fences, read as paths."""

from __future__ import annotations

import re

from bot.core.plans.actions import of_mark
from bot.core.plans.markdown import Block
from bot.core.plans.model import Action, Certainty, FileRef, Hedge, Span
from bot.core.plans.paths import tokens

_BRANCH = re.compile(
    r"^(?P<indent>[\s│|┃·]*)(?:├|└|┣|┗|\|--|`--|\+--)[─━-]*\s*(?P<name>\S[^#←<]*?)\s*(?P<note>(?:#|"
    r"←|<-|—|//|\(|\s{2,}).*)?$"
)
_ROOT = re.compile(r"^(?P<name>[\w.@/-]+/?)\s*(?:#.*)?$")
MAX_ROWS = 5000


def is_tree(body: str) -> bool:
    return "├" in body or "└" in body


def references(block: Block, path: str, section_new: bool = False) -> list[FileRef]:
    """The files of a tree drawing: those marked new as mentioned creations, the others as mere illustration.

    A drawing abbreviates and may start at any directory, so nothing in it is a statement about the tree.
    """
    out: list[FileRef] = []
    stack: list[tuple[int, str]] = []  # (column, name/)
    root = ""
    for offset, row in enumerate(block.body.split("\n")[:MAX_ROWS]):
        if len(row) > 400:
            continue
        branch = _BRANCH.match(row)
        if branch is None:
            top = _ROOT.match(row)
            if top:
                root, stack = top.group("name").rstrip("/") + "/", []
                if root in ("./", "."):
                    root = ""
            continue
        column = len(branch.group("indent"))
        while stack and stack[-1][0] >= column:
            stack.pop()
        name = branch.group("name").strip().strip("`*")
        note = (branch.group("note") or "").strip()
        mark = of_mark(" " + note) or of_mark(" (" + note.lstrip("#←<-—/( ") + ")") if note else None
        plain = re.split(r"\s+(?:\(|\[)", name)[0]
        inner = of_mark(" " + name[len(plain) :].strip()) if len(plain) < len(name) else None
        mark = inner or mark
        full = root + "".join(part for _, part in stack) + plain
        if plain.endswith("/") or "." not in plain:
            stack.append((column, plain.rstrip("/") + "/"))
        if not (plain.endswith("/") or "." in plain):
            continue
        line = block.body_first + offset
        for token in tokens(full, code=True, stated=True):
            new = section_new or (mark is not None and mark.action is Action.CREATE)
            action = Action.CREATE if new else Action.READ
            hedge = token.hedge or (None if new else Hedge.EXAMPLE)
            out.append(FileRef(token.path, action, Certainty.MENTIONED, Span(path, line, line), plain, hedge=hedge))
    return out
