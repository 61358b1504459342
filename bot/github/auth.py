"""Who we are to GitHub: the App's JWT, and installation tokens narrowed to a repository and the permissions of a job.

Ruled by "Generating a JSON Web Token for a GitHub App" and "Create an installation access token for an app" in
GitHub's documentation. Nothing here shows a token in a repr, a log line or an error.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx
import jwt

from bot import logs
from bot.github import permissions
from bot.github.errors import NotFound, PermissionMissing, Refused, TokenRefused
from bot.github.models import InstallationInfo, InstallationToken
from bot.github.transport import Answer, Clock, Lane, Transport

log = logs.named("github")

JWT_LIFETIME = 600
"""Seconds from `iat` to `exp`; GitHub accepts no more."""
CLOCK_SKEW = 60
"""Seconds that `iat` lies in the past, for hosts whose clock runs ahead."""
RENEW_BEFORE = 300
"""Seconds before its expiry from which a token is no longer handed out."""
KEEP_REDUCED = 60
"""Seconds that a token with less than it should have is handed out."""


class AppKey:
    """The App's identity: makes JWTs. An `Authorization` for requests as the App itself.

    Raises TokenRefused when the private key cannot be read.
    """

    def __init__(self, app_id: int | str, private_key: str, clock: Clock) -> None:
        self._issuer = str(app_id)
        self._clock = clock
        self._skew = 0.0
        try:
            self._key = jwt.get_algorithm_by_name("RS256").prepare_key(private_key)
        except (ValueError, TypeError, jwt.PyJWTError):
            raise TokenRefused("the App's private key is no readable RSA key in PEM form") from None

    def __repr__(self) -> str:
        return f"AppKey(app_id={self._issuer})"

    def token(self) -> str:
        now = int(self._clock() + self._skew)
        claims = {"iss": self._issuer, "iat": now - CLOCK_SKEW, "exp": now - CLOCK_SKEW + JWT_LIFETIME}
        return jwt.encode(claims, self._key, algorithm="RS256")

    async def header(self) -> str:
        return f"Bearer {self.token()}"

    async def renewed(self, answer: httpx.Response) -> str | None:
        """Once more by GitHub's own clock, where ours is off by more than the allowance."""
        try:
            theirs = parsedate_to_datetime(answer.headers.get("date", "")).timestamp()
        except (ValueError, TypeError):
            return None
        skew = theirs - self._clock()
        if abs(skew - self._skew) < CLOCK_SKEW / 2:
            return None
        log.warning("github.clock_skew", seconds=round(skew))
        self._skew = skew
        return await self.header()


@dataclass(frozen=True)
class Scope:
    """What a token may do; None means all that the installation has. Permissions as (name, level) pairs, sorted. With
    `repository_id` the name is for messages only."""

    installation: int
    repository: str | None = None
    permissions: tuple[tuple[str, str], ...] | None = None
    repository_id: int | None = None

    @classmethod
    def of(
        cls,
        installation: int,
        repository: str | None,
        wanted: Mapping[str, str] | None,
        repository_id: int | None = None,
    ) -> Scope:
        permissions = tuple(sorted(wanted.items())) if wanted is not None else None
        return cls(installation, repository, permissions, repository_id)


@dataclass(frozen=True)
class Token:
    """`expires` is Unix time."""

    value: str = field(repr=False)
    expires: float
    permissions: Mapping[str, str] = field(default_factory=dict)


class Tokens:
    """Installation tokens: one mint for all who wait for the same scope, handed out until shortly before expiry."""

    def __init__(self, key: AppKey, transport: Transport, web: str) -> None:
        self._key = key
        self._transport = transport
        self._web = web
        self._lane = Lane("app")
        self._held: dict[Scope, Token] = {}
        self._minting: dict[Scope, asyncio.Task[Token]] = {}

    def __repr__(self) -> str:
        return f"Tokens({len(self._held)} held)"

    def values(self) -> tuple[str, ...]:
        """Every token text held, for redaction."""
        return tuple(token.value for token in self._held.values())

    async def get(self, scope: Scope) -> Token:
        """A token of this scope, good for some minutes at least. Raises TokenRefused or PermissionMissing."""
        held = self._held.get(scope)
        if held is not None and held.expires - RENEW_BEFORE > self._transport.now():
            return held
        task = self._minting.get(scope)
        if task is None:
            task = asyncio.create_task(self._mint(scope))
            self._minting[scope] = task
            task.add_done_callback(lambda done: self._settled(scope, done))
        # one waiter that is cancelled must not cancel the token of the others
        return await asyncio.shield(task)

    def drop(self, scope: Scope, value: str) -> None:
        """Forget a token that GitHub refused, unless a newer one has taken its place."""
        held = self._held.get(scope)
        if held is not None and held.value == value:
            del self._held[scope]

    def forget(self, installation: int) -> None:
        """Drop all of an installation, after an uninstall or changed permissions."""
        for scope in [scope for scope in self._held if scope.installation == installation]:
            del self._held[scope]

    def _settled(self, scope: Scope, task: asyncio.Task[Token]) -> None:
        self._minting.pop(scope, None)
        if not task.cancelled():
            task.exception()  # seen, also when every waiter is gone

    async def _mint(self, scope: Scope) -> Token:
        """A token of this scope; where the installation grants only a part of its permissions, of that part."""
        try:
            token = await self._ask(scope, dict(scope.permissions) if scope.permissions is not None else None)
        except Refused as refused:
            granted = await self._granted(scope, refused)
            reduced = await self._ask(scope, granted)
            # what is lacking may be granted at any moment, so this one is not kept for long
            token = replace(reduced, expires=min(reduced.expires, self._transport.now() + RENEW_BEFORE + KEEP_REDUCED))
        self._held[scope] = token
        return token

    async def _ask(self, scope: Scope, wanted: Mapping[str, str] | None) -> Token:
        body: dict[str, object] = {}
        if scope.repository_id is not None:
            body["repository_ids"] = [scope.repository_id]
        elif scope.repository is not None:
            body["repositories"] = [scope.repository.rpartition("/")[2]]
        if wanted is not None:
            body["permissions"] = dict(wanted)
        try:
            answer = await self._transport.write(
                "POST",
                f"app/installations/{scope.installation}/access_tokens",
                self._key,
                self._lane,
                json=body,
                spaced=False,
                repeatable=True,
            )
        except NotFound:
            raise TokenRefused(f"installation {scope.installation} is gone: the App was uninstalled") from None
        minted = InstallationToken.model_validate(answer.data)
        return Token(minted.token, _time(minted.expires_at), minted.permissions)

    async def _granted(self, scope: Scope, refused: Refused) -> dict[str, str]:
        """The part of the scope's permissions that the installation has.

        GitHub refuses a token as a whole and does not say what is missing; with the part that is granted the work goes
        as far as it can, and the request that lacks a permission names it. Raises TokenRefused where that is not the
        reason, PermissionMissing where nothing is left.
        """
        if refused.status == 403:
            raise TokenRefused(f"installation {scope.installation}: {refused.reason}") from None
        if scope.permissions is not None:
            wanted = dict(scope.permissions)
            info = await self.installation(scope.installation)
            lacking = permissions.missing(wanted, info.permissions)
            granted = permissions.covered(wanted, info.permissions)
            if lacking and granted:
                return granted
            if lacking:
                url = permissions.approval_url(self._web, scope.installation, info.html_url)
                raise PermissionMissing("the App's token", " and ".join(lacking), url, status=refused.status) from None
        where = f" for {scope.repository}" if scope.repository else ""
        raise TokenRefused(f"installation {scope.installation} gives no token{where}: {refused.reason}") from None

    async def installation(self, number: int) -> InstallationInfo:
        """The installation as the App sees it. Raises NotFound after an uninstall."""
        return InstallationInfo.model_validate((await self.as_app(f"app/installations/{number}")).data)

    async def as_app(self, path: str, params: Mapping[str, object] | None = None) -> Answer:
        """A read as the App itself."""
        return await self._transport.get(path, self._key, self._lane, params=params)

    async def post_as_app(self, path: str) -> Answer:
        """A write as the App itself."""
        return await self._transport.write("POST", path, self._key, self._lane)


class InstallationAuth:
    """The `Authorization` of requests within one scope."""

    def __init__(self, tokens: Tokens, scope: Scope) -> None:
        self._tokens = tokens
        self._scope = scope

    async def header(self) -> str:
        return f"Bearer {(await self._tokens.get(self._scope)).value}"

    async def renewed(self, answer: httpx.Response) -> str | None:
        self._tokens.drop(self._scope, answer.request.headers.get("authorization", "").removeprefix("Bearer "))
        return await self.header()


def _time(text: str) -> float:
    """GitHub's timestamps, which may carry milliseconds, as Unix time."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise TokenRefused("GitHub's token carries no readable expiry") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
