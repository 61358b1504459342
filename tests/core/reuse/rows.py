"""Small indexes for the tests of this folder."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import yaml

from bot.core.reuse import Index, Options, intent_query, load_index, plan_check
from schemas.plan_check_result import PlanCheckResult

TODAY = date(2026, 7, 10)


def row(name: str, summary: str = "", **fields: Any) -> dict[str, Any]:
    slug = "-".join(name.lower().split())
    return {"id": f"capability.test.{slug}", "name": name, "summary": summary, "owner": "toolbox"} | fields


def index(*rows: Mapping[str, Any], updated: str | None = "2026-07-06", **top: Any) -> Index:
    document = {"capabilities": [dict(r) for r in rows], **top}
    if updated is not None:
        document["updated"] = updated
    return load_index(yaml.safe_dump(document))


def ask(text: str, of: Index, today: date = TODAY, **options: Any) -> PlanCheckResult:
    return plan_check(intent_query(text), of, Options(**options), today)
