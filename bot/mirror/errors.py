"""Why a mirror could not be brought up to date, told apart by git's own words.

FetchError          reason: one plain sentence for people; detail: git's own words, for the log; both free of tokens
├── FetchRefused    the server wants other credentials than these
├── FetchNotFound   no such repository, ref or commit, or it has moved
├── FetchTimeout    not done in time
└── FetchFailed     anything else; `transient` when trying again may help
    ├── FetchTooLarge
    ├── FetchDamaged    the local copy is broken
    └── FetchMalformed  objects that git does not let in
"""

from __future__ import annotations

import re


class FetchError(Exception):
    """A mirror that could not be brought up to date; for the caller that is `not_verified` with `reason`."""

    transient = False

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


class FetchRefused(FetchError):  # noqa: N818
    pass


class FetchNotFound(FetchError):  # noqa: N818
    """`what` was not found: repository, ref or commit."""

    def __init__(self, reason: str, detail: str = "", *, what: str = "commit") -> None:
        super().__init__(reason, detail)
        self.what = what


class FetchTimeout(FetchError):  # noqa: N818
    transient = True


class FetchFailed(FetchError):  # noqa: N818
    def __init__(self, reason: str, detail: str = "", *, transient: bool = False) -> None:
        super().__init__(reason, detail)
        self.transient = transient


class FetchTooLarge(FetchFailed):
    pass


class FetchDamaged(FetchFailed):
    pass


class FetchMalformed(FetchFailed):
    pass


# the first that matches; git's words as of LC_ALL=C, the server's as GitHub says them
_REFUSED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"returned error: 401|could not read (?:Username|Password)|Authentication failed"), "401"),
    (re.compile(r"returned error: 403|remote: .{0,200}(?:access denied|not granted)", re.I), "403"),
)
_NOT_FOUND: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"couldn't find remote ref"), "no such ref", "ref"),
    (re.compile(r"not our ref|unadvertised object"), "no such commit", "commit"),
    (re.compile(r"returned error: 404|repository '[^'\n]{0,500}' not found|Repository not found"), "404", "repository"),
    (re.compile(r"returned error: 30[12378]"), "the repository has moved", "repository"),
    (re.compile(r"does not appear to be a git repository"), "no repository at that address", "repository"),
)
_DAMAGED = re.compile(r"bad object|is corrupt|not a git repository|did not send all necessary objects|unable to read")
_MALFORMED = re.compile(r"fsck error|fsck failed")
_TRANSIENT: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"returned error: 429"), "too many requests"),
    (re.compile(r"returned error: 5\d\d"), "the server had an error"),
    (re.compile(r"Could not resolve host|Connection refused|Failed to connect|timed out", re.I), "no connection"),
    (re.compile(r"Operation too slow|early EOF|hung up|Connection reset|RPC failed", re.I), "the connection broke"),
)
_LASTING: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"No space left|Disk quota"), "the disk is full"),
    (re.compile(r"certificate|SSL|TLS"), "the server's certificate was not accepted"),
    (re.compile(r"dubious ownership"), "the repository belongs to another user of this machine"),
    (re.compile(r"transport '[a-z0-9+-]{1,40}' not allowed"), "that protocol is not allowed"),
)


def explain(attempt: str, stderr: str, code: int) -> FetchError:
    """The error for a git that ended with `code`. `attempt` begins the reason: `fetching 80315cd of acme/shop`.

    The names in `stderr` come from outside, so a pattern is a phrase that no name can hold.
    """
    # what the server says of itself is not about the local copy
    own = "\n".join(line for line in stderr.splitlines() if not line.startswith("remote:"))
    for pattern, words in _REFUSED:
        if pattern.search(stderr):
            return FetchRefused(f"{attempt} was refused ({words})", stderr)
    for pattern, words, what in _NOT_FOUND:
        if pattern.search(stderr):
            return FetchNotFound(f"{attempt} found nothing ({words})", stderr, what=what)
    if _DAMAGED.search(own):
        return FetchDamaged(f"{attempt} failed: the local copy is damaged", stderr)
    if _MALFORMED.search(own):
        return FetchMalformed(f"{attempt} failed: it holds malformed objects", stderr)
    for pattern, words in _TRANSIENT:
        if pattern.search(stderr):
            return FetchFailed(f"{attempt} failed: {words}", stderr, transient=True)
    for pattern, words in _LASTING:
        if pattern.search(stderr):
            return FetchFailed(f"{attempt} failed: {words}", stderr)
    return FetchFailed(f"{attempt} failed (git ended with {code})", stderr)
