"""What every comment has around it: the marker before, the introduction where it is due, the run at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.github.findings import Place
from bot.github.markdown import (
    COMMENT_LIMIT,
    code,
    fit,
    fold,
    length,
    one_line,
)
from bot.github.publication import CHECK_NAME, Note
from bot.github.texts.words import REST_IN_CHECK


@dataclass(frozen=True)
class Comment:
    """A whole comment: its text, and the parts it was made of, the marker in the first block."""

    marker: str
    text: str
    blocks: tuple[str, ...]
    footer: str

    def on(self, number: int, *, create: bool) -> Note:
        """The same on an issue or pull request."""
        return Note(number, self.marker, self.text, create, self.blocks, self.footer)


def comment(
    marker: str, place: Place, blocks: Sequence[str], ending: str, *, introduce: bool, joined: bool = False
) -> Comment:
    footer = " · ".join(part for part in (ending, f"run {one_line(place.run, 40)}") if part)
    if introduce:
        blocks = [*blocks, introduction(place)]
    marked = (f"{marker}\n{blocks[0]}", *blocks[1:])
    whole = f"{' '.join(marked)} · {footer}"
    if not joined or introduce or length(whole) > COMMENT_LIMIT:
        whole = fit("\n\n".join(marked), footer, COMMENT_LIMIT, REST_IN_CHECK)
    return Comment(marker, whole, marked, footer)


def introduction(place: Place) -> str:
    """What this is, why it came and how to switch it off: folded into the first comment in a repository."""
    return fold(
        "What is this?",
        "Planproof is a GitHub App installed on this repository. It reads coding plans (files under `docs/plans`, "
        "`specs` and the like, and issues that hold one) and compares what they say with the code at one commit. It "
        f"runs nothing, and writes nothing but comments like this one, the label {code(place.label)} and the check "
        f"`{CHECK_NAME}`. It came because there is a plan here.\n\n"
        "`.github/planproof.yml` on the default branch changes what it does here: `plans:` names what counts as a "
        "plan, `mode: off` switches it off. `/plan help` lists the commands. To remove it: take this repository from "
        f"the App on [its page in the settings]({place.web}/settings/installations).",
    )
