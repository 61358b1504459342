"""Reviews, comments on lines, what bots say, and what is edited."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.lookalike.asking import WIDGETS, client, token
from tests.lookalike.fixtures import KeyPair
from tests.lookalike.hunks import hunk_at
from tests.lookalike.people import Lookalike
from tests.lookalike.state import Installation, Issue, Repository

PLAN = "docs/plans/a.md"


@pytest.fixture
def http(github: Lookalike, acme_installation: Installation, app_keys: KeyPair) -> Iterator[httpx.Client]:
    github.check_answers = True
    with client(github, token(github, acme_installation, app_keys)) as http:
        yield http
    assert github.answer_problems == []


@pytest.fixture
def pull(github: Lookalike, widgets: Repository) -> Issue:
    return github.open_pull(widgets, "plan", {PLAN: "# A plan\n\n- one\n- two\n"}, draft=True)


def test_a_review_and_each_comment_on_a_line_is_told(github: Lookalike, pull: Issue) -> None:
    made = github.review(pull, "/plan verify", user="writer", comments=[(PLAN, 3, "/plan help"), (PLAN, 4, "why?")])
    [review] = [d.payload for d in github.outbox.of("pull_request_review", "submitted")]
    assert (review["review"]["id"], review["review"]["body"], review["review"]["state"]) == (
        made.id,
        "/plan verify",
        "commented",
    )
    assert pull.pull is not None
    assert review["review"]["commit_id"] == pull.pull.head_sha
    assert review["review"]["html_url"].endswith(f"/acme/widgets/pull/1#pullrequestreview-{made.id}")
    assert review["review"]["pull_request_url"].endswith("/repos/acme/widgets/pulls/1")
    assert (review["pull_request"]["number"], review["sender"]["login"]) == (1, "writer")
    comments = [d.payload for d in github.outbox.of("pull_request_review_comment", "created")]
    assert [(c["comment"]["body"], c["comment"]["line"], c["comment"]["path"]) for c in comments] == [
        ("/plan help", 3, PLAN),
        ("why?", 4, PLAN),
    ]
    assert {c["comment"]["pull_request_review_id"] for c in comments} == {made.id}
    assert comments[0]["comment"]["diff_hunk"] == "@@ -0,0 +1,4 @@\n+# A plan\n+\n+- one"


def test_a_single_comment_on_a_line_is_a_review_without_a_text(github: Lookalike, pull: Issue) -> None:
    github.review(pull, comments=[(PLAN, 1, "/plan status")])
    assert github.outbox.of("pull_request_review")[-1].payload["review"]["body"] is None
    assert len(github.outbox.of("pull_request_review_comment", "created")) == 1


def test_an_installation_without_pull_requests_is_told_of_no_review(
    github: Lookalike, acme_installation: Installation, pull: Issue
) -> None:
    github.grant(acme_installation, {"issues": "write"})
    github.review(pull, "unheard")
    assert github.outbox.of("pull_request_review") == []


def test_only_lines_of_the_diff_are_commented_on(github: Lookalike, pull: Issue) -> None:
    for path, line in ((PLAN, 5), ("README.md", 1)):
        with pytest.raises(ValueError, match="not part of the diff"):
            github.review(pull, comments=[(path, line, "x")])
    with pytest.raises(ValueError, match="without a text"):
        github.review(pull)


def test_reviews_and_their_comments_are_read_back(github: Lookalike, http: httpx.Client, pull: Issue) -> None:
    review = github.review(pull, "read me", comments=[(PLAN, 3, "a line")])
    [comment] = review.comments
    shape = http.get(f"{WIDGETS}/pulls/1/reviews/{review.id}").json()
    assert (shape["body"], shape["state"], shape["user"]["login"]) == ("read me", "COMMENTED", "writer")
    assert http.get(f"{WIDGETS}/pulls/1/reviews").json() == [shape]
    assert http.get(f"{WIDGETS}/pulls/1/reviews/1").status_code == 404
    line = http.get(f"{WIDGETS}/pulls/comments/{comment.id}").json()
    assert (line["body"], line["line"], line["position"], line["pull_request_review_id"]) == ("a line", 3, 3, review.id)
    assert [c["id"] for c in http.get(f"{WIDGETS}/pulls/1/comments").json()] == [comment.id]
    assert http.get(f"{WIDGETS}/pulls/1").json()["review_comments"] == 1
    # the two kinds of comments have their own numbers
    assert http.get(f"{WIDGETS}/issues/comments/{comment.id}").status_code == 404
    said = github.comment(pull, "elsewhere")
    assert http.get(f"{WIDGETS}/pulls/comments/{said.id}").status_code == 404
    assert http.get(f"{WIDGETS}/issues/comments/{said.id}").json()["body"] == "elsewhere"


def test_a_comment_on_a_line_that_changed_has_no_line_any_more(
    github: Lookalike, http: httpx.Client, widgets: Repository, pull: Issue
) -> None:
    github.check_answers = False  # the description has no null there; GitHub sends it all the same
    [comment] = github.review(pull, comments=[(PLAN, 3, "this one")]).comments
    github.push(widgets, "plan", {PLAN: "# A plan\n\n- one\n- two\n- three\n"})
    kept = http.get(f"{WIDGETS}/pulls/comments/{comment.id}").json()
    github.push(widgets, "plan", {PLAN: "# Another\n\nplan\n"})
    lost = http.get(f"{WIDGETS}/pulls/comments/{comment.id}").json()
    assert lost["line"] is None
    assert (lost["original_line"], lost["original_commit_id"]) == (3, kept["original_commit_id"])


def test_reactions_to_a_comment_on_a_line(github: Lookalike, http: httpx.Client, pull: Issue) -> None:
    [comment] = github.review(pull, comments=[(PLAN, 3, "x")]).comments
    path = f"{WIDGETS}/pulls/comments/{comment.id}/reactions"
    first, again = (http.post(path, json={"content": "eyes"}) for _ in range(2))
    assert (first.status_code, again.status_code, first.json()["id"]) == (201, 200, again.json()["id"])
    assert [r["content"] for r in http.get(path).json()] == ["eyes"]
    assert http.get(path.removesuffix("/reactions")).json()["reactions"]["eyes"] == 1
    assert http.delete(f"{path}/{first.json()['id']}").status_code == 204
    assert comment.reactions == []


def test_an_answer_on_a_line_stands_in_its_thread(github: Lookalike, http: httpx.Client, pull: Issue) -> None:
    [comment] = github.review(pull, comments=[(PLAN, 3, "why?")]).comments
    made = http.post(f"{WIDGETS}/pulls/1/comments/{comment.id}/replies", json={"body": "because"})
    assert (made.status_code, made.json()["in_reply_to_id"], made.json()["line"]) == (201, comment.id, 3)
    told = github.outbox.of("pull_request_review_comment")[-1].payload
    assert (told["comment"]["body"], told["sender"]["login"]) == ("because", "planproof[bot]")


def test_edits_are_told_with_what_was_there_before(github: Lookalike, pull: Issue) -> None:
    review = github.review(pull, "before", comments=[(PLAN, 3, "a line")])
    comment = github.comment(pull, "/plan help", user="author")
    github.edit_review(review, "after")
    github.edit_review_comment(review.comments[0], "another line")
    github.edit_comment_as(comment, "/plan verify", "writer")
    changes = [
        (d.event, d.payload["changes"]["body"]["from"], d.payload["sender"]["login"])
        for d in github.outbox.attempts
        if d.action == "edited"
    ]
    assert changes == [
        ("pull_request_review", "before", "writer"),
        ("pull_request_review_comment", "a line", "writer"),
        ("issue_comment", "/plan help", "writer"),
    ]
    with pytest.raises(ValueError, match="may not edit"):
        github.edit_comment_as(comment, "mine", "stranger")


def test_another_apps_bot_speaks_as_a_bot(github: Lookalike, pull: Issue) -> None:
    helper = github.create_bot("linter")
    github.bot_comment(pull, "/plan verify", app=helper)
    github.bot_review(pull, "/plan help", app=helper)
    said = github.outbox.of("issue_comment", "created")[-1].payload
    assert (said["sender"]["login"], said["sender"]["type"]) == ("linter[bot]", "Bot")
    assert said["comment"]["performed_via_github_app"]["id"] == helper.id
    reviewed = github.outbox.of("pull_request_review", "submitted")[-1].payload
    assert (reviewed["sender"]["type"], reviewed["review"]["user"]["login"]) == ("Bot", "linter[bot]")
    assert github.create_bot("linter") is helper


def test_a_hunk_ends_at_its_line() -> None:
    patch = "@@ -1,2 +1,2 @@\n-a\n+b\n c\n@@ -9 +9,2 @@ def f\n x\n+y\n\\ No newline at end of file"
    assert hunk_at(patch, 1) == ("@@ -1,2 +1,2 @@\n-a\n+b", 2)
    assert hunk_at(patch, 10) == ("@@ -9 +9,2 @@ def f\n x\n+y", 6)
    assert hunk_at(patch, 5) is None
    assert hunk_at(None, 1) is None
