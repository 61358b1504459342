"""The parts of GitHub's answers that we read, tolerantly: other fields are ignored, absent ones have a default."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class User(_Model):
    id: int
    login: str
    type: str = "User"


class AppRef(_Model):
    id: int
    slug: str | None = None


class Label(_Model):
    name: str
    color: str | None = None
    description: str | None = None


class Repository(_Model):
    id: int
    name: str
    full_name: str
    private: bool = True
    default_branch: str = "main"
    archived: bool = False
    pushed_at: str | None = None
    updated_at: str | None = None


class Repositories(_Model):
    # required: an answer without it must not read as "there is none"
    repositories: tuple[Repository, ...]


class Branch(_Model):
    """One side of a pull request; `repo` is null when the fork was deleted."""

    ref: str
    sha: str
    repo: Repository | None = None


class Pull(_Model):
    number: int
    node_id: str | None = None
    state: str
    title: str = ""
    body: str | None = None
    draft: bool = False
    merged: bool = False
    commits: int | None = None
    changed_files: int | None = None
    user: User | None = None
    head: Branch
    base: Branch
    labels: tuple[Label, ...] = ()
    html_url: str = ""
    updated_at: str | None = None

    @property
    def open(self) -> bool:
        return self.state == "open"

    @property
    def from_fork(self) -> bool:
        return self.head.repo is None or self.base.repo is None or self.head.repo.id != self.base.repo.id


class PullRef(_Model):
    """What an issue carries when it is a pull request."""

    url: str | None = None


class Issue(_Model):
    number: int
    state: str = "open"
    title: str = ""
    body: str | None = None
    user: User | None = None
    labels: tuple[Label, ...] = ()
    pull_request: PullRef | None = None
    locked: bool = False
    html_url: str = ""
    updated_at: str | None = None


class Comment(_Model):
    id: int
    body: str | None = None
    user: User | None = None
    performed_via_github_app: AppRef | None = None
    html_url: str = ""
    updated_at: str | None = None


class CheckOutput(_Model):
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations_count: int = 0


class CheckRun(_Model):
    id: int
    name: str
    head_sha: str
    status: str
    conclusion: str | None = None
    external_id: str | None = None
    app: AppRef | None = None
    output: CheckOutput = CheckOutput()
    html_url: str | None = None


class CheckRuns(_Model):
    # required: an answer without it must not read as "there is none"
    check_runs: tuple[CheckRun, ...]


class Annotation(_Model):
    """One annotation as GitHub reads it back."""

    path: str
    start_line: int
    end_line: int
    annotation_level: str | None = None
    title: str | None = None
    message: str | None = None


class CommitRef(_Model):
    sha: str


class Commit(_Model):
    sha: str
    parents: tuple[CommitRef, ...] = ()


class Comparison(_Model):
    merge_base_commit: Commit
    status: str = ""
    ahead_by: int = 0
    behind_by: int = 0


class Collaborator(_Model):
    """`permission` is none, read, write or admin; `role_name` tells triage and maintain apart."""

    permission: str = "none"
    role_name: str | None = None


class InstallationToken(_Model):
    token: str = Field(repr=False)
    expires_at: str
    permissions: dict[str, str] = Field(default_factory=dict)


class InstallationInfo(_Model):
    id: int
    app_id: int | None = None
    app_slug: str | None = None
    html_url: str | None = None
    account: User | None = None
    permissions: dict[str, str] = Field(default_factory=dict)
    suspended_at: str | None = None
    created_at: str | None = None


class AppInfo(_Model):
    id: int
    slug: str | None = None
    name: str = ""
    html_url: str | None = None


class HookDelivery(_Model):
    id: int
    guid: str
    delivered_at: str
    redelivery: bool = False
    status: str = ""
    status_code: int = 0
    event: str = ""
    action: str | None = None
    installation_id: int | None = None
