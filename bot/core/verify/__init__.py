"""The static verifier: is a plan true of the tree it was written against?"""

from __future__ import annotations

from bot.core.verify.report import verify

__all__ = ["verify"]
