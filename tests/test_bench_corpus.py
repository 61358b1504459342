"""The corpus bench: what it reads, what it prints, and when it fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import corpus
from tests.git_repo import GitRepo, build_repo

PLAN = "# X Plan\n\n### Task 1: Work\n\n**Files:**\n- Modify: `src/store.py`\n"


@pytest.fixture
def made(tmp_path: Path) -> GitRepo:
    return build_repo(tmp_path / "r", {"src/store.py": "x"}, {"plans/a.md": PLAN, "plans/b.md": b"\xff"}, bare=True)


def write(made: GitRepo, tmp_path: Path, *plans: str) -> str:
    before = str(made.repo.revparse_single("main^").id)
    rows = [{"repo": str(made.path), "plan": plan, "plan_rev": made.head, "rev": before} for plan in plans]
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_each_plan_gets_a_verdict(made: GitRepo, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.jsonl"
    assert corpus.main([write(made, tmp_path, "plans/a.md", "plans/b.md"), "--out", str(out), "--limit", "60"]) == 0
    printed = capsys.readouterr().out
    assert "2 plans, 0 crashes, 0 over 60 s" in printed
    assert "| format | clean | not_verified | all |" in printed
    assert "not UTF-8" in printed
    reports = [json.loads(line)["report"] for line in out.read_text().splitlines()]
    assert [report["verdict"] for report in reports] == ["clean", "not_verified"]


def test_a_plan_that_is_not_there_is_a_crash(made: GitRepo, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert corpus.main([write(made, tmp_path, "plans/a.md", "plans/none.md")]) == 1
    assert "1 crashes" in capsys.readouterr().out


def test_a_plan_over_the_limit_fails(made: GitRepo, tmp_path: Path) -> None:
    assert corpus.main([write(made, tmp_path, "plans/a.md"), "--limit", "0"]) == 1


def test_an_empty_corpus_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("\n")
    with pytest.raises(SystemExit):
        corpus.main([str(tmp_path / "none.jsonl")])
