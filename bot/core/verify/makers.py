"""Files that tools lay down in the folder they are run in, though no plan lists them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from bot.core.verify import shell

_PACKAGE = ("package.json",)
_PYPROJECT = ("pyproject.toml",)
_TAILWIND = (
    "tailwind.config.js", "tailwind.config.ts", "tailwind.config.cjs", "tailwind.config.mjs",
    "postcss.config.js", "postcss.config.mjs", "postcss.config.cjs",
)  # fmt: skip
_ESLINT = (
    "eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts",
    ".eslintrc.js", ".eslintrc.json", ".eslintrc.cjs", ".eslintrc.yml",
)  # fmt: skip

# program, then what is asked of it → what it makes there
_FILES: dict[tuple[str, str], tuple[str, ...]] = {
    **{(manager, "init"): _PACKAGE for manager in ("npm", "pnpm", "yarn")},
    ("bun", "init"): (*_PACKAGE, "tsconfig.json", "index.ts"),
    ("cargo", "init"): ("Cargo.toml", "src/main.rs", "src/lib.rs"),
    ("uv", "init"): (*_PYPROJECT, "main.py", "hello.py", ".python-version", "README.md"),
    **{(manager, "init"): _PYPROJECT for manager in ("poetry", "pdm", "hatch", "rye", "flit")},
    ("go", "mod init"): ("go.mod",),
    ("go", "work init"): ("go.work",),
    ("tsc", "--init"): ("tsconfig.json",),
    ("tailwindcss", "init"): _TAILWIND,
    ("eslint", "--init"): _ESLINT,
    ("eslint", "init"): _ESLINT,
    ("@eslint/config", "init"): _ESLINT,
    ("biome", "init"): ("biome.json", "biome.jsonc"),
    ("jest", "--init"): ("jest.config.js", "jest.config.ts"),
    ("prisma", "init"): ("prisma/schema.prisma", ".env"),
    ("docker", "init"): ("Dockerfile", ".dockerignore", "compose.yaml", "README.Docker.md"),
    ("bundle", "init"): ("Gemfile",),
    ("composer", "init"): ("composer.json",),
    ("deno", "init"): ("deno.json", "main.ts", "main_test.ts"),
    ("just", "--init"): ("justfile",),
    ("task", "--init"): ("Taskfile.yml",),
    ("pod", "init"): ("Podfile",),
    ("rspec", "--init"): (".rspec", "spec/spec_helper.rb"),
    ("swift", "package init"): ("Package.swift",),
    ("gradle", "init"): (
        "build.gradle", "settings.gradle", "build.gradle.kts", "settings.gradle.kts", "gradlew",
        "gradle/libs.versions.toml",
    ),
    ("pre-commit", "sample-config"): (".pre-commit-config.yaml",),
}  # fmt: skip
# generators that spread what they make over the usual folders of a framework
_RAILS = ("app", "db", "test", "spec", "config", "lib")
_FETCHERS = frozenset({"npx", "bunx", "pnpx"})
_RUNS = frozenset({"exec", "dlx", "x", "run", "--"})


def _program(argv: Sequence[str | None]) -> list[str]:
    """The words from the program on, without what fetches or starts it and without the version asked for."""
    words = [word or "" for word in argv]
    while words and (
        words[0] in _FETCHERS
        or (len(words) > 1 and words[0] in ("npm", "pnpm", "yarn", "bundle") and words[1] in _RUNS)
    ):
        words = words[1 if words[0] in _FETCHERS else 2 :]
        while words and words[0].startswith("-"):
            words = words[1:]
    if words:
        at = words[0].find("@", 1)
        words[0] = words[0][:at] if at > 0 else words[0]
        words[0] = words[0] if words[0].startswith("@") else posixpath.basename(words[0])
    return words


def files(invocation: shell.Invocation) -> Iterator[str]:
    """The files that a command may lay down where it is run, seen from the root."""
    words = _program(invocation.argv)
    if not words:
        return
    name, rest = words[0], words[1:]
    if name == "npm" and rest[:2] and rest[0] in ("init", "create") and any("@eslint/config" in word for word in rest):
        made: tuple[str, ...] = (*_ESLINT, *_PACKAGE)
    else:
        plain = [word for word in rest if not word.startswith("-")]
        asked = [" ".join(plain[:2]), *plain[:1], *(word for word in rest if word.startswith("--"))]
        made = next((_FILES[name, each] for each in asked if (name, each) in _FILES), ())
    for each in made:
        path = shell.join(invocation.cwd, each)
        if path:
            yield path


def folders(invocation: shell.Invocation) -> Iterator[str]:
    """The folders in which a command makes files of names that cannot be known."""
    words = _program(invocation.argv)
    if words[:1] == ["rails"] and words[1:2] and words[1] in ("g", "generate", "scaffold"):
        for each in _RAILS:
            path = shell.join(invocation.cwd, each)
            if path:
                yield path
