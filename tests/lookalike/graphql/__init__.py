"""The few GraphQL mutations that have no REST counterpart, answered as GitHub does: 200, with `errors` when refused."""

from tests.lookalike.graphql.mutations import answer

__all__ = ["answer"]
