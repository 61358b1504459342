"""The merge queue: a merge group is a real merge commit on a branch of its own.

https://docs.github.com/en/webhooks/webhook-events-and-payloads#merge_group
"""

from __future__ import annotations

from tests.lookalike.actions import Actions
from tests.lookalike.state import Account, Issue, Json

REASONS = {"dequeued": "MANUAL", "invalidated": "CI_FAILURE", "merged": "MERGE"}
"""Why a merge group is destroyed → why the pull request leaves the queue."""


class Queueing(Actions):
    @property
    def queue_bot(self) -> Account:
        return self.account("github-merge-queue[bot]", kind="Bot")

    def enqueue(self, pull: Issue, *, user: str = "writer") -> str:
        """Puts a pull request at the head of the queue. Returns the merge group's commit id."""
        with self.lock:
            ends, repo = pull.pull, pull.repository
            if ends is None or pull.state != "open" or ends.draft or ends.queued_as is not None:
                raise ValueError("only an open pull request that is no draft is queued, and once")
            base_sha = repo.git.branch(ends.base_ref)
            assert base_sha is not None
            branch = f"gh-readonly-queue/{ends.base_ref}/pr-{pull.number}-{base_sha}"
            repo.git.move(branch, base_sha)
            title = f"Merge pull request #{pull.number} from {ends.head_repository.owner.login}/{ends.head_ref}"
            sha = repo.git.merge(branch, ends.head_sha, title, author=user, when=self.clock())
            ends.queued_as = branch
            self.emit_pull(pull, "enqueued", self.account(user))
            self.branch_moved(repo, branch, None, sha, self.queue_bot)
            self._emit_group(pull, "checks_requested", branch, sha)
            return sha

    def dequeue(self, pull: Issue, *, reason: str = "dequeued") -> None:
        """The merge group goes: `reason` dequeued, invalidated, or merged, which merges the pull request with it."""
        with self.lock:
            ends, repo = pull.pull, pull.repository
            assert ends is not None
            if ends.queued_as is None:
                raise ValueError("it is not in the queue")
            branch, ends.queued_as = ends.queued_as, None
            sha = repo.git.branch(branch)
            assert sha is not None
            if reason == "merged":
                before = repo.git.branch(ends.base_ref)
                repo.git.move(ends.base_ref, sha)
                ends.merge_sha, ends.merged_by, ends.merged_at = sha, self.queue_bot, self.clock()
                self.set_state(pull, "closed", self.queue_bot)
                self.branch_moved(repo, ends.base_ref, before, sha, self.queue_bot)
            self.emit_pull(pull, "dequeued", self.queue_bot, reason=REASONS[reason])
            self._emit_group(pull, "destroyed", branch, sha, reason=reason)
            repo.git.delete_branch(branch)
            self.branch_moved(repo, branch, sha, None, self.queue_bot)

    def _emit_group(self, pull: Issue, action: str, branch: str, sha: str, **more: str) -> None:
        repo, ends = pull.repository, pull.pull
        assert ends is not None
        commit = self.shapes.webhook_commit(repo, sha)
        head: Json = {key: commit[key] for key in ("id", "tree_id", "message", "timestamp")}
        for role in ("author", "committer"):
            head[role] = {key: commit[role][key] for key in ("name", "email")}
        group = {
            "head_sha": sha,
            "head_ref": f"refs/heads/{branch}",
            "base_sha": str(repo.git.commit_object(sha).parent_ids[0]),
            "base_ref": f"refs/heads/{ends.base_ref}",
            "head_commit": head,
        }
        self.emit(repo, "merge_group", self.queue_bot, {"action": action, "merge_group": group, **more})
