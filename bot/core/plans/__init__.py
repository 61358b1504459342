"""Plan documents of many formats, read into one Plan model.

`detect` names a document's format, `parse` reads documents into a `Plan`, `companions` says which other files a plan
of several files wants, and `PLAN_GLOBS` where plans are looked for by default. The reader of a format is imported with
the first plan of that format: a run of the command line sees one, and the patterns of the others cost it a tenth of a
second.
"""

from __future__ import annotations

from collections.abc import Sequence
from posixpath import basename

from bot.core.plans import generic, superpowers, todos
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
        tasks = not several or basename(document.path) == "tasks.md"
        if chosen is Format.SUPERPOWERS:
            found = superpowers.read(document, page)
        elif chosen is Format.LETS:
            from bot.core.plans import lets

            found = lets.read(document, page)
        elif chosen is Format.ROADMAP:
            from bot.core.plans import roadmap

            found = roadmap.read(document, page)
        elif chosen is Format.HARNESS:
            from bot.core.plans import harness

            found = harness.read(document, page)
        elif chosen is Format.WORKPLAN:
            from bot.core.plans import workplan

            found = workplan.read(document, page)
        elif chosen is Format.OPENSPEC:
            from bot.core.plans import openspec

            found = openspec.read(document, page, paths=[each.path for each, _, _ in loaded])
        elif chosen is Format.KIRO:
            from bot.core.plans import kiro

            found = kiro.read(document, page, tasks=tasks)
        elif chosen is Format.SPECKIT:
            from bot.core.plans import speckit

            found = speckit.read(document, page, tasks=tasks)
        elif head is not None and todos.has_todos(head) and (entries := todos.todos(document.text)):
            overview = head.get("overview")
            found = todos.parts(document, entries, overview if isinstance(overview, str) else None)
        else:
            found = generic.read(document, page, tasks=tasks)
        parts.append(found)
    meta = next((found for _, found, _ in loaded if found is not None), None)
    if meta is None and chosen is Format.LETS:
        from bot.core.plans import lets

        meta = lets.header(loaded[0][2]) or None
    return plan(chosen, tuple(document for document, _, _ in loaded), meta, parts)
