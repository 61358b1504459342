"""The one address of GraphQL; installations only."""

from __future__ import annotations

from tests.lookalike.graphql import answer
from tests.lookalike.journal import GRAPHQL
from tests.lookalike.rest.operations import Answer, Call, operation


@operation("POST", GRAPHQL, auth="installation")
def post(call: Call) -> Answer:
    return Answer(200, answer(call))
