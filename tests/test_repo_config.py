"""A repository's `.github/planproof.yml`: valid, wrong, hostile."""

from __future__ import annotations

import pytest

from bot.repo_config import parse


def errors(text: str) -> list[tuple[int, str]]:
    parsed = parse(text.encode())
    assert parsed.config is None
    return [(error.line, error.message) for error in parsed.errors]


def test_no_file_and_an_empty_file_are_the_defaults() -> None:
    for raw in (None, b"", b"# nothing yet\n"):
        parsed = parse(raw)
        assert parsed.config is not None
        assert parsed.config.plans is None
        assert parsed.errors == ()


def test_plan_paths_and_the_index_path_are_read() -> None:
    parsed = parse(b"plans:\n  - 'rfcs/*.md'\n  - docs/plans/**\nindex: registry/index.yaml\n")
    assert parsed.config is not None
    assert parsed.config.plans == ("rfcs/*.md", "docs/plans/**")
    assert parsed.config.index == "registry/index.yaml"


def test_a_typo_is_an_error_with_its_line_the_nearest_key_and_the_allowed_ones() -> None:
    assert errors("index: a.yaml\nplanz: [x]\n") == [
        (2, "`planz` is not a key here; the nearest is `plans`. Allowed: index, plans")
    ]


def test_a_wrong_type_is_an_error_at_its_line() -> None:
    [(line, message)] = errors("\nplans: docs\n")
    assert line == 2
    assert message.startswith("`plans`: ")


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        (b"plans: [", "not valid YAML"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"- a\n- b\n", "expected keys and values"),
        (b"x: &a [1]\ny: *a\n", "is not a key here"),
        (b"2020-01-01: x\n", "`2020-01-01` is not a key here"),
        (b"!!binary aaaa: x\n", "is not a key here"),
        (b"index: !!timestamp [foo]\n", "`index`: "),
        (b"index: 0x" + b"f" * 20_000, "at most 400 characters"),
        (b"".join(b"k%d: x\n" % n for n in range(5_000)), "not valid YAML"),
        (b"plans: " + b"[" * 20_000, "not valid YAML"),
        (b"- " * 20_000, "not valid YAML"),
        (b"? " * 20_000, "not valid YAML"),
        (b"plans: " + b'"' * 20_001, "not valid YAML"),
        (b"#" * 70_000, "at most 65,536"),
    ],
)
def test_hostile_files_get_a_plain_word_and_no_traceback(raw: bytes, word: str) -> None:
    parsed = parse(raw)
    assert parsed.config is None
    assert word in parsed.errors[0].message
