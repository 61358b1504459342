"""The mutations, and the words in which GitHub refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.lookalike.asking import client, token
from tests.lookalike.fixtures import KeyPair
from tests.lookalike.people import Lookalike
from tests.lookalike.shapes import node
from tests.lookalike.state import Installation, Issue, Repository

Ask = Callable[..., dict[str, Any]]
PLAN = "docs/plans/a.md"
REACT = """mutation React($subject: ID!, $content: ReactionContent!) {
  addReaction(input: {subjectId: $subject, content: $content}) { reaction { content } subject { id } }
}"""
DRAFT = """mutation Draft($id: ID!) {
  convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { number isDraft } }
}"""
HIDE = """mutation Hide($id: ID!) {
  minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { minimizedComment { isMinimized minimizedReason } }
}"""


@pytest.fixture
def ask(github: Lookalike, acme_installation: Installation, app_keys: KeyPair) -> Ask:
    """Asks with a token that has what was granted at that moment."""

    def post(query: str, **variables: Any) -> dict[str, Any]:
        with client(github, token(github, acme_installation, app_keys)) as http:
            answer = http.post("/graphql", json={"query": query, "variables": variables})
        assert answer.status_code == 200
        found: dict[str, Any] = answer.json()
        return found

    return post


@pytest.fixture
def pull(github: Lookalike, widgets: Repository) -> Issue:
    return github.open_pull(widgets, "plan", {PLAN: "# A plan\n"})


def test_reactions_to_comments_reviews_and_comments_on_lines(github: Lookalike, ask: Ask, pull: Issue) -> None:
    review = github.review(pull, "x", comments=[(PLAN, 1, "y")])
    comment = github.comment(pull, "z")
    for kind, one in (("IC", comment), ("PRR", review), ("PRRC", review.comments[0])):
        subject = node(kind, one.id)
        found = ask(REACT, subject=subject, content="EYES")
        assert found == {"data": {"addReaction": {"reaction": {"content": "EYES"}, "subject": {"id": subject}}}}
        ask(REACT, subject=subject, content="EYES")
        ask(REACT, subject=subject, content="ROCKET")
        assert [(r.content, r.user.login) for r in one.reactions] == [
            ("eyes", "planproof[bot]"),
            ("rocket", "planproof[bot]"),
        ]


def test_the_webhooks_carry_the_ids_that_are_asked_for(github: Lookalike, ask: Ask, pull: Issue) -> None:
    github.review(pull, "x")
    subject = github.outbox.of("pull_request_review")[-1].payload["review"]["node_id"]
    assert "errors" not in ask(REACT, subject=subject, content="CONFUSED")


def test_a_missing_permission_is_an_error_and_not_a_status(
    github: Lookalike, ask: Ask, acme_installation: Installation, pull: Issue
) -> None:
    comment = github.comment(pull, "z")
    github.grant(acme_installation, {"pull_requests": "read", "issues": "write"})
    found = ask(REACT, subject=node("IC", comment.id), content="EYES")
    assert found["data"] == {"addReaction": None}
    [error] = found["errors"]
    assert (error["type"], error["path"], error["message"]) == (
        "FORBIDDEN",
        ["addReaction"],
        "Resource not accessible by integration",
    )
    assert comment.reactions == []


def test_a_draft_takes_contents_write_too(
    github: Lookalike, ask: Ask, acme_installation: Installation, pull: Issue
) -> None:
    assert pull.pull is not None
    found = ask(DRAFT, id=node("PR", pull.id))
    assert found["errors"][0]["type"] == "FORBIDDEN"
    assert not pull.pull.draft
    github.grant(acme_installation, acme_installation.permissions | {"contents": "write"})
    found = ask(DRAFT, id=node("PR", pull.id))
    assert found == {"data": {"convertPullRequestToDraft": {"pullRequest": {"number": 1, "isDraft": True}}}}
    [told] = github.outbox.of("pull_request", "converted_to_draft")
    assert (told.payload["sender"]["login"], told.payload["pull_request"]["draft"]) == ("planproof[bot]", True)


def test_a_conversion_that_does_nothing_shows_in_is_draft(
    github: Lookalike, ask: Ask, acme_installation: Installation, pull: Issue
) -> None:
    github.grant(acme_installation, acme_installation.permissions | {"contents": "write"})
    github.ignore_draft_conversion = True
    found = ask(DRAFT, id=node("PR", pull.id))
    assert found["data"]["convertPullRequestToDraft"]["pullRequest"]["isDraft"] is False
    assert github.outbox.of("pull_request", "converted_to_draft") == []


def test_an_outdated_comment_is_hidden(github: Lookalike, ask: Ask, pull: Issue) -> None:
    comment = github.comment(pull, "old")
    found = ask(HIDE, id=node("IC", comment.id))
    shown = {"isMinimized": True, "minimizedReason": "outdated"}
    assert found == {"data": {"minimizeComment": {"minimizedComment": shown}}}
    assert comment.minimized == "outdated"


def test_no_reaction_where_a_conversation_is_locked_or_the_repository_archived(
    github: Lookalike, ask: Ask, widgets: Repository, pull: Issue
) -> None:
    comment = github.comment(pull, "x")
    github.lock_conversation(pull)
    [error] = ask(REACT, subject=node("IC", comment.id), content="EYES")["errors"]
    assert (error["type"], "does not have the correct permissions" in error["message"]) == ("FORBIDDEN", True)
    github.archive(widgets)
    [error] = ask(REACT, subject=node("IC", comment.id), content="EYES")["errors"]
    assert (error["type"], error["message"]) == ("FORBIDDEN", "Repository was archived so is read-only.")
    assert comment.reactions == []


@pytest.mark.parametrize("subject", ["nonsense", node("IC", 1), "SUMx", "ä"])
def test_an_id_that_names_nothing_is_not_found(ask: Ask, subject: str) -> None:
    [error] = ask(REACT, subject=subject, content="EYES")["errors"]
    assert error["type"] == "NOT_FOUND"
    assert error["message"] == f"Could not resolve to a node with the global id of '{subject}'"


def test_what_another_installation_owns_is_not_found(github: Lookalike, ask: Ask) -> None:
    elsewhere = github.create_repository("other/thing")
    comment = github.comment(github.open_issue(elsewhere, "x"), "y")
    assert ask(REACT, subject=node("IC", comment.id), content="EYES")["errors"][0]["type"] == "NOT_FOUND"


@pytest.mark.parametrize(
    ("query", "variables", "message"),
    [
        ("mutation { mergePullRequest(input: {}) { id } }", {}, "Field 'mergePullRequest' doesn't exist on type"),
        ("query { viewer { login } }", {}, "Field 'viewer' doesn't exist on type 'Query'"),
        (REACT.replace("content }", "colour }"), {"subject": "x", "content": "EYES"}, "Field 'colour' doesn't exist"),
        (REACT, {"subject": "x"}, "Variable $content of type ReactionContent! was provided invalid value"),
        (REACT, {"subject": "x", "content": "eyes"}, "Variable $content"),
        (REACT, {"subject": 7, "content": "EYES"}, "Variable $subject"),
        (REACT.replace("$content}", "$other}"), {"subject": "x", "content": "EYES"}, "$other is used by React"),
        (HIDE.replace("OUTDATED", "OLD"), {"id": "x"}, "Argument 'input' on Field 'minimizeComment' has an invalid"),
        (HIDE.replace("OUTDATED", '"OUTDATED"'), {"id": "x"}, "has an invalid value"),
        (HIDE.replace("{ isMinimized minimizedReason }", ""), {"id": "x"}, "Field must have selections"),
        (DRAFT[:-1], {"id": "x"}, 'Expected NAME, actual: "end of file"'),
        ("mutation { addReaction(input: ?) }", {}, "UNKNOWN_CHAR"),
    ],
)
def test_a_document_that_the_schema_does_not_allow_is_refused_and_a_problem(
    github: Lookalike, ask: Ask, query: str, variables: dict[str, Any], message: str
) -> None:
    found = ask(query, **variables)
    assert "data" not in found
    assert any(message in error["message"] for error in found["errors"]), found
    assert len(github.problems) == len(found["errors"])
    github.problems.clear()


def test_only_an_installation_may_ask(github: Lookalike) -> None:
    with client(github, None) as http:
        assert http.post("/graphql", json={"query": HIDE, "variables": {"id": "x"}}).status_code == 401
