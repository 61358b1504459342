from __future__ import annotations

import pytest

from tests.core.verify.conftest import files, run
from tests.core.verify.targets.conftest import Aims

TOX = {
    "tox.ini": "[tox]\nenvlist =\n    py3{11,12}-{fast,slow}\n    lint  # style\n[testenv]\ndeps =\n    slow: extra\n"
    "[testenv:docs]\ncommands = sphinx\n[testenv:{build,ship}-wheel]\ncommands = x\n"
}
NOX = {
    "noxfile.py": "import nox\n\n\n@nox.session(python=['3.11'])\ndef tests(session):\n    session.run('pytest')\n\n\n"
    "@nox.session(name='type-check')\ndef types(session):\n    pass\n"
}
PYPROJECT = {"pyproject.toml": '[tool.tox]\nenv_list = ["3.12", "lint"]\n[tool.tox.env.docs]\ncommands = []\n'}


@pytest.mark.parametrize(
    ("tree", "command", "subject", "suggestion"),
    [
        (TOX, "tox -e lnit", "lnit", "lint"),
        (TOX, "tox run -e py312-fast,doc", "doc", "docs"),
        (TOX, "tox -e py312-quick -- -k none", "py312-quick", None),
        (PYPROJECT, "tox -e lints", "lints", "lint"),
        (NOX, "nox -s test", "test", "tests"),
        (NOX, "nox --session tests typecheck", "typecheck", None),
    ],
)
def test_an_environment_that_is_not_there_is_reported(
    aims: Aims, tree: dict[str, str], command: str, subject: str, suggestion: str | None
) -> None:
    found = aims(tree, command)
    assert [each[0] for each in found] == [subject]
    assert suggestion in (None, found[0][1])


@pytest.mark.parametrize(
    ("tree", "command"),
    [
        (TOX, "tox"),
        (TOX, "tox -e py312-slow"),
        (TOX, "tox -e py313-fast"),
        (TOX, "tox -e docs,lint,ship-wheel"),
        (TOX, "tox -e py -- none"),
        (TOX, "tox -c other.ini -e none"),
        (TOX, "tox -e $ENV"),
        (TOX, "! tox -e none"),
        (PYPROJECT, "tox -e 3.12,docs"),
        ({}, "tox -e none"),
        ({"setup.cfg": "[flake8]\nmax-line-length = 100\n"}, "tox -e none"),
        (NOX, "nox"),
        (NOX, "nox -s tests-3.11 type-check"),
        (NOX, "nox -s 'tests(a=1)'"),
        (NOX, "nox -f other.py -s none"),
        (NOX, "nox --list"),
    ],
)
def test_environments_and_what_cannot_be_known_are_not(aims: Aims, tree: dict[str, str], command: str) -> None:
    assert aims(tree, command) == []


def test_an_environment_that_the_plan_adds_is_there(aims: Aims) -> None:
    assert aims(TOX, files("Modify: `tox.ini`"), "tox -e perf") == []
    assert aims(TOX, run("tox -e perf") + "\n```ini\n[testenv:perf]\n```\n") == []
    assert aims(NOX, run("nox -s perf") + "\n```python\ndef perf(session):\n    pass\n```\n") == []


@pytest.mark.parametrize(
    "text", ["[tox]\nenvlist = {[base]envs}\n", "[tox]\nenvlist = {env:ENVS:py}\n", "[tox\nenvlist = py\n"]
)
def test_computed_environments_are_said(aims: Aims, text: str) -> None:
    assert "tox.ini" in aims.notes({"tox.ini": text}, "tox -e none")


@pytest.mark.parametrize(
    "line", ["from shared import *", "for name in NAMES:\n    pass", "nox.session(run, name=NAME)"]
)
def test_computed_sessions_are_said(aims: Aims, line: str) -> None:
    assert "noxfile.py" in aims.notes({"noxfile.py": f"import nox\n{line}\n"}, "nox -s none")
