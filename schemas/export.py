"""Write the JSON schemas of the public models beside this file; `--check` reports drift instead of writing.

`python -m schemas.export [--check] [--dir DIR]`: exit 0 when all is as exported, 1 when a file differs or is missing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from pydantic import BaseModel

from schemas.plan_check_result import PlanCheckResult
from schemas.repo_config import RepoConfig
from schemas.verify_report import VerifyReport

EXPORTED: Mapping[str, type[BaseModel]] = MappingProxyType(
    {
        "plan-check-result.schema.json": PlanCheckResult,
        "repo-config.schema.json": RepoConfig,
        "verify-report.schema.json": VerifyReport,
    }
)


def schema_text(model: type[BaseModel]) -> str:
    """The JSON schema (draft 2020-12) of what `model` accepts, as the text of the file."""
    # what is accepted, not what is written: optional fields stay optional, so a stored older report remains valid
    schema = model.model_json_schema(by_alias=True, mode="validation")
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=2) + "\n"


def drifted(directory: Path) -> list[str]:
    """The names of exported files in `directory` that are missing or differ from their models."""
    stale = []
    for name, model in EXPORTED.items():
        path = directory / name
        if not path.is_file() or path.read_text(encoding="utf-8") != schema_text(model):
            stale.append(name)
    return stale


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m schemas.export", description="Export the public JSON schemas.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when an exported file has drifted")
    parser.add_argument("--dir", type=Path, default=Path(__file__).parent, help="where the files are")
    options = parser.parse_args(arguments)
    stale = drifted(options.dir)
    for name in stale:
        if options.check:
            sys.stderr.write(f"{name} differs from its model; run: python -m schemas.export\n")
        else:
            (options.dir / name).write_text(schema_text(EXPORTED[name]), encoding="utf-8")
            sys.stderr.write(f"wrote {name}\n")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
