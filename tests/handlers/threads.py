"""Threads with commands: what people write, and what they see of the answer."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from datetime import date

from tests import sample
from tests.github.snapshot import expect
from tests.handlers.scenes import CONFIG, PLAN, rows
from tests.lookalike.state import CheckRun, Comment, Issue, Repository, Review, ReviewComment
from tests.stage import Stage

BOT = "planproof[bot]"
ROLES = {"author": "read", "triager": "triage", "writer": "write", "owner": "admin"}
BROKEN = "# Retry Plan\n\n### Task 1: Client\n\n**Files:**\n- Modify: `src/widgets/clients.py`\n- Modify: `{}`\n"
TWICE_FLAWED = BROKEN.format("src/widgets/stores.py")
FLAWED = BROKEN.format("src/widgets/store.py")
SOUND = FLAWED.replace("clients.py", "client.py")
_COUNT = itertools.count(1)

Written = Comment | Review | ReviewComment


def repository(stage: Stage, config: str = sample.CONFIG, roles: Mapping[str, str] = ROLES) -> Repository:
    """One of its own, with this configuration on its default branch; the author of threads may read."""
    files = sample.files(date.today().isoformat()) | {CONFIG: config}  # noqa: DTZ011
    return stage.look.create_repository(f"acme/desk-{next(_COUNT)}", files, roles=roles)


def open_pull(stage: Stage, repo: Repository, plan: str | None = FLAWED, **how: object) -> Issue:
    files = {PLAN: plan} if plan is not None else {"NEWS.md": "Nothing yet.\n"}
    pull = stage.look.open_pull(repo, f"plan-{next(_COUNT)}", files, **how)  # type: ignore[arg-type]
    stage.settle()
    stage.look.forget()
    return pull


def open_issue(stage: Stage, repo: Repository, **how: object) -> Issue:
    issue = stage.look.open_issue(repo, "Calls fail", "They do.", **how)  # type: ignore[arg-type]
    stage.settle()
    stage.look.forget()
    return issue


def push(stage: Stage, pull: Issue, plan: str) -> None:
    assert pull.pull is not None
    stage.look.push(pull.pull.head_repository, pull.pull.head_ref, {PLAN: plan}, "Change the plan")
    stage.settle()


def say(stage: Stage, issue: Issue, body: str, *, user: str = "author") -> Comment:
    comment = stage.look.comment(issue, body, user=user)
    stage.settle()
    return comment


def reactions(written: Written) -> list[str]:
    """Ours, in order."""
    return [each.content for each in written.reactions if each.user.login == BOT]


def replies(stage: Stage, issue: Issue) -> list[str]:
    """What we said beside the sticky comment and the plan check."""
    return [body for body in stage.ours(issue) if body.startswith(("<!-- planproof:reply",))]


def sticky(stage: Stage, issue: Issue) -> str | None:
    found = [body for body in stage.ours(issue) if body.startswith("<!-- planproof:sticky")]
    return found[0] if found else None


def checks(stage: Stage, pull: Issue) -> list[CheckRun]:
    assert pull.pull is not None
    return stage.look.runs(pull.repository, pull.pull.head_sha, name="planproof")


def conclusions(stage: Stage, pull: Issue) -> list[str | None]:
    return [run.conclusion for run in checks(stage, pull)]


def findings(stage: Stage, pull: Issue) -> list[str]:
    """The ids of the findings that the sticky comment shows in its table, in order."""
    return re.findall(r"^\| \S+ `(f-[0-9a-f]{6,12})`", sticky(stage, pull) or "", re.MULTILINE)


def jobs(stage: Stage, status: str = "%") -> int:
    """Rows of the job engine, of this status or of any."""
    [[count]] = rows(stage, "SELECT count(*) FROM workflow_status WHERE status LIKE ?", status)
    return int(count)


def seen(stage: Stage, name: str, issue: Issue, written: Written) -> None:
    """The one reply, whole, is what the snapshot says; what differs from run to run is masked."""
    [reply] = replies(stage, issue)
    text = reply.replace(stage.look.url, "https://github.example").replace(issue.repository.full_name, "acme/widgets")
    text = text.replace(f" {written.id} ", " ID ").replace(f" {written.user.id} ", " ID ")
    for finding in dict.fromkeys(re.findall(r"f-[0-9a-f]{6,12}", text)):
        text = text.replace(finding, "f-…")
    text = re.sub(r"\brun [0-9a-f]{8}\b", "run RUN", text)
    text = re.sub(r"`[0-9a-f]{8}`", "`RUN`", text)
    text = re.sub(r"[0-9a-f]{40}", "HEAD", text)
    text = re.sub(r"`[0-9a-f]{7}`", "`HEAD`", text)
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "DAY UTC", text)
    expect(f"commands/{name}", re.sub(r"settings/installations/\d+", "settings/installations/7", text))
