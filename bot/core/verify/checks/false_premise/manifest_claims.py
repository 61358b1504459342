"""What sentences of a plan say of manifests: a script, dependency or version that is there already.

Only sentences of a few fixed forms count: the thing in code marks, a word such as "already", and what it is said to be.
A sentence with a condition, a negation or an instruction in it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SPAN = r"`(?P<name>[^`\n]{1,120})`"
_MANIFEST = (
    r"(?:the[ ]|root[ ]){0,2}`?(?<![\w./-])(?P<manifest>[\w./-]{0,100}?(?:package\.json|pyproject\.toml|Cargo\.toml"
    r"|go\.mod|requirements[\w-]{0,20}\.txt|setup\.(?:cfg|py)|Pipfile|Gemfile|composer\.json|pubspec\.yaml|pom\.xml))`?"
)
_KIND = r"(?:dev|runtime|direct|workspace|project|npm|pip|production|prod|peer|test|root|cargo|python|node)[ -]?"
_DEPENDENCY = tuple(
    re.compile(each, re.IGNORECASE)
    for each in (
        _SPAN + r"[ ]?[,(—–:-]?[ ]?(?:is[ ])?(?:already|currently)[ ](?:(?:listed|declared|present|pinned)[ ])?"
        r"(?:as[ ]an?[ ][\w-]{1,20}[ ])?in[ ]" + _MANIFEST,
        _SPAN + r"[ ]?\(?(?:is[ ])?(?:already|currently)[ ](?:an?|the|our)[ ]" + f"(?P<kind>{_KIND})?"
        r"(?:dependency|devDependency)\b(?:[ ](?:in|of)[ ]" + _MANIFEST + r")?",
        _SPAN + r"[ ](?:is[ ])?(?:already|currently)[ ](?:(?:listed|declared|present|pinned|there)[ ])?"
        r"(?:in|among|under)[ ](?:the[ ])?`?(?:(?:dev|peer)[ ]?)?dependencies`?[ ](?:of|in)[ ]" + _MANIFEST,
        r"\bexisting[ ]" + _SPAN + r"[ ]" + f"(?P<kind>{_KIND})?" + r"(?:dependency|devDependency)\b",
        _MANIFEST + r"[ ](?:already|currently)[ ](?:lists|has|declares|includes|pins)[ ]" + _SPAN
        + r"[ ](?:as[ ]an?|in[ ](?:its|the))[ ]" + f"(?:{_KIND})?" + r"(?:dependenc|devDependenc)",
    )
)  # fmt: skip
_SCRIPT = tuple(
    re.compile(each, re.IGNORECASE)
    for each in (
        _MANIFEST + r"[ ](?:already|currently)[ ](?:has|defines|provides|contains|exposes|includes|declares)[ ]"
        r"(?:(?:an?|the)[ ])?" + _SPAN + r"[ ](?:npm[ ])?script\b",
        _MANIFEST + r"[ ](?:already|currently)[ ](?:has|defines|provides|contains|exposes|includes|declares)[ ]"
        r"(?:an?|the)[ ](?:npm[ ])?script[ ](?:called[ ]|named[ ])?" + _SPAN,
        r"\bscript[ ]" + _SPAN + r"[ ](?:of|in|from)[ ]" + _MANIFEST
        + r"[ ](?:(?:stays|remains)\b|is[ ](?:kept|left|already[ ]there)\b|already[ ]exists\b)",
        r"\bexisting[ ]" + _SPAN + r"[ ](?:npm[ ])?script[ ](?:in|of|from)[ ]" + _MANIFEST,
        r"\bexisting[ ]`(?:npm|pnpm|yarn|bun)[ ]run[ ](?P<name>[\w:.-]{1,60})`[ ]script\b",
        _SPAN + r"[ ](?:npm[ ])?script[ ](?:is[ ])?(?:already|currently)[ ]"
        r"(?:(?:exists|defined|there|present)[ ])?in[ ]" + _MANIFEST,
    )
)  # fmt: skip
_PYTHON = re.compile(
    r"`?requires-python`?[ ](?:is|=)[ ](?:already[ ]|currently[ ])?`?[\"']?(?P<name>>=[ ]?3\.\d{1,2})(?![\d.])"
)
_VERSION = re.compile(
    r"\b(?:uses|already on|currently on|already uses|currently uses)[ ]`?(?P<name>[A-Za-z@][\w./@-]{1,60}?)`?[ ]"
    r"`?[v^~]?(?P<version>\d{1,3})(?:\.[\dx]{1,4}){0,2}`?[ ]?"
    r"\([^()\n]{0,30}?`?(?P<manifest>(?<![\w./-])[\w./-]{0,100}package\.json)`?[^()\n]{0,30}\)"
)
_PINNED = tuple(
    re.compile(each, re.IGNORECASE)
    for each in (
        _MANIFEST + r"[ ](?:already[ ]|currently[ ])?(?:pins|locks|has)[ ]`(?P<name>[\w./@-]{1,61})`[ ](?:at|to)[ ]"
        r"`?[v^~]?(?P<version>\d{1,3})(?:\.[\dx]{1,4}){0,2}`?(?![\w.]?\d)",
        r"`(?P<name>[\w./@-]{1,61})`[ ]is[ ](?:already[ ]|currently[ ])?pinned[ ](?:at|to)[ ]"
        r"`?[v^~]?(?P<version>\d{1,3})(?:\.[\dx]{1,4}){0,2}`?[ ]in[ ]" + _MANIFEST,
    )
)
_GO = re.compile(
    r"\bGo[ ]`?v?(?P<version>1\.\d{1,3})(?:\.\d{1,3})?`?[ ]"
    r"\((?:(?:as[ ])?(?:per|from|in|by|see|pinned[ ](?:in|by))[ ])?`?"
    r"(?P<manifest>(?<![\w./-])[\w./-]{0,100}go\.mod)`?\)"
)
_CUE = re.compile(
    r"(?i)already|currently|existing|requires-python|\buses\b|\bstays\b|\bremains\b|\bkept\b|\bleft\b|go\.mod|\bpin"
)
# what is not done because the statement holds, which takes nothing off it
_NO_MORE = re.compile(
    r"(?i)\bno[ ](?:new|additional|extra|further|other)[ ](?:(?:npm|dev|runtime|python|go|external|third-party)[ ])?"
    r"(?:deps?|dependenc(?:y|ies)|packages?|librar(?:y|ies)|scripts?)\b"
    r"(?:[ ](?:(?:is|are)[ ])?(?:needed|required|necessary))?"
    r"|\bnothing[ ](?:else[ ])?(?:is|has|needs)[ ]to[ ]be[ ](?:added|installed)\b"
)
_UNCERTAIN = re.compile(
    r"(?i)\b(?:no|not|never|none|nor|without|unless|if|whether|once|after|before|until|should|would|will|must|may|might"
    r"|could|can|verify|check|confirm|ensure|assum\w*|probably|likely|unclear|maybe|perhaps|when|previous\w*|earlier"
    r"|tasks?|steps?|phase|unit|prs?|add|adds|added|adding|install\w*|example|e\.g|branch|upstream|fork|transitive\w*"
    r"|indirect\w*|via|set|bump\w*|upgrad\w*|chang\w*|rais\w*|make|remov\w*|drop\w*|repo|repository|repositories|let"
    r"|lets|replac\w*|propos\w*|instead|option\w*|alternativ\w*)\b|n't\b|n’t\b|\?"
)
_ENDS = re.compile(r"(?<=[.;!?])[ ]|[ ]\|[ ]|,[ ](?=so[ ]|hence[ ])")


@dataclass(frozen=True, slots=True)
class Statement:
    kind: str  # "dependency", "script", "python", "go" or "version"
    name: str
    manifest: str | None
    version: str | None = None


def read(line: str) -> Iterator[Statement]:
    """What a line says of manifests, sentence by sentence."""
    if not _CUE.search(line):
        return
    for sentence in _ENDS.split(line):
        plain = _NO_MORE.sub(" ", re.sub(r"`[^`]*`", "`", sentence))
        if _UNCERTAIN.search(plain) or sentence.lstrip(" >*-").startswith(("~~", '"', "“")):
            continue
        for kind, patterns in (("dependency", _DEPENDENCY), ("script", _SCRIPT)):
            for pattern in patterns:
                for match in pattern.finditer(sentence):
                    named = match.groupdict()
                    yield Statement(kind, named["name"].strip(), named.get("manifest"))
        for match in _PYTHON.finditer(sentence):
            yield Statement("python", match["name"].replace(" ", ""), None)
        for match in _GO.finditer(sentence):
            yield Statement("go", "Go", match["manifest"], match["version"])
        for pattern in (_VERSION, *_PINNED):
            for match in pattern.finditer(sentence):
                if match["manifest"].rpartition("/")[2].casefold() == "package.json":
                    yield Statement("version", match["name"], match["manifest"], match["version"])
