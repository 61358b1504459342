"""What plans on disk do to a reader of Markdown, each once: a reader that is right elsewhere is fooled here."""

from __future__ import annotations

import pytest

from bot.core.plans.model import Hedge, TaskStatus
from tests.core.plans.reading import files, plan, prose, refs, said

HIDDEN = "### Task 9: Hidden\n\n- Create: `src/hidden.py`\n"


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("```", "```"),
        ("~~~", "~~~"),
        ("````markdown", "````"),
        ("`````", "``````"),
        ("~~~~md", "~~~~"),
        ("<!--", "-->"),
        ("<!-- a\n\nb", "-->"),
    ],
)
def test_tasks_inside_a_fence_or_a_comment_are_no_tasks(opening: str, closing: str) -> None:
    found = plan(f"### Task 1: Real\n\n{opening}\n{HIDDEN}{closing}\n\n### Task 2: Real too\n")
    assert [task.id for task in found.tasks] == ["1", "2"]
    assert [said(found, number) for number in range(2)] == [[], []]


@pytest.mark.parametrize(
    "inner",
    ["```\nls\n```\n", "~~~\nls\n~~~\n", "```` \n", "  ```\n", "```bash\n", "~~~~\n"],
    ids=["three in four", "tildes", "too long", "indented", "opened only", "long tildes"],
)
def test_a_fence_of_five_closes_only_with_five(inner: str) -> None:
    found = plan(f"### Task 1: Real\n\n`````\n{inner}{HIDDEN}`````\n\n### Task 2: Real too\n")
    assert [task.id for task in found.tasks] == ["1", "2"]


def test_a_fence_that_is_never_closed_hides_what_follows() -> None:
    assert [task.id for task in plan(f"### Task 1: Real\n\n```\nls\n\n{HIDDEN}").tasks] == ["1"]


def test_a_fence_inside_a_step_ends_with_the_step() -> None:
    found = plan("### Task 1: a\n\n- [ ] **Step 1: x**\n\n  ```python\n  ### Task 7\n  ```\n\n- [x] **Step 2: y**\n")
    assert (len(found.tasks), found.tasks[0].boxes) == (1, (1, 2))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark_move_no_line(end: str, mark: str) -> None:
    text = "# P\n\n### Task 1: x\n\n**Files:**\n- Create: `src/a.py`\n\n```bash\npytest\n```\n"
    found = plan(mark + text.replace("\n", end))
    (ref,) = refs(found)
    assert (ref.path, ref.span.first) == ("src/a.py", 6)
    assert [(each.text, each.span.first) for each in found.tasks[0].commands] == [("pytest", 9)]


@pytest.mark.parametrize("bullet", ["-", "*", "+", "1.", "1)"])
def test_bullets_of_every_mark(bullet: str) -> None:
    assert files(f"{bullet} Create: `src/a.py`") == ["create src/a.py"]


def test_a_bullet_that_is_a_letter_is_a_line_of_text() -> None:
    assert files("• Create: `src/a.py`\n• Modify: `src/b.py`") == ["create src/a.py", "modify src/b.py"]


@pytest.mark.parametrize("gap", [" ", "  ", "\t"])
def test_tabs_after_a_bullet_and_before_a_nested_one(gap: str) -> None:
    found = plan(f"### Task 1: x\n\n-{gap}Create:\n\n\t-{gap}`src/a.py`\n\n-{gap}[X]{gap}**Step 1: y**\n")
    assert said(found) == ["create src/a.py"]
    assert found.tasks[0].boxes == (1, 1)


@pytest.mark.parametrize("box", ["[x]", "[X]"])
@pytest.mark.parametrize("bullet", ["-", "*", "+"])
def test_ticked_boxes_of_either_letter(box: str, bullet: str) -> None:
    found = plan(f"### Task 1: x\n\n{bullet} {box} a\n{bullet} {box} b\n")
    assert (found.tasks[0].boxes, found.tasks[0].status) == ((2, 2), TaskStatus.DONE)


def test_boxes_that_are_indented_count_for_their_task() -> None:
    found = plan("### Task 1: x\n\n- [x] a\n  - [ ] b\n    - [X] c\n\n### Task 2: y\n\n1. [x] a\n2. [ ] b\n")
    assert [task.boxes for task in found.tasks] == [(2, 3), (1, 2)]


@pytest.mark.parametrize("text", ["- [] a", "- [ x ] a", "- [x]a", "`- [x] a`", "[x] a"])
def test_what_only_looks_like_a_box(text: str) -> None:
    assert plan(f"### Task 1: x\n\n{text}\n").tasks[0].boxes[0] == (1 if text == "- [x]a" else 0)


@pytest.mark.parametrize("identity", ["8a", "10h", "2.1", "0", "1-2"])
def test_ids_with_letters_and_parts(identity: str) -> None:
    found = plan(f"### Task {identity}: x\n\n### Task 99: y\n\n**Depends on:** Task 99\n")
    assert [task.id for task in found.tasks] == [identity, "99"]


@pytest.mark.parametrize(
    ("text", "path", "lines"),
    [
        ("`src/a.py:7`", "src/a.py", [(7, 7)]),
        ("`src/a.py:7-9`", "src/a.py", [(7, 9)]),
        ("`src/a.py:7–9`", "src/a.py", [(7, 9)]),
        ("`src/a.py:7,9`", "src/a.py", [(7, 7), (9, 9)]),
        ("`src/a.py#L7-L9`", "src/a.py", [(7, 9)]),
        ("src/a.py:7", "src/a.py", [(7, 7)]),
        ("[a](src/a.py#L7)", "src/a.py", [(7, 7)]),
    ],
)
def test_lines_after_a_path(text: str, path: str, lines: list[tuple[int, int]]) -> None:
    (ref,) = refs(plan(f"### Task 1: x\n\n**Files:**\n- Modify: {text}\n"))
    assert (ref.path, [(each.first, each.last) for each in ref.lines]) == (path, lines)


@pytest.mark.parametrize(
    ("text", "hedge"),
    [
        ("src/<name>.py", Hedge.PLACEHOLDER),
        ("src/{name}.py", Hedge.PLACEHOLDER),
        ("src/[your-file].py", None),
        ("$OUT/a.py", Hedge.PLACEHOLDER),
        ("${OUT}/a.py", Hedge.PLACEHOLDER),
        ("%APPDATA%/a.py", Hedge.ELSEWHERE),
        ("src/XXX.py", Hedge.PLACEHOLDER),
        ("~/.config/a.toml", Hedge.ELSEWHERE),
    ],
)
def test_names_that_stand_for_others_are_hedged(text: str, hedge: Hedge | None) -> None:
    found = refs(plan(f"### Task 1: x\n\n**Files:**\n- Modify: `{text}`\n"))
    assert [each.hedge for each in found] in ([hedge], [])


@pytest.mark.parametrize("glob", ["src/*.py", "src/**/*.ts", "src/?.py", "src/a*/"])
def test_globs_keep_their_stars(glob: str) -> None:
    assert files(f"- Modify: `{glob}`") == [f"modify {glob}"]


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/src/a.py",
        "http://localhost:8000/docs/a.md",
        "git@example.com:owner/repo.git",
        "github.com/owner/repo/blob/main/src/a.py",
        "s3://bucket/a.json",
        "mailto:a@example.com",
    ],
)
def test_addresses_that_look_like_paths_are_none(address: str) -> None:
    assert prose(f"See {address} first.") == []
    assert prose(f"See [the page]({address}) first.") == []


@pytest.mark.parametrize(
    "text",
    [
        "- Move: `src/a.py` -> `src/b.py`",
        "- Move `src/a.py` -> `src/b.py`",
        "- Move: `src/a.py` → `src/b.py`",
        "- Rename `src/a.py` to `src/b.py`",
        "- git mv `src/a.py` `src/b.py`",
    ],
)
def test_a_move_has_two_ends(text: str) -> None:
    (found,) = files(text)
    assert found.replace("move?", "move") == "move src/a.py -> src/b.py"


def test_git_mv_in_a_fence_is_a_command() -> None:
    found = plan("### Task 1: x\n\n```bash\ngit mv src/a.py src/b.py\n```\n")
    assert [each.text for each in found.tasks[0].commands] == ["git mv src/a.py src/b.py"]


def test_names_that_differ_in_letter_case_only_are_two_paths() -> None:
    assert files("- Create: `src/Readme.md`\n- Modify: `src/README.md`") == [
        "create src/Readme.md",
        "modify src/README.md",
    ]


def test_a_directory_is_told_by_its_slash() -> None:
    found = refs(
        plan("### Task 1: x\n\n**Files:**\n- Create: `src/deep/`\n- Modify: `src/deep`\n- Modify: `Makefile`\n")
    )
    assert [(each.path, each.certainty.value, each.sure) for each in found] == [
        ("src/deep/", "stated", True),
        ("src/deep", "mentioned", False),
        ("Makefile", "stated", True),
    ]
