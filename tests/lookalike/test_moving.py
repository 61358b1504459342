"""Repositories that are renamed, archived and deleted; issues that move and are locked; the merge queue."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.lookalike.asking import WIDGETS, as_app, client, token
from tests.lookalike.fixtures import KeyPair
from tests.lookalike.people import Lookalike
from tests.lookalike.state import Installation, Issue, Repository


@pytest.fixture
def http(github: Lookalike, acme_installation: Installation, app_keys: KeyPair) -> Iterator[httpx.Client]:
    github.check_answers = True
    with client(github, token(github, acme_installation, app_keys)) as http:
        yield http
    assert github.answer_problems == []


@pytest.fixture
def issue(github: Lookalike, widgets: Repository) -> Issue:
    return github.open_issue(widgets, "An issue", "text", user="author")


# ---- renamed -------------------------------------------------------------------------------------
def test_the_old_name_of_a_repository_leads_to_its_number(
    github: Lookalike, http: httpx.Client, widgets: Repository, issue: Issue
) -> None:
    github.rename(widgets, "gadgets")
    home = f"{github.url}/repositories/{widgets.id}"
    read = http.get(f"{WIDGETS}/issues?state=all")
    assert (read.status_code, read.headers["location"]) == (301, f"{home}/issues?state=all")
    assert read.json()["message"] == "Moved Permanently"
    write = http.post(f"{WIDGETS}/issues/1/comments", json={"body": "x"})
    assert (write.status_code, write.headers["location"]) == (307, f"{home}/issues/1/comments")
    assert issue.comments == []
    followed = http.post(f"{WIDGETS}/issues/1/comments", json={"body": "x"}, follow_redirects=True)
    assert (followed.status_code, [c.body for c in issue.comments]) == (201, ["x"])
    assert http.get("/repos/acme/gadgets").json()["full_name"] == "acme/gadgets"
    [told] = github.outbox.of("repository", "renamed")
    assert told.payload["changes"] == {"repository": {"name": {"from": "widgets"}}}
    assert told.payload["repository"]["full_name"] == "acme/gadgets"


def test_who_may_not_see_a_repository_is_not_told_where_it_went(
    github: Lookalike, http: httpx.Client, acme_installation: Installation
) -> None:
    hidden = github.create_repository("other/hidden", private=True)
    github.rename(hidden, "gone")
    assert http.get("/repos/other/hidden").status_code == 404


def test_an_app_finds_its_installation_by_an_old_name(
    github: Lookalike, acme_installation: Installation, widgets: Repository, app_keys: KeyPair
) -> None:
    github.rename(widgets, "gadgets")
    with as_app(github, acme_installation.app, app_keys) as http:
        found = http.get(f"{WIDGETS}/installation", follow_redirects=True)
    assert found.json()["id"] == acme_installation.id


def test_git_follows_a_rename(github: Lookalike, widgets: Repository, tmp_path: Path) -> None:
    github.rename(widgets, "gadgets")
    for name, address in (("http", github.git_http_url), ("disk", github.git_path_url)):
        source = address.format(owner="acme", repo="widgets")
        subprocess.run(["git", "clone", "-q", source, tmp_path / name], check=True, capture_output=True)
        assert (tmp_path / name / "README.md").is_file()


def test_a_new_repository_takes_the_old_name(github: Lookalike, http: httpx.Client, widgets: Repository) -> None:
    github.rename(widgets, "gadgets")
    fresh = github.create_repository("acme/widgets", {"other.md": "x"})
    assert http.get(WIDGETS).json()["id"] == fresh.id
    assert fresh.git.branch("main") != widgets.git.branch("main")


def test_a_renamed_repository_can_have_its_name_back(
    github: Lookalike, http: httpx.Client, widgets: Repository
) -> None:
    github.rename(widgets, "gadgets")
    github.rename(widgets, "widgets")
    assert http.get(f"{WIDGETS}/contents/README.md").status_code == 200
    assert http.get("/repos/acme/gadgets").status_code == 301


# ---- transferred, archived, deleted --------------------------------------------------------------
def test_a_repository_given_away_is_out_of_sight(github: Lookalike, http: httpx.Client, widgets: Repository) -> None:
    github.transfer_repository(widgets, "elsewhere")
    assert http.get(WIDGETS).status_code == 404
    assert http.get("/repos/elsewhere/widgets").status_code == 404
    # only the new owner is told of the transfer itself
    assert github.outbox.of("repository", "transferred") == []
    assert len(github.outbox.of("installation_repositories", "removed")) == 1


def test_nothing_is_written_in_an_archived_repository(
    github: Lookalike, http: httpx.Client, widgets: Repository, issue: Issue
) -> None:
    github.archive(widgets)
    for method, path, body in (
        ("POST", "/issues/1/comments", {"body": "x"}),
        ("POST", "/issues/1/labels", {"labels": ["x"]}),
        ("POST", "/check-runs", {"name": "planproof", "head_sha": widgets.git.branch("main")}),
        ("POST", "/issues/1/reactions", {"content": "eyes"}),
    ):
        answer = http.request(method, WIDGETS + path, json=body)
        assert (answer.status_code, answer.json()["message"]) == (403, "Repository was archived so is read-only.")
    assert http.get(f"{WIDGETS}/issues/1").status_code == 200
    assert http.get(WIDGETS).json()["archived"] is True
    assert github.outbox.of("repository", "archived")[0].payload["repository"]["archived"] is True
    github.unarchive(widgets)
    assert http.post(f"{WIDGETS}/issues/1/comments", json={"body": "x"}).status_code == 201


def test_a_private_repository_says_so(github: Lookalike, http: httpx.Client, widgets: Repository) -> None:
    github.privatize(widgets)
    assert github.outbox.of("repository", "privatized")[0].payload["repository"]["private"] is True
    assert http.get(WIDGETS).json()["visibility"] == "private"


def test_a_deleted_repository_is_gone(github: Lookalike, http: httpx.Client, widgets: Repository) -> None:
    github.rename(widgets, "gadgets")
    github.delete_repository(widgets)
    assert len(github.outbox.of("repository", "deleted")) == 1
    [lost] = github.outbox.of("installation_repositories", "removed")
    assert [repo["full_name"] for repo in lost.payload["repositories_removed"]] == ["acme/gadgets"]
    assert http.get("/repos/acme/gadgets").status_code == 404
    assert http.get(WIDGETS).status_code == 404
    assert not widgets.git.path.exists()


def test_a_deleted_label_is_gone_from_every_issue(
    github: Lookalike, http: httpx.Client, widgets: Repository, issue: Issue
) -> None:
    github.label(issue, "Plan", "kept")
    github.delete_label(widgets, "plan")
    assert github.labels(issue) == ["kept"]
    assert http.get(f"{WIDGETS}/labels/Plan").status_code == 404
    answer = http.delete(f"{WIDGETS}/issues/1/labels/Plan")
    assert (answer.status_code, answer.json()["message"]) == (404, "Label does not exist")


# ---- issues --------------------------------------------------------------------------------------
def test_a_transferred_issue_takes_its_comments_along(
    github: Lookalike, http: httpx.Client, widgets: Repository, issue: Issue
) -> None:
    gadgets = github.create_repository("acme/gadgets")
    github.add_label(gadgets, "workplan")
    github.label(issue, "workplan", "unknown there")
    comment = github.comment(issue, "a word")
    moved = github.transfer_issue(issue, gadgets)
    assert ([c.body for c in moved.comments], github.labels(moved)) == (["a word"], ["workplan"])
    answer = http.get(f"{WIDGETS}/issues/1/comments")
    where = f"{github.url}/repositories/{gadgets.id}/issues/1/comments"
    assert (answer.status_code, answer.headers["location"]) == (301, where)
    assert http.post(f"{WIDGETS}/issues/1/comments", json={"body": "x"}).status_code == 301
    assert http.get(where).json()[0]["body"] == "a word"
    assert http.get(f"{WIDGETS}/issues/comments/{comment.id}").status_code == 404
    [gone], [come] = github.outbox.of("issues", "transferred"), github.outbox.of("issues", "opened")[1:]
    assert gone.payload["repository"]["name"] == "widgets"
    assert gone.payload["changes"]["new_issue"]["id"] == come.payload["issue"]["id"] == moved.id
    assert come.payload["changes"]["old_repository"]["name"] == "widgets"
    # the number is not given away again
    assert github.open_issue(widgets, "The next").number == 2


def test_an_issue_that_went_out_of_sight_is_not_found(github: Lookalike, http: httpx.Client, issue: Issue) -> None:
    elsewhere = github.create_repository("other/secret", private=True)
    github.transfer_issue(issue, elsewhere)
    assert http.get(f"{WIDGETS}/issues/1").status_code == 404
    assert len(github.outbox.of("issues", "opened")) == 1


def test_a_locked_conversation_takes_no_comment_and_no_reaction(
    github: Lookalike, http: httpx.Client, widgets: Repository, issue: Issue
) -> None:
    pull = github.open_pull(widgets, "plan", {"a.md": "x\n"})
    said = github.comment(pull, "x")
    [line] = github.review(pull, comments=[("a.md", 1, "y")]).comments
    github.lock_conversation(pull)
    for path, body in (
        (f"/issues/{pull.number}/comments", {"body": "x"}),
        (f"/issues/comments/{said.id}/reactions", {"content": "eyes"}),
        (f"/pulls/comments/{line.id}/reactions", {"content": "eyes"}),
        (f"/issues/{pull.number}/reactions", {"content": "eyes"}),
    ):
        answer = http.post(WIDGETS + path, json=body)
        message = "Unable to create comment because issue is locked."
        assert (answer.status_code, answer.json()["message"]) == (403, message), path
    assert http.post(f"{WIDGETS}/issues/{pull.number}/labels", json={"labels": ["x"]}).status_code == 200
    assert github.outbox.of("pull_request", "locked")[0].payload["pull_request"]["locked"] is True
    assert http.post(f"{WIDGETS}/issues/{issue.number}/comments", json={"body": "x"}).status_code == 201
    github.unlock_conversation(pull)
    assert http.post(f"{WIDGETS}/issues/{pull.number}/comments", json={"body": "x"}).status_code == 201


# ---- the merge queue -----------------------------------------------------------------------------
def test_a_merge_group_is_a_merge_commit_on_its_own_branch(
    github: Lookalike, http: httpx.Client, widgets: Repository
) -> None:
    pull = github.open_pull(widgets, "plan", {"a.md": "x\n"})
    base = widgets.git.branch("main")
    sha = github.enqueue(pull)
    [told] = github.outbox.of("merge_group", "checks_requested")
    group, branch = told.payload["merge_group"], f"gh-readonly-queue/main/pr-1-{base}"
    assert (group["head_sha"], group["head_ref"]) == (sha, f"refs/heads/{branch}")
    assert (group["base_sha"], group["base_ref"]) == (base, "refs/heads/main")
    assert group["head_commit"]["id"] == sha
    assert told.payload["installation"]["id"]
    assert widgets.git.branch(branch) == sha
    assert pull.pull is not None
    assert [str(one) for one in widgets.git.commit_object(sha).parent_ids] == [base, pull.pull.head_sha]
    run = {"name": "planproof", "head_sha": sha, "conclusion": "success", "output": {"title": "t", "summary": "s"}}
    assert http.post(f"{WIDGETS}/check-runs", json=run).status_code == 201
    github.dequeue(pull)
    assert widgets.git.branch(branch) is None
    assert github.outbox.of("merge_group", "destroyed")[0].payload["reason"] == "dequeued"


def test_a_merge_group_that_is_merged_closes_its_pull_request(github: Lookalike, widgets: Repository) -> None:
    pull = github.open_pull(widgets, "plan", {"a.md": "x\n"})
    sha = github.enqueue(pull)
    github.dequeue(pull, reason="merged")
    assert (widgets.git.branch("main"), pull.state) == (sha, "closed")
    assert [d.action for d in github.outbox.of("pull_request")] == ["opened", "enqueued", "closed", "dequeued"]


def test_without_the_permission_no_merge_group_is_told(
    github: Lookalike, acme_installation: Installation, widgets: Repository
) -> None:
    github.grant(acme_installation, {"checks": "write"})
    github.enqueue(github.open_pull(widgets, "plan", {"a.md": "x\n"}))
    assert github.outbox.of("merge_group") == []
