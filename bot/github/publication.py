"""What is to stand on GitHub, as plain values: `texts` makes it, a job stores it, `publish` brings it about."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import TypeAdapter

from bot.core.verify.outcomes import LabelChange
from schemas.repo_config import LABEL

STICKY_MARKER = "<!-- planproof:sticky -->"
PLAN_CHECK_MARKER = "<!-- planproof:plan-check -->"
CHECK_NAME = "planproof"
ANNOTATIONS_A_REQUEST = 50
"""GitHub's limit."""
LABEL_COLOR = "d93f0b"
LABEL_DESCRIPTION = "The plan and the code disagree; see the Planproof comment"


def evidence_marker(number: int) -> str:
    """Locates, on an issue, the evidence about the plan of pull request `number`."""
    return f"<!-- planproof:evidence {number} -->"


def reply_marker(written: str) -> str:
    """Locates our answer to the commands in one comment or review, e.g. `comment 17`."""
    return f"<!-- planproof:reply {written} -->"


@dataclass(frozen=True)
class Note:
    """One comment of ours on issue or pull request `number`: the one whose body begins with `marker`.

    With `create` it is posted when there is none; without, only one that exists is edited. `blocks` and `footer` are
    what the body was made of, the marker in the first one, for what has to be said in it later.
    """

    number: int
    marker: str
    body: str
    create: bool
    blocks: tuple[str, ...] = ()
    footer: str = ""


@dataclass(frozen=True)
class Annotation:
    """A remark on lines of a file at the head; `message` and `title` are plain text."""

    path: str
    start_line: int
    end_line: int
    annotation_level: Literal["warning", "failure"]
    title: str
    message: str

    def fields(self) -> dict[str, Any]:
        """As GitHub's "Create a check run" takes it."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class Action:
    """A button on the check run; `identifier` comes back in the event of its press. GitHub's limits: label and
    identifier 20 characters, description 40."""

    label: str
    description: str
    identifier: str


VERIFY_AGAIN = Action("Re-verify", "Judge this commit again", "verify")


@dataclass(frozen=True)
class Check:
    """The check run of a head. `summary` and `text` are Markdown, each within GitHub's limit."""

    conclusion: str
    title: str
    summary: str
    text: str = ""
    annotations: tuple[Annotation, ...] = ()
    actions: tuple[Action, ...] = (VERIFY_AGAIN,)

    @property
    def in_parts(self) -> bool:
        """Whether it takes several requests, between which the check run is in progress."""
        return len(self.annotations) > ANNOTATIONS_A_REQUEST


@dataclass(frozen=True)
class Publication:
    """All that one run has to say about an issue, a pull request or a pushed commit.

    `key` (`repository id/number`) is the lock's name and the check run's external id. With `number` and `head_sha` it
    is about a pull request and valid for that head only; without `head_sha` about an issue; without `number` about a
    commit that was pushed. `draft`: the pull request shall become a draft where it is none.
    """

    key: str
    number: int | None = None
    head_sha: str | None = None
    label: LabelChange = LabelChange.KEEP
    notes: tuple[Note, ...] = ()
    check: Check | None = None
    label_name: str = LABEL
    draft: bool = False


@dataclass(frozen=True)
class Published:
    """What came of a publication.

    `status`: published; superseded (the head moved: nothing but the old head's cancelled check was written); closed
    (likewise, the pull request is closed); gone (it is not there any more); archived (the repository takes no writes
    any more). `comment_id` is the sticky or plan-check comment's, `created` whether it is new; `writes` counts requests
    that changed something; `problems` says, for people, what could not be posted and why. `confirmed` is False where it
    is not known whether a check run that was to be completed is.
    """

    status: Literal["published", "superseded", "closed", "gone", "archived"] = "published"
    head_sha: str | None = None
    comment_id: int | None = None
    created: bool = False
    check_id: int | None = None
    writes: int = 0
    problems: tuple[str, ...] = field(default=())
    confirmed: bool = True

    def to_json(self) -> dict[str, Any]:
        plain: dict[str, Any] = _PUBLISHED.dump_python(self, mode="json")
        return plain


_PUBLISHED = TypeAdapter(Published)

_RUN = re.compile(r"(?:· )?run \S{1,40}\s*\Z")


def same(one: str | None, other: str | None) -> bool:
    """Whether two posted texts say the same: white space at line ends and the run that said it do not count."""
    return _plain(one) == _plain(other)


def _plain(text: str | None) -> str:
    lines = "\n".join(line.rstrip() for line in (text or "").splitlines()).strip()
    return _RUN.sub("", lines).rstrip()
