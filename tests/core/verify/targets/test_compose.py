from __future__ import annotations

import pytest

from tests.core.verify.conftest import files, run
from tests.core.verify.targets.conftest import Aims

TREE = {
    "docker-compose.yml": "x-base: &base\n  image: base\n"
    "services:\n  db:\n    <<: *base\n  api:\n    profiles: [full]\n",
    "docker-compose.override.yml": "services:\n  mail: {image: mail}\n",
    "deploy/compose.dev.yaml": "services:\n  cache: {image: cache}\n",
    "api/main.py": "",
}


@pytest.mark.parametrize(
    ("command", "subject", "suggestion"),
    [
        ("docker compose up -d dbs", "dbs", "db"),
        ("docker-compose logs --tail 20 -f apis", "apis", "api"),
        ("docker compose --profile full exec -T -e A=b apis pytest none", "apis", "api"),
        ("docker compose run --rm apis none", "apis", "api"),
        ("docker compose -f deploy/compose.dev.yaml up cash", "cash", "cache"),
        ("docker compose -f deploy/compose.prod.yaml up", "deploy/compose.prod.yaml", "deploy/compose.dev.yaml"),
        ("cd api && docker compose restart dbs", "dbs", "db"),
    ],
)
def test_a_service_or_file_that_is_not_there_is_reported(
    aims: Aims, command: str, subject: str, suggestion: str | None
) -> None:
    assert aims(TREE, command) == [(subject, suggestion)]


@pytest.mark.parametrize(
    "command",
    [
        "docker compose up -d",
        "docker compose up db api mail",
        "docker compose exec db none",
        "docker compose run --rm api none",
        "docker compose -f docker-compose.yml -f deploy/compose.dev.yaml up cache",
        "docker compose up cache",
        "docker compose --project-directory deploy up none",
        "docker compose config none",
        "docker compose up --new-option none",
        "docker compose exec $SERVICE none",
        "docker compose -f $FILE up none",
        "docker run none",
        "! docker compose up none",
    ],
)
def test_services_and_what_cannot_be_known_are_not(aims: Aims, command: str) -> None:
    assert aims(TREE, command) == []


def test_a_service_that_the_plan_adds_is_there(aims: Aims) -> None:
    assert aims(TREE, files("Modify: `docker-compose.yml`"), "docker compose up queue") == []
    assert aims(TREE, run("docker compose up queue") + "\n```yaml\n  queue:\n    image: q\n```\n") == []


def test_an_environment_file_may_name_other_files(aims: Aims) -> None:
    assert aims({**TREE, ".env": "A=b\n"}, "docker compose up queue") == []


@pytest.mark.parametrize("text", ["include: [other.yml]\nservices: {}\n", "services: [\n", "services: []\n"])
def test_a_file_that_leaves_its_services_open_says_so(aims: Aims, text: str) -> None:
    assert "compose.yml" in aims.notes({"compose.yml": text}, "docker compose up queue")
