"""The REST operations, by resource. Importing the package fills the table in operations.py."""

from tests.lookalike.rest import apps, checks, comments, issues, labels, pulls, repositories

__all__ = ["apps", "checks", "comments", "issues", "labels", "pulls", "repositories"]
