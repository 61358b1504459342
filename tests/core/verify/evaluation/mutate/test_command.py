"""`planproof eval mutate`, run as people and scripts run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import cli
from tests.core.verify.evaluation.mutate.conftest import PLAN, TEXT, TREE
from tests.git_repo import GitRepo, build_repo


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return build_repo(tmp_path / "gears", TREE, {PLAN: TEXT})


def test_a_plan_of_ones_own_repository_gives_a_table_and_an_exit_code(repo: GitRepo) -> None:
    done = CliRunner().invoke(cli, ["eval", "mutate", PLAN, "--repo", str(repo.path), "--plan-rev", "HEAD"])
    assert "defects seeded into 1 clean plans (seed 0)" in done.stdout
    assert "blocker and major" in done.stdout
    assert done.exit_code in (0, 1)


def test_the_plan_on_disk_is_taken_where_no_revision_is_named(repo: GitRepo) -> None:
    (repo.path / PLAN).parent.mkdir(parents=True, exist_ok=True)
    (repo.path / PLAN).write_text(TEXT)
    done = CliRunner().invoke(cli, ["eval", "mutate", str(repo.path / PLAN), "--format", "json"])
    assert json.loads(done.stdout)["plans"] == 1


def test_a_list_over_repositories_is_worked_off_until_enough_plans_were_clean(repo: GitRepo, tmp_path: Path) -> None:
    row = {"repo": str(repo.path), "plan": PLAN, "plan_rev": "main", "rev": "main~1"}
    rows = [{**row, "plan": "README.md"}, row, row]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    done = CliRunner().invoke(cli, ["eval", "mutate", "--list", str(path), "--limit", "1", "--format", "json"])
    answer = json.loads(done.stdout)
    assert answer["plans"] == 1
    assert [each["plan"] for each in answer["skipped"]] == ["README.md"]
    assert answer["total"]["seeded"] > 5


def test_the_same_command_prints_the_same_bytes(repo: GitRepo) -> None:
    arguments = ["eval", "mutate", PLAN, "--repo", str(repo.path), "--plan-rev", "HEAD", "--format", "json"]
    assert CliRunner().invoke(cli, arguments).stdout == CliRunner().invoke(cli, arguments).stdout


@pytest.mark.parametrize("line", ["{", "[]", '{"repo": "x"}'])
def test_a_broken_list_is_the_callers_mistake(tmp_path: Path, line: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f"\n{line}\n")
    done = CliRunner().invoke(cli, ["eval", "mutate", "--list", str(path)])
    assert done.exit_code == 2
    assert "rows.jsonl:2" in done.stderr


def test_a_plan_that_is_not_there_is_the_callers_mistake(repo: GitRepo) -> None:
    done = CliRunner().invoke(cli, ["eval", "mutate", "docs/no.md", "--repo", str(repo.path), "--plan-rev", "HEAD"])
    assert done.exit_code == 2


def test_a_list_and_plans_exclude_each_other(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["eval", "mutate", "a.md", "--list", str(tmp_path / "x")])
    assert done.exit_code == 2
