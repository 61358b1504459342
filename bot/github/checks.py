"""Our check runs on one commit. Whoever writes one does it here, under the lock of the commit: it may be the head of
several pull requests, and jobs about these overlap.

GitHub's documentation of check runs: https://docs.github.com/en/rest/checks/runs
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import Any

from bot import logs
from bot.github.client import Installation
from bot.github.errors import LostAnswer, Refused
from bot.github.models import CheckRun
from bot.github.publication import ANNOTATIONS_A_REQUEST, CHECK_NAME, Annotation, Check, same
from bot.github.texts import check_run as wording

log = logs.named("github")

TRIES = 3
"""How often a write whose answer was lost is looked for and, where it did not happen, sent again."""

Still = Callable[[], Awaitable[None]]
"""Raises where the check run is not to be written any more; asked before every write."""


class Checks:
    """The check runs of our name on `head`, a commit's id.

    What gives back a truth value says whether GitHub confirmed it: False means that an answer was lost, `TRIES` times,
    so that somebody has to look again. An archived repository takes no writes and nobody waits for one, which counts as
    confirmed. `check_id` is the run that a required check asks, once it is known, and `writes` counts requests that
    change something. All raise the errors of `bot.github.errors`.
    """

    def __init__(self, gh: Installation, head: str) -> None:
        self._gh = gh
        self._head = head
        self.check_id: int | None = None
        self.writes = 0

    async def settle(self, check: Check, key: str, *, still: Still, rewrite: bool = False) -> None:
        """One completed check run that says `check`; `key` is its external id where it is made. `rewrite`: someone
        waits for it, so it is completed anew also when it says the same already. Raises LostAnswer where GitHub does
        not confirm it, PermissionMissing and Refused where it takes none, and what `still` raises."""
        async with self._lock:
            for tries in range(TRIES):
                try:
                    await self._settle(check, key, still, rewrite)
                    return
                except LostAnswer:
                    if tries == TRIES - 1:
                        raise

    async def cancel(self, title: str) -> bool:
        """Cancel those that are not completed; the only write that a head which moved on still gets."""
        async with self._lock:
            return await self._cancel(title)

    async def stop(self, key: str) -> bool:
        """Someone stopped the judging of this head: cancel its check run, made for that where there is none, so that a
        required check does not wait for ever. A completed one stays as it is. Raises LostAnswer where one cannot be
        made."""
        heading, summary = wording.stopped(wording.STOPPED_TITLE)
        fields = _ended(heading, summary) | {"name": CHECK_NAME, "head_sha": self._head, "external_id": key}
        async with self._lock:
            for tries in range(TRIES):
                if await self._runs():
                    return await self._cancel(wording.STOPPED_TITLE)
                try:
                    await self._gh.create_check_run(fields)
                except LostAnswer:
                    if tries == TRIES - 1:
                        raise
                    continue
                except Refused as refused:
                    if not refused.archived:
                        raise
                self.writes += 1
                return True
        return False

    async def repeat(self, title: str) -> bool:
        """Answer a Re-run on a commit that is not judged: its check run is completed again as it was, or as cancelled,
        under `title`, where it never was. GitHub shows the commit as waiting until then."""
        async with self._lock:
            runs = await self._runs()
            if not runs or runs[-1].status != "completed" or not runs[-1].conclusion:
                return await self._cancel(title)
            for _ in range(TRIES):
                if await self._write(runs[-1], {"status": "completed", "conclusion": runs[-1].conclusion}):
                    return True
            return False

    async def unfinished(self) -> bool:
        """Whether one of them is not completed."""
        return any(run.status != "completed" for run in await self._runs())

    # ---- underneath ----------------------------------------------------------------------------
    @property
    def _lock(self) -> Any:
        return self._gh.app.lock(f"{self._gh.repository}@{self._head}")

    async def _runs(self) -> list[CheckRun]:
        """Oldest first."""
        app = self._gh.app.id
        runs = await self._gh.list_check_runs(self._head, name=CHECK_NAME, app_id=app)
        mine = [run for run in runs if run.name == CHECK_NAME and (run.app is None or run.app.id == app)]
        return sorted(mine, key=lambda run: run.id)

    async def _cancel(self, title: str) -> bool:
        ended = _ended(*wording.stopped(title))
        for _ in range(TRIES):
            open_ones = [run for run in await self._runs() if run.status != "completed"]
            if all([await self._write(run, ended) for run in open_ones]):
                return True
        return not await self.unfinished()

    async def _write(self, run: CheckRun, fields: dict[str, Any]) -> bool:
        """False where the answer was lost."""
        self.writes += 1
        try:
            await self._gh.update_check_run(run.id, fields)
        except LostAnswer:
            log.info("check.answer_lost", check=run.id)
            return False
        except Refused as refused:
            if not refused.archived:
                raise
            log.info("publish.archived", check=run.id)
        return True

    async def _settle(self, check: Check, key: str, still: Still, rewrite: bool) -> None:
        """Of several, the newest is the one that GitHub shows and that a required check asks; older ones that still run
        are cancelled, never made green."""
        made = None
        runs = await self._runs()
        if not runs:
            await still()
            runs = [await self._create(check, key)]
            made = runs[0].id
            self.writes += 1
            runs = await self._runs() or runs
        newest = runs[-1]
        self.check_id = newest.id
        for older in runs[:-1]:
            if older.status != "completed":
                await still()
                await self._gh.update_check_run(older.id, _ended(*wording.stopped(wording.CANCELLED_TITLE)))
                self.writes += 1
        fresh = newest.id == made
        if not self._says(newest, check) or (rewrite and not fresh):
            await self._update(newest, check, still)

    def _says(self, run: CheckRun, check: Check) -> bool:
        redact = self._gh.app.redact
        return (
            run.status == "completed"
            and run.conclusion == check.conclusion
            and run.output.title == redact(check.title)
            and same(run.output.summary, redact(check.summary))
            and same(run.output.text, redact(check.text))
            and run.output.annotations_count >= len(check.annotations)
        )

    async def _create(self, check: Check, key: str) -> CheckRun:
        first, more = check.annotations[:ANNOTATIONS_A_REQUEST], check.annotations[ANNOTATIONS_A_REQUEST:]
        fields = _fields(check, first, done=not more)
        fields |= {"name": CHECK_NAME, "head_sha": self._head, "external_id": key}
        return await self._gh.create_check_run(fields)

    async def _update(self, run: CheckRun, check: Check, still: Still) -> None:
        """Send what is missing. GitHub adds annotations and never takes one away, so only new ones are sent."""
        wanted: Sequence[Annotation] = check.annotations
        if run.output.annotations_count and wanted:
            redact = self._gh.app.redact
            there = {(a.path, a.start_line, a.end_line, a.message) for a in await self._gh.check_annotations(run.id)}
            wanted = [a for a in wanted if (a.path, a.start_line, a.end_line, redact(a.message)) not in there]
        for start in range(0, max(len(wanted), 1), ANNOTATIONS_A_REQUEST):
            batch = wanted[start : start + ANNOTATIONS_A_REQUEST]
            await still()
            done = start + ANNOTATIONS_A_REQUEST >= len(wanted)
            await self._gh.update_check_run(run.id, _fields(check, batch, done=done))
            self.writes += 1


def _fields(check: Check, annotations: Sequence[Annotation], *, done: bool) -> dict[str, Any]:
    output: dict[str, Any] = {"title": check.title, "summary": check.summary, "text": check.text}
    if annotations:
        output["annotations"] = [annotation.fields() for annotation in annotations]
    fields: dict[str, Any] = {"output": output}
    # a conclusion completes the run, so it comes with the last annotations only
    fields |= {"status": "completed", "conclusion": check.conclusion} if done else {"status": "in_progress"}
    if done and check.actions:
        fields["actions"] = [asdict(action) for action in check.actions]
    return fields


def _ended(heading: str, summary: str) -> dict[str, Any]:
    return {"status": "completed", "conclusion": "cancelled", "output": {"title": heading, "summary": summary}}
