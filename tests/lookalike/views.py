"""The pages: a repository's lists, a conversation with its checks, and the forms through which people act on them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import jinja2
import pygit2
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope

from tests.lookalike.forms import carry_out
from tests.lookalike.gitstore import FileChange
from tests.lookalike.markup import render
from tests.lookalike.people import Lookalike
from tests.lookalike.shapes.reviews import hunk_of
from tests.lookalike.state import CheckRun, Comment, Issue, Label, Repository, Review, ReviewComment
from tests.lookalike.timeline import checks, standing, timeline

TEMPLATES = Path(__file__).parent / "pages"
MARKS = {
    "success": ("✓", "good"),
    "failure": ("✕", "bad"),
    "timed_out": ("✕", "bad"),
    "action_required": ("!", "warn"),
    "cancelled": ("⊘", "dull"),
    "neutral": ("■", "dull"),
    "skipped": ("⊘", "dull"),
}
SCRIPT = (TEMPLATES / "news.js").read_text(encoding="utf-8")
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data: 'self'; form-action 'self'; base-uri 'none'; "
    f"connect-src 'self'; script-src 'sha256-{base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()}'"
)
SHOWN_LINES = 4
LONGEST_FORM, LONGEST_FILE = 200_000, 1_000_000


def _markdown(text: str | None) -> Markup:
    return Markup(render(text))  # noqa: S704 - render lets an allow-list through and escapes the rest


def _when(moment: datetime) -> str:
    return moment.strftime("%d %b %Y, %H:%M")


def _ink(label: Label) -> str:
    """Black or white, whichever can be read on the label's colour."""
    red, green, blue = (int(label.color[i : i + 2], 16) for i in (0, 2, 4))
    return "#1f2328" if 0.299 * red + 0.587 * green + 0.114 * blue > 150 else "#ffffff"


def _mark(run: CheckRun) -> tuple[str, str]:
    return MARKS.get(run.conclusion or "", ("●", "warn"))


def _state(issue: Issue) -> tuple[str, str]:
    """The badge's text and its class."""
    if issue.pull is not None and issue.pull.merged_at is not None:
        return "Merged", "merged"
    if issue.state == "closed":
        return "Closed", "closed"
    return ("Draft", "draft") if issue.pull is not None and issue.pull.draft else ("Open", "open")


def _badge(said: Issue | Comment | Review | ReviewComment) -> str:
    """What stands beside a name: bot, the role in the repository, or nothing."""
    repo = said.repository if isinstance(said, Issue) else said.issue.repository
    return "bot" if said.user.kind == "Bot" else repo.roles.get(said.user.login, "")


def _hunk(comment: ReviewComment) -> list[str]:
    """The last lines of the diff down to the commented one."""
    found = hunk_of(comment.issue, comment.review.commit_id, comment.path, comment.line)
    return found[0].split("\n")[-SHOWN_LINES:] if found is not None else []


class Views:
    def __init__(self, look: Lookalike) -> None:
        self.look = look
        self.templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.templates.filters |= {"markdown": _markdown, "when": _when, "ink": _ink, "mark": _mark, "state": _state}
        self.templates.filters |= {"badge": _badge, "hunk": _hunk}
        self.templates.globals["script"] = Markup(SCRIPT)  # noqa: S704 - our own

    def _page(self, name: str, **values: Any) -> Response:
        html = self.templates.get_template(name).render(look=self.look, **values)
        return HTMLResponse(html, headers={"content-security-policy": POLICY})

    def _repository(self, request: Request) -> Repository | None:
        name = f"{request.path_params['owner']}/{request.path_params['repo']}".lower()
        return self.look.repositories.get(name) or self.look.former_names.get(name)

    def _issue(self, request: Request) -> Issue | None:
        repo = self._repository(request)
        return repo.issues.get(request.path_params["number"]) if repo is not None else None

    # ---- pages -----------------------------------------------------------------------------------
    async def home(self, request: Request) -> Response:
        with self.look.lock:
            return self._page("home.html", repositories=list(self.look.repositories.values()))

    async def repository(self, request: Request) -> Response:
        with self.look.lock:
            repo = self._repository(request)
            if repo is None:
                return PlainTextResponse("Not found", 404)
            issues = sorted(repo.issues.values(), key=lambda issue: -issue.number)
            return self._page("repository.html", repo=repo, issues=issues)

    async def conversation(self, request: Request) -> Response:
        with self.look.lock:
            issue = self._issue(request)
            if issue is None:
                return PlainTextResponse("Not found", 404)
            here = request.url.path
            right = f"/{issue.repository.full_name}/{'issues' if issue.pull is None else 'pull'}/{issue.number}"
            if here != right:
                return RedirectResponse(right, 302)
            people = sorted(a.login for a in self.look.accounts.values() if a.kind == "User")
            runs, files = checks(issue), self._files(issue)
            return self._page(
                "conversation.html",
                repo=issue.repository,
                issue=issue,
                said=timeline(issue),
                standing=standing(issue)["tag"],
                runs=runs,
                files=files,
                people=people,
            )

    async def state(self, request: Request) -> Response:
        """What the page's script asks for, to show the news as soon as there is any."""
        with self.look.lock:
            issue = self._issue(request)
            return JSONResponse(standing(issue)) if issue is not None else PlainTextResponse("Not found", 404)

    def _files(self, issue: Issue) -> list[FileChange]:
        if issue.pull is None:
            return []
        git, pull = issue.repository.git, issue.pull
        return git.changes(git.merge_base(pull.base_sha, pull.head_sha), pull.head_sha)

    async def tree_or_blob(self, request: Request) -> Response:
        """A file with numbered lines (`#L3`), or a directory, at a commit or a branch."""
        with self.look.lock:
            repo = self._repository(request)
            found = self._rev_and_path(repo, request.path_params["rest"]) if repo is not None else None
            if repo is None or found is None:
                return PlainTextResponse("Not found", 404)
            (sha, path), members, lines = found, None, None
            entry = repo.git.entry(sha, path)
            if isinstance(entry, pygit2.Tree):
                members = [(str(member.name), repo.git.kind(member)) for member in entry]
            elif isinstance(entry, pygit2.Blob):
                shown = not entry.is_binary and entry.size <= LONGEST_FILE
                lines = entry.data.decode("utf-8", "replace").splitlines() if shown else None
            else:
                return PlainTextResponse("Not found", 404)
            return self._page("blob.html", repo=repo, sha=sha, path=path, members=members, lines=lines)

    def _rev_and_path(self, repo: Repository, rest: str) -> tuple[str, str] | None:
        """Splits `rev/path`, where the rev may be a branch with slashes."""
        parts = rest.strip("/").split("/")
        for end in range(1, len(parts) + 1):
            sha = repo.git.resolve("/".join(parts[:end]))
            if sha is not None:
                return sha, "/".join(parts[end:])
        return None

    async def commit(self, request: Request) -> Response:
        with self.look.lock:
            repo = self._repository(request)
            sha = repo.git.commit_id(request.path_params["sha"]) if repo is not None else None
            if repo is None or sha is None:
                return PlainTextResponse("Not found", 404)
            commit = repo.git.commit_object(sha)
            files = repo.git.changes(str(commit.parent_ids[0]) if commit.parent_ids else None, sha)
            author, message = commit.author.name, commit.message
            return self._page("commit.html", repo=repo, sha=sha, files=files, author=author, message=message)

    async def run(self, request: Request) -> Response:
        with self.look.lock:
            repo = self._repository(request)
            for run in repo.runs if repo is not None else ():
                if run.id == request.path_params["run"]:
                    return self._page("run.html", repo=repo, run=run)
            return PlainTextResponse("Not found", 404)

    # ---- forms -----------------------------------------------------------------------------------
    async def act(self, request: Request) -> Response:
        """A form of a conversation's page, as forms.py reads it; leads back to the page, at what was said."""
        raw = await request.body()
        issue = self._issue(request)
        if issue is None or len(raw) > LONGEST_FORM:
            return PlainTextResponse("Not found" if issue is None else "Too large", 404 if issue is None else 413)
        try:
            anchor = carry_out(self.look, issue, dict(parse_qsl(raw.decode("utf-8", "replace"))))
        except (KeyError, ValueError, AssertionError) as error:
            return PlainTextResponse(f"Refused: {error}", 400)
        return RedirectResponse(self.look.shapes.page(issue).removeprefix(self.look.url) + anchor, 303)


View = Callable[[Request], Awaitable[Response]]


def page_routes(look: Lookalike) -> list[BaseRoute]:
    """Everything that people see. The API has paths of the same form, `/repositories/7/issues/1` for one: a page is of
    a known repository only."""
    views = Views(look)

    class Known(Route):
        def matches(self, scope: Scope) -> tuple[Match, Scope]:
            match, child = super().matches(scope)
            params = child.get("path_params", {})
            name = f"{params.get('owner')}/{params.get('repo')}".lower()
            known = name in look.repositories or name in look.former_names
            return (match, child) if known else (Match.NONE, {})

    thread = "/{owner}/{repo}/%s/{number:int}"
    pages: list[tuple[str, View, str]] = [
        (thread % "pull", views.conversation, "GET"),
        (thread % "issues", views.conversation, "GET"),
        (thread % "pull" + "/state", views.state, "GET"),
        (thread % "issues" + "/state", views.state, "GET"),
        ("/{owner}/{repo}/blob/{rest:path}", views.tree_or_blob, "GET"),
        ("/{owner}/{repo}/tree/{rest:path}", views.tree_or_blob, "GET"),
        ("/{owner}/{repo}/commit/{sha}", views.commit, "GET"),
        ("/{owner}/{repo}/runs/{run:int}", views.run, "GET"),
        (thread % "pull", views.act, "POST"),
        (thread % "issues", views.act, "POST"),
    ]
    routes: list[BaseRoute] = [Known(path, view, methods=[method]) for path, view, method in pages]
    return [
        Route("/", views.home, methods=["GET"]),
        Route("/favicon.ico", lambda _: Response(status_code=204)),
        *routes,
        Known("/{owner}/{repo}", views.repository, methods=["GET"]),
    ]
