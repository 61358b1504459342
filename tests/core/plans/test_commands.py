from __future__ import annotations

import pytest

from bot.core.plans.commands import expectation, lines
from bot.core.plans.model import Expect
from tests.core.plans.reading import plan


def commands(body: str) -> list[tuple[str, str | None]]:
    return [(text, cwd) for text, _, _, cwd in lines(body, 1)]


def test_the_directory_is_carried_from_line_to_line() -> None:
    assert commands("cd web && npm ci\nnpm test\ncd ..\nmake\ncd /tmp/x\nls\n") == [
        ("cd web && npm ci", ""),
        ("npm test", "web"),
        ("cd ..", "web"),
        ("make", ""),
        ("cd /tmp/x", ""),
        ("ls", None),
    ]


def test_a_subshell_moves_nothing() -> None:
    assert commands("(cd web && npm test)\nmake\n")[1] == ("make", "")


def test_comments_prompts_continuations_and_documents() -> None:
    assert commands("# set up\n$ pytest \\\n  -q\nsome output\n$ ls\n") == [("pytest -q", ""), ("ls", "")]
    assert commands("cat > a.txt <<'EOF'\nrm -rf /\nEOF\nls\n") == [("cat > a.txt <<'EOF'", ""), ("ls", "")]
    assert commands('git commit -m "one\n\ntwo"\nls\n') == [('git commit -m "one\n\ntwo"', ""), ("ls", "")]


def test_lines_of_the_document_are_kept() -> None:
    assert [(first, last) for _, first, last, _ in lines("a\n\nb \\\nc\n", 10)] == [(10, 10), (12, 13)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FAIL with ImportError", Expect.FAIL),
        ("PASS", Expect.PASS),
        ("all tests pass, no failures", Expect.PASS),
        ("no errors", Expect.PASS),
        ("0 failed, 3 passed", Expect.PASS),
        ("exit code 1", Expect.FAIL),
        ("no output", Expect.PASS),
        ("the list of things", Expect.UNKNOWN),
    ],
)
def test_expectations(text: str, expected: Expect) -> None:
    assert expectation(text) is expected


def test_run_followed_by_a_fence_and_its_expectation() -> None:
    found = plan("### Task 1: x\n\nRun:\n\n```\npytest tests/a.py\n```\n\nExpected: FAIL\n")
    assert [(c.text, c.expects, c.span.first) for c in found.tasks[0].commands] == [
        ("pytest tests/a.py", Expect.FAIL, 6)
    ]


def test_only_the_last_of_several_commands_is_expected_to_fail() -> None:
    found = plan("### Task 1: x\n\n```bash\nmake build\npytest a.py\n```\nExpected: FAIL\n")
    assert [c.expects for c in found.tasks[0].commands] == [Expect.UNKNOWN, Expect.FAIL]


def test_a_step_that_verifies_failure_says_so_in_its_title() -> None:
    found = plan("### Task 1: x\n\n- [ ] **Step 2: Run the test to verify it fails**\n\n```bash\npytest a.py\n```\n")
    assert [c.expects for c in found.tasks[0].commands] == [Expect.FAIL]


def test_a_script_shown_in_a_fence_is_not_run() -> None:
    found = plan("### Task 1: x\n\n```bash\n#!/bin/sh\nls\n```\n\n```bash\nrun() {\n ls\n}\n```\n")
    assert found.tasks[0].commands == ()


def test_other_languages_are_no_commands() -> None:
    assert plan("### Task 1: x\n\n```python\nimport a\n```\n\n```\ntext\n```\n").tasks[0].commands == ()


def test_two_commands_after_one_run() -> None:
    found = plan("### Task 1: x\n\nRun: `npm run build` and `npm test`\n")
    assert [c.text for c in found.tasks[0].commands] == ["npm run build", "npm test"]


@pytest.mark.parametrize(
    ("said", "commands"),
    [
        ("- [ ] 1.3 Check the types with `npm run typecheck`", ["npm run typecheck"]),
        ("- [ ] 1.4 Build and pack using `make package`", ["make package"]),
        ("- [ ] T007 Verify the page by `npx vitest run a.test.ts`", ["npx vitest run a.test.ts"]),
        ("- [ ] 1.5 Replace `npm run lint` with `make lint`", []),
        ("- [ ] 1.6 Check the types with `Wheel`", []),
        ("- [ ] 1.7 Build the page. Start it with `npm start`", []),
    ],
)
def test_what_a_line_checks_or_builds_with_is_its_command(said: str, commands: list[str]) -> None:
    found = plan(f"### Task 1: x\n\n{said}\n")
    assert [command.text for command in found.tasks[0].commands] == commands
