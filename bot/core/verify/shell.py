"""Shell command lines, read with a real grammar and never run.

`invocations` gives the simple commands that a line would run, in order, with the working directory that `cd` carries
along. Words that depend on a variable or a substitution are None: nothing can be said about them.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from ast_grep_py import SgNode, SgRoot

MAX_TEXT = 8_000  # characters of one command line; a longer one is not a step that a person typed
MAX_DEPTH = 40

_PLACEHOLDER = re.compile(r"<[A-Za-z][\w .:|/-]{0,60}>")
_ABSOLUTE = re.compile(r"[/~]|[A-Za-z]:[\\/]")
_REDIRECTS_OUT = (">", ">>", ">|", "&>", "&>>")


@dataclass(frozen=True, slots=True)
class Invocation:
    """One simple command: `argv` without redirections and assignments.

    `cwd` is relative to the repository ("" is the root, None is not known); `moved` says that the line or its block
    named that directory itself. `optional` marks a command whose failure the line tolerates or even wants.
    """

    argv: tuple[str | None, ...]
    cwd: str | None
    moved: bool = False
    optional: bool = False
    writes: tuple[str, ...] = ()

    @property
    def name(self) -> str | None:
        return self.argv[0] if self.argv else None


@dataclass(slots=True)
class _Scope:
    cwd: str | None
    moved: bool
    resolve: Callable[[str], str | None]
    found: list[Invocation] = field(default_factory=list)


def join(cwd: str | None, path: str | None) -> str | None:
    """`path` seen from `cwd`, both relative to the repository; None when it leaves it or is not known."""
    if path is None:
        return None
    if path.startswith(("/", "~")) or path == "-":
        return None
    if cwd is None:
        return None
    joined = posixpath.normpath(posixpath.join(cwd, path))
    if joined == "..":
        return None
    return None if joined.startswith("../") else "" if joined == "." else joined


def _word(node: SgNode) -> str | None:
    kind = node.kind()
    if kind in ("word", "number", "string_content", "command_name") and not node.named_children():
        return node.text().replace("\\ ", " ")
    if kind == "raw_string":
        return node.text()[1:-1]
    if kind in ("string", "concatenation", "command_name"):
        parts = [_word(child) for child in node.named_children()]
        return None if any(part is None for part in parts) else "".join(part or "" for part in parts)
    return None


def _command(node: SgNode, scope: _Scope, *, optional: bool) -> None:
    argv: list[str | None] = []
    for child in node.named_children():
        if child.kind() in ("variable_assignment", "file_redirect", "heredoc_redirect", "herestring_redirect"):
            continue
        argv.append(_word(child))
    if not argv:
        return
    scope.found.append(Invocation(tuple(argv), scope.cwd, scope.moved, optional))
    if argv[0] in ("cd", "pushd"):
        words = [word for word in argv[1:] if word is None or not word.startswith("-") or word == "-"]
        target = words[0] if words else None
        absolute = target is not None and _ABSOLUTE.match(target)
        scope.cwd = scope.resolve(target) if target is not None and absolute else join(scope.cwd, target)
        scope.moved = True
    elif argv[0] == "popd":
        scope.cwd = None


def _redirected(node: SgNode) -> tuple[str, ...]:
    names: list[str] = []
    for child in node.named_children():
        if child.kind() != "file_redirect":
            continue
        operator = next((part.kind() for part in child.children() if part.kind() in _REDIRECTS_OUT), None)
        words = [_word(part) for part in child.named_children() if part.kind() != "file_descriptor"]
        if operator and words and words[-1]:
            names.append(words[-1])
    return tuple(names)


def _walk(node: SgNode, scope: _Scope, depth: int, *, optional: bool) -> None:
    if depth > MAX_DEPTH:
        return
    kind = node.kind()
    if kind == "command":
        _command(node, scope, optional=optional)
        return
    if kind == "redirected_statement":
        before = len(scope.found)
        for child in node.named_children():
            _walk(child, scope, depth + 1, optional=optional)
        # the grammar puts the redirection around a whole chain, though the shell gives it to the last command only
        if len(scope.found) > before:
            scope.found[-1] = replace(scope.found[-1], writes=_redirected(node))
        return
    if kind in ("subshell", "pipeline"):
        inner = _Scope(scope.cwd, scope.moved, scope.resolve, scope.found)
        for child in node.named_children():
            _walk(child, inner, depth + 1, optional=optional)
        if kind == "pipeline" and len(node.named_children()) and node.named_children()[0].kind() != "command":
            # the grammar puts `cd a && b | c` under the pipeline as a whole, though the shell runs the cd outside
            scope.cwd, scope.moved = inner.cwd, inner.moved
        return
    if kind == "list":
        tolerant = any(child.kind() == "||" for child in node.children())
        for child in node.named_children():
            _walk(child, scope, depth + 1, optional=optional or tolerant)
        return
    if kind == "negated_command" or (kind.endswith("_statement")):
        optional = True
    if kind in ("function_definition", "command_substitution", "process_substitution", "heredoc_redirect"):
        return
    for child in node.named_children():
        _walk(child, scope, depth + 1, optional=optional)


_SURROGATE = re.compile("[\ud800-\udfff]")


def _unknown(_: str) -> str | None:
    return None


def invocations(
    text: str, cwd: str | None = "", *, resolve: Callable[[str], str | None] = _unknown
) -> tuple[Invocation, ...]:
    """The commands that `text` runs, started in `cwd`; empty for text that is too long to be a command line.

    `resolve` gives the directory of the repository that an absolute one is, or None. A placeholder such as `<name>`
    counts as an unknown word. Bodies of functions and substitutions are left out.
    """
    if not text.strip() or len(text) > MAX_TEXT or "\0" in text:
        return ()
    if sum(map(text.count, "({`")) > 400 or _SURROGATE.search(text):
        return ()
    scope = _Scope(cwd, bool(cwd), resolve)
    root = SgRoot(_PLACEHOLDER.sub("$PLACEHOLDER", text), "bash").root()
    _walk(root, scope, 0, optional=False)
    return tuple(scope.found)


# wrappers: how many words of their own they take before the command that they run
_WRAPPERS = frozenset({"env", "time", "nohup", "command", "exec", "sudo", "xvfb-run", "caffeinate", "dotenv", "nice"})
_RUNNERS = frozenset({"uv", "poetry", "pdm", "pipenv", "rye", "hatch", "pixi", "mise", "direnv", "doppler", "conda"})
_VALUED = {
    "uv": frozenset(
        {"--with", "--extra", "--group", "--python", "-p", "--package", "--project", "--directory", "--env-file",
         "--with-requirements", "--with-editable", "--only-group", "--no-group", "--index", "--cache-dir"}
    ),
    "timeout": frozenset({"-k", "-s", "--signal", "--kill-after"}),
    "env": frozenset({"-u", "-C", "--chdir", "--unset"}),
    "dotenv": frozenset({"-e", "-f"}),
    "poetry": frozenset({"-C", "--directory", "-P", "--project"}),
    "pdm": frozenset({"-p", "--project"}),
    "nice": frozenset({"-n"}),
    "sudo": frozenset({"-u", "-g"}),
    "conda": frozenset({"-n", "-p", "--name", "--prefix"}),
    "xvfb-run": frozenset({"-s", "-n"}),
}  # fmt: skip
_DIRECTORY_FLAGS = frozenset({"--directory", "--project", "-C", "--chdir"})


def _options(invocation: Invocation, start: int, program: str) -> tuple[Invocation, int]:
    """Skips the options of `program` from `start` on; the working directory follows those that name one."""
    argv, index = invocation.argv, start
    valued = _VALUED.get(program, frozenset())
    while index < len(argv):
        word = argv[index]
        if word is None or not word.startswith("-"):
            break
        flag, _, value = word.partition("=")
        given: str | None = value or None
        if not value and flag in valued:
            index += 1
            given = argv[index] if index < len(argv) else None
        if flag in _DIRECTORY_FLAGS and (program != "uv" or flag == "--directory"):
            invocation = replace(invocation, cwd=join(invocation.cwd, given), moved=True)
        index += 1
        if word == "--":
            break
    return invocation, index


def unwrap(invocation: Invocation) -> Invocation:
    """The command that wrappers such as `env`, `timeout 60` or `uv run` end up running; argv is empty when there is
    none or it cannot be told (a container, another machine)."""
    for _ in range(6):
        name = invocation.name
        if name is None:
            return replace(invocation, argv=())
        base = name.rsplit("/", 1)[-1]
        if base in ("docker", "docker-compose", "podman", "ssh", "kubectl", "vagrant", "limactl", "nix", "nix-shell"):
            return replace(invocation, argv=())
        if base == "timeout" or base == "gtimeout":
            invocation, index = _options(invocation, 1, "timeout")
            invocation = replace(invocation, argv=invocation.argv[index + 1 :])
        elif base in _WRAPPERS:
            invocation, index = _options(invocation, 1, base)
            argv = invocation.argv
            while index < len(argv) and (word := argv[index]) is not None and re.match(r"[A-Za-z_]\w*=", word):
                index += 1
            invocation = replace(invocation, argv=argv[index:])
        elif base in _RUNNERS:
            invocation, index = _options(invocation, 1, base)
            if index >= len(invocation.argv) or invocation.argv[index] not in ("run", "exec"):
                return replace(invocation, argv=())
            invocation, index = _options(invocation, index + 1, base)
            invocation = replace(invocation, argv=invocation.argv[index:])
        else:
            return invocation
    return replace(invocation, argv=())


# programs whose `-o` names no file that they write
_OTHER_O = frozenset({"pytest", "py.test", "bash", "sh", "zsh", "set", "grep", "rg", "ssh", "scp", "ps", "find", "ls"})
_OUTPUTS = frozenset({"-o", "--output", "--out", "--output-file", "--outfile", "-out"})
# flags without a value that are written together with the one that names the file: `-sSLo`
_CLUSTER = re.compile(r"-[a-zA-Z]{1,8}o")
_WGET_CLUSTER = re.compile(r"-[a-z]{1,6}O")


def _outputs(argv: tuple[str | None, ...]) -> Iterator[str]:
    """The files that options name as what a command writes: `curl -o data.json`, `wget -O data.json`."""
    program = (argv[0] or "").rsplit("/", 1)[-1]
    if program in _OTHER_O:
        return
    for index, word in enumerate(argv[1:], 1):
        if word is None:
            continue
        flag, sign, value = word.partition("=")
        following = argv[index + 1] if index + 1 < len(argv) else None
        named = flag in _OUTPUTS or (program == "wget" and flag in ("-O", "--output-document"))
        clustered = {"curl": _CLUSTER, "wget": _WGET_CLUSTER}.get(program)
        named = named or (clustered is not None and clustered.fullmatch(word) is not None)
        if named:
            target = value if sign else following
            if target and not target.startswith("-"):
                yield target
        remote = program == "wget" or (program == "curl" and any(re.fullmatch(r"-[a-zA-Z]*O", w or "") for w in argv))
        if remote and "://" in word and not word.startswith("-"):
            name = word.partition("?")[0].rstrip("/").rsplit("/", 1)[-1]
            if "." in name:
                yield name


def _checked_out(argv: tuple[str | None, ...]) -> list[str]:
    """The paths that git brings back from another commit."""
    words = [word or "" for word in argv[2:]]
    if argv[1] == "checkout" and "--" in words:
        at = words.index("--")
        return words[at + 1 :] if any(not word.startswith("-") for word in words[:at]) else []
    if argv[1] == "checkout":
        plain = [word for word in words if not word.startswith("-")]
        return plain[1:] if not any(word in ("-b", "-B", "--orphan", "--track", "-t") for word in words) else []
    if not any(word.startswith(("--source", "-s")) for word in words):
        return []
    skip = {index + 1 for index, word in enumerate(words) if word in ("--source", "-s")}
    return [word for index, word in enumerate(words) if index not in skip and not word.startswith("-")]


def writes(invocation: Invocation) -> Iterator[str]:
    """Paths that a command leaves behind, seen from the root: `touch`, `mkdir`, `cp`, `mv`, `tee`, `> file`, what an
    option such as `-o` names, and what git brings back from another commit."""
    words = [word for word in invocation.argv[1:] if word and not word.startswith("-")]
    targets: list[str] = list(invocation.writes)
    match invocation.argv[:2]:
        case ("touch" | "mkdir" | "tee", *_):
            targets += words
        case ("cp" | "mv" | "ln" | "install", *_) if len(words) > 1:
            targets.append(words[-1])
        case ("git", "mv") if len(words) > 2:
            targets.append(words[-1])
        case ("git", "checkout" | "restore"):
            targets += _checked_out(invocation.argv)
        case _:
            pass
    targets += _outputs(invocation.argv)
    for target in targets:
        path = join(invocation.cwd, target)
        if path:
            yield path
