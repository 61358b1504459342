"""The SQLite that the process runs on, and the one process that may own a database file.

`file_of` is where every use of a database begins: an SQLite that is too old is replaced there, before any library has
loaded it.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

PYTHON = tuple(sys.version_info[:2])
NEEDED = (3, 42)
"""The job engine's SQL needs this much from Python 3.12 on; with 3.11 older versions do."""


_NO_URL = (
    "PLANPROOF_DATABASE_URL is no address of a database that can be used: write it as sqlite:////folder/file.db, or"
    " leave it unset"
)


class DatabaseError(Exception):
    """The database cannot be used; the message says why and what to do."""


def prefer_recent() -> None:
    """Put the bundled SQLite in the place of a system one that is too old, where it is installed."""
    if PYTHON < (3, 12):
        return
    import sqlite3

    if sqlite3.sqlite_version_info >= NEEDED:
        return
    if importlib.util.find_spec("pysqlite3") is None:
        return
    recent = importlib.import_module("pysqlite3")
    sys.modules["sqlite3"] = recent
    sys.modules["sqlite3.dbapi2"] = importlib.import_module("pysqlite3.dbapi2")


def check_version() -> None:
    """Raises DatabaseError where the job engine would die on this SQLite with an unhelpful error."""
    import sqlite3

    if PYTHON >= (3, 12) and sqlite3.sqlite_version_info < NEEDED:
        needed = ".".join(map(str, NEEDED))
        raise DatabaseError(
            f"Python {'.'.join(map(str, PYTHON))} here has SQLite {sqlite3.sqlite_version}, and"
            f" {needed} or newer is needed: install pysqlite3-binary, or use Python 3.11."
        )


def file_of(url: str) -> Path | None:
    """The file behind an SQLite URL; None for a Postgres. Raises DatabaseError for what is neither, and for an SQLite
    in memory, which would lose its jobs with the process."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # its text may hold a password
        raise DatabaseError(_NO_URL) from None
    if parsed.drivername.startswith("postgres"):
        return None
    if not parsed.drivername.startswith("sqlite"):
        raise DatabaseError(_NO_URL)
    prefer_recent()
    if not parsed.database or parsed.database == ":memory:":
        raise DatabaseError(
            "PLANPROOF_DATABASE_URL: an SQLite database must be a file, jobs have to outlive the process"
        )
    return Path(parsed.database).absolute()


class Ownership:
    """The lock that keeps a second process off an SQLite file: two with one executor id would run work twice.

    The lock is the kernel's, on a side file, and so ends with the process however it ends.
    """

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(database.name + ".lock")
        self._held: IO[str] | None = None

    def take(self) -> None:
        """Raises DatabaseError when another process, or another app in this one, holds the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        held = self.path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            held.seek(0)
            owner = held.read(32).strip() or "unknown"
            held.close()
            raise DatabaseError(
                f"another Planproof process (pid {owner}) uses this database: stop it, or give this one its own"
                " PLANPROOF_DATA_DIR."
            ) from None
        held.truncate(0)
        held.write(f"{os.getpid()}\n")
        held.flush()
        self._held = held

    def release(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None


@contextmanager
def owning(database: Path | None) -> Iterator[None]:
    """Own the file for as long as the block runs. Raises DatabaseError, also where there is no file to own: nothing
    would keep two processes on one server from doing their work twice."""
    if database is None:
        raise DatabaseError(_NO_URL)
    check_version()
    lock = Ownership(database)
    lock.take()
    try:
        write_ahead(database)
        yield
    finally:
        lock.release()


def write_ahead(database: Path) -> None:
    """Switch the file to write-ahead logging, which persists in it: readers then never wait for the writer.

    Raises DatabaseError for a file that is no SQLite database, or cannot be used now.
    """
    import sqlite3

    database.parent.mkdir(parents=True, exist_ok=True)
    try:
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
    except sqlite3.DatabaseError as error:
        raise DatabaseError(f"{database.name} cannot be used as a database ({error}): {_remedy(str(error))}") from None


def _remedy(words: str) -> str:
    """What helps; never to move away a database that is sound."""
    if "locked" in words:
        return "another program holds it, end that one first"
    if "full" in words:
        return "make room on the disk"
    if "readonly" in words or "unable to open" in words:
        return "it has to be a file that this process may read and write, in a folder that it may write"
    return "move it away or restore it"
