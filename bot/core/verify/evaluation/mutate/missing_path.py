"""Files that the plan changes or deletes, and that neither the tree has nor the plan makes."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.verify.evaluation.mutate.model import Mutant, Spot, Subject
from bot.core.verify.evaluation.mutate.reading import bullet
from schemas.verify_report import FindingType, Severity

_TYPE = FindingType.MISSING_PATH
_NEIGHBOURS = 300  # other documents beside the plan that may speak of a file


def renamed_in_plan(subject: Subject) -> Iterator[Mutant]:
    """The plan misremembers the name of a file that it changes."""
    for each in subject.only_changed(("modify", "delete")):
        for new in near_names(each.path):
            if subject.nowhere(new):
                yield _renamed(subject, "renamed_in_plan", each.path, new)
                break


def phantom_directory(subject: Subject) -> Iterator[Mutant]:
    """The plan has a file that it changes in a directory that does not exist."""
    for each in subject.only_changed(("modify", "delete")):
        parts = each.path.split("/")
        if len(parts) < 2:
            continue
        for folder in (f"{parts[-2]}-core", f"{parts[-2]}/common", f"{parts[-2]}s"):
            new = "/".join([*parts[:-2], folder, parts[-1]])
            if subject.nowhere(new) and subject.nowhere("/".join([*parts[:-2], folder])):
                yield _renamed(subject, "phantom_directory", each.path, new)
                break


def removed_from_tree(subject: Subject) -> Iterator[Mutant]:
    """A file that the plan changes was deleted before."""
    for each in subject.only_changed():
        if each.path in subject.main.path or _neighbour_speaks_of(subject, each.path):
            continue
        yield subject.mutant(
            "removed_from_tree",
            _TYPE,
            Severity.BLOCKER,
            f"{each.path} is taken out of the tree",
            (Spot(page.path, number) for page, number in subject.lines_with(each.path)),
            files={each.path: None},
        )


def deletes_what_is_not_there(subject: Subject) -> Iterator[Mutant]:
    """The plan also deletes a file that never was."""
    for part in subject.parts:
        if not part.bullets or not part.is_open or part.elsewhere:
            continue
        like = part.bullets[-1]
        if subject.tree.kind(like.path) != "file":
            continue
        stem, dot, extension = like.path.rpartition(".")
        new = f"{stem}_legacy{dot}{extension}"
        if not subject.nowhere(new):
            continue
        line = subject.main.line(like.line)
        yield subject.mutant(
            "deletes_what_is_not_there",
            _TYPE,
            Severity.BLOCKER,
            f"{part.task.label} also deletes {new}",
            [Spot(subject.main.path, like.line, 1)],
            edits={subject.main.path: {like.line: [line, bullet(like, "Delete", new, subject.main)]}},
        )


def near_names(path: str) -> list[str]:
    """Names that one may well write for a file's."""
    folder, slash, name = path.rpartition("/")
    stem, dot, extension = name.partition(".")
    if not stem:
        return []
    other = stem.replace("-", "_") if "-" in stem else stem.replace("_", "-")
    stems = [f"{stem[:-1]}" if stem.endswith("s") else f"{stem}s", other, f"{stem}_impl", f"{stem}2"]
    return [f"{folder}{slash}{each}{dot}{extension}" for each in stems if each != stem]


def _renamed(subject: Subject, mutator: str, old: str, new: str) -> Mutant:
    return subject.mutant(
        mutator,
        _TYPE,
        Severity.BLOCKER,
        f"{old} is written {new}",
        (Spot(page.path, number) for page, number in subject.lines_with(old)),
        edits=subject.renamed(old, new),
    )


def _neighbour_speaks_of(subject: Subject, path: str) -> bool:
    """Whether another document beside the plan names the file: it may well be the one that makes it."""
    folder = subject.main.path.rpartition("/")[0]
    own = {page.path for page in subject.pages}
    beside = [f"{folder}/{name}" if folder else name for name in subject.tree.children(folder) if name.endswith(".md")]
    texts = (subject.content(each) or "" for each in beside[:_NEIGHBOURS] if each not in own)
    return len(beside) > _NEIGHBOURS or any(path in text for text in texts)


MUTATORS = (renamed_in_plan, phantom_directory, removed_from_tree, deletes_what_is_not_there)
