from __future__ import annotations

import pytest

from tests.core.verify.conftest import files, run
from tests.core.verify.targets.conftest import Aims

TREE = {
    "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n[workspace.dependencies]\nserde = "1"\n',
    "Cargo.lock": '[[package]]\nname = "itoa"\nversion = "1.0.0"\n',
    "crates/gear-core/Cargo.toml": '[package]\nname = "gear-core"\n[features]\nfast = []\n[dependencies]\n'
    'log = { version = "0.4", optional = true }\n',
    "crates/gear-core/src/lib.rs": "",
    "crates/gear-core/tests/turning.rs": "",
    "crates/gear-core/examples/clock/main.rs": "",
    "crates/gear-cli/Cargo.toml": '[package]\nname = "gear-cli"\n[[bin]]\nname = "gears"\npath = "src/main.rs"\n',
    "crates/gear-cli/src/main.rs": "",
    "crates/gear-cli/src/bin/wind.rs": "",
}


@pytest.mark.parametrize(
    ("command", "subject", "suggestion"),
    [
        ("cargo test -p gears-core", "gears-core", "gear-core"),
        ("cargo +nightly clippy --package=gear-clii --all-targets -- -D warnings", "gear-clii", "gear-cli"),
        ("cargo nextest run -p gear-core -p gear-ui", "gear-ui", "gear-cli"),
        ("cargo check -pgear-cor", "gear-cor", "gear-core"),
        ("cd crates/gear-cli && cargo build -p gear_core", "gear_core", "gear-core"),
        ("cargo test -p gear-core --test turn", "turn", "turning"),
        ("cargo test --test turnings", "turnings", "turning"),
        ("cargo run --bin geers", "geers", "gears"),
        ("cargo run -p gear-core --example clocks", "clocks", None),
        ("cargo test -p gear-core --features faster", "faster", "fast"),
        ("cargo test --manifest-path crates/gear-core/Cargo.toml -p gear-bore", "gear-bore", "gear-core"),
        ("cargo test crates/gear-core/tests/turning.rs", "crates/gear-core/tests/turning.rs", "--test turning"),
    ],
)
def test_what_no_crate_has_is_reported(aims: Aims, command: str, subject: str, suggestion: str | None) -> None:
    assert aims(TREE, command) == [(subject, suggestion)]


@pytest.mark.parametrize(
    "command",
    [
        "cargo test",
        "cargo test -p gear-core turning::fast",
        "cargo tree -p itoa",
        "cargo check -p serde@1.0.0",
        "cargo check -p log",
        "cargo test -p 'gear-*'",
        "cargo test -p $CRATE --test none",
        "cargo test -p gear-core --test turning -- --nocapture none",
        "cargo run -p gear-cli --bin gears -- --bin none",
        "cargo run --bin wind",
        "cargo run --bin gear-cli",
        "cargo run --example clock",
        "cargo test -p gear-core --features fast,log,default",
        "cargo test -p gear-core --features serde/std,dep:log",
        "cargo test --features none",
        "cargo test --workspace --exclude none",
        "! cargo test -p none",
        "cd elsewhere && cargo test -p none",
        "cargo install none",
        "cargo -Z unstable-options test -p none",
    ],
)
def test_what_is_there_or_cannot_be_known_is_not(aims: Aims, command: str) -> None:
    assert aims(TREE, command) == []


def test_a_package_that_an_earlier_task_adds_is_there(aims: Aims) -> None:
    create = files("Create: `crates/gear-ui/Cargo.toml`")
    assert aims(TREE, create, "cargo test -p gear-ui") == []
    assert aims(TREE, "cargo new crates/gear-ui", "cargo test -p gear-ui") == []


def test_after_a_change_to_a_manifest_the_targets_are_open_and_a_package_that_nothing_speaks_of_is_unknown(
    aims: Aims,
) -> None:
    change = files("Modify: `crates/gear-cli/Cargo.toml`")
    for tasks in ((change, "cargo test -p gear-ui"), ("cargo test -p gear-ui", change)):
        assert aims(TREE, *tasks) == [("gear-ui", "gear-cli")]
    assert aims(TREE, change, "cargo run -p gear-cli --bin axle") == []


@pytest.mark.parametrize(
    "change",
    [
        "Modify: `Cargo.toml` (gear-ui is a member)",
        "Create: `crates/ui/Cargo.toml`",
        "Create: `crates/gear_ui/src/lib.rs`",
        "Modify: `Cargo.toml`, where `gear_ui` joins the others",
    ],
)
def test_a_package_that_the_plan_speaks_of_or_has_a_folder_for_is_not_unknown(aims: Aims, change: str) -> None:
    assert aims(TREE, files("Modify: `Cargo.toml`", change), "cargo test -p gear-ui") == []


def test_a_folder_that_only_begins_like_the_package_is_none_of_it(aims: Aims) -> None:
    change = files("Create: `crates/gear-ui/Cargo.toml`")
    assert aims(TREE, change, "cargo test -p gear-ui-teeth") == [("gear-ui-teeth", None)]


def test_a_package_that_another_plan_of_the_folder_makes_is_not_missed(aims: Aims) -> None:
    other = {"docs/plans/2026-01-01-ui.md": "# UI\n\nCreate a new crate `gear-ui` beside the others.\n"}
    assert aims({**TREE, **other}, "cargo test -p gear-ui") == []


def test_a_test_target_that_its_task_creates_is_there(aims: Aims) -> None:
    made = run("cargo test -p gear-core --test winding", "PASS", "Test: `crates/gear-core/tests/winding.rs`")
    assert aims(TREE, made) == []


def test_a_red_step_may_name_what_is_still_to_come(aims: Aims) -> None:
    assert aims(TREE, run("cargo test -p gear-ui", "FAIL, there is no such package")) == []


def test_without_a_manifest_there_is_nothing_to_say(aims: Aims) -> None:
    assert aims({}, "cargo test -p gear-ui") == []


def test_a_manifest_that_is_not_toml_is_said(aims: Aims) -> None:
    assert "crates/a/Cargo.toml" in aims.notes({**TREE, "crates/a/Cargo.toml": "[package\n"}, "cargo test -p gear-ui")
