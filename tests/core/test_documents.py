"""Which files of a repository are plans, and what their documents say."""

from __future__ import annotations

from pathlib import Path

import pygit2
import pytest

from bot.core.documents import companion_documents, document_text, find_plans, main_document
from bot.core.tree import InputError, Tree, Unreadable
from tests.git_repo import GitRepo, Link, build_repo

TEXT = "# Plan\n\n- [ ] write a.py\n- [ ] write b.py\n"


@pytest.fixture
def made(tmp_path: Path) -> GitRepo:
    return build_repo(
        tmp_path / "r",
        {
            "readme.md": "",
            "docs/plans/a.md": TEXT,
            "docs/plans/a.png": "",
            "docs/plans/link.md": Link("a.md"),
            "docs/plans/archive/old.md": TEXT,
            "docs/superpowers/plans/2026-b.md": TEXT,
            "openspec/changes/add-x/tasks.md": TEXT,
            "openspec/changes/add-x/proposal.md": "why",
            "openspec/changes/add-x/specs/x/spec.md": "## ADDED Requirements",
            "openspec/changes/only-words/proposal.md": "why",
            "openspec/changes/archive/2025-01-01-done/tasks.md": TEXT,
            "specs/001-y/tasks.md": TEXT,
            "specs/001-y/plan.md": "plan",
            "specs/002-z/plan.md": "plan",
            ".kiro/specs/q/tasks.md": TEXT,
            "PLAN.md": TEXT,
        },
    )


def test_every_plan_is_named_once_by_its_main_document(made: GitRepo) -> None:
    assert find_plans(made.path, "main") == [
        ".kiro/specs/q/tasks.md",
        "PLAN.md",
        "docs/plans/a.md",
        "docs/superpowers/plans/2026-b.md",
        "openspec/changes/add-x/tasks.md",
        "openspec/changes/only-words/proposal.md",
        "specs/001-y/tasks.md",
    ]


def test_a_plan_whose_name_cannot_be_cited_is_found_and_refused_by_name(tmp_path: Path) -> None:
    made = build_repo(tmp_path / "r", {"readme.md": ""})
    base, blob = made.head, made.repo.create_blob(TEXT.encode())
    names = (b"back\\slash.md", b"latin-\xe9.md")
    raw = b"".join(b"100644 " + name + b"\0" + blob.raw for name in names)
    docs = made.repo.TreeBuilder()
    docs.insert("plans", made.repo.write(pygit2.enums.ObjectType.TREE, raw), pygit2.enums.FileMode.TREE)
    root = made.repo.TreeBuilder(made.repo[base].peel(pygit2.Tree))
    root.insert("docs", docs.write(), pygit2.enums.FileMode.TREE)
    who = pygit2.Signature("a", "a@example.org", 1, 0)
    head = str(made.repo.create_commit(None, who, who, "Plans", root.write(), [base]))
    found = find_plans(made.repo, head, changed_since=base)
    assert found == ["docs/plans/back\\slash.md", "docs/plans/latin-\\xe9.md"]
    for plan in found:
        with pytest.raises(InputError, match="backslash or is not UTF-8 cannot be judged; rename it"):
            main_document(Tree.open(made.repo, head), plan)
    assert find_plans(made.repo, base, changed_since=head) == []


def test_own_globs_take_the_place_of_the_usual_ones(made: GitRepo) -> None:
    assert find_plans(made.path, "main", patterns=["docs/**/*.md"]) == [
        "docs/plans/a.md",
        "docs/superpowers/plans/2026-b.md",
    ]
    assert find_plans(made.path, "main", patterns=[]) == []


def test_only_plans_that_changed_since(made: GitRepo) -> None:
    base = made.head
    made.commit({"docs/plans/a.md": TEXT + "more\n", "readme.md": "x"})
    made.commit({"openspec/changes/add-x/specs/x/spec.md": "## MODIFIED Requirements"})
    assert find_plans(made.repo, "main", changed_since=base) == ["docs/plans/a.md", "openspec/changes/add-x/tasks.md"]


def test_what_the_base_branch_changed_meanwhile_does_not_count(made: GitRepo) -> None:
    made.branch("topic", made.head)
    made.commit({"docs/plans/new.md": TEXT}, branch="topic")
    made.commit({"docs/plans/a.md": "other"})
    assert find_plans(made.repo, "topic", changed_since="main") == ["docs/plans/new.md"]


def test_a_plan_taken_away_is_no_plan(made: GitRepo) -> None:
    base = made.head
    made.commit({"docs/plans/a.md": None, "openspec/changes/add-x": None})
    assert find_plans(made.repo, "main", changed_since=base) == []


def test_a_plan_moved_to_the_archive_is_not_new(made: GitRepo) -> None:
    base = made.head
    archive = "openspec/changes/archive/2026-02-03-add-x"
    made.commit(
        {
            "openspec/changes/add-x": None,
            f"{archive}/tasks.md": TEXT.replace("[ ]", "[x]"),
            f"{archive}/proposal.md": "why",
            "docs/plans/a.md": None,
            "docs/plans/archived/a.md": TEXT,
        }
    )
    assert find_plans(made.repo, "main", changed_since=base, patterns=["**/*.md"]) == []


def test_a_new_plan_in_an_archive_is_looked_at(made: GitRepo) -> None:
    base = made.head
    made.commit({"docs/plans/archived/fresh.md": "# Fresh\n- [ ] something else\n"})
    assert find_plans(made.repo, "main", changed_since=base) == ["docs/plans/archived/fresh.md"]


def test_ticked_boxes_make_no_plan_new_where_only_what_is_planned_counts(made: GitRepo) -> None:
    made.commit({"docs/plans/a.md": "# A\n\n- [ ] write it\n- [ ] test it\n"})
    base = made.head
    made.commit({"docs/plans/a.md": "# A\n\n- [x] write it\n- [ ] test it\n"})
    assert find_plans(made.repo, "main", changed_since=base) == ["docs/plans/a.md"]
    assert find_plans(made.repo, "main", changed_since=base, but_for_marks=True) == []
    made.commit({"docs/plans/a.md": "# A\n\n- [x] write it\n- [x] ship it\n"})
    assert find_plans(made.repo, "main", changed_since=base, but_for_marks=True) == ["docs/plans/a.md"]


def test_a_folder_is_named_by_its_main_document(made: GitRepo) -> None:
    tree = Tree.open(made.path, "main")
    assert main_document(tree, "openspec/changes/add-x/") == "openspec/changes/add-x/tasks.md"
    assert main_document(tree, "openspec/changes/only-words") == "openspec/changes/only-words/proposal.md"
    assert main_document(tree, "./docs/plans/a.md") == "docs/plans/a.md"
    assert main_document(tree, "docs/superpowers/plans") == "docs/superpowers/plans/2026-b.md"


@pytest.mark.parametrize("plan", ["docs/plans", "docs/none.md", "../x.md", "", "/etc/passwd", "x\0y", "a" * 5000])
def test_a_plan_that_is_not_there_is_said_so(made: GitRepo, plan: str) -> None:
    with pytest.raises(InputError) as error:
        main_document(Tree.open(made.path, "main"), plan)
    assert len(str(error.value)) < 1000


def test_companions_are_read_by_path_and_glob_each_once(made: GitRepo) -> None:
    made.commit({"openspec/changes/add-x/design.md": b"\xff\xfeU"})
    folder = "openspec/changes/add-x"
    found, skipped = companion_documents(
        Tree.open(made.path, "main"),
        [f"{folder}/proposal.md", f"{folder}/design.md", f"{folder}/none.md", f"{folder}/**/*.md"],
        but=f"{folder}/tasks.md",
        max_size=100,
        max_documents=10,
    )
    assert [each.path for each in found] == [f"{folder}/proposal.md", f"{folder}/specs/x/spec.md"]
    assert skipped == [(f"{folder}/design.md", "it is UTF-16 text; save it as UTF-8")]


def test_too_many_companions_are_left_out_and_said_so(made: GitRepo) -> None:
    tree = Tree.open(made.path, "main")
    found, skipped = companion_documents(tree, ["**/*.md"], but="readme.md", max_size=100, max_documents=2)
    assert len(found) == 2
    assert skipped
    assert skipped[0][1] == "the plan has more than 2 documents"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"ok\n\xff bad", "it is not UTF-8 text (line 2); save it as UTF-8"),
        (b"a\0b", "it holds NUL bytes, so it is no text; save it as UTF-8 text"),
        ("# plan".encode("utf-16"), "it is UTF-16 text; save it as UTF-8"),
        (
            b"x" * 101,
            "it could not be read: too large to read (101 bytes, the limit is 100 bytes); split it into smaller plans",
        ),
    ],
)
def test_a_document_that_is_no_text_says_what_to_do(tmp_path: Path, data: bytes, reason: str) -> None:
    tree = Tree.open(build_repo(tmp_path / "r", {"p.md": data}).path, "main")
    assert document_text(tree, "p.md", max_size=100) == Unreadable(reason)


def test_byte_order_marks_and_line_ends_are_made_equal(tmp_path: Path) -> None:
    tree = Tree.open(build_repo(tmp_path / "r", {"p.md": b"\xef\xbb\xbfa\r\nb\rc\n"}).path, "main")
    assert document_text(tree, "p.md", max_size=100) == "a\nb\nc\n"
