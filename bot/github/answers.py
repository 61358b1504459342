"""GitHub's answers → models, and the error for an answer that is none."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from bot.github.errors import Unavailable
from bot.github.transport import Answer

M = TypeVar("M", bound=BaseModel)


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
