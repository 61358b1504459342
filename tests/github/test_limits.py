from __future__ import annotations

import pytest

from bot.github import limits

NOW = 1_780_000_000.0


@pytest.mark.parametrize(
    ("status", "headers", "message"),
    [
        (429, {}, ""),
        (403, {"retry-after": "30"}, ""),
        (403, {"x-ratelimit-remaining": "0"}, ""),
        (403, {}, "You have exceeded a secondary rate limit. Please wait a few minutes."),
        (403, {}, "API rate limit exceeded for installation ID 1."),
    ],
)
def test_an_answer_that_says_later_is_a_limit(status: int, headers: dict[str, str], message: str) -> None:
    assert limits.is_limit(status, headers, message)


@pytest.mark.parametrize(
    ("status", "headers", "message"),
    [
        (403, {"x-ratelimit-remaining": "12"}, "Resource not accessible by integration"),
        (404, {"x-ratelimit-remaining": "0"}, "Not Found"),
        (200, {"x-ratelimit-remaining": "0"}, ""),
        (422, {}, "rate limit exceeded"),
    ],
)
def test_any_other_refusal_is_none(status: int, headers: dict[str, str], message: str) -> None:
    assert not limits.is_limit(status, headers, message)


def test_retry_after_in_seconds_wins_over_the_reset() -> None:
    headers = {"retry-after": "7", "x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW) + 900)}
    assert limits.wait(headers, attempt=0, now=NOW) == 7


def test_retry_after_may_be_an_http_date() -> None:
    assert limits.wait({"retry-after": "Thu, 28 May 2026 20:26:55 GMT"}, attempt=0, now=NOW) == 15


def test_a_date_in_the_past_means_now() -> None:
    assert limits.wait({"retry-after": "Thu, 28 May 2020 20:26:55 GMT"}, attempt=0, now=NOW) == 0


@pytest.mark.parametrize("value", ["soon", "", "-3", "9" * 400, "١٢"])
def test_nonsense_in_retry_after_falls_back_to_a_minute(value: str) -> None:
    assert limits.wait({"retry-after": value}, attempt=0, now=NOW) == 60


def test_nothing_remaining_waits_for_the_reset_and_a_second_of_rounding() -> None:
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW) + 40)}
    assert limits.wait(headers, attempt=0, now=NOW) == 41


def test_a_limit_that_names_no_time_waits_a_minute_then_twice_as_long() -> None:
    assert [limits.wait({}, attempt=n, now=NOW) for n in range(3)] == [60, 120, 240]
