"""The slash commands: one table, who may use each, and the parser of comments.

The table makes the parser, the help, the README's section and the tests. Where a line is running text is ruled by
GitHub Flavored Markdown; what access a person has by GitHub's documentation "Get repository permissions for a user".
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum

from bot.core.nearest import nearest_word
from bot.core.plans import markdown
from schemas.github import MAX_BODY
from schemas.verify_report import FINDING_ID

MAX_COMMANDS = 5
"""Commands of one comment that are read."""
MAX_REASON = 500
MAX_WORD = 60


class Role(IntEnum):
    """A person's access to a repository, each including those below it."""

    NONE = 0
    READ = 1
    TRIAGE = 2
    WRITE = 3
    MAINTAIN = 4
    ADMIN = 5


class Access(Enum):
    """Who may use a command, in the words that readers see."""

    PARTICIPANT = "the author of the thread, or triage access and above"
    WRITER = "write access and above"


@dataclass(frozen=True)
class Command:
    """One row of the table. `arguments` is what follows the name, `what` one sentence about the effect."""

    name: str
    arguments: str
    access: Access
    what: str
    example: str

    @property
    def spoken(self) -> str:
        return f"/plan {self.name}"

    @property
    def usage(self) -> str:
        return f"{self.spoken} {self.arguments}".rstrip()


CHECK = Command(
    "check",
    "",
    Access.PARTICIPANT,
    "Asks again whether what the plan builds exists already (`/plan-check` is the same).",
    "/plan check",
)
VERIFY = Command(
    "verify",
    "",
    Access.PARTICIPANT,
    "Judges the plans of the pull request again, at its newest commit.",
    "/plan verify",
)
DISMISS = Command(
    "dismiss",
    "ID reason",
    Access.WRITER,
    "Sets a finding aside in every pull request: it holds nothing back until its line of the plan changes.",
    "/plan dismiss f-3a91c2 the build writes this file",
)
DISPUTE = Command(
    "dispute",
    "ID reason",
    Access.PARTICIPANT,
    "Marks a finding as disputed and says why; it counts until somebody with write access dismisses it.",
    "/plan dispute f-3a91c2 task 2 creates it",
)
STATUS = Command(
    "status",
    "",
    Access.PARTICIPANT,
    "Says how the plans stand, who dismissed or disputed what, what is running, and which configuration counts.",
    "/plan status",
)
CANCEL = Command(
    "cancel",
    "",
    Access.WRITER,
    "Stops what is running for this issue or pull request.",
    "/plan cancel",
)
HELP = Command(
    "help",
    "",
    Access.PARTICIPANT,
    "Lists the commands, and which of them are open to you.",
    "/plan help",
)

COMMANDS = (CHECK, VERIFY, DISMISS, DISPUTE, STATUS, CANCEL, HELP)
BY_NAME = {command.name: command for command in COMMANDS}

_AT_ONCE = (HELP, STATUS)


# ---- who ---------------------------------------------------------------------------------------
def role(permission: str | None, role_name: str | None) -> Role:
    """The access that GitHub's answer stands for.

    `permission` is admin, write, read or none, where maintain counts as write and triage as read; `role_name` tells
    those two apart. A custom role counts as the `permission` it comes with, and so does a name that does not fit it.
    """
    base = _BASE.get(permission or "", Role.NONE)
    if (base, role_name) == (Role.READ, "triage"):
        return Role.TRIAGE
    if (base, role_name) == (Role.WRITE, "maintain"):
        return Role.MAINTAIN
    return base


_BASE = {"read": Role.READ, "write": Role.WRITE, "admin": Role.ADMIN}


def allowed(command: Command, role: Role, author: bool) -> bool:
    """Whether a person may use `command`; `author` of the issue or pull request that is commented on."""
    if command.access is Access.WRITER:
        return role >= Role.WRITE
    return author or role >= Role.TRIAGE


def open_to(role: Role, author: bool) -> tuple[Command, ...]:
    """The commands a person may use, in the table's order."""
    return tuple(command for command in COMMANDS if allowed(command, role, author))


def readme_section() -> str:
    """The Markdown table of the README."""
    rows = [f"| `{c.usage}` | {c.what} | {c.access.value} | `{c.example}` |" for c in COMMANDS]
    return "\n".join(["| command | what it does | who | example |", "|---|---|---|---|", *rows])


# ---- the parser --------------------------------------------------------------------------------
class Problem(StrEnum):
    NO_WORD = "no_word"
    UNKNOWN = "unknown"
    MISSING_ID = "missing_id"
    BAD_ID = "bad_id"
    MISSING_REASON = "missing_reason"
    SURPLUS = "surplus"
    TOO_MANY = "too_many"


@dataclass(frozen=True)
class Asked:
    """One command of a comment, or what is wrong with it.

    `word` is the word after `/plan` as it was typed. `arguments` are (), or the finding's id in lower case and the
    reason; with a problem, what there was of them. `command` is None where it cannot be told which one is meant
    (`problem` is NO_WORD, UNKNOWN or TOO_MANY); `nearest` is the command that an unknown word resembles.
    """

    command: Command | None
    word: str
    arguments: tuple[str, ...] = ()
    problem: Problem | None = None
    nearest: Command | None = None


_RAW = re.compile(r"[ \xa0]{0,3}/plan", re.IGNORECASE | re.ASCII)
# on a text whose line ends and byte order mark are still there
_MENTION = re.compile(r"(?:\A\ufeff?|[\r\n])" + _RAW.pattern, _RAW.flags)
_HEAD = re.compile(r" */plan(?P<alias>-check)?(?: +(?P<rest>\S.*))?", re.IGNORECASE | re.ASCII)
_ID = re.compile(r"(?P<tick>`?)(?P<id>" + FINDING_ID + r")(?P=tick)[.,:;]?", re.IGNORECASE | re.ASCII)
_FOLD = re.compile(r"<(/?)(?:details|blockquote)\b", re.IGNORECASE | re.ASCII)
_SPACES = re.compile(r"[^\S\n]")
_PUNCTUATION = ".,:;!?…"


def mentions(text: str) -> bool:
    """Whether a line of `text` begins like a command; cheap, and never false where `parse` finds something."""
    return _MENTION.search(text) is not None


def parse(text: str) -> tuple[Asked, ...]:
    """The commands of a comment in order, each at the start of a line of running text. Never raises; linear.

    Quotations, code, headings, table cells, links, HTML comments, text folded in `<details>` and what follows a list's
    marker hold none. At most `MAX_COMMANDS` are read; more are told by one last element whose problem is TOO_MANY.
    """
    if not mentions(text):
        return ()
    asked: list[Asked] = []
    for line in _lines(markdown.normalise(text[:MAX_BODY])):
        if (match := _HEAD.fullmatch(line)) is None:
            continue
        if len(asked) == MAX_COMMANDS:
            asked.append(Asked(None, "", (), Problem.TOO_MANY))
            break
        asked.append(_read(match))
    return tuple(asked)


def urgent(text: str) -> bool:
    """Whether the comment does not wait for a running job: nothing in it has to (help, status, and what only needs an
    answer since it cannot be done), or it is to stop that very job."""
    sound = [asked.command for asked in parse(text) if asked.problem is None]
    return CANCEL in sound or all(command in _AT_ONCE for command in sound)


def _lines(text: str) -> Iterator[str]:
    """The lines of running text that begin like a command, as a reader sees them: without markup and comments."""
    source = text.split("\n")
    folded = 0
    for block in markdown.read(text).blocks:
        if block.kind is markdown.Kind.HTML:
            for tag in _FOLD.finditer(block.body):
                folded = max(folded - 1, 0) if tag.group(1) else folded + 1
        # a signature's dashes right below a line make it a heading; those with a # do not begin like a command
        if folded or block.quote or block.kind not in (markdown.Kind.TEXT, markdown.Kind.HEADING):
            continue
        inline = block.inline
        inside = _linked(inline)
        for offset, number in inline.marks:
            raw = source[number - 1]
            # text that goes on from a list's item is the item's only where it is indented like it
            if _RAW.match(raw) is None or (block.depth and raw[0] != "/"):
                continue
            begins = offset == 0 or inline.text[offset - 1] == "\n"
            if begins and not inside(offset) and not inline.is_struck(offset):
                end = inline.text.find("\n", offset)
                yield _SPACES.sub(" ", inline.text[offset : end if end >= 0 else len(inline.text)]).rstrip()


def _linked(inline: markdown.Inline) -> Callable[[int], bool]:
    """Tells whether the character at an offset belongs to a link; one may lie within another's image."""
    starts = sorted(start for start, _, _ in inline.links)
    ends = sorted(end for _, end, _ in inline.links)
    return lambda offset: bisect_right(starts, offset) > bisect_right(ends, offset)


def _read(match: re.Match[str]) -> Asked:
    rest = match["rest"] or ""
    if match["alias"]:
        return _without_arguments(CHECK, CHECK.name, rest)
    typed, _, rest = rest.partition(" ")
    word = _shown(typed.rstrip(_PUNCTUATION), MAX_WORD)
    if not word:
        return Asked(None, "", (), Problem.NO_WORD)
    command = BY_NAME.get(word.lower())
    if command is None:
        near = nearest_word(word.lower(), list(BY_NAME))
        return Asked(None, word, (), Problem.UNKNOWN, BY_NAME[near] if near else None)
    if not command.arguments:
        return _without_arguments(command, word, rest)
    named, _, said = rest.strip().partition(" ")
    if not named:
        return Asked(command, word, (), Problem.MISSING_ID)
    found = _ID.fullmatch(named)
    if found is None:
        return Asked(command, word, (_shown(named, MAX_WORD),), Problem.BAD_ID)
    finding, reason = found["id"].lower(), _shown(said, MAX_REASON)
    if not reason:
        return Asked(command, word, (finding,), Problem.MISSING_REASON)
    return Asked(command, word, (finding, reason))


def _without_arguments(command: Command, word: str, rest: str) -> Asked:
    surplus = _shown(rest, MAX_REASON)
    if surplus.strip(_PUNCTUATION + " "):
        return Asked(command, word, (surplus,), Problem.SURPLUS)
    return Asked(command, word)


def _shown(text: str, limit: int) -> str:
    """The visible characters of `text` in one line, at most `limit` of them."""
    kept = "".join(char for char in " ".join(text.split()) if unicodedata.category(char) not in ("Cc", "Cf", "Cs"))
    kept = " ".join(kept.split())
    return kept if len(kept) <= limit else kept[: limit - 1].rstrip() + "…"
