"""A tree with some files taken out."""

from __future__ import annotations

from pathlib import Path

from bot.core.tree import Kind, Tree, Unreadable
from tests.git_repo import Link, build_repo

FILES = {"a/b/one.py": "1\n", "a/b/c/two.py": "2\n", "a/three.py": "3\n", "solo/four.py": "4\n", "root.md": "r\n"}


def test_a_file_taken_out_is_missing_wherever_one_asks(tmp_path: Path) -> None:
    repo = build_repo(tmp_path / "r", FILES)
    tree = Tree.open(repo.path, repo.head, overlay={"a/three.py": None})
    assert tree.kind("a/three.py") is Kind.MISSING
    assert isinstance(tree.read("a/three.py"), Unreadable)
    assert tree.blob_id("a/three.py") is None
    assert "a/three.py" not in tree.paths()
    assert tree.by_suffix("three.py") == ()
    assert tree.by_name("three.py") == ()
    assert tree.folded("A/three.py") is None
    assert tree.children("a") == ("b",)
    assert tree.glob("a/*.py") == ()


def test_directories_that_become_empty_go_too_and_no_others(tmp_path: Path) -> None:
    repo = build_repo(tmp_path / "r", FILES)
    tree = Tree.open(repo.path, repo.head, overlay={"a/b/c/two.py": None, "a/b/one.py": None, "solo/four.py": None})
    assert [tree.kind(path) for path in ("a/b/c", "a/b", "solo", "a")] == [Kind.MISSING] * 3 + [Kind.DIRECTORY]
    assert tree.children(".") == ("a", "root.md")


def test_a_directory_that_holds_a_link_stays(tmp_path: Path) -> None:
    repo = build_repo(tmp_path / "r", {"a/one.py": "1\n", "a/link": Link("one.py")})
    tree = Tree.open(repo.path, repo.head, overlay={"a/one.py": None})
    assert tree.kind("a") is Kind.DIRECTORY


def test_a_file_is_renamed_by_taking_out_one_and_adding_another(tmp_path: Path) -> None:
    repo = build_repo(tmp_path / "r", FILES)
    tree = Tree.open(repo.path, repo.head, overlay={"a/three.py": None, "a/four.py": b"4\n"})
    assert tree.kind("a/four.py") is Kind.FILE
    assert tree.by_name("four.py") == ("a/four.py", "solo/four.py")


def test_the_next_tree_of_the_same_commit_has_the_file_again(tmp_path: Path) -> None:
    repo = build_repo(tmp_path / "r", FILES)
    Tree.open(repo.path, repo.head, overlay={"a/three.py": None})
    assert Tree.open(repo.path, repo.head).kind("a/three.py") is Kind.FILE


def test_taking_out_what_is_not_there_changes_nothing(tmp_path: Path) -> None:
    repo = build_repo(tmp_path / "r", FILES)
    tree = Tree.open(repo.path, repo.head, overlay={"nowhere.py": None, "a/b": None})
    assert tree.paths() == Tree.open(repo.path, repo.head).paths()


def test_nothing_is_taken_out_of_an_empty_tree(tmp_path: Path) -> None:
    repo = build_repo(tmp_path / "r", FILES)
    assert Tree.open(repo.path, None, overlay={"root.md": None}).paths() == ()
