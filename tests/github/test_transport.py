from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import githubkit_schemas.core
import httpx
import pytest

from bot.github.client import App, Installation
from bot.github.errors import GitHubError, LostAnswer, NotFound, RateLimited, Refused, Unavailable
from bot.github.transport import API_VERSION, Policy
from tests.github.conftest import START, Scripted, Time, scripted_app
from tests.lookalike import Lookalike
from tests.lookalike.fixtures import KeyPair
from tests.lookalike.state import Repository

COMMENT = {"id": 5, "body": "x"}


def ok(data: Any = None, **more: Any) -> httpx.Response:
    return httpx.Response(200, json={"permission": "read"} if data is None else data, **more)


def failed(status: int, message: str = "", **headers: str) -> httpx.Response:
    return httpx.Response(
        status, json={"message": message}, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


@pytest.fixture
def at(app_keys: KeyPair, time: Time) -> Any:
    def made(*answers: httpx.Response | Exception, **more: Any) -> tuple[Installation, Scripted]:
        script = Scripted(list(answers))
        return scripted_app(script, app_keys, time, **more).installation(7, "acme/widgets"), script

    return made


# ---- what is sent ------------------------------------------------------------------------------
def test_the_version_header_is_the_one_our_githubkit_speaks() -> None:
    assert API_VERSION == githubkit_schemas.core.LATEST_VERSION


async def test_every_request_names_version_media_and_the_delivery(at: Any) -> None:
    gh, script = at()
    await gh.at("acme/widgets", trace="72d3162e-cc78\r\nX-Evil: 1").permission("a")
    sent = script.requests[0].headers
    assert sent["x-github-api-version"] == API_VERSION
    assert sent["accept"] == "application/vnd.github+json"
    assert sent["user-agent"].startswith("planproof/")
    assert sent["user-agent"].endswith(" delivery/72d3162e-cc78X-Evil1")


async def test_a_path_with_odd_characters_stays_one_path(at: Any) -> None:
    gh, script = at(httpx.Response(200, content=b"x", headers={"content-type": "application/vnd.github.raw+json"}))
    assert await gh.get_file("docs/a b?c#d.md", "feat/x&y") == b"x"
    assert script.requests[0].url.raw_path == b"/repos/acme/widgets/contents/docs/a%20b%3Fc%23d.md?ref=feat%2Fx%26y"


async def test_requests_have_a_timeout(at: Any) -> None:
    gh, script = at()
    await gh.permission("a")
    assert script.requests[0].extensions["timeout"] == {"connect": 10.0, "read": 30.0, "write": 30.0, "pool": 30.0}


# ---- reads -------------------------------------------------------------------------------------
@pytest.mark.parametrize("trouble", [failed(502), failed(503), httpx.ConnectError("x"), httpx.ReadTimeout("x")])
async def test_a_read_is_repeated_when_github_stumbles(at: Any, time: Time, trouble: Any) -> None:
    gh, script = at(trouble, ok())
    assert (await gh.permission("a")).permission == "read"
    assert time.slept == [1.0]
    assert len(script.requests) == 2


async def test_a_read_is_given_up_after_a_few_tries(at: Any, time: Time) -> None:
    gh, _ = at(*[failed(502)] * 3)
    with pytest.raises(Unavailable, match="GET /repos/acme/widgets/collaborators/a/permission was answered 502"):
        await gh.permission("a")
    assert time.slept == [1.0, 2.0]


async def test_an_unchanged_answer_is_read_from_memory(
    gh: Installation, github: Lookalike, widgets: Repository
) -> None:
    issue = github.open_issue(widgets, "An issue")
    github.comment(issue, "one")
    before = await gh.list_issue_comments(issue.number)
    github.forget()
    assert await gh.list_issue_comments(issue.number) == before
    assert [r.status for r in github.requests] == [304]
    github.comment(issue, "two")
    assert [c.body for c in await gh.list_issue_comments(issue.number)] == ["one", "two"]


async def test_the_memory_is_bounded(at: Any) -> None:
    answers = [ok(headers={"etag": f'"{n}"'}) for n in range(4)]
    gh, script = at(*answers, ok(), policy=Policy(cache_entries=2))
    for name in "abcd":
        await gh.permission(name)
    assert len(gh.app.transport._etags) == 2
    await gh.permission("a")
    assert "if-none-match" not in script.requests[-1].headers


async def test_pages_are_followed_by_their_link_only(at: Any) -> None:
    link = '<https://api.github.example/repositories/9/labels?page=odd>; rel="next"'
    gh, script = at(ok([{"name": "a"}], headers={"link": link}), ok([{"name": "b"}]))
    assert [label.name for label in await gh.issue_labels(1)] == ["a", "b"]
    assert script.requests[1].url == "https://api.github.example/repositories/9/labels?page=odd"


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, html="<html>Sign in to the proxy</html>"),
        httpx.Response(200, content=b"", headers={"content-type": "application/json"}),
        httpx.Response(200, text='[{"id": 5}]'),
        httpx.Response(200, json=None),
        httpx.Response(200, content=b"[" * 100_000, headers={"content-type": "application/json"}),
    ],
    ids=["a page of a proxy", "nothing", "not declared as JSON", "null", "nested without end"],
)
async def test_what_is_no_list_does_not_read_as_an_empty_one(at: Any, answer: httpx.Response) -> None:
    gh, _ = at(answer)
    with pytest.raises(Unavailable):
        await gh.list_issue_comments(1)


async def test_an_answer_without_check_runs_does_not_read_as_none(at: Any) -> None:
    gh, _ = at(ok({"total_count": 0}))
    with pytest.raises(Unavailable, match="CheckRuns"):
        await gh.list_check_runs("a" * 40)


@pytest.mark.parametrize("elsewhere", ["https://evil.example/labels", "http://api.github.example/labels"])
async def test_a_page_on_another_host_or_without_encryption_is_not_asked(at: Any, elsewhere: str) -> None:
    gh, script = at(ok([], headers={"link": f'<{elsewhere}>; rel="next"'}))
    with pytest.raises(GitHubError, match="another host"):
        await gh.list_issues()
    assert len(script.requests) == 1


async def test_more_than_one_page_of_comments(gh: Installation, github: Lookalike, widgets: Repository) -> None:
    issue = github.open_issue(widgets, "An issue")
    for number in range(230):
        github.comment(issue, f"comment {number}")
    assert [c.body for c in await gh.list_issue_comments(issue.number)] == [f"comment {n}" for n in range(230)]


async def test_a_200_that_is_no_json_or_misses_what_we_need_is_a_clear_error(at: Any) -> None:
    gh, _ = at(httpx.Response(200, content=b"<html>", headers={"content-type": "application/json"}))
    with pytest.raises(Unavailable, match="not the JSON it says it is"):
        await gh.get_pull(1)
    gh, _ = at(ok({"number": "x"}))
    with pytest.raises(Unavailable, match="no Pull: base, head, number, state"):
        await gh.get_pull(1)


async def test_unknown_fields_and_missing_optional_ones_are_fine(at: Any) -> None:
    side = {"ref": "main", "sha": "a" * 40, "repo": None, "future": 1}
    gh, _ = at(ok({"number": 3, "state": "open", "head": side, "base": side, "mergeable_state": "new"}))
    pull = await gh.get_pull(3)
    assert (pull.open, pull.from_fork, pull.labels, pull.body) == (True, True, (), None)


# ---- writes ------------------------------------------------------------------------------------
@pytest.mark.parametrize("trouble", [failed(502), failed(500), httpx.ReadTimeout("x"), httpx.RemoteProtocolError("x")])
async def test_a_write_whose_answer_is_lost_is_not_repeated(at: Any, trouble: Any) -> None:
    gh, script = at(trouble)
    with pytest.raises(LostAnswer):
        await gh.create_comment(1, "x")
    assert len(script.requests) == 1


@pytest.mark.parametrize("trouble", [httpx.ConnectError("x"), httpx.ConnectTimeout("x"), httpx.PoolTimeout("x")])
async def test_a_write_that_never_left_is_sent_again(at: Any, trouble: Exception) -> None:
    gh, script = at(trouble, ok(COMMENT))
    assert (await gh.create_comment(1, "x")).id == 5
    assert len(script.requests) == 2


async def test_a_write_that_was_carried_out_but_not_answered(
    gh: Installation, github: Lookalike, widgets: Repository
) -> None:
    issue = github.open_issue(widgets, "An issue")
    github.fail_next("POST", "/comments$", "drop")
    with pytest.raises(LostAnswer):
        await gh.create_comment(issue.number, "once")
    assert [comment.body for comment in issue.comments] == ["once"]


async def test_writes_of_one_installation_are_serial_and_spaced(at: Any, time: Time) -> None:
    gh, script = at(*[ok(COMMENT)] * 3, spacing=1.5)
    running = 0

    async def one(request: httpx.Request) -> httpx.Response:
        nonlocal running
        running += 1
        assert running == 1
        await asyncio.sleep(0)
        time.now += 0.5
        running -= 1
        answer: httpx.Response = await script(request)
        return answer

    gh.app.transport._sender.config.async_transport.handler = one
    await asyncio.gather(*(gh.create_comment(n, "x") for n in range(3)))
    assert time.slept == [1.5, 1.5]


async def test_reads_and_other_installations_do_not_wait_for_writes(at: Any, time: Time) -> None:
    gh, _ = at(ok(COMMENT), ok(), ok(COMMENT), spacing=1.0)
    await gh.create_comment(1, "x")
    await gh.permission("a")
    await gh.app.installation(8, "other/repo").create_comment(1, "x")
    assert time.slept == []


async def test_a_clock_set_back_does_not_stop_writes(at: Any, time: Time) -> None:
    gh, _ = at(*[ok(COMMENT)] * 2, spacing=1.0)
    await gh.create_comment(1, "x")
    time.now -= 10_000
    await gh.create_comment(1, "x")
    assert time.slept == [1.0]


# ---- limits ------------------------------------------------------------------------------------
async def test_a_write_that_was_limited_waits_and_is_sent_again(at: Any, time: Time) -> None:
    gh, script = at(failed(403, "You have exceeded a secondary rate limit.", retry_after="17"), ok(COMMENT))
    await gh.create_comment(1, "x")
    assert time.slept == [17]
    assert len(script.requests) == 2


async def test_a_limit_without_a_time_waits_longer_each_time_then_gives_up_loudly(at: Any, time: Time) -> None:
    gh, _ = at(*[failed(403, "You have exceeded a secondary rate limit.")] * 4)
    with pytest.raises(RateLimited) as error:
        await gh.permission("a")
    assert time.slept == [60, 120, 240]
    assert error.value.until == datetime.fromtimestamp(START + 420 + 480, UTC)
    assert error.value.transient


async def test_a_long_wait_is_not_slept_but_said(at: Any, time: Time) -> None:
    reset = str(int(START) + 3000)
    gh, script = at(failed(403, "API rate limit exceeded", x_ratelimit_remaining="0", x_ratelimit_reset=reset))
    with pytest.raises(RateLimited) as error:
        await gh.permission("a")
    assert time.slept == []
    assert error.value.until == datetime.fromtimestamp(START + 3001, UTC)
    with pytest.raises(RateLimited):  # nor does anyone else of this installation ask before
        await gh.permission("b")
    assert len(script.requests) == 1


async def test_a_pause_holds_all_of_the_installation_and_nobody_else(at: Any, time: Time) -> None:
    gh, _ = at(failed(429, retry_after="30"), ok(), ok(), ok())
    await gh.permission("a")
    await gh.permission("b")
    assert time.slept == [30]
    time.slept.clear()
    await gh.app.installation(8, "other/repo").permission("a")
    assert time.slept == []


async def test_the_exhausted_limit_of_a_real_server(
    gh: Installation, github: Lookalike, acme_installation: Any
) -> None:
    await gh.list_issues()
    github.exhaust(acme_installation, reset_in=5_000)
    with pytest.raises(RateLimited):
        await gh.get_issue(1)


# ---- refusals ----------------------------------------------------------------------------------
async def test_refusals_carry_githubs_words(gh: Installation, github: Lookalike, widgets: Repository) -> None:
    issue = github.open_issue(widgets, "An issue")
    with pytest.raises(NotFound):
        await gh.get_pull(99)
    with pytest.raises(Refused, match="422"):
        await gh.create_comment(issue.number, "x" * 70_000)


async def test_a_connection_is_reused(app: App, gh: Installation, github: Lookalike) -> None:
    await gh.list_issues()
    first = app.transport._sender._held
    await asyncio.create_task(gh.list_issues())
    assert app.transport._sender._held is first
