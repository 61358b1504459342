"""What a comment asks for, who may ask it, and how much hostile text costs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import commands
from bot.commands import (
    CANCEL,
    CHECK,
    COMMANDS,
    DISMISS,
    DISPUTE,
    HELP,
    MAX_COMMANDS,
    MAX_REASON,
    STATUS,
    VERIFY,
    Asked,
    Command,
    Problem,
    Role,
    parse,
)

ASKED = (Asked(VERIFY, "verify"),)


def names(text: str) -> list[str]:
    return [asked.command.name if asked.command else str(asked.problem) for asked in parse(text)]


# ---- the table ---------------------------------------------------------------------------------
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_example_is_read_as_the_command_it_shows(command: Command) -> None:
    (asked,) = parse(command.example)
    assert asked.command is command
    assert asked.problem is None
    assert bool(asked.arguments) == bool(command.arguments)
    assert command.example.startswith(command.spoken)


def test_the_readme_section_has_a_row_for_every_command() -> None:
    rows = commands.readme_section().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == [command.usage for command in COMMANDS]
    assert {row.count(" | ") for row in rows} == {3}


def test_the_readme_holds_the_table() -> None:
    readme = Path(__file__).parent.parent / "README.md"
    assert commands.readme_section() in readme.read_text(encoding="utf-8")


# ---- who ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("permission", "role_name", "expected"),
    [
        ("none", "none", Role.NONE),
        ("read", "read", Role.READ),
        ("read", "triage", Role.TRIAGE),
        ("write", "write", Role.WRITE),
        ("write", "maintain", Role.MAINTAIN),
        ("admin", "admin", Role.ADMIN),
        ("read", None, Role.READ),
        ("write", None, Role.WRITE),
        ("write", "release manager", Role.WRITE),
        ("read", "security", Role.READ),
        # a custom role's name gives nothing that its permission does not
        ("read", "maintain", Role.READ),
        ("read", "admin", Role.READ),
        ("none", "triage", Role.NONE),
        ("write", "triage", Role.WRITE),
        ("admin", "read", Role.ADMIN),
        ("", None, Role.NONE),
        (None, None, Role.NONE),
        ("owner", "admin", Role.NONE),
    ],
)
def test_the_role_that_githubs_answer_stands_for(permission: str | None, role_name: str | None, expected: Role) -> None:
    assert commands.role(permission, role_name) is expected


def test_roles_are_ordered() -> None:
    assert sorted(Role) == [Role.NONE, Role.READ, Role.TRIAGE, Role.WRITE, Role.MAINTAIN, Role.ADMIN]


ASKING = (CHECK, VERIFY, DISPUTE, STATUS, HELP)


@pytest.mark.parametrize(
    ("role", "author", "expected"),
    [
        (Role.NONE, False, ()),
        (Role.READ, False, ()),
        (Role.TRIAGE, False, ASKING),
        (Role.NONE, True, ASKING),
        (Role.READ, True, ASKING),
        (Role.WRITE, False, COMMANDS),
        (Role.MAINTAIN, False, COMMANDS),
        (Role.ADMIN, True, COMMANDS),
    ],
)
def test_who_may_use_which(role: Role, author: bool, expected: tuple[Command, ...]) -> None:
    assert commands.open_to(role, author) == expected
    for command in COMMANDS:
        assert commands.allowed(command, role, author) is (command in expected)


# ---- where a command stands --------------------------------------------------------------------
@pytest.mark.parametrize(
    "text",
    [
        "/plan verify",
        "/Plan verify",
        "/PLAN verify",
        "   /plan verify",
        "/plan verify   ",
        "/plan   verify",
        "/plan\tverify",
        "/plan\xa0verify",
        "\xa0/plan verify",
        "/plan&nbsp;verify",
        "/plan verify.",
        "/plan verify!",
        "/plan verify …",
        "/plan **verify**",
        "/plan verify <!-- a note to myself -->",
        "/plan verify\r\nThank you.",
        "Please judge it again:\r\n/plan verify",
        "Please judge it again:  \n/plan verify",
        "Please judge it again:\n\n/plan verify\n\nI changed task 3.",
        "@octocat\n/plan verify",
        "<!-- the template's hint -->\n/plan verify",
        "<!--\n/plan cancel\n-->\n/plan verify",
        "# Later\n/plan verify",
        "| a |\n|---|\n| b |\n\n/plan verify",
        "1. first\n2. second\n\n/plan verify",
        # typed below a list without a blank line
        "- fixed task 3\n- fixed task 5\n/plan verify",
        "> is it right now?\n\n/plan verify",
        "```\n/plan cancel\n```\n/plan verify",
        "<details><summary>log</summary>\n\n/plan cancel\n\n</details>\n\n/plan verify",
        # a mail's signature, whose dashes make a heading of what is above them
        "/plan verify\n-- \nMona, sent by mail",
        "/plan verify\n\nOn Tue, 7 Jul 2026 at 10:12, planproof wrote:\n> /plan dismiss f-3a91c2 why\n> /plan cancel",
        "/plan verify\n\n> On Tue, 7 Jul 2026, Mona wrote:\n>\n> /plan cancel\n> > /plan help",
        "\ufeff/plan verify",
    ],
)
def test_a_command_at_the_start_of_a_line_is_read(text: str) -> None:
    assert commands.mentions(text)
    assert parse(text) == ASKED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing here",
        "a /plan verify",
        "@octocat /plan verify",
        "@planproof /plan verify",
        "Try `/plan verify`.",
        "`/plan verify`",
        "`\n/plan verify\n`",
        "``a\n/plan verify ` b``",
        "`a\n/plan verify`/plan cancel",
        "/planet",
        "/plans",
        "/plan/x",
        "/plan.md is missing",
        "/plan-b",
        "/plan-checks",
        "/plan-check.md is missing",
        "/planverify",
        "//plan verify",
        "\\/plan verify",
        "&#47;plan verify",
        "/pl\u200ban verify",
        "\u200b/plan verify",
        "/p<!-- -->lan verify",
        "> /plan verify",
        "> a\n> /plan verify",
        "> a\n/plan verify",
        ">/plan verify",
        "> > /plan verify",
        "> - /plan verify",
        "> [!NOTE]\n> /plan verify",
        "On Tue, Mona wrote:\n> hello\n> /plan verify",
        "```\n/plan verify\n```",
        "```\n/plan verify",
        "~~~\n/plan verify\n~~~",
        "~~~\n```\n/plan verify\n```\n/plan verify\n~~~",
        "````md\n```\n/plan verify\n```\n/plan verify\n````",
        "```sh\n> /plan verify\n```",
        "    /plan verify",
        "\t/plan verify",
        "text\n    /plan verify",
        "- /plan verify",
        "* /plan verify",
        "1. /plan verify",
        "- [ ] /plan verify",
        "- a\n  /plan verify",
        "- a\n\n  /plan verify",
        "-\n  /plan verify",
        "# /plan verify",
        "| /plan verify |\n|---|\n| /plan verify |",
        "/plan verify | b\n---|---\n/plan verify | c",
        "[/plan verify](https://example.org)",
        "[see\n/plan verify\n](https://example.org)",
        "[![x\n/plan verify](https://example.org)](https://example.org)",
        '[see](https://example.org "\n/plan verify\n")',
        "[see]: </plan verify>",
        "<https://example.org/plan>",
        "~~a\n/plan verify~~",
        "<!-- /plan verify -->",
        "<!--\n/plan verify\n-->",
        "<!--\n\n/plan verify\n\n-->",
        "a <!--\n/plan verify\n--> b",
        "<!-- note --> /plan verify",
        "<div>\n/plan verify\n</div>",
        "<pre>\n\n/plan verify\n</pre>",
        "<details>\n/plan verify\n</details>",
        "<details>\n<summary>log</summary>\n\n/plan verify\n\n</details>",
        "<details open>\n\n<details>\n\n</details>\n\n/plan verify\n\n</details>",
        "<blockquote>\n\n/plan verify\n\n</blockquote>",
    ],
)
def test_what_is_no_command(text: str) -> None:
    assert parse(text) == ()


def test_several_commands_are_read_in_order() -> None:
    assert names("/plan cancel\n/plan verify\n\ntext\n\n/plan status") == ["cancel", "verify", "status"]


def test_five_commands_are_read_and_more_are_told() -> None:
    five = "\n".join(["/plan status"] * MAX_COMMANDS)
    assert names(five) == ["status"] * 5
    assert names(f"{five}\n/plan verify\n/plan cancel") == ["status"] * 5 + ["too_many"]


def test_the_case_of_a_command_does_not_matter() -> None:
    assert parse("/Plan Verify") == (Asked(VERIFY, "Verify"),)
    assert parse("/PLAN STATUS") == (Asked(STATUS, "STATUS"),)


def test_the_alias_of_check() -> None:
    assert parse("/plan-check") == (Asked(CHECK, "check"),)
    assert parse("/Plan-Check !") == (Asked(CHECK, "check"),)
    assert parse("/plan-check this") == (Asked(CHECK, "check", ("this",), Problem.SURPLUS),)


# ---- arguments ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "given",
    ["f-3a91c2", "F-3A91C2", "`f-3a91c2`", "`F-3a91C2`", "f-3a91c2:", "`f-3a91c2`,", "**f-3a91c2**", "[f-3a91c2](#a)"],
)
def test_a_findings_id_as_people_write_it(given: str) -> None:
    assert parse(f"/plan dismiss {given} it is generated") == (
        Asked(DISMISS, "dismiss", ("f-3a91c2", "it is generated")),
    )


def test_an_id_has_six_to_twelve_digits() -> None:
    assert parse("/plan dispute f-0123456789ab why")[0].arguments == ("f-0123456789ab", "why")
    for wrong in (
        "f-3a91c",
        "f-0123456789abc",
        "f-3a91cg",
        "3a91c2",
        "f3a91c2",
        "ID",
        "`f-3a91c2",
        "f-3a91c2,f-77d0aa",
    ):
        assert parse(f"/plan dispute {wrong} why") == (Asked(DISPUTE, "dispute", (wrong,), Problem.BAD_ID),)


def test_a_reason_is_what_a_reader_sees_of_the_line() -> None:
    said = "/plan dismiss f-3a91c2   the `dist/` folder \u202eis\u200b\u00ad built <!-- not this --> by\t**make**  "
    assert parse(f"{said}\nnor this")[0].arguments == ("f-3a91c2", "the `dist/` folder is built by make")


def test_a_path_in_a_reason_stays_whole() -> None:
    said = "/plan dismiss f-3a91c2 src/__init__.py and src/**/*.ts exist"
    assert parse(said)[0].arguments == ("f-3a91c2", "src/__init__.py and src/**/*.ts exist")


def test_a_long_reason_is_cut() -> None:
    asked = parse(f"/plan dismiss f-3a91c2 {'word ' * 400}")[0]
    assert asked.problem is None
    assert len(asked.arguments[1]) <= MAX_REASON
    assert asked.arguments[1].endswith("word…")


@pytest.mark.parametrize("command", [DISMISS, DISPUTE], ids=lambda command: command.name)
def test_an_id_and_a_reason_are_needed(command: Command) -> None:
    name = command.name
    assert parse(f"/plan {name}") == (Asked(command, name, (), Problem.MISSING_ID),)
    assert parse(f"/plan {name.title()}:") == (Asked(command, name.title(), (), Problem.MISSING_ID),)
    missing = (Asked(command, name, ("f-3a91c2",), Problem.MISSING_REASON),)
    assert parse(f"/plan {name} F-3A91C2") == missing
    assert parse(f"/plan {name} f-3a91c2 <!-- -->") == missing
    assert parse(f"/plan {name} f-3a91c2 \u200b\u200b") == missing


@pytest.mark.parametrize("command", [CHECK, VERIFY, STATUS, CANCEL, HELP], ids=lambda command: command.name)
def test_a_command_that_takes_nothing_says_so(command: Command) -> None:
    assert parse(f"/plan {command.name} docs/plans/a.md please.") == (
        Asked(command, command.name, ("docs/plans/a.md please.",), Problem.SURPLUS),
    )


@pytest.mark.parametrize(
    ("word", "nearest"),
    [
        ("verfy", VERIFY),
        ("Verifiy", VERIFY),
        ("re-verify", VERIFY),
        ("recheck", CHECK),
        ("dismis", DISMISS),
        ("stats", STATUS),
        ("canel", CANCEL),
        ("`verify`", VERIFY),
        ("write", None),
        ("repair", None),
        ("für", None),
        ("/etc/passwd", None),
    ],
)
def test_an_unknown_word_and_the_nearest_command(word: str, nearest: Command | None) -> None:
    assert parse(f"/plan {word} now") == (Asked(None, word, (), Problem.UNKNOWN, nearest),)


def test_an_unknown_word_is_cut() -> None:
    (asked,) = parse("/plan " + "x" * 5_000)
    assert asked.word == "x" * 59 + "…"
    assert asked.nearest is None


@pytest.mark.parametrize("text", ["/plan", "/plan  ", "/Plan\n", "/plan ...", "/plan <!-- verify -->"])
def test_plan_alone_asks_for_nothing(text: str) -> None:
    assert parse(text) == (Asked(None, "", (), Problem.NO_WORD),)


# ---- cheap questions ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/plan help", True),
        ("/plan status\n/plan cancel", True),
        ("/plan verfy\n/plan help", True),
        ("/plan dismiss f-3a91c2", True),
        ("/plan cancel\n/plan verify", True),
        ("/plan verify\n/plan cancel", True),
        ("/plan cancel all\n/plan verify", False),
        ("/plan check", False),
        ("/plan-check", False),
        ("/plan dismiss f-3a91c2 why", False),
        ("/plan dispute f-3a91c2 why", False),
        ("> /plan verify\n\n/plan status", True),
        ("\n".join(["/plan help"] * 9), True),
    ],
)
def test_what_need_not_wait_for_a_running_job(text: str, expected: bool) -> None:
    assert commands.urgent(text) is expected


def test_a_text_without_the_word_is_not_looked_at() -> None:
    assert not commands.mentions("I have a plan, and a / too")
    assert not commands.mentions("see docs/PLANS.md and\n- `docs/plans/x.md`, or\n> /plan verify")
    assert not commands.mentions("    /plan verify")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("before", ["", "   ", "\xa0", " \xa0 "])
def test_a_line_that_begins_like_a_command_is_looked_at(end: str, before: str) -> None:
    assert commands.mentions(f"Thanks.{end}{before}/PLAN verify{end}")
    assert commands.mentions(f"\ufeff{before}/plan")


PIECES = [
    *" \xa0\t\n\r\ufeff\0\ud800\u2028\x0b\x0c\x85`>-*#|[<",
    "\r\n",
    "/plan",
    "/PLAN verify",
    "/plan help",
    "&nbsp;",
    "x",
]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_what_is_read_was_looked_at(text: str) -> None:
    asked = parse(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commands, "mentions", lambda _: True)
        assert parse(text) == asked


# ---- hostile text ------------------------------------------------------------------------------
SIZE = 65_536


@pytest.mark.parametrize(
    "text",
    [
        "/" * SIZE,
        "/plan" * (SIZE // 5),
        "/plan " * (SIZE // 6),
        "/planx\n" * (SIZE // 7),
        "/plan [a](b)x\n" * (SIZE // 14),
        "[a](b)" * (SIZE // 12) + "[\n" + "/plan x\n" * (SIZE // 16) + "](b)",
        "/plan" + " " * (SIZE - 6) + "x",
        "/plan dismiss f-3a91c2 " + "x\u200b" * (SIZE // 2),
        "/plan dismiss " + "`" * (SIZE - 14),
        "> " * (SIZE // 2 - 10) + "/plan verify",
        ">" * 200 + "/plan verify\n" + "> \n" * (SIZE // 4),
        "- " * (SIZE // 2 - 10) + "/plan verify",
        "<details>\n\n" * (SIZE // 11),
        "<!--" * (SIZE // 4),
        "`\n/plan x\n" * (SIZE // 10),
        "~~a\n/plan verify\n" * (SIZE // 17),
        "[" * (SIZE - 20) + "\n/plan verify",
        "*_" * (SIZE // 2 - 10) + "\n/planx",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_hostile_text_costs_little(text: str) -> None:
    assert len(parse(text)) <= MAX_COMMANDS + 1


def test_what_is_beyond_githubs_limit_is_not_read() -> None:
    assert parse("x" * SIZE + "\n\n/plan verify") == ()


def test_lone_surrogates_and_nul_are_no_obstacle() -> None:
    assert names("/plan verify\n\ud800 \0") == ["verify"]
