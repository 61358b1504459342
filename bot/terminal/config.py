"""The repository's configuration in the terminal: as committed in the judged tree, and `planproof config check`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bot.core.tree import InputError, commit_of
from bot.terminal.local import MAX_FILE, Place, committed_file
from bot.terminal.render.safe import visible
from bot.terminal.shared import MAX_LINE, InputProblem, current_folder, file_bytes, tell
from schemas.repo_config import CONFIG_PATH, RepoConfig

STDIN = "<stdin>"


def configured(place: Place | None, rev: str | None = "HEAD") -> RepoConfig:
    """The configuration committed at `rev`; a broken one is said on stderr and the defaults hold, as they do where
    there is no repository or no commit."""
    raw = committed_file(place, rev, CONFIG_PATH, MAX_FILE) if place is not None and rev is not None else None
    if raw is None or place is None or rev is None:
        return RepoConfig.model_construct()  # which builds no validator: most repositories have no file
    from bot.repo_config import parse

    parsed = parse(raw)
    if parsed.config is not None:
        return parsed.config
    if raw not in _told():
        _told().add(raw)
        for error in parsed.errors:
            tell(f"note: {CONFIG_PATH}:{error.line}: {error.message}")
        tell(f"note: {CONFIG_PATH} at {str(commit_of(place.repo, rev).id)[:12]} is not valid; the defaults are used")
    return RepoConfig()


def check(name: str | None) -> bool:
    """Say on stdout what is wrong with a configuration file, or that it is valid; notes go to stderr. Whether it is
    valid. `name` None is the one of the work tree, `-` is stdin. Raises InputProblem."""
    from bot.repo_config import MAX_BYTES, parse

    if name == "-":
        # one byte more than may be, so that too much is noticed
        shown, raw = STDIN, sys.stdin.buffer.read(MAX_BYTES + 1)
    else:
        path = Path(name) if name is not None else _of_work_tree()
        shown, raw = str(path), file_bytes(path)
    parsed = parse(raw)
    for error in parsed.errors:
        _say(f"{shown}:{error.line}: {error.message}")
    for note in parsed.notes:
        tell(f"{shown}:{note.line}: note: {note.message}")
    if parsed.config is None:
        return False
    keys = [key for key in RepoConfig.model_fields if key in parsed.config.model_fields_set]
    _say(f"{shown} is valid; it sets {', '.join(keys) if keys else 'nothing'}")
    return True


def _of_work_tree() -> Path:
    try:
        root = Place.around(Path()).root
    except InputError as problem:
        raise InputProblem(f"{problem}; name the file") from None
    if root is None:
        raise InputProblem("a bare repository has no files on disk; name the file")
    path, here = root / CONFIG_PATH, current_folder().resolve()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _say(text: str) -> None:
    click.echo(visible(text, MAX_LINE))


def _told() -> set[bytes]:
    """The broken files that this run has spoken of: plans judged on many trees share one."""
    context = click.get_current_context(silent=True)
    told: set[bytes] = context.meta.setdefault(__name__, set()) if context is not None else set()
    return told
