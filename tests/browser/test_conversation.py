"""People type commands into the comment box of the demo's pull request, and read what comes of it on the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import Chromium, Page
from tests.demo import Demo, page
from tests.lookalike.state import CheckRun
from tests.lookalike.timeline import standing

STICKY = "article:has(.avatar.bot)"
"""The App's first comment."""
TO_SETTLE = re.compile(r"Planproof: (\d+) findings to settle before work starts")


@pytest.fixture
def thread(chromium: Chromium, demo: Demo, pictures: Path, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The pull request's page. When the test is through, nothing on it has been broken."""
    opened = chromium.open(page(demo.stage, demo.pull, "pull"))
    yield opened
    opened.screenshot(pictures / f"{request.node.name}.png")
    assert opened.complaints == []
    opened.close()


def quiet(thread: Page, demo: Demo) -> None:
    """Until nothing is under way and the page shows all there is: it will not load anew under the person's hands."""
    demo.stage.settle()
    thread.wait_for(f"document.querySelector('main')?.dataset.standing === '{standing(demo.pull)['tag']}'")


def say(thread: Page, demo: Demo, user: str, text: str) -> str:
    """Types a comment and presses Comment; the selector of the new comment."""
    quiet(thread, demo)
    before = thread.run("location.hash")
    thread.fill("#say textarea", text)
    thread.choose("#say select", user)
    thread.click("#say button[value=comment]")
    thread.wait_for(f"location.hash !== {before!r} && location.hash.startsWith('#issuecomment-')")
    said = str(thread.run("location.hash"))
    thread.wait_for_text(text, said)
    assert thread.text(f"{said} header strong") == user
    return said


def reactions(thread: Page, said: str) -> list[str]:
    return re.findall(r"[👀🚀😕]", thread.text(f"{said} footer"))


def answer(said: str) -> str:
    """The selector of the comment below."""
    return f"{said} + article"


def updates(demo: Demo, run: CheckRun) -> list[Any]:
    """What was sent to a check run after it was made, oldest first."""
    return [request.body for request in demo.stage.look.asked("PATCH", rf"/check-runs/{run.id}$")]


def to_settle(thread: Page) -> int:
    found = TO_SETTLE.search(thread.text(STICKY))
    assert found is not None, thread.text(STICKY)
    return int(found[1])


def an_open_finding(thread: Page) -> str:
    return thread.text(f"{STICKY} tbody td:first-child code")


def test_a_plain_comment_appears_and_is_not_answered(thread: Page, demo: Demo) -> None:
    said = say(thread, demo, "writer", "Looks right to me.")
    quiet(thread, demo)
    assert reactions(thread, said) == []
    assert thread.text(answer(said)) == ""


def test_help_is_answered_with_the_table_of_commands(thread: Page, demo: Demo) -> None:
    said = say(thread, demo, "author", "/plan help")
    thread.wait_for_text("what it does", f"{answer(said)} table")
    quiet(thread, demo)
    assert thread.text(f"{answer(said)} header strong") == "planproof[bot]"
    assert "/plan dismiss ID reason" in thread.text(f"{answer(said)} table")
    assert reactions(thread, said) == ["👀", "🚀"]


def test_verify_is_taken_and_done(thread: Page, demo: Demo) -> None:
    said = say(thread, demo, "triager", "/plan verify")
    thread.wait_for_text("👀", f"{said} footer")
    thread.wait_for_text("🚀", f"{said} footer")
    quiet(thread, demo)
    assert demo.stage.conclusions(demo.pull)[-1] == "failure"
    assert to_settle(thread) > 0


def test_a_dismissed_finding_leaves_the_comment(thread: Page, demo: Demo) -> None:
    before, finding = to_settle(thread), an_open_finding(thread)
    said = say(thread, demo, "writer", f"/plan dismiss {finding} the file is generated")
    thread.wait_for_text(f"Dismissed by writer: {finding}", answer(said))
    quiet(thread, demo)
    assert "Reason: the file is generated." in thread.text(answer(said))
    assert f"{before - 1} findings are left to settle." in thread.text(answer(said))
    assert reactions(thread, said) == ["👀", "🚀"]
    assert to_settle(thread) == before - 1
    assert an_open_finding(thread) != finding


def test_an_author_without_write_access_dismisses_nothing(thread: Page, demo: Demo) -> None:
    before, finding = to_settle(thread), an_open_finding(thread)
    demo.stage.repo.roles["author"] = "triage"
    try:
        said = say(thread, demo, "author", f"/plan dismiss {finding} I know better")
        thread.wait_for_text("/plan dismiss needs write access to this repository", answer(said))
        quiet(thread, demo)
    finally:
        demo.stage.repo.roles["author"] = "write"
    assert "you are the author of the thread and have triage." in thread.text(answer(said))
    assert "are open to you." in thread.text(answer(said))
    assert reactions(thread, said) == ["😕"]
    assert (to_settle(thread), an_open_finding(thread)) == (before, finding)


def test_a_misspelt_command_is_answered_with_the_nearest(thread: Page, demo: Demo) -> None:
    said = say(thread, demo, "author", "/plan verfy")
    thread.wait_for_text("/plan verfy is not a command here; the nearest is /plan verify.", answer(said))
    quiet(thread, demo)
    assert reactions(thread, said) == ["😕"]


def test_pressing_re_verify_completes_the_check_again(thread: Page, demo: Demo) -> None:
    quiet(thread, demo)
    run = demo.stage.checks(demo.pull)[-1]
    before = len(updates(demo, run))
    thread.click(f"#check-{run.id} button[value='press:verify']")
    thread.wait_for(f"location.hash === '#check-{run.id}'")
    quiet(thread, demo)
    assert [update["status"] for update in updates(demo, run)[before:]][-1] == "completed"
    assert demo.stage.conclusions(demo.pull) == ["failure"]
    assert "to settle before work starts" in thread.text(f"#check-{run.id} summary")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_sticks_out_of_the_page(thread: Page, demo: Demo, width: int, dark: bool) -> None:
    thread.look(width=width, dark=dark)
    quiet(thread, demo)
    assert thread.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    ground = "rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)"
    assert thread.run("getComputedStyle(document.body).backgroundColor") == ground
