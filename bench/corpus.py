"""Verifies a corpus of plans with the engine and prints what came out: `python -m bench.corpus plans.jsonl`.

Each input line is `{"repo": git directory, "plan": path, "plan_rev": commit, "rev": commit}`: the plan is read at
`plan_rev` and judged on the tree of `rev`. Exit 1 when a plan crashes the engine, has no report, or takes too long.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from bot.core.judge import judge
from schemas.engine import Request
from schemas.verify_report import VerifyReport

SECONDS_PER_PLAN = 5.0
SLOWEST = 10


class Row(NamedTuple):
    repo: str
    plan: str
    plan_rev: str
    rev: str

    @property
    def name(self) -> str:
        return f"{Path(self.repo).parent.name}:{self.plan}"


class Result(NamedTuple):
    """`report` is the JSON form; None where the engine raised, as it may for input that is not there."""

    row: Row
    seconds: float
    report: dict[str, Any] | None
    crash: str | None


def read_rows(lines: Iterable[str]) -> list[Row]:
    return [Row(**json.loads(line)) for line in lines if line.strip()]


def run(row: Row) -> Result:
    """One plan through the engine, timed by the wall clock."""
    errors: list[str] = []

    def keep(error: BaseException) -> None:
        errors.append("".join(traceback.format_exception(error)))

    request = Request(repo=row.repo, plan=row.plan, plan_rev=row.plan_rev, rev=row.rev)
    start = time.perf_counter()
    report: VerifyReport | None = None
    try:
        report = judge(request, on_error=keep)
    except Exception:  # noqa: BLE001 - every crash is to be listed, none may end the run
        errors.append(traceback.format_exc())
    seconds = time.perf_counter() - start
    form = report.model_copy(update={"seconds": seconds}).model_dump(mode="json") if report is not None else None
    return Result(row, seconds, form, errors[0] if errors else None)


def run_all(rows: Sequence[Row], jobs: int) -> Iterator[Result]:
    if jobs <= 1:
        yield from map(run, rows)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(run, rows, chunksize=8)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def summary(results: Sequence[Result], limit: float = SECONDS_PER_PLAN) -> str:
    """Verdicts by format, findings by type, crashes and the slowest plans, as Markdown."""
    reports = [result.report for result in results if result.report is not None]
    verdicts = Counter((each["plan"]["format"], each["verdict"]) for each in reports)
    names = sorted({verdict for _, verdict in verdicts})
    formats = sorted({form for form, _ in verdicts})
    by_format = [
        [form, *(verdicts[form, name] for name in names), sum(verdicts[form, name] for name in names)]
        for form in formats
    ]
    by_format.append(["all", *(sum(verdicts[form, name] for form in formats) for name in names), len(reports)])
    findings = [finding for each in reports for finding in each["findings"]]
    kinds = Counter((each["type"], each["severity"], "gating" if each["gating"] else "") for each in findings)
    plans = Counter(
        kind
        for each in reports
        for kind in {(f["type"], f["severity"], "gating" if f["gating"] else "") for f in each["findings"]}
    )
    by_kind = [[*kind, count, plans[kind]] for kind, count in sorted(kinds.items())]
    slowest = sorted(results, key=lambda result: -result.seconds)[:SLOWEST]
    seconds = sorted(result.seconds for result in results)
    crashes = [result for result in results if result.crash is not None]
    late = sum(result.seconds > limit for result in results)
    parts = [
        (
            f"{len(results)} plans, {len(crashes)} crashes, {late} over {limit:g} s; "
            f"seconds: median {seconds[len(seconds) // 2]:.3f}, most {seconds[-1]:.3f}, all {sum(seconds):.1f}"
        ),
        table(["format", *names, "all"], by_format),
        table(["finding", "severity", "gating", "findings", "plans"], by_kind),
        table(["slowest", "seconds"], ([result.row.name, f"{result.seconds:.3f}"] for result in slowest)),
    ]
    if crashes:
        kinds_of = Counter(_last_line(result.crash) for result in crashes)
        parts.append(table(["crash", "plans"], kinds_of.most_common()))
        parts.append("\n".join(f"{crash.row.name}\n{crash.crash}" for crash in crashes[:5]))
    reasons = Counter(str(each["reason"]) for each in reports if each["verdict"] in ("not_verified", "not_a_plan"))
    if reasons:
        parts.append(table(["not judged because", "plans"], reasons.most_common(20)))
    return "\n\n".join(parts)


def _last_line(crash: str | None) -> str:
    return (crash or "").strip().splitlines()[-1][:150]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="JSON lines")
    parser.add_argument("--out", type=Path, help="write each report as a JSON line here")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--limit", type=float, default=SECONDS_PER_PLAN, help="seconds a plan may take")
    options = parser.parse_args(arguments)
    with options.corpus.open(encoding="utf-8") as lines:
        rows = read_rows(lines)
    if not rows:
        parser.error("the corpus is empty")
    results = []
    for number, result in enumerate(run_all(rows, options.jobs), 1):
        results.append(result)
        if number % 50 == 0:
            print(f"{number}/{len(rows)}", file=sys.stderr)
    if options.out is not None:
        with options.out.open("w", encoding="utf-8") as out:
            for result in results:
                out.write(json.dumps({**result.row._asdict(), "report": result.report, "crash": result.crash}) + "\n")
    print(summary(results, options.limit))
    bad = any(result.crash is not None or result.seconds > options.limit for result in results)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
