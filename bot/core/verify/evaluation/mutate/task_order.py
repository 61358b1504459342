"""Tasks that cannot be done in the order in which they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.verify.evaluation.mutate.model import Mutant, Spot, Subject
from bot.core.verify.evaluation.mutate.reading import Mention, Part, bullet, word_in
from schemas.verify_report import FindingType, Severity

_TYPE = FindingType.TASK_ORDER
_DEPENDS = re.compile(r"(?i)\bdepend|\bblock(?:s|ed)\b|\bprerequisite|\bafter task|\bbefore task|依赖")
# a plan that says itself in which order its tasks run need not list them so
_OWN_ORDER = re.compile(
    r"(?i)\b(?:execution|suggested|recommended|task|implementation|build) order\b|\bdependency graph\b|\bwaves?\b|"
    r"\bsequenc|\bin any order\b|\bparallel"
)
_LAST_NUMBER = re.compile(r"(\d+)[a-z]*$")
_CODED = re.compile(
    r"^(?:Task|Unit|Step|Phase|Slice|Chunk|Stage|Milestone|PR) \d+(?:\.\d+)*[a-z]?$|^[A-Z]{1,4}-?\d+\w*$"
)


def modified_before_it_is_made(subject: Subject) -> Iterator[Mutant]:
    """An earlier task already changes a file that a later one makes."""
    for made in subject.only_created():
        maker = _position(subject, made.line)
        if maker is None or sum(each.path == made.path and each.verb == "create" for each in subject.mentions) > 2:
            continue
        for part in reversed(subject.parts[:maker]):
            if _takes_bullets(part) and made.path not in _before(subject, part.last + 1):
                yield _with_bullet(subject, "modified_before_it_is_made", part, "Modify", made)
                break


def modified_after_it_is_deleted(subject: Subject) -> Iterator[Mutant]:
    """An earlier task deletes a file that a later one changes."""
    for changed in subject.only_changed():
        user = _position(subject, changed.line)
        if user is None:
            continue
        for part in reversed(subject.parts[:user]):
            if _takes_bullets(part) and changed.path not in part.text:
                mutant = _with_bullet(subject, "modified_after_it_is_deleted", part, "Delete", changed)
                if mutant.seed.spots:
                    yield mutant
                break


def maker_moved_behind(subject: Subject) -> Iterator[Mutant]:
    """The task that makes a file comes after the one that changes it; both are numbered anew."""
    for made in subject.only_created():
        maker = _position(subject, made.line)
        if maker is None or maker + 1 >= len(subject.parts):
            continue
        one, two = subject.parts[maker], subject.parts[maker + 1]
        users = [
            each
            for each in subject.mentions
            if each.path == made.path and each.verb == "modify" and two.first <= each.line <= two.last
        ]
        if not users or not one.heading or not two.heading or _DEPENDS.search(one.text + two.text):
            continue
        if _OWN_ORDER.search(subject.main.text) or made.path in _before(subject, one.first, tasks_only=True):
            continue
        heads = _exchanged(one, two)
        if heads is None or any(line.strip("- \t*") for line in subject.main.lines[one.last : two.first - 1]):
            continue
        between = list(subject.main.lines[one.last : two.first - 1])
        second = [heads[1], *subject.main.lines[two.first : two.last]]
        first = [heads[0], *subject.main.lines[one.first : one.last]]
        edits: dict[int, list[str]] = {n: [] for n in range(one.first, two.last + 1)}
        edits[one.first] = [*second, *between, *first]
        yield subject.mutant(
            "maker_moved_behind",
            _TYPE,
            Severity.BLOCKER,
            f"{one.task.label}, which makes {made.path}, comes after the task that changes it",
            (Spot(subject.main.path, one.first, each.line - two.first) for each in users),
            edits={subject.main.path: edits},
        )


def depends_on_a_later_task(subject: Subject) -> Iterator[Mutant]:
    if _OWN_ORDER.search(subject.main.text):
        return
    for part, later in zip(subject.parts, subject.parts[2:], strict=False):
        if _named(part, subject) and _named(later, subject) and not _DEPENDS.search(part.text + later.text):
            what = f"{part.task.label} depends on {later.task.label}"
            yield _depending(subject, "depends_on_a_later_task", [(part, later.task.label)], what)


def depends_on_no_task(subject: Subject) -> Iterator[Mutant]:
    """A dependency on a task number far beyond the last."""
    for part in subject.parts[1:]:
        label = _LAST_NUMBER.sub(lambda found: str(int(found[1]) + 90).zfill(len(found[1])), part.task.label)
        if _named(part, subject) and not _DEPENDS.search(part.text) and not word_in(subject.text, label):
            what = f"{part.task.label} depends on {label}, which the plan does not have"
            yield _depending(subject, "depends_on_no_task", [(part, label)], what)


def two_wait_for_each_other(subject: Subject) -> Iterator[Mutant]:
    for one, two in zip(subject.parts, subject.parts[1:], strict=False):
        if _named(one, subject) and _named(two, subject) and not _DEPENDS.search(one.text + two.text):
            what = f"{one.task.label} and {two.task.label} wait for each other"
            pairs = [(one, two.task.label), (two, one.task.label)]
            yield _depending(subject, "two_wait_for_each_other", pairs, what)


def same_id_twice(subject: Subject) -> Iterator[Mutant]:
    """A task gets the id of the one before it, in its heading or at the start of its line."""
    ids = [part.task.id for part in subject.parts]
    if len(set(ids)) < len(ids) or len(ids) < 3:
        return
    for one, two in zip(subject.parts, subject.parts[1:], strict=False):
        line = subject.main.line(two.first)
        if not _named(two, subject) or one.task.title.casefold() == two.task.title.casefold():
            continue
        changed = re.sub(rf"(?<![\w.]){re.escape(two.task.id)}(?!\w|\.\d)", one.task.id, line, count=1)
        if changed != line and one.task.id in changed:
            yield subject.mutant(
                "same_id_twice",
                _TYPE,
                Severity.MAJOR,
                f"{two.task.label} is called {one.task.label} as well",
                [Spot(subject.main.path, one.first), Spot(subject.main.path, two.first)],
                edits={subject.main.path: {two.first: [changed]}},
            )


def parallel_on_one_file(subject: Subject) -> Iterator[Mutant]:
    """Two neighbours that are both marked `[P]` write the same file."""
    for one, two in zip(subject.parts, subject.parts[1:], strict=False):
        if not one.task.id.startswith("T") or not one.is_open or not two.is_open or "[P]" not in subject.main.text:
            continue
        if any(subject.main.line(n).startswith("#") for n in range(one.first, two.first)):
            continue  # what stands in another phase does not run at the same time
        found = [[each for each in subject.main.mentions if each.line == part.first] for part in (one, two)]
        if len(found[0]) != 1 or len(found[1]) != 1 or found[0][0].hedged or found[1][0].hedged:
            continue
        if re.search(
            r"(?i)\b(?:verify|run|review|validate|check)\b", subject.main.line(one.first) + subject.main.line(two.first)
        ):
            continue
        lines = []
        for part, other in ((one, found[0][0]), (two, found[1][0])):
            line = subject.main.line(part.first).replace(f"`{other.path}`", f"`{found[0][0].path}`")
            lines.append(line if "[P]" in line else line.replace(f" {part.task.id} ", f" {part.task.id} [P] ", 1))
        if all("[P]" in line for line in lines):
            yield subject.mutant(
                "parallel_on_one_file",
                _TYPE,
                Severity.MAJOR,
                f"{one.task.label} and {two.task.label} run in parallel and write {found[0][0].path}",
                [Spot(subject.main.path, one.first), Spot(subject.main.path, two.first)],
                edits={subject.main.path: {one.first: [lines[0]], two.first: [lines[1]]}},
            )


def consumed_before_it_is_produced(subject: Subject) -> Iterator[Mutant]:
    """An earlier task consumes what only a later one produces."""
    for position, later in enumerate(subject.parts):
        for number in range(later.first, later.last + 1):
            match = re.match(r"^\s*[-*]\s+\**Produces:?\**:?\s+`(?P<name>\w{6,}\([^`]*)`", subject.main.line(number))
            if match is None:
                continue
            name = match["name"].partition("(")[0]
            for part in reversed(subject.parts[:position]):
                if word_in(_before(subject, part.last + 1), name):
                    continue
                at = next(
                    (
                        n
                        for n in range(part.first, part.last + 1)
                        if re.match(r"^\s*\**Interfaces:?\**:?\s*$", subject.main.line(n))
                    ),
                    None,
                )
                if at is None or not part.is_open:
                    continue
                yield subject.mutant(
                    "consumed_before_it_is_produced",
                    _TYPE,
                    Severity.MAJOR,
                    f"{part.task.label} consumes {name}, which {later.task.label} produces",
                    [Spot(subject.main.path, at, 1)],
                    edits={subject.main.path: {at: [subject.main.line(at), f"- Consumes: `{match['name']}`"]}},
                )
                break


def _position(subject: Subject, line: int) -> int | None:
    return next((n for n, part in enumerate(subject.parts) if part.first <= line <= part.last), None)


def _takes_bullets(part: Part) -> bool:
    return part.is_open and not part.elsewhere and bool(part.bullets) and not _DEPENDS.search(part.text)


def _named(part: Part, subject: Subject) -> bool:
    """Whether the task can be told from all others by what it is called."""
    label = part.task.label
    return part.is_open and bool(_CODED.match(label)) and [each.task.label for each in subject.parts].count(label) == 1


def _before(subject: Subject, line: int, *, tasks_only: bool = False) -> str:
    """The tasks' text before a line; what stands before the first task says nothing about their order."""
    start = subject.parts[0].first - 1 if subject.parts or tasks_only else 0
    return "\n".join(subject.main.lines[start : line - 1])


def _with_bullet(subject: Subject, mutator: str, part: Part, verb: str, of: Mention) -> Mutant:
    like = part.bullets[-1]
    added = bullet(like, verb, of.path, subject.main)
    spots = [Spot(subject.main.path, like.line, 1)]
    if verb == "Delete":
        # what comes too late is seen where the file is changed
        spots = [
            Spot(subject.main.path, each.line)
            for each in subject.mentions
            if each.path == of.path and each.line > part.last and subject.part_at(each.line)
        ]
    return subject.mutant(
        mutator,
        _TYPE,
        Severity.BLOCKER,
        f"{part.task.label} has the bullet {added.strip()}",
        spots,
        edits={subject.main.path: {like.line: [subject.main.line(like.line), added]}},
    )


def _depending(subject: Subject, mutator: str, pairs: list[tuple[Part, str]], what: str) -> Mutant:
    """The tasks with a line that says what they depend on, or with such words at the end of theirs."""
    edits: dict[int, list[str]] = {}
    spots: list[Spot] = []
    for part, label in pairs:
        line = subject.main.line(part.first)
        if part.heading:
            edits[part.first] = [line, "", f"**Depends on:** {label}"]
            spots.append(Spot(subject.main.path, part.first, 2))
        else:
            edits[part.first] = [f"{line} (depends on {label})"]
        spots.append(Spot(subject.main.path, part.first))
    return subject.mutant(mutator, _TYPE, Severity.MAJOR, what, spots, edits={subject.main.path: edits})


def _exchanged(one: Part, two: Part) -> tuple[str, str] | None:
    """The headings of two tasks, each with the other's number."""
    lines = [one.page.line(one.first), two.page.line(two.first)]
    ids = [one.task.id, two.task.id]
    new = [
        re.sub(rf"(?<![\w.]){re.escape(own)}(?!\w|\.\d)", other, line, count=1)
        for line, own, other in zip(lines, ids, reversed(ids), strict=True)
    ]
    return (new[0], new[1]) if new[0] != lines[0] and new[1] != lines[1] else None


MUTATORS = (
    modified_before_it_is_made,
    modified_after_it_is_deleted,
    maker_moved_behind,
    depends_on_a_later_task,
    depends_on_no_task,
    two_wait_for_each_other,
    same_id_twice,
    parallel_on_one_file,
    consumed_before_it_is_produced,
)
