"""The REST operations, by resource. Importing the package fills the table in operations.py."""

from tests.lookalike.rest import apps, checks, comments, graphql, issues, labels, pulls, repositories, reviews

__all__ = ["apps", "checks", "comments", "graphql", "issues", "labels", "pulls", "repositories", "reviews"]
