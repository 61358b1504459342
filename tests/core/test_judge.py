"""One plan of one repository, from its path to its report."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.core import judge as module
from bot.core.judge import Case, InputError, judge, read_case
from bot.core.tree import Kind
from schemas.engine import Limits, Request
from schemas.verify_report import FindingType, Status, Verdict, VerifyReport
from tests.git_repo import GitRepo, Link, build_repo

PLAN = "docs/plans/one.md"
TEXT = """# Cache Implementation Plan

### Task 1: Add the cache

**Files:**
- Create: `src/cache.py`
- Modify: `src/store.py`
"""
TYPO = TEXT.replace("src/store.py", "src/stores/store.py")


@pytest.fixture
def made(tmp_path: Path) -> GitRepo:
    return build_repo(tmp_path / "r", {"src/store.py": "x = 1\n", "src/app.py": "y = 2\n"}, {PLAN: TEXT})


def ask(made: GitRepo, plan: str = PLAN, **more: object) -> VerifyReport:
    return judge(Request.model_validate({"repo": str(made.path), "plan": plan, **more}))


def test_a_plan_that_is_true_of_its_tree_is_clean(made: GitRepo) -> None:
    report = ask(made)
    assert report.verdict is Verdict.CLEAN
    assert report.tree.rev == str(made.repo.revparse_single("main^").id)
    assert report.plan.path == PLAN
    assert any(check.name == "tree" and "parent of" in (check.reason or "") for check in report.checks)


def test_a_path_that_is_not_there_is_found(made: GitRepo) -> None:
    made.commit({PLAN: TYPO})
    report = ask(made)
    assert report.verdict is Verdict.NEEDS_FIX
    assert [finding.type for finding in report.findings] == [FindingType.MISSING_PATH]
    assert report.findings[0].plan_line == 7


def test_code_that_follows_the_plan_is_not_held_against_it(made: GitRepo) -> None:
    made.commit({"src/cache.py": "z = 3\n"})
    assert ask(made).verdict is Verdict.CLEAN
    assert ask(made, rev="main").verdict is not Verdict.CLEAN


def test_the_plan_can_be_read_at_another_commit_than_its_tree(made: GitRepo) -> None:
    first = str(made.repo.revparse_single("main^").id)
    report = ask(made, rev=first, plan_rev="main")
    assert (report.verdict, report.tree.rev) == (Verdict.CLEAN, first)
    with pytest.raises(InputError, match="no file"):
        ask(made, rev=first)


def test_a_file_that_came_with_the_plan_is_not_missing_from_the_tree_before(made: GitRepo) -> None:
    before = made.head
    made.commit({PLAN: TYPO, "src/stores/store.py": "x = 1\n"})
    assert ask(made).gating == ()
    assert ask(made, rev=before, plan_rev="main").gating == ()


def test_the_plans_own_files_count_as_there(made: GitRepo) -> None:
    made.commit({PLAN: TEXT + f"- Modify: `{PLAN}`\n"})
    assert ask(made).verdict is Verdict.CLEAN


def test_text_of_the_work_tree_takes_the_place_of_what_is_committed(made: GitRepo) -> None:
    report = ask(made, contents={PLAN: TYPO.encode()})
    assert report.verdict is Verdict.NEEDS_FIX
    assert report.tree.rev == made.head
    assert ask(made, "docs/plans/new.md", contents={"docs/plans/new.md": TEXT.encode()}).verdict is Verdict.CLEAN


def test_a_repository_without_a_commit_is_an_empty_tree(tmp_path: Path) -> None:
    made = GitRepo(tmp_path / "r")
    report = ask(made, "plan.md", contents={"plan.md": TEXT.encode()})
    assert report.tree.rev is None
    assert report.verdict is not Verdict.NOT_VERIFIED
    with pytest.raises(InputError):
        ask(made, "plan.md")


def test_in_a_pull_request_what_it_added_earlier_is_not_existing_code(made: GitRepo) -> None:
    base = made.head
    made.branch("topic", base)
    made.commit({"src/cache.py": ""}, branch="topic")
    made.commit({PLAN: TEXT + "\nOne more word.\n"}, branch="topic")
    assert ask(made, plan_rev="topic", base_rev=base).verdict is Verdict.CLEAN
    assert ask(made, plan_rev="topic").verdict is Verdict.CLEAN
    assert ask(made, rev="topic").verdict is not Verdict.CLEAN


def test_what_a_person_dismissed_stays_dismissed(made: GitRepo) -> None:
    made.commit({PLAN: TYPO})
    finding = ask(made).findings[0]
    report = ask(made, settled={finding.id: Status.DISMISSED})
    assert report.verdict is Verdict.CLEAN


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"# Plan\n\xff\xfe", "not UTF-8 text (line 2); save it as UTF-8"),
        (b"# Plan\n\0", "NUL bytes"),
        (b"# Plan\n" * 800_000, "too large to read (5,600,000 bytes"),
    ],
)
def test_a_plan_that_cannot_be_read_is_not_verified_and_says_what_to_do(made: GitRepo, data: bytes, words: str) -> None:
    made.commit({PLAN: data})
    report = ask(made)
    assert report.verdict is Verdict.NOT_VERIFIED
    assert words in (report.reason or "")
    assert report.findings == ()
    assert ask(made, contents={PLAN: data}).reason == report.reason


def test_a_plan_that_is_a_link_is_not_followed(made: GitRepo) -> None:
    made.commit({"docs/plans/link.md": Link("/etc/passwd")})
    report = ask(made, "docs/plans/link.md")
    assert report.verdict is Verdict.NOT_VERIFIED
    assert "symbolic link" in (report.reason or "")


@pytest.mark.parametrize("data", [b"", b" \n\n", b"\xef\xbb\xbf"])
def test_an_empty_document_is_no_plan(made: GitRepo, data: bytes) -> None:
    made.commit({PLAN: data})
    assert ask(made).verdict is Verdict.NOT_A_PLAN


def test_a_text_without_tasks_is_no_plan(made: GitRepo) -> None:
    made.commit({"readme.md": "Hello.\n"})
    assert ask(made, "readme.md").verdict is Verdict.NOT_A_PLAN


def test_a_repository_of_too_many_paths_is_not_verified(made: GitRepo) -> None:
    made.commit({f"many/{n}": "" for n in range(20)})
    report = ask(made, limits=Limits(max_entries=10))
    assert report.verdict is Verdict.NOT_VERIFIED
    assert "more than 10 paths" in (report.reason or "")


@pytest.mark.parametrize(
    "wrong",
    [
        {"plan": "nothing.md"},
        {"plan": "../../etc/passwd"},
        {"plan": "/proc/self/environ"},
        {"plan": "C:\\x"},
        {"plan": "x\0"},
        {"plan": "a" * 4097},
        {"rev": "nowhere"},
        {"plan_rev": "nowhere"},
        {"base_rev": "nowhere"},
        {"repo": "/nonexistent"},
    ],
)
def test_what_is_not_there_is_an_input_error(made: GitRepo, wrong: dict[str, str]) -> None:
    with pytest.raises(InputError):
        ask(made, **wrong)


def test_an_engine_that_fails_gives_a_report_with_the_name_of_the_error_only(
    made: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    class PanicError(BaseException):
        pass

    def fail(*_: object, **__: object) -> None:
        raise PanicError("secret detail")

    monkeypatch.setattr(module, "verify", fail)
    seen: list[BaseException] = []
    report = judge(Request(repo=str(made.path), plan=PLAN), on_error=seen.append)
    assert report.verdict is Verdict.NOT_VERIFIED
    assert "PanicError" in (report.reason or "")
    assert "secret" not in (report.reason or "")
    assert [str(error) for error in seen] == ["secret detail"]


def test_a_plan_of_several_files_names_all_that_were_read(tmp_path: Path) -> None:
    folder = "openspec/changes/add-x"
    made = build_repo(
        tmp_path / "r",
        {"src/store.py": ""},
        {
            f"{folder}/tasks.md": "## 1. Work\n\n- [ ] 1.1 Modify `src/store.py`\n- [ ] 1.2 Test it\n",
            f"{folder}/proposal.md": "## Why\n\nBecause.\n",
            f"{folder}/design.md": b"\xff",
            f"{folder}/specs/x/spec.md": "## ADDED Requirements\n",
        },
    )
    report = ask(made, folder)
    assert set(report.plan.files) == {f"{folder}/tasks.md", f"{folder}/proposal.md", f"{folder}/specs/x/spec.md"}
    left_out = [check for check in report.checks if not check.ran and check.name == "documents"]
    assert [check.reason for check in left_out] == [
        f"{folder}/design.md: it is not UTF-8 text (line 1); save it as UTF-8"
    ]


def test_a_request_survives_its_json_form(made: GitRepo) -> None:
    request = Request(
        repo=str(made.path), plan=PLAN, contents={PLAN: b"\xff\0bytes"}, settled={"f-123456": Status.OPEN}
    )
    assert Request.model_validate_json(request.model_dump_json()) == request
    assert Request.model_validate(request.model_dump(mode="json")) == request


def test_what_came_with_the_plan_counts_as_there(made: GitRepo) -> None:
    spec = "docs/specs/cache.md"
    text = TEXT.replace("\n\n###", f"\n\n**Spec:** `{spec}`\n\n###", 1) + f"- Modify: `{spec}`\n"
    made.commit({PLAN: text, spec: "# Cache\n", "docs/specs/other.md": "# Other\n"})
    case = read_case(Request(repo=str(made.path), plan=PLAN))
    assert isinstance(case, Case)
    assert case.came_along == {spec: b"# Cache\n"}
    tree = case.tree()
    assert (tree.kind(spec), tree.kind("docs/specs/other.md")) == (Kind.FILE, Kind.MISSING)
    assert case.tree({spec: None}).kind(spec) is Kind.MISSING
    assert [document.path for document in case.documents] == [PLAN]


def test_what_the_tree_has_is_read_as_it_was(made: GitRepo) -> None:
    spec = "docs/specs/cache.md"
    made.commit({spec: "# Old\n"})
    made.commit({PLAN: TEXT.replace("\n\n###", f"\n\nSpec: {spec}\n\n###", 1), spec: "# New\n"})
    case = read_case(Request(repo=str(made.path), plan=PLAN))
    assert isinstance(case, Case)
    assert case.came_along == {}


def test_only_a_few_documents_come_along_and_none_from_below_the_head(made: GitRepo) -> None:
    named = [f"docs/specs/{number}.md" for number in range(8)]
    head = "".join(f"Spec: {path}\n" for path in named)
    below = "\n" * 50 + "Spec: docs/specs/late.md\n"
    text = TEXT.replace("\n\n###", f"\n\n{head}\n###", 1) + below
    made.commit({PLAN: text, **dict.fromkeys((*named, "docs/specs/late.md"), "x\n")})
    case = read_case(Request(repo=str(made.path), plan=PLAN))
    assert isinstance(case, Case)
    assert list(case.came_along) == named[:5]
