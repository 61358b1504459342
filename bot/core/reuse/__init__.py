"""Plan check: which capability of the index a plan or an intent describes, and whether to reuse or extend it.

Deterministic and advisory: token Jaccard similarity against the federated index, two thresholds, a tie window.
"""

from __future__ import annotations

from bot.core.reuse.check import Options, plan_check
from bot.core.reuse.index import Index, load_index
from bot.core.reuse.markdown import markdown
from bot.core.reuse.query import MatchQuery, intent_query, workplan_query

__all__ = ["Index", "MatchQuery", "Options", "intent_query", "load_index", "markdown", "plan_check", "workplan_query"]
