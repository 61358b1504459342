"""What each kind of work needs of an installation, by GitHub's permission names; app.yml asks for their union."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bot.dispatch import Permission

Needs = Mapping[str, Permission]

# judging a pull request reads its tree and writes its comment, its check and the evidence on the issues it closes
JUDGE: Needs = MappingProxyType(
    {"checks": "write", "contents": "read", "issues": "write", "metadata": "read", "pull_requests": "write"}
)
# answering an issue reads the index and writes one comment
ANSWER: Needs = MappingProxyType({"contents": "read", "issues": "write", "metadata": "read"})
# a pushed commit gets a check run and nothing else
COMMIT: Needs = MappingProxyType({"checks": "write", "contents": "read", "metadata": "read"})
# the event is sent to those only who may read merge queues; a group is answered with what its pull request came to
QUEUE: Needs = MappingProxyType({**JUDGE, "merge_queues": "read"})

ALL: Needs = MappingProxyType(QUEUE)
"""What the App asks for at its installation."""
