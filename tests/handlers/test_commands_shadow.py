"""Commands with PLANPROOF_MODE=shadow: decisions are kept, plans are judged, and nobody sees a thing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.handlers.scenes import writes
from tests.handlers.threads import FLAWED, open_pull, repository, say
from tests.stage import Stage, staged


@pytest.fixture(scope="module")
def shadowed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with staged(tmp_path_factory.mktemp("shadow"), settings={"PLANPROOF_MODE": "shadow"}) as stage:
        yield stage
        assert stage.look.problems == []


def kept(stage: Stage, what: str) -> list[tuple[object, ...]]:
    database = stage.server.folder / "data" / "planproof.db"
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)) as connection:
        return list(connection.execute(what))


def finding(stage: Stage) -> str:
    [[found]] = kept(stage, "SELECT json_extract(report, '$.findings[0].id') FROM planproof_reports")
    return str(found)


def test_a_dismissal_is_kept_and_the_plan_judged_again(shadowed: Stage) -> None:
    pull = open_pull(shadowed, repository(shadowed), FLAWED)
    say(shadowed, pull, f"/plan dismiss {finding(shadowed)} generated\n/plan status", user="writer")
    assert writes(shadowed) == []
    assert kept(shadowed, "SELECT login, reason, status FROM planproof_decisions") == [
        ("writer", "generated", "dismissed")
    ]
    assert "verdict=clean" in shadowed.server.log()
    assert "command.shadowed" in shadowed.server.log()


def test_no_command_makes_a_sound(shadowed: Stage) -> None:
    pull = open_pull(shadowed, repository(shadowed), FLAWED)
    for user in ("author", "writer", "stranger"):
        for words in ("/plan help", "/plan verfy", "/plan verify", "/plan check", "/plan cancel"):
            shadowed.look.comment(pull, words, user=user)
    shadowed.settle()
    assert writes(shadowed) == []


def test_also_where_the_repository_has_switched_us_off(shadowed: Stage) -> None:
    pull = open_pull(shadowed, repository(shadowed, "mode: off\n"), FLAWED)
    say(shadowed, pull, "/plan verify")
    assert writes(shadowed) == []
