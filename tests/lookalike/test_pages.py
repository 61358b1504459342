"""The pages that people look at and act on."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator

import httpx
import pytest

from tests.lookalike.asking import client
from tests.lookalike.markup import render
from tests.lookalike.people import Lookalike
from tests.lookalike.state import App, Issue, Repository


@pytest.fixture
def browser(github: Lookalike) -> Iterator[httpx.Client]:
    with client(github, None) as http:
        yield http


@pytest.fixture
def pull(github: Lookalike, widgets: Repository, acme_app: App) -> Issue:
    files = {"docs/plans/a.md": "# A plan with <tags>\n"}
    pull = github.open_pull(widgets, "plan", files, title="Plan <b>one</b>", body="Closes #2\n\n- [x] done", draft=True)
    github.add_label(widgets, "plan/needs-fix", "d93f0b", "The plan disagrees")
    github.label(pull, "plan/needs-fix")
    github.comment(pull, "| a | b |\n|---|---|\n| 1 | **2** |", user="triager")
    assert pull.pull is not None
    run = github.add_run(widgets, acme_app, pull.pull.head_sha, "planproof")
    run.status, run.conclusion, run.title, run.summary = "completed", "failure", "1 finding", "A *summary*"
    run.annotations = [
        {"path": "docs/plans/a.md", "start_line": 3, "end_line": 4, "annotation_level": "failure", "message": "no <x>"}
    ]
    run.actions = [{"label": "Repair", "description": "Repair the plan", "identifier": "repair"}]
    return pull


def test_the_page_of_a_pull_request_shows_what_was_posted(browser: httpx.Client, pull: Issue) -> None:
    page = browser.get("/acme/widgets/pull/1").text
    for shown in (
        "Plan &lt;b&gt;one&lt;/b&gt;",
        '<span class="badge draft">Draft</span>',
        'style="background:#d93f0b;color:#ffffff"',
        "<td><strong>2</strong></td>",
        '<input disabled="" type="checkbox" checked="">',
        "1 finding",
        "A <em>summary</em>",
        "docs/plans/a.md:3-4",
        "no &lt;x&gt;",
        "# A plan with &lt;tags&gt;",
        ">Repair</button>",
    ):
        assert shown in page, shown


def test_the_comment_box_makes_a_comment_and_its_webhook(browser: httpx.Client, github: Lookalike, pull: Issue) -> None:
    answer = browser.post("/acme/widgets/pull/1", data={"user": "triager", "body": "/plan verify\r\n", "do": "comment"})
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/acme/widgets/pull/1#issuecomment-{pull.comments[-1].id}"
    assert (pull.comments[-1].body, pull.comments[-1].user.login) == ("/plan verify", "triager")
    assert github.outbox.of("issue_comment")[-1].payload["comment"]["body"] == "/plan verify"


def test_the_buttons_act(browser: httpx.Client, github: Lookalike, pull: Issue) -> None:
    run = str(pull.repository.runs[0].id)
    for form in ({"do": "ready"}, {"do": "rerun", "run": run}, {"do": "press", "run": run, "identifier": "repair"}):
        assert browser.post("/acme/widgets/pull/1", data={"user": "author", **form}).status_code == 303
    assert [(d.event, d.action) for d in github.outbox.attempts[-3:]] == [
        ("pull_request", "ready_for_review"),
        ("check_run", "rerequested"),
        ("check_run", "requested_action"),
    ]


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"user": "nobody-at-all", "body": "x"}, 400),
        ({"user": "author", "body": " "}, 400),
        ({"user": "author", "do": "explode"}, 400),
        ({"user": "author", "do": "rerun", "run": "1"}, 400),
        ({"user": "author", "body": "x" * 200_001}, 413),
    ],
)
def test_a_form_that_makes_no_sense_is_refused(
    browser: httpx.Client, pull: Issue, form: dict[str, str], status: int
) -> None:
    assert browser.post("/acme/widgets/pull/1", data=form).status_code == status


def test_lists_lead_to_the_pages(browser: httpx.Client, github: Lookalike, pull: Issue) -> None:
    github.open_issue(pull.repository, "An issue")
    assert "/acme/widgets" in browser.get("/").text
    listed = browser.get("/acme/widgets").text
    assert 'href="/acme/widgets/pull/1"' in listed
    assert 'href="/acme/widgets/issues/2"' in listed
    assert browser.get("/acme/widgets/issues/2").status_code == 200
    assert browser.get("/acme/widgets/issues/1").headers["location"] == "/acme/widgets/pull/1"
    assert browser.get("/acme/widgets/pull/9").status_code == 404


def test_links_to_files_commits_and_checks_lead_somewhere(
    browser: httpx.Client, widgets: Repository, pull: Issue
) -> None:
    assert pull.pull is not None
    sha = pull.pull.head_sha
    page = browser.get(f"/acme/widgets/blob/{sha}/src/widgets/core.py").text
    assert '<tr id="L1">' in page
    assert "def make(count: int) -&gt; list[str]:" in page
    assert browser.get("/acme/widgets/blob/plan/docs/plans/a.md").status_code == 200
    assert (
        f'href="/acme/widgets/blob/{sha}/src/widgets/core.py"'
        in browser.get(f"/acme/widgets/tree/{sha}/src/widgets").text
    )
    assert "# A plan with &lt;tags&gt;" in browser.get(f"/acme/widgets/commit/{sha}").text
    assert "A <em>summary</em>" in browser.get(f"/acme/widgets/runs/{widgets.runs[0].id}").text
    for missing in ("blob/plan/nothing", "blob/nothing/a", "commit/1234567", "runs/1", "tree/plan/..%2f..%2fetc"):
        assert browser.get(f"/acme/widgets/{missing}").status_code == 404, missing


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "<a href=' java\nscript:alert(1)'>x</a>",
        "<svg onload=alert(1)>",
        "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
        "<div style='position:fixed'>x</div>",
        "<details open ontoggle=alert(1)>x",
        "</div></main><script>alert(1)",
    ],
)
def test_nothing_hostile_survives_rendering(hostile: str) -> None:
    html = render(f"text\n\n{hostile}\n\nmore")
    kept = html.replace("&lt;svg onload=alert(1)&gt;", "")
    for bad in (
        "<script",
        "onerror",
        "onload",
        "ontoggle",
        "javascript:",
        "script:",
        "<svg",
        "<iframe",
        "position",
        "</main",
    ):
        assert bad not in kept, html
    assert html.count("<div") == html.count("</div")


def test_folded_parts_and_code_are_rendered() -> None:
    html = render("<details><summary>More</summary>\n\n```python\nx < y\n```\n\n</details>\n\n<!-- hidden -->~~old~~")
    assert "<details><summary>More</summary>" in html
    assert '<code class="language-python">x &lt; y' in html
    assert "hidden" not in html


# ---- reviews, reactions, news --------------------------------------------------------------------
def test_reviews_their_threads_and_all_reactions_are_shown(
    browser: httpx.Client, github: Lookalike, acme_app: App, pull: Issue
) -> None:
    review = github.review(pull, "Read **this**", comments=[("docs/plans/a.md", 1, "On a line")], user="writer")
    github.reply(review.comments[0], "An answer")
    github.review(pull, comments=[("docs/plans/a.md", 1, "Alone")], user="triager")
    hidden = github.comment(pull, "An old verdict")
    hidden.minimized = "outdated"
    for one, content in ((review, "rocket"), (review.comments[0], "confused"), (hidden, "eyes")):
        github.react(one.reactions, acme_app.bot, content)
    page = browser.get("/acme/widgets/pull/1").text
    places = [page.index(shown) for shown in ("Read <strong>this</strong>", "On a line", "An answer", "Alone")]
    assert places == sorted(places)
    for shown in (
        f'id="pullrequestreview-{review.id}"',
        f'id="discussion_r{review.comments[0].id}"',
        'title="planproof[bot]: rocket"',
        'title="planproof[bot]: confused"',
        "This comment was marked as outdated.",
        '<span class="added">+# A plan with &lt;tags&gt;',
    ):
        assert shown in page, shown


def test_the_text_is_submitted_as_a_review(browser: httpx.Client, github: Lookalike, pull: Issue) -> None:
    answer = browser.post("/acme/widgets/pull/1", data={"user": "writer", "body": "/plan help", "do": "review"})
    [review] = pull.reviews
    assert answer.headers["location"] == f"/acme/widgets/pull/1#pullrequestreview-{review.id}"
    assert github.outbox.of("pull_request_review", "submitted")[0].payload["review"]["body"] == "/plan help"
    issue = github.open_issue(pull.repository, "An issue")
    form = {"user": "writer", "body": "x", "do": "review"}
    assert browser.post(f"/acme/widgets/issues/{issue.number}", data=form).status_code == 400


def test_a_check_is_run_again_and_its_buttons_pressed(browser: httpx.Client, github: Lookalike, pull: Issue) -> None:
    run = str(pull.repository.runs[0].id)
    for do in ("press:repair", "rerun-all"):
        answer = browser.post("/acme/widgets/pull/1", data={"user": "writer", "do": do, "run": run})
        assert answer.status_code == 303
    pressed, again = github.outbox.attempts[-2:]
    assert pressed.payload["requested_action"] == {"identifier": "repair"}
    assert (pressed.payload["sender"]["login"], again.event, again.action) == ("writer", "check_suite", "rerequested")
    assert browser.post("/acme/widgets/pull/1", data={"user": "writer", "do": "press:x", "run": run}).status_code == 400


def test_the_page_knows_when_there_is_news(
    browser: httpx.Client, github: Lookalike, acme_app: App, pull: Issue
) -> None:
    def tag() -> str:
        return str(browser.get("/acme/widgets/pull/1/state").json()["tag"])

    page = browser.get("/acme/widgets/pull/1")
    assert f'data-standing="{tag()}"' in page.text
    seen = [tag()]
    for change in (
        lambda: github.comment(pull, "x"),
        lambda: github.react(pull.comments[0].reactions, acme_app.bot, "eyes"),
        lambda: github.react(pull.comments[0].reactions, acme_app.bot, "rocket"),
        lambda: github.edit_comment(pull.comments[0], "y", acme_app.bot),
        lambda: github.review(pull, "x"),
        lambda: github.label(pull, "more"),
        lambda: setattr(pull.repository.runs[0], "conclusion", "success"),
        lambda: github.mark_ready(pull),
        lambda: github.push(pull.repository, "plan", {"docs/plans/a.md": "x"}),
    ):
        change()
        seen.append(tag())
    assert len(set(seen)) == len(seen)
    assert tag() == seen[-1]
    assert browser.get("/acme/widgets/pull/9/state").status_code == 404


def test_only_the_pages_own_script_may_run(browser: httpx.Client, pull: Issue) -> None:
    page = browser.get("/acme/widgets/pull/1")
    script = page.text.split("<script>")[1].split("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page.headers["content-security-policy"]
    assert "src=" not in script


def test_the_page_of_a_renamed_repository_leads_on(browser: httpx.Client, github: Lookalike, pull: Issue) -> None:
    github.rename(pull.repository, "gadgets")
    assert browser.get("/acme/widgets/pull/1").headers["location"] == "/acme/gadgets/pull/1"
