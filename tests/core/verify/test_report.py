from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.plans import parse
from bot.core.plans.model import Document, Skipped
from bot.core.tree import Tree
from bot.core.verify.checks import CHECKS
from bot.core.verify.finding import RULES, Weight
from bot.core.verify.report import verify
from schemas.verify_report import FindingType, Severity, Status, Verdict, VerifyReport
from tests.core.verify.conftest import PLAN, Bench, files, plan
from tests.git_repo import build_repo
from tests.sample import FLAWED_PLAN, PLAN_PATH, SETTLED_PLAN
from tests.sample import files as sample_files

TREE = {"src/gears/wheel.py": "x = 1\n", **{f"src/gears/g{n}.py": "" for n in range(8)}}


def test_the_sample_plan_has_one_finding_of_each_kind(bench: Bench) -> None:
    report = bench.report(sample_files("2026-11-30"), FLAWED_PLAN, path=PLAN_PATH, format=None)
    assert [(f.type.value, f.task, f.subject) for f in sorted(report.findings, key=lambda f: f.plan_line)] == [
        ("missing_path", "Task 2", "src/widgets/clients.py"),
        ("task_order", "Task 2", "src/widgets/backoff.py"),
        ("verify_form", "Task 2", "tests/test_store.py::test_what_was_put_can_be_read"),
        ("verify_form", "Task 3", "typecheck"),
        ("ignores_existing_code", "Task 4", "src/widgets/store.py"),
        ("false_premise", "Task 5", "src/widgets/client.py:40-52"),
        ("verify_form", "Task 5", "typecheck"),
        ("hidden_text", None, "U+200B"),
        ("placeholder", "Task 6", "TBD"),
    ]
    assert report.verdict is Verdict.NEEDS_FIX
    assert all(f.evidence for f in report.findings)


def test_the_settled_sample_plan_is_clean(bench: Bench) -> None:
    report = bench.report(sample_files("2026-11-30"), SETTLED_PLAN, path=PLAN_PATH, format=None)
    assert (report.verdict, report.findings) == (Verdict.CLEAN, ())


def test_a_report_is_equal_on_every_run_and_survives_json(bench: Bench) -> None:
    first = bench.report(sample_files("2026-11-30"), FLAWED_PLAN, path=PLAN_PATH, format=None)
    again = bench.report(sample_files("2026-11-30"), FLAWED_PLAN, path=PLAN_PATH, format=None)
    assert first == again
    assert VerifyReport.model_validate_json(first.model_dump_json()) == first


def test_ids_survive_lines_inserted_above(bench: Bench) -> None:
    text = plan(files("Modify: `src/gears/axle.py`"))
    before = bench.report(TREE, text).findings
    after = bench.report(TREE, text.replace("**Goal:**", "A new line.\n\n**Goal:**")).findings
    assert [f.id for f in before] == [f.id for f in after]
    assert before[0].plan_line != after[0].plan_line


def test_findings_on_equal_lines_have_different_ids(bench: Bench) -> None:
    text = plan("- [ ] **Step 1: TBD**", "- [ ] **Step 1: TBD**")
    first, second = bench.findings(TREE, text, FindingType.PLACEHOLDER)
    assert first.id != second.id


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (Status.DISMISSED, Verdict.CLEAN),
        (Status.REPAIRED, Verdict.CLEAN),
        (Status.DISPUTED, Verdict.NEEDS_FIX),
    ],
)
def test_a_settled_finding_stays_and_a_dispute_settles_nothing(bench: Bench, status: Status, verdict: Verdict) -> None:
    text = plan(files("Modify: `src/gears/axle.py`"))
    (finding,) = bench.report(TREE, text).findings
    report = bench.report(TREE, text, settled={finding.id: status})
    assert (report.verdict, report.findings[0].status) == (verdict, status)


def test_a_plan_whose_files_are_mostly_there_is_retroactive_and_has_no_findings(bench: Bench) -> None:
    text = plan(
        files(*(f"Create: `src/gears/g{n}.py`" for n in range(3)), "Create: `src/gears/new.py`", "Modify: `a/b.py`")
    )
    report = bench.report(TREE, text)
    assert (report.verdict, report.findings) == (Verdict.RETROACTIVE, ())
    assert report.reason == "3 of the 4 files that it creates exist already"


def test_three_creates_are_too_few_to_be_retroactive(bench: Bench) -> None:
    text = plan(files(*(f"Create: `src/gears/g{n}.py`" for n in range(3))))
    report = bench.report(TREE, text)
    assert report.verdict is Verdict.NEEDS_FIX
    assert len(report.gating) == 3


def test_below_three_quarters_each_existing_create_is_a_finding(bench: Bench) -> None:
    text = plan(files(*(f"Create: `src/gears/{n}.py`" for n in ("g0", "g1", "new", "newer"))))
    assert len(bench.report(TREE, text).gating) == 2


def test_a_plan_whose_boxes_are_mostly_ticked_is_retroactive(bench: Bench) -> None:
    body = "- [x] **Step 1: A**\n- [x] **Step 2: B**\n- [x] **Step 3: C**\n- [ ] **Step 4: D**\n"
    report = bench.report(TREE, plan(body))
    assert (report.verdict, report.reason) == (Verdict.RETROACTIVE, "3 of its 4 boxes are ticked already")


def test_an_empty_document_is_not_a_plan(bench: Bench) -> None:
    assert bench.report(TREE, "\n \n", format=None).verdict is Verdict.NOT_A_PLAN


def test_advice_is_cut_at_twenty_and_the_rest_is_counted(bench: Bench) -> None:
    text = plan("\n\n".join(f"The size of part {n} is TBD." for n in range(30)))
    report = bench.report(TREE, text)
    assert sum(f.severity is Severity.ADVICE for f in report.findings) == 20
    (record,) = [check for check in report.checks if check.name == "placeholder"]
    assert record.reason == "10 more are left out of the report"


def test_findings_that_were_settled_leave_the_places_to_the_open_ones(bench: Bench) -> None:
    text = plan(files(*(f"Modify: `src/axles/a{n:03}.py`" for n in range(230))))
    shown = bench.report(TREE, text)
    assert len(shown.gating) == 200
    report = bench.report(TREE, text, settled={f.id: Status.DISMISSED for f in shown.findings})
    assert report.verdict is Verdict.NEEDS_FIX
    assert [f.subject for f in report.gating] == [f"src/axles/a{n:03}.py" for n in range(200, 230)]
    assert len(report.findings) == 200
    assert [f.plan_line for f in report.findings] == sorted(f.plan_line for f in report.findings)
    (record,) = [check for check in report.checks if check.name == "missing_path"]
    assert (record.reason or "").endswith("30 more are left out of the report")


def test_advice_that_was_settled_leaves_the_places_to_the_open_one(bench: Bench) -> None:
    text = plan("\n\n".join(f"The size of part {n} is TBD." for n in range(30)))
    settled = {f.id: Status.DISMISSED for f in bench.report(TREE, text).findings}
    report = bench.report(TREE, text, settled=settled)
    assert [f.status for f in report.findings] == [Status.DISMISSED] * 10 + [Status.OPEN] * 10


def test_the_verdict_counts_what_the_report_has_no_room_for(bench: Bench) -> None:
    report = bench.report(TREE, plan(files("Modify: `src/axles/a.py`")), max_findings=0)
    assert (report.verdict, report.findings) == (Verdict.NEEDS_FIX, ())


def test_every_kind_of_finding_stands_in_the_checks(bench: Bench) -> None:
    report = bench.report(TREE, plan(files("Modify: `src/gears/wheel.py`")))
    assert [check.name for check in report.checks][: len(FindingType)] == [type_.value for type_ in FindingType]
    assert report.plan.path == PLAN
    assert report.plan.tasks == 1
    assert report.tree.rev is not None


def test_an_unread_kind_says_that_it_did_not_run(bench: Bench) -> None:
    report = bench.report(TREE, plan(files("Modify: `src/gears/wheel.py`")))
    assert all(check.ran or check.reason for check in report.checks)


@pytest.mark.parametrize("type_", [FindingType.TASK_ORDER, FindingType.VERIFY_FORM])
def test_task_order_and_verify_form_are_never_minor(type_: FindingType) -> None:
    assert {RULES[type_].severity(weight) for weight in Weight} <= {Severity.BLOCKER, Severity.MAJOR, Severity.ADVICE}


def test_only_hidden_text_never_gates() -> None:
    assert [type_ for type_, rule in RULES.items() if not rule.gates] == [FindingType.HIDDEN_TEXT]


@pytest.mark.parametrize(
    "path",
    ["../../etc/passwd", "/proc/self/environ", "C:\\x\\y.py", "a/" * 2000 + "b.py", "src/\u0000x.py", "~/.ssh/id"],
)
def test_a_hostile_path_is_never_read_and_never_raises(bench: Bench, path: str) -> None:
    report = bench.report(TREE, plan(files(f"Modify: `{path}`", f"Create: `{path}`")))
    assert report.gating == ()
    assert all(read.path in TREE or read.path.endswith((".md", ".gitignore")) for read in report.reads)


def test_reasons_that_are_too_many_to_read_are_counted(bench: Bench) -> None:
    read = [Skipped("placeholder", f"part {n} was not looked at") for n in range(8)]
    repo = build_repo(bench.folder / "skipped", TREE)
    document = Document(PLAN, plan(files("Modify: `src/gears/wheel.py`")))
    report = verify(replace(parse([document]), skipped=tuple(read)), Tree.open(repo.path, repo.head))
    (record,) = [check for check in report.checks if check.name == "placeholder"]
    assert record.reason == "; ".join([*(each.reason for each in read[:5]), "and 3 more"])


def test_every_type_of_finding_has_a_check() -> None:
    assert {type_ for type_, _ in CHECKS} == set(FindingType)
