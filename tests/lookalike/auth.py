"""Who asks: an App by its JWT, an installation by its token, or nobody; and what that one may do."""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt

from tests.lookalike import refusals
from tests.lookalike.state import LEVELS, App, Installation, Repository, Token
from tests.lookalike.world import World

JWT_SECONDS = 600
TOKEN_LIFE = timedelta(hours=1)

Needs = tuple[Mapping[str, str], ...]
"""Alternatives, each a map of permission → level that must all be there; () needs nothing but an installation."""


@dataclass(frozen=True)
class Caller:
    kind: str  # none, app or installation
    app: App | None = None
    token: Token | None = None

    @property
    def installation(self) -> Installation:
        assert self.token is not None
        return self.token.installation

    def may(self, needs: Mapping[str, str]) -> bool:
        return self.token is not None and all(
            LEVELS[self.token.permissions.get(name, "read" if name == "metadata" else "none")] >= LEVELS[level]
            for name, level in needs.items()
        )

    def sees(self, world: World, repo: Repository) -> bool:
        if self.token is None:
            return not repo.private
        chosen = self.token.repositories
        return repo in world.repositories_of(self.installation) and (chosen is None or repo.id in chosen)


NOBODY = Caller("none")


def accepted(needs: Needs) -> str:
    """The value of GitHub's header that names the permissions an operation wants."""
    return "; ".join(",".join(f"{name}={level}" for name, level in one.items()) for one in needs)


def identify(world: World, header: str | None) -> Caller:
    """The caller behind an Authorization header. Raises Refusal (401, or 403 when suspended)."""
    if not header:
        return NOBODY
    scheme, _, value = header.partition(" ")
    if scheme.lower() == "bearer" and value.count(".") == 2:
        return Caller("app", app=app_of_jwt(world, value))
    if scheme.lower() in ("bearer", "token"):
        return Caller("installation", token=token_of(world, value))
    raise refusals.bad_credentials()


def kind_of(header: str | None) -> str:
    """What an Authorization header looks like, before anything is checked: jwt, token, basic, invalid or none."""
    if not header:
        return "none"
    scheme, _, value = header.partition(" ")
    match scheme.lower():
        case "basic":
            return "basic"
        case "bearer" if value.count(".") == 2:
            return "jwt"
        case "bearer" | "token":
            return "token"
    return "invalid"


def token_of(world: World, text: str) -> Token:
    token = world.tokens.get(text)
    if token is None or token.revoked or token.expires_at <= datetime.now(UTC):
        raise refusals.bad_credentials()
    if token.installation.id not in world.installations:
        raise refusals.bad_credentials()
    if token.installation.suspended:
        raise refusals.suspended()
    return token


def app_of_jwt(world: World, text: str) -> App:
    """Checks signature (RS256), issuer (App id or client id) and times as GitHub does."""
    try:
        claims: dict[str, Any] = jwt.decode(text, options={"verify_signature": False})
    except jwt.PyJWTError:
        raise refusals.undecodable_jwt() from None
    issuer = str(claims.get("iss", ""))
    app = next((app for app in world.apps.values() if issuer in (str(app.id), app.client_id)), None)
    if app is None:
        raise refusals.not_found() if issuer else refusals.bad_credentials("'Issuer' claim ('iss') must be an Integer")
    try:
        jwt.decode(text, app.public_key, algorithms=["RS256"], options={"verify_exp": False, "verify_iat": False})
    except jwt.PyJWTError:
        raise refusals.undecodable_jwt() from None
    now = datetime.now(UTC).timestamp()
    expires, issued = claims.get("exp"), claims.get("iat")
    if not isinstance(expires, int | float) or expires <= now:
        raise refusals.bad_credentials(
            "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the "
            "assertion expires"
        )
    if expires > now + JWT_SECONDS:
        raise refusals.bad_credentials("'Expiration time' claim ('exp') is too far in the future")
    if not isinstance(issued, int | float) or issued > now + 1:
        raise refusals.bad_credentials(
            "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
        )
    return app


def mint(
    world: World,
    installation: Installation,
    *,
    permissions: Mapping[str, str] | None = None,
    names: Iterable[str] | None = None,
    ids: Iterable[int] | None = None,
    life: timedelta = TOKEN_LIFE,
) -> Token:
    """A token no wider than the installation. Raises Refusal 422 for what was not granted, 403 when suspended."""
    if installation.suspended:
        raise refusals.suspended()
    granted = {"metadata": "read", **installation.permissions}
    for name, level in (permissions or {}).items():
        if LEVELS.get(level, 9) > LEVELS[granted.get(name, "none")]:
            raise refusals.unprocessable("The permissions requested are not granted to this installation.")
    chosen = installation.repositories
    if names is not None or ids is not None:
        there = world.repositories_of(installation)
        by_name, by_id = {repo.name.lower(): repo.id for repo in there}, {repo.id for repo in there}
        wanted = [by_name.get(name.lower()) for name in names or ()] + [i if i in by_id else None for i in ids or ()]
        if None in wanted:
            raise refusals.unprocessable(
                "There is at least one repository that does not exist or is not accessible to the parent installation."
            )
        chosen = {number for number in wanted if number is not None}
    narrowed = dict(permissions) | {"metadata": "read"} if permissions else granted
    expires = (datetime.now(UTC) + life).replace(microsecond=0)
    token = Token(f"ghs_{secrets.token_hex(18)}", installation, narrowed, chosen, expires)
    world.tokens[token.text] = token
    return token


def basic_password(header: str) -> str | None:
    """The password of HTTP basic auth for the user x-access-token, None for anything else."""
    try:
        user, _, password = base64.b64decode(header.partition(" ")[2], validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return password if user == "x-access-token" else None
