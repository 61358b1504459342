"""What the operations answer; every answer here is held against GitHub's description too."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import httpx
import pytest

from tests.lookalike import Symlink
from tests.lookalike.asking import WIDGETS, as_app, client, token
from tests.lookalike.fixtures import KeyPair
from tests.lookalike.gitstore import Content
from tests.lookalike.people import Lookalike
from tests.lookalike.state import App, Installation, Issue, Repository

KNOWN_FLAWS = (
    "labels[0].description: null is not",  # GitHub sends null; only its schema of listed pull requests says string
    "response[0].account",  # listed installations are described as a user and an enterprise at once
)


@pytest.fixture
def http(github: Lookalike, acme_installation: Installation, app_keys: KeyPair) -> Iterator[httpx.Client]:
    github.check_answers = True
    with client(github, token(github, acme_installation, app_keys)) as http:
        yield http
    assert [p for p in github.answer_problems if not any(flaw in p for flaw in KNOWN_FLAWS)] == []


@pytest.fixture
def pull(github: Lookalike, widgets: Repository) -> Issue:
    files = {"docs/plans/a.md": "# A plan\n", "src/widgets/core.py": "def make() -> None: ...\n"}
    return github.open_pull(widgets, "docs/plan", files, title="A plan", body="Closes #2", draft=True)


def head(pull: Issue) -> str:
    assert pull.pull is not None
    return pull.pull.head_sha


def test_a_pull_request_shows_its_ends_and_is_a_draft(http: httpx.Client, pull: Issue, widgets: Repository) -> None:
    shown = http.get(f"{WIDGETS}/pulls/1").json()
    assert (shown["draft"], shown["state"], shown["changed_files"], shown["commits"]) == (True, "open", 2, 1)
    assert (shown["head"]["ref"], shown["head"]["sha"]) == ("docs/plan", widgets.git.branch("docs/plan"))
    assert shown["base"]["sha"] == widgets.git.branch("main")
    assert widgets.git.resolve("refs/pull/1/head") == shown["head"]["sha"]


def test_files_of_a_pull_request_come_in_pages(github: Lookalike, http: httpx.Client, widgets: Repository) -> None:
    github.open_pull(widgets, "many", {f"docs/{n:03}.md": "x\n" for n in range(205)})
    first = http.get(f"{WIDGETS}/pulls/1/files", params={"per_page": 100})
    second = http.get(first.links["next"]["url"])
    third = http.get(second.links["next"]["url"])
    assert [len(page.json()) for page in (first, second, third)] == [100, 100, 5]
    assert "next" not in third.links
    assert first.json()[0]["status"] == "added"


def test_comments_come_in_pages_that_links_lead_through(github: Lookalike, http: httpx.Client, pull: Issue) -> None:
    for n in range(65):
        github.comment(pull, f"comment {n}")
    page, seen = http.get(f"{WIDGETS}/issues/1/comments"), []
    while True:
        seen += [comment["body"] for comment in page.json()]
        if "next" not in page.links:
            break
        page = http.get(page.links["next"]["url"])
    assert seen == [f"comment {n}" for n in range(65)]
    assert set(page.links) == {"prev", "first"}


def test_an_apps_comment_says_which_app_wrote_it(http: httpx.Client, pull: Issue, acme_app: App) -> None:
    made = http.post(f"{WIDGETS}/issues/1/comments", json={"body": "one"}).json()
    assert made["user"]["login"] == "planproof[bot]"
    assert made["performed_via_github_app"]["id"] == acme_app.id
    http.patch(f"{WIDGETS}/issues/comments/{made['id']}", json={"body": "two"})
    assert [comment["body"] for comment in http.get(f"{WIDGETS}/issues/1/comments").json()] == ["two"]
    assert http.delete(f"{WIDGETS}/issues/comments/{made['id']}").status_code == 204
    assert http.get(f"{WIDGETS}/issues/comments/{made['id']}").status_code == 404


def test_label_names_have_no_case_and_a_missing_one_is_made_grey(http: httpx.Client, pull: Issue) -> None:
    made = {"name": "plan/needs-fix", "color": "d93f0b", "description": "The plan disagrees"}
    assert http.post(f"{WIDGETS}/labels", json=made).status_code == 201
    again = http.post(f"{WIDGETS}/labels", json=made | {"name": "Plan/Needs-Fix"})
    assert again.json()["errors"][0]["code"] == "already_exists"
    worn = http.post(f"{WIDGETS}/issues/1/labels", json={"labels": ["PLAN/needs-fix", "fresh"]}).json()
    assert [(label["name"], label["color"]) for label in worn] == [("plan/needs-fix", "d93f0b"), ("fresh", "ededed")]
    assert http.get(f"{WIDGETS}/labels/plan%2Fneeds-fix").json()["description"] == "The plan disagrees"
    left = http.delete(f"{WIDGETS}/issues/1/labels/plan%2Fneeds-fix")
    assert [label["name"] for label in left.json()] == ["fresh"]
    gone = http.delete(f"{WIDGETS}/issues/1/labels/plan%2Fneeds-fix")
    assert (gone.status_code, gone.json()["message"]) == (404, "Label does not exist")


def test_a_missing_label_takes_issues_write_even_on_a_pull_request(
    github: Lookalike, http: httpx.Client, pull: Issue, acme_installation: Installation, app_keys: KeyPair
) -> None:
    secret = token(github, acme_installation, app_keys, permissions={"pull_requests": "write"})
    with client(github, secret) as narrow:
        assert narrow.post(f"{WIDGETS}/issues/1/labels", json={"labels": ["new"]}).status_code == 403
        assert narrow.post(f"{WIDGETS}/labels", json={"name": "new"}).status_code == 201
        assert narrow.post(f"{WIDGETS}/issues/1/labels", json={"labels": ["new"]}).status_code == 200


def test_the_latest_check_run_of_a_name_hides_the_older(http: httpx.Client, pull: Issue, acme_app: App) -> None:
    body = {"name": "planproof", "head_sha": head(pull), "external_id": "a"}
    old = http.post(f"{WIDGETS}/check-runs", json=body).json()
    new = http.post(f"{WIDGETS}/check-runs", json=body | {"external_id": "b", "conclusion": "success"}).json()
    path = f"{WIDGETS}/commits/{head(pull)}/check-runs"
    latest = http.get(path, params={"app_id": acme_app.id, "check_name": "planproof"}).json()
    assert [run["id"] for run in latest["check_runs"]] == [new["id"]]
    every = http.get(path, params={"filter": "all"}).json()
    assert [run["id"] for run in every["check_runs"]] == [new["id"], old["id"]]
    assert http.get(path, params={"app_id": 1}).json()["total_count"] == 0
    assert [one["number"] for one in new["pull_requests"]] == [1]


def test_a_check_run_on_a_forks_head_names_no_pull_request(
    github: Lookalike, http: httpx.Client, widgets: Repository
) -> None:
    pull = github.open_pull(widgets, "idea", {"PLAN.md": "# Plan\n"}, user="stranger", fork=True)
    run = http.post(f"{WIDGETS}/check-runs", json={"name": "planproof", "head_sha": head(pull)}).json()
    assert run["pull_requests"] == []
    found = http.get(f"{WIDGETS}/commits/{head(pull)}/pulls").json()
    assert [(one["number"], one["head"]["repo"]["full_name"]) for one in found] == [(pull.number, "stranger/widgets")]


def test_compare_starts_at_the_merge_base(
    github: Lookalike, http: httpx.Client, pull: Issue, widgets: Repository
) -> None:
    fork_point = widgets.git.branch("main")
    github.push(widgets, "main", {"later.txt": "x\n"}, user="writer")
    shown = http.get(f"{WIDGETS}/compare/main...docs/plan").json()
    assert shown["merge_base_commit"]["sha"] == fork_point
    assert (shown["status"], shown["ahead_by"], shown["behind_by"]) == ("diverged", 1, 1)
    assert [file["filename"] for file in shown["files"]] == ["docs/plans/a.md", "src/widgets/core.py"]
    assert http.get(f"{WIDGETS}/compare/main...nothing").status_code == 404


def test_contents_come_raw_in_base64_and_as_a_directory(
    github: Lookalike, http: httpx.Client, widgets: Repository
) -> None:
    files: dict[str, Content] = {
        "link": Symlink("README.md"),
        "out": Symlink("/etc/passwd"),
        "big.bin": b"\0" * 1_000_001,
    }
    github.push(widgets, "main", files)
    readme = b"# Widgets\n\nMakes widgets.\n"
    shown = http.get(f"{WIDGETS}/contents/README.md").json()
    assert base64.b64decode(shown["content"]) == readme
    raw = http.get(f"{WIDGETS}/contents/README.md", headers={"accept": "application/vnd.github.raw+json"})
    assert raw.content == readme
    assert base64.b64decode(http.get(f"{WIDGETS}/contents/link").json()["content"]) == readme
    assert http.get(f"{WIDGETS}/contents/out").json()["target"] == "/etc/passwd"
    assert http.get(f"{WIDGETS}/contents/big.bin").json()["encoding"] == "none"
    assert [one["name"] for one in http.get(f"{WIDGETS}/contents/src/widgets").json()] == ["__init__.py", "core.py"]
    assert http.get(f"{WIDGETS}/contents/nothing").status_code == 404
    assert http.get(f"{WIDGETS}/contents/README.md", params={"ref": "nothing"}).status_code == 404


@pytest.mark.parametrize(
    ("login", "permission", "role"),
    [
        ("author", "write", "write"),
        ("triager", "read", "triage"),
        ("owner", "admin", "admin"),
        ("stranger", "read", "read"),
    ],
)
def test_permission_of_a_person(http: httpx.Client, login: str, permission: str, role: str) -> None:
    shown = http.get(f"{WIDGETS}/collaborators/{login}/permission").json()
    assert (shown["permission"], shown["role_name"]) == (permission, role)


def test_a_stranger_has_no_permission_in_a_private_repository(github: Lookalike, http: httpx.Client) -> None:
    github.create_repository("acme/secrets", private=True)
    assert http.get("/repos/acme/secrets/collaborators/stranger/permission").json()["permission"] == "none"
    assert http.get("/repos/acme/secrets/collaborators/nobody-at-all/permission").status_code == 404


def test_one_person_reacts_once_with_each_content(github: Lookalike, http: httpx.Client, pull: Issue) -> None:
    comment = github.comment(pull, "/plan verify")
    path = f"{WIDGETS}/issues/comments/{comment.id}/reactions"
    assert [http.post(path, json={"content": c}).status_code for c in ("eyes", "eyes", "rocket")] == [201, 200, 201]
    assert [reaction["content"] for reaction in http.get(path).json()] == ["eyes", "rocket"]
    assert http.delete(f"{path}/{comment.reactions[0].id}").status_code == 204


def test_issues_are_listed_by_state_label_and_time(github: Lookalike, http: httpx.Client, widgets: Repository) -> None:
    old = github.open_issue(widgets, "Old", labels=["workplan"])
    new = github.open_issue(widgets, "New", "body")
    github.close_issue(old)
    assert [one["title"] for one in http.get(f"{WIDGETS}/issues").json()] == ["New"]
    shown = http.get(f"{WIDGETS}/issues", params={"state": "all", "labels": "WORKPLAN"}).json()
    assert [one["title"] for one in shown] == ["Old"]
    moment = new.updated_at.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert len(http.get(f"{WIDGETS}/issues", params={"state": "all", "since": moment}).json()) == 2
    edited = http.patch(f"{WIDGETS}/issues/{new.number}", json={"title": "Newer", "state": "closed"}).json()
    assert (edited["title"], edited["state"]) == ("Newer", "closed")


def test_an_app_can_open_a_draft_pull_request(github: Lookalike, http: httpx.Client, widgets: Repository) -> None:
    github.push(widgets, "written", {"docs/plans/b.md": "# B\n"})
    body = {"title": "B", "head": "written", "base": "main", "draft": True}
    assert http.post(f"{WIDGETS}/pulls", json=body).json()["draft"] is True
    again = http.post(f"{WIDGETS}/pulls", json=body)
    assert again.json()["errors"][0]["message"] == "A pull request already exists for acme:written."
    assert http.post(f"{WIDGETS}/pulls", json=body | {"head": "nothing"}).status_code == 422


def test_the_rest_of_what_is_read(
    github: Lookalike, http: httpx.Client, pull: Issue, acme_app: App, app_keys: KeyPair
) -> None:
    issue = github.open_issue(pull.repository, "An issue")
    suite = pull.repository.suites[0]
    for path in (
        WIDGETS,
        f"{WIDGETS}/branches/docs/plan",
        f"{WIDGETS}/git/ref/heads/main",
        f"{WIDGETS}/commits?path=README.md",
        f"{WIDGETS}/commits/docs/plan",
        f"{WIDGETS}/commits/docs/plan/check-suites",
        f"{WIDGETS}/check-suites/{suite.id}",
        f"{WIDGETS}/check-suites/{suite.id}/check-runs",
        f"{WIDGETS}/issues/{issue.number}",
        f"{WIDGETS}/issues/comments",
        f"{WIDGETS}/issues/1/labels",
        f"{WIDGETS}/issues/1/reactions",
        f"{WIDGETS}/labels",
        f"{WIDGETS}/pulls",
        f"{WIDGETS}/pulls/1/commits",
        "/installation/repositories",
        "/rate_limit",
        "/users/author",
    ):
        assert http.get(path).status_code == 200, path
    installation = f"/app/installations/{next(iter(github.installations))}"
    with as_app(github, acme_app, app_keys) as app:
        for path in ("/app", "/app/installations", installation, f"{WIDGETS}/installation", "/orgs/acme/installation"):
            assert app.get(path).status_code == 200, path
        assert app.get("/app/hook/config").status_code == 200
