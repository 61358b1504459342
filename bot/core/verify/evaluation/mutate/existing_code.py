"""Files and definitions that the plan makes as new, and that are there already."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.verify.evaluation.mutate.model import Mutant, Spot, Subject
from bot.core.verify.evaluation.mutate.reading import Fence, Mention, Part, word_in
from schemas.verify_report import FindingType, Severity

_TYPE = FindingType.IGNORES_EXISTING_CODE
_MADE_BY_TOOLS = re.compile(r"(?:\.lock|\.pb\.go|\.snap|\.sum|-lock\.\w+|\.min\.\w+|\.generated\.\w+|\.pbxproj)$")
_COMMENT = {"py": "#", "sh": "#", "rb": "#", "yml": "#", "yaml": "#", "toml": "#", "md": "", "json": ""}
# how a language writes a definition at the top level of a file, and what a caller sees of it
_DEFINES = {
    "go": (re.compile(r"^func (?P<name>[A-Za-z]\w{4,})\("), "\nfunc {name}() {{}}\n"),
    "py": (re.compile(r"^(?:async )?def (?P<name>[a-z]\w{4,})\("), "\n\ndef {name}() -> None:\n    return None\n"),
    "ts": (
        re.compile(r"^export (?:async )?function (?P<name>[a-z]\w{4,})\("),
        "\nexport function {name}(): void {{}}\n",
    ),
    "rs": (re.compile(r"^pub fn (?P<name>[a-z]\w{4,})\("), "\npub fn {name}() {{}}\n"),
}
_DEFINES["tsx"] = _DEFINES["ts"]
_ANNOUNCED = (
    r"(?i)\b(?:add|create|introduce|implement|define|write|new)\s+(?:(?:a|an|the|new|pure|exported|shared|public|private|"
    r"helper|helpers|function|method|func|async)\s+){0,4}`?"
)


def file_is_there(subject: Subject) -> Iterator[Mutant]:
    """Somebody else added the file meanwhile."""
    for made in _made(subject):
        yield _there(subject, "file_is_there", made, made.path, f"{made.path} is there already")


def file_is_there_in_other_letters(subject: Subject) -> Iterator[Mutant]:
    for made in _made(subject):
        folder, slash, name = made.path.rpartition("/")
        other = name[:1].swapcase() + name[1:]
        if other != name:
            path = f"{folder}{slash}{other}"
            yield _there(subject, "file_is_there_in_other_letters", made, path, f"{path} is there already")


def package_defines_it(subject: Subject) -> Iterator[Mutant]:
    """The Go package of a file that the plan makes has a function of a name that this file defines."""
    for made in _made(subject):
        folder = made.path.rpartition("/")[0]
        part = subject.part_at(made.line)
        if part is None or not made.path.endswith(".go") or made.path.endswith("_test.go") or not folder:
            continue
        beside = [f"{folder}/{name}" for name in subject.tree.children(folder) if name.endswith(".go")]
        for fence in _fences(part, "go"):
            package = re.search(r"(?m)^package (\w+)$", "\n".join(_code(part, fence)))
            texts = [subject.content(path) or "" for path in beside]
            if package is None or not any(re.search(rf"(?m)^package {package[1]}$", text) for text in texts):
                continue
            if package[1].endswith("_test") or package[1] == "main":
                continue
            for number, name in _defined(part, fence, "go"):
                if any(re.search(rf"(?m)^func {name}\(", text) for text in texts):
                    continue
                path = f"{folder}/gearbox_compat.go"
                spots = [number, made.line, *_lines_naming(part, name)]
                yield subject.mutant(
                    "package_defines_it",
                    _TYPE,
                    Severity.MAJOR,
                    f"{path} of the same package defines {name} already",
                    (Spot(subject.main.path, line) for line in spots),
                    files={path: f"package {package[1]}\n{_DEFINES['go'][1].format(name=name)}".encode()},
                )


def module_defines_it(subject: Subject) -> Iterator[Mutant]:
    """A file that the plan changes defines already what the plan says it adds to it."""
    for changed in subject.only_changed():
        part = subject.part_at(changed.line)
        language = changed.path.rpartition(".")[2]
        text = subject.content(changed.path)
        if (
            part is None
            or text is None
            or language not in _DEFINES
            or re.search(r"[._]test\.|^test_|\.spec\.", changed.path)
        ):
            continue
        for fence in _fences(part, language):
            if _file_above(part, fence) != changed.path:
                continue  # which of the files gets the definition would be a guess
            for number, name in _defined(part, fence, language):
                if word_in(text, name):
                    continue
                announced = re.compile(_ANNOUNCED + name + r"\b(?!`?\s+(?:call|test|to|field|case|flag))")
                said = [
                    line
                    for line in _lines_naming(part, name)
                    if line not in subject.main.code and announced.search(subject.main.line(line))
                ]
                if not said:
                    continue
                yield subject.mutant(
                    "module_defines_it",
                    _TYPE,
                    Severity.MAJOR,
                    f"{changed.path} defines {name} already",
                    (Spot(subject.main.path, line) for line in (number, *_lines_naming(part, name))),
                    files={changed.path: (text.rstrip("\n") + "\n" + _DEFINES[language][1].format(name=name)).encode()},
                )


def _made(subject: Subject) -> Iterator[Mention]:
    for made in subject.only_created():
        if "/" in made.path and not _MADE_BY_TOOLS.search(made.path) and not subject.tree.ignored(made.path):
            yield made


def _there(subject: Subject, mutator: str, made: Mention, path: str, what: str) -> Mutant:
    mark = _COMMENT.get(path.rpartition(".")[2], "//")
    content = f"{mark} Turns the gears; in use since the first release.\n" * 12
    return subject.mutant(
        mutator,
        _TYPE,
        Severity.MAJOR,
        what,
        (Spot(page.path, number) for page, number in subject.lines_with(made.path)),
        files={path: content.encode()},
    )


def _fences(part: Part, language: str) -> Iterator[Fence]:
    names = {
        "py": ("py", "python"),
        "ts": ("ts", "typescript"),
        "tsx": ("tsx", "ts"),
        "rs": ("rs", "rust"),
        "go": ("go",),
    }
    for fence in part.page.fences:
        if part.first <= fence.first and fence.last <= part.last and fence.language in names[language]:
            yield fence


def _file_above(part: Part, fence: Fence) -> str | None:
    """The file that a block of code belongs to: the one named last above it, or the only one of its language."""
    inside = [each for each in part.page.mentions if part.first <= each.line <= part.last]
    above = [each.path for each in inside if not each.lead and fence.first - 8 <= each.line < fence.first]
    kinds = {
        each.path for each in inside if each.lead and not re.search(r"[._]test\.|\.spec\.|(?:^|/)test_", each.path)
    }
    if above:
        return above[-1]
    return next(iter(kinds)) if len(kinds) == 1 else None


def _code(part: Part, fence: Fence) -> tuple[str, ...]:
    return part.page.lines[fence.first - 1 : fence.last]


def _defined(part: Part, fence: Fence, language: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(_code(part, fence), fence.first):
        match = _DEFINES[language][0].match(line)
        if match and not match["name"].lower().startswith(("test", "bench")):
            yield number, match["name"]


def _lines_naming(part: Part, name: str) -> list[int]:
    return [n for n in range(part.first, part.last + 1) if word_in(part.page.line(n), name)]


MUTATORS = (file_is_there, file_is_there_in_other_letters, package_defines_it, module_defines_it)
