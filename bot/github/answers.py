"""GitHub's answers → models, and the error for an answer that is none."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from bot.github.errors import GitHubError, Unavailable
from bot.github.transport import Answer

M = TypeVar("M", bound=BaseModel)

PAGE = 100
MAX_PAGES = 300


def read(model: type[M], data: Any) -> M:
    """Raises Unavailable for what is no such thing: a proxy's page, or the half of an answer."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        fields = ", ".join(sorted({".".join(str(part) for part in item["loc"]) or "all" for item in error.errors()}))
        raise Unavailable(f"GitHub's answer is no {model.__name__}: {fields[:200]}") from None


def listed(answer: Answer) -> list[Any]:
    """Raises Unavailable for an answer that is no list (a proxy's page, say): taken for an empty one, it would hide
    what was posted already."""
    if not isinstance(answer.data, list):
        raise Unavailable("GitHub's answer is no list")
    return answer.data


async def pages(
    get: Callable[[str, Mapping[str, Any] | None], Awaitable[Answer]],
    path: str,
    params: Mapping[str, Any] | None = None,
) -> AsyncIterator[Answer]:
    """Each page of a listing, following GitHub's links with `get`. Raises GitHubError for one without end."""
    answer = await get(path, {"per_page": PAGE, **(params or {})})
    for _ in range(MAX_PAGES):
        yield answer
        if answer.next is None:
            return
        answer = await get(answer.next, None)
    raise GitHubError(f"GET {path} has more than {MAX_PAGES} pages")
