"""What the plan takes for granted about the code, and the tree denies."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from hashlib import sha256

from bot.core.verify.evaluation.mutate.model import Mutant, Spot, Subject
from bot.core.verify.evaluation.mutate.reading import Fence, Mention, Part, whole
from schemas.verify_report import FindingType, Severity

_TYPE = FindingType.FALSE_PREMISE
_QUOTES = re.compile(
    r"(?i)\b(?:current|currently|existing|replace|find|before|today|from|change|remove|delete)\b.{0,80}:\**\s*$"
)
_NOT_NOW = re.compile(r"(?i)\b(?:with|after|new|expected|create|add|to)\b.{0,30}:\**\s*$")
_FUNCTION = re.compile(r"(?m)^\s*(?:pub |export |async |static )*(?:def|func|fn|function)\s+(\w{5,})\s*[(<]")
_NAME = r"`([A-Za-z_]\w{4,})(?:\(\))?`"
_WHAT = r"(?:helper|function|method|class|type|struct|signature|interface|enum|table|block)"
# how one says that a definition is in a file: right before the file, after it, or between brackets
_BEFORE_FILE = re.compile(rf"{_NAME},? (?:{_WHAT} )?(?:in|from|of|inside|at) $|{_NAME}\s*[(（]$")
_AFTER_FILE = re.compile(
    r"^(?:[^`.]{0,20},)? ?(?:find|modify|update|change|locate|extend|refactor|rewrite)s? (?:the )?(?:existing )?"
    rf"{_NAME}"
    rf"|^ ?[(（](?:the )?{_NAME}(?: {_WHAT})?[ ,)）]"
    rf"|^[^`]{{0,20}}(?:\bafter|\bbefore|next to|beside)(?: the)?(?: existing)? {_NAME}"
)
_MADE = re.compile(
    r"(?i)\b(?:add|adds|create|creates|new|introduce|implement|define|move|extract|export|rename|write|remove|delete|drop)"
    r"\s+(?:\w+\s+){0,3}$|[加新]\S{0,6}\s*$"
)
_OLD_CODE = re.compile(
    r"(?i)\b(?:replace|change|find|locate|currently|current line|existing line|today)\b[^`]{0,40}`(?P<old>[^`\n]{14,})`"
)


def lines_beyond_the_end(subject: Subject) -> Iterator[Mutant]:
    """A file that is to be changed is cited with lines that it has not got."""
    for each in _first_use(subject):
        text = subject.content(each.path)
        if text is None:
            continue
        count = len(text.splitlines())
        first = count + 180 + count // 3
        line = subject.main.line(each.line)
        cited = f"`{each.path}:{first}-{first + 12}`"
        changed = line[: each.start] + cited + re.sub(r"^:[\d,: –-]+", "", line[each.end :])
        yield subject.mutant(
            "lines_beyond_the_end",
            _TYPE,
            Severity.MAJOR,
            f"{cited} is cited, and the file has {count} lines",
            [Spot(subject.main.path, each.line)],
            edits={subject.main.path: {each.line: [changed]}},
        )


def quote_is_altered_in_the_plan(subject: Subject) -> Iterator[Mutant]:
    """What the plan quotes as the code of today differs from it in a name."""
    for fence, path, text in _quotes(subject):
        code = subject.main.lines[fence.first - 1 : fence.last]
        name = _longest_name("\n".join(code))
        if name is None:
            continue
        new = _other_name(name)
        if new in text:
            continue
        edits = {n: [subject.main.replace(n, name, new)] for n in range(fence.first, fence.last + 1)}
        yield subject.mutant(
            "quote_is_altered_in_the_plan",
            _TYPE,
            Severity.MAJOR,
            f"the code quoted from {path} has {new} where the file has {name}",
            (Spot(subject.main.path, n) for n in range(fence.first - 2, fence.last + 1) if n > 0),
            edits={subject.main.path: edits},
        )


def quote_is_altered_in_the_tree(subject: Subject) -> Iterator[Mutant]:
    """The code that the plan quotes as that of today was changed before."""
    for fence, path, text in _quotes(subject):
        name = _longest_name("\n".join(subject.main.lines[fence.first - 1 : fence.last]))
        if name is None or _other_name(name) in text:
            continue
        yield subject.mutant(
            "quote_is_altered_in_the_tree",
            _TYPE,
            Severity.MAJOR,
            f"{name} was renamed in {path}",
            (Spot(subject.main.path, n) for n in range(fence.first - 2, fence.last + 1) if n > 0),
            files={path: whole(name).sub(_other_name(name), text).encode()},
        )


def symbol_is_gone(subject: Subject) -> Iterator[Mutant]:
    """A definition that a task builds on was renamed in the file that the task says it is in."""
    for each in subject.main.mentions:
        part, text = subject.part_at(each.line), subject.content(each.path)
        if part is None or text is None or not subject.is_open(each.line) or not subject.in_tree(each.path):
            continue
        if each.path not in _only_used_here(subject, part):
            continue
        name = next((each for each in _said_to_be_in(subject, each) if _is_defined(text, each)), None)
        if name is not None and _other_name(name) not in text:
            yield subject.mutant(
                "symbol_is_gone",
                _TYPE,
                Severity.MAJOR,
                f"{name} was renamed in {each.path}",
                [Spot(subject.main.path, each.line)],
                files={each.path: whole(name).sub(_other_name(name), text).encode()},
            )


def old_line_is_altered(subject: Subject) -> Iterator[Mutant]:
    """A line that the plan says is to be replaced differs from the file's in a name."""
    for number, line in enumerate(subject.main.lines, 1):
        match = _OLD_CODE.search(line) if number not in subject.main.code and subject.is_open(number) else None
        part = subject.part_at(number)
        if match is None or part is None or subject.main.aside(number):
            continue
        old, name = match["old"], _longest_name(match["old"])
        files = [path for path in _only_used_here(subject, part) if old in (subject.content(path) or "")]
        if len(files) != 1 or name is None or _other_name(name) in (subject.content(files[0]) or ""):
            continue
        new = whole(name).sub(_other_name(name), old)
        if new == old or not re.search(r"[(){}=:;,.\s]", old):
            continue
        yield subject.mutant(
            "old_line_is_altered",
            _TYPE,
            Severity.MAJOR,
            f"{files[0]} has `{old}`, the plan quotes `{new}`",
            [Spot(subject.main.path, number)],
            edits={subject.main.path: {number: [line.replace(f"`{old}`", f"`{new}`", 1)]}},
        )


def removed_line_is_altered(subject: Subject) -> Iterator[Mutant]:
    """A line that a diff in the plan takes away differs from the file's in a name."""
    for fence in subject.main.fences:
        part = subject.part_at(fence.first)
        if fence.language != "diff" or part is None or not subject.is_open(fence.first):
            continue
        for number in range(fence.first, fence.last + 1):
            line = subject.main.line(number)
            old = line[1:].strip()
            name = _longest_name(old)
            if not line.startswith("-") or line.startswith("---") or len(old) < 14 or name is None:
                continue
            files = [path for path in _only_used_here(subject, part) if old in (subject.content(path) or "")]
            if len(files) == 1 and _other_name(name) not in (subject.content(files[0]) or ""):
                yield subject.mutant(
                    "removed_line_is_altered",
                    _TYPE,
                    Severity.MAJOR,
                    f"{files[0]} has no line with {_other_name(name)}",
                    (Spot(subject.main.path, n) for n in range(fence.first - 2, fence.last + 1) if n > 0),
                    edits={subject.main.path: {number: [whole(name).sub(_other_name(name), line)]}},
                )
                break


def symbol_never_was(subject: Subject) -> Iterator[Mutant]:
    """The plan builds on a function of a file that it changes, and the file has none of that name."""
    for each in _first_use(subject):
        part, text = subject.part_at(each.line), subject.content(each.path)
        names = _FUNCTION.findall(text) if text else []
        if part is None or text is None or not names or not each.lead:
            continue
        name = names[0] + ("_checked" if "_" in names[0] else "Checked")
        if name in text or name in subject.text:
            continue
        said = _choose(
            f"{each.path}{name}",
            f"Follow the existing function `{name}` in `{each.path}`.",
            f"`{each.path}` already defines `{name}()`; call that here.",
            f"The new code goes right after the existing `{name}()` function in `{each.path}`.",
        )
        yield _saying(subject, "symbol_never_was", part, said, f"{each.path} has no {name}")


def manifest_has_it_not(subject: Subject) -> Iterator[Mutant]:
    """The plan takes a script, a dependency or a version for granted that the manifest has not."""
    claims = list(_manifest_claims(subject))
    parts = [part for part in subject.parts if part.is_open and not part.elsewhere and part.heading]
    for part, (said, what) in zip(parts, claims * len(parts), strict=False):
        yield _saying(subject, "manifest_has_it_not", part, said, what)


def _manifest_claims(subject: Subject) -> Iterator[tuple[str, str]]:
    text = subject.content("package.json")
    if text:
        try:
            package = json.loads(text)
        except ValueError:
            package = None
        if isinstance(package, dict):
            script = "gears:check"
            yield (
                f"`package.json` already has the script `{script}`; keep it as it is.",
                f"package.json has no script {script}",
            )
            yield (
                "The package `gearbox-core` is already a dependency in `package.json`.",
                "package.json has no gearbox-core",
            )
            for name, spec in {**_table(package, "dependencies"), **_table(package, "devDependencies")}.items():
                if found := re.match(r"[\^~]?(\d+)\.(\d+)\.\d+$", str(spec)):
                    other = f"{int(found[1]) + 7}.{found[2]}.0"
                    yield f"`package.json` pins `{name}` at `{other}`, which has what is needed.", f"{name} is {spec}"
                    break
    for path, key in (
        ("Cargo.toml", "gearbox-core"),
        ("pyproject.toml", "gearbox-core"),
        ("go.mod", "example.org/gearbox/core"),
    ):
        text = subject.content(path)
        if text and key not in text:
            try:
                if path.endswith(".toml"):
                    tomllib.loads(text)
            except tomllib.TOMLDecodeError:
                continue
            yield f"The dependency `{key}` is already in `{path}`; nothing is to be installed.", f"{path} has no {key}"


def _table(package: dict[str, object], key: str) -> dict[str, object]:
    found = package.get(key)
    return found if isinstance(found, dict) else {}


def _saying(subject: Subject, mutator: str, part: Part, said: str, what: str) -> Mutant:
    """The plan with one more sentence below what a task says about its files."""
    at = part.bullets[-1].line if part.bullets else part.first
    line = subject.main.line(at)
    return subject.mutant(
        mutator,
        _TYPE,
        Severity.MAJOR,
        what,
        [Spot(subject.main.path, at, 2)],
        edits={subject.main.path: {at: [line, "", said, ""]}},
    )


def _first_use(subject: Subject) -> Iterator[Mention]:
    """The files that are only changed, where they are spoken of in a task for the first time: what a file is like when
    other tasks have worked on it cannot be known."""
    for each in subject.only_changed():
        part = subject.part_at(each.line)
        if part is None or not any(
            other.path == each.path and other.verb and subject.part_at(other.line)
            for other in subject.main.mentions
            if other.line < each.line
        ):
            yield each


def _quotes(subject: Subject) -> Iterator[tuple[Fence, str, str]]:
    """Code that the plan quotes from a file of the tree, which has it word for word."""
    for fence in subject.main.fences:
        if not subject.is_open(fence.first) or subject.main.aside(fence.first):
            continue
        said = next(
            (subject.main.line(n) for n in (fence.first - 2, fence.first - 3) if subject.main.line(n).strip()), ""
        )
        code = [line.strip() for line in subject.main.lines[fence.first - 1 : fence.last] if line.strip()]
        if not _QUOTES.search(said) or _NOT_NOW.search(said) or not 1 < len(code) <= 60:
            continue
        start = max(0, fence.first - 25)
        for each in reversed([m for m in subject.main.mentions if start <= m.line < fence.first]):
            text = subject.content(each.path) if subject.tree.kind(each.path) == "file" else None
            if text is None or any(m.path == each.path and m.line < start and m.verb for m in subject.main.mentions):
                continue
            held = "\n".join(line.strip() for line in text.split("\n") if line.strip())
            if "\n".join(code) in held:
                yield fence, each.path, text
                break


def _only_used_here(subject: Subject, part: Part) -> list[str]:
    """The files that a task changes and no earlier task speaks of: they are still what the tree has."""
    files: dict[str, None] = {}
    for each in subject.main.mentions:
        if part.first <= each.line <= part.last and subject.tree.kind(each.path) == "file":
            files[each.path] = None
    earlier = {
        each.path
        for each in subject.main.mentions
        if each.line < part.first and each.verb and subject.part_at(each.line)
    }
    return [path for path in files if path not in earlier]


def _is_defined(text: str, name: str) -> bool:
    words = r"def|func|fn|function|class|type|struct|enum|trait|interface|const|let|var"
    return bool(re.search(rf"\b(?:{words})\s+(?:\([^)\n]*\)\s*)?{name}\b", text))


def _said_to_be_in(subject: Subject, each: Mention) -> Iterator[str]:
    """The names that a line says are in the file it names."""
    line = subject.main.line(each.line)
    before, after = line[: each.start], line[each.end :]
    if (match := _BEFORE_FILE.search(before)) and not _MADE.search(before[: match.start()]):
        yield next(group for group in match.groups() if group)
    if match := _AFTER_FILE.search(after):
        yield next(group for group in match.groups() if group)


def _longest_name(code: str) -> str | None:
    names = sorted(set(re.findall(r"[A-Za-z_]\w{5,}", code)), key=lambda each: (-len(each), each))
    return names[0] if names else None


def _other_name(name: str) -> str:
    return f"{name}_v0" if "_" in name else f"{name}V0"


def _choose(key: str, *ways: str) -> str:
    return ways[sha256(key.encode()).digest()[0] % len(ways)]


MUTATORS = (
    lines_beyond_the_end,
    quote_is_altered_in_the_plan,
    quote_is_altered_in_the_tree,
    symbol_is_gone,
    old_line_is_altered,
    removed_line_is_altered,
    symbol_never_was,
    manifest_has_it_not,
)
