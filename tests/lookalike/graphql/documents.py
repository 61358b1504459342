"""Reads a GraphQL document: operations with variables, fields with arguments, no fragments and no directives."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

TOKEN = re.compile(
    r'(?P<skip>[\s,\ufeff]+|\#[^\n]*)|(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<name>[_A-Za-z][_0-9A-Za-z]*)'
    r"|(?P<number>-?\d+(?:\.\d+)?)|(?P<mark>[!$():=@\[\]{}|&]|\.\.\.)"
)


class Malformed(Exception):  # noqa: N818
    """What is wrong, with where: `line` and `column` count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.location = {"line": line, "column": column}


class Name(str):
    """An enum value, as opposed to a text."""

    __slots__ = ()


@dataclass(frozen=True)
class Variable:
    name: str


@dataclass
class Field:
    name: str
    alias: str
    arguments: dict[str, Any]
    fields: list[Field]
    location: dict[str, int]


@dataclass
class Document:
    """One operation. `variables` maps names to (type, whether it must be given, default)."""

    kind: str
    name: str | None
    variables: dict[str, tuple[str, bool, Any]] = field(default_factory=dict)
    fields: list[Field] = field(default_factory=list)
    used: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    line: int
    column: int


def read(text: str) -> Document:
    """Raises Malformed."""
    return _Reader(text).document()


def _tokens(text: str) -> list[_Token]:
    found, position, line, start = [], 0, 1, 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            wrong = text[position]
            raise Malformed(f'Expected NAME, actual: UNKNOWN_CHAR ("{wrong}")', line, position - start + 1)
        kind, piece = str(match.lastgroup), match[0]
        if kind != "skip":
            found.append(_Token(kind, piece, line, position - start + 1))
        if "\n" in piece:
            line += piece.count("\n")
            start = position + piece.rindex("\n") + 1
        position = match.end()
    return [*found, _Token("end", "end of file", line, position - start + 1)]


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._at = 0
        self._document = Document("query", None)

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, *, text: str | None = None, kind: str | None = None) -> _Token:
        token = self._next
        if text not in (None, token.text) or kind not in (None, token.kind):
            wanted = f'"{text}"' if text is not None else str(kind).upper()
            raise Malformed(f'Expected {wanted}, actual: "{token.text}"', token.line, token.column)
        self._at += 1
        return token

    def _took(self, text: str) -> bool:
        if self._next.text == text and self._next.kind == "mark":
            self._at += 1
            return True
        return False

    def document(self) -> Document:
        made = self._document
        if self._next.kind == "name":
            made.kind = self._take().text
            made.name = self._take().text if self._next.kind == "name" else None
            if self._took("("):
                while not self._took(")"):
                    self._variable()
        made.fields = self._fields()
        self._take(kind="end")
        return made

    def _variable(self) -> None:
        self._take(text="$")
        name = self._take(kind="name").text
        self._take(text=":")
        kind = self._type()
        default = self._value() if self._took("=") else None
        self._document.variables[name] = (kind, kind.endswith("!") and default is None, default)

    def _type(self) -> str:
        if self._took("["):
            kind = f"[{self._type()}]"
            self._take(text="]")
        else:
            kind = self._take(kind="name").text
        return kind + ("!" if self._took("!") else "")

    def _fields(self) -> list[Field]:
        self._take(text="{")
        found = []
        while not self._took("}"):
            found.append(self._field())
        return found

    def _field(self) -> Field:
        token = self._take(kind="name")
        name = self._take(kind="name").text if self._took(":") else token.text
        arguments: dict[str, Any] = {}
        if self._took("("):
            while not self._took(")"):
                key = self._take(kind="name").text
                self._take(text=":")
                arguments[key] = self._value()
        fields = self._fields() if self._next.text == "{" and self._next.kind == "mark" else []
        return Field(name, token.text, arguments, fields, {"line": token.line, "column": token.column})

    def _value(self) -> Any:
        if self._took("$"):
            name = self._take(kind="name").text
            self._document.used.add(name)
            return Variable(name)
        if self._took("["):
            items = []
            while not self._took("]"):
                items.append(self._value())
            return items
        if self._took("{"):
            members: dict[str, Any] = {}
            while not self._took("}"):
                key = self._take(kind="name").text
                self._take(text=":")
                members[key] = self._value()
            return members
        token = self._take()
        match token.kind:
            case "text":
                return re.sub(r"\\(.)", r"\1", token.text[1:-1])
            case "number":
                return float(token.text) if "." in token.text else int(token.text)
            case "name":
                return {"true": True, "false": False, "null": None}.get(token.text, Name(token.text))
        raise Malformed(f'Unexpected "{token.text}"', token.line, token.column)
