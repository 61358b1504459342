"""Everything goes wrong at once: deliveries twice and out of order, and GitHub failing one request in ten."""

from __future__ import annotations

import random
from pathlib import Path

import pygit2
import pytest

from tests.lookalike.state import Issue
from tests.stage import Stage, staged

PULLS = 20
ROUNDS = 7
FLAWED = (
    "# Retry Plan\n\n### Task 1: Client\n\n**Files:**\n- Modify: `src/widgets/clients.py`\n\n- [ ] **Step 1: Use it**\n"
)
SOUND = FLAWED.replace("clients.py", "client.py")
PATH = "docs/plans/retry.md"


def happen(stage: Stage, pull: Issue, draw: random.Random, round_: int) -> None:
    """One more thing that people do to a pull request."""
    assert pull.pull is not None
    what = draw.choice(("push", "push", "push", "edit", "draft"))
    if what == "push":
        plan = draw.choice((FLAWED, SOUND, None) if read(stage, pull.pull.head_sha) else (FLAWED, SOUND))
        files = {PATH: plan and f"{plan}\nRound {round_}.\n", "NEWS.md": f"Round {round_}.\n"}
        stage.look.push(stage.repo, pull.pull.head_ref, files, "Change the plan")
    elif what == "edit":
        stage.look.edit(pull, title=f"Retry, round {round_}")
    elif pull.pull.draft:
        stage.look.mark_ready(pull)
    else:
        stage.look.convert_to_draft(pull)


def read(stage: Stage, sha: str) -> str:
    plan = stage.repo.git.entry(sha, PATH)
    return plan.data.decode() if isinstance(plan, pygit2.Blob) else ""


@pytest.mark.parametrize("seed", [1])
def test_two_hundred_deliveries_with_a_third_repeated_and_a_tenth_of_githubs_answers_failing(
    tmp_path: Path, seed: int
) -> None:
    draw = random.Random(seed)  # noqa: S311
    with staged(tmp_path, module="tests.impatient_server") as stage:
        look = stage.look
        look.shake(seed, share=0.1)
        pulls: list[Issue] = []
        start = len(look.outbox.attempts)
        for round_ in range(ROUNDS):
            with look.outbox.held() as held:
                for number in range(PULLS):
                    if round_ == 0:
                        plan = draw.choice((FLAWED, SOUND))
                        pulls.append(look.open_pull(stage.repo, f"plan-{number}", {PATH: plan}))
                    else:
                        happen(stage, pulls[number], draw, round_)
                ours = [delivery for delivery in held if delivery.event == "pull_request"]
                for delivery in draw.sample(ours, len(ours) // 2 + 1):
                    look.outbox.duplicate(delivery)
                draw.shuffle(held)
        stage.settle(seconds=240)
        look.steady()
        sent = [delivery for delivery in look.outbox.attempts[start:] if delivery.event == "pull_request"]
        assert len(sent) >= 200
        assert len({delivery.guid for delivery in sent}) <= len(sent) * 2 / 3
        # how many requests there are depends on which jobs a newer one makes needless
        assert sum(look.shaken.values()) >= len(look.requests) / 20
        assert len(look.shaken) >= 4

        problems: list[str] = []
        for pull in pulls:
            assert pull.pull is not None
            text = read(stage, pull.pull.head_sha)
            wanted = "failure" if "clients.py" in text else "success" if "client.py" in text else "skipped"
            label = ["plan/needs-fix"] if wanted == "failure" else []
            comments = stage.ours(pull)
            if stage.conclusions(pull) != [wanted]:
                problems.append(f"#{pull.number}: {stage.conclusions(pull)}, not {wanted}")
            if stage.labels(pull) != label:
                problems.append(f"#{pull.number}: {stage.labels(pull)} though {wanted}")
            if len(comments) > 1 or (wanted == "failure" and not comments):
                problems.append(f"#{pull.number}: {len(comments)} comments though {wanted}")
            if comments and ("to settle before work starts" in comments[0]) != (wanted == "failure"):
                problems.append(f"#{pull.number}: the comment is of another verdict than {wanted}")
        left = [run for run in stage.repo.runs if run.status != "completed"]
        assert (problems, left, look.problems) == ([], [], [])
