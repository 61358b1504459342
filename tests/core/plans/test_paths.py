from __future__ import annotations

import pytest

from bot.core.plans.model import Hedge
from bot.core.plans.paths import line_ranges, tokens


def code(text: str) -> list[str]:
    return [token.path for token in tokens(text, code=True)]


def bare(text: str) -> list[str]:
    return [token.path for token in tokens(text, code=False)]


@pytest.mark.parametrize(
    ("text", "path", "lines"),
    [
        ("src/a.py:12", "src/a.py", [(12, 12)]),
        ("src/a.py:12-34", "src/a.py", [(12, 34)]),
        ("src/a.py:12,34", "src/a.py", [(12, 12), (34, 34)]),
        ("src/a.py:94, 100-102", "src/a.py", [(94, 94), (100, 102)]),
        ("src/a.py#L12-L20", "src/a.py", [(12, 20)]),
        ("src/a.py:L5", "src/a.py", [(5, 5)]),
        ("src/a.py:12:8", "src/a.py", [(12, 12)]),
        ("src/a.py::TestX::test_y", "src/a.py", []),
        ("src/a.ts:handleIt()", "src/a.ts", []),
        ("docs/guide.md#install", "docs/guide.md", []),
        ("./src/a.py", "src/a.py", []),
        ("src\\app\\main.py", "src/app/main.py", []),
    ],
)
def test_lines_and_symbols_come_off_the_path(text: str, path: str, lines: list[tuple[int, int]]) -> None:
    (token,) = tokens(text, code=True)
    assert token.path == path
    assert token.raw == text
    assert [(item.first, item.last) for item in token.lines] == lines


@pytest.mark.parametrize(
    "text",
    [
        "app/[id]/page.tsx",
        "app/(tabs)/index.tsx",
        "app/[...slug]/route.ts",
        "src/**/*.ts",
        "evals/",
        ".github/workflows/ci.yml",
        "Makefile",
        "package.json",
        "日报/2026-06-25.md",
    ],
)
def test_what_repositories_really_name_their_files_is_a_path(text: str) -> None:
    assert code(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/a.py",
        "application/json",
        "GET /api/users",
        "/api/users/:id",
        "/plan",
        "origin/main",
        "feature/login",
        "@scope/pkg",
        "@scope/pkg/dist/index.js",
        "github.com/owner/repo",
        "user@example.com",
        "1.2.3/4",
        "2026/01/02",
        "and/or",
        "console.log",
        "process.env",
        "res.json()",
        "os.path",
        "store.files.__init__.py",
        "Node.js",
        "pytest tests/a.py -v",
        "npm run build",
        "--cwd",
        "a",
        "..",
        "`",
    ],
)
def test_what_only_looks_like_a_path_is_none(text: str) -> None:
    assert code(text) == []


@pytest.mark.parametrize(
    "text", ["input/output", "Unit/integration", "Windows/MSYS", "e.g.", "Next.js", "3/4", ".mbox/.zip"]
)
def test_word_pairs_in_running_text_are_no_paths(text: str) -> None:
    assert bare(text) == []


def test_sentence_punctuation_is_no_part_of_a_path() -> None:
    assert bare("(src/a.py),") == ["src/a.py"]
    assert bare("“src/a.py”.") == ["src/a.py"]
    assert bare("src/app/(tabs)/x.tsx)") == ["src/app/(tabs)/x.tsx"]


def test_several_paths_in_one_token() -> None:
    assert code("src/a.py, src/b.py") == ["src/a.py", "src/b.py"]
    assert bare("src/a.py,src/b.py") == ["src/a.py", "src/b.py"]
    assert code("README.md/CHANGELOG.md") == ["README.md", "CHANGELOG.md"]
    assert code("src/{a,b}.py") == ["src/a.py", "src/b.py"]


@pytest.mark.parametrize(
    ("text", "hedge"),
    [
        ("src/<name>.py", Hedge.PLACEHOLDER),
        ("path/to/file.py", Hedge.PLACEHOLDER),
        ("$HOME/x/a.py", Hedge.PLACEHOLDER),
        ("docs/YYYY-MM-DD-x.md", Hedge.PLACEHOLDER),
        ("specs/NNN-x/plan.md", Hedge.PLACEHOLDER),
        ("src/foo.py", Hedge.EXAMPLE),
        ("/tmp/x.py", Hedge.ELSEWHERE),
        ("/proc/self/environ", Hedge.ELSEWHERE),
        ("~/.config/x/a.toml", Hedge.ELSEWHERE),
        ("../sibling/a.py", Hedge.ELSEWHERE),
        ("main:src/a.py", Hedge.ELSEWHERE),
        (".git/config", Hedge.ELSEWHERE),
        ("src/a.py", None),
    ],
)
def test_placeholders_and_other_machines_are_hedged(text: str, hedge: Hedge | None) -> None:
    if hedge is Hedge.PLACEHOLDER and "YYYY" in text:
        text = "docs/YYYY-MM-DD-x.md"
    (token,) = tokens(text, code=True)
    assert token.hedge is hedge


def test_absolute_developer_paths_keep_what_stands_in_the_plan() -> None:
    (token,) = tokens("/Users/me/work/app/src/a.py", code=True)
    assert token.path == "/Users/me/work/app/src/a.py"
    assert token.hedge is None


def test_a_shape_without_extension_is_unsure() -> None:
    assert [t.sure for t in tokens("src/agents", code=True)] == [False]
    assert tokens("src/agents", code=False) == []
    assert tokens("owner/name", code=True) == []
    assert [t.sure for t in tokens("src/agents/", code=True)] == [True]


def test_climbing_out_is_left_for_the_tree_to_refuse() -> None:
    (token,) = tokens("../../etc/passwd.txt", code=True)
    assert token.path == "../../etc/passwd.txt"


def test_a_path_of_four_thousand_characters_is_read_and_a_longer_one_is_not() -> None:
    assert len(code("a/" * 2000 + "b.py")) == 1
    assert code("a/" * 3000 + "b.py") == []


def test_reversed_and_zero_ranges_are_dropped() -> None:
    assert line_ranges("30-20, 0, 5") == line_ranges("5")
