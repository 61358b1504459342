from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.core.plans import parse
from bot.core.plans.model import Document, Format
from bot.core.tree import Tree
from bot.core.verify.report import MAX_FINDINGS, verify
from schemas.verify_report import Finding, FindingType, Status, VerifyReport
from tests.git_repo import Content, build_repo

PLAN = "docs/plans/2026-01-05-gears.md"


class Bench:
    """Judges plan texts on a small real repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0

    def report(
        self,
        files: Mapping[str, Content],
        text: str,
        *,
        path: str = PLAN,
        format: Format | None = Format.SUPERPOWERS,  # noqa: A002
        known_added: frozenset[str] = frozenset(),
        settled: Mapping[str, Status] | None = None,
        companions: Mapping[str, str] | None = None,
        max_blob: int = 1024 * 1024,
        max_findings: int = MAX_FINDINGS,
    ) -> VerifyReport:
        self.count += 1
        repo = build_repo(self.folder / str(self.count), {"README.md": "# Gears\n", **files})
        documents = [Document(path, text), *(Document(name, body) for name, body in (companions or {}).items())]
        overlay = {document.path: document.text.encode() for document in documents}
        tree = Tree.open(repo.path, repo.head, overlay=overlay, max_blob=max_blob)
        parsed = parse(documents, format)
        return verify(parsed, tree, known_added=known_added, settled=settled or {}, max_findings=max_findings)

    def findings(
        self, files: Mapping[str, Content], text: str, type_: FindingType, **more: object
    ) -> tuple[Finding, ...]:
        """The findings of one type."""
        report = self.report(files, text, **more)  # type: ignore[arg-type]
        return tuple(finding for finding in report.findings if finding.type is type_)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def plan(*tasks: str) -> str:
    """A Superpowers plan whose tasks have these bodies; `%` at the start of a body gives the task another number."""
    out = ["# Gears Implementation Plan", "", "**Goal:** Turn smoothly.", "", "---", ""]
    for number, body in enumerate(tasks, 1):
        label = str(number)
        if body.startswith("%"):
            label, _, body = body[1:].partition("%")
        out += [f"### Task {label}: Part {number}", "", body.strip("\n"), ""]
    return "\n".join(out)


def files(*bullets: str) -> str:
    return "\n".join(["**Files:**", *(f"- {bullet}" for bullet in bullets), "", "- [ ] **Step 1: Do it**", ""])


def run(command: str, expected: str = "PASS", *bullets: str) -> str:
    head = "\n".join(["**Files:**", *(f"- {bullet}" for bullet in bullets), ""]) if bullets else ""
    return f"{head}\n- [ ] **Step 1: Run it**\n\nRun: `{command}`\nExpected: {expected}\n"
