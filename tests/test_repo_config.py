"""A repository's `.github/planproof.yml`: valid, wrong, hostile; over its organisation's; and which one holds."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import jsonschema_rs
import pytest

from bot import repo_config
from bot.core.judge import judge
from bot.core.plans import parse as read_plan
from bot.core.plans.model import Document, Format, Span
from bot.core.verify.finding import Draft, Weight, build
from bot.dispatch import Context, Services
from bot.events import Event, Repo
from bot.github.client import App
from bot.github.errors import GitHubError, Unavailable
from bot.github.transport import Policy
from bot.repo_config import CONFIG_PATH, Current, Defaults, Remark, merge, parse, unread
from bot.settings import Settings
from bot.store import Store
from schemas.engine import Request
from schemas.repo_config import RepoConfig
from schemas.verify_report import Evidence, FindingType, Severity, Verdict
from tests import machine
from tests.git_repo import build_repo
from tests.lookalike import Lookalike
from tests.lookalike import state as look
from tests.lookalike.fixtures import (  # noqa: F401
    APP_ID,
    KeyPair,
    acme_app,
    acme_installation,
    app_keys,
    github,
    lookalike,
    widgets,
)

KEYS = "apps, budgets, check, draft, gate, ignore, index, label, mode, model, plans, repair, severity"
TYPES = ", ".join(FindingType)


def errors(text: str) -> list[tuple[int, str]]:
    parsed = parse(text.encode())
    assert parsed.config is None
    return [(error.line, error.message) for error in parsed.errors]


def config(text: str) -> RepoConfig:
    parsed = parse(text.encode())
    assert parsed.errors == ()
    assert parsed.config is not None
    return parsed.config


# ---- valid --------------------------------------------------------------------------------------


def test_no_file_and_an_empty_file_are_the_defaults() -> None:
    for raw in (None, b"", b"# nothing yet\n", b"---\n", b"~\n"):
        parsed = parse(raw)
        assert parsed.config == RepoConfig()
        assert (parsed.errors, parsed.notes) == ((), ())
    assert RepoConfig() == RepoConfig(
        plans=None,
        mode="on",
        gate=True,
        severity={},
        label="plan/needs-fix",
        index=None,
        repair="suggest",
        model="advisory",
        budgets={},
        apps=(),
        check="always",
        ignore=(),
        draft=False,
    )


EVERY_KEY = """\
plans:
  - 'rfcs/*.md'
  - docs/plans/**
mode: shadow
gate: {scope_gap: false, missing_path: true}
severity:
  scope_gap: minor
  false_premise: blocker
label: 📋 plan needs work
index: registry/index.yaml
repair: commit
model: required
budgets: {run: 50000, pull: 200_000, repository: 1000000, day: 5000000}
apps: [12345, 67890]
check: plans
ignore: [f-3a91c2, f-0123456789ab]
draft: true
"""


def test_every_key_is_read() -> None:
    read = config(EVERY_KEY)
    assert read.plans == ("rfcs/*.md", "docs/plans/**")
    assert read.mode == "shadow"
    assert read.gate == {FindingType.SCOPE_GAP: False, FindingType.MISSING_PATH: True}
    assert read.severity == {FindingType.SCOPE_GAP: Severity.MINOR, FindingType.FALSE_PREMISE: Severity.BLOCKER}
    assert read.label == "📋 plan needs work"
    assert read.index == "registry/index.yaml"
    assert (read.repair, read.model) == ("commit", "required")
    assert read.budgets == {"run": 50000, "pull": 200000, "repository": 1000000, "day": 5000000}
    assert read.apps == (12345, 67890)
    assert read.check == "plans"
    assert read.ignore == ("f-3a91c2", "f-0123456789ab")
    assert read.draft is True
    assert read.model_fields_set == set(RepoConfig.model_fields)


def test_a_configuration_survives_being_stored() -> None:
    read = config(EVERY_KEY)
    assert RepoConfig.model_validate(json.loads(json.dumps(read.model_dump(mode="json")))) == read


@pytest.mark.parametrize("off", ["off", "Off", '"off"', "false", "no"])
def test_a_bare_off_and_a_quoted_one_are_the_same(off: str) -> None:
    read = config(f"mode: {off}\nrepair: {off}\nmodel: {off}\ngate: {off}\ndraft: {off}\n")
    assert (read.mode, read.repair, read.model, read.gate, read.draft) == ("off", "off", "off", False, False)


@pytest.mark.parametrize("on", ["on", "ON", '"on"', "true", "yes"])
def test_a_bare_on_and_a_quoted_one_are_the_same(on: str) -> None:
    read = config(f"mode: {on}\ngate: {on}\ndraft: {on}\n")
    assert (read.mode, read.gate, read.draft) == ("on", True, True)


def test_off_and_on_may_arrive_as_booleans() -> None:
    read = RepoConfig.model_validate({"mode": False, "repair": False, "model": False})
    assert (read.mode, read.repair, read.model) == ("off", "off", "off")
    assert RepoConfig.model_validate({"mode": True}).mode == "on"


def test_keys_without_effect_in_this_version_are_noted_and_valid() -> None:
    parsed = parse(b"budgets:\n  run: 1\nmode: on\nrepair: off\nmodel: advisory\n")
    assert parsed.config is not None
    assert [(note.line, note.message) for note in parsed.notes] == [
        (1, "`budgets` has no effect in this version"),
        (4, "`repair` has no effect in this version"),
        (5, "`model` has no effect in this version"),
    ]


def test_what_is_set_for_a_type_that_never_gates_is_noted() -> None:
    severity = b"severity:\n  scope_gap: minor\n  hidden_text: blocker\n"
    parsed = parse(severity + b"gate:\n  hidden_text: true\n  scope_gap: false\nmodel: off\n")
    assert parsed.config is not None
    assert [(note.line, note.message) for note in parsed.notes] == [
        (3, "`severity.hidden_text` has no effect: hidden_text never holds a plan back"),
        (5, "`gate.hidden_text` has no effect: hidden_text never holds a plan back"),
        (7, "`model` has no effect in this version"),
    ]
    assert parse(b"gate: false\n").notes == ()


def test_a_file_that_cannot_be_read_is_said_in_the_words_of_one_that_can() -> None:
    [said] = parse(b"#" * 70_000).errors
    assert unread("too large to read (3,000,000 bytes, the limit is 1,048,576 bytes)").errors == (said,)
    assert unread("its content is not in this clone").errors == (said,)
    assert unread("a directory").errors == (Remark(1, "the file cannot be read: a directory"),)


def test_an_anchor_may_be_used_again() -> None:
    read = config("gate: &some {scope_gap: false}\nseverity: {scope_gap: minor}\n")
    assert read.gate == {FindingType.SCOPE_GAP: False}
    assert errors("gate: &some {scope_gap: false}\nseverity: *some\n") == [
        (2, "`severity.scope_gap`: expected one of blocker, major, minor, advice")
    ]


# ---- wrong --------------------------------------------------------------------------------------

SHAPES = [
    ("plans: docs", '`plans`: expected a list of patterns, such as ["docs/plans/**"]'),
    ("gate: maybe", "`gate`: expected true or false, or such a value for each of some finding types"),
    ("gate: [scope_gap]", "`gate`: expected true or false, or such a value for each of some finding types"),
    (
        "severity: minor",
        "`severity`: expected a severity for each of some finding types, such as {scope_gap: minor}",
    ),
    ("label: [a]", "`label`: expected a name"),
    ("index: [a]", "`index`: expected a path"),
    (
        "budgets: 5",
        "`budgets`: expected a number of tokens for any of run, pull, repository and day, such as {run: 50000}",
    ),
    ("apps: 12345", "`apps`: expected a list of the numeric ids of Apps, such as [12345]"),
    ("ignore: f-3a91c2", "`ignore`: expected a list of ids of findings, such as [f-3a91c2]"),
    ("draft: maybe", "`draft`: expected true or false"),
    ("draft: [true]", "`draft`: expected true or false"),
    ("check: sometimes", "`check`: expected one of always, plans"),
    ("check: {a: b}", "`check`: expected one of always, plans"),
    ("check: plan", "`check`: expected one of always, plans; the nearest is `plans`"),
    ("mode: shadwo", "`mode`: expected one of off, shadow, on; the nearest is `shadow`"),
    ("repair: on", "`repair`: expected one of off, suggest, commit"),
    ("model: on", "`model`: expected one of off, advisory, required"),
    ("plans: []\nindex:", "`index` has no value; give it one or delete it"),
]


@pytest.mark.parametrize(("text", "message"), SHAPES)
def test_a_wrong_value_is_said_in_plain_words_at_its_line(text: str, message: str) -> None:
    assert errors(f"# one\n{text}\n") == [(2 + text.count("\n"), message)]


ENTRIES = [
    (
        "gate:\n  scope_gap: true\n  missing_pth: false",
        3,
        f"`gate.missing_pth` is not a key here; the nearest is `missing_path`. Allowed: {TYPES}",
    ),
    ("gate:\n  scope_gap: true\n  missing_path: major", 3, "`gate.missing_path`: expected true or false"),
    (
        "severity: {scope_gap: minor,\n  scopegap: minor}",
        2,
        f"`severity.scopegap` is not a key here; the nearest is `scope_gap`. Allowed: {TYPES}",
    ),
    (
        "severity:\n\n  scope_gap: mayor",
        3,
        "`severity.scope_gap`: expected one of blocker, major, minor, advice; the nearest is `major`",
    ),
    (
        "budgets:\n  run: 1\n  dy: x",
        3,
        "`budgets.dy` is not a key here; the nearest is `day`. Allowed: run, pull, repository, day",
    ),
    ("budgets:\n  run: 0", 2, "`budgets.run`: expected a whole number above 0"),
    ("budgets:\n  run: lots", 2, "`budgets.run`: expected a whole number above 0"),
    ("budgets:\n  run: 1000000000001", 2, "`budgets.run`: expected at most 1,000,000,000,000"),
    ("budgets:\n  run: " + "9" * 5000, 2, "`budgets.run`: expected a whole number above 0"),
    ("apps:\n  - 1\n  - renovate[bot]", 3, "`apps` entry 2: expected a whole number above 0"),
    ("apps: [1,\n  -2]", 2, "`apps` entry 2: expected a whole number above 0"),
    ("plans:\n  - a\n  - [b]", 3, "`plans` entry 2: expected text"),
    ("plans:\n  -", 2, "`plans` entry 1: expected text"),
    ("plans:\n  - ''", 2, "`plans` entry 1: expected at least 1 character"),
    ("plans:\n  - " + "a" * 401, 2, "`plans` entry 1: expected at most 400 characters"),
    ("plans: [" + "a, " * 51 + "]", 1, "`plans`: expected at most 50 entries"),
    (
        "plans:\n  - '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}'",
        2,
        "`plans` entry 1: expected fewer alternatives in braces",
    ),
    (
        "ignore:\n  - f-3a91c2\n  - f-3A91C2",
        3,
        "`ignore` entry 2: expected the id of a finding: `f-` and 6 to 12 of the characters 0-9 and a-f",
    ),
]


@pytest.mark.parametrize(("text", "line", "message"), ENTRIES)
def test_a_wrong_entry_is_said_at_its_own_line(text: str, line: int, message: str) -> None:
    assert errors(text) == [(line, message)]


def test_patterns_that_would_take_long_to_compile_are_an_error() -> None:
    pattern = "{a,b}" * 6 + "*a" * 180
    assert config(f"plans: ['{pattern}']\n").plans == (pattern,)
    many = "plans:\n" + "".join(f"- '{pattern}{n}'\n" for n in range(20))
    assert errors(many) == [(3, "`plans` entry 2: expected fewer alternatives in braces")]


@pytest.mark.parametrize(
    "path", ["/docs/*.md", "./docs/*.md", "../x.md", "!docs/a.md", "docs/plans/", "docs\\a.md", "x/../../y", "x/.."]
)
def test_a_pattern_that_could_never_match_is_an_error(path: str) -> None:
    message = "expected a path from the repository's root, without `..`, `/`, `./` or `!` before or `/` after it"
    assert errors(f"plans:\n- '{path}'\n") == [(2, f"`plans` entry 1: {message}")]
    assert errors(f"index: '{path}'\n") == [(1, f"`index`: {message}")]


@pytest.mark.parametrize("label", ['""', '"  "', "a,b", "a" * 51, '"a\\u200bb"', '"a\\tb"', '"\\u3164"', '"a\\u202eb"'])
def test_a_label_that_github_or_people_cannot_tell_apart_is_an_error(label: str) -> None:
    assert errors(f"label: {label}\n") == [
        (1, "`label`: expected 1 to 50 characters, no comma and none that cannot be seen")
    ]


@pytest.mark.parametrize("label", [".", "..", "/plan", "plan/", "/"])
def test_a_label_that_has_no_address_of_its_own_is_an_error(label: str) -> None:
    assert errors(f"label: '{label}'\n") == [
        (1, "`label`: expected a name other than `.` and `..`, without `/` before or after it")
    ]


def test_a_label_may_have_dots_and_slashes_within() -> None:
    for label in ("a/b", "a/../b", "...", ".a"):
        assert config(f"label: '{label}'\n").label == label


def test_a_typo_is_an_error_with_its_line_the_nearest_key_and_the_allowed_ones() -> None:
    assert errors("index: a.yaml\nplanz: [x]\n") == [
        (2, f"`planz` is not a key here; the nearest is `plans`. Allowed: {KEYS}")
    ]
    assert errors("zzzz: 1\n") == [(1, f"`zzzz` is not a key here. Allowed: {KEYS}")]


def test_a_key_of_markup_stays_within_its_code_span() -> None:
    [(_, message)] = errors('"a`b\\nc": 1\n')
    assert message.startswith("`a'b c` is not a key here")


def test_a_key_that_stands_twice_is_an_error() -> None:
    assert errors("mode: off\ncheck: plans\nmode: on\n") == [(3, "`mode` stands twice; the first is on line 1")]
    assert errors("gate:\n  scope_gap: true\n  scope_gap: false\n") == [
        (3, "`gate.scope_gap` stands twice; the first is on line 2")
    ]


def test_a_pattern_that_yaml_takes_for_an_alias_needs_quotes() -> None:
    for pattern in ("*.md", "**/plans/*.md"):
        [(line, message)] = errors(f"plans:\n  - {pattern}\n")
        assert line == 2
        assert message.startswith("not valid YAML: ")
        assert message.endswith("; a pattern that begins with `*` needs quotes around it")


@pytest.mark.parametrize("key", ["? [a, b]\n", "~", "? {a: {b: c}}\n"])
def test_a_key_that_is_no_text_is_an_error(key: str) -> None:
    assert errors(f"mode: off\n{key}: off\n") == [(2, "a key has to be plain text")]


def test_a_second_document_is_an_error() -> None:
    assert errors("mode: off\n---\nmode: on\n") == [(2, "a second document begins here; only one is read")]
    assert errors("~\n---\nmode: on\n") == [(2, "a second document begins here; only one is read")]
    assert errors("mode: off\n...\n{{{\n") == [(3, "not valid YAML after the end of the first document")]


def test_all_errors_are_said_at_once_by_line_and_at_most_twenty() -> None:
    found = errors("chekc: plans\nmode: of\nplans: x\ngate: {a: b}\n")
    assert [line for line, _ in found] == [1, 2, 3, 4]
    many = errors("".join(f"k{n}: x\n" for n in range(100)))
    assert [line for line, _ in many] == list(range(1, 21))


# ---- hostile ------------------------------------------------------------------------------------

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
MERGES = "a: &a {" + ", ".join(f"k{n}: v" for n in range(400)) + "}\nb:\n  <<: [" + "*a, " * 400 + "]\n"


@pytest.mark.parametrize(
    ("raw", "line", "word"),
    [
        (b"mode: off\nplans: [", 2, "not valid YAML"),
        (b"mode: off\n\xff\xfe\x00", 2, "the file is not UTF-8"),
        (b"- a\n- b\n", 1, "expected keys and values, such as `plans:` with a list below it"),
        (b"just text\n", 1, "expected keys and values, such as `plans:` with a list below it"),
        (b"x: &a [1]\ny: *a\n", 1, "is not a key here"),
        (b"2020-01-01: x\n", 1, "`2020-01-01` is not a key here"),
        (b"!!binary aaaa: x\n", 1, "is not a key here"),
        (b"index: !!timestamp [foo]\n", 1, "`index`: "),
        (b"index: 0x" + b"f" * 20_000, 1, "at most 400 characters"),
        (b"".join(b"k%d: x\n" % n for n in range(5_000)), 1, "not valid YAML: more than 2,000 values"),
        (b"plans: " + b"[" * 20_000, 1, "not valid YAML"),
        (b"plans: " + b"[" * 9, 1, "not valid YAML: nested deeper than 8 levels"),
        (b"- " * 20_000, 1, "not valid YAML"),
        (b"? " * 20_000, 1, "not valid YAML"),
        (b"plans: " + b'"' * 20_001, 1, "not valid YAML"),
        (b"#" * 70_000, 1, "the file is too large; at most 65,536 bytes are read"),
        (BOMB.encode(), 1, "`a` is not a key here"),
        (MERGES.encode(), 1, "not valid YAML: more than 2,000 values"),
        (b"plans: *nothing\n", 1, "`plans` has no value; give it one or delete it"),
        (b"gate: &a {scope_gap: *a}\n", 1, "`gate.scope_gap`: expected true or false"),
        ("mode: off\u2028x: 1\n".encode(), 1, "`x` is not a key here"),
        (b"mode: off\x00\n", 1, "not valid YAML"),
    ],
)
def test_hostile_files_get_a_plain_word_and_no_traceback(raw: bytes, line: int, word: str) -> None:
    parsed = parse(raw)
    assert parsed.config is None
    assert parsed.errors[0].line == line
    assert word in parsed.errors[0].message


# ---- for editors --------------------------------------------------------------------------------


def test_the_exported_schema_takes_what_the_app_takes() -> None:
    schema = json.loads((Path(__file__).parents[1] / "schemas" / "repo-config.schema.json").read_text())
    validator = jsonschema_rs.validator_for(schema)
    assert {*schema["properties"]} == {*RepoConfig.model_fields}
    assert all(each["description"] for each in schema["properties"].values())
    for good in (
        {},
        {"mode": False, "repair": False, "model": "off", "gate": {"scope_gap": False}},
        {"plans": ["a"], "label": "x", "apps": [1], "budgets": {"day": 1}, "severity": {"scope_gap": "minor"}},
    ):
        validator.validate(good)
        RepoConfig.model_validate(good)
    wrong: tuple[dict[str, Any], ...] = (
        {"plan": []},
        {"plans": None},
        {"plans": ["a"] * 51},
        {"mode": "of"},
        {"gate": {"x": True}},
        {"severity": {"scope_gap": "mayor"}},
        {"budgets": {"dy": 1}},
        {"apps": [0]},
        {"label": "a,b"},
        {"ignore": ["f-12"]},
    )
    for bad in wrong:
        assert not validator.is_valid(bad), bad


# ---- what gates ---------------------------------------------------------------------------------


def test_the_check_fails_when_the_type_of_any_open_gating_finding_gates() -> None:
    gap, path = FindingType.SCOPE_GAP, FindingType.MISSING_PATH
    some = RepoConfig(gate={gap: False})
    assert RepoConfig().gates([gap])
    assert not RepoConfig(gate=False).gates([gap, path])
    assert not some.gates([gap])
    assert some.gates([gap, path])
    assert not RepoConfig().gates([])


# ---- severities ---------------------------------------------------------------------------------


def built(type_: FindingType, weight: Weight, wanted: dict[FindingType, Severity]) -> tuple[Severity, bool]:
    document = Document("PLAN.md", "# A Plan\n\n### Task 1: Change it\n\n- Modify: `src/a.py`\n")
    plan = read_plan([document], Format.GENERIC)
    evidence = (Evidence(path="src/a.py", absent=True),)
    draft = Draft(type_, weight, Span("PLAN.md", 5, 5), "src/a.py", "no such file", evidence)
    (made,) = build([draft], plan, {}, wanted)
    assert made.id == build([draft], plan, {})[0].id
    return made.severity, made.gating


@pytest.mark.parametrize(
    ("type_", "weight", "wanted", "severity", "gating"),
    [
        (FindingType.MISSING_PATH, Weight.BREAKS, "minor", "minor", False),
        (FindingType.MISSING_PATH, Weight.BREAKS, "advice", "advice", False),
        (FindingType.MISSING_PATH, Weight.BREAKS, "major", "major", True),
        (FindingType.FALSE_PREMISE, Weight.SLIGHT, "major", "major", True),
        (FindingType.SCOPE_GAP, Weight.WRONG, "blocker", "blocker", True),
        (FindingType.TASK_ORDER, Weight.WRONG, "minor", "minor", False),
        # a doubt is no accusation, whatever a repository wishes
        (FindingType.MISSING_PATH, Weight.DOUBT, "blocker", "advice", False),
        (FindingType.PLACEHOLDER, Weight.SLIGHT, "major", "advice", False),
        (FindingType.HIDDEN_TEXT, Weight.BREAKS, "blocker", "advice", False),
    ],
)
def test_a_severity_takes_the_place_of_the_usual_one_and_decides_what_gates(
    type_: FindingType, weight: Weight, wanted: str, severity: str, gating: bool
) -> None:
    assert built(type_, weight, {type_: Severity(wanted)}) == (severity, gating)


def test_a_severity_of_one_type_leaves_the_others_as_they_are() -> None:
    assert built(FindingType.MISSING_PATH, Weight.BREAKS, {FindingType.SCOPE_GAP: Severity.MINOR}) == ("blocker", True)


def test_the_engine_takes_severities_as_json(tmp_path: Path) -> None:
    plan = "# A Plan\n\n### Task 1: Change it\n\n**Files:**\n- Modify: `src/b.py`\n"
    made = build_repo(tmp_path / "r", {"src/a.py": "x = 1\n"}, {"docs/plans/one.md": plan})
    request = Request(repo=str(made.path), plan="docs/plans/one.md")
    assert judge(request).verdict is Verdict.NEEDS_FIX
    severity = RepoConfig(severity={FindingType.MISSING_PATH: Severity.MINOR}).model_dump(mode="json")["severity"]
    lowered = request.model_dump(mode="json") | {"severity": severity}
    found = judge(Request.model_validate_json(json.dumps(lowered)))
    assert (found.verdict, [each.severity for each in found.findings]) == ("clean", ["minor"])


# ---- the organisation's defaults ----------------------------------------------------------------


def test_a_repository_s_own_key_takes_the_place_of_the_organisation_s_as_a_whole() -> None:
    org = config("mode: shadow\nlabel: fix the plan\nseverity: {scope_gap: minor, placeholder: minor}\n")
    own = config("mode: on\nseverity: {missing_path: major}\n")
    merged = merge(org, own)
    assert (merged.mode, merged.label, merged.check) == ("on", "fix the plan", "always")
    assert merged.severity == {FindingType.MISSING_PATH: Severity.MAJOR}
    assert merged.model_fields_set == {"mode", "label", "severity"}
    assert merge(org, RepoConfig()) == org
    assert merge(RepoConfig(), own) == own


def test_what_is_about_one_tree_is_never_a_default() -> None:
    org = config("index: a.yaml\nignore: [f-3a91c2]\nplans: ['rfcs/*.md']\n")
    merged = merge(org, RepoConfig())
    assert (merged.index, merged.ignore, merged.plans) == (None, (), ("rfcs/*.md",))
    assert merge(org, config("index: b.yaml\n")).index == "b.yaml"


# ---- which one holds ----------------------------------------------------------------------------


@dataclass
class Credentials:
    private_key_pem: str
    github_api: str
    app_id: int | None = APP_ID
    write_spacing: float = 0.0
    secrets: tuple[str, ...] = ()


@dataclass
class Office:
    """The App at the look-alike's acme, with a store and defaults of its own; `minutes` is the time gone by."""

    github: Lookalike
    app: App
    store: Store
    installation: look.Installation
    widgets: look.Repository
    settings: Settings
    minutes: float = 0.0
    writes: list[str] = field(default_factory=list)
    defaults: Defaults = field(init=False)

    def __post_init__(self) -> None:
        self.defaults = Defaults(now=lambda: self.minutes * 60)
        # what is asked of the store, and then done
        for name in ("save_config", "drop_config", "save_defaults", "drop_defaults"):
            setattr(self.store, name, self.noted(name, getattr(self.store, name)))

    def noted(self, name: str, write: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def noting(*arguments: object) -> None:
            self.writes.append(name)
            await write(*arguments)

        return noting

    def write(self, text: str | None, repo: look.Repository | None = None) -> None:
        """The configuration of a repository, by default of widgets."""
        self.github.push(repo or self.widgets, "main", {CONFIG_PATH: text})

    def organisation(self, text: str | None = None) -> look.Repository:
        files = {"README.md": "acme\n"} if text is None else {CONFIG_PATH: text}
        return self.github.create_repository("acme/.github", files, private=True)

    async def current(self, repo: look.Repository | None = None) -> Current:
        return await repo_config.current(self.context(repo))

    async def known(self) -> Current:
        return await repo_config.known(self.context())

    def context(self, repo: look.Repository | None = None) -> Context:
        repo = repo or self.widgets
        event = Event(
            name="pull_request",
            delivery="d-1",
            installation_id=self.installation.id,
            repo=Repo(repo.id, "acme", repo.name, False, "main"),
            number=1,
        )
        nothing = cast(Any, None)
        services = Services(
            settings=self.settings,
            github=self.app,
            engines=nothing,
            mirrors=nothing,
            store=self.store,
            defaults=self.defaults,
        )
        asked = {"contents": "read", "issues": "write"}
        return Context(event, services, run_id="7f3c", permissions=cast(Any, asked))

    def reads(self, repo: str) -> int:
        return sum(r.path == f"/repos/acme/{repo}/contents/{CONFIG_PATH}" for r in self.github.requests)


@pytest.fixture
async def office(
    github: Lookalike,  # noqa: F811
    app_keys: KeyPair,  # noqa: F811
    acme_installation: look.Installation,  # noqa: F811
    widgets: look.Repository,  # noqa: F811
    tmp_path: Path,
) -> AsyncIterator[Office]:
    app = App(Credentials(app_keys.private, github.url), policy=Policy(backoff=0.0))
    settings = machine.settings(tmp_path)
    store = Store(settings.database)
    await store.open()
    yield Office(github, app, store, acme_installation, widgets, settings)
    await store.close()
    await app.aclose()


async def test_without_any_file_the_defaults_hold(office: Office) -> None:
    found = await office.current()
    assert (found.config, found.problems, found.notes) == (RepoConfig(), [], [])
    assert (found.inherited, found.off, found.silent, found.last) == (frozenset(), False, False, False)


async def test_the_organisation_s_file_is_the_default_of_each_repository(office: Office) -> None:
    org = office.organisation("mode: shadow\nlabel: fix the plan\nindex: a.yaml\nrepair: off\n")
    office.write("mode: on\nmodel: off\n")
    found = await office.current()
    assert (found.config.mode, found.config.label, found.config.index) == ("on", "fix the plan", None)
    assert found.inherited == {"label", "repair"}
    assert found.problems == []
    assert found.notes == [
        "`.github/planproof.yml` line 2: `model` has no effect in this version",
        "`acme/.github`: `.github/planproof.yml` line 4: `repair` has no effect in this version",
    ]
    assert office.github.problems == []
    # the organisation's repository has its own, and no defaults
    assert (await office.current(org)).config.index == "a.yaml"
    assert office.reads(".github") == 2


async def test_a_broken_file_leaves_its_last_valid_version(office: Office) -> None:
    office.organisation("label: fix the plan\n")
    office.write("mode: shadow\n")
    assert (await office.current()).config.mode == "shadow"
    office.write("mode: shadwo\n")
    found = await office.current()
    assert (found.config.mode, found.config.label) == ("shadow", "fix the plan")
    assert found.problems == [
        "`.github/planproof.yml` line 1: `mode`: expected one of off, shadow, on; the nearest is `shadow`"
    ]
    office.write(None)
    assert await office.current() == Current(RepoConfig(label="fix the plan"), inherited=frozenset({"label"}))
    office.write("mode: shadwo\n")
    assert (await office.current()).config == RepoConfig(label="fix the plan")


async def test_a_broken_file_of_the_organisation_leaves_its_last_valid_version_and_is_named(office: Office) -> None:
    org = office.organisation("mode: shadow\nrepair: off\n")
    assert (await office.current()).config.mode == "shadow"
    office.write("secret-name: 1\nother: 2\n", org)
    office.defaults.forget("ACME")
    found = await office.current()
    assert found.config.mode == "shadow"
    # what it says is not for those who may read the other repository only
    assert found.problems == ["`acme/.github`: `.github/planproof.yml` has 2 errors, the first on line 1"]
    assert found.notes == [
        "`acme/.github`: `.github/planproof.yml` line 2: `repair` has no effect in this version",
    ]
    office.write(None, org)
    office.defaults.forget("acme")
    assert (await office.current()).config == RepoConfig()
    office.write("\nmode: [\n", org)
    office.defaults.forget("acme")
    found = await office.current()
    assert found.config == RepoConfig()
    assert found.problems == ["`acme/.github`: `.github/planproof.yml` has an error on line 3"]


@pytest.mark.parametrize("text", ["mode: shadow\n", "mode: [\n", None])
async def test_the_organisation_s_file_is_read_every_ten_minutes(office: Office, text: str | None) -> None:
    office.organisation(text)
    first = await office.current()
    office.minutes = 9.9
    assert await office.current() == first
    assert (office.reads(".github"), office.reads("widgets")) == (1, 2)
    office.minutes = 10.0
    assert await office.current() == first
    assert office.reads(".github") == 2


async def test_an_organisation_without_that_repository_is_asked_once(office: Office) -> None:
    for _ in range(3):
        assert await office.current() == Current(RepoConfig())
    assert office.reads(".github") == 0
    minted = [r for r in office.github.requests if r.path.endswith("/access_tokens")]
    assert len(minted) == 2


def only_widgets(office: Office) -> None:
    office.installation.repositories = {office.widgets.id}


async def test_a_repository_that_the_app_is_not_installed_on_gives_no_defaults(office: Office) -> None:
    office.organisation("mode: shadow\n")
    only_widgets(office)
    for _ in range(2):
        assert await office.current() == Current(RepoConfig())


async def test_defaults_that_may_not_be_read_any_more_are_dropped(office: Office) -> None:
    office.organisation("mode: shadow\n")
    assert (await office.current()).config.mode == "shadow"
    assert await office.store.last_defaults("acme", office.installation.id) == "mode: shadow\n"
    only_widgets(office)
    office.defaults.forget("acme")
    assert (await office.current()).config.mode == "on"
    assert await office.store.last_defaults("acme", office.installation.id) is None


async def test_an_outage_is_no_answer_and_nothing_is_kept_of_it(office: Office) -> None:
    office.organisation("mode: shadow\n")
    fault = office.github.fail_next("GET", r"/repos/acme/\.github/contents/", 502, times=1000)
    with pytest.raises(Unavailable):
        await office.current()
    fault.method = "DELETE"  # nothing is asked like this
    assert (await office.current()).config.mode == "shadow"


async def test_defaults_that_may_not_be_read_for_a_while_hold_on(office: Office) -> None:
    office.organisation("mode: shadow\n")
    await office.current()
    office.defaults.forget("acme")
    office.github.fail_next("GET", r"/repos/acme/\.github/contents/", 451, message="Blocked for a while")
    found = await office.current()
    assert found.silent
    assert found.problems == ["`acme/.github`: `.github/planproof.yml` cannot be read"]
    assert await office.store.last_defaults("acme", office.installation.id) is not None


async def test_the_store_is_written_to_only_where_something_changed(office: Office) -> None:
    org = office.organisation("label: fix the plan\n")
    office.write("mode: shadow\n")
    for _ in range(3):
        await office.current()
        office.defaults.forget("acme")
    assert office.writes == ["save_config", "save_defaults"]
    office.write(None)
    office.write(None, org)
    for _ in range(3):
        await office.current()
        office.defaults.forget("acme")
    assert office.writes[2:] == ["drop_config", "drop_defaults"]


async def test_what_holds_says_whether_anything_is_posted_and_judged(office: Office) -> None:
    assert [(each.off, each.silent) for each in [await office.current()]] == [(False, False)]
    office.write("mode: shadow\n")
    assert [(each.off, each.silent) for each in [await office.current()]] == [(False, True)]
    office.write("mode: off\n")
    assert [(each.off, each.silent) for each in [await office.current()]] == [(True, False)]
    office.settings = office.settings.model_copy(update={"mode": "shadow"})
    assert [(each.off, each.silent) for each in [await office.current(), await office.known()]] == [(True, True)] * 2


@pytest.mark.parametrize("status", [403, 418, 502, "drop"])
async def test_when_something_failed_what_was_known_last_will_do(office: Office, status: int | str) -> None:
    office.organisation("label: fix the plan\nmodel: off\n")
    office.write("mode: shadow\n")
    assert (await office.known()).last is False
    office.github.fail_next("GET", rf"/contents/{CONFIG_PATH}$", cast(Any, status), times=1000)
    with pytest.raises(GitHubError):
        await office.current()
    found = await office.known()
    assert (found.config.mode, found.config.label, found.last, found.silent) == ("shadow", "fix the plan", True, True)
    assert found.inherited == {"label", "model"}


async def test_without_the_permission_to_read_it_the_last_one_that_was_read_holds(office: Office) -> None:
    office.write("mode: shadow\n")
    await office.current()
    del office.installation.permissions["contents"]
    office.github.revoke_tokens()
    found = await office.current()
    assert (found.config.mode, found.last) == ("shadow", True)


async def test_two_servers_in_one_process_share_no_defaults(office: Office) -> None:
    org = office.organisation("mode: shadow\n")
    assert (await office.current()).config.mode == "shadow"
    office.write("mode: on\n", org)
    office.defaults = Defaults()
    assert (await office.current()).config.mode == "on"
