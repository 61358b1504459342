"""Threads against a GitHub that others wrote: its signed webhooks come in, and its API shows what was posted."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator

import pytest

from tests import sample
from tests.e2e.emulator import ABSENT, EXECUTABLE, INSTALLATION_ID
from tests.e2e.scene import SECRET, Scene, staged

pytestmark = pytest.mark.skipif(EXECUTABLE is None, reason=ABSENT)

STICKY = "<!-- planproof:sticky -->"
PLAN_CHECK = "<!-- planproof:plan-check -->"
LABEL = "plan/needs-fix"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with staged(EXECUTABLE or "", tmp_path_factory.mktemp("e2e")) as scene:
        yield scene


@pytest.fixture
def scene(place: Scene) -> Iterator[Scene]:
    """The shared scene; the server's log must stay free of errors."""
    yield place
    place.settle()
    assert place.new_errors() == []


def test_a_flawed_plan_gets_its_comment_its_label_and_a_failing_check(scene: Scene) -> None:
    number = scene.open_pull("flawed", {sample.PLAN_PATH: sample.FLAWED_PLAN}, title="Plan: retry failed calls")

    told = scene.delivery("pull_request", number)
    assert told.headers["x-hub-signature-256"] == signature(told.body)
    assert told.payload["installation"]["id"] == INSTALLATION_ID
    assert (told.status, told.answer) == (202, "accepted")

    [comment] = scene.comments(number)
    assert comment["user"]["login"] == "planproof[bot]"
    assert comment["body"].startswith(STICKY)
    assert [word for word in sample.DEFECTS if word not in comment["body"]] == []

    assert scene.labels(number) == [LABEL]
    assert scene.label(LABEL)["color"] == "d93f0b"

    [check] = scene.checks(number)
    assert (check["name"], check["status"], check["conclusion"]) == ("planproof", "completed", "failure")
    annotations = scene.annotations(check)
    assert len(annotations) == check["output"]["annotations_count"] >= len(sample.DEFECTS)
    assert {annotation["path"] for annotation in annotations} == {sample.PLAN_PATH}


def test_a_pull_request_without_a_plan_gets_a_skipped_check_and_not_a_word(scene: Scene) -> None:
    number = scene.open_pull("news", {"NEWS.md": "Nothing yet.\n"})
    assert scene.comments(number) == []
    assert scene.labels(number) == []
    assert [(check["name"], check["conclusion"]) for check in scene.checks(number)] == [("planproof", "skipped")]


def test_a_sound_plan_gets_a_green_check_and_not_a_word(scene: Scene) -> None:
    number = scene.open_pull("sound", {"docs/plans/settled.md": sample.SETTLED_PLAN})
    assert scene.comments(number) == []
    assert scene.labels(number) == []
    assert [check["conclusion"] for check in scene.checks(number)] == ["success"]


def test_a_rerun_completes_the_check_again(scene: Scene) -> None:
    number = scene.open_pull("rerun", {"docs/plans/settled.md": sample.SETTLED_PLAN})
    [before] = scene.checks(number)
    told = scene.rerun(before)
    assert (told.status, told.answer) == (202, "accepted")
    [after] = scene.checks(number)
    assert (after["id"], after["status"], after["conclusion"]) == (before["id"], "completed", "success")
    assert after["completed_at"] > before["completed_at"]
    assert scene.comments(number) == []


def test_the_same_delivery_again_changes_nothing(scene: Scene) -> None:
    number = scene.open_pull("again", {sample.PLAN_PATH: sample.FLAWED_PLAN})
    told, before = scene.delivery("pull_request", number), scene.standing(number)
    again = scene.relay.post(told.headers, told.body)
    assert (again.status_code, again.text) == (202, "known already\n")
    scene.settle()
    assert scene.standing(number) == before


def test_an_event_that_tells_nothing_new_changes_nothing(scene: Scene) -> None:
    number = scene.open_pull("twice", {sample.PLAN_PATH: sample.FLAWED_PLAN})
    told, before = scene.delivery("pull_request", number), scene.standing(number)
    again = scene.relay.post({**told.headers, "x-github-delivery": "another-delivery"}, told.body)
    assert (again.status_code, again.text) == (202, "accepted\n")
    scene.settle()
    assert scene.standing(number) == before


def test_an_issue_that_asks_for_what_exists_is_told_so(scene: Scene) -> None:
    number = scene.open_issue(sample.ISSUE_TITLE, sample.ISSUE_PLAN)
    assert scene.delivery("issues", number).status == 202
    [comment] = scene.comments(number)
    assert comment["user"]["login"] == "planproof[bot]"
    assert comment["body"].startswith(PLAN_CHECK)
    assert "this may exist already (reuse" in comment["body"]
    assert "capability.transport.retry" in comment["body"]


def test_a_delivery_that_was_changed_on_its_way_is_refused_and_does_nothing(scene: Scene) -> None:
    scene.relay.spoil = True
    try:
        number = scene.open_pull("spoilt", {sample.PLAN_PATH: sample.FLAWED_PLAN})
    finally:
        scene.relay.spoil = False
    told = scene.delivery("pull_request", number)
    assert told.status == 401
    assert "does not match" in told.answer
    assert (scene.comments(number), scene.labels(number), scene.checks(number)) == ([], [], [])

    # it was the signature alone: the same delivery as it was sent has its effect
    assert scene.relay.post(told.headers, told.body).text == "accepted\n"
    scene.settle()
    assert [check["conclusion"] for check in scene.checks(number)] == ["failure"]
    assert len(scene.comments(number)) == 1


def signature(body: bytes) -> str:
    return "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
