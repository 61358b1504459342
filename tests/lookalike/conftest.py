from tests.lookalike.fixtures import (
    acme_app,
    acme_installation,
    app_keys,
    github,
    github_url,
    lookalike,
    widgets,
)

__all__ = ["acme_app", "acme_installation", "app_keys", "github", "github_url", "lookalike", "widgets"]
