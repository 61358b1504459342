"""A repository, what its git holds, and who may do what in it."""

from __future__ import annotations

import posixpath

import pygit2

from tests.lookalike import refusals
from tests.lookalike.rest.operations import CONTENTS, Answer, Call, operation
from tests.lookalike.shapes import encoded
from tests.lookalike.state import Json

REPO = "/repos/{owner}/{repo}"
METADATA = {"metadata": "read"}
MOST_DIRECTORY, INLINE_BYTES, RAW_BYTES = 1_000, 1_000_000, 100_000_000
MOST_COMPARED_FILES = 300


@operation("GET", REPO, METADATA)
def get_repository(call: Call) -> Answer:
    return Answer(200, call.look.shapes.repository(call.repo, full=True))


@operation("GET", REPO + "/collaborators/{username}/permission", METADATA, auth="installation")
def permission(call: Call) -> Answer:
    repo, user = call.repo, call.look.accounts.get(call.params["username"].lower())
    if user is None:
        raise refusals.not_found()
    role = call.look.role(repo, user.login)
    return Answer(200, call.look.shapes.permission(user, role))


@operation("GET", REPO + "/branches/{branch:path}", CONTENTS)
def get_branch(call: Call) -> Answer:
    repo, name = call.repo, call.params["branch"]
    sha = repo.git.branch(name)
    if sha is None:
        raise refusals.Refusal(404, "Branch not found")
    url = f"{call.look.url}/repos/{repo.full_name}/branches/{name}"
    body: Json = {
        "name": name,
        "commit": call.look.shapes.commit(repo, sha),
        "_links": {"self": url, "html": f"{call.look.url}/{repo.full_name}/tree/{name}"},
        "protected": False,
        "protection": {"enabled": False},
        "protection_url": f"{url}/protection",
    }
    return Answer(200, body)


@operation("GET", REPO + "/git/ref/{ref:path}", CONTENTS)
def get_ref(call: Call) -> Answer:
    repo, name = call.repo, f"refs/{call.params['ref']}"
    ref = repo.git.repo.references.get(name)
    if ref is None:
        raise refusals.not_found()
    api, sha = f"{call.look.url}/repos/{repo.full_name}/git", str(ref.target)
    target = {"sha": sha, "type": "commit", "url": f"{api}/commits/{sha}"}
    return Answer(200, {"ref": name, "node_id": name, "url": f"{api}/{name}", "object": target})


# ---- commits -------------------------------------------------------------------------------------
@operation("GET", REPO + "/commits", CONTENTS)
def list_commits(call: Call) -> Answer:
    repo = call.repo
    start, path = repo.git.resolve(call.query.get("sha", repo.default_branch)), call.query.get("path")
    if start is None:
        raise refusals.not_found()
    ids = repo.git.log(start)
    if path is not None:
        ids = [sha for sha in ids if _touches(call, sha, path)]
    return call.page(ids, lambda sha: call.look.shapes.commit(repo, sha))


def _touches(call: Call, sha: str, path: str) -> bool:
    git = call.repo.git
    here = git.entry(sha, path)
    parents = [git.entry(str(parent), path) for parent in git.commit_object(sha).parent_ids] or [None]
    return all((here and here.id) != (there and there.id) for there in parents)


@operation("GET", REPO + "/commits/{ref:path}", CONTENTS)
def get_commit(call: Call) -> Answer:
    return Answer(200, call.look.shapes.commit(call.repo, call.commit(call.params["ref"]), files=True))


@operation("GET", REPO + "/compare/{basehead:path}", CONTENTS)
def compare(call: Call) -> Answer:
    """Three dots: what head has since the merge base. Either end may be owner:branch."""
    repo, shapes = call.repo, call.look.shapes
    base_name, dots, head_name = call.params["basehead"].partition("...")
    base, head = _end(call, base_name), _end(call, head_name)
    if not dots or base is None or head is None:
        raise refusals.not_found()
    merge_base = repo.git.merge_base(base, head)
    if merge_base is None:
        raise refusals.Refusal(404, f"No common ancestor between {base_name} and {head_name}.")
    ahead, behind = repo.git.log(head, hide=base)[::-1], repo.git.log(base, hide=head)
    status = ("diverged" if behind else "ahead") if ahead else ("behind" if behind else "identical")
    page = call.page(ahead, lambda sha: shapes.commit(repo, sha))
    where = f"{call.look.url}/{repo.full_name}/compare/{call.params['basehead']}"
    first = int(call.query.get("page", 1)) == 1
    changes = repo.git.changes(merge_base, head)[:MOST_COMPARED_FILES] if first else []
    body: Json = {
        "url": f"{call.look.url}/repos/{repo.full_name}/compare/{call.params['basehead']}",
        "html_url": where,
        "permalink_url": where,
        "diff_url": f"{where}.diff",
        "patch_url": f"{where}.patch",
        "base_commit": shapes.commit(repo, base),
        "merge_base_commit": shapes.commit(repo, merge_base),
        "status": status,
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "commits": page.body,
        "files": [shapes.file(repo, head, change) for change in changes],
    }
    return Answer(200, body, page.headers)


def _end(call: Call, name: str) -> str | None:
    repo = call.repo
    owner, colon, branch = name.partition(":")
    if not colon or owner.lower() == repo.owner.login.lower():
        return repo.git.resolve(branch if colon else name)
    fork = call.look.repositories.get(f"{owner}/{repo.name}".lower())
    sha = fork.git.branch(branch) if fork is not None else None
    return repo.git.commit_id(sha) if sha is not None else None


# ---- contents ------------------------------------------------------------------------------------
@operation("GET", REPO + "/contents/{path:path}", CONTENTS)
def get_contents(call: Call) -> Answer:
    return _contents(call, call.params["path"].strip("/"))


@operation("GET", REPO + "/contents/", CONTENTS)
def get_root(call: Call) -> Answer:
    return _contents(call, "")


def _contents(call: Call, path: str) -> Answer:
    repo, shapes = call.repo, call.look.shapes
    ref = call.query.get("ref", repo.default_branch)
    sha = repo.git.resolve(ref)
    if sha is None:
        raise refusals.Refusal(404, f"No commit found for the ref {ref}")
    entry = repo.git.entry(sha, path)
    if entry is None:
        raise refusals.not_found()
    if isinstance(entry, pygit2.Tree):
        members = list(entry)[:MOST_DIRECTORY]
        return Answer(200, [shapes.content(repo, sha, posixpath.join(path, str(m.name)), m) for m in members])
    shape = shapes.content(repo, sha, path, entry)
    if not isinstance(entry, pygit2.Blob):
        url = f"{call.look.url}/{repo.full_name}/tree/{entry.id}"
        return Answer(200, shape | {"submodule_git_url": url})
    if shape["type"] == "symlink":
        target = entry.data.decode("utf-8", "replace")
        followed = repo.git.entry(sha, posixpath.normpath(posixpath.join(posixpath.dirname(path), target)))
        if not isinstance(followed, pygit2.Blob):
            return Answer(200, shape | {"target": target})
        entry = followed
        shape = shapes.content(repo, sha, path, entry) | {"type": "file"}
    if entry.size > RAW_BYTES:
        message = "This API returns blobs up to 100 MB in size. The requested blob is too large to fetch via the API"
        raise refusals.Refusal(403, message)
    if "raw" in call.headers.get("accept", ""):
        return Answer(200, entry.data, {"content-type": "application/vnd.github.raw+json; charset=utf-8"})
    small = entry.size <= INLINE_BYTES
    content = {"content": encoded(entry), "encoding": "base64"} if small else {"content": "", "encoding": "none"}
    return Answer(200, shape | content)
