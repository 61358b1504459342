"""Plans that were written after their code, or that say themselves that they are done with."""

from __future__ import annotations

import re

from bot.core.plans.model import Action, Plan, TaskStatus
from bot.core.tree import Kind, Tree
from bot.core.verify import paths
from bot.core.verify.replay import is_stated

LEAST = 4  # creates, or boxes, below which nothing is concluded
SHARE = 0.75
BELIEVED = 0.5  # of its creates that exist where a plan says itself that it is done
HEAD = 30  # lines of a document in which its own status stands

_STATUS = re.compile(r"(?i)^[\s>*_|-]{0,8}status[\s*_]{0,6}[:：|][\s*_]{0,6}(?P<said>[^\n]{1,160})$")
# the word alone, or with a date or a number: "Phases 1-3 complete" and "Design complete" say something else
_DONE = re.compile(
    r"(?i)^[^\w\n?❌]{0,8}(?P<word>completed?|done|implemented|shipped|finished)\b[^\w\n?]{0,8}"
    r"(?:(?:on|in|as of|at|by|via|with|pr|prs|pull request|commit|v)[^\w\n]{1,3}){0,3}"
    r"(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\W{1,2})?"
    r"(?:#?v?\d[\w./-]{0,40}[^\w\n]{0,4}){0,4}$"
)


def reason(plan: Plan, tree: Tree) -> str | None:
    """Why the plan counts as written after the work: three quarters of its creates exist, or of its boxes are ticked.

    So does one whose own status says that it is done, unless most of what it creates is not there. None when it does
    not count so.
    """
    created = {
        path
        for refs in (plan.files, *(task.files for task in plan.tasks if task.status is not TaskStatus.CANCELLED))
        for ref in refs
        if ref.action is Action.CREATE and is_stated(ref) and not paths.is_glob(ref.path)
        for path in (paths.inside(tree, ref.path).rstrip("/"),)
    }
    there = sum(1 for path in created if tree.kind(path) is Kind.FILE)
    if len(created) >= LEAST and there >= SHARE * len(created):
        return f"{there} of the {len(created)} files that it creates exist already"
    word = status(plan)
    if word is not None and there >= BELIEVED * len(created):
        return f"its status says that it is {word}"
    ticked = sum(task.boxes[0] for task in plan.tasks)
    boxes = sum(task.boxes[1] for task in plan.tasks)
    if boxes >= LEAST and ticked >= SHARE * boxes:
        return f"{ticked} of its {boxes} boxes are ticked already"
    return None


def status(plan: Plan) -> str | None:
    """The word with which the plan's head says that its work is done: in the front matter, or in a `Status:` line above
    the first section. None where it says nothing of the kind."""
    if plan.front_matter is not None and isinstance(said := plan.front_matter.get("status"), str):
        match = _DONE.match(said.strip()[:160])
        return match.group("word").lower() if match else None
    headings = 0
    for line in plan.documents[0].text.split("\n", HEAD)[:HEAD]:
        if line.startswith(("```", "~~~", "<!--")):
            break
        if line.startswith("#"):
            headings += 1
            if headings > 1 or line.startswith("##"):
                break
        match = _STATUS.match(line)
        if match:
            done = _DONE.match(match.group("said"))
            return done.group("word").lower() if done else None
    return None
