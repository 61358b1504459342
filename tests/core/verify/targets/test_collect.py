from __future__ import annotations

import pytest

from tests.core.verify.conftest import files, run
from tests.core.verify.targets.conftest import Aims

VITEST = '{"name": "web", "devDependencies": {"vitest": "^2"}, "scripts": {"test": "vitest"}}\n'
JEST = '{"name": "api", "devDependencies": {"jest": "^29"}}\n'
TREE = {
    "web/package.json": VITEST,
    "web/vitest.config.ts": "export default defineConfig({ test: { environment: 'jsdom' } })\n",
    "web/src/wheel.ts": "export {}\n",
    "web/src/wheel.test.ts": "import { test } from 'vitest'\n",
    "api/package.json": JEST,
    "api/src/wheel.js": "",
    "api/src/wheel.test.js": "import { test } from '@jest/globals'\n",
    "api/src/__tests__/belt.js": "",
    "lib/wheel.ts": "",
    "lib/wheel.test.mjs": "import { test } from 'node:test'\n",
    "lib/belt.test.mjs": "import { test } from 'vitest'\n",
    "tests/test_wheel.py": "",
    "pkg/wheel.rs": "",
}


@pytest.mark.parametrize(
    ("command", "subject", "message"),
    [
        ("pytest web/src/wheel.test.ts", "web/src/wheel.test.ts", "`pytest` does not run .ts files"),
        (
            "cd web && npx vitest run ../tests/test_wheel.py",
            "../tests/test_wheel.py",
            "`vitest` does not run .py files",
        ),
        ("pytest src/wheel.test.ts", "src/wheel.test.ts", "`pytest` does not run .ts files"),
        ("bats tests/test_wheel.py", "tests/test_wheel.py", "`bats` does not run .py files"),
        ("go test ./tests/test_wheel.py", "./tests/test_wheel.py", "`go test` does not run .py files"),
        (
            "cd web && npx vitest run src/wheel.ts",
            "src/wheel.ts",
            "`vitest` does not collect this file: its name fits none of the patterns for tests",
        ),
        (
            "cd api && npx jest src/wheel.js",
            "src/wheel.js",
            "`jest` does not collect this file: its name fits none of the patterns for tests",
        ),
        (
            "bun test lib/wheel.ts",
            "lib/wheel.ts",
            "`bun test` only collects files named `*.test.*` or `*.spec.*`, and this is none",
        ),
        (
            "node --test lib/belt.test.mjs",
            "lib/belt.test.mjs",
            "lib/belt.test.mjs is written for `vitest`, not for `node --test`",
        ),
        (
            "cd web && npx jest src/wheel.test.ts",
            "src/wheel.test.ts",
            "web/src/wheel.test.ts is written for `vitest`, not for `jest`",
        ),
        ("cd web && pnpm jest", "jest", "web/package.json has `vitest` and not `jest`, and no task adds one"),
        ("cd api && yarn vitest run", "vitest", "api/package.json has `jest` and not `vitest`, and no task adds one"),
        ("cd web && npx vitest run src/wheels.test.ts", "src/wheels.test.ts", "no such test, and no task creates it"),
        (
            "pnpm --filter web exec vitest run src/wheel.ts",
            "src/wheel.ts",
            "`vitest` does not collect this file: its name fits none of the patterns for tests",
        ),
        (
            "pnpm -C web exec vitest run src/wheels.test.ts",
            "src/wheels.test.ts",
            "no such test, and no task creates it",
        ),
        ("node --test lib/wheels.test.mjs", "lib/wheels.test.mjs", "no such test, and no task creates it"),
    ],
)
def test_a_file_that_the_runner_does_not_collect_is_reported(
    aims: Aims, command: str, subject: str, message: str
) -> None:
    assert [(each.subject, each.message) for each in aims.findings(TREE, command)] == [(subject, message)]
    assert aims(TREE, command)


@pytest.mark.parametrize(
    "command",
    [
        "pytest tests/test_wheel.py",
        "cd web && npx vitest run src/wheel.test.ts -t 'none/x.py'",
        "cd web && npx vitest run src/whe",
        "cd web && npx vitest related src/wheel.ts",
        "cd web && npx vitest run --project unit src/wheel.ts",
        "cd web && npx vitest run --passWithNoTests src/wheel.ts",
        "cd web && npx vitest --new-option src/wheel.ts",
        "cd api && npx jest src/__tests__/belt.js",
        "cd api && npx jest src/wheel.test.js",
        "bun test ./lib/wheel.ts",
        "bun test lib/wheel.test.mjs",
        "node --test lib/wheel.test.mjs",
        "node --test lib/wheel.ts",
        "node --test 'lib/*.test.mjs'",
        "pnpm --filter 'w*' exec vitest run src/wheel.ts",
        "pnpm --filter web exec vitest run src/wheel.test.ts",
        "cd web && npx -y jest",
        "cd web && npx jest@29",
        "npx jest",
        "cd web && ! npx vitest run src/none.test.ts",
        "cd web && npx playwright test",
        "bunx vitest run src/$NAME.test.ts",
    ],
)
def test_what_is_collected_or_cannot_be_known_is_not(aims: Aims, command: str) -> None:
    assert aims(TREE, command) == []


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ("export default { test: { include: ['src/**/*.ts'] } }", False),
        ("export default { test: { include: ['src/**/*.check.ts'] } }", True),
        ("export default { test: { include: ['src/**/*.check.ts'], coverage: { include: ['src/**'] } } }", False),
        ("export default { test: { include: PATTERNS } }", False),
        ("export default { test: { include: [...PATTERNS] } }", False),
        ("export default { test: { projects: ['a'] } }", False),
        ("export default mergeConfig(base, {})", False),
        ("export default { test: { include: ['src/*.[jt]s'] } }", False),
    ],
)
def test_only_literal_patterns_of_a_configuration_are_read(aims: Aims, config: str, found: bool) -> None:
    tree = {**TREE, "web/vitest.config.ts": f"{config}\n"}
    assert bool(aims(tree, "cd web && npx vitest run src/wheel.ts")) is found


def test_a_configuration_that_is_not_literal_is_said(aims: Aims) -> None:
    tree = {**TREE, "web/vitest.config.ts": "export default mergeConfig(base, {})\n"}
    assert "web/vitest.config.ts is not literal" in aims.notes(tree, "cd web && npx vitest run src/wheel.ts")


def test_jest_settings_in_the_manifest_leave_the_question_open(aims: Aims) -> None:
    tree = {**TREE, "api/package.json": '{"devDependencies": {"jest": "1"}, "jest": {"testMatch": ["**/*.js"]}}\n'}
    assert aims(tree, "cd api && npx jest src/wheel.js") == []


def test_a_runner_that_the_plan_installs_is_there(aims: Aims) -> None:
    assert aims(TREE, "cd web && pnpm add -D jest", "cd web && npx jest") == []
    assert aims(TREE, files("Modify: `web/package.json`"), "cd web && npx jest") == []


def test_a_runner_of_the_root_or_inside_a_preset_is_there(aims: Aims) -> None:
    root = {"package.json": '{"devDependencies": {"jest": "1"}}\n'}
    assert aims({**TREE, **root}, "cd web && npx jest") == []
    preset = {"web/package.json": '{"devDependencies": {"vitest": "1", "ts-jest": "1"}}\n'}
    assert aims({**TREE, **preset}, "cd web && npx jest") == []


def test_a_test_file_that_its_task_creates_is_there(aims: Aims) -> None:
    made = run("cd web && npx vitest run src/axle.test.ts", "PASS", "Create: `web/src/axle.test.ts`")
    assert aims(TREE, made) == []


def test_a_new_file_with_a_name_that_is_passed_over_is_reported(aims: Aims) -> None:
    made = run("cd web && npx vitest run src/axle.ts", "PASS", "Create: `web/src/axle.ts`")
    assert [each[0] for each in aims(TREE, made)] == ["src/axle.ts"]


@pytest.mark.parametrize(
    "command",
    [
        "pnpm --filter 'w*' exec vitest run src/wheels.test.ts",
        "cd web && npm test -- src/wheels.test.ts",
        "npx vitest run src/wheels.test.ts",
    ],
)
def test_from_an_unknown_folder_a_name_that_is_nearly_right_is_still_wrong(aims: Aims, command: str) -> None:
    tree = {path: text for path, text in TREE.items() if not path.startswith("api/")}
    assert aims(tree, command) == [("src/wheels.test.ts", "web/src/wheel.test.ts")]
    assert aims(tree, command.replace("wheels", "quite-another")) == []


def test_a_name_nearly_that_of_a_file_which_the_plan_creates_is_wrong(aims: Aims) -> None:
    create = files("Create: `web/src/axle.test.ts`")
    assert aims(TREE, create, "cd web && npx vitest run src/axles.test.ts") == [
        ("src/axles.test.ts", "web/src/axle.test.ts")
    ]


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ("export default { test: { include: ['src/**/*.test.ts'] } }", True),
        ("export default { test: { environment: 'node', include: ['src/**/*.test.ts'] } }", True),
        ("export default { test: { include: ['**/*.spec.ts'] } }", False),
        ("export default { test: { include: PATTERNS } }", False),
        ("export default { test: { coverage: { include: ['src/**'] } } }", False),
        ("export default { test: { include: ['src/**/*.test.ts'], coverage: { include: ['src/**'] } } }", False),
        ("export default { optimizeDeps: { include: ['src/a.test.ts'] }, test: {} }", False),
        ("export default { test: { include: ['src/**/*.test.ts'], projects: ['a'] } }", False),
        ("export default { test: { environment: 'node' } }", False),
    ],
)
def test_a_test_that_the_patterns_of_the_configuration_leave_out_is_not_run(
    aims: Aims, config: str, found: bool
) -> None:
    tree = {**TREE, "web/vitest.config.ts": config + "\n"}
    task = run("cd web && npx vitest run checks/belt.spec.ts", "PASS", "Create: `web/checks/belt.spec.ts`")
    assert aims(tree, task) == ([("checks/belt.spec.ts", None)] if found else [])
    change = run("cd web && npx vitest run checks/belt.spec.ts", "PASS", "Modify: `web/vitest.config.ts`")
    assert aims(tree, files("Create: `web/checks/belt.spec.ts`"), change) == []


@pytest.mark.parametrize(
    "command",
    [
        "npm --prefix web exec vitest run src/wheel.ts",
        "npm -C web exec vitest run src/wheel.ts",
        "pnpm --prefix=web exec vitest run src/wheel.ts",
        "yarn --cwd web vitest run src/wheel.ts",
    ],
)
def test_a_package_manager_works_in_the_folder_of_its_option(aims: Aims, command: str) -> None:
    assert [subject for subject, _ in aims(TREE, command)] == ["src/wheel.ts"]


def test_a_configuration_that_the_plan_changes_is_said(aims: Aims) -> None:
    change = run("cd web && npx vitest run src/wheel.ts", "PASS", "Modify: `web/vitest.config.ts`")
    said = "the plan may change web/vitest.config.ts, so the files that `vitest` collects are not known"
    assert aims.notes(TREE, change) == said
