"""Plans that are right and that a simpler check would accuse, and beside them the ones that are not."""

from __future__ import annotations

import pytest

from bot.core.plans import parse
from bot.core.plans.model import Document, Format
from bot.core.tree import Tree
from bot.core.verify.report import verify
from schemas.verify_report import FindingType, Severity
from tests.core.verify.conftest import PLAN, Bench, files, plan, run
from tests.git_repo import Content, Link, build_repo

TREE: dict[str, Content] = {"src/gears/wheel.py": "x = 1\n", "src/gears/cog.py": "y = 1\n"}
MISSING = FindingType.MISSING_PATH
ORDER = FindingType.TASK_ORDER


def task(head: str, *bullets: str) -> str:
    return f"{head}\n\n{files(*bullets)}"


def test_a_task_that_names_another_repository_is_not_held_against_this_tree(bench: Bench) -> None:
    text = plan(
        task("**Repo:** `gears`", "Modify: `src/gears/wheel.py`"),
        task("**Repo:** `gears-docs`", "Modify: `src/gears/guide.md`"),
    )
    assert bench.report(TREE, text).gating == ()


def test_a_task_that_names_this_repository_is(bench: Bench) -> None:
    text = plan(
        task("**Working directory:** `/home/ada/gears`", "Modify: `src/gears/wheel.py`"),
        task("**Working directory:** `/home/ada/gears`", "Modify: `src/gears/axle.py`", "Modify: `src/gears/cog.py`"),
    )
    (finding,) = bench.findings(TREE, text, MISSING)
    assert (finding.subject, finding.gating) == ("src/gears/axle.py", True)


def test_in_a_plan_over_several_repositories_a_task_without_any_known_file_is_doubtful(bench: Bench) -> None:
    text = plan("This is a cross-repo change.\n\n" + files("Modify: `src/gears/axle.py`"))
    assert [finding.severity for finding in bench.findings(TREE, text, MISSING)] in ([], [Severity.ADVICE])


def test_a_plan_of_a_project_within_the_repository_speaks_from_that_project(bench: Bench) -> None:
    path = "tools/lathe/docs/plans/2026-01-05-gears.md"
    assert bench.report(TREE, plan(files("Modify: `src/lathe.py`")), path=path).gating == ()


def test_words_after_a_path_that_make_it_new_or_conditional_count(bench: Bench) -> None:
    for note in ("(modify if the radius changes)", "(does not exist yet)"):
        assert bench.report(TREE, plan(files(f"Modify: `src/gears/axle.py` {note}"))).gating == ()


def test_a_document_of_the_planning_itself_is_at_most_advice(bench: Bench) -> None:
    text = plan(files("Modify: `docs/specs/2026-01-05-gears-design.md`"))
    assert bench.report(TREE, text).gating == ()


def test_a_folder_that_is_tracked_in_spite_of_an_ignore_rule_is_ordinary(bench: Bench) -> None:
    tree: dict[str, Content] = {**TREE, ".gitignore": "gears/\n"}
    (finding,) = bench.findings(tree, plan(files("Modify: `src/gears/axle.py`")), MISSING)
    assert finding.gating


def test_a_tool_that_writes_into_a_folder_that_is_there_hides_nothing(bench: Bench) -> None:
    text = plan(
        "- [ ] **Step 1**\n\n```bash\ngo generate ./src/gears\n```\n",
        files("Modify: `src/gears/axle.py`"),
    )
    assert len(bench.findings(TREE, text, MISSING)) == 1


def test_a_link_is_there_as_well(bench: Bench) -> None:
    tree: dict[str, Content] = {**TREE, "src/gears/AGENTS.md": Link("NOTES.md")}
    found = bench.findings(tree, plan(files("Create: `src/gears/AGENTS.md`")), FindingType.IGNORES_EXISTING_CODE)
    assert len(found) == 1


def test_output_of_a_tool_may_be_written_anew(bench: Bench) -> None:
    text = plan(files("Create: `src/gears/cog.py` (generated output)"))
    assert bench.report(TREE, text).gating == ()


def test_a_name_that_only_looks_like_a_placeholder_is_there(bench: Bench) -> None:
    tree: dict[str, Content] = {**TREE, "src/my-wheel.py": ""}
    found = bench.findings(tree, plan(files("Create: `src/my-wheel.py`")), FindingType.IGNORES_EXISTING_CODE)
    assert len(found) == 1


@pytest.mark.parametrize(
    "line",
    [
        "No callers depend on it (Tasks 2+3 add the wiring).",
        'Look for words such as "depends on task 9" in the text.',
        "**Dependencies:** none. (The checks of this part run after Task 3, which also covers Task 9.)",
    ],
)
def test_a_sentence_about_dependencies_is_none(bench: Bench, line: str) -> None:
    body = files("Modify: `src/gears/cog.py`")
    assert bench.findings(TREE, plan(f"{line}\n\n{body}", body, body), ORDER) == ()


@pytest.mark.parametrize("wanted", ["Task 2", "Task 9"])
def test_a_line_that_says_it_is_one(bench: Bench, wanted: str) -> None:
    body = files("Modify: `src/gears/cog.py`")
    assert len(bench.findings(TREE, plan(f"**Depends on:** {wanted}\n\n{body}", body, body), ORDER)) == 1


def test_parts_of_one_id_are_two_tasks(bench: Bench) -> None:
    body = files("Modify: `src/gears/cog.py`")
    assert bench.findings(TREE, plan(body, "%2.a%" + body, "%2.b%" + body), ORDER) == ()


def test_what_is_consumed_in_the_very_words_of_a_later_task_is_out_of_order(bench: Bench) -> None:
    text = plan(
        task("**Interfaces:**\n- Consumes: `turn_wheel(speed: int)`", "Modify: `src/gears/cog.py`"),
        task("**Interfaces:**\n- Produces: `turn_wheel(speed: int)`", "Modify: `src/gears/wheel.py`"),
    )
    messages = [finding.message for finding in bench.findings(TREE, text, ORDER)]
    assert messages == ["Task 2 produces this only later"]


def test_an_ordinary_word_that_is_consumed_is_no_interface(bench: Bench) -> None:
    text = plan(
        task("**Interfaces:**\n- Consumes: `ticket`", "Modify: `src/gears/cog.py`"),
        task("**Interfaces:**\n- Produces: `ticket`", "Modify: `src/gears/wheel.py`"),
    )
    assert bench.findings(TREE, text, ORDER) == ()


def test_a_command_with_an_alternative_beside_it_is_not_judged(bench: Bench) -> None:
    tree: dict[str, Content] = {**TREE, "Makefile": "test:\n\ttrue\n"}
    body = "- [ ] **Step 1**\n\n```bash\nmake proto  # or whatever the repository uses\n```\n"
    assert bench.findings(tree, plan(body), FindingType.VERIFY_FORM) == ()


def test_a_developers_own_directory_leads_to_the_package(bench: Bench) -> None:
    tree: dict[str, Content] = {**TREE, "web/app/package.json": '{"scripts": {"build": "x"}}'}
    text = plan(run("cd /home/ada/work/gears/web/app && npm run typecheck"))
    (finding,) = bench.findings(tree, text, FindingType.VERIFY_FORM)
    assert finding.message == "web/app/package.json has no script `typecheck`, and no task adds one"


def test_parallel_tasks_that_write_one_file_are_out_of_order(bench: Bench) -> None:
    text = (
        "# Tasks: gears\n\n## Phase 1: Setup\n\n"
        "- [ ] T001 [P] Modify `src/gears/cog.py`\n- [ ] T002 [P] Modify `src/gears/cog.py`\n"
        "- [ ] T003 Modify `src/gears/wheel.py`\n"
    )
    found = bench.findings(TREE, text, ORDER, path="specs/001-gears/tasks.md", format=Format.SPECKIT)
    assert [finding.message for finding in found] == ["T001 and T002 are marked as parallel, and both write this file"]


def test_tasks_of_the_format_without_paths_are_never_missing_one(bench: Bench) -> None:
    text = "# Implementation Plan\n\n- [ ] 1. Turn the axle\n  - Modify `src/gears/axle.py`\n  - _Requirements: 1.1_\n"
    report = bench.report(TREE, text, path=".kiro/specs/gears/tasks.md", format=Format.KIRO)
    assert report.findings == ()
    (record,) = [check for check in report.checks if check.name == "missing_path"]
    assert not record.ran


def test_a_plan_with_too_many_citations_is_judged_by_those_that_it_states(bench: Bench) -> None:
    text = plan(
        "\n".join(f"See `src/gears/x{n}.py`." for n in range(30)) + "\n\n" + files("Modify: `src/gears/axle.py`")
    )
    repo = build_repo(bench.folder / "many", TREE)
    report = verify(parse([Document(PLAN, text)]), Tree.open(repo.path, repo.head), max_uses=10)
    assert [finding.subject for finding in report.findings] == ["src/gears/axle.py"]
    (record,) = [check for check in report.checks if check.name == "missing_path"]
    assert record.reason == "30 citations were not looked at"


def test_findings_beyond_the_limit_are_counted(bench: Bench) -> None:
    text = plan(files(*(f"Modify: `src/gears/x{n}.py`" for n in range(9))))
    repo = build_repo(bench.folder / "flood", TREE)
    report = verify(parse([Document(PLAN, text)]), Tree.open(repo.path, repo.head), max_findings=4)
    assert len(report.findings) == 4
    (record,) = [check for check in report.checks if check.name == "missing_path"]
    assert record.reason == "5 more are left out of the report"


def test_new_words_in_a_file_do_not_make_the_file_new(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, plan(files("Modify: `src/gears/axle.py` (new section on oil)")), MISSING)
    assert finding.gating


def test_a_dependency_in_a_yaml_list_counts(bench: Bench) -> None:
    block = "```task\nid: {0}\nstatus: todo\ndepends_on:\n  - {1}\n```\n"
    text = (
        "---\ntype: workplan\nid: GEARS-WP-0001\ntitle: Gears\n---\n\n# Gears\n\n"
        "### T01 - Wheel\n\n" + block.format("GEARS-WP-0001-T01", "GEARS-WP-0001-T02") + "\n"
        "### T02 - Cog\n\n" + block.format("GEARS-WP-0001-T02", "GEARS-WP-0001-T01")
    )
    found = bench.findings(TREE, text, ORDER, path="workplans/GEARS-WP-0001-gears.md", format=Format.WORKPLAN)
    assert [finding.message for finding in found] == ["T01 and T02 wait for each other"]
