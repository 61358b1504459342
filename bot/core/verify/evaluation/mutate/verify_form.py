"""Verify steps whose command cannot do what it is there for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from bot.core.verify.evaluation.mutate.commands import Command, commands, scripts
from bot.core.verify.evaluation.mutate.model import Mutant, Spot, Subject
from schemas.verify_report import FindingType, Severity

_TYPE = FindingType.VERIFY_FORM
_FILE = re.compile(r"(?<![\w./-])(?:\./)?((?:[\w.-]+/)*[\w.-]+\.(?:py|[cm]?tsx?|[cm]?jsx?|sh|rb|swift))(?![\w/])")
_GO_PACKAGE = re.compile(r"(?<![\w./-])\./((?:[\w.-]+/)*[\w-]+)(?=/?(?:\.\.\.)?/?(?:\s|$))")
_RED = re.compile(r"(?i)\bfail|\berror|\bred\b|\bundefined|\bnot\b|失败|不通过|未")
_CHAINED = re.compile(r"[|;<>]")


def test_path_is_misspelt(subject: Subject) -> Iterator[Mutant]:
    made = {each.path: each.line for each in reversed(list(subject.only_created()))}
    for each in commands(subject):
        for match in _FILE.finditer(each.text):
            path = posixpath.join(each.base, match[1])
            if subject.tree.kind(path) != "file" and made.get(path, each.line + 1) > each.line:
                continue
            stem, dot, extension = match[1].partition(".")
            new = f"{stem}s{dot}{extension}" if not stem.endswith("s") else f"{stem[:-1]}{dot}{extension}"
            if stem and subject.nowhere(posixpath.join(each.base, new)) and subject.nowhere(new):
                command = each.text[: match.start(1)] + new + each.text[match.end(1) :]
                yield _changed(subject, "test_path_is_misspelt", each, command, f"{match[1]} is written {new}")
                break


def package_is_misspelt(subject: Subject) -> Iterator[Mutant]:
    """`go test ./dir` of a directory that never is."""
    for each in commands(subject):
        for match in _GO_PACKAGE.finditer(each.text):
            path = posixpath.join(each.base, match[1])
            new = f"{match[1]}util"
            if not each.body.startswith("go ") or subject.tree.kind(path) != "directory":
                continue
            if subject.nowhere(posixpath.join(each.base, new)) and subject.nowhere(new):
                command = each.text[: match.start(1)] + new + each.text[match.end(1) :]
                yield _changed(subject, "package_is_misspelt", each, command, f"./{match[1]} is written ./{new}")
                break


def crate_is_unknown(subject: Subject) -> Iterator[Mutant]:
    for each in commands(subject):
        match = re.search(r"(?:^|\s)(?:-p|--package) ([\w-]+)", each.text)
        if not match or not each.body.startswith("cargo ") or f"{match[1]}-gears" in subject.text:
            continue
        if subject.tree.kind(posixpath.join(each.base, "Cargo.toml")) == "file":
            command = f"{each.text[: match.end(1)]}-gears{each.text[match.end(1) :]}"
            yield _changed(subject, "crate_is_unknown", each, command, f"no crate is called {match[1]}-gears")


def script_is_unknown(subject: Subject) -> Iterator[Mutant]:
    """`npm run x` of a script that the manifest has not, and that the plan does not add."""
    for each in commands(subject):
        match = re.search(
            r"^(?:npm|pnpm|yarn|bun)(?: (?:--\S+|-F|workspace) [@\w./-]+)?(?: run)? ([\w:-]+)(?=\s|$|&)", each.body
        )
        known = scripts(subject, each.base)
        if match is None or not known or match[1] not in known:
            continue
        new = f"{match[1]}:gears"
        if new not in known and new not in subject.text:
            at = len(each.text) - len(each.body) + match.end(1)
            command = f"{each.text[:at]}:gears{each.text[at:]}"
            yield _changed(subject, "script_is_unknown", each, command, f"there is no script {new}")


def workspace_is_unknown(subject: Subject) -> Iterator[Mutant]:
    """`pnpm --filter x` of a package that the workspace has not."""
    for each in commands(subject):
        match = re.search(r"(?:--filter[ =]|-F |yarn workspace )(@?[\w/.-]+)", each.text)
        if match and f"{match[1]}-gears" not in subject.text:
            command = f"{each.text[: match.end(1)]}-gears{each.text[match.end(1) :]}"
            yield _changed(subject, "workspace_is_unknown", each, command, f"no package is called {match[1]}-gears")


def target_is_unknown(subject: Subject) -> Iterator[Mutant]:
    """`make x` or `just x` of a target that the file has not."""
    for each in commands(subject):
        match = re.match(r"((make|just) )([a-z][\w-]+)(?=\s|$)", each.text)
        texts = _target_files(subject, match[2]) if match else []
        if match is None or not texts:
            continue
        new = f"{match[3]}-gears"
        if not any(new in text for text in (*texts, subject.text)):
            command = f"{match[1]}{new}{each.text[match.end() :]}"
            yield _changed(subject, "target_is_unknown", each, command, f"there is no target {new}")


def cannot_fail(subject: Subject) -> Iterator[Mutant]:
    """A command of which success is expected is made to succeed whatever happens."""
    for number, each in enumerate(_expected_green(subject)):
        tail = (" || true", " 2>&1 | tail -5; echo $?", " || echo done", "; true")[number % 4]
        yield _changed(subject, "cannot_fail", each, each.text + tail, f"`{tail.strip()}` hides every failure")


def only_says_so(subject: Subject) -> Iterator[Mutant]:
    """The command of a verify step only prints that all is well."""
    for each in _expected_green(subject):
        yield _changed(subject, "only_says_so", each, 'echo "all tests pass"', "the command prints its own success")


def runner_takes_no_such_file(subject: Subject) -> Iterator[Mutant]:
    """A test file is handed to the runner of another language."""
    for each in commands(subject):
        match = _FILE.search(each.text)
        if match is None or _CHAINED.search(each.text):
            continue
        path = match[1]
        lead = each.text[: len(each.text) - len(each.body)]
        if re.search(r"\bpytest\b", each.body) and path.endswith(".py"):
            new = f"npx jest {path}"
        elif re.search(r"\b(?:vitest|jest|bun test)\b", each.body) and re.search(r"\.(?:test|spec)\.[jt]sx?$", path):
            new = f"pytest {posixpath.join(each.base, path) if not lead else path} -v"
        else:
            continue
        yield _changed(subject, "runner_takes_no_such_file", each, lead + new, f"{new.split()[0]} is handed {path}")


def verifies_with_nothing(subject: Subject) -> Iterator[Mutant]:
    """A task ends with a verify step whose script, target, test or package never is."""
    missing = list(_missing(subject))
    parts = [part for part in subject.parts if part.is_open and not part.elsewhere and part.heading]
    for part, (command, what) in zip(parts, missing * len(parts), strict=False):
        last = part.last
        while last > part.first and not subject.main.line(last).strip("- \t"):
            last -= 1
        yield subject.mutant(
            "verifies_with_nothing",
            _TYPE,
            Severity.MAJOR,
            f"{part.task.label} ends with `{command}`: {what}",
            [Spot(subject.main.path, last, 2)],
            edits={subject.main.path: {last: [subject.main.line(last), "", f"Run: `{command}`", "Expected: PASS"]}},
        )


def _missing(subject: Subject) -> Iterator[tuple[str, str]]:
    """Commands that fit the repository's tools and have no target, each with the reason."""
    if scripts(subject, "") is not None:
        yield "npm run gears:check", "there is no such script"
    if _target_files(subject, "make"):
        yield "make check-gears", "there is no such target"
    if _target_files(subject, "just"):
        yield "just check-gears", "there is no such recipe"
    if subject.tree.kind("go.mod") == "file":
        yield "go test ./internal/gearbox/...", "there is no such directory"
    if subject.tree.kind("Cargo.toml") == "file":
        yield "cargo test -p gearbox-core", "there is no such crate"
    if subject.tree.kind("pyproject.toml") == "file" and subject.tree.kind("tests") == "directory":
        yield "pytest tests/test_gearbox_ratio.py -v", "no task makes this test"


def _target_files(subject: Subject, tool: str) -> list[str]:
    """The texts of the Makefile or justfile; none where a pattern or another file may make what they do not name."""
    names = ("Makefile", "makefile", "GNUmakefile") if tool == "make" else ("justfile", "Justfile", ".justfile")
    texts = [text for path in names if (text := subject.content(path))]
    unclear = any("%" in text or re.search(r"(?m)^-?(?:include|import|mod)\b", text) for text in texts)
    return [] if unclear else texts


def _expected_green(subject: Subject) -> Iterator[Command]:
    for each in commands(subject):
        if each.expected and not _RED.search(each.expected) and not _CHAINED.search(each.text):
            yield each


def _changed(subject: Subject, mutator: str, each: Command, command: str, what: str) -> Mutant:
    line = subject.main.line(each.line)
    return subject.mutant(
        mutator,
        _TYPE,
        Severity.MAJOR,
        what,
        [Spot(subject.main.path, each.line)],
        edits={subject.main.path: {each.line: [line.replace(each.text, command, 1)]}},
    )


MUTATORS = (
    test_path_is_misspelt,
    package_is_misspelt,
    crate_is_unknown,
    script_is_unknown,
    workspace_is_unknown,
    target_is_unknown,
    cannot_fail,
    only_says_so,
    runner_takes_no_such_file,
    verifies_with_nothing,
)
