"""One server and one look-alike for all threads of this folder; each test opens issues and pull requests of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stage import Stage, staged


@pytest.fixture(scope="package")
def theatre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder: Path = tmp_path_factory.mktemp("stage")
    with staged(folder) as stage:
        yield stage


@pytest.fixture
def stage(theatre: Stage) -> Iterator[Stage]:
    """The shared stage with an empty journal. Fails on a request that GitHub's description does not know, and on an
    error in the server's log that the test did not `expect`."""
    theatre.look.forget()
    theatre.expected_errors.clear()
    before = len(theatre.server.log())
    yield theatre
    assert theatre.look.problems == []
    errors = [line for line in theatre.server.log()[before:].splitlines() if " error " in line]
    assert [line for line in errors if not any(word in line for word in theatre.expected_errors)] == []
