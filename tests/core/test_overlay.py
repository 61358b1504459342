"""The tree as the tasks of a plan change it, one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.core.tree import Kind, Overlay, State, Tree
from tests.git_repo import build_repo


@pytest.fixture
def overlay(tmp_path: Path) -> Overlay:
    repo = build_repo(
        tmp_path / "r", {"src/a.py": "", "src/b.py": "", "src/sub/c.py": "", "docs/x.md": "", "top.py": ""}
    )
    return Overlay(Tree.open(repo.path, "main"))


def test_untouched_paths_are_as_in_the_tree(overlay: Overlay) -> None:
    assert overlay.state("src/a.py") == State(Kind.FILE)
    assert overlay.state("src/") == State(Kind.DIRECTORY)
    assert overlay.state("new.py") == State(Kind.MISSING)


def test_a_created_file_brings_its_folders_with_it(overlay: Overlay) -> None:
    overlay.create("lib/deep/new.py", "Task 1")
    assert overlay.state("lib/deep/new.py") == State(Kind.FILE, created_by="Task 1")
    assert overlay.state("lib/deep") == State(Kind.DIRECTORY, created_by="Task 1")
    assert overlay.state("lib") == State(Kind.DIRECTORY, created_by="Task 1")
    assert overlay.state("lib/other.py").kind is Kind.MISSING
    assert overlay.state("src").created_by is None


def test_a_created_folder_holds_nothing_yet(overlay: Overlay) -> None:
    overlay.create("lib/", "Task 1")
    assert overlay.state("lib") == State(Kind.DIRECTORY, created_by="Task 1")
    assert overlay.state("lib/a.py").kind is Kind.MISSING


def test_a_changed_file_names_the_last_task_that_changed_it(overlay: Overlay) -> None:
    overlay.modify("src/a.py", "Task 1")
    overlay.modify("src/a.py", "Task 2")
    assert overlay.state("src/a.py") == State(Kind.FILE, changed_by="Task 2")
    assert overlay.state("src/b.py").changed_by is None


def test_changing_what_is_not_there_does_not_make_it(overlay: Overlay) -> None:
    overlay.modify("src/new.py", "Task 1")
    assert overlay.state("src/new.py").kind is Kind.MISSING


def test_a_deleted_file_is_gone_until_it_is_made_again(overlay: Overlay) -> None:
    overlay.modify("src/a.py", "Task 1")
    overlay.delete("src/a.py", "Task 2")
    assert overlay.state("src/a.py") == State(Kind.MISSING, deleted_by="Task 2")
    overlay.create("src/a.py", "Task 3")
    assert overlay.state("src/a.py") == State(Kind.FILE, created_by="Task 3")


def test_a_deleted_folder_takes_all_below_with_it(overlay: Overlay) -> None:
    overlay.create("src/new.py", "Task 1")
    overlay.delete("src/", "Task 2")
    for path in ("src", "src/a.py", "src/sub", "src/sub/c.py", "src/new.py"):
        assert overlay.state(path) == State(Kind.MISSING, deleted_by="Task 2"), path
    overlay.create("src/sub/again.py", "Task 3")
    assert overlay.state("src/sub/again.py").kind is Kind.FILE
    assert overlay.state("src").kind is Kind.DIRECTORY
    assert overlay.state("src/a.py").kind is Kind.MISSING


def test_a_moved_file_is_at_its_target_and_the_old_path_says_where_it_went(overlay: Overlay) -> None:
    overlay.modify("src/a.py", "Task 1")
    overlay.move("src/a.py", "lib/a2.py", "Task 2")
    assert overlay.state("src/a.py") == State(Kind.MISSING, deleted_by="Task 2", moved_to="lib/a2.py")
    assert overlay.state("lib/a2.py") == State(Kind.FILE, changed_by="Task 1", created_by="Task 2")
    assert overlay.state("lib").kind is Kind.DIRECTORY


def test_a_moved_folder_takes_its_content_along(overlay: Overlay) -> None:
    overlay.create("src/new.py", "Task 1")
    overlay.delete("src/b.py", "Task 1")
    overlay.move("src", "packages/core/src", "Task 2")
    assert overlay.state("packages/core/src").kind is Kind.DIRECTORY
    assert overlay.state("packages/core/src/a.py").kind is Kind.FILE
    assert overlay.state("packages/core/src/sub/c.py").kind is Kind.FILE
    assert overlay.state("packages/core/src/new.py").kind is Kind.FILE
    assert overlay.state("packages/core/src/b.py").kind is Kind.MISSING
    assert overlay.state("src/a.py") == State(Kind.MISSING, deleted_by="Task 2", moved_to="packages/core/src/a.py")
    overlay.create("src/later.py", "Task 3")
    assert overlay.state("packages/core/src/later.py").kind is Kind.MISSING


def test_a_file_moved_into_a_folder_keeps_its_name(overlay: Overlay) -> None:
    overlay.move("top.py", "src", "Task 1")
    assert overlay.state("src/top.py").kind is Kind.FILE
    overlay.move("docs/x.md", "guides/", "Task 2")
    assert overlay.state("guides/x.md").kind is Kind.FILE


def test_a_folder_moved_over_another_leaves_what_was_there(overlay: Overlay) -> None:
    overlay.move("docs", "src", "Task 1")
    assert overlay.state("src/x.md").kind is Kind.FILE
    assert overlay.state("src/a.py").kind is Kind.FILE


def test_a_folder_moved_below_itself(overlay: Overlay) -> None:
    overlay.move("src", "src/inner", "Task 1")
    assert overlay.state("src/inner/a.py").kind is Kind.FILE
    assert overlay.state("src/a.py").kind is Kind.MISSING
    assert overlay.state("src").kind is Kind.DIRECTORY


def test_a_move_of_nothing_is_taken_at_its_word(overlay: Overlay) -> None:
    overlay.move("src/nothing.py", "src/something.py", "Task 1")
    assert overlay.state("src/something.py") == State(Kind.FILE, created_by="Task 1")


def test_what_came_with_a_folder_that_was_not_there_is_unknown(overlay: Overlay) -> None:
    overlay.move("none/", "lib/", "Task 1")
    assert overlay.state("lib").kind is Kind.DIRECTORY
    assert overlay.state("lib/a.py").kind is Kind.UNKNOWN


def test_a_file_moved_many_times_is_where_it_was_moved_last(overlay: Overlay) -> None:
    overlay.modify("top.py", "Task 0")
    overlay.move("top.py", "m0.py", "Task 0")
    for n in range(200):
        overlay.move(f"m{n}.py", f"m{n + 1}.py", f"Task {n + 1}")
    assert overlay.state("m200.py") == State(Kind.FILE, changed_by="Task 0", created_by="Task 200")
    assert overlay.state("m10.py").kind is Kind.MISSING


def test_a_long_chain_of_folder_moves_ends_in_unknown(overlay: Overlay) -> None:
    overlay.move("src", "m0", "Task 0")
    for n in range(200):
        overlay.move(f"m{n}", f"m{n + 1}", f"Task {n + 1}")
    assert overlay.state("m200").kind is Kind.DIRECTORY
    assert overlay.state("m200/a.py").kind is Kind.UNKNOWN
    assert overlay.state("m10/a.py").kind is Kind.MISSING


def test_folders_moved_onto_each_other_again_and_again_end(overlay: Overlay) -> None:
    for n in range(300):
        overlay.move("src" if n % 2 else "docs", "docs" if n % 2 else "src", f"Task {n}")
    assert overlay.state("src/a.py").kind in Kind


def test_created_paths_are_listed_while_they_are_there(overlay: Overlay) -> None:
    overlay.create("lib/a.py", "Task 1")
    overlay.create("lib/gone.py", "Task 1")
    overlay.delete("lib/gone.py", "Task 2")
    overlay.move("src/a.py", "lib/moved.py", "Task 2")
    assert overlay.created() == ("lib/a.py", "lib/moved.py")


def test_a_suffix_finds_created_files_and_not_deleted_ones(overlay: Overlay) -> None:
    overlay.create("packages/web/src/a.py", "Task 1")
    assert overlay.by_suffix("src/a.py") == ("packages/web/src/a.py", "src/a.py")
    overlay.delete("src", "Task 2")
    assert overlay.by_suffix("src/a.py") == ("packages/web/src/a.py",)
