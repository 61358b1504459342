"""Commits, changed files and contents."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

import pygit2

from tests.lookalike.gitstore import FileChange
from tests.lookalike.shapes.accounts import stamp
from tests.lookalike.shapes.conversations import ConversationShapes
from tests.lookalike.state import Json, Repository


class CodeShapes(ConversationShapes):
    def file(self, repo: Repository, sha: str, change: FileChange) -> Json:
        page, api = f"{self.url}/{repo.full_name}", f"{self.url}/repos/{repo.full_name}"
        shape: Json = {
            "sha": change.blob,
            "filename": change.path,
            "status": change.status,
            "additions": change.additions,
            "deletions": change.deletions,
            "changes": change.additions + change.deletions,
            "blob_url": f"{page}/blob/{sha}/{change.path}",
            "raw_url": f"{page}/raw/{sha}/{change.path}",
            "contents_url": f"{api}/contents/{change.path}?ref={sha}",
        }
        if change.patch is not None:
            shape["patch"] = change.patch
        if change.previous is not None:
            shape["previous_filename"] = change.previous
        return shape

    def commit(self, repo: Repository, sha: str, *, files: bool = False) -> Json:
        api, page = f"{self.url}/repos/{repo.full_name}", f"{self.url}/{repo.full_name}"
        found = repo.git.commit_object(sha)
        shape: Json = {
            "sha": sha,
            "node_id": base64.b64encode(sha.encode()).decode(),
            "commit": self.git_commit(api, found),
            "url": f"{api}/commits/{sha}",
            "html_url": f"{page}/commit/{sha}",
            "comments_url": f"{api}/commits/{sha}/comments",
            "author": None,
            "committer": None,
            "parents": [
                {"sha": str(parent), "url": f"{api}/commits/{parent}", "html_url": f"{page}/commit/{parent}"}
                for parent in found.parent_ids
            ],
        }
        if files:
            parent = str(found.parent_ids[0]) if found.parent_ids else None
            changes = repo.git.changes(parent, sha)
            shape["files"] = [self.file(repo, sha, change) for change in changes[:300]]
            totals = sum(c.additions for c in changes), sum(c.deletions for c in changes)
            shape["stats"] = {"additions": totals[0], "deletions": totals[1], "total": sum(totals)}
        return shape

    def git_commit(self, api: str, commit: pygit2.Commit) -> Json:
        def person(who: pygit2.Signature) -> Json:
            return {"name": who.name, "email": who.email, "date": _git_time(who.time)}

        return {
            "author": person(commit.author),
            "committer": person(commit.committer),
            "message": commit.message,
            "tree": {"sha": str(commit.tree_id), "url": f"{api}/git/trees/{commit.tree_id}"},
            "url": f"{api}/git/commits/{commit.id}",
            "comment_count": 0,
        }

    def webhook_commit(self, repo: Repository, sha: str) -> Json:
        """A commit as push payloads show it."""
        found = repo.git.commit_object(sha)
        parent = str(found.parent_ids[0]) if found.parent_ids else None
        paths: dict[str, list[str]] = {"added": [], "removed": [], "modified": []}
        for change in repo.git.changes(parent, sha):
            if change.previous is not None:
                paths["removed"].append(change.previous)
            kind = {"added": "added", "removed": "removed", "renamed": "added"}.get(change.status, "modified")
            paths[kind].append(change.path)
        who = {"name": found.author.name, "email": found.author.email, "username": found.author.name}
        return {
            "id": sha,
            "tree_id": str(found.tree_id),
            "distinct": True,
            "message": found.message,
            "timestamp": _git_time(found.commit_time),
            "url": f"{self.url}/{repo.full_name}/commit/{sha}",
            "author": who,
            "committer": who,
            **paths,
        }

    def content(self, repo: Repository, sha: str, path: str, entry: pygit2.Object) -> Json:
        """One file (with its content), symlink or submodule, or a directory's member (pass it without content)."""
        api, page = f"{self.url}/repos/{repo.full_name}", f"{self.url}/{repo.full_name}"
        kind = repo.git.kind(entry)
        self_url = f"{api}/contents/{path}?ref={sha}"
        git_url = f"{api}/git/{'trees' if kind == 'dir' else 'blobs'}/{entry.id}"
        blob = entry if isinstance(entry, pygit2.Blob) else None
        download = f"{page}/raw/{sha}/{path}" if kind == "file" else None
        page_url = f"{page}/{'tree' if kind == 'dir' else 'blob'}/{sha}/{path}"
        return {
            "type": kind,
            "size": blob.size if blob else 0,
            "name": path.rpartition("/")[2],
            "path": path,
            "sha": str(entry.id),
            "url": self_url,
            "git_url": git_url,
            "html_url": page_url,
            "download_url": download,
            "_links": {"self": self_url, "git": git_url, "html": page_url},
        }


def _git_time(seconds: int) -> str:
    return stamp(datetime.fromtimestamp(seconds, UTC))


def encoded(blob: pygit2.Blob) -> str:
    """Base64 in lines of 60 characters, as the contents API sends it."""
    text = base64.b64encode(blob.data).decode()
    return "".join(text[i : i + 60] + "\n" for i in range(0, len(text), 60))
