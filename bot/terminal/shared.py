"""What the commands have in common: the caller's mistakes, files, the console."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.core.tree import InputError
from bot.terminal.local import Place, read_file
from bot.terminal.render.safe import visible

if TYPE_CHECKING:
    from rich.console import Console


MAX_LINE = 10_000  # characters of a line on stderr


class InputProblem(click.ClickException):
    """What was given cannot be used: exit code 2."""

    exit_code = 2

    def format_message(self) -> str:
        return visible(self.message, MAX_LINE)


def tell(text: str) -> None:
    """One line on stderr. It may name what a repository holds, which must not steer the terminal."""
    click.echo(visible(text, MAX_LINE), err=True)


def place_or_none(path: Path) -> Place | None:
    """The repository that `path` is in, if any."""
    try:
        return Place.around(path)
    except InputError:
        return None


def current_folder() -> Path:
    """Raises InputProblem where it has been deleted meanwhile."""
    try:
        return Path.cwd()
    except OSError as error:
        raise InputProblem(f"the current folder cannot be read: {error.strerror}") from None


def file_bytes(path: Path) -> bytes:
    """A regular file's bytes. Raises InputProblem."""
    try:
        return read_file(path)
    except InputError as problem:
        raise InputProblem(str(problem)) from None


def console() -> Console:
    """Standard output, with colours only on a terminal; nothing printed is read as markup."""
    from rich.console import Console

    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
