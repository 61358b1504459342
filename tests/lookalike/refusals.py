"""What GitHub says when it refuses: one named constructor for each refusal, with the status and the body it uses."""

from __future__ import annotations

from typing import Any

DOCS = "https://docs.github.com/rest"


class Refusal(Exception):  # noqa: N818
    """An answer that is not 2xx. `body` is the JSON that is sent, `headers` go out with it."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: list[dict[str, Any]] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(f"{status} {message}")
        self.status = status
        self.headers = headers or {}
        self.body: dict[str, Any] = {"message": message}
        if errors is not None:
            self.body["errors"] = errors
        self.body |= {"documentation_url": DOCS, "status": str(status)}


def bad_credentials(message: str = "Bad credentials") -> Refusal:
    return Refusal(401, message)


def requires_authentication() -> Refusal:
    return Refusal(401, "Requires authentication")


def undecodable_jwt() -> Refusal:
    return Refusal(401, "A JSON web token could not be decoded")


def permission_missing(accepted: str) -> Refusal:
    headers = {"x-accepted-github-permissions": accepted}
    return Refusal(403, "Resource not accessible by integration", headers=headers)


def suspended() -> Refusal:
    return Refusal(403, "This installation has been suspended")


def not_found() -> Refusal:
    return Refusal(404, "Not Found")


def locked() -> Refusal:
    return Refusal(403, "Unable to create comment because issue is locked.")


def archived() -> Refusal:
    return Refusal(403, "Repository was archived so is read-only.")


def moved(url: str, *, method: str) -> Refusal:
    """The other address of a renamed repository: what is no reading is to be sent there again as it is (307)."""
    return _redirect(301 if method in ("GET", "HEAD") else 307, url)


def transferred(url: str) -> Refusal:
    """The other address of an issue."""
    return _redirect(301, url)


def _redirect(status: int, url: str) -> Refusal:
    refusal = Refusal(status, "Moved Permanently", headers={"location": url})
    docs = f"{DOCS}/guides/best-practices-for-using-the-rest-api#follow-redirects"
    refusal.body = {"message": "Moved Permanently", "url": url, "documentation_url": docs}
    return refusal


def validation(resource: str, field: str, code: str, message: str | None = None) -> Refusal:
    """422 `Validation Failed`; `code` is missing_field, invalid, already_exists, unprocessable or custom."""
    error = {"resource": resource, "code": code, "field": field}
    if message is not None:
        error["message"] = message
    return Refusal(422, "Validation Failed", errors=[error])


def unprocessable(message: str) -> Refusal:
    return Refusal(422, message)


def invalid_request(detail: str) -> Refusal:
    return Refusal(422, f"Invalid request.\n\n{detail}")


def rate_limited(who: str) -> Refusal:
    return Refusal(403, f"API rate limit exceeded for {who}.")


def secondary_limit(status: int = 403, retry_after: str | None = None) -> Refusal:
    message = (
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. "
        "If you reach out to GitHub Support for help, please include the request ID."
    )
    return Refusal(status, message, headers={"retry-after": retry_after} if retry_after is not None else None)
