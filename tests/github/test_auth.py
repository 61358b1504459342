from __future__ import annotations

import asyncio
import logging
import time as wall
from datetime import UTC, datetime
from email.utils import format_datetime

import httpx
import jwt
import pytest

from bot.github.auth import KEEP_REDUCED, AppKey
from bot.github.client import App
from bot.github.errors import PermissionMissing, TokenRefused, Unauthorized
from bot.github.transport import Policy
from tests.github.conftest import START, Credentials, Scripted, Time, scripted_app
from tests.lookalike import Lookalike
from tests.lookalike.fixtures import APP_ID, KeyPair
from tests.lookalike.state import Installation, Repository


def claims(header: str, keys: KeyPair) -> dict[str, object]:
    decoded: dict[str, object] = jwt.decode(
        header.removeprefix("Bearer "),
        keys.public,
        algorithms=["RS256"],
        options={"verify_exp": False, "verify_iat": False},
    )
    return decoded


async def test_a_jwt_lives_ten_minutes_and_begins_a_minute_ago(app_keys: KeyPair, time: Time) -> None:
    made = claims(await AppKey(42, app_keys.private, time.clock).header(), app_keys)
    assert made == {"iss": "42", "iat": START - 60, "exp": START + 540}


async def test_a_key_that_is_none_is_refused_without_quoting_it(time: Time) -> None:
    with pytest.raises(TokenRefused) as error:
        AppKey(42, "-----BEGIN RSA PRIVATE KEY-----\nMIIEsecret\n-----END RSA PRIVATE KEY-----\n", time.clock)
    assert "MIIE" not in str(error.value)
    assert error.value.__cause__ is None


async def test_a_clock_that_is_wrong_is_corrected_by_githubs(app_keys: KeyPair, time: Time) -> None:
    theirs = START - 3_000
    seen: list[float] = []

    async def github(request: httpx.Request) -> httpx.Response:
        issued = claims(request.headers["authorization"], app_keys)["iat"]
        assert isinstance(issued, int)
        seen.append(issued)
        if issued > theirs:
            date = format_datetime(datetime.fromtimestamp(theirs, UTC), usegmt=True)
            return httpx.Response(401, json={"message": "'Issued at' claim is in the future"}, headers={"date": date})
        return httpx.Response(200, json={"id": APP_ID, "slug": "planproof"})

    app = App(
        Credentials(app_keys.private, "https://api.github.example"),
        clock=time.clock,
        sleep=time.sleep,
        http=httpx.MockTransport(github),
    )
    assert await app.slug() == "planproof"
    assert seen == [START - 60, theirs - 60]


async def test_all_who_wait_for_one_scope_share_one_mint(
    app: App, github: Lookalike, acme_installation: Installation
) -> None:
    github.fail_next("POST", "/access_tokens$", delay=0.1)
    repository = app.installation(acme_installation.id, "acme/widgets", permissions={"issues": "write"})
    tasks = [asyncio.create_task(repository.issue_labels(1)) for _ in range(5)]
    other = asyncio.create_task(app.installation(acme_installation.id, "acme/widgets").list_issues())
    await asyncio.gather(*tasks, other, return_exceptions=True)
    minted = github.asked("POST", "/access_tokens$")
    assert sorted((r.body for r in minted), key=len) == [
        {"repositories": ["widgets"]},
        {"repositories": ["widgets"], "permissions": {"issues": "write"}},
    ]


async def test_a_waiter_that_is_cancelled_does_not_cancel_the_others(app_keys: KeyPair, time: Time) -> None:
    go = asyncio.Event()
    script = Scripted([])

    async def slow(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/access_tokens"):
            await go.wait()
        return await script(request)

    app = App(
        Credentials(app_keys.private, "https://api.github.example"),
        clock=time.clock,
        sleep=time.sleep,
        http=httpx.MockTransport(slow),
    )
    gh = app.installation(7, "acme/widgets")
    first, second = asyncio.create_task(gh.permission("a")), asyncio.create_task(gh.permission("b"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    go.set()
    assert (await second).permission == "read"
    assert script.tokens == 1


async def test_a_token_is_renewed_before_it_expires(app_keys: KeyPair, time: Time) -> None:
    script = Scripted([], expires_in=datetime.fromtimestamp(START + 3600, UTC).isoformat(timespec="milliseconds"))
    gh = scripted_app(script, app_keys, time).installation(7, "acme/widgets")
    await gh.permission("a")
    time.now += 3200
    await gh.permission("a")
    assert script.tokens == 1
    time.now += 150
    await gh.permission("a")
    assert script.tokens == 2


async def test_a_revoked_token_is_renewed_once_and_the_write_still_happens_once(
    gh: object, app: App, github: Lookalike, acme_installation: Installation, widgets: Repository
) -> None:
    issue = github.open_issue(widgets, "An issue")
    repository = app.installation(acme_installation.id, "acme/widgets")
    await repository.list_issues()
    github.revoke_tokens()
    await repository.create_comment(issue.number, "hello")
    assert [comment.body for comment in issue.comments] == ["hello"]
    assert len(github.asked("POST", "/access_tokens$")) == 2


async def test_a_second_401_is_left_to_a_later_try(app_keys: KeyPair, time: Time) -> None:
    bad = httpx.Response(401, json={"message": "Bad credentials"})
    script = Scripted([bad, httpx.Response(401, json={"message": "Bad credentials"})])
    gh = scripted_app(script, app_keys, time).installation(7, "acme/widgets")
    with pytest.raises(Unauthorized, match="Bad credentials") as error:
        await gh.permission("a")
    assert error.value.transient
    assert script.tokens == 2
    assert len(script.requests) == 2


async def test_after_an_uninstall_the_reason_says_so(
    app: App, github: Lookalike, acme_installation: Installation
) -> None:
    github.uninstall(acme_installation)
    with pytest.raises(TokenRefused, match="is gone: the App was uninstalled"):
        await app.installation(acme_installation.id, "acme/widgets").list_issues()


async def test_a_suspended_installation_says_so(app: App, github: Lookalike, acme_installation: Installation) -> None:
    github.suspend(acme_installation)
    with pytest.raises(TokenRefused, match="suspended"):
        await app.installation(acme_installation.id, "acme/widgets").list_issues()


async def test_a_token_for_more_than_was_granted_works_as_far_as_it_can(
    app: App, github: Lookalike, acme_installation: Installation
) -> None:
    wanted = {"issues": "write", "contents": "write", "checks": "write"}
    gh = app.installation(acme_installation.id, "acme/widgets", permissions=wanted)
    assert await gh.list_issues() == []
    # contents: write was not granted, contents: read was
    assert await gh.get_file("README.md") is not None


async def test_what_was_lacking_is_asked_for_again_a_little_later(
    github: Lookalike, acme_installation: Installation, app_keys: KeyPair
) -> None:
    later = 0.0
    app = App(Credentials(app_keys.private, github.url), policy=Policy(backoff=0.0), clock=lambda: wall.time() + later)
    granted = dict(acme_installation.permissions)
    gh = app.installation(acme_installation.id, "acme/widgets", permissions={"issues": "write", "checks": "write"})
    github.grant(acme_installation, granted | {"issues": "read"})
    assert await gh.list_issues() == []
    github.grant(acme_installation, granted)
    later = KEEP_REDUCED + 1.0
    assert await gh.ensure_label("new", "ffffff", "x") == "new"
    await app.aclose()


async def test_a_token_with_nothing_granted_names_what_is_missing(
    app: App, github: Lookalike, acme_installation: Installation
) -> None:
    with pytest.raises(PermissionMissing) as error:
        await app.installation(acme_installation.id, "acme/widgets", permissions={"actions": "read"}).list_issues()
    assert error.value.permission == "actions: read"
    assert error.value.url.endswith(f"/settings/installations/{acme_installation.id}/permissions/update")


async def test_a_repository_outside_the_installation_is_refused_in_plain_words(
    app: App, acme_installation: Installation
) -> None:
    with pytest.raises(TokenRefused, match="gives no token for acme/nowhere"):
        await app.installation(acme_installation.id, "acme/nowhere").list_issues()


async def test_no_token_and_no_key_in_any_repr_error_or_log(
    app_keys: KeyPair, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    script = Scripted([httpx.ReadError("broken"), httpx.Response(403, json={"message": "no"})])
    app = scripted_app(script, app_keys, time)
    gh = app.installation(7, "acme/widgets")
    with pytest.raises(Exception, match="no") as error:
        await gh.permission("a")
    token = await gh.clone_token()
    shown = " ".join(
        [repr(app), repr(gh), repr(app.tokens), repr(app.tokens._key), repr(app.tokens._held), str(error.value)]
    )
    shown += repr(error.value) + caplog.text
    assert token not in shown
    assert "ghs_" not in shown
    assert "BEGIN" not in shown
    assert "eyJ" not in shown


async def test_a_clone_token_reads_contents_only(
    gh: object, app: App, github: Lookalike, acme_installation: Installation
) -> None:
    await app.installation(acme_installation.id, "acme/widgets").clone_token()
    assert github.asked("POST", "/access_tokens$")[-1].body == {
        "repositories": ["widgets"],
        "permissions": {"contents": "read"},
    }
