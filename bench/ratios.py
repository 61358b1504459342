"""Speed as ratios, measured side by side in one run: `python -m bench.ratios`.

Each row is ours over something that everybody has (git, another parser), best of several rounds, beside the bar that is
aimed at. Both are run in each round, one after the other, so that a busy machine slows both. A ratio says the same on a
slow and on a fast machine; milliseconds are printed to be looked at. Nothing here fails: a row over its bar is marked.
"""

from __future__ import annotations

import gc
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

from markdown_it import MarkdownIt

from bot.core.listing import ListingCache
from bot.core.plans import markdown, parse
from bot.core.plans.model import Document
from bot.core.reuse import Options, intent_query, load_index, plan_check
from bot.core.tree import Tree, open_repository
from bot.core.verify.report import verify
from bot.events import parse as decode

FILES = 100_000
FOLDERS = 10_000
CITED = 160
SUFFIXED = 40
READ = 50
ROWS = 10_000
ROUNDS = 15
STARTS = 7


def best(*works: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """Seconds of the fastest of `rounds` of each; they take turns."""
    times = [float("inf")] * len(works)
    for _ in range(rounds):
        for index, work in enumerate(works):
            gc.collect()
            start = time.perf_counter()
            kept = work()
            times[index] = min(times[index], time.perf_counter() - start)
            del kept  # what it made is let go of when the clock stands
    return times


def row(what: str, ours: float, theirs: float, bar: float, *, at_least: bool = False) -> None:
    """`at_least`: the other one should take at least `bar` times as long; else ours at most."""
    ratio = theirs / ours if at_least else ours / theirs
    kept = ratio >= bar if at_least else ratio <= bar
    sign = "≥" if at_least else "≤"
    mark = "" if kept else "   over the bar"
    print(f"{what:<58} {ratio:7.2f} ×  {sign} {bar:<5g} {ours * 1000:9.1f} ms against {theirs * 1000:9.1f} ms{mark}")


def repository(folder: Path) -> tuple[Path, list[str]]:
    """A bare repository of FILES files, and their paths."""
    paths = [f"src/area{n // 1_000}/part{n // (FILES // FOLDERS)}/module_{n}.py" for n in range(FILES)]
    texts = [module_text(n) for n in range(READ)]
    blobs = "".join(f"blob\nmark :{n + 1}\ndata {len(text)}\n{text}\n" for n, text in enumerate(texts))
    changes = "".join(f"M 100644 :{n % READ + 1} {path}\n" for n, path in enumerate(paths))
    head = "commit refs/heads/main\ncommitter a <a@example.com> 1700000000 +0000\ndata 1\nx\n"
    git = folder / "bench.git"
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", str(git)], check=True)
    subprocess.run(
        ["git", "-C", str(git), "fast-import", "--quiet"], input=f"{blobs}{head}{changes}\n".encode(), check=True
    )
    return git, paths


def module_text(number: int) -> str:
    """One of the READ modules of which the repository's files are copies; it defines `part_<number>`."""
    others = "".join(f"\n\ndef helper_{n}(value: int) -> int:\n    return value + {n}\n" for n in range(10))
    return f"def part_{number}(value: int) -> int:\n    return value * {number}\n{others}"


def plan_text(paths: list[str]) -> str:
    """A plan that cites files by their path, of which the first READ differ in content and are cited with lines and
    with a name that they define, and others by the end of their path."""
    read = [paths[n * (FILES // READ) + n] for n in range(READ)]
    others = random.Random(1).sample(paths, CITED + SUFFIXED)  # noqa: S311 - a bench repeats itself
    chosen = [*read, *(path for path in others if path not in read)][: CITED + SUFFIXED]
    tasks = []
    for n in range(0, len(chosen), 10):
        bullets = []
        for m, path in enumerate(chosen[n : n + 10]):
            cited = path if n + m < CITED else path.split("/", 1)[1]
            bullets.append(f"- Modify: `{cited}:1-2` (`part_{n + m}`)" if n + m < READ else f"- Modify: `{cited}`")
        tasks.append(f"### Task {n // 10 + 1}: part\n\n**Files:**\n" + "\n".join(bullets) + "\n")
    return "# Bench Plan\n\n" + "\n".join(tasks)


def verifying(folder: Path) -> None:
    git, paths = repository(folder)
    document = Document("docs/plans/bench.md", plan_text(paths))
    plan = parse([document])
    if sum(len(task.symbols) for task in plan.tasks) != READ:
        raise RuntimeError("the bench's plan does not say what it should")
    cache = ListingCache()

    def listed() -> object:
        return subprocess.run(
            ["git", "-C", str(git), "ls-tree", "-r", "-z", "main"], stdout=subprocess.DEVNULL, check=True
        )

    def judged(listings: ListingCache) -> object:
        tree = Tree.open(open_repository(git), "main", listings=listings)
        return verify(plan, tree), tree, listings

    judged(cache)
    cold, warm, listing = best(lambda: judged(ListingCache()), lambda: judged(cache), listed)
    row(f"verify, {FILES:,} files, listing cold / git ls-tree", cold, listing, 4)
    row("verify, the next plan on that commit / git ls-tree", warm, listing, 0.5)
    (folder / "bench.md").write_text(document.text, encoding="utf-8")
    command = [sys.executable, "-m", "bot.cli", "verify", "--repo", str(git), "--rev", "main", "--format", "json"]
    pushed = subprocess.run(
        ["git", "-C", str(git), "hash-object", "-w", str(folder / "bench.md")],
        capture_output=True,
        check=True,
        text=True,
    ).stdout.strip()
    tree = f"100644 blob {pushed}\tbench.md\n"
    made = subprocess.run(["git", "-C", str(git), "mktree"], input=tree, capture_output=True, check=True, text=True)
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com"}
    who |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com"}
    commit = subprocess.run(
        ["git", "-C", str(git), "commit-tree", made.stdout.strip(), "-m", "x"],
        capture_output=True,
        check=True,
        text=True,
        env=who,
    ).stdout.strip()
    # compiled once, as an installation is
    compiled = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    compiled.pop("PYTHONDONTWRITEBYTECODE", None)

    def commanded() -> object:
        done = subprocess.run(
            [*command, "--plan-rev", commit, "bench.md"], capture_output=True, check=False, env=compiled
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode())
        return done

    commanded()
    (whole,) = best(commanded, rounds=STARTS)
    row("the whole command / 0.6 s", whole, 0.6, 1)


def reading() -> None:
    block = "### Task {n}: part\n\n**Files:**\n- Modify: `src/a{n}.py:1-9`\n- Create: `src/b{n}.py`\n\n"
    block += "- [ ] **Step 1: Write *it* down** in [the file](src/a{n}.py)\n\n"
    block += "```python\nx = {n}\n```\n\nRun: `pytest -q`\n\n"
    text = "# Plan\n\n" + "".join(block.replace("{n}", str(n)) for n in range(2_000 // block.count("\n")))
    parser = MarkdownIt("commonmark").enable("table")
    lines = text.count("\n")
    ours, theirs = best(lambda: markdown.read(text), lambda: parser.parse(text))
    row(f"reading {lines:,} lines of Markdown, markdown-it-py / ours", ours, theirs, 5, at_least=True)


def matching() -> None:
    words = [f"{a}{b}" for a in ("data", "web", "log", "task", "user", "file") for b in range(400)]
    pick = random.Random(2)  # noqa: S311 - a bench repeats itself
    rows = [
        {
            "id": f"capability.x.n{n}",
            "name": " ".join(pick.sample(words, 3)),
            "summary": " ".join(pick.sample(words, 15)),
        }
        for n in range(ROWS)
    ]
    index = load_index(json.dumps({"updated": "2026-01-01", "capabilities": rows}))
    queries = [intent_query(" ".join(pick.sample(words, 6))) for _ in range(50)]
    works = [lambda q=query: plan_check(q, index, Options(), date(2026, 1, 2)) for query in queries]
    times = sorted(best(*works, rounds=3))
    row(f"plan check, {ROWS:,} rows, p50 / 5 ms", times[len(times) // 2], 0.005, 1)


def decoding() -> None:
    user = {"id": 1, "login": "octo", "type": "User"}
    repo = {"id": 2, "name": "r", "owner": user, "default_branch": "main", **{f"u{n}_url": "x" * 60 for n in range(60)}}
    pull = {
        "number": 3,
        "head": {"sha": "a" * 40, "repo": repo},
        "base": {"ref": "main", "repo": repo},
        "body": "x" * 4_000,
    }
    raw = json.dumps({"action": "opened", "number": 3, "pull_request": pull, "repository": repo, "sender": user})
    payload = json.loads(raw)
    ours, theirs = best(
        lambda: [decode("pull_request", "guid", payload) for _ in range(100)],
        lambda: [json.loads(raw) for _ in range(100)],
    )
    row(f"an event out of {len(raw) // 1024} KB / json.loads of it", ours, theirs, 1)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="planproof-bench-") as folder:
        verifying(Path(folder))
    reading()
    matching()
    decoding()
    return 0


if __name__ == "__main__":
    sys.exit(main())
