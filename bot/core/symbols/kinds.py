"""Which nodes of a syntax tree define a name: a table for each language.

The names of the nodes are those of the tree-sitter grammars that come with ast-grep. A language that is not in
`LANGUAGES` is not asked for: the library panics on one that it lacks.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Kind(StrEnum):
    FUNCTION = "function"
    TYPE = "type"
    VALUE = "value"  # a constant, a variable, a field, a member of an enumeration
    SCOPE = "scope"  # holds definitions and defines nothing itself: an `impl` block


def _table(functions: str, types: str, values: str, scopes: str = "") -> Mapping[str, Kind]:
    pairs = ((functions, Kind.FUNCTION), (types, Kind.TYPE), (values, Kind.VALUE), (scopes, Kind.SCOPE))
    return MappingProxyType({name: kind for names, kind in pairs for name in names.split()})


_SCRIPT = _table(
    "function_declaration generator_function_declaration function_signature method_definition method_signature "
    "abstract_method_signature",
    "class_declaration abstract_class_declaration interface_declaration type_alias_declaration enum_declaration",
    "variable_declarator public_field_definition property_signature pair enum_assignment",
    "internal_module",
)
_JAVASCRIPT = _table(
    "function_declaration generator_function_declaration method_definition",
    "class_declaration",
    "variable_declarator field_definition pair",
)
_C = (
    "function_definition preproc_function_def",
    "struct_specifier union_specifier enum_specifier type_definition",
    "preproc_def enumerator field_declaration declaration",
)

LANGUAGES: Mapping[str, Mapping[str, Kind]] = MappingProxyType(
    {
        "python": _table("function_definition", "class_definition type_alias_statement", "assignment"),
        "typescript": _SCRIPT,
        "tsx": _SCRIPT,
        "javascript": _JAVASCRIPT,
        "go": _table(
            "function_declaration method_declaration method_elem",
            "type_spec type_alias",
            "const_spec var_spec field_declaration",
        ),
        "rust": _table(
            "function_item function_signature_item macro_definition",
            "struct_item enum_item trait_item type_item union_item",
            "const_item static_item field_declaration enum_variant",
            "impl_item mod_item",
        ),
        "java": _table(
            "method_declaration constructor_declaration",
            "class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration",
            "variable_declarator enum_constant",
        ),
        "kotlin": _table(
            "function_declaration",
            "class_declaration object_declaration type_alias",
            "variable_declaration enum_entry",
            "companion_object",
        ),
        "c": _table(*_C),
        "cpp": _table(
            _C[0], _C[1] + " class_specifier alias_declaration concept_definition", _C[2], "namespace_definition"
        ),
        "csharp": _table(
            "method_declaration constructor_declaration local_function_statement",
            "class_declaration interface_declaration enum_declaration struct_declaration record_declaration "
            "delegate_declaration",
            "variable_declarator property_declaration enum_member_declaration",
            "namespace_declaration",
        ),
        "ruby": _table("method singleton_method", "class module", "assignment"),
        "php": _table(
            "function_definition method_declaration",
            "class_declaration interface_declaration trait_declaration enum_declaration",
            "const_element property_element enum_case",
        ),
        "swift": _table(
            "function_declaration protocol_function_declaration",
            "class_declaration protocol_declaration typealias_declaration",
            "property_declaration enum_entry",
        ),
        "scala": _table(
            "function_definition function_declaration",
            "class_definition object_definition trait_definition enum_definition type_definition",
            "val_definition var_definition simple_enum_case given_definition",
        ),
        "dart": _table(
            "function_signature getter_signature setter_signature",
            "class_declaration enum_declaration mixin_declaration extension_declaration type_alias",
            "initialized_identifier static_final_declaration enum_constant",
        ),
        "lua": _table("function_declaration", "", "variable_list"),
        "bash": _table("function_definition", "", "variable_assignment"),
    }
)

EXTENSIONS: Mapping[str, str] = MappingProxyType(
    {
        extension: language
        for language, extensions in {
            "python": "py pyi",
            "typescript": "ts mts cts",
            "tsx": "tsx",
            "javascript": "js jsx mjs cjs",
            "go": "go",
            "rust": "rs",
            "java": "java",
            "kotlin": "kt kts",
            "c": "c h",
            "cpp": "cc cpp cxx hpp hh hxx",
            "csharp": "cs",
            "ruby": "rb",
            "php": "php",
            "swift": "swift",
            "scala": "scala",
            "dart": "dart",
            "lua": "lua",
            "bash": "sh bash",
        }.items()
        for extension in extensions.split()
    }
)

# what a fence calls the language that it shows
_ALIASES: Mapping[str, str] = MappingProxyType(
    {"py": "python", "golang": "go", "c++": "cpp", "c#": "csharp", "shell": "bash", "zsh": "bash", "console": "bash"}
)

# files of these languages use each other's definitions
FAMILIES: tuple[frozenset[str], ...] = (
    frozenset({"typescript", "tsx", "javascript"}),
    frozenset({"c", "cpp"}),
    frozenset({"java", "kotlin", "scala"}),
)


def language_of(path: str) -> str | None:
    """The language of a file, by the end of its name; None for one that has no table."""
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    return EXTENSIONS.get(extension.lower()) if dot else None


def language_named(info: str) -> str | None:
    """The language that the info string of a fence names; None for one that has no table."""
    word = info.strip().split(" ")[0].split("{")[0].split(",")[0].lower()
    found = _ALIASES.get(word, EXTENSIONS.get(word, word))
    return found if found in LANGUAGES else None


def family(language: str) -> frozenset[str]:
    """The languages whose files may hold what a file of `language` speaks of; itself among them."""
    return next((each for each in FAMILIES if language in each), frozenset({language}))
