"""A comment or review gives commands: do what they say, react, and answer once.

👀 says that they were understood and are allowed, 🚀 afterwards that all was done, 😕 that something was not: then the
one reply says why. Strangers get at most one reply in a thread, bots that are not allowed get none.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from bot import advice, answering, commands, logs, review
from bot.answering import Thread
from bot.commands import CANCEL, CHECK, DISMISS, DISPUTE, HELP, STATUS, VERIFY, Asked, Command, Problem
from bot.dispatch import Context
from bot.github.errors import PermissionMissing
from bot.github.installation import Reaction
from bot.github.texts import replies
from bot.mirror import FetchError
from bot.review import Outcome
from handlers.needs import ALL
from schemas.verify_report import Status, Verdict

log = logs.named("command")

JUDGING = (VERIFY, DISMISS, DISPUTE)
"""These work on pull requests only, and end in judging it anew."""
OF_OPEN_THREADS = (*JUDGING, CHECK)
DECISIONS = {DISMISS: Status.DISMISSED, DISPUTE: Status.DISPUTED}


@dataclass
class _Course:
    """How far the commands of one comment have come."""

    ctx: Context
    thread: Thread
    answers: list[str] = field(default_factory=list)
    failed: bool = False
    refused: bool = False
    unjudged: bool = False
    """Something was decided since the plans were judged last."""

    def say(self, text: str) -> None:
        self.answers.append(text)

    def fail(self, text: str) -> None:
        self.failed = True
        self.answers.append(text)


async def handle(ctx: Context) -> None:
    asked = _once(commands.parse(ctx.event.comment_body or ""))
    thread = await _thread(ctx) if asked else None
    if thread is None:
        return
    course = _Course(ctx, thread)
    if thread.off or thread.edited:
        if thread.heard:
            course.fail(replies.switched_off() if thread.off else replies.edited())
        await _end(course)
        return
    if any(_can(thread, each) for each in asked):
        await answering.react(ctx, thread, "react-seen", Reaction.EYES)
    for number, each in enumerate(asked, 1):
        await _one(course, each, number)
    if course.unjudged:
        await _judge(course)
    course.refused = course.failed and not any(_understood(thread, each) for each in asked)
    await _end(course)


async def failed(ctx: Context, reason: str) -> None:
    asked = commands.parse(ctx.event.comment_body or "")
    thread = await _thread(ctx, late=True)
    if thread is None or not thread.heard or thread.off:
        return
    judged = thread.pull and any(_can(thread, each) and each.command in JUDGING for each in asked)
    await answering.react(ctx, thread, "react-end", Reaction.CONFUSED)
    try:
        await answering.reply(ctx, thread, [replies.failed(ctx.run_id, reason)])
    except Exception:
        # whoever waits for the check is told all the same; one that has a verdict by now keeps it
        if judged:
            await review.gave_up(ctx, reason)
        raise
    if judged:
        await review.gave_up(ctx, reason)


async def _thread(ctx: Context, *, late: bool = False) -> Thread | None:
    found = await ctx.step("look-at-thread", lambda: answering.look(ctx, late=late))
    return None if found is None else Thread.of(cast("dict[str, Any]", found))


def _once(asked: Sequence[Asked]) -> list[Asked]:
    """Without what was asked before in the same comment."""
    seen: dict[Hashable, Asked] = {}
    for each in asked:
        word = each.command.name if each.command is not None else each.word
        seen.setdefault((word, each.arguments, each.problem), each)
    return list(seen.values())


def _can(thread: Thread, asked: Asked) -> bool:
    return asked.command is not None and asked.problem is None and thread.may(asked.command)


def _understood(thread: Thread, asked: Asked) -> bool:
    """Whether the answer is more than that the person may not do this."""
    return thread.heard if asked.command is None else thread.may(asked.command)


async def _end(course: _Course) -> None:
    ctx, thread = course.ctx, course.thread
    if not course.answers and not course.failed and not thread.heard:
        return
    say = answering.refuse if course.refused else answering.reply
    # an answer that GitHub did not take is no success, even where it was all that was asked for
    course.failed = not await say(ctx, thread, course.answers) or course.failed
    await answering.react(ctx, thread, "react-end", Reaction.CONFUSED if course.failed else Reaction.ROCKET)
    log.info("command.done", run=ctx.run_id, failed=course.failed)


async def _one(course: _Course, asked: Asked, number: int) -> None:
    thread, command = course.thread, asked.command
    if command is None:
        if thread.heard:
            course.fail(replies.too_many() if asked.problem is Problem.TOO_MANY else replies.unknown(asked))
    elif not thread.may(command):
        if thread.heard or asked.problem is None:
            course.fail(replies.not_allowed(command, thread.role, thread.author, thread.open_to_them))
    elif asked.problem is not None:
        course.fail(replies.malformed(asked))
    elif command in JUDGING and not thread.pull:
        course.fail(replies.only_on_pull_requests(command))
    elif command in OF_OPEN_THREADS and not thread.open:
        course.fail(replies.closed())
    else:
        await _do(course, command, asked.arguments, number)


async def _do(course: _Course, command: Command, arguments: Sequence[str], number: int) -> None:
    ctx, thread = course.ctx, course.thread
    if course.unjudged and command in (STATUS, CANCEL):
        await _judge(course)
    if command is HELP:
        course.say(replies.help_text(thread.open_to_them, commands.COMMANDS))
    elif command is VERIFY:
        await _judge(course)
    elif command is CHECK:
        await _check(course)
    elif command is STATUS:
        course.say(cast(str, await ctx.step(f"status-{number}", lambda: answering.standing(ctx, thread, ALL))))
    elif command is CANCEL:
        answers, done = await answering.stop(ctx, thread)
        course.answers += answers
        course.failed = course.failed or not done
    else:
        await _decide(course, command, arguments, number)


async def _judge(course: _Course) -> bool:
    """Judge the pull request; whether it came to a verdict."""
    outcome = await review.pull_request(course.ctx, rerun=True)
    course.unjudged = False
    if (problem := _problem(course.thread, outcome)) is not None:
        course.fail(problem)
    return problem is None


def _problem(thread: Thread, outcome: Outcome) -> str | None:
    if outcome.state == "off":
        return replies.switched_off()
    if outcome.state != "open" or outcome.published in ("closed", "gone"):
        return replies.closed()
    if outcome.verdict is Verdict.NOT_A_PLAN:
        return replies.no_plan(thread.plans)
    if outcome.verdict is Verdict.NOT_VERIFIED or outcome.published == "unchecked":
        return replies.see_comment()
    return None


async def _decide(course: _Course, command: Command, arguments: Sequence[str], number: int) -> None:
    ctx, (finding, reason) = course.ctx, arguments
    status = DECISIONS[command]
    answer = await ctx.step(f"decide-{number}", lambda: answering.decide(ctx, finding, reason, status))
    if answer is None:
        if not await _judge(course):
            return
        answer = await ctx.step(f"decide-{number}-judged", lambda: answering.decide(ctx, finding, reason, status))
    if answer is None:
        # pushed to in the meantime
        course.fail(replies.moved())
        return
    told = cast("dict[str, Any]", answer)
    (course.say if told["done"] else course.fail)(told["text"])
    course.unjudged = course.unjudged or bool(told["done"])


async def _check(course: _Course) -> None:
    ctx, thread = course.ctx, course.thread
    try:
        came = await (advice.pull_request(ctx) if thread.pull else advice.issue(ctx, asked=True))
    except (FetchError, PermissionMissing) as error:
        course.fail(replies.failed(ctx.run_id, str(error)))
        return
    if came.state == "off":
        course.fail(replies.switched_off())
    elif came.state != "open":
        course.fail(replies.closed())
    elif came.results:
        course.say(replies.plan_check(came.results))
        if came.reason:
            course.fail(replies.partly_checked(came.reason))
    elif came.reason:
        course.fail(replies.failed(ctx.run_id, came.reason))
    elif thread.pull:
        course.fail(replies.no_plan(thread.plans))
