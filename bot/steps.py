"""One step of a job: tried again while its error passes by itself, its outcome kept as plain JSON.

An error is part of the outcome: a job that runs again after a restart meets the error of a finished step as the same
class with the same fields, and so takes the same way through its handler.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from bot import logs
from bot.dispatch import Step
from bot.events import Json

log = logs.named("steps")


@dataclass(frozen=True)
class StepLimits:
    """Times in seconds. A step has `attempts` tries of at most `seconds` each; between them `first_wait`, doubled
    each time, or until the moment that the error names, but never longer than `longest_wait`."""

    attempts: int = 5
    seconds: float = 600.0
    first_wait: float = 1.0
    longest_wait: float = 300.0


class StepFailed(Exception):  # noqa: N818
    """A step's error whose class this process does not know (any more); the message is the original's."""


class StepTimeout(TimeoutError):  # noqa: N818
    """A step took longer than it may."""


def transient(error: BaseException) -> bool:
    """Whether the same step may succeed later by itself: the error says so."""
    return getattr(error, "transient", False) is True


def cancelling() -> bool:
    """Whether the current task was asked to stop: an error may then be nothing but a consequence of that."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def run(
    name: str,
    fn: Step,
    *,
    limits: StepLimits,
    should_retry: Callable[[BaseException], bool] = transient,
    **fields: object,
) -> dict[str, Json]:
    """The outcome of a step: `{"value": …}` or `{"error": …}`, for `unwrap`. Only cancellation escapes."""
    log.info("step.started", name=name, **fields)
    start = time.monotonic()
    attempt = 1
    while True:
        try:
            value = await _limited(name, fn, limits.seconds)
        except Exception as error:
            if cancelling():
                # what a cancellation broke is no outcome: the step runs again
                raise asyncio.CancelledError from error
            wait = _wait(error, attempt, limits)
            if attempt >= limits.attempts or wait is None or not should_retry(error):
                log.warning("step.failed", name=name, error=type(error).__name__, reason=str(error), **fields)
                return {"error": _encode(error)}
            log.warning("step.retried", name=name, attempt=attempt, wait=round(wait, 1), reason=str(error), **fields)
            await asyncio.sleep(wait)
            attempt += 1
            continue
        log.info("step.finished", name=name, seconds=round(time.monotonic() - start, 3), **fields)
        return {"value": value}


def unwrap(outcome: object) -> Json:
    """The value of an outcome. Raises what the step raised, or StepFailed for a class that is not known here."""
    if not isinstance(outcome, dict):
        raise StepFailed("the stored outcome of the step cannot be read")
    if "error" in outcome:
        raise _decode(outcome["error"])
    return cast(Json, outcome.get("value"))


def plain(value: object) -> Json:
    """`value` as it comes back from storage, also in the run that made it. Raises TypeError or ValueError for what is
    no JSON. Lone surrogates, which UTF-8 cannot hold, are replaced."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return cast(Json, json.loads(text.encode("utf-8", "replace")))


async def _limited(name: str, fn: Step, seconds: float) -> Json:
    deadline = asyncio.timeout(seconds)
    try:
        async with deadline:
            return plain(await fn())
    except TimeoutError as error:
        if deadline.expired():
            raise StepTimeout(f"{name} took longer than {seconds:.0f} s") from error
        raise


def _wait(error: Exception, attempt: int, limits: StepLimits) -> float | None:
    until = getattr(error, "until", None)
    if isinstance(until, datetime):
        left = max(0.0, (until - datetime.now(UTC)).total_seconds())
        return left if left <= limits.longest_wait else None
    # doubling stops mattering long before the exponent gets large
    return min(limits.first_wait * 2.0 ** min(attempt - 1, 32), limits.longest_wait)


def _encode(error: Exception) -> dict[str, Json]:
    state: dict[str, Json] = {}
    for key, value in vars(error).items():
        try:
            state[key] = {"$time": value.isoformat()} if isinstance(value, datetime) else plain(value)
        except (TypeError, ValueError):
            continue
    kind = type(error)
    return {"module": kind.__module__, "name": kind.__qualname__, "message": _text(str(error)), "state": state}


def _decode(data: object) -> Exception:
    found: dict[str, Any] = data if isinstance(data, dict) else {}
    message = str(found.get("message", "the step failed"))
    # looked up among what is loaded: a stored name must not make the process import anything
    kind = getattr(sys.modules.get(str(found.get("module"))), str(found.get("name")), None)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        return StepFailed(message)
    error: Exception = kind.__new__(kind, message)
    error.args = (message,)
    for key, value in (found.get("state") or {}).items():
        timed = value.get("$time") if isinstance(value, dict) else None
        setattr(error, key, datetime.fromisoformat(timed) if isinstance(timed, str) else value)
    return error


def _text(text: str) -> str:
    return text[:4000].encode("utf-8", "replace").decode("utf-8")
