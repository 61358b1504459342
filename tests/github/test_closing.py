from __future__ import annotations

import pytest

from bot.github.closing import closing_issues


def closed(body: str | None, **more: int) -> tuple[int, ...]:
    return closing_issues(body, "acme/widgets", "https://github.com", **more)


@pytest.mark.parametrize(
    "word", ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"]
)
@pytest.mark.parametrize("between", [" ", ": ", ":"])
def test_every_keyword_in_any_case(word: str, between: str) -> None:
    assert closed(f"This {word}{between}#7.") == (7,)
    assert closed(f"{word.upper()}{between}#7") == (7,)


@pytest.mark.parametrize(
    ("body", "numbers"),
    [
        ("Closes #1, #2", (1,)),
        ("Closes #1, closes #2 and fixes #1", (1, 2)),
        ("fixes acme/widgets#3, fixes ACME/Widgets#4, fixes acme/other#5", (3, 4)),
        ("resolves https://github.com/acme/widgets/issues/8", (8,)),
        ("resolves https://github.com/acme/other/issues/8", ()),
        ("resolves https://evil.example/acme/widgets/issues/8", ()),
        ("- [x] closes #9\n\n| a |\n|---|\n| fixes #10 |\n", (9, 10)),
        ("**Closes** #11 and Closes [#12](https://x.example)", (11, 12)),
        ("fix #1 fix #2 fix #3 fix #4", (1, 2, 3)),
        ("prefix #1, unclosed #2, hot-fix #3, path/fix #4", ()),
        ("closes #0, closes #12a, closes #99999999999, closes 5, closes issue #6", ()),
        ("Closes\n#7", ()),
        ("", ()),
    ],
)
def test_what_counts(body: str, numbers: tuple[int, ...]) -> None:
    assert closed(body) == numbers


@pytest.mark.parametrize(
    "body",
    ["`closes #1`", "```\ncloses #1\n```", "    closes #1", "> closes #1", "<!-- closes #1 -->", "<p>closes #1</p>"],
)
def test_code_quotations_and_html_do_not_count(body: str) -> None:
    assert closed(body) == ()


def test_none_and_the_pull_request_itself() -> None:
    assert closed(None) == ()
    assert closed("closes #412, closes #7", own=412) == (7,)


def test_hostile_descriptions_are_read_in_linear_time() -> None:
    for unit in ("closes ", "closes #1", "fix:", "> ", "- ", "`", "<!-- "):
        closed(unit * 100_000)
