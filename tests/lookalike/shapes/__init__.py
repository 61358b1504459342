"""The JSON that GitHub shows for each record. Every shape has the official description's required fields."""

from tests.lookalike.shapes.accounts import maybe, node, stamp
from tests.lookalike.shapes.checks import CheckShapes as Shapes
from tests.lookalike.shapes.code import encoded
from tests.lookalike.shapes.conversations import REACTIONS

__all__ = ["REACTIONS", "Shapes", "encoded", "maybe", "node", "stamp"]
