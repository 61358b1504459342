"""A small repository of our own, and a plan for it that holds one defect of each kind the static verifier knows."""

from __future__ import annotations

STORE = '''"""Widgets, kept in memory."""

from __future__ import annotations


class Store:
    """Keeps widgets by name."""

    def __init__(self) -> None:
        self._widgets: dict[str, dict[str, object]] = {}

    def put(self, name: str, widget: dict[str, object]) -> None:
        self._widgets[name] = widget

    def get(self, name: str) -> dict[str, object] | None:
        return self._widgets.get(name)

    def names(self) -> list[str]:
        return sorted(self._widgets)
'''

CLIENT = '''"""Talks to the widget service."""

from __future__ import annotations

from widgets.store import Store


class Client:
    def __init__(self, store: Store) -> None:
        self.store = store

    def fetch(self, name: str) -> dict[str, object] | None:
        return self.store.get(name)
'''

TEST_STORE = """from widgets.store import Store


def test_what_was_put_can_be_got() -> None:
    store = Store()
    store.put("bolt", {"size": 4})
    assert store.get("bolt") == {"size": 4}
"""

INDEX = """updated: {today}
collision_policy: warn
capabilities:
  - id: capability.transport.retry
    name: Retry with backoff
    summary: Retry failed calls with exponential backoff and jitter.
    owner: transport-core
    source_repo: transport-core
    vector: D4 / A3 / C2 / R2
    tags: [retry, backoff, http]
  - id: capability.infotech.issue-tracking
    name: Issue tracking
    summary: One interface for issues across several trackers.
    owner: issue-core
    source_repo: issue-core
    vector: D4 / A2 / C2 / R1
    tags: [issue, tracking, cli]
"""

CONFIG = "index: registry/indexes/federated.yaml\n"


def files(today: str) -> dict[str, str]:
    """The repository before the plan: path -> text. `today` (YYYY-MM-DD) is the day the index was composed."""
    return {
        ".github/planproof.yml": CONFIG,
        "Makefile": "test:\n\tpytest\n\nlint:\n\truff check .\n",
        "README.md": "# Widgets\n\nA small service that keeps widgets.\n",
        "pyproject.toml": '[project]\nname = "widgets"\nversion = "0.1.0"\n',
        "registry/indexes/federated.yaml": INDEX.format(today=today),
        "src/widgets/__init__.py": "",
        "src/widgets/client.py": CLIENT,
        "src/widgets/store.py": STORE,
        "tests/test_store.py": TEST_STORE,
        "web/package.json": '{"name": "web", "scripts": {"build": "vite build", "test": "vitest run"}}\n',
    }


PLAN_PATH = "docs/plans/2026-11-30-retry.md"

# the zero-width space stands in Task 6, between "quick" and "ly"
FLAWED_PLAN = """# Retry failed calls with exponential backoff

> **For agentic workers:** work through the tasks in order.

**Goal:** Calls that fail for a moment are repeated with a growing pause.

**Architecture:** A retry policy of its own, used by the client.

---

### Task 1: Policy

**Files:**
- Create: `src/widgets/retry.py`
- Test: `tests/test_retry.py`

- [ ] **Step 1: Write the failing test**

Run: `pytest tests/test_retry.py -v`
Expected: FAIL with "No module named widgets.retry"

- [ ] **Step 2: Write the policy, then run the test again**

Run: `pytest tests/test_retry.py -v`
Expected: PASS

### Task 2: Client

**Files:**
- Modify: `src/widgets/clients.py`
- Modify: `src/widgets/backoff.py`

- [ ] **Step 1: Use the policy in `fetch`**

Run: `pytest tests/test_store.py::test_what_was_put_can_be_read -v`
Expected: PASS

### Task 3: Pauses

**Files:**
- Create: `src/widgets/backoff.py`

- [ ] **Step 1: Write the pause as a function of the attempt**

Run: `make typecheck`
Expected: PASS

### Task 4: Store

**Files:**
- Create: `src/widgets/store.py`

- [ ] **Step 1: Keep the number of attempts beside each widget**

Run: `pytest tests/test_store.py -v`
Expected: PASS

### Task 5: Page

**Files:**
- Modify: `src/widgets/client.py:40-52`

- [ ] **Step 1: Show the attempts on the page**

Run: `cd web && npm run typecheck`
Expected: PASS

### Task 6: Errors

**Files:**
- Modify: `src/widgets/__init__.py`

Errors come back quick\u200bly.

- [ ] **Step 1: TBD**

Run: `make test`
Expected: PASS
"""

SETTLED_PLAN = """# Retry failed calls with exponential backoff

**Goal:** Calls that fail for a moment are repeated with a growing pause.

---

### Task 1: Policy

**Files:**
- Create: `src/widgets/retry.py`
- Test: `tests/test_retry.py`

- [ ] **Step 1: Write the failing test**

Run: `pytest tests/test_retry.py -v`
Expected: FAIL with "No module named widgets.retry"

- [ ] **Step 2: Write the policy, then run the test again**

Run: `pytest tests/test_retry.py -v`
Expected: PASS

### Task 2: Client

**Files:**
- Modify: `src/widgets/client.py:8-13`
- Modify: `src/widgets/retry.py`

- [ ] **Step 1: Use the policy in `fetch`**

Run: `make test`
Expected: PASS
"""

ISSUE_TITLE = "Retry failed calls with exponential backoff"
ISSUE_PLAN = """---
type: workplan
title: Retry failed calls with exponential backoff
---

Retry failed calls with exponential backoff and jitter.

### Task 1: Policy

Write the policy.
"""

DEFECTS = (
    "src/widgets/clients.py",  # missing_path
    "src/widgets/backoff.py",  # task_order
    "src/widgets/store.py",  # ignores_existing_code
    "src/widgets/client.py:40-52",  # false_premise
    "test_what_was_put_can_be_read",  # verify_form, a test that is not there
    "typecheck",  # verify_form, a make target and a script that are not there
    "TBD",  # placeholder
    "U+200B",  # hidden_text
)
"""What the report on FLAWED_PLAN names, one subject of each kind."""
