from __future__ import annotations

import pytest

from bot.core.verify.shell import Invocation, invocations, join, unwrap, writes


def argvs(text: str, cwd: str | None = "") -> list[tuple[str | None, ...]]:
    return [each.argv for each in invocations(text, cwd)]


def test_words_keep_their_quotes_content_and_lose_redirections() -> None:
    assert argvs("FOO=1 npm --prefix 'a b' run \"x:y\" 2>&1 > out.txt") == [("npm", "--prefix", "a b", "run", "x:y")]


def test_a_directory_is_carried_along_a_chain() -> None:
    first, second = invocations("cd web/app && npm run build")
    assert (first.cwd, second.cwd, second.moved) == ("", "web/app", True)


def test_a_directory_is_carried_along_when_the_end_of_the_chain_is_piped() -> None:
    assert [each.cwd for each in invocations("cd web && npm test 2>&1 | tail -5")] == ["", "web", "web"]


def test_a_subshell_keeps_its_directory_to_itself() -> None:
    assert [each.cwd for each in invocations("(cd web && npm test); make lint")] == ["", "web", ""]


def test_two_steps_up_and_down_end_where_they_lead() -> None:
    assert invocations("cd ../api && make", "services/web")[1].cwd == "services/api"


@pytest.mark.parametrize("where", ["$ROOT", "/srv/app", "~/src", "-", "../.."])
def test_a_directory_that_cannot_be_known_is_unknown_from_there_on(where: str) -> None:
    assert invocations(f"cd {where} && make test", "web")[1].cwd is None


def test_a_variable_makes_the_word_unknown() -> None:
    assert argvs("pytest tests/$NAME.py -q") == [("pytest", None, "-q")]


def test_a_placeholder_is_not_read_as_a_redirection() -> None:
    assert argvs("pytest tests/<name>.py -q") == [("pytest", None, "-q")]


def test_a_tolerated_failure_is_optional() -> None:
    assert [each.optional for each in invocations("make lint || true")] == [True, True]


@pytest.mark.parametrize("text", ["! make lint", "if make lint; then echo; fi", "while make x; do :; done"])
def test_a_condition_is_optional(text: str) -> None:
    assert invocations(text)[0].optional


def test_substitutions_and_functions_run_nothing_that_is_judged() -> None:
    assert argvs("echo $(make lint)") == [("echo", None)]
    assert argvs("f() { make lint; }") == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "(" * 4000,
        "cd a && " * 3000,
        "'" * 3999,
        "$(" * 190,
        "<" * 7000,
        "a" * 9000,
        "! " * 3900,
        "<<EOF\n" * 900,
        "make \ud800",
    ],
)
def test_hostile_text_gives_an_answer(text: str) -> None:
    assert isinstance(invocations(text), tuple)


@pytest.mark.parametrize(
    ("text", "argv", "cwd"),
    [
        ("env A=1 pytest t.py", ("pytest", "t.py"), ""),
        ("uv run --extra dev pytest t.py", ("pytest", "t.py"), ""),
        ("uv run --directory api pytest t.py", ("pytest", "t.py"), "api"),
        ("poetry -C api run pytest t.py", ("pytest", "t.py"), "api"),
        ("timeout 60 make test", ("make", "test"), ""),
        ("timeout -k 5 60 make test", ("make", "test"), ""),
        ("docker compose exec app pytest t.py", (), ""),
        ("uv sync", (), ""),
        ("$RUNNER pytest t.py", (), ""),
    ],
)
def test_wrappers_are_taken_off(text: str, argv: tuple[str, ...], cwd: str) -> None:
    inner = unwrap(invocations(text)[0])
    assert (inner.argv, inner.cwd) == (argv, cwd)


def test_what_commands_write_is_seen_from_the_root() -> None:
    text = "cd web && touch a.txt && cp ../x.cfg conf/y.cfg && git mv old.ts new.ts && echo hi > notes.md"
    assert [path for each in invocations(text) for path in writes(each)] == [
        "web/a.txt",
        "web/conf/y.cfg",
        "web/new.ts",
        "web/notes.md",
    ]


def test_join_never_leaves_the_repository() -> None:
    assert join("a", "../b") == "b"
    assert join("a", "../../b") is None
    assert join("", "..") is None
    assert join("a", ".") == "a"
    assert join("a", "..") == ""


def test_an_invocation_without_words_has_no_name() -> None:
    assert Invocation((), "").name is None


def test_an_absolute_directory_is_taken_where_it_can_be_told() -> None:
    found = invocations(
        "cd /home/ada/gears/web && npm test", resolve=lambda path: "web" if path.endswith("/web") else None
    )
    assert (found[1].cwd, found[1].moved) == ("web", True)
