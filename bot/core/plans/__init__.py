"""Plan documents of many formats, read into one Plan model.

`detect` names a document's format, `parse` reads documents into a `Plan`, `companions` says which other files a plan
of several files wants, and `PLAN_GLOBS` where plans are looked for by default.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from posixpath import basename

from bot.core.plans import generic, superpowers, workplan
from bot.core.plans.assembly import Parts, load, plan
from bot.core.plans.detect import PLAN_GLOBS, companions, detect
from bot.core.plans.model import Certainty, Document, Format, Plan

__all__ = ["PLAN_GLOBS", "companions", "detect", "parse"]

_CHECKLISTS = frozenset((Format.SPECKIT, Format.OPENSPEC, Format.KIRO))


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
    for document, _, page in loaded:
        if chosen in (Format.SUPERPOWERS, Format.LETS):
            found = superpowers.read(document, page)
        elif chosen is Format.WORKPLAN:
            found = workplan.read(document, page)
        else:
            tasks = not several or basename(document.path) == "tasks.md"
            found = generic.read(document, page, checklist=chosen in _CHECKLISTS, tasks=tasks)
            if chosen in _CHECKLISTS and basename(document.path) != "tasks.md":
                # a specification or design tells how things are to be; only its task list tells what is done
                found.files = [replace(ref, certainty=Certainty.MENTIONED) for ref in found.files]
        parts.append(found)
    meta = next((found for _, found, _ in loaded if found is not None), None)
    return plan(chosen, tuple(document for document, _, _ in loaded), meta, parts)
