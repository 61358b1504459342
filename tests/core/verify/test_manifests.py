from __future__ import annotations

import pytest

from schemas.verify_report import FindingType
from tests.core.verify.conftest import Bench, files, plan

PREMISE = FindingType.FALSE_PREMISE
TREE = {
    "pyproject.toml": '[project]\nname = "gears"\nrequires-python = ">=3.11"\n'
    'dependencies = ["PyYAML>=6", "typing_extensions"]\n[dependency-groups]\ndev = ["pytest"]\n',
    "package.json": '{"scripts": {"build": "x", "lint:fix": "y"},\n"dependencies": {"react": "^19.1.0", "zod": "*"},\n'
    '"devDependencies": {"@gears/teeth": "workspace:*"}}\n',
    "web/package.json": '{"scripts": {"dev": "vite"}, "dependencies": {"ws": "8.0.0"}}\n',
    "go.mod": "module git.corp/gears\n\ngo 1.23.4\n\nrequire git.corp/belt/v2 v2.0.1\n",
    "uv.lock": '[[package]]\nname = "anyio"\n',
    "src/gears/wheel.py": "",
}


@pytest.mark.parametrize(
    ("sentence", "subject", "path"),
    [
        ("`pydantic` is already a dependency.", "pydantic", "package.json"),
        ("`pydantic` (already a runtime dependency) checks the input.", "pydantic", "package.json"),
        ("- `pydantic[email]>=2` is already in `pyproject.toml`", "pydantic[email]>=2", "pyproject.toml"),
        ("Use the existing `chalk` npm dependency.", "chalk", "package.json"),
        ("Parses with `@gears/cogs` (already in `package.json`).", "@gears/cogs", "package.json"),
        ("It uses `git.corp/chain/v3` — already in go.mod.", "git.corp/chain/v3", "go.mod"),
        ("`package.json` already has the `lint` script.", "lint", "package.json"),
        ("`web/package.json` currently defines a `test` script", "test", "web/package.json"),
        ("Reuse the existing `npm run typecheck` script.", "typecheck", "package.json"),
        ("`requires-python` is `>=3.12`, so generics are fine.", ">=3.12", "pyproject.toml"),
        ("The page uses React 18 (`package.json`).", "React", "package.json"),
        ("`package.json` already has the script `lint`; keep it.", "lint", "package.json"),
        ("The script `typecheck` of `web/package.json` stays as it is.", "typecheck", "web/package.json"),
        ("`package.json` pins `react` at `26.1.0`, which is enough.", "react", "package.json"),
        ("`ws` is pinned at `7.5.1` in `web/package.json`.", "ws", "web/package.json"),
        ("`github.com/corp/chain/wheel` is already in `go.mod`.", "github.com/corp/chain/wheel", "go.mod"),
        ("`ajv` is already in the dependencies of `package.json`.", "ajv", "package.json"),
        ("No new dependency: `ajv` is already in `package.json`.", "ajv", "package.json"),
        (
            "`attrs` is already a dependency in `pyproject.toml`, so nothing has to be installed.",
            "attrs",
            "pyproject.toml",
        ),
        ("**Tech Stack:** Go 1.21 (per `go.mod`), nothing else.", "Go", "go.mod"),
    ],
)
def test_what_the_manifest_denies_is_reported(bench: Bench, sentence: str, subject: str, path: str) -> None:
    (finding,) = bench.findings(TREE, plan(f"Some words.\n\n{sentence}\n"), PREMISE)
    assert (finding.subject, finding.evidence[0].path, finding.gating) == (subject, path, True)


@pytest.mark.parametrize(
    "sentence",
    [
        "`pyyaml` is already a dependency.",
        "`yaml` is already a dependency.",
        "`typing-extensions` is already in `pyproject.toml`.",
        "`pytest` is already a dev dependency.",
        "`anyio` is already a dependency.",
        "`@gears/teeth` is already in `package.json`.",
        "`git.corp/belt/v2` (already in go.mod)",
        "`ws` is already in `package.json`.",
        "`wheel` is already a dependency of the axle.",
        "`WheelService` is already a dependency of `Axle`.",
        "`asyncio` is already a dependency.",
        "`pydantic` is not already a dependency.",
        "If `pydantic` is already a dependency, skip this.",
        "Check whether `pydantic` is already in `pyproject.toml`.",
        "`pydantic` should already be a dependency once Task 1 is done.",
        "`pydantic` is already a transitive dependency.",
        "`pydantic` is already a dependency of the other repo.",
        "`pydantic` is a dependency.",
        "`pydantic` is already in `Cargo.toml`.",
        "`package.json` already has the `build` script.",
        "`package.json` already has the `dev` script.",
        "`package.json` has no `lint` script.",
        "The existing `wheel.py` script turns it.",
        "`requires-python` is `>=3.11`.",
        "Set `requires-python` to `>=3.12`.",
        "The page uses React 19 (`package.json`).",
        "The page uses Zod 3 (`package.json`).",
        "The page uses Vue 3 (`package.json`).",
        "Move to React 18 (`package.json`).",
        '"`pydantic` is already a dependency."',
        "**Tech Stack:** Go 1.23 (per `go.mod`).",
        "**Tech Stack:** Go 1.24+ (`go.mod`).",
        "`package.json` pins `react` at `19.0.0`.",
        "`package.json` pins `vue` at `3.0.0`.",
        "`git.corp/belt/v2/teeth` is already in `go.mod`.",
        "`git.corp/gears/teeth` is already in `go.mod`.",
        "Raise it to Go 1.24 (`go.mod`).",
        "The script `build` of `package.json` stays as it is.",
        "The script `wheel` of `package.json` is added.",
        "No new dependency is needed unless `ajv` is already in `package.json`.",
    ],
)
def test_what_is_there_or_is_no_statement_is_not(bench: Bench, sentence: str) -> None:
    assert bench.findings(TREE, plan(f"Some words.\n\n{sentence}\n"), PREMISE) == ()


def test_a_statement_in_a_fence_is_an_example(bench: Bench) -> None:
    assert bench.findings(TREE, plan("```text\n`pydantic` is already a dependency.\n```\n"), PREMISE) == ()


def test_after_a_task_that_changes_a_manifest_only_what_nothing_else_speaks_of_is_denied(bench: Bench) -> None:
    said = "Some words.\n\n`pydantic` is already a dependency.\n"
    named = files("Modify: `pyproject.toml` (pydantic among the rest)")
    assert bench.findings(TREE, plan(named, said), PREMISE) == ()
    assert bench.findings(TREE, plan(named + said), PREMISE) == ()
    change = files("Modify: `pyproject.toml`")
    for tasks in ((change, said), (change + said,), (said, change)):
        assert len(bench.findings(TREE, plan(*tasks), PREMISE)) == 1


def test_a_manifest_that_came_before_the_plan_leaves_it_open(bench: Bench) -> None:
    text = plan("Some words.\n\n`pydantic` is already a dependency.\n")
    assert bench.findings(TREE, text, PREMISE, known_added=frozenset({"pyproject.toml"})) == ()


def test_in_a_plan_of_several_repositories_the_task_says_whose_manifest_is_meant(bench: Bench) -> None:
    said = "`pydantic` is already a dependency.\n"
    several = "This is a cross-repo change.\n"
    work = files("Modify: `src/gears/wheel.py`")
    assert bench.findings(TREE, plan(several, said), PREMISE) == ()
    assert len(bench.findings(TREE, plan(several, work + said), PREMISE)) == 1
    assert bench.findings(TREE, plan(several, work + "In the belt repository, " + said), PREMISE) == ()
    assert bench.findings(TREE, plan(several, "**Repo:** `corp/belt`\n\n" + work + said), PREMISE) == ()


def test_what_the_plan_installs_is_there(bench: Bench) -> None:
    text = plan("Run: `uv add pydantic`\n", "Some words.\n\n`pydantic` is already a dependency.\n")
    assert bench.findings(TREE, text, PREMISE) == ()


def test_a_lock_file_that_cannot_be_read_leaves_it_open_and_says_so(bench: Bench) -> None:
    report = bench.report(
        {**TREE, "uv.lock": "x" * 5_000}, plan("Some words.\n\n`pydantic` is already a dependency.\n"), max_blob=4_000
    )
    assert report.findings == ()
    assert any("uv.lock" in (check.reason or "") for check in report.checks if check.name == "false_premise")


def test_without_manifests_there_is_nothing_to_say(bench: Bench) -> None:
    assert bench.findings({}, plan("Some words.\n\n`pydantic` is already a dependency.\n"), PREMISE) == ()
