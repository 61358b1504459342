"""What of a workplan is matched."""

from __future__ import annotations

import pytest

from bot.core.reuse import intent_query, workplan_query

PLAN = """---
id: TOOL-WP-0007
type: workplan
title: "Queue monitor"
---

# TOOL-WP-0007 — Queue monitor

> **For workers:** read the style guide.

**Baseline vector:** D1 / A0

Watches the queues and raises an alarm.
Follow-up to **TOOL-WP-0003**.

Second paragraph stays out.

## problem statement

| symptom | cause |
|---|---|
| silence | starvation |

### Detail

- bullets belong too

```
## Core Idea
fenced belongs
```

## Design principles

principles stay out

## 2. CORE IDEA:

one heartbeat

# Appendix

appendix stays out
"""


def test_a_workplan_gives_title_one_liner_problem_and_core_idea() -> None:
    query = workplan_query(PLAN)
    assert (query.source, query.workplan_id, query.title) == ("workplan", "TOOL-WP-0007", "Queue monitor")
    assert query.text.startswith(
        "Queue monitor\nWatches the queues and raises an alarm. Follow-up to **TOOL-WP-0003**."
    )
    assert {"starvation", "silence", "detail", "bullets", "fenced", "heartbeat", "symptom"} <= query.tokens
    assert not {"second", "workers", "baseline", "principles", "appendix", "type"} & query.tokens
    assert query.title_tokens == frozenset({"queue", "monitor"})
    assert query.warnings == ()


def test_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    assert workplan_query("\ufeff" + PLAN.replace("\n", "\r\n")) == workplan_query(PLAN)


@pytest.mark.parametrize(
    ("text", "title", "blob"),
    [
        ("# Only a heading\n", "Only a heading", "Only a heading"),
        ("An intro without any heading.\n", None, "An intro without any heading."),
        ("---\ntitle: 2026\n---\n# Other\n", "2026", "2026"),
        ("---\ntitle: [a, b]\n---\n# Heading\n", "Heading", "Heading"),
        ("---\n- a\n- b\n---\n# Heading\n", "Heading", "Heading"),
        ("---\ntitle: [\n---\n# Heading\n", "Heading", "Heading"),
        ("---\n---\n# Heading\n", "Heading", "Heading"),
        ("---\n\n# A rule above\n\nText\n", "A rule above", "A rule above\nText"),
        ("# T\n\nIntro\n\n---\n\ntitle: not front matter\n---\n", "T", "T\nIntro"),
        ("# T\n\n## Tasks\n\nno intro here\n", "T", "T"),
        ("```\n# not a title\n```\n\n# Title\n", "Title", "Title"),
        ("# T\n\n- a list\n- only\n\nThen text\n", "T", "T\nThen text"),
        ("# T\n\nBaseline vector: D1\nand words\n", "T", "T\nand words"),
        ("# Use `git` now\n", "Use git now", "Use git now"),
        ("", None, ""),
        ("---", None, ""),
    ],
)
def test_odd_workplans_are_read_as_far_as_they_go(text: str, title: str | None, blob: str) -> None:
    query = workplan_query(text)
    assert (query.title, query.text) == (title, blob)
    assert query.workplan_id is None


def test_front_matter_that_cannot_be_used_is_said() -> None:
    assert "cannot be read: line" in workplan_query("---\ntitle: [\n---\n").warnings[0]
    assert "not a list of `key: value`" in workplan_query("---\n- a\n---\n").warnings[0]


def test_a_section_lasts_until_a_heading_of_its_level_or_higher() -> None:
    query = workplan_query("# T\n\n### Core Idea\n\nin\n\n#### Sub\n\nin2\n\n## Next\n\nout\n")
    assert {"in", "in2", "sub"} <= query.tokens
    assert "out" not in query.tokens


def test_an_endless_plan_is_cut_and_says_so() -> None:
    query = workplan_query("# T\n\n## Core Idea\n\n" + "word " * 1000, max_chars=500, max_query_chars=100)
    assert len(query.text) <= 100
    assert query.tokens == {"t", "word"}
    assert query.warnings == (
        "only the first 500 characters of the plan were read",
        "only the first 100 characters of what it describes were matched",
    )


def test_a_query_that_begins_with_endless_blanks_is_cut_too() -> None:
    assert intent_query(" " * 50 + "word", max_query_chars=20).tokens == frozenset()
    assert intent_query("x" * 50, max_query_chars=20).text == "x" * 20


def test_ten_thousand_sections_of_the_same_name_count_once_each() -> None:
    query = workplan_query("# T\n" + "## Core Idea\nword\n" * 10_000)
    assert query.tokens == {"t", "word"}
