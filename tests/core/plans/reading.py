"""Short ways to read a plan in a test and to say what was read."""

from __future__ import annotations

from textwrap import dedent

from bot.core.plans import parse
from bot.core.plans.model import Document, FileRef, Format, Plan

PATH = "docs/superpowers/plans/2026-01-01-x.md"


def plan(text: str, format: Format | None = None, path: str = PATH) -> Plan:  # noqa: A002
    return parse([Document(path, dedent(text).lstrip("\n"))], format)


def refs(found: Plan, task: int | None = 0) -> tuple[FileRef, ...]:
    return found.files if task is None else found.tasks[task].files


def said(found: Plan, task: int | None = 0) -> list[str]:
    """Each reference as `action path`, with `?` after a mere mention and `#hedge` after a hedged one."""
    return [
        f"{ref.action}{'' if ref.certainty == 'stated' else '?'} {ref.path}"
        + (f" -> {ref.target}" if ref.target else "")
        + (f" #{ref.hedge}" if ref.hedge else "")
        for ref in refs(found, task)
    ]


def files(bullets: str) -> list[str]:
    """What a Files block of one task says."""
    return said(plan("### Task 1: x\n\n**Files:**\n" + dedent(bullets).strip("\n") + "\n"))


def prose(sentence: str) -> list[str]:
    """What one paragraph of a task says."""
    return said(plan(f"### Task 1: x\n\n{sentence}\n"))
