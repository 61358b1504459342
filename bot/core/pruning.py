"""A listing with some files taken out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pygit2

from bot.core.listing import Listing, parents


class Pruned(Listing):
    """A listing that has less than the tree objects which it is read from."""

    def _rows(self, repo: pygit2.Repository, directory: str) -> dict[str, bytes]:
        prefix = f"{directory}/" if directory else ""
        rows = super()._rows(repo, directory)
        return {name: raw for name, raw in rows.items() if self._has(prefix + name)}

    def _has(self, path: str) -> bool:
        return path in self.files or path in self.directories or path in self.special


def without(listing: Listing, paths: Iterable[str]) -> Listing:
    """`listing` less the files at `paths` (no leading, trailing or doubled slash), and less the directories that hold
    nothing any more: git knows no empty ones. `listing` itself, which others share, stays as it is.

    Costs in the size of the tree: for a few trees that are judged once, not for every plan.
    """
    gone = {path for path in paths if path in listing.files}
    if not gone:
        return listing
    files = {path: None for path in listing.files if path not in gone}
    left: Counter[str] = Counter()
    for group in (listing.files, listing.directories, listing.special):
        left.update(path.rpartition("/")[0] for path in group if path)
    directories = dict(listing.directories)
    for path in sorted(gone):
        for folder in parents(path):
            left[folder] -= 1
            if left[folder] > 0:
                break
            del directories[folder]
    return Pruned(files, directories, listing.special)
