"""What can go wrong between us and GitHub.

GitHubError
 ├ NotFound            404 or 410: not there, or hidden from this installation
 ├ Refused             another 4xx answer, with GitHub's own words
 │  └ PermissionMissing  403: the installation lacks a permission; says which one and where it is granted
 ├ TokenRefused        no token to be had: wrong key, uninstalled, suspended, repository not part of the installation
 ├ Unauthorized        credentials that GitHub gave us or knows, refused all the same; a new token may need a moment
 ├ RateLimited         still limited after waiting; says until when
 └ Unavailable         GitHub did not answer, or answered 5xx; nothing was written
    └ LostAnswer       a write was sent and its answer was lost: it may or may not have happened

Messages are for people and never hold a token. `transient` is true where the same call may succeed later by itself.
"""

# ruff: noqa: N818 - read as sentences where they are raised
from __future__ import annotations

from datetime import datetime


class GitHubError(Exception):
    """Base of all errors of `bot.github`."""

    transient = False


class NotFound(GitHubError):
    pass


class Refused(GitHubError):
    """GitHub refused the request. `status` is the HTTP status, `reason` the message in GitHub's answer, `accepted` its
    `x-accepted-github-permissions` header."""

    def __init__(self, what: str, status: int, reason: str, accepted: str | None = None) -> None:
        super().__init__(f"{what} was refused ({status}: {reason})")
        self.what = what
        self.status = status
        self.reason = reason
        self.accepted = accepted

    @property
    def archived(self) -> bool:
        """Whether the repository was archived: it takes no writes any more, and nobody waits for one."""
        return self.status == 403 and "archived" in self.reason.lower()


class PermissionMissing(Refused):
    """`permission` is for people, e.g. `issues: write`; `url` is the page where an owner reviews permissions."""

    def __init__(self, what: str, permission: str, url: str, *, status: int = 403) -> None:
        super().__init__(what, status, f"needs the permission {permission}")
        # people read the beginning, and in a title no more than that
        self.args = (f"the App needs the permission {permission}, which an owner grants at {url} ({what} was refused)",)
        self.permission = permission
        self.url = url


class TokenRefused(GitHubError):
    pass


class Unauthorized(GitHubError):
    # not the same as no token to be had: taken for that, a hiccup would read as an uninstall
    transient = True


class RateLimited(GitHubError):
    """`until` is when GitHub accepts requests again, timezone-aware."""

    transient = True

    def __init__(self, what: str, until: datetime) -> None:
        super().__init__(f"{what}: rate limit reached, until {until.isoformat(timespec='seconds')}")
        self.until = until


class Unavailable(GitHubError):
    transient = True


class LostAnswer(Unavailable):
    pass
