"""How alike a query and a capability are, and what order that gives."""

from __future__ import annotations

import random
from typing import Any

import pytest

from bot.core.reuse.index import Index
from bot.core.reuse.match import Scorer
from bot.core.reuse.tokens import jaccard, tokens
from schemas.plan_check_result import PlanCheckResult
from tests.core.reuse.rows import ask, index, row


def ids(result: PlanCheckResult) -> list[str]:
    return [m.id.rsplit(".", 1)[-1] for m in result.matches]


def test_words_are_case_folded_runs_of_letters_and_digits() -> None:
    assert tokens("Issue-Tracking, v2 (GitHub)!") == {"issue", "tracking", "v2", "github"}
    assert tokens("Straße ÉTÉ") == {"strasse", "t"}


def test_similarity_with_nothing_is_zero_and_no_division_error() -> None:
    assert jaccard(frozenset(), frozenset()) == 0.0
    assert jaccard(tokens("a b"), frozenset()) == 0.0
    assert jaccard(tokens("a b"), tokens("b c")) == pytest.approx(1 / 3)


def test_an_empty_intent_is_new_and_says_why() -> None:
    result = ask("  --- !!", index(row("Headless browser")))
    assert (result.verdict, result.top_score, result.matches) == ("new", 0.0, ())
    assert result.reason == "the intent has no words to match"


def test_a_short_query_is_not_diluted_by_a_long_summary() -> None:
    long_summary = " ".join(f"word{n}" for n in range(60))
    result = ask("headless browser", index(row("Headless browser", long_summary)))
    assert (result.verdict, result.top_score) == ("reuse", 1.0)


def test_tags_are_split_into_words_like_everything_else() -> None:
    result = ask("issue tracking", index(row("Tickets", tags=["issue-tracking"])))
    assert result.top_score == pytest.approx(2 / 3)
    assert result.matches[0].shared == ("issue", "tracking")


def test_a_score_at_a_threshold_counts_as_reaching_it() -> None:
    capability = index(row("alpha beta gamma delta"))
    half = "alpha beta"  # 2 of 4 words
    assert ask(half, capability, reuse=0.5).verdict == "reuse"
    assert ask(half, capability, reuse=0.51).verdict == "extend"
    assert ask(half, capability, reuse=0.6, extend=0.5).verdict == "extend"
    assert ask(half, capability, reuse=0.6, extend=0.51).verdict == "new"


def test_the_default_thresholds_are_exact() -> None:
    nine_of_twenty = index(row(" ".join(f"w{n}" for n in range(20))))
    assert ask(" ".join(f"w{n}" for n in range(9)), nine_of_twenty).verdict == "reuse"
    eleven_of_fifty = index(row(" ".join(f"w{n}" for n in range(50))))
    assert ask(" ".join(f"w{n}" for n in range(11)), eleven_of_fifty).verdict == "extend"
    assert ask(" ".join(f"w{n}" for n in range(10)), eleven_of_fifty).verdict == "new"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"reuse": 0.2, "extend": 0.3}, "extend threshold"),
        ({"reuse": 1.5}, "reuse threshold"),
        ({"tie_window": -0.1}, "tie window"),
        ({"extend": float("nan")}, "extend threshold"),
    ],
)
def test_thresholds_that_contradict_each_other_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ask("x", index(row("x")), **options)


def test_within_the_tie_window_the_more_mature_capability_comes_first() -> None:
    words = [f"w{n}" for n in range(20)]
    exact = index(
        row(" ".join(words[:10]), id="capability.test.ten", vector="D2/A7"),
        row(" ".join(words[:9]), id="capability.test.nine", vector="D5/A1"),
        row(" ".join(words[:8]), id="capability.test.eight", vector="D7/A7"),
    )
    result = ask(" ".join(words), exact)
    assert ids(result) == ["nine", "ten", "eight"]
    assert result.top_score == 0.5
    assert result.matches[0].score == 0.45


def test_a_difference_of_exactly_the_window_is_within_it_whatever_binary_fractions_say() -> None:
    words = [f"w{n}" for n in range(20)]
    assert 0.55 - 0.5 > 0.05
    exact = index(
        row(" ".join(words[:11]), id="capability.test.eleven", vector="D1"),
        row(" ".join(words[:10]), id="capability.test.ten", vector="D5"),
    )
    assert ids(ask(" ".join(words), exact)) == ["ten", "eleven"]


def test_equal_maturity_is_settled_by_availability_then_by_id() -> None:
    same = index(
        row("one two", id="capability.test.c", vector="D4/A2"),
        row("one two", id="capability.test.b", vector="D4/A2"),
        row("one two", id="capability.test.a"),
        row("one two", id="capability.test.d", vector="D4/A3"),
    )
    assert ids(ask("one two", same)) == ["d", "b", "c", "a"]


def test_a_window_of_zero_breaks_only_exact_ties() -> None:
    two = index(
        row("one two three", id="capability.test.low", vector="D7/A7"),
        row("one two", id="capability.test.high", vector="D0/A0"),
    )
    assert ids(ask("one two", two, tie_window=0.0)) == ["high", "low"]
    assert ids(ask("one two", two, tie_window=1.0)) == ["low", "high"]


def plain_order(of: Index, query: frozenset[str], title: frozenset[str], limit: int, window: float) -> list[str]:
    scored = []
    for capability in of.capabilities:
        name = tokens(capability.name)
        blob = tokens(" ".join((capability.name, capability.summary, *capability.tags)))
        scored.append((max(jaccard(q, words) for q in (query, title) for words in (name, blob)), capability))
    scored = [pair for pair in scored if pair[0] > 0]
    top = max((score for score, _ in scored), default=0.0)
    tied = [c for score, c in scored if top - score <= window + 1e-12]
    rest = [(score, c) for score, c in scored if top - score > window + 1e-12]
    order = [c.id for c in sorted(tied, key=lambda c: (-c.vector.rank[0], -c.vector.rank[1], c.id))]
    return (order + [c.id for _, c in sorted(rest, key=lambda pair: (-pair[0], pair[1].id))])[:limit]


@pytest.mark.parametrize("seed", range(12))
def test_the_order_is_that_of_scoring_and_sorting_every_row(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    words = [f"w{n}" for n in range(40)]

    def some(most: int) -> str:
        return " ".join(draw.choices(words, k=draw.randint(0, most)))

    of = index(
        *(
            row(some(4), some(12), id=f"capability.test.n{n}", vector=f"D{draw.randint(0, 7)}/A{draw.randint(0, 7)}")
            for n in range(80)
        )
    )
    query, title = tokens(some(15)), tokens(some(4))
    window = draw.choice([0.0, 0.05, 0.2])
    found = Scorer(of, query, title).best(10, window)
    assert [c.capability.id for c in found] == plain_order(of, query, title, 10, window)
