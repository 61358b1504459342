"""The exported JSON schemas."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema_rs
import pytest

from schemas.export import EXPORTED, drifted, main
from schemas.verify_report import PlanInfo, Verdict, VerifyReport

HERE = Path(__file__).parents[1] / "schemas"


def test_the_committed_schemas_are_those_of_the_models() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "schemas.export", "--check"],
        cwd=HERE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_every_schema_file_has_a_model() -> None:
    assert {path.name for path in HERE.glob("*.schema.json")} == set(EXPORTED)


def test_a_changed_or_missing_file_is_named_and_written_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert drifted(tmp_path) == list(EXPORTED)
    assert main(["--dir", str(tmp_path)]) == 0
    (tmp_path / "verify-report.schema.json").write_text("{}")
    capsys.readouterr()
    assert main(["--check", "--dir", str(tmp_path)]) == 1
    assert (
        capsys.readouterr().err == "verify-report.schema.json differs from its model; run: python -m schemas.export\n"
    )
    assert (tmp_path / "verify-report.schema.json").read_text() == "{}"


def test_a_report_follows_its_schema_and_a_field_of_nobody_s_does_not() -> None:
    validator = jsonschema_rs.validator_for(json.loads((HERE / "verify-report.schema.json").read_text()))
    report = json.loads(
        VerifyReport(plan=PlanInfo(path="p.md", format="generic"), verdict=Verdict.CLEAN).model_dump_json()
    )
    validator.validate(report)
    assert report["schema"] == 1
    with pytest.raises(jsonschema_rs.ValidationError):
        validator.validate(report | {"unheard_of": 1})
