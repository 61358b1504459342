"""GitHub as one installation sees it, at one repository. Every method is one operation of GitHub's documentation."""

from __future__ import annotations

import base64
import binascii
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from bot.github import permissions
from bot.github.answers import listed, pages, read
from bot.github.auth import InstallationAuth, Scope
from bot.github.errors import GitHubError, NotFound, PermissionMissing, Refused
from bot.github.models import (
    Annotation,
    CheckRun,
    CheckRuns,
    Collaborator,
    Comment,
    Commit,
    Comparison,
    InstallationInfo,
    Issue,
    Label,
    Pull,
    Repositories,
    Repository,
)
from bot.github.transport import RAW_MEDIA, Answer

if TYPE_CHECKING:
    from bot.github.client import App

"""More pages than any list we read can have; a server whose links never end is given up on."""

ADD_REACTION = """mutation($subject: ID!, $content: ReactionContent!) {
  addReaction(input: {subjectId: $subject, content: $content}) { reaction { content } }
}"""
CONVERT_TO_DRAFT = """mutation($pull: ID!) {
  convertPullRequestToDraft(input: {pullRequestId: $pull}) { pullRequest { isDraft } }
}"""


class Written(StrEnum):
    """What a person can write a command in."""

    COMMENT = "comment"
    REVIEW = "review"
    LINE = "line"  # a comment on a line of the diff


class Reaction(StrEnum):
    """By the names of the REST API."""

    EYES = "eyes"
    ROCKET = "rocket"
    CONFUSED = "confused"


class Installation:
    """One installation at one repository (`owner/name`), with a token narrowed to that repository and to `wanted`.

    `trace` (a delivery's GUID) goes into the User-Agent, so that GitHub's support can find our requests. With
    `repository_id` the token outlives a new name of the repository.
    """

    def __init__(
        self,
        app: App,
        number: int,
        repository: str | None,
        *,
        wanted: Mapping[str, str] | None = None,
        trace: str = "",
        repository_id: int | None = None,
    ) -> None:
        self.app = app
        self.number = number
        self._repository = repository
        self._repository_id = repository_id
        self._wanted = wanted
        self._trace = trace
        self._scope = Scope.of(number, repository, wanted, repository_id)
        self._auth = InstallationAuth(app.tokens, self._scope)
        self._lane = app.lane(number)

    def __repr__(self) -> str:
        return f"Installation({self.number}, {self._repository})"

    @property
    def repository(self) -> str:
        """`owner/name`. Raises ValueError where none was given."""
        if self._repository is None:
            raise ValueError("this installation client is bound to no repository: use at()")
        return self._repository

    @property
    def web(self) -> str:
        """The repository's page."""
        return f"{self.app.web}/{self.repository}"

    def at(
        self, repository: str, *, permissions: Mapping[str, str] | None = None, trace: str | None = None
    ) -> Installation:
        """The same installation at another repository (or with other permissions)."""
        wanted = permissions if permissions is not None else self._wanted
        return Installation(
            self.app,
            self.number,
            repository,
            wanted=wanted,
            trace=self._trace if trace is None else trace,
            repository_id=self._repository_id if repository == self._repository else None,
        )

    async def clone_token(self, *, instead_of: str | None = None) -> str:
        """A token that can read this repository's contents and nothing else; never to be logged or put in a URL.

        `instead_of` is one that the git server refused: a new one is made.
        """
        scope = Scope.of(self.number, self.repository, {"contents": "read"}, self._repository_id)
        if instead_of is not None:
            self.app.tokens.drop(scope, instead_of)
        return (await self.app.tokens.get(scope)).value

    async def info(self) -> InstallationInfo:
        return await self.app.installation_info(self.number)

    # ---- pull requests, commits, files ---------------------------------------------------------
    async def get_pull(self, number: int) -> Pull:
        return read(Pull, (await self._get(f"pulls/{number}")).data)

    async def list_pulls(self, *, state: str = "open") -> list[Pull]:
        """Pull requests of this state, last updated first."""
        params = {"state": state, "sort": "updated", "direction": "desc"}
        return [read(Pull, item) async for item in self._pages("pulls", params)]

    async def pulls_for_commit(self, sha: str) -> list[Pull]:
        """Pull requests that hold this commit; those from forks may be absent, compare `list_pulls` by head then."""
        return [read(Pull, item) async for item in self._pages(f"commits/{_seg(sha)}/pulls")]

    async def compare(self, base: str, head: str) -> str:
        """The merge base's commit id of two commits or branches (`owner:branch` for a fork's)."""
        # one commit a page: only the merge base is wanted, and a full page holds 250 commits with their files
        answer = await self._get(f"compare/{_seg(base)}...{_seg(head)}", {"per_page": 1})
        return read(Comparison, answer.data).merge_base_commit.sha

    async def parents(self, sha: str) -> list[str]:
        """The commit ids of a commit's parents, the first one first."""
        return [each.sha for each in read(Commit, (await self._get(f"commits/{_seg(sha)}")).data).parents]

    async def get_file(self, path: str, ref: str | None = None) -> bytes | None:
        """A file's content at a branch or commit (default: the default branch); None where there is no such file."""
        params = {"ref": ref} if ref else None
        try:
            answer = await self._get(f"contents/{_seg(path)}", params, media=RAW_MEDIA)
        except NotFound:
            return None
        if answer.data is None:
            return answer.body
        return _decoded(answer.data)

    async def get_repository(self) -> Repository:
        """As it is now, also under a name that it had before."""
        return read(Repository, (await self._get("")).data)

    # ---- the installation ----------------------------------------------------------------------
    async def repositories(self) -> list[Repository]:
        """The repositories that the token reaches."""
        found: list[Repository] = []
        async for answer in pages(self._get, "installation/repositories"):
            found.extend(read(Repositories, answer.data).repositories)
        return found

    # ---- issues and comments -------------------------------------------------------------------
    async def get_issue(self, number: int) -> Issue:
        return read(Issue, (await self._get(f"issues/{number}")).data)

    async def list_issues(self, *, since: str | None = None) -> list[Issue]:
        """Open issues and pull requests, last updated first, back to `since` (ISO 8601, UTC)."""
        params = {"state": "open", "sort": "updated", "direction": "desc"} | ({"since": since} if since else {})
        return [read(Issue, item) async for item in self._pages("issues", params)]

    async def get_written(self, kind: Written, number: int, written_id: int) -> Comment:
        """A comment, review or line comment as it stands now; `number` is its thread's."""
        path = {
            Written.COMMENT: f"issues/comments/{written_id}",
            Written.REVIEW: f"pulls/{number}/reviews/{written_id}",
            Written.LINE: f"pulls/comments/{written_id}",
        }[kind]
        return read(Comment, (await self._get(path)).data)

    async def react(self, kind: Written, written_id: int, node_id: str | None, reaction: Reaction) -> None:
        """Our reaction to what a person wrote; the same one twice is one. REST knows no reactions to reviews."""
        if kind is Written.REVIEW:
            if node_id is not None:
                await self.graphql(ADD_REACTION, {"subject": node_id, "content": reaction.name})
            return
        where = "issues" if kind is Written.COMMENT else "pulls"
        await self._write("POST", f"{where}/comments/{written_id}/reactions", {"content": reaction.value})

    async def list_issue_comments(self, number: int) -> list[Comment]:
        """All comments of an issue or pull request, oldest first."""
        return [read(Comment, item) async for item in self._pages(f"issues/{number}/comments")]

    async def create_comment(self, number: int, body: str) -> Comment:
        answer = await self._write("POST", f"issues/{number}/comments", {"body": self.app.redact(body)})
        return read(Comment, answer.data)

    async def update_comment(self, comment_id: int, body: str) -> Comment:
        answer = await self._write("PATCH", f"issues/comments/{comment_id}", {"body": self.app.redact(body)})
        return read(Comment, answer.data)

    async def delete_comment(self, comment_id: int) -> None:
        await self._gone("DELETE", f"issues/comments/{comment_id}")

    async def is_ours(self, comment: Comment) -> bool:
        """Whether our App wrote it, by App id; by the bot's login where a server does not name the App."""
        if comment.performed_via_github_app is not None:
            return comment.performed_via_github_app.id == self.app.id
        if comment.user is None or comment.user.type != "Bot":
            return False
        slug = await self.app.slug()
        return slug is not None and comment.user.login == f"{slug}[bot]"

    # ---- labels --------------------------------------------------------------------------------
    async def issue_labels(self, number: int) -> list[Label]:
        return [read(Label, item) async for item in self._pages(f"issues/{number}/labels")]

    async def ensure_label(self, name: str, color: str, description: str) -> str:
        """The label's name as the repository spells it; created when it is not there, never changed when it is."""
        path = f"labels/{quote(name, safe='')}"
        try:
            return read(Label, (await self._get(path)).data).name
        except NotFound:
            pass
        try:
            answer = await self._write("POST", "labels", {"name": name, "color": color, "description": description})
        except Refused as refused:
            # created by someone else since we looked
            if refused.status != 422 or "already_exists" not in refused.reason:
                raise
            return name
        return read(Label, answer.data).name

    async def add_label(self, number: int, name: str) -> None:
        await self._write("POST", f"issues/{number}/labels", {"labels": [name]})

    async def remove_label(self, number: int, name: str) -> None:
        await self._gone("DELETE", f"issues/{number}/labels/{quote(name, safe='')}")

    # ---- checks --------------------------------------------------------------------------------
    async def list_check_runs(self, ref: str, *, name: str | None = None, app_id: int | None = None) -> list[CheckRun]:
        """Every check run of a commit, also those that a newer one of the same name hides."""
        params: dict[str, Any] = {"filter": "all"}
        if name is not None:
            params["check_name"] = name
        if app_id is not None:
            params["app_id"] = app_id
        found: list[CheckRun] = []
        async for answer in pages(self._get, f"commits/{_seg(ref)}/check-runs", params):
            found.extend(read(CheckRuns, answer.data).check_runs)
        return found

    async def create_check_run(self, fields: Mapping[str, Any]) -> CheckRun:
        """`fields` as in GitHub's "Create a check run"."""
        return read(CheckRun, (await self._write("POST", "check-runs", self._clean(fields))).data)

    async def update_check_run(self, check_id: int, fields: Mapping[str, Any]) -> CheckRun:
        """`fields` as in GitHub's "Update a check run"; annotations are added to those that are there."""
        return read(CheckRun, (await self._write("PATCH", f"check-runs/{check_id}", self._clean(fields))).data)

    async def check_annotations(self, check_id: int) -> list[Annotation]:
        return [read(Annotation, item) async for item in self._pages(f"check-runs/{check_id}/annotations")]

    # ---- GraphQL -------------------------------------------------------------------------------
    async def graphql(self, query: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The `data` of a mutation. Raises PermissionMissing, NotFound and Refused as GitHub's `errors` say, which it
        answers with status 200."""
        name = query.partition("{")[2].strip().partition("(")[0]
        answer = await self._write("POST", self.app.graphql_url, {"query": query, "variables": dict(variables)})
        found = answer.data if isinstance(answer.data, dict) else {}
        errors = found.get("errors")
        if not errors:
            data = found.get("data")
            return data if isinstance(data, dict) else {}
        first = errors[0] if isinstance(errors, list) and isinstance(errors[0], dict) else {}
        message = str(first.get("message") or "no reason given")[:500]
        if first.get("type") == "NOT_FOUND":
            raise NotFound(f"{name}: {message}")
        raise await self._explained(name, name, Refused(name, 403, message))

    async def convert_to_draft(self, node_id: str) -> bool:
        """Make a pull request a draft; whether GitHub says afterwards that it is one."""
        data = await self.graphql(CONVERT_TO_DRAFT, {"pull": node_id})
        done = data.get("convertPullRequestToDraft")
        pull = done.get("pullRequest") if isinstance(done, dict) else None
        return isinstance(pull, dict) and pull.get("isDraft") is True

    # ---- people --------------------------------------------------------------------------------
    async def permission(self, login: str) -> Collaborator:
        """What a person may do here, asked live; nothing for someone who is no collaborator."""
        try:
            return read(Collaborator, (await self._get(f"collaborators/{_seg(login)}/permission")).data)
        except NotFound:
            return Collaborator()

    # ---- underneath ----------------------------------------------------------------------------
    async def _get(self, path: str, params: Mapping[str, Any] | None = None, *, media: str | None = None) -> Answer:
        kind = {"media": media} if media else {}
        try:
            return await self.app.transport.get(
                self._path(path), self._auth, self._lane, params=params, trace=self._trace, **kind
            )
        except Refused as refused:
            raise await self._explained("GET", path, refused) from None

    async def _write(self, method: str, path: str, json: Any = None) -> Answer:
        try:
            return await self.app.transport.write(
                method, self._path(path), self._auth, self._lane, json=json, trace=self._trace
            )
        except Refused as refused:
            raise await self._explained(method, path, refused) from None

    async def _gone(self, method: str, path: str) -> None:
        """A delete whose aim is reached also when the thing was gone already."""
        try:
            await self._write(method, path)
        except NotFound:
            return

    async def _pages(self, path: str, params: Mapping[str, Any] | None = None) -> AsyncIterator[Any]:
        async for answer in pages(self._get, path, params):
            for item in listed(answer):
                yield item

    async def _explained(self, method: str, path: str, refused: Refused) -> Refused:
        """A 403 that says which permission is missing, as such; any other refusal as it is."""
        if refused.status != 403 or "not accessible by integration" not in refused.reason.lower():
            return refused
        page = None
        with contextlib.suppress(GitHubError):  # the plain address will do
            page = (await self.info()).html_url
        url = permissions.approval_url(self.app.web, self.number, page)
        return PermissionMissing(refused.what, permissions.needed(method, path, refused.accepted), url)

    def _path(self, path: str) -> str:
        if path.startswith(("http://", "https://", "installation/")):
            return path
        return f"repos/{self.repository}/{path}".rstrip("/")

    def _clean(self, fields: Any) -> Any:
        """Every text in `fields` redacted: the last gate before anything is posted."""
        if isinstance(fields, str):
            return self.app.redact(fields)
        if isinstance(fields, Mapping):
            return {key: self._clean(value) for key, value in fields.items()}
        if isinstance(fields, Sequence):
            return [self._clean(value) for value in fields]
        return fields


def _seg(text: str) -> str:
    """A path, branch or login inside a URL; slashes stay."""
    return quote(text, safe="/:")


def _decoded(data: Any) -> bytes | None:
    """The JSON form of a file, which servers give that do not know the raw media type; None for a folder."""
    if not isinstance(data, dict) or data.get("encoding") != "base64":
        return None
    try:
        return base64.b64decode(str(data.get("content", "")))
    except (binascii.Error, ValueError):
        return None
