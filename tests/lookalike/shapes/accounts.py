"""People, Apps, installations and repositories, and what every shape is made with."""

from __future__ import annotations

import base64
from datetime import datetime

from tests.lookalike.state import ROLE_PERMISSION, Account, App, Installation, Json, Repository

USER_URLS = (
    "followers following{/other_user} gists{/gist_id} starred{/owner}{/repo} subscriptions orgs repos "
    "events{/privacy} received_events"
)
REPO_URLS = (
    "{archive_format}{/ref}:archive assignees{/user} git/blobs{/sha} branches{/branch} collaborators{/collaborator} "
    "comments{/number} commits{/sha} compare/{base}...{head} contents/{+path} contributors deployments downloads "
    "events forks git/commits{/sha} git/refs{/sha} git/tags{/sha} hooks issues/comments{/number} "
    "issues/events{/number} issues{/number} keys{/key_id} labels{/name} languages merges milestones{/number} "
    "notifications{?since,all,participating} pulls{/number} releases{/id} stargazers statuses/{sha} subscribers "
    "subscription tags teams git/trees{/sha}"
)
URL_NAMES = {
    "git/blobs": "blobs",
    "git/commits": "git_commits",
    "git/refs": "git_refs",
    "git/tags": "git_tags",
    "git/trees": "trees",
    "issues/comments": "issue_comment",
    "issues/events": "issue_events",
    "orgs": "organizations",
}


def stamp(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def maybe(when: datetime | None) -> str | None:
    return stamp(when) if when is not None else None


def node(kind: str, number: int) -> str:
    return base64.b64encode(f"{kind}{number}".encode()).decode()


def _urls(root: str, templates: str) -> Json:
    found: Json = {}
    for template in templates.split():
        path, _, alias = template.partition(":")
        stem = path.split("{")[0].rstrip("/") or alias
        found[f"{URL_NAMES.get(stem, stem)}_url"] = f"{root}/{path}"
    return found


class AccountShapes:
    """`url` is the address that the look-alike is reached at: API, pages and git live on the same one."""

    def __init__(self, url: str) -> None:
        self.url = url

    def account(self, account: Account) -> Json:
        api = f"{self.url}/users/{account.login}"
        return {
            "login": account.login,
            "id": account.id,
            "node_id": node("U", account.id),
            "avatar_url": f"{self.url}/avatars/{account.login}",
            "gravatar_id": "",
            "url": api,
            "html_url": f"{self.url}/{account.login}",
            **_urls(api, USER_URLS),
            "type": account.kind,
            "user_view_type": "public",
            "site_admin": False,
        }

    def app(self, app: App) -> Json:
        return {
            "id": app.id,
            "client_id": app.client_id,
            "slug": app.slug,
            "node_id": node("A", app.id),
            "owner": self.account(app.owner),
            "name": app.name,
            "description": "",
            "external_url": f"{self.url}/apps/{app.slug}",
            "html_url": f"{self.url}/apps/{app.slug}",
            "created_at": stamp(app.created_at),
            "updated_at": stamp(app.created_at),
            "permissions": app.permissions,
            "events": app.events,
        }

    def installation(self, installation: Installation) -> Json:
        account, number = installation.account, installation.id
        return {
            "id": number,
            "client_id": installation.app.client_id,
            "account": self.account(account),
            "repository_selection": "all" if installation.repositories is None else "selected",
            "access_tokens_url": f"{self.url}/app/installations/{number}/access_tokens",
            "repositories_url": f"{self.url}/installation/repositories",
            "html_url": f"{self.url}/organizations/{account.login}/settings/installations/{number}",
            "app_id": installation.app.id,
            "app_slug": installation.app.slug,
            "target_id": account.id,
            "target_type": account.kind,
            "permissions": installation.permissions,
            "events": installation.events,
            "created_at": stamp(installation.created_at),
            "updated_at": stamp(installation.created_at),
            "single_file_name": None,
            "has_multiple_single_files": False,
            "single_file_paths": [],
            "suspended_by": self.account(account) if installation.suspended else None,
            "suspended_at": maybe(installation.suspended_at),
        }

    def permission(self, user: Account, role: str) -> Json:
        level = ROLE_PERMISSION.get(role, role)
        order = ("pull", "triage", "push", "maintain", "admin")
        reached = {"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}[role]
        return {
            "permission": level,
            "role_name": role,
            "user": {
                **self.account(user),
                "permissions": {name: reached > i for i, name in enumerate(order)},
                "role_name": role,
            },
        }

    def repository(self, repo: Repository, *, full: bool = False) -> Json:
        api, page = f"{self.url}/repos/{repo.full_name}", f"{self.url}/{repo.full_name}"
        open_issues = sum(issue.state == "open" for issue in repo.issues.values())
        shape = {
            "id": repo.id,
            "node_id": node("R", repo.id),
            "name": repo.name,
            "full_name": repo.full_name,
            "owner": self.account(repo.owner),
            "private": repo.private,
            "html_url": page,
            "description": repo.description,
            "fork": repo.parent is not None,
            "url": api,
            **_urls(api, REPO_URLS),
            "clone_url": f"{page}.git",
            "git_url": f"{page}.git",
            "ssh_url": f"{page}.git",
            "svn_url": page,
            "mirror_url": None,
            "homepage": None,
            "language": None,
            "license": None,
            "forks": 0,
            "forks_count": 0,
            "stargazers_count": 0,
            "watchers": 0,
            "watchers_count": 0,
            "size": 1,
            "default_branch": repo.default_branch,
            "open_issues": open_issues,
            "open_issues_count": open_issues,
            "topics": [],
            "has_issues": True,
            "has_projects": False,
            "has_wiki": False,
            "has_pages": False,
            "has_downloads": False,
            "is_template": False,
            "web_commit_signoff_required": False,
            "has_discussions": False,
            "archived": repo.archived,
            "disabled": False,
            "visibility": "private" if repo.private else "public",
            "pushed_at": stamp(repo.pushed_at),
            "created_at": stamp(repo.created_at),
            "updated_at": stamp(repo.changed_at or repo.pushed_at),
        }
        if full:
            shape |= {"network_count": 0, "subscribers_count": 0}
            if repo.parent is not None:
                shape |= {"parent": self.repository(repo.parent), "source": self.repository(repo.parent)}
        return shape

    def short_repository(self, repo: Repository) -> Json:
        return {"id": repo.id, "node_id": node("R", repo.id), "name": repo.name, "full_name": repo.full_name} | {
            "private": repo.private
        }
