"""`app.yml` asks GitHub for what the handlers need, and for nothing else."""

from __future__ import annotations

from pathlib import Path

import yaml

from handlers import HANDLERS, ROUTES

MANIFEST = yaml.safe_load((Path(__file__).parent.parent / "app.yml").read_text(encoding="utf-8"))
# delivered to every App, and refused in a manifest
UNASKED = {"installation", "installation_repositories", "github_app_authorization", "installation_target"}


def test_the_manifest_holds_exactly_the_permissions_that_the_routes_declare() -> None:
    needed: dict[str, str] = {}
    for route in ROUTES:
        for name, level in route.permissions.items():
            if needed.get(name) != "write":
                needed[name] = level
    assert MANIFEST["default_permissions"] == needed


def test_the_manifest_holds_exactly_the_events_that_have_a_route() -> None:
    assert sorted(MANIFEST["default_events"]) == sorted({route.event for route in ROUTES} - UNASKED)


def test_every_route_has_its_handler_and_every_handler_a_route() -> None:
    assert {route.handler for route in ROUTES} == set(HANDLERS)


def test_no_event_and_action_has_two_routes() -> None:
    pairs = [(route.event, route.action) for route in ROUTES]
    assert len(pairs) == len(set(pairs))
