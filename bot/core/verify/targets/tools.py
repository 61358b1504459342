"""The program that package managers of the JavaScript world end up starting: `npx jest`, `pnpm exec vitest`."""

from __future__ import annotations

from dataclasses import replace

from bot.core.verify import shell
from bot.core.verify.targets import ground

RUNNERS = frozenset({"vitest", "jest", "mocha", "ava", "playwright", "cypress"})
LINTERS = frozenset({"eslint", "prettier", "tsc", "biome", "stylelint"})
_PROGRAMS = RUNNERS | LINTERS | {"tsx", "ts-node"}
# the options with which a package manager works in another folder
FOLDER_FLAGS = {
    "npm": frozenset({"--prefix", "-C"}),
    "pnpm": frozenset({"-C", "--dir", "--prefix"}),
    "yarn": frozenset({"--cwd"}),
    "bun": frozenset({"--cwd"}),
}
JS_END = r"[cm]?[jt]sx?"  # what a file of JavaScript or TypeScript may end in, after the dot
JS_ENDINGS = frozenset({"ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts"})
JS_ENDS = tuple(sorted(f".{ending}" for ending in JS_ENDINGS))


def started(invocation: shell.Invocation) -> shell.Invocation:
    """The invocation with the program itself as its first word; as it is where no manager stands before it, and without
    words where another package or a fresh download is meant."""
    argv = invocation.argv
    name = ground.program(argv[0]) if argv else ""
    if name in ("npx", "bunx", "pnpx"):
        start = 1
        while start < len(argv) and argv[start] in ("--no-install", "--no", "--bun", "--"):
            start += 1
        word = argv[start] if start < len(argv) else None
        # other options, or a version, fetch the program whatever the repository depends on
        return replace(invocation, argv=argv[start:] if word and word[0] != "-" and "@" not in word else ())
    if name not in FOLDER_FLAGS:
        return invocation
    start = 1
    cwd, moved = invocation.cwd, invocation.moved
    while start < len(argv):
        word = argv[start]
        if word is None:
            return replace(invocation, argv=())
        flag, sign, value = word.partition("=")
        if flag in FOLDER_FLAGS[name]:
            given = value if sign else argv[start + 1] if start + 1 < len(argv) else None
            cwd, moved = shell.join(cwd, given), True
            start += 1 if sign else 2
        elif word in ("exec", "x", "--"):
            start += 1
        elif flag in ("--filter", "-F") and name == "pnpm":
            # which folder the chosen package is in is for its manifests to say
            cwd, moved = None, True
            start += 1 if sign else 2
        elif word.startswith("-"):
            return replace(invocation, argv=())
        else:
            break
    rest = argv[start:]
    if rest and ground.program(rest[0]) in _PROGRAMS:
        return replace(invocation, argv=rest, cwd=cwd, moved=moved)
    return invocation
