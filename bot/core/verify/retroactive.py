"""Plans that were written after their code."""

from __future__ import annotations

from bot.core.plans.model import Action, Plan, TaskStatus
from bot.core.tree import Kind, Tree
from bot.core.verify import paths
from bot.core.verify.replay import is_stated

LEAST = 4  # creates, or boxes, below which nothing is concluded
SHARE = 0.75


def reason(plan: Plan, tree: Tree) -> str | None:
    """Why the plan counts as written after the work: three quarters of its creates exist, or of its boxes are ticked.

    None when it does not.
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
    ticked = sum(task.boxes[0] for task in plan.tasks)
    boxes = sum(task.boxes[1] for task in plan.tasks)
    if boxes >= LEAST and ticked >= SHARE * boxes:
        return f"{ticked} of its {boxes} boxes are ticked already"
    return None
