"""Indexes as other people write them, good and bad."""

from __future__ import annotations

import pytest

from bot.core.plain_yaml import YamlError, read
from bot.core.reuse import load_index
from bot.core.reuse.vector import read_vector
from tests.core.reuse.rows import ask, index, row


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"vector": "D4/A2/C2/R1"}, "D4/A2/C2/R1"),
        ({"vector": "D4 / A2 / C2 / R1"}, "D4/A2/C2/R1"),
        ({"vector": "d4 a2"}, "D4/A2"),
        ({"vector": {"D": "D4", "A": "2", "C": "C2", "R": "R1"}}, "D4/A2/C2/R1"),
        ({"vector": {"discovery": "D4", "availability": "A2"}}, "D4/A2"),
        (
            {
                "maturity": {"discovery": {"current": "D3", "target": "D5"}, "availability": {"current": "A4"}},
                "external_evidence": {"completeness": {"level": "C2"}, "reliability": {"level": "R3"}},
            },
            "D3/A4/C2/R3",
        ),
        ({"maturity": "D5/A2/C2"}, "D5/A2/C2"),
        ({"discovery": {"intent": "find it"}, "vector": None}, None),
        ({"vector": "D9/A2/C7/R1"}, "A2/R1"),
        ({"vector": ["D4"]}, None),
        ({"vector": "unknown"}, None),
        ({}, None),
    ],
)
def test_a_maturity_vector_is_read_in_every_shape_in_use(fields: dict[str, object], text: str | None) -> None:
    assert read_vector(fields).text == text  # type: ignore[arg-type]


def test_what_a_row_lacks_is_no_error() -> None:
    only = load_index("capabilities:\n- id: capability.test.bare\n  unknown_key: {a: [1]}\n").capabilities[0]
    assert (only.id, only.name, only.summary, only.tags, only.related) == ("capability.test.bare", "", "", (), ())


def test_a_number_or_a_date_is_read_as_it_is_written() -> None:
    found = load_index("updated: 2026-07-06\ncapabilities:\n- {id: capability.test.x, name: 2024, owner: 007}\n")
    assert (found.updated, found.capabilities[0].name, found.capabilities[0].owner) == ("2026-07-06", "2024", "007")


def test_a_repository_index_that_is_a_plain_list_or_a_mapping_by_id_is_read_too() -> None:
    assert [c.id for c in load_index("- id: capability.test.x\n").capabilities] == ["capability.test.x"]
    keyed = load_index("capabilities:\n  capability.test.x: {name: X}\n").capabilities
    assert [(c.id, c.name) for c in keyed] == [("capability.test.x", "X")]


def test_a_duplicate_id_is_listed_once_with_the_row_of_its_owner() -> None:
    copies = index(
        row("Stub", id="capability.test.x", owner="core", source_repo="stubs", path="a.md"),
        row("Issue tracking", id="capability.test.x", owner="core", source_repo="org/Core", path="b.md"),
        row("Stub", id="capability.test.x", owner="core", source_repo="other", path="c.md"),
    )
    result = ask("issue tracking stub", copies)
    assert [(m.name, m.path) for m in result.matches] == [("Issue tracking", "b.md")]
    assert [a.path for a in result.matches[0].alternates] == ["a.md", "c.md"]


def test_without_a_row_of_the_owner_the_first_copy_stands() -> None:
    copies = index(
        row("First", id="capability.test.x", source_repo="b"), row("Second", id="capability.test.x", source_repo="a")
    )
    assert [c.name for c in copies.capabilities] == ["First"]


def test_an_unusual_id_is_kept_with_a_warning_and_a_row_without_one_is_skipped() -> None:
    found = index(row("A", id="capability.feature-control.evaluate"), {"name": "nameless"}, row("B"))
    assert [c.id for c in found.capabilities] == ["capability.feature-control.evaluate", "capability.test.b"]
    assert found.warnings == (
        "1 row without an id skipped",
        "1 id not of the form capability.domain.name: `capability.feature-control.evaluate`",
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("capabilities: []\n", "lists no capabilities"),
        ("version: 1\n", "lists no capabilities"),
        ("just words", "not a list"),
        ("capabilities: 7\n", "not a list"),
        ("capabilities:\n  - {id: [\n", "line 3"),
        ("a: *nowhere\n", "lists no capabilities"),
        ("- 1\n- x\n", "lists no capabilities"),
        (b"\xff\xfe\x00", "not UTF-8"),
        ("[" * 5000, "cannot be read as YAML"),
        ("- " * 5000 + "x", "nested deeper"),
        ("a: \x00", "cannot be read as YAML"),
        ("capabilities:\n- {id: capability.test.\ud800}", "cannot be read as YAML"),
    ],
)
def test_an_index_that_cannot_be_used_gives_new_with_the_reason(text: str | bytes, says: str) -> None:
    result = ask("issue tracking", load_index(text))
    assert (result.verdict, result.matches, result.top_score) == ("new", (), 0.0)
    assert says in (result.reason or "")


def test_an_index_beyond_the_size_limit_is_not_read() -> None:
    found = load_index("capabilities:\n- id: capability.test.x\n", max_bytes=20)
    assert found.problem == "the capability index is 38 bytes, more than the 20 that are read"


def test_aliases_that_double_at_every_level_cost_nothing() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    bomb = "\n".join([*lines, "capabilities:", "- {id: capability.test.x, consumption: *a59, tags: *a59}"])
    found = load_index(bomb)
    assert [c.id for c in found.capabilities] == ["capability.test.x"]


def test_merge_keys_cannot_multiply_either() -> None:
    base = "base: &b0 {" + ", ".join(f"k{n}: v" for n in range(50)) + "}\n"
    merges = "".join(f"m{n}: &b{n} {{<<: [{', '.join([f'*b{n - 1}'] * 40)}]}}\n" for n in range(1, 30))
    with pytest.raises(YamlError, match="more than"):
        read(base + merges, max_nodes=20_000)
    assert read("base: &b {a: 1}\nx: {<<: *b, c: 2}\n") == {"base": {"a": "1"}, "x": {"a": "1", "c": "2"}}


def test_an_alias_to_its_own_parent_is_nothing() -> None:
    assert read("a: &a [*a, x]\n") == {"a": [None, "x"]}


def test_related_capabilities_are_named_as_ids_or_as_mappings() -> None:
    found = index(
        row(
            "Issue tracking", relations={"supports": ["capability.test.b"], "related_to": [{"id": "capability.test.c"}]}
        ),
        row("B", "unlike"),
        row("C", "issue among so many other words that it is no candidate of its own"),
    )
    result = ask("issue tracking", found)
    assert [(m.id, m.kind, m.via) for m in result.matches] == [
        ("capability.test.issue-tracking", "deterministic", None),
        ("capability.test.b", "related", "capability.test.issue-tracking"),
        ("capability.test.c", "related", "capability.test.issue-tracking"),
    ]
    assert [m.score for m in result.matches] == [1.0, 0.0, 1 / 16]


def test_relations_that_are_absent_circular_doubled_or_listed_already_add_nothing() -> None:
    found = index(
        row(
            "Issue tracking",
            relations={
                "supports": ["capability.test.gone", "capability.test.issue-tracking", "capability.test.issue-sync"],
                "related_to": [None, 5, {"name": "no id"}, "capability.test.far", "capability.test.far"],
            },
        ),
        row("Issue sync", relations={"related_to": "capability.test.issue-tracking"}),
        row("Far", relations=["capability.test.issue-tracking"]),
    )
    result = ask("issue tracking", found)
    assert [(m.id.rsplit(".", 1)[-1], m.kind) for m in result.matches] == [
        ("issue-tracking", "deterministic"),
        ("issue-sync", "deterministic"),
        ("far", "related"),
    ]


def test_relations_of_candidates_too_far_away_are_left_out() -> None:
    found = index(row("one two three four five six", relations={"supports": ["capability.test.x"]}), row("x"))
    result = ask("one seven", found)
    assert (result.verdict, [m.kind for m in result.matches]) == ("new", ["deterministic"])


@pytest.mark.parametrize(
    ("updated", "says"),
    [
        ("2026-07-06", None),
        ("2026-06-26", None),
        ("2026-06-25", "15 days old"),
        ("2026-06-25T23:59:00Z", "15 days old"),
        ("2026-08-01", None),
        (None, "does not say when"),
        ("last week", "`last week` cannot be read"),
        ("2026-13-45", "cannot be read"),
    ],
)
def test_an_index_older_than_fourteen_days_draws_a_warning(updated: str | None, says: str | None) -> None:
    result = ask("x", index(row("x"), updated=updated))
    assert result.federated_index_updated == updated
    warning = result.federated_index_stale_warning
    assert warning is None if says is None else says in (warning or "")
