"""Paths that linters, formatters and type checkers are given."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.plans.model import Expect
from bot.core.verify import shell
from bot.core.verify.targets import Miss, ground, presence, tools
from bot.core.verify.world import World

_COMMANDS = {"ruff": frozenset({"check", "format"}), "biome": frozenset({"check", "lint", "format", "ci"})}
_VALUED = {
    "ruff": frozenset({"--config", "--select", "--ignore", "--extend-select", "--output-format", "--target-version",
                       "--line-length", "--exclude", "--per-file-ignores", "--stdin-filename", "--cache-dir"}),
    "mypy": frozenset({"--config-file", "--python-version", "-p", "-m", "--package", "--module", "--exclude",
                       "--cache-dir", "--follow-imports", "--python-executable", "--junit-xml"}),
    "black": frozenset({"-l", "--line-length", "-t", "--target-version", "--config", "--exclude", "--include"}),
    "isort": frozenset({"--profile", "-l", "--line-length", "--settings-path", "--skip"}),
    "flake8": frozenset({"--max-line-length", "--select", "--ignore", "--extend-ignore", "--config", "--exclude"}),
    "pylint": frozenset({"--rcfile", "--disable", "--enable", "-d", "-e", "-j"}),
    "pyright": frozenset({"-p", "--project", "--pythonversion", "--pythonplatform", "--level"}),
    "eslint": frozenset({"-c", "--config", "--ext", "--ignore-pattern", "--rule", "-f", "--format", "-o",
                         "--max-warnings", "--parser", "--plugin", "--cache-location", "--env", "--global"}),
    "prettier": frozenset({"--config", "--ignore-path", "--parser", "--plugin", "--log-level"}),
    "tsc": frozenset({"-p", "--project", "-b", "--build", "--outDir", "--target", "-t", "--module", "-m", "--jsx",
                      "--lib", "--moduleResolution", "--rootDir", "--types", "--declarationDir"}),
    "biome": frozenset({"--config-path", "--max-diagnostics", "--log-level", "--reporter"}),
    "stylelint": frozenset({"--config", "--custom-syntax", "-f", "--formatter", "--ignore-path"}),
    "shellcheck": frozenset({"-s", "--shell", "-e", "--exclude", "-S", "--severity", "-f", "--format", "-i", "-P"}),
}  # fmt: skip
_SWITCHES = frozenset({
    "--fix", "--check", "--diff", "-q", "--quiet", "-v", "--verbose", "--no-cache", "--show-fixes", "--unsafe-fixes",
    "--strict", "--ignore-missing-imports", "--noEmit", "--write", "-w", "-l", "--list-different", "--cache", "-x",
    "--no-fix", "--exit-zero", "--preview", "--skipLibCheck", "--pretty", "--show-error-codes", "--no-error-summary",
    "--no-incremental", "--check-only", "-c", "--incremental", "--watch", "--color", "--no-eslintrc", "--noImplicitAny",
    "--statistics", "--show-source", "--stats", "--apply", "--no-warn-ignored", "--force", "--isolated",
    "--warn-unused-ignores", "--disallow-untyped-defs", "--no-strict-optional", "--explicit-package-bases",
    "--no-warn-unused-ignores", "--namespace-packages", "--install-types", "--non-interactive", "--check-untyped-defs",
    "-s", "-j",
})  # fmt: skip


def judge(world: World, invocation: shell.Invocation, position: int, expects: Expect) -> Iterator[Miss]:
    """A miss for each path that is not there when the tool runs."""
    invocation = tools.started(invocation)
    if not invocation.argv:
        return
    name, argv = ground.program(invocation.argv[0]), invocation.argv[1:]
    if ground.is_python(name) and len(argv) > 1 and argv[0] == "-m":
        name, argv = argv[1] or "", argv[2:]
    if name not in _VALUED:
        return
    if name in _COMMANDS:
        if not argv or argv[0] not in _COMMANDS[name]:
            return
        argv = argv[1:]
    line = ground.read(argv, _VALUED[name], _SWITCHES)
    if line.has("-b", "--build", "--stdin-filename", "--stdin"):
        return
    cited = [*line.words, *line.rest]
    if name == "tsc":
        cited += line.values("-p", "--project")
    for word in cited:
        miss = presence.judge(world, invocation, word, position, expects, "file or folder", folders=True)
        if miss is not None:
            yield miss
