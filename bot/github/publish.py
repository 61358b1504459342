"""Brings a publication about on GitHub, exactly once however often it runs.

Steps of a job run again after a crash, jobs overlap and answers get lost; so nothing here trusts what an earlier run
remembers. What is there is looked up first: comments by hidden marker and App, the check run by name, head and App,
labels by name. Equal is left alone, and the head is read again before every write. Check runs: `bot.github.checks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bot import logs
from bot.core.verify.outcomes import LabelChange
from bot.github import permissions
from bot.github.checks import TRIES, Checks
from bot.github.client import Installation
from bot.github.errors import LostAnswer, NotFound, PermissionMissing, Refused
from bot.github.markdown import code
from bot.github.models import Comment, Label, Pull
from bot.github.publication import (
    LABEL_COLOR,
    LABEL_DESCRIPTION,
    Check,
    Note,
    Publication,
    Published,
    same,
)
from bot.github.texts import check_run as wording

__all__ = ["Publication", "Published", "publish"]

log = logs.named("github")


async def publish(gh: Installation, publication: Publication, *, rewrite_check: bool = False) -> Published:
    """Make GitHub say what `publication` says; nothing but a cancelled check when its head is not the head any more.

    `rewrite_check`: someone asked for a re-run, so the check run is completed anew also when it says the same already.

    A part that GitHub refuses (a permission, a locked conversation) does not keep the others back: the check run then
    says what is missing. Raises PermissionMissing where not even the check run can be written, and the errors of
    `bot.github.errors` for all else.
    """
    async with gh.app.lock(publication.key):
        checks = Checks(gh, publication.head_sha) if publication.head_sha is not None else None
        work = _Work(gh, publication, checks, rewrite_check)
        try:
            await work.run()
        except _Moved as moved:
            confirmed = True
            if checks is not None:
                title = wording.CLOSED_TITLE if moved.status == "closed" else wording.CANCELLED_TITLE
                confirmed = await checks.cancel(title)
            return Published(status=moved.status, head_sha=moved.head, writes=work.all_writes, confirmed=confirmed)
        except Refused as refused:
            if not refused.archived:
                raise
            log.info("publish.archived", key=publication.key)
            return Published(status="archived", head_sha=publication.head_sha, writes=work.all_writes)
        return Published(
            head_sha=publication.head_sha,
            comment_id=work.comment_id,
            created=work.created,
            check_id=checks.check_id if checks is not None else None,
            writes=work.all_writes,
            problems=tuple(work.problems),
        )


class _Moved(Exception):  # noqa: N818 - a turn of events, no error
    def __init__(self, status: Any, head: str | None) -> None:
        self.status = status
        self.head = head


@dataclass
class _Work:
    """One publication on its way."""

    gh: Installation
    publication: Publication
    checks: Checks | None
    rewrite_check: bool = False
    writes: int = 0
    comment_id: int | None = None
    created: bool = False
    problems: list[str] = field(default_factory=list)
    lacking: bool = False
    labels: Sequence[Label] = ()
    pull: Pull | None = None

    @property
    def all_writes(self) -> int:
        return self.writes + (self.checks.writes if self.checks is not None else 0)

    async def run(self) -> None:
        await self.still()
        for number, note in enumerate(self.publication.notes):
            await self.attempt("The comment" if not number else f"The comment on #{note.number}", self.note, note)
        if self.publication.number is not None and self.publication.label is not LabelChange.KEEP:
            await self.attempt(f"The label {code(self.publication.label_name)}", self.label)
        if self.publication.draft:
            # wished for on top of what the verdict needs, so the check does not hang on it
            await self.attempt("Converting to a draft", self.draft, vital=False)
        if self.publication.check is not None and self.checks is not None:
            try:
                await self.check(self.publication.check, self.checks)
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
            if refused.archived:
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
            body, create = wording.without_check(note, problem), note.create or check.conclusion != "skipped"
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
    async def check(self, check: Check, checks: Checks) -> None:
        if self.problems:
            check = wording.with_problems(check, self.problems, permission=self.lacking)
        await checks.settle(check, self.publication.key, still=self.still, rewrite=self.rewrite_check)
