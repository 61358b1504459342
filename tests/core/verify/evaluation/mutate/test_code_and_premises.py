"""Seeded files and definitions that are there already, and claims about code that the tree denies."""

from __future__ import annotations

from bot.core.verify.evaluation.mutate import existing_code, false_premise
from tests.core.verify.evaluation.mutate.conftest import TEXT, TREE, Shop, shown

GO = """# Ratio Plan

### Task 1: Ratio

**Files:**
- Create: `gear/ratio.go`

- [ ] **Step 1: Add `RatioOf`**

```go
package gear

func RatioOf(a, b int) int {
	return a / b
}
```
"""


def test_a_created_file_is_added_to_the_tree_and_the_plan_stays(shop: Shop) -> None:
    (mutant,) = shop.seeded(existing_code.file_is_there)
    assert list(mutant.files) == ["src/teeth.py"]
    assert mutant.files["src/teeth.py"]
    assert mutant.documents[0].text == TEXT


def test_a_created_file_is_there_in_other_letters(shop: Shop) -> None:
    (mutant,) = shop.seeded(existing_code.file_is_there_in_other_letters)
    assert list(mutant.files) == ["src/Teeth.py"]


def test_a_lock_file_that_tools_write_is_not_called_existing_code(shop: Shop) -> None:
    text = TEXT.replace("src/teeth.py", "src/teeth.lock")
    assert not shop.seeded(existing_code.file_is_there, text)


def test_the_go_package_of_a_new_file_has_the_function_already(shop: Shop) -> None:
    files = {**TREE, "gear/gear.go": "package gear\n"}
    (mutant,) = shop.seeded(existing_code.package_defines_it, GO, files)
    ((path, content),) = mutant.files.items()
    assert path.startswith("gear/")
    assert content is not None
    assert b"func RatioOf(" in content
    assert "func RatioOf(a, b int) int {" in shown(mutant)


def test_a_package_of_another_name_in_that_folder_proves_nothing(shop: Shop) -> None:
    assert not shop.seeded(existing_code.package_defines_it, GO, {**TREE, "gear/gear.go": "package teeth\n"})


def test_a_module_defines_what_the_plan_announces_as_new(shop: Shop) -> None:
    text = TEXT.replace(
        "Call the counter where the axle is built.",
        "In `src/axle.py`, add `count_spokes`:\n\n```python\ndef count_spokes(rim: int) -> int:\n    return rim\n```",
    )
    (mutant,) = shop.seeded(existing_code.module_defines_it, text)
    content = mutant.files["src/axle.py"]
    assert content is not None
    assert content.startswith(b"GREASE = 3\n")
    assert b"def count_spokes(" in content


def test_a_cited_range_lies_beyond_the_end_of_the_file(shop: Shop) -> None:
    mutant = shop.seeded(false_premise.lines_beyond_the_end)[0]
    assert shown(mutant) == ["- Modify: `src/wheel.py:182-194`"]


def test_a_file_that_an_earlier_task_changes_may_be_long_by_then(shop: Shop) -> None:
    text = TEXT.replace("- Modify: `README.md`", "- Modify: `src/wheel.py`")
    changed = [mutant.seed.spots[0].first for mutant in shop.seeded(false_premise.lines_beyond_the_end, text)]
    assert text.split("\n").index("### Task 3: Tell people") + 1 > max(changed)


def test_a_function_that_a_task_builds_on_was_renamed(shop: Shop) -> None:
    text = TEXT.replace("Say what the count is for.", "Explain `turn_wheel` in `src/axle.py`.")
    files = {**TREE, "src/axle.py": "def turn_wheel() -> None:\n    pass\n"}
    text = text.replace("- Modify: `src/axle.py`\n", "")
    (mutant,) = shop.seeded(false_premise.symbol_is_gone, text, files)
    assert mutant.files == {"src/axle.py": b"def turn_wheel_v0() -> None:\n    pass\n"}
    assert shown(mutant) == ["Explain `turn_wheel` in `src/axle.py`."]


def test_a_function_that_a_task_adds_is_not_missed(shop: Shop) -> None:
    text = TEXT.replace("Say what the count is for.", "Add `turn_wheel` to `src/axle.py`.")
    assert not shop.seeded(false_premise.symbol_is_gone, text)


def test_quoted_code_differs_from_the_file_in_a_name(shop: Shop) -> None:
    text = TEXT.replace(
        "Call the counter where the axle is built.",
        "In `src/axle.py` replace the current code:\n\n```python\nGREASE = 3\nHANDLE = 4\n```",
    )
    files = {**TREE, "src/axle.py": "GREASE = 3\nHANDLE = 4\n"}
    (in_plan,) = shop.seeded(false_premise.quote_is_altered_in_the_plan, text, files)
    assert "GREASEV0 = 3" in shown(in_plan)
    (in_tree,) = shop.seeded(false_premise.quote_is_altered_in_the_tree, text, files)
    assert in_tree.files == {"src/axle.py": b"GREASEV0 = 3\nHANDLE = 4\n"}


def test_code_to_be_written_is_no_quote(shop: Shop) -> None:
    text = TEXT.replace(
        "It takes the wheel.", "With the new code in `src/axle.py`:\n\n```python\nGREASE = 3\nA = 1\n```"
    )
    assert not shop.seeded(
        false_premise.quote_is_altered_in_the_plan, text, {**TREE, "src/axle.py": "GREASE = 3\nA = 1\n"}
    )


def test_a_manifest_is_said_to_have_what_it_has_not(shop: Shop) -> None:
    mutant = shop.seeded(false_premise.manifest_has_it_not)[0]
    assert shown(mutant) == [
        "The dependency `gearbox-core` is already in `pyproject.toml`; nothing is to be installed."
    ]
