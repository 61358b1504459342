"""The tree at one commit: what is there, what may be read, and which real path a wrong one may have meant."""

from __future__ import annotations

from pathlib import Path

import pygit2
import pytest

from bot.core.gitignore import Ignore
from bot.core.listing import Listing, ListingCache
from bot.core.tree import InputError, Kind, Text, Tree, TreeError, Unreadable, open_repository
from tests.git_repo import Executable, GitRepo, Link, Submodule, build_repo

HOSTILE = [
    "../../etc/passwd",
    "a/../../x",
    "src/..",
    "..",
    "/etc/passwd",
    "/proc/self/environ",
    "~/.ssh/id_rsa",
    "C:\\Windows\\win.ini",
    "C:/Windows/win.ini",
    "src\\app.py",
    "src/app.py\0",
    "",
    "a" * 4097,
    "a/" * 2000 + "b",
    "src/app.py/../app.py",
]


@pytest.fixture
def made(tmp_path: Path) -> GitRepo:
    return build_repo(
        tmp_path / "repo",
        {
            "src/app.py": "one\ntwo\nthree\n",
            "src/util/names.py": "x = 1\n",
            "web/util/names.py": "y = 1\n",
            "docs/Guide.md": "# Guide\r\n\r\ntext",
            "run.sh": Executable("#!/bin/sh\n"),
            "etc": Link("/etc"),
            "notes": Link("docs/Guide.md"),
            "vendor/lib": Submodule(),
            "logo.png": b"\x89PNG\0\0",
        },
    )


@pytest.fixture
def tree(made: GitRepo) -> Tree:
    return Tree.open(made.path, "main")


def test_each_kind_of_entry_is_told_apart(tree: Tree) -> None:
    assert tree.kind("src/app.py") is Kind.FILE
    assert tree.kind("run.sh") is Kind.FILE
    assert tree.kind("src") is Kind.DIRECTORY
    assert tree.kind("src/util/") is Kind.DIRECTORY
    assert tree.kind("./src//util") is Kind.DIRECTORY
    assert tree.kind(".") is Kind.DIRECTORY
    assert tree.kind("etc") is Kind.SYMLINK
    assert tree.kind("vendor/lib") is Kind.SUBMODULE
    assert tree.kind("src/nothing.py") is Kind.MISSING
    assert tree.kind("src/app.py/below") is Kind.MISSING


def test_what_lies_behind_a_link_or_in_a_submodule_is_unknown_not_missing(tree: Tree) -> None:
    assert tree.kind("etc/passwd") is Kind.UNKNOWN
    assert tree.kind("vendor/lib/src/a.c") is Kind.UNKNOWN


@pytest.mark.parametrize("path", HOSTILE)
def test_a_path_that_leaves_the_tree_is_missing_and_reads_nothing(tree: Tree, path: str) -> None:
    assert tree.kind(path) is Kind.MISSING
    assert tree.read(path) == Unreadable("no such file")
    assert tree.children(path) == ()
    assert tree.by_suffix(path) == ()
    assert tree.folded(path) is None
    assert isinstance(tree.nearest(path), tuple)
    assert tree.glob(path) == ()
    assert tree.ignored(path) is False


def test_a_link_is_never_followed(tree: Tree) -> None:
    assert tree.read("notes") == Unreadable("a symbolic link, which is not followed")
    assert isinstance(tree.read("etc/passwd"), Unreadable)


def test_a_file_of_the_work_tree_that_is_not_committed_is_not_there(made: GitRepo) -> None:
    made.checkout()
    (made.path / "src" / "new.py").write_text("new")
    (made.path / "src" / "app.py").write_text("changed")
    (made.path / ".gitignore").write_text("*.py")
    tree = Tree.open(made.path, "HEAD")
    assert tree.kind("src/new.py") is Kind.MISSING
    assert tree.read("src/app.py") == Text("one\ntwo\nthree\n", 14)
    assert not tree.ignored("src/x.py")


def test_lines_are_numbered_as_an_editor_does(tree: Tree) -> None:
    read = tree.read("docs/Guide.md")
    assert isinstance(read, Text)
    assert read.lines == ("# Guide", "", "text")
    assert read.size == 15
    assert Text("", 0).lines == ()
    assert Text("a\n\n", 3).lines == ("a", "")
    assert Text("a\x0cb\u2028c\n", 1).lines == ("a\x0cb\u2028c",)


def test_files_that_give_no_text_say_why(tmp_path: Path) -> None:
    repo = build_repo(
        tmp_path / "r",
        {
            "big.txt": "x" * 101,
            "fits.txt": "x" * 100,
            "bin": b"a\0b",
            "latin.txt": "caf\xe9".encode("latin-1"),
            "model.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:1\n",
            "bom.txt": b"\xef\xbb\xbfhello",
        },
    )
    tree = Tree.open(repo.path, "main", max_blob=100)
    assert tree.read("big.txt") == Unreadable("too large to read (101 bytes, the limit is 100 bytes)")
    assert isinstance(tree.read("fits.txt"), Text)
    assert tree.read("bin") == Unreadable("binary")
    assert tree.read("latin.txt") == Text("caf\xe9", 4)
    assert tree.read("model.bin") == Unreadable("its content is stored outside git (LFS)")
    assert tree.read("bom.txt") == Text("hello", 8)


def test_every_read_is_traced_once(tree: Tree) -> None:
    tree.read("src/app.py")
    tree.read("src/app.py")
    tree.read("nothing")
    assert [tuple(read) for read in tree.reads] == [("src/app.py", 14, "ok"), ("nothing", 0, "no such file")]


def test_a_blob_that_the_clone_lacks_is_there_but_unreadable(made: GitRepo) -> None:
    made.forget_object("main:src/app.py")
    tree = Tree.open(pygit2.Repository(str(made.path)), "main")
    assert tree.kind("src/app.py") is Kind.FILE
    assert tree.read("src/app.py") == Unreadable("its content is not in this clone")


def test_a_folder_that_the_clone_lacks_is_unknown_and_not_kept_in_the_cache(made: GitRepo) -> None:
    made.forget_object("main:src")
    listings = ListingCache()
    tree = Tree.open(made.path, "main", listings=listings)
    assert tree.kind("src") is Kind.UNKNOWN
    assert tree.kind("src/app.py") is Kind.UNKNOWN
    assert tree.kind("docs/Guide.md") is Kind.FILE
    assert not listings._kept


def test_a_clone_without_the_root_folder_is_refused_in_plain_words(made: GitRepo) -> None:
    made.forget_object("main^{tree}")
    with pytest.raises(TreeError, match="not in this clone"):
        Tree.open(made.path, "main", listings=ListingCache())


def test_paths_are_every_file_in_order(tree: Tree) -> None:
    assert list(tree.paths()) == [
        "docs/Guide.md",
        "etc",
        "logo.png",
        "notes",
        "run.sh",
        "src/app.py",
        "src/util/names.py",
        "vendor/lib",
        "web/util/names.py",
    ]
    assert tree.children("src") == ("app.py", "util")
    assert tree.children(".") == ("docs", "etc", "logo.png", "notes", "run.sh", "src", "vendor", "web")


def test_the_plans_own_files_are_laid_over_the_tree(made: GitRepo) -> None:
    overlay = {"plans/2026/a.md": b"# A\n", "src/app.py": b"over\n", "../out": b"no"}
    tree = Tree.open(made.path, "main", overlay=overlay)
    assert tree.kind("plans/2026/a.md") is Kind.FILE
    assert tree.kind("plans") is Kind.DIRECTORY
    assert tree.children(".")[-3:] == ("src", "vendor", "web")
    assert "plans" in tree.children(".")
    assert tree.read("src/app.py") == Text("over\n", 5)
    assert tree.paths().count("src/app.py") == 1
    assert "plans/2026/a.md" in tree.paths()
    assert tree.by_suffix("2026/a.md") == ("plans/2026/a.md",)
    assert tree.by_name("a.md") == ("plans/2026/a.md",)
    assert tree.folded("PLANS/2026/A.md") == "plans/2026/a.md"
    assert tree.glob("plans/**/*.md") == ("plans/2026/a.md",)
    assert tree.blob_id("src/app.py") is None


def test_the_tree_before_the_first_commit_holds_the_plan_alone(made: GitRepo) -> None:
    tree = Tree.open(made.path, None, overlay={"plan.md": b"x"})
    assert tree.rev is None
    assert list(tree.paths()) == ["plan.md"]
    assert tree.kind("src/app.py") is Kind.MISSING


def test_a_path_in_other_letter_case_is_found(tree: Tree) -> None:
    assert tree.folded("docs/guide.md") == "docs/Guide.md"
    assert tree.folded("SRC") == "src"
    assert tree.folded("docs/Guide.md") is None
    assert tree.folded("docs/other.md") is None


def test_a_suffix_is_matched_by_whole_segments_for_files_and_folders(tree: Tree) -> None:
    assert tree.by_suffix("util/names.py") == ("src/util/names.py", "web/util/names.py")
    assert tree.by_suffix("util") == ("src/util", "web/util")
    assert tree.by_suffix("til/names.py") == ()
    assert tree.by_suffix("src/app.py") == ("src/app.py",)
    assert tree.by_name("app.py") == ("src/app.py",)


def test_the_nearest_path_has_the_same_name_in_the_closest_folder(tmp_path: Path) -> None:
    repo = build_repo(
        tmp_path / "r",
        {
            "packages/core/src/agents/claude.ts": "",
            "packages/web/src/claude.ts": "",
            "packages/core/lib/claude.ts": "",
            "packages/core/src/agents/codex.ts": "",
            "packages/core/src/settings.ts": "",
            "readme.md": "",
        },
    )
    tree = Tree.open(repo.path, "main")
    assert tree.nearest("packages/core/src/claude.ts") == (
        "packages/core/src/agents/claude.ts",
        "packages/core/lib/claude.ts",
        "packages/web/src/claude.ts",
    )
    assert tree.nearest("packages/core/src/claude.ts", 1) == ("packages/core/src/agents/claude.ts",)
    assert tree.nearest("packages/core/src/setings.ts") == ("packages/core/src/settings.ts",)
    assert tree.nearest("packages/core/src/wholly_else.rs") == ()


def test_a_file_and_its_test_are_not_taken_for_each_other(tmp_path: Path) -> None:
    repo = build_repo(tmp_path / "r", {"cmd/plugin_init_test.go": "", "src/shaker.web.tsx": ""})
    tree = Tree.open(repo.path, "main")
    assert tree.nearest("cmd/plugin_init.go") == ()
    assert tree.nearest("src/shaker.web.test.tsx") == ()
    assert tree.nearest("cmd/plugin_inti_test.go") == ("cmd/plugin_init_test.go",)


def test_a_name_that_many_files_bear_is_suggested_only_in_a_shared_folder(tmp_path: Path) -> None:
    repo = build_repo(tmp_path / "r", {f"pkg{n}/index.ts": "" for n in range(20)} | {"app/deep/index.ts": ""})
    tree = Tree.open(repo.path, "main")
    assert tree.nearest("other/index.ts") == ()
    assert tree.nearest("app/index.ts") == ("app/deep/index.ts",)


def test_similar_names_are_looked_for_a_bounded_number_of_times(made: GitRepo) -> None:
    tree = Tree.open(made.path, "main", max_fuzzy=1)
    assert tree.nearest("src/ap.py") == ("src/app.py",)
    assert tree.nearest("src/apq.py") == ()
    assert tree.nearest("src/ap.py") == ("src/app.py",)
    assert tree.nearest("lib/app.py") == ("src/app.py",)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("src/*.py", ("src/app.py",)),
        ("src/**", ("src/app.py", "src/util/names.py")),
        ("**/names.py", ("src/util/names.py", "web/util/names.py")),
        ("src/**.py", ("src/app.py", "src/util/names.py")),
        ("{src,web}/util/*.{py,ts}", ("src/util/names.py", "web/util/names.py")),
        ("docs/G?ide.md", ("docs/Guide.md",)),
        ("*/util", ("src/util", "web/util")),
        ("*/", ("docs", "src", "vendor", "web")),
        ("lib/*.py", ()),
        ("**", None),
    ],
)
def test_globs(tree: Tree, pattern: str, found: tuple[str, ...] | None) -> None:
    assert tree.glob(pattern) == (tuple(tree.paths()) if found is None else found)


def test_brackets_and_parentheses_are_part_of_a_name(tmp_path: Path) -> None:
    repo = build_repo(tmp_path / "r", {"app/(shop)/[id]/page.tsx": ""})
    assert Tree.open(repo.path, "main").glob("app/(shop)/[id]/*.tsx") == ("app/(shop)/[id]/page.tsx",)


def test_a_glob_of_many_stars_over_a_long_name_ends(tmp_path: Path) -> None:
    name = "a" * 240
    repo = build_repo(tmp_path / "r", {f"{name}/{name}": ""})
    tree = Tree.open(repo.path, "main")
    assert tree.glob("*a" * 60 + "b") == ()
    assert tree.glob("**/" * 60 + "*a*a*a*a*a*a*a*b") == ()
    assert tree.glob("{" * 500) == ()
    assert tree.glob("{a,b}" * 50) == ()
    assert tree.glob("*a" * 60) == (name,)
    assert tree.glob("*/" + "*a" * 60) == (f"{name}/{name}",)


@pytest.fixture
def ignoring(tmp_path: Path) -> Tree:
    repo = build_repo(
        tmp_path / "r",
        {
            ".gitignore": "# a comment\n*.log\n/build\ncache/\n!keep.log\nlogs/**/debug\nfoo[0-9].txt\n"
            "\\#odd\ndoc/*.txt\n",
            "web/.gitignore": "dist/\n!important.log\n",
            "big/.gitignore": "*a" * 200 + "b\n",
        },
    )
    return Tree.open(repo.path, "main")


@pytest.mark.parametrize(
    ("path", "ignored"),
    [
        ("x.log", True),
        ("a/b/x.log", True),
        ("keep.log", False),
        ("a/keep.log", False),
        ("build", True),
        ("build/x.py", True),
        ("a/build", False),
        ("cache", False),
        ("cache/", True),
        ("a/cache/x.py", True),
        ("logs/debug", True),
        ("logs/a/b/debug", True),
        ("foo1.txt", True),
        ("foox.txt", False),
        ("#odd", True),
        ("doc/a.txt", True),
        ("doc/sub/a.txt", False),
        ("web/dist/app.js", True),
        ("dist/app.js", False),
        ("web/important.log", False),
        ("web/other.log", True),
        ("src/app.py", False),
        ("big/" + "a" * 250, False),
    ],
)
def test_the_trees_own_gitignore_files_count(ignoring: Tree, path: str, ignored: bool) -> None:
    assert ignoring.ignored(path) is ignored


def test_a_listing_is_read_once_per_tree_and_the_oldest_is_dropped(made: GitRepo) -> None:
    first = made.head
    second = made.commit({"more.py": ""})
    third = made.commit({"most.py": ""})
    listings = ListingCache(size=2)
    repo = open_repository(made.path)
    assert (
        Tree.open(repo, first, listings=listings)._listing
        is Tree.open(made.path, first[:12], listings=listings)._listing
    )
    for rev in (second, third):
        Tree.open(repo, rev, listings=listings)
    assert len(listings._kept) == 2


def test_a_few_objects_that_describe_countless_paths_are_refused(tmp_path: Path) -> None:
    repo = build_repo(tmp_path / "r", {"a": "x"}).repo
    tree = repo.revparse_single("main^{tree}").id
    for _ in range(12):
        builder = repo.TreeBuilder()
        for name in "abcdefgh":
            builder.insert(name, tree, pygit2.enums.FileMode.TREE)
        tree = builder.write()
    with pytest.raises(TreeError, match="more than 5,000 paths"):
        Listing.read(repo, tree, max_entries=5000)


def test_a_name_that_is_not_utf8_stays_printable(tmp_path: Path) -> None:
    repo = build_repo(tmp_path / "r", {"a": "x"}).repo
    blob = repo.create_blob(b"x")
    tree = pygit2.Oid(raw=repo.odb.write(pygit2.enums.ObjectType.TREE, b"100644 caf\xe9\0" + blob.raw).raw)
    assert list(Listing.read(repo, tree).paths) == ["caf\\xe9"]


@pytest.mark.parametrize("rev", ["nothing", "f" * 40, "", "main:src", "HEAD~400"])
def test_a_commit_that_is_not_there_is_said_so(made: GitRepo, rev: str) -> None:
    with pytest.raises(InputError, match="no commit"):
        Tree.open(made.path, rev)


def test_a_place_without_a_repository_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not in a git repository"):
        Tree.open(tmp_path / "nowhere", "main")


def test_a_bare_repository_and_a_folder_of_a_work_tree_both_open(made: GitRepo, tmp_path: Path) -> None:
    made.checkout()
    assert Tree.open(made.path / "src", "HEAD").kind("src/app.py") is Kind.FILE
    bare = build_repo(tmp_path / "bare", {"a.py": "x"}, bare=True)
    assert Tree.open(bare.path, "main").kind("a.py") is Kind.FILE


def test_a_suffix_is_found_also_among_very_many_files_of_that_name(tmp_path: Path) -> None:
    crowd = {f"packages/p{number}/src/index.ts": "" for number in range(100)}
    tree = Tree.open(build_repo(tmp_path / "r", {**crowd, "index.ts/x": "", "lib/index.ts": ""}).path, "main")
    assert tree.by_suffix("p7/src/index.ts") == ("packages/p7/src/index.ts",)
    assert tree.by_suffix("lib/index.ts") == ("lib/index.ts",)
    assert tree.by_suffix("7/src/index.ts") == ()
    assert len(tree.by_suffix("src/index.ts")) == 100
    assert len(tree.by_suffix("index.ts")) == 102


def test_a_name_that_many_files_bear_is_not_suggested_without_end(tmp_path: Path) -> None:
    crowd = {f"packages/p{number}/index.ts": "" for number in range(20)}
    repo = build_repo(tmp_path / "r", crowd).path
    assert Tree.open(repo, "main").nearest("packages/p99/index.ts")
    assert Tree.open(repo, "main", max_fuzzy=0).nearest("packages/p99/index.ts") == ()


def test_ignore_rules_are_tried_a_bounded_number_of_times() -> None:
    rules = {".gitignore": "*.log\n" * 10}
    patient, hasty = Ignore(rules.get), Ignore(rules.get, max_matches=25)
    names = [f"{number}.log" for number in range(4)]
    assert [patient.ignored(name) for name in names] == [True] * 4
    assert [hasty.ignored(name) for name in names] == [True, True, False, False]
    assert not Ignore({"a/.gitignore": "*"}.get).ignored("b/a")
