"""Which plan format a document has: its path decides first, then its text."""

from __future__ import annotations

import re
from posixpath import basename

from bot.core.plans.assembly import front_matter
from bot.core.plans.markdown import normalise
from bot.core.plans.model import Format
from bot.core.plans.todos import has_todos

# where plans are looked for when the repository's configuration names no place
PLAN_GLOBS: tuple[str, ...] = (
    "docs/**/plans/**/*.md",
    "plans/**/*.md",
    "workplans/**/*.md",
    "specs/*/tasks.md",
    "openspec/changes/*/tasks.md",
    "openspec/changes/*/proposal.md",
    ".kiro/specs/*/tasks.md",
    ".lets/plans/**/*.md",
    ".cursor/plans/**/*.md",
    ".claude/plans/**/*.md",
    "PLAN.md",
)
HEAD = 200_000  # characters of the text that are looked at

_MARKDOWN = (".md", ".markdown", ".mdx", ".mdc", ".txt")
_SPECKIT = re.compile(r"(?:^|/)(?:kitty-)?specs/(?:\d{3,}|\d{8}-\d{6})-[^/]+/")
_OPENSPEC = re.compile(r"(?:^|/)openspec/changes/(?:archive/)?[^/]+/")
_BASE_SPEC = re.compile(r"(?:^|/)openspec/specs/")
_KIRO = re.compile(r"(?:^|/)\.kiro/specs/[^/]+/")
_IN_PLANS = re.compile(r"(?:^|/)(?:plans?|workplans|\.plans)/")
_NO_PLAN = re.compile(
    r"(?i)^(?:readme|index|claude|agents|template|contributing|changelog|license|.*[-_.]template|"
    r".*\.(?:adversarial-)?review(?:-\d+)?)\.\w+$"
)
_TASK_HEADING = re.compile(r"(?m)^#{1,5}[ \t]+[^\w\n]{0,6}Task\s+#?[A-Z]{0,3}-?\d", re.I)
_FILES = re.compile(r"(?m)^[ \t]*\*\*Files:?\*\*")
_STEP = re.compile(r"(?m)^[ \t]*(?:[-*] \[[ xX]\] )?\*\*Step \d")
_AGENTIC = re.compile(r"(?i)for (?:agentic workers|claude)\W|superpowers:")
_SPECKIT_LINE = re.compile(r"(?m)^[ \t]*[-*] \[[ xX]\] T\d{3,}\b")
_DELTA = re.compile(r"(?mi)^##[ \t]+(?:ADDED|MODIFIED|REMOVED|RENAMED)\s+Requirements[ \t]*$")
_TASK_FENCE = re.compile(r"(?m)^[ ]{0,3}(?:```|~~~)task[ \t]*$")
_HARNESS = tuple(
    re.compile(rf"(?mi)^##[ \t]+{title}\b")
    for title in ("Slices", "Alternatives Considered", "Codebase Ground-Truth Citations", "Pre-Mortem")
)
_ROADMAP = re.compile(r"(?m)^[^\w\n]{0,6}Requirement:[*_]{0,3}[ \t]+\S")
_SCENARIO = re.compile(r"(?m)^[^\w\n]{0,6}Scenario:[*_]{0,3}[ \t]+\S")
_PLANLIKE = re.compile(
    r"(?mi)^#{1,3}[ \t]+[^\n]{0,200}\b(?:plan|implementation|roadmap)\b|^[ \t]*[-*][ \t]+(?:\*\*)?(?:create|"
    r"modify|delete)(?:\*\*)?:|^#{1,4}[ \t]+(?:step|phase|unit|slice|milestone)\s+\d|^#{1,4}[ "
    r"\t]+(?:tasks|files (?:affected|to (?:create|modify|change)))\b"
)
_BOX = re.compile(r"(?m)^[ \t]*[-*+] \[[ xX]\] ")


def detect(path: str, text: str) -> Format | None:
    """The format of the document `text` at `path`; None says that it is no plan. Never raises."""
    if not text.strip("\ufeff \t\r\n"):
        return None
    path = path.replace("\\", "/")
    name = basename(path)
    if path and "." in name and not name.lower().endswith(_MARKDOWN):
        return None
    text = normalise(text[:HEAD])
    meta, body = front_matter(text)
    if _KIRO.search(path) and name in ("tasks.md", "design.md", "requirements.md", "bugfix.md"):
        return Format.KIRO
    if _OPENSPEC.search(path):
        return Format.OPENSPEC
    if _BASE_SPEC.search(path):
        return None  # what the system does, in the words that a change to it is planned in
    if _SPECKIT.search(path) and name in ("tasks.md", "plan.md", "spec.md"):
        return Format.SPECKIT
    if re.search(r"(?:^|/)\.lets/plans/", path):
        return Format.LETS
    if meta is not None and str(meta.get("type", "")).strip().lower() == "workplan":
        return Format.WORKPLAN
    if has_todos(meta):
        return Format.GENERIC
    if _TASK_FENCE.search(body):
        return Format.WORKPLAN
    if all(pattern.search(body) for pattern in _HARNESS):
        return Format.HARNESS
    tasks = len(_TASK_HEADING.findall(body))
    if tasks and (_FILES.search(body) or _AGENTIC.search(body) or _STEP.search(body) or tasks > 1):
        return Format.SUPERPOWERS
    if len(_SPECKIT_LINE.findall(body)) >= 2:
        return Format.SPECKIT
    if _DELTA.search(body):
        return Format.OPENSPEC
    if _ROADMAP.search(body) and _SCENARIO.search(body):
        return Format.ROADMAP
    if tasks:
        return Format.SUPERPOWERS
    if _NO_PLAN.match(name):
        return None
    if _IN_PLANS.search(path) or re.search(r"(?i)(?:^|[-_/.])(?:work)?plan\.\w+$", path):
        return Format.GENERIC
    if len(_BOX.findall(body)) >= 2 or _PLANLIKE.search(body):
        return Format.GENERIC
    return None


def companions(path: str) -> tuple[str, ...]:
    """The other files (paths and globs) that a plan of several files also wants; empty for a plan of one file."""
    path = path.replace("\\", "/")
    for pattern, names in (
        (_KIRO, ("tasks.md", "requirements.md", "bugfix.md", "design.md")),
        (_OPENSPEC, ("tasks.md", "proposal.md", "design.md", ".openspec.yaml", "specs/**/*.md")),
        (_SPECKIT, ("tasks.md", "plan.md", "spec.md", "research.md", "data-model.md", "quickstart.md", "contracts/*")),
    ):
        match = pattern.search(path)
        if match:
            folder = path[: match.end()]
            return tuple(folder + item for item in names if folder + item != path)
    return ()
