"""Brings a publication about on GitHub, exactly once however often it runs.

Steps of a job run again after a crash, jobs overlap and answers get lost; so nothing here trusts what an earlier run
remembers. What is there is looked up first: comments by hidden marker and App, the check run by name, head and App,
labels by name. Equal is left alone, and the head is read again before every write.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from bot import logs
from bot.core.verify.outcomes import LabelChange
from bot.github import permissions
from bot.github.client import Installation
from bot.github.errors import LostAnswer, NotFound, PermissionMissing, Refused
from bot.github.markdown import code
from bot.github.models import CheckRun, Comment, Label, Pull
from bot.github.publication import (
    ANNOTATIONS_A_REQUEST,
    CHECK_NAME,
    LABEL_COLOR,
    LABEL_DESCRIPTION,
    Annotation,
    Check,
    Note,
    Publication,
    Published,
)
from bot.github.texts import check_run as wording

__all__ = ["Publication", "Published", "cancel", "publish", "repeat", "stop"]

log = logs.named("github")

TRIES = 3
"""How often a write whose answer was lost is looked for and, where it did not happen, sent again."""

_RUN = re.compile(r"(?:· )?run \S{1,40}\s*\Z")


async def publish(gh: Installation, publication: Publication, *, rewrite_check: bool = False) -> Published:
    """Make GitHub say what `publication` says; nothing but a cancelled check when its head is not the head any more.

    `rewrite_check`: someone asked for a re-run, so the check run is completed anew also when it says the same already.

    A part that GitHub refuses (a permission, a locked conversation) does not keep the others back: the check run then
    says what is missing. Raises PermissionMissing where not even the check run can be written, and the errors of
    `bot.github.errors` for all else.
    """
    async with gh.app.lock(publication.key):
        work = _Work(gh, publication, rewrite_check)
        try:
            await work.run()
        except _Moved as moved:
            if publication.head_sha is not None:
                title = wording.CLOSED_TITLE if moved.status == "closed" else wording.CANCELLED_TITLE
                work.writes += await _cancel(gh, publication.head_sha, title)
            return Published(status=moved.status, head_sha=moved.head, writes=work.writes)
        except Refused as refused:
            if not _archived(refused):
                raise
            log.info("publish.archived", key=publication.key)
            return Published(status="archived", head_sha=publication.head_sha, writes=work.writes)
        return Published(
            head_sha=publication.head_sha,
            comment_id=work.comment_id,
            created=work.created,
            check_id=work.check_id,
            writes=work.writes,
            problems=tuple(work.problems),
        )


async def cancel(gh: Installation, key: str, head_sha: str, *, title: str = wording.CANCELLED_TITLE) -> int:
    """Cancel the check run of a head that nobody waits for any more, where it is not completed; how many were."""
    async with gh.app.lock(key):
        return await _cancel(gh, head_sha, title)


async def stop(gh: Installation, key: str, head_sha: str) -> None:
    """Someone stopped the judging of this head: cancel its check run, made for that where there is none, so that a
    required check does not wait for ever. A completed one stays as it is."""
    async with gh.app.lock(key):
        if await _runs(gh, head_sha):
            await _cancel(gh, head_sha, wording.STOPPED_TITLE)
            return
        heading, summary = wording.stopped(wording.STOPPED_TITLE)
        fields = _ended(heading, summary) | {"name": CHECK_NAME, "head_sha": head_sha, "external_id": key}
        try:
            await gh.create_check_run(fields)
        except LostAnswer:
            log.info("publish.stop_lost", head=head_sha)  # a cancelled run is no verdict, one more harms nobody


async def repeat(gh: Installation, key: str, head_sha: str) -> None:
    """Answer a Re-run on a commit that is not judged any more: its check run is completed again as it was, or as
    cancelled where it never was. GitHub shows the commit as waiting until then."""
    async with gh.app.lock(key):
        runs = await _runs(gh, head_sha)
        if runs and runs[-1].status == "completed" and runs[-1].conclusion:
            try:
                await gh.update_check_run(runs[-1].id, {"status": "completed", "conclusion": runs[-1].conclusion})
            except LostAnswer:
                log.info("publish.repeat_lost", check=runs[-1].id)  # asked for by hand, and so it can be again
            except Refused as refused:
                if not _archived(refused):
                    raise
                log.info("publish.archived", key=key)
        else:
            await _cancel(gh, head_sha, wording.CANCELLED_TITLE)


def same(one: str | None, other: str | None) -> bool:
    """Whether two posted texts say the same: white space at line ends and the run that said it do not count."""
    return _plain(one) == _plain(other)


def _plain(text: str | None) -> str:
    lines = "\n".join(line.rstrip() for line in (text or "").splitlines()).strip()
    return _RUN.sub("", lines).rstrip()


def _archived(refused: Refused) -> bool:
    """Whether the repository was archived: it takes no writes any more, and nobody waits for one."""
    return refused.status == 403 and "archived" in refused.reason.lower()


class _Moved(Exception):  # noqa: N818 - a turn of events, no error
    def __init__(self, status: Any, head: str | None) -> None:
        self.status = status
        self.head = head


@dataclass
class _Work:
    """One publication on its way."""

    gh: Installation
    publication: Publication
    rewrite_check: bool = False
    writes: int = 0
    comment_id: int | None = None
    created: bool = False
    check_id: int | None = None
    problems: list[str] = field(default_factory=list)
    lacking: bool = False
    labels: Sequence[Label] = ()
    pull: Pull | None = None

    async def run(self) -> None:
        await self.still()
        for number, note in enumerate(self.publication.notes):
            await self.attempt("The comment" if not number else f"The comment on #{note.number}", self.note, note)
        if self.publication.number is not None and self.publication.label is not LabelChange.KEEP:
            await self.attempt(f"The label {code(self.publication.label_name)}", self.label)
        if self.publication.draft:
            # wished for on top of what the verdict needs, so the check does not hang on it
            await self.attempt("Converting to a draft", self.draft, vital=False)
        if self.publication.check is not None and self.publication.head_sha is not None:
            try:
                await self.check(self.publication.check, self.publication.head_sha)
            except PermissionMissing as missing:
                await self.say_unchecked(self.publication.check, missing)
                raise

    async def attempt(self, what: str, part: Any, *arguments: Any, vital: bool = True) -> None:
        """One part; a refusal is noted for the check run, which is written last."""
        try:
            await part(*arguments)
        except PermissionMissing as missing:
            self.lacking = self.lacking or vital
            self.problems.append(wording.not_posted(what, missing.permission, missing.url))
            log.warning("publish.permission_missing", what=what, permission=missing.permission)
        except Refused as refused:
            if _archived(refused):
                raise
            self.problems.append(wording.not_taken(what, refused.reason))
            log.warning("publish.refused", what=what, status=refused.status)
        if self.publication.check is None and self.lacking:
            log.error("publish.unsaid", problems=self.problems)

    async def still(self) -> None:
        """Raises _Moved unless the pull request is open and its head the judged one. Unchanged, this costs a 304."""
        number, head = self.publication.number, self.publication.head_sha
        if number is None or head is None:
            return
        try:
            pull = await self.gh.get_pull(number)
        except NotFound:
            raise _Moved("gone", None) from None
        if pull.head.sha != head:
            raise _Moved("superseded", pull.head.sha)
        if not pull.open:
            raise _Moved("closed", head)
        self.labels, self.pull = pull.labels, pull

    async def say_unchecked(self, check: Check, missing: PermissionMissing) -> None:
        """The comment is the only place left to say that the check run is missing, also where it would say nothing
        else; only a pull request without a plan is not bothered."""
        problem = wording.not_posted("The check run", missing.permission, missing.url)
        log.warning("publish.permission_missing", what="check run", permission=missing.permission)
        for note in self.publication.notes[:1]:
            body, create = wording.without_check(note.body, problem), note.create or check.conclusion != "skipped"
            await self.attempt("The comment", self.note, replace(note, body=body, create=create))

    # ---- comments ------------------------------------------------------------------------------
    async def note(self, note: Note) -> None:
        body = self.gh.app.redact(note.body)
        for tries in range(TRIES):
            try:
                kept = await self.put(note, body)
            except LostAnswer:
                if tries == TRIES - 1:
                    raise
                continue  # look whether it happened
            except NotFound:
                # deleted since we looked, or an issue that is not there; no comment of ours is worth failing for
                if tries == TRIES - 1:
                    log.info("publish.nowhere", number=note.number)
                continue
            if note is self.publication.notes[0]:
                self.comment_id = kept
            return

    async def put(self, note: Note, body: str) -> int | None:
        """The id of the one comment, after it says `body`; None where there is none and none is wanted."""
        ours = await self.ours(note)
        if not ours:
            if not note.create or (note.number != self.publication.number and await self.is_pull(note.number)):
                return None
            await self.still()
            await self.gh.create_comment(note.number, body)
            self.writes += 1
            self.created = self.created or note is self.publication.notes[0]
            ours = await self.ours(note)  # another process may have done the same
            if not ours:
                raise NotFound("the comment that was just posted is not there")
        for younger in ours[1:]:
            await self.still()
            await self.gh.delete_comment(younger.id)
            self.writes += 1
        if not same(ours[0].body, body):
            await self.still()
            await self.gh.update_comment(ours[0].id, body)
            self.writes += 1
        return ours[0].id

    async def ours(self, note: Note) -> list[Comment]:
        """Our comments that begin with the marker, oldest first; a marker further down is quoted text."""
        found = [
            comment
            for comment in await self.gh.list_issue_comments(note.number)
            if (comment.body or "").startswith(note.marker) and await self.gh.is_ours(comment)
        ]
        return sorted(found, key=lambda comment: comment.id)

    async def is_pull(self, number: int) -> bool:
        return (await self.gh.get_issue(number)).pull_request is not None

    # ---- label ---------------------------------------------------------------------------------
    async def label(self) -> None:
        number = self.publication.number
        assert number is not None  # noqa: S101 - run() asks for it
        for tries in range(TRIES):
            wished = self.publication.label_name
            there = next((label.name for label in self.labels if label.name.lower() == wished.lower()), None)
            wanted = self.publication.label is LabelChange.ADD
            if (there is not None) == wanted:
                return
            await self.still()
            try:
                if there is None:
                    name = await self.gh.ensure_label(wished, LABEL_COLOR, LABEL_DESCRIPTION)
                    await self.gh.add_label(number, name)
                else:
                    await self.gh.remove_label(number, there)
            except LostAnswer:
                if tries == TRIES - 1:
                    raise
                self.labels = await self.gh.issue_labels(number)
                continue
            self.writes += 1
            return

    # ---- draft ---------------------------------------------------------------------------------
    async def draft(self) -> None:
        """Only GraphQL can do it, and it may change nothing without an error, so its answer is read."""
        if self.pull is None or self.pull.draft or self.pull.node_id is None:
            return
        wanted = {"contents": "write", "metadata": "read", "pull_requests": "write"}
        info = await self.gh.info()
        if lacking := permissions.missing(wanted, {"metadata": "read", **info.permissions}):
            # looked up, not tried: an event that changes nothing must not write
            page = permissions.approval_url(self.gh.app.web, self.gh.number, info.html_url)
            raise PermissionMissing("convertPullRequestToDraft", " and ".join(lacking), page)
        await self.still()
        try:
            done = await self.gh.at(self.gh.repository, permissions=wanted).convert_to_draft(self.pull.node_id)
        except LostAnswer:
            done = (await self.gh.get_pull(self.pull.number)).draft
        self.writes += 1
        if not done:
            self.problems.append(wording.STILL_NO_DRAFT)

    # ---- check run -----------------------------------------------------------------------------
    async def check(self, check: Check, head: str) -> None:
        if self.problems:
            check = wording.with_problems(check, self.problems, permission=self.lacking)
        # the check run is the commit's, which may be the head of several pull requests
        async with self.gh.app.lock(f"{self.gh.repository}@{head}"):
            for tries in range(TRIES):
                try:
                    await self.settle(check, head)
                    return
                except LostAnswer:
                    if tries == TRIES - 1:
                        raise

    async def settle(self, check: Check, head: str) -> None:
        """One completed check run on `head` that says `check`.

        Of several, the newest is the one that GitHub shows and that a required check asks; older ones that still run
        are cancelled, never made green.
        """
        made = None
        runs = await _runs(self.gh, head)
        if not runs:
            await self.still()
            runs = [await self.create(check, head)]
            made = runs[0].id
            self.writes += 1
            runs = await _runs(self.gh, head) or runs
        newest = runs[-1]
        self.check_id = newest.id
        for older in runs[:-1]:
            if older.status != "completed":
                await self.still()
                await _complete_as_cancelled(self.gh, older, wording.CANCELLED_TITLE)
                self.writes += 1
        fresh = newest.id == made
        if not self.says(newest, check) or (self.rewrite_check and not fresh):
            await self.update(newest, check)

    def says(self, run: CheckRun, check: Check) -> bool:
        redact = self.gh.app.redact
        return (
            run.status == "completed"
            and run.conclusion == check.conclusion
            and run.output.title == redact(check.title)
            and same(run.output.summary, redact(check.summary))
            and same(run.output.text, redact(check.text))
            and run.output.annotations_count >= len(check.annotations)
        )

    async def create(self, check: Check, head: str) -> CheckRun:
        first, more = check.annotations[:ANNOTATIONS_A_REQUEST], check.annotations[ANNOTATIONS_A_REQUEST:]
        fields = self.fields(check, first, done=not more)
        fields |= {"name": CHECK_NAME, "head_sha": head, "external_id": self.publication.key}
        return await self.gh.create_check_run(fields)

    async def update(self, run: CheckRun, check: Check) -> None:
        """Send what is missing. GitHub adds annotations and never takes one away, so only new ones are sent."""
        wanted: Sequence[Annotation] = check.annotations
        if run.output.annotations_count and wanted:
            redact = self.gh.app.redact
            there = {(a.path, a.start_line, a.end_line, a.message) for a in await self.gh.check_annotations(run.id)}
            wanted = [a for a in wanted if (a.path, a.start_line, a.end_line, redact(a.message)) not in there]
        for start in range(0, max(len(wanted), 1), ANNOTATIONS_A_REQUEST):
            batch = wanted[start : start + ANNOTATIONS_A_REQUEST]
            await self.still()
            done = start + ANNOTATIONS_A_REQUEST >= len(wanted)
            await self.gh.update_check_run(run.id, self.fields(check, batch, done=done))
            self.writes += 1

    def fields(self, check: Check, annotations: Sequence[Annotation], *, done: bool) -> dict[str, Any]:
        output: dict[str, Any] = {"title": check.title, "summary": check.summary, "text": check.text}
        if annotations:
            output["annotations"] = [annotation.fields() for annotation in annotations]
        fields: dict[str, Any] = {"output": output}
        # a conclusion completes the run, so it comes with the last annotations only
        fields |= {"status": "completed", "conclusion": check.conclusion} if done else {"status": "in_progress"}
        if done and check.actions:
            fields["actions"] = [asdict(action) for action in check.actions]
        return fields


async def _runs(gh: Installation, head: str) -> list[CheckRun]:
    """Our check runs of that name on a commit, oldest first."""
    runs = await gh.list_check_runs(head, name=CHECK_NAME, app_id=gh.app.id)
    mine = [run for run in runs if run.name == CHECK_NAME and (run.app is None or run.app.id == gh.app.id)]
    return sorted(mine, key=lambda run: run.id)


async def _cancel(gh: Installation, head: str, title: str) -> int:
    """The only write that a head which moved on still gets."""
    count = 0
    for run in await _runs(gh, head):
        if run.status != "completed":
            await _complete_as_cancelled(gh, run, title)
            count += 1
    return count


def _ended(heading: str, summary: str) -> dict[str, Any]:
    return {"status": "completed", "conclusion": "cancelled", "output": {"title": heading, "summary": summary}}


async def _complete_as_cancelled(gh: Installation, run: CheckRun, title: str) -> None:
    heading, summary = wording.stopped(title)
    try:
        await gh.update_check_run(run.id, _ended(heading, summary))
    except LostAnswer:
        log.info("publish.cancel_lost", check=run.id)  # sent again by whoever looks at this head next
    except Refused as refused:
        if not _archived(refused):
            raise
        log.info("publish.archived", check=run.id)
