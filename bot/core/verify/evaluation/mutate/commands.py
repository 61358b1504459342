"""The test and check commands of a plan, read by plain patterns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from bot.core.verify.evaluation.mutate.model import Subject
from bot.core.verify.evaluation.mutate.reading import Part

_INLINE = re.compile(
    r"^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\[ \]\s+)?(?:\d+(?:\.\d+)+\.?\s+)?(?:\*\*[^*]{0,60}\*\*:?\s*)?(?:[-–—]+\s*)?"
    r"(?:(?:Run|Verify|Test|Confirm|Check):?\s*)?`(?P<command>[^`]+)`(?P<after>.*)$"
)
_BEFORE = re.compile(
    r"(?P<env>(?:[A-Z][A-Z_]*=\S+\s+)*)(?:cd\s+(?P<folder>[^\s;&|]+)\s*&&\s*)?(?:[A-Z][A-Z_]*=\S+\s+)*"
)
_PACKAGE = re.compile(r"^(?:(?:pnpm|npm|yarn|bun)\s+)(?:--dir\s+|--prefix\s+|--cwd\s+|-C\s+)(?P<folder>[\w./-]+)\s")
_FILTER = re.compile(r"^(?:(?:pnpm|bun) (?:run )?(?:--filter|-F)[ =]|yarn workspace )(?P<name>@?[\w/.-]+)\s")
_RUNNERS = re.compile(
    r"\b(?:pytest|vitest|jest|mocha|go (?:test|vet|build)|cargo (?:test|check|clippy|build|nextest run)|bun test"
    r"|swift test|node --test|ruff check|mypy|tsc)\b"
    r"|^(?:npm|pnpm|yarn|bun|make|just)\b.*\b(?:test|check|lint|build|type-?check)"
    r"|^(?:bash|sh) [\w./-]+\.sh\b|^(?:node|python3?) [\w./-]*test[\w./-]*\.(?:[cm]?js|py)\b"
)
_UNCLEAR = re.compile(r"docker|ssh |\$|\\$|\bor\b|<|>(?!&)|\bxargs\b|…|\.\.\.\s*`")
_SHELLS = ("bash", "sh", "shell", "console", "zsh")
_PASSES = re.compile(r"(?i)\b(?:pass(?:es)?|green|succeeds?|clean|exits? (?:zero|0)|no errors?)\b|✓|通过")


class Command(NamedTuple):
    """A command of an open task.

    `text` is all of it as it stands, `body` what follows variables and `cd`; `base` is the folder of the tree that it
    runs in ("" is the root). `expected` is what the plan says of its outcome.
    """

    part: Part
    line: int
    text: str
    body: str
    base: str
    expected: str


def commands(subject: Subject) -> Iterator[Command]:
    """Those that run in this repository, one a line, where it is known in which folder."""
    page = subject.main
    shell = {n: fence for fence in page.fences if fence.language in _SHELLS for n in range(fence.first, fence.last + 1)}
    for part in subject.parts:
        if not part.is_open or part.elsewhere:
            continue
        for number in range(part.first, part.last + 1):
            line = page.line(number)
            after = ""
            if number in shell:
                # where an earlier line of the block has gone cannot be known
                above = page.lines[shell[number].first - 1 : number - 1]
                moved = any(re.search(r"\b(?:cd|pushd)\s|\bexport\b|\\$|<<", each) for each in above)
                text = "" if moved else line.strip()
            elif number in page.code or page.ticked(number):
                continue
            else:
                match = _INLINE.match(line)
                text, after = (match["command"].strip(), match["after"]) if match else ("", "")
            found = _command(subject, part, number, text, after) if text else None
            if found is not None:
                yield found


def _command(subject: Subject, part: Part, number: int, text: str, after: str) -> Command | None:
    lead = _BEFORE.match(text)
    body = text[lead.end() :] if lead else text
    base = (lead["folder"] if lead else None) or ""
    if not _RUNNERS.search(body) or _UNCLEAR.search(text) or base.startswith(("/", "~", "..")):
        return None
    if package := _PACKAGE.match(body):
        base = f"{base}/{package['folder']}".strip("/")
    elif filtered := _FILTER.match(body):
        folder = workspace(subject, filtered["name"])
        if folder is None:
            return None
        base = folder
    base = base.removeprefix("./").rstrip("/")
    if base and subject.tree.kind(base) != "directory":
        return None
    expected = _expected(part, number) or (after.strip() if _PASSES.search(after) else "")
    return Command(part, number, text, body, base, expected)


def workspace(subject: Subject, name: str) -> str | None:
    """The folder of the workspace's package of that name."""
    for path in subject.tree.by_name("package.json")[:80]:
        if "node_modules/" not in path and _package_name(subject.content(path) or "") == name:
            return path.rpartition("/")[0]
    return None


def scripts(subject: Subject, folder: str) -> dict[str, object] | None:
    """The scripts of the package in a folder; None where there is no manifest that can be read."""
    text = subject.content(f"{folder}/package.json" if folder else "package.json")
    try:
        found = json.loads(text).get("scripts", {}) if text else None
    except (ValueError, AttributeError):
        return None
    return found if isinstance(found, dict) else None


@lru_cache(maxsize=256)
def _package_name(text: str) -> str | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found.get("name") if isinstance(found, dict) else None


def _expected(part: Part, line: int) -> str:
    """What the plan says right below about the outcome."""
    for number in range(line + 1, min(line + 6, part.last) + 1):
        match = re.match(r"^\s*(?:[-*]\s+)?\**Expected:?\**:?\s*(.*)$", part.page.line(number))
        if match:
            return match[1] or "it passes"
        if number not in part.page.code and re.match(r"\s*(?:[-*]\s+\[|#|\**Run)", part.page.line(number)):
            break
    return ""
