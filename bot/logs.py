"""The process's log: static event names with fields, as text or JSON lines on stderr, secrets blanked out.

log = logs.named("jobs")
log.info("job.started", job=job_id, handler="pull_request")
"""

from __future__ import annotations

import json
import logging
import re
import sys
import traceback
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final, Literal

ROOT = "planproof"
BLANK = "[redacted]"

_SHAPES: Final = (
    re.compile(r"\b(?:gh[oprsu]_|github_pat_)[A-Za-z0-9_]{16,255}"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{8,2048}\.[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,2048}"),
    re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,40}-----)?"),
    re.compile(r"(?i)\b(?:bearer|basic|token) [A-Za-z0-9._~+/=-]{16,4096}"),
    re.compile(r"(?<=://)[^/@\s:]{1,256}:[^/@\s]{1,1024}(?=@)"),
    re.compile(r"\bsk-[A-Za-z0-9_-]{16,256}"),
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` without the given secrets and without anything shaped like a token, key or password in a URL."""
    for secret in secrets:
        text = text.replace(secret, BLANK)
    for shape in _SHAPES:
        text = shape.sub(BLANK, text)
    return text


class Log:
    """A logger whose messages are names that never vary and whose details are fields."""

    def __init__(self, logger: logging.Logger) -> None:
        self.logger = logger

    def info(self, event: str, **fields: object) -> None:
        self._write(logging.INFO, event, fields)

    def warning(self, event: str, **fields: object) -> None:
        self._write(logging.WARNING, event, fields)

    def error(self, event: str, *, exception: BaseException | None = None, **fields: object) -> None:
        self._write(logging.ERROR, event, fields, exception)

    def _write(self, level: int, event: str, fields: dict[str, object], exception: BaseException | None = None) -> None:
        if self.logger.isEnabledFor(level):
            self.logger.log(level, event, extra={"fields": fields}, exc_info=exception)


def named(name: str) -> Log:
    """The log of one part of the process."""
    return Log(logging.getLogger(f"{ROOT}.{name}"))


class Formatter(logging.Formatter):
    """One line a record (and a traceback below it in text form), redacted as a whole so that no field escapes."""

    def __init__(self, form: Literal["json", "text"], secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self.form = form
        # a key is several lines, of which each alone would also be too much
        parts = {
            line.strip() for secret in secrets for line in (secret, *secret.splitlines()) if len(line.strip()) >= 8
        }
        self.secrets = tuple(sorted(parts, key=len, reverse=True))

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, object] = dict(getattr(record, "fields", None) or {})
        trace = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info else ""
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        level, source, message = record.levelname.lower(), record.name.removeprefix(ROOT + "."), record.getMessage()
        if self.form == "json":
            line: dict[str, Any] = {"time": moment, "level": level, "log": source, "event": message, **fields}
            if trace:
                line["traceback"] = redact(trace, self.secrets)
            plain = {key: redact(v, self.secrets) if isinstance(v, str) else v for key, v in line.items()}
            # blanked again as a whole: a nested field may hold a secret too
            return redact(json.dumps(plain, default=str), self.secrets)
        pairs = " ".join(f"{key}={_shown(value)}" for key, value in fields.items())
        text = f"{moment} {level:7} {source}: {message}{' ' if pairs else ''}{pairs}"
        return redact(text + ("\n" + trace.rstrip() if trace else ""), self.secrets)


def _shown(value: object) -> str:
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if not text or any(c.isspace() or c in '"=' for c in text) else text


class _Noise(logging.Filter):
    """Drops the job engine's tracebacks of cancelled jobs and of failures that the job itself has logged already."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and type(error).__name__ in _LOGGED_ELSEWHERE:
            return False
        message = str(record.msg)
        return not message.startswith(_EXPECTED)


_LOGGED_ELSEWHERE = frozenset({"DBOSAwaitedWorkflowCancelledError", "DBOSWorkflowCancelledError", "JobFailed"})
_EXPECTED = ("Asyncio task cancelled for workflow or step", "To view and manage workflows")


def configure(
    form: Literal["json", "text"] = "text", *, secrets: Iterable[str] = (), level: int = logging.INFO
) -> logging.Handler:
    """Send every log of the process to stderr in one form. Returns the handler, which replaces an earlier one."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Formatter(form, secrets))
    handler.set_name("planproof")
    root = logging.getLogger()
    for logger in (root, logging.getLogger("dbos")):
        for old in [each for each in logger.handlers if each.get_name() == "planproof"]:
            logger.removeHandler(old)
        logger.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger(ROOT).setLevel(level)
    logging.getLogger("uvicorn").setLevel(level)
    quiet(logging.getLogger("dbos"))
    return handler


def quiet(engine: logging.Logger) -> None:
    """The job engine's own log: warnings only, not twice, without its noise."""
    # its own setup adds a console handler to a logger that has none
    engine.propagate = not engine.handlers
    engine.setLevel(logging.WARNING)
    if not any(isinstance(each, _Noise) for each in engine.filters):
        engine.addFilter(_Noise())
