"""Seeded paths that are nowhere, and tasks in an order that cannot be."""

from __future__ import annotations

from bot.core.verify.evaluation.mutate import missing_path, task_order
from tests.core.verify.evaluation.mutate.conftest import TEXT, TREE, Shop, shown


def test_a_changed_file_gets_a_name_that_neither_tree_nor_plan_knows(shop: Shop) -> None:
    names = [mutant.seed.what for mutant in shop.seeded(missing_path.renamed_in_plan)]
    assert names == [
        "src/wheel.py is written src/wheels.py",
        "src/axle.py is written src/axles.py",
        "README.md is written READMEs.md",
    ]


def test_every_mention_of_the_file_is_renamed_and_every_one_counts_as_the_place(shop: Shop) -> None:
    text = TEXT.replace("Pass it the wheel.", "Pass it the wheel of `src/axle.py`.")
    mutant = next(each for each in shop.seeded(missing_path.renamed_in_plan, text) if "axle" in each.seed.what)
    assert shown(mutant) == ["- Modify: `src/axles.py`", "Pass it the wheel of `src/axles.py`."]
    assert "src/axle.py" not in mutant.documents[0].text


def test_a_file_that_the_plan_makes_is_not_taken_for_one_it_must_find(shop: Shop) -> None:
    every = [*shop.seeded(missing_path.renamed_in_plan), *shop.seeded(missing_path.removed_from_tree)]
    assert every
    assert not any("src/teeth.py" in mutant.seed.what for mutant in every)


def test_a_hedged_change_is_left_alone(shop: Shop) -> None:
    text = TEXT.replace("- Modify: `README.md`", "- Modify: `README.md` (if it exists)")
    assert not any("README" in mutant.seed.what for mutant in shop.seeded(missing_path.renamed_in_plan, text))


def test_a_file_of_a_table_of_new_tests_is_not_said_to_be_there(shop: Shop) -> None:
    text = TEXT + "\n## New tests\n\n| `src/axle.py` | it turns |\n"
    assert not any("axle" in mutant.seed.what for mutant in shop.seeded(missing_path.removed_from_tree, text))


def test_done_work_is_left_alone(shop: Shop) -> None:
    text = TEXT.replace("- [ ] **Step 1: Describe it**", "- [x] **Step 1: Describe it**")
    assert not any("README" in mutant.seed.what for mutant in shop.seeded(missing_path.renamed_in_plan, text))


def test_a_removed_file_leaves_the_plan_as_it_is(shop: Shop) -> None:
    mutant = shop.seeded(missing_path.removed_from_tree)[0]
    assert mutant.files == {"src/wheel.py": None}
    assert mutant.documents[0].text == TEXT


def test_a_file_that_another_plan_speaks_of_is_not_removed(shop: Shop) -> None:
    files = {**TREE, "docs/plans/2026-01-01-wheels.md": "- Create: `src/wheel.py`\n"}
    removed = [next(iter(mutant.files)) for mutant in shop.seeded(missing_path.removed_from_tree, TEXT, files)]
    assert removed == ["src/axle.py", "README.md"]


def test_a_phantom_directory_is_nowhere(shop: Shop) -> None:
    mutant = shop.seeded(missing_path.phantom_directory)[0]
    assert shown(mutant) == ["- Modify: `src-core/wheel.py`"]


def test_a_deletion_of_what_never_was_comes_below_the_bullets_of_a_task(shop: Shop) -> None:
    mutant = shop.seeded(missing_path.deletes_what_is_not_there)[0]
    assert shown(mutant) == ["- Delete: `src/wheel_legacy.py`"]


def test_the_maker_of_a_file_is_moved_behind_its_user_and_both_are_numbered_anew(shop: Shop) -> None:
    (mutant,) = shop.seeded(task_order.maker_moved_behind)
    text = mutant.documents[0].text
    assert text.index("### Task 1: Use the count") < text.index("### Task 2: Count")
    assert shown(mutant) == ["- Modify: `src/teeth.py`"]
    assert sorted(text.split("\n")) == sorted(
        TEXT.replace("Task 1: Count", "Task 2: Count").replace("Task 2: Use", "Task 1: Use").split("\n")
    )


def test_a_plan_that_gives_its_own_order_keeps_it(shop: Shop) -> None:
    text = TEXT + "\n## Execution order\n\nAs you like.\n"
    assert not shop.seeded(task_order.maker_moved_behind, text)
    assert not shop.seeded(task_order.depends_on_a_later_task, text)


def test_an_earlier_task_changes_what_a_later_one_makes(shop: Shop) -> None:
    text = TEXT.replace("- Modify: `README.md`", "- Modify: `README.md`\n- Create: `src/brake.py`")
    (mutant,) = shop.seeded(task_order.modified_before_it_is_made, text)
    assert shown(mutant) == ["- Modify: `src/brake.py`"]
    lines = mutant.documents[0].text.split("\n")
    assert mutant.seed.spots[0].first < lines.index("### Task 3: Tell people") + 1


def test_what_is_deleted_too_early_is_seen_where_it_is_changed(shop: Shop) -> None:
    mutant = shop.seeded(task_order.modified_after_it_is_deleted)[0]
    assert "- Delete: `src/axle.py`" in mutant.documents[0].text
    assert shown(mutant) == ["- Modify: `src/axle.py`"]


def test_a_dependency_on_a_later_and_on_no_task_is_a_line_of_its_own(shop: Shop) -> None:
    assert shown(shop.seeded(task_order.depends_on_a_later_task)[0])[0] == "**Depends on:** Task 3"
    assert shown(shop.seeded(task_order.depends_on_no_task)[0])[0] == "**Depends on:** Task 92"


def test_a_number_of_three_digits_stays_one(shop: Shop) -> None:
    text = "# Tasks\n\n- [ ] T001 Make `src/a.py`\n- [ ] T002 Make `src/b.py`\n- [ ] T003 Make `src/c.py`\n"
    mutant = shop.seeded(task_order.depends_on_no_task, text, TREE, path="specs/001-teeth/tasks.md")[0]
    assert shown(mutant) == ["- [ ] T002 Make `src/b.py` (depends on T092)"]


def test_tasks_that_share_a_number_already_are_not_made_to_wait_for_each_other(shop: Shop) -> None:
    text = TEXT.replace("### Task 2:", "### Task 1:")
    assert not any("Task 1" in mutant.seed.what for mutant in shop.seeded(task_order.two_wait_for_each_other, text))
    assert not shop.seeded(task_order.same_id_twice, text)


def test_two_tasks_of_one_phase_write_one_file_in_parallel(shop: Shop) -> None:
    text = (
        "# Tasks\n\n## Phase 1\n\n- [ ] T001 [P] Make a tooth in `src/a.py`\n- [ ] T002 Make a cog in `src/b.py`\n\n"
        "## Phase 2\n\n- [ ] T003 [P] Make a rim in `src/c.py`\n"
    )
    (mutant,) = shop.seeded(task_order.parallel_on_one_file, text, TREE, path="specs/001-teeth/tasks.md")
    assert shown(mutant) == [
        "- [ ] T001 [P] Make a tooth in `src/a.py`",
        "- [ ] T002 [P] Make a cog in `src/a.py`",
    ]
