from __future__ import annotations

import json
import logging

import pytest

from bot import logs
from tests.machine import PEM


def line(form: str, event: str = "job.started", exception: BaseException | None = None, **fields: object) -> str:
    info = (type(exception), exception, exception.__traceback__) if exception is not None else None
    record = logging.LogRecord("planproof.jobs", logging.INFO, "", 0, event, (), info)
    record.fields = fields
    formatter = logs.Formatter("json" if form == "json" else "text", ("hunter2hunter2", PEM))
    return formatter.format(record)


def test_a_line_is_a_name_and_its_fields() -> None:
    assert line("text", job="11/7", reason="two words", none=None).endswith(
        'info    jobs: job.started job=11/7 reason="two words" none=None'
    )
    found = json.loads(line("json", job="11/7", count=3))
    assert {key: found[key] for key in ("level", "log", "event", "job", "count")} == {
        "level": "info",
        "log": "jobs",
        "event": "job.started",
        "job": "11/7",
        "count": 3,
    }


@pytest.mark.parametrize("form", ["json", "text"])
def test_no_secret_gets_into_the_log(form: str) -> None:
    try:
        raise ValueError("key was " + PEM)
    except ValueError as error:
        text = line(
            form,
            exception=error,
            url="https://x-access-token:ghs_abcdefghijklmnopqrstuvwxyz@github.com/a/b",
            header={"Authorization": "Bearer eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMiJ9.c2lnbmF0dXJl"},
            secret="it is hunter2hunter2",
            pat="github_pat_11ABCDEFG0123456789_abcdefghij",
        )
    for secret in ("ghs_", "eyJ", "hunter2", "github_pat_", "bm90IGEga2V5"):
        assert secret not in text
    assert logs.BLANK in text
    if form == "json":
        json.loads(text)


def test_the_engines_tracebacks_of_cancelled_jobs_are_left_out(caplog: pytest.LogCaptureFixture) -> None:
    from dbos import error

    engine = logging.getLogger("dbos")
    logs.quiet(engine)
    cancelled = error.DBOSAwaitedWorkflowCancelledError("d-1")
    engine.error("Exception encountered in asynchronous workflow:", exc_info=cancelled)
    engine.error("something else", exc_info=ValueError("x"))
    assert [record.message for record in caplog.records if record.name == "dbos"] == ["something else"]
