"""A definition that the plan adds although the package or the file that is to hold it has one of that name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import islice

from bot.core.plans.model import Snippet, Span, Task, TaskStatus
from bot.core.symbols import Definition, Kind, definitions, language_named, language_of, named, readable
from bot.core.tree import Kind as Entry
from bot.core.tree import Text
from bot.core.verify import evidence, paths
from bot.core.verify.finding import Draft, Weight
from bot.core.verify.replay import is_stated
from bot.core.verify.world import World
from schemas.verify_report import FindingType

TYPE = FindingType.IGNORES_EXISTING_CODE

MAX_SNIPPETS = 500  # of one plan
MAX_PACKAGE = 400  # files of one folder that are looked into
MAX_BYTES = 8_000_000  # of all folders

# what is added is named right after the verb, not where it is added to
_ADDS = (
    r"(?i)\b(?:add|append|create|implement|introduce|write|define|insert)(?:s|ing)?\b"
    r"(?:\s+(?!(?:to|in|into|for|from|of|on|with|using|inside|within|keep\w*|file|like)\b)[\w-]+){0,6}\s+"
)
_CHANGES = re.compile(
    r"(?i)\b(?:replac|updat|modif|chang|renam|mov|extract|refactor|rewrit|extend|existing|becom|current|before|convert|"
    r"overrid|delet|remov|simplif|split|adjust|fix|wrap|parameter|argument|field|signature|swap)\w*\b"
)
# "Add a new function to `x`", above code that defines one thing
_ADDS_ONE = re.compile(
    r"(?i)\b(?:add|append|create|implement|introduce|write|define|insert)\s+(?:a|the|this)\s+new\s+(?:\w+\s+){0,2}"
    r"(?:function|method|helper|class|type|struct|component|hook)\s+(?:to|in|at)\b"
)
# "Append to `x`:"
_APPENDS = re.compile(
    r"(?i)^[\W\d]*(?:step\s+\d+\W+)?append\s+(?:(?:the\s+following|this|these|it)\s+(?:\w+\s+)?)?(?:to|at)\s+(?:the\s+end\s+of\s+)?"
    r"(?P<path>`[^`\n]+`|\S+)\W*$"
)
_METHOD = re.compile(r"(?i)\bmethods?\b")
# a first parameter that stands for the object
_OF_OBJECT = re.compile(r"^[^(\n]{0,200}\(\s*(?:&\s*(?:'\w+\s+)?)?(?:mut\s+)?(?:self|cls)\b")
_CONSTRAINT = re.compile(r"(?m)^//\s*(?:go:build|\+build)\b")
_PACKAGE = re.compile(r"(?m)^package\s+(\w+)")
# functions, methods, types, and the types of a group
_TOP_LEVEL = re.compile(rb"(?m)^(?:func (?:\([^)\n]{0,200}\) ?)?|type |\t(?=\w+ (?:struct|interface)\b))([A-Za-z_]\w*)")
_JAVA_TYPES = re.compile(
    rb"(?m)^(?:(?:public|final|abstract|sealed|non-sealed|strictfp) ){0,4}"
    rb"(?:class|@?interface|enum|record) ([A-Za-z_]\w*)"
)
_JAVA_PACKAGE = re.compile(r"(?m)^package\s+([\w.]+)\s*;")
_PLATFORM = re.compile(
    r"_(?:linux|darwin|windows|freebsd|openbsd|netbsd|unix|solaris|plan9|js|wasip1|android|ios|aix|"
    r"amd64|arm64|386|arm|wasm|riscv64|ppc64le|s390x)(?:_test)?\.go$"
)
_FREE = frozenset({"init", "main", "_"})  # may be there more than once, or in each program of a folder


def find(world: World) -> Iterator[Draft]:
    """One draft for each name."""
    seen: set[tuple[str, str]] = set()
    packages = _Packages(world)
    for count, snippet in enumerate(world.plan.snippets):
        if count >= MAX_SNIPPETS:
            world.note(TYPE.value, f"only the first {MAX_SNIPPETS} pieces of code were looked at")
            return
        language = language_named(snippet.language)
        if language is None:
            continue
        position, task = world.task_at(snippet.span)
        if task is not None and task.status in (TaskStatus.DONE, TaskStatus.IN_PROGRESS, TaskStatus.CANCELLED):
            continue
        target = _target(world, snippet, language)
        if target is None:
            continue
        found = definitions(snippet.text, language)
        single = sum(each.container is None and not each.local for each in found) == 1
        types = {each.name for each in found if each.kind is Kind.TYPE}
        for each in found:
            if each.local or each.kind is Kind.VALUE or each.name in _FREE or (target, each.name) in seen:
                continue
            if each.container in types:
                continue  # its type is the one to speak of
            draft = None
            if language == "java" and each.kind is Kind.TYPE and each.container is None:
                draft = _in_java_package(world, packages, snippet, task, target, each)
            if language == "go":
                draft = _in_package(world, packages, snippet, task, target, each, single)
            if draft is None and each.container is None and not _of_type(snippet, each, language):
                draft = _in_file(world, snippet, position, task, target, each, language, single)
            if draft is not None:
                seen.add((target, each.name))
                yield draft


def _target(world: World, snippet: Snippet, language: str) -> str | None:
    """The file that a piece of code is for: the one named for it, else the one named last if it may be that."""
    for cited in (snippet.path, snippet.near):
        if cited is not None and language_of(cited) == language:
            path = paths.inside(world.tree, cited)
            if "/" in path or world.tree.kind(path) is Entry.FILE or path in world.walk.created:
                return path
    return None


def _announced(snippet: Snippet, name: str) -> bool:
    """Whether the text above says that `name` is added, and not that something is changed."""
    lead = snippet.announced[-300:]
    if f"`{name}" not in lead:
        return False
    return bool(re.search(rf"{_ADDS}`{re.escape(name)}[`(]", lead)) and not _CHANGES.search(_bare(lead))


def _of_type(snippet: Snippet, new: Definition, language: str) -> bool:
    """Whether what is shown without the type around it is one of its methods: it is indented, takes the object, or is
    called a method. It may have the name of a function of the file."""
    if new.kind is Kind.TYPE:
        return False
    line = next(islice(snippet.text.split("\n"), new.first - 1, None), "")
    if line[:1] in (" ", "\t") or _OF_OBJECT.match(line):
        return True
    return language != "go" and _METHOD.search(_bare(snippet.announced[-300:].rpartition("\n")[2])) is not None


def _bare(text: str) -> str:
    return re.sub(r"`[^`]*`", "", text)


def _is_new(snippet: Snippet, target: str, name: str, single: bool) -> bool:
    """Whether the text above says that `name` is new: by its name, as the one new definition that the code has, or
    because all of the code is appended to the file."""
    lead = snippet.announced[-300:].rpartition("\n")[2]
    if _announced(snippet, name):
        return True
    if single and snippet.path is not None and _ADDS_ONE.search(lead) and not _CHANGES.search(_bare(lead)):
        return True
    appended = _APPENDS.search(lead)
    return appended is not None and posixpath.basename(target) in appended.group("path")


class _Packages:
    """Which Go and Java files of a folder may define a name; each folder is read once, all of them within a budget."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.left = MAX_BYTES
        self.folders: dict[str, dict[str, list[str]]] = {}

    def defining(self, folder: str, name: str) -> list[str]:
        if folder not in self.folders:
            self.folders[folder] = self._read(folder)
        return self.folders[folder].get(name, [])

    def _read(self, folder: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        names = [name for name in self.world.tree.children(folder or ".") if name.endswith((".go", ".java"))]
        for name in names[:MAX_PACKAGE]:
            path = f"{folder}/{name}" if folder else name
            data = self.world.tree.read_bytes(path)
            if not isinstance(data, bytes):
                continue
            self.left -= len(data)
            if self.left < 0:
                self.world.note(TYPE.value, f"the package {folder or '.'} was not looked into")
                return {}
            pattern = _JAVA_TYPES if name.endswith(".java") else _TOP_LEVEL
            for word in set(pattern.findall(data)):
                found.setdefault(word.decode(), []).append(path)
        if len(names) > MAX_PACKAGE:
            self.world.note(TYPE.value, f"only {MAX_PACKAGE} files of {folder or '.'} were looked into")
        return found


def _in_package(
    world: World,
    packages: _Packages,
    snippet: Snippet,
    task: Task | None,
    target: str,
    new: Definition,
    single: bool,
) -> Draft | None:
    """The same name in another file of the folder, which the plan leaves as it is."""
    if _CONSTRAINT.search(snippet.text) or _PLATFORM.search(target):
        return None
    own = _PACKAGE.search(snippet.text)
    package = own.group(1) if own else _package_of(world, target)
    test = target.endswith("_test.go")
    whole = own is not None and target in world.walk.created and world.tree.kind(target) is Entry.MISSING
    if not whole and not _is_new(snippet, target, new.name, single):
        return None
    if package is None and test:
        return None
    for path in packages.defining(posixpath.dirname(target), new.name):
        if path == target or not path.endswith(".go") or path.endswith("_test.go") > test or _PLATFORM.search(path):
            continue
        if world.changed(path) or path in world.known_added:
            continue
        content = world.tree.read(path)
        if not isinstance(content, Text) or _CONSTRAINT.search(content.text):
            continue
        clause = _PACKAGE.search(content.text)
        if clause is None or (package is not None and clause.group(1) != package):
            continue
        for old in named(content.text, "go").get(new.name, ()):
            if old.container == new.container and not old.local and old.kind is not Kind.VALUE:
                return _draft(world, snippet, task, new, path, old, f"package `{clause.group(1)}`", Weight.WRONG)
    return None


def _in_java_package(
    world: World, packages: _Packages, snippet: Snippet, task: Task | None, target: str, new: Definition
) -> Draft | None:
    """A type of a new file, shown whole, that another file of its folder and package has."""
    own = _JAVA_PACKAGE.search(snippet.text)
    if own is None or target not in world.walk.created or world.tree.kind(target) is not Entry.MISSING:
        return None
    for path in packages.defining(posixpath.dirname(target), new.name):
        if not path.endswith(".java") or world.changed(path) or path in world.known_added:
            continue
        content = world.tree.read(path)
        clause = _JAVA_PACKAGE.search(content.text) if isinstance(content, Text) else None
        if not isinstance(content, Text) or clause is None or clause.group(1) != own.group(1):
            continue
        for old in named(content.text, "java").get(new.name, ()):
            if old.kind is Kind.TYPE and old.container is None and not old.local:
                return _draft(world, snippet, task, new, path, old, f"package `{own.group(1)}`", Weight.WRONG)
    return None


def _package_of(world: World, path: str) -> str | None:
    content = world.tree.read(path) if world.tree.kind(path) is Entry.FILE else None
    clause = _PACKAGE.search(content.text) if isinstance(content, Text) else None
    return clause.group(1) if clause else None


def _in_file(
    world: World,
    snippet: Snippet,
    position: int,
    task: Task | None,
    target: str,
    new: Definition,
    language: str,
    single: bool,
) -> Draft | None:
    """The same name in the file itself, where the text says that it is added."""
    if not _is_new(snippet, target, new.name, single) or world.tree.kind(target) is not Entry.FILE:
        return None
    touched = world.walk.touched.get(target)
    created = world.walk.created.get(target)
    # to add something "to" a file makes none
    again = created is not None and (created[0] < position or created[2] is None or is_stated(created[2]))
    made = again or target in world.walk.deleted
    if target in world.known_added or made or (touched is not None and touched < position):
        return None
    content = world.tree.read(target)
    if not isinstance(content, Text):
        return None
    if not readable(content.text, language):
        world.note(TYPE.value, f"{target} was not parsed: it is too large, or its brackets do not pair")
        return None
    for old in named(content.text, language).get(new.name, ()):
        if old.container is None and not old.local and old.kind is new.kind:
            sure = snippet.path is not None
            return _draft(world, snippet, task, new, target, old, target, Weight.WRONG if sure else Weight.DOUBT)
    return None


def _draft(
    world: World,
    snippet: Snippet,
    task: Task | None,
    new: Definition,
    path: str,
    old: Definition,
    holder: str,
    weight: Weight,
) -> Draft | None:
    shown = evidence.line(world.tree, path, old.first)
    name = f"{new.container}.{new.name}" if new.container else new.name
    line = snippet.span.first + new.first - 1
    if not shown:
        return None
    return Draft(
        TYPE,
        weight,
        Span(snippet.span.path, line, line),
        name,
        f"the plan adds `{name}`, and {holder} has one already, in {path}",
        shown,
        task=task,
        raw=new.name,
        suggestion=f"{path}:{old.first}",
    )
