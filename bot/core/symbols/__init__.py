"""What source files define, read by ast-grep: names with their lines."""

from bot.core.symbols.definitions import MAX_LINES, MAX_TEXT, Definition, definitions, named, occurrences, readable
from bot.core.symbols.kinds import Kind, family, language_named, language_of

__all__ = [
    "MAX_LINES",
    "MAX_TEXT",
    "Definition",
    "Kind",
    "definitions",
    "family",
    "language_named",
    "language_of",
    "named",
    "occurrences",
    "readable",
]
