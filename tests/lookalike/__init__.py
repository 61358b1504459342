"""A small stateful GitHub for tests and for the demonstration.

It runs behind the real client over real HTTP on loopback. Repositories are real bare git repositories, webhooks are
signed and sent, and what GitHub refuses is refused: bad or expired tokens (401), missing permissions (403),
repositories outside the installation (404), texts, annotations and ids that break a limit (422), rate limits.

    look = Lookalike(tmp_path)
    app = look.create_app("planproof", public_key_pem, webhook_url="http://127.0.0.1:8000/webhook", webhook_secret="s")
    repo = look.create_repository("acme/widgets", {"src/a.py": "x = 1\\n"}, roles={"author": "write"})
    installation = look.install(app, "acme")
    with running(look) as url:                    # url: API base, pages and git
        pull = look.open_pull(repo, "plan", {"docs/plans/a.md": "..."}, draft=True, body="Closes #3")
        look.push(repo, "plan", {"docs/plans/a.md": None}, "Take the plan away")        # synchronize
        look.comment(pull, "/plan verify", user="triager")
        look.outbox.settle()                      # every webhook has been answered

State, read it freely: `pull.pull.head_sha`, `pull.comments`, `look.labels(pull)`, `look.runs(repo, sha)`,
`repo.labels`, `look.comments_by(pull, "planproof[bot]")`.

People (people.py): open_pull (also from a fork), push (also forced), merge_pull, close_pull, reopen_pull, mark_ready,
convert_to_draft, open_issue, edit, close_issue, comment, label, unlabel, rerequest, rerequest_suite, press, install,
uninstall, suspend, grant, choose, delete_branch. Each makes the webhooks that GitHub makes.
Reviews (reviewing.py): `look.review(pull, "text", comments=[("a.md", 3, "why?")])`, reply, edit_review,
edit_review_comment, delete_review_comment, edit_comment_as, delete_comment_as; other Apps' bots: create_bot,
bot_comment, bot_review. Merge queue (queueing.py): enqueue, dequeue. Whole repositories and conversations (moving.py):
rename, transfer_repository, archive, unarchive, privatize, delete_repository, delete_label, transfer_issue,
lock_conversation, unlock_conversation.

GraphQL (graphql/): addReaction, convertPullRequestToDraft and minimizeComment at `POST /graphql`; a document that the
schema does not allow is a problem too. With `look.ignore_draft_conversion = True` a conversion changes nothing.

Webhooks (webhooks.py): `look.outbox.attempts` and `.of(event, action)`; a Delivery has `.wait()`, `.payload`, `.guid`.
`outbox.redeliver(d)` and `.duplicate(d)` repeat a GUID, `with outbox.held() as list:` lets you reorder,
`.lose_next()` is a receiver that is down. An App without webhook_url is told nothing; the payloads are still recorded.

Requests (journal.py): `look.requests`, `.asked(method, regex)`, `.writes`, `.git_requests`; `look.problems` lists
those that do not conform to GitHub's official description. Failures: `look.fail_next("POST", r"/comments$", 502)`,
`after=True` (carried out all the same), `"drop"` (carried out, answer lost), `"cut"` (connection lost before),
`delay=`, `limit_next` (secondary limit), `before_next(method, path, fn)` (a race), `exhaust(installation)` (primary
limit), `revoke_tokens()`; at random `shake(seed, share=0.1)` until `steady()`, counted by kind in `look.shaken`.

Git: `look.git_path_url` and `look.git_http_url` are templates with {owner} and {repo}; over HTTP private repositories
want `x-access-token:<token>`.
"""

from tests.lookalike.gitstore import Submodule, Symlink
from tests.lookalike.people import Lookalike
from tests.lookalike.server import running

__all__ = ["Lookalike", "Submodule", "Symlink", "running"]
