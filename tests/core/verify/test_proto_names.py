"""Full names of services and messages against the repository's own `.proto` files."""

from __future__ import annotations

import pytest

from schemas.verify_report import FindingType, Severity
from tests.core.verify.conftest import Bench, plan

PREMISE = FindingType.FALSE_PREMISE
TREE = {
    "proto/gears.proto": 'syntax = "proto3";\n\npackage gears.turning.v2;\n\nservice Turning {}\n\nmessage Empty {}\n'
}


def test_a_service_named_in_a_package_that_is_not_there_is_a_false_premise(bench: Bench) -> None:
    (finding,) = bench.findings(TREE, plan('```go\n// as in "gears.motion.v1.Turning"\n```\n'), PREMISE)
    assert (finding.severity, finding.subject) == (Severity.MAJOR, "gears.motion.v1.Turning")
    assert finding.suggestion == "gears.turning.v2.Turning"
    assert (finding.evidence[0].path, finding.evidence[0].line) == ("proto/gears.proto", 3)


@pytest.mark.parametrize(
    "text",
    [
        "Call `gears.turning.v2.Turning`.",
        "Return `google.protobuf.Empty`.",
        "Use `gears.motion.v1.Braking`.",
        "**Files:**\n- Modify: `proto/gears.proto`\n\nCall `gears.motion.v1.Turning`.",
        "It gets `package gears.motion.v1` and so `gears.motion.v1.Turning`.",
    ],
)
def test_its_own_name_a_librarys_or_a_new_one_is_none(bench: Bench, text: str) -> None:
    assert bench.findings(TREE, plan(text), PREMISE) == ()
