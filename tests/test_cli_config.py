"""`planproof config check`, and what `.github/planproof.yml` of the judged tree does to `planproof verify`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import cli
from bot.repo_config import MAX_BYTES
from schemas.verify_report import VerifyReport
from tests.test_cli import GOOD, PLAN, Done, commit, git, planproof, process, repo, report_of, template  # noqa: F401

CONFIG = ".github/planproof.yml"
FLAWED = "docs/plans/greet.md"


def write(folder: Path, text: str) -> Path:
    path = folder / CONFIG
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# ---- config check -------------------------------------------------------------------------------


def test_a_valid_file_says_what_it_sets(repo: Path) -> None:  # noqa: F811
    write(repo, "check: plans\nplans: ['rfcs/*.md']\n")
    done = process("config", "check", cwd=repo)
    assert done == Done(0, ".github/planproof.yml is valid; it sets plans, check\n", "")
    write(repo, "# nothing\n")
    assert planproof("config", "check", cwd=repo) == Done(0, ".github/planproof.yml is valid; it sets nothing\n", "")


def test_each_error_is_a_line_with_its_place_and_each_note_goes_to_stderr(repo: Path) -> None:  # noqa: F811
    path = write(repo, "check: always\ncheck: plan\nseverity:\n  scope_gap: mayor\n")
    done = process("config", "check", cwd=repo)
    assert done == Done(
        1,
        ".github/planproof.yml:2: `check` stands twice; the first is on line 1\n"
        ".github/planproof.yml:2: `check`: expected one of always, plans; the nearest is `plans`\n"
        ".github/planproof.yml:4: `severity.scope_gap`: expected one of blocker, major, minor, advice;"
        " the nearest is `major`\n",
        "",
    )
    path.write_text("repair: off\n")
    assert planproof("config", "check", cwd=repo) == Done(
        0,
        ".github/planproof.yml is valid; it sets repair\n",
        ".github/planproof.yml:1: note: `repair` has no effect in this version\n",
    )


def test_a_file_may_be_named_and_the_work_tree_s_is_found_from_below(repo: Path, tmp_path: Path) -> None:  # noqa: F811
    path = write(repo, "mode: shadow\n")
    (tmp_path / "other.yml").write_text("mode: of\n")
    done = planproof("config", "check", "other.yml", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == "other.yml:1: `mode`: expected one of off, shadow, on; the nearest is `off`\n"
    assert planproof("config", "check", cwd=repo / "docs").stdout == f"{path} is valid; it sets mode\n"


@pytest.mark.parametrize(
    ("given", "code", "says"),
    [
        (b"mode: off\n", 0, "<stdin> is valid; it sets mode\n"),
        (b"", 0, "<stdin> is valid; it sets nothing\n"),
        (b"mode: off\nplans: [", 1, "<stdin>:2: not valid YAML: did not find expected node content\n"),
        (b"\xff", 1, "<stdin>:1: the file is not UTF-8\n"),
        (b"#" * (MAX_BYTES + 5), 1, "<stdin>:1: the file is too large; at most 65,536 bytes are read\n"),
    ],
)
def test_a_dash_is_standard_input(given: bytes, code: int, says: str) -> None:
    done = CliRunner().invoke(cli, ["config", "check", "-"], input=given)
    assert (done.exit_code, done.stdout, done.stderr) == (code, says, "")


def test_what_cannot_be_read_exits_two(repo: Path, tmp_path: Path) -> None:  # noqa: F811
    absent = planproof("config", "check", cwd=repo)
    assert (absent.returncode, absent.stdout) == (2, "")
    assert absent.stderr == "Error: .github/planproof.yml cannot be read: No such file or directory\n"
    (tmp_path / "plain").mkdir()
    nowhere = planproof("config", "check", cwd=tmp_path / "plain")
    assert (nowhere.returncode, nowhere.stdout) == (2, "")
    assert nowhere.stderr.endswith("; name the file\n")
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    assert planproof("config", "check", cwd=tmp_path / "bare.git").returncode == 2
    write(repo, "mode: off\n")
    (tmp_path / "link.yml").symlink_to(repo / CONFIG)
    assert "is a symbolic link" in planproof("config", "check", str(tmp_path / "link.yml"), cwd=repo).stderr
    folder = planproof("config", "check", ".github", cwd=repo)
    assert (folder.returncode, folder.stderr) == (2, "Error: .github is not a regular file\n")
    assert planproof("config", "check", "a", "b", cwd=repo).returncode == 2


def test_a_file_cannot_steer_the_terminal(repo: Path) -> None:  # noqa: F811
    write(repo, '"\\e]0;owned\\a": 1\n')
    done = process("config", "check", cwd=repo)
    assert done.returncode == 1
    assert not {"\x1b", "\x07"} & set(done.stdout + done.stderr)


# ---- verify -------------------------------------------------------------------------------------


def verify(repo: Path, *arguments: str) -> Done:  # noqa: F811
    return planproof("verify", *arguments, "--format", "json", cwd=repo)


def reports(done: Done) -> dict[str, VerifyReport]:
    found = [VerifyReport.model_validate(json.loads(line)) for line in done.stdout.splitlines()]
    return {report.plan.path: report for report in found}


@pytest.fixture
def flawed(repo: Path) -> str:  # noqa: F811
    """The id of the one finding of the plan that the repository holds."""
    (finding,) = report_of(verify(repo, FLAWED)).gating
    return finding.id


def with_config(repo: Path, text: str | bytes, plan: str = PLAN) -> None:  # noqa: F811
    """The configuration is committed, and the plan after it, so that it is in the tree that its author saw."""
    commit(repo, {CONFIG: text})
    commit(repo, {FLAWED: plan.replace("hello", "hello again")})


def test_a_finding_that_the_judged_tree_ignores_no_longer_gates(repo: Path, flawed: str) -> None:  # noqa: F811
    with_config(repo, f"ignore: [{flawed}, f-000000]\n")
    done = verify(repo, FLAWED)
    report = report_of(done)
    assert (done.returncode, report.verdict, done.stderr) == (0, "clean", "")
    assert [(finding.id, finding.status) for finding in report.findings] == [(flawed, "dismissed")]


def test_a_list_of_a_later_tree_does_not_count(repo: Path, flawed: str) -> None:  # noqa: F811
    later = commit(repo, {CONFIG: f"ignore: [{flawed}]\n"})
    assert verify(repo, FLAWED).returncode == 1
    assert verify(repo, FLAWED, "--rev", later).returncode == 0
    (repo / FLAWED).write_text(PLAN + "\nMore.\n")
    # a plan that is not committed as it is is judged on the head
    assert verify(repo, FLAWED).returncode == 0
    write(repo, "ignore: []\n")
    assert verify(repo, FLAWED).returncode == 0


def test_a_severity_of_the_judged_tree_counts(repo: Path, flawed: str) -> None:  # noqa: F811
    with_config(repo, "severity: {missing_path: minor}\n")
    done = verify(repo, FLAWED)
    report = report_of(done)
    assert (done.returncode, report.verdict) == (0, "clean")
    assert [(f.severity, f.gating, f.status) for f in report.findings] == [("minor", False, "open")]
    with_config(repo, "severity: {missing_path: major}\n", PLAN + "\n")
    (finding,) = report_of(verify(repo, FLAWED, "--rev", "HEAD")).gating
    assert (finding.id, finding.severity) == (flawed, "major")


@pytest.mark.parametrize("gate", ["false", "{missing_path: false}"])
def test_what_does_not_gate_on_github_is_still_a_finding_here(repo: Path, gate: str) -> None:  # noqa: F811
    with_config(repo, f"gate: {gate}\n")
    done = verify(repo, FLAWED)
    assert (done.returncode, report_of(done).verdict) == (1, "needs_fix")
    assert len(report_of(done).gating) == 1


def test_each_plan_has_the_configuration_of_its_own_tree(repo: Path, flawed: str) -> None:  # noqa: F811
    with_config(repo, "plans: ['rfcs/*.md', 'docs/plans/*.md']\nignore: []\n")
    commit(repo, {CONFIG: "plans: ['rfcs/*.md', 'docs/plans/*.md']\nseverity: {missing_path: minor}\n"})
    commit(repo, {"rfcs/second.md": PLAN})
    done = verify(repo)
    found = reports(done)
    assert {path: report.verdict for path, report in found.items()} == {FLAWED: "needs_fix", "rfcs/second.md": "clean"}
    assert found[FLAWED].tree.rev != found["rfcs/second.md"].tree.rev
    assert done.returncode == 1


def test_a_broken_file_is_said_once_and_the_defaults_are_used(repo: Path, flawed: str) -> None:  # noqa: F811
    with_config(repo, f"ignore: [{flawed}]\nmodus: off\nseverity: {{missing_path: mino}}\n")
    commit(repo, {"docs/plans/second.md": PLAN})
    saw = git(repo, "rev-parse", "HEAD~2")[:12]
    done = verify(repo, FLAWED)
    assert (done.returncode, len(report_of(done).gating)) == (1, 1)
    unknown, wrong, instead = done.stderr.splitlines()
    assert unknown.startswith("note: .github/planproof.yml:2: `modus` is not a key here; the nearest is `mode`.")
    assert wrong.startswith("note: .github/planproof.yml:3: `severity.missing_path`: expected one of blocker, major,")
    assert instead == f"note: .github/planproof.yml at {saw} is not valid; the defaults are used"
    both = verify(repo, FLAWED, "docs/plans/second.md")
    assert (both.returncode, both.stderr) == (1, done.stderr)


def test_a_file_that_is_too_large_is_said(repo: Path) -> None:  # noqa: F811
    with_config(repo, b"#" * (MAX_BYTES + 1))
    assert verify(repo, FLAWED).stderr.startswith(
        "note: .github/planproof.yml:1: the file is too large; at most 65,536 bytes are read\n"
    )


def test_where_the_plans_are_is_asked_of_the_tree_that_is_named(repo: Path) -> None:  # noqa: F811
    commit(repo, {CONFIG: "plans: ['design/*.md']\n", "design/a.md": GOOD})
    first = git(repo, "rev-parse", "HEAD")
    commit(repo, {CONFIG: "plans: ['docs/plans/*.md']\n"})
    assert set(reports(verify(repo))) == {FLAWED}
    assert set(reports(verify(repo, "--rev", first))) == {"design/a.md"}
    assert set(reports(verify(repo, "--plan-rev", first))) == {"design/a.md"}
    assert set(reports(verify(repo, "--plan-rev", "HEAD"))) == {FLAWED}


def test_in_a_repository_without_a_commit_the_defaults_are_used(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "fresh")
    write(tmp_path / "fresh", "modus: off\n")
    (tmp_path / "fresh" / "PLAN.md").write_text(PLAN)
    done = verify(tmp_path / "fresh", "PLAN.md")
    assert (done.returncode, done.stderr) == (0, "")
