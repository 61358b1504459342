"""A plan-check answer on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.core.reuse.markdown import label, marks, score_text, verdict_line
from bot.terminal.render.safe import visible
from schemas.plan_check_result import MatchKind, PlanCheckResult, ReuseVerdict

_STYLES = {ReuseVerdict.REUSE: "bold green", ReuseVerdict.EXTEND: "bold yellow", ReuseVerdict.NEW: "bold"}


def to_terminal(result: PlanCheckResult, console: Console) -> None:
    """Print the answer: outcome, candidates as a table, what is known of the first one, the verdict."""
    console.print(
        Text.assemble(
            "Plan check: ", (result.verdict.value, _STYLES[result.verdict]), f"  {visible(label(result), 120)}"
        ),
        soft_wrap=True,
    )
    if result.reason:
        console.print(Text(visible(result.reason)), soft_wrap=True)
    if result.matches:
        console.print()
        console.print(_table(result))
    top = result.top
    if top is not None:
        console.print()
        if top.summary:
            console.print(Text(visible(top.summary)))
        if top.shared:
            console.print(Text(f"shares: {', '.join(top.shared)}"))
        if top.score < result.top_score:
            console.print(
                Text(f"preferred for its maturity; the highest score is {score_text(result.top_score, result)}")
            )
        if top.availability_gap:
            console.print(Text(f"availability gap: {top.availability_gap}", style="yellow"))
        if top.consumption:
            console.print(Text(f"to use it: {visible(top.consumption, 600)}"))
        if top.alternates:
            copies = ", ".join(visible(a.source_repo or a.path or "?", 80) for a in top.alternates)
            console.print(Text(f"also listed from: {copies}", style="dim"))
    for note in (result.federated_index_stale_warning, *result.warnings):
        if note:
            console.print(Text(f"warning: {visible(note)}", style="yellow"), soft_wrap=True)
    console.print()
    console.print(Text(verdict_line(result), style=_STYLES[result.verdict]), soft_wrap=True)


def _table(result: PlanCheckResult) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title, justify in (("score", "right"), ("capability", "left"), ("maturity", "left"), ("owner", "left")):
        # an id is copied from here, so it is never cut or broken
        table.add_column(title, justify=justify, no_wrap=title == "capability", overflow="fold")  # type: ignore[arg-type]
    table.add_column("", overflow="fold", style="dim")
    for match in result.matches:
        remarks = marks(match)
        if match.kind is not MatchKind.DETERMINISTIC:
            remarks.insert(0, match.kind.value)
        table.add_row(
            score_text(match.score, result),
            Text(visible(match.id, 120), style="bold" if match is result.top else ""),
            Text(match.vector or ""),
            Text(visible(match.owner or match.source_repo or "", 60)),
            Text(", ".join(remarks)),
        )
    return table
