"""`.github/planproof.yml`, the configuration that a repository keeps on its default branch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from schemas.verify_report import FINDING_ID, FindingType, Severity

CONFIG_PATH = ".github/planproof.yml"
MAX_PATTERNS = 50
MAX_PATTERN = 400  # characters
MAX_NUMBER = 10**12
LABEL = "plan/needs-fix"
"""The label of a pull request with open findings, where no other is set."""
_OFF = frozenset({"off", "false", "no", "n"})
_ON = frozenset({"on", "true", "yes", "y"})
# letters that are shown as nothing or as a space: Hangul fillers, the braille blank, the grapheme joiner
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


def _off(value: Any) -> Any:
    """YAML 1.1 takes a bare `off` for a boolean, and so do many editors and formatters."""
    return "off" if value is False or (isinstance(value, str) and value.casefold() in _OFF) else value


def _off_or_on(value: Any) -> Any:
    return "on" if value is True or (isinstance(value, str) and value.casefold() in _ON) else _off(value)


def _from_root(value: str) -> str:
    outside = value.startswith(("/", "./", "!")) or ".." in value.split("/")
    if outside or value.endswith("/") or "\\" in value:
        raise PydanticCustomError(
            "from_root",
            "expected a path from the repository's root, without `..`, `/`, `./` or `!` before or `/` after it",
        )
    return value


def _label(value: str) -> str:
    unseen = not value.isprintable() or any(c in _BLANK or "\U000e0100" <= c <= "\U000e01ef" for c in value)
    if not 1 <= len(value) <= 50 or "," in value or unseen:
        raise PydanticCustomError("label", "expected 1 to 50 characters, no comma and none that cannot be seen")
    # GitHub's API has a label's name as a segment of its paths
    if value in (".", "..") or value.startswith("/") or value.endswith("/"):
        raise PydanticCustomError(
            "label_path", "expected a name other than `.` and `..`, without `/` before or after it"
        )
    return value


def _shape(value: Any) -> str:
    return "map" if isinstance(value, dict) else "one"


Glob = Annotated[
    str, StringConstraints(min_length=1, max_length=MAX_PATTERN, strip_whitespace=True), AfterValidator(_from_root)
]
Label = Annotated[
    str,
    StringConstraints(strip_whitespace=True),
    AfterValidator(_label),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 50, "pattern": "^[^,]*$"}),
]
Positive = Annotated[int, Field(gt=0, le=MAX_NUMBER)]
FindingId = Annotated[str, StringConstraints(pattern=f"^{FINDING_ID}$")]
Gate = Annotated[
    Annotated[bool, Tag("one")] | Annotated[dict[FindingType, bool], Tag("map")],
    Discriminator(_shape),
]
Mode = Annotated[
    Literal["off", "shadow", "on"],
    BeforeValidator(_off_or_on),
    WithJsonSchema({"enum": ["off", "shadow", "on", False, True]}),
]
Repair = Annotated[
    Literal["off", "suggest", "commit"],
    BeforeValidator(_off),
    WithJsonSchema({"enum": ["off", "suggest", "commit", False]}),
]
Model = Annotated[
    Literal["off", "advisory", "required"],
    BeforeValidator(_off),
    WithJsonSchema({"enum": ["off", "advisory", "required", False]}),
]


def _not_null(schema: dict[str, Any]) -> None:
    """None stands for a key that is not given; a file cannot say it."""
    del schema["default"]
    schema.update(schema.pop("anyOf")[0])


class RepoConfig(BaseModel):
    """Planproof's configuration of a repository. An unknown key is an error, so that no typo is passed over."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    plans: Annotated[tuple[Glob, ...], Field(max_length=MAX_PATTERNS)] | None = Field(
        default=None,
        description="globs of the plan files, in place of the usual ones; ** spans folders",
        json_schema_extra=_not_null,
    )
    mode: Mode = Field(
        default="on",
        description="on; shadow: plans are judged and nothing is posted; off: nothing is judged",
    )
    gate: Gate = Field(
        default=True,
        description="whether open findings make the check fail, for all or by finding type (a type that is not named"
        " does); false makes it neutral. The findings and the verdict stay as they are",
    )
    severity: dict[FindingType, Severity] = Field(
        default={},
        description="severity by finding type, in place of the usual one; what is only advice, because it is"
        " uncertain, stays advice",
    )
    label: Label = Field(
        default=LABEL,
        description="the label of a pull request with open findings; 1 to 50 characters, no comma",
    )
    index: Glob | None = Field(
        default=None,
        description="path of the capability index that plan check asks, in this repository; not taken from the"
        " organisation's defaults",
        json_schema_extra=_not_null,
    )
    repair: Repair = Field(
        default="suggest",
        description="off; suggest: a patch in the comment; commit: pushed to the pull request's branch",
    )
    model: Model = Field(
        default="advisory",
        description="whether a model reads the plan as well; required: without its answer the plan is not verified",
    )
    budgets: dict[Literal["run", "pull", "repository", "day"], Positive] = Field(
        default={}, description="most tokens of a model, by run, pull request, repository and day"
    )
    apps: tuple[Positive, ...] = Field(
        default=(), max_length=100, description="ids of GitHub Apps whose bots may give commands"
    )
    check: Literal["always", "plans"] = Field(
        default="always",
        description="always: each pull request gets a check run, so that a required one never waits; plans: only those"
        " with plans",
    )
    ignore: tuple[FindingId, ...] = Field(
        default=(),
        max_length=1_000,
        description="ids of findings that are passed over; not taken from the organisation's defaults",
    )
    draft: bool = Field(default=False, description="convert a pull request with open findings to a draft")

    def gates(self, types: Iterable[FindingType]) -> bool:
        """Whether open gating findings of these types make the check fail."""
        return any(self.gate if isinstance(self.gate, bool) else self.gate.get(type_, True) for type_ in types)
