from __future__ import annotations

import pytest

from bot.github.client import App, Installation
from bot.github.errors import NotFound, PermissionMissing, Refused
from bot.github.installation import Reaction, Written
from bot.github.models import Comment, User
from tests.github.conftest import Credentials
from tests.lookalike import Lookalike
from tests.lookalike import state as look
from tests.lookalike.fixtures import APP_ID, FILES, KeyPair

PLAN = {"docs/plans/a.md": "# A\n\n### Task 1: x\n"}


async def test_a_pull_request_with_what_we_need_of_it(
    gh: Installation, github: Lookalike, widgets: look.Repository
) -> None:
    opened = github.open_pull(widgets, "plan", PLAN, draft=True, body="Closes #1")
    github.label(opened, "help")
    assert opened.pull is not None
    pull = await gh.get_pull(opened.number)
    assert (pull.head.sha, pull.open, pull.draft, pull.body) == (opened.pull.head_sha, True, True, "Closes #1")
    assert (pull.from_fork, pull.commits, pull.changed_files) == (False, 1, 1)
    assert [label.name for label in pull.labels] == ["help"]
    assert [p.number for p in await gh.list_pulls()] == [opened.number]
    assert [p.number for p in await gh.pulls_for_commit(pull.head.sha)] == [opened.number]


async def test_the_merge_base_of_two_branches(gh: Installation, github: Lookalike, widgets: look.Repository) -> None:
    first = widgets.git.branch("main")
    github.open_pull(widgets, "plan", PLAN)
    github.push(widgets, "main", {"README.md": "changed"}, "Change")
    assert await gh.compare("main", "plan") == first


async def test_files_of_a_branch(gh: Installation, github: Lookalike, widgets: look.Repository) -> None:
    github.push(widgets, "main", {"docs/ä b.md": "ä"}, "Add")
    assert await gh.get_file("README.md") == FILES["README.md"].encode()
    assert await gh.get_file("docs/ä b.md", "main") == "ä".encode()
    assert await gh.get_file("nowhere.md") is None
    assert await gh.get_file("src") is None


async def test_what_a_person_may_do(gh: Installation) -> None:
    assert (await gh.permission("triager")).role_name == "triage"
    assert (await gh.permission("writer")).permission == "write"
    assert (await gh.permission("stranger")).permission == "read"
    assert (await gh.permission("nobody-of-that-name")).permission == "none"


async def test_a_label_is_made_once_with_colour_and_description(
    gh: Installation, github: Lookalike, widgets: look.Repository
) -> None:
    issue = github.open_issue(widgets, "An issue")
    name = await gh.ensure_label("plan/needs-fix", "d93f0b", "Why")
    await gh.add_label(issue.number, name)
    made = widgets.label("plan/needs-fix")
    assert made is not None
    assert (made.color, made.description) == ("d93f0b", "Why")
    assert await gh.ensure_label("Plan/Needs-Fix", "000000", "Other") == "plan/needs-fix"
    assert [label.name for label in await gh.issue_labels(issue.number)] == ["plan/needs-fix"]
    await gh.remove_label(issue.number, name)
    await gh.remove_label(issue.number, name)
    assert github.labels(issue) == []


async def test_a_label_that_someone_makes_at_the_same_time(
    gh: Installation, github: Lookalike, widgets: look.Repository
) -> None:
    github.before_next("POST", "/labels$", lambda: github.add_label(widgets, "Plan/needs-fix"))
    assert (await gh.ensure_label("plan/needs-fix", "d93f0b", "Why")).lower() == "plan/needs-fix"


async def test_a_comment_that_is_gone_can_be_deleted_again(
    gh: Installation, github: Lookalike, widgets: look.Repository
) -> None:
    issue = github.open_issue(widgets, "An issue")
    made = await gh.create_comment(issue.number, "hello")
    await gh.delete_comment(made.id)
    await gh.delete_comment(made.id)
    assert issue.comments == []


async def test_our_comments_are_known_by_the_app_not_by_a_name(
    gh: Installation, github: Lookalike, widgets: look.Repository
) -> None:
    issue = github.open_issue(widgets, "An issue")
    ours = await gh.create_comment(issue.number, "hello")
    github.comment(issue, "hello", user="author")
    github.comment(issue, "hello", user="helper[bot]")
    assert [await gh.is_ours(comment) for comment in await gh.list_issue_comments(issue.number)] == [True, False, False]
    unnamed = Comment(id=ours.id, body="hello", user=User(id=1, login="planproof[bot]", type="Bot"))
    assert await gh.is_ours(unnamed)
    assert not await gh.is_ours(unnamed.model_copy(update={"user": User(id=1, login="planproof[bot]", type="User")}))


async def test_nothing_secret_is_posted(gh: Installation, github: Lookalike, widgets: look.Repository) -> None:
    issue = github.open_issue(widgets, "An issue")
    token = await gh.clone_token()
    key = gh.app.tokens._key
    assert key is not None
    await gh.create_comment(issue.number, f"{token} and a secret of tests and ghp_{'a' * 36}")
    assert issue.comments[0].body == "[redacted] and [redacted] and [redacted]"
    head = widgets.git.branch("main")
    output = {"title": "t", "summary": token, "text": token, "annotations": []}
    await gh.create_check_run({"name": "n", "head_sha": head, "status": "in_progress", "output": output})
    assert [run.summary for run in widgets.runs] == ["[redacted]"]


async def test_a_missing_permission_says_which_and_where(
    gh: Installation, github: Lookalike, widgets: look.Repository, acme_installation: look.Installation
) -> None:
    issue = github.open_issue(widgets, "An issue")
    acme_installation.permissions |= {"issues": "read", "pull_requests": "read"}
    with pytest.raises(PermissionMissing) as error:
        await gh.create_comment(issue.number, "x")
    assert error.value.permission.startswith("issues: write")
    assert error.value.url.startswith(f"{github.url}/")
    assert error.value.url.endswith(f"/settings/installations/{acme_installation.id}/permissions/update")


async def test_another_refusal_is_no_missing_permission(
    gh: Installation, github: Lookalike, widgets: look.Repository
) -> None:
    issue = github.open_issue(widgets, "An issue")
    message = "Unable to create comment because issue is locked."
    github.fail_next("POST", "/comments$", 403, message=message)
    with pytest.raises(Refused, match="is locked") as error:
        await gh.create_comment(issue.number, "x")
    assert not isinstance(error.value, PermissionMissing)


async def test_a_client_without_a_repository_says_so(app: App, acme_installation: look.Installation) -> None:
    with pytest.raises(ValueError, match="bound to no repository"):
        await app.installation(acme_installation.id).list_issues()


async def test_the_app_itself(app: App, github: Lookalike, acme_installation: look.Installation) -> None:
    assert (await app.info()).id == APP_ID
    assert [i.id for i in await app.installations()] == [acme_installation.id]
    info = await app.installation_info(acme_installation.id)
    assert info.permissions["checks"] == "write"
    assert info.created_at is not None


async def test_deliveries_since_a_moment_newest_first(app: App, github: Lookalike, widgets: look.Repository) -> None:
    github.apps[APP_ID].webhook_url = "http://127.0.0.1:9/nobody"
    github.open_issue(widgets, "An issue")
    github.outbox.settle()
    everything = await app.hook_deliveries(since="2000-01-01T00:00:00Z")
    assert "issues" in [delivery.event for delivery in everything]
    assert await app.hook_deliveries(since="2100-01-01T00:00:00Z") == []
    await app.redeliver(everything[0].id)
    github.outbox.settle()
    again = await app.hook_deliveries(since="2000-01-01T00:00:00Z")
    assert [delivery.guid for delivery in again].count(everything[0].guid) == 2


async def test_a_reaction_to_each_thing_that_a_person_writes(
    gh: Installation, github: Lookalike, widgets: look.Repository
) -> None:
    pull = github.open_pull(widgets, "plan", PLAN)
    comment = github.comment(pull, "/plan help")
    review = github.review(pull, "/plan help", user="writer", comments=[("docs/plans/a.md", 1, "/plan help")])
    [line] = review.comments
    for _ in range(2):
        await gh.react(Written.COMMENT, comment.id, None, Reaction.EYES)
        await gh.react(Written.LINE, line.id, None, Reaction.EYES)
        await gh.react(Written.REVIEW, review.id, github.shapes.review(review)["node_id"], Reaction.ROCKET)
    assert [r.content for r in (*comment.reactions, *line.reactions, *review.reactions)] == ["eyes", "eyes", "rocket"]


async def test_what_was_written_is_read_as_it_stands_now(
    gh: Installation, github: Lookalike, widgets: look.Repository
) -> None:
    pull = github.open_pull(widgets, "plan", PLAN)
    comment = github.comment(pull, "first")
    review = github.review(pull, "over all", user="writer", comments=[("docs/plans/a.md", 1, "at a line")])
    github.edit_comment_as(comment, "second", "author")
    assert (await gh.get_written(Written.COMMENT, pull.number, comment.id)).body == "second"
    assert (await gh.get_written(Written.REVIEW, pull.number, review.id)).body == "over all"
    assert (await gh.get_written(Written.LINE, pull.number, review.comments[0].id)).body == "at a line"


async def test_a_draft_is_one_only_when_github_says_so(
    gh: Installation, github: Lookalike, widgets: look.Repository, acme_installation: look.Installation
) -> None:
    pull = github.open_pull(widgets, "plan", PLAN)
    node = (await gh.get_pull(pull.number)).node_id
    assert node is not None
    acme_installation.permissions["contents"] = "read"
    github.revoke_tokens()
    gh.app.tokens.forget(acme_installation.id)
    with pytest.raises(PermissionMissing) as error:
        await gh.convert_to_draft(node)
    assert error.value.permission == "contents: write"
    acme_installation.permissions["contents"] = "write"
    gh.app.tokens.forget(acme_installation.id)
    github.ignore_draft_conversion = True
    assert await gh.convert_to_draft(node) is False
    github.ignore_draft_conversion = False
    assert await gh.convert_to_draft(node) is True
    with pytest.raises(NotFound):
        await gh.convert_to_draft("PR_of_nowhere")


async def test_issues_and_pull_requests_that_changed_since(
    gh: Installation, github: Lookalike, widgets: look.Repository
) -> None:
    issue = github.open_issue(widgets, "An issue")
    pull = github.open_pull(widgets, "plan", PLAN)
    found = await gh.list_issues()
    assert {each.number: each.pull_request is not None for each in found} == {issue.number: False, pull.number: True}
    assert await gh.list_issues(since="2100-01-01T00:00:00Z") == []


async def test_the_repositories_of_an_installation(
    app: App, github: Lookalike, acme_installation: look.Installation, widgets: look.Repository
) -> None:
    other = github.create_repository("acme/gadgets")
    found = await app.installation(acme_installation.id).repositories()
    assert {each.full_name for each in found} >= {widgets.full_name, other.full_name}


async def test_a_token_outlives_a_new_name_of_its_repository(
    app: App, github: Lookalike, acme_installation: look.Installation, widgets: look.Repository
) -> None:
    issue = github.open_issue(widgets, "An issue")
    old = app.installation(acme_installation.id, widgets.full_name, repository_id=widgets.id)
    github.rename(widgets, "sprockets")
    await old.create_comment(issue.number, "hello")
    assert [comment.body for comment in issue.comments] == ["hello"]


async def test_a_write_to_what_was_moved_elsewhere_did_not_happen(
    gh: Installation, github: Lookalike, widgets: look.Repository
) -> None:
    issue = github.open_issue(widgets, "An issue")
    moved = github.transfer_issue(issue, github.create_repository("acme/gadgets"))
    with pytest.raises(NotFound):
        await gh.create_comment(issue.number, "hello")
    assert moved.comments == []


@pytest.mark.parametrize(
    ("api", "graphql"),
    [
        ("https://api.github.com", "https://api.github.com/graphql"),
        ("https://github.example/api/v3", "https://github.example/api/graphql"),
        ("https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql"),
    ],
)
async def test_where_graphql_is_spoken(app_keys: KeyPair, api: str, graphql: str) -> None:
    made = App(Credentials(app_keys.private, api))
    assert made.graphql_url == graphql
    await made.aclose()
