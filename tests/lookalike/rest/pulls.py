"""Pull requests: their ends, files and commits are read from git."""

from __future__ import annotations

from tests.lookalike import refusals
from tests.lookalike.rest.operations import CONTENTS, Answer, Call, operation
from tests.lookalike.state import Issue, Repository

PULLS = "/repos/{owner}/{repo}/pulls"
PULL = PULLS + "/{pull_number}"
READS = {"pull_requests": "read"}
MOST_FILES, MOST_COMMITS = 3_000, 250


@operation("GET", PULLS, READS)
def list_pulls(call: Call) -> Answer:
    state, head, base = call.query.get("state", "open"), call.query.get("head"), call.query.get("base")

    def wanted(issue: Issue) -> bool:
        pull = issue.pull
        assert pull is not None
        label = f"{pull.head_repository.owner.login}:{pull.head_ref}"
        return state in ("all", issue.state) and head in (None, label) and base in (None, pull.base_ref)

    found = [issue for issue in call.repo.pulls if wanted(issue)]
    updated = call.query.get("sort") == "updated"
    default = "asc" if updated else "desc"
    newest_first = call.query.get("direction", default) == "desc"
    found.sort(key=lambda i: i.updated_at if updated else i.created_at, reverse=newest_first)
    return call.page(found, lambda issue: call.look.shapes.pull(issue, full=False))


@operation("GET", PULL, READS)
def get_pull(call: Call) -> Answer:
    return Answer(200, call.look.shapes.pull(call.pull()))


@operation("POST", PULLS, {"pull_requests": "write"})
def create_pull(call: Call) -> Answer:
    repo, look = call.repo, call.look
    title, body = call.text("title", "PullRequest"), call.text("body", "PullRequest", required=False)
    assert title is not None
    head = _head(call, str(call.body.get("head", "")))
    base = str(call.body.get("base", ""))
    if repo.git.branch(base) is None:
        raise refusals.validation("PullRequest", "base", "invalid")
    ends = [i.pull for i in look.pulls_of_branch(*head) if i.repository is repo]
    if any(pull and pull.base_ref == base for pull in ends):
        message = f"A pull request already exists for {head[0].owner.login}:{head[1]}."
        raise refusals.validation("PullRequest", "head", "custom", message)
    if not repo.git.log(head[0].git.branch(head[1]) or "", hide=repo.git.branch(base)):
        message = f"No commits between {base} and {head[1]}"
        raise refusals.validation("PullRequest", "head", "custom", message)
    draft = bool(call.body.get("draft"))
    issue = look.add_pull(repo, call.me, title, body, head=head, base=base, draft=draft)
    shape = look.shapes.pull(issue)
    return Answer(201, shape, {"location": shape["url"]})


def _head(call: Call, label: str) -> tuple[Repository, str]:
    owner, colon, branch = label.rpartition(":")
    repo = call.repo
    if colon and owner.lower() != repo.owner.login.lower():
        found = call.look.repositories.get(f"{owner}/{repo.name}".lower())
        if found is None:
            raise refusals.validation("PullRequest", "head", "invalid")
        repo = found
    if repo.git.branch(branch) is None:
        raise refusals.validation("PullRequest", "head", "invalid")
    return repo, branch


@operation("PATCH", PULL, {"pull_requests": "write"})
def update_pull(call: Call) -> Answer:
    issue = call.pull()
    state = call.body.get("state", issue.state)
    if state not in ("open", "closed"):
        raise refusals.validation("PullRequest", "state", "invalid")
    title, body = call.text("title", "PullRequest", required=False), call.text("body", "PullRequest", required=False)
    call.look.edit_issue(issue, call.me, title=title, body=body)
    call.look.set_state(issue, state, call.me)
    return Answer(200, call.look.shapes.pull(issue))


@operation("GET", PULL + "/files", READS)
def list_files(call: Call) -> Answer:
    issue = call.pull()
    pull, git = issue.pull, issue.repository.git
    assert pull is not None
    changes = git.changes(git.merge_base(pull.base_sha, pull.head_sha), pull.head_sha)[:MOST_FILES]
    return call.page(changes, lambda change: call.look.shapes.file(issue.repository, pull.head_sha, change))


@operation("GET", PULL + "/commits", READS)
def list_commits(call: Call) -> Answer:
    issue = call.pull()
    pull, git = issue.pull, issue.repository.git
    assert pull is not None
    oldest_first = git.log(pull.head_sha, hide=git.merge_base(pull.base_sha, pull.head_sha))[::-1]
    return call.page(oldest_first[:MOST_COMMITS], lambda sha: call.look.shapes.commit(issue.repository, sha))


@operation("GET", "/repos/{owner}/{repo}/commits/{commit_sha}/pulls", {**CONTENTS, **READS})
def pulls_of_commit(call: Call) -> Answer:
    """Pull requests that contain the commit, forks' included: their heads are fetched under refs/pull."""
    repo = call.repo
    sha = call.commit(call.params["commit_sha"])

    def contains(issue: Issue) -> bool:
        pull = issue.pull
        assert pull is not None
        base = repo.git.merge_base(pull.base_sha, pull.head_sha)
        return sha == pull.merge_sha or sha in repo.git.log(pull.head_sha, hide=base)

    return call.page([i for i in repo.pulls if contains(i)], lambda i: call.look.shapes.pull(i, full=False))
