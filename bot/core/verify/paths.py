"""What kind of thing a cited path is, judged by its looks and by the tree: most paths that are not there are no
mistake."""

from __future__ import annotations

import posixpath
import re
from enum import StrEnum

from bot.core.tree import Kind, Tree


class Look(StrEnum):
    """Why a path that the tree lacks says nothing against the plan."""

    GLOB = "glob"
    PLACEHOLDER = "placeholder"
    GENERATED = "generated"
    BARE = "bare"  # a name without a folder: where it belongs is for the reader to know
    FOREIGN = "foreign"  # its first folder is nowhere in the tree: another repository, or a base folder declared once
    OUTSIDE = "outside"  # absolute, home, or above the repository
    ODD = "odd"  # not shaped like a file of a repository: a module, a command, alternatives, an address


_GENERATED_DIRS = frozenset({
    "node_modules", "dist", "build", "target", "coverage", "htmlcov", ".next", ".nuxt", ".turbo", ".cache",
    ".venv", "venv", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".git", ".gradle", ".idea",
    ".build", "DerivedData", "Pods", ".terraform", ".dart_tool", ".svelte-kit", ".output", "storybook-static",
    "playwright-report", "test-results", "__generated__",
    ".worktrees", "worktrees", ".expo", ".vercel", ".wrangler", ".tox", ".eggs", "site-packages",
    "vendor", ".parcel-cache", ".angular", ".claude", ".codex", ".cursor", ".agents",
    ".superpowers", ".planning", ".context", ".omc",
})  # fmt: skip
# ordinary words too: only at the top of a repository do these folders hold what tools leave behind
_GENERATED_TOPS = frozenset({"tmp", "temp", "logs", "log", "artifacts", "wheels", "bin", "obj", "cache", "out"})
_GENERATED_NAMES = frozenset({
    "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "Cargo.lock", "poetry.lock",
    "uv.lock", "Pipfile.lock", "go.sum", "Gemfile.lock", "composer.lock", "mix.lock", "Package.resolved",
    "flake.lock", ".env", ".env.local", ".DS_Store", "coverage.xml", ".coverage", "junit.xml",
    "tsconfig.tsbuildinfo", "next-env.d.ts", "settings.local.json",
})  # fmt: skip
_GENERATED_NAME = re.compile(
    r"^\.env(\..+)?$|\.(log|pyc|class|o|so|dylib|dll|exe|wasm|whl|tgz|zip|tar|gz|sqlite3?|db|pid|sock|lock|tmp|bak|snap"
    r"|min\.js|map|out|prof|lcov|pem|key|crt|egg-info|xcodeproj|xcworkspace|ipa|apk|app|dmg)$"
    r"|[._](pb|generated|gen|g|freezed)\.\w+$|_pb2(_grpc)?\.pyi?$|\.sql\.go$|^(mock|mocks)_\w+\.go$"
)
_PLACEHOLDER = re.compile(
    r"[<>…{}$%|`\"'?!\s]|\.\.\.|(^|[/_.-])(x{2,}|n{2,}|y{4}|your|my|foo|bar|baz|qux|example|placeholder|somefile|some"
    r"|timestamp|uuid|hash|slug|name|filename|feature-name|whatever)([/_.-]|$)|path/to|X{2,}|NNN+|YYYY|MMDD|N\.N"
    r"|\[(name|feature|slug|file|module|component|date|topic|path|dir|package|lang|language|version|your[^]]*)\]",
    re.IGNORECASE,
)
_SHOUTED = re.compile(r"(^|[/_.-])(FEATURE|NAME|MODULE|COMPONENT|SLUG|DATE|TOPIC|ID|NN|N|X)([/_.-]|$)")
_FILE_LIKE = re.compile(r"^[\w@+~#.,()\[\]\-/:& ]+$")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9_+-]{0,11}$")
_KNOWN_BARE = re.compile(
    r"^(Makefile|Dockerfile|Justfile|justfile|Procfile|Gemfile|Rakefile|LICENSE|CODEOWNERS|BUILD)$"
)


def has_extension(path: str) -> bool:
    name = posixpath.basename(path.rstrip("/"))
    return bool(_EXTENSION.search(name)) or bool(_KNOWN_BARE.match(name)) or name.startswith(".")


def is_glob(path: str) -> bool:
    if any(mark in path for mark in "*?"):
        return True
    return "{" in path and "," in path and "}" in path


def is_placeholder(path: str) -> bool:
    return bool(_PLACEHOLDER.search(path) or _SHOUTED.search(path))


def is_generated(tree: Tree, path: str) -> bool:
    """Made by a tool rather than written: by a well-known name, or by the tree's own ignore files."""
    parts = path.rstrip("/").split("/")
    for depth, part in enumerate(parts[:-1]):
        if part in _GENERATED_DIRS or (depth == 0 and part in _GENERATED_TOPS):
            # a folder of that name which is committed is an ordinary folder
            if tree.kind("/".join(parts[: depth + 1])) is Kind.MISSING:
                return True
            break
    if parts[-1] in _GENERATED_NAMES:
        return True
    if parts[-1] in _GENERATED_DIRS or _GENERATED_NAME.search(parts[-1]):
        return True
    if not tree.ignored(path):
        return False
    # a folder that is tracked in spite of a rule for its name is not what the rule is about
    folder = posixpath.dirname(path.rstrip("/"))
    return not (folder and tree.kind(folder) is Kind.DIRECTORY and tree.ignored(f"{folder}/"))


_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def is_outside(path: str) -> bool:
    return path.startswith(("/", "~", "..", "\\")) or (path[1:2] == ":" and bool(_DRIVE.match(path)))


def inside(tree: Tree, path: str) -> str:
    """A developer's absolute path, cut down to what the repository has or could have; otherwise `path` itself.

    The cut is at the first folder that is also at the top of the tree, and the longest tail that exists is preferred.
    """
    if not is_outside(path):
        return path
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", "~", "..", ".")]
    if len(parts) > 64:
        return path
    for start in range(len(parts)):
        tail = "/".join(parts[start:])
        if "/" in tail and tree.kind(tail) is not Kind.MISSING:
            return tail
    for start in range(1, len(parts) - 1):
        if tree.kind(parts[start]) is Kind.DIRECTORY:
            return "/".join(parts[start:])
    return path


def look(tree: Tree, path: str) -> Look | None:
    """Why `path`, which the tree lacks, is not a plain file path whose absence means something; None when it is."""
    if is_outside(path):
        return Look.OUTSIDE
    if is_glob(path):
        return Look.GLOB
    if "://" in path or not _FILE_LIKE.match(path) or "//" in path or len(path) > 400:
        return Look.ODD if not is_placeholder(path) else Look.PLACEHOLDER
    if is_placeholder(path):
        return Look.PLACEHOLDER
    if ":" in path or "#" in path or " " in path or "," in path:
        return Look.ODD
    if is_generated(tree, path):
        return Look.GENERATED
    if "/" not in path.rstrip("/"):
        return Look.BARE
    if not path.endswith("/") and not has_extension(path):
        return Look.ODD
    parts = path.rstrip("/").split("/")
    # "api.ts/client.ts" names two files, not a file in a folder
    if any(
        re.search(r"\.(tsx?|jsx?|py|go|rs|md|json|ya?ml|java|rb|swift|kt|css|html|toml)$", part) for part in parts[:-1]
    ):
        return Look.ODD
    top = parts[0]
    if tree.kind(top) is Kind.MISSING and tree.folded(top) is None:
        # present deeper down: the plan speaks from a base folder that it declared once, which cannot be known here
        return Look.FOREIGN
    return None
