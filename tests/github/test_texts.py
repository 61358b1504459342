"""What people read. The snapshots are whole comments and check runs; read them as a thread."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot import commands
from bot.core.verify.outcomes import LabelChange
from bot.github import texts
from bot.github.markdown import CHECK_LIMIT, COMMENT_LIMIT, length
from bot.github.publication import Publication
from bot.github.texts import check_run
from schemas.plan_check_result import CheckQuery, PlanCheckResult, ReuseVerdict
from schemas.verify_report import Edit, Evidence, Status, Verdict, VerifyReport
from tests.github.rendering import alive
from tests.github.samples import (
    ADVICE,
    EXISTS,
    HEAD,
    KEY,
    MISSING,
    NOTE,
    PLACE,
    PLAN,
    RUNNER,
    clean,
    dismissed,
    flawed,
    report,
    reuse,
)
from tests.github.snapshot import FOLDER, expect

NEW = PlanCheckResult(
    query=CheckQuery(source="workplan", text="x"),
    verdict=ReuseVerdict.NEW,
    top_score=0.12,
    federated_index_updated="2026-07-06",
)


def made(*reports: VerifyReport, **more: object) -> Publication:
    return texts.pull_request(KEY, PLACE, reports, **more)  # type: ignore[arg-type]


def sticky(publication: Publication) -> str:
    return publication.notes[0].body


# ---- as the thread reads -----------------------------------------------------------------------
def test_a_plan_with_open_findings() -> None:
    expect("needs-fix", sticky(made(flawed())))


def test_the_first_comment_in_a_repository_says_what_this_is() -> None:
    expect("needs-fix-first", sticky(made(report(Verdict.NEEDS_FIX, RUNNER), introduce=True)))


def test_a_finding_that_was_dismissed_and_one_that_is_disputed() -> None:
    disputed = RUNNER.model_copy(update={"status": Status.DISPUTED})
    expect("needs-fix-dismissed", sticky(made(report(Verdict.NEEDS_FIX, disputed, dismissed(EXISTS)))))


def test_a_broken_configuration_is_said_where_it_is_read() -> None:
    problems = ["`.github/planproof.yml` line 3: plan is no key here; did you mean plans?"]
    publication = made(report(Verdict.NEEDS_FIX, RUNNER), config_problems=problems)
    said = "- `.github/planproof.yml` line 3: plan is no key here; did you mean plans?"
    assert "1 problem in the configuration, so the last valid one counts" in sticky(publication)
    assert said in sticky(publication)
    assert publication.check is not None
    assert said in publication.check.text


def test_two_plans_of_which_one_has_findings_and_something_to_reuse() -> None:
    other = report(Verdict.CLEAN, path="docs/plans/other.md", tasks=1, rev=HEAD)
    expect("needs-fix-two-plans", sticky(made(flawed(), other, plan_check=reuse())))


def test_the_plan_was_settled() -> None:
    expect("settled", sticky(made(clean(), earlier=[flawed()], earlier_head="5e" * 20)))


def test_a_plan_that_was_never_wrong_says_so_only_in_an_existing_comment() -> None:
    publication = made(clean())
    assert not publication.notes[0].create
    expect("clean", sticky(publication))


def test_one_plan_could_not_be_judged() -> None:
    expect("not-verified", sticky(made(report(Verdict.NOT_VERIFIED, reason="the document is not UTF-8", rev=None))))


def test_one_of_two_plans_could_not_be_judged() -> None:
    broken = report(Verdict.NOT_VERIFIED, path="docs/plans/huge.md", reason="5 MB, the limit is 1 MB.", rev=None)
    expect("not-verified-one-of-two", sticky(made(broken, report(Verdict.NEEDS_FIX, EXISTS))))


def test_nothing_could_be_judged() -> None:
    reason = "fetching `80315cd` was refused (403: the App is not installed on the fork's parent)"
    publication = texts.could_not_judge(KEY, PLACE, reason)
    expect("could-not-judge", sticky(publication))
    assert publication.check is not None
    expect("could-not-judge-check", shown(publication))
    assert publication.label is LabelChange.KEEP


def test_a_retroactive_plan_gets_one_line() -> None:
    publication = made(report(Verdict.RETROACTIVE, reason="12 of the 14 files it creates exist"))
    expect("retroactive", sticky(publication))
    assert publication.notes[0].create


def test_a_pull_request_without_its_plan_any_more_gets_one_line_where_a_comment_exists() -> None:
    publication = made(earlier=[flawed()], earlier_head="5e" * 20)
    expect("no-plan", sticky(publication))
    assert not publication.notes[0].create
    assert publication.label is LabelChange.REMOVE


def test_a_pull_request_that_never_held_a_plan_keeps_its_labels() -> None:
    assert made().label is LabelChange.KEEP


def test_the_evidence_on_the_issue() -> None:
    publication = made(flawed(), issues=[7, 9])
    assert [(note.number, note.create) for note in publication.notes[1:]] == [(7, True), (9, True)]
    expect("evidence", publication.notes[1].body)


def test_the_evidence_after_two_repair_rounds() -> None:
    spent = flawed().model_copy(update={"attempts": 3})
    body = made(spent, issues=[7]).notes[1].body
    assert "(#412) still disagrees with the code after 2 repair rounds**" in body
    assert "3 attempts, 3 reads, no model" in body


def test_the_evidence_is_settled() -> None:
    publication = made(clean(), issues=[7])
    assert [(note.number, note.create) for note in publication.notes[1:]] == [(7, False)]
    expect("evidence-settled", publication.notes[1].body)


def test_the_evidence_stays_while_nothing_can_be_judged() -> None:
    assert len(made(report(Verdict.NOT_VERIFIED, reason="x"), issues=[7]).notes) == 1


def test_an_issue_whose_capability_exists() -> None:
    expect("plan-check-reuse", sticky(texts.issue(KEY, PLACE, reuse())))


def test_an_issue_whose_capability_could_be_extended() -> None:
    expect("plan-check-extend", sticky(texts.issue(KEY, PLACE, reuse(ReuseVerdict.EXTEND, 0.3), introduce=True)))


def test_an_issue_with_something_new_gets_one_line() -> None:
    publication = texts.issue(KEY, PLACE, NEW)
    expect("plan-check-new", sticky(publication))
    assert publication.head_sha is None
    assert publication.check is None


def test_a_broken_index_is_new_with_the_reason() -> None:
    broken = NEW.model_copy(update={"reason": "the index is no valid YAML (line 3)", "federated_index_updated": None})
    expect("plan-check-no-index", sticky(texts.issue(KEY, PLACE, broken)))


def shown(publication: Publication) -> str:
    check = publication.check
    assert check is not None
    parts = [f"{check.conclusion}: {check.title}", check.summary, check.text]
    parts += [
        f"{a.annotation_level} {a.path}:{a.start_line}-{a.end_line} {a.title}\n{a.message}" for a in check.annotations
    ]
    return "\n\n----\n\n".join(part for part in parts if part)


def test_the_check_run_of_a_plan_with_findings() -> None:
    expect("check-needs-fix", shown(made(flawed())))


def test_the_check_run_of_a_clean_plan() -> None:
    expect("check-clean", shown(made(clean())))


def test_the_check_run_without_a_plan() -> None:
    expect("check-no-plan", shown(made()))


def test_the_check_run_of_a_pushed_commit_without_a_plan_speaks_of_the_commit() -> None:
    place = replace(PLACE, number=None)
    check = texts.commit(KEY, place, (), config_errors=[(1, "`plan` is not a key here")]).check
    assert check is not None
    assert "in this commit" in (texts.commit(KEY, place, ()).check or check).title
    assert "`.github/planproof.yml` is not valid here; until it is mended the last valid one counts." in check.summary


def test_a_configuration_with_a_key_without_effect_says_so_where_it_is_changed() -> None:
    note = (3, "`model` has no effect in this version")
    for errors in ([], [(1, "`plan` is not a key here")]):
        check = made(clean(), config_errors=errors, config_notes=[note]).check
        assert check is not None
        assert "- line 3: `model` has no effect in this version" in check.summary


@pytest.mark.parametrize("publication", [made(flawed(), introduce=True), made(clean()), made()])
def test_what_is_said_later_stands_below_the_first_line(publication: Publication) -> None:
    note = publication.notes[0]
    after = check_run.without_check(note, "The check run is missing")
    first, second, *_ = after.split("\n\n")
    assert (first, second) == (note.blocks[0], "The check run is missing.")
    assert first.startswith(note.marker)
    assert after.endswith("run 7f3c")
    assert all(block in after for block in note.blocks)


def test_the_check_run_when_the_comment_could_not_be_posted() -> None:
    check = made(report(Verdict.NEEDS_FIX, RUNNER)).check
    assert check is not None
    url = "https://github.com/organizations/acme/settings/installations/7/permissions/update"
    problems = [
        check_run.not_posted("The comment", "issues: write", url),
        check_run.not_taken("The label", "it is @locked"),
    ]
    after = check_run.with_problems(check, problems, permission=True)
    assert after.conclusion == "action_required"
    assert check_run.with_problems(check, problems[1:], permission=False).conclusion == "failure"
    expect("check-not-posted", f"{after.title}\n\n{after.summary}")


# ---- what holds for all of them ----------------------------------------------------------------
SNAPSHOTS = sorted(FOLDER.glob("*.md"))
COMMENTS = [
    path
    for path in SNAPSHOTS
    if not path.stem.startswith("check-") and (not path.stem.endswith("-check") or path.stem.endswith("plan-check"))
]


@pytest.mark.parametrize("path", SNAPSHOTS, ids=lambda path: path.stem)
def test_no_text_gives_a_command_or_mentions_a_person(path: Path) -> None:
    text = path.read_text()
    assert commands.parse(text) == ()
    if "check" not in path.stem:  # annotations are plain text, nothing lives in them
        assert not alive(text)
    assert "sorry" not in text.lower()


@pytest.mark.parametrize("path", COMMENTS, ids=lambda path: path.stem)
def test_every_comment_ends_with_the_run(path: Path) -> None:
    assert path.read_text().rstrip().endswith("run 7f3c")


@pytest.mark.parametrize(
    ("verdict", "conclusion", "label", "creates"),
    [
        (Verdict.CLEAN, "success", LabelChange.REMOVE, False),
        (Verdict.NEEDS_FIX, "failure", LabelChange.ADD, True),
        (Verdict.NOT_VERIFIED, "action_required", LabelChange.KEEP, True),
        (Verdict.RETROACTIVE, "neutral", LabelChange.REMOVE, True),
        (Verdict.NOT_A_PLAN, "skipped", LabelChange.KEEP, False),
    ],
)
def test_the_table_of_outcomes(verdict: Verdict, conclusion: str, label: LabelChange, creates: bool) -> None:
    publication = made(report(verdict, *([MISSING] if verdict is Verdict.NEEDS_FIX else []), reason="why"))
    assert publication.check is not None
    assert publication.check.conclusion == conclusion
    assert publication.label is label
    assert publication.notes[0].create is creates


# ---- links -------------------------------------------------------------------------------------
def test_plan_lines_link_to_the_head_and_evidence_to_the_judged_tree() -> None:
    body = sticky(made(flawed()))
    assert f"https://github.com/acme/widgets/blob/{HEAD}/{PLAN}?plain=1#L47" in body
    assert f"https://github.com/acme/widgets/blob/{HEAD}/{PLAN}?plain=1#L140-L142" in body
    assert "/blob/80315cd" + "b" * 33 + "/src/agents/index.ts#L46" in body


def test_evidence_in_the_plan_itself_links_to_the_head() -> None:
    body = sticky(made(report(Verdict.NEEDS_FIX, MISSING.model_copy(update={"evidence": ADVICE.evidence}))))
    assert f"[`{PLAN}:31`](https://github.com/acme/widgets/blob/{HEAD}/{PLAN}?plain=1#L31)" in body


# ---- the patch ---------------------------------------------------------------------------------
SOURCE = "".join(f"line {n}\n" for n in range(1, 47)) + "- Modify: `src/agents/claude.ts`\n"


def test_the_patch_has_whole_lines_where_the_document_is_at_hand() -> None:
    body = sticky(made(report(Verdict.NEEDS_FIX, MISSING), sources={PLAN: SOURCE}))
    assert (
        "```diff\n"
        f"--- a/{PLAN}\n+++ b/{PLAN}\n@@ -47,1 +47,1 @@\n"
        "-- Modify: `src/agents/claude.ts`\n+- Modify: `src/agents/index.ts`\n```"
    ) in body


def test_a_patch_that_holds_a_fence_stays_in_its_fence() -> None:
    edit = Edit(path=PLAN, start=3, end=5, old="```sh\nx\n```", new="```sh\ny\n```")
    body = sticky(made(report(Verdict.NEEDS_FIX, MISSING.model_copy(update={"edit": edit}))))
    assert "\n````diff\n" in body
    assert "\n-```\n+```sh\n" in body


# ---- hostile and large -------------------------------------------------------------------------
EVIL = "x`|`\n\n# @everyone <img src=//e.x> [a](http://e.x) <!-- planproof:sticky --> #12 \u202e\u200b ghp_" + "a" * 40


def evil() -> VerifyReport:
    finding = MISSING.model_copy(
        update={
            "subject": EVIL,
            "message": EVIL,
            "suggestion": EVIL,
            "task": EVIL,
            "evidence": (Evidence(path=EVIL, line=1, quote=EVIL), Evidence(path=EVIL, absent=True)),
            "edit": Edit(path=EVIL, start=1, end=1, old=EVIL, new="```\n</details>\n@all"),
        }
    )
    note = NOTE.model_copy(update={"subject": EVIL, "message": EVIL, "task": EVIL})
    judged = report(Verdict.NEEDS_FIX, finding, note, path=EVIL, reason=EVIL)
    records = tuple(each.model_copy(update={"reason": EVIL}) for each in judged.checks)
    return judged.model_copy(update={"checks": records})


def test_a_hostile_plan_stays_text_everywhere() -> None:
    expect("hostile", sticky(made(evil(), issues=[7], introduce=True)))
    expect("hostile-evidence", made(evil(), issues=[7]).notes[1].body)
    expect("hostile-check", shown(made(evil())))


def test_a_hostile_index_stays_text() -> None:
    top = (
        reuse()
        .matches[0]
        .model_copy(
            update={"id": EVIL, "owner": EVIL, "summary": EVIL, "consumption": EVIL, "shared": (EVIL,), "vector": EVIL}
        )
    )
    expect("hostile-plan-check", sticky(texts.issue(KEY, PLACE, reuse().model_copy(update={"matches": (top, top)}))))


def many(count: int) -> VerifyReport:
    long = "a very long message " * 40
    found = [
        MISSING.model_copy(update={"id": f"f-{n:06x}", "plan_line": n, "plan_end_line": n, "message": long})
        for n in range(1, count + 1)
    ]
    return report(Verdict.NEEDS_FIX, *found)


def test_a_list_that_is_cut_says_how_much_is_left_out() -> None:
    settled = [dismissed(RUNNER).model_copy(update={"id": f"f-{n:06x}"}) for n in range(60)]
    body = sticky(made(report(Verdict.NEEDS_FIX, MISSING, *settled), config_problems=["wrong"] * 53))
    assert "60 findings dismissed or repaired" in body
    assert "- and 10 more\n" in body
    assert "53 problems in the configuration" in body
    assert "- and 3 more\n" in body


def test_the_same_line_of_two_plans_keeps_two_decisions_apart() -> None:
    other = dismissed(RUNNER).model_copy(update={"plan_path": "plans/b.md"})
    decided = {(PLAN, RUNNER.id): "by `mona`: why", ("plans/b.md", RUNNER.id): "by `hubot`: because"}
    reports = report(Verdict.CLEAN, dismissed(RUNNER)), report(Verdict.CLEAN, other, path="plans/b.md")
    body = sticky(texts.pull_request(KEY, replace(PLACE, decided=decided), reports))
    assert body.count("by `mona`: why") == body.count("by `hubot`: because") == 1


def test_thousands_of_findings_fit_githubs_limits() -> None:
    publication = made(many(700), issues=[7], introduce=True)
    check = publication.check
    assert check is not None
    for note in publication.notes:
        assert length(note.body) <= COMMENT_LIMIT
        assert "**Cut here**" in note.body
        assert note.body.endswith("run 7f3c")
        assert note.body.count("<details>") == note.body.count("</details>")
    assert length(check.summary) <= CHECK_LIMIT
    assert length(check.text) <= CHECK_LIMIT
    assert len(check.title) <= 255
    assert len(check.annotations) == 250
    assert "700 findings to settle" in publication.notes[0].body


def test_a_path_of_four_thousand_characters() -> None:
    finding = MISSING.model_copy(
        update={"subject": "a/" * 2_000, "evidence": (Evidence(path="a/" * 2_000, absent=True),)}
    )
    assert length(sticky(made(report(Verdict.NEEDS_FIX, finding)))) < 5_000
