"""`.github/planproof.yml`, the configuration that a repository keeps on its default branch."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Glob = Annotated[str, StringConstraints(min_length=1, max_length=400, strip_whitespace=True)]


class RepoConfig(BaseModel):
    """Strict: an unknown key is an error that names the allowed ones, so that a typo never silently changes nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    plans: tuple[Glob, ...] | None = Field(
        default=None,
        max_length=50,
        description="globs of the plan files, in place of the usual ones; ** spans folders",
    )
    index: Glob | None = Field(
        default=None,
        description="path of the capability index that plan check asks, in this repository",
    )
