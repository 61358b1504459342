from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.github import markdown
from bot.github.markdown import blob_url, code, fenced, fit, fold, length, one_line, plain, prose, table
from tests.github.rendering import alive, read, render

# no deadline: how long one example takes says nothing here
QUICK = settings(max_examples=50, deadline=None)
NASTY = st.text(alphabet=st.sampled_from(list("ab1 \n\t`|\\*_[]()<>#@!~$&:/.-+=\"'\u200b\u202eé🔴{}^")), max_size=60)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("src/a.py", "`src/a.py`"),
        ("a`b", "``a`b``"),
        ("`a`", "`` `a` ``"),
        ("a``b`c", "```a``b`c```"),
        ("@team", "`@team`"),
        ("a\nb\tc", "`a b c`"),
        ("zero\u200bwidth \u202ebidi", "`zerowidth bidi`"),
        ("", "(empty)"),
        ("\u200b", "(empty)"),
    ],
)
def test_a_code_span_holds_anything(text: str, said: str) -> None:
    assert code(text) == said


@QUICK
@given(NASTY)
@example("x`|`\n\n# @everyone <img src=x>")
@example("\\|")
@example("`\\")
@example("a\\\\|`b|")
def test_a_table_row_keeps_its_cells_and_nothing_comes_to_life(text: str) -> None:
    made = read(table(("a", "b", "c"), [(code(text), prose(text), f"x {code(text)} {prose(text)}")]))
    assert made.cells == [3, 3]
    assert made.found == []


@QUICK
@given(NASTY)
def test_a_code_span_shows_what_it_holds(text: str) -> None:
    shown = re.sub(r"<[^>]+>", "", render(code(text))).strip()
    expected = one_line(text) or "(empty)"
    assert shown == expected.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


@QUICK
@given(NASTY)
@example("1. one")
@example("# a")
@example("- a")
@example("+ a")
@example("===")
@example("~~~")
@example("12) a")
def test_prose_is_one_plain_paragraph_wherever_it_stands(text: str) -> None:
    for before in ("", "- "):
        made = read(f"{before}{prose(text)}")
        assert made.found == []
        html = render(f"{before}{prose(text)}")
        assert not re.search(r"<h\d|<hr|<ol|<blockquote|<pre", html)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("uses snake_case and 2*3", "uses snake\\_case and 2\\*3"),
        ("see `a_b`, then c", "see `a_b`, then c"),
        ("ask @octocat about #12 or GH-7", "ask `@octocat` about `#12` or `GH-7`"),
        ("acme/widgets#3, a@b.example", "`acme/widgets#3,` `a@b.example`"),
        ("at https://x.example/y or www.x.example", "at `https://x.example/y` or `www.x.example`"),
        ("mailto:a", "`mailto:a`"),
        (f"commit {'a' * 40}", f"commit `{'a' * 40}`"),
        ("![x](y)", "!\\[x\\](y)"),
        ("<!-- planproof:sticky -->", "\\<!-- planproof:sticky --\\>"),
        ("costs $5 & $6", "costs \\$5 \\& \\$6"),
        ("an odd ` backtick", "an odd \\` backtick"),
        ("C# is fine, so is a:b", "C# is fine, so is a:b"),
    ],
)
def test_prose_stays_text(text: str, said: str) -> None:
    assert prose(text) == said
    assert alive(prose(text)) == []


def test_a_credential_in_prose_is_gone_before_it_is_escaped() -> None:
    assert prose(f"token ghp_{'a' * 36} here") == "token \\[redacted\\] here"
    assert code(f"gh\u200bp_{'a' * 36}") == "`[redacted]`"


def test_long_texts_are_cut_with_a_mark() -> None:
    assert one_line("a" * 300, 10) == "aaaaaaaaa…"
    assert one_line("a " * 100_000, 10) == "a a a a a…"
    assert plain("a" * 300, 100) == "a" * 49 + "…"


@pytest.mark.parametrize(
    ("path", "line", "end", "url"),
    [
        ("src/a.py", None, None, "w/blob/sha/src/a.py"),
        ("src/a.py", 3, None, "w/blob/sha/src/a.py#L3"),
        ("src/a.py", 3, 9, "w/blob/sha/src/a.py#L3-L9"),
        ("docs/PLAN.md", 3, 3, "w/blob/sha/docs/PLAN.md?plain=1#L3"),
        ("a b/(c)#d?.py", 1, None, "w/blob/sha/a%20b/%28c%29%23d%3F.py#L1"),
        ("src/", None, None, "w/blob/sha/src"),
        ("../../settings", None, None, None),
        ("/etc/passwd", None, None, None),
        ("a//b", None, None, None),
        ("", None, None, None),
    ],
)
def test_links_to_a_path_at_a_commit(path: str, line: int | None, end: int | None, url: str | None) -> None:
    assert blob_url("w", "sha", path, line, end) == url


def test_a_fence_is_longer_than_any_fence_in_it() -> None:
    assert fenced("a\n```\nb\n`````\n", "diff") == "``````diff\na\n```\nb\n`````\n``````"
    assert alive(fenced("</details>\n@all\n```\n<img src=x>")) == []


# ---- limits ------------------------------------------------------------------------------------
def test_what_fits_is_left_alone() -> None:
    assert fit("body", "run 1", 100, "See there.") == "body\n\nrun 1"
    assert fit("body", "", 100, "See there.") == "body"


def test_a_long_table_is_cut_between_rows() -> None:
    body = "**Title**\n\n" + table(("a", "b"), [(f"row {n}", "x" * 20) for n in range(100)])
    made = fit(body, "run 1", 500, "The rest stands elsewhere.")
    assert length(made) <= 500
    lines = made.split("\n")
    assert lines[-1] == "run 1"
    assert lines[-3] == "**Cut here**, since GitHub takes no more than 500 characters. The rest stands elsewhere."
    rows = [line for line in lines if line.startswith("| row")]
    assert 5 < len(rows) < 100
    assert all(line.endswith(" |") for line in rows)


def test_open_fences_and_folds_are_closed() -> None:
    body = "intro\n\n" + fold("outer", fold("inner", fenced("\n".join(f"+ line {n}" for n in range(100)), "diff")))
    made = fit(body, "run 1", 400, "More.")
    assert length(made) <= 400
    assert made.count("<details>") == made.count("</details>") == 2
    assert made.count("```") == 2
    assert "\n```\n\n</details>\n\n</details>\n\n**Cut here**" in made
    assert "run 1" in render(made).rpartition("</details>")[2]


@QUICK
@given(st.integers(150, 3_000), st.lists(st.sampled_from(["row", "fold", "fence", "long", "wide"]), max_size=12))
def test_whatever_is_cut_fits_and_is_closed(limit: int, kinds: list[str]) -> None:
    blocks = {
        "row": table(("a",), [(str(n),) for n in range(20)]),
        "fold": fold("f", "\n\n".join(["text"] * 20)),
        "fence": fenced("\n".join(["+ x"] * 20), "diff"),
        "long": "y" * 700,
        "wide": "🔴" * 200,
    }
    made = fit("\n\n".join(blocks[kind] for kind in kinds), "run 1", limit, "More.")
    assert length(made) <= limit
    assert made.endswith("run 1")
    assert made.count("<details>") == made.count("</details>")
    assert made.count("```") % 2 == 0


def test_length_counts_as_the_stricter_of_githubs_countings() -> None:
    assert length("a🔴") == 3
    assert markdown.COMMENT_LIMIT == 65_536
    assert markdown.CHECK_LIMIT == 65_535


def test_hostile_sizes_take_no_time_worth_naming() -> None:
    for unit in ("`", "@a", "a`b", "\\|", "[", "#1 ", "www.", "eyJ", "-----BEGIN PRIVATE KEY-----", "ghp_", "1."):
        text = unit * (400_000 // len(unit))
        assert len(prose(text)) < 10_000
        assert len(code(text)) < 1_000
        assert length(plain(text, 1_000)) <= 1_000
        fenced(text)


@pytest.mark.parametrize(
    "text", ["@bob", "see #3", "<img src=x>", "[a](http://e.x)", "www.e.x", "<!-- hi -->", "<b>x</b>"]
)
def test_the_look_for_live_text_finds_it(text: str) -> None:
    assert alive(text) != []
