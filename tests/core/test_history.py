"""Which commit's tree a plan is judged on."""

from __future__ import annotations

from pathlib import Path

import pygit2
import pytest

from bot.core.history import added_with, auto, planned
from bot.core.tree import InputError
from tests.git_repo import GitRepo, build_repo

PLAN = "docs/plans/one.md"
TEXT = "# One\n\n- [ ] write a.py\n- [ ] write b.py\n"


@pytest.fixture
def made(tmp_path: Path) -> GitRepo:
    return build_repo(tmp_path / "r", {"readme.md": "hello"})


def test_the_parent_of_the_commit_that_adds_the_plan(made: GitRepo) -> None:
    before = made.head
    made.commit({PLAN: TEXT})
    head = made.commit({"a.py": "x"})
    found = auto(made.repo, PLAN, head)
    assert (found.tree_rev, found.plan_rev, found.added_since) == (before, head, frozenset())


def test_code_in_the_same_commit_is_not_held_against_the_plan(made: GitRepo) -> None:
    before = made.head
    head = made.commit({PLAN: TEXT, "a.py": "x", "b.py": "y"})
    assert auto(made.repo, PLAN, "main").tree_rev == before
    assert auto(made.repo, PLAN, head).plan_rev == head


def test_ticking_boxes_is_no_change_of_the_plan(made: GitRepo) -> None:
    before = made.head
    made.commit({PLAN: TEXT})
    made.commit({"a.py": "x", PLAN: TEXT.replace("[ ]", "[x]", 1)})
    head = made.commit({"b.py": "y", PLAN: TEXT.replace("[ ]", "[X]").replace("\n", "\r\n")})
    assert auto(made.repo, PLAN, head).tree_rev == before


def test_new_words_are_a_change_and_what_came_up_to_then_is_known_as_added(made: GitRepo) -> None:
    made.commit({PLAN: TEXT})
    code = made.commit({"a.py": "x"})
    head = made.commit({PLAN: TEXT + "- [ ] write c.py\n", "c.py": ""})
    found = auto(made.repo, PLAN, head)
    assert found.tree_rev == code
    assert found.added_since == {"a.py", "c.py"}


def test_on_a_tree_that_is_named_what_came_with_the_plan_is_known_as_added(made: GitRepo) -> None:
    before = made.head
    made.commit({"a.py": "x"})
    made.commit({PLAN: TEXT, "b.py": "y"})
    head = made.commit({"c.py": "z"})
    assert added_with(made.repo, PLAN, head, before) == {"a.py", "b.py"}
    assert added_with(made.repo, PLAN, head, head) == {"b.py"}
    assert added_with(made.repo, "docs/other.md", head, before) == frozenset()


def test_what_a_newer_tree_has_deleted_since_did_not_come_with_the_plan(made: GitRepo) -> None:
    plan = made.commit({PLAN: TEXT, "a.py": "x"})
    newer = made.commit({"a.py": None})
    assert added_with(made.repo, PLAN, plan, newer) == frozenset()


def test_a_moved_plan_with_the_same_text_is_no_change(made: GitRepo) -> None:
    before = made.head
    made.commit({PLAN: TEXT})
    made.commit({"a.py": "x"})
    head = made.commit({PLAN: None, "docs/archive/2026-one.md": TEXT.replace("[ ]", "[x]"), "b.py": "y"})
    assert auto(made.repo, "docs/archive/2026-one.md", head).tree_rev == before


def test_a_plan_moved_and_rewritten_is_a_change(made: GitRepo) -> None:
    made.commit({PLAN: TEXT})
    code = made.commit({"a.py": "x"})
    head = made.commit({PLAN: None, "plans/two.md": "# Two\n\n- [ ] other\n"})
    assert auto(made.repo, "plans/two.md", head).tree_rev == code


def test_a_copy_of_a_plan_is_a_plan_of_its_own(made: GitRepo) -> None:
    made.commit({PLAN: TEXT})
    code = made.commit({"a.py": "x"})
    head = made.commit({"docs/plans/copy.md": TEXT})
    assert auto(made.repo, "docs/plans/copy.md", head).tree_rev == code


def test_a_merge_is_followed_to_the_side_that_has_the_plan(made: GitRepo) -> None:
    base = made.head
    made.branch("topic", base)
    planned_at = made.commit({"util.py": "1"}, branch="topic")
    side = made.commit({PLAN: TEXT}, branch="topic")
    other = made.commit({"main.py": "1"})
    merged = made.merge(other, side)
    head = made.commit({"later.py": ""})
    assert merged != head
    assert auto(made.repo, PLAN, head).tree_rev == planned_at


def test_a_merge_that_rewrites_the_plan_is_the_change(made: GitRepo) -> None:
    made.commit({PLAN: TEXT})
    base = made.head
    made.branch("topic", base)
    side = made.commit({PLAN: TEXT + "- [ ] side\n"}, branch="topic")
    ours = made.commit({PLAN: TEXT + "- [ ] ours\n"})
    merged = made.merge(ours, side, {PLAN: TEXT + "- [ ] both\n"})
    assert auto(made.repo, PLAN, merged).tree_rev == ours


def test_the_base_branch_merged_into_the_topic_changes_nothing(made: GitRepo) -> None:
    base = made.head
    made.branch("topic", base)
    side = made.commit({PLAN: TEXT}, branch="topic")
    other = made.commit({"main.py": "1"})
    head = made.merge(side, other, branch="topic")
    assert auto(made.repo, PLAN, head, base_rev=other).tree_rev == base


def test_a_plan_of_the_first_commit_is_judged_on_that_commit_and_what_came_with_it_counts_for_nothing(
    tmp_path: Path,
) -> None:
    made = build_repo(tmp_path / "r", {PLAN: TEXT, "a.py": "x"}, {"b.py": "y"})
    found = auto(made.repo, PLAN, "main")
    assert found.tree_rev == str(made.repo.revparse_single("main~1").id)
    assert found.added_since == {"a.py"}


def test_edited_after_the_first_commit_everything_since_is_known_as_added(tmp_path: Path) -> None:
    made = build_repo(tmp_path / "r", {PLAN: TEXT}, {"b.py": "y"}, {PLAN: TEXT + "more\n"})
    assert auto(made.repo, PLAN, "main").added_since == {"b.py"}


def test_in_a_pull_request_paths_it_added_up_to_the_plans_last_edit_are_known(made: GitRepo) -> None:
    base = made.head
    made.branch("topic", base)
    made.commit({"a.py": "x", PLAN: TEXT}, branch="topic")
    code = made.commit({"b.py": "y"}, branch="topic")
    head = made.commit({PLAN: TEXT + "- [ ] more\n", "c.py": "z"}, branch="topic")
    newer = made.commit({"main.py": "1"})
    found = auto(made.repo, PLAN, head, base_rev=newer)
    assert found.tree_rev == code
    assert found.added_since == {"a.py", "b.py", "c.py"}


def test_a_plan_that_the_pull_request_does_not_change_is_judged_on_its_base(made: GitRepo) -> None:
    base = made.commit({PLAN: TEXT})
    made.branch("topic", base)
    head = made.commit({"a.py": "x", PLAN: TEXT.replace("[ ]", "[x]")}, branch="topic")
    found = auto(made.repo, PLAN, head, base_rev=base)
    assert found.tree_rev == base
    assert found.added_since == frozenset()


def test_a_plan_not_committed_as_it_is_is_judged_on_the_head(made: GitRepo) -> None:
    head = made.head
    assert auto(made.repo, PLAN, "HEAD", contents=TEXT.encode()).tree_rev == head
    made.commit({PLAN: TEXT})
    ticked = TEXT.replace("[ ]", "[x]").encode()
    assert auto(made.repo, PLAN, "HEAD", contents=ticked).tree_rev == head
    edited = made.commit({"a.py": ""})
    assert auto(made.repo, PLAN, "HEAD", contents=b"# Other\n").tree_rev == edited
    reason = auto(made.repo, PLAN, "HEAD", contents=b"# Other\n").reason
    assert reason == "the plan is not committed as it is; judged on the head, without files that are not committed"


def test_the_walk_ends_at_its_limit_and_says_so(made: GitRepo) -> None:
    made.commit({PLAN: TEXT})
    commits = [made.commit({f"f{n}": ""}) for n in range(10)]
    found = auto(made.repo, PLAN, "main", max_commits=3)
    assert found.tree_rev == commits[-3]
    assert "too far back" in found.reason


def test_where_a_shallow_clone_ends_is_not_taken_for_the_first_commit(made: GitRepo) -> None:
    made.commit({PLAN: TEXT})
    oldest = made.commit({"a.py": ""})
    head = made.commit({"b.py": ""})
    for each in made.repo[oldest].peel(pygit2.Commit).parent_ids:
        made.forget_object(str(each))
    (Path(made.repo.path) / "shallow").write_text(f"{oldest}\n")
    found = auto(pygit2.Repository(str(made.path)), PLAN, head)
    assert found.tree_rev == oldest
    assert "history in this clone ends" in found.reason


def test_what_is_not_there_is_said_so(made: GitRepo) -> None:
    with pytest.raises(InputError, match="no file"):
        auto(made.repo, PLAN, "main")
    with pytest.raises(InputError, match="no commit"):
        auto(made.repo, PLAN, "nowhere")
    with pytest.raises(InputError, match="no file"):
        auto(made.repo, "../../etc/passwd", "main")


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("- [ ] a", "- [x] a", True),
        ("  * [ ] a", "  * [-] a", True),
        ("1. [ ] a", "1. [~] a", True),
        ("> - [ ] a", "> - [X] a", True),
        ("**Status:** Draft", "**Status:** Done", True),
        ("status: todo", "status: done", True),
        ("### Task 1: a", "### Task 1: a [DONE]", True),
        ("a  \r\n", "a\n", True),
        ("- [ ] a", "- [ ] b", False),
        ("see [x] there", "see [ ] there", False),
        ("- [ ]* a", "- [ ] a", False),
    ],
)
def test_what_counts_as_progress(before: str, after: str, same: bool) -> None:
    assert (planned(before.encode()) == planned(after.encode())) is same


def test_progress_marks_in_hostile_text_end(made: GitRepo) -> None:
    for text in (" " * 500_000 + "x", "#" * 500_000, "# [DONE" * 50_000, "status" * 80_000, "- [" * 150_000):
        planned(text.encode())
