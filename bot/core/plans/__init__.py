"""Plan documents of many formats, read into one Plan model.

`detect` names a document's format, `parse` reads documents into a `Plan`, `companions` says which other files a plan
of several files wants, and `PLAN_GLOBS` where plans are looked for by default.
"""

from __future__ import annotations

from collections.abc import Sequence
from posixpath import basename

from bot.core.plans import (
    generic,
    harness,
    kiro,
    lets,
    openspec,
    roadmap,
    speckit,
    superpowers,
    todos,
    workplan,
)
from bot.core.plans.assembly import Parts, load, plan
from bot.core.plans.detect import PLAN_GLOBS, companions, detect
from bot.core.plans.model import Document, Format, Plan

__all__ = ["PLAN_GLOBS", "companions", "detect", "parse"]


def parse(documents: Sequence[Document], format: Format | None = None) -> Plan:  # noqa: A002
    """The plan in `documents`, of which the first names it. Never raises on any text.

    Without `format` it is detected from the first document; a text that is no plan is read as a generic one. Spans
    are lines of the normalised documents, which the result holds.
    """
    if not documents:
        raise ValueError("a plan has at least one document")
    chosen = format or detect(documents[0].path, documents[0].text) or Format.GENERIC
    loaded = [load(document) for document in documents]
    several = len(loaded) > 1 and any(basename(document.path) == "tasks.md" for document, _, _ in loaded)
    parts: list[Parts] = []
    for document, head, page in loaded:
        if chosen is Format.SUPERPOWERS:
            found = superpowers.read(document, page)
        elif chosen is Format.LETS:
            found = lets.read(document, page)
        elif chosen is Format.ROADMAP:
            found = roadmap.read(document, page)
        elif chosen is Format.HARNESS:
            found = harness.read(document, page)
        elif chosen is Format.WORKPLAN:
            found = workplan.read(document, page)
        elif chosen is Format.OPENSPEC:
            found = openspec.read(document, page, paths=[each.path for each, _, _ in loaded])
        elif chosen in (Format.KIRO, Format.SPECKIT):
            tasks = not several or basename(document.path) == "tasks.md"
            found = (kiro if chosen is Format.KIRO else speckit).read(document, page, tasks=tasks)
        elif head is not None and todos.has_todos(head) and (entries := todos.todos(document.text)):
            overview = head.get("overview")
            found = todos.parts(document, entries, overview if isinstance(overview, str) else None)
        else:
            tasks = not several or basename(document.path) == "tasks.md"
            found = generic.read(document, page, tasks=tasks)
        parts.append(found)
    meta = next((found for _, found, _ in loaded if found is not None), None)
    if meta is None and chosen is Format.LETS:
        meta = lets.header(loaded[0][2]) or None
    return plan(chosen, tuple(document for document, _, _ in loaded), meta, parts)
