from __future__ import annotations

from textwrap import dedent

from bot.core.plans.markdown import Block, Kind, normalise, read


def blocks(text: str) -> list[Block]:
    return read(normalise(dedent(text).lstrip("\n"))).blocks


def test_headings_paragraphs_and_items_know_their_lines() -> None:
    found = blocks(
        """
        # Título `x`

        one
        two

        - [ ] first
          - [x] second
            goes on
        - [ ]* starred
        - [-] begun
        """
    )
    assert [(b.kind, b.first, b.last, b.depth, b.box) for b in found] == [
        (Kind.HEADING, 1, 1, 0, None),
        (Kind.TEXT, 3, 4, 0, None),
        (Kind.TEXT, 6, 6, 1, " "),
        (Kind.TEXT, 7, 8, 2, "x"),
        (Kind.TEXT, 9, 9, 1, " "),
        (Kind.TEXT, 10, 10, 1, "-"),
    ]
    assert found[4].starred
    assert found[4].text == "starred"


def test_a_code_span_far_into_a_paragraph_of_umlauts_has_the_line_it_stands_on() -> None:
    (block,) = blocks("äöü äöü\näöü `a/b.py` x\n")
    (start, end) = block.inline.codes[0]
    assert block.text[start:end] == "a/b.py"
    assert block.inline.line(start) == 2


def test_a_fence_of_four_backticks_holds_three_and_knows_its_first_content_line() -> None:
    found = blocks("text\n\n````markdown\n### Task 9\n```bash\nls\n```\n````\nafter\n")
    assert [(b.kind, b.first, b.last) for b in found] == [(Kind.TEXT, 1, 1), (Kind.FENCE, 3, 8), (Kind.TEXT, 9, 9)]
    assert found[1].info == "markdown"
    assert found[1].body_first == 4
    assert found[1].body == "### Task 9\n```bash\nls\n```\n"


def test_a_fence_inside_a_list_item_keeps_its_lines() -> None:
    found = blocks("- item\n\n  ```bash\n  a\n\n  b\n  ```\n")
    assert found[1].body == "a\n\nb\n"
    assert found[1].body_first == 4


def test_table_rows_carry_their_column_names() -> None:
    found = blocks("| File | Action |\n|---|---|\n| `a.py` | Create |\n| `b.py` | Modify |\n")
    assert [(b.first, b.header, [c.text for c in b.cells]) for b in found] == [
        (3, ("File", "Action"), ["`a.py`", "Create"]),
        (4, ("File", "Action"), ["`b.py`", "Modify"]),
    ]


def test_comments_are_kept_apart_with_their_lines() -> None:
    page = read("# a\n\n<!-- one\ntwo -->\n\nx <!-- three --> y\n\n<div>\n<!-- four -->\n</div>\n")
    assert [(c.text, c.first, c.last) for c in page.comments] == [
        ("<!-- one\ntwo -->", 3, 4),
        ("<!-- three -->", 6, 6),
        ("<!-- four -->", 9, 9),
    ]


def test_headings_in_comments_and_fences_are_no_headings() -> None:
    found = blocks("<!--\n## hidden\n-->\n\n~~~\n## fenced\n~~~\n\n## real\n")
    assert [b.text for b in found if b.kind is Kind.HEADING] == ["real"]


def test_underscores_and_stars_of_paths_are_no_emphasis() -> None:
    (block,) = blocks("see pkg/__init__.py and src/**/*.ts and _this_ **bold**.\n")
    assert block.text == "see pkg/__init__.py and src/**/*.ts and this bold."


def test_placeholders_in_angle_brackets_stay_in_the_text() -> None:
    (block,) = blocks("write src/<name>/x.py\n")
    assert block.text == "write src/<name>/x.py"


def test_byte_order_mark_and_windows_line_ends_change_no_line_number() -> None:
    text = normalise("\ufeff# a\r\n\r\n## b\r\n")
    assert text == "# a\n\n## b\n"
    assert [b.first for b in read(text).blocks] == [1, 3]


def test_nesting_beyond_the_limit_is_read_as_text() -> None:
    page = read("* " * 400 + "deep\n", nesting=20)
    assert max(b.depth for b in page.blocks) <= 10
    assert page.blocks[-1].text.endswith("deep")


def test_long_rules_and_table_lines_are_no_nesting() -> None:
    found = blocks("a\n\n" + "-" * 300 + "\n\nb\n")
    assert [b.kind for b in found] == [Kind.TEXT, Kind.RULE, Kind.TEXT]
