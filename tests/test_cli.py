"""The command line, run as people and scripts run it."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import jsonschema_rs
import pytest
from click.testing import CliRunner

from bot.cli import cli
from bot.terminal.render.verify import to_markdown
from schemas.plan_check_result import PlanCheckResult
from schemas.verify_report import VerifyReport
from tests.lookalike.fixtures import new_key_pair

SCHEMAS = Path(__file__).parents[1] / "schemas"
IDENTITY = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a"}
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "PYTHONPATH": str(SCHEMAS.parent),
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_COMMITTER_EMAIL": "a@example.com",
    "LC_ALL": "C.UTF-8",
    **IDENTITY,
}

PLAN = """# Greeter Implementation Plan

### Task 1: Greet

**Files:**
- Modify: `src/greet.py`
- Create: `src/farewell.py`

- [ ] **Step 1: Say hello**

### Task 2: Tidy

**Files:**
- Modify: `src/gret.py`

- [ ] **Step 1: Tidy**
"""
GOOD = PLAN.replace("src/gret.py", "src/farewell.py")
INDEX = """updated: 2026-07-06
capabilities:
- {id: capability.test.greeting, name: Greeting people, summary: Says hello, owner: greeter, vector: D4/A4}
"""


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


def planproof(*arguments: str, cwd: Path, env: dict[str, str] | None = None) -> Done:
    """One run of the command in this process, which is what it does in its own, but faster."""
    with contextlib.chdir(cwd):
        done = CliRunner().invoke(cli, arguments, prog_name="planproof", env={"COLUMNS": "200"} | (env or {}))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Done(done.exit_code, done.stdout, done.stderr)


def process(*arguments: str, cwd: Path) -> Done:
    """One run of the command as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "bot.cli", *arguments],
        cwd=cwd,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def git(cwd: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=cwd, env=ENVIRONMENT, check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(repo: Path, files: Mapping[str, str | bytes], message: str = "change") -> str:
    for name, text in files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--allow-empty", "-m", message)
    return git(repo, "rev-parse", "HEAD")


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Code in one commit, a plan with a wrong path in the next."""
    root = tmp_path_factory.mktemp("template") / "greeter"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    commit(root, {"src/greet.py": "def hello(): ...\n"})
    commit(root, {"docs/plans/greet.md": PLAN})
    return root


@pytest.fixture
def repo(template: Path, tmp_path: Path) -> Path:
    """A copy of the template to change."""
    return Path(shutil.copytree(template, tmp_path / "greeter", symlinks=True))


def report_of(done: Done) -> VerifyReport:
    document = json.loads(done.stdout)
    jsonschema_rs.validator_for(json.loads((SCHEMAS / "verify-report.schema.json").read_text())).validate(document)
    return VerifyReport.model_validate(document)


# --- verify


def test_a_flawed_plan_exits_one_and_its_json_names_the_defect(repo: Path) -> None:
    done = process("verify", "docs/plans/greet.md", "--format", "json", "--no-llm", cwd=repo)
    report = report_of(done)
    assert (done.returncode, done.stderr, report.verdict) == (1, "", "needs_fix")
    (finding,) = report.gating
    assert (finding.type, finding.plan_line, finding.subject) == ("missing_path", 14, "src/gret.py")
    assert report.plan.path == "docs/plans/greet.md"
    assert report.tree.rev == git(repo, "rev-parse", "HEAD~")
    assert report.seconds > 0


def test_a_plan_repaired_on_disk_is_clean_before_it_is_committed(repo: Path) -> None:
    (repo / "docs/plans/greet.md").write_text(GOOD)
    done = planproof("verify", "docs/plans/greet.md", "--format", "json", cwd=repo)
    assert (done.returncode, report_of(done).verdict) == (0, "clean")


def test_a_plan_never_committed_is_judged_on_the_head(repo: Path) -> None:
    (repo / "draft.md").write_text(PLAN)
    done = planproof("verify", "draft.md", "--format", "json", cwd=repo)
    assert (done.returncode, report_of(done).tree.rev) == (1, git(repo, "rev-parse", "HEAD"))


def test_the_plan_is_found_from_another_folder_too(repo: Path, tmp_path: Path) -> None:
    assert planproof("verify", "greet.md", cwd=repo / "docs" / "plans").returncode == 1
    assert planproof("verify", str(repo / "docs/plans/greet.md"), cwd=tmp_path).returncode == 1
    assert planproof("verify", "docs/plans/greet.md", "--repo", str(repo), cwd=tmp_path).returncode == 1


def test_rev_names_the_tree_to_judge_on(repo: Path) -> None:
    head = commit(repo, {"src/gret.py": ""})
    done = planproof("verify", "docs/plans/greet.md", "--rev", "HEAD", "--format", "json", cwd=repo)
    assert (done.returncode, report_of(done).tree.rev) == (0, head)


def test_a_bare_repository_takes_the_plan_from_a_commit(repo: Path, tmp_path: Path) -> None:
    flawed = git(repo, "rev-parse", "HEAD")
    commit(repo, {"docs/plans/greet.md": GOOD})
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(bare))

    def verify(*more: str) -> Done:
        return planproof("verify", *more, "--repo", str(bare), "--format", "json", cwd=tmp_path)

    assert report_of(verify("docs/plans/greet.md")).verdict == "clean"
    assert report_of(verify("docs/plans/greet.md", "--plan-rev", flawed)).verdict == "needs_fix"
    assert report_of(verify("docs/plans/greet.md", "--rev", flawed)).verdict == "needs_fix"
    assert report_of(verify("docs/plans")).plan.path == "docs/plans/greet.md"
    assert report_of(verify()).plan.path == "docs/plans/greet.md"
    missing = verify("docs/plans/none.md")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "there is no file 'docs/plans/none.md'" in missing.stderr


def test_plan_rev_reads_the_plan_of_a_commit_though_the_file_on_disk_differs(repo: Path) -> None:
    (repo / "docs/plans/greet.md").write_text(GOOD)
    assert planproof("verify", "docs/plans/greet.md", "--plan-rev", "HEAD", cwd=repo).returncode == 1
    assert planproof("verify", "greet.md", "--plan-rev", "HEAD", cwd=repo / "docs/plans").returncode == 1


def test_several_plans_give_json_lines_and_the_worst_exit_code(repo: Path) -> None:
    (repo / "docs/plans/good.md").write_text(GOOD)
    done = planproof("verify", "docs/plans", "--format", "json", cwd=repo)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(line["plan"]["path"], line["verdict"]) for line in lines] == [
        ("docs/plans/good.md", "clean"),
        ("docs/plans/greet.md", "needs_fix"),
    ]
    assert done.returncode == 1
    mixed = planproof("verify", "docs/plans/good.md", "docs/plans/none.md", cwd=repo)
    assert (mixed.returncode, "docs/plans/none.md cannot be read" in mixed.stderr) == (2, True)


def test_without_a_plan_those_that_differ_from_the_default_branch_are_judged(repo: Path) -> None:
    def judged() -> list[str]:
        done = planproof("verify", "--format", "json", cwd=repo)
        return [json.loads(line)["plan"]["path"] for line in done.stdout.splitlines()]

    commit(repo, {"docs/plans/other.md": GOOD, "notes.md": "- [ ] a\n- [ ] b\n", "docs/plans/archive/old.md": GOOD})
    assert judged() == ["docs/plans/greet.md", "docs/plans/other.md"]
    git(repo, "switch", "-q", "-c", "work")
    commit(repo, {"docs/plans/new.md": GOOD})
    assert judged() == ["docs/plans/new.md"]
    (repo / "docs/plans/greet.md").write_text(PLAN + "\nMore.\n")
    (repo / "docs/plans/other.md").write_text(GOOD.replace("- [ ]", "- [x]"))
    (repo / "docs/plans/draft.md").write_text(GOOD)
    assert judged() == ["docs/plans/draft.md", "docs/plans/greet.md", "docs/plans/new.md"]


def test_the_repository_s_configuration_says_where_plans_are(repo: Path) -> None:
    commit(repo, {".github/planproof.yml": "plans: ['design/*.md']\n", "design/a.md": GOOD})
    done = planproof("verify", "--format", "json", cwd=repo)
    assert report_of(done).plan.path == "design/a.md"
    commit(repo, {".github/planproof.yml": "plan: x\n"})
    assert "note: .github/planproof.yml:1: `plan` is not a key here" in planproof("verify", cwd=repo).stderr


def test_within_a_bare_repository_a_plan_is_read_as_committed(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    for named in ("docs/plans/greet.md", "docs/plans", "docs"):
        done = planproof("verify", named, "--format", "json", cwd=tmp_path / "bare.git")
        assert (done.returncode, report_of(done).plan.path) == (1, "docs/plans/greet.md")


def test_a_plan_left_out_of_the_work_tree_is_said_to_be_committed(repo: Path) -> None:
    shutil.rmtree(repo / "docs")
    done = planproof("verify", "docs/plans/greet.md", cwd=repo)
    assert done.returncode == 2
    assert "it is committed, and --plan-rev HEAD reads it there" in done.stderr
    assert planproof("verify", "docs/plans/greet.md", "--plan-rev", "HEAD", cwd=repo).returncode == 1


def test_a_folder_that_is_not_there_is_no_reason_to_doubt_the_repository(repo: Path) -> None:
    done = planproof("verify", "docs/plnas/greet.md", cwd=repo)
    assert (done.returncode, done.stderr) == (
        2,
        "Error: docs/plnas/greet.md cannot be read: No such file or directory\n",
    )


def test_an_empty_revision_is_no_revision(repo: Path) -> None:
    done = planproof("verify", "docs/plans/greet.md", "--plan-rev", "", cwd=repo)
    assert (done.returncode, done.stdout) == (2, "")


def test_a_head_that_cannot_be_read_is_said_in_one_line(repo: Path) -> None:
    (repo / ".git/HEAD").write_text("garbage\n")
    for arguments in ((), ("docs/plans/greet.md",)):
        done = process("verify", *arguments, cwd=repo)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "Error: there is no commit 'HEAD' in this repository\n"


def test_a_file_name_of_the_repository_cannot_steer_the_terminal(repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "topic")
    commit(repo, {"docs/plans/a\x1b]0;owned\x07.md": PLAN})
    done = process("verify", cwd=repo)
    assert "docs/plans/a\\x1b]0;owned\\x07.md" in done.stderr
    assert not {"\x1b", "\x07"} & set(done.stderr + done.stdout)


def test_a_check_in_a_deleted_folder_says_so(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    with contextlib.chdir(gone):
        gone.rmdir()
        done = CliRunner().invoke(cli, ["check", "--intent", "greet"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "the current folder cannot be read" in done.stderr


def test_a_plan_of_several_files_counts_once(repo: Path) -> None:
    folder = "specs/001-greet"
    tasks = "# Tasks\n\n- [ ] T001 Change src/greet.py\n- [ ] T002 Change src/greet.py again\n"
    commit(repo, {f"{folder}/tasks.md": tasks, f"{folder}/plan.md": "# Plan\n", f"{folder}/spec.md": "# Spec\n"})
    done = planproof("verify", "specs", "--format", "json", cwd=repo)
    report = report_of(done)
    assert report.plan.path == f"{folder}/tasks.md"
    assert set(report.plan.files) >= {f"{folder}/tasks.md", f"{folder}/plan.md", f"{folder}/spec.md"}
    assert planproof("verify", folder, "--format", "json", cwd=repo).stdout.count("\n") == 1


def test_an_ignored_finding_no_longer_gates(repo: Path) -> None:
    first = report_of(planproof("verify", "docs/plans/greet.md", "--format", "json", cwd=repo))
    identity = first.gating[0].id
    arguments = ("verify", "docs/plans/greet.md", "--ignore", identity, "--ignore", "f-000000", "--format", "json")
    done = planproof(*arguments, cwd=repo)
    report = report_of(done)
    assert (done.returncode, report.verdict) == (0, "clean")
    assert [f.status for f in report.findings if f.id == identity] == ["dismissed"]
    assert done.stderr == "note: no finding has the id f-000000\n"


def test_markdown_holds_the_finding_its_place_and_its_ground(repo: Path) -> None:
    done = planproof("verify", "docs/plans/greet.md", cwd=repo)
    assert done.stdout.startswith("**Planproof: 1 finding to settle before work starts**\n")
    assert "| 🔴 | Task 2, `docs/plans/greet.md:14` `f-" in done.stdout
    assert "`src/gret.py`" in done.stdout
    assert "src/greet.py" in done.stdout
    assert "\x1b[" not in done.stdout


def test_text_in_a_file_has_no_colours_and_no_broken_lines(repo: Path) -> None:
    done = planproof("verify", "docs/plans/greet.md", "--format", "text", cwd=repo)
    assert "\x1b[" not in done.stdout
    assert "  docs/plans/greet.md:14  blocker  missing_path  Task 2  f-" in done.stdout
    assert "Next:" not in done.stdout


def on_a_terminal(*arguments: str, cwd: Path) -> str:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "bot.cli", *arguments],
        cwd=cwd,
        env=ENVIRONMENT | {"TERM": "xterm-256color", "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=subprocess.PIPE,
    ):
        os.close(follower)
        parts = []
        try:
            while part := os.read(leader, 65536):
                parts.append(part)
        except OSError:
            pass  # the other end is closed
        os.close(leader)
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_a_terminal_gets_colours_and_a_last_line_that_says_what_to_do(repo: Path) -> None:
    shown = on_a_terminal("verify", "docs/plans/greet.md", cwd=repo)
    assert "\x1b[1;31m" in shown
    assert "docs/plans/greet.md:14" in shown
    last = shown.strip().splitlines()[-1]
    assert last.startswith("Next: edit the plan at docs/plans/greet.md:14 and run this again; --ignore f-")
    (repo / "docs/plans/greet.md").write_text(GOOD)
    assert on_a_terminal("verify", "docs/plans/greet.md", cwd=repo).strip().endswith("Next: the work can start.")


@pytest.mark.parametrize(
    ("content", "code", "verdict", "says"),
    [
        (b"\xff\xfe# P\n\n### Task 1\n", 3, "not_verified", "UTF-8"),
        (b"# P\n\n### Task 1: \x93x\x94\n", 3, "not_verified", "UTF-8"),
        (b"", 0, "not_a_plan", "empty"),
        (b"\n  \n", 0, "not_a_plan", "empty"),
        (b"# P\n\n### Task 1: x\n" + b"words and more words\n" * 250_000, 3, "not_verified", "too large"),
        (b"# P\n\n### Task 1: x\n\n```bash\npytest\n" + b"- Modify: `a.py`\n" * 50, 0, "clean", ""),
        (b"# P\n\n" + b"### Task 1: x\n" * 10_000, None, None, ""),
        (b"> " * 5_000 + b"x\n" + b"- " * 5_000 + b"### Task 1\n", None, None, ""),
    ],
    ids=["utf-16", "latin-1", "empty", "blank", "five megabytes", "unclosed fence", "10,000 headings", "nested"],
)
def test_a_hostile_plan_gets_a_verdict(
    repo: Path, content: bytes, code: int | None, verdict: str | None, says: str
) -> None:
    (repo / "docs/plans/greet.md").write_bytes(content)
    done = planproof("verify", "docs/plans/greet.md", "--format", "json", cwd=repo)
    report = report_of(done)
    assert code is None or done.returncode == code
    assert verdict is None or report.verdict == verdict
    assert says in (report.reason or "")
    assert to_markdown(report).startswith("**Planproof: ")


def test_a_path_with_a_hostile_name_is_shown_harmlessly(repo: Path) -> None:
    name = "src/\u202egpj\x1b[31m.py"
    (repo / "docs/plans/greet.md").write_text(PLAN.replace("src/gret.py", name))
    shown = on_a_terminal("verify", "docs/plans/greet.md", cwd=repo)
    assert "\x1b[31m.py" not in shown
    assert "\u202e" not in shown
    assert "\u202e" not in planproof("verify", "docs/plans/greet.md", cwd=repo).stdout


def test_input_that_cannot_be_read_is_a_usage_error_in_one_line(repo: Path, tmp_path: Path) -> None:
    os.mkfifo(repo / "pipe.md")
    (repo / "link.md").symlink_to("docs/plans/greet.md")
    (repo / "out").symlink_to(tmp_path)
    (tmp_path / "lone.md").write_text(PLAN)
    for arguments, says in (
        (("docs/plans/gret.md",), "cannot be read: No such file or directory; the nearest is docs/plans/greet.md"),
        (("pipe.md",), "is not a regular file"),
        (("link.md",), "is a symbolic link"),
        (("out/lone.md",), "is not in a git"),
        (("docs/plans/greet.md", "--rev", "nowhere"), "there is no commit 'nowhere'"),
        (("docs/plans/greet.md", "--plan-rev", "nowhere"), "there is no commit 'nowhere'"),
        (("docs/plans/greet.md", "--repo", "/nonexistent"), "/nonexistent"),
        ((str(tmp_path / "lone.md"),), "is not in a git repository"),
        (("x" * 5000,), "cannot be read"),
    ):
        done = planproof("verify", *arguments, "--format", "json", cwd=repo)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert says in done.stderr, arguments
        assert done.stderr.startswith("Error: "), arguments
        assert done.stderr.count("\n") == 1, arguments


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_read_permission_is_a_usage_error(repo: Path) -> None:
    (repo / "docs/plans/greet.md").chmod(0)
    done = planproof("verify", "docs/plans/greet.md", cwd=repo)
    assert (done.returncode, "Permission denied" in done.stderr) == (2, True)


def test_a_folder_or_a_repository_without_plans_is_no_failure(repo: Path) -> None:
    (repo / "empty").mkdir()
    done = planproof("verify", "empty", "--format", "json", cwd=repo)
    assert (done.returncode, report_of(done).verdict) == (0, "not_a_plan")
    git(repo, "rm", "-q", "-r", "docs")
    commit(repo, {})
    none = planproof("verify", "--format", "json", cwd=repo)
    assert (none.returncode, none.stdout, none.stderr) == (0, "", "no plans in this repository\n")


def test_a_repository_without_any_commit_still_gets_an_answer(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "PLAN.md").write_text(PLAN)
    done = planproof("verify", "--format", "json", cwd=tmp_path)
    assert report_of(done).tree.rev is None


def test_verify_loads_nothing_of_the_app(repo: Path) -> None:
    code = (
        "import sys, contextlib\n"
        "from bot.cli import cli\n"
        "with contextlib.suppress(SystemExit):\n"
        "    cli(['verify', 'docs/plans/greet.md', '--format', 'json'])\n"
        "with contextlib.suppress(SystemExit):\n"
        "    cli(['check', 'docs/plans/greet.md'])\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=repo, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert {"bot", "pygit2"} <= loaded
    assert not loaded & {"dbos", "githubkit", "sqlalchemy", "alembic", "starlette", "uvicorn", "httpx", "jinja2"}


# --- check


def test_check_prints_markdown_and_exits_zero_for_every_verdict(repo: Path) -> None:
    commit(repo, {"registry/indexes/capabilities.yaml": INDEX})
    for text, verdict in (("greeting people", "reuse"), ("greeting the crowd", "extend"), ("queue", "new")):
        done = planproof("check", "--intent", text, cwd=repo)
        assert (done.returncode, done.stdout.splitlines()[0]) == (0, f"# Plan check: {verdict}")
        assert "\x1b[" not in done.stdout


def test_check_reads_a_plan_and_its_json_follows_the_schema(repo: Path) -> None:
    (repo / "registry/indexes").mkdir(parents=True)
    (repo / "registry/indexes/capabilities.yaml").write_text("capabilities: []\n")
    (repo / "registry/indexes/federated.yaml").write_text(INDEX)
    plan = "---\nid: GREET-WP-0001\ntype: workplan\ntitle: Greeting people\n---\n# x\n"
    (repo / "plan.md").write_text(plan)
    done = planproof("check", "plan.md", "--format", "json", "--no-llm", cwd=repo)
    document = json.loads(done.stdout)
    jsonschema_rs.validator_for(json.loads((SCHEMAS / "plan-check-result.schema.json").read_text())).validate(document)
    result = PlanCheckResult.model_validate(document)
    assert (result.verdict, result.query.workplan_id, result.top_score) == ("reuse", "GREET-WP-0001", 1.0)
    assert result.matches[0].own_repository
    folder = repo / "openspec/changes/greet"
    folder.mkdir(parents=True)
    (folder / "proposal.md").write_text("# Greeting people\n")
    assert "reuse" in planproof("check", "openspec/changes/greet", cwd=repo).stdout


def test_an_index_can_be_named(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(INDEX)
    done = planproof("check", "--intent", "greeting people", "--index", "../mine.yaml", cwd=repo)
    assert done.stdout.startswith("# Plan check: reuse")
    commit(repo, {".github/planproof.yml": "index: lib/index.yaml\n", "lib/index.yaml": INDEX})
    assert planproof("check", "--intent", "greeting people", cwd=repo).stdout.startswith("# Plan check: reuse")


@pytest.mark.parametrize(
    ("index", "says"),
    [
        (None, "There is no capability index at registry/indexes/federated.yaml or"),
        (b"{{{", "cannot be read as YAML"),
        (b"\xff", "not UTF-8"),
        (b"capabilities: []", "lists no capabilities"),
    ],
)
def test_a_missing_or_broken_index_is_new_with_the_reason(repo: Path, index: bytes | None, says: str) -> None:
    if index is not None:
        commit(repo, {"registry/indexes/federated.yaml": index})
    done = planproof("check", "--intent", "greeting people", cwd=repo)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "# Plan check: new")
    assert says in done.stdout


@pytest.mark.parametrize("name", ["none.yaml", "src", "pipe"])
def test_a_named_index_that_is_no_file_is_new_with_the_reason(repo: Path, name: str) -> None:
    os.mkfifo(repo / "pipe")
    done = planproof("check", "--intent", "x", "--index", name, cwd=repo)
    assert (done.returncode, "The capability index cannot be used" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "Give either a PLAN or --intent TEXT."),
        (("docs/plans/greet.md", "--intent", "x"), "not both"),
        (("none.md",), "none.md cannot be read"),
        (("src",), "the folder src has none of"),
        (
            ("--intent", "x", "--reuse-threshold", "0.1"),
            "The extend threshold (0.22) is above the reuse threshold (0.1).",
        ),
        (("--intent", "x", "--tie-window", "7"), "The tie window must be between 0 and 1"),
        (("--intent", "x", "--tie-window", "nan"), "The tie window must be between 0 and 1"),
        (("--intent", "x", "--reuse-threshold", "high"), "'high' is not a valid float"),
        (("--intent", "x", "--record-outcome", "maybe"), "'maybe' is not one of"),
        (("--intent", "x", "--reuse-treshold", "0.5"), "--reuse-threshold"),
    ],
)
def test_a_mistake_of_the_caller_exits_two_and_says_what_is_right(
    repo: Path, arguments: tuple[str, ...], says: str
) -> None:
    done = planproof("check", *arguments, cwd=repo)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"# T\n" + b"x " * 3_000_000, b"```\n", b"## a\n" * 10_000])
def test_check_answers_for_a_hostile_plan(repo: Path, content: bytes) -> None:
    (repo / "p.md").write_bytes(content)
    assert planproof("check", "p.md", cwd=repo).returncode == 0


def test_an_outcome_is_appended_one_line_a_run(repo: Path) -> None:
    commit(repo, {"registry/indexes/federated.yaml": INDEX})
    planproof("check", "--intent", "greeting people", "--record-outcome", "reused", cwd=repo / "src")
    planproof("check", "--intent", "queue", "--record-outcome", "new", cwd=repo)
    planproof("check", "--intent", "queue", cwd=repo)
    lines = (repo / "registry/telemetry/plan-check-events.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    assert [sorted(event) for event in events] == [
        ["capability_id", "consumer_repo", "outcome", "source", "ts", "verdict"]
    ] * 2
    assert [(e["capability_id"], e["consumer_repo"], e["verdict"], e["outcome"], e["source"]) for e in events] == [
        ("capability.test.greeting", "greeter", "reuse", "reused", "plan-check"),
        (None, "greeter", "new", "new", "plan-check"),
    ]
    assert events[0]["ts"].endswith("Z")


def test_an_outcome_that_cannot_be_written_costs_nothing(repo: Path, tmp_path: Path) -> None:
    commit(repo, {"registry/indexes/federated.yaml": INDEX, "registry/telemetry": "a file"})
    done = planproof("check", "--intent", "queue", "--record-outcome", "new", cwd=repo)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "# Plan check: new")
    assert "note: the outcome could not be recorded" in done.stderr


def test_an_outcome_is_never_written_through_a_link(repo: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (repo / "registry").mkdir()
    (repo / "registry/telemetry").symlink_to(elsewhere)
    done = planproof("check", "--intent", "queue", "--record-outcome", "new", cwd=repo)
    assert (done.returncode, list(elsewhere.iterdir())) == (0, [])
    (repo / "registry/telemetry").unlink()
    (repo / "registry/telemetry").mkdir()
    (repo / "registry/telemetry/plan-check-events.jsonl").symlink_to(elsewhere / "file")
    done = planproof("check", "--intent", "queue", "--record-outcome", "new", cwd=repo)
    assert (done.returncode, list(elsewhere.iterdir())) == (0, [])


def test_check_works_outside_of_any_repository(tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text("# Greeting people\n")
    (tmp_path / "i.yaml").write_text(INDEX)
    assert planproof("check", "p.md", "--index", "i.yaml", cwd=tmp_path).stdout.startswith("# Plan check: reuse")


def test_a_terminal_gets_the_candidates_as_a_table(repo: Path) -> None:
    commit(repo, {"registry/indexes/federated.yaml": INDEX})
    shown = on_a_terminal("check", "--intent", "greeting people", cwd=repo)
    assert "\x1b[" in shown
    assert "capability.test.greeting" in shown
    assert "REUSE — this is the repository's own capability" in shown.strip().splitlines()[-1]


# --- the command itself


def test_only_commands_that_work_are_listed_and_the_nearest_is_named(tmp_path: Path) -> None:
    listed = planproof("--help", cwd=tmp_path).stdout
    commands = [line.split()[0] for line in listed.split("Commands:")[1].splitlines() if line.strip()]
    assert commands == ["check", "config", "deliver", "eval", "serve", "verify"]
    done = planproof("verfy", cwd=tmp_path)
    assert (done.returncode, "verify" in done.stderr) == (2, True)
    option = planproof("verify", "--fromat", "json", cwd=tmp_path)
    assert (option.returncode, "--format" in option.stderr) == (2, True)


def test_a_reader_that_has_seen_enough_is_no_error(repo: Path) -> None:
    for number in range(30):
        (repo / f"docs/plans/p{number}.md").write_text(PLAN)
    command = [sys.executable, "-m", "bot.cli", "verify", "docs/plans", "--format", "json"]
    with subprocess.Popen(
        command, cwd=repo, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(1)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 1


def test_as_a_process_it_ends_with_the_same_codes_and_no_traceback(repo: Path) -> None:
    (repo / "docs/plans/none.md").symlink_to("greet.md")
    assert process("verify", "docs/plans/none.md", cwd=repo).returncode == 2
    assert process("check", cwd=repo).returncode == 2
    assert process("--version", cwd=repo).stdout.startswith("planproof, version ")


def test_serve_refuses_settings_that_make_no_sense(tmp_path: Path) -> None:
    done = planproof("serve", cwd=tmp_path, env={"PLANPROOF_PROT": "8000"})
    assert (done.returncode, "did you mean PLANPROOF_PORT?" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("setting", "value", "reason"),
    [
        ("PLANPROOF_PRIVATE_KEY", "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----", "no readable RSA key"),
        ("PLANPROOF_GIT_URL", "git@github.example:{owner}/{repo}.git", "PLANPROOF_GIT_URL: the git address must be"),
        ("PLANPROOF_DATABASE_URL", "somewhere", "PLANPROOF_DATABASE_URL is no address"),
    ],
)
def test_what_keeps_the_server_from_starting_is_one_line(tmp_path: Path, setting: str, value: str, reason: str) -> None:
    given = {
        "PLANPROOF_APP_ID": "1",
        "PLANPROOF_PRIVATE_KEY": new_key_pair().private,
        "PLANPROOF_WEBHOOK_SECRET": "a secret of tests",
        "PLANPROOF_DATA_DIR": str(tmp_path / "data"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "bot.cli", "serve"],
        cwd=tmp_path,
        env=ENVIRONMENT | given | {setting: value},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, len(done.stderr.splitlines())) == (3, 1)
    assert reason in done.stderr


# --- deliver


class Receiver(BaseHTTPRequestHandler):
    status = 202

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        received.append((self.path, {key.lower(): value for key, value in self.headers.items()}, body))
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


received: list[tuple[str, dict[str, str], bytes]] = []


@pytest.fixture
def port() -> Iterator[int]:
    received.clear()
    with HTTPServer(("127.0.0.1", 0), Receiver) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_deliver_posts_a_signed_webhook(tmp_path: Path, port: int) -> None:
    import hashlib
    import hmac

    (tmp_path / "event.json").write_bytes(b'{"action":"opened"}')
    (tmp_path / ".env").write_text("PLANPROOF_WEBHOOK_SECRET=from-file\n")
    # a proxy that is not there must not be asked about this machine
    env = {"PLANPROOF_PORT": str(port), "PLANPROOF_WEBHOOK_SECRET": "new, old", "HTTP_PROXY": "http://127.0.0.1:9"}
    done = planproof("deliver", "pull_request", "event.json", cwd=tmp_path, env=env)
    assert (done.returncode, done.stdout) == (0, "202 ok\n")
    ((path, headers, body),) = received
    signature = hmac.new(b"new", b'{"action":"opened"}', hashlib.sha256).hexdigest()
    assert (path, body) == ("/webhook", b'{"action":"opened"}')
    assert headers["x-hub-signature-256"] == f"sha256={signature}"
    assert (headers["x-github-event"], headers["content-type"]) == ("pull_request", "application/json")
    assert headers["x-github-delivery"] in done.stderr


def test_deliver_says_when_it_was_refused_or_nobody_answers(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "event.json").write_text("not json")
    env = {"PLANPROOF_PORT": str(port), "PLANPROOF_WEBHOOK_SECRET": "s"}
    monkeypatch.setattr(Receiver, "status", 400)
    refused = planproof("deliver", "push", "event.json", cwd=tmp_path, env=env)
    assert (refused.returncode, refused.stdout) == (1, "400 ok\n")
    assert "event.json is not JSON" in refused.stderr
    nobody = planproof("deliver", "push", "event.json", cwd=tmp_path, env=env | {"PLANPROOF_PORT": "1"})
    assert (nobody.returncode, "Is `planproof serve` running?" in nobody.stderr) == (1, True)


@pytest.mark.parametrize(
    ("env", "says"),
    [
        ({}, "PLANPROOF_WEBHOOK_SECRET is not set"),
        ({"PLANPROOF_WEBHOOK_SECRET": " , "}, "PLANPROOF_WEBHOOK_SECRET is not set"),
        ({"PLANPROOF_WEBHOOK_SECRET": "s", "PLANPROOF_PORT": "http"}, "PLANPROOF_PORT must be a port number, not http"),
    ],
)
def test_deliver_needs_a_secret_and_a_port(tmp_path: Path, env: dict[str, str], says: str) -> None:
    (tmp_path / "event.json").write_text("{}")
    done = planproof("deliver", "push", "event.json", cwd=tmp_path, env=env)
    assert (done.returncode, says in done.stderr) == (2, True)
