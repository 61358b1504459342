"""The answer as a whole: verdict, marks, Markdown, JSON."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest

from bot.core.reuse import Index, Options, load_index, markdown, plan_check, workplan_query
from schemas.plan_check_result import PlanCheckResult
from tests.core.reuse.rows import TODAY, ask, index, row

SCHEMA = json.loads((Path(__file__).parents[3] / "schemas" / "plan-check-result.schema.json").read_text())

TRACKING = row(
    "Issue tracking",
    "One interface for issues across forges",
    vector="D4/A2/C2/R1",
    owner="issue-core",
    tags=["cli", "github"],
)


def valid(result: PlanCheckResult) -> dict[str, object]:
    document = json.loads(result.model_dump_json())
    jsonschema_rs.validator_for(SCHEMA).validate(document)
    assert PlanCheckResult.model_validate(document) == result
    return dict(document)


def test_the_answer_for_a_close_match_reads_like_this() -> None:
    related = row("Ticket import", "Brings tickets in", owner="importer")
    other = row("Issue labels", "Labels of issues", vector="D1/A1", owner="label-kit")
    found = index(TRACKING | {"relations": {"supports": [related["id"]]}}, other, related)
    assert markdown(ask("issue tracking", found)) == (
        "# Plan check: reuse\n"
        "\n"
        "**Query:** issue tracking\n"
        "\n"
        "## Top match\n"
        "- `capability.test.issue-tracking` (score 1.00, D4/A2/C2/R1) — issue-core\n"
        "  > One interface for issues across forges\n"
        "  - availability gap: available as source only (A2)\n"
        "\n"
        "## Other candidates\n"
        "- `capability.test.issue-labels` (score 0.33, D1/A1) — label-kit\n"
        "  > Labels of issues\n"
        "\n"
        "## Related (via relations.*)\n"
        "- `capability.test.ticket-import` (score 0.00) — importer\n"
        "  > Brings tickets in\n"
        "  - named by `capability.test.issue-tracking`\n"
        "\n"
        "Verdict: REUSE — link this capability instead of building new.\n"
    )


def test_the_json_follows_its_schema_with_the_fields_of_the_specification() -> None:
    document = valid(ask("issue tracking", index(TRACKING)))
    assert document["query"] == {"source": "intent", "text": "issue tracking", "title": None}
    assert document["verdict"] == "reuse"
    assert document["federated_index_updated"] == "2026-07-06"
    assert document["federated_index_stale_warning"] is None
    plan = plan_check(workplan_query("---\nid: X-WP-0001\n---\n# Issue tracking\n"), index(TRACKING), Options(), TODAY)
    assert json.loads(plan.model_dump_json())["query"]["workplan_id"] == "X-WP-0001"
    valid(plan)


def test_a_document_with_only_the_fields_of_the_specification_is_valid() -> None:
    validator = jsonschema_rs.validator_for(SCHEMA)
    match = {"id": "capability.a.b", "score": 0.5, "vector": "D4/A2/C2/R1", "owner": "core", "kind": "llm"}
    document = {
        "query": {"source": "workplan", "text": "t", "workplan_id": "A-WP-0001"},
        "verdict": "reuse",
        "top_score": 0.5,
        "matches": [match],
        "federated_index_updated": "2026-07-06",
        "federated_index_stale_warning": None,
    }
    validator.validate(document)
    with pytest.raises(jsonschema_rs.ValidationError):
        validator.validate(document | {"verdict": "maybe"})


def test_the_title_alone_finds_what_a_long_blob_cannot() -> None:
    body = " ".join(f"word{n}" for n in range(200))
    query = workplan_query(f"# Issue tracking\n\n## Problem statement\n\n{body}\n")
    result = plan_check(query, index(TRACKING), Options(), TODAY)
    assert (result.verdict, result.matches[0].scored_by, result.top_score) == ("reuse", "title", 1.0)
    assert "matched by title" in markdown(result)
    near = plan_check(
        workplan_query("# Forges\n\nOne interface for issues across\n"), index(TRACKING), Options(), TODAY
    )
    assert near.matches[0].scored_by == "blob"


def test_a_capability_that_cannot_be_used_yet_stays_relevant() -> None:
    result = ask("issue tracking", index(TRACKING | {"vector": "D5/A0", "consumption": {"preflight": "run doctor"}}))
    assert (result.verdict, result.matches[0].availability_gap) == ("reuse", "not available yet (A0)")
    assert "  - to use it: preflight: run doctor\n" in markdown(result)
    assert ask("issue tracking", index(TRACKING | {"vector": "D5/A5"})).matches[0].availability_gap is None
    assert ask("issue tracking", index(TRACKING | {"vector": "D5"})).matches[0].availability_gap


def test_a_deprecated_capability_is_never_suggested_without_a_mark() -> None:
    result = ask("issue tracking", index(TRACKING | {"status": "Deprecated"}))
    assert result.matches[0].deprecated
    assert "(score 1.00, D4/A2/C2/R1, deprecated)" in markdown(result)
    assert markdown(result).endswith("REUSE — but this capability is deprecated; look for what replaces it.\n")


def test_the_asking_repository_s_own_capability_is_marked() -> None:
    result = ask("issue tracking", index(TRACKING), consumer_repo="acme/Issue-Core")
    assert result.matches[0].own_repository
    assert "own repository" in markdown(result)
    assert not ask("issue tracking", index(TRACKING), consumer_repo="other").matches[0].own_repository


def test_a_tie_won_by_maturity_prints_both_scores() -> None:
    words = [f"w{n}" for n in range(20)]
    found = index(
        row(" ".join(words[:10]), id="capability.test.ten"),
        row(" ".join(words[:9]), id="capability.test.nine", vector="D5/A5"),
    )
    text = markdown(ask(" ".join(words), found))
    assert "`capability.test.nine` (score 0.45, D5/A5)" in text
    assert "preferred for its maturity; the highest score is 0.50" in text


def test_a_score_just_below_a_threshold_is_not_rounded_up_to_it() -> None:
    words = [f"w{n}" for n in range(200)]
    result = ask(" ".join(words[:89]), index(row(" ".join(words))))
    assert (result.verdict, result.top_score) == ("extend", 0.445)
    found = ask(" ".join(words[:89]), index(row(" ".join(words[:199]))))
    assert found.verdict == "extend"
    assert "score 0.4472" in markdown(found)


def test_new_lists_the_nearest_without_calling_one_a_match() -> None:
    many = index(*(row(f"Issue {n} one two three four five") for n in range(6)))
    text = markdown(ask("issue", many))
    assert "## Top match" not in text
    assert text.count("- `capability") == 3
    assert text.endswith("Verdict: NEW — no capability comes close; proceed.\n")


def test_nothing_in_common_says_so() -> None:
    result = ask("zebra", index(TRACKING))
    assert (result.verdict, result.reason) == ("new", "no capability of the index shares a word with this")


def test_a_missing_index_is_a_reason_and_the_markdown_shows_it() -> None:
    result = ask("issue tracking", Index(problem="no capability index at registry/indexes/federated.yaml"))
    assert result.verdict == "new"
    assert result.federated_index_stale_warning is None
    assert "No capability index at registry/indexes/federated.yaml." in markdown(result)
    valid(result)


def test_text_of_the_index_cannot_become_markup() -> None:
    hostile = row(
        "Issue tracking",
        "<img src=x> [click](http://x) `a` | b\n# heading @someone\x1b[31m\u202e",
        id="capability.x`y\n# z",
        owner="**bold**",
    )
    text = markdown(ask("issue tracking", index(hostile)))
    assert "\n# heading" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\<img src=x\\> \\[click\\]" in text
    assert "`capability.xy# z`" in text


def test_an_index_of_many_rows_keeps_ten() -> None:
    many = index(*(row(f"Issue tracking {n}") for n in range(30)))
    assert len(ask("issue tracking", many).matches) == 10


def test_an_index_is_the_same_read_from_bytes() -> None:
    assert load_index(b"\xef\xbb\xbfcapabilities:\n- id: capability.test.x\n").capabilities[0].id == "capability.test.x"
