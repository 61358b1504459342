from __future__ import annotations

from collections.abc import Mapping

import pytest

from schemas.verify_report import Finding, FindingType, VerifyReport
from tests.core.verify.conftest import Bench, plan, run


class Aims:
    """What commands of a plan aim at and cannot find."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def report(self, tree: Mapping[str, str], *tasks: str, **more: object) -> VerifyReport:
        """Judges a plan of these tasks; a task of one line is a command that is to pass."""
        bodies = [body if "\n" in body else run(body) for body in tasks]
        return self.bench.report(tree, plan(*bodies), **more)  # type: ignore[arg-type]

    def findings(self, tree: Mapping[str, str], *tasks: str, **more: object) -> tuple[Finding, ...]:
        report = self.report(tree, *tasks, **more)
        return tuple(each for each in report.findings if each.type is FindingType.VERIFY_FORM)

    def __call__(self, tree: Mapping[str, str], *tasks: str, **more: object) -> list[tuple[str, str | None]]:
        """Subject and suggestion of each finding, all of which gate and have evidence."""
        found = self.findings(tree, *tasks, **more)
        assert all(each.gating and each.evidence for each in found)
        return [(each.subject, each.suggestion) for each in found]

    def notes(self, tree: Mapping[str, str], *tasks: str) -> str:
        """What the check says that it could not look at; it must then have found nothing."""
        report = self.report(tree, *tasks)
        assert not report.findings
        return "; ".join(check.reason or "" for check in report.checks if check.name == "verify_form")


@pytest.fixture
def aims(bench: Bench) -> Aims:
    return Aims(bench)
